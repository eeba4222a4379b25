"""Messages: in the words of the command line, and harmless."""

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytepair.cli._messages import as_options, printable


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("vocab_size=9 is too small", "--vocab-size 9 is too small"),
        ("or a lower min_frequency.", "or a lower --min-frequency."),
        ("Pass pattern= (a regex)", "Pass --pattern (a regex)"),
        ("leave special_tokens= out", "leave --special-token out"),
        ("with alphabet='bytes', to", "with --alphabet bytes, to"),
        ("Train with alphabet='bytes'.", "Train with --alphabet bytes."),
        ("pattern='a| b' is", "--pattern 'a| b' is"),
        ("pattern is not a valid regex", "pattern is not a valid regex"),
        ("data/text_field/x: no such file", "data/text_field/x: no such file"),
        ("no field 'text_field'; this", "no field 'text_field'; this"),
    ],
)
def test_arguments_become_options(message, expected):
    """Who types --vocab-size should read --vocab-size; paths and quotes are the user's own."""
    assert as_options(message) == expected


@given(st.text())
def test_printable_keeps_newlines_and_escapes_what_terminals_obey(text):
    """File names and broken files end up in messages; some hold escape sequences."""
    assert all(c.isprintable() or c == "\n" for c in printable(text))


def test_after_a_command_a_program_shows_warnings_as_before(invoke, saved):
    """A program may run the command line in its own process."""
    shown_before = warnings.showwarning
    invoke("count", saved, stdin="a")
    assert warnings.showwarning is shown_before
