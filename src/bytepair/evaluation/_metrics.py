"""`Metrics`: what a tokenizer made of a corpus, counted; and the figures that follow from it."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Metrics:
    """Counts of a corpus under one tokenizer. Every figure follows from these.

    Attributes:
        n_bytes, n_chars, n_words, n_tokens: of the corpus. A word is a run of bytes that are not
            ASCII white space; a character is a code point, or a byte that belongs to none.
        n_whole_words: words that no token border lies within.
        uses: int64[largest id used + 1]: how often each id stands in the corpus.
        sizes: int64[len(uses)]: bytes that each id stands for; 0 for ids without a token.
        vocab_size: tokens of the vocabulary, used or not.
        document_bytes, document_tokens: int64[documents].
    """

    n_bytes: int
    n_chars: int
    n_words: int
    n_tokens: int
    n_whole_words: int
    uses: NDArray[np.int64]
    sizes: NDArray[np.int64]
    vocab_size: int
    document_bytes: NDArray[np.int64]
    document_tokens: NDArray[np.int64]

    @property
    def n_documents(self) -> int:
        """Documents of the corpus."""
        return len(self.document_bytes)

    @property
    def bytes_per_token(self) -> float:
        """Compression: higher is shorter. NaN for a corpus without tokens, as all below."""
        return _ratio(self.n_bytes, self.n_tokens)

    @property
    def chars_per_token(self) -> float:
        """Characters per token."""
        return _ratio(self.n_chars, self.n_tokens)

    @property
    def fertility(self) -> float:
        """Tokens per word; means little for scripts that put no spaces between words.

        Source: Rust et al. 2021, https://arxiv.org/abs/2012.15613.
        """
        return _ratio(self.n_tokens, self.n_words)

    @property
    def whole_words(self) -> float:
        """Share of the words, 0 to 1, that are not divided."""
        return _ratio(self.n_whole_words, self.n_words)

    @property
    def n_used(self) -> int:
        """Distinct tokens that the corpus uses."""
        return int(np.count_nonzero(self.uses))

    @property
    def vocabulary_use(self) -> float:
        """Share of the vocabulary, 0 to 1, that the corpus uses."""
        return _ratio(self.n_used, self.vocab_size)

    def spectrum(self) -> NDArray[np.int64]:
        """int64[n_used]: uses of the tokens, the most frequent first (Zipf's curve)."""
        used = np.sort(self.uses[self.uses > 0])[::-1]
        return np.ascontiguousarray(used)

    def coverage(self, n: int) -> float:
        """Share of the corpus's tokens, 0 to 1, that the `n` most frequent ones make up."""
        return _ratio(int(self.spectrum()[: max(n, 0)].sum()), self.n_tokens)

    def n_covering(self, share: float) -> int:
        """How many of the most frequent tokens make up this share, 0 to 1, of the corpus."""
        covered = np.cumsum(self.spectrum())
        return int(np.searchsorted(covered, share * self.n_tokens)) + 1 if len(covered) else 0

    def token_lengths(self) -> NDArray[np.int64]:
        """int64[longest + 1]: how many tokens of the corpus are of each length in bytes."""
        used = self.uses > 0
        lengths = np.bincount(self.sizes[used], weights=self.uses[used])
        return lengths.astype(np.int64)

    def entropy(self) -> float:
        """Shannon entropy of the distribution of tokens, in bits a token."""
        return self.renyi_entropy(1.0)

    def renyi_entropy(self, alpha: float = 2.5) -> float:
        """Rényi entropy of order `alpha` (> 0) of the distribution of tokens, in bits."""
        if not self.n_tokens:
            return math.nan
        shares = self.spectrum() / self.n_tokens
        if alpha == 1:
            return float(-(shares * np.log2(shares)).sum()) + 0.0  # no negative zero
        return float(np.log2((shares**alpha).sum()) / (1 - alpha)) + 0.0

    def renyi_efficiency(self, alpha: float = 2.5) -> float:
        """`renyi_entropy` as a share, 0 to 1, of the most that the vocabulary allows.

        Low where few tokens do most of the work. Higher went with better translation; it can be
        raised without any use too, so compare tokenizers of one kind.
        Source: Zouhar et al. 2023, https://arxiv.org/abs/2306.16842.
        """
        return self.renyi_entropy(alpha) / math.log2(self.vocab_size) if self.vocab_size > 1 else 1

    def per_document(self) -> NDArray[np.float64]:
        """float64[documents that are not empty]: bytes per token of each, ascending."""
        filled = self.document_tokens > 0
        return np.sort(self.document_bytes[filled] / self.document_tokens[filled])

    def figures(self) -> dict[str, float]:
        """The figures that tables show, by name."""
        return {
            "documents": self.n_documents,
            "bytes": self.n_bytes,
            "tokens": self.n_tokens,
            "vocab_size": self.vocab_size,
            "bytes_per_token": self.bytes_per_token,
            "chars_per_token": self.chars_per_token,
            "fertility": self.fertility,
            "whole_words": self.whole_words,
            "vocabulary_use": self.vocabulary_use,
            "tokens_for_90_percent": self.n_covering(0.9),
            "entropy": self.entropy(),
            "renyi_efficiency": self.renyi_efficiency(),
        }


def _ratio(of: float, to: float) -> float:
    return of / to if to else math.nan
