import json

import pytest
from rich.cells import cell_len


def test_figures_stand_side_by_side(invoke, saved, here, text):
    """Two names for one tokenizer: the same figures; parity against English."""
    (here / "zen.txt").write_text(text * 3, encoding="utf-8")
    shown = invoke("compare", "zen.txt", "-t", saved, "-t", f"hf:{saved}").stdout
    assert "tokens a word" in shown
    assert "Korean" in shown
    tokens = next(line for line in shown.splitlines() if line.startswith("tokens  "))
    assert len(set(tokens.split()[1:])) == 1


def test_a_table_of_several_fits_into_80_columns(invoke, saved, here, text):
    """Texts are as short as the numbers beside them need."""
    (here / "zen.txt").write_text(f"{text}\n" * 2 + "Wörter 日本語 " * 12, encoding="utf-8")
    arguments = [argument for _ in range(3) for argument in ("-t", saved)]
    lines = invoke("compare", "zen.txt", *arguments).stdout.splitlines()
    assert any(line.startswith("differ most") for line in lines)
    assert max(map(cell_len, lines)) <= 80


def test_json_has_everything(invoke, saved, here, text, tok):
    """Figures, cost, parity, and the lines that differ most."""
    (here / "zen.txt").write_text(text, encoding="utf-8")
    (here / "p.toml").write_text('[per_million_tokens]\n"*" = 2', encoding="utf-8")
    command = ("compare", "zen.txt", "-t", saved, "--prices", "p.toml", "--baseline", "wordpiece")
    assert "300 or more" in invoke(*command, exit_code=1).stderr  # too small to train a peer
    fields = json.loads(invoke(*command[:6], "--json").stdout)
    (row,) = fields["tokenizers"]
    assert row["tokens"] == len(tok.encode(text))
    assert row["cost"] == row["tokens"] / 1e6 * 2
    assert len(row["parity"]) == 20


def test_a_page_with_plots_is_written(invoke, saved, here, text):
    """Beside the table, if it is asked for."""
    (here / "zen.txt").write_text(text, encoding="utf-8")
    invoke("compare", "zen.txt", "-t", saved, "-t", f"hf:{saved}", "--report", "c.html")
    page = (here / "c.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 3
    assert page.count("<td>$0.00") == 2  # what they cost, by the prices that are there
    assert "http" not in page


def test_unknown_baselines_are_refused(invoke, saved, here, text):
    """A usage error, before anything is read."""
    result = invoke("compare", "zen.txt", "-t", saved, "--baseline", "bert", exit_code=2)
    assert "sentencepiece, wordpiece, unigram" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "exit_code", "says"),
    [
        (["zen.txt", "-t", "bad.model"], 1, "bad.model: sentencepiece cannot read it"),
        (["zen.txt", "-t", "hf:nowhere"], 1, "nowhere: tokenizers cannot read it"),
        (["zen.txt", "-t", "tiktoken:nope"], 1, "nope: tiktoken has no such encoding"),
        (["zen.txt", "-t", "nowhere"], 1, "nowhere: no such file or folder"),
        (["empty.txt", "-t", "SAVED"], 1, "the corpus holds no text"),
        (["zen.txt", "-t", "SAVED", "--report", "no/c.html"], 1, "another place with --report"),
        (["zen.txt", "-t", "SAVED", "--prices", "zen.txt"], 1, "zen.txt: cannot be read"),
        (["-", "-t", "SAVED", "--baseline", "unigram"], 2, "standard input is read once"),
        (["zen.txt", "-t", "SAVED", "--threads", "0"], 2, "greater than or equal to 1"),
    ],
)
def test_what_cannot_be_is_told_without_a_traceback(
    invoke, saved, here, text, arguments, exit_code, says
):
    """Whoever's error it is, it names the file and what was wanted."""
    (here / "zen.txt").write_text(text, encoding="utf-8")
    (here / "empty.txt").write_bytes(b"")
    (here / "bad.model").write_bytes(b"garbage")
    command = [saved if argument == "SAVED" else argument for argument in arguments]
    result = invoke("compare", *command, exit_code=exit_code)
    assert says in " ".join(result.stderr.split())
    assert exit_code == 2 or result.stderr.count("\n") == 1
