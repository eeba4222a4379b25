"""What a model's configuration says about ids, after they changed."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from bytepair.errors import FormatError

_IDS = ("_token_id", "_token_index")
_LISTS = ("suppress_tokens", "begin_suppress_tokens")
_SEQUENCES = ("bad_words_ids", "force_words_ids", "sequence_bias")
_BY_NAME = ("lang_to_id", "task_to_id")
Config = Mapping[str, object]


def text_part(config: Config) -> Config:
    """The part about text, which models of several kinds of input have within."""
    within = config.get("text_config")
    has_own = "vocab_size" in config
    return within if isinstance(within, dict) and not has_own else config


def renumbered(config: Config, id_map: NDArray[np.int64], vocab_size: int, name: str) -> Config:
    """The same configuration with the new size and the new ids.

    `vocab_size`; every `..._token_id` and `..._token_index`, a number or several; of
    `forced_decoder_ids` and of ids by name as well. Of lists of tokens those that are gone are left
    out, of lists of sequences those that have one. Parts within likewise.

    Args:
        name: of the file, for messages.

    Raises:
        FormatError: an id that is no token, or whose token is gone.
    """

    def of_value(key: str, value: object) -> object:
        if key == "vocab_size" and isinstance(value, int):
            return vocab_size
        if key.endswith(_IDS):
            return of_ids(key, value)
        if key == "forced_decoder_ids" and isinstance(value, list):  # [place, id] each
            return [[*row[:-1], of_ids(key, row[-1])] for row in value if isinstance(row, list)]
        if key in (*_LISTS, *_SEQUENCES) and isinstance(value, list):
            new = [_sequence(id_map, item) for item in value]
            return [item for item in new if item is not None]
        if isinstance(value, dict) and key in _BY_NAME:
            return {name: of_ids(key, item) for name, item in value.items()}
        return renumbered(value, id_map, vocab_size, name) if isinstance(value, dict) else value

    def of_ids(key: str, value: object) -> object:
        if isinstance(value, list):
            return [_renamed(name, key, id_map, item) for item in value]
        return _renamed(name, key, id_map, value)

    return {key: of_value(key, value) for key, value in config.items()}


def _renamed(name: str, key: str, id_map: NDArray[np.int64], value: object) -> object:
    if type(value) is not int or value < 0:  # null, or -1 for none
        return value
    new = _new_id(id_map, value)
    if new is None:
        raise FormatError(
            f"{name}: {key} is {value}, which is no token of the pruned vocabulary. Keep it with "
            f"keep=[{value}], or correct the file."
        )
    return new


def _new_id(id_map: NDArray[np.int64], value: object) -> int | None:
    if type(value) is not int or not 0 <= value < len(id_map) or id_map[value] < 0:
        return None
    return int(id_map[value])


def _sequence(id_map: NDArray[np.int64], value: object) -> object:
    """The same with new ids; None if one of them is gone. What is no whole number stays."""
    if isinstance(value, list):
        new = [_sequence(id_map, item) for item in value]
        return None if any(item is None for item in new) else new
    return _new_id(id_map, value) if type(value) is int else value
