r"""How text is cut by the tokenizers that a GGUF file names in `tokenizer.ggml.pre`.

Source of names and regexes: llama.cpp's `llama-vocab.cpp`. Where it has a simpler regex than the
tokenizer it is named after, that tokenizer's own stands here. Names are missing whose splitting is
code there, or that make no byte-level tokens (afmoe, chameleon, gemma4, sarvam-moe, whitespace).
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from bytepair.errors import ExportError
from bytepair.model import PreTokenizerStep, Split, SplitRules
from bytepair.patterns import NAMED, cuts_alike, resolve_steps


class Cutting(NamedTuple):
    """What a name stands for.

    Attributes:
        steps: each one cuts the pieces that the one before it left.
        ignore_merges: a piece that is itself a token becomes that token.
        add_bos: a text begins with the begin token, where the file does not say.
        is_exact: llama.cpp cuts as the tokenizer does that the name is for; if not, by a regex
            that is nearly the same. Found by comparing texts, with llama.cpp of October 2026.
    """

    steps: tuple[Split, ...]
    ignore_merges: bool = False
    add_bos: bool = False
    is_exact: bool = True


_CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_WORD = r"[^\r\n\p{L}\p{N}]?\p{L}+"
_PUNCTUATION = r" ?[^\s\p{L}\p{N}]+"
_SPACE = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_GPT2, _QWEN2 = NAMED["gpt2"], NAMED["qwen2"]
_DEEPSEEK3 = tuple(step.pattern for step in resolve_steps("deepseek-v3"))

_JAIS2 = rf"{_CONTRACTIONS}|{_WORD}|\p{{N}}{{1,3}}|{_PUNCTUATION}[\r\n]*|\s*[\r\n]+|" + "|".join(
    [*(rf"\s{{{n}}}(?!\S)" for n in (512, 256, 128, 64, 32, 16, 8, 4)), r"\s{1,2}(?!\S)", r"\s"]
)
_YOUTU = (
    r"[\uAC00-\uD7A3\u3131-\u318E]+"
    r"|[\uFF01\u2026\u201C\u201D\u2018\u2019\u2014\uFF1A\uFF1B\uFF0C\u3001-\u303F\uFE30-\uFE4F]+"
    rf"|[\u3105-\u312F]+|{_DEEPSEEK3[1]}",
    NAMED["o200k"].replace("{1,3}", ""),
)
_SPARK = (
    *_DEEPSEEK3[:2],
    _DEEPSEEK3[2].replace(r"[\r\n]*|\s*[\r\n]+", r"|[\r\n]"),
    r"\p{N}",
)
_BAILING = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*"
    r"|\s*[\r\n]|\s+(?!\S)|\s+"
)
_EXAONE_MOE = (
    rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?(?:\p{{L}}\p{{M}}*(?: \p{{L}}\p{{M}}*)*)+"
    rf"|\p{{N}}|{_PUNCTUATION}[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+"
)
_DEFAULT = (r"[\p{P}\$\+<=>\^~\|]+", _GPT2, r"\p{N}+", "[0-9][0-9][0-9]")


def _steps(*patterns: str) -> tuple[Split, ...]:
    return tuple(map(Split, patterns))


# Names that mean the same, and what.
_CUTTINGS: tuple[tuple[str, Cutting], ...] = (
    (
        "llama-bpe llama3 llama-v3 falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano",
        Cutting(resolve_steps("llama3"), ignore_merges=True, add_bos=True),
    ),
    ("dbrx smaug-bpe glm4 chatglm-bpe", Cutting(resolve_steps("llama3"))),
    (
        "gpt-2 phi-2 jina-es jina-de gigachat jina-v2-es jina-v2-de a.x-4.0 mellum modern-bert "
        "jina-v1-en jina-v2-code roberta-bpe exaone4 mpt olmo jais trillion granite-docling",
        Cutting(resolve_steps("gpt2")),
    ),
    (
        "starcoder refact command-r smollm codeshell exaone minerva-7b mellum2",
        Cutting(resolve_steps("starcoder")),
    ),
    (
        "qwen2 deepseek-r1-qwen kormo f2llmv2 stablelm2 hunyuan solar-open megrez grok-2",
        Cutting(resolve_steps("qwen2")),
    ),
    ("qwen35", Cutting(resolve_steps("qwen3.5"))),
    ("laguna", Cutting(_steps(r"[^\n]+|\n+", _QWEN2))),
    ("ufakzeka", Cutting(_steps(_QWEN2.removeprefix(f"{_CONTRACTIONS}|")))),
    (
        "minicpm5",
        Cutting(_steps(r"\p{N}{1,3}", _QWEN2.replace(r"|\p{N}|", r"|\p{N}+|")), ignore_merges=True),
    ),
    (
        "seed-coder",
        Cutting(_steps(rf"{_CONTRACTIONS}|{_WORD}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}\r\n]+|{_SPACE}")),
    ),
    ("jais-2", Cutting(_steps(_JAIS2))),
    (
        "tekken",
        Cutting(resolve_steps("tekken"), ignore_merges=True, add_bos=True, is_exact=False),
    ),
    ("gpt-4o llama4 kanana2 talkie minimax-m2", Cutting(resolve_steps("o200k"), is_exact=False)),
    (
        "granite-embed-multi-97m",
        Cutting(resolve_steps("o200k"), ignore_merges=True, is_exact=False),
    ),
    ("youtu", Cutting(_steps(*_YOUTU), ignore_merges=True, is_exact=False)),
    ("kimi-k2", Cutting(resolve_steps("kimi-k2"), is_exact=False)),
    ("tiny_aya cohere2moe", Cutting(resolve_steps("tiny-aya"), is_exact=False)),
    ("superbpe", Cutting(resolve_steps("superbpe"))),
    ("deepseek-v3 hunyuan-dense joyai-llm hy_v4", Cutting(resolve_steps("deepseek-v3"))),
    ("spark2_5", Cutting(_steps(*_SPARK))),
    ("deepseek-llm", Cutting(resolve_steps("deepseek-llm"), is_exact=False)),
    ("deepseek-coder", Cutting(resolve_steps("deepseek-coder"))),
    ("falcon", Cutting(resolve_steps("falcon"), is_exact=False)),
    ("bloom poro-chat gpt3-finnish", Cutting(resolve_steps("bloom"))),
    ("viking", Cutting((*resolve_steps("bloom"), Split(r"\p{N}")))),
    ("bailingmoe bailingmoe2 llada-moe", Cutting(_steps(_BAILING))),
    ("exaone-moe", Cutting(_steps(_EXAONE_MOE))),
    ("default", Cutting(_steps(*_DEFAULT))),
)

CUTTING_BY_NAME: Mapping[str, Cutting] = MappingProxyType(
    {name: cutting for names, cutting in _CUTTINGS for name in names.split()}
)


def known_cutting(rules: SplitRules, *, looks_up: bool | None = None) -> tuple[str, Cutting]:
    """(name, what it stands for) of the way in which these rules cut.

    Args:
        looks_up: whether pieces that are tokens must not be merged; None: it makes no difference.

    Raises:
        ExportError: no name stands for it; the message says which there are.
    """
    steps = rules.steps if rules.pattern is None else (Split(rules.pattern),)
    same = {n: c for n, c in CUTTING_BY_NAME.items() if _same_steps(c.steps, steps)}
    exact = {name: cutting for name, cutting in same.items() if cutting.is_exact}
    if same and not exact:
        raise ExportError(
            f"llama.cpp cuts what it calls {next(iter(same))!r} by a simpler regex than this "
            "tokenizer's, and gives other ids to some texts. Save as 'huggingface'."
        )
    for name, cutting in exact.items():
        if looks_up in (None, cutting.ignore_merges):
            return name, cutting
    raise ExportError(
        "a GGUF file names the way in which text is cut, and no name is known for that of this "
        "tokenizer. Save as 'huggingface', or train with a pattern that has a name there: gpt2, "
        "llama3, qwen2, starcoder, deepseek-v3, ..."
    )


def _same_steps(known: tuple[Split, ...], steps: tuple[PreTokenizerStep, ...]) -> bool:
    return len(known) == len(steps) and all(
        isinstance(step, Split)
        and replace(step, pattern=ours.pattern) == ours
        and cuts_alike(ours.pattern, step.pattern)
        for ours, step in zip(known, steps, strict=True)
    )
