"""Tokenizers of other libraries, against the same vocabulary run by this one."""

import numpy as np
import pytest
import sentencepiece
import tiktoken
import tokenizers

import bytepair
from bytepair.errors import ArgumentError, CorpusError, EncodeError, FormatError
from bytepair.evaluation import (
    BASELINES,
    OfHuggingFace,
    OfSentencePiece,
    OfTiktoken,
    OfTokenizer,
    open_subject,
    train_baseline,
)

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


class PanicError(BaseException):
    """What a library in Rust raises is no Exception."""


class Broken:
    """A tokenizer of any other library that fails on every text."""

    n_vocab = 0
    model = "broken"

    def fail(self, *_args, **_options):
        raise PanicError("thread panicked\nand said more")

    encode_batch = encode = encode_ordinary_batch = fail

    def vocab_size(self):
        return 0

    unk_id = get_vocab_size = vocab_size

    def to_str(self):
        return '{"model": {"vocab": {}}, "decoder": null}'


@pytest.mark.parametrize(
    ("subject", "library"),
    [
        (OfHuggingFace(Broken(), "mine"), "tokenizers"),
        (OfSentencePiece(Broken(), "mine", "BPE"), "sentencepiece"),
        (OfTiktoken(Broken(), "mine"), "tiktoken"),
    ],
)
def test_what_a_library_cannot_encode_is_an_error_of_one_line(subject, library):
    """Who, and what it said; a panic that is no Exception is one here."""
    wanted = f"^mine: {library} cannot encode the text: thread panicked.$"
    with pytest.raises(EncodeError, match=wanted):
        subject.encode([b"low"])


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("bad.model", r"bad.model: sentencepiece cannot read it: .*could not parse"),
        ("bad.json", r"bad.json: tokenizers cannot read it: Missing vocab"),
        ("hf:nowhere.json", r"nowhere.json: tokenizers cannot read it: No such file"),
        ("sentencepiece:no.model", r"no.model: sentencepiece cannot read it: .*No such file"),
        ("tiktoken:nope", r"nope: tiktoken has no such encoding.*: Unknown encoding nope.$"),
    ],
)
def test_what_a_library_cannot_read_names_file_and_library(source, message, tmp_path, monkeypatch):
    """Never its own exception."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.model").write_text("garbage", encoding="utf-8")
    (tmp_path / "bad.json").write_text('{"model": {"type": "Unigram"}}', encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        open_subject(source)


def test_a_library_without_a_tokenizer_is_refused():
    """Not taken for a file of that name."""
    with pytest.raises(ArgumentError, match="tiktoken: names no tokenizer"):
        open_subject("tiktoken:")


@pytest.mark.parametrize("kind", BASELINES)
def test_a_baseline_of_no_text_says_so(kind):
    """Whatever its library makes of it."""
    with pytest.raises(CorpusError, match=f"baseline {kind}: the corpus holds no text"):
        train_baseline(kind, ["", " \n"], 300)


def test_a_baseline_that_cannot_be_trained_says_why():
    """More characters than the vocabulary holds."""
    text = "".join(map(chr, range(0x4E00, 0x5E00)))
    message = r"sentencepiece cannot be trained on this corpus to 300 tokens: Vocabulary size is"
    with pytest.raises(CorpusError, match=message):
        train_baseline("unigram", [text], 300)


@pytest.mark.parametrize("kind", BASELINES)
def test_a_corpus_that_ends_badly_is_reported_as_itself(kind):
    """Also through the library that reads it."""

    def documents():
        yield "low lower"
        raise CorpusError("the second part is gone")

    with pytest.raises(CorpusError, match=r"^the second part is gone$"):
        train_baseline(kind, documents(), 300)


def test_a_wordpiece_baseline_is_not_larger_than_asked():
    """Its alphabet is limited, as its trainer's own limit is not."""
    text = " ".join(chr(c) * 2 for c in range(0x4E00, 0x5000))
    assert train_baseline("wordpiece", [text], 300).vocab_size <= 300
