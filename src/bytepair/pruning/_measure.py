"""What the tokens of a vocabulary are used for, and how many tokens a corpus has."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bytepair.engines import Engine, Pruner
from bytepair.engines.python import SymbolTable, whole_words
from bytepair.model import SplitRules, TokenizerSpec, WordCounts

_NO_SYMBOL = 0xFFFF_FFFF


@dataclass(frozen=True)
class Usage:
    """What symbols are used for in a corpus, before anything is removed.

    Attributes:
        uses: int64[symbols]: how often each stands in the corpus.
        made_of: symbol -> the pair of which merging makes it; none for others.
    """

    uses: NDArray[np.int64]
    made_of: Mapping[int, tuple[int, int]]

    @classmethod
    def of(cls, pruner: Pruner) -> "Usage":
        """What a fresh pruner knows of it."""
        left, right = pruner.pairs()
        pairs = zip(left.tolist(), right.tolist(), strict=True)
        return cls(pruner.uses(), {i: p for i, p in enumerate(pairs) if p[0] != _NO_SYMBOL})

    def passed(self) -> NDArray[np.bool_]:
        """bool[symbols]: True for what stands in the corpus, and for all of which that is made."""
        is_passed = self.uses > 0
        open_symbols = np.flatnonzero(is_passed).tolist()
        while open_symbols:
            for part in self.made_of.get(open_symbols.pop(), ()):
                if not is_passed[part]:
                    is_passed[part] = True
                    open_symbols.append(part)
        return is_passed


def unreachable(table: SymbolTable, usage: Usage, engine: Engine) -> NDArray[np.bool_]:
    """bool[symbols]: True for tokens whose own bytes never come back as the token.

    Where a normaliser or several pre-tokenisers run, only merging and looking up are asked.
    """
    spec = table.spec
    found = table.of(np.array([*whole_words(spec).values()], np.uint32)).tolist()
    made = {*usage.made_of, *found}
    rules = spec.rules
    is_plain = rules.pattern is not None and not rules.normalizer and not rules.steps
    splitter = engine.splitter(rules.pattern) if is_plain else None
    reached = np.zeros(len(table), np.bool_)
    for symbol in made:
        content = table.content(symbol)
        # Half a character is a piece of its own here, but within the character it is not.
        is_cut = splitter and _is_text(content) and len(splitter.split(content)) > 1
        reached[symbol] = not is_cut
    return ~reached & ~table.first


def n_tokens(spec: TokenizerSpec, counts: WordCounts, engine: Engine) -> int:
    """Tokens of a corpus, given its pre-tokens."""
    encoder = engine.encoder(replace(spec, rules=SplitRules()))
    words = [word for word, _ in counts]
    lengths = encoder.count_batch(words, engine.cutter(()), os.cpu_count() or 1)
    return int(lengths @ counts.counts)


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
