"""One measurement of `bench_shard.py`, in a process of its own: shards, or ids alone."""

import json
import sys
from pathlib import Path
from time import perf_counter

import _harness
from _corpus import SEPARATOR

import bytepair

SHARD_TOKENS = (
    10_000_000  # several shards, as in long runs: one is synced while the next is written
)


def main() -> None:
    """Read the task, do it twice in this process, print what it took."""
    task = json.loads(sys.argv[1])
    tok = bytepair.load(task["tokenizer"])
    Path(task["corpus"]).read_bytes()  # no disk is timed
    seconds = [timed(tok, task, number) for number in range(2)]
    print(json.dumps({"seconds": seconds, "peak_rss_bytes": _harness.peak_rss_bytes()}))


def timed(tok: bytepair.Tokenizer, task: dict[str, str], number: int) -> float:
    """Seconds of one pass; the first is that of a process which has seen no text yet."""
    start = perf_counter()
    if task["work"] == "encode_files":
        tok.encode_files([task["corpus"]], separator=SEPARATOR)
    else:
        bytepair.shard(
            tok,
            task["corpus"],
            Path(task["folder"], str(number)),
            format=task["work"],
            separator=SEPARATOR,
            eos=task["eos"],
            shard_tokens=SHARD_TOKENS,
        )
    return perf_counter() - start


if __name__ == "__main__":
    main()
