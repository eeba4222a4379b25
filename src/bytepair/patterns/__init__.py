"""Pre-token patterns: names, the compiler, and the Unicode version they all follow."""

from bytepair.patterns._automaton import Automaton
from bytepair.patterns._digit_groups import split_steps
from bytepair.patterns._huggingface import (
    bert,
    char_delimiter_split,
    digits,
    fixed_length,
    punctuation,
    unicode_scripts,
    whitespace,
    whitespace_split,
)
from bytepair.patterns._matches import matches
from bytepair.patterns._named import NAMED, SEQUENCES, name_of, resolve, resolve_steps
from bytepair.patterns._pattern import automaton, exact_regex_of, regex_for, regex_of
from bytepair.patterns._portable import for_oniguruma, portable
from bytepair.patterns._unicode import SPACES, UNICODE_VERSION, has_disputed, word_set

__all__ = [
    "NAMED",
    "SEQUENCES",
    "SPACES",
    "UNICODE_VERSION",
    "Automaton",
    "automaton",
    "bert",
    "char_delimiter_split",
    "digits",
    "exact_regex_of",
    "fixed_length",
    "for_oniguruma",
    "has_disputed",
    "matches",
    "name_of",
    "portable",
    "punctuation",
    "regex_for",
    "regex_of",
    "resolve",
    "resolve_steps",
    "split_steps",
    "unicode_scripts",
    "whitespace",
    "whitespace_split",
    "word_set",
]
