"""The normalisers that have a name, each as one rewriting after the other."""

from collections.abc import Callable, Mapping
from functools import cache, partial

from bytepair.normalizers._forms import FORMS, Form, NormalForm
from bytepair.normalizers._rewrite import WHITE_SPACE, Rewrite
from bytepair.normalizers._tables import char_class, code_points, lower_case

Rewriting = Rewrite | NormalForm

# As BERT has them: without the Chinese characters of later Unicode versions.
_CHINESE = "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b81f"
_CHINESE += "\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f]"
# As SentencePiece trains with by default (its rule "nmt").
_NMT_REMOVED = "[\x01-\x08\x0b\x0e-\x1f\x7f\x8f\x9f]"
_NMT_SPACES = "[\t\n\f\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]"


def _form(form: Form) -> list[Rewriting]:
    return [NormalForm(form)]


def _lowercase() -> Rewrite:
    # Character by character: str.lower() would turn a final capital sigma by its neighbours.
    small = lower_case()
    return Rewrite(char_class({ord(capital) for capital in small}), small.__getitem__)


def _without(section: str) -> Rewrite:
    return Rewrite(char_class(code_points(section)), "")


USERS: Mapping[str, Callable[[], list[Rewriting]]] = {
    **{name: partial(_form, form) for name, form in FORMS.items()},
    "lowercase": lambda: [_lowercase()],
    "strip-accents": lambda: [_without("accents")],
    "collapse-whitespace": lambda: [Rewrite(f"{WHITE_SPACE}+", " ")],
}
"""Those that a user may name."""

_OF_FILES: Mapping[str, Callable[[], list[Rewriting]]] = {
    "bert-clean-text": lambda: [_without("bert-controls"), Rewrite(WHITE_SPACE, " ")],
    "bert-chinese-chars": lambda: [Rewrite(_CHINESE, " {} ".format)],
    "bert-strip-accents": lambda: [_without("bert-accents")],
    "nmt": lambda: [Rewrite(_NMT_REMOVED, ""), Rewrite(_NMT_SPACES, " ")],
}
"""Parts of tokenizers made elsewhere."""


@cache
def named(name: str) -> list[Rewriting]:
    r"""What the normaliser does, in order; put together when it is first used.

    >>> [rewriting.apply(" a\tb") for rewriting in named("bert-clean-text")]
    [' a\tb', ' a b']
    """
    return {**USERS, **_OF_FILES}[name]()
