"""A transformers model on disk, made to fit a tokenizer that was pruned.

Weights are copied as bytes, row by row, so any number format will do, and neither torch nor
transformers is needed. The model is never changed where it is.
"""

from bytepair.models._folder import ModelFolder, resize_model

__all__ = ["ModelFolder", "resize_model"]
