"""Proof that two tokenizers give the same ids and the same bytes."""

from bytepair import Tokenizer
from bytepair.cli._options import allowed

# One sentence in many scripts, then what breaks tokenizers: spaces, digits, case, marks, emoji.
_SAMPLES = (
    "All human beings are born free and equal.",
    "Alle Menschen sind frei und gleich geboren, daß weiß man.",
    "Все люди рождаются свободными и равными.",
    "सभी मनुष्य जन्म से स्वतंत्र और समान हैं।",
    "모든 사람은 태어날 때부터 자유롭고 평등하다.",
    "すべての人間は、生まれながらにして自由であり平等です。",
    "人人生而自由，在尊严和权利上一律平等。",
    "يولد جميع الناس أحرارًا متساوين.",
    "כל בני האדם נולדו בני חורין.",
    "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι.",
    "  two  spaces\tand\n\n\r\nlines \u00a0\u3000 end  ",
    "def f(x):\n    return x ** 2  # 1234567890 3.14 0x1F\n",
    "I'LL you're THEY'D don't it's ſ'S",
    "Ångström naïve e\u0301 ﬁ İstanbul ǅ",
    "🙂👩‍👩‍👧❤️🇩🇪 \ufeff\u200b\u202e",
)
_ODD_BYTES = (
    b"\xff\xfe",
    b"a\xe2\x82",
    b"\xf0\x9f\x99 \x80",
    b"\xc3\x28",
    b"\xed\xa0\x80",
    b"\x00\x00",
)


def texts_to_compare(tok: Tokenizer) -> list[bytes]:
    """Every token by itself, special tokens among text, every byte, odd bytes, many scripts."""
    special = [content.encode() for content in tok.special_tokens]
    return [
        *tok.spec.vocabulary.tokens.values(),
        *(b"a " + content + b" b" + content for content in special),
        *(bytes([byte]) for byte in range(256)),
        *_ODD_BYTES,
        *(text.encode() for text in _SAMPLES),
        "\n".join(_SAMPLES).encode(),
    ]


def first_difference(one: Tokenizer, other: Tokenizer, texts: list[bytes]) -> str | None:
    """Where two tokenizers differ, for people; None if they do not.

    Compared are the ids of `texts`, once with special tokens as such and once as text, and the
    bytes of each token.
    """
    if one.special_tokens != other.special_tokens:
        return f"special tokens {one.special_tokens} became {other.special_tokens}"
    return _differing_text(one, other, texts) or _differing_token(one, other)


def _differing_text(one: Tokenizer, other: Tokenizer, texts: list[bytes]) -> str | None:
    for allow_special in (True, False):
        specials = allowed(allow_special)
        before, after = (
            tok.encode_batch(texts, allowed_special=specials, disallowed_special=())
            for tok in (one, other)
        )
        for text, was, now in zip(texts, before, after, strict=True):
            if was != now:
                return f"{text[:60]!r} was {was[:20]} and is {now[:20]}"
    return None


def _differing_token(one: Tokenizer, other: Tokenizer) -> str | None:
    before, after = dict(one.spec.vocabulary.tokens), dict(other.spec.vocabulary.tokens)
    for token in sorted(before.keys() | after.keys()):
        if before.get(token) != after.get(token):
            return f"token {token} was {before.get(token)!r} and is {after.get(token)!r}"
    return None
