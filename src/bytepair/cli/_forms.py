"""A tokenizer in every form that other libraries read."""

import json
import warnings
from pathlib import Path

from bytepair import Tokenizer
from bytepair.cli._output import main_file
from bytepair.cli._peers import Source
from bytepair.errors import BytepairWarning, ExportError, FormatError

_OTHER_JSON = {"tekken.json", "vocab.json"}


def forms_of(tok: Tokenizer, path: Path, folder: Path) -> Source:
    """`tok`, which `path` holds, in every form that says it exactly; new files go to `folder`.

    What a form lacks and no ids depend on, such as a post-processor, is not warned of.
    """
    given = main_file(path) if main_file(path).is_file() else path
    reasons: dict[str, str] = {}
    ranks = _exported(tok, folder / "exported.tiktoken", "ranks", reasons)
    sidecar = json.loads(Path(f"{ranks}.json").read_text(encoding="utf-8")) if ranks else {}
    return Source(
        given=str(given),
        json=_huggingface(tok, given, folder, reasons),
        ranks=ranks,
        pattern=tok.pattern or "",
        pat_str=sidecar.get("pat_str", ""),
        special_tokens=sidecar.get("special_tokens", tok.special_tokens),
        n_ordinary=len(tok.spec.vocabulary.tokens),
        reasons=reasons,
    )


def _huggingface(tok: Tokenizer, given: Path, folder: Path, reasons: dict[str, str]) -> str:
    if given.suffix == ".json" and given.name not in _OTHER_JSON:
        return str(given)
    return _exported(tok, folder / "exported.json", "json", reasons)


def _exported(tok: Tokenizer, target: Path, form: str, reasons: dict[str, str]) -> str:
    try:
        with warnings.catch_warnings(action="ignore", category=BytepairWarning):
            tok.save(target)
    except (ExportError, FormatError) as error:
        reasons[form] = str(error)
        return ""
    return str(target)
