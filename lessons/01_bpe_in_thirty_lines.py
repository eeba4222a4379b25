"""Lesson 1: byte-pair encoding in thirty lines.

What you will learn

* how a machine finds word stems and endings with no dictionary and no grammar: by joining, again
  and again, the two neighbours that meet most often;
* that the list of joins *is* the tokenizer: to cut a new text, play the list again;
* what to do with characters that nobody has ever shown to it.

Run it with

    python lessons/01_bpe_in_thirty_lines.py

It needs nothing but Python. The algorithm stands between the two rulers below; everything else
is the conversation around it. Its idea is Philip Gage's ("A New Algorithm for Data Compression",
1994); Rico Sennrich, Barry Haddow and Alexandra Birch brought it to language ("Neural Machine
Translation of Rare Words with Subword Units", 2016, https://arxiv.org/abs/1508.07909).
"""

import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

END = "_"  # closes every word, so that "low" the word and "low" in "lower" can part ways

Word = list[str]  # a word as the symbols it is made of at the moment
Pair = tuple[str, str]

# --- the algorithm ----------------------------------------------------------------------------


def split_words(text: str) -> list[Word]:
    """Spell every word: its characters, then the end mark."""
    return [[*word, END] for word in text.replace(END, " ").split()]


def count_pairs(words: list[Word]) -> Counter[Pair]:
    """For every two symbols that stand side by side: how often they do."""
    return Counter(pair for word in words for pair in pairwise(word))


def join(word: Word, pair: Pair) -> Word:
    """Glue `pair` together wherever it stands in `word`, from left to right."""
    joined: Word = []
    for symbol in word:
        if joined and (joined[-1], symbol) == pair:
            joined[-1] += symbol
        else:
            joined.append(symbol)
    return joined


def learn(words: list[Word], n_merges: int) -> Iterator[tuple[Pair, int, list[Word]]]:
    """Join the commonest pair, count again, and so on; among equals, the pair seen first."""
    for _ in range(n_merges):
        counts = count_pairs(words)
        pair = max(counts, key=counts.__getitem__, default=("", ""))
        if counts[pair] < 2:
            return  # what happens once teaches nothing
        words = [join(word, pair) for word in words]
        yield pair, counts[pair], words


# --- that was all of it -----------------------------------------------------------------------

TINY = "low lower lowest"

PARAGRAPH = """
The weaver sits at the window before the village wakes. She winds the thread, she warps the loom,
she throws the shuttle from the left hand to the right hand and back again. Nothing is quicker
than the shuttle and nothing is slower than the cloth. A thread alone is weak; two threads twisted
together are stronger; a thousand threads crossed over and under each other will hold the wind in
a sail. When she was younger she counted every thread. Now her hands do the counting, and she only
listens: the loom is knocking, the shuttle is whispering, and somewhere between the knocking and
the whispering the pattern is growing. Strangers ask her where the pattern comes from. From the
oldest rule there is, says the weaver: look for the two threads that meet most often, and tie them
together. Then look again.
"""

NEW_TEXT = "The younger weavers were knitting together. Naïve 🧵!"

# One token for each byte there is. Words have no blanks in them, so no word can spell such a name.
BYTE_NAMES = [f"<byte {byte:02X}>" for byte in range(256)]
BYTE_BY_NAME = {name: bytes([byte]) for byte, name in enumerate(BYTE_NAMES)}


def build_tokens(words: list[Word], merges: list[Pair]) -> list[str]:
    """Id -> token: the 256 bytes, the end mark, the characters, and what was joined, in order."""
    characters = sorted({symbol for word in words for symbol in word} - {END})
    joined = [left + right for left, right in merges]
    return list(dict.fromkeys([*BYTE_NAMES, END, *characters, *joined]))


def spell(word: str, known: set[str]) -> Word:
    """A new word as symbols: characters we know, and the UTF-8 bytes of those we do not."""
    symbols: Word = []
    for character in word:
        if character in known and character != END:
            symbols.append(character)
        else:
            symbols += [BYTE_NAMES[byte] for byte in character.encode("utf-8")]
    return [*symbols, END]


def tokenise(text: str, tokens: list[str], merges: list[Pair]) -> list[str]:
    """Play the merges again, in the order they were learned, on every word of `text`."""
    known = set(tokens)
    pieces: list[str] = []
    for word in text.split():
        symbols = spell(word, known)
        for pair in merges:
            symbols = join(symbols, pair)
        pieces += symbols
    return pieces


def untokenise(pieces: list[str]) -> str:
    """Back to text. A run of blanks comes back as one blank: `text.split()` threw it away."""
    data = b""
    for piece in pieces:
        if piece in BYTE_BY_NAME:
            data += BYTE_BY_NAME[piece]  # perhaps a third of a character: join first, read later
        elif piece.endswith(END):
            data += piece.removesuffix(END).encode("utf-8") + b" "
        else:
            data += piece.encode("utf-8")
    return data.decode("utf-8").removesuffix(" ")


def save(path: Path, tokens: list[str], merges: list[Pair]) -> None:
    """All there is to keep: the tokens by id, and the merges in their order."""
    data = {"end_mark": END, "tokens": tokens, "merges": merges}
    path.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")


def load(path: Path) -> tuple[list[str], list[Pair]]:
    """The tokens and merges that `save` wrote."""
    data = json.loads(path.read_text(encoding="utf-8"))
    return data["tokens"], [(left, right) for left, right in data["merges"]]


def three_merges() -> tuple[list[Pair], list[Word]]:
    """Part 1, small enough to check by hand. Returns the merges, and the words after them."""
    spelled = split_words(TINY)
    print(f"1. Three words: {TINY}\n")
    print(f"   {'to begin with':<22}" + "   ".join(map(" ".join, spelled)))
    steps = list(learn(spelled, 3))
    for (left, right), count, after in steps:
        step = f"({left},{right}) met {count} times"
        print(f"   {step:<22}" + "   ".join(map(" ".join, after)))
    print("\n   (l,o) and (o,w) both met 3 times: of equals, the one seen first is joined.")
    print('   Nobody told it what a stem is: it found "low" by counting. It found "lowe" as')
    print("   well, which is no stem of anything. Counting is all it does.")
    return [pair for pair, _, _ in steps], steps[-1][2]


def learn_from_paragraph() -> tuple[list[str], list[Pair]]:
    """Part 2: the same thirty lines on a longer text. Returns tokens and merges."""
    words = split_words(PARAGRAPH)
    steps = list(learn(words, 400))
    print(f"\n2. A paragraph of {len(words)} words\n")
    for rank in (0, 1, 2, 3, 4, len(steps) - 2, len(steps) - 1):
        (left, right), count, _ = steps[rank]
        print(f"   merge {rank + 1:>3}: {left:>6} + {right:<4} met {count:>2} times")
    after = steps[-1][2]
    print(f"   and there it stops, after {len(steps)} merges: no pair is left that meets twice.")
    print(f"   {sum(map(len, words))} symbols have become {sum(map(len, after))}.")
    longest = sorted({symbol for word in after for symbol in word}, key=lambda s: (-len(s), s))
    print(f"   The longest of them: {' '.join(longest[:6])}")
    merges = [pair for pair, _, _ in steps]
    return build_tokens(words, merges), merges


def save_and_load(tokens: list[str], merges: list[Pair]) -> tuple[list[str], list[Pair]]:
    """Part 3: to the disk and back. Returns what came back."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vocabulary.json"
        save(path, tokens, merges)
        print(f"\n3. Saved as {path.name} ({path.stat().st_size} bytes), and loaded again\n")
        return load(path)


def read_something_new(tokens: list[str], merges: list[Pair]) -> list[str]:
    """Part 3, continued: a text it has never seen. Returns its tokens."""
    pieces = tokenise(NEW_TEXT, tokens, merges)
    ids = [tokens.index(piece) for piece in pieces]
    print(f"   vocabulary  {len(tokens)} tokens: bytes, end mark, characters, merges")
    print(f"   new text    {NEW_TEXT}")
    for start, stop in ((0, 18), (18, 24), (24, len(pieces))):
        print(f"   {'' if start else 'tokens':<12}{' '.join(pieces[start:stop])}")
    print(f"   ids         {' '.join(map(str, ids[:15]))} ...")
    print(f"   back again  {untokenise([tokens[i] for i in ids])}\n")
    print("   The paragraph has no ï, no 🧵 and no exclamation mark. They came through as")
    print("   their UTF-8 bytes, two, four and one: with all 256 bytes in the vocabulary,")
    print("   nothing is ever unknown. This is called byte fallback.")
    return pieces


def main() -> None:
    """Tell the whole story."""
    three_merges()
    tokens, merges = save_and_load(*learn_from_paragraph())
    read_something_new(tokens, merges)
    print("\nNext, lesson 2: count every different word once, however often it occurs.")


if __name__ == "__main__":
    main()
