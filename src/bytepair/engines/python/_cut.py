"""Find added tokens in text."""

from collections.abc import Iterator, Sequence

import regex

from bytepair.errors import SpecialTokenError
from bytepair.model import AddedToken, NormalizerStep, TokenId, to_utf8
from bytepair.normalizers import normalize
from bytepair.patterns import regex_for

Found = tuple[int, int, TokenId]
"""(start, end, id) of an added token, in bytes."""


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
        self._original = _Finder(
            [(t.content.encode(), t) for t in added_tokens if not t.normalized]
        )
        self._normalized = _Finder(
            [(normalize(t.content.encode(), normalizer), t) for t in added_tokens if t.normalized]
        )
        self._forbidden = any_of([to_utf8(content) for content in forbidden])
        self._changes_text = bool(normalizer)
        self._longest = max([len(t.content.encode()) for t in added_tokens], default=0)

    def cut(self, data: bytes) -> list[Found]:
        """The tokens in the text as it is."""
        found = self.in_original(data)
        return found if self._changes_text else list(self._both(data, found))

    def _both(self, data: bytes, found: list[Found]) -> Iterator[Found]:
        end = 0
        for token in [*found, (len(data), len(data), -1)]:
            for start, stop, inner in self.in_normalized(data[end : token[0]]):
                yield end + start, end + stop, inner
            if token[2] >= 0:
                yield token
            end = token[1]

    def in_original(self, data: bytes) -> list[Found]:
        """The tokens that are looked for in the text as it is."""
        return list(self._original.find(data))

    def in_normalized(self, data: bytes) -> list[Found]:
        """Those that are looked for in the normalised text between the others."""
        return list(self._normalized.find(data))

    def find_forbidden(self, data: bytes) -> tuple[int, str] | None:
        """The first forbidden token in the text as it is."""
        found = self._forbidden.search(data) if self._forbidden else None
        return (found.start(), found[0].decode()) if found else None

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
        return len(data) if self._longest else 0


class _Finder:
    """Finds tokens by their contents, the leftmost first, the longest of several at a place."""

    def __init__(self, tokens: Sequence[tuple[bytes, AddedToken]]) -> None:
        self._token_by_content = {content: token for content, token in reversed(tokens) if content}
        self._pattern = any_of(self._token_by_content)

    def find(self, data: bytes) -> Iterator[Found]:
        last = 0
        for match in self._pattern.finditer(data) if self._pattern else ():
            token = self._token_by_content[match[0]]
            start, end = match.span()
            if token.single_word and not _stands_alone(data, start, end):
                continue
            if token.lstrip:
                start = max(start - len(_trailing_space(data[:start])), last)
            if token.rstrip:
                end += len(_leading_space(data[end:]))
            yield start, end, token.id
            last = end


def _stands_alone(data: bytes, start: int, end: int) -> bool:
    return not (_search(r"\w\Z", data[:start]) or _search(r"\A\w", data[end:]))


def _trailing_space(data: bytes) -> bytes:
    return _search(r"\s+\Z", data)


def _leading_space(data: bytes) -> bytes:
    return _search(r"\A\s+", data)


def _search(pattern: str, data: bytes) -> bytes:
    text = data.decode("utf-8", "surrogateescape")
    found = regex_for(pattern, text).search(text)
    return found[0].encode("utf-8", "surrogateescape") if found else b""


def any_of(contents: Sequence[bytes] | dict[bytes, AddedToken]) -> "regex.Pattern[bytes] | None":
    """Matches the leftmost of the contents, the longest where several start; None if none."""
    longest_first = sorted(contents, key=len, reverse=True)
    return regex.compile(b"|".join(map(regex.escape, longest_first))) if longest_first else None


def forbidden_token(position: int, token: str, where: str) -> str:
    """The message for a special token that is not allowed; both engines give it."""
    return (
        f"{where} contains the special token {token!r} at byte {position}, which is not allowed. "
        f"To encode it as the special token, pass allowed_special={{{token!r}}} and do not name it "
        "in disallowed_special; to encode it as ordinary text, pass disallowed_special=() or call "
        "encode_ordinary."
    )
