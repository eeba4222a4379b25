r"""The pre-tokenizers of Hugging Face `tokenizers` that are no regex there, as steps with a regex.

Each knows the Unicode version of the Rust crate it calls, whatever the version of the regexes
(tokenizers 0.23, compared code point by code point in tests/parity/test_unicode.py):

    Digits, FixedLength, WhitespaceSplit     the standard library, Unicode 17
    Punctuation, BertPreTokenizer            `unicode_categories`, Unicode 8
    UnicodeScripts                           a table of its own, Unicode 9
    Whitespace                               `regex`, Unicode 16
"""

from bytepair.errors import ArgumentError
from bytepair.model import Behavior, Split

# Decimal digits and numbers that came with Unicode 17.
_NUMBER = r"[\p{N}\x{11DE0}-\x{11DE9}\x{16FF4}-\x{16FF6}]"
# U+166D and U+111C9 have left the category since; ASCII symbols count too.
_PUNCTUATION = r"[[\p{P}&&\p{Age=8.0}]\x{166D}\x{111C9}!-/:-@\[-`{-~]"
# Of the scripts some code points have left theirs since, or are counted to another.
_AGE = r"\p{Age=9.0}"
_NO_SCRIPT = r" \P{Age=9.0}\p{Zzzz}"
_EXCEPTIONS = {
    "Arab": r"\p{Arab}&&[^\x{61C}]",
    "Armn": r"\p{Armn}&&[^\x{589}]",
    "Deva": r"\p{Deva}\x{953}\x{954}",
    "Hani": r"\p{Hani}\p{Hira}\p{Kana}\x{30FC}",
    "Zinh": r"\p{Zinh}&&[^\x{953}\x{954}]",
    "Zyyy": r"\p{Zyyy}\x{589}\x{61C}&&[^ \x{30FC}]",
}
_SCRIPTS = """
    Adlm Aghb Ahom Arab Armi Armn Avst Bali Bamu Bass Batk Beng Bhks Bopo Brah Brai Bugi Buhd Cakm
    Cans Cari Cham Cher Copt Cprt Cyrl Deva Dsrt Dupl Egyp Elba Ethi Geor Glag Goth Gran Grek Gujr
    Guru Hang Hani Hano Hatr Hebr Hluw Hmng Hung Ital Java Kali Khar Khmr Khoj Knda Kthi Lana Laoo
    Latn Lepc Limb Lina Linb Lisu Lyci Lydi Mahj Mand Mani Marc Mend Merc Mero Mlym Modi Mong Mroo
    Mtei Mult Mymr Narb Nbat Newa Nkoo Ogam Olck Orkh Orya Osge Osma Palm Pauc Perm Phag Phli Phlp
    Phnx Plrd Prti Rjng Runr Samr Sarb Saur Sgnw Shaw Shrd Sidd Sind Sinh Sora Sund Sylo Syrc Tagb
    Takr Tale Talu Taml Tang Tavt Telu Tfng Tglg Thaa Thai Tibt Tirh Ugar Vaii Wara Xpeo Xsux Yiii
    Zinh Zyyy
"""


def digits(*, individual: bool) -> tuple[Split, ...]:
    """`Digits`: what has a numeric value is cut off, one by one or run by run."""
    return (Split(_NUMBER, "isolated" if individual else "contiguous"),)


def punctuation(behavior: Behavior = "isolated") -> tuple[Split, ...]:
    """`Punctuation`: punctuation marks and ASCII symbols."""
    return (Split(_PUNCTUATION, behavior),)


def whitespace() -> tuple[Split, ...]:
    r"""`Whitespace`: words, and runs of other signs; white space is removed."""
    return (Split(r"\w+|[^\w\s]+", "removed", invert=True),)


def whitespace_split() -> tuple[Split, ...]:
    """`WhitespaceSplit`: what lies between white space."""
    return (Split(r"\s", "removed"),)


def bert() -> tuple[Split, ...]:
    """`BertPreTokenizer`: white space is removed, each punctuation mark cut off.

    CJK characters are not: what cuts these is BERT's normaliser, by putting spaces around them.
    """
    return (*whitespace_split(), *punctuation())


def char_delimiter_split(delimiter: str) -> tuple[Split, ...]:
    """`CharDelimiterSplit`: what lies between occurrences of one character."""
    return (Split(rf"\x{{{ord(delimiter):X}}}", "removed"),)


def fixed_length(length: int) -> tuple[Split, ...]:
    """`FixedLength`: pieces of so many characters; the last may be shorter.

    Raises:
        ArgumentError: a length below 1.
    """
    if length < 1:
        raise ArgumentError(f"FixedLength: length must be at least 1, got {length}.")
    return (Split(rf"[\s\S]{{1,{length}}}", "isolated"),)


def unicode_scripts() -> tuple[Split, ...]:
    """`UnicodeScripts`: a cut where the script changes.

    Hiragana and Katakana count as Han. A space, and what belonged to no script, goes with what
    stands before it; at the beginning of the text it is removed.
    """
    scripts = [_EXCEPTIONS.get(code, rf"\p{{{code}}}") for code in _SCRIPTS.split()]
    runs = (rf"[{script}&&{_AGE}][[{script}&&{_AGE}]{_NO_SCRIPT}]*" for script in scripts)
    return (Split("|".join(runs), "removed", invert=True),)
