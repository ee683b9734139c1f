"""What a refuted claim means for whoever uses the algorithm, in a sentence or two: all that break privacy, a
theorem, a proof or the text; misprints are told by rule.

Each paper keeps its own in `symbolic/<paper>/meanings.py`, by the ids of its claims: MEANINGS, and READINGS,
the claims that the paper does not make in so many words, but that a reader may take from it.
"""

from __future__ import annotations

import importlib
from functools import lru_cache
from types import ModuleType


@lru_cache(maxsize=32)
def _meanings_of(paper: str) -> ModuleType | None:
    """The meanings that a paper keeps; a paper that is not among ours has none."""
    name = f"dpverify.symbolic.{paper.replace('-', '_')}.meanings"
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name is None or not name.startswith(missing.name):
            raise  # something that the file itself imports
        return None


def meaning_of(id: str) -> str | None:
    """What a refuted claim means, if its paper tells; `{id}` stands for the verdict of another of its claims.

    >>> meaning_of("adp-erm/thm-4.1-adaptive-audit")
    'With step sizes from raw gradients the leak shows in the outputs of a single step.'
    """
    paper, _, name = id.partition("/")
    kept = _meanings_of(paper)
    return None if kept is None else kept.MEANINGS.get(name)


def is_reading(id: str) -> bool:
    """Whether a claim is what a reader may take from the paper, rather than what it says.

    >>> is_reading("dp-accel/eq-3.2-euclid"), is_reading("dp-accel/eq-3.2")
    (True, False)
    """
    paper, _, name = id.partition("/")
    kept = _meanings_of(paper)
    return kept is not None and name in kept.READINGS
