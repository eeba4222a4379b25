"""Hugging Face's `Precompiled`: clusters, keys, and maps that are damaged or made to do harm."""

import struct
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import normalizers

import foreign
from bytepair.errors import FormatError
from bytepair.model import Precompiled
from bytepair.normalizers import cluster_rules, normalize, normalize_aligned

RULES = ["nmt_nfkc", "nfkc_cf"]
# Of each way in which characters join: marks, signs before, jamo, joiners, flags, conjuncts.
JOINING = (
    "aAé \u0301\u0323\u0345\u0600\u0915\u094d\u093c\u093f\u1100\u1161\u11a8\uac00\uac01\u200d\ufe0f"
    "\u00a9\u2764\U0001f469\U0001f1e9\U0001f1ea\r\n\x01\u0e33\ufb01\uff76\uff9e\u2460\u03d2\u0d4e"
)
TEXTS = st.one_of(st.text(JOINING, max_size=10), st.text())


def blob_of(children, texts=b"Y\0", n_units=1024):
    """A map: byte -> place of its replacement in `texts`, for keys of one byte."""
    units = [0] * n_units
    units[0] = 256 << 10
    for byte, place in children.items():
        node, leaf = 256 ^ byte, 512 ^ byte
        units[node] = (node ^ leaf) << 10 | 1 << 8 | byte
        units[leaf] = 1 << 31 | place
    return struct.pack(f"<I{n_units}I", 4 * n_units, *units) + texts


@pytest.mark.parametrize("rule", RULES)
@given(text=TEXTS)
def test_text_becomes_what_the_library_makes_of_it(rule, text):
    """The maps that XLM-R, NLLB and others carry."""
    blob = foreign.char_map_blob(rule)
    expected = normalizers.Precompiled(blob).normalize_str(text)
    assert normalize(text.encode(), [Precompiled(blob)]).decode() == expected


@pytest.mark.parametrize("pattern", ["A%s\n", "%sA\u0301\n", "\u00a9\u200d%s\u0301\n"])
def test_every_character_joins_as_there(pattern):
    """Behind a letter, before one, and behind a joiner; what is not assigned is left out."""
    blob = foreign.char_map_blob("nmt_nfkc")
    library = normalizers.Precompiled(blob).normalize_str
    codes = (*range(1, 0xD800), *range(0xE000, 0x1FC00), *range(0xE0000, 0xE0200))
    chars = [chr(code) for code in codes if not 0x4E00 <= code <= 0x9F00]
    text = "".join(pattern % char for char in chars)
    assert normalize(text.encode(), [Precompiled(blob)]).decode() == library(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", "Y"),
        ("ab", "Yb"),
        ("a\u0301", "Y"),  # the mark goes with the letter
        ("a\u0301\u0301", "Y"),  # five bytes
        ("a\u0301\u0301\u0301", "Y\u0301\u0301\u0301"),  # seven: each by itself
        ("\u0600a", "\u0600Y"),  # four bytes, but no key begins them
        ("b\u0301a", "b\u0301Y"),
    ],
)
def test_a_short_cluster_is_replaced_as_a_whole(text, expected):
    """By hand: up to five bytes of it are looked up, a longer one character by character."""
    blob = blob_of({ord("a"): 0})
    assert normalize(text.encode(), [Precompiled(blob)]).decode() == expected
    assert normalizers.Precompiled(blob).normalize_str(text) == expected


def test_bytes_that_are_no_text_join_nothing():
    """They stay as they are, and a letter before them is by itself."""
    step = Precompiled(blob_of({ord("a"): 0}))
    assert normalize(b"a\xff\x80a\xcc", [step]) == b"Y\xff\x80Y\xcc"


def test_a_replacement_stands_for_the_whole_cluster():
    """Where the bytes come from."""
    text = normalize_aligned("xa\u0301x".encode(), [Precompiled(blob_of({ord("a"): 0}))])
    assert (text.data, text.starts.tolist(), text.ends.tolist()) == (b"xYx", [0, 1, 4], [1, 4, 5])


@pytest.mark.parametrize(
    ("blob", "message"),
    [
        (b"\x01", "its tree cannot have 0 bytes"),
        (struct.pack("<I", 400) + b"ab", "its tree cannot have 400 bytes"),
        (struct.pack("<I", 3) + b"abcdef", "its tree cannot have 3 bytes"),
        (blob_of({97: 9}), "damaged at the key b'a'"),
        (blob_of({97: 1}, b"\xc3\xa9\0"), "damaged at the key b'a'"),
        (blob_of({0xC3: 0}), r"damaged at the key b'\\xc3'"),
    ],
    ids=["short", "cut", "odd", "beyond", "amid-a-character", "half-a-key"],
)
def test_damaged_maps_are_refused(blob, message):
    """Hugging Face's library panics in the middle of a text, or gives half characters."""
    with pytest.raises(FormatError, match=message):
        cluster_rules(blob)


def test_a_tree_that_grows_without_end_is_refused():
    """Each node the parent of 255 others: 10**12 keys in two kilobytes."""
    units = [256 << 10] + [0] * 511
    for byte in range(1, 256):
        units[256 ^ byte] = byte << 10 | byte
    blob = struct.pack("<I512I", 2048, *units) + b"\0"
    tracemalloc.start()
    with pytest.raises(FormatError, match="more than 1,000,000 beginnings"):
        cluster_rules(blob)
    assert tracemalloc.get_traced_memory()[1] < 500e6
    tracemalloc.stop()


@given(units=st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=600), texts=st.binary())
def test_any_units_are_rules_or_an_error(units, texts):
    """Nothing is read beyond the end, whatever the numbers say."""
    blob = struct.pack(f"<I{len(units)}I", 4 * len(units), *units) + texts
    try:
        rules = cluster_rules(blob)
    except FormatError:
        return
    assert all(0 < len(key.encode()) <= 5 for key in rules)


@pytest.mark.parametrize("run", ["\u0301", "\u094d", "\u1100", "\u200d", "\U0001f1e9", "\u0600"])
def test_long_runs_cost_in_proportion(run):
    """Sequences that never end as they should: half a million characters, not their square."""
    step = Precompiled(blob_of({ord("a"): 0}))
    text = ("\u0915" + run * 500_000 + "a").encode()
    assert normalize(text, [step]).startswith("\u0915".encode())
