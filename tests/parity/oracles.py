"""Small, obvious answers to hold the engines against. Nothing here is shared with them.

Each does what the textbook says and nothing else: recount everything, look at every pair, ask the
`regex` package. Slow by design.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

import regex

from bytepair.model import TokenizerSpec

Pair = tuple[int, int]


def cuts(pattern: str | None, data: bytes) -> list[bytes]:
    """The pre-tokens of `data`: what the pattern matches, and what lies between."""
    text = data.decode("utf-8", "surrogateescape")
    spans = [(0, len(text))] if pattern is None else matches(pattern, text)
    borders = sorted({0, len(text), *(at for span in spans for at in span)})
    return [text[a:b].encode("utf-8", "surrogateescape") for a, b in pairwise(borders)]


def matches(pattern: str, text: str) -> list[tuple[int, int]]:
    """(start, end) of each match."""
    # Begun by what never matches, `regex` does not skip to where a match may begin: where only a
    # part of the pattern ignores case, it skips too far ("[^A-Z]x|(?i:a)" in "bx").
    # A set inside a set means what it says only in the newer of `regex`'s two dialects.
    dialect = regex.V1 if "&&" in pattern or r"(\s|[" in pattern else regex.V0
    return [match.span() for match in regex.finditer("(?!)|" + pattern, text, flags=dialect)]


def count(
    pattern: str | None, special_tokens: Sequence[str], documents: Sequence[bytes]
) -> list[tuple[bytes, int, int]]:
    """(pre-token, how often, where first), in the order of where."""
    total: Counter[bytes] = Counter()
    first: dict[bytes, int] = {}
    position = 0
    for document in documents:
        for stretch, is_special in between(special_tokens, document):
            for word in [] if is_special else cuts(pattern, stretch):
                total[word] += 1
                first.setdefault(word, position)
                position += len(word)
            position += len(stretch) * is_special
    return [(word, total[word], first[word]) for word in first]


def between(special_tokens: Sequence[str], data: bytes) -> Iterator[tuple[bytes, bool]]:
    """(bytes, is it a special token?): at each byte the longest that starts there."""
    longest_first = sorted((token.encode() for token in special_tokens), key=len, reverse=True)
    start = at = 0
    while at < len(data):
        found = next((token for token in longest_first if data.startswith(token, at)), None)
        if found is None:
            at += 1
            continue
        yield data[start:at], False
        yield found, True
        start = at = at + len(found)
    yield data[start:], False


def learn(
    words: Sequence[tuple[Sequence[int], int]],
    contents: Sequence[bytes],
    n_merges: int,
    *,
    ties: str = "order",
    order: Sequence[int] | None = None,
    min_frequency: int = 1,
    max_token_length: int | None = None,
    blocked: Collection[bytes] = (),
    blocked_pairs: Collection[tuple[bytes, bytes]] = (),
) -> list[tuple[int, int, int, int]]:
    """(left, right, joined, count) of each merge; `words` are symbols with a weight.

    All pairs are counted from scratch in each round.
    """
    symbols = [list(word) for word, _ in words]
    weights = [weight for _, weight in words]
    contents = list(contents)
    rank = list(order if order is not None else range(len(contents)))
    length = [1 if content else 0 for content in contents]
    limit = float("inf") if max_token_length is None else max_token_length
    merges = []
    while len(merges) < n_merges:
        counts: dict[Pair, int] = {}  # in the order of first occurrence
        for word, weight in zip(symbols, weights, strict=True):
            for pair in pairwise(word):
                parts = contents[pair[0]], contents[pair[1]]
                is_blocked = b"".join(parts) in blocked or parts in blocked_pairs
                if length[pair[0]] + length[pair[1]] <= limit and not is_blocked:
                    counts[pair] = counts.get(pair, 0) + weight
        most = max(counts.values(), default=0)
        if most < max(min_frequency, 1):
            break
        tied = [pair for pair, n in counts.items() if n == most]
        best = _winner(tied, ties, contents, rank)
        joined = len(contents)
        merges.append((*best, joined, most))
        contents.append(contents[best[0]] + contents[best[1]])
        length.append(length[best[0]] + length[best[1]])
        rank.append(joined)
        symbols = [replaced(word, best, joined) for word in symbols]
    return merges


def _winner(tied: list[Pair], ties: str, contents: list[bytes], rank: list[int]) -> Pair:
    if ties == "first":
        return tied[0]
    if ties == "bytes":  # equal bytes only with an end mark, which has none: then the lower ids
        return max(sorted(tied), key=lambda pair: (contents[pair[0]], contents[pair[1]]))
    return min(tied, key=lambda pair: (rank[pair[0]], rank[pair[1]]))


def replaced(word: Sequence[int], pair: Pair, joined: int) -> list[int]:
    """`word` with each occurrence of `pair`, from the left, replaced by `joined`."""
    result: list[int] = []
    at = 0
    while at < len(word):
        found = tuple(word[at : at + 2]) == pair
        result.append(joined if found else word[at])
        at += 2 if found else 1
    return result


def join(symbols: Sequence[int], rank_by_pair: Mapping[Pair, tuple[int, int]]) -> list[int]:
    """Join the pair of lowest rank, the leftmost of equals, until no pair has a rank.

    `rank_by_pair`: (left, right) -> (rank, joined).
    """
    symbols = list(symbols)
    while True:
        pairs = enumerate(pairwise(symbols))
        sites = [(rank_by_pair[pair][0], at) for at, pair in pairs if pair in rank_by_pair]
        if not sites:
            return symbols
        _, at = min(sites)
        symbols[at : at + 2] = [rank_by_pair[symbols[at], symbols[at + 1]][1]]


def encode(spec: TokenizerSpec, data: bytes) -> list[int]:
    """The ids of text without added tokens, not yet normalised."""
    rank_by_pair = {(left, right): (rank, to) for left, right, to, rank in spec.merges}
    whole = {data: token for token, data in spec.vocabulary.tokens.items()}
    ids: list[int] = []
    for word in cuts(spec.rules.pattern, data):
        if spec.ignore_merges and word in whole:
            ids.append(whole[word])
        else:
            ids += join(first_symbols(spec, word), rank_by_pair)
    return ids


def first_symbols(spec: TokenizerSpec, word: bytes) -> list[int]:
    """Bytes; or the characters of the alphabet, bytes for others, and the end mark."""
    byte_ids, end = spec.vocabulary.byte_ids, spec.vocabulary.end_of_word_id
    if spec.alphabet == "bytes":
        return [byte_ids[byte] for byte in word]
    made = {*spec.merges.joined.tolist(), *byte_ids, end}
    char_ids = {data: token for token, data in spec.vocabulary.tokens.items() if token not in made}
    ids: list[int] = []
    for char in word.decode("utf-8", "surrogateescape"):
        data = char.encode("utf-8", "surrogateescape")
        ids += [char_ids[data]] if data in char_ids else [byte_ids[byte] for byte in data]
    return ids if end is None else [*ids, end]


def huggingface_alphabet() -> list[str]:
    """The character by which byte-level files spell each byte (published with GPT-2)."""
    printable = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1)]
    printable += range(ord("®"), ord("ÿ") + 1)
    others = [byte for byte in range(256) if byte not in printable]
    return [chr(byte if byte in printable else 256 + others.index(byte)) for byte in range(256)]
