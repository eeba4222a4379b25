"""`bytepair count`: how many tokens."""

import json


def test_a_row_for_each_file_and_a_total(here, invoke, saved, tok, text):
    """As `wc` does, so that nobody has to learn a format."""
    (here / "a.txt").write_text(text, encoding="utf-8")
    (here / "b.txt").write_text("ugly", encoding="utf-8")
    a, b = len(tok.encode(text)), len(tok.encode("ugly"))
    expected = f"{a:>8}  a.txt\n{b:>8}  b.txt\n{a + b:>8}  total\n"
    assert invoke("count", saved, "a.txt", "b.txt").stdout == expected


def test_one_file_needs_no_total(here, invoke, saved):
    """It would say the same again."""
    (here / "a.txt").write_bytes(b"zz")
    assert invoke("count", saved, "a.txt").stdout == "       2  a.txt\n"


def test_standard_input_gives_the_bare_number(invoke, saved):
    """`n=$(bytepair count zen < x)` must be a number."""
    assert invoke("count", saved, stdin=b"zzz").stdout == "3\n"


def test_lines_are_counted_without_their_newline(here, invoke, saved):
    """Three letters that no merge joins, an empty line, one letter."""
    (here / "a").write_bytes(b"zzz\n\nz\n")
    expected = "       3  a:1\n       0  a:2\n       1  a:3\n       4  total\n"
    assert invoke("count", saved, "--lines", "a").stdout == expected


def test_special_tokens_count_as_text_unless_allowed(invoke, saved, tok):
    """The one that was pasted into a prompt is 13 letters, not the end of it."""
    as_text = invoke("count", saved, stdin=b"<|endoftext|>").stdout
    assert int(as_text) == len(tok.encode_ordinary("<|endoftext|>"))
    assert invoke("count", saved, "--allow-special", stdin=b"<|endoftext|>").stdout == "1\n"


def test_json_holds_the_total_and_every_row(here, invoke, saved):
    """`jq .n_tokens` is the answer whether there is one file or many."""
    (here / "a").write_bytes(b"zz\nz")
    assert json.loads(invoke("count", saved, "--lines", "--json", "a").stdout) == {
        "n_tokens": 3,
        "n_bytes": 3,
        "documents": [
            {"source": "a", "line": 1, "n_tokens": 2, "n_bytes": 2},
            {"source": "a", "line": 2, "n_tokens": 1, "n_bytes": 1},
        ],
    }
