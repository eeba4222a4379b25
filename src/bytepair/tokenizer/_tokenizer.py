"""`Tokenizer`: encode, decode, count, inspect."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from bytepair import formats
from bytepair.data import Corpus
from bytepair.engines import PruneStrategy
from bytepair.errors import EncodeError, InputTypeError, UnknownTokenError
from bytepair.model import (
    ExtendOptions,
    MergeTable,
    ProgressCallback,
    TokenId,
    TokenizerSpec,
    Tokens,
    WordCounts,
    at_least_one,
)
from bytepair.tokenizer._chat import Chat, all_contents, with_conventions
from bytepair.tokenizer._cutters import Allowed
from bytepair.tokenizer._decode import Decoding
from bytepair.tokenizer._encode import Encoding
from bytepair.tokenizer._explain import (
    CacheBlocks,
    Explainer,
    Explanation,
    MergeTree,
    WordSteps,
    by_word,
    n_shared,
)
from bytepair.tokenizer._input import checked_text, text_bytes
from bytepair.tokenizer._inspection import Inspection, Piece
from bytepair.tokenizer._truncate import Truncation, truncated

if TYPE_CHECKING:
    from bytepair.pruning import PruneResult


class Tokenizer(Chat, Decoding):
    """Text or bytes ↔ token ids. Immutable: share it between threads, pickle it, fork with it.

    Two are equal if their specifications are, whatever engine runs them.

    The methods of tiktoken's `Encoding` are here under their names with their meaning. Special
    tokens in the text are an error unless a call allows them; added tokens that are not special
    are always matched, except by `encode_ordinary`. `bytes` are accepted wherever text is; a lone
    surrogate in a `str` becomes U+FFFD, a surrogate pair its code point.

    Make one with `bytepair.train`, `bytepair.load` or from a `TokenizerSpec`. `cache_bytes` limits
    what the native engine remembers of words seen, for all threads together (default 128 MiB).

    >>> import bytepair
    >>> tok = bytepair.train(["low lower lowest"] * 9, vocab_size=264, special_tokens=["<end>"])
    >>> tok.encode("low lowest<end>", allowed_special="all")
    [257, 262, 263]
    >>> tok.decode([257, 262])
    'low lowest'
    """

    def __init__(
        self, spec: TokenizerSpec, *, engine: str | None = None, cache_bytes: int | None = None
    ) -> None:
        if not isinstance(spec, TokenizerSpec):
            raise InputTypeError(
                f"expected a TokenizerSpec, got {type(spec).__name__}. Use bytepair.train(...) or "
                "bytepair.load(path)."
            )
        if cache_bytes is not None:
            cache_bytes = at_least_one("cache_bytes", cache_bytes)
        Encoding.__init__(self, spec, engine, cache_bytes)
        Decoding.__init__(self, spec, engine)
        self._options = engine, cache_bytes
        self._special = {t.content: t.id for t in spec.added_tokens if t.special}

    def encode_single_token(self, text_or_bytes: str | bytes) -> TokenId:
        """The id of the token that is exactly this text; special tokens included.

        Raises:
            UnknownTokenError: no token is.
        """
        data = text_bytes(text_or_bytes)
        found = self._id_by_bytes.get(data)
        if found is None:
            raise UnknownTokenError(
                f"no token is exactly {data!r:.60}. encode() gives the tokens it is made of."
            )
        return found

    def inspect(self, text: str | bytes, *, allowed_special: Allowed = "all") -> Inspection:
        """The tokens of a text with their bytes and places."""
        spans = self._encoder.encode_spans(
            checked_text(text), self._cutters.of(allowed_special, ())
        )
        pieces: list[Piece] = []
        start = 0
        for token, is_added in zip(spans.ids.tolist(), spans.added.tolist(), strict=True):
            content = self._contents[token]
            end = start + len(content)
            pieces.append(Piece(token, content, start, end, is_added))
            start = end
        return Inspection(tuple(pieces))

    def explain(self, text: str | bytes, *, allowed_special: Allowed = "all") -> Explanation:
        """Why a text became its tokens: pre-tokens, merges in order, and where they stopped.

        Raises: as `encode`.

        Cost: all merges are replayed in Python, which is meant for looking at.
        """
        data = text_bytes(text)
        spans = self._encoder.encode_spans(data, self._cutters.of(allowed_special, ()))
        looked_for = self._cutters.looked_for(allowed_special)
        words = self._explainer.pre_tokens(data, looked_for)
        steps: list[WordSteps] = []
        for number, pieces in by_word(spans, self._contents):
            part = data[pieces[0].start : pieces[-1].end]
            if number < 0:
                steps.append(WordSteps(part, "added", (), (), pieces))
                continue
            word = self._explainer.word(words[number], pieces)
            has_space = part.startswith(b" ")
            steps.append(replace(word, has_space=has_space, elsewhere=self._elsewhere(part)))
        return Explanation(tuple(steps))

    def merge_tree(self, token: TokenId) -> MergeTree:
        """What a token is made of.

        Raises:
            UnknownTokenError: no token has this id.
        """
        self.decode_single_token_bytes(token)  # raises
        return self._explainer.tree(token)

    def shared_prefix(
        self, first: str | bytes, second: str | bytes, *, allowed_special: Allowed = "all"
    ) -> int:
        """How many leading tokens two texts share: what a prefix cache can use again.

        >>> import bytepair
        >>> tok = bytepair.train(["low lower"] * 3, vocab_size=258, special_tokens=[])
        >>> tok.shared_prefix("low lower", "low lowest")
        4
        """
        return self.cache_blocks(first, second, 1, allowed_special=allowed_special).shared

    def cache_blocks(
        self,
        first: str | bytes,
        second: str | bytes,
        size: int = 16,
        *,
        allowed_special: Allowed = "all",
    ) -> CacheBlocks:
        """What a server that caches blocks of `size` tokens keeps of one prompt for another.

        Raises:
            ArgumentError: `size` is not a whole number of 1 or more.
        """
        size = at_least_one("size", size)
        cutter = self._cutters.of(allowed_special, ())
        ids = [self._encoder.encode(checked_text(text), cutter) for text in (first, second)]
        return CacheBlocks(len(ids[0]), len(ids[1]), n_shared(*ids), size)

    def truncate(
        self, text: str, max_tokens: int, *, allowed_special: Allowed = frozenset()
    ) -> Truncation:
        """The beginning of a text, in whole characters, that so many tokens hold.

        Args:
            max_tokens: 1 or more.
            allowed_special: special tokens that count as such; all others are text.

        Raises:
            ArgumentError: `max_tokens` is no whole number of 1 or more.

        >>> import bytepair
        >>> tok = bytepair.train(["low lower"] * 3, vocab_size=258, special_tokens=[])
        >>> tok.truncate("low é", 2), tok.truncate("low", 9).is_truncated
        (Truncation(text='low ', rest='é', n_tokens=2), False)
        """
        n = at_least_one("max_tokens", max_tokens)
        offsets = self.encode_with_offsets(
            text, allowed_special=allowed_special, disallowed_special=()
        )[1]
        return truncated(
            text,
            [start for start, _ in offsets],
            n,
            lambda part: self.count(part, allowed_special=allowed_special, disallowed_special=()),
        )

    # ------------------------------------------------------------------ what it is

    @property
    def name(self) -> str:
        """What people call it."""
        return self.spec.name

    @property
    def pattern(self) -> str | None:
        """The pre-token regex; None: merges may go over a whole document."""
        return self.spec.rules.pattern

    @property
    def merges(self) -> MergeTable:
        """Which neighbours join, in the order of their rank."""
        return self.spec.merges

    @property
    def special_tokens(self) -> dict[str, TokenId]:
        """Content → id of the special tokens."""
        return dict(self._special)

    @property
    def special_tokens_set(self) -> set[str]:
        """The special tokens' contents."""
        return set(self._special)

    @property
    def vocab_size(self) -> int:
        """Number of tokens, special ones included. Ids may have gaps: see `n_vocab`."""
        return len(self._contents)

    @property
    def max_token_value(self) -> TokenId:
        """The largest id."""
        return int(self._contents.ids[-1])

    @property
    def n_vocab(self) -> int:
        """Largest id + 1: rows an embedding needs."""
        return self.max_token_value + 1

    @property
    def eot_token(self) -> TokenId:
        """Id of `<|endoftext|>`.

        Raises:
            UnknownTokenError: there is no such special token.
        """
        if "<|endoftext|>" not in self._special:
            raise UnknownTokenError("this tokenizer has no special token '<|endoftext|>'.")
        return self._special["<|endoftext|>"]

    def is_special_token(self, token: TokenId) -> bool:
        """True for the id of a special token."""
        return token in self._special.values()

    def token_byte_values(self) -> list[bytes]:
        """The bytes of all ordinary tokens, sorted."""
        return sorted(self.spec.vocabulary.tokens.values())

    def save(
        self,
        path: str | os.PathLike[str],
        format: str | None = None,  # noqa: A002  # the public name
    ) -> list[Path]:
        """Write the tokenizer; returns the files written. Each is replaced whole or not at all.

        Args:
            path: a folder or `*.json` (Hugging Face, bytepair's own), or `*.tiktoken`.
            format: "huggingface", "tiktoken" or "bytepair"; None: by the path, and "bytepair" for
                a tokenizer with residues, which no other format can say.

        Raises:
            ExportError: the format cannot express this tokenizer exactly; says why.
            SaveError: the files could not be written; nothing was changed.
        """
        return formats.write(self.spec, path, format)

    def save_pretrained(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write a folder that Hugging Face's libraries load; returns the files written.

        `tokenizer.json`; `tokenizer_config.json` with the named tokens and the longest input;
        `chat_template.jinja`. What an other tokenizer left there is removed.

        Raises:
            ExportError, SaveError: as `save`.
        """
        return self.save(folder, "huggingface")

    def with_conventions(
        self,
        *,
        chat_template: str | Mapping[str, str] | None = None,
        max_length: int | None = None,
        **named_tokens: str,
    ) -> "Tokenizer":
        """The same tokenizer, knowing more of how its models are spoken to. Ids do not change.

        Args:
            chat_template: Jinja; or several by name, "default" and "tool_use" among them.
            max_length: most ids that a model takes.
            named_tokens: `bos_token=`, `eos_token=`, `pad_token=`, … the content of an added token.

        Raises:
            ArgumentError: a name that is not known, or a token that the tokenizer does not have.

        >>> import bytepair
        >>> tok = bytepair.train(["hi"], vocab_size=257, special_tokens=["<end>"])
        >>> tok = tok.with_conventions(
        ...     eos_token="<end>", chat_template="{{ messages[0].content }}{{ eos_token }}"
        ... )
        >>> tok.apply_chat_template([{"role": "user", "content": "hi"}])
        [104, 105, 256]
        """
        spec = with_conventions(self.spec, chat_template, max_length, named_tokens)
        return Tokenizer(spec, engine=self._options[0], cache_bytes=self._options[1])

    def extend(
        self, corpus: Corpus | WordCounts, *, vocab_size: int, **options: Unpack[ExtendOptions]
    ) -> "Tokenizer":
        """A tokenizer with more tokens, learned from a corpus; all ids and merges stay.

        Args:
            corpus: as for `bytepair.train`, or its `WordCounts`, cut as this tokenizer cuts.
            vocab_size: all tokens, those there are and the new ones, which get the ids behind
                the largest.
            options: as for `bytepair.train`.

        Raises:
            ArgumentError: an option that cannot be right, or no room for a new token.
            CorpusError: missing, empty or damaged.

        >>> import bytepair
        >>> tok = bytepair.train(["low low"] * 9, vocab_size=258)
        >>> more = tok.extend(["lower lowest"] * 9, vocab_size=260)
        >>> [more.decode([token]) for token in range(256, 260)]
        ['lo', '<|endoftext|>', 'we', 'lowe']
        """
        from bytepair.pipeline import extend  # as in `prune`

        return extend(self, corpus, vocab_size=vocab_size, **options)

    def prune(
        self,
        corpus: Corpus | WordCounts,
        *,
        vocab_size: int | None = None,
        max_loss: int | None = None,
        max_cost: int | None = None,
        strategy: PruneStrategy = "leaves",
        keep: Iterable[str | bytes | TokenId] = (),
        held_out: Corpus | WordCounts | None = None,
        separator: str | bytes | None = None,
        text_field: str = "text",
        threads: int | None = None,
        progress: ProgressCallback | None = None,
    ) -> "PruneResult":
        """A smaller tokenizer without the tokens that a corpus misses least.

        Args:
            corpus: as for `bytepair.train`, or its `WordCounts`, cut as this tokenizer cuts.
            vocab_size, max_loss, max_cost, strategy, keep: how far, and what may go: see
                `VocabularyPruner`.
            held_out: text that is only measured, before and after.
            separator: cuts a text into documents and is dropped.
            threads: for counting; None: one a core.
            progress: called with a `Progress`, about ten times a second.

        Raises:
            ArgumentError: an option that cannot be right, or a size that cannot be reached.
            CorpusError: missing, empty or damaged, or none of its words tells anything.
            UnknownTokenError: a token to keep is not in the vocabulary.

        >>> import bytepair
        >>> tok = bytepair.train(["low lower lowest"] * 9, vocab_size=262, special_tokens=[])
        >>> result = tok.prune(["low lower lower"], vocab_size=260)
        >>> [token.data for token in result.report.removed]
        [b'st', b' lower']
        """
        # The one way from here to the other stages.
        from bytepair.pipeline import prune
        from bytepair.pruning import VocabularyPruner

        engine, _ = self._options
        pruner = VocabularyPruner(
            vocab_size=vocab_size,
            max_loss=max_loss,
            max_cost=max_cost,
            strategy=strategy,
            keep=keep,
            engine=engine,
        )
        return prune(
            self,
            corpus,
            pruner,
            held_out=held_out,
            separator=separator,
            text_field=text_field,
            threads=threads,
            engine=engine,
            progress=progress,
        )

    def __repr__(self) -> str:
        return f"<Tokenizer {self.name!r}: {self.vocab_size:,} tokens>"

    def __eq__(self, other: object) -> bool:
        return self.spec == other.spec if isinstance(other, Tokenizer) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.name, self.vocab_size))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.spec, *self._options)

    def __copy__(self) -> "Tokenizer":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "Tokenizer":
        return self  # immutable

    # ------------------------------------------------------------------ within

    def _elsewhere(self, word: bytes) -> tuple[TokenId, ...]:
        """The tokens of a word without the space before it or, if there is none, with one."""
        if not word.strip():
            return ()
        try:
            return tuple(self.encode_ordinary(word[1:] if word[:1] == b" " else b" " + word))
        except EncodeError:  # a space may have no token
            return ()

    @cached_property
    def _explainer(self) -> Explainer:
        return Explainer(self.spec, self._contents)

    @cached_property
    def _contents(self) -> Tokens:
        """All tokens, as they stand in text."""
        return all_contents(self.spec)

    @cached_property
    def _id_by_bytes(self) -> dict[bytes, TokenId]:
        added = {token.content.encode(): token.id for token in self.spec.added_tokens}
        return {**self.spec.vocabulary.id_by_bytes, **added}


def _rebuild(spec: TokenizerSpec, engine: str | None, cache_bytes: int | None) -> Tokenizer:
    return Tokenizer(spec, engine=engine, cache_bytes=cache_bytes)


def load(
    path: str | os.PathLike[str],
    *,
    pattern: str | None = None,
    special_tokens: dict[str, TokenId] | None = None,
    engine: str | None = None,
    cache_bytes: int | None = None,
) -> Tokenizer:
    """Read a tokenizer of any kind that the guide "Load" lists, or a folder that holds one.

    Args:
        pattern: name or regex, for files that do not say how text is cut (`.tiktoken`).
        special_tokens: content → id, likewise.
        engine: "native" or "python"; None: the one `bytepair.engine()` names.
        cache_bytes: limit of each cache of words seen; None: the engine's default.

    Raises:
        FormatError: missing, damaged, or something this version does not support; says what.
        MissingExtraError: SentencePiece's and GGUF's files need `bytepair[formats]`.
    """
    spec = formats.read(path, pattern=pattern, special_tokens=special_tokens)
    return Tokenizer(spec, engine=engine, cache_bytes=cache_bytes)
