"""What `formats` writes gives the same ids in the library it is for; what that wrote reads alike.

Our side is a brute-force encoder in this file, which shares no code with the engines: pattern by
the `regex` package, merging by trying every pair.
"""

import base64
import json
import random
import unicodedata
from dataclasses import replace
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path

import pytest
import regex
import tiktoken
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from bytepair import formats
from bytepair.errors import ExportError
from bytepair.model import AddedToken, MergeTable, SplitRules, TokenizerSpec, Vocabulary
from bytepair.patterns import NAMED

SPECIALS = ["<|endoftext|>", "<|im_start|>", "<|im_start|>user"]
# Characters of many kinds, all in Unicode for so long that every library knows them alike.
SAMPLE = (
    "aAbBzZéÉßøŁſıﬁ çñ'’\"`-_=+*/\\|<>()[]{}#@!?.,:;&%$ 0123456789²½Ⅷ٣\t\n\r\u00a0\u2028\u3000"
    "\x00\x1c\x7f\u0301\u0308\u200d\u200b\ufe0f\ufeff\ufffdαΩςжЯאבعربहिन्दीไทย日本語汉字かなカナ한국어"
    "😀👍🏽👩‍💻🇩🇪𝒳𠮷"
)
WORDS = [
    "the",
    " the",
    "don't",
    "I'LL",
    "def ",
    "return",
    "    ",
    "\n\n",
    " 2024",
    "naïve",
    *SPECIALS,
]

NORMALIZERS = {
    "nfc": lambda text: unicodedata.normalize("NFC", text),
    "nfkc": lambda text: unicodedata.normalize("NFKC", text),
    "lowercase": lambda text: "".join(char.lower() for char in text),
    "collapse-whitespace": lambda text: regex.sub(r"\s+", " ", text),
}


@pytest.fixture(scope="session")
def corpus() -> list[str]:
    """Source code and prose that every Python brings along, and some other scripts."""
    sources = [Path(json.__file__), Path(random.__file__), Path(base64.__file__)]
    return [*(path.read_text("utf-8") for path in sources), SAMPLE * 3, "日本語と漢字 " * 40]


@pytest.fixture(scope="session")
def texts() -> list[str]:
    """Three thousand short texts of odd characters and frequent words."""
    choose = random.Random(20)
    parts = [*SAMPLE, *WORDS]
    return ["".join(choose.choices(parts, k=choose.randrange(25))) for _ in range(3000)]


@cache
def trained(corpus: tuple[str, ...], pattern: str, normalizer: str = "") -> Tokenizer:
    """A small tokenizer by Hugging Face's own trainer."""
    tokenizer = Tokenizer(models.BPE())
    cut = pre_tokenizers.Split(Regex(pattern), "isolated")
    to_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([cut, to_bytes])
    tokenizer.decoder = decoders.ByteLevel()
    if normalizer:
        tokenizer.normalizer = getattr(normalizers, normalizer)()
    trainer = trainers.BpeTrainer(
        vocab_size=900,
        special_tokens=SPECIALS,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(corpus, trainer)
    return tokenizer


class BruteForce:
    """Encodes by the definition, slowly."""

    def __init__(self, spec: TokenizerSpec) -> None:
        self.spec = spec
        self.ranks = spec.merges.rank_by_pair()
        contents = sorted((t.content for t in spec.added_tokens), key=len, reverse=True)
        self.added = {token.content: token.id for token in spec.added_tokens}
        self.cut = "|".join(map(regex.escape, contents)) or "(?!)"
        self.merge = cache(self._merge)

    def encode(self, text: str) -> list[int]:
        """Ids, added tokens found wherever they stand."""
        ids, position = [], 0
        for match in regex.finditer(self.cut, text):
            ids += self._ordinary(text[position : match.start()])
            ids.append(self.added[match[0]])
            position = match.end()
        return ids + self._ordinary(text[position:])

    def _ordinary(self, text: str) -> list[int]:
        for name in self.spec.rules.normalizer:
            text = NORMALIZERS[name](text)
        pattern = self.spec.rules.pattern or r"[\s\S]+"
        cuts = [0, *(i for match in regex.finditer(pattern, text) for i in match.span()), len(text)]
        return [i for start, end in pairwise(cuts) for i in self.merge(text[start:end])]

    def _merge(self, piece: str) -> list[int]:
        vocabulary = self.spec.vocabulary
        if self.spec.ignore_merges and piece.encode() in vocabulary.id_by_bytes:
            return [vocabulary.id_by_bytes[piece.encode()]]
        if self.spec.alphabet == "bytes":
            ids = [vocabulary.byte_ids[byte] for byte in piece.encode()]
        else:
            ids = [i for char in piece for i in self._char(char.encode())]
        while ranked := [
            (self.ranks[p], i) for i, p in enumerate(pairwise(ids)) if p in self.ranks
        ]:
            (_, joined), place = min(ranked, key=lambda entry: (entry[0][0], entry[1]))
            ids[place : place + 2] = [joined]
        return ids

    def _char(self, char: bytes) -> list[int]:
        known = self.spec.vocabulary.id_by_bytes.get(char) if char.decode() in self.chars else None
        return [self.spec.vocabulary.byte_ids[b] for b in char] if known is None else [known]

    @cached_property
    def chars(self) -> set[str]:
        """Characters that are tokens; their bytes may be tokens too."""
        fallback = set(self.spec.vocabulary.byte_ids)
        items = self.spec.vocabulary.tokens.items()
        return {token.decode() for number, token in items if number not in fallback}


def hugging_face(spec: TokenizerSpec, folder: Path) -> Tokenizer:
    """What `tokenizers` makes of the saved tokenizer."""
    formats.write(spec, folder)
    return Tokenizer.from_file(str(folder / "tokenizer.json"))


def openai(spec: TokenizerSpec, path: Path) -> tiktoken.Encoding:
    """What `tiktoken` makes of the saved tokenizer and its sidecar."""
    formats.write(spec, path)
    lines = [line.split() for line in path.read_bytes().splitlines()]
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    sidecar = json.loads(path.with_name(path.name + ".json").read_text("utf-8"))
    specials = sidecar["special_tokens"]
    return tiktoken.Encoding(
        sidecar["name"], pat_str=sidecar["pat_str"], mergeable_ranks=ranks, special_tokens=specials
    )


def read_back(tokenizer: Tokenizer, folder: Path) -> TokenizerSpec:
    """The specification read from what `tokenizers` saved."""
    folder.mkdir()
    tokenizer.save(str(folder / "tokenizer.json"))
    return formats.read(folder)


def byte_spec(merges=(), *, pattern=NAMED["gpt2"], added=(), more=(), **options) -> TokenizerSpec:
    """A byte-level tokenizer by hand: ids in the order of the merges; `more` has no merge."""
    tokens = [bytes([byte]) for byte in range(256)]
    tokens += [left + right for left, right in merges if left + right not in tokens] + list(more)
    ids = {token: number for number, token in enumerate(tokens)}
    triples = [(ids[left], ids[right], ids[left + right]) for left, right in merges]
    vocabulary = Vocabulary(dict(enumerate(tokens)), tuple(range(256)))
    rules = SplitRules(pattern, special_tokens=tuple(t.content for t in added if t.special))
    table = MergeTable.from_merges(triples)
    return TokenizerSpec(vocabulary, table, rules, tuple(added), **options)


@pytest.mark.parametrize("pattern", ["gpt2", "cl100k", "o200k", "qwen2", "whitespace"])
def test_a_file_of_hugging_face_reads_to_the_same_ids(pattern, corpus, texts, tmp_path):
    """Reading is right if the definition, run on what was read, agrees with the library."""
    tokenizer = trained(tuple(corpus), NAMED[pattern])
    ours = BruteForce(read_back(tokenizer, tmp_path / "theirs"))
    assert all(ours.encode(text) == tokenizer.encode(text).ids for text in texts)


@pytest.mark.parametrize("form", ["NFC", "NFKC"])
def test_a_normaliser_survives_both_ways(form, corpus, texts, tmp_path):
    """Composed and decomposed spellings must meet before they are cut."""
    tokenizer = trained(tuple(corpus), NAMED["cl100k"], form)
    spec = read_back(tokenizer, tmp_path / "theirs")
    again = hugging_face(spec, tmp_path / "ours")
    ours = BruteForce(spec)
    for text in texts:
        assert ours.encode(text) == tokenizer.encode(text).ids == again.encode(text).ids


@pytest.mark.parametrize(
    "names", [["lowercase"], ["collapse-whitespace"], ["nfkc", "lowercase", "collapse-whitespace"]]
)
def test_every_normaliser_means_the_same_to_hugging_face(names, texts, tmp_path):
    """Between added tokens only: these are cut out of the text as it came."""
    spec = byte_spec([(b" ", b"a")], added=[AddedToken("<|IM_Start|>", 257)])
    spec = replace(spec, rules=replace(spec.rules, normalizer=tuple(names)))
    theirs, ours = hugging_face(spec, tmp_path), BruteForce(spec)
    assert formats.read(tmp_path).rules == spec.rules
    for text in ["A<|IM_Start|>\n a<|im_start|>", *texts]:
        assert theirs.encode(text).ids == ours.encode(text)


@pytest.mark.parametrize("pattern", ["gpt2", "o200k"])
def test_hugging_face_gives_the_same_ids_for_what_we_wrote(pattern, corpus, texts, tmp_path):
    """Loading, saving and loading again changes no id, and decoding gives the text back."""
    tokenizer = trained(tuple(corpus), NAMED[pattern])
    again = hugging_face(read_back(tokenizer, tmp_path / "theirs"), tmp_path / "ours")
    for text in texts:
        assert again.encode(text).ids == tokenizer.encode(text).ids
        assert again.decode(again.encode(text).ids, skip_special_tokens=False) == text


@pytest.mark.parametrize("pattern", [None, r"\p{L}+", r"[a-z]+(?!\S)|\d", "gpt2", "cl100k"])
def test_both_libraries_give_our_ids_whatever_the_pattern(pattern, corpus, texts, tmp_path):
    """Also where a pattern leaves gaps, which tiktoken drops, and where there is none."""
    base = read_back(trained(tuple(corpus), NAMED["gpt2"]), tmp_path / "theirs")
    specials = tuple(AddedToken(text, 5000 + i) for i, text in enumerate(SPECIALS[:2]))
    rules = SplitRules(NAMED.get(pattern, pattern), special_tokens=tuple(SPECIALS[:2]))
    spec = TokenizerSpec(base.vocabulary, base.merges, rules, specials)
    ours = BruteForce(spec)
    theirs = hugging_face(spec, tmp_path / "ours"), openai(spec, tmp_path / "ours.tiktoken")
    for text in texts[:1500]:
        expected = ours.encode(text)
        assert theirs[0].encode(text).ids == expected, text
        assert theirs[1].encode(text, allowed_special="all") == expected, text


def test_a_rank_file_reads_to_the_ids_of_tiktoken(corpus, texts, tmp_path):
    """Every split of every token is a merge by the token's rank; that is tiktoken's rule."""
    base = read_back(trained(tuple(corpus), NAMED["cl100k"]), tmp_path / "theirs")
    spec = TokenizerSpec(base.vocabulary, base.merges, SplitRules(NAMED["cl100k"]))
    encoding = openai(spec, tmp_path / "x.tiktoken")
    ours = BruteForce(formats.read(tmp_path / "x.tiktoken"))
    assert not formats.read(tmp_path / "x.tiktoken").merges.is_merge_list
    assert all(ours.encode(text) == encoding.encode_ordinary(text) for text in texts)


def test_any_rank_table_becomes_a_merge_list_with_the_same_ids(tmp_path):
    """Also with tokens that no merge makes, and parts that rank after what they make."""
    choose = random.Random(5)
    strings = ["".join(choose.choices("abc", k=choose.randrange(1, 9))) for _ in range(200)]
    for _ in range(40):
        tokens = list(dict.fromkeys(choose.choices(strings, k=12)))
        ranks = {bytes([byte]): byte for byte in range(256)}
        ranks |= {token.encode(): 256 + i for i, token in enumerate(tokens) if len(token) > 1}
        lines = (b"%s %d\n" % (base64.b64encode(token), rank) for token, rank in ranks.items())
        (tmp_path / "x.tiktoken").write_bytes(b"".join(lines))
        spec = formats.read(tmp_path / "x.tiktoken", pattern="whitespace")
        theirs = hugging_face(spec, tmp_path / "x")
        encoding = openai(spec, tmp_path / "y.tiktoken")
        for text in strings:
            assert theirs.encode(text).ids == encoding.encode(text) == BruteForce(spec).encode(text)


def test_a_merge_list_that_tiktoken_accepts_gives_it_the_same_ids(tmp_path):
    """Whatever the order of merges and ids: what would differ must have been refused."""
    choose, refused = random.Random(9), 0
    strings = ["".join(choose.choices("abc", k=choose.randrange(1, 10))) for _ in range(100)]
    for number in range(200):
        spec = random_merge_list(choose, ignore_merges=bool(number % 2))
        try:
            encoding = openai(spec, tmp_path / "x.tiktoken")
        except ExportError:
            refused += 1
            continue
        assert all(encoding.encode(text) == BruteForce(spec).encode(text) for text in strings)
    assert 50 < refused < 150


def random_merge_list(choose: random.Random, *, ignore_merges: bool) -> TokenizerSpec:
    """A few merges over a, b, c; now and then with ids out of order, or a token without merge."""
    tokens = [b"a", b"b", b"c"]
    merges: dict[tuple[bytes, bytes], None] = {}
    while len(merges) < 5:
        pair = choose.choice(tokens), choose.choice(tokens)
        merges[pair] = None
        tokens += [pair[0] + pair[1]] * (pair[0] + pair[1] not in tokens)
    more = [b"abcabc"] * (b"abcabc" not in tokens and choose.random() < 0.3)
    pairs = list(merges)
    if choose.random() < 0.2:
        choose.shuffle(pairs)
    return byte_spec(pairs, pattern="[abc]+", more=more, ignore_merges=ignore_merges)


def test_characters_with_byte_fallback_read_alike(corpus, texts, tmp_path):
    """Known characters are tokens, unknown ones are their bytes, and decoding joins these again."""
    chars = sorted(set("".join(corpus[:3])) | set("日本語"))
    tokens = [bytes([byte]) for byte in range(256)] + [char.encode() for char in chars]
    ids = {token: 256 + number for number, token in enumerate(tokens[256:])}
    merges = []
    for left, right in ["th", ("th", "e"), "in", "日本", ("日本", "語"), "  ", ("  ", "  ")]:
        tokens.append((left + right).encode())
        ids[tokens[-1]] = len(tokens) - 1
        merges.append((ids[left.encode()], ids[right.encode()], len(tokens) - 1))
    vocabulary = Vocabulary(dict(enumerate(tokens)), tuple(range(256)))
    rules = SplitRules(NAMED["cl100k"], special_tokens=("<s>",))
    added = (AddedToken("<s>", len(tokens)),)
    spec = TokenizerSpec(vocabulary, MergeTable.from_merges(merges), rules, added, "chars")
    theirs, ours = hugging_face(spec, tmp_path / "ours"), BruteForce(spec)
    assert formats.read(tmp_path / "ours") == TokenizerSpec(**{**vars(spec), "name": "ours"})
    for text in ["the 日本語 in\n    the <s>", *texts[:1000]]:
        assert theirs.encode(text).ids == ours.encode(text)
        assert theirs.decode(theirs.encode(text).ids, skip_special_tokens=False) == text


@pytest.mark.parametrize("first_id", [258, 300, 2**31 - 3])
def test_ids_with_gaps_stay_as_they_are_in_hugging_face(first_id, tmp_path):
    """The library numbers added tokens by itself unless the vocabulary holds them."""
    added = [AddedToken("<|a|>", first_id), AddedToken("plain", first_id + 2, special=False)]
    spec = byte_spec([(b"h", b"e")], added=added)
    theirs = hugging_face(spec, tmp_path)
    text = "he<|a|>plain he"
    assert theirs.encode(text).ids == BruteForce(spec).encode(text)
    assert formats.read(tmp_path).added_tokens == spec.added_tokens


@pytest.mark.parametrize("ignore_merges", [False, True])
def test_a_token_that_no_merge_makes_is_found_only_as_a_whole(ignore_merges, tmp_path):
    """Llama 3 has such tokens; whether they are ever used is what `ignore_merges` says."""
    spec = byte_spec([(b"a", b"b")], more=[b"abcd"], ignore_merges=ignore_merges)
    theirs = hugging_face(spec, tmp_path)
    assert theirs.encode("abcd").ids == ([257] if ignore_merges else [256, 99, 100])
    assert theirs.encode("abcde").ids == [256, 99, 100, 101]
    assert formats.read(tmp_path).ignore_merges == ignore_merges


def test_the_order_of_merges_decides_and_not_the_ids(tmp_path):
    """In a merge list "bc" may come before "ab" although its id is higher."""
    spec = byte_spec([(b"b", b"c"), (b"a", b"b")])
    swapped = {**spec.vocabulary.tokens, 256: b"ab", 257: b"bc"}
    merges = MergeTable.from_merges([(98, 99, 257), (97, 98, 256)])
    spec = TokenizerSpec(Vocabulary(swapped, tuple(range(256))), merges, spec.rules)
    assert hugging_face(spec, tmp_path / "x").encode("abc").ids == [97, 257]
    with pytest.raises(ExportError, match=r"257 \(b'bc'\) is merged before token 256"):
        formats.write(spec, tmp_path / "x.tiktoken")


def test_a_whole_document_is_one_piece_without_a_pattern(tmp_path):
    """The library cannot do without a pattern; the one written for it matches everything."""
    spec = byte_spec([(b" ", b"\n"), (b"a", b" \n")], pattern=None)
    encoding, theirs = openai(spec, tmp_path / "x.tiktoken"), hugging_face(spec, tmp_path / "x")
    assert encoding.encode("a \na \n\n") == theirs.encode("a \na \n\n").ids == [257, 257, 10]
    assert formats.read(tmp_path / "x.tiktoken").rules.pattern is None
    assert formats.read(tmp_path / "x").rules.pattern is None
