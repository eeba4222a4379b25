"""Scored pieces in this package's terms: ranks, symbols, what texts go through."""

from typing import NamedTuple

import pytest

from bytepair.errors import FormatError
from bytepair.formats._pieces import Kind, PieceList, TextRules, pieces_spec
from bytepair.model import AddedToken, CharMap, Prepend, Replace, StripText


class Piece(NamedTuple):
    """One row of the list."""

    text: str
    score: float
    kind: Kind


UNK = Piece("<unk>", 0.0, Kind.UNKNOWN)
AS_IT_IS = TextRules(dummy_prefix=False, remove_extra_spaces=False)


def normal(**score_by_text):
    """Ordinary pieces."""
    return [Piece(text, score, Kind.NORMAL) for text, score in score_by_text.items()]


def of(pieces, rules=AS_IT_IS, **options):
    """The tokenizer of these pieces."""
    return pieces_spec(PieceList("x.model", *zip(*pieces, strict=True)), rules, name="x", **options)


def test_every_way_to_make_a_piece_is_a_merge_ranked_by_its_score():
    """SentencePiece asks only whether two neighbours together are a piece, the best score first."""
    spec = of([UNK, *normal(a=-9.0, b=-9.0, ab=-2.0, ba=-1.0, aba=-3.0)])
    assert list(spec.merges) == [(2, 1, 4, 0), (1, 2, 3, 1), (1, 4, 5, 2), (3, 1, 5, 2)]


def test_pieces_of_one_score_share_a_rank():
    """Then the leftmost site is joined first, as for SentencePiece."""
    spec = of([UNK, *normal(a=-9.0, b=-9.0, aa=-1.0, ab=-1.0)])
    assert spec.merges.rank.tolist() == [0, 0]


def test_the_sign_for_spaces_is_a_space():
    """So that decoding is joining; a sign that stands in a text becomes a space too."""
    spec = of([UNK, *normal(**{"▁": -1.0, "a": -2.0, "▁a": 0.0})])
    assert spec.vocabulary.tokens == {0: " ⁇ ".encode(), 1: b" ", 2: b"a", 3: b" a"}
    assert spec.rules.normalizer == (Replace("▁", " "),)


def test_unknown_characters_are_one_unknown_token():
    """Neighbours are fused; it decodes to what the file says."""
    spec = of([UNK, *normal(a=0.0)], unk_surface=" ?? ")
    assert (spec.unk_id, spec.fuse_unk, spec.alphabet) == (0, True, "chars")
    assert spec.vocabulary.tokens[0] == b" ?? "


def test_with_byte_pieces_nothing_is_unknown():
    """The bytes keep their ids; the character and the byte of the same value are two tokens."""
    pieces = [UNK, *(Piece(f"<0x{byte:02X}>", 0.0, Kind.BYTE) for byte in range(256))]
    spec = of([*pieces, *normal(a=0.0)])
    assert spec.vocabulary.byte_ids == tuple(range(1, 257))
    assert (spec.unk_id, spec.fuse_unk) == (None, False)
    assert spec.vocabulary.tokens[98] == spec.vocabulary.tokens[257] == b"a"


def test_control_pieces_are_special_and_user_defined_ones_always_matched():
    """The latter in the text as the normaliser left it, and as they stand."""
    pieces = [UNK, Piece("<s>", 0.0, Kind.CONTROL), Piece("▁▁", 0.0, Kind.USER_DEFINED)]
    spec = of(pieces)
    symbol = AddedToken("  ", 2, special=False, normalized=True, verbatim=True)
    assert spec.added_tokens == (AddedToken("<s>", 1), symbol)
    assert spec.rules.special_tokens == ("<s>",)
    assert 2 not in spec.vocabulary.tokens


def test_nothing_is_joined_across_a_user_defined_symbol():
    """Where it stands no piece can be made that holds it."""
    pieces = [UNK, *normal(a=-3.0, b=-3.0, ab=-1.0), Piece("b", 0.0, Kind.USER_DEFINED)]
    pieces.remove(Piece("b", -3.0, Kind.NORMAL))
    assert len(of(pieces).merges) == 0


RULES = [
    (AS_IT_IS, ["▁"], ()),
    (TextRules(remove_extra_spaces=False), ["prefix", "▁"], (StripText(" ", 1, 0),)),
    (TextRules(), ["prefix", " {2,}", "▁", r" +(?![\s\S])"], (StripText(" ", 1, 0),)),
    (
        TextRules(dummy_prefix=False),
        [" {2,}", r"(?<![\s\S]) ", "▁", r" +(?![\s\S])"],
        (),
    ),
    (TextRules((("x", "y"),)), ["prefix", "map", " {2,}", "▁", r" +(?![\s\S])"], None),
    (TextRules(((" x", "y"),)), ["map", "prefix", " {2,}", "▁", r" +(?![\s\S])"], None),
]


@pytest.mark.parametrize(("rules", "steps", "decoder"), RULES)
def test_the_order_of_normalisers_is_sentencepieces(rules, steps, decoder):
    """A sign that stands in the text is not a space until the spaces have been seen to."""
    names = {Prepend: lambda _: "prefix", CharMap: lambda _: "map", Replace: lambda s: s.pattern}
    spec = of([UNK], rules)
    assert [names[type(step)](step) for step in spec.rules.normalizer] == steps
    assert decoder is None or spec.decoder == decoder


def test_user_defined_symbols_are_not_normalised():
    """They become rules of the map themselves, and those that go on behind them fall away."""
    rules = TextRules((("①", "1"), ("①\u0301", "2"), ("②", "2")), dummy_prefix=False)
    spec = of([UNK, Piece("①", 0.0, Kind.USER_DEFINED)], rules)
    assert spec.rules.normalizer[0] == CharMap((("②", "2"), ("①", "①")))


BYTES = [Piece(f"<0x{byte:02X}>", 0.0, Kind.BYTE) for byte in range(256)]


@pytest.mark.parametrize(
    ("pieces", "message"),
    [
        ([Piece("", 0.0, Kind.NORMAL)], r"piece 0 \(''\) is empty"),
        ([*normal(a=0.0), *normal(a=1.0)], r"piece 1 \('a'\) is already piece 0"),
        ([*normal(a=float("nan"))], "has a score that is no number"),
        ([UNK, Piece("<u>", 0.0, Kind.UNKNOWN)], "several pieces of the type UNKNOWN"),
        ([Piece("<0x4>", 0.0, Kind.BYTE)], "not spelt like '<0x41>'"),
        (BYTES[:255], r"1 of the 256 bytes have no token \(0xFF\)"),
        (normal(a=0.0, ab=0.0), r"\('ab'\) is made with 'b', which has no piece"),
        (
            [*normal(a=0.0), Piece("aa", 0.0, Kind.UNUSED)],
            r"\('aa'\) is of the type UNUSED: what it is taken apart into depends",
        ),
        ([Piece(" ", 0.0, Kind.USER_DEFINED)], "is a space, which is spelt '▁'"),
        (
            [Piece("<s>", 0.0, Kind.CONTROL), Piece("<s>", 0.0, Kind.USER_DEFINED)],
            r"piece 1 \('<s>'\) is matched in a text as piece 0 is",
        ),
    ],
)
def test_what_cannot_be_exact_is_refused_by_its_piece(pieces, message):
    """With the file's name; wrong ids are worse than none."""
    with pytest.raises(FormatError, match=f"^x.model: .*{message}"):
        of(pieces)


def test_rules_that_contradict_a_piece_are_refused():
    """Here spaces are counted after symbols were found, there before."""
    piece = Piece("a  b", 0.0, Kind.USER_DEFINED)
    with pytest.raises(FormatError, match="holds two spaces, which are kept"):
        of([UNK, piece], TextRules())
    with pytest.raises(FormatError, match="keys that begin with a space, and others that vanish"):
        of([UNK], TextRules(((" x", "y"), ("z", "")), remove_extra_spaces=False))
    with pytest.raises(FormatError, match=r"decodes to '\?', which no text is encoded to"):
        of([UNK], unk_surface="?")


def test_an_unused_piece_that_nothing_makes_only_decodes():
    """Converters fill gaps with them."""
    spec = of([UNK, *normal(a=0.0), Piece("[PAD2]", 0.0, Kind.UNUSED)])
    assert spec.vocabulary.tokens[2] == b"[PAD2]"
    assert len(spec.merges) == 0


def test_a_very_long_piece_costs_little():
    """Only cuts into lengths that occur are tried: not every cut of a hostile piece."""
    spec = of([UNK, *normal(a=0.0), Piece("ab" * 500_000, 0.0, Kind.NORMAL)])
    assert len(spec.merges) == 0


def test_very_many_symbols_cost_little():
    """Each piece is looked at once, whatever their number."""
    symbols = [Piece(f"<{number}>", 0.0, Kind.USER_DEFINED) for number in range(50_000)]
    spec = of([UNK, *symbols, *normal(a=0.0, aa=0.0, **{"a<7>": 0.0})])
    assert len(spec.merges) == 1


def test_runs_of_one_character_need_no_shared_rank():
    """The leftmost that can grow is the longest: so they can be saved as a list of merges."""
    spaces = {"▁" * length: -1e9 for length in range(2, 6)}
    spec = of([UNK, *normal(**{"▁": -5.0, "a": -6.0, "aa": -1.0}, **spaces)])
    joined = dict(zip(spec.merges.joined.tolist(), spec.merges.rank.tolist(), strict=True))
    assert joined == {3: 0, 7: 1, 6: 2, 5: 3, 4: 4}
