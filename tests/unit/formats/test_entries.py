"""The large members of a `tokenizer.json`: the core and the JSON reader give the same."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytepair import formats
from bytepair.errors import FormatError
from bytepair.formats import _hf_read
from bytepair.formats._entries import CoreEntries, Entries, read_tables
from bytepair.model import MergeTable

pytestmark = pytest.mark.native_only
TOKENS = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4),
    st.integers(0, 2**31 - 1),
    max_size=12,
)


def dumped(vocab, merges, **layout):
    """A file with this vocabulary and these merges."""
    return json.dumps({"model": {"vocab": vocab, "merges": merges}}, **layout).encode()


@given(
    vocab=TOKENS,
    layout=st.fixed_dictionaries(
        {"ensure_ascii": st.booleans(), "indent": st.sampled_from([None, 0, 2])}
    ),
)
def test_the_core_reads_any_vocabulary_as_json_does(vocab, layout):
    """With escapes or without, in any layout; it leaves ids that occur twice to others."""
    data = dumped(vocab, [], **layout)
    if len(set(vocab.values())) < len(vocab):
        assert read_tables(data) is None
        return
    entries, rest = read_tables(data)
    plain = Entries(dict(sorted(vocab.items(), key=lambda item: item[1])))
    assert list(entries.items()) == list(plain.items())
    assert [entries[token] for token in vocab] == list(vocab.values())
    assert json.loads(rest) == {"model": {"vocab": {}, "merges": []}}
    numbers = [*vocab.values(), 5]
    assert entries.spellings_of(numbers) == plain.spellings_of(numbers)
    for is_byte_level in (False, True):
        options = {"is_byte_level": is_byte_level, "left_out": frozenset(numbers[:2])}
        assert entries.contents(**options) == plain.contents(**options)


@pytest.mark.parametrize("as_lists", [True, False])
def test_the_core_reads_merges_as_ids(as_lists):
    """In both spellings."""
    vocab = {"a": 3, "b": 9, "ab": 4, "é": 1, "abé": 2}
    merges = [["a", "b"], ["ab", "é"]]
    entries, _ = read_tables(dumped(vocab, merges if as_lists else [" ".join(m) for m in merges]))
    assert isinstance(entries, CoreEntries)
    assert entries.merges() == MergeTable.from_merges([(3, 9, 4), (4, 1, 2)])


@pytest.mark.parametrize("token", ["", "c", "\ud800", None, 7])
def test_what_is_no_token_is_not_found(token):
    """Whatever it is."""
    entries, _ = read_tables(dumped({"a": 1}, []))
    assert token not in entries
    assert list(entries) == ["a"]
    assert len(entries) == 1


@pytest.mark.parametrize("kind", ["hf", "chars", "fallback"])
def test_without_the_core_the_same_is_read(kind, request, save, monkeypatch):
    """Slower, and from the same file."""
    path = save(request.getfixturevalue(f"{kind}_file"))
    spec = formats.read(path)
    monkeypatch.setattr(_hf_read, "read_tables", lambda _: None)
    assert formats.read(path) == spec


def test_damage_elsewhere_is_described_in_the_whole_file(hf_file, save):
    """Line and column are those that an editor shows, not those of what the core left."""
    path = save(hf_file)
    text = json.dumps(hf_file, indent=1).removesuffix("\n}")
    path.write_text(text + ',\n "x": oops\n}', encoding="utf-8")
    n_lines = text.count("\n") + 2
    with pytest.raises(FormatError, match=rf"\(line {n_lines}, column 7\)"):
        formats.read(path)
