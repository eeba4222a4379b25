"""Pre-token patterns: names, the compiler, and the Unicode version they all follow."""

from bytepair.patterns._automaton import Automaton
from bytepair.patterns._digit_groups import Digits, digit_steps, split_steps
from bytepair.patterns._matches import matches
from bytepair.patterns._named import (
    HF_DIGIT,
    HF_PUNCTUATION,
    NAMED,
    SEQUENCES,
    name_of,
    resolve,
    resolve_steps,
)
from bytepair.patterns._pattern import (
    automaton,
    check_cuts,
    check_runs,
    cuts_alike,
    exact_regex_of,
    regex_for,
    regex_of,
)
from bytepair.patterns._phrases import phrase_pattern
from bytepair.patterns._portable import for_oniguruma, portable
from bytepair.patterns._unicode import SPACES, UNICODE_VERSION, has_disputed, word_set

__all__ = [
    "HF_DIGIT",
    "HF_PUNCTUATION",
    "NAMED",
    "SEQUENCES",
    "SPACES",
    "UNICODE_VERSION",
    "Automaton",
    "Digits",
    "automaton",
    "check_cuts",
    "check_runs",
    "cuts_alike",
    "digit_steps",
    "exact_regex_of",
    "for_oniguruma",
    "has_disputed",
    "matches",
    "name_of",
    "phrase_pattern",
    "portable",
    "regex_for",
    "regex_of",
    "resolve",
    "resolve_steps",
    "split_steps",
    "word_set",
]
