import random
from pathlib import Path

import pytest

from bytepair.errors import ArgumentError, SaveError
from bytepair.frequency import FrequencyAnalyzer
from bytepair.model import Chunk, SplitRules, TextFile
from bytepair.patterns import NAMED

RULES = SplitRules(NAMED["gpt2"], special_tokens=("<s>",))


@pytest.fixture(scope="module")
def text() -> bytes:
    """Some 9 MB with a hundred thousand distinct words, short and long, met again and again."""
    draw = random.Random(5)
    words = ["".join(draw.choices("abcdéfgh", k=draw.randint(2, 30))) for _ in range(100_000)]
    return " ".join(draw.choices(words, k=500_000)).encode()


@pytest.mark.parametrize("threads", [1, 2])
def test_words_on_disk_count_as_words_in_memory(text, tmp_path, threads, engine):
    """Byte for byte, whatever went to disk; and nothing is left there."""
    corpus = [Chunk(text), Chunk(b"low <s> lower"), Chunk(text[:1000])]
    expected = FrequencyAnalyzer(threads=1, engine="native").count(corpus, RULES)
    assert len(expected) > 90_000
    limited = FrequencyAnalyzer(
        threads=threads, memory_limit="1MB", spill_folder=tmp_path, engine=engine
    )
    assert limited.count(iter(corpus), RULES) == expected
    assert list(tmp_path.iterdir()) == []


def test_file_is_counted_in_parts_by_one_thread_too(text, tmp_path):
    """Or its words would all be in memory before anyone looks."""
    path = tmp_path / "text"
    path.write_bytes(text)
    expected = FrequencyAnalyzer(threads=1).count([Chunk(text)], RULES)
    limited = FrequencyAnalyzer(threads=1, memory_limit=10**6)
    assert limited.count([TextFile(path, len(text))], RULES) == expected


def test_disk_that_is_full_is_said(text, tmp_path, monkeypatch):
    """With what to do about it; the folder is removed."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numpy.save", full)
    limited = FrequencyAnalyzer(memory_limit="1MB", spill_folder=tmp_path, threads=2)
    with pytest.raises(SaveError, match="memory_limit leaves no room: No space left"):
        limited.count([Chunk(text)], RULES)
    assert list(tmp_path.iterdir()) == []


def test_folder_that_is_missing_is_said(tmp_path: Path) -> None:
    """Before anything is counted."""
    limited = FrequencyAnalyzer(memory_limit="1MB", spill_folder=tmp_path / "none")
    with pytest.raises(SaveError, match="none"):
        limited.count([], RULES)


@pytest.mark.parametrize("limit", ["", "many", "1KB", 0, -1, 999_999, "-5GB", "5 parsecs", 1.5])
def test_limit_that_is_no_size_is_refused(limit):
    """And one below a megabyte, which would only cost time."""
    with pytest.raises(ArgumentError, match="memory_limit must be a size"):
        FrequencyAnalyzer(memory_limit=limit)


@pytest.mark.parametrize("limit", ["256MB", "256 MB", "0.25 GB", "256M", 10**7, "2TB", "1500000"])
def test_sizes_are_read_as_people_write_them(limit):
    """Decimal, as disks are labelled."""
    FrequencyAnalyzer(memory_limit=limit)
