"""The bug zoo: planted bugs that really happened, each with its correct twin; an audit that misses one is the
bug.

One file per bug, found by itself: it defines `BUG = Bug(...)` and takes its name from the file. Both
mechanisms are audited against the same claim on the same neighbours; the bug must end in `expect`, the twin
must not be refuted.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass, replace
from typing import Any

from dpverify.guarantees import Guarantee
from dpverify.neighbours import Neighbours
from dpverify.suggestions import did_you_mean
from dpverify.verdicts import REFUTED, Verdict


@dataclass(frozen=True)
class Bug:
    """A planted bug: what is wrong, the mechanism, its correct twin, the claim on both, and how an audit
    should end.

    `rung` is the cheapest rung expected to decide (replay, noise, statistics, accountant), `runs` the budget
    a side. A bug in the accounting has the same mechanism on both sides and a right claim for the twin
    (`twin_claim`). `why` explains an `expect` other than REFUTED: a bug on the safe side, or one that this
    budget cannot find.

    >>> find("forgotten_clip").rung
    'replay'
    """

    what: str
    mechanism: Any
    twin: Any
    neighbours: Neighbours
    claim: Guarantee
    rung: str
    seen_in: str = ""
    twin_claim: Guarantee | None = None
    expect: Verdict = REFUTED
    runs: int = 20_000
    why: str = ""
    name: str = ""


def bugs() -> list[Bug]:
    """Every planted bug, by name.

    >>> "noise_ten_percent_short" in [bug.name for bug in bugs()]
    True
    """
    names = sorted(info.name for info in pkgutil.iter_modules(__path__) if not info.name.startswith("_"))
    modules = [(name, importlib.import_module(f"{__name__}.{name}")) for name in names]
    return [replace(module.BUG, name=name) for name, module in modules if hasattr(module, "BUG")]


def find(name: str) -> Bug:
    """The planted bug of that name."""
    known = {bug.name: bug for bug in bugs()}
    if name not in known:
        raise KeyError(
            f"Expected name={name!r} among the planted bugs: {', '.join(known)}.{did_you_mean(name, known)}"
        )
    return known[name]
