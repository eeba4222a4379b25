"""Lesson 5: what a tokenizer makes of your prompt.

What you will learn

* that the space in front belongs to the word, and that a capital makes another word of it;
* what a typo costs, and why a compound falls into pieces;
* that the same sentence is longer in another language, and that emoji are bytes;
* why what changes belongs at the end of a prompt.

Run it with

    pip install .
    python lessons/05_prompts.py

The tokenizer is trained on the spot, on the reference manual that comes with Python: English about
programming, and little else. The figures depend on your version of it; the reasons do not. Real
vocabularies are thirty times as large and know more words, but they fail in the same ways.
"""

import warnings
from pydoc_data.topics import topics

import bytepair
from bytepair.evaluation import parity

SYSTEM = (
    "You are a helpful assistant for questions about the Python language. Answer in a few "
    "sentences, give an example where one helps, and say so when you do not know the answer. "
)
VARIABLE = "Today is 30 November, and the name of the user is Alice. "
OTHER = "Today is 1 December, and the name of the user is Robert. "
BLOCK = 16  # tokens; what servers keep of a prompt, they keep in blocks of such a size


def train() -> bytepair.Tokenizer:
    """Four thousand tokens of the manual."""
    manual = [text.encode() for _, text in sorted(topics.items())]
    with warnings.catch_warnings(action="ignore", category=bytepair.BytepairWarning):
        return bytepair.train(manual, vocab_size=4000, name="manual", special_tokens=[])


def pieces(tok: bytepair.Tokenizer, text: str) -> list[str]:
    """The tokens as text, a space as a dot; half a character as its byte in hexadecimal."""
    return [
        piece.text.replace(" ", "·") if piece.text is not None else f"<{piece.data.hex()}>"
        for piece in tok.inspect(text)
    ]


def show(tok: bytepair.Tokenizer, *texts: str) -> None:
    """A text a line, with what it becomes."""
    for text in texts:
        parts = pieces(tok, text)
        shown = "|".join(parts) if len(parts) <= 8 else "|".join(parts[:8]) + "|..."
        print(f"   {text!r:<22}{len(parts):>3}  {shown}")


def where_it_stopped(tok: bytepair.Tokenizer, word: str) -> list[tuple[str, str]]:
    """Neighbours in a word that no merge joins."""
    stops = [stop for word in tok.explain(word).words for stop in word.stops]
    return [(stop.left.decode(), stop.right.decode()) for stop in stops]


def spaces_and_capitals(tok: bytepair.Tokenizer) -> None:
    """Part 1: four spellings, four rows of tokens."""
    print("1. The space belongs to the word, and a capital makes another word")
    show(tok, " statement", "statement", " Statement", " STATEMENT", " statement ")
    print("   A prompt that ends with a space ends with a token that words seldom follow.")


def typos_and_compounds(tok: bytepair.Tokenizer) -> None:
    """Part 2: what merging cannot join."""
    print("\n2. Typos and compounds fall into pieces")
    show(tok, " expression", " expresion", " exprression")
    print("   One wrong letter breaks the row of merges that leads to the whole word.")
    show(tok, " subexpressionlist")
    for left, right in where_it_stopped(tok, " subexpressionlist"):
        print(f"   stop: no merge joins {left!r} and {right!r}")
    print("   Both sides are known; together they were too rare for a merge.")


def languages_and_emoji(tok: bytepair.Tokenizer) -> None:
    """Part 3: what the corpus did not hold is spelled in bytes."""
    print("\n3. The same sentences in other languages, against English")
    factors = parity(tok)
    chosen = ("English", "German", "Russian", "Korean", "Hindi", "Tamil")
    print("   " + "  ".join(f"{name} {factors[name]:.1f}" for name in chosen))
    print("   Whoever pays by the token, or has room for so many, pays that factor.")
    show(tok, "🙂", "👩‍🔬", "naïve")


def shared(tok: bytepair.Tokenizer, *, variable_first: bool) -> tuple[int, int]:
    """(tokens of the second prompt that a cache has, those to be computed)."""
    one, other = (part + SYSTEM if variable_first else SYSTEM + part for part in (VARIABLE, OTHER))
    blocks = tok.cache_blocks(one, other, BLOCK)
    return blocks.reused, blocks.computed


def what_changes_belongs_at_the_end(tok: bytepair.Tokenizer) -> None:
    """Part 4: a server keeps the beginning of a prompt, as long as it stays the same."""
    print("\n4. What changes belongs at the end")
    for place, first in (("first", True), ("last", False)):
        reused, computed = shared(tok, variable_first=first)
        print(
            f"   date and name {place + ':':<7}{reused:>3} tokens from the cache, "
            f"{computed} to compute"
        )
    print("   All tokens behind the first difference are new to the cache, though the text")
    print(f"   may be the same; and it keeps whole blocks only, here of {BLOCK} tokens.")


def main() -> None:
    """Tell the whole story."""
    tok = train()
    spaces_and_capitals(tok)
    typos_and_compounds(tok)
    languages_and_emoji(tok)
    what_changes_belongs_at_the_end(tok)


if __name__ == "__main__":
    main()
