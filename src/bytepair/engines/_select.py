"""Which engine runs."""

import os
import warnings
from functools import cache

from bytepair.engines import python
from bytepair.engines._interface import Engine
from bytepair.errors import ArgumentError, BytepairWarning, EngineError

NAMES = ("native", "python")


def select(name: str | None = None) -> Engine:
    """The engine called `name`; by default `$BYTEPAIR_ENGINE`, else native where installed.

    Raises:
        ArgumentError: not the name of an engine.
        EngineError: the native engine was demanded and is not installed.

    >>> select("python").name
    'python'
    """
    wanted = name or os.environ.get("BYTEPAIR_ENGINE") or None
    if wanted not in (None, *NAMES):
        what = "engine" if name else "the environment variable BYTEPAIR_ENGINE"
        raise ArgumentError(f"{what} must be one of {', '.join(NAMES)}, got {wanted!r}.")
    native = None if wanted == "python" else _native()
    if wanted == "native" and native is None:
        raise EngineError(
            "the native engine is not installed: bytepair was built without a C++ compiler. "
            "Install gcc or clang and reinstall bytepair, or use BYTEPAIR_ENGINE=python."
        )
    return native or python.ENGINE


def engine() -> str:
    """Name of the engine that runs: "native" (C++), or "python" where no compiler was found.

    >>> engine() in {"native", "python"}
    True
    """
    return select().name


@cache
def _native() -> Engine | None:
    try:
        from bytepair.engines import _native
    except ImportError as error:
        if error.name == "bytepair._core" and isinstance(error, ModuleNotFoundError):
            return None  # never built
        warnings.warn(
            f"the native engine cannot be loaded ({error}); the pure-Python engine runs instead.",
            BytepairWarning,
            stacklevel=3,
        )
        return None
    return _native.ENGINE
