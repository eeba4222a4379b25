"""Rank files that were published, by their SHA-256: what their publishers say beside the file.

Sources: tiktoken's `openai_public.py` (r50k_base, also shipped by Whisper as gpt2; p50k_base,
cl100k_base, o200k_base), Whisper's `tokenizer.py` (multilingual), the tokenizers of the Qwen
packages. Special tokens are those that every user of the file agrees on: what one model family
adds behind them (Whisper's languages, Qwen's roles, o200k_harmony) must be passed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from bytepair.model import NormalizerStep, TokenId
from bytepair.patterns import NAMED

_END = "<|endoftext|>"
_END_OF_PROMPT = "<|endofprompt|>"
_FIM = ("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>")
_TURNS = ("<|im_start|>", "<|im_end|>")


@dataclass(frozen=True)
class RankFacts:
    """What a rank file does not say.

    Attributes:
        pattern: a regex, or None: a text is one pre-token.
        special_tokens: content -> id.
        has_empty_token: one line holds no token (spelt "="): no text has it, and it is left out.
    """

    name: str
    pattern: str | None
    special_tokens: Mapping[str, TokenId] = field(default_factory=dict)
    normalizer: tuple[NormalizerStep, ...] = ()
    has_empty_token: bool = False


def _from(first: TokenId, *contents: str) -> dict[str, TokenId]:
    return {content: first + place for place, content in enumerate(contents)}


PUBLISHED: Mapping[str, RankFacts] = MappingProxyType(
    {
        "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930": RankFacts(
            "r50k_base", NAMED["r50k"], {_END: 50256}
        ),
        "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069": RankFacts(
            "p50k_base", NAMED["p50k"], {_END: 50256}
        ),
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7": RankFacts(
            "cl100k_base", NAMED["cl100k"], _from(100257, _END, *_FIM) | {_END_OF_PROMPT: 100276}
        ),
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d": RankFacts(
            "o200k_base", NAMED["o200k"], {_END: 199999, _END_OF_PROMPT: 200018}
        ),
        "b34b360dbb493e781e479794586d661700670d65564001f23024971d1f2fa126": RankFacts(
            "whisper", NAMED["gpt2"], {_END: 50257}, has_empty_token=True
        ),
        "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186": RankFacts(
            "qwen", NAMED["qwen2"], _from(151643, _END, *_TURNS), ("nfc",)
        ),
        "8dde380a6405e935f5de16a99eb61c824f3f814dd1ed298784c72babb7a03cdd": RankFacts(
            "qwen3.6", NAMED["qwen3.5"], _from(248044, _END, *_TURNS), ("nfc",)
        ),
    }
)
