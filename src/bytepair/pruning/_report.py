"""`PruneReport`: what was removed, what it cost, and what could have gone for nothing."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from bytepair.model import TokenId
from bytepair.pruning._idle import IdleTokens


@dataclass(frozen=True, slots=True)
class Compression:
    """A corpus before and after.

    >>> round(Compression(n_bytes=100, tokens_before=25, tokens_after=30).loss, 2)
    0.2
    """

    n_bytes: int
    tokens_before: int
    tokens_after: int

    @property
    def loss(self) -> float:
        """Tokens more, as a share of those before; negative if there are fewer."""
        return self.tokens_after / self.tokens_before - 1 if self.tokens_before else 0.0

    @property
    def bytes_per_token(self) -> tuple[float, float]:
        """Bytes per token before and after."""
        before, after = max(self.tokens_before, 1), max(self.tokens_after, 1)
        return self.n_bytes / before, self.n_bytes / after


@dataclass(frozen=True, slots=True)
class RemovedToken:
    """One that was removed.

    Attributes:
        id: its old id.
        data: its bytes.
        uses: how often it stood in the corpus before anything was removed.
        cost: tokens that the corpus gained when it was removed, after those before it; negative if
            it lost some.
    """

    id: TokenId
    data: bytes
    uses: int
    cost: int


@dataclass(frozen=True)
class PruneReport:
    """What a pruning did. Ids are those of the vocabulary before.

    Attributes:
        strategy: which tokens might go.
        vocab_before, vocab_after: number of all tokens.
        corpus: compression of the corpus that the costs are from.
        held_out: that of text that was not looked at, if there was any.
        removed: in the order of their removal.
        idle: tokens that did nothing before, whether they were removed or not.
    """

    strategy: str
    vocab_before: int
    vocab_after: int
    corpus: Compression
    held_out: Compression | None
    removed: tuple[RemovedToken, ...]
    idle: IdleTokens

    def to_json(self) -> str:
        """All of it. `text` is a token's bytes for people; `bytes` are its bytes, as hex digits."""
        values: dict[str, object] = {
            "strategy": self.strategy,
            "vocab_before": self.vocab_before,
            "vocab_after": self.vocab_after,
            "corpus": _compression_json(self.corpus),
            "held_out": None if self.held_out is None else _compression_json(self.held_out),
            "unreachable": self.idle.unreachable,
            "residues": self.idle.residues,
            "unused": self.idle.unused,
            "removed": [
                {"id": t.id, "text": _text(t.data), "bytes": t.data.hex()}
                | {"uses": t.uses, "cost": t.cost}
                for t in self.removed
            ],
        }
        return json.dumps(values, ensure_ascii=False, indent=2) + "\n"

    def to_markdown(self, limit: int | None = 100) -> str:
        """The figures, and the removed tokens, the most expensive first.

        Args:
            limit: most tokens of a kind to list; None: all.
        """
        return "\n".join([*self._summary(limit), "", *self._removed(limit), ""])

    def _summary(self, limit: int | None) -> Iterator[str]:
        yield f"# Pruned from {self.vocab_before:,} to {self.vocab_after:,} tokens"
        yield ""
        yield f"Strategy: {self.strategy}. {len(self.removed):,} tokens were removed."
        yield ""
        yield "| text | bytes | tokens before | after | loss | bytes per token before | after |"
        yield "|---|--:|--:|--:|--:|--:|--:|"
        for name, text in (("corpus", self.corpus), ("held out", self.held_out)):
            if text is not None:
                yield _compression_row(name, text)
        yield ""
        yield "| tokens that the corpus could have done without | number | ids |"
        yield "|---|--:|---|"
        for name, ids in (
            ("unreachable: no text yields them", self.idle.unreachable),
            ("residues: only steps to others", self.idle.residues),
            ("never used", self.idle.unused),
        ):
            shown = ", ".join(map(str, ids[:limit])) + (", …" if ids[:limit] != ids else "")
            yield f"| {name} | {len(ids):,} | {shown} |"

    def _removed(self, limit: int | None) -> Iterator[str]:
        dearest = sorted(self.removed, key=lambda token: (-token.cost, token.id))[:limit]
        if not dearest:
            return
        shown = f"the {len(dearest):,} dearest" if len(dearest) < len(self.removed) else "all"
        yield f"## Removed tokens ({shown})"
        yield ""
        yield "| id | token | uses | cost |"
        yield "|--:|---|--:|--:|"
        for token in dearest:
            yield f"| {token.id} | {_cell(token.data)} | {token.uses:,} | {token.cost:,} |"


def _compression_json(text: Compression) -> dict[str, object]:
    before, after = text.bytes_per_token
    return {
        "bytes": text.n_bytes,
        "tokens_before": text.tokens_before,
        "tokens_after": text.tokens_after,
        "bytes_per_token_before": before,
        "bytes_per_token_after": after,
    }


def _compression_row(name: str, text: Compression) -> str:
    before, after = text.bytes_per_token
    return (
        f"| {name} | {text.n_bytes:,} | {text.tokens_before:,} | {text.tokens_after:,} | "
        f"{text.loss:+.2%} | {before:.3f} | {after:.3f} |"
    )


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def _cell(data: bytes) -> str:
    """Bytes in a cell of a table: visible, and without what the table would take for its own."""
    text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in _text(data))
    quoted = text.replace("`", "'").replace("|", "\\|")
    return f"`{quoted}`"
