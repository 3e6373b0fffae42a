"""A plot of how figures grow, both axes by powers of ten; written as SVG with nothing but text."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

Series = Mapping[str, Sequence[tuple[float, float]]]

_WIDTH: Final = 720
_HEIGHT: Final = 420
_LEFT: Final = 70
_RIGHT: Final = 210  # the names stand there
_TOP: Final = 30
_BOTTOM: Final = 50
_FONT: Final = 'font-family="sans-serif" font-size="12"'
_COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Okabe and Ito's, which everybody can tell apart."""


class _Scale:
    """From a value to a place on an axis, whole powers of ten at both ends."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        self.low = math.floor(math.log10(min(values)))
        self.high = max(math.ceil(math.log10(max(values))), self.low + 1)
        self._start, self._end = start, end

    def place(self, value: float) -> float:
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self._start + share * (self._end - self._start)

    @property
    def powers(self) -> range:
        return range(self.low, self.high + 1)


def plot(series: Series, *, title: str, x_name: str, y_name: str) -> str:
    """The SVG of *series*: for each name its points, in ascending order of x."""
    points = [point for line in series.values() for point in line]
    x_scale = _Scale([x for x, _ in points], _LEFT, _WIDTH - _RIGHT)
    y_scale = _Scale([y for _, y in points], _HEIGHT - _BOTTOM, _TOP)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" {_FONT}>',
            f"<title>{escape(title)}</title>",
            f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
            *_grid(x_scale, y_scale),
            _text(_LEFT, _TOP - 12, title, weight="bold"),
            _text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 10, x_name, anchor="middle"),
            f'<g transform="rotate(-90 16 {_HEIGHT / 2})">',
            _text(16, _HEIGHT / 2, y_name, anchor="middle"),
            "</g>",
            *_lines(series, x_scale, y_scale),
            "</svg>\n",
        ]
    )


def _grid(x_scale: _Scale, y_scale: _Scale) -> list[str]:
    parts = []
    for power in x_scale.powers:
        x = x_scale.place(10**power)
        parts.append(_rule(x, _TOP, x, _HEIGHT - _BOTTOM))
        parts.append(_text(x, _HEIGHT - _BOTTOM + 18, f"{10**power:,}", anchor="middle"))
    for power in y_scale.powers:
        y = y_scale.place(10**power)
        parts.append(_rule(_LEFT, y, _WIDTH - _RIGHT, y))
        parts.append(_text(_LEFT - 8, y + 4, f"{10**power:g}", anchor="end"))
    return parts


def _lines(series: Series, x_scale: _Scale, y_scale: _Scale) -> list[str]:
    parts = []
    ends = _spread({name: y_scale.place(line[-1][1]) for name, line in series.items()})
    for number, (name, line) in enumerate(series.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        places = [(x_scale.place(x), y_scale.place(y)) for x, y in line]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
        parts.append(_text(_WIDTH - _RIGHT + 12, ends[name] + 4, name, colour=colour))
    return parts


def _spread(places: Mapping[str, float]) -> dict[str, float]:
    """*places* moved apart so that no two names lie upon each other."""
    spread: dict[str, float] = {}
    free = 0.0
    for name, y in sorted(places.items(), key=lambda item: item[1]):
        spread[name] = max(y, free)
        free = spread[name] + 15
    return spread


def _rule(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="#dddddd"/>'


def _text(
    x: float,
    y: float,
    text: str,
    *,
    anchor: str = "start",
    weight: str = "normal",
    colour: str = "#222222",
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}"'
        f' fill="{colour}">{escape(text)}</text>'
    )
