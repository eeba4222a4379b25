"""Write src/bytepair/patterns/unicode.txt: the Unicode tables every pattern is compiled from.

    pip install unicodedata2==16.0.0 regex
    python tools/make_unicode_tables.py

Unicode 16 is what Hugging Face tokenizers 0.23 (Oniguruma) and tiktoken 0.14 (fancy-regex) know;
tests/parity/test_unicode.py compares every code point with both. The `regex` package knows a
newer version, so it only supplies `Alphabetic`, restricted to code points assigned in 16.
"""

from collections.abc import Callable
from pathlib import Path

import regex
import unicodedata2

VERSION = "16.0.0"
TARGET = Path(__file__).parents[1] / "src/bytepair/patterns/unicode.txt"


def changes(value: Callable[[int], str]) -> list[str]:
    """`first-code-point value` wherever the value differs from the code point before."""
    lines = []
    last = None
    for code in range(0x110000):
        now = value(code)
        if now != last:
            lines.append(f"{code:04X} {now}")
            last = now
    return lines


def category(code: int) -> str:
    return str(unicodedata2.category(chr(code)))


def is_alphabetic(code: int) -> str:
    assigned = category(code) not in {"Cn", "Cs"}
    return "+" if assigned and regex.match(r"\p{Alphabetic}", chr(code)) else "-"


def is_disputed(code: int) -> str:
    """Unassigned in 16, or of another category in the version the `regex` package knows."""
    same = regex.match(rf"\p{{{category(code)}}}", chr(code))
    return "-" if same and category(code) != "Cn" else "+"


def main() -> None:
    if unicodedata2.unidata_version != VERSION:
        raise SystemExit(f"want Unicode {VERSION}, unicodedata2 has {unicodedata2.unidata_version}")
    lines = [
        f"# Unicode {VERSION}. Made by tools/make_unicode_tables.py; do not edit.",
        "# From this code point on (until the next line): its general category.",
        *changes(category),
        "# From this code point on: is it Alphabetic?",
        *changes(is_alphabetic),
        "# From this code point on: does a newer Unicode see it differently?",
        *changes(is_disputed),
    ]
    TARGET.write_text("\n".join(lines) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
