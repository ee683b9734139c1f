"""The rules of expectations against Monte Carlo with laws that have the declared moments."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from dpverify.language.expectations import LAWS, E, Noise, gaussian_norm, sample_mean, with_law
from dpverify.language.functions import Function
from dpverify.language.vectors import Vector, inner, norm2
from dpverify.relations import AtMost

RUNS = 200_000
s, eta = sp.symbols("s eta", positive=True)
x, v = Vector("x"), Vector("v")


def simulated(expression, values, seed):
    """The mean of an expression in Gram atoms, the vectors given as arrays (runs, d), and its standard
    error.
    """
    atoms = sorted(expression.atoms(sp.Symbol), key=str)
    columns = [np.sum(values[str(b)] * values[str(c)], axis=1) for a in atoms for b, c in [tuple(a.bases)]]
    rows = sp.lambdify(atoms, expression, "numpy")(*columns) * np.ones(RUNS)
    return rows.mean(), rows.std() / np.sqrt(RUNS)


def drawn(rng, mean, variance, law):
    """Outcomes with that mean and E|nu - mean|^2 = variance, in two dimensions."""
    if law == "normal":
        return mean + rng.normal(size=(RUNS, 2)) * np.sqrt(variance / 2)
    if law == "two points":
        return mean + rng.choice([-1.0, 1.0], size=(RUNS, 1)) * np.array([0.6, 0.8]) * np.sqrt(variance)
    rare = rng.random((RUNS, 1)) < 0.1  # skew: a large value seldom
    return mean + np.where(rare, 3.0, -1 / 3) * np.array([1.0, 0.0]) * np.sqrt(variance)


@pytest.mark.parametrize("law", ["normal", "two points", "skew"])
def test_moments_by_monte_carlo(law):
    rng = np.random.default_rng(7)
    first = Noise("nu", variance=2)
    second = Noise("g", variance=3, mean=v - first)  # the mean depends on what was drawn before
    fixed = {"x": np.array([1.0, -2.0]) * np.ones((RUNS, 2)), "v": np.array([0.5, 1.0]) * np.ones((RUNS, 2))}
    nu = drawn(rng, 0.0, 2.0, law)
    g = drawn(rng, fixed["v"] - nu, 3.0, law)
    values = fixed | {"nu": nu, "g": g}
    for expression in (
        norm2(x + 2 * first),
        inner(x, second),
        norm2(x - second),
        inner(first, second),
        norm2(first + second - x),
    ):
        exact = E(expression, first, second)
        numbers = {
            a: float(np.dot(values[str(b)][0], values[str(c)][0]))
            for a in exact.atoms(sp.Symbol)
            for b, c in [tuple(a.bases)]
        }
        mean, error = simulated(expression, values, 0)
        assert abs(mean - float(exact.xreplace(numbers))) < 6 * error + 1e-9  # a false alarm in 1e8


@pytest.mark.parametrize("replacement", [True, False])
def test_sampling_from_a_population(replacement):
    rng = np.random.default_rng(3)
    people = rng.normal(size=(5, 2))
    center = people.mean(axis=0)
    spread = np.mean(np.sum((people - center) ** 2, axis=1))
    picked = (
        rng.integers(0, 5, size=(RUNS, 3))
        if replacement
        else np.argsort(rng.random((RUNS, 5)), axis=1)[:, :3]
    )
    errors = np.sum((people[picked].mean(axis=1) - center) ** 2, axis=1)
    draw = sample_mean("g", mean=v, spread=sp.Float(spread), size=3, of=5, replacement=replacement)
    exact = float(E(norm2(draw - v)))
    assert abs(errors.mean() - exact) < 6 * errors.std() / np.sqrt(RUNS)


@pytest.mark.parametrize("dimension", [1, 2, 7])
def test_norm_of_a_gaussian(dimension):
    rng = np.random.default_rng(5)
    norms = np.linalg.norm(rng.normal(size=(RUNS, dimension)), axis=1)
    assert abs(norms.mean() - float(gaussian_norm(1, dimension))) < 6 * norms.std() / np.sqrt(RUNS)


def test_laws_have_the_declared_moments():
    for law in LAWS.values():
        assert [sum(chance * value**k for value, chance in law) for k in (0, 1, 2)] == [1, 0, 1]
    nu = Noise("nu", variance=s**2, mean=v)
    f = Function("f", convex=True)
    spelt = with_law(AtMost(E(f(x + nu), nu), 0), "two values")
    assert str(spelt.lhs) == "f(s*u_nu + v + x)/2 + f(v + x - s*u_nu)/2"
    assert with_law(AtMost(E(f(x + Noise("z", variance=s**2, law="Gaussian"))), 0), "skew") is None


def test_misuse_is_named():
    with pytest.raises(ValueError, match="Expected variance=-1 >= 0"):
        Noise("nu", variance=-1)
    with pytest.raises(TypeError, match="Expected a noise to take the expectation over, got the vector x"):
        E(norm2(x), x)
    with pytest.raises(ValueError, match="Expected of="):
        sample_mean("g", mean=v, spread=1, size=3, replacement=False)
