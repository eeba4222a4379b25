"""The options of `bytepair shard`; their meaning is that of the arguments of `bytepair.shard`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

Tokenizer = Annotated[
    Path | None,
    typer.Argument(
        metavar="TOKENIZER",
        show_default=False,
        help="A tokenizer file of any known kind, or a folder with one.",
    ),
]
Corpus = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="CORPUS",
        show_default=False,
        help="Files, folders, glob patterns or URLs: text, .jsonl, .parquet, .arrow; .gz and .zst "
        "are decompressed.",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="DIR", show_default=False, help="Where the shards go: a folder."
    ),
]
Format = Annotated[
    Literal["flat", "llmc", "megatron", "parquet", "datatrove"],
    typer.Option("--format", help="Of the shards; flat is what nanoGPT and OLMo read."),
]
ShardTokens = Annotated[
    int, typer.Option("--shard-tokens", min=1, metavar="N", help="Most ids of a shard.")
]
Bos = Annotated[
    str | None,
    typer.Option("--bos", metavar="TOKEN", help="The special token that begins each document."),
]
Eos = Annotated[
    str | None,
    typer.Option("--eos", metavar="TOKEN", help="The special token that ends each document."),
]
Dtype = Annotated[
    Literal["uint16", "uint32", "int32"] | None,
    typer.Option("--dtype", help="Of the ids. [default: the smallest that holds the vocabulary]"),
]
Shuffle = Annotated[
    int | None,
    typer.Option(
        "--shuffle", min=1, metavar="N", help="Put N documents at a time in a random order."
    ),
]
Seed = Annotated[int, typer.Option("--seed", min=0, metavar="N", help="Of that order.")]
TextField = Annotated[
    str, typer.Option("--text-field", metavar="NAME", help="Field or column of the text.")
]
OnError = Annotated[
    Literal["fail", "skip"],
    typer.Option("--on-error", help="What to do about a document that cannot be read."),
]
Parts = Annotated[
    int | None,
    typer.Option(
        "--parts",
        min=1,
        metavar="N",
        help="Runs of files that have shards of their own. [default: 1; one a file on a cluster]",
    ),
]
Engine = Annotated[
    Literal["ray"] | None,
    typer.Option("--engine", help="ray: the machines of a cluster write the parts."),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on with the shards in DIR: do what is missing.")
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads", min=1, metavar="N", help="The result is the same. [default: one a core]"
    ),
]
Verify = Annotated[
    Path | None,
    typer.Option(
        "--verify", metavar="DIR", help="Read the shards in DIR again, and check all of them."
    ),
]
