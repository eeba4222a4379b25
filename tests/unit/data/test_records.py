import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytepair.data import Place, describe, read_records, stored_size
from bytepair.errors import CorpusError


@pytest.fixture
def save(tmp_path):
    """Write a file and give its path."""

    def saved(content, name="a.txt"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return saved


def _read(file, start=None, **options):
    return list(read_records([file], start or Place(), **options))


@given(
    content=st.binary(max_size=60).map(lambda data: bytes(b"ab-\xc3"[byte % 4] for byte in data)),
    whole_bytes=st.integers(1, 9),
    separator=st.sampled_from([b"-", b"--", b"a-b"]),
)
def test_parts_of_a_text_join_to_what_split_gives(
    tmp_path_factory, content, whole_bytes, separator
):
    """Whatever lies across two blocks: half a separator, half a character."""
    file = tmp_path_factory.mktemp("text") / "a.txt"
    text = content.replace(b"\xc3", "é".encode())
    file.write_bytes(text)
    documents = [b""]
    for record in _read(file, separator=separator, whole_bytes=whole_bytes):
        assert record.problem is None
        documents[-1] += record.data
        if record.is_last:
            documents.append(b"")
    wanted = text.split(separator)
    if len(wanted) > 1 and not wanted[-1]:
        wanted.pop()  # a separator at the end begins no document
    assert documents == [*wanted, b""]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", b"one--two----four--"),
        ("a.txt.gz", b"one--two----four--"),
        (
            "a.jsonl",
            b'\xef\xbb\xbf{"text": "one"}\n\n{"text": "two"}\r\n{"text": ""}\n{"text": "4"}',
        ),
        ("a.jsonl.zst", b'{"text": "one"}\n\n{"text": "two"}\n'),
    ],
)
def test_reading_goes_on_from_every_place_it_gave(save, zstd, name, content):
    """A place that is off by one loses or repeats a document when work is resumed."""
    packed = {".gz": gzip.compress, ".zst": zstd.compress}.get(name[name.rindex(".") :], bytes)
    file = save(packed(content), name)
    records = _read(file, separator=b"--")
    for number, record in enumerate(records):
        assert _read(file, record.place, separator=b"--") == records[number:]


def test_files_follow_one_another(save):
    """An empty text file is an empty document, as it is for `encode_files`."""
    files = [save(b"", "a.txt"), save(b'{"text": "x"}', "b.jsonl"), save(b"y", "c.txt")]
    records = list(read_records(files, Place()))
    assert [(record.data, record.place) for record in records] == [
        (b"", Place(0)),
        (b"x", Place(1)),
        (b"y", Place(2)),
    ]
    assert list(read_records(files, Place(1))) == records[1:]


def test_document_that_is_not_utf8_is_a_problem_of_its_own(save):
    """Some of a corpus in Latin-1: it would become byte tokens that nobody notices."""
    file = save(b"one--caf\xe9--three")
    good, bad, other = _read(file, separator=b"--")
    assert (good.data, other.data) == (b"one", b"three")
    assert f"{file}: document 2: not UTF-8" in bad.problem


@pytest.mark.parametrize("whole_bytes", [1, 2, 3, 100])
def test_wrong_bytes_in_a_long_document_void_all_of_it(save, whole_bytes):
    """Parts before them may be out already; what follows in the document must not come."""
    file = save(b"aaaa\xffbbbbbbbb--next")
    records = _read(file, separator=b"--", whole_bytes=whole_bytes)
    assert sum(record.problem is not None for record in records) == 1
    last = [record.problem is not None for record in records].index(True)
    assert b"".join(record.data for record in records[last + 1 :]) == b"next"


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.jsonl.zst", "a.txt.gz"])
def test_file_cut_short_gives_what_is_whole_and_says_where_it_ends(save, zstd, name):
    """The last document is not there: half of one is never taken for a whole one."""
    lines = b"".join(json.dumps({"text": str(n) * 50}).encode() + b"\n" for n in range(2_000))
    pack = zstd.compress if name.endswith("zst") else gzip.compress
    file = save(pack(lines)[:-20], name)
    *good, bad = _read(file, separator=b"\n")
    assert f"{file}: damaged or cut short" in bad.problem
    assert "is cut short" in bad.problem
    assert bad.place.number == len([r for r in good if r.is_last]) + 1
    assert _read(file, bad.place, separator=b"\n") == [bad]


def test_lines_that_are_no_records_are_problems(save):
    """The message begins with file and line; what follows is read."""
    file = save(b'{"text": "a"}\nnot json\n{"text": null}\n{"other": 1}\n{"text": "b"}', "a.jsonl")
    problems = [record.problem for record in _read(file)]
    assert [problem is None for problem in problems] == [True, False, False, False, True]
    assert problems[1].startswith(f"{file}:2: not JSON")
    assert problems[2].startswith(f"{file}:3: field 'text' holds null")


def test_places_are_named_as_people_know_them(save):
    """Lines, rows, or texts between separators."""
    files = [save(b"", name) for name in ("a.jsonl.gz", "b.parquet", "c.txt")]
    named = [describe(files, Place(number, 7)) for number in range(3)]
    assert named == [f"{files[0]}:7", f"{files[1]}: row 7", f"{files[2]}: document 7"]


def test_size_of_a_file_that_is_gone_is_an_error_that_names_it(tmp_path):
    """It was there when the folder was looked through."""
    with pytest.raises(CorpusError, match=r"gone\.txt"):
        stored_size(tmp_path / "gone.txt")
