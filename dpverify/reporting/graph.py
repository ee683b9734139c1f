"""What one claim leans on, as a small SVG: the claim at the foot, below it nothing, above it what it uses.

A claim stands one row below the lowest claim it uses, three boxes to a row, so that a phone shows them at
full size. Colour tells the verdict, and so does the sign before the name; a dashed frame is a claim tainted
by a refuted one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape
from typing import Any

MARK = {"PROVED": "✓", "REFUTED": "✗", "SUPPORTED": "~", "UNDECIDED": "?"}
WIDE = 112
HIGH = 22
GAP_X = 6
GAP_Y = 30
PER_ROW = 3
MOST = 24  # boxes; beyond them only what is leaned on directly is drawn
Record = dict[str, Any]


def leaned_on(id: str, by_id: dict[str, Record]) -> list[str]:
    """The claim and what it leans on at any distance, in the order of the papers; the nearest alone if that
    is too much to look at.

    >>> records = {"p/a": {"uses": []}, "p/b": {"uses": ["p/a"]}, "p/c": {"uses": []}}
    >>> leaned_on("p/b", records)
    ['p/a', 'p/b']
    """
    seen, todo = {id}, [id]
    while todo:
        for used in by_id[todo.pop()]["uses"]:
            if used in by_id and used not in seen:
                seen.add(used)
                todo.append(used)
    if len(seen) > MOST:
        seen = {id, *(used for used in by_id[id]["uses"] if used in by_id)}
    return [other for other in by_id if other in seen]


def layers(ids: list[str], by_id: dict[str, Record]) -> list[list[str]]:
    """The claims by row, those that lean on nothing shown first.

    >>> layers(["p/a", "p/b"], {"p/a": {"uses": []}, "p/b": {"uses": ["p/a"]}})
    [['p/a'], ['p/b']]
    """
    known, depth = set(ids), {}

    def level(id: str) -> int:
        if id not in depth:
            depth[id] = 0  # a circle, which claims may not form, would otherwise not end
            depth[id] = 1 + max((level(u) for u in by_id[id]["uses"] if u in known), default=-1)
        return depth[id]

    rows: list[list[str]] = []
    for id in ids:
        while len(rows) <= level(id):
            rows.append([])
        rows[level(id)].append(id)
    return rows


def draw(id: str, by_id: dict[str, Record], link: Callable[[str], str]) -> str:
    """The picture of one claim as SVG text, each box a link; empty if it leans on nothing."""
    ids = leaned_on(id, by_id)
    if len(ids) < 2:
        return ""
    rows = [row[i : i + PER_ROW] for row in layers(ids, by_id) for i in range(0, len(row), PER_ROW)]
    at = {
        other: (4 + i * (WIDE + GAP_X), 4 + r * (HIGH + GAP_Y))
        for r, row in enumerate(rows)
        for i, other in enumerate(row)
    }
    width = 8 + max(len(row) for row in rows) * (WIDE + GAP_X) - GAP_X
    height = 8 + len(rows) * (HIGH + GAP_Y) - GAP_Y
    parts = [
        f'<svg class="graph" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="What {escape(id, quote=True)} leans on: {len(at) - 1} claims">',
        *_edges(by_id, at),
        *_nodes(by_id, at, link),
        "</svg>",
    ]
    return "\n".join(parts)


def _edges(by_id: dict[str, Record], at: dict[str, tuple[int, int]]) -> Iterable[str]:
    for id, (x, y) in at.items():
        for used in by_id[id]["uses"]:
            if used in at:
                ux, uy = at[used]
                refuted = by_id[used]["verdict"] == "REFUTED"
                taint = " taint" if refuted and by_id[used]["correction"] not in by_id[id]["uses"] else ""
                x1 = ux + WIDE // 2
                y1 = uy + HIGH
                x2 = x + WIDE // 2
                y2 = y
                mid = (y1 + y2) // 2
                yield f'<path class="edge{taint}" d="M{x1} {y1} C{x1} {mid} {x2} {mid} {x2} {y2}"/>'


def _nodes(
    by_id: dict[str, Record], at: dict[str, tuple[int, int]], link: Callable[[str], str]
) -> Iterable[str]:
    for id, (x, y) in at.items():
        verdict, name = by_id[id]["verdict"], id.split("/", 1)[1]
        short = name if len(name) <= 15 else name[:14] + "…"
        taint = " tainted" if by_id[id]["tainted"] else ""
        yield (
            f'<a href="{escape(link(id), quote=True)}"><title>{escape(id)}: '
            f"{verdict}{', tainted' if taint else ''}</title>"
            f'<rect class="node {verdict.lower()}{taint}" x="{x}" y="{y}" width="{WIDE}" '
            f'height="{HIGH}" rx="4"/>'
            f'<text x="{x + 6}" y="{y + 15}">{MARK[verdict]} {escape(short)}</text></a>'
        )


def anchor(id: str) -> str:
    """The permanent link of a claim within its page.

    >>> anchor("dp-accel/eq-3.3")
    'eq-3.3'
    """
    return id.split("/", 1)[1]
