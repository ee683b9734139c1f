"""Vectors: the algebra of combinations, atoms that remember what they are made of, and their records."""

import json
import pickle

import pytest
import sympy as sp

from dpverify.language import Atom, Function, Vector, VectorSequence, inner, norm, norm2, total, vectors
from dpverify.language.lengths import Length, in_norms
from dpverify.proving.codec import from_json, to_json

x, y = vectors("x y")
L, eta = sp.symbols("L eta", positive=True)
f = Function("f", smooth=L, convex=True)
after = x - eta * f.gradient(x)
v = VectorSequence("v")
t = sp.Symbol("t", integer=True)
T = sp.Symbol("T", integer=True, positive=True)


def test_combinations_are_a_vector_space():
    assert 2 * (x + y) - y - y == 2 * x
    assert x - x == Vector.zero()
    assert sum([x, y, -x]) == y
    assert str(Vector.zero()) == "0"


def test_the_inner_product_is_bilinear_and_symmetric():
    assert inner(x + eta * y, y) == inner(x, y) + eta * norm2(y)
    assert inner(x, y) == inner(y, x)
    assert inner(x, Vector.zero()) == 0


def test_norms():
    assert norm(-3 * x) == 3 * norm(x)
    assert norm(x + y) ** 2 == norm2(x + y)
    assert norm2(x / norm(x)) == 1


def test_vectors_and_scalars_are_not_mixed_up():
    with pytest.raises(TypeError, match="Expected a vector to add"):
        x + eta
    with pytest.raises(TypeError, match=r"write inner\(u, v\)"):
        x * y
    with pytest.raises(TypeError, match="Expected two vectors"):
        inner(x, 1)
    with pytest.raises(ValueError, match="letters, digits and underscores"):
        Vector("x, y")


def test_a_parameter_is_replaced_inside_of_atoms():
    moved = f(after).subs(eta, 1 / L)
    assert moved == f(x - f.gradient(x) / L)
    assert f(after).xreplace({eta: sp.Integer(2)}) == f(x - 2 * f.gradient(x))


def test_a_vector_is_replaced_inside_of_atoms():
    assert norm2(after).xreplace({x.basis: y}) == norm2(y - eta * f.gradient(y))


def test_a_derivative_through_an_atom_is_refused():
    with pytest.raises(ValueError, match="no derivative by eta"):
        sp.diff(f(after), eta)


def test_functions_of_one_name_and_two_classes_have_different_atoms():
    assert f(x) != Function("f", smooth=L)(x)


def test_sums_are_linear_and_written_out_at_numbers():
    assert total(2 * v[t] - x, (t, 1, T)) == 2 * total(v[t], (t, 1, T)) - T * x
    assert total(v[t], (t, 1, 2)) == v[1] + v[2]
    assert total(v[t], (t, 1, 0)) == Vector.zero()
    assert norm2(total(v[t], (t, 1, T))).subs(T, 2) == norm2(v[1] + v[2])
    assert norm2(v[t]).subs(t, 3) == norm2(v[3])


@pytest.mark.parametrize(
    "e",
    [
        norm2(after - y),
        norm2(total(eta * t * v[t], (t, 1, T))),
        inner(v[t + 1], x),
        f(after) - f.minimum,
        norm(f.gradient(after)),
        inner(x, y),
    ],
)
def test_atoms_survive_pickle_and_json(e):
    assert pickle.loads(pickle.dumps(e)) == e
    assert from_json(json.loads(json.dumps(to_json(e)))) == e


def test_atoms_are_typeset():
    assert sp.latex(inner(x, y)) == r"\langle x, y \rangle"
    assert sp.latex(norm2(f.gradient(x))) == r"\lVert \nabla f(x) \rVert^{2}"
    assert sp.latex(f.minimum) == r"f^\star"
    assert str(f(after)) == "f(x - eta*f'(x))"


def test_atoms_are_real_and_squares_nonnegative():
    assert norm2(x).is_nonnegative
    assert inner(x, y).is_real
    assert inner(x, y).is_nonnegative is None
    assert isinstance(f(x), Atom)


def test_what_is_a_square_is_typeset_as_a_norm_and_nothing_else():
    z = Vector("z")
    assert sp.sstr(in_norms(norm2(x - eta * y) - L)) == "|x - eta*y|**2 - L"
    shown = in_norms(norm((x - y + 2 * z) / (eta * L)))
    assert sp.latex(shown) == r"\frac{\lVert x + 2 z - y \rVert}{L \eta}"
    for other in (norm2(x) + norm2(y), norm2(x - y) + inner(x, z), norm2(x) - 3 * inner(x, y) + norm2(y)):
        shown = in_norms(other)
        assert all(len(length.vector.parts) == 1 for length in shown.atoms(Length)), shown
        back = {length: norm(length.vector) for length in shown.atoms(Length)}
        assert sp.expand(shown.xreplace(back) - other) == 0
