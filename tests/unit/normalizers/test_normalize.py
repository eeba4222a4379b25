from typing import Any

import pytest

from bytepair.errors import ArgumentError
from bytepair.normalizers import normalize, resolve


def test_normalisers_run_in_the_order_given() -> None:
    """NFKC makes the sign ™ two capitals, which then must be lowered, not before."""
    assert normalize("™".encode(), ["nfkc", "lowercase"]) == b"tm"
    assert normalize("™".encode(), ["lowercase", "nfkc"]) == b"TM"


def test_no_normaliser_gives_the_very_same_bytes() -> None:
    """Nothing is decoded or copied on the usual way."""
    data = b"\xff text"
    assert normalize(data, ()) is data


@pytest.mark.parametrize(
    ("given_as", "expected"),
    [
        (None, ()),
        ([], ()),
        ("nfc", ("nfc",)),
        (["nfkc", "lowercase"], ("nfkc", "lowercase")),
        (("nfc", "nfc"), ("nfc", "nfc")),
    ],
)
def test_names_are_given_alone_or_together(given_as: Any, expected: tuple[str, ...]) -> None:
    """The rules hold a tuple, whatever was typed."""
    assert resolve(given_as) == expected


@pytest.mark.parametrize("given_as", ["NFC", "nmt", "", ["nfc", None], [["nfc"]], "lower"])
def test_unknown_normaliser_lists_the_known_ones(given_as: Any) -> None:
    """Skipped silently, it would give other ids than the user believes."""
    known = r"is not known \(known: nfc, nfd, nfkc, nfkd, lowercase, strip-accents, collapse-"
    with pytest.raises(ArgumentError, match=known):
        resolve(given_as)


@pytest.mark.parametrize("given_as", [5, 0, True, str.lower, {"nfc"}, {"nfc": 1}], ids=repr)
def test_what_is_no_list_of_names_is_refused(given_as: Any) -> None:
    """A set has no order, and a function could not be saved."""
    with pytest.raises(ArgumentError, match="must be None, a name or a list of names, got"):
        resolve(given_as)
