"""The text and its tokens, as a person writes, points and selects."""

import ast
import json
from itertools import pairwise

import pytest
from playwright.sync_api import expect

from looking import clipboard, figure, fresh, painted, tokens, write

TEXTS = {
    "arabic": "مرحبا بالعالم، كيف حالك؟ abc العربية",
    "khmer": "ភាសាខ្មែរ គឺជាភាសា",
    "emoji": "👩‍👩‍👧‍👦 🏳️‍🌈 🌶️ 👍🏽 é",
    "mixed": "Größe\t日本語\r\nनमस्ते  \u200b\ufeff x\n",
    "controls": "a\x00b\x07c\u202e d",
}


@pytest.mark.parametrize("kind", TEXTS)
def test_tokens_are_the_tokenizers_own_and_cover_the_text(page, small, kind):
    """Ids are those of the Python API; the places, joined, are the text (split ones twice)."""
    text = TEXTS[kind].replace("\r\n", "\n")  # as a textarea keeps it
    write(page, text)
    shown = tokens(page)
    assert shown["ids"] == small.encode(text, allowed_special="all")
    for part, data in zip(shown["parts"], small.decode_tokens_bytes(shown["ids"]), strict=True):
        assert data in part.encode()
    whole = [p for p, broken in zip(shown["parts"], shown["broken"], strict=True) if not broken]
    assert all(part in text for part in whole)


def test_typing_key_by_key_ends_at_the_same_tokens(page, small):
    """Requests that a later key made stale must not win."""
    write(page, "")
    page.locator("#text").press_sequentially("the lowest of the lower tokens", delay=5)
    fresh(page)
    assert tokens(page)["ids"] == small.encode("the lowest of the lower tokens")
    page.locator("#text").press("Control+Home")
    page.keyboard.type("new")
    page.keyboard.press("Delete")
    fresh(page)
    assert tokens(page)["ids"] == small.encode("newhe lowest of the lower tokens")


def test_what_is_written_can_be_undone(page):
    """The browser's own undo works: the text is a textarea's."""
    write(page, "low")
    page.locator("#text").press("End")
    page.keyboard.type("est")
    page.keyboard.press("Control+z")
    fresh(page)
    assert page.locator("#text").input_value() != "lowest"


def test_every_seen_token_is_painted_in_one_of_six_colours(page):
    """No letter without a colour, and neighbours differ."""
    write(page, "The lowest of the lower tokens")
    page.wait_for_timeout(100)
    drawn = [painted(page, f"tok-{n}") for n in range(6)]
    assert sorted("".join(part for parts in drawn for part in parts)) == sorted(
        "The lowest of the lower tokens"
    )
    shown = tokens(page)["parts"]
    colour = {part: n for n, parts in enumerate(drawn) for part in parts}
    assert all(colour[a] != colour[b] for a, b in pairwise(shown) if a != b)


def test_the_painted_text_lies_under_the_written_one(page):
    """A text of many scripts wraps alike in the area and behind it: both are equally tall."""
    write(page, "\n".join(TEXTS.values()) * 5 + "a" * 500 + " b" * 300 + "\n")
    heights = page.evaluate(
        "() => [document.getElementById('paper').offsetHeight,"
        " document.getElementById('text').scrollHeight]"
    )
    assert heights[0] == heights[1]


def test_figures_and_cost_follow_the_text(page, small):
    """Tokens, characters, bytes, words, and the price of the table."""
    text = "Größe of the lowest"
    write(page, text)
    n = len(small.encode(text))
    assert figure(page, "tokens") == str(n)
    assert (figure(page, "characters"), figure(page, "bytes")) == ("19", "21")
    assert (figure(page, "words"), figure(page, "tokens/word")) == ("4", f"{n / 4:.2f}")
    page.locator("#price").click()
    page.get_by_label("Price of a million tokens of *").fill("1000000")
    page.get_by_role("button", name="Keep").click()
    expect(page.locator("#price")).to_contain_text(f"${n}.00")


def test_pointing_at_the_text_marks_the_row_and_the_other_way_round(page):
    """Text and list are linked by hover."""
    write(page, "The lowest of the lower tokens")
    page.locator("#text").hover(position={"x": 16, "y": 20})
    expect(page.locator("#tokens .hovered .n")).to_have_text("0")
    expect(page.locator("#status")).to_contain_text("token 0")
    page.locator("#tokens .row").nth(3).hover()
    page.wait_for_timeout(100)
    assert painted(page, "tok-hover") == [tokens(page)["parts"][3]]


def test_a_selection_is_counted_and_marked_in_the_list(page):
    """Selecting text says how many tokens it is."""
    write(page, "The lowest of the lower tokens")
    page.locator("#text").press("Control+a")
    n = len(tokens(page)["ids"])
    expect(page.locator("#status")).to_contain_text(f"{n} tokens selected")
    expect(page.locator("#tokens .in")).to_have_count(n)


def test_white_space_and_split_characters_have_signs(page, small):
    """A space is a dot, a part of a character its bytes; both are marked in the text too."""
    write(page, "a \t🜁")
    expect(page.locator("#tokens .sign-byte").first).to_be_visible()
    assert "·" in page.locator("#tokens").inner_text()
    assert "→" in page.locator("#tokens").inner_text()
    page.get_by_text("Mark spaces").click()
    page.wait_for_timeout(100)
    assert painted(page, "tok-space") == [" \t"]
    assert "🜁" in painted(page, "tok-broken")


def test_special_tokens_are_tokens_or_text_as_the_switch_says(page, small):
    """Both counts, as the library gives them."""
    text = "low<|end|>low"
    write(page, text)
    assert tokens(page)["ids"] == small.encode(text, allowed_special="all")
    page.get_by_role("group", name="Special tokens").get_by_text("as text").click()
    fresh(page)
    page.wait_for_timeout(200)
    assert tokens(page)["ids"] == small.encode(text, disallowed_special=())


def test_html_in_a_text_stays_text(page):
    """Nothing of it is run or becomes an element, in no place that shows it."""
    write(page, "<img src=x onerror=alert(1)><script>document.title='!'</script>")
    page.locator("#text").dblclick(position={"x": 20, "y": 20})
    expect(page.locator("#card")).to_be_visible()
    assert page.locator("#paper img, #tokens img, #card img").count() == 0
    assert page.title() == "bytepair playground"


def test_ids_become_text(page, small):
    """Ids in any notation; what cannot be is said."""
    ids = small.encode("lower Größe")
    page.get_by_role("button", name="Ids to text").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Ids").fill(str(ids))
    expect(dialog.locator(".signs")).to_have_text("lower·Größe")
    dialog.get_by_role("button", name="Put into the editor").click()
    fresh(page)
    assert page.locator("#text").input_value() == "lower Größe"


def test_chunks_have_so_many_tokens_and_join_to_the_text(page, small):
    """No chunk ends within a character."""
    text = "The lowest 日本語 🜁🜁🜁 of the lower tokens"
    write(page, text)
    page.get_by_label("Chunk at").fill("5")
    page.get_by_role("button", name="Copy chunks").click()
    chunks = json.loads(clipboard(page))
    assert "".join(chunks) == text
    assert len(chunks) > 2
    assert all(len(small.encode(chunk)) <= 5 or "🜁" in chunk for chunk in chunks)


def test_copies_are_json_and_python(page, small):
    """What is copied can be read by what it is meant for."""
    text = 'low\n"Größe" \\ 🌶️ \u2028'
    write(page, text)
    page.get_by_role("button", name="Copy JSON").click()
    made = json.loads(clipboard(page))
    assert (made["text"], made["ids"]) == (text, small.encode(text))
    page.locator("#said").evaluate("element => { element.textContent = ''; }")
    page.get_by_role("button", name="Copy Python").click()
    program = ast.parse(clipboard(page))
    values = [node.value for node in ast.walk(program) if isinstance(node, ast.Constant)]
    assert text in values
