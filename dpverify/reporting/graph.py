"""The claims of a paper and what they lean on, as one SVG: layers from the ground up, laid out here.

A claim stands one layer above the highest claim it uses; within a layer claims are ordered by the mean place
of what they use. Colour tells the verdict, and so does the sign before the name; a dashed frame is a claim
tainted by a refuted one.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

MARK = {"PROVED": "✓", "REFUTED": "✗", "SUPPORTED": "~", "UNDECIDED": "?"}
WIDE, HIGH, GAP_X, GAP_Y, PER_ROW = 170, 24, 12, 46, 6


def layers(claims: list[dict[str, Any]]) -> list[list[str]]:
    """The claims that take part in some dependency, by layer, the ground first.

    >>> layers([{"id": "p/a", "uses": [], "correction": None}, {"id": "p/b", "uses": ["p/a"],
    ...     "correction": None}])
    [['p/a'], ['p/b']]
    """
    uses = {c["id"]: [u for u in c["uses"]] for c in claims}
    known = set(uses)
    uses = {id: [u for u in used if u in known] for id, used in uses.items()}
    part = {id for id, used in uses.items() if used} | {u for used in uses.values() for u in used}
    depth: dict[str, int] = {}

    def level(id: str) -> int:
        if id not in depth:
            depth[id] = 1 + max((level(u) for u in uses[id]), default=-1)
        return depth[id]

    rows: list[list[str]] = []
    for id in uses:
        if id in part:
            while len(rows) <= level(id):
                rows.append([])
            rows[level(id)].append(id)
    place: dict[str, float] = {}
    for row in rows:
        order = {id: i for i, id in enumerate(row)}
        row.sort(key=lambda id: (sum(place.get(u, 0.0) for u in uses[id]) / max(len(uses[id]), 1), order[id]))
        place.update({id: i / max(len(row), 1) for i, id in enumerate(row)})
    return rows


def _wrapped(rows: list[list[str]]) -> list[list[str]]:
    return [row[i : i + PER_ROW] for row in rows for i in range(0, len(row), PER_ROW)]


def draw(claims: list[dict[str, Any]]) -> str:
    """The graph as SVG text, with links to the claims; empty if no claim leans on another."""
    rows = _wrapped(layers(claims))
    if not rows:
        return ""
    by_id = {c["id"]: c for c in claims}
    at = {
        id: (10 + i * (WIDE + GAP_X), 10 + r * (HIGH + GAP_Y))
        for r, row in enumerate(rows)
        for i, id in enumerate(row)
    }
    width = 20 + max(len(row) for row in rows) * (WIDE + GAP_X)
    height = 20 + len(rows) * (HIGH + GAP_Y)
    parts = [
        f'<svg class="graph" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" '
        f'aria-label="What the claims lean on: {len(at)} claims in {len(rows)} rows">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="6" '
        'markerHeight="6" orient="auto">'
        '<path d="M0 0 8 4 0 8z" class="tip"/></marker></defs>',
        *_edges(by_id, at),
        *_nodes(by_id, at),
        "</svg>",
    ]
    return "\n".join(parts)


def _edges(by_id: dict[str, Any], at: dict[str, tuple[int, int]]) -> Iterable[str]:
    for id, (x, y) in at.items():
        for used in by_id[id]["uses"]:
            if used in at:
                ux, uy = at[used]
                tainted = (
                    " taint"
                    if by_id[used]["verdict"] == "REFUTED"
                    and by_id[used]["correction"] not in by_id[id]["uses"]
                    else ""
                )
                x1, y1, x2, y2 = ux + WIDE / 2, uy + HIGH, x + WIDE / 2, y
                mid = (y1 + y2) / 2
                yield (
                    f'<path class="edge{tainted}" d="M{x1} {y1} C{x1} {mid} {x2} {mid} {x2} {y2}" '
                    'marker-end="url(#tip)"/>'
                )


def _nodes(by_id: dict[str, Any], at: dict[str, tuple[int, int]]) -> Iterable[str]:
    for id, (x, y) in at.items():
        claim = by_id[id]
        verdict, name = claim["verdict"], id.split("/", 1)[1]
        short = name if len(name) <= 21 else name[:20] + "…"
        taint = " tainted" if claim["tainted"] else ""
        yield (
            f'<a href="#{escape(anchor(id), quote=True)}"><title>{escape(id)}: '
            f"{verdict}{', tainted' if taint else ''}</title>"
            f'<rect class="node {verdict.lower()}{taint}" x="{x}" y="{y}" width="{WIDE}" '
            f'height="{HIGH}" rx="4"/>'
            f'<text x="{x + 8}" y="{y + 16}">{MARK[verdict]} {escape(short)}</text></a>'
        )


def anchor(id: str) -> str:
    """The permanent link of a claim within its page.

    >>> anchor("dp-accel/eq-3.3")
    'eq-3.3'
    """
    return id.split("/", 1)[1]
