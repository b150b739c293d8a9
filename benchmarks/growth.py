"""How the cost grows: with calls in flight, the size of a page, of an array and of a body. `picture` draws the curves as SVG."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from . import changes
from .measure import Task, measure
from .server import Address
from .sides import RAW, SDK

IN_FLIGHT = (1, 3, 10, 30, 100, 300, 1000)
RAW_IN_FLIGHT = 100  # httpx has 100 connections; with 1,000 calls in flight, one waits for minutes
PAGE_SIZES = (1, 3, 10, 30, 100)
ARRAY_SIZES = (10, 30, 100, 300, 1000, 3000, 10_000)
BODY_BYTES = (10**3, 10**4, 10**5, 10**6, 10**7)

COLOURS = {RAW: "#8a6d3b", SDK: "#1f6feb"}
_WIDTH, _HEIGHT = 400, 270  # of a panel
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 18, 34, 46


@dataclass(frozen=True)
class Chart:
    """Curves over one quantity, by side. Both axes are logarithmic."""

    title: str
    quantity: str
    unit: str
    sizes: Sequence[int]
    curves: dict[str, list[tuple[int, float]]]


def charts(address: Address, *, quick: bool) -> Iterator[Chart]:
    """Measure the curves, and yield a chart for each quantity."""
    rounds = 3 if quick else 5
    fewest = 25 if quick else 100

    def curves(sizes: Sequence[int], task: Callable[[int], Task]) -> dict[str, list[tuple[int, float]]]:
        found: dict[str, list[tuple[int, float]]] = {RAW: [], SDK: []}
        for size in sizes:
            sides = (RAW, SDK) if task(size).in_flight <= RAW_IN_FLIGHT else (SDK,)
            for row in measure(task(size), sides, address, rounds):
                found[row.side].append((size, row.median("cpu")))
        return found

    yield Chart(
        "Concurrent calls",
        "calls in flight",
        "us CPU per call",
        IN_FLIGHT,
        curves(IN_FLIGHT, lambda size: Task("", max(fewest, 2 * size), in_flight=size)),
    )
    yield Chart(
        "A page, typed by the SDK",
        "agents on the page",
        "us CPU per page",
        PAGE_SIZES,
        curves(PAGE_SIZES, lambda size: Task("", fewest, size=size)),
    )
    applied = [(size, changes.applying(size, rounds) * 1e3) for size in ARRAY_SIZES]
    yield Chart(
        "Applying a change of one object", "objects in the array", "us CPU per change", ARRAY_SIZES, {SDK: applied}
    )
    yield Chart(
        "A long answer",
        "bytes of the body",
        "us CPU per call",
        BODY_BYTES,
        curves(BODY_BYTES, lambda size: Task("", max(3, fewest // max(1, size // 10**5)), prefix=f"/bytes/{size}")),
    )


def picture(drawn: Sequence[Chart]) -> str:
    """Return charts as an SVG with two columns."""
    rows = math.ceil(len(drawn) / 2)
    width, height = 2 * _WIDTH, rows * _HEIGHT
    panels = "".join(_panel(chart, n % 2 * _WIDTH, n // 2 * _HEIGHT) for n, chart in enumerate(drawn))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="system-ui, sans-serif" font-size="12" fill="#24292f" role="img" '
        'aria-label="CPU time of the SDK and of raw httpx over four quantities">\n'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n{panels}</svg>\n'
    )


def _panel(chart: Chart, left: float, top: float) -> str:
    values = [value for curve in chart.curves.values() for _, value in curve]
    x = _scale(min(chart.sizes), max(chart.sizes), _LEFT, _WIDTH - _RIGHT)
    bottom, highest = 10 ** math.floor(math.log10(min(values))), 10 ** math.ceil(math.log10(max(values)))
    y = _scale(bottom, highest, _HEIGHT - _BOTTOM, _TOP)
    parts = [
        f'<text x="{_LEFT}" y="18" font-size="14" font-weight="600">{escape(chart.title)}</text>',
        f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2}" y="{_HEIGHT - 10}" text-anchor="middle">{escape(chart.quantity)}</text>',
        f'<text transform="translate(13 {_HEIGHT / 2}) rotate(-90)" text-anchor="middle">{escape(chart.unit)}</text>',
    ]
    for value in _powers(bottom, highest):
        parts.append(f'<path d="M{_LEFT} {y(value):.1f}H{_WIDTH - _RIGHT}" stroke="#d0d7de"/>')
        parts.append(f'<text x="{_LEFT - 5}" y="{y(value) + 4:.1f}" text-anchor="end">{_label(value)}</text>')
    below = _HEIGHT - _BOTTOM + 16
    parts += [
        f'<text x="{x(value):.1f}" y="{below}" text-anchor="middle">{_label(value)}</text>'
        for value in _powers(min(chart.sizes), max(chart.sizes))
    ]
    for number, (side, curve) in enumerate(chart.curves.items()):
        colour = COLOURS[side]
        points = [(x(size), y(value)) for size, value in curve]
        path = " ".join(f"{horizontal:.1f},{vertical:.1f}" for horizontal, vertical in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="3" fill="{colour}"/>' for cx, cy in points]
        parts.append(
            f'<text x="{_LEFT + 8}" y="{_TOP + 14 + 15 * number}" fill="{colour}" font-weight="600">{side}</text>'
        )
    return f'<g transform="translate({left} {top})">\n' + "\n".join(parts) + "\n</g>\n"


def _scale(lowest: float, highest: float, begin: float, end: float) -> Callable[[float], float]:
    span = math.log10(highest / lowest)
    return lambda value: begin + math.log10(value / lowest) / span * (end - begin)


def _powers(lowest: float, highest: float) -> Iterator[float]:
    exponent = math.ceil(math.log10(lowest) - 1e-9)
    while 10**exponent <= highest * (1 + 1e-9):
        yield 10.0**exponent
        exponent += 1


def _label(value: float) -> str:
    for limit, letter in ((10**6, "M"), (10**3, "k")):
        if value >= limit:
            return f"{value / limit:g}{letter}"
    return f"{value:g}"
