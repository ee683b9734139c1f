"""Theorems with proofs: conclusions that follow from proved steps, and conclusions that do not, whatever the
steps say.
"""

import sympy as sp

from dpverify.language.expectations import Noise
from dpverify.language.vectors import inner, norm2, vectors
from dpverify.relations import AtMost, Equal
from dpverify.theorems import AllOf, ForSome, Iterates, Theorem

x, y = sp.symbols("x y", real=True)
a, c, s = sp.symbols("a c s", positive=True)
u, w = sp.symbols("u w", nonnegative=True)
t, T = (sp.Symbol(name, integer=True, positive=True) for name in ("t", "T"))
half = sp.Rational(1, 2)

position, velocity = vectors("x v")
noise = Noise("nu", variance=s)
A, C = (sp.IndexedBase(name, nonnegative=True) for name in ("A", "C"))
B = sp.IndexedBase("B", real=True)


def iteration(step):
    """E|x|^2, E<x, v> and E|v|^2 along x, v -> step."""
    named = ((A, norm2(position)), (B, inner(position, velocity)), (C, norm2(velocity)))
    return [Iterates(n, value, [position, velocity], step, [noise], t, 1, T) for n, value in named]


moving = iteration([position + velocity, a * velocity + noise])
shrinking = iteration([position / 2 + velocity / 2, velocity / 2 + noise])
grown = sp.Sum(A[t + 1] - A[t], (t, 1, T))


def coupled(factor):
    """The growth of E|x|^2 by a multiple of E<x, v>, and E|v|^2."""
    of_step = AtMost(A[t + 1] - A[t], factor * B[t] + C[t])
    return (
        Theorem(given=moving, shows=AtMost(grown, sp.Sum(factor * B[t] + C[t], (t, 1, T))))
        .descend(moving[0], 1, 0, "the square", beside=[(moving[1], factor), (moving[2], 1)], exact=True)
        .sum(of_step, (t, 1, T), "added up")
    )


def together(ratio):
    """E|x|^2 + 4 E|v|^2 unrolled as one."""
    end = ratio**T * (A[1] + 4 * C[1]) + sp.Sum(ratio ** (T - t) * 4 * s, (t, 1, T))
    return (
        Theorem(given=shrinking, shows=AtMost(A[T + 1] + 4 * C[T + 1], end))
        .descend(shrinking[0], half, 0, "x", beside=[(shrinking[2], half)])
        .descend(shrinking[2], sp.Rational(1, 4), s, "v")
        .unroll(A[t] + 4 * C[t], ratio, 4 * s, (t, 1, T), "both")
    )


TRUE = [
    (
        "existence beside a comparison",
        lambda: AllOf(ForSome([c], AtMost(x / (1 + x**2), c), at={c: 1}), AtMost(2 * x, x**2 + 1)),
    ),
    (
        "existence with a condition on the value",
        lambda: ForSome([c], AtMost(x / (1 + x**2), c, [c <= 1]), at={c: 1}),
    ),
    (
        "a constant made of what comes first",
        lambda: Theorem(given=[x <= a], shows=ForSome([c], AtMost(x, c), at={c: 2 * a}, of=[a])),
    ),
    (
        "a theorem as a step",
        lambda: Theorem(given=[x <= 1], shows=AtMost(sp.exp(x) * (1 + y**2), 3 * (1 + y**2))).have(
            Theorem(given=[x <= 1], shows=AtMost(sp.exp(x), 3)), "its condition is a hypothesis here"
        ),
    ),
    (
        "log(1 - u) in a conjunction",
        lambda: AllOf(AtMost(sp.log(1 - u), -u, [2 * u <= 1]), AtMost(2 * x, x**2 + 1)),
    ),
    (
        "2 (e^w - 1) <= w (e^w + 1) in a conjunction",
        lambda: AllOf(AtMost(2 * (sp.exp(w) - 1), w * (sp.exp(w) + 1)), AtMost(2 * x, x**2 + 1)),
    ),
    (
        "a length beyond a quotient",
        lambda: Theorem(given=[T > (sp.E - 1) * a / c], shows=AtMost(1, sp.log(1 + c * T / a))),
    ),
    ("two expectations of one iteration", lambda: coupled(2)),
    ("two expectations unrolled as one", lambda: together(half)),
]

FALSE = [
    ("a constant that depends on what it bounds", lambda: ForSome([a], AtMost(T, a), at={a: T})),
    (
        "the same beside a comparison",
        lambda: AllOf(AtMost(2 * x, x**2 + 1), ForSome([a], AtMost(T, a), at={a: T})),
    ),
    ("existence by a hypothesis on the value", lambda: ForSome([c], AtMost(x, c, [c >= x]), at={c: 1})),
    (
        "existence by a hypothesis of the theorem",
        lambda: Theorem(given=[c >= x], shows=ForSome([c], AtMost(x, c), at={c: 1})),
    ),
    (
        "a value that is not as asked",
        lambda: ForSome([c], AtMost(x / (1 + x**2), c, [c <= sp.Rational(1, 4)]), at={c: 1}),
    ),
    (
        "a step under a condition that nobody has shown",
        lambda: Theorem(shows=AtMost(x, 1)).have(AllOf(AtMost(x, 1, [x <= 1])), "if x <= 1"),
    ),
    (
        "a theorem as a step, its condition not shown",
        lambda: Theorem(shows=AtMost(x, 1)).have(Theorem(given=[x <= 1], shows=AtMost(x, 1)), "if x <= 1"),
    ),
    (
        "a conjunction with a false part",
        lambda: AllOf(AtMost(sp.log(1 - u), -u - u**2, [2 * u <= 1]), AtMost(2 * x, x**2 + 1)),
    ),
    (
        "a length beyond a smaller quotient",
        lambda: Theorem(given=[T > (sp.E - 1) * a / (2 * c)], shows=AtMost(1, sp.log(1 + c * T / a))),
    ),
    ("two expectations, the cross term once", lambda: coupled(1)),
    ("two expectations unrolled too fast", lambda: together(sp.Rational(1, 4))),
    (
        "an equation of sums from terms that differ",
        lambda: Theorem(shows=Equal(sp.Sum(t, (t, 1, T)), T**2)).sum(Equal(t, T), (t, 1, T), "each the same"),
    ),
]
