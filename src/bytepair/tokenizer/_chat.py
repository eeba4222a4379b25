"""`Chat`: conversations to ids, whose control tokens come from the template alone."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from bytepair.chat import ChatTemplate, Message, Tool, Traced, template
from bytepair.errors import ArgumentError, SpecialTokenError
from bytepair.model import (
    NAMED_TOKENS,
    AddedToken,
    Conventions,
    TokenId,
    TokenizerSpec,
    Tokens,
    at_least_one,
    byte_positions,
    to_utf8,
)
from bytepair.tokenizer._cutters import Cutters
from bytepair.tokenizer._encode import Encoding
from bytepair.tokenizer._segments import SegmentCache, encode_segments
from bytepair.tokenizer._stretches import Stretches


class MaskedIds(NamedTuple):
    """Ids of a conversation, and for each: 1 if an assistant wrote it, else 0."""

    ids: list[TokenId]
    assistant_mask: list[int]


class Chat(Encoding):
    """Messages → ids. `Tokenizer` says what all of its methods share."""

    @cached_property
    def _controls(self) -> dict[str, "_Control"]:
        return {}

    @overload
    def apply_chat_template(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Tool] | None = None,
        documents: Sequence[Mapping[str, Any]] | None = None,
        chat_template: str | None = None,
        add_generation_prompt: bool = False,
        continue_final_message: bool | str = False,
        tokenize: Literal[True] = True,
        return_assistant_tokens_mask: Literal[False] = False,
        cache: SegmentCache | None = None,
        **variables: Any,
    ) -> list[TokenId]: ...

    @overload
    def apply_chat_template(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Tool] | None = None,
        documents: Sequence[Mapping[str, Any]] | None = None,
        chat_template: str | None = None,
        add_generation_prompt: bool = False,
        continue_final_message: bool | str = False,
        tokenize: Literal[True] = True,
        return_assistant_tokens_mask: Literal[True],
        cache: SegmentCache | None = None,
        **variables: Any,
    ) -> MaskedIds: ...

    @overload
    def apply_chat_template(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Tool] | None = None,
        documents: Sequence[Mapping[str, Any]] | None = None,
        chat_template: str | None = None,
        add_generation_prompt: bool = False,
        continue_final_message: bool | str = False,
        tokenize: Literal[False],
        return_assistant_tokens_mask: bool = False,
        cache: SegmentCache | None = None,
        **variables: Any,
    ) -> str: ...

    def apply_chat_template(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Tool] | None = None,
        documents: Sequence[Mapping[str, Any]] | None = None,
        chat_template: str | None = None,
        add_generation_prompt: bool = False,
        continue_final_message: bool | str = False,
        tokenize: bool = True,
        return_assistant_tokens_mask: bool = False,
        cache: SegmentCache | None = None,
        **variables: Any,
    ) -> str | list[TokenId] | MaskedIds:
        """A conversation as its model's chat template puts it, to ids.

        Control tokens come from the template and the tokenizer's named tokens alone: what stands in
        a message, a tool, a document or a variable is ordinary text, whatever it looks like. They
        are the special tokens and the other added ones that the template spells out. Nothing is put
        around the text, so there is no second begin token.

        Args:
            messages: dicts with "role" and "content", or what else the template knows.
            tools: JSON schemas, or functions with annotations and a docstring in Google's form.
            chat_template: name of one of the tokenizer's own, or Jinja; None: "tool_use" where
                there are tools and such a template, else "default".
            add_generation_prompt: end with the beginning of an assistant's message.
            continue_final_message: end within the last message (its "content", or the member that
                is named), for a model to go on.
            tokenize: False: the text alone, in which nothing tells whose a control token is.
            return_assistant_tokens_mask: also which ids stand in `{% generation %}` blocks.
            cache: keeps the ids of stretches between control tokens for the next call.
            variables: whatever else the template asks for.

        Raises:
            ArgumentError, InputTypeError: no template, no conversation, a function of which no
                schema can be made, or options that contradict each other.
            ChatTemplateError: the template is not valid, fails, or refuses the conversation.
            SpecialTokenError: a message spells a control token that the vocabulary makes of
                ordinary text too.
            MissingExtraError: jinja2 is not installed: `pip install "bytepair[chat]"`.

        >>> import bytepair
        >>> tok = bytepair.train(["hi"], vocab_size=257, special_tokens=["<end>"])
        >>> turns = "{% for m in messages %}{{ m.content }}<end>{% endfor %}"
        >>> tok.apply_chat_template([{"role": "user", "content": "<end>"}], chat_template=turns)
        [60, 101, 110, 100, 62, 256]
        """
        if return_assistant_tokens_mask and continue_final_message:
            raise ArgumentError(
                "return_assistant_tokens_mask and continue_final_message contradict each other: "
                "the message is not finished."
            )
        chosen = template(self._template_source(chat_template, has_tools=tools is not None))
        text = chosen.render(
            messages,
            tools=tools,
            documents=documents,
            named_tokens=self.spec.conventions.named_tokens,
            add_generation_prompt=add_generation_prompt,
            continue_final_message=continue_final_message,
            variables=variables,
        )
        if not tokenize:
            return text.plain()
        prompt = _Prompt(text, self._control(chosen))
        if return_assistant_tokens_mask:
            return MaskedIds(*self._masked(prompt))
        return self._prompt_ids(prompt, cache)

    def _template_source(self, wanted: str | None, *, has_tools: bool) -> str:
        known = self.spec.conventions.chat_templates
        if wanted is not None:
            if wanted not in known and "{" not in wanted:
                raise ArgumentError(
                    f"no chat template is called {wanted!r:.60} (known: {_names(known)})."
                )
            return known.get(wanted, wanted)
        for name in ("tool_use",) * has_tools + ("default",):
            if name in known:
                return known[name]
        raise ArgumentError(
            f"this tokenizer has no default chat template (known: {_names(known)}). Pass "
            "chat_template= or load the folder that holds one."
        )

    # ------------------------------------------------------------------ whose a token is

    def _control(self, chosen: ChatTemplate) -> "_Control":
        found = self._controls.get(chosen.source)
        if found is None:
            found = _Control(self, chosen.own_text)
            if len(self._controls) >= _MOST_KEPT:
                self._controls.clear()
            self._controls[chosen.source] = found
        return found

    def _prompt_ids(self, prompt: "_Prompt", cache: SegmentCache | None) -> list[TokenId]:
        control = prompt.control
        if prompt.is_plain and cache is None:
            ids = self._encoder.encode(prompt.data, control.trusted)
        else:
            segments = [(prompt.data, True)] if prompt.is_plain else prompt.runs
            ids = encode_segments(
                segments,
                Stretches(self._encoder, control.others.inner("all")),
                control.with_special,
                control.trusted,
                control.untrusted,
                cache,
            )
        prompt.require_own(ids)
        return ids

    def _masked(self, prompt: "_Prompt") -> tuple[list[TokenId], list[int]]:
        if prompt.is_plain:
            spans = self._encoder.encode_spans(prompt.data, prompt.control.trusted)
            ids: list[TokenId] = spans.ids.tolist()
            prompt.require_own(ids)
            return ids, _overlaps(spans.starts, spans.ends, prompt.generated_places())
        ids, contents = self._prompt_ids(prompt, None), all_contents(self.spec)
        ends = np.cumsum([len(contents[token]) for token in ids], dtype=np.int64)
        if not len(ends) or ends[-1] != len(prompt.data):
            raise ArgumentError(
                "a message spells a control token, and this tokenizer's normaliser changed the "
                "text: where its tokens come from is not known. Leave out "
                "return_assistant_tokens_mask."
            )
        starts = np.concatenate([np.zeros(1, np.int64), ends[:-1]])
        return ids, _overlaps(starts, ends, prompt.generated_places())


_MOST_KEPT = 16  # templates; programs use one or two


class _Control:
    """The control tokens of a template, and who looks for them."""

    def __init__(self, tokenizer: Chat, own_text: str) -> None:
        spec, cutters = tokenizer.spec, tokenizer._cutters
        tokens = [token for token in spec.added_tokens if _is_control(token, own_text)]
        self.contents = {token.id: token.content.encode() for token in tokens}
        self.trusted = cutters.of("all", ())
        others = [token for token in spec.added_tokens if token.id not in self.contents]
        self.others = Cutters(tokenizer._engine, others, spec.rules.normalizer)
        self.untrusted = self.others.of("all", ())
        self.made_by_merging = [i for i in self.contents if i in spec.vocabulary.tokens]
        self.with_special: Stretches | None = None
        if spec.rules.normalizer and any(token.normalized for token in tokens):
            self.with_special = Stretches(tokenizer._encoder, cutters.inner("all"))


def _is_control(token: AddedToken, own_text: str) -> bool:
    """Special, or written by the template; white space stands in every template."""
    return token.special or (token.content in own_text and not token.content.isspace())


class _Prompt:
    """A conversation's text as bytes, and which of its control tokens are the template's."""

    def __init__(self, text: Traced, control: _Control) -> None:
        self.text = text
        self.control = control
        self.runs = [(to_utf8(run), is_own) for run, is_own in text.runs()]
        self.data = b"".join(run for run, _ in self.runs)
        self._borders = list(accumulate((len(run) for run, _ in self.runs), initial=0))
        self.is_plain = control.with_special is None and all(
            self._is_own(start, stop) for start, stop in self._found(self.data)
        )

    def _found(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Where control tokens stand, without the white space that belongs to them."""
        for start, stop, token in self.control.trusted.cut(data):
            content = self.control.contents.get(token)
            if content is not None:
                place = data.find(content, start, stop)
                yield (start, stop) if place < 0 else (place, place + len(content))

    def _is_own(self, start: int, stop: int) -> bool:
        run = bisect_right(self._borders, start) - 1
        return self.runs[run][1] and stop <= self._borders[run + 1]

    def generated_places(self) -> list[tuple[int, int]]:
        """(first byte, last + 1) of what a model would have written."""
        places = self.text.generated_places()
        flat = byte_positions(self.text.plain(), [place for pair in places for place in pair])
        return list(zip(flat[::2], flat[1::2], strict=True))

    def require_own(self, ids: list[TokenId]) -> None:
        """Refuse ids of control tokens that merging made of a message."""
        for token in self.control.made_by_merging:
            content = self.control.contents[token]
            texts = [self.data] if self.is_plain else [run for run, is_own in self.runs if is_own]
            n_own = sum(
                text[start:stop] == content for text in texts for start, stop in self._found(text)
            )
            if ids.count(token) > n_own:
                raise SpecialTokenError(
                    f"a message spells the control token {content.decode()!r}, and this vocabulary "
                    "makes that token of ordinary text too, so the two cannot be told apart."
                )


def _overlaps(
    starts: NDArray[np.int64], ends: NDArray[np.int64], places: list[tuple[int, int]]
) -> list[int]:
    mask = np.zeros(len(starts), np.int64)
    for first, last in places:
        mask[(starts < last) & (ends > first)] = 1
    result: list[int] = mask.tolist()
    return result


def all_contents(spec: TokenizerSpec) -> Tokens:
    """All tokens, as they stand in text."""
    added = {token.id: token.content.encode() for token in spec.added_tokens}
    return spec.vocabulary.flat.replaced(added)


def _names(known: Mapping[str, str]) -> str:
    return ", ".join(known) or "none"


def with_conventions(
    spec: TokenizerSpec,
    chat_template: str | Mapping[str, str] | None,
    max_length: int | None,
    named_tokens: Mapping[str, str],
) -> TokenizerSpec:
    """`spec` with these conventions besides its own, or instead of those of the same name."""
    known = {token.content for token in spec.added_tokens}
    for name, content in named_tokens.items():
        if name not in NAMED_TOKENS:
            raise ArgumentError(
                f"no token is named {name!r:.60} (names: {', '.join(NAMED_TOKENS)})."
            )
        if content not in known:
            raise ArgumentError(f"{name}={content!r:.60} is not an added token of this tokenizer.")
    changed: Conventions = replace(
        spec.conventions, named_tokens={**spec.conventions.named_tokens, **named_tokens}
    )
    if chat_template is not None:
        if isinstance(chat_template, str):
            chat_template = {"default": chat_template}
        changed = replace(changed, chat_templates=dict(chat_template))
    if max_length is not None:
        changed = replace(changed, max_length=at_least_one("max_length", max_length))
    return replace(spec, conventions=changed)
