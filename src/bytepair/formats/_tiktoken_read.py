"""Read a tiktoken rank file: lines of a token in base64 and its rank.

What such a file lacks (pattern, special tokens) comes from arguments or a sidecar, or is known
because the file is one that was published.
"""

import binascii
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import numpy as np

from bytepair.errors import ArgumentError, FormatError, PatternError
from bytepair.formats._entries import core
from bytepair.formats._halves import halves
from bytepair.formats._json import Section, read_bytes, read_object
from bytepair.formats._names import tokenizer_name
from bytepair.formats._published import PUBLISHED, RankFacts
from bytepair.formats._vocab import ID_LIMIT, check_id, missing_bytes
from bytepair.model import (
    AddedToken,
    MergeTable,
    NormalizerStep,
    SplitRules,
    TokenId,
    TokenizerSpec,
    Tokens,
    Vocabulary,
)
from bytepair.patterns import NAMED, check_cuts, resolve

SIDECAR_VERSION = 1


def sidecar_path(path: Path) -> Path:
    """Where the sidecar of a rank file is."""
    return path.with_name(path.name + ".json")


def read_tiktoken(
    path: Path, *, pattern: str | None = None, special_tokens: Mapping[str, TokenId] | None = None
) -> TokenizerSpec:
    """The tokenizer in a rank file.

    Args:
        path: the `.tiktoken` file.
        pattern: a name or a regex. Without it the sidecar says how text is cut, or else what is
            known of the file if it is a published one.
        special_tokens: content -> id; likewise.

    Raises:
        FormatError: a damaged line (its number is named), a byte without a token, no pattern.
        ArgumentError: special tokens that are empty, no ids, or contradict the file.
        PatternError: the pattern is not a known name, or not a usable regex.
    """
    data = read_bytes(path)
    published = PUBLISHED.get(sha256(data).hexdigest())
    tokens = _ranks(path, data, published)
    facts = _sidecar(path) if pattern is None or special_tokens is None else None
    if pattern is not None:
        facts = RankFacts(
            facts.name if facts else tokenizer_name(path),
            resolve(pattern),
            facts.special_tokens if facts else {},
        )
    facts = facts or published
    if facts is None:
        raise _no_pattern(path)
    if special_tokens is None:
        special_tokens = facts.special_tokens
    return rank_spec(
        str(path),
        tokens,
        _added(path, special_tokens, tokens),
        pattern=facts.pattern,
        normalizer=facts.normalizer,
        name=facts.name,
    )


def rank_spec(
    source: str,
    tokens: Tokens,
    added: tuple[AddedToken, ...],
    *,
    pattern: str | None,
    name: str,
    normalizer: tuple[NormalizerStep, ...] = (),
) -> TokenizerSpec:
    """The tokenizer that tiktoken makes of ranks, which are also the ids.

    Raises:
        FormatError: a byte without a token; `source` names the file.
        PatternError: the pattern cannot cut text.
    """
    if pattern is not None:
        check_cuts(pattern)
    return TokenizerSpec(
        _vocabulary(source, tokens),
        rank_table(tokens),
        SplitRules(pattern, normalizer, tuple(token.content for token in added)),
        added,
        ignore_merges=True,
        name=name,
    )


def _no_pattern(path: Path) -> FormatError:
    return FormatError(
        f"{path}: a rank file does not say how text is cut, and without the right pattern all ids "
        "would be wrong. This one is not among the published files that are known. Pass pattern= "
        f"(a regex, or one of: {', '.join(NAMED)}), or put {sidecar_path(path).name} beside it."
    )


def _ranks(path: Path, data: bytes, published: RankFacts | None) -> Tokens:
    """Rank -> token. The core reads what is plainly sound."""
    compiled = core()
    if compiled is not None and (columns := compiled.read_ranks(data)) is not None:
        return Tokens(*columns)
    rank_by_token: dict[bytes, TokenId] = {}
    line_by_rank: dict[TokenId, int] = {}
    has_empty = published is not None and published.has_empty_token
    for number, line in enumerate(data.splitlines(), 1):
        if not line.strip() or (has_empty and line.startswith(b"= ")):
            continue
        token, rank = _entry(path, number, line)
        if token in rank_by_token:
            first = line_by_rank[rank_by_token[token]]
            raise _error(
                path, number, f"the token {token[:60]!r} was already given on line {first}"
            )
        if (first := line_by_rank.setdefault(rank, number)) != number:
            raise _error(path, number, f"the rank {rank} was already used on line {first}")
        rank_by_token[token] = rank
    return Tokens.of({rank: token for token, rank in rank_by_token.items()})


def _entry(path: Path, number: int, line: bytes) -> tuple[bytes, TokenId]:
    match line.split():
        case [encoded, rank] if rank.isdigit() and len(rank) < 11 and int(rank) < ID_LIMIT:
            return _token(path, number, encoded), int(rank)
        case [encoded, rank]:
            _token(path, number, encoded)
            raise _error(path, number, f"{_shown(rank)} is no rank (0 to {ID_LIMIT - 1})")
    raise _error(path, number, f"wanted a token in base64 and its rank, got {_shown(line)}")


def _token(path: Path, number: int, encoded: bytes) -> bytes:
    try:
        token = binascii.a2b_base64(encoded, strict_mode=True)
    except binascii.Error as error:
        raise _error(path, number, f"{_shown(encoded)} is not base64 ({error})") from error
    if not token:
        raise _error(path, number, "an empty token")
    return token


def _shown(part: bytes) -> str:
    return repr(part[:60])[1:]  # as text, but with escapes for what is not ASCII


def _error(path: Path, number: int, what: str) -> FormatError:
    return FormatError(f"{path}:{number}: {what}")


def _vocabulary(source: str, tokens: Tokens) -> Vocabulary:
    singles = np.flatnonzero(np.diff(tokens.offsets) == 1)
    contents = np.frombuffer(tokens.data, np.uint8)[tokens.offsets[singles]]
    id_by_byte = dict(zip(contents.tolist(), tokens.ids[singles].tolist(), strict=True))
    missing = [byte for byte in range(256) if byte not in id_by_byte]
    if missing:
        raise FormatError(f"{source}: {missing_bytes(missing)}")
    return Vocabulary(tokens, tuple(id_by_byte[byte] for byte in range(256)))


def rank_table(tokens: Tokens) -> MergeTable:
    """Every way to put a token together from two others; its rank is the id of the token.

    tiktoken joins two neighbours whenever their bytes together are a token, whatever the parts.

    >>> list(rank_table(Tokens.of({0: b"a", 1: b"b", 2: b"ab"})))
    [(0, 1, 2, 2)]
    """
    left, right, joined = halves(tokens)
    return MergeTable(left, right, joined, joined.copy())


def _sidecar(path: Path) -> RankFacts | None:
    """What stands beside the rank file, or None."""
    if not sidecar_path(path).is_file():
        return None
    root = read_object(sidecar_path(path))
    if (version := root.get("version", int, SIDECAR_VERSION)) != SIDECAR_VERSION:
        raise root.error(f"version {version} is not supported (known: {SIDECAR_VERSION})")
    key = "pattern" if "pattern" in root.members else "pat_str"
    pattern = root.get(key, str) if root.members.get(key, "") is not None else None
    try:
        if pattern is not None:
            check_cuts(pattern)
    except PatternError as error:
        raise root.error(f"{key}: {error}") from error
    _require_same_ranks(root, path)
    specials = _open_specials(root)
    return RankFacts(root.name(tokenizer_name(path)), pattern, specials)


def _require_same_ranks(root: Section, path: Path) -> None:
    digest = root.get("ranks_sha256", str, "")
    if digest and digest != sha256(read_bytes(path)).hexdigest():
        raise root.error(
            f"this sidecar belongs to another rank file than the one beside it, {path.name}: was "
            "saving interrupted, or one of the two replaced? Save the tokenizer again, or pass "
            "pattern= and special_tokens= to do without the sidecar."
        )


def _open_specials(root: Section) -> dict[str, TokenId]:
    specials: dict[str, object] = root.get("special_tokens", dict, {})
    if "" in specials:
        raise root.error("special_tokens: an empty token would match everywhere")
    for content in specials:
        root.check_text(f"special_tokens: {content[:60]!r}", content)
    return {
        content: check_id(root, f"special_tokens[{content[:60]!r}]", number)
        for content, number in specials.items()
    }


def _added(
    path: Path, special_tokens: Mapping[str, TokenId], tokens: Tokens
) -> tuple[AddedToken, ...]:
    taken: dict[TokenId, str] = {}
    for content, number in special_tokens.items():
        if not content:
            raise ArgumentError("special_tokens: a special token must not be empty")
        if type(number) is not int or not 0 <= number < ID_LIMIT:
            raise ArgumentError(
                f"special_tokens: the id of {content!r} is {number!r}; wanted a whole number from "
                f"0 to {ID_LIMIT - 1}"
            )
        if (other := tokens.get(number, taken.setdefault(number, content))) is not content:
            raise FormatError(
                f"{path}: id {number} is given to both the special token {content!r} and {other!r}"
            )
    added = (AddedToken(content, number) for content, number in special_tokens.items())
    return tuple(sorted(added, key=lambda token: token.id))
