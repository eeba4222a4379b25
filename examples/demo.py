"""Train a tokenizer on the source code of Python's library, prune it, and look at what came out.

    python examples/demo.py

Everything it needs is on the machine already: nothing is downloaded. The result is saved in the
folder demo-tokenizer.
"""

import os
import shlex
import shutil
import sys
import sysconfig
import warnings
from collections.abc import Sequence
from pathlib import Path

from rich.cells import cell_len, chop_cells
from rich.table import Table
from rich.text import Text

import bytepair
from bytepair import BytepairError, PruneReport, Tokenizer
from bytepair.cli._progress import TrainingProgress
from bytepair.cli._render import NEWLINE, SPACE, flow, output_console, palette_of, visible
from bytepair.evaluation import report
from bytepair.model import TrainingRecord

N_LEARNED = 20_000  # tokens
VOCAB_SIZE = 16_000  # those that are left when the others are pruned
TARGET = Path("demo-tokenizer")
REPORT = TARGET / "report.html"
HELD_OUT = 20  # every so many files one is kept back, to be measured on
PYTHON_ENGINE_BYTES = 4_000_000  # what the pure-Python engine learns from in some seconds
LATER = {"site-packages", "dist-packages", "__pycache__"}  # below the library, but not of it

SENTENCES = {
    "English": "Good tools turn work into play.",
    "German": "Gutes Werkzeug macht Arbeit zum Spiel.",
    "Russian": "Хороший инструмент делает труд игрой.",
    "Hindi": "अच्छे औज़ार काम को खेल बना देते हैं।",
    "Korean": "좋은 도구는 일을 놀이로 바꾼다.",
    "Chinese": "好工具把工作变成游戏。",
}
WORD_AND_TYPO = ("exception", "excpetion")

console = output_console()
palette = palette_of(console)


def main() -> None:
    """Train, prune, report, save."""
    learned_from, held_out = corpus()
    console.print(heading("Training on Python's own source code"))
    with TrainingProgress() as progress:
        learned = bytepair.train(learned_from, vocab_size=N_LEARNED, name="demo", progress=progress)
    show_training(learned, progress, learned_from, held_out)
    show_merges(learned)
    console.print(heading(f"Pruning: the {VOCAB_SIZE:,} tokens that earn most"))
    with TrainingProgress() as progress:
        result = learned.prune(
            learned_from, vocab_size=VOCAB_SIZE, held_out=held_out, progress=progress
        )
    tok = result.tokenizer
    show_pruning(result.report)
    show_languages(tok)
    show_typo(tok)
    tok.save(TARGET)
    show_next()
    write_report(tok, held_out)


# ---------------------------------------------------------------------------- the corpus


def corpus() -> tuple[list[Path], list[Path]]:
    """The library's files to learn from, and those that are held out."""
    library = Path(sysconfig.get_path("stdlib"))
    files = sorted(
        path
        for path in library.rglob("*.py")
        if path.is_file() and not LATER & set(path.relative_to(library).parts)
    )
    if not files:
        raise SystemExit(f"No Python source code in {library}: is the standard library zipped?")
    if bytepair.engine() == "python":
        files = files[:: max(1, size_of(files) // PYTHON_ENGINE_BYTES)]
    held_out = files[HELD_OUT - 1 :: HELD_OUT]
    return sorted(set(files) - set(held_out)), held_out


def size_of(files: Sequence[Path]) -> int:
    """Bytes of all files together."""
    return sum(path.stat().st_size for path in files)


# ---------------------------------------------------------------------------- the report


def heading(text: str) -> Text:
    """A line that opens a part of the report."""
    return Text(f"\n{text}", style="bold" if palette else "")


def row(label: str, text: str) -> None:
    """One line of a table with names on the left."""
    console.print(f"  {label:<12} {text}", soft_wrap=True)


def show_training(
    tok: Tokenizer, progress: TrainingProgress, learned_from: list[Path], held_out: list[Path]
) -> None:
    """What it was trained on, how fast, how well it compresses."""
    n_bytes = size_of(learned_from)
    texts = [path.read_bytes() for path in held_out]
    bytes_per_token = size_of(held_out) / max(1, sum(tok.count_batch(texts)))
    is_native = bytepair.engine() == "native"
    row("corpus", f"{len(learned_from):,} files, {n_bytes / 1e6:.1f} MB of Python")
    if not is_native:
        row("", "(a part of the library: the pure-Python engine is slower)")
    row("engine", "native (C++)" if is_native else "pure Python")
    total_s = progress.count_s + progress.learn_s
    row("time", f"{total_s:.1f} s, {n_bytes / 1e6 / total_s:.1f} MB/s")
    row("", f"{progress.count_s:.1f} s to count words, {progress.learn_s:.1f} s to learn merges")
    row("tokens", f"{tok.vocab_size:,}: 256 bytes, {len(tok.merges):,} merges, 1 special token")
    row("compression", f"{bytes_per_token:.2f} bytes a token on {len(held_out)} files held out")


def show_merges(tok: Tokenizer, n_shown: int = 8) -> None:
    """The first and the last merges side by side, with how often the pair was found."""
    console.print(heading("The first merges it learned, and the last"))
    console.print(
        f"  {SPACE} is a space, {NEWLINE} a newline; on the right: how often the pair was found."
    )
    record = tok.spec.training or TrainingRecord()
    merges = list(zip(tok.merges, record.merge_counts, strict=False))
    for (first, first_times), (last, last_times) in zip(
        merges[:n_shown], merges[-n_shown:], strict=True
    ):
        left = merge_line(tok, first, first_times)
        left.append(" " * max(2, 38 - left.cell_len))
        console.print(left + merge_line(tok, last, last_times))


def merge_line(tok: Tokenizer, merge: Sequence[int], times: int) -> Text:
    """`left + right`, coloured as the two tokens that became one."""
    dim = "dim" if palette else ""
    styles = palette.tokens if palette else ("", "")
    left, right = (visible(tok.decode_single_token_bytes(token)) for token in merge[:2])
    return Text.assemble(
        (f"  {merge[2]:>6}  ", dim),
        (left, styles[0]),
        " + ",
        (right, styles[1]),
        (f"  {times:,}x", dim),
    )


def show_pruning(report: PruneReport, n_shown: int = 3) -> None:
    """What it cost to take tokens out, and which went first and last."""
    row("removed", f"{len(report.removed):,} tokens of {report.vocab_before:,}")
    row("cost", f"{report.corpus.loss:+.2%} tokens in the text it learned from")
    if report.held_out is not None:
        row("", f"{report.held_out.loss:+.2%} in the files held out")
    for label, tokens in {
        "first": report.removed[:n_shown],
        "last": report.removed[-n_shown:],
    }.items():
        shown = (f"{cut(visible(token.data))} (+{token.cost:,})" for token in tokens)
        row(label, "  ".join(shown))


def cut(text: str, n_most: int = 11) -> str:
    """The text, or its beginning and a sign that there is more."""
    return text if cell_len(text) <= n_most else f"{chop_cells(text, n_most - 1)[0]}…"


def show_languages(tok: Tokenizer) -> None:
    """What the same meaning costs in six languages."""
    console.print(heading("One sentence in six languages: code teaches mostly English"))
    signs = "Underlined are" if palette else "Bars part the tokens, braces hold"
    console.print(f"  {signs} characters that took several tokens each.")
    table = Table.grid(padding=(0, 0, 0, 2))
    dim = "dim" if palette else ""
    table.add_row("", "", Text("tokens", dim), Text("cost", dim))
    english = tok.count(SENTENCES["English"])
    for language, sentence in SENTENCES.items():
        n_tokens = tok.count(sentence)
        cost = f"{n_tokens / english:.1f}x"
        table.add_row("", language, f"{n_tokens:>6}", cost, flow(tok.inspect(sentence), palette))
    print_table(table)


def print_table(table: Table) -> None:
    """Print it without the blanks that fill its last column up, where no colour needs them."""
    with console.capture() as capture:
        console.print(table)
    for line in capture.get().splitlines():
        console.file.write(f"{line if palette else line.rstrip()}\n")


def show_typo(tok: Tokenizer) -> None:
    """A word it knows, and the same word with two letters swapped."""
    console.print(heading("A word and its typo"))
    for word in WORD_AND_TYPO:
        n_tokens = tok.count(word)
        line = Text("  ") + flow(tok.inspect(word), palette)
        line.append(" " * max(2, 26 - cell_len(line.plain)))
        console.print(line.append(f"{n_tokens} token{'' if n_tokens == 1 else 's'}"))


def show_next() -> None:
    """Where it was saved, and lines to paste."""
    console.print(heading(f"Saved in {TARGET}/. Next:"))
    program = command()
    for rest in (
        f'inspect {TARGET} "for line in file: print(line)"',
        f"count {TARGET} {shlex.quote(os.path.relpath(__file__))}",
        f"convert {TARGET} {TARGET}/demo.tiktoken",
    ):
        console.print(f"  {program} {rest}", soft_wrap=True)


def write_report(tok: Tokenizer, held_out: list[Path]) -> None:
    """A page about the tokenizer and what it makes of unseen text, and how to look at it."""
    REPORT.write_text(report(tok, held_out), encoding="utf-8")
    console.print(heading("The whole report is a page: open this file in a browser"))
    console.print(f"  {REPORT}", soft_wrap=True)


def command() -> str:
    """How to call the command line of this very installation from here."""
    beside = Path(sys.executable).with_name("bytepair")
    if not beside.exists():
        return f"{shlex.quote(sys.executable)} -m bytepair"
    found = shutil.which("bytepair")
    if found and Path(found).samefile(beside):
        return "bytepair"
    return shlex.quote(min(os.path.relpath(beside), str(beside), key=len))


if __name__ == "__main__":
    warnings.simplefilter("ignore", bytepair.BytepairWarning)
    try:
        main()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr, flush=True)
        os._exit(130)  # at once, whatever the threads that count are doing
    except BytepairError as error:
        sys.exit(f"error: {error}")
