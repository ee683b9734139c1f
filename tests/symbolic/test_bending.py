"""An equation of a claim with another constant is not proved: what is put in among the hypotheses says
something.
"""

from dataclasses import replace

import pytest
import sympy as sp

from dpverify.claims import find
from dpverify.proving import prove
from dpverify.relations import Equal, Induction
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import PROVED

CLAIMS = find()


def bent(statement):
    """The statement with one of its equations changed, one after the other."""
    if isinstance(statement, AllOf):
        for part in statement.parts:
            yield from bent(part)
    elif isinstance(statement, Theorem):
        for shows in bent(statement.shows):
            yield replace(statement, shows=shows)
    elif isinstance(statement, Induction):
        for relation in bent(statement.relation):
            yield replace(statement, relation=relation)
    elif isinstance(statement, Equal):
        other = sp.sympify(statement.stated)
        yield replace(statement, stated=2 * other if other != 0 else sp.Integer(1))


@pytest.mark.parametrize(
    "id",
    [
        "dp-accel/eq-3.1-var",
        "dp-accel/eq-3.3-full",
        "dp-accel/prop-3.1",
        "dp-accel/prop-3.1-tight",
        "dp-accel/eq-3.10-corrected",
        "dp-accel/asm-3.2-quad-corrected",
        "dp-accel/sec3.2-sigma-corrected",
        "dp-accel/eq-4.1-b-corrected",
        "dp-accel/eq-4.2-note-corrected",
        "dp-accel/eq-4.3-a",
        "dp-accel/eq-4.4-convex",
        "dp-accel/eps-t",
        "dp-accel/rem-4.2",
        "dp-accel/rem-4.2-corrected",
        "dp-accel/fig2-param",
        "dp-accel/def-a.2",
        "dp-accel/thm-a.3",
        "dp-accel/eq-b.1-corrected",
        "dp-accel/thm-3.5-v",
        "dp-accel/eq-b-norm",
        "dp-accel/eq-b.4-lagr",
        "dp-accel/prop-4.2-bordered-corrected",
        "dynamic-noise/sketch-4.2-grad",
        "dynamic-noise/eq-13",
        "dynamic-noise/eq-2-alpha",
        "dynamic-noise/thm-4.2-t-corrected",
        "dynamic-noise/sec4.1.3-robust-uniform-corrected",
        "dynamic-noise/sec4.1.3-robust-dynamic",
        "dynamic-noise/eq-10",
        "dynamic-noise/sec4.3-cost-exponent-corrected",
        "dynamic-noise/sec4.3-r-prime",
        "dynamic-noise/sec4.3-xi-model-corrected",
        "dynamic-noise/def-b.1",
        "dynamic-noise/lemma-b.4-ident",
        "dynamic-noise/proof-4.1",
        "dynamic-noise/proof-lemma-4.1",
        "dynamic-noise/proof-4.7-chain",
    ],
)
def test_no_equation_with_another_constant_is_proved(id):
    variants = list(bent(CLAIMS[id].function()))
    assert variants
    assert all(prove(variant).verdict is not PROVED for variant in variants)
