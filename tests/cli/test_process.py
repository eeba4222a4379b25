"""The program in a process of its own: streams, signals, exit codes."""

import contextlib
import json
import os
import pty
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bytepair
from bytepair.patterns import UNICODE_VERSION

pytestmark = pytest.mark.usefixtures("hears_ctrl_c")

PROGRAM = [sys.executable, "-m", "bytepair"]
COMMANDS = ["train", "encode", "decode", "count", "inspect", "convert"]
PATIENCE_S = 60  # machines are slow at times; nothing here needs more than a second or two


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus whose merges take a while to learn: 200,000 different words."""
    path = tmp_path_factory.mktemp("corpus") / "words.txt"
    words = (
        f"{(n * 2654435761) % 26**7:07d}".translate(str.maketrans("0123456789", "abcdefghij"))
        for n in range(200_000)
    )
    path.write_text("\n".join(words), encoding="ascii")
    return path


@contextlib.contextmanager
def start(*arguments: object, **options: Any) -> Iterator["subprocess.Popen[bytes]"]:
    """The program in a process of its own, which ends with the block at the latest."""
    with subprocess.Popen([*PROGRAM, *map(str, arguments)], **options) as process:
        try:
            yield process
        finally:
            process.kill()


def read_until(descriptor: int, wanted: bytes) -> bytes:
    """What comes out, up to and including `wanted`."""
    seen = b""
    deadline = time.monotonic() + PATIENCE_S
    while wanted not in seen:
        assert time.monotonic() < deadline, seen
        seen += os.read(descriptor, 65536)
    return seen


def read_to_the_end(descriptor: int) -> bytes:
    """What comes out until the other side closes it, which a terminal reports as an error."""
    seen = b""
    with contextlib.suppress(OSError):
        while block := os.read(descriptor, 65536):
            seen += block
    return seen


def test_module_and_program_tell_their_version(run):
    """Version, engine and Unicode version are what a bug report needs."""
    expected = (
        f"bytepair {bytepair.__version__} ({bytepair.engine()} engine, Unicode {UNICODE_VERSION})\n"
    )
    assert run("--version").stdout.decode() == expected
    program = Path(sys.executable).with_name("bytepair")
    assert subprocess.check_output([program, "--version"], timeout=PATIENCE_S).decode() == expected


def test_without_arguments_there_is_help(run):
    """Exit code 2, as nothing was asked for."""
    result = run()
    assert result.returncode == 2
    assert all(
        f"\n  {command} " in (result.stdout + result.stderr).decode() for command in COMMANDS
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_80_columns_and_holds_an_example(run, command):
    """Rendered, as people see it; nothing swallowed, nothing cut off."""
    help_text = run(command, "--help").stdout.decode()
    assert f"      bytepair {command} " in help_text
    assert "\b" not in help_text
    assert "…" not in help_text
    assert max(map(len, help_text.splitlines())) <= 80


def test_a_command_nobody_knows(run):
    """A wrong call: exit code 2, and the nearest name."""
    result = run("trian")
    assert result.returncode == 2
    assert b"Did you mean 'train'?" in result.stderr


def test_bytes_go_through_pipes_unchanged(run, saved):
    """No text layer between the pipe and the tokenizer."""
    data = bytes(range(256)) + b"\r\n\r\n\xe2\x82"
    ids = run("encode", saved, input=data).stdout
    assert run("decode", saved, input=ids).stdout == data


def test_the_environment_cannot_change_bytes(run, saved):
    """An ASCII locale decides how messages look, never what is encoded or decoded."""
    env = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    ids = run("encode", saved, input="naïve 🙂".encode(), env=env).stdout
    assert run("decode", saved, input=ids, env=env).stdout.decode() == "naïve 🙂"
    assert run("inspect", saved, "naïve", env=env).returncode == 0


def test_a_line_is_answered_before_the_next_is_asked(saved, tok):
    """A program that talks to `encode --lines` over pipes must not wait for a full buffer."""
    with start(
        "encode", saved, "--lines", stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        for line in ("is", "better"):
            process.stdin.write(f"{line}\n".encode())
            process.stdin.flush()
            assert process.stdout.readline().split() == [b"%d" % i for i in tok.encode(line)]


@pytest.mark.parametrize("command", ["encode", "count", "inspect"])
def test_a_reader_that_has_enough_is_no_error(saved, command, tmp_path):
    """`bytepair encode … | head`: quiet, and no failure under `set -o pipefail`."""
    big = tmp_path / "big"
    big.write_bytes(b"Simple is better than complex.\n" * 20_000)
    arguments = [] if command == "inspect" else ["--lines"]
    with (
        big.open("rb") as stdin,
        start(
            command,
            saved,
            *arguments,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process,
    ):
        process.stdout.read(100)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(PATIENCE_S) == 0


@pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="needs Linux's device that is always full"
)
@pytest.mark.parametrize(
    "arguments",
    [["encode"], ["encode", "--json"], ["decode"], ["count"], ["inspect"], ["inspect", "--json"]],
    ids=" ".join,
)
def test_a_full_disk_behind_stdout_is_an_error(run, saved, arguments):
    """Half a result with exit code 0 would be taken for a whole one."""
    command, *options = arguments
    with Path("/dev/full").open("wb") as full:
        result = run(command, saved, *options, input=b"72 105", stdout=full)
    assert result.returncode == 1
    assert re.fullmatch(rb"error: (standard output: )?No space left on device\.\n", result.stderr)


@pytest.mark.parametrize(
    "arguments", [["train", "a.txt", "-o", "out"], ["convert", "small", "out"]]
)
def test_a_full_disk_leaves_nothing(here, run, tok, files_in, arguments):
    """The limit on the size of a file fails as a full disk does: in the middle of writing."""
    (here / "a.txt").write_text("low lower lowest " * 9, encoding="utf-8")
    tok.save("small")
    before = files_in(here)

    def allow_200_bytes() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))

    result = run(*arguments, preexec_fn=allow_200_bytes)
    assert result.returncode == 1
    assert b"out/tokenizer.json: cannot write: File too large." in result.stderr
    assert files_in(here) == before


@pytest.mark.parametrize("descriptor", [0, 1])
def test_a_closed_stream_is_an_error(run, saved, descriptor):
    """Started by something that closed them; Python then has no stream at all."""
    result = run("encode", saved, preexec_fn=lambda: os.close(descriptor), input=None)
    assert result.returncode == 1
    assert result.stderr.endswith(b"Bad file descriptor.\n")


def test_ctrl_c_while_reading_ends_at_once(here, saved):
    """Blocked in a read that may never end."""
    for arguments in (["train", "-", "-o", "out"], ["encode", saved], ["decode", saved]):
        with start(*arguments, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdin.write(b"72 105\n")
            process.stdin.flush()
            _interrupt_when_reading(process)
            assert process.wait(PATIENCE_S) == 130
            assert process.stderr.read() == b"interrupted\n"
    assert list(here.iterdir()) == []


def _interrupt_when_reading(process: "subprocess.Popen[bytes]") -> None:
    """Send the signal once the program has taken what was written, so that it surely runs."""
    deadline = time.monotonic() + PATIENCE_S
    while _unread(process.stdin.fileno()) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)


def _unread(descriptor: int) -> int:
    import fcntl
    import struct
    import termios

    return struct.unpack("i", fcntl.ioctl(descriptor, termios.FIONREAD, b"\0" * 4))[0]


@pytest.mark.parametrize("stage", ["counting", "learning"])
def test_ctrl_c_during_training_leaves_nothing(here, endless, files_in, stage):
    """On a terminal, where the progress bar tells when: 130, one word, the cursor back."""
    leader, follower = pty.openpty()
    arguments = ["train", str(endless), "-o", "out", "--vocab-size", "200000"]
    env = {**os.environ, "TERM": "xterm"}
    with start(*arguments, stderr=follower, env=env) as process:
        os.close(follower)
        read_until(leader, stage.encode())
        process.send_signal(signal.SIGINT)
        output = read_until(leader, b"interrupted")
        assert process.wait(PATIENCE_S) == 130
    os.close(leader)
    assert b"Traceback" not in output
    assert files_in(here) == []


def test_ctrl_c_with_a_checkpoint_says_how_to_go_on(here, endless):
    """After the one word, a line that tells what to do."""
    leader, follower = pty.openpty()
    arguments = ["train", str(endless), "-o", "out", "--checkpoint", "kept"]
    env = {**os.environ, "TERM": "xterm"}
    with start(*arguments, "--vocab-size", "200000", stderr=follower, env=env) as process:
        os.close(follower)
        read_until(leader, b"learning")
        process.send_signal(signal.SIGINT)
        output = read_until(leader, b"--resume")
        assert process.wait(PATIENCE_S) == 130
    os.close(leader)
    assert b"interrupted" in output
    assert b"Traceback" not in output
    assert (here / "kept" / "merges.log").exists()


def test_ctrl_c_while_nobody_reads_the_output(saved, tmp_path):
    """Blocked in a write: Python hears nothing, and would wait again at its end."""
    big = tmp_path / "big"
    big.write_bytes(b"better " * 200_000)
    with start("encode", saved, big, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.read(1)  # it is writing now, and soon the pipe is full
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 130
        assert process.stderr.read() == b"interrupted\n"


def test_progress_shows_rate_time_left_and_newest_token(here, endless):
    """On a terminal only; what stays on the screen is the report."""
    leader, follower = pty.openpty()
    arguments = ["train", str(endless), "-o", "out", "--vocab-size", "3000"]
    env = {**os.environ, "TERM": "xterm"}
    with start(*arguments, stdout=subprocess.PIPE, stderr=follower, env=env) as process:
        os.close(follower)
        shown = read_to_the_end(leader).decode()
        assert process.stdout.read().startswith(b"out: 3,000 tokens")
    os.close(leader)
    assert "MB/s" in shown
    assert "merges/s" in shown
    assert re.search(r"\d+:\d\d", shown)


ONE_MOMENT_A_STAGE = """
from bytepair import Progress
from bytepair.cli._progress import TrainingProgress
with TrainingProgress() as watch:
    watch(Progress("count", 5_000_000, None, "bytes"))
    watch(Progress("learn", 900, 900, "merges", "ing"))
"""


def test_a_single_moment_of_each_stage_is_enough_for_the_bar():
    """A stage may be over before there is a second one, and its rate is asked for all the same."""
    leader, follower = pty.openpty()
    env = {**os.environ, "TERM": "xterm"}
    with subprocess.Popen(
        [sys.executable, "-c", ONE_MOMENT_A_STAGE], stderr=follower, env=env
    ) as process:
        os.close(follower)
        shown = read_to_the_end(leader).decode()
    os.close(leader)
    assert process.returncode == 0
    assert re.search(r"counting .* MB/s .*00:00", shown)
    assert re.search(r"learning .*100% .* merges/s .*\d\d:\d\d.*ing", shown)


def test_a_pipe_with_a_name_is_read_once(here):
    """The report looks at the corpus again for its sample, where there is something to look at."""
    pipe = here / "corpus"
    os.mkfifo(pipe)
    arguments = ["train", pipe, "-o", "out", "--vocab-size", "258", "--json"]
    with start(*arguments, stdout=subprocess.PIPE) as process:
        pipe.write_bytes(b"low low lower\n" * 9)
        result = json.loads(process.stdout.read())
        assert process.wait(PATIENCE_S) == 0
    assert (result["n_bytes"], result["bytes_per_token"]) == (126, None)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is full")
def test_help_on_a_full_disk_is_an_error_of_one_line(here):
    """Not a traceback: that the disk is full is nothing a programmer has to see."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*PROGRAM, "--help"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 1
    assert done.stderr.startswith(b"error: ")
    assert b"Traceback" not in done.stderr
