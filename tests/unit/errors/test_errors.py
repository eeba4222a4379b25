import pickle

import pytest

from bytepair import errors

BUILTIN_BY_NAME = {
    "ArgumentError": ValueError,
    "InputTypeError": TypeError,
    "CorpusError": ValueError,
    "PatternError": ValueError,
    "FormatError": ValueError,
    "ExportError": ValueError,
    "ChatTemplateError": ValueError,
    "SpecialTokenError": ValueError,
    "EncodeError": ValueError,
    "UnknownTokenError": KeyError,
    "ShardError": ValueError,
    "SaveError": OSError,
    "ClusterError": RuntimeError,
    "EngineError": RuntimeError,
    "MissingExtraError": ImportError,
}


def error_names() -> set[str]:
    """Every exception class the module defines, but for the base."""
    values = vars(errors).items()
    classes = {n for n, v in values if isinstance(v, type) and issubclass(v, Exception)}
    return classes - {"BytepairError", "BytepairWarning"}


def test_every_error_is_in_the_table_of_this_test() -> None:
    """A new error without a builtin parent would break callers that catch builtins."""
    assert error_names() == set(BUILTIN_BY_NAME)


@pytest.mark.parametrize("name", BUILTIN_BY_NAME)
def test_error_is_caught_as_ours_and_as_the_builtin(name: str) -> None:
    """Code written for tiktoken or for plain Python catches the builtin; ours catches the base."""
    error = getattr(errors, name)
    assert issubclass(error, errors.BytepairError)
    assert issubclass(error, BUILTIN_BY_NAME[name])


@pytest.mark.parametrize("name", BUILTIN_BY_NAME)
def test_error_shows_its_message_and_survives_pickling(name: str) -> None:
    """A worker process sends its error home by pickle; KeyError alone would show it quoted."""
    error = getattr(errors, name)("x.json: line 3\nis bad")
    assert str(error) == "x.json: line 3\nis bad"
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_errors_are_exceptions_and_never_end_the_process() -> None:
    """A BaseException would pass through `except Exception` and kill a server's worker."""
    assert errors.BytepairError.__bases__ == (Exception,)
    assert issubclass(errors.BytepairWarning, UserWarning)


def test_unknown_token_error_without_message_is_still_printable() -> None:
    """Raised bare by a subclass or a test double, it must not fail while being shown."""
    assert str(errors.UnknownTokenError()) == ""
