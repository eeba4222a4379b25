"""Which executor an `engine` and an `address` mean."""

from dataclasses import dataclass

from bytepair.distributed._ray import RayExecutor, ray_module
from bytepair.errors import ArgumentError
from bytepair.model import at_least_one

ENGINES = ("ray",)
"""Engines that are clusters, beside those of `bytepair.engines`."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster that is to be used; nobody has looked yet whether it is there.

    Attributes:
        threads: of each task, and cores that it takes.
    """

    address: str | None
    threads: int

    def executor(self) -> RayExecutor:
        """Connect to it; a context manager.

        Raises:
            ClusterError, ArgumentError: see `RayExecutor`.
        """
        return RayExecutor(self.address, cpus=self.threads)


def require_cluster(
    engine: str | None, address: str | None, threads: int | None
) -> tuple[Cluster | None, str | None]:
    """(the cluster that is meant, if any; the engine of inner loops).

    Raises:
        ArgumentError: an address, and nothing that has one.
        MissingExtraError: Ray is not installed.

    >>> require_cluster("native", None, None)
    (None, 'native')
    """
    if engine not in ENGINES:
        if address is not None:
            raise ArgumentError("address is that of a cluster: it needs engine='ray'.")
        return None, engine
    ray_module()
    n_threads = 1 if threads is None else at_least_one("threads", threads)
    return Cluster(address, n_threads), None
