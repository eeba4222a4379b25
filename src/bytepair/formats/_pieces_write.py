r"""A tokenizer as SentencePiece's list of scored pieces: the way back from `_pieces`.

What may be said so is what a rank table may say (docs/decisions/0003-merge-lists-and-ranks.md), but
that ranks are scores here, and need not ascend with the ids.
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from bytepair.errors import ExportError
from bytepair.formats._pieces import SPACE, Kind, PieceList, TextRules, text_steps
from bytepair.formats._replay import Making, orphan, replay_all
from bytepair.formats._spell import spell
from bytepair.formats._vocab import Spelling
from bytepair.model import (
    AddedToken,
    CharMap,
    DecoderStep,
    NormalizerStep,
    Prepend,
    Replace,
    Split,
    SplitRules,
    StripText,
    TokenId,
    TokenizerSpec,
)

_SPACES_SPELT = Replace(" ", SPACE)  # how Hugging Face's files of such tokenizers begin
_SPACES_BACK = Replace(SPACE, " ")
_PREFIX_OFF = StripText(" ", 1, 0)
_UNKNOWN = "<unk>"
_SURFACE = " \u2047 ".encode()  # what SentencePiece decodes it to, unless told otherwise
_NO_PIECES = PieceList("", (), (), ())


class TextForm(NamedTuple):
    """What is done to a text before merging, told from the steps that do it.

    Attributes:
        spells_spaces: tokens hold "\u2581" for a space, as those of Hugging Face's files do.
    """

    rules: TextRules
    spells_spaces: bool


def text_form(spec: TokenizerSpec) -> TextForm:
    """How this tokenizer treats texts.

    Raises:
        ExportError: in a way that SentencePiece has not.
    """
    form = _form(spec.rules.normalizer)
    if form is None or not _cuts_nothing(spec.rules, form):
        raise ExportError(
            f"SentencePiece spells spaces {SPACE!r}, puts one before a text or not, and cuts text "
            "nowhere; this tokenizer normalises or cuts text in another way. Save as 'huggingface'."
        )
    if spec.decoder != _decoder(form):
        raise ExportError(
            "SentencePiece decodes by putting pieces together, without the space before a text; "
            "this tokenizer decodes in another way. Save as 'huggingface'."
        )
    return form


def _form(steps: tuple[NormalizerStep, ...]) -> TextForm | None:
    if steps in ((Prepend(SPACE), _SPACES_SPELT), (_SPACES_SPELT,)):
        rules = TextRules((), dummy_prefix=len(steps) == 2, remove_extra_spaces=False)
        return TextForm(rules, spells_spaces=True)
    char_map = next((step.rules for step in steps if isinstance(step, CharMap)), ())
    for prefix in (True, False):
        for removes in (True, False):
            rules = TextRules(char_map, prefix, removes)
            if text_steps(_NO_PIECES, rules) == steps:
                return TextForm(rules, spells_spaces=False)
    return None


def _cuts_nothing(rules: SplitRules, form: TextForm) -> bool:
    # Gemma's file cuts at spaces when there are none any more.
    steps = [step for step in rules.steps if not (isinstance(step, Split) and step.pattern == " ")]
    is_cut = rules.pattern is not None or bool(steps)
    return not is_cut and (form.spells_spaces or not rules.steps)


def _decoder(form: TextForm) -> tuple[DecoderStep, ...]:
    spaces = (_SPACES_BACK,) if form.spells_spaces else ()
    return (*spaces, _PREFIX_OFF) if form.rules.dummy_prefix else spaces


def piece_list(
    spec: TokenizerSpec, form: TextForm, *, has_unknown: bool, has_symbols: bool
) -> PieceList:
    """The pieces; ids that are no tokens are pieces of the type UNUSED.

    Args:
        has_unknown: one piece must be of the type UNKNOWN.
        has_symbols: user-defined pieces are found in the text as it is after all rules.

    Raises:
        ExportError: SentencePiece would give other ids; the message names the token.
    """
    _check_lookups(spec)
    spellings = _spellings(spec, form)
    kinds = dict.fromkeys(spellings, Kind.NORMAL) | dict(
        _added_kinds(spec.added_tokens, has_symbols)
    )
    kinds |= dict.fromkeys(spec.vocabulary.byte_ids, Kind.BYTE)
    for token in spec.added_tokens:
        spellings[token.id] = token.content.replace(" ", SPACE) if token.verbatim else token.content
    if (unknown := _unknown(spec, is_needed=has_unknown)) is not None:
        spellings[unknown], kinds[unknown] = _UNKNOWN, Kind.UNKNOWN
    scores = _scores(spec, spellings)
    numbers = range(max(spellings) + 1)
    return PieceList(
        spec.name,
        [spellings.get(number, f"[PAD{number}]") for number in numbers],
        [scores.get(number, 0.0) for number in numbers],
        [kinds.get(number, Kind.UNUSED) for number in numbers],
    )


def _check_lookups(spec: TokenizerSpec) -> None:
    if spec.ignore_merges and (token := orphan(spec)) is not None:
        raise ExportError(
            f"token {token[:60]!r} is never made by merging, only by looking whole texts up, which "
            "SentencePiece does not. Save as 'huggingface'."
        )
    if not spec.vocabulary.byte_ids and not (spec.fuse_unk and spec.unk_id is not None):
        raise ExportError(
            "SentencePiece makes one unknown piece of neighbours without a token; this tokenizer "
            "does not. Save as 'huggingface'."
        )


def _spellings(spec: TokenizerSpec, form: TextForm) -> dict[TokenId, str]:
    spelling = Spelling(is_byte_level=False, has_fallback=bool(spec.vocabulary.byte_ids))
    spellings = spell(spec.vocabulary, spelling)
    foreign = SPACE if not form.spells_spaces else " "
    for number, text in spellings.items():
        if foreign in text and number != spec.unk_id:
            raise ExportError(
                f"token {number} ({text[:60]!r}) holds {foreign!r}, which no text has"
            )
    if form.spells_spaces:
        return spellings
    return {number: text.replace(" ", SPACE) for number, text in spellings.items()}


def _added_kinds(
    added: tuple[AddedToken, ...], has_symbols: bool
) -> Iterator[tuple[TokenId, Kind]]:
    for token in added:
        if not token.special and not (has_symbols and token.normalized and token.verbatim):
            raise ExportError(
                f"the added token {token.content!r} is not special: it is matched in every text, "
                "before spaces are spelt, and SentencePiece's pieces after that. Save as "
                "'huggingface'."
            )
        yield token.id, Kind.CONTROL if token.special else Kind.USER_DEFINED


def _unknown(spec: TokenizerSpec, *, is_needed: bool) -> TokenId | None:
    """The piece for what is unknown.

    A special token can play the part, but is then found in no text any more: only if `is_needed`.
    """
    for number, content in spec.vocabulary.tokens.items():
        if number == spec.unk_id or (not spec.merges.is_merge_list and content == _SURFACE):
            return number
    by_id = (token.id for token in spec.added_tokens if token.id == spec.unk_id)
    by_content = (token.id for token in spec.added_tokens if token.content == _UNKNOWN)
    found = next(chain(by_id, by_content), None)
    if is_needed and found is None:
        raise ExportError(
            "SentencePiece's models have a piece for what is unknown, and this tokenizer has no "
            "such token. Save as 'huggingface' or 'gguf'."
        )
    return found if is_needed else None


# ---------------------------------------------------------------------- scores


def _scores(spec: TokenizerSpec, spellings: Mapping[TokenId, str]) -> dict[TokenId, float]:
    """Piece that merging makes -> its score; what is joined first has the best."""
    making_by_token = {making.token: making for making in replay_all(spec)}
    added = {token.id for token in spec.added_tokens}
    others = {*spec.vocabulary.byte_ids, spec.unk_id, *added}
    others |= {n for n, text in spellings.items() if text == _UNKNOWN}
    # Where a user-defined symbol is, nothing is joined, there as here.
    symbols = [spellings[token.id] for token in spec.added_tokens if token.verbatim]
    for number in spec.vocabulary.tokens:
        making = making_by_token.get(number)
        text = spellings[number]
        if number not in others and len(text) > 1 and not any(s in text for s in symbols):
            _check_made(number, text, making)
    made = [making for making in making_by_token.values() if making.is_made]
    ranks = sorted({making.rank for making in made})
    score_by_rank = {rank: -float(place) for place, rank in enumerate(ranks)}
    lowest = -float(len(ranks))
    scores = {number: lowest for number in spec.vocabulary.tokens if number not in others}
    return scores | {making.token: score_by_rank[making.rank] for making in made}


def _check_made(number: TokenId, text: str, making: Making | None) -> None:
    shown = f"token {number} ({text[:60]!r})"
    if making is None:
        raise ExportError(
            f"{shown} holds a character without a token, which merging here does not start from, "
            "and SentencePiece's does. Save as 'huggingface'."
        )
    if not making.is_made and len(making.parts) == 2:
        raise ExportError(
            f"{shown} is never made by merging, but SentencePiece would make it from its two "
            "parts. Save as 'huggingface', which keeps the merges."
        )
