"""Lesson 4: from v1, which recounts everything, to v2, which mends what a join has changed.

What you will learn

* where the obvious program spends its time: it counts a whole text to change a few places in it,
  and it looks things up in a dictionary that was made for the opposite question;
* the two ideas behind every fast trainer: after a join, only the neighbours of the joined places
  have changed; and a queue may hold outdated entries, if whoever takes one checks it;
* how to make a program fast without making it wrong: the same tests for both, then the clock.

Run it with

    python lessons/04_from_v1_to_v2.py

It needs nothing but Python, and takes a few seconds.
"""

import argparse
import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

Pair = tuple[int, int]
Merges = dict[Pair, int]  # pair -> the id it becomes, in the order they were learned

# Both versions obey the same rule: the most frequent pair first; of several, the smallest pair of
# ids; never a pair that occurs only once. Bytes are ids 0 to 255, merges go on from 256.

# --- v1: the obvious way ----------------------------------------------------------------------


def learn_v1(data: bytes, n_merges: int) -> tuple[Merges, list[int]]:
    """Count all pairs, join the best, forget the counts, and start again.

    Returns the merges, and the text as ids. Cost: merges x length of the text.
    """
    merges: Merges = {}
    ids = list(data)
    while len(merges) < n_merges:
        counts = Counter(pairwise(ids))
        pair = min(counts, key=lambda p: (-counts[p], p), default=(0, 0))
        if counts[pair] < 2:
            break
        merges[pair] = 256 + len(merges)
        ids = join_everywhere(ids, pair, merges[pair])
    return merges, ids


def join_everywhere(ids: list[int], pair: Pair, new_id: int) -> list[int]:
    """A new list in which `new_id` stands for every `pair`, from left to right."""
    joined: list[int] = []
    for token in ids:
        if joined and (joined[-1], token) == pair:
            joined[-1] = new_id
        else:
            joined.append(token)
    return joined


def decode_v1(ids: Sequence[int], merges: Merges) -> bytes:
    """Look for the pair that became this id, then for the pairs of its parts, down to bytes.

    `merges` answers "what does this pair become?". Here it is asked "who became this?", and it
    can only read itself from start to end. Cost: a search for every inner node of every tree.
    """
    data = bytearray()
    stack = list(reversed(ids))
    while stack:
        token = stack.pop()
        if token < 256:
            data.append(token)
        else:
            left, right = next(pair for pair, new_id in merges.items() if new_id == token)
            stack += (right, left)
    return bytes(data)


# --- v2: change only what changes -------------------------------------------------------------

EDGE = -1  # beyond the first and the last symbol
GONE = -2  # the symbol that stood here is now part of the one to its left


class Chain:
    """A text that is joined in place, and knows where each pair stands.

    Positions are those of the bytes and never move. Every position that still has a symbol knows
    its neighbours, so that a joined symbol is stepped over in one stride.
    """

    def __init__(self, data: bytes) -> None:
        n = len(data)
        self.symbol = list(data)
        self.left = list(range(-1, n - 1))
        self.right = [*range(1, n), EDGE]
        self.sites: defaultdict[Pair, set[int]] = defaultdict(set)
        for position in range(n):
            self.add_site(position)

    def pair_at(self, position: int) -> Pair | None:
        """The symbol at `position` and its right neighbour; None where there are not two."""
        if position == EDGE or self.symbol[position] == GONE or self.right[position] == EDGE:
            return None
        return self.symbol[position], self.symbol[self.right[position]]

    def add_site(self, position: int) -> Pair | None:
        """Note which pair starts here, and say which."""
        if pair := self.pair_at(position):
            self.sites[pair].add(position)
        return pair

    def remove_site(self, position: int) -> None:
        """Forget the pair that starts here."""
        if pair := self.pair_at(position):
            self.sites[pair].discard(position)

    def join(self, pair: Pair, new_id: int) -> set[Pair]:
        """Join `pair` at all its sites; returns the pairs that have new sites now."""
        new_pairs: set[Pair | None] = set()
        for position in sorted(self.sites.pop(pair)):
            if self.pair_at(position) == pair:  # in "aaa", the first join takes the second's a
                new_pairs |= self.join_site(position, new_id)
        return {p for p in new_pairs if p}

    def join_site(self, position: int, new_id: int) -> set[Pair | None]:
        """Three pairs end here, and two begin: with the left neighbour and with the right."""
        left, eaten = self.left[position], self.right[position]
        for site in (left, position, eaten):
            self.remove_site(site)
        self.symbol[position], self.symbol[eaten] = new_id, GONE
        self.right[position] = self.right[eaten]
        if self.right[position] != EDGE:
            self.left[self.right[position]] = position
        return {self.add_site(left), self.add_site(position)}


def learn_v2(data: bytes, n_merges: int) -> tuple[Merges, list[int]]:
    """Count once; then every join mends the counts around its own sites.

    Returns what `learn_v1` returns. Cost: length of the text + the places that change.
    """
    chain = Chain(data)
    merges: Merges = {}
    queue = [(-len(sites), pair) for pair, sites in chain.sites.items()]
    heapq.heapify(queue)
    while len(merges) < n_merges and (pair := take_best(queue, chain)):
        merges[pair] = 256 + len(merges)
        for grown in chain.join(pair, merges[pair]):
            heapq.heappush(queue, (-len(chain.sites[grown]), grown))
    return merges, [token for token in chain.symbol if token != GONE]


def take_best(queue: list[tuple[int, Pair]], chain: Chain) -> Pair | None:
    """The most frequent pair, or None if no pair occurs twice.

    Lazy: nobody takes an entry out when its pair loses sites. It waits its turn, is found to be
    outdated, and goes back with its true count. That is right because counts that *grow* are
    entered at once: the queue may promise too much, never too little.
    """
    while queue:
        promised, pair = heapq.heappop(queue)
        count = len(chain.sites.get(pair, ()))
        if count == -promised and count >= 2:
            return pair
        if count >= 2:
            heapq.heappush(queue, (-count, pair))
    return None


def decode_v2(ids: Sequence[int], merges: Merges) -> bytes:
    """Write down once what every id stands for; then decoding is reading a list.

    Parts are older than what they make, so one pass over the merges fills the table.
    """
    table = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        table.append(table[left] + table[right])
    return b"".join(map(table.__getitem__, ids))


# --- the same tests for both ------------------------------------------------------------------


class Version(NamedTuple):
    """One way to do the work."""

    learn: Callable[[bytes, int], tuple[Merges, list[int]]]
    decode: Callable[[Sequence[int], Merges], bytes]


V1 = Version(learn_v1, decode_v1)
V2 = Version(learn_v2, decode_v2)


def learns_by_hand(version: Version) -> bool:
    """Check an example worked with a pencil: aaabdaaabac -> ZabdZabac -> ZYdZYac -> XdXac."""
    z, y, x = 256, 257, 258
    merges, ids = version.learn(b"aaabdaaabac", 9)
    expected = {(97, 97): z, (97, 98): y, (z, y): x}
    return merges == expected and ids == [x, *b"d", x, *b"ac"]


def joins_runs(version: Version) -> bool:
    """In a run of five, two pairs are joined from the left and one symbol is left over."""
    return version.learn(b"aaaaa", 1) == ({(97, 97): 256}, [256, 256, 97])


def learns_nothing_from_nothing(version: Version) -> bool:
    """No pair, or no pair that occurs twice: no merge."""
    return all(version.learn(data, 9) == ({}, list(data)) for data in (b"", b"a", b"abcd"))


def gives_every_byte_back(version: Version) -> bool:
    """All 256 bytes, three times over, survive the way there and back."""
    data = bytes(range(256)) * 3
    merges, ids = version.learn(data, 50)
    return version.decode(ids, merges) == data


def gives_text_back(version: Version) -> bool:
    """So does a real text."""
    data = real_text()[:3000]
    merges, ids = version.learn(data, 100)
    return version.decode(ids, merges) == data and len(ids) < len(data)


TESTS = (
    learns_by_hand,
    joins_runs,
    learns_nothing_from_nothing,
    gives_every_byte_back,
    gives_text_back,
)


def real_text() -> bytes:
    """The source of a module that is surely on this machine."""
    return Path(argparse.__file__).read_bytes()


def run_tests() -> list[tuple[str, bool, bool]]:
    """Part 1: every test on both versions. Returns name, v1 passed, v2 passed."""
    print("1. The same tests for both\n")
    results = [(test.__name__, test(V1), test(V2)) for test in TESTS]
    for name, passed_v1, passed_v2 in results:
        marks = ["ok" if passed else "FAILED" for passed in (passed_v1, passed_v2)]
        print(f"   {name.replace('_', ' '):<30} v1 {marks[0]:<8} v2 {marks[1]}")
    return results


# --- then the clock ---------------------------------------------------------------------------


class Timing(NamedTuple):
    """Seconds both versions took on the same text."""

    n_bytes: int
    n_merges: int
    learn_v1_s: float
    learn_v2_s: float
    decode_v1_s: float
    decode_v2_s: float


def measure(data: bytes, n_merges: int) -> Timing:
    """Time both versions, having made sure that they agree."""
    seconds: list[float] = []
    outcomes = []
    for version in (V1, V2):
        start = perf_counter()
        merges, ids = version.learn(data, n_merges)
        learned = perf_counter()
        text = version.decode(ids, merges)
        seconds += [learned - start, perf_counter() - learned]
        outcomes.append((list(merges.items()), ids, text))
    if outcomes[0] != outcomes[1] or outcomes[0][2] != data:
        raise SystemExit("v1 and v2 disagree: a fast wrong answer is no answer")
    return Timing(len(data), len(merges), seconds[0], seconds[2], seconds[1], seconds[3])


def race() -> list[Timing]:
    """Part 2: a growing corpus, and a vocabulary that grows with it. Returns the table."""
    print("\n2. Equal answers, so now the clock: one merge for every 100 bytes of text\n")
    print("                   |  learn, seconds        |  decode, milliseconds")
    print("    bytes   merges |    v1      v2   v1/v2  |    v1      v2   v1/v2")
    timings = []
    for n_bytes in (5_000, 10_000, 20_000, 40_000):
        row = measure(real_text()[:n_bytes], n_bytes // 100)
        n, m, l1, l2, d1, d2 = row
        print(
            f"   {n:>6}  {m:>7} | {l1:>6.3f}  {l2:>6.3f}  {l1 / l2:>5.1f}x "
            f" | {1e3 * d1:>6.1f}  {1e3 * d2:>6.1f}  {d1 / d2:>5.0f}x"
        )
        timings.append(row)
    return timings


def main() -> None:
    """Tell the whole story."""
    run_tests()
    race()
    print("\n   Text and merges double from row to row. Learning costs v1 a walk over the")
    print("   whole text for every merge: text x merges. It costs v2 one walk, and the")
    print("   places that change. Decoding costs v1 a search through its merges for every")
    print("   part of every token: tokens x merges. It costs v2 one step a token.")
    print("\nThat was the algorithm. Lesson 7 is the loop under any server that offers it.")


if __name__ == "__main__":
    main()
