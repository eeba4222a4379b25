"""The HTTP service: our own API, the dialects of other servers, metrics, and the page at `/`.

Needs the extra `server`.
"""

from typing import TYPE_CHECKING, Any

from bytepair.errors import MissingExtraError
from bytepair.server._settings import Settings, parse_tokenizer, read_settings

if TYPE_CHECKING:
    from bytepair.server._app import create_app
    from bytepair.server._run import serve

__all__ = ["Settings", "create_app", "parse_tokenizer", "read_settings", "serve"]

_LAZY = {"create_app": "_app", "serve": "_run"}


def __getattr__(name: str) -> Any:
    """What needs the extra is imported when it is asked for."""
    if name not in _LAZY:
        raise AttributeError(f"module 'bytepair.server' has no attribute {name!r}")
    from importlib import import_module

    try:
        module = import_module(f"bytepair.server.{_LAZY[name]}")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("bytepair"):
            raise
        raise MissingExtraError(
            f'the service needs {error.name}. Install it with: pip install "bytepair[server]"'
        ) from error
    return getattr(module, name)
