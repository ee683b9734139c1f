"""Appendix C: what one record moves the server's means by, and how often each kind of release occurs.

v_r = w + clip(g)/(n_p P),   g the gradient (or gradient difference) of the record that is replaced by another
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.language.vectors import norm, vectors
from dpverify.relations import AtMost, Equal
from dpverify.symbolic.diff2 import PAPER
from dpverify.symbolic.diff2.framework import C, P, clipped, g, h, n_p, w
from dpverify.theorems import AllOf, Theorem


@claim(PAPER, "lemma-c.1", at="Lemma C.1", kind="inequality", uses=["alg-2"])
def one_record_moves_the_mean():
    """Given the earlier outputs, replacing one record of client p moves v_r by at most 2 C/(n_p P): C = C_1
    at a restart, C = C_{2,r} for differences (the argument is the same; g and h are not 0, otherwise it is
    half of that).

    The conjuncts: both records send a vector that is not 0, or one of the two sends 0.
    """
    moved = (w + clipped(g) / (n_p * P)) - (w + clipped(h) / (n_p * P))
    return AllOf(
        AtMost(norm(moved), 2 * C / (n_p * P), given=[norm(g) > 0, norm(h) > 0]),
        AtMost(norm(clipped(g) / (n_p * P)), C / (n_p * P), given=[norm(g) > 0]),
    )


@claim(PAPER, "lemma-c.1-tight", at="Lemma C.1, attained", kind="identity", standing="ours")
def opposite_records_attain_the_sensitivity():
    """A record whose gradient is beyond C and one with the opposite gradient move the mean by 2 C/(n_p P)
    exactly: the sensitivity cannot be smaller.
    """
    moved = clipped(g) / (n_p * P) - clipped(-1 * g) / (n_p * P)
    return Equal(norm(moved), 2 * C / (n_p * P), given=[norm(g) >= C])


@claim(
    PAPER,
    "lemma-c.1-add-remove",
    at="Lemma C.1, a record added or removed",
    kind="inequality",
    standing="ours",
)
def one_more_record_moves_the_mean_as_much():
    """If a record is added to the n_p - 1 >= 1 records of client p instead, whose clipped vectors have the
    sum s, the mean over clients moves by at most 2 C/(n_p P), n_p being the larger number.

    The paper's relation is replacement alone; n_p and n_min, which set the noise, would be private here.
    """
    s, c = vectors("s c")
    moved = ((s + c) / n_p - s / (n_p - 1)) / P
    return AtMost(norm(moved), 2 * C / (n_p * P), given=[n_p >= 2, norm(s) <= (n_p - 1) * C, norm(c) <= C])


@claim(PAPER, "lemma-c.1-client", at="Lemma C.1, all records of a client", kind="inequality", standing="ours")
def one_client_moves_the_mean():
    """If all n_p records of client p are replaced, whose clipped vectors have the sum s, by others with the
    sum c, the mean over clients moves by at most 2 C/P.
    """
    s, c = vectors("s c")
    moved = (w + s / (n_p * P)) - (w + c / (n_p * P))
    return AtMost(norm(moved), 2 * C / P, given=[norm(s) <= n_p * C, norm(c) <= n_p * C])


@claim(PAPER, "prop-4.1-counts", at="Appendix C, proof of Proposition 4.1, and Appendix E")
def restarts_and_visits_are_counted():
    """The rounds r = 1 + i T <= R with (r - 1) % T = 0 are floor((R - 1)/T) + 1 = ceil(R/T); the rounds r = p
    - 1 + i P of 1..R with 1 + r % P = p, those of client p, are at most ceil(R/P).
    """
    R, T, clients, p = (sp.Symbol(name, integer=True, positive=True) for name in "RTPp")
    last, restarts = sp.floor((R - 1) / T) + 1, sp.ceiling(R / T)
    visits = sp.floor((R - p + 1) / clients) - sp.ceiling((2 - p) / clients) + 1
    return AllOf(
        Theorem(shows=Equal(last, restarts))
        .have(AtMost(last, restarts), "not more")
        .have(AtMost(restarts, last), "not fewer"),
        AtMost(visits, sp.ceiling(R / clients), given=[p <= clients]),
    )
