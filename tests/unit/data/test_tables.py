import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bytepair.data import Place, read_chunks, read_records
from bytepair.errors import CorpusError, MissingExtraError
from bytepair.model import Chunk

TEXTS = ["a", "", "é\nb"]


@pytest.fixture
def save(tmp_path):
    """Write columns as a file of the kind that the name says; gives its path."""

    def saved(columns, name="a.parquet", **options):
        path = tmp_path / name
        table = columns if isinstance(columns, pa.Table) else pa.table(columns)
        if name.endswith(".parquet"):
            pq.write_table(table, path, **options)
            return path
        new = pa.ipc.new_file if name.endswith(".file.arrow") else pa.ipc.new_stream
        with new(str(path), table.schema) as writer:
            writer.write_table(table, max_chunksize=2)
        return path

    return saved


def _contents(records):
    return [(record.data.decode(), record.place.number) for record in records]


@pytest.mark.parametrize("name", ["a.parquet", "a.file.arrow", "a.stream.arrow"])
def test_each_row_is_one_document(save, name):
    """Also an empty one; `datasets` saves the stream, Arrow's other writers the file."""
    file = save({"id": [1, 2, 3], "text": TEXTS}, name)
    assert list(read_chunks(file)) == [Chunk(text.encode()) for text in TEXTS]


@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_string(), pa.binary(), pa.dictionary(pa.int8(), pa.string())],
    ids=str,
)
def test_text_is_read_however_it_is_stored(save, kind):
    """Writers differ: long columns, bytes without a mark, repeated values."""
    file = save(pa.table({"text": pa.array(TEXTS).cast(kind)}))
    assert _contents(read_records([file], Place())) == [("a", 1), ("", 2), ("é\nb", 3)]


@pytest.mark.parametrize("start", range(1, 8))
@pytest.mark.parametrize("name", ["a.parquet", "a.file.arrow", "a.stream.arrow"])
def test_reading_goes_on_from_any_row(save, name, start):
    """Within a row group as well as at its border: this is what resuming stands on."""
    texts = [str(n) for n in range(1, 8)]
    file = save({"text": texts}, name, **({"row_group_size": 3} if "parq" in name else {}))
    records = read_records([file], Place(0, start))
    assert _contents(records) == [(str(n), n) for n in range(start, 8)]


@pytest.mark.parametrize("name", ["a.parquet", "a.file.arrow"])
def test_missing_column_is_named_with_those_there_are(save, name):
    """The commonest mistake: the text is under another name."""
    file = save({"content": ["x"]}, name)
    with pytest.raises(CorpusError, match=r"a\.\w+.*no column 'text'.*has 'content'"):
        list(read_chunks(file))


def test_column_of_another_type_is_named_with_it(save):
    """Ids instead of text, say: their digits are not what anybody wants tokenised."""
    file = save({"text": [1, 2]})
    with pytest.raises(CorpusError, match=r"column 'text' holds int64, not strings"):
        list(read_chunks(file))


def test_null_and_wrong_bytes_are_problems_of_their_rows(save):
    """The rows around them are read, and the message says which row it is."""
    file = save(pa.table({"text": pa.array([b"a", None, b"\xff", b"b"], pa.binary())}))
    records = list(read_records([file], Place()))
    assert [record.problem is None for record in records] == [True, False, False, True]
    assert "row 2: no text: column 'text' is null" in records[1].problem
    assert "row 3: column 'text' is not UTF-8" in records[2].problem
    with pytest.raises(CorpusError, match="row 2"):
        list(read_chunks(file))


def test_damaged_row_group_is_left_out_and_named(save):
    """The others are read: one bad block must not cost a file."""
    file = save({"text": [f"{n:09}" for n in range(6)]}, row_group_size=2, compression="snappy")
    start = pq.ParquetFile(file).metadata.row_group(1).column(0).data_page_offset
    data = bytearray(file.read_bytes())
    data[start : start + 12] = b"\xff" * 12
    file.write_bytes(data)
    records = list(read_records([file], Place()))
    assert [record.data for record in records if not record.problem] == [
        f"{n:09}".encode() for n in (0, 1, 4, 5)
    ]
    assert "row group 1, rows 3 to 4: damaged" in next(r.problem for r in records if r.problem)


def test_file_cut_short_is_damaged(save):
    """A Parquet file has its table of contents at its end."""
    file = save({"text": TEXTS})
    file.write_bytes(file.read_bytes()[:-20])
    (record,) = read_records([file], Place())
    assert "a.parquet: from row 1 on: damaged or cut short" in record.problem


def test_arrow_stream_cut_short_gives_what_is_whole(save):
    """Batches before the damage are there, and the message says from where on it is not."""
    file = save({"text": [str(n) for n in range(1, 8)]}, "a.stream.arrow")
    file.write_bytes(file.read_bytes()[:-150])
    *good, bad = read_records([file], Place())
    assert _contents(good) == [(str(n), n) for n in range(1, len(good) + 1)]
    assert good
    assert bad.place.number == len(good) + 1
    assert f"from row {len(good) + 1} on: damaged or cut short" in bad.problem


def test_without_pyarrow_the_command_that_installs_it_is_named(save, monkeypatch):
    """An extra nobody knows of is a dead end."""
    file = save({"text": TEXTS})
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'bytepair\[data\]'"):
        next(read_chunks(file))


def test_folder_saved_by_datasets_is_its_rows(save, tmp_path):
    """What describes the data set is JSON, and would otherwise be read as text."""
    for split in ("test", "train"):
        (tmp_path / "set" / split).mkdir(parents=True)
        save({"text": [split]}, f"set/{split}/data-00000-of-00001.arrow")
        for name in ("state.json", "dataset_info.json"):
            (tmp_path / "set" / split / name).write_text("{}", encoding="utf-8")
    (tmp_path / "set" / "dataset_dict.json").write_text("{}", encoding="utf-8")
    assert list(read_chunks(tmp_path / "set")) == [Chunk(b"test"), Chunk(b"train")]
