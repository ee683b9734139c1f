"""Per-example gradients against a reference that sees one record at a time: which parameter is off, on which
record, by how much.

    off(p) = max_i |g_i(p) - reference_i(p)| / max(|reference_i(p)|, 1e-3 max_p' |reference_i(p')|, tiny)

A library that computes the gradients of a whole batch at once must give for record i what a batch of record i
alone gives. Works on anybody's model: hand over both as mappings from the name of a parameter to an array
with one row per record.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dpverify.verdicts import REFUTED, SUPPORTED, Evidence, Result, Witness

Array = np.ndarray[Any, Any]


def gradients_agree(
    computed: Mapping[str, Any],
    reference: Mapping[str, Any],
    tolerance: float = 1e-4,
    model: str = "the model",
) -> Result:
    """Whether per-example gradients are those of each record alone, up to a relative `tolerance` (float32
    gives about 1e-6).

    >>> batch = {"weight": np.array([[1.0, 0.0], [0.0, 2.0]])}
    >>> print(gradients_agree({"weight": np.array([[1.0, 0.0], [0.0, 1.0]])}, batch).because)
    the model: the gradient of weight on record 1 is off by 1 (reference norm 2, relative 0.5).
    """
    if not tolerance > 0:
        raise ValueError(f"Expected tolerance={tolerance} > 0.")
    if set(computed) != set(reference):
        raise ValueError(
            f"Expected gradients of the same parameters, got {sorted(computed)} and {sorted(reference)}."
        )
    rows = {name: _by_record(reference[name]) for name in reference}
    records = {len(part) for part in rows.values()}
    if len(records) != 1:
        raise ValueError(f"Expected one row per record for every parameter, got {sorted(records)} rows.")
    whole = np.sqrt(sum((part**2).sum(axis=1) for part in rows.values()))
    worst = (0.0, "", 0, 0.0, 0.0)
    for name, part in rows.items():
        own = _by_record(computed[name])
        if own.shape != part.shape:
            return _refuted(
                model,
                name,
                f"has shape {np.shape(computed[name])}, the reference {np.shape(reference[name])}",
                {
                    "parameter": name,
                    "shapes": [list(np.shape(computed[name])), list(np.shape(reference[name]))],
                },
            )
        size = np.linalg.norm(part, axis=1)
        gap = np.linalg.norm(own - part, axis=1)
        relative = np.where(np.isfinite(gap), gap / np.maximum(np.maximum(size, 1e-3 * whole), 1e-30), np.inf)
        record = int(relative.argmax())
        if relative[record] > worst[0]:
            worst = (float(relative[record]), name, record, float(gap[record]), float(size[record]))
    relative_gap, name, record, gap_there, size_there = worst
    if relative_gap > tolerance:
        then = (
            f"on record {record} is off by {gap_there:.3g} (reference norm {size_there:.3g}, relative "
            f"{relative_gap:.3g})"
        )
        return _refuted(
            model,
            name,
            then,
            {
                "parameter": name,
                "record": record,
                "gap": gap_there,
                "relative": relative_gap,
                "gradients": [_listed(_by_record(side[name])[record]) for side in (computed, reference)],
                "floor": float(1e-3 * whole[record]),
                "tolerance": tolerance,
            },
        )
    entries = sum(part.size for part in rows.values())
    evidence = Evidence(
        "per-example gradients",
        {"parameters": len(rows), "records": records.pop(), "largest": relative_gap},
        samples=entries,
        ceiling=f"any parameter that is off by {tolerance:g} of its gradient on these records",
    )
    return Result(
        SUPPORTED,
        f"{model}: {len(rows)} parameters agree with one record at a time (largest relative gap "
        f"{relative_gap:.2g}).",
        evidence,
    )


def _by_record(values: Any) -> Array:
    array = np.asarray(values, dtype=float)
    return array.reshape(len(array), -1)


def _listed(row: Array) -> list[Any]:
    """A row as JSON holds it: what is not finite as text."""
    return [value if np.isfinite(value) else str(value) for value in row.tolist()]


def _refuted(model: str, name: str, then: str, figures: dict[str, Any]) -> Result:
    witness = Witness(
        {"model": model, "parameter": name},
        f"its per-example gradient {then}",
        "the gradient of that record alone",
        {"kind": "gradients", **figures},
    )
    certificate = {key: value for key, value in figures.items() if key != "gradients"}
    return Result(
        REFUTED,
        f"{model}: the gradient of {name} {then}.",
        Evidence("per-example gradients", certificate),
        witness,
    )


def verify(exact: dict[str, Any]) -> bool:
    """Whether the two gradients of a witness differ by more than the tolerance, or in shape."""
    if "shapes" in exact:
        return exact["shapes"][0] != exact["shapes"][1]
    own, reference = (np.array(row, dtype=float) for row in exact["gradients"])
    gap = float(np.linalg.norm(own - reference))
    size = max(float(np.linalg.norm(reference)), float(exact["floor"]), 1e-30)
    return not gap <= float(exact["tolerance"]) * size
