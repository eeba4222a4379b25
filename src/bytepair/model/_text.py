"""Text to bytes, the one way all of bytepair does it."""


def to_utf8(text: str) -> bytes:
    r"""Encode any `str`, also one that no codec accepts because it holds surrogates.

    A high surrogate followed by a low one becomes the code point the two stand for; a lone
    surrogate becomes U+FFFD. Ordinary text takes the fast path.

    >>> to_utf8("\ud83d\ude00") == "\U0001f600".encode()
    True
    >>> to_utf8("a\ud800b").decode()
    'a\ufffdb'
    """
    try:
        return text.encode()
    except UnicodeEncodeError:
        # UTF-16 is where surrogates come from: written out as they are and read back, pairs join.
        units = text.encode("utf-16-le", "surrogatepass")
        return units.decode("utf-16-le", "replace").encode()
