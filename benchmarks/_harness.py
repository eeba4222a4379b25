"""What every benchmark needs: fresh processes, the name of the machine, a place for results."""

import json
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results.jsonl"

Record = dict[str, Any]


def run_fresh(script: str, task: Mapping[str, Any], environment: Mapping[str, str]) -> Record:
    """Run a worker script of this folder in a process of its own; returns the JSON it prints."""
    command = [sys.executable, str(ROOT / "benchmarks" / script), json.dumps(task)]
    process = subprocess.run(
        command, env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True, check=False
    )
    if process.returncode != 0:
        raise SystemExit(f"{script} failed on {dict(task)}; its message is above.")
    result: Record = json.loads(process.stdout)
    return result


def peak_rss_bytes() -> int:
    """Largest resident memory of this process since it started.

    Read from /proc where there is one: `getrusage` would also count what the parent held when it
    forked.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def machine(*packages: str) -> Record:
    """Where the numbers come from, with the versions of the packages that were compared."""
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "platform": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": {package: version(package) for package in packages},
    }


def commit() -> str:
    """The commit that was measured, with a "+" if files have been changed since."""
    try:
        head = _git("rev-parse", "--short", "HEAD")
        return head + "+" if _git("status", "--porcelain", "--", "src", "cpp") else head
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def today() -> str:
    """Date and time in UTC, ISO 8601, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def append(record: Record, path: Path = RESULTS) -> None:
    """Add one line; nothing that was measured is ever taken out."""
    with path.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(record, ensure_ascii=False) + "\n")


def median(runs: Sequence[Record], field: str) -> float:
    """The median of one field over several runs."""
    return float(statistics.median(run[field] for run in runs))


def spread(runs: Sequence[Record], field: str) -> float:
    """Largest minus smallest, as a part of the median."""
    values = [run[field] for run in runs]
    return float((max(values) - min(values)) / statistics.median(values))


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
