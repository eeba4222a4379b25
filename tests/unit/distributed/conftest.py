import pickle
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Self

import pytest

from bytepair import FrequencyAnalyzer, Preprocessor
from bytepair.distributed import Counting, Task


class Elsewhere:
    """An executor that passes everything on as bytes, and finishes tasks in another order."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.left: float = float("inf")  # tasks that it still does

    def run(
        self, function: Callable[..., Any], tasks: Iterable[Task], shared: Any = None
    ) -> Iterator[tuple[int, Any]]:
        """What was given for a task is a number; the values are here."""
        sent = pickle.dumps((function, shared))
        numbered = list(enumerate(tasks))
        random.Random(1).shuffle(numbered)
        for number, task in numbered:
            if self.left == 0:
                raise KeyboardInterrupt
            self.left -= 1
            self.names.append(task.name)
            call, common = pickle.loads(sent)
            result = call(common, *pickle.loads(pickle.dumps(task.arguments)))
            yield number, result

    def fetch(self, result: Any) -> Any:
        return result

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


@pytest.fixture
def elsewhere() -> Elsewhere:
    """Another executor than ours."""
    return Elsewhere()


@pytest.fixture(scope="session")
def counting() -> Callable[..., Counting]:
    """Makes a `Counting` of what a `Preprocessor` takes."""

    def make(engine: str | None = None, **options: Any) -> Counting:
        preprocessor = Preprocessor(**options)
        analyzer = FrequencyAnalyzer(threads=1, engine=engine)
        return Counting(analyzer, preprocessor, preprocessor.rules, "text", "fail", None)

    return make


@pytest.fixture
def corpus(tmp_path: Path) -> list[Path]:
    """Text that can be divided, and files that cannot."""
    draw = random.Random(7)
    words = ["".join(draw.choices("abcdé\n'", k=draw.randint(1, 9))) for _ in range(300)]
    folder = tmp_path / "corpus"
    folder.mkdir()
    text = " ".join(draw.choices(words, k=9000))
    (folder / "a.txt").write_text(text.replace("'", "<|endoftext|>"), encoding="utf-8")
    (folder / "b.jsonl").write_text('{"text": "one two"}\n{"text": "two"}\n', encoding="utf-8")
    (folder / "c.txt").write_bytes(b"")
    (folder / "d.txt").write_text("the end of it two", encoding="utf-8")
    return sorted(folder.iterdir())
