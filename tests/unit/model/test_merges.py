import numpy as np
import pytest

from bytepair.model import MergeTable

MERGES = [(97, 98, 256), (256, 99, 257)]


def table(*rows: tuple[int, int, int, int]) -> MergeTable:
    """A table with ranks of its own."""
    left, right, joined, rank = np.array(rows, np.uint32).reshape(-1, 4).T
    return MergeTable(left, right, joined, rank)


def test_from_merges_ranks_by_position() -> None:
    """A merge list: the first learned is the first joined."""
    merges = MergeTable.from_merges(MERGES)
    assert list(merges) == [(97, 98, 256, 0), (256, 99, 257, 1)]
    assert merges.rank_by_pair() == {(97, 98): (0, 256), (256, 99): (1, 257)}
    assert {column.dtype for column in (merges.left, merges.rank)} == {np.dtype(np.uint32)}


def test_from_merges_takes_any_iterable_and_none_at_all() -> None:
    """A vocabulary of single bytes has no merge and is still a tokenizer."""
    assert MergeTable.from_merges(iter(MERGES)) == MergeTable.from_merges(MERGES)
    empty = MergeTable.from_merges([])
    assert (len(empty), list(empty), empty.is_merge_list) == (0, [], True)


def test_from_merges_refuses_rows_that_are_not_triples() -> None:
    """Three rows of four have twelve numbers: cut anew into triples they would be other merges."""
    with pytest.raises(ValueError, match="reshape"):
        MergeTable.from_merges([(1, 2, 3, 4)] * 3)  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("ranks", "expected"), [((0, 1), True), ((5, 9), True), ((256, 256), False)]
)
def test_is_merge_list_tells_ranks_that_are_shared(ranks: tuple[int, int], expected: bool) -> None:
    """In a rank table (97, 98) and (98, 97) may both join at the rank of their token."""
    merges = table((97, 98, 256, ranks[0]), (98, 97, 257, ranks[1]))
    assert merges.is_merge_list is expected


@pytest.mark.parametrize("column", range(4))
def test_tables_are_equal_only_if_every_column_is(column: int) -> None:
    """Two tables that differ in ranks only give other ids."""
    row = [97, 98, 256, 0]
    changed = [value + (place == column) for place, value in enumerate(row)]
    assert table(tuple(row)) == table(tuple(row))  # type: ignore[arg-type]
    assert table(tuple(row)) != table(tuple(changed))  # type: ignore[arg-type]
    assert table(tuple(row)) != MERGES  # type: ignore[arg-type]
