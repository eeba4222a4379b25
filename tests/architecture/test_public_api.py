"""The names users may rely on: a change here is a change for them."""

import functools
import inspect
import types

import bytepair

PUBLIC_NAMES = [
    "BytepairError",
    "BytepairWarning",
    "FrequencyAnalyzer",
    "Inspection",
    "MergeLearner",
    "MergeTable",
    "Preprocessor",
    "Progress",
    "PruneReport",
    "PruneResult",
    "Segment",
    "SegmentCache",
    "Tokenizer",
    "TokenizerSpec",
    "VocabularyPruner",
    "WordCounts",
    "__version__",
    "engine",
    "errors",
    "load",
    "shard",
    "train",
]


def test_public_names_are_exactly_the_agreed_ones():
    """Adding or removing a public name must be a decision, seen in a diff of this file."""
    assert sorted(bytepair.__all__) == PUBLIC_NAMES


def test_every_public_name_exists():
    """`from bytepair import *` must not fail, whatever is imported lazily."""
    assert [name for name in PUBLIC_NAMES if not hasattr(bytepair, name)] == []


def test_no_other_name_leaks():
    """A helper imported at the top of `__init__` would become public by accident."""
    leaked = [
        name
        for name, value in vars(bytepair).items()
        if not name.startswith("_")
        and name not in PUBLIC_NAMES
        and not isinstance(value, types.ModuleType)
    ]
    assert leaked == []


METHOD_KINDS = (types.FunctionType, property, functools.cached_property)


def _methods_of(owner: type) -> list[tuple[str, object]]:
    """Public functions and properties that the class defines itself."""
    values = {name: getattr(value, "__func__", value) for name, value in vars(owner).items()}
    return [
        (f"{owner.__name__}.{name}", value)
        for name, value in values.items()
        if not name.startswith("_") and isinstance(inspect.unwrap(value), METHOD_KINDS)
    ]


def test_everything_public_is_documented():
    """The API pages are made from docstrings: one that is missing is a hole in them."""
    public = [getattr(bytepair, name) for name in PUBLIC_NAMES if name != "__version__"]
    classes = [value for value in public if isinstance(value, type)]
    classes += [value for value in vars(bytepair.errors).values() if isinstance(value, type)]
    described = [(repr(value), value) for value in [*public, *classes]]
    described += [pair for value in classes for pair in _methods_of(value)]
    undocumented = [name for name, value in described if not (value.__doc__ or "").strip()]
    assert undocumented == []
