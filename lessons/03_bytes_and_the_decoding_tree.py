"""Lesson 3: bytes, and why decoding is a tree.

What you will learn

* why modern tokenizers start from bytes: 256 symbols, and no text that they cannot spell;
* what an id is made of: two older ids, each made of two older ones, down to the bytes. Decoding
  is a walk through that tree, and stopping half-way is a mistake that is easy to make;
* what a larger vocabulary buys, and what it costs, measured on a real text.

Run it with

    pip install .
    python lessons/03_bytes_and_the_decoding_tree.py

Merges are learned by bytepair's pure-Python engine, the readable twin of the C++ one. Programs
that use the library call `bytepair.train`; a lesson goes one floor down on purpose, because that
engine is code to be read (`src/bytepair/engines/python/_learn.py`) and learns from plain numbers,
with nothing cut beforehand. Encoding and decoding are written out below, a few lines each, for
they are the subject.
"""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np

from bytepair.engines import LearnTask, python
from bytepair.model import Merge

SENTENCE = b"the quick brown fox jumps over the lazy dog"
CORPUS = (SENTENCE + b". ") * 30

Parts = dict[int, tuple[int, int]]  # id -> the two ids it was joined from; bytes have none


def learn(data: bytes, vocab_size: int) -> list[Merge]:
    """Merges over the whole text as one long word: nothing is cut beforehand.

    Ids 0 to 255 are the bytes; the first merge makes id 256. Of equally frequent pairs the one
    that occurs first in the text is joined. A pair seen once is not worth an id.
    """
    task = LearnTask(
        np.frombuffer(data, np.uint8).astype(np.uint32),
        np.array([0, len(data)], np.int64),  # one word, from here to there,
        np.array([1], np.int64),  # which occurs once
        [bytes([byte]) for byte in range(256)],
        ties="first",
        min_frequency=2,
    )
    return list(python.ENGINE.learner(task).advance(vocab_size - 256))


def encode(data: bytes, merges: Iterable[Merge]) -> list[int]:
    """Bytes -> ids: play the merges in the order they were learned."""
    ids = list(data)
    for left, right, new_id, _ in merges:
        joined: list[int] = []
        for token in ids:
            if joined and joined[-1] == left and token == right:
                joined[-1] = new_id
            else:
                joined.append(token)
        ids = joined
    return ids


def parts_of(merges: Iterable[Merge]) -> Parts:
    """The merges read backwards: what every new id was joined from."""
    return {new_id: (left, right) for left, right, new_id, _ in merges}


def expand_once(ids: Iterable[int], parts: Parts) -> list[int]:
    """Replace every id by its two parts; bytes stay."""
    return [part for token in ids for part in parts.get(token, (token,))]


def decode(ids: Sequence[int], parts: Parts) -> bytes:
    """Ids -> bytes: walk every id's tree down to its leaves, left before right.

    Bytes, not text: a token may end in the middle of a character, so join first and read UTF-8
    last. The stack is our own: a function that calls itself would be shorter by two lines, and
    would fall over on a vocabulary whose trees are deeper than Python lets calls be nested.
    """
    data = bytearray()
    stack = list(reversed(ids))
    while stack:
        token = stack.pop()
        if token in parts:
            left, right = parts[token]
            stack += (right, left)
        else:
            data.append(token)
    return bytes(data)


def draw(token: int, parts: Parts, depth: int, indent: str = "") -> list[str]:
    """The tree under `token` as lines of text, cut off `depth` levels down."""
    lines = [f"{token:<4} {decode([token], parts).decode('utf-8', 'backslashreplace')!r}"]
    if token in parts and depth == 0:
        lines[0] += " ..."
    elif token in parts:
        left, right = parts[token]
        first, *rest = draw(left, parts, depth - 1)
        lines += [f"├─ {first}", *(f"│  {line}" for line in rest)]
        first, *rest = draw(right, parts, depth - 1)
        lines += [f"└─ {first}", *(f"   {line}" for line in rest)]
    return [indent + line for line in lines]


class Row(NamedTuple):
    """What one vocabulary size did to the text."""

    vocab_size: int
    merges: int
    tokens: int
    bytes_per_token: float
    train_s: float
    encode_s: float


def measure(data: bytes, vocab_size: int) -> Row:
    """Train on `data`, encode it, and make sure that it comes back."""
    start = perf_counter()
    merges = learn(data, vocab_size)
    trained = perf_counter()
    ids = encode(data, merges)
    encoded = perf_counter()
    if decode(ids, parts_of(merges)) != data:
        raise SystemExit("the text did not come back: please report this")
    per_token = len(data) / len(ids)
    return Row(vocab_size, len(merges), len(ids), per_token, trained - start, encoded - trained)


def two_tokens() -> list[Merge]:
    """Part 1: a sentence said thirty times becomes two tokens. Returns the merges."""
    merges = learn(CORPUS, 320)
    print(f"1. One sentence, thirty times: {len(CORPUS)} bytes; room for {320 - 256} merges\n")
    for left, right, new_id, count in [*merges[:4], *merges[36:38]]:
        made = decode([new_id], parts_of(merges)).decode()
        print(f"   ({left}, {right})".ljust(14) + f"-> {new_id}  {count} times  {made!r}")
    print(f"   Learning stops after {len(merges)} merges: no pair is left that occurs twice.\n")
    print(f"   The sentence without its full stop: {encode(SENTENCE, merges)}")
    print("   Two tokens and not one, because all but the very first 'the ' follow a blank")
    print("   and became ' the '. Nothing ever joined the one that starts the text.")
    return merges


def half_way(merges: list[Merge]) -> list[list[int]]:
    """Part 2: expand the two tokens again and again. Returns every stage, ids first."""
    parts = parts_of(merges)
    stages = [encode(SENTENCE, merges)]
    while any(token in parts for token in stages[-1]):
        stages.append(expand_once(stages[-1], parts))
    print("\n2. And back. Is it enough to replace every id by its two parts?\n")
    print(f"   the ids        {stages[0]}")
    print(f"   expanded once  {stages[1]}   <- 257 and 292 are not bytes!")
    print(f"   expanded twice {stages[2]}")
    print(f"   {len(stages) - 1} times       {stages[-1][:7]} ... {len(stages[-1])} bytes, at last")
    print("\n   Parts have parts: an id is a tree, and its leaves are the text.\n")
    for token in stages[0]:
        print("\n".join(draw(token, parts, 3, indent="   ")))
    return stages


def real_text() -> list[Row]:
    """Part 3: larger vocabularies on a larger text. Returns the table."""
    data = Path(argparse.__file__).read_bytes()
    print(f"\n3. A real text: the source of Python's argparse, {len(data)} bytes\n")
    print("   vocabulary  merges  tokens  ratio*  bytes per token  train   encode")
    rows = [measure(data, size) for size in (256, 384, 512)]
    for size, n_merges, tokens, per_token, train_s, encode_s in rows:
        print(
            f"   {size:>10}  {n_merges:>6}  {tokens:>6}  {tokens / len(data):>6.2f}"
            f"  {per_token:>15.2f}  {train_s:>5.2f}s  {encode_s:>5.2f}s"
        )
    print("   * tokens divided by bytes: 0.40 would be two tokens for every five bytes\n")
    print("   The first 128 merges save far more than the next 128: common pairs go first.")
    print("   Encoding reads the text once for every merge here. A real encoder does not.")
    return rows


def main() -> None:
    """Tell the whole story."""
    half_way(two_tokens())
    real_text()
    print("\nNext, lesson 4: the same results, without counting everything every time.")


if __name__ == "__main__":
    main()
