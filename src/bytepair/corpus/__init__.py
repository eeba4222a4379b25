"""Stage 1, prepare: documents become normalised documents, cut where merges must not cross."""

from bytepair.corpus._preprocessor import Preprocessor

__all__ = ["Preprocessor"]
