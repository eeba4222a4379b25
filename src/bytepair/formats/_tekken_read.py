"""Read Mistral's `tekken.json`: a rank table whose ids begin behind the special tokens.

Source: `tekken.py` of Mistral's `mistral_common`.
"""

import binascii
from collections.abc import Iterator
from pathlib import Path

from bytepair.errors import PatternError
from bytepair.formats._json import Section, read_object
from bytepair.formats._names import tokenizer_name
from bytepair.formats._tiktoken_read import rank_spec
from bytepair.model import AddedToken, TokenizerSpec, Tokens

_VERSIONS = ("v1", "v2", "v3", "v7", "v11", "v13", "v15")
# What files up to v7 mean that list no special tokens.
_DEFAULT_SPECIALS = (
    *("<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"),
    *("[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]"),
    *("[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"),
    "[TOOL_CONTENT]",
)
_MOST_SPECIALS = 1_000_000  # a number in the file alone must not fill the memory
_WITH_DEFAULTS = _VERSIONS[: _VERSIONS.index("v7") + 1]


def read_tekken(path: Path) -> TokenizerSpec:
    """The tokenizer in a `tekken.json`, cut to the size it names.

    The ids of a text are those of `Tekkenizer.encode` without begin and end.

    Raises:
        FormatError: the file is damaged, contradicts itself, or is of a version not known.
    """
    root = read_object(path)
    config = root.section("config")
    version = config.get("version", str)
    if version not in _VERSIONS:
        raise config.error(
            f"{config.path('version')} {version[:60]!r} is not supported "
            f"(known: {', '.join(_VERSIONS)})"
        )
    n_special = config.get("default_num_special_tokens", int)
    if not 0 <= n_special <= _MOST_SPECIALS:
        raise config.error(
            f"{config.path('default_num_special_tokens')} is {n_special}; wanted 0 to "
            f"{_MOST_SPECIALS}"
        )
    added = tuple(_specials(root, n_special, version))
    n_ordinary = config.get("default_vocab_size", int) - n_special
    tokens = list(_tokens(root, n_ordinary))
    if len(set(tokens)) < n_ordinary:
        raise root.error("vocab has a token twice")
    try:
        return rank_spec(
            root.source,
            Tokens.of(dict(enumerate(tokens, n_special))),
            added,
            pattern=config.get("pattern", str),
            name=tokenizer_name(path),
        )
    except PatternError as error:
        raise root.error(f"{config.path('pattern')}: {error}") from error


def _tokens(root: Section, n_tokens: int) -> Iterator[bytes]:
    vocab: list[object] = root.get("vocab", list)
    if not 0 < n_tokens <= len(vocab):
        raise root.error(f"config wants {n_tokens} ordinary tokens, but vocab has {len(vocab)}")
    for place, entry in enumerate(vocab[:n_tokens]):
        match entry:
            case {"rank": rank, "token_bytes": str(encoded)} if rank == place:
                yield _token(root, place, encoded)
            case {"rank": rank, "token_bytes": str()}:
                raise root.error(f"vocab[{place}].rank must be {place}, got {str(rank)[:60]}")
            case _:
                raise root.error(f"vocab[{place}] must have a rank and token_bytes")


def _token(root: Section, place: int, encoded: str) -> bytes:
    try:
        token = binascii.a2b_base64(encoded.encode(), strict_mode=True)
    except (binascii.Error, UnicodeEncodeError) as error:
        raise root.error(f"vocab[{place}].token_bytes is not base64 ({error})") from error
    if not token:
        raise root.error(f"vocab[{place}].token_bytes is empty")
    return token


def _specials(root: Section, n_special: int, version: str) -> Iterator[AddedToken]:
    """The special tokens, by id; those without a name are called `<SPECIAL_20>`."""
    contents = _special_contents(root, version)
    if len(contents) > n_special:
        raise root.error(
            f"special_tokens has {len(contents)} tokens, but config says there are {n_special}"
        )
    contents += [f"<SPECIAL_{number}>" for number in range(len(contents), n_special)]
    seen: dict[str, int] = {}
    for number, content in enumerate(contents):
        if (other := seen.setdefault(content, number)) != number:
            raise root.error(f"special tokens {other} and {number} are both {content[:60]!r}")
        yield AddedToken(content, number)


def _special_contents(root: Section, version: str) -> list[str]:
    if root.any("special_tokens") is None:
        if version in _WITH_DEFAULTS:
            return list(_DEFAULT_SPECIALS)
        raise root.error(f"special_tokens is missing, which a file of version {version} must have")
    contents = []
    for place, section in enumerate(root.sections("special_tokens")):
        if (rank := section.get("rank", int)) != place:
            raise section.error(f"{section.path('rank')} must be {place}, got {rank}")
        content = section.get("token_str", str)
        if not content:
            raise section.error(f"{section.path('token_str')} is empty")
        contents.append(content)
    return contents
