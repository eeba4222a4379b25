"""The command line: one file a command. Results on stdout, everything else on stderr."""

from bytepair.cli._app import app, main

__all__ = ["app", "main"]
