r"""The regex by which Hugging Face's pre-tokenizer UnicodeScripts cuts.

A piece begins with a character of some script and goes on with those of the same, and with spaces
and characters of no script. Scripts are those of Unicode 9; hiragana, katakana and the long vowel
mark count as Han. Source: tokenizers 0.23.3, each code point behind and before letters of others.
"""

_SCRIPTS = """
    Adlm Aghb Ahom Armi Avst Bali Bamu Bass Batk Beng Bhks Bopo Brah Brai Bugi Buhd Cakm Cans
    Cari Cham Cher Copt Cprt Cyrl Dsrt Dupl Egyp Elba Ethi Geor Glag Goth Gran Grek Gujr Guru
    Hang Hano Hatr Hebr Hluw Hmng Hung Ital Java Kali Khar Khmr Khoj Knda Kthi Lana Laoo Latn
    Lepc Limb Lina Linb Lisu Lyci Lydi Mahj Mand Mani Marc Mend Merc Mero Miao Mlym Modi Mong
    Mroo Mtei Mult Mymr Narb Nbat Newa Nkoo Ogam Olck Orkh Orya Osge Osma Palm Pauc Perm Phag
    Phli Phlp Phnx Prti Rjng Runr Samr Sarb Saur Sgnw Shaw Shrd Sidd Sind Sinh Sora Sund Sylo
    Syrc Tagb Takr Tale Talu Taml Tang Tavt Telu Tfng Tglg Thaa Thai Tibt Tirh Ugar Vaii Wara
    Xpeo Xsux Yiii
"""

_SPELLED = {code: rf"\p{{{code}}}" for code in _SCRIPTS.split()} | {
    "Hani": r"\p{Hani}\p{Hira}\p{Kana}\u30FC",
    # Characters that have changed their script since.
    "Arab": r"[\p{Arab}&&[^\u061C]]",
    "Armn": r"[\p{Armn}&&[^\u0589]]",
    "Deva": r"\p{Deva}\u0953\u0954",
    "Zinh": r"[\p{Zinh}&&[^\u0953\u0954]]",
    "Zyyy": r"[\p{Zyyy}\u0589\u061C&&[^\u30FC]]",
}


def _piece(script: str) -> str:
    first = rf"[[{script}]&&\p{{Age=9.0}}&&[^ ]]"
    return rf"{first}[ \P{{Age=9.0}}\p{{Zzzz}}{script}]*"


SCRIPT_RUNS = "|".join(map(_piece, _SPELLED.values()))
