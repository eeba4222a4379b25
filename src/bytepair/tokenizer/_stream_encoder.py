"""Text that arrives in pieces → ids, each as soon as no later text can change it."""

from collections.abc import Callable
from typing import Any

from bytepair.engines import Cutter
from bytepair.errors import ArgumentError, SpecialTokenError
from bytepair.model import TokenId
from bytepair.tokenizer._input import text_bytes
from bytepair.tokenizer._stretches import Stretches

_HIGH = ("\ud800", "\udbff")  # range of the first halves of surrogate pairs
_LARGE = 1 << 10  # bytes held back that are not looked through anew with every piece


class StreamEncoder:
    """One text in pieces; `tok.stream_encoder()` makes it. Not shared between threads.

    What `push` and `finish` return, joined, is what `encode` gives for the whole text. How much is
    held back depends on the pattern: usually the last pre-token, and what may become an added
    token. Where a normaliser or a pre-tokeniser beyond one pattern is at work, up to everything
    since the last added token. Once that is more than a kilobyte it may be held back until it has
    grown by a quarter, so that the cost of a text does not depend on the size of its pieces. A
    copy, or one that was pickled, goes on by itself.

    >>> import bytepair
    >>> tok = bytepair.train(["low lower lowest"] * 9, vocab_size=264, special_tokens=["<end>"])
    >>> stream = tok.stream_encoder()
    >>> stream.push("low lo") + stream.push("west ") + stream.finish()
    [257, 262, 32]
    """

    def __init__(
        self,
        encoder: Stretches,
        cutter: Cutter,
        watch: Cutter,
        reach: int,
        make_another: "Callable[[], StreamEncoder]",
    ) -> None:
        self._make_another = make_another
        self._encoder = encoder
        self._cutter = cutter
        self._watch = watch
        self._reach = reach  # bytes of the longest forbidden token
        self._held = bytearray()
        self._enough = 0  # so much has to be held for it to be looked through
        self._position = 0  # of `_held` in the text
        self._half = ""  # the first half of a surrogate pair
        self._is_finished = False

    def push(self, chunk: str | bytes) -> list[TokenId]:
        """The ids that are certain now.

        Raises:
            SpecialTokenError: a disallowed special token is complete; the stream stays as it was.
            InputTypeError: not text.
            ArgumentError: after `finish`.
        """
        data, half = self._bytes(chunk)
        self._refuse_forbidden(data)
        ids: list[TokenId] = []
        if len(self._held) + len(data) < self._enough:
            self._held += data
        else:
            ids = self._advance(self._held + data, is_last=False)
        self._half = half
        return ids

    def finish(self) -> list[TokenId]:
        """The ids of what was held back; the stream ends."""
        data, _ = self._bytes(b"")
        self._refuse_forbidden(data)
        ids = self._advance(self._held + data, is_last=True)
        self._is_finished, self._half = True, ""
        return ids

    def __reduce__(self) -> tuple[Any, ...]:
        state = bytes(self._held), self._enough, self._position, self._half, self._is_finished
        return _continued, (self._make_another, *state)

    def _bytes(self, chunk: str | bytes) -> tuple[bytes, str]:
        """The chunk as bytes, and the half of a character that it ends with."""
        if self._is_finished:
            raise ArgumentError("the stream is finished: make another one for another text.")
        if not isinstance(chunk, str):
            return text_bytes(self._half) + text_bytes(chunk), ""
        text = self._half + chunk
        end = len(text) - (_HIGH[0] <= text[-1:] <= _HIGH[1])
        return text_bytes(text[:end]), text[end:]

    def _advance(self, text: bytearray, *, is_last: bool) -> list[TokenId]:
        data = bytes(text)
        held = 0 if is_last else max(self._cutter.held_back(data), self._watch.held_back(data))
        certain = len(data) - held
        ids: list[TokenId] = []
        start = 0
        for token_start, token_end, token in self._cutter.cut(data):
            if token_end > certain:
                certain = min(certain, token_start)  # the two cutters know different tokens
                break
            ids += self._stretch(data[start:token_start], start, is_last=True)[0]
            ids.append(token)
            start = token_end
        rest = data[start:] if is_last else data[start : max(certain, start)]
        more, n_used = self._stretch(rest, start, is_last=is_last)
        start += n_used
        self._held = bytearray(data[start:])
        self._enough = len(self._held) * 5 // 4 if len(self._held) > _LARGE else 0
        self._position += start
        return ids + more

    def _stretch(self, data: bytes, start: int, *, is_last: bool) -> tuple[list[TokenId], int]:
        is_first = self._position + start == 0
        return self._encoder.part(data, is_last=is_last, is_first=is_first)

    def _refuse_forbidden(self, data: bytes) -> None:
        """Look for what is complete with `data`: what was held before holds none."""
        before = max(0, len(self._held) - self._reach)
        found = self._cutter.find_forbidden(bytes(self._held[before:]) + data)
        if found is not None:
            place = self._position + before + found[0]
            raise SpecialTokenError(
                f"the text contains the special token {found[1]!r} at byte {place}, which is not "
                "allowed. Make the stream with allowed_special= or disallowed_special=() to "
                "encode it."
            )


def _continued(
    make: Callable[[], StreamEncoder],
    held: bytes,
    enough: int,
    position: int,
    half: str,
    is_finished: bool,
) -> StreamEncoder:
    stream = make()
    stream._held, stream._enough, stream._position = bytearray(held), enough, position
    stream._half, stream._is_finished = half, is_finished
    return stream
