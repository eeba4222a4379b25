"""The lessons run, print what they promise, and find the values that are worked out by hand."""

import asyncio
import importlib.util
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

LESSONS = Path(__file__).parents[2] / "lessons"

ARGUMENTS = {"07_an_event_loop_in_thirty_lines": ["--scale", "0.1"]}

KEY_LINES = {
    "01_bpe_in_thirty_lines": [
        "(l,o) met 3 times     lo w _   lo w e r _   lo w e s t _",
        "(lo,w) met 3 times    low _   low e r _   low e s t _",
        "(low,e) met 2 times   low _   lowe r _   lowe s t _",
        "<byte F0> <byte 9F> <byte A7> <byte B5>",
        "back again  The younger weavers were knitting together. Naïve 🧵!",
    ],
    "02_the_word_dictionary": [
        "est + </w>   -> est</w>  9 times",
        "lower    low e r </w>",
        "newest   ne w est</w>",
        "the       th e          th e          the  <- wrong",
        "her       h er          h er          her  <- wrong",
    ],
    "03_bytes_and_the_decoding_tree": [
        "(116, 104) -> 256",
        "Learning stops after 44 merges",
        "The sentence without its full stop: [258, 293]",
        "expanded once  [257, 32, 292, 103]   <- 257 and 292 are not bytes!",
        "│  │  └─ 104  'h'",
        "ratio*  bytes per token  train   encode",
    ],
    "04_from_v1_to_v2": [
        "learns by hand                 v1 ok       v2 ok",
        "gives text back                v1 ok       v2 ok",
        " 40000      400 |",
    ],
    "05_prompts": [
        "' statement'            1  ·statement",
        "stop: no merge joins 'expression' and 'list'",
        "'🙂'                     4  <f0>|<9f>|<99>|<82>",
        "date and name first:   0 tokens from the cache",
    ],
    "06_special_tokens_and_chat_templates": [
        "by default   SpecialTokenError",
        "allowed      u·ser·[<|im_end|>]",
        "by hand and by the template: the same",
        "    system     'the user decides'",
        "writes the begin token: 1. Put around it again: 2.",
        "ans·wer·s·[<|im_end|>]",
    ],
    "07_an_event_loop_in_thirty_lines": [
        "6 seconds of sleep took",
        "client has received b'3 words'",
        "run() raises ValueError(",
        "TimeoutError after 0.5 s",
    ],
}


def load(name: str) -> ModuleType:
    """The lesson as a module; its name is not one that `import` could spell."""
    spec = importlib.util.spec_from_file_location(f"lesson_{name}", LESSONS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


bpe = load("01_bpe_in_thirty_lines")
dictionary = load("02_the_word_dictionary")
tree = load("03_bytes_and_the_decoding_tree")
versions = load("04_from_v1_to_v2")
prompts = load("05_prompts")
chats = load("06_special_tokens_and_chat_templates")
loops = load("07_an_event_loop_in_thirty_lines")


# --- every lesson -----------------------------------------------------------------------------


def test_every_lesson_has_key_lines_and_a_line_in_the_readme():
    """A lesson that is added without a test, or without being listed in order, is noticed."""
    names = sorted(path.stem for path in LESSONS.glob("*.py"))
    readme = (LESSONS / "README.md").read_text(encoding="utf-8")
    assert names == sorted(KEY_LINES)
    places = [readme.find(f"| [`{name}.py`]({name}.py) |") for name in names]
    assert -1 not in places
    assert places == sorted(places)


@pytest.mark.parametrize("name", KEY_LINES)
def test_lesson_runs_and_prints_its_key_lines(name, tmp_path):
    """From any folder, with nothing on stderr, on one screen of 80 columns."""
    result = subprocess.run(
        [sys.executable, LESSONS / f"{name}.py", *ARGUMENTS.get(name, [])],
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    assert (result.returncode, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert [key for key in KEY_LINES[name] if key not in result.stdout] == []
    assert [line for line in lines if len(line) > 80] == []
    assert len(lines) <= 62
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", KEY_LINES)
def test_lesson_is_silent_when_imported(name, capsys):
    """Its functions can be used elsewhere; the talk begins in `main`."""
    load(name)
    assert capsys.readouterr() == ("", "")


# --- 1: thirty lines --------------------------------------------------------------------------


def test_three_merges_of_low_lower_lowest():
    """Worked by hand: l o and o w occur three times, low e twice."""
    merges, words = bpe.three_merges()
    assert merges == [("l", "o"), ("lo", "w"), ("low", "e")]
    assert [" ".join(word) for word in words] == ["low _", "lowe r _", "lowe s t _"]


def test_learning_stops_when_no_pair_occurs_twice():
    """After the third merge every pair of `low lower lowest` occurs once."""
    assert len(list(bpe.learn(bpe.split_words(bpe.TINY), 99))) == 3


def test_vocabulary_survives_saving(tmp_path):
    """What is loaded is what was saved, and the file is JSON with the merges in order."""
    tokens, merges = bpe.learn_from_paragraph()
    bpe.save(tmp_path / "vocabulary.json", tokens, merges)
    assert bpe.load(tmp_path / "vocabulary.json") == (tokens, merges)
    assert tokens[256] == "_"
    assert len(tokens) == len(set(tokens))


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("ï", ["<byte C3>", "<byte AF>", "_"]),
        ("_", ["<byte 5F>", "_"]),
        ("the", ["the_"]),
        ("", []),
    ],
    ids=["never-seen", "looks-like-the-end-mark", "known", "empty"],
)
def test_new_text_is_known_tokens_or_bytes(text, pieces):
    """U+00EF is C3 AF in UTF-8, U+005F is 5F; `the` was the fourth merge."""
    tokens, merges = bpe.learn_from_paragraph()
    assert bpe.tokenise(text, tokens, merges) == pieces


@given(st.text() | st.text("th e_<byteC3>ï🧵"))
def test_any_text_comes_back_from_lesson_one(text):
    """Exactly, except that runs of blanks become one: the words were split at them."""
    merges = [("t", "h"), ("th", "e"), ("the", "_"), ("b", "y")]
    tokens = bpe.build_tokens([list("thebyC3_")], merges)
    pieces = bpe.tokenise(text, tokens, merges)
    assert set(pieces) <= set(tokens)
    assert bpe.untokenise(pieces) == " ".join(text.split())


# --- 2: the word dictionary -------------------------------------------------------------------


def test_six_merges_of_the_word_dictionary():
    """Worked by hand: newest 6 + widest 3 = 9; low 5 + lower 2 = 7; newest 6."""
    steps = list(dictionary.learn(dictionary.spell(dictionary.CORPUS), 6))
    joined = [("".join(pair), count) for pair, count, _ in steps]
    assert joined == [("es", 9), ("est", 9), ("est</w>", 9), ("lo", 7), ("low", 7), ("ne", 6)]


@pytest.mark.parametrize(
    ("word", "pieces"),
    [("lower", "low e r </w>"), ("newest", "ne w est</w>"), ("lowest", "low est</w>")],
)
def test_words_are_cut_by_replaying_merges(word, pieces):
    """Seen or not: stem and ending fall apart where the merges left them."""
    merges = dictionary.six_merges()
    assert " ".join(dictionary.encode(word, merges)) == pieces


def test_joining_by_replacement_bites_at_both_borders():
    """(h, e) is in neither word: its h ends `th`, its e starts `er`."""
    assert dictionary.join(("th", "e"), ("h", "e")) == ("th", "e")
    assert dictionary.join_by_replacing(("th", "e"), ("h", "e")) == ("the",)
    assert dictionary.join(("h", "er"), ("h", "e")) == ("h", "er")
    assert dictionary.join_by_replacing(("h", "er"), ("h", "e")) == ("her",)


def test_the_trap_leads_there_by_training():
    """First th (13) and er (12) are joined; then (h, e), 7 times, and two words are spoiled."""
    steps = list(dictionary.learn(dictionary.spell(dictionary.TRAP, end=""), 3))
    assert [(pair, count) for pair, count, _ in steps] == [
        (("t", "h"), 13),
        (("e", "r"), 12),
        (("h", "e"), 7),
    ]
    assert dictionary.where_it_bites() == ["the", "her"]
    assert dictionary.what_it_costs() == {"the", "her"}


def test_the_usual_example_hides_the_bug():
    """Both ways of joining agree on low, lower, newest, widest: that is how the bug survives."""
    words = dictionary.spell(dictionary.CORPUS)
    right = list(dictionary.learn(words, 6))
    assert list(dictionary.learn(words, 6, dictionary.join_by_replacing)) == right


@given(st.lists(st.text("ab", min_size=1, max_size=3), min_size=1).map(tuple), st.data())
def test_anchored_regular_expression_joins_like_symbols(word, data):
    """The cure that Sennrich, Haddow and Birch published, on words of any symbols."""
    pair = data.draw(st.sampled_from([*pairwise(word), ("a", "b"), ("ab", "a")]))
    assert dictionary.join_by_regex(word, pair) == dictionary.join(word, pair)


# --- 3: bytes and the tree --------------------------------------------------------------------


def test_quick_brown_fox_learns_44_merges():
    """All bytes of the sentence join into one token, which is then doubled while it can be."""
    merges = tree.learn(b"the quick brown fox jumps over the lazy dog. " * 30, 320)
    id_by_pair = {(left, right): joined for left, right, joined, _ in merges}
    assert [merge.joined for merge in merges] == list(range(256, 300))
    assert list(id_by_pair)[:3] == [(116, 104), (256, 101), (257, 32)]
    assert (id_by_pair[291, 111], id_by_pair[292, 103]) == (292, 293)


def test_sentence_is_two_tokens_and_two_tokens_are_a_tree():
    """Expanding once is not decoding; the chain from 293 down to 260 is 34 levels deep."""
    stages = tree.half_way(tree.learn(tree.CORPUS, 320))
    assert stages[0] == [258, 293]
    assert stages[1] == [257, 32, 292, 103]
    assert bytes(stages[-1]) == b"the quick brown fox jumps over the lazy dog"
    assert len(stages) - 1 == 293 - 260 + 1


def test_tree_is_drawn_with_its_leaves_in_reading_order():
    """258 is `the` and a blank: 257 and 32; 257 is 256 and e; 256 is t and h."""
    parts = {256: (116, 104), 257: (256, 101), 258: (257, 32)}
    assert tree.draw(258, parts, 3) == [
        "258  'the '",
        "├─ 257  'the'",
        "│  ├─ 256  'th'",
        "│  │  ├─ 116  't'",
        "│  │  └─ 104  'h'",
        "│  └─ 101  'e'",
        "└─ 32   ' '",
    ]
    assert tree.draw(258, parts, 0) == ["258  'the ' ..."]


@given(st.binary() | st.text("theq ").map(str.encode))
def test_any_bytes_come_back_from_lesson_three(data):
    """Encoding loses nothing, and the walk through the trees brings it back."""
    merges = tree.learn(b"the quick brown fox jumps over the lazy dog. " * 2, 280)
    assert tree.decode(tree.encode(data, merges), tree.parts_of(merges)) == data


def test_larger_vocabularies_make_real_text_shorter():
    """256 tokens are the bytes alone; each further merge can only join."""
    data = Path(tree.argparse.__file__).read_bytes()
    rows = tree.real_text()
    assert [(row.vocab_size, row.merges) for row in rows] == [(256, 0), (384, 128), (512, 256)]
    assert len(data) == rows[0].tokens > rows[1].tokens > rows[2].tokens
    assert [row.bytes_per_token for row in rows] == [len(data) / row.tokens for row in rows]


# --- 4: v1 and v2 -----------------------------------------------------------------------------


@given(st.binary(max_size=60) | st.text("ab", max_size=60).map(str.encode), st.integers(0, 30))
def test_v1_and_v2_agree_and_give_the_text_back(data, n_merges):
    """Same merges in the same order, same ids; each decodes what the other encoded."""
    merges, ids = versions.learn_v1(data, n_merges)
    merges_v2, ids_v2 = versions.learn_v2(data, n_merges)
    assert (list(merges_v2.items()), ids_v2) == (list(merges.items()), ids)
    assert versions.decode_v1(ids, merges) == data
    assert versions.decode_v2(ids, merges) == data


def test_v1_and_v2_pass_the_tests_of_the_lesson():
    """All of them, by name, so that a failing one is seen."""
    results = versions.run_tests()
    assert [result for result in results if result[1:] != (True, True)] == []
    assert len(results) == 5


@pytest.mark.parametrize("learn", [versions.learn_v1, versions.learn_v2], ids=["v1", "v2"])
def test_textbook_example(learn):
    """Worked by hand: aaabdaaabac -> ZabdZabac -> ZYdZYac -> XdXac."""
    merges, ids = learn(b"aaabdaaabac", 99)
    assert merges == {(97, 97): 256, (97, 98): 257, (256, 257): 258}
    assert ids == [258, 100, 258, 97, 99]


def test_race_is_run_on_equal_answers():
    """The table has a row for every size, and one merge for every hundred bytes."""
    row = versions.measure(versions.real_text()[:2000], 20)
    assert (row.n_bytes, row.n_merges) == (2000, 20)


# --- 5: prompts -------------------------------------------------------------------------------


def test_what_changes_belongs_at_the_end():
    """The system prompt alone fills blocks; a date before it leaves none of them."""
    tok = prompts.train()
    n_system = tok.count(prompts.SYSTEM)
    assert prompts.shared(tok, variable_first=True)[0] == 0
    reused, computed = prompts.shared(tok, variable_first=False)
    assert reused >= n_system // prompts.BLOCK * prompts.BLOCK - prompts.BLOCK
    assert reused + computed == tok.count(prompts.SYSTEM + prompts.OTHER)


def test_spaces_typos_and_capitals_cost_tokens():
    """What the lesson says must be so whatever version of the manual it learned from."""
    tok = prompts.train()
    assert tok.count(" statement") == 1 < tok.count(" STATEMENT")
    assert tok.count(" expression") == 1 < tok.count(" expresion")
    left, right = prompts.where_it_stopped(tok, " subexpressionlist")[-1]
    assert left + right in " subexpressionlist"


# --- 6: chat templates ------------------------------------------------------------------------


def test_hostile_user_becomes_a_system_prompt_only_the_naive_way():
    """Rendered first, the words of one user are two turns; otherwise they stay one."""
    tok = chats.make_tokenizer()
    roles = [turn.role for turn in chats.turns(tok, chats.naive(tok, chats.HOSTILE))]
    assert roles == ["system", "user", "system", "assistant"]
    for encode in (chats.in_segments, chats.by_template):
        turns = chats.turns(tok, encode(tok, chats.HOSTILE))
        assert [turn.role for turn in turns] == ["system", "user", "assistant"]
        assert turns[1].words == chats.ATTACK


def test_three_ways_agree_about_friendly_users():
    """And the template is what is rendered by hand."""
    tok = chats.make_tokenizer()
    assert chats.same(tok)
    text = tok.apply_chat_template(
        chats.FRIENDLY, chat_template=chats.TEMPLATE, add_generation_prompt=True, tokenize=False
    )
    assert text == chats.render(chats.FRIENDLY)


# --- 7: the event loop ------------------------------------------------------------------------


class TickingClock(loops.Clock):
    """A clock that moves only when it is looked at: order and length do not depend on load."""

    def __init__(self) -> None:
        super().__init__(scale=0.0)  # real waits take no time
        self.time = 0.0

    def now(self) -> float:
        """A millisecond later than the last time."""
        self.time += 0.001
        return self.time


OVERLAP = ["A starts", "B starts", "C starts", *(f"{name} has finished" for name in "BAC")]


@pytest.mark.parametrize("part", [loops.asking_again_and_again, loops.waiting])
def test_jobs_overlap(part):
    """B (1 s), A (2 s), C (3 s): in the order of their ends, in three seconds and not in six."""
    clock = TickingClock()
    assert part(clock) == OVERLAP
    assert 3.0 <= clock.time < 3.2


def test_waiting_loop_waits_once_for_every_deadline(monkeypatch):
    """It sleeps until the next deadline and no shorter: three jobs, three waits."""
    clock = TickingClock()
    clock.scale = 1.0
    loop = loops.Loop(clock)

    def select(timeout: float) -> list[object]:
        clock.time += timeout
        return []

    monkeypatch.setattr(loop.selector, "select", select)
    diary = loops.Diary(clock, quiet=True)
    jobs = [loops.job(clock, diary, name, seconds) for name, seconds in loops.JOBS.items()]
    assert loop.run(*jobs) == 3
    assert diary.events == OVERLAP


def test_loop_waits_for_sockets_and_deadlines_together():
    """The timer ends before the client's second is over; then request and answer."""
    assert loops.sockets(TickingClock()) == [
        "a timer of 0.5 s starts",
        "a timer of 0.5 s has finished",
        "client sends a line",
        "server has received b'low lower lowest'",
        "client has received b'3 words'",
    ]


def test_small_loop_leaves_the_others_when_one_job_fails():
    """Nobody tells A and C: they neither finish nor tidy up before `run` has raised."""
    events = loops.fails_here(TickingClock())
    assert events[:3] == ["B fails", "B tidies up", "run() raises ValueError('B')"]
    assert not {"A tidies up", "C tidies up"} & set(events)


def test_task_group_cancels_the_others_and_lets_them_tidy_up():
    """The group ends only when all three are done, and reports the one that failed."""
    events = asyncio.run(loops.fails_there(loops.Clock()))
    assert events[:2] == ["B fails", "B tidies up"]
    assert sorted(events[2:4]) == ["A tidies up", "C tidies up"]
    assert events[4:] == ["the group raises [ValueError('B')]"]


def test_asyncio_gives_up_an_answer_that_never_comes():
    """A timeout cancels the wait, `finally` runs, and the caller sees TimeoutError."""
    assert asyncio.run(loops.gives_up_there(loops.Clock(0.01))) == [
        "waits for an answer",
        "is cancelled, and tidies up",
        "TimeoutError after 0.5 s",
    ]


def test_blocking_call_stops_the_small_loop_only():
    """Here no tick comes before the disk is done; asyncio hands the call to a thread."""
    expected = ["disk: reading", "disk: done", "tick", "tick"]
    assert loops.blocks_here(TickingClock()) == expected
    assert sorted(asyncio.run(loops.blocks_there(loops.Clock(0.01)))) == sorted(expected)


def test_asyncio_collects_what_jobs_return():
    """In the order the jobs were given, whatever the order they ended in."""
    assert asyncio.run(loops.same_jobs(loops.Clock(0.01)))[-1] == "results: A B C"
