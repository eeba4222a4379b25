import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from bytepair.engines import select
from bytepair.errors import ArgumentError, CorpusError, EngineError, InputTypeError
from bytepair.frequency import FrequencyAnalyzer
from bytepair.frequency._analyzer import _cut_tokens
from bytepair.model import Chunk, Progress, SplitRules, TextFile, WordCounts
from bytepair.patterns import NAMED

PATTERNS = [None, NAMED["gpt2"], NAMED["cl100k"], NAMED["whitespace"], r"a+b?|c"]
SPECIALS: list[tuple[str, ...]] = [(), ("<s>",), ("<s>", "b<", "<s>b"), ("aa",), ("ab", "ba")]
RULES = st.builds(SplitRules, st.sampled_from(PATTERNS), special_tokens=st.sampled_from(SPECIALS))
DOCUMENTS = st.lists(
    st.lists(st.sampled_from(["a", "b", "aa", " ", "\n", "<s>", "é", "1", "c"]), max_size=12)
    .map("".join)
    .map(str.encode),
    max_size=6,
)


def split(pattern: str | None, text: str) -> Iterator[str]:
    """Pre-tokens, and what lies between them."""
    start = 0
    for match in regex.finditer(pattern, text) if pattern else ():
        if match.start() > start:
            yield text[start : match.start()]
        yield match[0]
        start = match.end()
    if start < len(text):
        yield text[start:]


def recount(documents: Iterable[bytes], rules: SplitRules) -> dict[bytes, list[int]]:
    """Word -> [count, first position]; every document at once, one word after the other."""
    longest_first = sorted(rules.special_tokens, key=len, reverse=True)
    special = "|".join(map(regex.escape, longest_first)) or "(?!)"
    found: dict[bytes, list[int]] = {}
    base = 0
    for document in documents:
        for piece in regex.split(f"({special})", document.decode()):
            words = () if piece in rules.special_tokens else split(rules.pattern, piece)
            position = base
            for word in map(str.encode, words):
                found.setdefault(word, [0, position])[0] += 1
                position += len(word)
            base += len(piece.encode())
    return found


def as_table(counts: WordCounts) -> dict[bytes, list[int]]:
    """The same shape from what is tested."""
    pairs = zip(counts, counts.first.tolist(), strict=True)
    return {word: [count, first] for (word, count), first in pairs}


@contextmanager
def small_limits(task: int = 16, open_: int = 24) -> Iterator[None]:
    """Kilobytes then behave as gigabytes do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bytepair.frequency._analyzer._TASK_BYTES", task)
        patch.setattr("bytepair.frequency._analyzer._OPEN_BYTES", open_)
        patch.setattr("bytepair.frequency._analyzer._LOOK_BYTES", task)
        yield


def in_chunks(document: bytes, size: int) -> list[Chunk]:
    """One document as it comes from a file."""
    starts = range(0, max(len(document), 1), size)
    return [Chunk(document[s : s + size], is_last=s + size >= len(document)) for s in starts]


@given(documents=DOCUMENTS, rules=RULES)
def test_counts_are_those_of_recounting_by_hand(
    engine: str, documents: list[bytes], rules: SplitRules
) -> None:
    """The oracle splits by `regex` and adds up in a dictionary."""
    counts = FrequencyAnalyzer(threads=1, engine=engine).count(map(Chunk, documents), rules)
    assert as_table(counts) == recount(documents, rules)
    assert counts.n_documents == len(documents)
    assert counts.n_bytes == sum(map(len, documents))
    assert counts.rules == rules
    assert all(a < b for a, b in pairwise(counts.first.tolist()))


@given(documents=DOCUMENTS, rules=RULES)
def test_counts_do_not_depend_on_the_number_of_threads(
    engine: str, documents: list[bytes], rules: SplitRules
) -> None:
    """Tasks of 16 bytes, so that every thread has some and they end in any order."""
    with small_limits():
        results = [
            FrequencyAnalyzer(threads=n, engine=engine).count(map(Chunk, documents), rules)
            for n in (1, 2, 3)
        ]
    assert results[0] == results[1] == results[2]


@given(documents=DOCUMENTS, rules=RULES, size=st.integers(1, 9))
def test_document_larger_than_the_limit_is_counted_as_if_it_were_held(
    engine: str, documents: list[bytes], rules: SplitRules, size: int
) -> None:
    """What is counted while the rest is still to come must not change with what comes."""
    chunks = [chunk for document in documents for chunk in in_chunks(document * 3, size)]
    with small_limits():
        counts = FrequencyAnalyzer(threads=2, engine=engine).count(chunks, rules)
    assert as_table(counts) == recount([document * 3 for document in documents], rules)
    assert counts.n_documents == len(documents)


@given(documents=DOCUMENTS, rules=RULES)
def test_files_are_counted_as_if_they_had_been_read(
    engine: str, tmp_path_factory: pytest.TempPathFactory, documents: list[bytes], rules: SplitRules
) -> None:
    """One document each, divided among threads only where that changes nothing."""
    folder = tmp_path_factory.mktemp("corpus")
    documents = [document * 9 for document in documents if document]
    files = []
    for number, document in enumerate(documents):
        files.append(TextFile(folder / str(number), len(document)))
        files[-1].path.write_bytes(document + b"added later")
    for threads in (1, 3):
        with small_limits():
            counts = FrequencyAnalyzer(threads=threads, engine=engine).count(files, rules)
        assert as_table(counts) == recount(documents, rules)
        assert (counts.n_documents, counts.n_bytes) == (len(files), sum(map(len, documents)))


def test_files_and_documents_may_take_turns(engine: str, tmp_path: Path) -> None:
    """Positions go on from one to the next."""
    file = TextFile(tmp_path / "a", 5)
    file.path.write_bytes(b"ab ab")
    corpus = [Chunk(b"ab "), file, Chunk(b"c"), Chunk(b"d"), file]
    counts = FrequencyAnalyzer(threads=2, engine=engine).count(corpus, SplitRules(r"\S+|\s+"))
    assert as_table(counts) == {b"ab": [5, 0], b" ": [3, 2], b"c": [1, 8], b"d": [1, 9]}
    assert (counts.n_documents, counts.n_bytes) == (5, 15)


@pytest.mark.native_only
def test_one_large_file_is_counted_by_all_threads(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each task is a part of it, of about the same size."""
    parts: list[int] = []
    counter_type = type(select("native").counter(SplitRules()))
    real = counter_type.feed_file

    def watch(counter: Any, path: str, start: int, end: int, position: int) -> int:
        parts.append(end - start)
        return real(counter, path, start, end, position)

    monkeypatch.setattr(counter_type, "feed_file", watch)
    file = TextFile(tmp_path / "a", 11_500)
    file.path.write_bytes(b"some words<s> and more " * 500)
    with small_limits(task=50):
        FrequencyAnalyzer(threads=2, engine="native").count([file], SplitRules(NAMED["gpt2"]))
    assert sum(parts) == 11_500
    assert max(parts) <= 150


@pytest.mark.parametrize("threads", [1, 3])
def test_file_that_cannot_be_read_is_named(engine: str, tmp_path: Path, threads: int) -> None:
    """It was there when the corpus was looked through."""
    analyzer = FrequencyAnalyzer(threads=threads, engine=engine)
    with pytest.raises(CorpusError, match=r"gone: cannot be read: No such file"):
        analyzer.count([TextFile(tmp_path / "gone", 5)], SplitRules())


@pytest.mark.parametrize("threads", [1, 3])
def test_file_that_became_shorter_is_refused(engine: str, tmp_path: Path, threads: int) -> None:
    """A count of half a corpus looks like any other."""
    file = TextFile(tmp_path / "a", 100)
    file.path.write_bytes(b"only this")
    with pytest.raises(CorpusError, match=r"a: ends at byte 9, .*Nothing may write to the corpus"):
        FrequencyAnalyzer(threads=threads, engine=engine).count([file], SplitRules())


@pytest.mark.native_only
def test_error_ends_what_other_threads_are_counting(tmp_path: Path) -> None:
    """A part of a file may take minutes: nobody waits for it."""
    counter = select("native").counter(SplitRules(r"a+|b"))
    counter.stop()
    with pytest.raises(KeyboardInterrupt):
        counter.feed([b"ab" * 1000], 0)


@pytest.mark.native_only
def test_large_document_is_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """After each look only the end, which later text could still change, is kept."""
    held: list[int] = []
    counter_type = type(select("native").counter(SplitRules()))
    real = counter_type.border

    def watch(counter: Any, document: bytes, start: int) -> int | None:
        held.append(len(document))
        return real(counter, document, start)

    monkeypatch.setattr(counter_type, "border", watch)
    with small_limits(open_=100):
        chunks = in_chunks(b"some words and more " * 1000, 50)
        FrequencyAnalyzer(engine="native").count(chunks, SplitRules(NAMED["gpt2"]))
    assert len(held) > 100
    assert max(held) <= 200


@pytest.mark.native_only
def test_one_large_document_is_counted_by_all_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it comes whole or bit by bit, no task is much larger than others."""
    sizes: list[int] = []
    counter_type = type(select("native").counter(SplitRules()))
    real = counter_type.feed

    def watch(counter: Any, documents: list[bytes], position: int) -> None:
        sizes.append(sum(map(len, documents)))
        real(counter, documents, position)

    monkeypatch.setattr(counter_type, "feed", watch)
    rules = SplitRules(NAMED["gpt2"], special_tokens=("<s>",))
    document = b"some words<s> and more " * 500
    for chunks in ([Chunk(document)], in_chunks(document, 50)):
        with small_limits(task=50, open_=200):
            counts = FrequencyAnalyzer(threads=2, engine="native").count(chunks, rules)
        assert as_table(counts) == recount([document], rules)
        assert max(sizes) <= 150


@pytest.mark.native_only
def test_what_cannot_be_cut_is_looked_at_again_only_when_it_has_doubled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One word of a gigabyte must not be looked through after every chunk."""
    looks: list[int] = []

    def never(counter: Any, data: bytes, position: int, is_last: bool) -> int:
        looks.append(len(data))
        return 0

    monkeypatch.setattr("bytepair.engines._native.Counter.feed_part", never)
    with small_limits(open_=64):
        FrequencyAnalyzer(engine="native").count(in_chunks(b"a" * 5000, 1), SplitRules(r"a+"))
    assert looks == [64, 128, 256, 512, 1024, 2048, 4096]


@pytest.mark.parametrize(
    ("tokens", "is_safe"),
    [
        (("<s>",), True),
        (("<a>", "<b>"), True),
        (("aa",), False),
        (("ab", "ba"), False),
        (("<s>", "<s>b"), False),
        (("<s>", "s"), False),
        (("aba",), False),
        ((), True),
        (("x" * 300,), False),  # too long to be worth looking
        (tuple(f"<|{i:05}|>" for i in range(5000)), True),
    ],
    ids=lambda value: str(value)[:30],
)
def test_text_is_cut_early_only_at_tokens_that_cannot_overlap(
    tokens: tuple[str, ...], is_safe: bool
) -> None:
    """In "aaa" only a scan from the left knows where "aa" is."""
    assert _cut_tokens(tokens) == ([token.encode() for token in tokens] if is_safe else [])


def test_empty_corpus_gives_empty_counts(engine: str) -> None:
    """Whether that is a mistake is for the learner to say."""
    analyzer = FrequencyAnalyzer(engine=engine)
    counts = analyzer.count([], SplitRules())
    assert (len(counts), counts.n_documents, counts.n_bytes) == (0, 0, 0)
    counts = analyzer.count([Chunk(b""), Chunk(b"")], SplitRules())
    assert (len(counts), counts.n_documents, counts.n_bytes) == (0, 2, 0)


def test_one_analyzer_counts_again_from_zero(engine: str) -> None:
    """Nothing of the first corpus is left in it."""
    analyzer = FrequencyAnalyzer(threads=2, engine=engine)
    rules = SplitRules(r"\S+|\s+")
    first = analyzer.count([Chunk(b"low low")], rules)
    assert analyzer.count([Chunk(b"low low")], rules) == first
    assert list(first) == [(b"low", 2), (b" ", 1)]


@pytest.mark.filterwarnings("ignore:pattern .* runs on the `regex` package")
def test_pattern_that_needs_a_regex_engine_counts_on_threads(engine: str) -> None:
    """A lookbehind is nothing the tables can express."""
    rules = SplitRules(r"(?<=a)b|\S|\s", special_tokens=("<s>",))
    with small_limits(task=4):
        analyzer = FrequencyAnalyzer(threads=3, engine=engine)
        counts = analyzer.count(map(Chunk, [b"ab ab<s>b", b"ab"] * 20), rules)
    assert as_table(counts) == {b"a": [60, 0], b"b": [80, 1], b" ": [20, 2]}


class BrokenError(Exception):
    """Of the caller."""


def broken_reader(error: BaseException) -> Iterator[Chunk]:
    """A corpus that fails after a while."""
    yield from [Chunk(b"some words ")] * 50
    raise error


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("kind", [BrokenError, KeyboardInterrupt])
def test_error_of_the_reader_comes_out_and_threads_end(
    engine: str, threads: int, kind: type[BaseException]
) -> None:
    """Half a count is no result, and a process must be able to exit after Ctrl-C."""
    error = kind("mine")
    before = threading.active_count()
    analyzer = FrequencyAnalyzer(threads=threads, engine=engine)
    with small_limits(), pytest.raises(kind) as caught:
        analyzer.count(broken_reader(error), SplitRules(r"\S+|\s+"))
    assert caught.value is error
    assert threading.active_count() == before


@pytest.mark.native_only
@pytest.mark.parametrize("threads", [1, 3])
def test_error_of_a_worker_comes_out(monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    """Memory may end in a thread; the words it had counted are missing then."""

    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("bytepair.engines._native.Counter.feed", fail)
    before = threading.active_count()
    analyzer = FrequencyAnalyzer(threads=threads, engine="native")
    with small_limits(), pytest.raises(MemoryError):
        analyzer.count([Chunk(b"some words ")] * 50, SplitRules(r"\S+|\s+"))
    assert threading.active_count() == before


@pytest.mark.parametrize("total", [None, 5000])
def test_progress_rises_to_the_size_of_the_corpus(engine: str, total: int | None) -> None:
    """A bar must not run backwards, whether documents are small or larger than the limit."""
    seen: list[Progress] = []
    chunks = [*in_chunks(b"some words " * 40, 7), *[Chunk(b"few")] * 40]
    with small_limits():
        analyzer = FrequencyAnalyzer(threads=2, engine=engine)
        analyzer.count(chunks, SplitRules(r"\S+|\s+"), progress=seen.append, total_bytes=total)
    done = [moment.done for moment in seen]
    assert done == sorted(done)
    assert done[-1] == sum(len(chunk.data) for chunk in chunks)
    assert {(m.stage, m.unit, m.total) for m in seen} == {("count", "bytes", total)}


@pytest.mark.parametrize("kind", [BrokenError, KeyboardInterrupt])
def test_error_of_the_progress_callback_ends_the_job(
    engine: str, kind: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    """That is how a program with a window cancels; what is read after it is wasted."""
    monkeypatch.setattr("bytepair.model._progress._INTERVAL_S", 0)  # called for every chunk
    read, error = 0, kind("mine")

    def reader() -> Iterator[Chunk]:
        nonlocal read
        for read in range(1000):  # noqa: B007  # read outside
            yield Chunk(b"some words ")

    def stop(moment: Progress) -> None:
        if moment.done > 100:
            raise error

    before = threading.active_count()
    analyzer = FrequencyAnalyzer(threads=2, engine=engine)
    with small_limits(), pytest.raises(kind) as caught:
        analyzer.count(reader(), SplitRules(r"\S+|\s+"), progress=stop)
    assert caught.value is error
    assert read < 50
    assert threading.active_count() == before


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", True])
def test_impossible_number_of_threads_is_refused(threads: Any) -> None:
    """Zero is not "as many as there are": that is None."""
    with pytest.raises(ArgumentError, match="threads must be a whole number of 1 or more, got"):
        FrequencyAnalyzer(threads=threads)


@pytest.mark.parametrize(
    ("chunks", "rules", "message"),
    [
        (["text"], SplitRules(), "expected Chunks, got str: 'text'. Make them with Preprocessor"),
        ([Chunk(b"text")], r"\w+", "rules must be SplitRules .*, got str"),
    ],
    ids=["documents", "pattern"],
)
def test_what_the_stage_before_did_not_make_is_refused(
    chunks: Any, rules: Any, message: str
) -> None:
    """Whoever uses a stage alone is told which one comes before it."""
    with pytest.raises(InputTypeError, match=message):
        FrequencyAnalyzer().count(chunks, rules)


def test_unknown_engine_is_refused() -> None:
    """A misspelt engine must not quietly be the default one."""
    with pytest.raises(ArgumentError, match="engine must be one of native, python, got 'rust'"):
        FrequencyAnalyzer(engine="rust")


def test_missing_engine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked for by name, it must not be replaced by a slower one."""
    monkeypatch.setattr("bytepair.engines._select._native", lambda: None)
    with pytest.raises(EngineError, match="native engine is not installed"):
        FrequencyAnalyzer(engine="native")


def test_tables_cut_by_different_rules_are_not_merged(engine: str) -> None:
    """Their words are not of one kind."""
    parts = [WordCounts.from_mapping({"a": 1}, SplitRules(pattern)) for pattern in ("a", "b")]
    with pytest.raises(CorpusError, match="different rules"):
        FrequencyAnalyzer(engine=engine).merge(parts)


def test_merging_nothing_or_something_else_is_refused(engine: str) -> None:
    """No rules would be known."""
    analyzer = FrequencyAnalyzer(engine=engine)
    with pytest.raises(CorpusError, match="nothing to merge"):
        analyzer.merge([])
    with pytest.raises(InputTypeError, match="expected WordCounts, got dict"):
        analyzer.merge([{"a": 1}])  # type: ignore[list-item]  # the mistake
