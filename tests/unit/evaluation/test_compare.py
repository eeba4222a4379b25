import pytest

import bytepair
from bytepair.errors import ArgumentError, CorpusError, FormatError
from bytepair.evaluation import BASELINES, Prices, compare, read_prices, train_baseline

LINES = [f"the quick brown fox jumps over lazy dog number {n}" for n in range(40)]


def test_rows_are_in_the_order_given(by_hand):
    """By hand: low, space, low, er; the corpus is read once, even an iterator."""
    other = bytepair.train(["low"], vocab_size=256, special_tokens=[], name="bytes")
    result = compare([by_hand, other], iter(["low lower"]))
    assert [row.name for row in result.rows] == ["by hand", "bytes"]
    assert [row.metrics.n_tokens for row in result.rows] == [4, 9]


def test_lines_that_differ_most_come_first(small):
    """By bytes each line is its length; the small vocabulary knows `lowest` and `lower`."""
    by_bytes = bytepair.train(["low"], vocab_size=256, special_tokens=[])
    corpus = ["xyz uvw abc mno pqr\nlow lower low lower low\nshort\n" + "=" * 60]
    differences = compare([by_bytes, small], corpus).differences
    assert [row.text for row in differences] == [
        "low lower low lower low",
        "xyz uvw abc mno pqr",
    ]
    assert differences[0].n_tokens == (23, len(small.encode("low lower low lower low")))
    assert differences[1].ratio == 1


def test_nothing_to_compare_is_an_error(small):
    """No tokenizer; no text."""
    with pytest.raises(ArgumentError, match="name at least one"):
        compare([], ["low"])
    with pytest.raises(CorpusError, match="no text"):
        compare([small], [""])


@pytest.mark.parametrize("kind", BASELINES)
def test_baselines_are_trained_and_measured(kind):
    """They cover the text: the ends of their tokens are places in it, the last one at its end."""
    text = "\n".join(LINES).encode()
    subject = train_baseline(kind, [text], 330)
    assert subject.vocab_size <= 330
    encoded = subject.encode([b"the quick", "naïve fox".encode()])
    assert encoded.ends[encoded.offsets[1] - 1] == 9
    assert encoded.ends[-1] == 9 + len("naïve fox".encode())
    row = compare([subject], [text]).rows[0]
    assert row.metrics.fertility >= 1
    assert 0 < row.metrics.whole_words <= 1


def test_baseline_must_exist_and_have_room():
    """What there is, and how small it may be."""
    with pytest.raises(ArgumentError, match="sentencepiece, wordpiece, unigram"):
        train_baseline("bpe", LINES, 400)  # type: ignore[arg-type]  # that is the test
    with pytest.raises(ArgumentError, match="300 or more"):
        train_baseline("unigram", LINES, 270)


def test_price_of_the_tokens():
    """By name, else by the star, else unknown."""
    prices = Prices("€", {"a": 3.0, "*": 1.0})
    assert (prices.cost("a", 2_000_000), prices.cost("b", 500_000)) == (6.0, 0.5)
    assert Prices("$", {"a": 1.0}).cost("b", 1) is None
    assert read_prices() == Prices("$", {"*": 1.0})


@pytest.mark.parametrize(
    "content",
    ["[per_million_tokens", "x = 1", '[per_million_tokens]\n"*" = "1"', "per_million_tokens = 2"],
    ids=["no-toml", "no-table", "no-number", "table-is-number"],
)
def test_price_files_are_checked(content, tmp_path):
    """With the file's name and what was wanted."""
    path = tmp_path / "prices.toml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(FormatError, match=r"prices\.toml: (cannot be read|wanted a table)"):
        read_prices(path)
