"""`connect`: to a Ray cluster, or an error that says what was tried."""

import os
import socket
import subprocess
import sys
from time import monotonic, sleep
from typing import Any

from bytepair.errors import ArgumentError, ClusterError

_AGAIN_S = 0.5
_CLIENT = "ray://"


def connect(ray: Any, address: str | None, timeout_s: float) -> bool:
    """True if this made a connection, which is to be ended.

    Raises:
        ArgumentError: not an address, or this process is connected to another cluster.
        ClusterError: there is no cluster at `address`, or it does not take us.
    """
    wanted = address or os.environ.get("RAY_ADDRESS") or None
    if ray.is_initialized():
        _require_same(ray, address)
        return False
    # Nobody asked for statistics to be sent, or for a web page.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    if wanted is not None and wanted not in ("auto", "local"):
        _require_reachable(wanted, timeout_s)
    try:
        if wanted is None and not _finds_one(ray, quiet):
            ray.init(address="local", include_dashboard=False, **quiet)
        elif wanted is not None:
            ray.init(address=wanted, **quiet)
    # Ray raises what the parts it is made of raise.
    except Exception as error:
        reason = " ".join(str(error).split())
        raise ClusterError(
            f"the Ray cluster at {wanted or 'this machine'} takes no work from here: "
            f"{type(error).__name__}: {reason[:400]}. All machines need the same versions of "
            "Python and Ray, and the one that starts the work must belong to the cluster."
        ) from error
    return True


def _finds_one(ray: Any, quiet: dict[str, Any]) -> bool:
    """Connect to the cluster that runs on this machine, if any does."""
    try:
        ray.init(address="auto", **quiet)
    except ConnectionError:
        return False
    return True


def _require_same(ray: Any, address: str | None) -> None:
    connected = ray.get_runtime_context().gcs_address
    if address not in (None, "auto", connected):
        raise ArgumentError(
            f"address={address!r:.80}: this process is connected to the Ray cluster at "
            f"{connected}. Call ray.shutdown() before, or leave the address out."
        )


def _require_reachable(address: str, timeout_s: float) -> None:
    """Left to itself Ray tries for minutes, and then ends the process."""
    host, port = _host_and_port(address)
    started = monotonic()
    while problem := _problem(host, port, max(timeout_s / 2, 1.0)):
        if monotonic() - started >= timeout_s:
            raise ClusterError(
                f"no Ray cluster at {address}: tried for {timeout_s:.0f} s: {problem}. Check the "
                "address and port (6379, if none was chosen), that the head node runs (`ray "
                "status` there), and that no firewall lies between. Nothing was lost: try again."
            )
        sleep(_AGAIN_S)
    if not address.startswith(_CLIENT):
        _require_head(address, timeout_s)


def _problem(host: str, port: int, timeout_s: float) -> str | None:
    """Why nobody answers there."""
    try:
        socket.create_connection((host, port), timeout_s).close()
    except OSError as error:
        return error.strerror or str(error)
    return None


def _require_head(address: str, timeout_s: float) -> None:
    """What answers must be the head of a cluster, of the same version."""
    check = [sys.executable, "-m", "ray.scripts.scripts", "health-check", "--address", address]
    try:
        done = subprocess.run(  # noqa: S603  # our own Python, and an address that was looked at
            check, capture_output=True, text=True, timeout=timeout_s + 10, check=False
        )
    except subprocess.TimeoutExpired:
        problem = f"after {timeout_s + 10:.0f} s it had not said that it is one"
    else:
        problem = done.stderr.strip().rpartition("\n")[2] if done.returncode else ""
    if problem:
        raise ClusterError(
            f"what answers at {address} is no head of a Ray cluster that can be used from here: "
            f"{problem:.300}. Check the address, and that all machines have the same version of "
            "Ray."
        )


def _host_and_port(address: str) -> tuple[str, int]:
    host, colon, port = address.removeprefix(_CLIENT).rstrip("/").rpartition(":")
    if not colon or not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise ArgumentError(
            f"address must be HOST:PORT of a Ray cluster, such as '10.0.0.1:6379', 'auto' or "
            f"'local', got {address!r:.80}."
        )
    return host.strip("[]"), int(port)
