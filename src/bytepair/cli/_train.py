"""`bytepair train`: from text to a tokenizer on disk."""

import bytepair
from bytepair import Preprocessor, WordCounts
from bytepair.cli import _streams
from bytepair.cli import _train_options as of
from bytepair.cli._options import Json
from bytepair.cli._output import main_file, name_at, require_writable
from bytepair.data import Corpus, InputFile, input_path
from bytepair.formats import format_for, require_format, require_residues


def train(
    corpus: of.Corpus,
    output: of.Output,
    vocab_size: of.VocabSize = 32_000,
    pattern: of.Pattern = "o200k",
    normalizer: of.Normalizer = None,
    special_token: of.SpecialToken = None,
    no_special_tokens: of.NoSpecialTokens = False,
    min_frequency: of.MinFrequency = 2,
    max_token_length: of.MaxTokenLength = None,
    length_unit: of.LengthUnit = None,
    ties: of.Ties = "lowest",
    alphabet: of.Alphabet = "bytes",
    limit_alphabet: of.LimitAlphabet = None,
    digits: of.Digits = None,
    seed_token: of.SeedToken = None,
    blocked_token: of.BlockedToken = None,
    blocked_pair: of.BlockedPair = None,
    reserved_tokens: of.ReservedTokens = 0,
    superwords: of.Superwords = None,
    exact_size: of.ExactSize = False,
    separator: of.Separator = None,
    text_field: of.TextField = "text",
    weight: of.Weights = None,
    on_error: of.OnError = "fail",
    counts: of.Counts = False,
    name: of.Name = None,
    threads: of.Threads = None,
    memory_limit: of.MemoryLimit = None,
    engine: of.TrainEngine = None,
    address: of.Address = None,
    checkpoint: of.Checkpoint = None,
    resume: of.Resume = False,
    prune_from: of.PruneFrom = None,
    prune_strategy: of.PruneStrategy = "whole-words",
    residue_threshold: of.ResidueThreshold = None,
    metrics_port: of.MetricsPort = None,
    metrics_file: of.MetricsFile = None,
    metrics_push: of.MetricsPush = None,
    as_json: Json = False,
) -> None:
    """Train a tokenizer on CORPUS and save it.

    For example:

        python3 -m this > zen.txt

        bytepair train zen.txt --vocab-size 300 --output zen
    """
    from bytepair.cli._progress import TrainingProgress, watched
    from bytepair.cli._report import facts_of, report

    preparation: of.Preparation = {
        "pattern": None if pattern == "none" else pattern,
        "normalizer": normalizer or (),
        "special_tokens": of.special_tokens(special_token, none=no_special_tokens),
        "digits": digits,
    }
    n_superwords = of.superwords(superwords)
    cut = preparation if n_superwords is None else of.into_phrases(preparation)
    Preprocessor(**cut)
    require_format(format_for(output), alphabet=alphabet, **cut)
    if residue_threshold is not None or (prune_from and prune_strategy == "residues"):
        require_residues(format_for(output))
    require_writable(output)
    given, files = _given(corpus, weight, cut, is_counted=counts)
    metrics = {"port": metrics_port, "file": metrics_file, "push": metrics_push}
    with (
        _streams.no_results(),
        TrainingProgress() as progress,
        watched(progress, metrics) as tell,
    ):
        tok = bytepair.train(
            given,
            vocab_size=vocab_size,
            min_frequency=min_frequency,
            max_token_length=max_token_length,
            length_unit=length_unit,
            limit_alphabet=limit_alphabet,
            seed_tokens=seed_token or (),
            blocked_tokens=blocked_token or (),
            blocked_pairs=of.pairs(blocked_pair),
            reserved_tokens=reserved_tokens,
            superwords=n_superwords,
            exact_size=exact_size,
            ties=ties,
            alphabet=alphabet,
            separator=separator,
            text_field=text_field,
            weights=None if counts else weight,
            on_error=on_error,
            name=name or name_at(output),
            threads=threads,
            engine=engine,
            address=address,
            progress=tell,
            memory_limit=memory_limit,
            checkpoint=checkpoint,
            resume=resume,
            prune_from=prune_from,
            prune_strategy=prune_strategy,
            residue_threshold=residue_threshold,
            **preparation,
        )
    is_replaced = main_file(output).exists()
    saved = tok.save(output)
    facts = facts_of(tok, files, text_field) | {
        **({"n_files": len(corpus)} if counts else {}),
        "engine": engine or bytepair.engine(),
        "count_s": round(progress.count_s, 3),
        "learn_s": round(progress.learn_s, 3),
        "saved": [str(path) for path in saved],
        "replaced": is_replaced,
    }
    if as_json:
        _streams.write_json(facts)
        return
    for line in report(facts, output, files):
        _streams.write_line(line)


def _given(
    corpus: list[str],
    weights: list[float] | None,
    preparation: of.Preparation,
    *,
    is_counted: bool,
) -> tuple[Corpus | WordCounts, list[InputFile] | None]:
    """What to train on, and the files whose text there is to look at."""
    if is_counted:
        return of.counts_of(corpus, weights, preparation), []
    files = of.files_of(corpus)
    if files is None:
        return "-", None
    return (files if weights is None else list(map(input_path, corpus))), files
