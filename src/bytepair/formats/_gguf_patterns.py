r"""How text is cut by the tokenizers that a GGUF file names in `tokenizer.ggml.pre`.

Source of names and regexes: llama.cpp's `llama-vocab.cpp`. Where it quotes the regex of the
original tokenizer beside a simpler one of its own, the original stands here. Names whose splitting
is code there, or that make no byte-level tokens, are missing (kimi-k2, afmoe, tiny_aya, superbpe,
chameleon, gemma4, sarvam-moe, whitespace).
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from bytepair.patterns import NAMED


class Cutting(NamedTuple):
    """What a name stands for.

    Attributes:
        patterns: regexes, each of which cuts the pieces that the one before it left.
        ignore_merges: a piece that is itself a token becomes that token.
        add_bos: a text begins with the begin token, where the file does not say.
    """

    patterns: tuple[str, ...]
    ignore_merges: bool = False
    add_bos: bool = False


def _ranges(code_points: str) -> str:
    """The inside of a class, from "41-5A B5": escapes, since editors may normalise characters."""
    spans = (span.split("-") for span in code_points.split())
    return "".join("-".join(f"\\x{{{code}}}" for code in span) for span in spans)


_ANY_CASE = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_WORD = r"[^\r\n\p{L}\p{N}]?\p{L}+"
_PUNCTUATION = r" ?[^\s\p{L}\p{N}]+"
_SPACE = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_UP, _LOW = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CASED = rf"[^\r\n\p{{L}}\p{{N}}]?{_UP}*{_LOW}+", rf"[^\r\n\p{{L}}\p{{N}}]?{_UP}+{_LOW}*"

TEKKEN = rf"{'|'.join(_CASED)}|\p{{N}}|{_PUNCTUATION}[\r\n/]*|{_SPACE}"
QWEN35 = (
    rf"{_ANY_CASE}|[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}\p{{M}}]+|\p{{N}}"
    rf"| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{_SPACE}"
)
_JAIS2 = rf"{_ANY_CASE}|{_WORD}|\p{{N}}{{1,3}}|{_PUNCTUATION}[\r\n]*|\s*[\r\n]+|" + "|".join(
    [*(rf"\s{{{n}}}(?!\S)" for n in (512, 256, 128, 64, 32, 16, 8, 4)), r"\s{1,2}(?!\S)", r"\s"]
)
_KANA = f"[{_ranges('4E00-9FA5 3040-309F 30A0-30FF')}]+"
_YOUTU_SIGNS = "FF01 2026 201C 201D 2018 2019 2014 FF1A FF1B FF0C 3001-303F FE30-FE4F"
_YOUTU = (
    f"[{_ranges('AC00-D7A3 3131-318E')}]+|[{_ranges(_YOUTU_SIGNS)}]+|[{_ranges('3105-312F')}]+"
    f"|{_KANA}",
    rf"{_CASED[0]}{_ANY_CASE}?|{_CASED[1]}{_ANY_CASE}?|\p{{N}}|{_PUNCTUATION}[\r\n/]*|{_SPACE}",
)
_ASCII_WORD = r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+"""
_DEEPSEEK3_WORD = rf"{_ASCII_WORD}|[^\r\n\p{{L}}\p{{P}}\p{{S}}]?[\p{{L}}\p{{M}}]+"
_DEEPSEEK_LETTERS = _ranges("""
    41-5A 61-7A B5 C0-D6 D8-F6 F8-1BA 1BC-1BF 1C4-293 295-2AF 370-373 376 377 37B-37D 37F 386
    388-38A 38C 38E-3A1 3A3-3F5 3F7-481 48A-52F 531-556 10A0-10C5 13A0-13F5 13F8-13FD 1C90-1CBA
    1CBD-1CBF 1D00-1D2B 1D6B-1D77 1D79-1D9A 1E00-1F15 1F18-1F1D 1F20-1F45 1F48-1F4D 1F50-1F57
    1F59 1F5B 1F5D 1F5F-1F7D 1F80-1FB4 1FB6-1FBC 1FBE 1FC2-1FC4 1FC6-1FCC 1FD0-1FD3 1FD6-1FDB
    1FE0-1FEC 1FF2-1FF4 1FF6-1FFC 2102 2107 210A-2113 2115 2119-211D 2124 2126 2128 212A-212D
    212F-2134 2139 213C-213F 2145-2149 214E 2183 2184 2C00-2C7B 2C7E-2CE4 2CEB-2CEE 2CF2 2CF3
    A640-A66D A680-A69B A722-A76F A771-A787 A78B-A78E AB70-ABBF FB00-FB06 FB13-FB17 FF21-FF3A
    FF41-FF5A 10400-1044F 104B0-104D3 104D8-104FB 10C80-10CB2 10CC0-10CF2 118A0-118DF
    1E900-1E943
""")
_CJK = f"[{_ranges('4E00-9FA5 800-4E00 AC00-D7FF')}]+"
_BLOOM = rf" ?[^(\s|.,!?{_ranges('2026 3002 FF0C 3001 964 6D4 60C')})]+"
_DEEPSEEK_SIGNS = rf"\s?[!-/:-~{_ranges('FF01-FF0F FF1A-FF5E 2018-201F 3000-3002')}]+"
_FALCON_SIGNS = r"[\p{P}\$\+<=>\^~\|`]+"

_GPT2 = NAMED["gpt2"]
_LLAMA3 = NAMED["llama3"]
_QWEN2 = NAMED["qwen2"]

_BY_CUTTING: tuple[tuple[str, Cutting], ...] = (
    (
        "llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano",
        Cutting((_LLAMA3,), ignore_merges=True, add_bos=True),
    ),
    ("dbrx smaug-bpe glm4 chatglm-bpe", Cutting((_LLAMA3,))),
    (
        "gpt-2 phi-2 jina-es jina-de gigachat jina-v2-es jina-v2-de a.x-4.0 mellum modern-bert "
        "jina-v1-en jina-v2-code roberta-bpe exaone4 mpt olmo jais trillion granite-docling",
        Cutting((_GPT2,)),
    ),
    (
        "starcoder refact command-r smollm codeshell exaone minerva-7b mellum2",
        Cutting((r"\p{N}", _GPT2)),
    ),
    (
        "qwen2 deepseek-r1-qwen kormo f2llmv2 stablelm2 hunyuan solar-open megrez grok-2",
        Cutting((_QWEN2,)),
    ),
    ("qwen35", Cutting((QWEN35,))),
    ("laguna", Cutting((r"[^\n]+|\n+", _QWEN2))),
    ("ufakzeka", Cutting((rf"{_WORD}|\p{{N}}|{_PUNCTUATION}[\r\n]*|{_SPACE}",))),
    (
        "minicpm5",
        Cutting((r"\p{N}{1,3}", _QWEN2.replace(r"|\p{N}|", r"|\p{N}+|")), ignore_merges=True),
    ),
    ("jais-2", Cutting((_JAIS2,))),
    ("tekken", Cutting((TEKKEN,), ignore_merges=True, add_bos=True)),
    ("gpt-4o llama4 kanana2 talkie minimax-m2", Cutting((NAMED["o200k"],))),
    ("granite-embed-multi-97m", Cutting((NAMED["o200k"],), ignore_merges=True)),
    ("youtu", Cutting(_YOUTU, ignore_merges=True)),
    (
        "deepseek-v3 hunyuan-dense joyai-llm hy_v4",
        Cutting((r"\p{N}{1,3}", _KANA, rf"{_DEEPSEEK3_WORD}| ?[\p{{P}}\p{{S}}]+[\r\n]*|{_SPACE}")),
    ),
    (
        "spark2_5",
        Cutting(
            (
                r"\p{N}{1,3}",
                _KANA,
                rf"{_DEEPSEEK3_WORD}| ?[\p{{P}}\p{{S}}]+|[\r\n]|\s+(?!\S)|\s+",
                r"\p{N}",
            )
        ),
    ),
    (
        "deepseek-llm",
        Cutting(
            (
                r"[\r\n]",
                rf"\s?[{_DEEPSEEK_LETTERS}]+",
                _DEEPSEEK_SIGNS,
                r"\s+(?![\s\S])",
                _CJK,
                r"\p{N}+",
            )
        ),
    ),
    ("deepseek-coder", Cutting((r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", _CJK, r"\p{N}"))),
    ("falcon", Cutting((_FALCON_SIGNS, _GPT2, "[0-9][0-9][0-9]"))),
    ("bloom poro-chat gpt3-finnish", Cutting((_BLOOM,))),
    ("viking", Cutting((_BLOOM, r"\p{N}"))),
    (
        "bailingmoe bailingmoe2 llada-moe",
        Cutting(
            (
                r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*"
                r"|\s*[\r\n]|\s+(?!\S)|\s+",
            )
        ),
    ),
    (
        "seed-coder",
        Cutting((rf"{_ANY_CASE}|{_WORD}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}\r\n]+|{_SPACE}",)),
    ),
    (
        "exaone-moe",
        Cutting(
            (
                rf"{_ANY_CASE}|[^\r\n\p{{L}}\p{{N}}]?(?:\p{{L}}\p{{M}}*(?: \p{{L}}\p{{M}}*)*)+"
                rf"|\p{{N}}|{_PUNCTUATION}[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+",
            )
        ),
    ),
    (
        "default",
        Cutting((_FALCON_SIGNS.replace("`", ""), _GPT2, r"\p{N}+", "[0-9][0-9][0-9]")),
    ),
)

CUTTING_BY_NAME: Mapping[str, Cutting] = MappingProxyType(
    {name: cutting for names, cutting in _BY_CUTTING for name in names.split()}
)
