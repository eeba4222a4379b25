"""Stage 3, learn: a table of pre-tokens becomes a tokenizer.

Ties. Several pairs are often equally frequent, and published tokenizers disagree on which to join
first, so it is a named policy:

- `lowest`: the smallest pair of ids; ids 0..255 are the bytes.
- `huggingface`: as the `BpeTrainer` of Hugging Face tokenizers, whose bytes follow its printable
  alphabet: merges identical to its own.
- `first`: the pair that occurs first in the corpus (minbpe, the textbook dictionaries).
- `bytes`: the greatest pair of byte strings (Stanford CS336).

A policy orders merges only, never ids.
"""

from bytepair.learning._learner import MergeLearner

__all__ = ["MergeLearner"]
