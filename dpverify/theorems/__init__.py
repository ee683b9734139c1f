"""The language of theorems: statements with their proofs (`statements`), and how they are written out
(`wording`).

    Theorem(shows=AtMost(...), given=[...]).have(relation, "why")
"""

from dpverify.theorems.statements import (
    AllOf,
    At,
    Calc,
    Cases,
    Descend,
    Expect,
    ForEvery,
    ForSome,
    Have,
    Induct,
    Iterates,
    Jensen,
    SumOver,
    Theorem,
    Unroll,
    Use,
    without_content,
)
from dpverify.theorems.wording import domains, formal, latex, step_of

__all__ = [
    "AllOf",
    "At",
    "Calc",
    "Cases",
    "Descend",
    "Expect",
    "ForEvery",
    "ForSome",
    "Have",
    "Induct",
    "Iterates",
    "Jensen",
    "SumOver",
    "Theorem",
    "Unroll",
    "Use",
    "domains",
    "formal",
    "latex",
    "step_of",
    "without_content",
]
