"""What the page at `/` asks besides: into a vocabulary, what pruning would change, training."""

import warnings
from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

import bytepair
from bytepair.errors import BytepairWarning
from bytepair.evaluation import parallel_texts, read_prices
from bytepair.model import TrainingRecord, to_utf8
from bytepair.server._errors import invalid
from bytepair.server._http import Call
from bytepair.server._patterns import require_named
from bytepair.server._schemas import Allowed, Id, parse
from bytepair.server._tokenizers import Served, Tokenizers, require_id
from bytepair.server._work import special
from bytepair.tokenizer import MergeTree

_NEIGHBOURS = 5
_MOST_TRAINED = 1 << 20  # bytes
_MOST_PRUNED = 4 << 20
_MOST_TREE = 1 << 14  # rows


class TokenRequest(Struct, forbid_unknown_fields=True, kw_only=True):
    """A token that is to be looked at."""

    id: Id
    tokenizer: str | None = None


class TokenRow(Struct):
    """A token; bytes in hexadecimal, text null where they are no whole characters."""

    id: int
    text: str | None
    bytes: str
    special: bool
    rank: int | None


class TreeRow(Struct):
    """A part of a token, as deep within it as `depth` says, in the order of reading."""

    depth: int
    id: int
    bytes: str
    rank: int | None


class TokenAnswer(Struct):
    """A token, what it is made of, and the tokens with ids beside its own."""

    tokenizer: str
    token: TokenRow
    tree: list[TreeRow]
    neighbours: list[TokenRow]


class VocabularyRequest(Struct, forbid_unknown_fields=True, kw_only=True):
    """Which tokens to list: those that hold `search`, of such lengths in bytes."""

    tokenizer: str | None = None
    search: str = ""
    script: str | None = None
    shortest: Annotated[int, Meta(ge=0)] = 0
    longest: Annotated[int, Meta(ge=0)] | None = None
    only_special: bool = False
    order: Literal["id", "length", "rank"] = "id"
    offset: Annotated[int, Meta(ge=0)] = 0
    limit: Annotated[int, Meta(ge=1, le=1000)] = 100


class VocabularyAnswer(Struct):
    """Some of the tokens that were asked for; `total`: how many there are."""

    tokenizer: str
    total: int
    tokens: list[TokenRow]


class PrefixRequest(Struct, forbid_unknown_fields=True, kw_only=True):
    """Two prompts, and the sizes of a cache's blocks in tokens."""

    first: str
    second: str
    tokenizer: str | None = None
    allowed_special: Allowed = "all"
    sizes: Annotated[list[Annotated[int, Meta(ge=1, le=1 << 31)]], Meta(max_length=32)] = (
        msgspec.field(default_factory=lambda: [16, 32, 64, 128])
    )


class BlocksAnswer(Struct):
    """What a cache of blocks keeps of the first prompt for the second, in tokens."""

    size: int
    blocks: int
    reused: int
    computed: int


class PrefixAnswer(Struct):
    """How many tokens two prompts have, and share at their beginning."""

    tokenizer: str
    first: int
    second: int
    shared: int
    caches: list[BlocksAnswer]


class LanguageAnswer(Struct):
    """The same sentences in one language."""

    code: str
    language: str
    sentences: list[str]


class LanguagesAnswer(Struct):
    """Sentences that say the same; English is the first."""

    languages: list[LanguageAnswer]


class PricesAnswer(Struct):
    """Of a million tokens, by tokenizer; "*": of all others."""

    currency: str
    per_million_tokens: dict[str, float]


class TrainRequest(Struct, forbid_unknown_fields=True, kw_only=True):
    """A text to learn merges from, and by which of the named patterns it is cut; null: by none."""

    text: str
    n_merges: Annotated[int, Meta(ge=1, le=20_000)] = 200
    pattern: Annotated[str, Meta(examples=["o200k"])] | None = "o200k"


class LearnedMerge(Struct):
    """A merge: what was joined (hexadecimal), the new id, how often the pair occurred."""

    left: str
    right: str
    id: int
    count: int


class TrainAnswer(Struct):
    """The merges in the order in which they were learned."""

    merges: list[LearnedMerge]


class PruneRequest(Struct, forbid_unknown_fields=True, kw_only=True):
    """A text, and how many tokens are to be left; none: as few as there can be."""

    text: str
    tokenizer: str | None = None
    vocab_size: Annotated[int, Meta(ge=1)] | None = None
    strategy: Literal["leaves", "whole-words", "residues"] = "leaves"


class PruneAnswer(Struct):
    """What pruning would remove, first that which costs least, and what each removal costs.

    The tokens of the text after so many removals are `n_tokens` plus the costs of these.
    """

    tokenizer: str
    n_tokens: int
    removed: list[int]
    costs: list[int]
    unreachable: list[int]
    residues: list[int]
    unused: list[int]


_TOKEN = msgspec.json.Decoder(TokenRequest)
_VOCABULARY = msgspec.json.Decoder(VocabularyRequest)
_PREFIX = msgspec.json.Decoder(PrefixRequest)
_TRAIN = msgspec.json.Decoder(TrainRequest)
_PRUNE = msgspec.json.Decoder(PruneRequest)


class Lab:
    """The endpoints, as functions of a call."""

    def __init__(self, tokenizers: Tokenizers) -> None:
        self._tokenizers = tokenizers

    def token(self, call: Call) -> TokenAnswer:
        """One token's card."""
        request = parse(_TOKEN, call)
        served = self._tokenizers.get(request.tokenizer)
        require_id(served, request.id)
        tree = served.tokenizer.merge_tree(request.id)
        near = range(max(0, request.id - _NEIGHBOURS), request.id + _NEIGHBOURS + 1)
        beside = [_row(served, i) for i in near if i in served.contents and i != request.id]
        return TokenAnswer(served.name, _row(served, request.id), list(_tree(tree)), beside)

    def vocabulary(self, call: Call) -> VocabularyAnswer:
        """Tokens by what they hold."""
        request = parse(_VOCABULARY, call)
        served = self._tokenizers.get(request.tokenizer)
        ids = [token for token in served.contents if _is_wanted(served, request, token)]
        if request.order == "length":
            ids.sort(key=lambda token: (-len(served.contents[token]), token))
        elif request.order == "rank":
            last = len(served.tokenizer.merges)
            ids.sort(key=lambda token: (served.ranks.get(token, last), token))
        page = ids[request.offset : request.offset + request.limit]
        return VocabularyAnswer(served.name, len(ids), [_row(served, token) for token in page])

    def prefix(self, call: Call) -> PrefixAnswer:
        """What two prompts share."""
        request = parse(_PREFIX, call)
        served = self._tokenizers.get(request.tokenizer)
        allowed = special(request.allowed_special)
        found = served.tokenizer.cache_blocks(
            request.first, request.second, 1, allowed_special=allowed
        )
        caches = []
        for size in request.sizes:
            blocks = found.shared // size
            reused = blocks * size
            caches.append(BlocksAnswer(size, blocks, reused, found.second - reused))
        return PrefixAnswer(served.name, found.first, found.second, found.shared, caches)

    def languages(self, call: Call) -> LanguagesAnswer:  # noqa: ARG002  # as all endpoints
        """The sentences that come with the library."""
        return LanguagesAnswer(
            [LanguageAnswer(t.code, t.language, [*t.sentences]) for t in parallel_texts()]
        )

    def prices(self, call: Call) -> PricesAnswer:  # noqa: ARG002  # as all endpoints
        """The price table that comes with the library."""
        prices = read_prices()
        return PricesAnswer(prices.currency, prices.by_name)

    def train(self, call: Call) -> TrainAnswer:
        """Merges of a text."""
        request = parse(_TRAIN, call)
        require_named(request.pattern)
        data = _limited(request.text, _MOST_TRAINED)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BytepairWarning)  # fewer merges than asked for
            tokenizer = bytepair.train(
                [data],
                vocab_size=256 + request.n_merges,
                pattern=request.pattern,
                special_tokens=[],
                threads=1,
            )
        contents = tokenizer.spec.vocabulary.tokens
        counts = (tokenizer.spec.training or TrainingRecord()).merge_counts
        merges = [
            LearnedMerge(contents[left].hex(), contents[right].hex(), joined, count)
            for (left, right, joined, _), count in zip(tokenizer.merges, counts, strict=True)
        ]
        return TrainAnswer(merges)

    def prune(self, call: Call) -> PruneAnswer:
        """What a text would miss least."""
        request = parse(_PRUNE, call)
        served = self._tokenizers.get(request.tokenizer)
        data = _limited(request.text, _MOST_PRUNED)
        report = served.tokenizer.prune(
            [data],
            vocab_size=request.vocab_size,
            max_loss=1 << 62 if request.vocab_size is None else None,
            strategy=request.strategy,
            threads=1,
        ).report
        return PruneAnswer(
            served.name,
            report.corpus.tokens_before,
            [token.id for token in report.removed],
            [token.cost for token in report.removed],
            [*report.idle.unreachable],
            [*report.idle.residues],
            [*report.idle.unused],
        )


def _limited(text: str, most: int) -> bytes:
    """As bytes: a `str` could name a file, which the library would ask about."""
    data = to_utf8(text)
    if len(data) > most:
        raise invalid(f"longer than {most} bytes.", "text", "text_too_long")
    if not data:
        raise invalid("the text is empty.", "text")
    return data


def _row(served: Served, token: int) -> TokenRow:
    data = served.contents[token]
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = None
    is_special = served.tokenizer.is_special_token(token)
    return TokenRow(token, text, data.hex(), is_special, served.ranks.get(token))


def _tree(tree: MergeTree) -> Iterator[TreeRow]:
    for number, (drawn, part) in enumerate(tree.rows()):
        if number >= _MOST_TREE:
            return
        rank = part.rank if part.parts else None
        yield TreeRow(len(drawn) // 3, part.id, part.data.hex(), rank)


def _is_wanted(served: Served, request: VocabularyRequest, token: int) -> bool:
    data = served.contents[token]
    if not request.shortest <= len(data) <= (request.longest or len(data)):
        return False
    if request.search and to_utf8(request.search) not in data:
        return False
    if request.only_special and not served.tokenizer.is_special_token(token):
        return False
    return request.script is None or _has_script(data, request.script)


def _has_script(data: bytes, script: str) -> bool:
    """True if a letter's name in Unicode begins with it: LATIN, CYRILLIC, CJK, HANGUL."""
    from unicodedata import name

    text = data.decode("utf-8", "ignore")
    wanted = script.upper() + " "
    return any(name(character, "").startswith(wanted) for character in text if character.isalpha())
