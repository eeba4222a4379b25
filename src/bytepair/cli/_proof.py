"""Proof that two tokenizers give the same ids and the same bytes."""

import random
from collections.abc import Iterator, Sequence

from bytepair import Tokenizer
from bytepair.cli._consumers import Consumer
from bytepair.cli._options import allowed

_N_MIXED = 11_000  # of texts put together at random: 10,000 are different and text
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
    """Every token by itself, special tokens among text, every byte, odd bytes, many scripts, and
    all of these mixed; the same whenever the tokenizer is. More than 10,000, whatever it is.
    """
    special = [content.encode() for content in tok.special_tokens]
    texts = [
        b"",
        *tok.spec.vocabulary.tokens.values(),
        *(b"a " + content + b" b" + content for content in special),
        *(bytes([byte]) for byte in range(256)),
        *_ODD_BYTES,
        *(text.encode() for text in _SAMPLES),
        "\n".join(_SAMPLES).encode(),
    ]
    return texts + list(_mixed(texts, special))


def _mixed(texts: Sequence[bytes], special: Sequence[bytes]) -> Iterator[bytes]:
    rng = random.Random(0)  # noqa: S311  # for variety, not for secrets
    words = [word.encode() for text in _SAMPLES for word in text.split(" ")]
    parts = [words, [b" ", b"\n", b"  "], texts, special or words]
    for _ in range(_N_MIXED):
        chosen = rng.choices(parts, weights=(5, 3, 5, 1), k=rng.randint(2, 8))
        yield b"".join(rng.choice(part) for part in chosen)


def first_difference(one: Tokenizer, other: Tokenizer, texts: list[bytes]) -> str | None:
    """Where `other` differs from `one`, for people; None if it does not.

    Compared are the ids of `texts`, once with the special tokens that both have as such and once
    as text, what decoding gives back of them, and of each token.
    """
    before = one.special_tokens
    for content, number in other.special_tokens.items():
        if before.get(content) != number:
            return f"the special token {content!r} was {before.get(content)} and is {number}"
    return _differing_text(one, other, texts) or _differing_token(one, other)


def lost_special(one: Tokenizer, other: Tokenizer) -> list[str]:
    """The special tokens that `other` has as ids only and never finds in a text."""
    return [content for content in one.special_tokens if content not in other.special_tokens]


def difference_in(consumer: Consumer, tok: Tokenizer, texts: list[str]) -> str | None:
    """Where the library that reads a format gives other ids, for people; None if it does not."""
    ids = tok.encode_batch(
        texts,
        allowed_special=allowed(consumer.finds_special),
        disallowed_special=(),
    )
    for text, was in zip(texts, ids, strict=True):
        if (now := consumer.encode(text)) != was:
            return _text_difference(text, was, now)
    return None


def _text_difference(text: str | bytes, was: list[int], now: list[int]) -> str:
    return f"{text[:60]!r} was {was[:20]} and is {now[:20]}"


def _differing_text(one: Tokenizer, other: Tokenizer, texts: list[bytes]) -> str | None:
    for specials in (set(other.special_tokens), set[str]()):
        before, after = (
            tok.encode_batch(texts, allowed_special=specials, disallowed_special=())
            for tok in (one, other)
        )
        for text, was, now in zip(texts, before, after, strict=True):
            if was != now:
                return _text_difference(text, was, now)
        for ids, *given in zip(
            before, one.decode_bytes_batch(before), other.decode_bytes_batch(before), strict=True
        ):
            if given[0] != given[1]:
                return f"{ids[:20]} decoded to {given[0][:60]!r} and decode to {given[1][:60]!r}"
    return None


def _differing_token(one: Tokenizer, other: Tokenizer) -> str | None:
    before, after = set(one.spec.vocabulary.tokens), set(other.spec.vocabulary.tokens)
    ids = sorted(before | after)
    rows = [[token] for token in ids]
    for token, was, now in zip(
        ids, one.decode_bytes_batch(rows), other.decode_bytes_batch(rows), strict=True
    ):
        if was != now:
            return f"token {token} was {was!r} and is {now!r}"
    return None
