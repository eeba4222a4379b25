import gzip
import importlib
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import bytepair
from bytepair.errors import (
    ArgumentError,
    BytepairWarning,
    CorpusError,
    InputTypeError,
    PatternError,
)
from bytepair.model import Progress, TokenizerSpec

DOCUMENTS = [
    "The quick brown fox jumps over the lazy dog.\r\nThe lazy dog, the fox says, did not mind.\r\n",
    "Größe und Straße, naïve café: größer, größte.\n日本語のテキスト、日本語の漢字。\n" * 2,
    "the fox, the dog, the fox, the dog <|endoftext|> the end of the text\n",
]
OPTIONS: dict[str, Any] = {"vocab_size": 290, "pattern": "gpt2"}


@pytest.fixture
def reference(engine: str) -> TokenizerSpec:
    """What every form of the same documents must give."""
    return bytepair.train(DOCUMENTS, engine=engine, **OPTIONS).spec


def write_zstd(path: Path, data: bytes) -> None:
    """A zstd file, by the module of this Python."""
    name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    path.write_bytes(importlib.import_module(name).compress(data))


def write_gzip(path: Path, data: bytes) -> None:
    """A gzip file."""
    path.write_bytes(gzip.compress(data))


def in_files(folder: Path, suffix: str, write: Callable[[Path, bytes], object]) -> Path:
    """One file a document, in the order of their names."""
    for number, document in enumerate(DOCUMENTS):
        write(folder / f"{number}{suffix}", document.encode())
    return folder


def in_records(path: Path, write: Callable[[Path, bytes], object]) -> Path:
    """One record a document."""
    lines = [json.dumps({"id": 1, "body": document}) for document in DOCUMENTS]
    write(path, "\n".join(lines).encode())
    return path


FORMS: dict[str, Callable[[Path], Any]] = {
    "folder": lambda tmp: in_files(tmp, ".txt", Path.write_bytes),
    "name of a folder": lambda tmp: str(in_files(tmp, ".txt", Path.write_bytes)),
    "glob": lambda tmp: str(in_files(tmp, ".txt", Path.write_bytes) / "*.txt"),
    "paths": lambda tmp: sorted(in_files(tmp, ".txt", Path.write_bytes).iterdir()),
    "iterator of paths": lambda tmp: iter(sorted(in_files(tmp, ".md", Path.write_bytes).iterdir())),
    "gzip": lambda tmp: in_files(tmp, ".txt.gz", write_gzip),
    "zstd": lambda tmp: in_files(tmp, ".txt.zst", write_zstd),
    "list of str": lambda _: list(DOCUMENTS),
    "tuple of bytes": lambda _: tuple(document.encode() for document in DOCUMENTS),
    "generator": lambda _: (document for document in DOCUMENTS),
    "mixed": lambda _: [DOCUMENTS[0], DOCUMENTS[1].encode(), DOCUMENTS[2]],
}
RECORDS: dict[str, Callable[[Path], Any]] = {
    "jsonl": lambda tmp: in_records(tmp / "a.jsonl", Path.write_bytes),
    "jsonl gzip": lambda tmp: in_records(tmp / "a.jsonl.gz", write_gzip),
    "jsonl zstd": lambda tmp: in_records(tmp / "a.ndjson.zst", write_zstd),
}


@pytest.mark.parametrize("form", FORMS)
def test_same_text_in_any_form_gives_the_same_tokenizer(
    tmp_path: Path, engine: str, reference: TokenizerSpec, form: str
) -> None:
    """Where a text is kept says nothing about it."""
    tok = bytepair.train(FORMS[form](tmp_path), engine=engine, **OPTIONS)
    assert tok.spec == reference
    assert tok.spec.training == reference.training


@pytest.mark.parametrize("form", RECORDS)
def test_same_text_in_records_gives_the_same_tokenizer(
    tmp_path: Path, engine: str, reference: TokenizerSpec, form: str
) -> None:
    """The field is named by the caller."""
    corpus = RECORDS[form](tmp_path)
    tok = bytepair.train(corpus, text_field="body", engine=engine, **OPTIONS)
    assert tok.spec == reference
    assert tok.spec.training == reference.training


@pytest.mark.parametrize("separator", ["<sep>", b"<sep>"], ids=["str", "bytes"])
def test_same_text_in_one_file_gives_the_same_tokenizer(
    tmp_path: Path, engine: str, reference: TokenizerSpec, separator: str | bytes
) -> None:
    """Cut at a separator, which is not learned."""
    path = tmp_path / "all.txt"
    path.write_bytes("<sep>".join(DOCUMENTS).encode())
    tok = bytepair.train(path, separator=separator, engine=engine, **OPTIONS)
    assert tok.spec == reference
    assert tok.spec.training == reference.training


def test_train_is_the_stages_in_their_order(engine: str, reference: TokenizerSpec) -> None:
    """Each can be used alone; nothing happens between them."""
    prepare = bytepair.Preprocessor(pattern="gpt2")
    counts = bytepair.FrequencyAnalyzer(engine=engine).count(
        prepare.chunks(DOCUMENTS), prepare.rules
    )
    spec = bytepair.MergeLearner(vocab_size=290, engine=engine).learn(counts)
    assert spec == reference


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_do_not_change_the_tokenizer(
    monkeypatch: pytest.MonkeyPatch, engine: str, reference: TokenizerSpec, threads: int
) -> None:
    """Tasks of a few bytes, so that each thread gets some."""
    monkeypatch.setattr("bytepair.frequency._analyzer._TASK_BYTES", 16)
    tok = bytepair.train(DOCUMENTS, threads=threads, engine=engine, **OPTIONS)
    assert tok.spec == reference


def test_hash_seed_does_not_change_the_tokenizer(engine: str) -> None:
    """Python orders sets otherwise in each process; no policy for ties may depend on it."""
    code = (
        "import bytepair\n"
        "for ties in 'lowest', 'huggingface', 'first', 'bytes':\n"
        f"    tok = bytepair.train({DOCUMENTS!r}, ties=ties, engine={engine!r}, vocab_size=290,"
        " special_tokens=['<b>', '<a>', '<|endoftext|>'])\n"
        "    print(list(tok.merges), tok.special_tokens)"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "4242")
    }
    assert len(outputs) == 1
    assert outputs.pop().count(b"{'<b>': 287, '<a>': 288, '<|endoftext|>': 289}\n") == 4


def test_sentence_repeated_becomes_two_tokens(engine: str) -> None:
    """Worked by hand in the lesson on bytes: ties by first place, no pre-tokens, 44 merges."""
    sentence = "the quick brown fox jumps over the lazy dog. "
    with pytest.warns(BytepairWarning, match="only 44 of 64 merges were found"):
        tok = bytepair.train(
            [sentence * 30],
            vocab_size=320,
            pattern=None,
            special_tokens=[],
            ties="first",
            engine=engine,
        )
    merges = [(left, right, joined) for left, right, joined, _ in tok.merges]
    assert merges[:3] == [(116, 104, 256), (256, 101, 257), (257, 32, 258)]
    assert merges[36:38] == [(291, 111, 292), (292, 103, 293)]
    assert tok.encode(sentence.removesuffix(". ")) == [258, 293]


def test_special_tokens_are_never_learned_or_crossed(engine: str) -> None:
    """Others learn junk from them: ">E", "<s", "<sep>EFG"."""
    tok = bytepair.train(
        ["ABC<sep>EFG<sep>ABCE"] * 3,
        vocab_size=256 + 5 + 1,
        pattern=None,
        special_tokens=["<sep>"],
        engine=engine,
    )
    learned = [tok.decode([token]) for token in range(256, 261)]
    assert learned == ["AB", "ABC", "EF", "ABCE", "EFG"]


def test_merges_do_not_cross_documents(engine: str) -> None:
    """Even without pre-tokens."""
    with pytest.warns(BytepairWarning, match="only 1 of 10 merges"):
        tok = bytepair.train(
            ["ab", "ab"] * 5, vocab_size=266, pattern=None, special_tokens=[], engine=engine
        )
    assert tok.decode([256]) == "ab"


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"vocab_size": 256}, ArgumentError),
        ({"vocab_size": 0}, ArgumentError),
        ({"threads": 0}, ArgumentError),
        ({"ties": "none"}, ArgumentError),
        ({"pattern": "("}, PatternError),
        ({"normalizer": "nfx"}, ArgumentError),
        ({"engine": "rust"}, ArgumentError),
        ({"special_tokens": ["", "<a>"]}, ArgumentError),
        ({"end_of_word": "_"}, ArgumentError),
    ],
    ids=str,
)
def test_impossible_option_is_refused_before_the_corpus_is_touched(
    options: dict[str, Any], error: type[Exception]
) -> None:
    """Not after hours of counting."""

    def untouchable() -> Iterator[str]:
        pytest.fail("the corpus was read")
        yield ""

    with pytest.raises(error):
        bytepair.train(untouchable(), **options)


@pytest.mark.parametrize(
    "corpus", [[], [""], iter([]), [b""]], ids=["none", "str", "iterator", "bytes"]
)
def test_empty_corpus_is_refused(corpus: Any) -> None:
    """A wrong glob or field is more likely than the wish for 256 tokens."""
    with pytest.raises(CorpusError, match="the corpus is empty"):
        bytepair.train(corpus)


def test_corpus_of_special_tokens_only_is_empty() -> None:
    """There is nothing to learn between them."""
    with pytest.raises(CorpusError, match="the corpus is empty: its 2 documents hold no text"):
        bytepair.train(["<|endoftext|><|endoftext|>", "<|endoftext|>"])


@pytest.mark.parametrize("text", [" " * 8, "\0\0\0\0", "\n\n\n\n", b"\xff\xff\xff\xff"], ids=repr)
def test_text_of_one_odd_byte_is_a_corpus(text: Any) -> None:
    """Nothing is stripped, nothing has to be text."""
    tok = bytepair.train([text], vocab_size=257, special_tokens=[])
    assert len(tok.decode_single_token_bytes(256)) == 2


def test_bad_item_is_named_and_nothing_is_trained() -> None:
    """Others take it for the end and return a tokenizer of the first half."""
    with pytest.raises(InputTypeError, match="corpus: item 2 is NoneType"):
        bytepair.train(["a", "b", None, "c"])  # type: ignore[list-item]


@pytest.mark.parametrize("kind", [RuntimeError, KeyboardInterrupt])
def test_error_of_the_corpus_comes_out_unchanged_and_threads_end(
    engine: str, kind: type[BaseException]
) -> None:
    """Ctrl-C while a generator waits for its data set is raised there."""
    error, before = kind("mine"), threading.active_count()

    def documents() -> Iterator[str]:
        yield from ["some words"] * 5
        raise error

    with pytest.raises(kind) as caught:
        bytepair.train(documents(), threads=3, engine=engine)
    assert caught.value is error
    assert threading.active_count() == before


@pytest.mark.parametrize("stage", ["count", "learn"])
def test_ctrl_c_in_the_progress_callback_ends_the_training(engine: str, stage: str) -> None:
    """In either stage, and leaves no thread behind that would keep the process."""
    before = threading.active_count()
    stages: list[str] = []

    def interrupt(moment: Progress) -> None:
        stages.append(moment.stage)
        if moment.stage == stage:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bytepair.train(DOCUMENTS, threads=3, engine=engine, progress=interrupt, **OPTIONS)
    assert stages.count(stage) == 1
    assert threading.active_count() == before


@pytest.mark.usefixtures("hears_ctrl_c")
def test_sigint_stops_a_training_at_once(engine: str) -> None:
    """Hugging Face's trainer did not hear it for minutes. The corpus here never ends."""
    code = (
        "import bytepair, itertools, sys\n"
        "words = (' '.join(str(n + k) for k in range(200)) for n in itertools.count())\n"
        "show = lambda moment: print(moment.stage, flush=True) if moment.done < 5000 else None\n"
        f"bytepair.train(words, engine={engine!r}, threads=2, progress=show)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=-1, stderr=-1) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"count\n"
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode in {-signal.SIGINT, 130}
    assert errors.splitlines()[-1] == b"KeyboardInterrupt"


def test_progress_goes_through_both_stages(tmp_path: Path, engine: str) -> None:
    """With the size of the files as the total, where that can be known beforehand."""
    seen: list[Progress] = []
    folder = in_files(tmp_path, ".txt", Path.write_bytes)
    bytepair.train(folder, engine=engine, progress=seen.append, **OPTIONS)
    stages = [moment.stage for moment in seen]
    assert stages == sorted(stages)
    assert set(stages) == {"count", "learn"}
    size = sum(path.stat().st_size for path in folder.iterdir())
    assert {moment.total for moment in seen} == {size, 290 - 256 - 1}
    assert [moment.done for moment in seen if moment.stage == "count"][-1] == size


def test_warning_points_at_the_line_of_the_caller() -> None:
    """A line inside the package tells the user nothing."""
    with pytest.warns(BytepairWarning, match="only 1 of") as caught:
        bytepair.train(["ab"] * 2)
    assert caught[0].filename == __file__


def test_options_reach_their_stage(engine: str) -> None:
    """And are kept in the record."""
    tok = bytepair.train(
        ["Ab ab AB"] * 2,
        vocab_size=7,
        pattern="whitespace",
        normalizer=["nfc", "lowercase"],
        special_tokens="<s>",
        min_frequency=6,
        max_token_length=5,
        ties="bytes",
        alphabet="chars",
        end_of_word="_",
        byte_fallback=False,
        name="mine",
        engine=engine,
    )
    assert (tok.name, tok.pattern, tok.vocab_size) == ("mine", r"\S+|\s+", 7)
    assert tok.special_tokens == {"<s>": 6}
    assert tok.spec.rules.normalizer == ("nfc", "lowercase")
    assert tok.decode(tok.encode("AB ab")) == "ab ab"
    assert tok.spec.training is not None
    assert tok.spec.training.options == {
        "vocab_size": 7,
        "min_frequency": 6,
        "max_token_length": 5,
        "length_unit": "characters",
        "ties": "bytes",
        "alphabet": "chars",
        "end_of_word": "_",
        "byte_fallback": False,
        "limit_alphabet": None,
    }


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [("whitespace", r"\S+|\s+"), (r"[a-z]+|\W", r"[a-z]+|\W"), (None, None)],
)
def test_pattern_of_training_travels_with_the_tokenizer(
    engine: str, pattern: str | None, expected: str | None
) -> None:
    """Trained with one pattern and used with another, a tokenizer gives ids nobody trained on."""
    tok = bytepair.train(["ab ab"] * 3, vocab_size=258, pattern=pattern, engine=engine)
    assert tok.pattern == expected


def test_trained_tokenizer_comes_back_from_a_file(tmp_path: Path, engine: str) -> None:
    """Train, save, load, in one breath; also with a pattern that is spelt anew for the file."""
    tok = bytepair.train(DOCUMENTS, vocab_size=290, pattern=r"\w+|\pP|[^\w]", engine=engine)
    tok.save(tmp_path / "mine")
    again = bytepair.load(tmp_path / "mine", engine=engine)
    for text in DOCUMENTS:
        assert again.encode_ordinary(text) == tok.encode_ordinary(text)
    assert (again.spec.merges, again.special_tokens) == (tok.spec.merges, tok.special_tokens)
