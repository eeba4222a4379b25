"""One corpus, one result: whatever the threads, the order, the hash seed and the engine."""

import hashlib
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

import bytepair
from bytepair.engines import NAMES
from bytepair.model import TIES
from inputs import medley, sources

OPTIONS = {"vocab_size": 900, "pattern": "o200k"}
UNORDERED = [ties for ties in TIES if ties != "first"]


def saved(corpus, folder: Path, **options) -> bytes:
    """The `tokenizer.json` that training on the corpus makes."""
    bytepair.train(corpus, **{**OPTIONS, **options}).save(folder)
    return (folder / "tokenizer.json").read_bytes()


@pytest.fixture(scope="module")
def documents() -> list[str]:
    """Real text and a medley of scripts; no NUL, which would tell a folder's file to be binary."""
    return [document.replace("\0", "") for document in (*sources(60_000), *medley())]


@pytest.mark.parametrize("ties", TIES)
def test_engines_do_not_show(ties, documents, tmp_path):
    """The files are the same to the byte."""
    native = saved(documents, tmp_path / "native", ties=ties, engine="native")
    assert native == saved(documents, tmp_path / "python", ties=ties, engine="python")


def test_threads_do_not_show(tmp_path):
    """Not even in what occurs first, though no thread sees all of the corpus: it is too large."""
    corpus = sources(5_000_000)
    options = {"ties": "first", "engine": "native"}
    expected = saved(corpus, tmp_path / "1", threads=1, **options)
    for threads in (2, 3):
        assert saved(corpus, tmp_path / f"{threads}", threads=threads, **options) == expected


@pytest.mark.parametrize("engine", NAMES)
@pytest.mark.parametrize("ties", UNORDERED)
def test_the_order_of_documents_does_not_show(ties, engine, documents, tmp_path):
    """Where the policy does not ask what occurs first."""
    expected = saved(documents, tmp_path / "0", ties=ties, engine=engine)
    for seed in (1, 2):
        shuffled = random.Random(seed).sample(documents, len(documents))
        assert saved(shuffled, tmp_path / f"{seed}", ties=ties, engine=engine) == expected


@pytest.mark.parametrize("ties", UNORDERED)
def test_the_order_of_files_does_not_show(ties, documents, tmp_path):
    """The same contents under other names, and named in any order."""
    expected = saved(documents, tmp_path / "0", ties=ties)
    for seed in (1, 2):
        folder = tmp_path / f"corpus {seed}"
        folder.mkdir()
        names = random.Random(seed).sample(range(len(documents)), len(documents))
        for name, document in zip(names, documents, strict=True):
            (folder / f"{name}.txt").write_text(document, "utf-8", newline="")
        assert saved(folder, tmp_path / f"{seed}", ties=ties) == expected
        paths = random.Random(seed).sample(sorted(folder.iterdir()), len(documents))
        assert saved(paths, tmp_path / f"{seed} paths", ties=ties) == expected


def test_the_order_of_documents_shows_where_it_decides(tmp_path):
    """Ties by first occurrence are asked to depend on it."""
    options = {"ties": "first", "vocab_size": 257, "special_tokens": []}
    there = saved(["xy xy", "ab ab"], tmp_path / "1", **options)
    assert there != saved(["ab ab", "xy xy"], tmp_path / "2", **options)


PROGRAM = """
import hashlib, pathlib, sys, bytepair
folder, engine = pathlib.Path(sys.argv[1]), sys.argv[2]
for ties in ("lowest", "huggingface", "first", "bytes"):
    tokenizer = bytepair.train(folder / "corpus", vocab_size=900, ties=ties, engine=engine)
    tokenizer.save(folder / "saved")
    print(hashlib.sha256((folder / "saved" / "tokenizer.json").read_bytes()).hexdigest())
"""


def test_the_hash_seed_does_not_show(documents, tmp_path):
    """Sets and dictionaries of strings come in another order in each process."""
    (tmp_path / "corpus").mkdir()
    for number, document in enumerate(documents):
        (tmp_path / "corpus" / f"{number:04}.txt").write_text(document, "utf-8", newline="")
    expected = [
        hashlib.sha256(saved(tmp_path / "corpus", tmp_path / "saved", ties=ties)).hexdigest()
        for ties in TIES
    ]
    for seed, engine in (("0", "native"), ("1", "native"), ("2", "python"), ("77", "python")):
        command = [sys.executable, "-c", PROGRAM, tmp_path, engine]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        printed = subprocess.run(command, env=environment, check=True, capture_output=True)
        assert printed.stdout.decode().split() == expected
