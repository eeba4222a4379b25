"""Plots as SVG: crisp at any size, coloured by the page's style, without any library."""

import math
from collections.abc import Sequence
from html import escape

_WIDTH, _HEIGHT = 640, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 16, 12, 44
_BAR = 20

Point = tuple[float, float]


def line_plot(
    points: Sequence[Point], x_label: str, y_label: str, *, log_x: bool = False, log_y: bool = False
) -> str:
    """A line through the points, x ascending; with `log_x`, `log_y` these must be above 0."""
    xs = _Axis([x for x, _ in points], _LEFT, _WIDTH - _RIGHT, log=log_x)
    ys = _Axis([y for _, y in points], _HEIGHT - _BOTTOM, _TOP, log=log_y)
    path = " ".join(f"{xs.at(x):.1f},{ys.at(y):.1f}" for x, y in points)
    dots = ""
    if len(points) <= 16:
        dots = "".join(
            f'<circle cx="{xs.at(x):.1f}" cy="{ys.at(y):.1f}" r="3"><title>{_number(x)}: '
            f"{_number(y)}</title></circle>"
            for x, y in points
        )
    body = f'{_grid(xs, ys)}<polyline points="{path}"/>{dots}{_labels(x_label, y_label)}'
    return _svg(_WIDTH, _HEIGHT, f"{y_label} by {x_label}", body)


def bar_plot(rows: Sequence[tuple[str, float]], label: str, *, most: float | None = None) -> str:
    """A horizontal bar a row, as long as its number, which stands behind it.

    Args:
        most: the number of the longest possible bar; None: the largest.
    """
    most = most or max((value for _, value in rows), default=1) or 1
    # Letters are larger on narrow screens: names need this room there.
    names = min(max([112, *(10 * len(name) + 12 for name, _ in rows)]), 220)
    room = _WIDTH - names - 68
    parts = []
    for number, (name, value) in enumerate(rows):
        y = number * _BAR
        width = max(value / most * room, 1)
        parts.append(
            f'<text class="name" x="{names}" y="{y + 14}">{escape(name)}</text>'
            f'<rect x="{names + 8}" y="{y + 3}" width="{width:.1f}" height="{_BAR - 6}" rx="2"/>'
            f'<text x="{names + 14 + width:.1f}" y="{y + 14}">{_number(value)}</text>'
        )
    return _svg(_WIDTH, max(len(rows), 1) * _BAR + 4, label, "".join(parts))


class _Axis:
    """Numbers to places between `start` and `end`."""

    def __init__(self, values: Sequence[float], start: float, end: float, *, log: bool) -> None:
        self._log = log
        low, high = min(values, default=1.0), max(values, default=1.0)
        if not log:
            low = min(low, 0.0)
        self.low, self.high = low, high if high > low else low + 1
        self._start, self._end = start, end

    def at(self, value: float) -> float:
        """Where a number is."""
        low, high = self._scale(self.low), self._scale(self.high)
        return self._start + (self._scale(value) - low) / (high - low) * (self._end - self._start)

    def ticks(self) -> list[float]:
        """Some round numbers within."""
        if self._log:
            powers = range(math.floor(math.log10(self.low)), math.floor(math.log10(self.high)) + 1)
            factors = (1,) if len(powers) > 3 else (1, 2, 5)
            round_ones = [factor * 10.0**power for power in powers for factor in factors]
            return [value for value in round_ones if self.low <= value <= self.high]
        step = 10 ** math.floor(math.log10((self.high - self.low) or 1))
        step = next(s for s in (step / 5, step / 2, step, 2 * step) if self._n(s) <= 6)
        first = math.ceil(self.low / step)
        return [step * n for n in range(first, first + self._n(step) + 1) if step * n <= self.high]

    def _n(self, step: float) -> int:
        return int((self.high - self.low) / step)

    def _scale(self, value: float) -> float:
        return math.log10(value) if self._log else value


def _grid(xs: _Axis, ys: _Axis) -> str:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    lines = [
        f'<line class="grid" x1="{_LEFT}" x2="{right}" y1="{ys.at(y):.1f}" y2="{ys.at(y):.1f}"/>'
        f'<text class="name" x="{_LEFT - 6}" y="{ys.at(y) + 4:.1f}">{_number(y)}</text>'
        for y in ys.ticks()
    ]
    lines += [
        f'<text class="mid" x="{xs.at(x):.1f}" y="{bottom + 16}">{_number(x)}</text>'
        for x in xs.ticks()
    ]
    return "".join([*lines, f'<line x1="{_LEFT}" x2="{right}" y1="{bottom}" y2="{bottom}"/>'])


def _labels(x_label: str, y_label: str) -> str:
    middle = (_HEIGHT - _BOTTOM + _TOP) / 2
    return (
        f'<text class="mid" x="{(_WIDTH + _LEFT) / 2}" y="{_HEIGHT - 6}">{escape(x_label)}</text>'
        f'<text class="mid" transform="translate(14 {middle}) rotate(-90)">{escape(y_label)}</text>'
    )


def _svg(width: int, height: int, title: str, body: str) -> str:
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">{body}</svg>'
    )


def _number(value: float) -> str:
    """A number as plots show it.

    >>> [_number(n) for n in (12000.0, 1_000_000.0, 3.0, 2.345)]
    ['12k', '1M', '3', '2.35']
    """
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"
