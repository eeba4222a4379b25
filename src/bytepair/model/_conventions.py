"""`Conventions`: what models that use a tokenizer expect, beside the ids of a text."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Conventions:
    """How a tokenizer's models are spoken to. No id of a text depends on it.

    Attributes:
        chat_templates: name -> Jinja source; the one that is used unless asked otherwise is called
            "default", one for conversations with tools "tool_use".
        named_tokens: "bos_token", "eos_token", "pad_token", ... -> the token's content.
        max_length: most ids that a model takes; None: not said.
    """

    chat_templates: Mapping[str, str] = field(default_factory=dict)
    named_tokens: Mapping[str, str] = field(default_factory=dict)
    max_length: int | None = None


NAMED_TOKENS = tuple(f"{name}_token" for name in ("bos", "eos", "unk", "sep", "pad", "cls", "mask"))
