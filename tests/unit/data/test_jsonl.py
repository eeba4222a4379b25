import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytepair.data import read_chunks
from bytepair.errors import CorpusError
from bytepair.model import Chunk


@pytest.fixture
def save(tmp_path):
    """Write a file and give its path."""

    def saved(content, name="a.jsonl"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return saved


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.JSONL", "a.v2.jsonl"])
def test_each_record_is_one_document(save, name):
    """Whole, and also when it is empty: rows of a result line up with records."""
    file = save(b'{"text": "a\\nb"}\n{"id": 1, "text": ""}\n{"text": "\\u00e9"}', name)
    assert list(read_chunks(file)) == [Chunk(b"a\nb"), Chunk(b""), Chunk(b"\xc3\xa9")]


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.ndjson.zst", "a.JsonL.ZSTD"])
def test_compressed_records_are_read(save, zstd, name):
    """Large corpora come this way."""
    pack = (gzip if name.endswith("gz") else zstd).compress
    file = save(pack(b'{"text": "a"}\n{"text": "b"}\n'), name)
    assert list(read_chunks(file)) == [Chunk(b"a"), Chunk(b"b")]


def test_other_field_can_be_named(save):
    """Data sets call it content, body, or code."""
    file = save(b'{"text": "no", "content": "yes"}\n')
    assert list(read_chunks(file, text_field="content")) == [Chunk(b"yes")]


@given(st.lists(st.text()))
def test_any_text_survives(tmp_path_factory, texts):
    """Written by the standard library, escaped or not; U+2028 and U+0085 end no line."""
    file = tmp_path_factory.mktemp("jsonl") / "a.jsonl"
    for escaped in (True, False):
        lines = [json.dumps({"text": text}, ensure_ascii=escaped) + "\n" for text in texts]
        file.write_bytes("".join(lines).encode())
        assert [chunk.data.decode() for chunk in read_chunks(file)] == texts


def test_surrogates_in_escapes_are_repaired(save):
    r"""JSON can spell half a character: `\ud83d` alone."""
    file = save(rb'{"text": "\ud83d\ude00 \ud83d"}')
    assert list(read_chunks(file)) == [Chunk("\U0001f600 \ufffd".encode())]


def test_blank_lines_crlf_and_byte_order_mark_are_no_records(save):
    """Windows tools write all three."""
    file = save(b'\xef\xbb\xbf{"text": "a"}\r\n\r\n  \t\n\n{"text": "\\ufeffb\\r"}\r\n')
    assert list(read_chunks(file)) == [Chunk(b"a"), Chunk(b"\xef\xbb\xbfb\r")]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"text": "cut', "not JSON"),
        (b'{"text": "a"} {"text": "b"}', "not JSON"),
        (b"plain text", "not JSON"),
        (b'\xef\xbb\xbf{"text": "a"}', "not JSON.*BOM"),
        (b"[" * 100_000, "not JSON"),
        (b'{"n": ' + b"9" * 5000 + b"}", "not JSON"),
        (b'{"text": "\xff"}', "not UTF-8"),
        (b'["text"]', "an array, not an object"),
        (b'"text"', "a string, not an object"),
        (b"null", "null, not an object"),
        (b"3", "a number, not an object"),
        (b"{}", "no field 'text'; this record has no fields"),
        (b'{"id": 1, "body": "a"}', "no field 'text'; this record has the fields 'id', 'body'"),
        (b'{"id": 1, "text": null}', "holds null, not a string.*fields 'id', 'text'"),
        (b'{"text": true}', "holds a boolean, not a string"),
        (b'{"text": 1.5}', "holds a number, not a string"),
        (b'{"text": ["a"]}', "holds an array, not a string"),
        (b'{"text": {"en": "a"}}', "holds an object, not a string"),
    ],
    ids=[
        "cut",
        "two-on-a-line",
        "plain-text",
        "mark-within-the-file",
        "nested-too-deep",
        "number-too-long",
        "not-utf8",
        "array",
        "string",
        "null",
        "number",
        "no-fields",
        "other-fields",
        "null-text",
        "boolean-text",
        "number-text",
        "array-text",
        "object-text",
    ],
)
def test_bad_record_is_refused_with_file_and_line(save, line, message):
    """Blank lines count, so that an editor goes to the very line."""
    chunks = read_chunks(save(b'{"text": "good"}\n\n' + line + b"\n"))
    assert next(chunks) == Chunk(b"good")
    with pytest.raises(CorpusError, match=rf"a\.jsonl:3: .*{message}") as caught:
        next(chunks)
    assert len(str(caught.value)) < 500


def test_list_of_fields_in_the_message_is_cut(save):
    """Some records have hundreds of fields."""
    file = save(json.dumps({f"field{i}": i for i in range(300)}).encode())
    with pytest.raises(CorpusError, match="'field19', and 280 more"):
        list(read_chunks(file))


def test_text_file_is_not_parsed(save):
    """`.json` and `.txt` are text, whatever they hold."""
    content = b'{"text": "a"}\n'
    assert list(read_chunks(save(content, "a.json"))) == [Chunk(content)]
