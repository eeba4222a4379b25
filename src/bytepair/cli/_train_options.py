"""The options of `bytepair train`; their meaning is that of the arguments of `bytepair.train`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, TypedDict

import typer

from bytepair import FrequencyAnalyzer, Preprocessor, WordCounts
from bytepair.data import InputFile, corpus_files, input_path
from bytepair.engines import PruneStrategy as Strategies
from bytepair.model import COUNT_TABLES
from bytepair.model import Alphabet as AlphabetName
from bytepair.model import OnError as OnErrorName
from bytepair.model import Ties as TiesName
from bytepair.normalizers import NAMES as NORMALIZERS
from bytepair.patterns import NAMED as PATTERNS
from bytepair.patterns import Digits as DigitsName
from bytepair.patterns import phrase_pattern

_TABLES = {
    ".tsv",
    ".parquet",
    ".pq",
    ".arrow",
    ".feather",
    ".ipc",
}  # may not know how words were cut

Corpus = Annotated[
    list[str],
    typer.Argument(
        metavar="CORPUS",
        show_default=False,
        help="Files, folders, glob patterns or URLs (.gz and .zst are decompressed; of .jsonl, "
        ".parquet and .arrow --text-field is read), or - for standard input.",
    ),
]
Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="PATH",
        show_default=False,
        help="Where to save: a folder or .json file (Hugging Face), or a .tiktoken file.",
    ),
]
VocabSize = Annotated[
    int,
    typer.Option(
        "--vocab-size", min=1, metavar="N", help="All tokens: alphabet, merges, special tokens."
    ),
]
ExtendedSize = Annotated[
    int,
    typer.Option(
        "--vocab-size", min=1, metavar="N", help="All tokens: those there are, and new ones."
    ),
]
Pattern = Annotated[
    str,
    typer.Option(
        "--pattern",
        metavar="NAME|REGEX|none",
        help=f"How text is cut; merges never cross a cut. Names: {', '.join(PATTERNS)}.",
    ),
]
Normalizer = Annotated[
    list[str] | None,
    typer.Option(
        "--normalizer",
        metavar="NAME",
        show_default=False,
        help=f"{', '.join(NORMALIZERS)}; repeat it for several, in order.",
    ),
]
SpecialToken = Annotated[
    list[str] | None,
    typer.Option(
        "--special-token",
        metavar="TEXT",
        show_default=False,
        help="Never learned, never crossed, gets a last id; repeat it for several. "
        "[default: <|endoftext|>]",
    ),
]
NoSpecialTokens = Annotated[
    bool, typer.Option("--no-special-tokens", help="None, not even the default one.")
]
MinFrequency = Annotated[
    int, typer.Option("--min-frequency", min=1, metavar="N", help="Rarer pairs are not merged.")
]
MaxTokenLength = Annotated[
    int | None,
    typer.Option("--max-token-length", min=1, metavar="N", help="No learned token gets longer."),
]
LengthUnit = Annotated[
    Literal["bytes", "characters"] | None,
    typer.Option("--length-unit", help="What that counts. [default: bytes; characters with chars]"),
]
LimitAlphabet = Annotated[
    int | None,
    typer.Option(
        "--limit-alphabet",
        min=1,
        metavar="N",
        help="With chars: the N most frequent ones; bytes stand for the others.",
    ),
]
Digits = Annotated[
    DigitsName | None,
    typer.Option("--digits", help="Cut apart, or in groups of three from the right."),
]
SeedToken = Annotated[
    list[str] | None,
    typer.Option("--seed-token", metavar="TEXT", help="That must exist; repeat it for several."),
]
BlockedToken = Annotated[
    list[str] | None,
    typer.Option("--blocked-token", metavar="TEXT", help="That must not; repeat it for several."),
]
BlockedPair = Annotated[
    list[str] | None,
    typer.Option(
        "--blocked-pair",
        metavar="/LEFT/RIGHT",
        help="Never merged; any sign may take the place of the two strokes. Repeat it for several.",
    ),
]
ReservedTokens = Annotated[
    int,
    typer.Option(
        "--reserved-tokens", min=0, metavar="N", help="Special tokens <|reserved_0|> ... for later."
    ),
]
Superwords = Annotated[
    str | None,
    typer.Option(
        "--superwords",
        metavar="N|SHARE",
        help="So many tokens, or such a share (0.2, say), are learned across words.",
    ),
]
ExactSize = Annotated[
    bool, typer.Option("--exact-size", help="Fewer tokens than --vocab-size are an error.")
]
Ties = Annotated[
    TiesName, typer.Option("--ties", help="Which of equally frequent pairs is merged first.")
]
Alphabet = Annotated[
    AlphabetName, typer.Option("--alphabet", help="What text is made of before any merge.")
]
Separator = Annotated[
    str | None,
    typer.Option("--separator", metavar="TEXT", help="Cuts files into documents, and is dropped."),
]
TextField = Annotated[
    str,
    typer.Option("--text-field", metavar="NAME", help="Field or column of records."),
]
OnError = Annotated[
    OnErrorName,
    typer.Option(
        "--on-error", help="What to do about a record, or the rest of a file, that cannot be read."
    ),
]
Weights = Annotated[
    list[float] | None,
    typer.Option(
        "--weight",
        metavar="X",
        help="How much a CORPUS counts; one for each of them, in their order.",
    ),
]
Counts = Annotated[
    bool,
    typer.Option(
        "--counts",
        help="CORPUS are tables of word counts: .tsv, .parquet, .arrow, or what was saved.",
    ),
]
Name = Annotated[
    str | None, typer.Option("--name", metavar="TEXT", help="[default: as in --output]")
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        min=1,
        metavar="N",
        help="For counting; the result is always the same. [default: one a core]",
    ),
]
MemoryLimit = Annotated[
    str | None,
    typer.Option(
        "--memory-limit",
        metavar="SIZE",
        help="What counting may hold, such as 256MB; the rest goes to disk. [default: no limit]",
    ),
]
Checkpoint = Annotated[
    Path | None,
    typer.Option(
        "--checkpoint",
        metavar="DIR",
        help="Keep what was counted and every merge there, so that training can go on.",
    ),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on from --checkpoint; the result is the same.")
]
PruneFrom = Annotated[
    int | None,
    typer.Option(
        "--prune-from", min=1, metavar="N", help="Learn N tokens first, then prune to --vocab-size."
    ),
]
PruneStrategy = Annotated[
    Strategies, typer.Option("--prune-strategy", help="For that: see `bytepair prune`.")
]
ResidueThreshold = Annotated[
    float | None,
    typer.Option(
        "--residue-threshold",
        metavar="SHARE",
        help="A token goes once a merge takes this share of it (PickyBPE; 0.9, say).",
    ),
]
MetricsPort = Annotated[
    int | None,
    typer.Option(
        "--metrics-port",
        min=1,
        max=65535,
        metavar="N",
        help="Serve metrics for Prometheus there, on this machine.",
    ),
]
MetricsFile = Annotated[
    Path | None,
    typer.Option(
        "--metrics-file", metavar="FILE", help="Write them to a .prom file every few seconds."
    ),
]
MetricsPush = Annotated[
    str | None,
    typer.Option("--metrics-push", metavar="URL", help="Push them to a pushgateway."),
]
Engine = Annotated[
    Literal["native", "python"] | None,
    typer.Option("--engine", help="[default: native if it is installed]"),
]

TrainEngine = Annotated[
    Literal["native", "python", "ray"] | None,
    typer.Option(
        "--engine",
        help="ray: a cluster counts. [default: native if it is installed]",
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        "--address",
        metavar="HOST:PORT",
        help="Of the Ray cluster. [default: $RAY_ADDRESS, or one on this machine]",
    ),
]


class Preparation(TypedDict):
    """What text is cut by."""

    pattern: str | None
    normalizer: Sequence[str]
    special_tokens: Sequence[str]
    digits: DigitsName | None


def special_tokens(given: list[str] | None, *, none: bool) -> tuple[str, ...]:
    """The special tokens that the two options mean together.

    Raises:
        typer.BadParameter: they contradict each other.
    """
    if given and none:
        raise typer.BadParameter("contradicts --no-special-tokens.", param_hint="--special-token")
    return () if none else tuple(given or ("<|endoftext|>",))


def pairs(given: list[str] | None) -> list[tuple[str, str]]:
    """The pairs that `--blocked-pair` means.

    Raises:
        typer.BadParameter: one without two parts.

    >>> pairs(["/low/er", "|/|o"])
    [('low', 'er'), ('/', 'o')]
    """
    split = [text[1:].split(text[0]) if text else [] for text in given or ()]
    for text, parts in zip(given or (), split, strict=True):
        if len(parts) != 2 or not all(parts):
            raise typer.BadParameter(
                f"{text!r} is not /LEFT/RIGHT, such as '/low/er'.", param_hint="--blocked-pair"
            )
    return [(left, right) for left, right in split]


def superwords(given: str | None) -> int | float | None:
    """The number or the share that `--superwords` means.

    Raises:
        typer.BadParameter: neither.

    >>> superwords("2000"), superwords("0.2")
    (2000, 0.2)
    """
    if given is None:
        return None
    try:
        return int(given) if given.isdecimal() else float(given)
    except ValueError:
        raise typer.BadParameter(
            f"{given!r} is neither a number of tokens nor a share such as 0.2.",
            param_hint="--superwords",
        ) from None


def into_phrases(preparation: Preparation) -> Preparation:
    """What text is cut by if words are to be joined."""
    return {**preparation, "pattern": phrase_pattern(preparation["pattern"])}


def counts_of(
    tables: list[str], weights: list[float] | None, preparation: Preparation
) -> WordCounts:
    """Tables of word counts, weighed and put together; text tables were cut as the options say.

    Raises:
        typer.BadParameter: not one weight for each table.
        CorpusError: a table is missing or damaged, or they were cut by different rules.
    """
    if weights is not None and len(weights) != len(tables):
        raise typer.BadParameter("one for each CORPUS is wanted.", param_hint="--weight")
    rules = Preprocessor(**preparation).rules
    loaded = [
        WordCounts.load(path, rules=rules if Path(path).suffix.lower() in COUNT_TABLES else None)
        for path in tables
    ]
    weighed = [table.weighed(x) for table, x in zip(loaded, weights or [], strict=False)]
    return FrequencyAnalyzer().merge(weighed or loaded)


def files_of(corpus: list[str]) -> list[InputFile] | None:
    """The files to read; None: standard input.

    Raises:
        typer.BadParameter: standard input among others.
        CorpusError: see `bytepair.data`.
    """
    if corpus == ["-"]:
        return None
    if "-" in corpus:
        raise typer.BadParameter("- (standard input) must be the only one.", param_hint="CORPUS")
    return corpus_files([input_path(part) for part in corpus])
