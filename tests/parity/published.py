r"""Pre-token patterns as they are published, letter by letter.

Sources: tiktoken's `openai_public.py`; the `tokenizer.json` files, many of them quoted in the
comments of llama.cpp's `src/llama-vocab.cpp`; `tokenization_kimi.py`; open_clip's tokenizer.
"""

_SMALL = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_U, _L = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
_FIRST = r"[^\r\n\p{L}\p{N}]?"
_SIGNS = r" ?[^\s\p{L}\p{N}]+"
_SPACE = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_DEEPSEEK_SIGNS = r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+"
_DEEPSEEK_WORDS = r"[^" + "\r\n" + r"\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
_CAPITALS = r"[^\r\n\p{L}\p{N}]?((?=[\p{L}])([^a-z]))*((?=[\p{L}])([^A-Z]))+"

HUGGING_FACE = {
    "gpt2": rf"'s|'t|'re|'ve|'m|'ll|'d| ?\p{{L}}+| ?\p{{N}}+|{_SIGNS}|\s+(?!\S)|\s+",
    "llama3": rf"{_SMALL}|{_FIRST}\p{{L}}+|\p{{N}}{{1,3}}|{_SIGNS}[\r\n]*|{_SPACE}",
    "qwen2": rf"{_SMALL}|{_FIRST}\p{{L}}+|\p{{N}}|{_SIGNS}[\r\n]*|{_SPACE}",
    "qwen3.5": rf"{_SMALL}|{_FIRST}[\p{{L}}\p{{M}}]+|\p{{N}}"
    rf"| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{_SPACE}",
    "gpt-oss": rf"{_FIRST}[{_U}]*[{_L}]+{_SMALL}?|{_FIRST}[{_U}]+[{_L}]*{_SMALL}?"
    rf"|\p{{N}}{{1,3}}|{_SIGNS}[\r\n/]*|{_SPACE}",
    "tekken": rf"{_FIRST}[{_U}]*[{_L}]+|{_FIRST}[{_U}]+[{_L}]*|\p{{N}}|{_SIGNS}[\r\n/]*|{_SPACE}",
    "tekken in llama.cpp": rf"{_CAPITALS}|\p{{N}}|{_SIGNS}[\r\n/]*|{_SPACE}",
    "deepseek numbers": r"\p{N}{1,3}",
    "deepseek cjk": "[一-龥぀-ゟ゠-ヿ]+",
    "deepseek words": rf"{_DEEPSEEK_SIGNS}|{_DEEPSEEK_WORDS}| ?[\p{{P}}\p{{S}}]+"
    "[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
    "deepseek-llm lines": "[\r\n]",
    "deepseek-llm signs": r"\s?[!-/:-~！-／：-～‘-‟　-。]+",
    "deepseek-llm space": r"\s+$",
    "deepseek-llm cjk": "[一-龥ࠀ-一가-퟿]+",
    "deepseek-coder letters": r"\s?\p{L}+",
    "deepseek-coder signs": r"\s?\p{P}+",
    "bloom": r" ?[^(\s|[.,!?…。，、।۔،])]+",
    "falcon numbers": "[0-9][0-9][0-9]",
    "falcon in llama.cpp": r"[\p{P}\$\+<=>\^~\|`]+",
    "jais2": rf"{_SMALL}|{_FIRST}\p{{L}}+|\p{{N}}{{1,3}}|{_SIGNS}[\r\n]*|\s*[\r\n]+"
    r"|\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)"
    r"|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1}",
    "bailing": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*"
    r"|\s*[\r\n]|\s+(?!\S)|\s+",
    "seed-coder": rf"{_SMALL}|{_FIRST}\p{{L}}+|\p{{N}}{{1}}| ?[^\s\p{{L}}\p{{N}}"
    "\r\n]+|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
    "exaone-moe": rf"{_SMALL}|{_FIRST}(?:\p{{L}}\p{{M}}*(?: \p{{L}}\p{{M}}*)*)+|\p{{N}}"
    rf"|{_SIGNS}[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+",
    "ufakzeka": rf"{_FIRST}\p{{L}}+|\p{{N}}|{_SIGNS}[\r\n]*|{_SPACE}",
    "minicpm5": rf"{_SMALL}|{_FIRST}\p{{L}}+|\p{{N}}+|{_SIGNS}[\r\n]*|{_SPACE}",
    "youtu": "[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|[一-龥぀-ゟ゠-ヿ]+",
    "spark": rf"{_DEEPSEEK_SIGNS}|{_DEEPSEEK_WORDS}| ?[\p{{P}}\p{{S}}]+|"
    "[\r\n]|\\s+(?!\\S)|\\s+",
    "afmoe": "[一-鿿㐀-䶿豈-﫿぀-ゟ゠-ヿ･-ﾟ⼀-⿟เ-๿຀-໿ក-៿က-႟ꩠ-ꩿꧠ-꧿가-힯ᄀ-ᇿ]+",
    "chameleon images": r"(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z",
    "chameleon sentinels": "<sentinel:[0-9]+>",
    "chameleon space": "([\t\n]|    |  )",
    "chameleon signs": r"[\p{P}!-/:-@\[-`{-~]",
    "gemma": r" ?[^\s\p{L}\p{N}]+\r*",
    "lines": r"[^\n]+|[\n]+",
    "granite": _CAPITALS.replace(r"[\p{L}]", r"[\p{L}\p{M}]") + rf"{_SMALL}?|\p{{N}}{{1,3}}|\s+",
    "words": r"\w+|[^\w\s]+",
    "whitespace": r"\S+",
    "digits": r"\d",
    "superbpe numbers": r"\p{N}+",
    "clip": r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
}

TIKTOKEN = {
    "r50k": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
    "cl100k": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++"
    r"[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    "cl100k of old": rf"{_SMALL}|{_FIRST}\p{{L}}+|\p{{N}}{{1,3}}|{_SIGNS}[\r\n]*|{_SPACE}",
    "cl100k of 2023": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+",
    "o200k": HUGGING_FACE["gpt-oss"],
    "qwen": HUGGING_FACE["qwen2"],
    "kimi-k2": rf"[\p{{Han}}]+|{_FIRST}[{_U}&&[^\p{{Han}}]]*[{_L}&&[^\p{{Han}}]]+{_SMALL}?"
    rf"|{_FIRST}[{_U}&&[^\p{{Han}}]]+[{_L}&&[^\p{{Han}}]]*{_SMALL}?"
    rf"|\p{{N}}{{1,3}}|{_SIGNS}[\r\n]*|{_SPACE}",
    "clip": r"(?i)<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]"
    r"|[^\s\p{L}\p{N}]+",
}
