"""Counting in parts, here or on a cluster, and the executors that run parts of any work.

A part is counted by the same `FrequencyAnalyzer` wherever it runs, and tables are put together in
the order of the corpus: the result is that of one machine, byte for byte.
"""

from bytepair.distributed._cluster import ENGINES, Cluster, require_cluster
from bytepair.distributed._count import count_on
from bytepair.distributed._counting import Counting
from bytepair.distributed._executor import Executor, LocalExecutor, Task
from bytepair.distributed._partitions import Partition, divide
from bytepair.distributed._ray import RayExecutor

__all__ = [
    "ENGINES",
    "Cluster",
    "Counting",
    "Executor",
    "LocalExecutor",
    "Partition",
    "RayExecutor",
    "Task",
    "count_on",
    "divide",
    "require_cluster",
]
