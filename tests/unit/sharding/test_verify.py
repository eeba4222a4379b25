import json

import numpy as np
import pytest

import bytepair
from bytepair.errors import ShardError
from bytepair.sharding import verify

FORMATS = ["flat", "llmc", "megatron", "parquet", "datatrove"]


@pytest.fixture
def made(tok, corpus, tmp_path):
    """Shard the corpus; gives the folder."""

    def make(layout="flat"):
        bytepair.shard(tok, corpus, tmp_path / "out", format=layout, eos="</s>", shard_tokens=90)
        return tmp_path / "out"

    return make


@pytest.mark.parametrize("layout", FORMATS)
def test_good_shards_pass_and_show_documents(tok, texts, made, layout):
    """The first, one in the middle, the last: as text, without what ends them."""
    found = verify(made(layout), tok)
    last = len(texts) - 1
    assert found.samples == {n: texts[n] for n in (0, last // 2, last)}
    assert verify(found.shards.folder).samples == {}


@pytest.mark.parametrize("layout", FORMATS)
def test_every_changed_byte_is_found(made, layout):
    """In any file, at its beginning, its end and between."""
    folder = made(layout)
    for path in sorted(folder.glob("shard_00000_00001*")):
        content = path.read_bytes()
        for at in {0, len(content) // 2, len(content) - 1}:
            path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
            with pytest.raises(ShardError, match="wrong with the shards") as caught:
                verify(folder)
            assert f"{path}: its content has changed" in caught.value.__notes__[0]
        path.write_bytes(content)
    verify(folder)


@pytest.mark.parametrize("layout", FORMATS)
def test_file_that_is_cut_or_gone_is_named(made, layout):
    """With how much of it there is."""
    path = max(made(layout).glob("shard_00000_00001*"))
    size = path.stat().st_size
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ShardError) as caught:
        verify(path.parent)
    assert caught.value.__notes__ == [f"{path}: has {size - 1:,} bytes instead of {size:,}"]
    path.unlink()
    with pytest.raises(ShardError) as caught:
        verify(path.parent)
    assert "No such file" in caught.value.__notes__[0]


def test_ids_out_of_the_vocabulary_and_missing_ends_are_found(made, monkeypatch):
    """Also where the checksums are right: a manifest can be made for anything."""
    folder = made()
    path = folder / "shard_00000_00000.bin"
    ids = np.fromfile(path, "<u2")
    ids[0], ids[-1] = 280, 5
    ids.tofile(path)
    monkeypatch.setattr("bytepair.sharding._verify.facts_of", lambda path: facts[path.name])
    manifest = json.loads((folder / "_manifest.json").read_bytes())
    from bytepair.data.shards import FileFacts

    facts = {n: FileFacts(**f) for one in manifest["shards"] for n, f in one["files"].items()}
    with pytest.raises(ShardError) as caught:
        verify(folder)
    assert caught.value.__notes__ == [
        f"{folder}/shard_00000_00000: has the id 280, and the vocabulary 280",
        f"{folder}/shard_00000_00000: not all documents end with 279",
    ]


def test_another_tokenizer_is_refused(made):
    """Its text would look like text, and be another."""
    other = bytepair.train(["other"] * 9, vocab_size=258)
    with pytest.raises(ShardError, match="gives other ids"):
        verify(made(), other)


def test_progress_ends_with_all_bytes(made):
    """As many as the files have."""
    folder = made()
    moments = []
    found = verify(folder, progress=moments.append)
    size = sum(path.stat().st_size for path in folder.glob("shard_*"))
    assert (moments[-1].stage, moments[-1].done, moments[-1].total) == ("verify", size, size)
    assert found.n_bytes == size
