"""`bytepair extend`: more tokens for a tokenizer there is."""

import bytepair
from bytepair.cli import _streams
from bytepair.cli import _train_options as of
from bytepair.cli._options import Json, LoadPattern, LoadSpecial, TokenizerPath, load_tokenizer
from bytepair.cli._output import main_file, name_at, require_apart, require_writable


def extend(
    tokenizer: TokenizerPath,
    corpus: of.Corpus,
    output: of.Output,
    vocab_size: of.ExtendedSize,
    min_frequency: of.MinFrequency = 2,
    max_token_length: of.MaxTokenLength = None,
    length_unit: of.LengthUnit = None,
    ties: of.Ties = "lowest",
    seed_token: of.SeedToken = None,
    blocked_token: of.BlockedToken = None,
    blocked_pair: of.BlockedPair = None,
    exact_size: of.ExactSize = False,
    separator: of.Separator = None,
    text_field: of.TextField = "text",
    on_error: of.OnError = "fail",
    name: of.Name = None,
    threads: of.Threads = None,
    memory_limit: of.MemoryLimit = None,
    engine: of.Engine = None,
    checkpoint: of.Checkpoint = None,
    resume: of.Resume = False,
    metrics_port: of.MetricsPort = None,
    metrics_file: of.MetricsFile = None,
    metrics_push: of.MetricsPush = None,
    pattern: LoadPattern = None,
    special_token: LoadSpecial = None,
    as_json: Json = False,
) -> None:
    """Learn more tokens for TOKENIZER from CORPUS; its own ids and merges stay.

    For example:

        bytepair extend zen zen.txt --vocab-size 320 --output larger
    """
    from bytepair.cli._progress import TrainingProgress, watched
    from bytepair.cli._report import facts_of, report

    tok = load_tokenizer(tokenizer, pattern, special_token)
    require_apart(tokenizer, output)
    require_writable(output)
    files = of.files_of(corpus)
    metrics = {"port": metrics_port, "file": metrics_file, "push": metrics_push}
    with TrainingProgress() as progress, watched(progress, metrics) as tell:
        larger = tok.extend(
            "-" if files is None else files,
            vocab_size=vocab_size,
            min_frequency=min_frequency,
            max_token_length=max_token_length,
            length_unit=length_unit,
            ties=ties,
            seed_tokens=seed_token or (),
            blocked_tokens=blocked_token or (),
            blocked_pairs=of.pairs(blocked_pair),
            exact_size=exact_size,
            separator=separator,
            text_field=text_field,
            on_error=on_error,
            name=name or name_at(output),
            threads=threads,
            memory_limit=memory_limit,
            engine=engine,
            progress=tell,
            checkpoint=checkpoint,
            resume=resume,
        )
    is_replaced = main_file(output).exists()
    saved = larger.save(output)
    facts = facts_of(larger, files, text_field) | {
        "n_new": larger.vocab_size - tok.vocab_size,
        "engine": engine or bytepair.engine(),
        "count_s": round(progress.count_s, 3),
        "learn_s": round(progress.learn_s, 3),
        "saved": [str(path) for path in saved],
        "replaced": is_replaced,
    }
    if as_json:
        _streams.write_json(facts)
        return
    _, *lines = report(facts, output, files)
    kept, new = f"{tok.vocab_size:,} as before", f"{facts['n_new']:,} new"
    for line in (f"{larger.name}: {larger.vocab_size:,} tokens ({kept}, {new})", *lines):
        _streams.write_line(line)
