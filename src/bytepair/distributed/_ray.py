"""`RayExecutor`: tasks on the machines of a Ray cluster.

Of Ray only its core is used: tasks, which it runs again when a worker or a machine is lost, and its
object store, through which results go from worker to worker.
"""

import importlib
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from types import TracebackType
from typing import Any, Self

from bytepair.distributed._connect import connect
from bytepair.distributed._executor import Task
from bytepair.errors import BytepairWarning, ClusterError, MissingExtraError, warn_caller

_TRIES = 4
_AHEAD = 4  # tasks for each core, so that none waits for the next
_TIMEOUT_S = 10.0

_held: dict[str, tuple[Callable[..., Any], Any]] = {}  # in a worker: what it was sent last


class RayExecutor:
    """A context manager; leaving it ends the connection, if it was made here.

    A worker that is lost costs the task it was at, which is done again: up to three times.

    Args:
        address: `host:port` of a cluster this machine belongs to. None: the one this process is
            connected to; else the one that RAY_ADDRESS names, or that runs on this machine; else
            one is started on this machine, and stopped in the end.
        cpus: of a machine, for each task.
        timeout_s: how long to try to reach `address`.

    Raises:
        MissingExtraError: Ray is not installed.
        ClusterError: no cluster can be reached.
    """

    def __init__(
        self, address: str | None = None, *, cpus: int = 1, timeout_s: float = _TIMEOUT_S
    ) -> None:
        self._ray = ray_module()
        self._cpus = cpus
        self._is_ours = connect(self._ray, address, timeout_s)
        self._warn_of_small_machines()

    def run(
        self, function: Callable[..., Any], tasks: Iterable[Task], shared: Any = None
    ) -> Iterator[tuple[int, Any]]:
        """See `Executor`. Warnings of bytepair are issued here, too."""
        ray = self._ray
        # In a list, or Ray would make a value of it for each task.
        held = [ray.put((function, shared))]
        call = ray.remote(_call).options(
            num_cpus=self._cpus,
            num_returns=2,
            max_retries=_TRIES - 1,
            scheduling_strategy="SPREAD",  # tables are as large as what is counted is
        )
        left = enumerate(tasks)
        running: dict[Any, tuple[int, Task, Any]] = {}
        try:
            while True:
                for number, task in islice(left, self._room - len(running)):
                    report, result = call.remote(held, _version(), *task.arguments)
                    running[report] = number, task, result
                if not running:
                    return
                for report in ray.wait(list(running), num_returns=1)[0]:
                    number, task, result = running.pop(report)
                    for message in self._get(report, task.name):
                        warn_caller(message)
                    yield number, result
        finally:
            for report in running:
                ray.cancel(report, force=True)

    def fetch(self, result: Any) -> Any:
        """See `Executor`."""
        return self._get(result, "a result")

    def close(self) -> None:
        """Let go of the cluster; results that were not fetched are lost."""
        if self._is_ours:
            self._ray.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def _room(self) -> int:
        """Tasks that may be on their way; machines may come and go."""
        n_cpus = self._ray.cluster_resources().get("CPU", 1)
        return max(int(n_cpus * _AHEAD) // self._cpus, 1)

    def _get(self, reference: Any, name: str) -> Any:
        errors = self._ray.exceptions
        try:
            return self._ray.get(reference)
        except errors.RayTaskError as error:
            cause = error.cause
            if isinstance(cause, Exception):
                raise cause from None  # as if it had been raised here
            raise ClusterError(f"{name}: failed on a worker: {error}.") from error
        except errors.RayError as error:
            reason = " ".join(str(error).split())
            raise ClusterError(
                f"{name}: lost {_TRIES} times before it was done, with the worker that had it: "
                f"{type(error).__name__}: {reason[:400]}. If memory was short, give memory_limit, "
                "or fewer tasks at a time by more threads for each."
            ) from error

    def _warn_of_small_machines(self) -> None:
        machines = [node["Resources"].get("CPU", 0) for node in self._ray.nodes() if node["Alive"]]
        if max(machines, default=0) < self._cpus:
            warn_caller(
                f"no machine of the cluster has {self._cpus} cores, which each task wants "
                "(threads): until one joins, nothing is done."
            )


def ray_module() -> Any:
    """The package.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise MissingExtraError(
            "engine 'ray' needs the package ray, which is not installed. "
            "Install it, on all machines, with: pip install 'bytepair[distributed]'"
        ) from error


def _call(held: Sequence[Any], version: str, *arguments: Any) -> tuple[list[str], Any]:
    """In a worker: (warnings, result)."""
    if version != _version():
        raise ClusterError(
            f"a worker has bytepair {_version()}, and {version} sent it work. Install "
            "the same version on all machines."
        )
    key = held[0].hex()
    if key not in _held:
        _held.clear()
        _held[key] = ray_module().get(held[0])
    function, shared = _held[key]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", BytepairWarning)
        result = function(shared, *arguments)
    messages = [one.message for one in caught if issubclass(one.category, BytepairWarning)]
    return [str(message) for message in messages], result


def _version() -> str:
    from importlib.metadata import version  # slow to import, and few programs use a cluster

    return version("bytepair")
