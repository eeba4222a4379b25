"""Normalisers by name: what is done to text before it is split, in training and in use."""

from bytepair.normalizers._aligned import Aligned
from bytepair.normalizers._clusters import cluster_rules
from bytepair.normalizers._forms import FORMS, quick_values
from bytepair.normalizers._normalize import (
    NAMES,
    normalize,
    normalize_aligned,
    normalized,
    overgrown,
    resolve,
)

__all__ = [
    "FORMS",
    "NAMES",
    "Aligned",
    "cluster_rules",
    "normalize",
    "normalize_aligned",
    "normalized",
    "overgrown",
    "quick_values",
    "resolve",
]
