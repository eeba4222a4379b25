from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from bytepair.errors import InputTypeError, SpecialTokenError
from bytepair.model import AddedToken
from bytepair.tokenizer import Tokenizer

EOT, START, WORDS = "<|endoftext|>", "<|im_start|>", "two words\n"
TEXTS = [
    "",
    "the dog",
    EOT,
    f"the{EOT}dog",
    f"{EOT}{EOT}",
    f"{START}user\nthe dog{EOT}",
    f"they say two words{WORDS}",
    f" {WORDS} {EOT} ",
    "<|endoftext|",
    "<|ENDOFTEXT|>",
    f"\ud800{EOT}\0",
]
ALLOWED = [set(), "all", {EOT}, {START, WORDS}, {EOT, START, WORDS}, {"unknown"}]
DISALLOWED = ["all", (), {EOT}, [START], frozenset({WORDS, "unknown"}), {"dog"}, ("the", EOT)]
PIECES = [EOT, START, WORDS, "<|", "|>", "endoftext", "two", " words", "\n", "the", " dog", "é"]


def outcome(encode: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """The ids, or ValueError: tiktoken promises no more of its error than that."""
    try:
        return [int(token) for token in encode(*args, **options)]
    except ValueError:
        return ValueError


def batch_of_one(tok: Tokenizer) -> Callable[..., Any]:
    """`encode_batch` in the shape of `encode`."""
    return lambda text, **options: tok.encode_batch([text], **options)[0]


def ordered(value: Any) -> Any:
    """For names of tests: a set is written in another order by each process."""
    return value if isinstance(value, str) else sorted(value)


@pytest.mark.parametrize("disallowed", DISALLOWED, ids=lambda value: f"disallowed={ordered(value)}")
@pytest.mark.parametrize("allowed", ALLOWED, ids=lambda value: f"allowed={ordered(value)}")
def test_allowed_and_disallowed_mean_what_they_mean_in_tiktoken(
    tok: Tokenizer, encoding: tiktoken.Encoding, allowed: Any, disallowed: Any
) -> None:
    """Every cell of the table: the same ids, and ValueError for the same texts."""
    options = {"allowed_special": allowed, "disallowed_special": disallowed}
    expected = [outcome(encoding.encode, text, **options) for text in TEXTS]
    for encode in (tok.encode, batch_of_one(tok), tok.encode_to_numpy):
        assert [outcome(encode, text, **options) for text in TEXTS] == expected


@given(
    text=st.lists(st.sampled_from(PIECES), max_size=8).map("".join),
    allowed=st.one_of(st.just("all"), st.sets(st.sampled_from([EOT, START, WORDS]))),
    disallowed=st.one_of(st.just("all"), st.sets(st.sampled_from([EOT, START, WORDS, "dog"]))),
)
def test_any_text_of_special_pieces_encodes_as_in_tiktoken(
    tok: Tokenizer, encoding: tiktoken.Encoding, text: str, allowed: Any, disallowed: Any
) -> None:
    """Halves of special tokens, and special tokens grown together."""
    options = {"allowed_special": allowed, "disallowed_special": disallowed}
    expected = outcome(encoding.encode, text, **options)
    assert outcome(tok.encode, text, **options) == expected
    assert outcome(tok.encode, text.encode(), **options) == expected
    assert outcome(batch_of_one(tok), text, **options) == expected


@pytest.mark.parametrize("text", TEXTS)
def test_encode_ordinary_knows_no_special_token(
    tok: Tokenizer, encoding: tiktoken.Encoding, text: str
) -> None:
    """What a user typed must not become a control token; nor is it refused."""
    expected = encoding.encode_ordinary(text)
    assert tok.encode_ordinary(text) == expected
    assert tok.encode_ordinary_batch([text, "x", text]) == [expected, [ord("x")], expected]
    assert not any(map(tok.is_special_token, expected))


@pytest.fixture(scope="session")
def nested(spec: Any, engine: str) -> Tokenizer:
    """Special tokens that contain, begin and continue each other, in an unhelpful order."""
    contents = ["<a>", "<a>b", "b<c>", "a>", "<a>b<c>"]
    added = tuple(AddedToken(content, 600 + n) for n, content in enumerate(contents))
    return Tokenizer(replace(spec, added_tokens=added), engine=engine)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<a>", [600]),
        ("<a>b", [601]),
        ("<a>b<c>", [604]),
        ("<a>b<c", [601, ord("<"), ord("c")]),
        ("x<a>b<c>", [ord("x"), 604]),
        ("<a>bb<c>", [601, 602]),
        ("a>b<c>", [603, 602]),
        ("<<a><a>b", [ord("<"), 600, 601]),
    ],
)
def test_leftmost_special_token_wins_and_of_those_the_longest(
    nested: Tokenizer, text: str, expected: list[int]
) -> None:
    """In tiktoken it depends on the order of a hash table."""
    assert nested.encode(text, allowed_special="all") == expected
    assert nested.inspect(text).ids == expected
    assert nested.encode_batch([text], allowed_special="all") == [expected]


def test_only_allowed_tokens_take_part_in_the_search(nested: Tokenizer) -> None:
    """The longer one is text here, so it does not hide the shorter one."""
    ids = nested.encode("<a>b<c>", allowed_special={"<a>"}, disallowed_special=())
    assert ids == [600, *nested.encode_ordinary("b<c>")]


def test_disallowed_text_is_found_inside_an_allowed_token(nested: Tokenizer) -> None:
    """As in tiktoken: the search for what is forbidden sees the text, not tokens."""
    with pytest.raises(SpecialTokenError, match="'a>' at byte 1"):
        nested.encode("<a>", allowed_special={"<a>"})


@pytest.mark.parametrize(
    "content", ["[a-z]*", ".", "a|b", "\\d", "(", "\n", " ", "\0", "é", "日本"]
)
def test_any_content_is_matched_literally(spec: Any, engine: str, content: str) -> None:
    """Signs of a regex, white space and other scripts; the text around it stays ordinary."""
    added = (AddedToken(content, 600),)
    tok = Tokenizer(replace(spec, added_tokens=added), engine=engine)
    text = f"x{content}y"
    assert tok.encode(text, allowed_special="all") == [ord("x"), 600, ord("y")]
    assert tok.encode_batch([text], allowed_special="all") == [[ord("x"), 600, ord("y")]]
    assert tok.decode([ord("x"), 600, ord("y")]) == text


@pytest.fixture(scope="session")
def mixed(spec: Any, engine: str) -> Tokenizer:
    """`<think>` is added but not special, `<s>` is special."""
    added = (AddedToken("<think>", 600, special=False), AddedToken("<s>", 601))
    return Tokenizer(replace(spec, added_tokens=added), engine=engine)


@pytest.mark.parametrize("options", [{}, {"disallowed_special": ()}, {"allowed_special": "all"}])
def test_added_token_that_is_not_special_is_always_matched(mixed: Tokenizer, options: Any) -> None:
    """It is ordinary vocabulary, as in Hugging Face: neither refused nor in need of a permit."""
    assert mixed.encode("x<think>y", **options) == [ord("x"), 600, ord("y")]
    assert mixed.encode_batch(["<think>"], **options) == [[600]]
    assert mixed.encode_to_numpy("<think>", **options).tolist() == [600]
    assert mixed.count("x<think>y", **options) == 3
    assert mixed.inspect("<think>").ids == [600]
    assert mixed.special_tokens_set == {"<s>"}
    assert not mixed.is_special_token(600)


def test_encode_ordinary_knows_no_added_token_at_all(mixed: Tokenizer) -> None:
    """Not even one that is not special."""
    ids = mixed.encode_ordinary("<think><s>")
    assert {600, 601}.isdisjoint(ids)
    assert mixed.encode_ordinary_batch(["<think><s>"]) == [ids]
    assert mixed.decode(ids) == "<think><s>"


def test_refusal_names_token_place_and_ways_out(tok: Tokenizer) -> None:
    """Whoever meets it has usually never heard of special tokens."""
    with pytest.raises(SpecialTokenError) as caught:
        tok.encode(f"é {EOT}")
    message = str(caught.value)
    assert message.startswith(f"the text contains the special token {EOT!r} at byte 3, which")
    assert f"allowed_special={{{EOT!r}}}" in message
    assert "disallowed_special=()" in message
    assert "encode_ordinary" in message


@pytest.mark.parametrize("name", ["encode_batch", "encode_batch_to_numpy", "count_batch"])
def test_refusal_in_a_batch_names_the_text(tok: Tokenizer, name: str) -> None:
    """Of a million rows."""
    with pytest.raises(SpecialTokenError, match=rf"^text 2 contains the special token '{START}"):
        getattr(tok, name)(["a", "b", f"c{START}"], disallowed_special={START})


@pytest.mark.parametrize("option", ["allowed_special", "disallowed_special"])
@pytest.mark.parametrize("value", [EOT, "", None, 5, {5}, [b"<s>"], [None]], ids=repr)
def test_what_is_no_set_of_strings_is_refused(tok: Tokenizer, option: str, value: Any) -> None:
    """A str would be taken apart into letters, each of them forbidden."""
    for call in (tok.encode, tok.encode_to_numpy, tok.count):
        with pytest.raises(InputTypeError, match=f"^{option} must be 'all' or a set of strings"):
            call("the dog", **{option: value})
    with pytest.raises(InputTypeError, match=f"^{option} must be 'all' or a set of strings"):
        tok.encode_batch(["the dog"], **{option: value})


def test_generator_of_forbidden_strings_serves_a_whole_batch(tok: Tokenizer) -> None:
    """Used up by the first text, it would let the second one through."""
    with pytest.raises(SpecialTokenError, match=r"^text 1 "):
        tok.encode_batch(["the dog", "cat"], disallowed_special=(c for c in ["cat"]))  # type: ignore[arg-type]


def test_forbidden_text_with_a_surrogate_is_looked_for_as_it_will_be_encoded(
    tok: Tokenizer,
) -> None:
    """A lone surrogate in the text has become U+FFFD before anything is looked for."""
    with pytest.raises(SpecialTokenError):
        tok.encode("a\ud800b", disallowed_special={"\ud800"})
    assert tok.encode("ab", disallowed_special={"\ud800"}) == tok.encode("ab")
