"""Read a Hugging Face `tokenizer.json` whose model is BPE."""

import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path

from bytepair.errors import BytepairWarning
from bytepair.formats._added import check_shared, ordinary_ids, read_added
from bytepair.formats._components import (
    check_decoder,
    check_post_processor,
    read_normalizer,
    read_pre_tokenizer,
)
from bytepair.formats._json import Section, read_object
from bytepair.formats._training import attach_training
from bytepair.formats._vocab import byte_level_vocabulary, fallback_vocabulary, read_ids
from bytepair.model import AddedToken, MergeTable, SplitRules, TokenId, TokenizerSpec, Vocabulary


def read_huggingface(path: Path) -> TokenizerSpec:
    """The tokenizer in a `tokenizer.json`, with the `training.json` beside it if there is one.

    Ids in the file are kept as they are, gaps and added tokens beyond the end included.

    Raises:
        FormatError: the file is damaged, contradicts itself, or holds something that would change
            ids and is not supported; the message names file and member.
    """
    root = read_object(path)
    _check_frame(root)
    model = _model(root)
    normalizer = read_normalizer(root)
    pattern, is_byte_level = read_pre_tokenizer(root)
    _check_no_text_vanishes(model, is_byte_level=is_byte_level)
    check_decoder(root, is_byte_level=is_byte_level)
    check_post_processor(root)
    added = read_added(root, has_normalizer=bool(normalizer))
    vocabulary, merges = _tokens(model, added, is_byte_level=is_byte_level)
    rules = SplitRules(pattern, normalizer, tuple(t.content for t in added if t.special))
    spec = TokenizerSpec(
        vocabulary,
        merges,
        rules,
        added,
        alphabet="bytes" if is_byte_level else "chars",
        ignore_merges=model.get("ignore_merges", bool, False),
        name=_name(path),
    )
    _warn_of_unasked(root)
    return attach_training(spec, path.with_name("training.json"))


def _check_frame(root: Section) -> None:
    if "model" not in root.members:
        keys = ", ".join(sorted(root.members)[:5]) or "nothing"
        raise root.error(
            f"this is not a tokenizer.json: it has no 'model' (it holds: {keys}). "
            "Supported: tokenizer.json of Hugging Face, and .tiktoken files."
        )
    version = root.optional("version", str)
    if version not in {None, "1.0"}:
        raise root.error(f"version {version!r} is not supported (known: 1.0)")
    for key in ("truncation", "padding"):
        if root.any(key) is not None:
            raise root.error(
                f"{key} is set, which changes ids and is not supported; set it to null"
            )


def _model(root: Section) -> Section:
    """The model's section, once nothing in it asks for what is not supported."""
    model = root.section("model")
    if "type" in model.members or "merges" not in model.members:
        model.known_type(("BPE",))
    for key in ("continuing_subword_prefix", "end_of_word_suffix"):
        if model.optional(key, str):
            raise model.error(f"{model.path(key)} {model.any(key)!r} is not supported")
    if model.any("dropout") not in (None, 0):
        raise model.error(f"{model.path('dropout')} {model.any('dropout')!r} is not supported")
    # Neither has an effect in what is accepted here: every byte has a token, so none is unknown.
    model.ignore("unk_token", "fuse_unk")
    return model


def _check_no_text_vanishes(model: Section, *, is_byte_level: bool) -> None:
    if not (model.get("byte_fallback", bool, False) or is_byte_level):
        raise model.error(
            "there is neither a ByteLevel pre_tokenizer nor model.byte_fallback: characters "
            "without a token would vanish, which is not supported"
        )


def _tokens(
    model: Section, added: tuple[AddedToken, ...], *, is_byte_level: bool
) -> tuple[Vocabulary, MergeTable]:
    ids = read_ids(model)
    merges = MergeTable.from_merges(_merges(model, ids))
    ordinary = ordinary_ids(model, ids, added, merges, is_byte_level=is_byte_level)
    if is_byte_level:
        vocabulary = byte_level_vocabulary(model, ordinary)
    else:
        vocabulary = fallback_vocabulary(model, ordinary)
        _check_no_byte_merges(model, vocabulary, merges)
    check_shared(model, added, vocabulary)
    return vocabulary, merges


def _check_no_byte_merges(model: Section, vocabulary: Vocabulary, merges: MergeTable) -> None:
    # Hugging Face would decode such a token as its spelling, not as its bytes.
    byte_ids = set(vocabulary.byte_ids)
    for place, (left, right, joined, _) in enumerate(merges):
        if not byte_ids.isdisjoint((left, right, joined)):
            raise model.error(
                f"{model.path('merges')}[{place}] takes part in byte fallback, which is not "
                "supported"
            )


def _merges(
    model: Section, ids: Mapping[str, TokenId]
) -> Iterator[tuple[TokenId, TokenId, TokenId]]:
    """Each merge as ids; both spellings of a merge, "a b" and ["a", "b"], are understood."""
    first_seen: dict[tuple[TokenId, TokenId], int] = {}
    merges: list[object] = model.get("merges", list)
    for place, merge in enumerate(merges):
        left, right = _parts(model, place, merge)
        try:
            pair, joined = (ids[left], ids[right]), ids[left + right]
        except KeyError as error:
            raise model.error(
                f"{model.path('merges')}[{place}]: {left!r} and {right!r} give "
                f"{left + right!r}, but {error.args[0]!r} is not in {model.path('vocab')}"
            ) from None
        if (first := first_seen.setdefault(pair, place)) != place:
            raise model.error(
                f"{model.path('merges')}[{place}]: {left!r} and {right!r} were already merged "
                f"by merges[{first}]"
            )
        yield (*pair, joined)


def _parts(model: Section, place: int, merge: object) -> tuple[str, str]:
    parts = merge.split(" ") if isinstance(merge, str) else merge
    match parts:
        case [str(left), str(right)] if left and right:
            return left, right
    raise model.error(
        f'{model.path("merges")}[{place}] must be two tokens, as "a b" or ["a", "b"], '
        f"got {str(merge)[:60]!r}"
    )


def _name(path: Path) -> str:
    return path.stem if path.stem != "tokenizer" else path.absolute().parent.name or "bytepair"


def _warn_of_unasked(root: Section) -> None:
    unknown = sorted(set(root.unasked()))
    if unknown:
        shown = ", ".join(unknown[:8]) + (", …" if len(unknown) > 8 else "")
        warnings.warn(
            f"{root.source}: ignored members this version does not know: {shown}",
            BytepairWarning,
            stacklevel=4,
        )
