"""Write src/bytepair/normalizers/unicode.txt: what normalisers know of Unicode.

    pip install tokenizers==0.23.3
    python tools/make_normalizer_tables.py

Loaded tokenizers must give the ids that Hugging Face's `tokenizers` gives, whose normalisers know
Unicode 9 (normal forms, accents), 8 (BERT's) and 17 (lower case). So that library is asked about
every code point. What Python's `unicodedata` says of the normal forms of code points that are in
Unicode 9 holds for all later versions (https://www.unicode.org/policies/stability_policy.html),
so for these the file only says which code points are meant.
"""

import struct
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import tokenizers
from tokenizers import normalizers

VERSION = "0.23.3"
TARGET = Path(__file__).parents[1] / "src/bytepair/normalizers/unicode.txt"
CODES = [code for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF]
FORMS = {form: getattr(normalizers, form)() for form in ("NFD", "NFKD")}
BERT = {"clean_text": False, "handle_chinese_chars": False, "lowercase": False}


def ranges(codes: Sequence[int], step: int = 1) -> Iterator[tuple[int, int]]:
    """(first, last) of each run of code points that are `step` apart."""
    first = last = codes[0]
    for code in codes[1:]:
        if code != last + step:
            yield first, last
            first = code
        last = code
    yield first, last


def lines(codes: Sequence[int]) -> Iterator[str]:
    for first, last in ranges(codes):
        yield f"{first:04X} {last:04X}"


def takes_part(code: int) -> bool:
    """True if the library decomposes it, or moves it about among marks."""
    char = chr(code)
    if any(form.normalize_str(char) != char for form in FORMS.values()):
        return True
    # An unknown character stands like a letter between marks; classes are 1 to 240.
    around = f"q\u0345{char}\u0334"
    return bool(unicodedata.combining(char)) and FORMS["NFD"].normalize_str(around) != around


def check(codes: Sequence[int]) -> None:
    """Of those that take part, Python says the same."""
    for code in codes:
        for name, form in FORMS.items():
            if form.normalize_str(chr(code)) != unicodedata.normalize(name, chr(code)):
                raise SystemExit(f"{name} of U+{code:04X} differs from unicodedata's")


def removed_by(normalizer: normalizers.Normalizer) -> list[int]:
    return [code for code in CODES if not normalizer.normalize_str(chr(code))]


def lower_case() -> Iterator[str]:
    """`first last step distance` of capitals, or `code = small letters`."""
    lower = normalizers.Lowercase()
    small = {code: lower.normalize_str(chr(code)) for code in CODES}
    capitals = [code for code in CODES if small[code] != chr(code)]
    single = {code: ord(small[code]) - code for code in capitals if len(small[code]) == 1}
    yield from (
        f"{code:04X} = {' '.join(f'{ord(char):04X}' for char in small[code])}"
        for code in capitals
        if code not in single
    )
    while single:
        code, distance = next(iter(single.items()))
        step = 2 if distance == 1 else 1
        last = code
        while single.get(last + step) == distance:
            last += step
        for done in range(code, last + 1, step):
            del single[done]
        yield f"{code:04X} {last:04X} {step} {distance}"


def clusters() -> Iterator[str]:
    """The properties by which characters join to clusters, asked of `Precompiled`.

    A map with each byte as a key makes one "Y" of a cluster of up to five bytes, and one of each
    character of a longer one. What that does not show makes no difference to any text.
    """
    units = [0] * 1024
    units[0] = 256 << 10
    for byte in range(1, 256):
        place = 256 ^ byte
        units[place] = (place ^ 512) << 10 | 1 << 8 | byte
    units[512] = 1 << 31
    trie = struct.pack("<1024I", *units)
    blob = struct.pack("<I", len(trie)) + trie + b"Y\0"
    count = normalizers.Precompiled(blob).normalize_str
    joining = {code for code in CODES if count(f"X{chr(code)}") == "Y"}
    alone = [code for code in CODES if code not in joining]
    short = [code for code in alone if code < 0x10000]

    def found(among: Iterable[int], text: str, n_parts: int) -> list[int]:
        return [code for code in among if len(count(text.format(chr(code)))) == n_parts]

    rows = {
        "joining: ranges of those that join the character before them": sorted(joining),
        "extending: ranges of those of them that may stand within a sequence": found(
            sorted(joining), "\u00a9{}\u200d\u00a9\u0301", 5
        ),
        "linking: ranges of those of them that join two consonants": found(
            sorted(joining), "\u0915{}\u0915\u0301", 4
        ),
        "prepending: ranges of those that join the character behind them": found(alone, "{}X", 1),
        "controls: ranges of those that join nothing": found(short, "{}\u0301", 2),
        "pictographs: ranges of those that a joiner joins": found(alone, "\u00a9\u200d{}", 3),
    }
    controls = set(rows["controls: ranges of those that join nothing"])
    rows["consonants: ranges of those that are joined by linking ones"] = found(
        sorted(set(short) - controls), "\u0915\u094d{}\u0301", 4
    )
    for name, codes in rows.items():
        yield f"# {name}"
        yield from lines(codes)


def main() -> None:
    if tokenizers.__version__ != VERSION:
        raise SystemExit(f"want tokenizers {VERSION}, not {tokenizers.__version__}")
    taking_part = [code for code in CODES if takes_part(code)]
    check(taking_part)
    clean = normalizers.BertNormalizer(strip_accents=False, **{**BERT, "clean_text": True})
    marks = normalizers.BertNormalizer(strip_accents=True, **BERT)
    text = [
        f"# As tokenizers {VERSION}. Made by tools/make_normalizer_tables.py; do not edit.",
        "# forms: ranges of those that decompose or are moved among marks (Unicode 9)",
        *lines(taking_part),
        "# accents: ranges of those that strip-accents removes (Unicode 9)",
        *lines(removed_by(normalizers.StripAccents())),
        "# bert-accents: ranges of those that bert-strip-accents removes (Unicode 8)",
        *lines(removed_by(marks)),
        "# bert-controls: ranges of those that bert-clean-text removes (Unicode 8)",
        *lines(removed_by(clean)),
        "# lower: first, last, step, distance of capitals; or capital = small letters (Unicode 17)",
        *lower_case(),
        *clusters(),
    ]
    TARGET.write_text("\n".join(text) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
