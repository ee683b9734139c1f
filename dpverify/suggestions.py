"""What a mistyped name may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A sentence that names the known names nearest to a mistyped one, with a space before it; empty if none
    is near.

    >>> did_you_mean("private-dg", ["private-gd", "adp-sgd"])
    ' Did you mean private-gd?'
    >>> did_you_mean("x", ["private-gd"])
    ''
    """
    near = difflib.get_close_matches(name, list(known), n=3, cutoff=0.5)
    return f" Did you mean {' or '.join(near)}?" if near else ""
