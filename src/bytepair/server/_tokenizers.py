"""The tokenizers that are served, by name; and the one that is there when none is named."""

import sysconfig
import warnings
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bytepair
from bytepair import SegmentCache, Tokenizer, TokenizerSpec
from bytepair.errors import BytepairWarning, CorpusError
from bytepair.formats import parse_huggingface, token_spellings, tokenizer_config
from bytepair.model import TokenId, Tokens
from bytepair.server._errors import ApiError, invalid
from bytepair.server._metrics import Metrics
from bytepair.server._patterns import require_linear

DEMO = Path("demo-tokenizer")
_DEMO_TOKENS = 16_000
_DEMO_BYTES = 8_000_000  # learned from in about a second
_CACHE_BYTES = 32 << 20  # of conversations, for each tokenizer


class Served:
    """A tokenizer under the name that clients call it by."""

    def __init__(self, name: str, tokenizer: Tokenizer, metrics: Metrics) -> None:
        self.name = name
        self.tokenizer = tokenizer
        self.sha256 = fingerprint(tokenizer.spec)
        self.cache = SegmentCache(_CACHE_BYTES)
        self.metrics = metrics.of(name, tokenizer, self.sha256)
        self._counted = (0, 0)

    @cached_property
    def spellings(self) -> dict[TokenId, str]:
        """Id -> how a `tokenizer.json` writes the token.

        Raises:
            ExportError: one cannot be written so.
        """
        return token_spellings(self.tokenizer.spec)

    @cached_property
    def contents(self) -> dict[TokenId, bytes]:
        """Id -> bytes of all tokens, ascending by id."""
        spec = self.tokenizer.spec
        added = {token.id: token.content.encode() for token in spec.added_tokens}
        return dict(sorted({**spec.vocabulary.tokens, **added}.items()))

    @cached_property
    def ranks(self) -> dict[TokenId, int]:
        """Id -> rank of the first merge that makes the token."""
        merges = self.tokenizer.merges
        pairs = zip(merges.joined.tolist()[::-1], merges.rank.tolist()[::-1], strict=True)
        return dict(pairs)

    @cached_property
    def lengths(self) -> NDArray[np.uint32]:
        """Bytes of each token, by id; 0 for ids that are none."""
        own = Tokens.of(self.tokenizer.spec.vocabulary.tokens)
        found = np.zeros(self.tokenizer.n_vocab, dtype=np.uint32)
        found[own.ids] = np.diff(own.offsets)
        for token in self.tokenizer.spec.added_tokens:
            found[token.id] = len(token.content.encode())
        return found

    @cached_property
    def is_added(self) -> NDArray[np.bool_]:
        """By id: it is an added token."""
        found = np.zeros(self.tokenizer.n_vocab, dtype=np.bool_)
        found[[token.id for token in self.tokenizer.spec.added_tokens]] = True
        return found

    @cached_property
    def is_ambiguous(self) -> NDArray[np.bool_]:
        """By id: it is an added token, and one of the vocabulary too."""
        is_own = np.zeros(self.tokenizer.n_vocab, dtype=np.bool_)
        is_own[Tokens.of(self.tokenizer.spec.vocabulary.tokens).ids] = True
        return is_own & self.is_added

    @cached_property
    def config(self) -> dict[str, Any]:
        """What stands in its `tokenizer_config.json`."""
        return tokenizer_config(self.tokenizer.spec)

    @cached_property
    def frame(self) -> tuple[list[TokenId], list[TokenId]]:
        """The ids that are put before and behind a text if special tokens are asked for."""
        before: list[TokenId] = []
        after: list[TokenId] = []
        side = before
        for piece in self.tokenizer.spec.post_processor.single:
            side = side if piece.text is None else after
            side += piece.ids
        return before, after

    @property
    def max_length(self) -> int:
        """Ids that its models take; where the files do not say, as many as there can be."""
        return self.tokenizer.spec.conventions.max_length or (1 << 31) - 1

    def count_cache(self) -> None:
        """Tell the metrics what the cache has done since the last call."""
        now = self.cache.hits, self.cache.misses
        before, self._counted = self._counted, now
        self.metrics.hits.inc(max(0, now[0] - before[0]))
        self.metrics.misses.inc(max(0, now[1] - before[1]))


class Tokenizers:
    """All that a process serves; the first is the default."""

    def __init__(
        self, named: Iterable[tuple[str, Tokenizer]], metrics: Metrics, most_uploads: int = 0
    ) -> None:
        self._metrics = metrics
        self._by_name = {name: Served(name, tok, metrics) for name, tok in named}
        self._uploads: OrderedDict[str, Served] = OrderedDict()
        self._most_uploads = most_uploads
        self._lock = Lock()
        self.default = next(iter(self._by_name.values()))

    def __iter__(self) -> Iterator[Served]:
        return iter([*self._by_name.values(), *self._uploads.values()])

    def get(self, name: str | None, param: str = "tokenizer") -> Served:
        """The one of this name; None, "" and "default": the default.

        Raises:
            ApiError: 404, there is none.
        """
        if name is None:
            return self.default
        found = self._by_name.get(name) or self._uploads.get(name)
        if found is not None:
            return found
        if name in {"", "default"}:
            return self.default
        known = ", ".join(served.name for served in self)
        raise ApiError(
            404,
            "model_not_found",
            f"no tokenizer is called {name!r:.100}. Served here: {known:.500}.",
            param=param,
        )

    def upload(self, data: bytes) -> Served:
        """Keep the tokenizer of a `tokenizer.json` for a while, under a name of its own.

        Raises:
            ApiError: 403, uploads are not allowed; 400, a pattern of its could take for ever.
            FormatError: it cannot be read.
        """
        if not self._most_uploads:
            raise ApiError(403, "uploads_off", "uploads are off; the operator can allow them.")
        spec = parse_huggingface(data, "the uploaded file")
        require_linear(spec)
        tokenizer = Tokenizer(spec)
        name = f"upload-{sha256(data).hexdigest()[:12]}"
        # Its series are those of all uploads: names that clients make up must not become labels.
        served = Served("upload", tokenizer, self._metrics)
        served.name = name
        with self._lock:
            self._uploads[name] = served
            self._uploads.move_to_end(name)
            while len(self._uploads) > self._most_uploads:
                self._uploads.popitem(last=False)
        return served


def fingerprint(spec: TokenizerSpec) -> str:
    """A short name of what decides the ids: the same for the same vocabulary and merges."""
    digest = sha256(spec.vocabulary.flat.data)
    for column in (spec.merges.left, spec.merges.right, spec.merges.joined, spec.merges.rank):
        digest.update(column.tobytes())
    digest.update(repr((spec.rules.pattern, spec.added_tokens)).encode("utf-8", "replace"))
    return digest.hexdigest()


def load_all(named: Iterable[tuple[str, str]]) -> list[tuple[str, Tokenizer]]:
    """The tokenizers by name; each path is read once.

    Raises:
        FormatError, MissingExtraError: as `bytepair.load`.
    """
    by_path: dict[str, Tokenizer] = {}
    loaded: dict[str, Tokenizer] = {}
    for name, path in named:
        if path not in by_path:
            by_path[path] = bytepair.load(path)
        loaded[name] = by_path[path]
    return list(loaded.items())


def demo_tokenizer() -> Tokenizer:
    """The tokenizer that the demo saved here; else one learned from Python's library in a second.

    Raises:
        CorpusError: the library's source is not there.
    """
    if DEMO.is_dir():
        return bytepair.load(DEMO)
    texts = list(_library_texts())
    if not texts:
        raise CorpusError("Python's library has no source here: name a tokenizer to serve.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BytepairWarning)
        return bytepair.train(texts, vocab_size=_DEMO_TOKENS, name="demo")


def _library_texts() -> Iterator[bytes]:
    left = _DEMO_BYTES if bytepair.engine() == "native" else _DEMO_BYTES // 16
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        data = path.read_bytes()
        left -= len(data)
        if left < 0:
            return
        yield data


def require_id(served: Served, token: int) -> bytes:
    """The bytes of a token.

    Raises:
        ApiError: no token has this id.
    """
    found = served.contents.get(token)
    if found is None:
        raise invalid(f"no token of {served.name!r:.60} has the id {token}.", code="unknown_token")
    return found
