"""What stands beside a `tokenizer.json`: `tokenizer_config.json` and chat templates."""

import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bytepair.errors import BytepairWarning, FormatError
from bytepair.formats._json import Object, Section, read_object, read_text
from bytepair.model import NAMED_TOKENS, Conventions, TokenizerSpec

CONFIG = "tokenizer_config.json"
TEMPLATE = "chat_template.jinja"
_TEMPLATES = "additional_chat_templates"  # a folder: NAME.jinja
_TOKENS = "special_tokens_map.json"  # of transformers below 5
_END_OF_TEXT = "<|endoftext|>"
_UNLIMITED = 10**18  # what transformers writes for "no limit" is larger


def attach_conventions(spec: TokenizerSpec, folder: Path) -> TokenizerSpec:
    """`spec` with what the files in `folder` say about its use.

    Damaged ones are left out with a warning: no id depends on them.
    """
    try:
        return replace(spec, conventions=_read(folder))
    except FormatError as error:
        warnings.warn(f"left out how it is used: {error}", BytepairWarning, stacklevel=5)
        return spec


def _read(folder: Path) -> Conventions:
    config = _object(folder / CONFIG)
    named = dict(_named_tokens(_object(folder / _TOKENS))) | dict(_named_tokens(config))
    templates = dict(_templates(config))
    for file in sorted((folder / _TEMPLATES).glob("*.jinja")):
        templates[file.stem] = read_text(file)
    if (folder / TEMPLATE).is_file():
        templates["default"] = read_text(folder / TEMPLATE)
    length = config.any("model_max_length")
    is_limit = isinstance(length, int) and 0 < length < _UNLIMITED
    return Conventions(templates, named, int(str(length)) if is_limit else None)


def _object(path: Path) -> Section:
    return read_object(path) if path.is_file() else Section(str(path), "", {})


def _named_tokens(section: Section) -> Iterator[tuple[str, str]]:
    for name in NAMED_TOKENS:
        value = section.any(name)
        if isinstance(value, dict):
            value = value.get("content")
        if value is not None:
            yield name, section.typed(section.path(name), value, str)


def _templates(config: Section) -> Iterator[tuple[str, str]]:
    value = config.any("chat_template")
    if isinstance(value, list):
        for named in config.sections("chat_template"):
            yield named.get("name", str), named.get("template", str)
    elif value is not None:
        yield "default", config.typed("chat_template", value, str)


def conventions_files(spec: TokenizerSpec) -> dict[str, Object | str]:
    """Name -> content of the files beside `tokenizer.json`, JSON still to be written out."""
    conventions = spec.conventions
    special = {token.content for token in spec.added_tokens if token.special}
    config: Object = {
        "clean_up_tokenization_spaces": False,
        "tokenizer_class": "PreTrainedTokenizerFast",
    }
    if not conventions.named_tokens and _END_OF_TEXT in special:
        config["eos_token"] = _END_OF_TEXT
    config |= conventions.named_tokens
    if conventions.max_length is not None:
        config["model_max_length"] = conventions.max_length
    templates = conventions.chat_templates
    if set(templates) == {"default"}:
        return {CONFIG: config, TEMPLATE: templates["default"]}
    if templates:
        config["chat_template"] = [{"name": n, "template": t} for n, t in templates.items()]
    return {CONFIG: config}


def tokenizer_config(spec: TokenizerSpec) -> Object:
    """All that stands beside a `tokenizer.json`, as `tokenizer_config.json` alone would say it."""
    files = conventions_files(spec)
    config = dict(_as_object(files[CONFIG]))
    if TEMPLATE in files:
        config["chat_template"] = files[TEMPLATE]
    return config


def _as_object(content: Object | str) -> Object:
    return content if isinstance(content, dict) else {}


def stale_files(folder: Path) -> list[Path]:
    """What another tokenizer that was saved here may have left, and readers would take for ours."""
    return [folder / TEMPLATE, folder / _TOKENS, *sorted((folder / _TEMPLATES).glob("*.jinja"))]
