"""Hugging Face's normalisers of the same meaning: what the ids of loaded tokenizers depend on."""

from typing import Any

from tokenizers import Regex, normalizers


def _bert(**wanted: bool) -> normalizers.BertNormalizer:
    nothing = dict.fromkeys(
        ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase"), False
    )
    return normalizers.BertNormalizer(**{**nothing, **wanted})


HUGGING_FACE: dict[tuple[str, ...], Any] = {
    ("nfc",): normalizers.NFC(),
    ("nfd",): normalizers.NFD(),
    ("nfkc",): normalizers.NFKC(),
    ("nfkd",): normalizers.NFKD(),
    ("lowercase",): normalizers.Lowercase(),
    ("strip-accents",): normalizers.StripAccents(),
    ("collapse-whitespace",): normalizers.Replace(Regex(r"\s+"), " "),
    ("bert-clean-text",): _bert(clean_text=True),
    ("bert-chinese-chars",): _bert(handle_chinese_chars=True),
    ("nfd", "bert-strip-accents"): _bert(strip_accents=True),
    ("lowercase", "lowercase"): _bert(lowercase=True),
    ("nmt",): normalizers.Nmt(),
}
