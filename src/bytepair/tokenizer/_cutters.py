"""Which added tokens a call looks for and which it refuses: tiktoken's rules, one cutter a case."""

from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal

from bytepair.engines import Cutter, Engine
from bytepair.errors import InputTypeError
from bytepair.model import AddedToken, NormalizerStep, to_utf8

Allowed = Literal["all"] | AbstractSet[str]
Disallowed = Literal["all"] | Collection[str]

_MOST_KEPT = 64  # distinct pairs of options; programs use one or two


class Cutters:
    """The cutters of one tokenizer, made when they are first asked for.

    Special tokens are looked for if a call allows them; the other added tokens always are.
    """

    def __init__(
        self,
        engine: Engine,
        added_tokens: Sequence[AddedToken],
        normalizer: Sequence[NormalizerStep],
    ) -> None:
        self._engine = engine
        self._added = tuple(added_tokens)
        self._normalizer = normalizer
        self._special = frozenset(token.content for token in added_tokens if token.special)
        self._kept: dict[tuple[frozenset[str], ...], Cutter] = {}
        self.none = engine.cutter((), (), normalizer)
        inner = [token for token in added_tokens if token.normalized and normalizer]
        self.has_inner_special = any(token.special for token in inner)

    def of(self, allowed: Allowed, disallowed: Disallowed) -> Cutter:
        """The cutter of a call.

        Raises:
            InputTypeError: neither "all" nor several strings.
        """
        wanted = self._allowed(allowed)
        key = wanted, self._forbidden(wanted, disallowed)
        found = self._kept.get(key)
        return found or self._keep(key, self._make(*key))

    def watch(self, allowed: Allowed, disallowed: Disallowed) -> Cutter:
        """Looks for what `of(allowed, disallowed)` would refuse."""
        forbidden = self._forbidden(self._allowed(allowed), disallowed)
        return self._engine.cutter([AddedToken(content, 0) for content in sorted(forbidden)])

    def reach(self, allowed: Allowed, disallowed: Disallowed) -> int:
        """Bytes of the longest text that `of(allowed, disallowed)` would refuse."""
        forbidden = self._forbidden(self._allowed(allowed), disallowed)
        return max((len(to_utf8(content)) for content in forbidden), default=0)

    def looked_for(self, allowed: Allowed) -> list[AddedToken]:
        """The tokens that `of(allowed, ())` finds."""
        return self._wanted(self._allowed(allowed))

    def inner(self, allowed: Allowed) -> Cutter:
        """Looks for those of `of(allowed, ())` that only stand in normalised text."""
        wanted = self._allowed(allowed)
        found = self._kept.get((wanted,))
        return found or self._keep((wanted,), self._make_inner(wanted))

    def _keep(self, key: tuple[frozenset[str], ...], cutter: Cutter) -> Cutter:
        if len(self._kept) >= _MOST_KEPT:
            self._kept.clear()
        self._kept[key] = cutter
        return cutter

    def _make_inner(self, wanted: frozenset[str]) -> Cutter:
        tokens = [t for t in self._wanted(wanted) if t.normalized and self._normalizer]
        return self._engine.cutter(tokens, (), self._normalizer) if tokens else self.none

    def _make(self, wanted: frozenset[str], forbidden: frozenset[str]) -> Cutter:
        return self._engine.cutter(self._wanted(wanted), sorted(forbidden), self._normalizer)

    def _wanted(self, wanted: frozenset[str]) -> list[AddedToken]:
        return [t for t in self._added if not t.special or t.content in wanted]

    def _allowed(self, allowed: Allowed) -> frozenset[str]:
        if isinstance(allowed, str):
            if allowed != "all":
                raise InputTypeError(_not_a_set("allowed_special", allowed))
            return self._special
        return self._special & _set_of("allowed_special", allowed)

    def _forbidden(self, wanted: frozenset[str], disallowed: Disallowed) -> frozenset[str]:
        """A token that is disallowed by name is refused even if it is allowed."""
        if isinstance(disallowed, str):
            if disallowed != "all":
                raise InputTypeError(_not_a_set("disallowed_special", disallowed))
            return self._special - wanted if wanted else self._special
        return _set_of("disallowed_special", disallowed) - {""}


def _set_of(option: str, tokens: Iterable[str]) -> frozenset[str]:
    if not isinstance(tokens, Iterable):
        raise InputTypeError(_not_a_set(option, tokens))
    contents = tokens if isinstance(tokens, frozenset) else list(tokens)
    for content in contents:
        if not isinstance(content, str):
            raise InputTypeError(_not_a_set(option, content))
    return frozenset(contents)


def _not_a_set(option: str, value: object) -> str:
    return f"{option} must be 'all' or a set of strings (perhaps empty), got {value!r:.60}."
