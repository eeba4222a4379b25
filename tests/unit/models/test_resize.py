"""Models made small for a pruned tokenizer; `safetensors` itself reads what was written."""

import errno
import json
import os
import shutil
import signal
import struct
import subprocess
import sys

import numpy as np
import pytest
from safetensors import deserialize
from safetensors.numpy import load_file, save_file

import bytepair
from bytepair.errors import ArgumentError, FormatError, SaveError
from bytepair.models import ModelFolder, resize_model
from bytepair.models._safetensors import read_header

WORDS = "low lower lowest newer newest wide wider widest slow slowest large largest"
CORPUS = [WORDS * 4]
N_IDS, N_ROWS, WIDTH = 280, 288, 8  # the model is padded


@pytest.fixture(scope="module")
def pruned():
    """280 tokens, the last two special, to 266."""
    specials = ["<|endoftext|>", "<|pad|>"]
    tok = bytepair.train(CORPUS, vocab_size=N_IDS, special_tokens=specials)
    return tok.prune(["low lower newest"], vocab_size=266)


@pytest.fixture
def tensors():
    """Embedding, output and something else, of different number formats."""
    rng = np.random.default_rng(0)
    return {
        "model.embed_tokens.weight": rng.normal(size=(N_ROWS, WIDTH)).astype(np.float32),
        "model.layers.0.mlp.weight": rng.normal(size=(WIDTH, WIDTH)).astype(np.float16),
        "lm_head.weight": rng.normal(size=(N_ROWS, WIDTH)).astype(np.float16),
        "lm_head.bias": np.arange(N_ROWS, dtype=np.int64),
    }


CONFIG = {
    "model_type": "llama",
    "vocab_size": N_ROWS,
    "bos_token_id": None,
    "eos_token_id": N_IDS - 2,
    "pad_token_id": N_IDS - 1,
    "hidden_size": WIDTH,
    "tie_word_embeddings": False,
}


@pytest.fixture
def model(tmp_path, tensors):
    """A folder as transformers saves it."""
    folder = tmp_path / "model"
    folder.mkdir()
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    generation = {"eos_token_id": [N_IDS - 2, N_IDS - 1], "suppress_tokens": [97, 277, 278]}
    (folder / "generation_config.json").write_text(json.dumps(generation), encoding="utf-8")
    for name in ("README.md", "tokenizer.model", "pytorch_model.bin"):
        (folder / name).write_text("of before", encoding="utf-8")
    return folder


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def config_of(folder, name="config.json"):
    return json.loads((folder / name).read_text(encoding="utf-8"))


def sharded(model, tensors):
    """The same model with its weights in two files and an index."""
    (model / "model.safetensors").unlink()
    names = ["model-1-of-2.safetensors", "model-2-of-2.safetensors"]
    where = {name: names[number % 2] for number, name in enumerate(tensors)}
    for file in names:
        save_file({n: t for n, t in tensors.items() if where[n] == file}, model / file)
    index = {"metadata": {"total_size": 1, "by": "us"}, "weight_map": where}
    text = json.dumps(index)
    (model / "model.safetensors.index.json").write_text(text, encoding="utf-8")


def test_rows_of_kept_tokens_stay_in_their_order(model, tensors, pruned, tmp_path):
    """Each tensor that has rows for tokens, to the bit; others as they were."""
    resize_model(model, tmp_path / "new", pruned)
    new = load_file(tmp_path / "new" / "model.safetensors")
    assert set(new) == set(tensors)
    for name, old in tensors.items():
        expected = old if "layers" in name else old[pruned.kept_ids]
        assert new[name].dtype == old.dtype
        assert np.array_equal(new[name], expected)
    assert read_header(tmp_path / "new" / "model.safetensors").metadata == {"format": "pt"}


def test_the_small_model_says_what_the_large_one_does(model, tensors, pruned, tmp_path):
    """Of a text without removed tokens: the same numbers for every token that is left."""
    resize_model(model, tmp_path / "new", pruned)
    new = load_file(tmp_path / "new" / "model.safetensors")
    old_tok = bytepair.train(CORPUS, vocab_size=N_IDS, special_tokens=["<|endoftext|>", "<|pad|>"])
    new_tok = bytepair.load(tmp_path / "new")

    def logits(weights, ids):
        mean = weights["model.embed_tokens.weight"][ids].mean(axis=0)
        return weights["lm_head.weight"].astype(np.float32) @ mean

    words = (w for w in WORDS.split() if (pruned.id_map[old_tok.encode(w)] >= 0).all())
    word = max(words, key=len)
    before, after = logits(tensors, old_tok.encode(word)), logits(new, new_tok.encode(word))
    assert np.allclose(after, before[pruned.kept_ids], atol=1e-5)


def test_the_configuration_follows(model, pruned, tmp_path):
    """Size and ids; what suppresses a token that is gone goes with it."""
    resize_model(model, tmp_path / "new", pruned)
    ends = {"vocab_size": 266, "eos_token_id": 264, "pad_token_id": 265}
    assert config_of(tmp_path / "new") == CONFIG | ends
    generation = config_of(tmp_path / "new", "generation_config.json")
    assert generation["eos_token_id"] == [264, 265]
    gone = 277 if pruned.id_map[277] < 0 else None
    assert gone is not None
    assert generation["suppress_tokens"] == [97, 264]


def test_every_kind_of_id_follows(model, pruned, tmp_path):
    """As Whisper and LLaVA have them; a sequence goes with any of its tokens."""
    end, pad = N_IDS - 2, N_IDS - 1
    assert pruned.id_map[[end, pad, 277]].tolist() == [264, 265, -1]
    ids = {
        "image_token_index": pad,
        "forced_decoder_ids": [[1, None], [2, end]],
        "lang_to_id": {"<|en|>": end},
        "bad_words_ids": [[97, end], [277], [97, 277]],
        "sequence_bias": [[[end, pad], -1.5], [[277], 2.0]],
    }
    (model / "generation_config.json").write_text(json.dumps(ids), encoding="utf-8")
    resize_model(model, tmp_path / "new", pruned)
    assert config_of(tmp_path / "new", "generation_config.json") == {
        "image_token_index": 265,
        "forced_decoder_ids": [[1, None], [2, 264]],
        "lang_to_id": {"<|en|>": 264},
        "bad_words_ids": [[97, 264]],
        "sequence_bias": [[[264, 265], -1.5]],
    }


def test_models_of_several_inputs_have_a_part_about_text(model, pruned, tmp_path):
    """Where size and ids stand then."""
    nested = {"model_type": "x", "text_config": CONFIG, "image_token_id": 97}
    (model / "config.json").write_text(json.dumps(nested), encoding="utf-8")
    resize_model(model, tmp_path / "new", pruned)
    new = config_of(tmp_path / "new")
    assert new["text_config"]["vocab_size"] == 266
    assert new["image_token_id"] == 97


def test_tied_weights_stand_there_once(model, tensors, pruned, tmp_path):
    """The output is the embedding: nothing is looked for that is not there."""
    only = {n: t for n, t in tensors.items() if not n.startswith("lm_head")}
    save_file(only, model / "model.safetensors")
    resize_model(model, tmp_path / "new", pruned)
    assert load_file(tmp_path / "new" / "model.safetensors").keys() == only.keys()


def test_weights_in_several_files(model, tensors, pruned, tmp_path):
    """Each tensor stays in its file; the index says the new size."""
    sharded(model, tensors)
    resize_model(model, tmp_path / "new", pruned)
    index = config_of(tmp_path / "new", "model.safetensors.index.json")
    n_bytes = 0
    for name, file in index["weight_map"].items():
        tensor = load_file(tmp_path / "new" / file)[name]
        n_bytes += tensor.nbytes
        assert len(tensor) == (WIDTH if "layers" in name else 266)
    assert index["metadata"] == {"total_size": n_bytes, "by": "us"}


@pytest.mark.parametrize("dtype", ["BF16", "F8_E4M3"])
def test_numbers_that_numpy_does_not_know(model, pruned, tmp_path, dtype):
    """Rows are bytes: any format will do."""
    row = WIDTH * (2 if dtype == "BF16" else 1)
    data = np.random.default_rng(0).integers(0, 256, (N_ROWS, row), np.uint8)
    offsets = [0, data.nbytes]
    entry = {"dtype": dtype, "shape": [N_ROWS, WIDTH], "data_offsets": offsets}
    header = json.dumps({"wte.weight": entry}).encode()
    content = struct.pack("<Q", len(header)) + header + data.tobytes()
    (model / "model.safetensors").write_bytes(content)
    resize_model(model, tmp_path / "new", pruned)
    ((name, new),) = deserialize((tmp_path / "new" / "model.safetensors").read_bytes())
    assert (name, new["dtype"], new["shape"]) == ("wte.weight", dtype, [266, WIDTH])
    assert bytes(new["data"]) == data[pruned.kept_ids].tobytes()


def test_what_would_keep_the_old_rows_is_left_out(model, pruned, tmp_path):
    """Files about the model are copied; the tokenizer is the new one."""
    (model / "sub").mkdir()
    paths = resize_model(model, tmp_path / "new", pruned)
    names = sorted(path.name for path in paths)
    assert names == names_in(tmp_path / "new")
    assert set(names) == {
        *("README.md", "config.json", "generation_config.json", "model.safetensors"),
        *("tokenizer.json", "tokenizer_config.json", "training.json"),
    }
    assert bytepair.load(tmp_path / "new").vocab_size == 266


def test_the_source_is_only_read(model, pruned, tmp_path):
    """To the byte, and nothing new in it."""
    before = {path.name: path.read_bytes() for path in model.iterdir()}
    resize_model(model, tmp_path / "new", pruned)
    assert {path.name: path.read_bytes() for path in model.iterdir()} == before


def test_a_model_with_fewer_rows_than_ids_is_refused(model, tmp_path, pruned):
    """Both numbers are named."""
    small = {"model.embed_tokens.weight": np.zeros((270, WIDTH), np.float32)}
    save_file(small, model / "model.safetensors")
    (model / "config.json").write_text(json.dumps(CONFIG | {"vocab_size": 270}), encoding="utf-8")
    with pytest.raises(ArgumentError, match="rows for 270 tokens, but the tokenizer has 280 ids"):
        resize_model(model, tmp_path / "new", pruned)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"vocab_size": 300}, r"'vocab_size' 300, and no embedding has so many rows .*\[288, 8\]"),
        ({"vocab_size": "many"}, r"'vocab_size' must be a number of tokens, got 'many'"),
        ({"pad_token_id": 287}, r"pad_token_id is 287, which is no token of the pruned"),
    ],
)
def test_a_configuration_that_contradicts_is_refused(model, pruned, change, message, tmp_path):
    """It names the file, and what does not fit."""
    (model / "config.json").write_text(json.dumps(CONFIG | change), encoding="utf-8")
    with pytest.raises((ArgumentError, FormatError), match=message):
        resize_model(model, tmp_path / "new", pruned)
    assert names_in(tmp_path) == ["model"]


def test_a_tensor_that_may_have_rows_must_be_named(model, tensors, pruned, tmp_path):
    """Left as it is, it would break the model; cut, it might."""
    odd = tensors | {"gate.table": np.zeros((N_ROWS, 2), np.float32)}
    save_file(odd, model / "model.safetensors")
    with pytest.raises(ArgumentError, match=r"gate.table is \[288, 2\], so it may have a row"):
        ModelFolder(model)
    rows = [name for name in odd if "layers" not in name]
    resize_model(model, tmp_path / "new", pruned, rows=rows)
    assert load_file(tmp_path / "new" / "model.safetensors")["gate.table"].shape == (266, 2)
    with pytest.raises(ArgumentError, match="has no tensor 'nope'"):
        ModelFolder(model, rows=["nope"])
    with pytest.raises(ArgumentError, match=r"mlp\.weight has 8 rows, but config.json says"):
        ModelFolder(model, rows=["model.layers.0.mlp.weight"])


def test_packed_weights_are_refused(model, tensors, pruned, tmp_path):
    """Four bits a number have no row for each token; left as they are they would be of before."""
    packed = tensors | {"lm_head.weight": np.zeros((N_ROWS * WIDTH // 2, 1), np.uint8)}
    save_file(packed, model / "model.safetensors")
    with pytest.raises(ArgumentError, match=r"lm_head\.weight is \[1152, 1\].* packed"):
        ModelFolder(model)
    resize_model(model, tmp_path / "new", pruned, rows=["model.embed_tokens.weight"])
    save_file(tensors | {"lm_head.qweight": np.zeros((2, N_ROWS))}, model / "model.safetensors")
    with pytest.raises(
        ArgumentError, match=r"lm_head\.qweight is \[2, 288\], so it may have a row"
    ):
        ModelFolder(model)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_a_folder_without_a_model_is_refused(model, name):
    """It says what is missing."""
    (model / name).unlink()
    with pytest.raises(FormatError, match=f"no {name}"):
        ModelFolder(model)


@pytest.mark.parametrize(
    "content",
    [b"", b"\0" * 8, b"\xff" * 16, struct.pack("<Q", 2) + b"[]", struct.pack("<Q", 2) + b"{}x"],
)
def test_damaged_weights_are_refused(model, content):
    """Cut off, garbage, or with more than the header says."""
    (model / "model.safetensors").write_bytes(content)
    with pytest.raises(FormatError, match=r"model\.safetensors: "):
        ModelFolder(model)


def test_weights_that_were_cut_off_are_refused(model):
    """By their size, before anything is written."""
    path = model / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(FormatError, match=r"bytes, but its header says .*cut off"):
        ModelFolder(model)


def test_a_target_that_is_there_is_refused(model, pruned, tmp_path):
    """The source itself among them."""
    for target in (model, tmp_path):
        with pytest.raises(SaveError, match="is there already"):
            resize_model(model, target, pruned)


def test_a_target_within_the_source_is_refused(model, pruned, tmp_path):
    """Whatever it is called: the source is only read."""
    (tmp_path / "link").symlink_to(model)
    for target in (model / "new", tmp_path / "link" / "new", model / "sub" / "new"):
        with pytest.raises(SaveError, match=r"lies within .*model, which is only read"):
            resize_model(model, target, pruned)
    (tmp_path / "dangling").symlink_to("nowhere")
    with pytest.raises(SaveError, match="is there already"):
        resize_model(model, tmp_path / "dangling", pruned)
    assert "new" not in names_in(model)


def test_links_to_files_become_files(model, tensors, pruned, tmp_path):
    """As a download cache keeps a model."""
    blobs = tmp_path / "blobs"
    blobs.mkdir()
    for path in [*model.iterdir()]:
        path.rename(blobs / path.name)
        path.symlink_to(blobs / path.name)
    resize_model(model, tmp_path / "new", pruned)
    assert not any(path.is_symlink() for path in (tmp_path / "new").iterdir())
    new = load_file(tmp_path / "new" / "model.safetensors")["lm_head.bias"]
    assert np.array_equal(new, tensors["lm_head.bias"][pruned.kept_ids])


WRITER = """
import os, resource, signal, sys
import bytepair
from bytepair.models import resize_model

how, source, target = sys.argv[1:]
specials = ["<|endoftext|>", "<|pad|>"]
tok = bytepair.train(["low lower lowest " * 9], vocab_size=264, special_tokens=specials)
if how == "killed":
    os.fsync = lambda file: os.kill(os.getpid(), signal.SIGKILL)
else:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
try:
    resize_model(source, target, tok.prune(["low lower"], vocab_size=262))
except bytepair.errors.SaveError as error:
    sys.exit(3 if "File too large" in str(error) else str(error))
"""


@pytest.mark.skipif(os.name != "posix", reason="limits and signals of POSIX")
@pytest.mark.parametrize("how", ["killed", "full"])
def test_whoever_is_killed_or_has_no_room_leaves_no_target(model, tensors, tmp_path, pruned, how):
    """A process of its own: the target is there whole, or not at all; the source as it was."""
    save_file(tensors | {"layers.w": np.zeros(1 << 20)}, model / "model.safetensors")
    config = {"vocab_size": N_ROWS, "eos_token_id": 262}
    (model / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (model / "generation_config.json").unlink()
    before = {path.name: path.read_bytes() for path in model.iterdir()}
    done = subprocess.run(
        [sys.executable, "-c", WRITER, how, str(model), str(tmp_path / "new")],
        capture_output=True,
        check=False,
    )
    assert done.returncode == (-signal.SIGKILL if how == "killed" else 3), done.stderr
    assert not (tmp_path / "new").exists()
    assert {path.name: path.read_bytes() for path in model.iterdir()} == before
    (model / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    resize_model(model, tmp_path / "new", pruned)


@pytest.mark.parametrize("place", ["fsync", "mkdtemp"])
def test_a_disk_that_refuses_leaves_nothing(model, pruned, tmp_path, monkeypatch, place):
    """Full, or read-only."""

    def fail(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr({"fsync": "os.fsync", "mkdtemp": "tempfile.mkdtemp"}[place], fail)
    with pytest.raises(SaveError, match="No space left on device"):
        resize_model(model, tmp_path / "new", pruned)
    assert names_in(tmp_path) == ["model"]


def test_nothing_stays_of_a_write_that_failed_midway(model, pruned, tmp_path, monkeypatch):
    """Also when it is the tokenizer that cannot be saved."""
    monkeypatch.setattr(shutil, "copyfile", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        resize_model(model, tmp_path / "new", pruned)
    assert names_in(tmp_path) == ["model"]
