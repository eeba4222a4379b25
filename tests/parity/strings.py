"""Any number of strings that break tokenizers, the same ones for the same seed.

Plain `random`, not hypothesis: a million of them take seconds, and any one can be made again from
its number.
"""

import base64
import random
from collections.abc import Callable, Sequence

CHUNK = 1000
N_CODE_POINTS = 0x110000

Random = random.Random

# Unassigned in Unicode 16, assigned in later versions or still to be: libraries disagree on these.
DISPUTED = "\u0558\u088f\u1acf\U000323b0"

# Frequent in text and dear to the named patterns; scripts with and without case, spaces, marks.
FRAGMENTS = [
    *("the", " the", "don't", "I'LL", "it'ſ", "def ", "return", "HTTPServer", "éa", "naïve", "İi"),
    *(" ", "  ", "    ", "\n", "\n\n", "\r\n", " \n", "\t\t", "\u00a0", "\u2028", "\u3000", "\x85"),
    *("7", "12", "2024", "1234567", "٣٤", "²½", "Ⅷ", "०"),
    *(".", "...", "!?", "->", "/*", "'", "’s", "_", "$", "€", "«", "、"),
    *("привет", "שלום", "مرحبا", "हिन्दी", "ไทย", "日本語", "かな", "한국어", "ǅ", "ʰ", "ß", "Σς"),
    *("e\u0301", "\u0301", "\u200d", "\ufe0f", "👍🏽", "👩\u200d💻", "🇩🇪", "𝒳", "\x00", "\x1f"),
]
BROKEN = [
    *(b"\xff", b"\x80", b"\xc0\x80", b"\xc3", b"\xe2\x82", b"\xe0\x80\x80", b"\xf0\x9f\x98"),
    *(b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xfe\xff"),
]

_SCRIPTS = [
    *((0x41, 0x5A), (0x61, 0x7A), (0xC0, 0x24F), (0x370, 0x3FF), (0x400, 0x52F), (0x531, 0x586)),
    *((0x5D0, 0x5EA), (0x620, 0x6D3), (0x710, 0x74A), (0x780, 0x7B1), (0x7C0, 0x7EA)),
    *((0x900, 0x97F), (0x980, 0x9FB), (0xA01, 0xA75), (0xA81, 0xAF1), (0xB01, 0xB77)),
    *((0xB82, 0xBFA), (0xC00, 0xC7F), (0xC80, 0xCF2), (0xD00, 0xD7F), (0xD81, 0xDF4)),
    *((0xE01, 0xE5B), (0xE81, 0xEDF), (0xF00, 0xFD4), (0x1000, 0x109F), (0x10A0, 0x10FF)),
    *((0x1100, 0x11FF), (0x1200, 0x139F), (0x13A0, 0x13FD), (0x1400, 0x167F), (0x1680, 0x16F8)),
    *((0x1780, 0x17F9), (0x1800, 0x18AA), (0x1E00, 0x1FFE), (0x2000, 0x206F), (0x2070, 0x20C0)),
    *((0x2100, 0x218B), (0x2190, 0x23FF), (0x2460, 0x27BF), (0x2C00, 0x2DFF), (0x2E80, 0x303F)),
    *((0x3040, 0x30FF), (0x3105, 0x31BF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA000, 0xA4C6)),
    *((0xA640, 0xA69F), (0xA720, 0xA7FF), (0xAC00, 0xD7A3), (0xF900, 0xFAD9), (0xFB00, 0xFDFF)),
    *((0xFE00, 0xFE6F), (0xFF01, 0xFFEE), (0x10000, 0x1034F), (0x10400, 0x1044F)),
    *((0x11000, 0x1124F), (0x12000, 0x12399), (0x13000, 0x13455), (0x1D400, 0x1D7FF)),
    *((0x1E900, 0x1E95F), (0x1F1E6, 0x1F1FF), (0x1F300, 0x1FAFF), (0x20000, 0x2A6DF)),
]
_SPACES = " \t\n\r\x0b\x0c\x85\u00a0\u1680\u2003\u2009\u2028\u2029\u202f\u205f\u3000\u200b\ufeff"
_CONTROLS = "\x00\x01\x07\x08\x1b\x1f\x7f\x80\x9f\u00ad\u200e\u202e\u2060\ufff9\U000e0001"
_DIGITS = ["0123456789", "٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९", "𝟎𝟏𝟐𝟑", "²³¹⅐ⅣⅫ①㊿〇一二", "０１２３"]
_EMOJI = ["👍", "👩", "👨", "🧑", "❤", "☺", "🏳", "🔥", "🚀", "🫠", "🤷", "💻", "♀", "♂", "⚕", "🌈"]
_JOINERS = ["\u200d", "\ufe0f", "\ufe0e", "🏻", "🏽", "🏿", "\u20e3", "\U000e0067", "\U000e007f"]
_MARKS = "\u0300\u0301\u0308\u0327\u0328\u0345\u0483\u05b0\u064b\u093c\u094d\u0e31\u1ab0\u20d0"
_MARKS += "\u3099\ua66f\ufe20"
_BASES = "aeiouAEinNcsﬁﬀǅµÅΩİıßſKÅé日がガ각한ﾊﾞ㎏…"
_OPERATORS = [
    "->",
    "=>",
    "::",
    "//",
    "/*",
    "*/",
    "&&",
    "||",
    "<<=",
    "**",
    "{}",
    "();",
    "});",
    "\\n",
]
_NAMES = [
    "get",
    "HTTPServer",
    "value",
    "XMLHttp",
    "i",
    "self",
    "__init__",
    "snake_case",
    "camelCase",
]
_NAMES += ["MAX_SIZE", "x1", "don", "ſtr", "Straße", "переменная", "变量"]
_SUFFIXES = [
    "s",
    "S",
    "t",
    "T",
    "re",
    "RE",
    "Re",
    "ve",
    "m",
    "M",
    "ll",
    "LL",
    "lL",
    "d",
    "D",
    "ſ",
    "x",
]
_APOSTROPHES = "''''’ʼ`"
_LOOK_ALIKES = ["<|endoftext|>", "<|im_start|>", "<s>", "</s>", "<unk>", "[INST]", "<|eot_id|>"]


def strings(seed: int, first: int, n: int, specials: Sequence[str] = ()) -> list[str]:
    """The strings with the numbers first, first + 1 ... (`first` a multiple of CHUNK).

    Args:
        specials: contents of the tokenizer's added tokens, put into some of them.
    """
    made: list[str] = []
    names = [*specials[:64], *_LOOK_ALIKES]
    for start in range(first, first + n, CHUNK):
        choose = Random((seed << 40) + start)
        for _ in range(min(CHUNK, first + n - start)):
            n_parts = choose.choice((1, 1, 2, 3, 4, 6))
            parts = (choose.choice(_PARTS)(choose, names) for _ in range(n_parts))
            made.append("".join(parts))
    return made


def code_points(first: int, n: int) -> list[str]:
    """For each code point from `first` on a string that shows it to every neighbour that matters;
    surrogates among them.
    """
    last = min(first + n, N_CODE_POINTS)
    return [f"{c}{c}a{c}b {c} 1{c}2\n{c}'s'{c}.{c}" for c in map(chr, range(first, last))]


def byte_strings(seed: int, first: int, n: int) -> list[bytes]:
    """As `strings`, but broken: cut inside characters, with bytes that are never UTF-8."""
    broken: list[bytes] = []
    choose = Random((seed << 40) + first + 1)
    for text in strings(seed, first, n):
        data = bytearray(text.encode("utf-8", "surrogatepass"))
        for _ in range(choose.randrange(4)):
            at = choose.randrange(len(data) + 1)
            end = at + choose.choice((0, 0, 1, 2))
            data[at:end] = choose.choice([*BROKEN, choose.randbytes(choose.randrange(3))])
        broken.append(bytes(data))
    return broken


def without_surrogates(text: str) -> str:
    """The text for libraries that take none: a pair as its code point, a lone one as U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


# ---------------------------------------------------------------------- parts


def _fragment(choose: Random, _names: Sequence[str]) -> str:
    return choose.choice(FRAGMENTS)


def _word(choose: Random, _names: Sequence[str]) -> str:
    first, last = choose.choice(_SCRIPTS)
    letters = [chr(choose.randint(first, last)) for _ in range(choose.randrange(1, 9))]
    return choose.choice(("", " ", " ", "-", "'", "\n")) + "".join(letters)


def _mixed_case(choose: Random, _names: Sequence[str]) -> str:
    return "".join(choose.choices("abcXYZéÉжЖǅʰßİıſK", k=choose.randrange(1, 9)))


def _block(choose: Random, _names: Sequence[str]) -> str:
    """Neighbours in Unicode, assigned or not."""
    start = choose.choice((choose.randrange(0x3000), choose.randrange(0x10FF80)))
    return "".join(chr(start + choose.randrange(128)) for _ in range(choose.randrange(1, 6)))


def _anything(choose: Random, _names: Sequence[str]) -> str:
    return "".join(chr(choose.randrange(N_CODE_POINTS)) for _ in range(choose.randrange(1, 4)))


def _emoji(choose: Random, _names: Sequence[str]) -> str:
    if choose.random() < 0.2:  # flags, whole and half
        return "".join(chr(0x1F1E6 + choose.randrange(26)) for _ in range(choose.randrange(1, 6)))
    if choose.random() < 0.1:
        return choose.choice("0123456789#*") + "\ufe0f\u20e3"
    parts = [choose.choice(_EMOJI) + choose.choice(["", *_JOINERS]) for _ in range(3)]
    return "".join(parts[: choose.randrange(1, 4)])


def _spaces(choose: Random, _names: Sequence[str]) -> str:
    usual = choose.random() < 0.6
    return "".join(choose.choices(" \n\r\t" if usual else _SPACES, k=choose.randrange(1, 7)))


def _controls(choose: Random, _names: Sequence[str]) -> str:
    return "".join(choose.choices(_CONTROLS + DISPUTED, k=choose.randrange(1, 4)))


def _run(choose: Random, names: Sequence[str]) -> str:
    """One character, or a few, many times; seldom very many times."""
    unit = choose.choice((choose.choice("a= -_.#*0\n\t \r"), _word(choose, names)[:3] or "b"))
    return unit * (choose.randrange(400, 3000) if choose.random() < 0.01 else choose.randrange(40))


def _number(choose: Random, _names: Sequence[str]) -> str:
    digits = "".join(choose.choices(choose.choice(_DIGITS), k=choose.randrange(1, 10)))
    return choose.choice(("", " ", "-", "$", "0x", "1.")) + digits + choose.choice(("", "%", "e+3"))


def _code(choose: Random, _names: Sequence[str]) -> str:
    parts = [choose.choice(_NAMES), choose.choice(_OPERATORS), choose.choice(_NAMES)]
    indent = choose.choice(("", " ", "\n", "\n    ", "\n\t\t", "\r\n  "))
    return indent + choose.choice(("", " ", ".", "_")).join(parts[: choose.randrange(1, 4)])


def _base64(choose: Random, _names: Sequence[str]) -> str:
    return base64.b64encode(choose.randbytes(choose.randrange(1, 60))).decode()


def _url(choose: Random, names: Sequence[str]) -> str:
    path = "/".join(choose.choice(_NAMES) for _ in range(choose.randrange(4)))
    return f"https://www.{choose.choice(_NAMES)}.com/{path}?q={_number(choose, names)}&a=%20#x"


def _special(choose: Random, names: Sequence[str]) -> str:
    """An added token, alone among text, or something that only looks like one."""
    name = choose.choice(names)
    at = choose.randrange(len(name))
    damaged = (name[:at] + name[at + 1 :], name[:at] + " " + name[at:], name.upper(), name[:at])
    around = choose.choice(("", " ", "\n", "x", "<", "|", "  "))
    return around + choose.choice((name, name, name + name, *damaged)) + around


def _marked(choose: Random, _names: Sequence[str]) -> str:
    """Letters with marks, in no normal form."""
    return "".join(
        choose.choice(_BASES) + "".join(choose.choices(_MARKS, k=choose.randrange(4)))
        for _ in range(choose.randrange(1, 4))
    )


def _contraction(choose: Random, _names: Sequence[str]) -> str:
    return choose.choice(_NAMES) + choose.choice(_APOSTROPHES) + choose.choice(_SUFFIXES)


def _surrogates(choose: Random, _names: Sequence[str]) -> str:
    parts = ("\ud83d", "\ude00", "\ud83d\ude00", "\udfff", "\udbff", "a", " ")
    return "".join(choose.choices(parts, k=choose.randrange(1, 4)))


_PARTS: list[Callable[[Random, Sequence[str]], str]] = [
    *(_fragment, _word, _word, _mixed_case, _block, _anything, _emoji, _spaces, _spaces),
    *(_controls, _run, _number, _code, _code, _base64, _url, _special, _marked, _contraction),
    _surrogates,
]
