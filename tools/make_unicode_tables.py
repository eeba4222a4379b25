"""Write src/bytepair/patterns/unicode.txt: the Unicode tables every pattern is compiled from.

    pip install unicodedata2==16.0.0 regex==2026.11.19 tiktoken==0.14.0
    python tools/make_unicode_tables.py

Unicode 16 is what Hugging Face tokenizers 0.23 (Oniguruma) and tiktoken 0.14 (fancy-regex) know;
tests/parity/test_unicode.py compares every code point with both. Categories come from
`unicodedata2`; the other properties from tiktoken, which answers for Rust's tables of that version;
the names of properties, and what a newer Unicode sees differently, from the `regex` package.
"""

import re
from collections.abc import Callable
from pathlib import Path

import regex
import tiktoken
import unicodedata2
from regex import _regex_core as regex_names

VERSION = "16.0.0"
TARGET = Path(__file__).parents[1] / "src/bytepair/patterns/unicode.txt"

BINARY = ["Alphabetic", "Lowercase", "Uppercase", "Ideographic", "Emoji", "Extended_Pictographic"]
AGES = ["1.1", "2.0", "2.1", "3.0", "3.1", "3.2", "4.0", "4.1", "5.0", "5.1", "5.2", "6.0", "6.1"]
AGES += ["6.2", "6.3", "7.0", "8.0", "9.0", "10.0", "11.0", "12.0", "12.1", "13.0", "14.0", "15.0"]
AGES += ["15.1", "16.0"]

Value = Callable[[int], str]
BYTES = {bytes([byte]): byte for byte in range(256)}
TEXT = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)


def matched(pattern: str, text: str = TEXT) -> set[int]:
    """The characters that Rust's regex engine finds; tiktoken drops the others."""
    encoding = tiktoken.Encoding("", pat_str=pattern, mergeable_ranks=BYTES, special_tokens={})
    return set(map(ord, bytes(encoding.encode_ordinary(text)).decode()))


def changes(value: Value) -> list[str]:
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


def binary(name: str) -> Value:
    codes = matched(rf"\p{{{name}}}")
    return lambda code: "+" if code in codes else "-"


def age() -> Value:
    """The version that assigned a code point; those of no version are `-`."""
    age_by_code: dict[int, str] = {}
    for version in reversed(AGES):
        age_by_code |= dict.fromkeys(matched(rf"\p{{age:{version}}}"), version)
    return lambda code: age_by_code.get(code, "-")


def scripts() -> dict[str, list[str]]:
    """The names of every script, its code of four letters first."""
    names_by_number: dict[int, list[str]] = {}
    for name, number in regex_names.PROPERTIES["SCRIPT"][1].items():
        names_by_number.setdefault(number, []).append(name.capitalize())
    by_code = {next(n for n in names if len(n) == 4): names for names in names_by_number.values()}
    return {code: sorted(names, key=code.__ne__) for code, names in sorted(by_code.items())}


def script(codes: list[str]) -> Value:
    script_by_code: dict[int, str] = {}
    for code in codes:
        try:
            script_by_code |= dict.fromkeys(matched(rf"\p{{sc={code}}}"), code)
        except ValueError:  # newer than this version
            continue
    return lambda code: script_by_code.get(code, "Zzzz")


def folding() -> Value:
    """How far away the smallest of the code points is that are equal if case is ignored."""
    cased = sorted(c for c in matched(r"\p{CWCF}|\p{CWCM}|\p{Cased}"))
    text = "\0".join(map(chr, cased))
    target = {code: min(matched(rf"(?i:\x{{{code:x}}})", text)) for code in cased}
    return lambda code: str(code - target.get(code, code))


def is_disputed(code: int) -> str:
    """Unassigned in 16, or of another category in the version the `regex` package knows."""
    same = regex.match(rf"\p{{{category(code)}}}", chr(code))
    return "-" if same and category(code) != "Cn" else "+"


def names(script_names: dict[str, list[str]], known: set[str]) -> list[str]:
    """`name value`, without signs and in small letters, as names of properties are compared."""
    names_by_number: dict[int, list[str]] = {}
    for name, number in regex_names.PROPERTIES["GENERALCATEGORY"][1].items():
        names_by_number.setdefault(number, []).append(name)
    lines = []
    for group in names_by_number.values():
        value = next((n.capitalize() for n in group if re.fullmatch("[A-Z]{1,2}", n)), None)
        lines += [f"{n.lower()} {value}" for n in group if value and n.isalpha()]
    for value, group in script_names.items():
        lines += [f"{n.lower()} {value}" for n in group if value in known]
    return sorted(lines)


def section(name: str, lines: list[str]) -> list[str]:
    return [f"[{name}]", *lines]


def main() -> None:
    if unicodedata2.unidata_version != VERSION:
        raise SystemExit(f"want Unicode {VERSION}, unicodedata2 has {unicodedata2.unidata_version}")
    script_names = scripts()
    script_lines = changes(script(list(script_names)))
    known = {line.split()[1] for line in script_lines}
    lines = [
        f"# Unicode {VERSION}. Made by tools/make_unicode_tables.py; do not edit.",
        "# What stands beside a code point holds for it and all up to the next line.",
        *section("General_Category", changes(category)),
        *section("Script", script_lines),
        *section("Age", changes(age())),
        *(line for name in BINARY for line in section(name, changes(binary(name)))),
        "# Subtract this, and code points that are equal but for their case become one.",
        *section("Case", changes(folding())),
        "# Does a newer Unicode see it differently?",
        *section("Disputed", changes(is_disputed)),
        "# Names of categories and scripts.",
        *section("Names", names(script_names, known)),
    ]
    TARGET.write_text("\n".join(lines) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
