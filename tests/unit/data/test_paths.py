import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bytepair.data import corpus_files, read_chunks
from bytepair.errors import CorpusError


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(*names, content=b"text"):
    for name in names:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def names(corpus):
    return [path.as_posix() for path in corpus_files(corpus)]


@pytest.mark.parametrize("make", [str, Path], ids=["str", "Path"])
def test_file_is_itself(folder, make):
    """The plainest corpus, as a string or as a path object."""
    write("a.txt")
    assert names(make("a.txt")) == ["a.txt"]


@pytest.mark.parametrize("make", [str, Path], ids=["str", "Path"])
def test_folder_is_read_to_any_depth_in_order_of_path_bytes(folder, make):
    """The order decides ties by first appearance, so it is the same on every machine."""
    write("d/b/x.txt", "d/a.txt", "d/B.txt", "d/b-1/x.txt", "d/é.txt", "d/b.txt", "d/z/deep/er/f")
    expected = ["B.txt", "a.txt", "b-1/x.txt", "b.txt", "b/x.txt", "z/deep/er/f", "é.txt"]
    assert names(make("d")) == [f"d/{name}" for name in expected]


def test_name_that_is_not_utf8_is_read(folder, read_documents):
    """File systems hold any bytes; sorting them as text would fail here."""
    write(os.fsdecode(b"d/\xff.txt"), content=b"odd")
    write("d/a.txt", content=b"a")
    assert read_documents("d") == [b"a", b"odd"]


def test_hidden_files_and_folders_are_left_out_of_folders(folder):
    """Folders hold `.git` and `.DS_Store`, which nobody means to train on."""
    write("d/a.txt", "d/.hidden.txt", "d/.git/config", "d/sub/.x/y.txt", "d/sub/b.txt")
    assert names("d") == ["d/a.txt", "d/sub/b.txt"]


def test_hidden_file_or_folder_named_itself_is_read(folder):
    """Who names it means it."""
    write(".corpus/a.txt", ".corpus/.b.txt")
    assert names(".corpus") == [".corpus/a.txt"]
    assert names(".corpus/.b.txt") == [".corpus/.b.txt"]


def test_binary_files_are_left_out_of_folders(folder):
    """A NUL in the first 8 KiB marks what is no text; one further on does not."""
    write("d/image.bin", content=b"\x89PNG\0")
    write("d/border.bin", content=b"x" * 8191 + b"\0")
    write("d/late-nul.txt", content=b"x" * 8192 + b"\0")
    write("d/latin1.txt", content=b"\xe9t\xe9")
    assert names("d") == ["d/late-nul.txt", "d/latin1.txt"]


def test_binary_file_named_or_matched_is_read(folder, read_documents):
    """NUL is an ordinary byte; only what a folder happens to hold is judged by it."""
    write("d/a.bin", content=b"a\0b")
    assert read_documents("d/a.bin") == read_documents("d/*.bin") == [b"a\0b"]
    assert read_documents([Path("d/a.bin")]) == [b"a\0b"]


def test_compressed_files_are_not_taken_for_binary(folder):
    """Their content is full of NULs, and is text all the same."""
    write("d/a.txt.gz", "d/b.ZST", "d/c.jsonl.zstd", content=b"\0\0\0")
    assert names("d") == ["d/a.txt.gz", "d/b.ZST", "d/c.jsonl.zstd"]


@pytest.mark.parametrize("path", ["d", "d/**", "d/*/**", "**"])
def test_links_that_go_round_in_circles_end(folder, path):
    """Two links upwards give 2**40 paths to whoever follows each of them."""
    write("d/sub/a.txt")
    for name in ("d/up1", "d/up2", "d/sub/top", "d/sub/self"):
        Path(name).symlink_to(folder / "d")
    Path("d/dangling").symlink_to("nowhere")
    Path("d/own-tail").symlink_to("own-tail")
    assert {Path(name).resolve() for name in names(path)} == {folder / "d/sub/a.txt"}


def test_folder_reached_twice_is_read_once(folder):
    """A link beside its target would otherwise count everything twice."""
    write("d/real/a.txt")
    Path("d/link").symlink_to("real")
    assert names("d") == ["d/link/a.txt"]


def test_linked_folder_and_file_are_followed(folder, read_documents):
    """Corpora are often links to where the space is."""
    write("elsewhere/a.txt", content=b"a")
    write("file.txt", content=b"f")
    Path("d").mkdir()
    Path("d/folder").symlink_to("../elsewhere")
    Path("d/link.txt").symlink_to("../file.txt")
    assert read_documents("d") == [b"a", b"f"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.txt", ["a.txt", "b.txt"]),
        ("?.txt", ["a.txt", "b.txt"]),
        ("[b-z].*", ["b.md", "b.txt"]),
        ("**/*.txt", ["a.txt", "b.txt", "s/c.txt", "s/t/d.txt"]),
        ("s/**", ["s/c.txt", "s/t/d.txt"]),
        ("**/t/*", ["s/t/d.txt"]),
        ("**/**/d.txt", ["s/t/d.txt"]),
        ("*/**/*.txt", ["s/c.txt", "s/t/d.txt"]),
        ("**/.h*", [".h.txt", "s/.h.txt"]),
        ("s*", None),
    ],
)
@pytest.mark.parametrize("make", [str, Path], ids=["str", "Path"])
def test_pattern_gives_the_files_that_match_in_order(folder, pattern, expected, make):
    """Worked out by hand; folders that match are not files, and hidden names must be asked for."""
    write("b.txt", "a.txt", "b.md", ".h.txt", "s/c.txt", "s/.h.txt", "s/t/d.txt", ".i/e.txt")
    if expected is None:
        with pytest.raises(CorpusError, match="matches no file"):
            corpus_files(make(pattern))
    else:
        assert names(make(pattern)) == expected


def test_absolute_pattern_works(folder):
    """A pattern need not start at the working directory."""
    write("s/t/a.txt")
    assert corpus_files(f"{folder}/**/*.txt") == [folder / "s/t/a.txt"]


def test_file_whose_name_looks_like_a_pattern_is_that_file(folder):
    """What exists is meant literally: `a[1].txt` is not `a1.txt`."""
    write("a[1].txt", "a1.txt", "d[1]/x.txt", "d1/y.txt")
    assert names("a[1].txt") == ["a[1].txt"]
    assert names("d[1]") == ["d[1]/x.txt"]
    assert names("**/x.txt") == ["d[1]/x.txt"]


@pytest.mark.parametrize(
    "text", ["missing.txt", "", "two words", "a\0b", "x" * 5000, "\ud800", "a.txt/b", "why?\nso"]
)
def test_str_that_names_nothing_is_refused_and_told_how_to_give_text(folder, text):
    """`train("some text")` is the first thing many people write."""
    write("a.txt")
    with pytest.raises(CorpusError, match=r"A str is a path.*in a list, \[text\]"):
        read_chunks(text)


def test_missing_path_is_refused_with_its_name(folder):
    """A path object can only have meant a path, so nothing is said about texts."""
    with pytest.raises(CorpusError, match=r"'no/such\.txt': No such file") as caught:
        read_chunks([Path("no/such.txt")])
    assert "list" not in str(caught.value)


def test_long_text_is_cut_in_the_message(folder):
    """A megabyte of text in a message hides what it says."""
    with pytest.raises(CorpusError) as caught:
        read_chunks("word " * 200_000)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_device_is_refused(device):
    """Zeros never end, and have no place where they could be cut."""
    with pytest.raises(CorpusError, match=f"{device}: a device, which may never end"):
        corpus_files(device)


def test_link_to_itself_is_refused(folder):
    """An error of the operating system that is neither absence nor permission."""
    Path("loop.txt").symlink_to("loop.txt")
    with pytest.raises(CorpusError, match=r"'loop\.txt': Too many levels"):
        read_chunks(Path("loop.txt"))


def test_empty_folder_is_refused(folder):
    """Training on nothing would fail later, and name nothing."""
    Path("d").mkdir()
    with pytest.raises(CorpusError, match=r"d: no text file.*nothing, it is empty"):
        read_chunks("d")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_folder_without_text_says_what_was_left_out(folder):
    """The count per reason tells whether the path or the content is wrong."""
    write("d/.a", "d/.b", "d/.git/x")
    write("d/c.png", "d/e.png", content=b"\0")
    os.mkfifo("d/pipe")
    Path("d/dangling").symlink_to("nowhere")
    with pytest.raises(CorpusError, match=r"skipped: 2 binary, 3 hidden, 2 not a regular file"):
        read_chunks("d")


@contextmanager
def as_nobody_special() -> Iterator[None]:
    """Root may read everything, so root becomes somebody else for a while."""
    is_root = os.geteuid() == 0
    if is_root:
        Path().chmod(0o755)  # that one must still reach the current folder
        os.seteuid(65534)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


@pytest.mark.parametrize("locked", ["d", "d/sub", "d/sub/a.txt"])
def test_what_may_not_be_read_is_refused_with_its_name(folder, locked):
    """A folder read in part would be a corpus that nobody asked for."""
    write("d/sub/a.txt", "d/b.txt")
    Path(locked).chmod(0)
    refusal = pytest.raises(CorpusError, match=f"{locked}: cannot be read: Permission denied")
    with as_nobody_special(), refusal:
        read_chunks("d")
    Path(locked).chmod(0o700)
