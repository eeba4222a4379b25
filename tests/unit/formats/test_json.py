"""JSON files that are no JSON, or not the JSON they should be."""

import json

import pytest

from bytepair import formats
from bytepair.errors import FormatError

BROKEN = [
    (b"", "the JSON ends too early: Expecting value (line 1, column 1). Is the file truncated?"),
    (
        b'{"model": {"vocab": {"a',
        "the JSON ends too early: Unterminated string starting at (line 1",
    ),
    (b'{"model": {},\n ', "the JSON ends too early"),
    (b'{"model": {},\n  oops}', "not JSON: Expecting property name enclosed in double quotes"),
    (b'{"model": {},\n  oops}', "(line 2, column 3)"),
    (b"<!DOCTYPE html>", "not JSON: Expecting value (line 1, column 1)"),
    (b'{"model": "\xff"}', "not UTF-8 text: byte 0xFF at position 11"),
    (b"\x1f\x8b\x08\x00", "not UTF-8 text: byte 0x8B at position 1"),
    (b'{"a": 1, "a": 2}', "the key 'a' appears twice in one object"),
    (b'{"a": NaN}', "NaN is not a JSON value"),
    (b"[" * 200_000, "not a usable JSON file"),
    (b'{"a": ' + b"9" * 10_000 + b"}", "not a usable JSON file"),
    (b"[]", "must hold a JSON object, got an array"),
    (b"null", "must hold a JSON object, got null"),
    (b"{}", "it has no 'model' (it holds: nothing)"),
]


@pytest.mark.parametrize(("content", "message"), BROKEN, ids=range(len(BROKEN)))
def test_a_broken_file_is_described(content, message, tmp_path):
    """With file, line and column: whoever sees it has to find the place."""
    path = tmp_path / "tokenizer.json"
    path.write_bytes(content)
    with pytest.raises(FormatError) as caught:
        formats.read(path)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path))


def test_a_token_listed_twice_is_found(hf_file, tmp_path):
    """A parser of JSON keeps the last one and says nothing."""
    text = json.dumps(hf_file).replace('"he": 256', '"he": 256, "he": 300')
    (tmp_path / "tokenizer.json").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match="the key 'he' appears twice"):
        formats.read(tmp_path)
