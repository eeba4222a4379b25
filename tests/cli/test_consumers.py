"""The libraries that formats are of: each loads what was written, and is heard."""

import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

import bytepair
import foreign
from bytepair.cli import _consumers
from bytepair.cli._consumers import LibraryError, consumer_of
from bytepair.cli._proof import difference_in, texts_to_compare
from bytepair.formats._tiktoken_read import rank_spec
from bytepair.model import AddedToken, Tokens
from bytepair.patterns import NAMED

SAMPLE = "Simple is better than complicated: naïve 漢字 🙂\n<|endoftext|> x"


@pytest.fixture(scope="session")
def gpt2_tok(text):
    """Cut by GPT-2's pattern, which every format of bytes can say."""
    return bytepair.train([text * 3], vocab_size=290, pattern="gpt2")


@pytest.fixture
def tekken_tok():
    """Special tokens first, as Mistral numbers them."""
    tokens = [*(bytes([byte]) for byte in range(256)), b"is", b"Si", b"em", b" b", b" be"]
    tokens = Tokens.of(dict(enumerate(tokens, 3)))
    specials = tuple(AddedToken(t, place) for place, t in enumerate(["<unk>", "<s>", "</s>"]))
    return bytepair.Tokenizer(rank_spec("", tokens, specials, pattern=NAMED["o200k"], name="t"))


def compared(kind, tok, path):
    """The consumer, after a comparison with the tokenizer that was written."""
    consumer = consumer_of(kind, tok.save(path, kind)[0])
    assert consumer is not None
    texts = [text.decode("utf-8", "replace") for text in texts_to_compare(tok)]
    assert len(texts) >= 10_000
    assert difference_in(consumer, tok, [*texts, SAMPLE]) is None
    return consumer


@pytest.mark.parametrize("name", ["folder", "x.json", "x.tiktoken"])
def test_what_bytes_are_written_for_gives_the_same_ids(gpt2_tok, tmp_path, name):
    """Tokenizers and tiktoken, special tokens found."""
    kind = "tiktoken" if name.endswith(".tiktoken") else "huggingface"
    assert compared(kind, gpt2_tok, tmp_path / name).finds_special


@pytest.mark.filterwarnings("ignore::bytepair.errors.BytepairWarning")
def test_gpt2_files_in_tokenizers(gpt2_tok, tmp_path):
    """Its class for just these two files, with the added tokens of the third."""
    tool = AddedToken("<tool>", 300, special=False, rstrip=True)
    spec = gpt2_tok.spec
    tok = bytepair.Tokenizer(replace(spec, added_tokens=(*spec.added_tokens, tool)))
    consumer = compared("gpt2", tok, tmp_path)
    assert consumer.encode("a<tool>  b") == [97, 300, 98]


def test_sentencepiece_models_in_sentencepiece(tmp_path):
    """Which finds no control token in a text."""
    (tmp_path / "a.model").write_bytes(foreign.sentencepiece_model(byte_fallback=True))
    tok = bytepair.load(tmp_path / "a.model")
    assert not compared("sentencepiece", tok, tmp_path / "b.model").finds_special


def test_tekken_files_in_mistral_common(tekken_tok, tmp_path):
    """Which finds none either."""
    assert not compared("tekken", tekken_tok, tmp_path).finds_special


def test_gguf_files_are_asked_of_llama_cpp(gpt2_tok, tmp_path, monkeypatch):
    """By the calls of its documentation: vocabulary only, special tokens found, none put before."""
    calls = []

    class Llama:
        def __init__(self, path, **options):
            calls.append((path, options))

        def tokenize(self, text, **options):
            calls.append((text, options))
            return [1, 2]

    monkeypatch.setitem(sys.modules, "llama_cpp", SimpleNamespace(Llama=Llama))
    monkeypatch.setattr(_consumers, "installed_version", lambda _: "0.3")
    (path,) = gpt2_tok.save(tmp_path / "x.gguf")
    consumer = consumer_of("gguf", path)
    assert (consumer.name, consumer.encode("é")) == ("llama-cpp-python 0.3", [1, 2])
    assert calls == [
        (str(path), {"vocab_only": True, "verbose": False}),
        ("é".encode(), {"add_bos": False, "special": True}),
    ]


def test_a_library_that_is_not_installed_is_none(tmp_path, monkeypatch):
    """The command says so, and that its own reader was used instead."""
    monkeypatch.setattr(_consumers, "installed_version", lambda _: None)
    assert consumer_of("tekken", tmp_path) is None


def test_a_library_that_does_not_take_the_file_says_why(tmp_path):
    """Whatever it raises."""
    (tmp_path / "x.json").write_bytes(b"{}")
    with pytest.raises(LibraryError, match="Exception"):
        consumer_of("huggingface", tmp_path / "x.json")
