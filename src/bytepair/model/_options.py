"""Options that go through several rooms unchanged."""

import os
from collections.abc import Iterable
from typing import TypedDict

from bytepair.model._progress import ProgressCallback
from bytepair.model._types import LengthUnit, OnError, Ties


class ExtendOptions(TypedDict, total=False):
    """What `Tokenizer.extend` takes beside corpus and size; each means what it does in `train`."""

    min_frequency: int
    max_token_length: int | None
    length_unit: LengthUnit | None
    ties: Ties
    seed_tokens: Iterable[str | bytes]
    blocked_tokens: Iterable[str | bytes]
    blocked_pairs: Iterable[tuple[str | bytes, str | bytes]]
    exact_size: bool
    separator: str | bytes | None
    text_field: str
    on_error: OnError
    name: str | None
    threads: int | None
    memory_limit: int | str | None
    engine: str | None
    progress: ProgressCallback | None
    checkpoint: str | os.PathLike[str] | None
    resume: bool
