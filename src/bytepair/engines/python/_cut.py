"""Find added tokens in text."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import regex

from bytepair.engines.python._contents import Contents
from bytepair.errors import SpecialTokenError
from bytepair.model import AddedToken, NormalizerStep, TokenId, to_utf8
from bytepair.normalizers import normalize
from bytepair.patterns import SPACES, regex_for

Found = tuple[int, int, TokenId]
"""(start, end, id) of an added token, in bytes."""


def stretches(found: Sequence[Found], n_bytes: int) -> Iterator[tuple[int, int, Found | None]]:
    """(start, end) of what lies between tokens of a text, perhaps empty, and the token behind it.

    >>> list(stretches([(2, 4, 9)], 7))
    [(0, 2, (2, 4, 9)), (4, 7, None)]
    """
    done = 0
    for token in found:
        yield done, token[0], token
        done = token[1]
    yield done, n_bytes, None


class Cutter:
    """Twin of the core's cutter.

    >>> cutter = Cutter([AddedToken("<a>", 1, rstrip=True), AddedToken("<a><b>", 2)])
    >>> cutter.cut(b"x<a> <a><b>")
    [(1, 5, 1), (5, 11, 2)]
    """

    def __init__(
        self,
        added_tokens: Sequence[AddedToken],
        forbidden: Sequence[str] = (),
        normalizer: Sequence[NormalizerStep] = (),
    ) -> None:
        as_is = [(to_utf8(t.content), t) for t in added_tokens if not t.normalized]
        within = [
            (normalize(to_utf8(t.content), () if t.verbatim else normalizer), t)
            for t in added_tokens
            if t.normalized
        ]
        self._original = _Finder(as_is)
        self._normalized = _Finder(within)
        self._forbidden = Contents(map(to_utf8, forbidden))
        self._is_normalizing = bool(normalizer)

    def cut(self, data: bytes) -> list[Found]:
        """The tokens in the text as it is."""
        found = self.in_original(data)
        if self._is_normalizing:
            return found
        within = [
            (start + inner_start, start + inner_end, token)
            for start, end, _ in stretches(found, len(data))
            for inner_start, inner_end, token in self.in_normalized(data[start:end])
        ]
        return sorted([*found, *within])

    def in_original(self, data: bytes) -> list[Found]:
        """The tokens that are looked for in the text as it is."""
        return self._original.find(data)

    def in_normalized(self, data: bytes) -> list[Found]:
        """Those that are looked for in the normalised text between the others."""
        return self._normalized.find(data)

    def find_forbidden(self, data: bytes) -> tuple[int, str] | None:
        """The first forbidden token in the text as it is."""
        start, content = next(self._forbidden.occurrences(data), (0, b""))
        return (start, content.decode()) if content else None

    def refuse_forbidden(self, data: bytes, where: str = "the text") -> None:
        """Look for tokens that must not be in the text.

        Raises:
            SpecialTokenError: there is one.
        """
        found = self.find_forbidden(data)
        if found:
            raise SpecialTokenError(forbidden_token(*found, where))

    def held_back(self, data: bytes) -> int:
        """How many bytes at the end of unfinished `data` could still belong to a token."""
        certain = self.certain_original(data)
        if not self._is_normalizing:
            start = max([end for _, end, _ in self.in_original(data) if end <= certain], default=0)
            certain = start + self.certain_normalized(data[start:certain])
        return len(data) - certain

    def certain_original(self, data: bytes) -> int:
        """Up to where no text behind `data` changes what `in_original` finds; in no token."""
        return self._original.certain(data)

    def certain_normalized(self, data: bytes) -> int:
        """The same for `in_normalized`."""
        return self._normalized.certain(data)


class _Match(NamedTuple):
    start: int
    end: int
    token: AddedToken


class _Finder:
    """Finds tokens by their contents, and as their flags say.

    The white space that belongs to a token may hold another token, which is found as well, since
    Hugging Face finds it: the two overlap then.

    Args:
        tokens: what to look for, and the token it stands for; of equal contents the first counts.
    """

    def __init__(self, tokens: Sequence[tuple[bytes, AddedToken]]) -> None:
        self._token_by_content = dict(reversed(tokens))
        self._contents = Contents(self._token_by_content)
        self._takes_space_before = any(token.lstrip for _, token in tokens)

    def find(self, data: bytes) -> list[Found]:
        """The tokens of a text."""
        return [(start, end, token.id) for start, end, token in self._matches(data)]

    def _matches(self, data: bytes) -> Iterator[_Match]:
        last = 0
        for place, content in self._contents.occurrences(data):
            token = self._token_by_content[content]
            start, end = place, place + len(content)
            if token.single_word and _is_inside_a_word(data, start, end):
                continue
            if token.lstrip:
                start = max(_before_spaces(data, place), last)
            if token.rstrip:
                end = _behind_spaces(data, end)
            if start < end:  # or the token before has taken all of it
                yield _Match(start, end, token)
                last = end

    def certain(self, data: bytes) -> int:
        """Up to where no text behind `data` can change what is found; in no token."""
        matches = list(self._matches(data))
        place = self._contents.begun(data)
        for start, end, token in matches:
            if (token.rstrip or token.single_word) and _UNFINISHED.fullmatch(data, end):
                place = min(place, start)
        if self._takes_space_before:
            place = _before_spaces(data, min(place, len(data) - _n_unfinished(data)))
        for start, end, _ in reversed(matches):
            if start < place < end:
                place = start
        return place


_SPACE = b"(?:" + b"|".join(regex.escape(char.encode()) for char in SPACES) + b")"
_LEADING_SPACES = regex.compile(_SPACE + b"*")
_TRAILING_SPACES = regex.compile(b"(?r)" + _SPACE + b"*")  # matches backwards, from the end
# The bytes of a character that is not complete, or nothing.
_UNFINISHED = regex.compile(
    rb"(?:[\xc2-\xf4]|\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f]"
    rb"|(?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])[\x80-\xbf]?)?"
)


def _behind_spaces(data: bytes, place: int) -> int:
    found = _LEADING_SPACES.match(data, place)
    return found.end() if found else place


def _before_spaces(data: bytes, place: int) -> int:
    found = _TRAILING_SPACES.match(data, endpos=place)
    return found.start() if found else place


def _n_unfinished(data: bytes) -> int:
    n_bytes = min(3, len(data))
    return next(n for n in range(n_bytes, -1, -1) if _UNFINISHED.fullmatch(data, len(data) - n))


def _is_inside_a_word(data: bytes, start: int, end: int) -> bool:
    before = data[max(0, start - 4) : start].decode("utf-8", "surrogateescape")[-1:]
    behind = data[end : end + 4].decode("utf-8", "surrogateescape")[:1]
    return any(regex_for(r"\w", char).match(char) for char in (before, behind))


def forbidden_token(position: int, token: str, where: str) -> str:
    """The message for a special token that is not allowed; both engines give it."""
    return (
        f"{where} contains the special token {token!r} at byte {position}, which is not allowed. "
        f"To encode it as the special token, pass allowed_special={{{token!r}}} and do not name it "
        "in disallowed_special; to encode it as ordinary text, pass disallowed_special=() or call "
        "encode_ordinary."
    )
