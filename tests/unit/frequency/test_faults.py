"""Files that the counter reads by itself: gone, shorter, or written to meanwhile."""

from pathlib import Path

import pytest

from bytepair.errors import BytepairWarning, CorpusError
from bytepair.frequency import FrequencyAnalyzer
from bytepair.model import Chunk, Progress, SplitRules, TextFile

RULES = SplitRules(r"\S+|\s+")


def text_file(path: Path, content: str) -> TextFile:
    path.write_text(content, encoding="utf-8")
    return TextFile(path, len(content))


@pytest.mark.parametrize("threads", [1, 2])
def test_a_file_that_is_gone_is_skipped_by_name(engine: str, tmp_path: Path, threads: int) -> None:
    """Between listing and counting days may pass."""
    files = [text_file(tmp_path / f"{name}.txt", f"{name} ") for name in "abc"]
    files[1].path.unlink()
    with pytest.raises(CorpusError, match=r"b\.txt: cannot be read: No such file"):
        FrequencyAnalyzer(threads=threads, engine=engine).count(files, RULES)
    analyzer = FrequencyAnalyzer(threads=threads, on_error="skip", engine=engine)
    with pytest.warns(BytepairWarning, match=r"b\.txt: cannot be read.*skipped") as caught:
        counts = analyzer.count(files, RULES)
    assert dict(counts) == {b"a": 1, b" ": 2, b"c": 1}
    assert (len(caught), counts.n_documents) == (1, 2)


@pytest.mark.usefixtures("count_late")
@pytest.mark.parametrize(
    ("content", "message"),
    [("a", "ends at byte 1, and had 6"), ("another text", "was written to while it was read")],
)
def test_a_file_that_changes_is_an_error_or_a_warning(
    engine: str, tmp_path: Path, content: str, message: str
) -> None:
    """Shorter or longer: either way nobody knows what was counted."""
    path = tmp_path / "a.txt"

    def chunks():
        yield text_file(path, "a b a ")
        path.write_text(content, encoding="utf-8")
        yield Chunk(b"last")

    analyzer = FrequencyAnalyzer(engine=engine)
    with pytest.raises(CorpusError, match=message):
        analyzer.count(chunks(), RULES)
    skipping = FrequencyAnalyzer(on_error="skip", engine=engine)
    with pytest.warns(BytepairWarning, match=message) as caught:
        counts = skipping.count(chunks(), RULES)
    assert dict(counts)[b"last"] == 1
    assert len(caught) == 1


@pytest.fixture
def count_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work is done when all has been handed in, so that the change comes between."""
    from bytepair.frequency import _analyzer

    class Late(_analyzer.WorkerPool):
        def __init__(self, threads: int) -> None:
            super().__init__(threads)
            self.held: list = []

        def submit(self, *task) -> None:
            self.held.append(task)

        def __exit__(self, *exception) -> None:
            for task in self.held if exception[0] is None else []:
                super().submit(*task)
            super().__exit__(*exception)

    monkeypatch.setattr(_analyzer, "WorkerPool", Late)


def test_a_file_that_is_left_alone_is_no_matter(tmp_path: Path) -> None:
    """Nor is one that is counted twice."""
    file = text_file(tmp_path / "a.txt", "a b")
    seen: list[Progress] = []
    counts = FrequencyAnalyzer().count([file, file], RULES, progress=seen.append)
    assert dict(counts) == {b"a": 2, b" ": 2, b"b": 2}
