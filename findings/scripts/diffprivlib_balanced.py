"""ExponentialCategorical tests at epsilon / 2 whether its constants agree, and then uses epsilon.

library: diffprivlib 0.6.6
met by: mechanisms.ExponentialCategorical with utilities whose normalising constants agree at epsilon / 2
severity: corner case
claim: epsilon-differential privacy (docstring of ExponentialCategorical)
shown: eight labels, epsilon 4: one label is e^4.32 times as likely from one input as from another
cause: _build_normalising_constant drops the factor 1/2 where the constants agree with it, which need not hold
    without it
remedy: compare the constants that are used
upstream: no public thread found (searched 2026-11-17)
targets: diffprivlib:ExponentialCategorical-balanced
"""

import math

from diffprivlib.mechanisms import ExponentialCategorical

EPSILON, LABELS = 4.0, [str(k) for k in range(8)]
near, far = math.exp(-0.02), math.exp(-EPSILON / 2)
middle = (near + far) / 2


def weight(i, j):
    """exp(-epsilon d / 2) of the distance d of two labels; those of every label add up to far + 6 middle."""
    if i == 0:
        return far if j == 1 else middle
    if i == 1:
        return near if j < 5 else far
    return far if j < 5 else middle


pairs = [(i, j) for i in range(8) for j in range(i + 1, 8)]
utility = [(LABELS[i], LABELS[j], -2 / EPSILON * math.log(weight(i, j))) for i, j in pairs]
mechanism = ExponentialCategorical(epsilon=EPSILON, utility_list=utility)


def probability(given, shown):
    return mechanism._get_prob(given, shown) / mechanism._normalising_constant[given]


loss = max(
    math.log(probability(one, shown) / probability(other, shown))
    for one in LABELS
    for other in LABELS
    for shown in LABELS
)
print(f"epsilon {EPSILON:g} claimed, exact loss {loss:.2f}")
raise SystemExit(0 if loss > EPSILON + 0.01 else "mended")
