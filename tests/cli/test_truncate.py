"""`bytepair truncate`: whole characters, and word of what was cut."""

import json


def test_the_beginning_and_a_note_of_the_rest(invoke, saved, here, text, tok):
    """The library is the oracle."""
    (here / "zen.txt").write_text(text, encoding="utf-8")
    result = invoke("truncate", saved, 5, "zen.txt")
    cut = tok.truncate(text, 5)
    assert result.stdout == cut.text + "\n"
    assert f"zen.txt: {len(cut.rest)} characters cut off" in result.stderr
    assert invoke("truncate", saved, 500, "zen.txt").stderr == ""


def test_programs_get_both_parts(invoke, saved, text, tok):
    """From standard input as well."""
    fields = json.loads(invoke("truncate", saved, 5, "--json", stdin=text).stdout)
    assert fields["text"] + fields["rest"] == text
    assert (fields["n_tokens"], fields["truncated"]) == (tok.truncate(text, 5).n_tokens, True)


def test_what_is_no_text_has_no_characters(invoke, saved, here):
    """Bytes would be lost in silence."""
    (here / "noise.bin").write_bytes(b"ab\xff")
    result = invoke("truncate", saved, 5, "noise.bin", exit_code=1)
    assert "noise.bin: byte 2 is not UTF-8" in result.stderr
