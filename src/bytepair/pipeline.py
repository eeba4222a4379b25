"""`train()`: the one place that knows the order of the stages."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from bytepair._refine import Refining
from bytepair.checkpoint import Checkpoint
from bytepair.corpus import Preprocessor
from bytepair.data import (
    Corpus,
    InputFile,
    corpus_files,
    input_path,
    stored_size,
)
from bytepair.distributed import Cluster, Counting, count_on, require_cluster
from bytepair.engines import PruneStrategy
from bytepair.errors import ArgumentError, warn_caller
from bytepair.frequency import FrequencyAnalyzer
from bytepair.learning import MergeLearner
from bytepair.model import (
    Alphabet,
    LengthUnit,
    OnError,
    ProgressCallback,
    Split,
    SplitRules,
    Ties,
    TokenizerSpec,
    WordCounts,
    at_least_one,
)
from bytepair.patterns import Digits, phrase_pattern
from bytepair.pruning import PruneResult, VocabularyPruner
from bytepair.tokenizer import Tokenizer


def train(
    corpus: Corpus | WordCounts,
    *,
    vocab_size: int = 32_000,
    pattern: str | None = "o200k",
    normalizer: str | Sequence[str] | None = None,
    special_tokens: Sequence[str] = ("<|endoftext|>",),
    min_frequency: int = 2,
    max_token_length: int | None = None,
    length_unit: LengthUnit | None = None,
    ties: Ties = "lowest",
    alphabet: Alphabet = "bytes",
    end_of_word: str | None = None,
    byte_fallback: bool = True,
    limit_alphabet: int | None = None,
    digits: Digits | None = None,
    seed_tokens: Iterable[str | bytes] = (),
    blocked_tokens: Iterable[str | bytes] = (),
    blocked_pairs: Iterable[tuple[str | bytes, str | bytes]] = (),
    reserved_tokens: int = 0,
    superwords: float | None = None,
    exact_size: bool = False,
    separator: str | bytes | None = None,
    text_field: str = "text",
    weights: Sequence[float] | None = None,
    on_error: OnError = "fail",
    name: str = "bytepair",
    threads: int | None = None,
    memory_limit: int | str | None = None,
    engine: str | None = None,
    address: str | None = None,
    progress: ProgressCallback | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    prune_from: int | None = None,
    prune_strategy: PruneStrategy = "whole-words",
    residue_threshold: float | None = None,
) -> Tokenizer:
    """Train a BPE tokenizer: prepare, count, learn.

    Args:
        corpus: a path, glob or folder; several as `Path`s; or an iterable of `str` or `bytes`
            documents. Text is read plain, gzip or zstd, JSONL by its `text_field`. Or what was
            counted before: then pattern, normalizer and special tokens are those of the counts.
        vocab_size: all tokens: bytes or alphabet, merges, special tokens.
        pattern: name or regex of the pre-tokens, or None; see `Preprocessor`.
        normalizer: see `Preprocessor`.
        special_tokens: never learned, never crossed; they get the last ids.
        min_frequency, max_token_length, length_unit, ties, alphabet: see `MergeLearner`.
        end_of_word, byte_fallback, limit_alphabet: see `MergeLearner`.
        seed_tokens, blocked_tokens, blocked_pairs, exact_size: see `MergeLearner`.
        digits: see `Preprocessor`.
        reserved_tokens: so many special tokens `<|reserved_0|>`, `<|reserved_1|>`, ... follow the
            others, to be given a meaning later.
        superwords: so many of the tokens (an int), or such a share of them (a float below 1), are
            learned in a second stage, in which merges go over the borders of words, as far as a
            phrase goes. Text is then cut into phrases. Of what was counted before, `pattern` cuts
            the words, and the counts are those of phrases.
        separator: cuts a text into documents and is dropped.
        weights: one for each of several paths, which may be folders or globs: so many times what is
            in it counts.
        on_error: "skip": a record that cannot be read, or the rest of a file, is left out with a
            `BytepairWarning`; the training record counts and names what that was.
        threads: None: one a core; on a cluster, one for each task. The result does not depend on
            it.
        memory_limit: what counting may hold, such as "256MB"; see `FrequencyAnalyzer`. None: no
            limit. The result does not depend on it. Learning holds the distinct pre-tokens, and a
            warning says what that takes if it is more.
        engine: "native" or "python"; None: the one `bytepair.engine()` names. Or "ray": files are
            counted by the machines of a cluster, to the same result; learning is done here.
        address: of the cluster, `host:port`. None: see `bytepair.distributed.RayExecutor`.
        progress: called with a `Progress`, about ten times a second.
        checkpoint: a folder in which what was counted and every merge is kept, so that training can
            go on from there, whatever ends it. It may be removed afterwards.
        resume: go on from what is in the folder, if anything is. The result is that of a training
            that was never interrupted, bit for bit. Documents in memory are read again if they
            had not all been counted, and must be the same.
        prune_from: learn so many tokens first, then prune them to `vocab_size` on the same words.
        prune_strategy: for that, "leaves", "whole-words" or "residues"; see `VocabularyPruner`.
        residue_threshold: a token is not kept once a merge takes this share of its occurrences, 0
            to 1 (PickyBPE's threshold, often 0.9); its merge stays as a step, as with "residues",
            and others take its place until there are `vocab_size`. Not with `checkpoint` or
            `prune_from`.

    Raises:
        CorpusError: missing, empty or damaged; see `bytepair.data`.
        SaveError: the checkpoint cannot be written.
        ClusterError: the cluster cannot be reached, or could not do its work; what is in the
            checkpoint is not lost.
        ArgumentError, PatternError: an option that cannot be right.

    Cost: counting is linear in the corpus, learning in the sites that merges change. The corpus is
    never held in memory, its distinct pre-tokens are.

    >>> tok = train(["low lower lowest"] * 9, vocab_size=260, special_tokens=[])
    >>> [tok.decode([token]) for token in range(256, 260)]
    ['lo', 'low', ' low', ' lowe']
    """
    cluster, engine = require_cluster(engine, address, threads)
    preprocessor = Preprocessor(
        pattern=pattern if superwords is None else phrase_pattern(pattern),
        normalizer=normalizer,
        special_tokens=_with_reserved(special_tokens, reserved_tokens),
        digits=digits,
        separator=separator,
    )
    learner = MergeLearner(
        vocab_size=vocab_size,
        min_frequency=min_frequency,
        max_token_length=max_token_length,
        length_unit=length_unit,
        ties=ties,
        alphabet=alphabet,
        end_of_word=end_of_word,
        byte_fallback=byte_fallback,
        limit_alphabet=limit_alphabet,
        seed_tokens=seed_tokens,
        blocked_tokens=blocked_tokens,
        blocked_pairs=blocked_pairs,
        superwords=superwords,
        word_pattern=None if superwords is None else pattern,
        exact_size=exact_size,
        threads=threads,
        engine=engine,
    )
    refining = Refining(vocab_size, prune_from, prune_strategy, residue_threshold, engine)
    refining.check(alphabet, checkpoint, resume=resume)
    larger = refining.learner(learner)
    learn = partial(refining.learned, larger, name=name, progress=progress)
    if isinstance(corpus, WordCounts):
        if weights is not None:
            raise ArgumentError("weights: these words are counted. Use WordCounts.weighed.")
        if cluster is not None:
            raise ArgumentError("engine='ray' counts words, and these are counted. Leave it out.")
        spec = learn(corpus, checkpoint=checkpoint, resume=resume)
        return Tokenizer(spec, engine=engine)
    learner.require_room(len(preprocessor.rules.special_tokens))
    analyzer = FrequencyAnalyzer(
        threads=threads if cluster is None else cluster.threads,
        memory_limit=memory_limit,
        spill_folder=checkpoint if cluster is None else None,
        on_error=on_error,
        engine=engine,
    )
    counting = Counting(analyzer, preprocessor, preprocessor.rules, text_field, on_error, progress)
    if weights is not None:
        counting = replace(counting, weights=_weights(corpus, weights))
    spec = _learned(
        learn, larger.options, counting, corpus, checkpoint, resume=resume, cluster=cluster
    )
    return Tokenizer(spec, engine=engine)


def _weights(corpus: Corpus, weights: Sequence[float]) -> tuple[tuple[float, list[InputFile]], ...]:
    """Each weight with the files it is for."""
    paths = [input_path(corpus)] if isinstance(corpus, str) else corpus
    paths = [paths] if isinstance(paths, os.PathLike) else paths
    if not isinstance(paths, Sequence) or not all(isinstance(p, os.PathLike) for p in paths):
        raise ArgumentError("weights are for paths: give the corpus as a list of them.")
    if len(weights) != len(paths):
        raise ArgumentError(f"weights: there are {len(weights)}, and {len(paths)} paths.")
    sources = []
    for path, weight in zip(paths, weights, strict=True):
        files = corpus_files(path)
        WordCounts.from_mapping({}).weighed(weight)  # raises now, not after hours of counting
        sources.append((weight, files or []))
    return tuple(sources)


def extend(
    tokenizer: Tokenizer,
    corpus: Corpus | WordCounts,
    *,
    vocab_size: int,
    min_frequency: int = 2,
    max_token_length: int | None = None,
    length_unit: LengthUnit | None = None,
    ties: Ties = "lowest",
    seed_tokens: Iterable[str | bytes] = (),
    blocked_tokens: Iterable[str | bytes] = (),
    blocked_pairs: Iterable[tuple[str | bytes, str | bytes]] = (),
    exact_size: bool = False,
    separator: str | bytes | None = None,
    text_field: str = "text",
    on_error: OnError = "fail",
    name: str | None = None,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    engine: str | None = None,
    progress: ProgressCallback | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
) -> Tokenizer:
    """Count a corpus as a tokenizer cuts it, and learn more; see `Tokenizer.extend`."""
    base = tokenizer.spec
    learner = MergeLearner(
        vocab_size=vocab_size,
        min_frequency=min_frequency,
        max_token_length=max_token_length,
        length_unit=length_unit,
        ties=ties,
        seed_tokens=seed_tokens,
        blocked_tokens=blocked_tokens,
        blocked_pairs=blocked_pairs,
        exact_size=exact_size,
        threads=threads,
        engine=engine,
    )
    learner.require_room(0, base)
    analyzer = FrequencyAnalyzer(
        threads=threads,
        memory_limit=memory_limit,
        spill_folder=checkpoint,
        on_error=on_error,
        engine=engine,
    )
    name = base.name if name is None else name
    learn = partial(learner.learn, base=base, name=name, progress=progress)
    if isinstance(corpus, WordCounts):
        spec = learn(corpus, checkpoint=checkpoint, resume=resume)
    else:
        options = learner.options_on(base)
        counting = _counting_as(base, analyzer, separator, text_field, on_error, progress)
        spec = _learned(learn, options, counting, corpus, checkpoint, resume=resume)
    return Tokenizer(spec, engine=engine)


def _learned(
    learn: Callable[..., TokenizerSpec],
    options: dict[str, object],
    counting: Counting,
    corpus: Corpus,
    checkpoint: str | os.PathLike[str] | None,
    *,
    resume: bool,
    cluster: Cluster | None = None,
) -> TokenizerSpec:
    """Count, and learn from it; what there is in the checkpoint is not done again."""
    files = corpus_files(corpus)

    def counted(folder: Checkpoint | None = None) -> WordCounts:
        if cluster is not None:
            with cluster.executor() as executor:
                return count_on(executor, counting, files or (), folder)
        source = corpus if files is None else files
        if folder is None:
            return counting.count(source)
        return counting.count_in_parts(folder, source, files)

    if cluster is not None and files is None:
        raise ArgumentError("engine='ray' reads files: give paths or URLs, not documents.")
    if checkpoint is None:
        if resume:
            raise ArgumentError("resume=True needs checkpoint=, the folder to go on from.")
        counts = counted()
        _tell_of_memory(counts, counting.analyzer.memory_limit)
        return learn(counts)
    states = map(_state, files or ())
    with Checkpoint(checkpoint, counting.options | options, files=states, resume=resume) as folder:
        counts = folder.counts(lambda: counted(folder))
        _tell_of_memory(counts, counting.analyzer.memory_limit)
        return learn(counts, checkpoint=folder)


def _tell_of_memory(counts: WordCounts, limit: int | None) -> None:
    """Warn if learning takes more than the limit, which only counting keeps."""
    needed = MergeLearner.memory_bytes(counts)
    if limit is not None and needed > limit:
        warn_caller(
            f"memory_limit bounds counting only: to learn from {len(counts):,} distinct "
            f"pre-tokens of {len(counts.data) / 1e6:,.1f} MB in all may take "
            f"{needed / 1e6:,.0f} MB. With less memory train on part of the corpus, or with a "
            "pattern that cuts into shorter pieces."
        )


def _with_reserved(special_tokens: Sequence[str], n_reserved: int) -> Sequence[str]:
    if not n_reserved:
        return special_tokens
    more = [
        f"<|reserved_{number}|>" for number in range(at_least_one("reserved_tokens", n_reserved))
    ]
    given = [special_tokens] if isinstance(special_tokens, str) else special_tokens
    return [*given, *more] if isinstance(given, Sequence) else given  # refused later, with a reason


def _state(file: InputFile) -> tuple[str, int, int]:
    changed_ns = file.stat().st_mtime_ns if isinstance(file, Path) else 0
    return str(file), stored_size(file) or 0, changed_ns


def prune(
    tokenizer: Tokenizer,
    corpus: Corpus | WordCounts,
    pruner: VocabularyPruner,
    *,
    held_out: Corpus | WordCounts | None = None,
    separator: str | bytes | None = None,
    text_field: str = "text",
    threads: int | None = None,
    engine: str | None = None,
    progress: ProgressCallback | None = None,
) -> PruneResult:
    """Count a corpus as a tokenizer cuts it, and prune; see `Tokenizer.prune`."""
    pruner.require_room(tokenizer.spec)

    def counted(text: Corpus | WordCounts) -> WordCounts:
        if isinstance(text, WordCounts):
            return text
        return count_words(
            tokenizer.spec,
            text,
            separator=separator,
            text_field=text_field,
            threads=threads,
            engine=engine,
            progress=progress,
        )

    return pruner.prune(
        tokenizer.spec,
        counted(corpus),
        held_out=None if held_out is None else counted(held_out),
        progress=progress,
    )


def count_words(
    spec: TokenizerSpec,
    corpus: Corpus,
    *,
    separator: str | bytes | None = None,
    text_field: str = "text",
    on_error: OnError = "fail",
    threads: int | None = None,
    engine: str | None = None,
    progress: ProgressCallback | None = None,
) -> WordCounts:
    """Count the pre-tokens of a corpus as a tokenizer cuts it; added tokens are no words.

    A tokenizer whose file has pre-tokenisers that change the text, or normalisers of its own, is
    followed step by step in Python: some megabytes a minute.
    """
    analyzer = FrequencyAnalyzer(threads=threads, on_error=on_error, engine=engine)
    counting = _counting_as(spec, analyzer, separator, text_field, on_error, progress)
    files = corpus_files(corpus)
    return counting.count(corpus if files is None else files)


def _counting_as(
    spec: TokenizerSpec,
    analyzer: FrequencyAnalyzer,
    separator: str | bytes | None,
    text_field: str,
    on_error: OnError,
    progress: ProgressCallback | None,
) -> Counting:
    """Counting as a tokenizer cuts text."""
    rules = replace(spec.rules, special_tokens=tuple(t.content for t in spec.added_tokens))
    names = [step for step in rules.normalizer if isinstance(step, str)]
    has_others = len(names) < len(rules.normalizer)
    preprocessor = Preprocessor(
        pattern=rules.pattern,
        normalizer=None if has_others else names,
        special_tokens=rules.special_tokens,
        separator=separator,
    )
    followed = spec if has_others or not _cuts_only(rules) else None
    return Counting(analyzer, preprocessor, rules, text_field, on_error, progress, followed)


def _cuts_only(rules: SplitRules) -> bool:
    """True if pre-tokens are pieces of the text as it is."""
    return all(isinstance(step, Split) and not step.by_bytes for step in rules.steps)
