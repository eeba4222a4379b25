"""Folders that the package `datasets` saved: which of their files hold rows."""

from collections.abc import Sequence

_DATASET = {"state.json", "dataset_info.json"}  # one data set: rows lie beside these
_SPLITS = "dataset_dict.json"  # several, each in a folder of its own


def without_descriptions(names: Sequence[str]) -> list[str]:
    """The names of a folder's files without those that only describe a saved data set.

    >>> without_descriptions(["data-00000-of-00001.arrow", "dataset_info.json", "state.json"])
    ['data-00000-of-00001.arrow']
    """
    if _DATASET.issubset(names):
        return [name for name in names if name.endswith(".arrow")]
    return [name for name in names if name != _SPLITS]
