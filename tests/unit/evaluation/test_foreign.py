"""Tokenizers of other libraries, against the same vocabulary run by this one."""

import numpy as np
import pytest
import sentencepiece
import tiktoken
import tokenizers

import bytepair
from bytepair.errors import FormatError
from bytepair.evaluation import OfHuggingFace, OfTiktoken, OfTokenizer, open_subject

TEXTS = ["low lower", "naïve café 🙂", "", " lowest\n\n  low"]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A tokenizer of ours as a Hugging Face folder."""
    folder = tmp_path_factory.mktemp("saved") / "zen"
    bytepair.train(["low lower lowest naïve"] * 9, vocab_size=269, special_tokens=[]).save(folder)
    return folder


def ends_of(subject, encoded):
    """Where the tokens end: laid end to end, if the subject does not say it."""
    contents = subject.contents()
    lengths = [len(contents[token]) for token in encoded.ids.tolist()]
    return np.cumsum(lengths) if encoded.ends is None else encoded.ends


def test_hugging_face_runs_the_same_vocabulary_alike(saved):
    """Ids, and where each token ends in bytes of all texts laid end to end."""
    texts = [text.encode() for text in TEXTS]
    ours, theirs = open_subject(str(saved)), open_subject(f"hf:{saved}")
    assert isinstance(ours, OfTokenizer)
    assert isinstance(theirs, OfHuggingFace)
    mine, other = ours.encode(texts), theirs.encode(texts)
    assert other.ids.tolist() == mine.ids.tolist()
    assert other.offsets.tolist() == mine.offsets.tolist()
    ends, last = ends_of(ours, mine), mine.offsets[1:] - 1
    assert other.ends[last].tolist() == ends[last].tolist()
    assert (theirs.name, theirs.kind, theirs.vocab_size) == ("zen", "BPE (tokenizers)", 269)
    assert theirs.contents() == ours.contents()


def test_tiktoken_runs_the_same_vocabulary_alike(saved):
    """Down to where each token ends."""
    tok = bytepair.load(saved)
    ranks = {data: token for token, data in tok.spec.vocabulary.tokens.items()}
    encoding = tiktoken.Encoding("x", pat_str=tok.pattern, mergeable_ranks=ranks, special_tokens={})
    texts = [text.encode() for text in TEXTS]
    ours, theirs = OfTokenizer(tok), OfTiktoken(encoding, "x")
    mine, other = ours.encode(texts), theirs.encode(texts)
    assert other.ids.tolist() == mine.ids.tolist()
    assert ends_of(theirs, other).tolist() == ends_of(ours, mine).tolist()


def test_other_models_go_to_their_library(tmp_path):
    """Unigram is not run here, but compared all the same."""
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.Unigram([("<unk>", 0.0), ("low", -1.0), ("er", -2.0)], unk_id=0)
    )
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    subject = open_subject(str(tmp_path))
    assert subject.kind == "Unigram (tokenizers)"
    assert subject.encode([b"lower"]).ends.tolist() == [3, 5]
    assert subject.contents() == {0: b"<unk>", 1: b"low", 2: b"er"}
    assert subject.unknown_id == 0


def test_sentencepiece_unigram_goes_to_its_library(tmp_path):
    """The bytes of a text, whatever its characters are."""
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["low lower lowest"] * 20),
        model_prefix=str(tmp_path / "uni"),
        vocab_size=280,
        byte_fallback=True,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    subject = open_subject(str(tmp_path / "uni.model"))
    encoded = subject.encode(["é low".encode(), b"low"])
    assert encoded.ends[-1] == 9
    assert subject.contents()[3] == b"\x00"


def test_what_nothing_reads_keeps_our_message(tmp_path):
    """The first error says more than the last."""
    path = tmp_path / "tokenizer.json"
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(FormatError, match=r"tokenizer\.json"):
        open_subject(str(path))


def test_bytes_that_are_no_text_are_measured(saved):
    """Other libraries take no bytes: each becomes U+FFFD, and places stay those of the bytes."""
    encoded = open_subject(f"hf:{saved}").encode([b"low\xff\xfe low"])
    assert encoded.ends[-1] == 9
