"""Every figure against one worked by hand.

"low lower l": the tokens low, space, low, er, space, l: 11 bytes, 6 tokens, 3 words, of which
`lower` is divided.
"""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair
from bytepair.evaluation import Meter, Metrics, OfTokenizer, measure
from bytepair.evaluation._measure import document_parts
from bytepair.model import Chunk

TEXT = "low lower l"


def test_lengths_and_words_of_a_text(by_hand):
    """11 bytes / 6 tokens; 6 tokens / 3 words; low and l are whole, lower is not."""
    metrics = measure(by_hand, [TEXT])
    assert (metrics.n_bytes, metrics.n_tokens, metrics.n_words) == (11, 6, 3)
    assert metrics.bytes_per_token == metrics.chars_per_token == 11 / 6
    assert metrics.fertility == 2
    assert metrics.whole_words == 2 / 3


def test_distribution_of_tokens(by_hand):
    """Uses: low 2, space 2, er 1, l 1; of lengths 3, 1, 2, 1; 4 of 5 tokens are used."""
    metrics = measure(by_hand, [TEXT])
    assert metrics.uses.tolist() == [2, 2, 1, 1]
    assert metrics.spectrum().tolist() == [2, 2, 1, 1]
    assert metrics.token_lengths().tolist() == [0, 3, 1, 2]
    assert metrics.vocabulary_use == 4 / 5
    assert [metrics.coverage(n) for n in (0, 1, 2, 9)] == [0, 2 / 6, 4 / 6, 1]
    assert [metrics.n_covering(share) for share in (0.3, 0.5, 1.0)] == [1, 2, 4]


def test_entropies_by_their_formulas(by_hand):
    """Shares 1/3, 1/3, 1/6, 1/6: H = 2/3 log 3 + 1/3 log 6; H_2 = -log(2/9 + 2/36) = log 3.6."""
    metrics = measure(by_hand, [TEXT])
    shannon = 2 / 3 * math.log2(3) + 1 / 3 * math.log2(6)
    assert metrics.entropy() == pytest.approx(shannon)
    assert metrics.renyi_entropy(2) == pytest.approx(math.log2(3.6))
    power_sum = 2 * 3**-2.5 + 2 * 6**-2.5
    assert metrics.renyi_efficiency() == pytest.approx(
        math.log2(power_sum) / (1 - 2.5) / math.log2(5)
    )


def test_even_use_of_all_tokens_is_an_efficiency_of_one():
    """Of 256 tokens, each once: every Rényi entropy is 8 bits."""
    by_bytes = bytepair.train(["low"], vocab_size=256, special_tokens=[])
    metrics = measure(by_bytes, [bytes(range(256))])
    assert metrics.renyi_entropy() == pytest.approx(8)
    assert metrics.renyi_efficiency() == pytest.approx(1)


def test_figures_of_each_document(by_hand):
    """`low` is 3 bytes a token, ` ` is 1; the empty document has no figure."""
    metrics = measure(by_hand, ["low", "", " "])
    assert metrics.n_documents == 3
    assert metrics.document_bytes.tolist() == [3, 0, 1]
    assert metrics.document_tokens.tolist() == [1, 0, 1]
    assert metrics.per_document().tolist() == [1, 3]


def test_empty_documents_have_no_figures(by_hand):
    """Nothing is divided by nothing."""
    metrics = measure(by_hand, [""])
    assert metrics.n_tokens == 0
    assert math.isnan(metrics.bytes_per_token)
    assert math.isnan(metrics.entropy())
    assert metrics.n_covering(0.5) == 0
    assert metrics.per_document().tolist() == []


def test_words_do_not_go_from_one_document_to_the_next(by_hand):
    """`low` and `er` beside each other are two words, both whole."""
    metrics = measure(by_hand, ["low", "er"])
    assert (metrics.n_words, metrics.n_whole_words) == (2, 2)


def _by_definition(tok: bytepair.Tokenizer, text: str) -> tuple[int, int, int]:
    """(words, whole words, characters), one word after the other."""
    data = text.encode()
    ends = set(np.cumsum([len(b) for b in tok.decode_tokens_bytes(tok.encode(text))]).tolist())
    spaces = [-1, *(i for i, byte in enumerate(data) if byte in b" \t\n\v\f\r"), len(data)]
    words = [(a + 1, b) for a, b in pairwise(spaces) if b > a + 1]
    whole = sum(not any(a < end < b for end in ends) for a, b in words)
    return len(words), whole, len(text)


@given(text=st.text("lower st\né\t").filter(bool) | st.text(min_size=1))
def test_words_are_counted_as_defined(small, text):
    """Against a loop over the words of any text."""
    metrics = measure(small, [text.encode()])
    assert (metrics.n_words, metrics.n_whole_words, metrics.n_chars) == _by_definition(small, text)


def test_parts_of_a_document_are_one_document(by_hand):
    """Also where a batch ends before the document does."""
    meter = Meter(by_hand)
    meter.add_parts([(b"low ", False)])
    meter.add_parts([(b"lower", True), (b"l", True)])
    metrics = meter.result()
    assert metrics.document_bytes.tolist() == [9, 1]
    assert metrics.document_tokens.tolist() == [4, 1]


def test_long_texts_are_cut_behind_a_line_that_text_follows():
    """Before white space a newline may belong to a longer pre-token."""
    chunks = [Chunk(b"one\ntwo\n\n", is_last=False), Chunk(b"three\n four", is_last=True)]
    parts = list(document_parts(chunks, limit=4))
    assert parts == [(b"one\n", False), (b"two\n\nthree\n four", True)]


@pytest.mark.parametrize("n_lines", [3, 700_000])
def test_a_long_text_gives_the_same_as_its_ids(small, n_lines, tmp_path):
    """Cut in parts or not, files are counted as `encode` encodes them."""
    path = tmp_path / "text.txt"
    path.write_bytes(b"low lower\n" * n_lines)
    metrics = measure(small, path)
    ids = small.encode_files(path, separator=None)[0]
    assert metrics.n_tokens == len(ids)
    assert metrics.uses.tolist() == np.bincount(ids).tolist()


def test_separators_are_dropped(small):
    """As in training: they lie between documents."""
    assert measure(small, ["low<s>lower"], separator="<s>").document_bytes.tolist() == [3, 5]


def test_normalised_text_is_measured_by_the_original():
    """`É` and its decomposition become one token each, of two and of three bytes."""
    tok = bytepair.train(["é é é"], vocab_size=257, normalizer="nfc", special_tokens=[])
    assert tok.encode("e\u0301") == [256]
    metrics = measure(OfTokenizer(tok), ["e\u0301 é"])
    assert (metrics.n_bytes, metrics.n_tokens, metrics.n_whole_words) == (6, 3, 2)


def test_figures_are_the_properties(by_hand):
    """What tables show is what the properties say."""
    metrics = measure(by_hand, [TEXT])
    assert isinstance(metrics, Metrics)
    figures = metrics.figures()
    assert figures["fertility"] == metrics.fertility
    assert figures["tokens_for_90_percent"] == 4
