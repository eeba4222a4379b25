"""Lesson 2: the word dictionary.

What you will learn

* why trainers never look at a text twice: they keep a dictionary, word -> how often, and a pair
  inside a word counts as often as the word does;
* how to cut a word that was not in the training text, by playing the merges again;
* a bug that has been written many times: words kept as strings with blanks, and pairs joined by
  `str.replace`. It looks right, it passes the usual examples, and it is wrong.

Run it with

    python lessons/02_the_word_dictionary.py

It needs nothing but Python. The four words and their counts are the example of Sennrich, Haddow
and Birch (2016, https://arxiv.org/abs/1508.07909), whose own code has not got the bug.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

END = "</w>"  # one symbol, though it is four characters long

Word = tuple[str, ...]  # the symbols of a word
Pair = tuple[str, str]
Join = Callable[[Word, Pair], Word]

CORPUS = {"low": 5, "lower": 2, "newest": 6, "widest": 3}


def spell(count_by_word: Mapping[str, int], end: str = END) -> dict[Word, int]:
    """The dictionary, with every word spelled: its characters, then the end mark."""
    return {(*word, end) if end else tuple(word): n for word, n in count_by_word.items()}


def count_pairs(count_by_word: Mapping[Word, int]) -> Counter[Pair]:
    """How often every pair occurs in the *text*, though we only look at the dictionary."""
    counts: Counter[Pair] = Counter()
    for word, n in count_by_word.items():
        for pair in pairwise(word):
            counts[pair] += n
    return counts


def join(word: Word, pair: Pair) -> Word:
    """Glue `pair` together wherever it stands in `word`, from left to right."""
    joined: list[str] = []
    for symbol in word:
        if joined and (joined[-1], symbol) == pair:
            joined[-1] += symbol
        else:
            joined.append(symbol)
    return tuple(joined)


def learn(
    count_by_word: Mapping[Word, int], n_merges: int, join: Join = join
) -> Iterator[tuple[Pair, int, dict[Word, int]]]:
    """Join the commonest pair, `n_merges` times; among equals, the pair seen first.

    Yields the pair, how often it occurred, and the dictionary after joining it.
    """
    for _ in range(n_merges):
        counts = count_pairs(count_by_word)
        if not counts:
            return
        pair = max(counts, key=counts.__getitem__)
        spelled: Counter[Word] = Counter()
        for word, n in count_by_word.items():
            spelled[join(word, pair)] += n
        count_by_word = spelled
        yield pair, counts[pair], dict(spelled)


def encode(word: str, merges: list[Pair]) -> Word:
    """Cut any word: spell it, then play the merges in the order they were learned."""
    symbols: Word = (*word, END)
    for pair in merges:
        symbols = join(symbols, pair)
    return symbols


# --- the bug ----------------------------------------------------------------------------------

# Three merges into these seven words, "th" and "er" are symbols and (h, e) is the next pair.
TRAP = {"with": 5, "this": 5, "the": 3, "he": 7, "her": 2, "river": 5, "water": 5}


def join_by_replacing(word: Word, pair: Pair) -> Word:
    """WRONG: write the word as "a b c" and replace "a b" by "ab".

    `replace` knows characters and not symbols. The blank it looks for is a border, but the
    letters to the left and right of the blank may be the end and the start of longer symbols.
    """
    return tuple(" ".join(word).replace(" ".join(pair), "".join(pair)).split(" "))


def join_by_regex(word: Word, pair: Pair) -> Word:
    """Right, as long as no symbol holds a blank: the match must begin and end at a border."""
    border = rf"(?<!\S){re.escape(' '.join(pair))}(?!\S)"
    return tuple(re.sub(border, lambda _: "".join(pair), " ".join(word)).split(" "))


def strangers(count_by_word: Mapping[Word, int], merges: list[Pair]) -> set[str]:
    """Symbols longer than a character that no merge has made: they have no id."""
    made = {left + right for left, right in merges}
    return {s for word in count_by_word for s in word if len(s) > 1 and s not in made}


# --- the lecture ------------------------------------------------------------------------------


def six_merges() -> list[Pair]:
    """Part 1: learn from the dictionary. Returns the merges."""
    print("1. The dictionary: " + ", ".join(f"{word} {n}" for word, n in CORPUS.items()) + "\n")
    steps = list(learn(spell(CORPUS), 6))
    for pair, count, _ in steps:
        print(f"   {' + '.join(pair):<12} -> {''.join(pair):<8} {count} times in the text")
    spelled = steps[-1][2]
    print("\n   " + "   ".join(" ".join(word) for word in spelled))
    print(f"\n   The text has {sum(CORPUS.values())} words; each round looked at {len(spelled)}.")
    print("   A billion words of English have a few million different ones: a great gain.")
    return [pair for pair, _, _ in steps]


def words_new_and_old(merges: list[Pair]) -> None:
    """Part 2: encode by replaying."""
    print("\n2. Cutting words by playing the six merges again\n")
    for word in ("lower", "newest", "lowest", "slow"):
        seen = f"seen {CORPUS[word]} times" if word in CORPUS else "never seen"
        print(f"   {word:<8} {' '.join(encode(word, merges)):<18} {seen}")
    print('\n   "lowest" was not in the text, and yet it falls into its stem and its ending.')


def where_it_bites() -> list[str]:
    """Part 3: one merge by symbols and by `str.replace`. Returns the words that differ."""
    print("\n3. The bug. New dictionary: " + ", ".join(f"{w} {n}" for w, n in TRAP.items()))
    *_, (_, _, before), (pair, count, _) = learn(spell(TRAP, end=""), 3)
    print(f"   After th and er, the next pair is ({', '.join(pair)}), {count} times.\n")
    print(f"   {'word':<10}{'before':<14}{'by symbols':<14}by str.replace")
    bitten = []
    for word in before:
        right, wrong = join(word, pair), join_by_replacing(word, pair)
        name, mark = "".join(word), "  <- wrong" if wrong != right else ""
        print(f"   {name:<10}{' '.join(word):<14}{' '.join(right):<14}{' '.join(wrong)}{mark}")
        bitten += [name] if mark else []
    return bitten


def what_it_costs() -> set[str]:
    """Part 3, continued: the damage. Returns the symbols that no merge explains."""
    steps = list(learn(spell(TRAP, end=""), 3, join_by_replacing))
    unknown = strangers(steps[-1][2], [pair for pair, _, _ in steps])
    print('\n   "th e" contains "h e", and so does "h er": the blank is a border of symbols,')
    print("   but this h is only the end of th, and that e only the start of er. Now there")
    names = ", ".join(sorted(unknown))
    print(f"   are symbols that no merge has made: {names}. They have no id, and every")
    print("   count from here on is false. (On the four words of part 1 both ways agree,")
    print("   which is why the bug lives so long.)")
    print(r"   Cure: keep symbols in a tuple, or anchor the match: (?<!\S)h e(?!\S).")
    return unknown


def main() -> None:
    """Tell the whole story."""
    merges = six_merges()
    words_new_and_old(merges)
    where_it_bites()
    what_it_costs()
    print("\nNext, lesson 3: bytes instead of characters, and the way back.")


if __name__ == "__main__":
    main()
