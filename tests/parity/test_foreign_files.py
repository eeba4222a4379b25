"""A tokenizer file of another program gives the ids that its own library gives."""

import gzip
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import sentencepiece
from hypothesis import given
from hypothesis import strategies as st
from sentencepiece import sentencepiece_model_pb2 as pb
from tokenizers import Regex, Tokenizer, normalizers

import bytepair
import foreign
from bytepair.model import BYTE_TO_CHAR
from bytepair.patterns import NAMED
from inputs import FRAGMENTS, fewer, is_settled, texts


@pytest.fixture(scope="session", params=["native", "python"])
def engine(request: pytest.FixtureRequest) -> str:
    """Each engine in turn."""
    name: str = request.param
    return name


Ids = Callable[[str], list[int]]


@cache
def loaded(path: Path, engine: str, **options: str) -> bytepair.Tokenizer:
    """A loaded tokenizer, once."""
    return bytepair.Tokenizer(bytepair.load(path, **options).spec, engine=engine)


def ordinary(path: Path, engine: str) -> Ids:
    """Text -> ids, where the contents of special tokens are text like any other."""
    return lambda text: loaded(path, engine).encode(text, disallowed_special=())


# ---------------------------------------------------------------------- SentencePiece

IDENTITY = {"normalization_rule_name": "identity"}
KEEPS_SPACES = {"remove_extra_whitespaces": False}
NO_PREFIX = {"add_dummy_prefix": False}
SYMBOLS = {"user_defined_symbols": foreign.USER_DEFINED}
MODELS = {
    "default": {},
    "byte-fallback": {"byte_fallback": True},
    "as-mistral": IDENTITY
    | KEEPS_SPACES
    | {"byte_fallback": True, "allow_whitespace_only_pieces": True, "split_digits": True},
    "identity": IDENTITY,
    "folded-no-prefix": {"normalization_rule_name": "nfkc_cf"} | NO_PREFIX,
    "no-prefix": IDENTITY | NO_PREFIX,
    "spaces-no-prefix": NO_PREFIX | KEEPS_SPACES,
    "over-words": IDENTITY | {"split_by_whitespace": False, "split_by_unicode_script": False},
    "symbols": SYMBOLS,
    "symbols-byte-fallback": SYMBOLS | KEEPS_SPACES | {"byte_fallback": True},
    "symbols-identity": SYMBOLS | IDENTITY | KEEPS_SPACES,
    "symbols-no-prefix": SYMBOLS | IDENTITY | NO_PREFIX,
    "symbols-with-spaces": {"user_defined_symbols": ["x y", " z", "[REF]"]},
    "control": {"control_symbols": ["a", "<ctl>"], "unk_surface": " ?? ", "pad_id": 3},
    "rare-left-out": {"character_coverage": 0.98, "vocab_size": 700},
}
odd_texts = st.lists(
    st.sampled_from([*FRAGMENTS, *foreign.ODD, *foreign.USER_DEFINED, *"abcdehinorst ."])
    | st.characters(exclude_categories=["Cs"]),
    max_size=14,
).map("".join)


SPACES = IDENTITY | KEEPS_SPACES
CHANGED = {
    "runs": lambda: foreign.with_runs_of_spaces(foreign.sentencepiece_model(**SPACES), range(2, 9)),
    "gaps": lambda: foreign.with_runs_of_spaces(
        foreign.sentencepiece_model(**SPACES), [2, 4, 5, 8]
    ),
    "ties": lambda: foreign.with_few_scores(foreign.sentencepiece_model(**IDENTITY)),
}


@given(text=st.lists(st.sampled_from([" ", "  ", "\t", "▁", "the", "a", "def", "é"])).map("".join))
@pytest.mark.parametrize("name", CHANGED)
def test_pieces_of_one_score_are_joined_from_the_left(name, engine, tmp_path_factory, text):
    """Nothing else in the file says which comes first."""
    path = tmp_path_factory.getbasetemp() / f"{name}.model"
    if not path.exists():
        path.write_bytes(CHANGED[name]())
    assert ordinary(path, engine)(text) == processor(path).encode(text)


@pytest.fixture(scope="session", params=MODELS)
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trained model file."""
    path = tmp_path_factory.mktemp("spm") / f"{request.param}.model"
    path.write_bytes(foreign.sentencepiece_model(**MODELS[request.param]))
    return path


@cache
def processor(path: Path) -> sentencepiece.SentencePieceProcessor:
    """SentencePiece itself."""
    return sentencepiece.SentencePieceProcessor(model_file=str(path))


@given(text=odd_texts)
def test_a_sentencepiece_model_gives_sentencepieces_ids(model, engine, text):
    """Whatever it was trained with: normalisers, spaces, symbols, unknown characters."""
    assert ordinary(model, engine)(text) == processor(model).encode(text)


@given(text=odd_texts.filter(lambda text: not text.strip(" \n\t").startswith("▁")))
def test_a_sentencepiece_model_decodes_like_sentencepiece(model, engine, text):
    """Unknown tokens as well; but a sign for spaces that begins a text it drops, and we do not."""
    ids = processor(model).encode(text)
    assert loaded(model, engine).decode(ids) == processor(model).decode(ids)


@pytest.mark.parametrize("name", ["as-mistral", "identity", "over-words"])
@fewer(4)
@given(text=odd_texts)
def test_a_sentencepiece_model_saved_for_hugging_face_gives_the_same_ids(
    name, tmp_path_factory, text
):
    """Each piece keeps the one merge that makes it."""
    theirs = _saved(name, tmp_path_factory.getbasetemp())
    expected = sentencepiece.SentencePieceProcessor(
        model_proto=foreign.sentencepiece_model(**MODELS[name])
    ).encode(text)
    assert theirs.encode(text, add_special_tokens=False).ids == expected


@cache
def _saved(name: str, folder: Path) -> Tokenizer:
    path = folder / f"saved-{name}.model"
    path.write_bytes(foreign.sentencepiece_model(**MODELS[name]))
    bytepair.load(path).save(folder / f"saved-{name}")
    return Tokenizer.from_file(str(folder / f"saved-{name}" / "tokenizer.json"))


@pytest.mark.parametrize("name", ["as-mistral", "symbols-identity"])
@given(text=odd_texts)
def test_a_gguf_file_of_a_sentencepiece_model_gives_its_ids(name, engine, tmp_path_factory, text):
    """Scores and types are all that llama.cpp's converter takes over."""
    path = _as_gguf(name, tmp_path_factory.getbasetemp())
    expected = sentencepiece.SentencePieceProcessor(
        model_proto=foreign.sentencepiece_model(**MODELS[name])
    ).encode(text)
    assert ordinary(path, engine)(text) == expected


@cache
def _as_gguf(name: str, folder: Path) -> Path:
    proto = pb.ModelProto()
    proto.ParseFromString(foreign.sentencepiece_model(**MODELS[name]))
    texts = [p.piece.replace("▁", " ") if p.type == 4 else p.piece for p in proto.pieces]
    return foreign.write_gguf(
        folder / f"{name}.gguf",
        "llama",
        texts,
        scores=[piece.score for piece in proto.pieces],
        types=[piece.type for piece in proto.pieces],
        add_space_prefix=proto.normalizer_spec.add_dummy_prefix,
    )


# ---------------------------------------------------------------------- byte-level

CUTS = {
    "gpt-2": NAMED["gpt2"],
    "llama-bpe": NAMED["llama3"],
    "qwen2": NAMED["qwen2"],
    "gpt-4o": NAMED["o200k"],
}


@pytest.mark.parametrize("name", CUTS)
@given(text=texts().filter(lambda text: is_settled(text.encode())))
def test_a_gguf_file_of_a_byte_level_tokenizer_gives_its_ids(name, engine, tmp_path_factory, text):
    """The pattern is what `tokenizer.ggml.pre` stands for."""
    theirs = foreign.byte_level(CUTS[name])
    folder = tmp_path_factory.getbasetemp()
    assert ordinary(_byte_level_gguf(name, folder), engine)(text) == theirs.encode(text).ids


@cache
def _byte_level_gguf(name: str, folder: Path) -> Path:
    model = json.loads(foreign.byte_level(CUTS[name]).to_str())["model"]
    return foreign.write_gguf(
        folder / f"{name}.gguf",
        "gpt2",
        list(model["vocab"]),
        merges=[" ".join(merge) for merge in model["merges"]],
        types=[3 if token == "<|endoftext|>" else 1 for token in model["vocab"]],
        tokenizer_pre=name,
        add_bos_token=False,
    )


@fewer(4)
@given(text=texts().filter(lambda text: is_settled(text.encode())))
def test_the_files_of_gpt2_give_the_ids_of_their_maker(engine, tmp_path_factory, text):
    """As the library saves them: `vocab.json` and `merges.txt`."""
    theirs = foreign.byte_level(NAMED["gpt2"])
    folder = _gpt2_folder(tmp_path_factory.getbasetemp())
    assert ordinary(folder, engine)(text) == theirs.encode(text, add_special_tokens=False).ids


@cache
def _gpt2_folder(base: Path) -> Path:
    folder = base / "gpt2"
    folder.mkdir()
    foreign.byte_level(NAMED["gpt2"]).model.save(str(folder))
    return folder


@fewer(4)
@given(text=texts())
def test_a_tekken_file_gives_the_ids_of_tekkenizer(engine, tmp_path_factory, text):
    """Behind the special tokens, and only as many as the file says."""
    content, ids = foreign.tekken()
    path = tmp_path_factory.getbasetemp() / "tekken.json"
    path.write_text(content, encoding="utf-8")
    assert ordinary(path, engine)(text) == ids(text)


# ---------------------------------------------------------------------- CLIP

CLIP = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+"


@fewer(4)
@given(text=texts().filter(lambda text: is_settled(text.encode())))
def test_clips_merges_give_the_ids_of_clip(engine, tmp_path_factory, text):
    """The last byte of each word is another token than the same byte within."""
    path, theirs = _clip(tmp_path_factory.getbasetemp())
    assert loaded(path, engine).encode_ordinary(text) == theirs.encode(text).ids


@cache
def _clip(folder: Path):
    """(CLIP's list of merges, what Hugging Face makes of CLIP's ids)."""
    theirs = foreign.byte_level(CLIP, end_of_word="</w>")
    parts = [" ".join(m) for m in json.loads(theirs.to_str())["model"]["merges"]]
    chars = sorted(BYTE_TO_CHAR)
    joined = [part.replace(" ", "") for part in parts]
    vocab = {t: n for n, t in enumerate([*chars, *(c + "</w>" for c in chars), *joined])}
    merges = [tuple(part.split(" ")) for part in parts]
    theirs.model = type(theirs.model)(vocab, merges, end_of_word_suffix="</w>")
    theirs.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()]
    )
    path = folder / "bpe_simple_vocab_16e6.txt.gz"
    text = '"bpe_simple_vocab_16e6.txt#version: 0.2\n' + "\n".join(parts)
    path.write_bytes(gzip.compress(text.encode()))
    return path, theirs
