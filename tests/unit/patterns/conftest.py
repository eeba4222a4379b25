from collections.abc import Callable

import pytest

from bytepair.patterns import Automaton

Cut = Callable[[Automaton, str], list[str]]


def _cut(tables: Automaton, text: str) -> list[str]:
    pieces, start = [], 0
    while start < len(text):
        end, state = start + 1, 1  # one character stands alone where nothing matches
        for position in range(start, len(text) + 1):
            at_end = position == len(text)
            column = tables.n_classes if at_end else tables.class_of(ord(text[position]))
            entry = int(tables.transitions[state, column])
            end = position if entry & 1 else end
            state = entry >> 1
            if state == 0:
                break
        pieces.append(text[start:end])
        start = end
    return pieces


@pytest.fixture(scope="session")
def cut() -> Cut:
    """Walks the tables as their documentation says; shares no code with the engines."""
    return _cut
