"""The other views, each used as a person would."""

import re

from playwright.sync_api import expect

import bytepair
from conftest import PARAGRAPH
from looking import figure, fresh, painted, tokens, view, write


def test_a_card_shows_what_a_token_is_made_of(page, small):
    """Double click: bytes, id, rank, tree, neighbours, uses, the merges of its word."""
    write(page, "the lowest of the lower")
    page.locator("#text").dblclick(position={"x": 140, "y": 20})
    card = page.locator("#card")
    expect(card).to_be_visible()
    token = int(card.locator(".facts dd").first.inner_text())
    assert token in tokens(page)["ids"]
    rows = list(small.merge_tree(token).rows())
    assert len(rows) > 1
    expect(card.locator(".tree li")).to_have_count(len(rows))
    n = tokens(page)["ids"].count(token)
    expect(card.locator("#uses")).to_contain_text(f"{n} time")
    card.get_by_role("button", name="Next").click()
    expect(page.locator("#status")).to_contain_text(f"id {token}")
    card.locator(".tree li li button").first.click()
    expect(card.locator(".facts dd").first).not_to_have_text(str(token))


def test_merges_of_a_word_are_stepped_through(page, small):
    """At the left end bytes, at the right end the tokens, between them the stages of `explain`."""
    write(page, "lowest")
    page.locator("#text").dblclick(position={"x": 20, "y": 20})
    word = small.explain("lowest").words[0]
    steps = page.locator("#steps")
    slider = steps.get_by_role("slider", name="Merge")
    stages = list(word.stages())
    for number, parts in enumerate(stages):
        slider.fill(str(number))
        texts = steps.locator(".chip").all_inner_texts()
        assert [text.encode() for text in texts] == list(parts)


def test_vocabularies_are_compared_and_differences_marked(page, small, folder):
    """Counts of both, the better one named, and exactly the spans that only one has underlined."""
    tiny = bytepair.load(folder / "tiny")
    text = "The lowest of the lower"
    write(page, text)
    view(page, "Compare")
    rows = page.locator("#compare-figures tbody tr")
    expect(rows).to_have_count(2)
    counts = [len(small.encode(text)), len(tiny.encode(text))]
    shown = [int(row.locator("td").nth(1).inner_text()) for row in rows.all()]
    assert shown == counts
    assert rows.nth(0).get_attribute("class") == "best"
    spans = [{(p.start, p.end) for p in tok.inspect(text)} for tok in (small, tiny)]
    only = spans[0] ^ spans[1]
    page.wait_for_timeout(150)
    marked = painted(page, "tok-differs")
    assert sorted(marked) == sorted(text[start:end] for start, end in only)


def test_languages_are_measured_against_english(page, small):
    """The bars' numbers are the library's."""
    from bytepair.evaluation import parallel_texts

    view(page, "Languages")
    row = page.locator("#parity tr", has=page.get_by_role("rowheader", name="Greek"))
    counts = {
        t.language: sum(small.count(s) for s in t.sentences)
        for t in parallel_texts()
        if t.language in {"English", "Greek"}
    }
    expect(row).to_contain_text(f"{counts['Greek'] / counts['English']:.2f}×")
    page.get_by_label("Text", exact=True).and_(page.locator("#own-texts textarea")).nth(1).fill(
        "low"
    )
    expect(page.locator("#own-parity")).to_contain_text("low")


def test_prompts_show_what_a_prefix_cache_keeps(page, small):
    """Shared tokens and whole blocks, as the library counts them."""
    view(page, "Prompts")
    first, second = PARAGRAPH * 3 + "one", PARAGRAPH * 3 + "two"
    page.get_by_role("textbox", name="First prompt").fill(first)
    page.get_by_role("textbox", name="Second prompt").fill(second)
    wanted = small.cache_blocks(first, second, 32)
    expect(page.locator("#prefix .sum")).to_contain_text(f"{wanted.shared} of {wanted.second}")
    row = page.locator("#blocks tbody tr").nth(1)
    expect(row.locator("td").nth(1)).to_have_text(str(wanted.shared // 32 * 32))
    expect(page.locator("#edits tbody tr")).to_have_count(5)


def test_typos_are_counted(page, small):
    """Each way to misspell with its tokens."""
    view(page, "Prompts")
    page.get_by_label("Words to misspell").fill("lower tokens")
    row = page.locator("#typos tr", has_text="capitals")
    expect(row.locator("td").first).to_have_text(str(small.count("LOWER TOKENS")))


def test_a_conversation_goes_through_the_template(page, small):
    """Roles, the generation prompt, and special tokens in messages as text or as tokens."""
    view(page, "Chat")
    page.get_by_role("textbox", name="Message 2").fill("low <|end|>")
    messages = [
        {"role": "system", "content": "You are a helpful assistant."},
        {"role": "user", "content": "low <|end|>"},
    ]
    total = page.locator("#chat-sum b")
    ids = small.apply_chat_template(messages, add_generation_prompt=True)
    expect(total).to_have_text(str(len(ids)))
    page.get_by_text("Generation prompt").click()
    expect(total).to_have_text(str(len(small.apply_chat_template(messages))))
    page.locator("#view-chat").get_by_text("as tokens").click()
    text = small.apply_chat_template(messages, tokenize=False)
    expect(total).to_have_text(str(small.count(text, allowed_special="all")))


def test_a_tokenizer_without_a_template_says_so(open_page):
    """Instead of an empty panel."""
    page = open_page(may_fail=True)
    page.locator("#tokenizer").select_option("tiny")
    view(page, "Chat")
    expect(page.locator("#chat-tokens")).to_contain_text("has no chat template")


def test_the_vocabulary_is_searched_and_filtered(page, small):
    """By text, by length, and special ones."""
    view(page, "Vocabulary")
    said = page.locator("#vocabulary-said")
    expect(said).to_contain_text(f"{small.vocab_size} of {small.vocab_size}")
    contents = [small.decode_single_token_bytes(i) for i in range(small.n_vocab)]
    page.get_by_label("Search").fill("low")
    expect(said).to_contain_text(f"{sum(b'low' in data for data in contents)} of")
    page.get_by_label("Search").fill("")
    page.get_by_label("Bytes from").fill("4")
    expect(said).to_contain_text(f"{sum(len(data) >= 4 for data in contents)} of")
    page.get_by_label("Bytes from").fill("")
    page.get_by_label("Show").select_option("special")
    expect(said).to_contain_text(f"{len(small.special_tokens)} of")


def test_residues_are_those_that_pruning_reports(page, small):
    """Tokens that only longer ones need."""
    write(page, PARAGRAPH)
    report = small.prune([PARAGRAPH.encode()], vocab_size=small.vocab_size).report.idle
    view(page, "Vocabulary")
    for kind, ids in (("residue", report.residues), ("unreachable", report.unreachable)):
        page.get_by_label("Show").select_option(kind)
        expect(page.locator("#vocabulary-said")).to_contain_text(f"{len(ids)} of")


def test_pruning_says_what_fewer_tokens_would_cost(page, small):
    """The counts at the slider's end are those of a tokenizer that is really pruned so far."""
    write(page, PARAGRAPH)
    view(page, "Pruning")
    total = page.locator("#prune-said b")
    expect(total).to_have_text(str(small.count(PARAGRAPH)))
    page.locator("#keep").fill("0")
    kept = int(page.locator("#keep-said").inner_text().split()[0].replace(",", ""))
    pruned = small.prune([PARAGRAPH.encode()], vocab_size=kept).tokenizer
    expect(total).to_have_text(f"{pruned.count(PARAGRAPH):,}")
    page.wait_for_timeout(100)
    assert painted(page, "tok-removed")


def test_training_fuses_the_text_as_the_library_would(page):
    """After k merges the page shows what a tokenizer with k merges gives."""
    text = PARAGRAPH * 3
    write(page, text)
    view(page, "Training")
    said = page.locator("#train-said")
    expect(said).to_contain_text("merges:")
    for k in (0, 7, 40):
        page.get_by_label("Merges applied").fill(str(k))
        tok = bytepair.train([text], vocab_size=256 + k, special_tokens=[])
        expect(said).to_contain_text(f"{tok.count(text):,} tokens")


def test_training_is_played_and_paused(page):
    """Merges come one after another, until one says stop."""
    write(page, PARAGRAPH)
    view(page, "Training")
    page.get_by_role("button", name="Play").click()
    slider = page.get_by_label("Merges applied")
    expect(slider).to_have_value(re.compile("^[1-9]$"))
    page.get_by_role("button", name="Pause").click()
    value = slider.input_value()
    page.wait_for_timeout(400)
    assert slider.input_value() == value


def test_files_are_a_text_or_a_tokenizer(page, folder, tmp_path):
    """A text is shown; a tokenizer.json is served and chosen; what is not UTF-8 is said."""
    text = tmp_path / "a.txt"
    text.write_bytes(b"low \xff est")
    page.locator("#file").set_input_files(text)
    expect(page.locator("#said")).to_contain_text("not all UTF-8")
    fresh(page)
    assert page.locator("#text").input_value() == "low \ufffd est"
    page.locator("#file").set_input_files(folder / "tiny" / "tokenizer.json")
    expect(page.locator("#said")).to_contain_text("upload-")
    assert page.locator("#tokenizer").input_value().startswith("upload-")
    fresh(page)
    tiny = bytepair.load(folder / "tiny")
    assert tokens(page)["ids"] == tiny.encode("low \ufffd est")


def test_a_link_carries_the_text_in_its_fragment_alone(page, open_page):
    """Opened elsewhere it shows the same; the service never sees it."""
    asked = []
    write(page, "Größe of 日本語 🌶️")
    page.on("request", lambda request: asked.append(request.url))
    page.get_by_role("button", name="Share").click()
    page.wait_for_function("() => location.hash.includes('text=')")
    other = open_page("#" + page.url.partition("#")[2])
    assert other.locator("#text").input_value() == "Größe of 日本語 🌶️"
    assert not any("text=" in url for url in asked)


def test_a_damaged_link_is_said_to_be_one(open_page):
    """And the page works all the same."""
    page = open_page("#text=%%%")
    expect(page.locator("#said")).to_contain_text("damaged")
    assert figure(page, "tokens") != "0"
