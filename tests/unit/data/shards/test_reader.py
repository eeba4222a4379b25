import json
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import bytepair
from bytepair.data import open_shards
from bytepair.errors import ShardError

TEXTS = ["low", "", "lower", "newest", "low low low low", "wider"]
FORMATS = ["flat", "llmc", "megatron", "parquet", "datatrove"]


@pytest.fixture(scope="module")
def tok():
    """With `<end>` as its last token."""
    return bytepair.train(["low lower newest wider"] * 9, vocab_size=270, special_tokens=["<end>"])


@pytest.fixture
def folder(tok, tmp_path):
    """`TEXTS` in several shards, of the layout asked for."""
    (tmp_path / "a.jsonl").write_text(
        "".join(json.dumps({"text": text}) + "\n" for text in TEXTS), encoding="utf-8"
    )

    def make(layout="flat"):
        place = tmp_path / layout
        bytepair.shard(tok, tmp_path / "a.jsonl", place, format=layout, eos="<end>", shard_tokens=4)
        return place

    return make


@pytest.mark.parametrize("layout", FORMATS)
def test_documents_are_a_sequence(tok, folder, layout):
    """By number, from either end, and one after the other; over the borders of shards."""
    shards = open_shards(folder(layout))
    expected = [[*tok.encode(text), 269] for text in TEXTS]
    assert shards.n_shards > 2
    assert [document.tolist() for document in shards] == expected
    assert [shards[n].tolist() for n in range(len(TEXTS))] == expected
    assert [shards[n - len(TEXTS)].tolist() for n in range(len(TEXTS))] == expected
    for number in (len(TEXTS), -len(TEXTS) - 1):
        with pytest.raises(IndexError, match=f"document {number} of 6"):
            shards[number]
    with pytest.raises(IndexError):
        shards.shard(shards.n_shards)


@pytest.mark.parametrize("layout", ["flat", "llmc", "megatron", "datatrove"])
def test_arrays_are_the_files_own_bytes(folder, layout):
    """Nothing is copied; and whoever writes to one, as torch would allow, changes no file."""
    shards = open_shards(folder(layout))
    document = shards[0]
    assert isinstance(shards.shard(0).ids, np.memmap)
    assert np.shares_memory(document, shards.shard(0).ids)
    assert document.flags.writeable
    before = document[0]
    document[0] = 0
    assert open_shards(shards.folder)[0][0] == before


def test_facts_are_told(folder):
    """What a trainer must know before it reads an id."""
    shards = open_shards(folder())
    assert (shards.dtype, shards.eos, shards.bos) == (np.dtype("<u2"), 269, None)
    assert "6 documents" in repr(shards)
    assert "uint16" in repr(shards)


def test_it_can_be_pickled_and_shared(folder):
    """Workers of a data loader get a name, not a copy of all data."""
    shards = open_shards(folder())
    assert len(pickle.dumps(shards)) < 10_000
    again = pickle.loads(pickle.dumps(shards))
    assert [document.tolist() for document in again] == [d.tolist() for d in shards]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda n: shards[n % 6].tolist(), range(600)))
    assert found == [shards[n % 6].tolist() for n in range(600)]


def test_folder_without_shards_is_refused(tmp_path):
    """With what a folder of shards has."""
    with pytest.raises(ShardError, match=r"no folder of shards: it has no _manifest\.json"):
        open_shards(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "damaged"),
        ("[]", "damaged"),
        ('{"bytepair_shards": 2}', "another version of bytepair"),
        ('{"bytepair_shards": 1}', "damaged"),
    ],
)
def test_manifest_that_is_damaged_is_named(tmp_path, content, message):
    """And a future one is not misread."""
    (tmp_path / "_manifest.json").write_text(content, encoding="utf-8")
    with pytest.raises(ShardError, match=rf"_manifest\.json: .*{message}"):
        open_shards(tmp_path)


@pytest.mark.parametrize("layout", FORMATS)
def test_shard_that_is_not_as_it_was_is_refused(folder, layout):
    """Cut short, or with an index of another shard: ids would be those of other documents."""
    place = folder(layout)
    for suffix in {".bin", ".idx", ".bin.index", ".ds", ".ds.index", ".parquet"}:
        path = place / f"shard_00000_00000{suffix}"
        if not path.exists():
            continue
        content = path.read_bytes()
        path.write_bytes(content[:-2])
        with pytest.raises(ShardError, match="shard_00000_00000: "):
            open_shards(place)[0]
        path.write_bytes(content)


def test_missing_shard_is_named(folder):
    """When it is used: a data set may lie on many disks."""
    place = folder()
    (place / "shard_00000_00000.bin").unlink()
    shards = open_shards(place)
    assert shards[5].tolist()
    with pytest.raises(ShardError, match="shard_00000_00000: cannot be read: No such file"):
        shards[0]
