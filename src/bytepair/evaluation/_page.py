"""HTML that stands by itself: pages, tables and tokens as people can read them."""

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

_MOST_CHARS = 40  # of a token, and of a cell that has no space to break at


def page(title: str, heading: str, sections: Iterable[str]) -> str:
    """A page with its style inside; it loads nothing."""
    style = files("bytepair.evaluation").joinpath("report.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_text(title)}</title><style>{style}</style></head>\n"
        f"<body><main><h1>{_text(heading)}</h1>\n"
        + "\n".join(sections)
        + "\n</main></body></html>\n"
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = False) -> str:
    """Rows of text; without a head each is a name and what it is. `numbers` are to the right."""
    top = "".join(f"<th>{_text(cell)}</th>" for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    kind = "numbers" if numbers else "" if head else "facts"
    first = f"<tr>{top}</tr>" if top else ""
    return f'<div class="wide"><table class="{kind}">{first}{body}</table></div>'


def chips(tokens: Iterable[tuple[bytes, str]]) -> str:
    """Tokens, each with a note."""
    items = "".join(
        f"<li><code>{shown(data)}</code><span>{_text(note)}</span></li>" for data, note in tokens
    )
    return f'<ul class="chips">{items}</ul>' if items else "<p>none</p>"


def shown(data: bytes) -> str:
    r"""Bytes as a page shows them, escaped; the rest of long ones is left out.

    >>> shown(b" a<b\xff\n")
    '·a&lt;b\\xff\\n'
    """
    text = visible(data)
    return escape(text if len(text) <= _MOST_CHARS else text[: _MOST_CHARS - 1] + "…")


def visible(data: bytes) -> str:
    r"""Bytes as text: spaces as dots, what is not printable by number.

    >>> visible(b" a<b\xff\n")
    '·a<b\\xff\\n'
    """
    text = data.decode("utf-8", "backslashreplace").replace(" ", "·")
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def is_text(data: bytes) -> bool:
    """True if these bytes are whole characters."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _text(text: str) -> str:
    """Escaped; half a surrogate pair, which no page can hold, becomes U+FFFD."""
    return escape(text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))
