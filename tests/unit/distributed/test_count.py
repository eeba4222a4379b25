"""Counting in partitions gives what counting all at once gives, byte for byte."""

import importlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytepair.checkpoint import Checkpoint
from bytepair.data import RemotePath
from bytepair.distributed import LocalExecutor, Task, count_on, divide
from bytepair.errors import BytepairWarning, CorpusError
from bytepair.model import CountsFile, WordCounts

OPTIONS = [
    {},
    {"pattern": "gpt2"},
    {"pattern": None, "separator": "<|endoftext|>"},
    {"normalizer": "nfd", "separator": "<|endoftext|>"},
    {"normalizer": "lowercase"},
    {"separator": "aa"},  # may begin within another
]


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    """Partitions of 2 kB, three tables at a time."""
    module = importlib.import_module("bytepair.distributed._count")
    for name, value in (("_LEAST_BYTES", 2000), ("_MOST_BYTES", 2000), ("_MERGED", 3)):
        monkeypatch.setattr(module, name, value)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_result_is_that_of_one_count(corpus, counting, elsewhere, engine, options):
    """Words, counts, positions, sizes: whatever is divided, in whatever order it is done."""
    one = counting(engine, **options)
    expected = CountsFile(one.count(corpus)).content()
    assert CountsFile(count_on(elsewhere, one, corpus)).content() == expected
    assert CountsFile(count_on(LocalExecutor(), one, corpus)).content() == expected


@pytest.mark.native_only
def test_large_text_is_divided_and_tables_are_put_together_by_a_tree(corpus, counting, elsewhere):
    """Each task is named for people."""
    count_on(elsewhere, counting(), corpus)
    parts = [name for name in elsewhere.names if "bytes" in name]
    assert len(parts) > 9
    assert all(name.startswith(f"counting {corpus[0]}, bytes ") for name in parts)
    levels = {name.rpartition(" of ")[2] for name in elsewhere.names if "together" in name}
    assert len(levels) > 2
    assert "1" in levels


def test_url_is_divided_like_a_file(corpus, counting, elsewhere):
    """Parts of it are read where they are counted."""
    pytest.importorskip("fsspec")
    expected = counting().count(corpus)
    urls = [RemotePath(path.as_uri()) for path in corpus]
    assert count_on(elsewhere, counting(), urls) == expected


def test_weights_are_those_of_their_files(corpus, counting, elsewhere):
    """Each source is counted and weighed by itself."""
    one = replace(counting(), weights=((2.0, corpus[:1]), (0.5, corpus[1:])))
    assert count_on(elsewhere, one, corpus) == one.count(corpus)


@pytest.mark.native_only
@given(st.text("ab' \n<|x>é", max_size=60), st.integers(1, 20))
def test_parts_of_any_text_have_the_words_of_the_whole(tmp_path_factory, counting, text, size):
    """Borders are only where no pre-token lies, nor a special token."""
    path = tmp_path_factory.mktemp("text") / "a.txt"
    path.write_text(text, encoding="utf-8")
    one = counting(special_tokens=["<|x|>"])
    parts = list(divide([path], size, one.border))
    merged = one.analyzer.merge(map(one.count_part, parts))
    assert merged == one.count([path])


def test_kept_partitions_are_not_counted_again(corpus, counting, elsewhere, tmp_path):
    """What ends the work costs only what was not done; what is damaged is done again."""
    with Checkpoint(tmp_path / "kept", {}) as folder:
        elsewhere.left = 2
        with pytest.raises(KeyboardInterrupt):
            count_on(elsewhere, counting(), corpus, folder)
        _, second = sorted((tmp_path / "kept").glob("counted-*.counts"))
        second.write_bytes(second.read_bytes()[:-1])
        done = elsewhere.names
        elsewhere.names, elsewhere.left = [], 1000
        assert count_on(elsewhere, counting(), corpus, folder) == counting().count(corpus)
    again = [name for name in elsewhere.names if name in done]
    assert len(again) == 1


def test_missing_file_names_the_machine(counting, elsewhere, tmp_path, corpus, monkeypatch):
    """The corpus must be where all machines see it."""
    monkeypatch.setattr(elsewhere, "run", lambda *args: _without(corpus[0], *args))
    with pytest.raises(CorpusError, match=r"a\.txt: not there on .*same path"):
        count_on(elsewhere, counting(), corpus)


def _without(path, function, tasks, shared):
    tasks = list(tasks)
    path.unlink()
    return LocalExecutor().run(function, tasks, shared)


@pytest.mark.parametrize("on_error", ["fail", "skip"])
def test_file_that_is_written_to_meanwhile_is_found(corpus, counting, elsewhere, on_error):
    """By the one who handed the work out: no worker sees all of it."""

    class Changing(LocalExecutor):
        def fetch(self, result):
            with corpus[3].open("a", encoding="utf-8") as stream:
                stream.write("more")
            return result

    one = replace(counting(), on_error=on_error)
    kind = CorpusError if on_error == "fail" else BytepairWarning
    with (
        pytest.raises(kind, match=r"d\.txt: was written to")
        if on_error == "fail"
        else (pytest.warns(kind, match=r"d\.txt: was written to"))
    ):
        count_on(Changing(), one, corpus)


@pytest.mark.filterwarnings("ignore:.*skipped")
def test_what_is_skipped_comes_with_the_tables(counting, elsewhere, tmp_path):
    """Counted and named as by one machine, from whichever worker it comes."""
    files = [tmp_path / f"{name}.jsonl" for name in "abc"]
    for file in files:
        file.write_text('{"text": "low lower"}\n7\n{"text": "low"}\n' * 60, encoding="utf-8")
    one = replace(counting(), on_error="skip")
    counts = count_on(elsewhere, one, files)
    assert counts == one.count(files)
    assert counts.n_skipped == 180
    assert [item.where for item in counts.skipped[59:61]] == [f"{files[0]}:179", f"{files[1]}:2"]


def test_progress_is_told_in_bytes(corpus, counting, elsewhere):
    """As tables come in."""
    moments = []
    one = replace(counting(), progress=moments.append)
    count_on(elsewhere, one, corpus)
    total = sum(path.stat().st_size for path in corpus)
    assert (moments[0].done, moments[0].total) == (0, total)
    assert moments[-1].done == total


def test_local_executor_gives_results_in_order():
    """And what a task raises."""
    tasks = [Task("a", (2,)), Task("b", (0,))]
    assert list(LocalExecutor().run(pow, tasks, 5)) == [(0, 25), (1, 1)]
    with pytest.raises(ZeroDivisionError):
        list(LocalExecutor().run(divmod, tasks, 5))


def test_content_of_a_table_is_its_file(tmp_path):
    """What goes from worker to worker is what `save` writes."""
    counts = WordCounts.from_mapping({"low": 5, "lower": 2})
    counts.save(tmp_path / "words")
    content = (tmp_path / "words").read_bytes()
    assert CountsFile(counts).content() == content
    assert WordCounts.from_content(memoryview(content)) == counts
    with pytest.raises(CorpusError, match="what came: not a whole table"):
        WordCounts.from_content(content[:-1], "what came")
