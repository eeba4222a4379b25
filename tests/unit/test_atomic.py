import errno
import io
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from bytepair._atomic import write_all_atomically, write_atomically
from bytepair.errors import SaveError

KILLED_WHILE_SYNCING = """
import os, sys
from pathlib import Path
from bytepair._atomic import write_atomically
os.fsync = lambda handle: os._exit(9)
write_atomically(Path(sys.argv[1]), b"new")
"""


class FullDisk(io.BytesIO):
    """A file on a disk without space."""

    def write(self, data: object) -> NoReturn:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def raising(error: BaseException) -> Callable[..., NoReturn]:
    """A function that fails with `error`, whatever it is given."""

    def fail(*args: object, **kwargs: object) -> NoReturn:
        raise error

    return fail


def content_by_name(folder: Path) -> dict[str, bytes]:
    """All that is in a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A file that was there before."""
    path = tmp_path / "tokenizer.json"
    path.write_bytes(b"old")
    return path


@pytest.fixture
def umask() -> Iterator[Callable[[int], int]]:
    """`os.umask`, undone at the end."""
    before = os.umask(0)
    os.umask(before)
    yield os.umask
    os.umask(before)


def test_file_is_replaced_whole(old: Path) -> None:
    """A shorter content leaves no tail of the longer one, and nothing else in the folder."""
    write_atomically(old, b"\r\n\0")
    assert content_by_name(old.parent) == {"tokenizer.json": b"\r\n\0"}


@pytest.mark.parametrize("call", ["os.fsync", "os.replace"])
@pytest.mark.parametrize(
    "error",
    [KeyboardInterrupt(), MemoryError(), OSError(errno.EIO, "Input/output error")],
    ids=repr,
)
def test_interrupted_write_leaves_the_old_file_alone(
    old: Path, monkeypatch: pytest.MonkeyPatch, call: str, error: BaseException
) -> None:
    """Ctrl-C or a failing disk, before or at the rename: the old file stays, nothing is added."""
    monkeypatch.setattr(call, raising(error))
    with pytest.raises(SaveError if isinstance(error, OSError) else type(error)):
        write_atomically(old, b"new")
    assert content_by_name(old.parent) == {"tokenizer.json": b"old"}


def test_killed_process_leaves_the_old_file_alone(old: Path) -> None:
    """No clean-up runs after a kill: safety must not depend on it."""
    command = [sys.executable, "-c", KILLED_WHILE_SYNCING, str(old)]
    assert subprocess.run(command, check=False).returncode == 9
    assert old.read_bytes() == b"old"


def test_full_disk_is_reported_and_leaves_nothing(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The half that was written would only take the space that is missing."""

    def fdopen(handle: int, mode: str) -> FullDisk:
        os.close(handle)
        return FullDisk()

    monkeypatch.setattr(os, "fdopen", fdopen)
    with pytest.raises(SaveError, match=r"tokenizer.json: cannot write: No space left on device"):
        write_atomically(old, b"new")
    assert content_by_name(old.parent) == {"tokenizer.json": b"old"}


@pytest.mark.parametrize("place", ["missing", "tokenizer.json"], ids=["no-folder", "a-file"])
def test_place_that_cannot_hold_a_file_is_reported(old: Path, place: str) -> None:
    """The message names the file that was wanted and says that nothing happened."""
    path = old.parent / place / "x.json"
    with pytest.raises(SaveError, match=r"x\.json: cannot write: .*\. Nothing was changed; check"):
        write_atomically(path, b"new")
    assert content_by_name(old.parent) == {"tokenizer.json": b"old"}


def test_folder_without_permission_is_reported(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who runs the tests may be root, whom no folder refuses: so the refusal is played."""
    monkeypatch.setattr(tempfile, "mkstemp", raising(PermissionError(errno.EACCES, "Denied")))
    with pytest.raises(SaveError, match=r"tokenizer\.json: cannot write: Denied\. Nothing"):
        write_atomically(old, b"new")
    assert content_by_name(old.parent) == {"tokenizer.json": b"old"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_folder_is_reported(old: Path) -> None:
    """The same, played by the operating system."""
    old.parent.chmod(0o500)
    try:
        with pytest.raises(SaveError, match=r"tokenizer\.json: cannot write"):
            write_atomically(old, b"new")
    finally:
        old.parent.chmod(0o700)


def test_folder_in_the_place_of_the_file_is_reported(old: Path) -> None:
    """The rename itself fails, after everything was written."""
    folder = old.parent / "folder"
    folder.mkdir()
    with pytest.raises(SaveError, match=r"folder: cannot write: Is a directory"):
        write_atomically(folder, b"new")
    assert sorted(path.name for path in old.parent.iterdir()) == ["folder", "tokenizer.json"]


@pytest.mark.parametrize(("mask", "expected"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_permissions_follow_the_umask(
    tmp_path: Path, umask: Callable[[int], int], mask: int, expected: int
) -> None:
    """Temporary files are private; a tokenizer in a shared folder is for everyone there."""
    umask(mask)
    write_atomically(tmp_path / "x", b"")
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == expected
    assert umask(mask) == mask, "the mask was not put back"


def test_no_file_is_replaced_before_all_are_written(old: Path) -> None:
    """A config of the new tokenizer beside the vocabulary of the old one is worse than either."""
    with pytest.raises(SaveError, match=r"missing/b: cannot write: .* Nothing was changed"):
        write_all_atomically({old: b"new", old.parent / "missing" / "b": b"new"})
    assert content_by_name(old.parent) == {"tokenizer.json": b"old"}


def test_failing_rename_names_the_files_that_are_new(old: Path) -> None:
    """To say "Nothing was changed" would be a lie here, and the user's folder is now mixed."""
    folder = old.parent / "folder"
    folder.mkdir()
    with pytest.raises(SaveError, match=rf"Already replaced: {old};"):
        write_all_atomically({old: b"new", folder: b"new"})
    assert old.read_bytes() == b"new"


def test_several_files_are_written_in_their_folders(tmp_path: Path) -> None:
    """A temporary name in another folder could be on another disk, where no rename reaches."""
    (tmp_path / "sub").mkdir()
    write_all_atomically({tmp_path / "a": b"1", tmp_path / "sub" / "b": b"2"})
    assert (tmp_path / "a").read_bytes() == b"1"
    assert content_by_name(tmp_path / "sub") == {"b": b"2"}


@pytest.mark.parametrize("call", ["open", "fsync"])
def test_folder_that_cannot_be_synced_is_let_be(
    old: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    """Some network file systems refuse it; the file is safe all the same."""
    real = getattr(os, call)

    def refuse_folders(target: int | str, *args: int) -> object:
        if os.path.isdir(target):  # noqa: PTH112  # a handle is no Path
            raise OSError(errno.EINVAL, "Invalid argument")
        return real(target, *args)

    monkeypatch.setattr(os, call, refuse_folders)
    write_atomically(old, b"new")
    monkeypatch.undo()
    assert content_by_name(old.parent) == {"tokenizer.json": b"new"}


def test_a_link_stays_a_link(old: Path) -> None:
    """What it points to gets the new content."""
    link = old.parent / "link.json"
    link.symlink_to(old)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert old.read_bytes() == b"new"


def test_the_mode_of_an_old_file_is_kept(old: Path) -> None:
    """Whoever made it private wants it so."""
    old.chmod(0o600)
    write_atomically(old, b"new")
    assert old.stat().st_mode & 0o777 == 0o600
