import gzip
import sys
import tracemalloc
from pathlib import Path

import pytest

from bytepair.data import read_chunks
from bytepair.errors import CorpusError, MissingExtraError
from bytepair.model import Chunk

TEXT = b"".join(b"line %d\r\n" % number for number in range(5000))
SUFFIXES = [".gz", ".zst", ".zstd", ".GZ", ".Zst"]


@pytest.fixture
def compress(zstd):
    """Compress by suffix, with the standard libraries for the formats."""

    def compressed(content, suffix):
        if suffix.lower() == ".gz":
            return gzip.compress(content)
        # With a checksum, as the zstd program writes it and gzip always does.
        return zstd.compress(content, options={zstd.CompressionParameter.checksum_flag: 1})

    return compressed


@pytest.fixture
def save(tmp_path):
    """Write a file and give its path."""

    def saved(name, content):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return saved


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_compressed_text_is_read_by_its_suffix(save, compress, read_documents, suffix):
    """In blocks, as one document, with every byte kept."""
    file = save(f"a.txt{suffix}", compress(TEXT, suffix))
    assert read_documents(file, block_bytes=1000) == [TEXT]


@pytest.mark.parametrize("suffix", SUFFIXES[:2])
def test_parts_of_a_compressed_file_are_one_document(save, compress, read_documents, suffix):
    """`cat a.gz b.gz` is a valid file, and parallel compressors write many parts."""
    file = save(f"a{suffix}", compress(b"one ", suffix) + compress(b"two", suffix))
    assert read_documents(file) == [b"one two"]


@pytest.mark.parametrize("suffix", SUFFIXES[:2])
def test_compressed_nothing_is_no_document(save, compress, suffix):
    """As an empty file is none."""
    assert list(read_chunks(save(f"a{suffix}", compress(b"", suffix)))) == []


@pytest.mark.parametrize("suffix", SUFFIXES[:2])
def test_decompression_never_holds_the_whole_file(save, compress, suffix):
    """24 MB of spaces is a few kilobytes on disk: reading it whole would be a way to attack."""
    file = save(f"a{suffix}", compress(b" " * 24_000_000, suffix))
    tracemalloc.start()
    n_bytes = sum(len(chunk.data) for chunk in read_chunks(file, block_bytes=100_000))
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert n_bytes == 24_000_000
    assert peak_bytes < 2_000_000


def test_zstd_with_a_large_window_is_read(save):
    """`zstd --long=28` and above: a frame written by hand, its window 256 MiB, one raw block."""
    header = bytes.fromhex("28b52ffd") + bytes([0x00, (28 - 10) << 3])
    block = (3 << 3 | 1).to_bytes(3, "little") + b"abc"
    assert list(read_chunks(save("a.zst", header + block))) == [Chunk(b"abc")]


def test_zstd_skippable_frame_is_skipped(save, zstd):
    """Tools keep notes in such frames; they are not text."""
    note = bytes.fromhex("502a4d18") + (4).to_bytes(4, "little") + b"note"
    assert list(read_chunks(save("a.zst", note + zstd.compress(b"abc")))) == [Chunk(b"abc")]


@pytest.mark.parametrize("suffix", SUFFIXES[:2])
@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"",
        lambda data: data[:3],
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1],
        lambda _: b"plain text under a wrong name",
        lambda data: data[:200] + bytes(byte ^ 0xFF for byte in data[200:300]) + data[300:],
        lambda data: data + b"trailing text",
    ],
    ids=["empty", "header-only", "half", "last-byte", "not-compressed", "flipped", "trailing"],
)
def test_damaged_file_is_refused_with_its_name(save, compress, suffix, damage):
    """Half a download must not become half a tokenizer."""
    file = save(f"a{suffix}", damage(compress(TEXT, suffix)))
    with pytest.raises(CorpusError, match=rf"a\{suffix}: damaged or cut short: .+") as caught:
        list(read_chunks(file))
    assert caught.value.__cause__ is not None


def test_wrong_checksum_is_damage(save):
    """The content unpacks, and is not what was packed."""
    data = bytearray(gzip.compress(TEXT))
    data[-8] ^= 1
    with pytest.raises(CorpusError, match=r"a\.gz: damaged.*CRC"):
        list(read_chunks(save("a.gz", bytes(data))))


def test_missing_zstd_package_is_named_before_anything_is_read(save, monkeypatch):
    """Not after an hour of counting the files that come before it."""
    name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    monkeypatch.setitem(sys.modules, name, None)
    plain, packed = save("a.txt", b"a"), save("b.zst", b"b")
    with pytest.raises(MissingExtraError, match=r"pip install 'bytepair\[data\]'"):
        read_chunks([plain, packed])


def test_file_that_vanishes_is_named(save):
    """Between looking up and reading, other programs go on."""
    file = save("a.txt", b"a")
    chunks = read_chunks(file)
    file.unlink()
    with pytest.raises(CorpusError, match=r"a\.txt: cannot be read: No such file"):
        next(chunks)


def test_file_that_became_a_folder_is_named(save):
    """Any refusal of the operating system is told in its own words."""
    file = save("a.txt", b"a")
    chunks = read_chunks(file)
    file.unlink()
    file.mkdir()
    with pytest.raises(CorpusError, match=r"a\.txt: cannot be read: Is a directory"):
        next(chunks)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs Linux's /proc")
def test_error_while_reading_is_named():
    """Opening works and reading fails, as on a broken disk."""
    with pytest.raises(CorpusError, match="/proc/self/mem: cannot be read: Input/output error"):
        list(read_chunks("/proc/self/mem"))


def test_reading_may_be_left_in_the_middle(save):
    """The file is closed then; an open one would be a ResourceWarning, which fails the test."""
    chunks = read_chunks(save("a.txt.gz", gzip.compress(TEXT)), block_bytes=10)
    assert next(chunks).data == TEXT[:10]
    del chunks
