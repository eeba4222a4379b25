"""Write a tokenizer as GPT-2's two files, with what `transformers` reads beside them."""

import json
import warnings
from pathlib import Path

from bytepair.errors import ArgumentError, BytepairWarning, ExportError
from bytepair.formats._added import added_json
from bytepair.formats._conventions import CONFIG, conventions_files
from bytepair.formats._hf_write import dump, merge_pairs
from bytepair.formats._json import Object
from bytepair.formats._replay import orphan
from bytepair.formats._spell import all_outside, check_not_looked_up, spell
from bytepair.formats._vocab import Spelling
from bytepair.model import AddedToken, TokenizerSpec, to_utf8

_SPELLING = Spelling(is_byte_level=True)
_VERSION = "#version: 0.2"
_DROPPED = "#version"  # Hugging Face leaves out each line that begins so
_READ_FIRST = ("tokenizer.json", "tekken.json")
# What GPT2Tokenizer would add to a vocabulary that has no such token.
_DEFAULT_TOKENS = ("bos_token", "eos_token", "unk_token")


def gpt2_contents(spec: TokenizerSpec, folder: Path) -> dict[Path, bytes]:
    """File -> content: `vocab.json`, `merges.txt` and `tokenizer_config.json`, the main one first.

    Raises:
        ArgumentError: the folder holds another tokenizer, which would be read instead.
        ExportError: programs that read these files would give other ids.
    """
    for other in (name for name in _READ_FIRST if (folder / name).exists()):
        raise ArgumentError(
            f"{folder} holds a {other}, which programs read before vocab.json and merges.txt. "
            "Choose another folder."
        )
    merges = _merges(spec)
    _warn_of_added(spec.added_tokens)
    files = {
        folder / "vocab.json": json.dumps(_vocab(spec), ensure_ascii=False).encode(),
        folder / "merges.txt": "\n".join([_VERSION, *merges, ""]).encode(),
    }
    for name, content in _beside(spec).items():
        files[folder / name] = dump(content) if isinstance(content, dict) else to_utf8(content)
    return files


def _vocab(spec: TokenizerSpec) -> dict[str, int]:
    spellings = spell(spec.vocabulary, _SPELLING)
    extra = all_outside(spellings, spec.added_tokens)
    check_not_looked_up(extra, _SPELLING, ignore_merges=False)
    vocab = {token: number for number, token in spellings.items()} | extra
    return dict(sorted(vocab.items(), key=lambda item: item[1]))


def _merges(spec: TokenizerSpec) -> list[str]:
    if spec.ignore_merges and (token := orphan(spec)) is not None:
        raise ExportError(
            f"token {token[:60]!r} is never made by merging, only by looking whole pre-tokens up, "
            "which programs that read vocab.json and merges.txt do not. Save as 'huggingface'."
        )
    pairs = merge_pairs(spec, _SPELLING, spell(spec.vocabulary, _SPELLING))
    for left, right in pairs:
        if left.startswith(_DROPPED):
            raise ExportError(
                f"the merge of {left!r} and {right!r}: in merges.txt a line that begins with "
                f"{_DROPPED!r} is taken for its heading. Save as 'huggingface'."
            )
    return [f"{left} {right}" for left, right in pairs]


def _beside(spec: TokenizerSpec) -> dict[str, Object | str]:
    files = conventions_files(spec)
    config = files[CONFIG]
    if isinstance(config, dict):
        config |= {name: config.get(name) for name in _DEFAULT_TOKENS}
        config |= {"add_prefix_space": False, "tokenizer_class": "GPT2Tokenizer"}
        config["added_tokens_decoder"] = {
            str(token.id): {k: v for k, v in added_json(token).items() if k != "id"}
            for token in spec.added_tokens
        }
    return files


def _warn_of_added(added: tuple[AddedToken, ...]) -> None:
    if added:
        warnings.warn(
            f"vocab.json and merges.txt do not say that {added[0].content!r} is an added token: "
            f"{CONFIG} beside them does. Keep the three together.",
            BytepairWarning,
            stacklevel=4,
        )
