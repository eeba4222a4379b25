"""`bytepair encode` and `bytepair decode`: ids out, the same bytes back."""

import json

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

ODD = b"a\r\nb\xff\x00\n\n  <|endoftext|>\n\xe2\x82"
LINES = st.lists(st.binary(max_size=8) | st.just(b""), max_size=6).map(b"\n".join)


def test_a_file_becomes_one_line_of_ids(here, invoke, saved, tok, text):
    """One document a file, whatever newlines it holds."""
    (here / "a.txt").write_text(text, encoding="utf-8")
    expected = " ".join(map(str, tok.encode(text))) + "\n"
    assert invoke("encode", saved, "a.txt").stdout == expected


@pytest.mark.parametrize("dash", [[], ["-"]], ids=["no-name", "dash"])
def test_standard_input_is_read_as_bytes(invoke, saved, tok, dash):
    """Text layers would translate newlines and choke on what is not UTF-8."""
    ids = invoke("encode", saved, *dash, stdin=ODD).stdout.split()
    assert tok.decode_bytes(list(map(int, ids))) == ODD


def test_several_files_are_a_line_each_in_order(here, invoke, saved, tok):
    """The order on the command line, an empty file being an empty line."""
    for name, content in (("b", "is better"), ("empty", ""), ("a", "ugly")):
        (here / name).write_text(content, encoding="utf-8")
    lines = invoke("encode", saved, "b", "empty", "a").stdout.split("\n")
    rows = [" ".join(map(str, tok.encode(part))) for part in ("is better", "", "ugly")]
    assert lines == [*rows, ""]


def test_lines_are_encoded_without_their_newline(invoke, saved, tok):
    """A newline at the end of each line would be a token that nobody typed."""
    lines = invoke("encode", saved, "--lines", stdin=b"is\r\n\nbetter\n").stdout.split("\n")
    rows = [" ".join(map(str, tok.encode(part))) for part in (b"is\r", b"", b"better")]
    assert lines == [*rows, ""]


@settings(max_examples=50)  # each loads the tokenizer anew; the library is tried much harder
@given(data=st.binary())
def test_decode_undoes_encode(invoke, saved, data):
    """For any bytes at all; not even a newline is added."""
    ids = invoke("encode", saved, stdin=data).stdout_bytes
    assert invoke("decode", saved, stdin=ids).stdout_bytes == data


@settings(max_examples=50)
@given(data=LINES)
def test_decode_undoes_encode_line_by_line(invoke, saved, data):
    """Also where the last line has no newline, or there is no line."""
    ids = invoke("encode", saved, "--lines", stdin=data).stdout_bytes
    assert ids.count(b"\n") == data.count(b"\n")
    assert invoke("decode", saved, "--lines", stdin=ids).stdout_bytes == data


def test_files_do_not_flow_into_each_other_with_lines(here, invoke, saved, tok):
    """The last line of one file must not share a row with the first of the next."""
    (here / "a").write_bytes(b"is")
    (here / "b").write_bytes(b"better")
    rows = [" ".join(map(str, tok.encode(part))) for part in ("is", "better")]
    assert invoke("encode", saved, "--lines", "a", "b").stdout == "\n".join(rows)


def test_special_tokens_in_text_are_text(invoke, saved, tok):
    """Text from outside must not be able to end a document, and must not be an error either."""
    ids = list(map(int, invoke("encode", saved, stdin=b"<|endoftext|>\n").stdout.split()))
    assert tok.eot_token not in ids
    assert tok.decode(ids) == "<|endoftext|>\n"


def test_allow_special_gives_the_ids_of_the_reference(invoke, saved):
    """Hugging Face's library always matches special tokens, so it is the oracle here."""
    text = "is better<|endoftext|>\n"
    reference = tokenizers.Tokenizer.from_file(f"{saved}/tokenizer.json").encode(text).ids
    ids = invoke("encode", saved, "--allow-special", stdin=text).stdout.split()
    assert list(map(int, ids)) == reference


def test_encode_json_is_an_object_a_document(here, invoke, saved, tok):
    """Programs read where a row comes from instead of counting lines."""
    (here / "a").write_bytes(b"is\nbetter")
    output = invoke("encode", saved, "--lines", "--json", "a").stdout
    second = tok.encode("better")
    assert [json.loads(line) for line in output.splitlines()][1] == {
        "source": "a",
        "line": 2,
        "n_tokens": len(second),
        "ids": second,
    }


def test_long_documents_are_written_in_parts_without_a_seam(invoke, saved, tok):
    """70,000 ids are more than are turned into text at once."""
    data = b"q" * 70_000
    ids = invoke("encode", saved, stdin=data).stdout
    assert ids == " ".join(map(str, tok.encode(data))) + "\n"
    assert invoke("decode", saved, stdin=ids).stdout_bytes == data


def test_decode_reads_a_file_and_any_white_space(here, invoke, saved):
    """Ids may be wrapped by whatever wrote them."""
    (here / "ids").write_bytes(b"\t72 105\r\n\n  33\n")
    assert invoke("decode", saved, "ids").stdout_bytes == b"Hi!"


@pytest.mark.parametrize(
    ("ids", "place"),
    [
        (b"72 x 105", "line 1, id 2: 'x'"),
        (b"72\n105 -1", "line 2, id 2: '-1'"),
        (b"72\n\n1_0", "line 3, id 1: '1_0'"),
        (b"[72, 105]", "line 1, id 1: '[72,'"),
        (b"\xef\xbb\xbf72", "line 1, id 1: '\\ufeff72'"),
        (b"9" * 400, "line 1, id 1: '99"),
    ],
    ids=["word", "negative", "underscore", "json", "byte-order-mark", "endless"],
)
def test_what_is_no_id_is_named_with_its_place(invoke, saved, ids, place):
    """Python's int() would take some of these."""
    result = invoke("decode", saved, stdin=ids, exit_code=1)
    assert f"error: standard input, {place}" in result.stderr


def test_an_id_out_of_range_is_named_with_its_place(here, invoke, saved):
    """Also behind thousands of good ones: the position is that of the line."""
    (here / "ids").write_text("72\n" + "105 " * 70_000 + "280", encoding="ascii")
    result = invoke("decode", saved, "ids", exit_code=1)
    assert result.stderr.startswith("error: ids, line 2, id 70001: 280 is not in the vocabulary")
    assert "(largest id: 279)" in result.stderr


def test_a_rank_file_without_sidecar_is_told_what_it_lacks(here, invoke, tok, text):
    """Files from elsewhere have ranks only; the user knows the rest."""
    tok.save(here / "x.tiktoken")
    (here / "x.tiktoken.json").unlink()
    options = ["--pattern", "o200k", "--special-token", "<|endoftext|>=279", "--allow-special"]
    ids = invoke("encode", "x.tiktoken", *options, stdin=text + "<|endoftext|>").stdout.split()
    assert list(map(int, ids)) == [*tok.encode(text), 279]
