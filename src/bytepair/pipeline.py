"""`train()`: the one place that knows the order of the stages."""

from collections.abc import Sequence

from bytepair.corpus import Preprocessor
from bytepair.data import Corpus, corpus_files, corpus_size
from bytepair.frequency import FrequencyAnalyzer
from bytepair.learning import MergeLearner
from bytepair.model import Alphabet, ProgressCallback, Ties
from bytepair.tokenizer import Tokenizer


def train(
    corpus: Corpus,
    *,
    vocab_size: int = 32_000,
    pattern: str | None = "o200k",
    normalizer: str | Sequence[str] | None = None,
    special_tokens: Sequence[str] = ("<|endoftext|>",),
    min_frequency: int = 2,
    max_token_length: int | None = None,
    ties: Ties = "lowest",
    alphabet: Alphabet = "bytes",
    end_of_word: str | None = None,
    byte_fallback: bool = True,
    separator: str | bytes | None = None,
    text_field: str = "text",
    name: str = "bytepair",
    threads: int | None = None,
    engine: str | None = None,
    progress: ProgressCallback | None = None,
) -> Tokenizer:
    """Train a BPE tokenizer: prepare, count, learn.

    Args:
        corpus: a path, glob or folder; several as `Path`s; or an iterable of `str` or `bytes`
            documents. Text is read plain, gzip or zstd, JSONL by its `text_field`.
        vocab_size: all tokens: bytes or alphabet, merges, special tokens.
        pattern: name or regex of the pre-tokens, or None; see `Preprocessor`.
        normalizer: see `Preprocessor`.
        special_tokens: never learned, never crossed; they get the last ids.
        min_frequency, max_token_length, ties, alphabet, end_of_word, byte_fallback: see
            `MergeLearner`.
        separator: cuts a text into documents and is dropped.
        threads: None: one a core. The result does not depend on it.
        engine: "native" or "python"; None: the one `bytepair.engine()` names.
        progress: called with a `Progress`, about ten times a second.

    Raises:
        CorpusError: missing, empty or damaged; see `bytepair.data`.
        ArgumentError, PatternError: an option that cannot be right.

    Cost: counting is linear in the corpus, learning in the sites that merges change. The corpus is
    never held in memory, its distinct pre-tokens are.

    >>> tok = train(["low lower lowest"] * 9, vocab_size=260, special_tokens=[])
    >>> [tok.decode([token]) for token in range(256, 260)]
    ['lo', 'low', ' low', ' lowe']
    """
    preprocessor = Preprocessor(
        pattern=pattern,
        normalizer=normalizer,
        special_tokens=special_tokens,
        separator=separator,
    )
    learner = MergeLearner(
        vocab_size=vocab_size,
        min_frequency=min_frequency,
        max_token_length=max_token_length,
        ties=ties,
        alphabet=alphabet,
        end_of_word=end_of_word,
        byte_fallback=byte_fallback,
        threads=threads,
        engine=engine,
    )
    learner.require_room(len(preprocessor.rules.special_tokens))
    analyzer = FrequencyAnalyzer(threads=threads, engine=engine)
    files = corpus_files(corpus)
    source = corpus if files is None else files
    counts = analyzer.count(
        preprocessor.documents(source, text_field=text_field),
        preprocessor.rules,
        progress=progress,
        total_bytes=corpus_size(source) if progress else None,
    )
    return Tokenizer(learner.learn(counts, name=name, progress=progress), engine=engine)
