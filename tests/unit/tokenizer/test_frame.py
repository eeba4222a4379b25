import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer as Reference
from tokenizers.models import BPE
from tokenizers.processors import TemplateProcessing

from bytepair.errors import ArgumentError
from bytepair.model import PostProcessor, TemplatePiece
from bytepair.tokenizer._frame import Frame, frame_pair, pad

BOS, EOS = 900, 901
POST = PostProcessor(
    single=(TemplatePiece(ids=(BOS,)), TemplatePiece("A"), TemplatePiece(ids=(EOS,))),
    pair=(
        TemplatePiece(ids=(BOS,)),
        TemplatePiece("A"),
        TemplatePiece("B", type_id=1),
        TemplatePiece(ids=(EOS,), type_id=1),
    ),
)
ROWS = st.lists(st.lists(st.integers(0, 99), max_size=6), max_size=6)
SIDES = st.sampled_from(["left", "right"])


def ragged(rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Lists as (ids, offsets)."""
    flat = [token for row in rows for token in row]
    return np.array(flat, np.uint32), np.cumsum([0, *map(len, rows)], dtype=np.int64)


def reference() -> Reference:
    """Hugging Face's tokenizer whose ids are the digits, with the same template."""
    vocab = {str(digit): digit for digit in range(10)} | {"<s>": BOS, "</s>": EOS}
    made = Reference(BPE(vocab, []))
    made.add_special_tokens(["<s>", "</s>"])
    made.post_processor = TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A $B:1 </s>:1",
        special_tokens=[("<s>", BOS), ("</s>", EOS)],
    )
    return made


DIGITS = st.lists(st.integers(0, 9), max_size=12)


@given(ids=DIGITS, limit=st.integers(2, 12), side=SIDES)
def test_one_text_is_cut_and_surrounded_as_hugging_face_does(
    ids: list[int], limit: int, side: str
) -> None:
    """The limit counts the tokens around the text too."""
    oracle = reference()
    oracle.enable_truncation(limit, direction=side)
    expected = oracle.encode("".join(map(str, ids))).ids
    assert Frame(POST, limit, side).row(ids) == expected
    assert Frame(POST, limit, side).array(np.array(ids, np.uint32)).tolist() == expected


@given(rows=ROWS, limit=st.one_of(st.none(), st.integers(2, 9)), side=SIDES, around=st.booleans())
def test_rows_are_framed_one_by_one(
    rows: list[list[int]], limit: int | None, side: str, around: bool
) -> None:
    """The vectorised form against the plain one."""
    frame = Frame(POST if around else None, limit, side)
    ids, offsets = frame.rows(ragged(rows))
    assert [r.tolist() for r in np.split(ids, offsets[1:-1])][: len(rows)] == [
        frame.row(row) for row in rows
    ]
    assert offsets[-1] == len(ids)


@pytest.mark.parametrize("limit", range(2, 14))
@given(first=DIGITS, second=DIGITS)
def test_the_longer_of_two_texts_gives_way_as_in_hugging_face(
    limit: int, first: list[int], second: list[int]
) -> None:
    """Its strategy "longest_first"."""
    from bytepair.tokenizer._encode import _fitting

    oracle = reference()
    oracle.enable_truncation(limit, strategy="longest_first")
    expected = oracle.encode("".join(map(str, first)), "".join(map(str, second)))
    kept = _fitting(len(first), len(second), limit - 2)
    ids, types = frame_pair(POST, first[: kept[0]], second[: kept[1]])
    assert (ids, types) == (expected.ids, expected.type_ids)


def test_two_texts_without_a_template_stand_side_by_side() -> None:
    """The second is of type 1."""
    assert frame_pair(None, [1, 2], [3]) == ([1, 2, 3], [0, 0, 1])


@given(rows=ROWS, side=SIDES, multiple=st.one_of(st.none(), st.integers(1, 5)))
def test_padding_fills_rows_to_the_longest(
    rows: list[list[int]], side: str, multiple: int | None
) -> None:
    """Ids on one side, padding on the other, and a mask that tells them apart."""
    width = max(map(len, rows), default=0)
    width = -(-width // (multiple or 1)) * (multiple or 1)
    ids, mask = pad(ragged(rows), 777, multiple_of=multiple, side=side)
    assert ids.shape == mask.shape == (len(rows), width)
    for row, padded, ones in zip(rows, ids.tolist(), mask.tolist(), strict=True):
        rest = width - len(row)
        expected = [777] * rest + row if side == "left" else row + [777] * rest
        assert padded == expected
        assert sum(ones) == len(row)
        assert ones == sorted(ones, reverse=side == "right")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Frame(POST, 1, "right"), "max_length is 1, but the special tokens around"),
        (lambda: Frame(None, 0, "right"), "max_length must be a whole number of 1 or more, got 0"),
        (lambda: Frame(None, 5, "middle"), "truncation_side must be 'left' or 'right'"),
        (lambda: pad(ragged([[1, 2]]), 0, side="up"), "padding_side must be 'left' or 'right'"),
        (
            lambda: pad(ragged([[1], [1, 2]]), 0, length=1),
            "text 1 has 2 tokens, more than pad_to=1",
        ),
    ],
)
def test_impossible_frames_are_refused(call: object, message: str) -> None:
    """Each with what to do."""
    with pytest.raises(ArgumentError, match=message):
        call()  # type: ignore[operator]  # one of the lambdas above


@pytest.mark.parametrize("width", [1 << 50, 1 << 62])
def test_rows_beyond_memory_are_refused_with_their_size(width: int) -> None:
    """One long text among many short ones makes them all as wide as itself."""
    with pytest.raises(ArgumentError, match=f"2 rows of {width} ids .* text 1 is the longest"):
        pad(ragged([[1], [1, 2]]), 0, length=width)
