"""Run by another Python, which has the consumers: what they read of shards, and write themselves.

    python consumers.py TASK ARGUMENT...

prints JSON. Nothing of bytepair is imported here.
"""

import json
import sys
from pathlib import Path

import numpy as np


def megatron(folder: str, *stems: str) -> object:
    """Of each shard its documents, mapped and not, the borders between them and the type."""
    from megatron.core.datasets.indexed_dataset import IndexedDataset

    shards = []
    for stem in stems:
        read = [IndexedDataset(str(Path(folder, stem)), mmap=mapped) for mapped in (True, False)]
        documents = [[data[n].tolist() for n in range(len(data))] for data in read]
        borders = read[0].document_indices.tolist()
        shards.append((documents, borders, np.dtype(read[0].index.dtype).name))
    return shards


def megatron_writes(folder: str, dtype: str, documents: str) -> object:
    """The same documents as Megatron's own builder writes them."""
    import torch
    from megatron.core.datasets.indexed_dataset import IndexedDatasetBuilder

    builder = IndexedDatasetBuilder(str(Path(folder, "theirs.bin")), np.dtype(dtype).type)
    for document in json.loads(documents):
        builder.add_document(torch.tensor(document, dtype=torch.int64), [len(document)])
    builder.finalize(str(Path(folder, "theirs.idx")))
    return None


def datatrove(path: str, token_size: str, length: str) -> object:
    """Windows of `length` ids and one more, as nanotron takes them, and where documents end."""
    from datatrove.pipeline.tokens.merger import load_doc_ends
    from datatrove.utils.dataset import DatatroveFileDataset

    data = DatatroveFileDataset(path, int(length), int(token_size))
    with Path(f"{path}.index").open("rb") as index:
        ends = load_doc_ends(index)
    return {
        "windows": [data[n]["input_ids"].tolist() for n in range(len(data))],
        "ends": [int(end) for end in ends],
    }


def datatrove_writes(folder: str, token_size: str, documents: str) -> object:
    """The same documents as datatrove's own writer writes them."""
    from datatrove.pipeline.tokens.tokenizer import TokenizedFile

    file = TokenizedFile(
        folder,
        "theirs.ds",
        tokenizer_name_or_path="tok",
        save_final_metadata=True,
        token_size=int(token_size),
    )
    for document in json.loads(documents):
        file.write(document, None)
    file.close()
    return None


def datasets_reads(folder: str) -> object:
    """A folder of Parquet shards, given as it is."""
    import datasets

    data = datasets.load_dataset(folder, split="train", cache_dir=str(Path(folder, ".cache")))
    return {"input_ids": data["input_ids"][:], "type": str(data.features["input_ids"])}


def datasets_writes(folder: str, texts: str) -> object:
    """Two splits, saved as `datasets` saves them, in several files each."""
    import datasets

    texts = json.loads(texts)
    half = len(texts) // 2
    parts = {"train": texts[:half], "test": texts[half:]}
    splits = {name: datasets.Dataset.from_dict({"text": part}) for name, part in parts.items()}
    datasets.DatasetDict(splits).save_to_disk(folder, num_shards={"train": 2, "test": 1})
    return None


def torch_reads(path: str) -> object:
    """Ids mapped into memory, as a tensor that shares it."""
    import torch

    ids = np.memmap(path, np.uint16, mode="c")
    tensor = torch.from_numpy(ids)
    ids[0] = 7
    return {"first": int(tensor[0]), "dtype": str(tensor.dtype), "n": len(tensor)}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(globals()[sys.argv[1]](*sys.argv[2:])) + "\n")
