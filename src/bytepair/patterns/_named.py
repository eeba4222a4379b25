r"""Pre-token patterns by name.

Published patterns, in a spelling that Oniguruma (Hugging Face) and fancy-regex (tiktoken) read
alike. Sources: tiktoken's `openai_public.py` (r50k, p50k, cl100k, o200k); the encoders of GPT-2
and CLIP; the `tokenizer.json` of Llama 3, Qwen, BLOOM, DeepSeek, StarCoder and Falcon; the tekken
files of mistral-common; `tokenization_kimi.py` of Kimi K2; `llama-vocab.cpp` of llama.cpp
(SuperBPE, Tiny Aya).
"""

from collections.abc import Mapping
from types import MappingProxyType

from bytepair.errors import PatternError
from bytepair.model import Split

# What Hugging Face's Digits and Punctuation look for. They follow other Unicode versions than
# regexes do, 17 and 8: compared with tokenizers 0.23.3, every code point.
HF_DIGIT = r"[\p{N}\x{11DE0}-\x{11DE9}\x{16FF4}-\x{16FF6}]"
HF_PUNCTUATION = r"[!-/:-@\[-`{-~\u166D\x{111C9}[\p{P}&&\p{Age=8.0}]]"

_CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_PUNCTUATION = r" ?[^\s\p{L}\p{N}]+"
_SPACE = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_GPT2 = rf"'s|'t|'re|'ve|'m|'ll|'d| ?\p{{L}}+| ?\p{{N}}+|{_PUNCTUATION}|\s+(?!\S)|\s+"
_R50K = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
_LLAMA3 = (
    rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}|{_PUNCTUATION}[\r\n]*|{_SPACE}"
)
_QWEN2 = _LLAMA3.replace("{1,3}", "")


def _cased(contractions: str, also: str = "") -> str:
    """Words that end where small letters are followed by capitals; `also` limits the letters."""
    upper = rf"[\p{{Lu}}\p{{Lt}}\p{{Lm}}\p{{Lo}}\p{{M}}{also}]"
    lower = rf"[\p{{Ll}}\p{{Lm}}\p{{Lo}}\p{{M}}{also}]"
    first = r"[^\r\n\p{L}\p{N}]?"
    return f"{first}{upper}*{lower}+{contractions}|{first}{upper}+{lower}*{contractions}"


_OPTIONAL = f"{_CONTRACTIONS}?"
_NOT_HAN = r"&&[^\p{Han}]"
_O200K = rf"{_cased(_OPTIONAL)}|\p{{N}}{{1,3}}|{_PUNCTUATION}[\r\n/]*|{_SPACE}"

NAMED: Mapping[str, str] = MappingProxyType(
    {
        "gpt2": _GPT2,
        "r50k": _R50K,
        "p50k": _R50K,
        # White space that ends the text stays whole, line ends included. tiktoken has it so since
        # 0.8; files for Hugging Face made from older versions, and Llama 3, do not.
        "cl100k": _LLAMA3.replace(_SPACE, rf"\s+(?![\s\S])|{_SPACE}"),
        "o200k": _O200K,
        "llama3": _LLAMA3,
        "qwen2": _QWEN2,
        "qwen3.5": _QWEN2.replace(r"?\p{L}+", r"?[\p{L}\p{M}]+").replace(
            _PUNCTUATION, r" ?[^\s\p{L}\p{M}\p{N}]+"
        ),
        "tekken": rf"{_cased('')}|\p{{N}}|{_PUNCTUATION}[\r\n/]*|{_SPACE}",
        "kimi-k2": rf"[\p{{Han}}]+|{_cased(_OPTIONAL, _NOT_HAN)}"
        rf"|\p{{N}}{{1,3}}|{_PUNCTUATION}[\r\n]*|{_SPACE}",
        "bloom": r" ?[^(\s|[.,!?…。，、।۔،])]+",
        # "st" is torn apart: in one group Oniguruma would also take the ligature for it.
        "clip": r"(?i:<\|s)(?i:tartoftext\|>)|(?i:<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d)"
        r"|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
        "whitespace": r"\S+|\s+",
    }
)

# Most letters that have case. Where an editor could put an equal letter for one, it is a number.
_DEEPSEEK_LETTERS = (
    r"A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅ"
    r"Ὀ-Ὅὐ-ὗὙὛὝὟ-\u1F7Dᾀ-ᾴᾶ-ᾼ\u1FBEῂ-ῄῆ-ῌῐ-\u1FD3ῖ-\u1FDBῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤ\u2126ℨ\u212A-ℭℯ-ℴℹ"
    r"ℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃"
)
_HF_WORD = r"[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}²³¹¼½¾]"
_DEEPSEEK_CJK = Split("[一-龥ࠀ-一가-퟿]+")

SEQUENCES: Mapping[str, tuple[Split, ...]] = MappingProxyType(
    {
        "deepseek-llm": (
            Split(r"[\r\n]"),
            Split(rf"\s?[{_DEEPSEEK_LETTERS}]+"),
            Split(r"\s?[!-/:-~！-／：-～‘-‟\u3000-。]+"),
            Split(r"\s+(?![^\n])"),  # in the file \s+$, which ends a line there
            _DEEPSEEK_CJK,
            Split(HF_DIGIT),
        ),
        "deepseek-coder": (
            Split(r"[\r\n]"),
            Split(r"\s?\p{L}+"),
            Split(r"\s?\p{P}+"),
            _DEEPSEEK_CJK,
            Split(HF_DIGIT),
        ),
        "deepseek-v3": (
            Split(r"\p{N}{1,3}"),
            Split("[一-龥぀-ゟ゠-ヿ]+"),
            Split(
                r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+"
                r"|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*"
                rf"|{_SPACE}"
            ),
        ),
        "starcoder": (Split(HF_DIGIT), Split(_GPT2)),
        "falcon": (
            Split(HF_PUNCTUATION, "contiguous"),
            Split(_GPT2),
            Split(HF_DIGIT, "contiguous", by_bytes=True),
            Split("[0-9][0-9][0-9]", by_bytes=True),
        ),
        # Groups of three from the right: `split_steps` of (?=(\d{3})+(?!\d)) and, of what \w is in
        # files for Hugging Face, \d{1,3}(?=(?:\d{3})*\b).
        "superbpe": (
            Split(r"\p{N}+"),
            Split(r"(?:\d{3})+(?!\d)", "merged_with_next"),
            Split(r"\d{3}(?=\d)"),
        ),
        "tiny-aya": (
            Split(rf"\d+(?!{_HF_WORD})"),
            Split(rf"(?:\d{{3}})+(?!{_HF_WORD})"),
            Split(r"\d*(?!\d)[\s\S]+|\d{3}"),
            Split(_O200K),
        ),
    }
)
"""Published pre-tokenisers of several splits; each one cuts what the one before it left."""


def resolve(pattern: str | None) -> str | None:
    r"""The regex behind a name; a regex (or None) stays as it is.

    A word without any regex sign is taken for a misspelt name, not for a regex.

    Raises:
        PatternError: not a known name, the name of a sequence, or not a str.

    >>> resolve("whitespace")
    '\\S+|\\s+'
    """
    if pattern is None:
        return None
    if not isinstance(pattern, str):
        raise PatternError(
            f"pattern must be a name, a regex as a str, or None, got {pattern!r:.60}."
        )
    if pattern in NAMED:
        return NAMED[pattern]
    if pattern in SEQUENCES:
        raise PatternError(
            f"pattern {pattern!r} is a sequence of {len(SEQUENCES[pattern])} splits, and one regex "
            "is wanted here."
        )
    if pattern.replace("_", "").replace("-", "").replace(".", "").isalnum():
        raise PatternError(
            f"pattern {pattern!r} is not a known name (known: {', '.join(NAMED)}). "
            "For a regex that is a plain word, write it as a group: '(?:word)'."
        )
    return pattern


def resolve_steps(pattern: str | None) -> tuple[Split, ...]:
    r"""The splits behind a name of any kind, or a regex; none for None.

    Raises:
        PatternError: as `resolve`, but for the names of sequences.

    >>> [step.pattern for step in resolve_steps("deepseek-v3")][:2]
    ['\\p{N}{1,3}', '[一-龥぀-ゟ゠-ヿ]+']
    """
    if isinstance(pattern, str) and pattern in SEQUENCES:
        return SEQUENCES[pattern]
    regex = resolve(pattern)
    return () if regex is None else (Split(regex),)


def name_of(regex: str | None) -> str | None:
    """The (first) name a regex has, or None."""
    return next((name for name, known in NAMED.items() if known == regex), None)
