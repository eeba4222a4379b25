import json


def test_explains_by_ranks_and_stops(invoke, saved):
    """The merges of `better`, as they are done; worked out with `merges.txt` in hand."""
    lines = invoke("explain", saved, "Simple").stdout.splitlines()
    assert lines[0].endswith("tokens)")
    assert any("→" in line for line in lines[1:])
    assert any(line.startswith("  stop: no merge joins") for line in lines)
    assert "space before it" in lines[-1]


def test_json_holds_the_ids_of_encode(invoke, saved, tok):
    """Everything that the text shows, for programs."""
    words = json.loads(invoke("explain", saved, "Simple is better", "--json").stdout)["words"]
    assert [token["id"] for word in words for token in word["tokens"]] == tok.encode(
        "Simple is better"
    )
    assert bytes.fromhex("".join(word["bytes"] for word in words)) == b"Simple is better"
    assert set(words[0]) == {
        *("bytes", "how", "symbols", "merges", "tokens", "stops", "residues"),
        *("has_space", "elsewhere"),
    }


def test_two_texts_are_compared(invoke, saved, tok):
    """What they share at both ends, and what blocks of two tokens keep."""
    fields = json.loads(
        invoke(
            "explain", saved, "is better", "--against", "is bettor", "--block-size", 1, "--json"
        ).stdout
    )
    assert fields["tokens"] == [tok.encode("is better"), tok.encode("is bettor")]
    assert fields["shared"] == tok.shared_prefix("is better", "is bettor")
    assert fields["reused"] + fields["computed"] == len(fields["tokens"][1])
    shown = invoke("explain", saved, "is better", "--against", "is bettor").stdout
    assert "shared at the beginning" in shown


def test_identical_texts_share_everything_once(invoke, saved, tok):
    """What is shared at the beginning is not counted at the end again."""
    fields = json.loads(invoke("explain", saved, "a b", "--against", "a b", "--json").stdout)
    assert (fields["shared"], fields["shared_at_end"]) == (len(tok.encode("a b")), 0)


def test_trees_are_drawn(invoke, saved, tok):
    """Down to the bytes."""
    shown = invoke("explain", saved, " better", "--tree").stdout
    assert "├─ " in shown
    assert "└─ " in shown


def test_special_tokens_are_text_unless_allowed(invoke, saved):
    """As for `inspect`."""
    text = "<|endoftext|>"
    assert "an added token" in invoke("explain", saved, text, "--allow-special").stdout
    assert "an added token" not in invoke("explain", saved, text).stdout


def test_standard_input_is_read(invoke, saved):
    """Without a text."""
    assert invoke("explain", saved, stdin="low").stdout.splitlines()[0].startswith("l│o│w")
