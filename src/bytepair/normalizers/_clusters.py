r"""Hugging Face's `Precompiled`: SentencePiece's character map, applied to clusters of characters.

A cluster is what a reader takes for one character: a letter with its marks. One of up to five bytes
that begins with a key becomes what the key maps to, as a whole; in all other text each character
that begins with a key does. SentencePiece itself looks for keys anywhere (`CharMap`). Sources: the
crate `spm_precompiled` 0.1 and Unicode Standard Annex 29, https://www.unicode.org/reports/tr29/.
"""

import re
import struct
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from bytepair.errors import FormatError
from bytepair.model import Precompiled
from bytepair.normalizers._aligned import Edit
from bytepair.normalizers._tables import char_class, code_points

_LONGEST = 5  # bytes of a cluster that is looked up as a whole
_MOST_NODES = 1_000_000  # of the tree of keys; SentencePiece's own maps have some ten thousand
_ROWS = 4096  # nodes looked at together: a megabyte for each column of bytes
_LEAF = 1 << 31
_SURROGATES = frozenset(range(0xD800, 0xE000))  # bytes that are no text: they join nothing


@lru_cache(maxsize=8)
def cluster_rules(charsmap: bytes) -> Mapping[str, str]:
    """Key -> replacement, as far as Hugging Face's library ever finds the key.

    Of keys of which one begins with the other only the shorter one is ever found, and none of more
    than five bytes.

    Raises:
        FormatError: the map is damaged, or is made to fill the memory.

    >>> units = [256 << 10] + [0] * 767  # the root: its children are 256 ^ byte
    >>> units[256 ^ 97], units[512] = (256 ^ 97 ^ 512) << 10 | 1 << 8 | 97, 1 << 31
    >>> dict(cluster_rules(struct.pack("<769I", 768 * 4, *units) + b"bc"))
    {'a': 'bc'}
    """
    units, texts = _parts(charsmap)
    rules: dict[str, str] = {}
    for key, place in _leaves(units):
        try:
            rules[key.decode()] = texts[place : texts.index(b"\0", place)].decode()
        except ValueError as error:  # no text, or beyond the end
            raise FormatError(f"the character map is damaged at the key {key!r}: {error}") from None
    return rules


def _parts(charsmap: bytes) -> tuple[NDArray[np.uint32], bytes]:
    """(units of the double array, what keys are replaced by, each with a 0 behind)."""
    size = struct.unpack_from("<I", charsmap)[0] if len(charsmap) >= 4 else 0
    if not 0 < size <= len(charsmap) - 4 or size % 4:
        raise FormatError(f"the character map is damaged: its tree cannot have {size} bytes")
    return np.frombuffer(charsmap, "<u4", size // 4, 4), charsmap[4 + size :] + b"\0"


def _leaves(units: NDArray[np.uint32]) -> Iterator[tuple[bytes, int]]:
    """(key, place of its replacement) of the keys that no other key is the beginning of."""
    keys, nodes, n_nodes = [b""], _bases(units, np.zeros(1, np.int64)), 0
    for _ in range(_LONGEST):
        longer: list[bytes] = []
        following = [np.zeros(0, np.int64)]
        for start in range(0, len(nodes), _ROWS):
            rows, labels = _children(units, nodes[start : start + _ROWS])
            n_nodes += len(rows)
            if n_nodes > _MOST_NODES:
                raise FormatError(f"the character map has more than {_MOST_NODES:,} beginnings")
            children = nodes[start + rows] ^ labels
            bases, is_end = _bases(units, children), units[children] & 256 != 0
            for row, label, base, ends in zip(
                rows.tolist(), labels.tolist(), bases.tolist(), is_end.tolist(), strict=True
            ):
                key = keys[start + row] + bytes([label])
                if not ends:
                    longer.append(key)
                else:
                    yield key, int(units[base]) & ~_LEAF if base < len(units) else _LEAF
            following.append(bases[~is_end])
        keys, nodes = longer, np.concatenate(following)


def _children(
    units: NDArray[np.uint32], nodes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(which of the nodes, by which byte) of each child that they have."""
    bytes_ = np.arange(1, 256)
    places = nodes[:, None] ^ bytes_
    is_inside = places < len(units)
    labels = units[np.where(is_inside, places, 0)] & np.uint32(_LEAF | 0xFF)
    rows, columns = np.nonzero(is_inside & (labels == bytes_))
    return rows, columns + 1


def _bases(units: NDArray[np.uint32], places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the children of these nodes are, but for their own byte."""
    unit = units[places].astype(np.int64)
    return places ^ (unit >> 10 << ((unit & 512) >> 6))


class MapClusters:
    """`Precompiled`, on text."""

    def __init__(self, step: Precompiled) -> None:
        self._rules = cluster_rules(step.charsmap)
        firsts = char_class({ord(key[0]) for key in self._rules}) if self._rules else "(?!)"
        alone = {ord(key) for key in self._rules if len(key) == 1}
        # Most text is plain, and is passed over: each character but the last of a run is a cluster
        # by itself, and no key.
        plain = char_class(alone | _unplain()).replace("[", "[^", 1)
        self._found = re.compile(f"({plain}+(?={plain}))|{_clusters()}|{firsts}", re.DOTALL)

    def edits(self, text: str) -> Iterator[Edit]:
        """The clusters and characters that become something else."""
        for match in self._found.finditer(text):
            if match[1] is None:
                yield from self._edits(match[0], match.start())

    def _edits(self, cluster: str, start: int) -> Iterator[Edit]:
        if len(cluster) > 1 and len(cluster.encode("utf-8", "surrogateescape")) <= _LONGEST:
            key = self._key_of(cluster)
            if key is not None:
                yield start, start + len(cluster), self._rules[key]
                return
        for place, char in enumerate(cluster, start):
            if self._rules.get(char, char) != char:
                yield place, place + 1, self._rules[char]

    def _key_of(self, cluster: str) -> str | None:
        keys = (cluster[:length] for length in range(1, len(cluster) + 1))
        return next((key for key in keys if key in self._rules), None)


@cache
def _clusters() -> str:
    """Clusters of several characters, and some of one."""
    joining, before = _class("joining"), _class("prepending")
    other = f"(?!{char_class(code_points('controls') | _SURROGATES)})."
    core = "|".join([_hangul(), "[\U0001f1e6-\U0001f1ff]{2}", _pictographs(), _conjuncts()])
    return f"\r\n|{before}++(?:{core}|{other})?{joining}*+|(?:{core}){joining}*+|{other}{joining}++"


@cache
def _unplain() -> frozenset[int]:
    """What may be in a cluster of several characters without a joining one behind it."""
    sections = ("joining", "prepending", "controls", "pictographs", "consonants")
    ranges = ((0x1100, 0x1200), (0xA960, 0xA980), (0xAC00, 0xE000), (0x1F1E6, 0x1F200))
    others = frozenset(code for first, end in ranges for code in range(first, end))
    return others.union(*(code_points(section) for section in sections))


def _class(section: str) -> str:
    return char_class(code_points(section))


def _hangul() -> str:
    leading, trailing = "[\u1100-\u115f\ua960-\ua97c]", "[\u11a8-\u11ff\ud7cb-\ud7fb]"
    vowel = "[\u1160-\u11a7\ud7b0-\ud7c6]"
    # A syllable that has its final consonant takes no vowel: every 28th has none.
    finished = char_class(code for code in range(0xAC00, 0xD7A4) if (code - 0xAC00) % 28)
    open_ = char_class(range(0xAC00, 0xD7A4, 28))
    middle = f"(?:{finished}|(?:{open_}|{vowel}){vowel}*+)"
    return f"{leading}*+{middle}{trailing}*+|{leading}++|{trailing}++"


def _pictographs() -> str:
    pictograph, extending = _class("pictographs"), _class("extending")
    return f"{pictograph}(?:{extending}*+\u200d{pictograph})++"


def _conjuncts() -> str:
    consonant, extending, linking = _class("consonants"), _class("extending"), _class("linking")
    between = char_class(code_points("extending") - code_points("linking"))
    return f"{consonant}(?:{between}*+{linking}{extending}*+{consonant})++"


of_step = lru_cache(maxsize=8)(MapClusters)
"""`MapClusters`, put together once for each map."""
