"""`Executor`: what runs the tasks of a work; `LocalExecutor` runs them here."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, Protocol


class Task(NamedTuple):
    """One call.

    Attributes:
        name: for people, who read it where the task fails.
        arguments: behind `shared`; what `run` gave for a task before may be among them.
    """

    name: str
    arguments: tuple[Any, ...]


class Executor(Protocol):
    """Runs tasks somewhere. Results may stay there: `fetch` brings them here."""

    def run(
        self, function: Callable[..., Any], tasks: Iterable[Task], shared: Any = None
    ) -> Iterator[tuple[int, Any]]:
        """Call `function(shared, *task.arguments)` for each task.

        Gives (number of the task, its result) as tasks end, in any order. Tasks are taken as there
        is room for them. Closing the iterator drops those that have not ended.

        Args:
            function: one of a module; where processes may die it is called again, and must give
                the same.
            shared: what all tasks need; it is brought to each worker once.

        Raises:
            ClusterError: a task could not be done, by whatever worker.

        What `function` raises comes out unchanged.
        """

    def fetch(self, result: Any) -> Any:
        """The value of a result; arrays may not be written to."""


class LocalExecutor:
    """In this process, one task after the other: each may use all cores.

    >>> list(LocalExecutor().run(pow, [Task("the square", (2,))], 5))
    [(0, 25)]
    """

    def run(
        self, function: Callable[..., Any], tasks: Iterable[Task], shared: Any = None
    ) -> Iterator[tuple[int, Any]]:
        """See `Executor`."""
        for number, task in enumerate(tasks):
            yield number, function(shared, *task.arguments)

    def fetch(self, result: Any) -> Any:
        """See `Executor`."""
        return result
