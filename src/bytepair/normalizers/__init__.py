"""Normalisers by name: what is done to text before it is split, in training and in use."""

from bytepair.normalizers._normalize import NAMES, normalize, resolve

__all__ = ["NAMES", "normalize", "resolve"]
