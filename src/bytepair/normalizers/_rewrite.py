"""Normalisers that replace what a regex finds."""

import re
from collections.abc import Callable, Iterable, Iterator

from bytepair.model import CharMap, Replace, Strip
from bytepair.normalizers._aligned import Edit
from bytepair.patterns import SPACES, matches

WHITE_SPACE = f"[{SPACES}]"


class Rewrite:
    """Each match becomes `content`, or what that makes of it; stdlib `re` runs the pattern."""

    def __init__(self, pattern: str, content: str | Callable[[str], str]) -> None:
        self._pattern = re.compile(pattern, re.DOTALL)
        self._content = content if callable(content) else lambda _: content

    def apply(self, text: str) -> str:
        """The whole text with all matches replaced."""
        return self._pattern.sub(lambda match: self._content(match[0]), text)

    def edits(self, text: str) -> Iterator[Edit]:
        """The replacements that make a difference."""
        for match in self._pattern.finditer(text):
            content = self._content(match[0])
            if content != match[0]:
                yield match.start(), match.end(), content


class ReplaceMatches:
    """`Replace`: literal text, or a regex of the dialect of the tokenizers' files."""

    def __init__(self, step: Replace) -> None:
        self._pattern = step.pattern if step.is_regex else re.escape(step.pattern)
        self._content = step.content

    def apply(self, text: str) -> str:
        """The whole text with all matches replaced."""
        return edited(text, self.edits(text))

    def edits(self, text: str) -> Iterator[Edit]:
        """All matches. An empty text has none."""
        for match in matches(self._pattern, text) if text else ():
            yield match.start(), match.end(), self._content


class MapCharacters:
    """`CharMap`: the longest key at a place is replaced; the search goes on behind it."""

    def __init__(self, step: CharMap) -> None:
        self._replacement_by_key = step.replacement_by_key
        self._longest_by_first = step.longest_by_first

    def apply(self, text: str) -> str:
        """The whole text with all keys replaced."""
        return edited(text, self.edits(text))

    def edits(self, text: str) -> Iterator[Edit]:
        """The keys that become something else."""
        place = 0
        while place < len(text):
            key = self._key_at(text, place)
            content = self._replacement_by_key.get(key, key)
            if content != key:
                yield place, place + len(key), content
            place += len(key)

    def _key_at(self, text: str, place: int) -> str:
        longest = self._longest_by_first.get(text[place], 1)
        keys = (text[place : place + length] for length in range(longest, 1, -1))
        return next((key for key in keys if key in self._replacement_by_key), text[place])


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with these changes: ascending, none overlaps another."""
    parts = []
    done = 0
    for start, end, content in edits:
        parts += [text[done:start], content]
        done = end
    return "".join([*parts, text[done:]])


def strip(step: Strip) -> Rewrite:
    """`Strip`: white space at the ends becomes nothing."""
    left = rf"\A{WHITE_SPACE}+"
    right = rf"(?<!{WHITE_SPACE}){WHITE_SPACE}++\Z"  # looks at each run once
    sides = [side for side, wanted in ((left, step.left), (right, step.right)) if wanted]
    return Rewrite("|".join(sides) or "(?!)", "")


def prepend(text: str) -> Rewrite:
    """`Prepend`: what is not empty begins with `text`."""
    return Rewrite(r"\A(?=.)", text)
