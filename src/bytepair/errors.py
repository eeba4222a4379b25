"""Every error bytepair raises on purpose.

    BytepairError
    ├── ArgumentError       (ValueError)    an option out of range, or two that contradict
    ├── InputTypeError      (TypeError)     not text where text was wanted
    ├── CorpusError         (ValueError)    a corpus that is missing, empty or cannot be read
    ├── PatternError        (ValueError)    a pre-token pattern that cannot be used
    ├── FormatError         (ValueError)    a tokenizer file that is damaged or not understood
    │   └── ExportError                     a tokenizer the target format cannot express
    ├── ChatTemplateError   (ValueError)    a chat template that fails or refuses a conversation
    ├── SpecialTokenError   (ValueError)    a special token in text where it is not allowed
    ├── EncodeError         (ValueError)    text the tokenizer cannot turn into ids
    ├── UnknownTokenError   (KeyError)      an id, or token bytes, the vocabulary does not have
    ├── ShardError          (ValueError)    shards that are damaged or not finished
    ├── SaveError           (OSError)       a file that could not be written; nothing is left behind
    ├── ClusterError        (RuntimeError)  a cluster that cannot be reached, or cannot do its work
    ├── EngineError         (RuntimeError)  the native engine was demanded and is not installed
    └── MissingExtraError   (ImportError)   an optional package that is not installed

Each is also the builtin in brackets, so code that catches those keeps working.
A message says where, what was wanted, what came, and what to do.
"""

import sys
import warnings
from pathlib import Path

_PACKAGE = str(Path(__file__).parent)


class BytepairError(Exception):
    """Base of every error raised on purpose; catch it to catch them all."""


class ArgumentError(BytepairError, ValueError):
    """An option is out of range, or contradicts another."""


class InputTypeError(BytepairError, TypeError):
    """Something that is not text, bytes or token ids came where these were wanted."""


class CorpusError(BytepairError, ValueError):
    """A corpus is missing, empty, damaged, or not text where text is required."""


class PatternError(BytepairError, ValueError):
    """A pre-token pattern is not a valid regex, or cannot cut text."""


class FormatError(BytepairError, ValueError):
    """A tokenizer file is damaged, or holds something this version does not support."""


class ExportError(FormatError):
    """The target format cannot express this tokenizer exactly, so nothing is written."""


class ChatTemplateError(BytepairError, ValueError):
    """A chat template is not valid, fails, or refuses the conversation; the message shows where."""


class SpecialTokenError(BytepairError, ValueError):
    """Text contains a special token that was not allowed."""


class EncodeError(BytepairError, ValueError):
    """Text has a character without a token, or grows beyond all measure when it is normalised."""


class UnknownTokenError(BytepairError, KeyError):
    """A token id, or the bytes of a token, is not in the vocabulary."""

    def __str__(self) -> str:  # KeyError would show the message quoted, as a key
        return str(self.args[0]) if self.args else ""


class ShardError(BytepairError, ValueError):
    """Shards are damaged or not finished, or belong to another tokenizer."""


class SaveError(BytepairError, OSError):
    """A file could not be written; what was there before is untouched."""


class ClusterError(BytepairError, RuntimeError):
    """A cluster cannot be reached, or could not finish a task; what was kept is not lost."""


class EngineError(BytepairError, RuntimeError):
    """The native engine was demanded and is not installed."""


class MissingExtraError(BytepairError, ImportError):
    """An optional package is not installed; the message names the command that installs it."""


class BytepairWarning(UserWarning):
    """Something worth knowing that did not stop the work."""


def warn_caller(message: str) -> None:
    """Issue a `BytepairWarning` at the line that called into this package, however deep it is."""
    frame, level = sys._getframe(1), 2  # documented; inspect.stack reads files
    while frame.f_code.co_filename.startswith(_PACKAGE) and frame.f_back is not None:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, BytepairWarning, stacklevel=level)
