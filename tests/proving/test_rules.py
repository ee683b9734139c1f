"""The rules of proof where they do not apply: what is used, at which terms, from which states."""

import pytest
import sympy as sp

from dpverify.checking import check
from dpverify.guarantees import ZCDP
from dpverify.language.expectations import E, Noise
from dpverify.language.functions import Function
from dpverify.language.mechanisms import Composed, Private
from dpverify.language.vectors import VectorSequence, inner, norm2, total, vectors
from dpverify.neighbours import ADD_REMOVE, REPLACE
from dpverify.proving import prove
from dpverify.proving.instances import statements
from dpverify.proving.runs import runs
from dpverify.proving.symbols import placed
from dpverify.relations import AtMost, Equal, Increasing
from dpverify.releases import Gaussian
from dpverify.theorems import ForEvery, Iterates, Theorem
from dpverify.verdicts import PROVED, REFUTED, UNDECIDED

X, Y = sp.symbols("X Y", real=True)
t, s, m = sp.symbols("t s m", integer=True)
T = sp.Symbol("T", integer=True, positive=True)
x, v = vectors("x v")
g = sp.IndexedBase("g", real=True)
MU, L = sp.symbols("mu L", positive=True)
f = Function("f", smooth=L, strongly_convex=MU)  # there is one only if mu <= L
# Beside a hypothesis for every index no point is looked for, so that the rule alone must see the fault.
BESIDE = ForEvery(AtMost(g[s], 0), s, 1, T)

a = sp.Symbol("a", positive=True)
energy = sp.IndexedBase("energy", nonnegative=True)


def noisy_run(variance, smooth=1, name=energy, last=T):
    """x -> x - f'(x)/2 + noise of this variance; energy is E f(x) - min f."""
    f = Function("f", smooth=smooth)
    noise = Noise("nu", variance=variance)
    return Iterates(name, f(x) - f.minimum, [x], [x - f.gradient(x) / 2 + noise], [noise], t, 1, last)


LEMMAS = {
    "square": AtMost(0, X**2),
    "nonzero": AtMost(0, sp.Symbol("w", real=True, nonzero=True) ** -2, strict=True),
    "nonpositive": AtMost(sp.Symbol("w", nonpositive=True), 0),
    "odd": Equal((-1) ** sp.Symbol("n", odd=True), -1),
    "constant": Equal(sp.Sum(X, (t, 1, T)), T * X),
    "outside": Theorem(given=[sp.Or(X > 1, X < -1)], shows=AtMost(1, X**2)),
    "bounded": Theorem(
        given=[ForEvery(AtMost(g[t], X), t, 1, T)], shows=AtMost(sp.Sum(g[t], (t, 1, T)), X * T)
    ),
    "at every index": AtMost(sp.Sum(g[s], (s, 1, T)), T, [g[t] <= 1]),
    "curved": AtMost(MU + f(x), L + f(x)),
    "cauchy": AtMost(inner(x, v) ** 2, norm2(x) * norm2(v)),
    "iteration": Theorem(given=[noisy_run(a)], shows=AtMost(energy[T + 1], energy[1] + T * a)),
}


@pytest.fixture(autouse=True)
def _lemmas():
    token = statements.set(lambda id: (id, LEMMAS[id]))
    yield
    statements.reset(token)


@pytest.mark.parametrize(
    "wrong",
    [
        Theorem(given=[BESIDE], shows=Equal(Y, 0)).use("square", X=sp.I * Y),
        Theorem(given=[BESIDE], shows=AtMost(0, Y**-2, strict=True)).use("nonzero", w=Y),
        Theorem(given=[BESIDE], shows=AtMost(Y**2 + 1, 0)).use("nonpositive", w=Y**2 + 1),
        Theorem(given=[BESIDE], shows=Equal((-1) ** m, -1)).use("odd", n=m),
        Theorem(given=[BESIDE], shows=Equal(sp.Sum(t, (t, 1, T)), T * t)).use("constant", X=t),
        Theorem(given=[BESIDE, Y > 0], shows=AtMost(1, Y**2)).use("outside", X=Y),
        Theorem(given=[BESIDE, g[1] <= 1], shows=AtMost(sp.Sum(g[s], (s, 1, T)), T)).use(
            "at every index", t=1
        ),
        Theorem(given=[BESIDE], shows=AtMost(MU, L)).use("curved"),
        Theorem(given=[BESIDE], shows=AtMost(9, norm2(x) * norm2(v))).use("cauchy", **{"<v, x>": 3}),
        Theorem(given=[BESIDE], shows=AtMost(9, norm2(x) * norm2(v))).use("cauchy", **{"<x, v>": 3}),
    ],
    ids=str,
)
def test_a_lemma_is_not_used_at_terms_that_it_is_not_about(wrong) -> None:
    assert prove(wrong).verdict is not PROVED


@pytest.mark.parametrize(
    "right",
    [
        Theorem(given=[BESIDE, Y > 2], shows=AtMost(1, Y**2)).use("outside", X=Y),
        Theorem(given=[BESIDE, Y > 2], shows=AtMost(0, Y**-2, strict=True)).use("nonzero", w=Y),
        Theorem(given=[BESIDE], shows=Equal(sp.Sum(t, (s, 1, T)), T * t)).use("constant", X=t),
    ],
    ids=str,
)
def test_a_lemma_is_used_at_terms_that_it_is_about(right) -> None:
    assert prove(right).verdict is PROVED


ANOTHER = sp.IndexedBase("another", nonnegative=True)


@pytest.mark.parametrize(
    "run",
    [
        noisy_run(3 * a),
        noisy_run(2 * a, smooth=2),
        noisy_run(2 * a, name=ANOTHER),
        noisy_run(2 * a, last=T + 1),
    ],
    ids=["of more noise", "on another function", "of another name", "of another length"],
)
def test_a_lemma_on_an_iteration_is_not_used_on_another_one(run) -> None:
    wrong = Theorem(given=[run], shows=AtMost(energy[T + 1], energy[1] + 2 * T * a))
    assert prove(wrong.use("iteration", a=2 * a)).verdict is not PROVED


def test_a_lemma_on_an_iteration_says_nothing_of_another_sequence() -> None:
    wrong = Theorem(given=[BESIDE, noisy_run(a)], shows=AtMost(ANOTHER[T + 1], ANOTHER[1] + T * a))
    assert prove(wrong.use("iteration", energy=ANOTHER.label)).verdict is not PROVED


def test_a_lemma_on_an_iteration_is_used_on_the_same_one() -> None:
    right = Theorem(given=[noisy_run(2 * a)], shows=AtMost(energy[T + 1], energy[1] + 3 * T * a))
    assert prove(right.use("iteration", a=2 * a)).verdict is PROVED


def test_a_term_keeps_its_free_symbols_free():
    inside = placed(sp.Sum(X * s, (s, 1, t), (t, 1, T)), {X: t * s})
    assert inside.free_symbols == {t, s, T}
    assert inside.subs({t: 5, s: 7, T: 2}).doit() == 35 * (1 + 1 + 2)
    assert placed(sp.Sum(t, (t, 1, t)), {t: sp.Integer(3)}).doit() == 6


def test_a_sum_of_vectors_keeps_the_free_symbols_of_a_term_free():
    entries, a = VectorSequence("v"), sp.Symbol("a", positive=True)
    moved = total(a**t * entries[t], (t, 1, T)).replaced({a: t + 1})
    assert t in moved.scalars


def test_a_sum_of_vectors_has_whole_ends():
    with pytest.raises(ValueError, match="Expected whole ends of a sum of vectors, got X"):
        total(v, (t, 1, X))


def test_what_stands_in_a_coefficient_is_replaced_too():
    f = Function("f", convex=True)
    assert f(norm2(x) * v).xreplace({x.basis: 2 * x}) == f(4 * norm2(x) * v)


def test_noise_in_a_coefficient_is_noise():
    f, nu = Function("f", convex=True), Noise("nu", variance=1)
    assert E(f(x + inner(nu, v) * v), nu) != f(x + inner(nu, v) * v)
    assert E(norm2(Noise("xi", variance=norm2(nu)))) == 1


def test_an_iteration_moves_every_vector_of_its_state():
    with pytest.raises(ValueError, match="Expected as many vectors in step as in state, got 1 for 2"):
        Iterates(g, norm2(x), [x, v], [x], [], t, 1, T)


def test_a_guarantee_needs_a_sensitivity_under_its_relation():
    with pytest.raises(ValueError, match="Expected adjacency='add/remove' among the relations"):
        Private(Composed(Gaussian(1, {REPLACE: 1})), ZCDP(1), ADD_REMOVE)


def test_a_short_run_is_a_case_of_the_statement():
    nu = Noise("nu", variance=1)
    A = sp.IndexedBase("A", nonnegative=True)
    process = Iterates(A, norm2(x), [x], [x / 2 + nu], [nu], t, 1, T)
    first, second, *_ = runs([process], AtMost(A[T + 1], A[1]))
    assert first.lengths == {"T": "1"}
    assert first.shows.lhs == norm2(x) / 4 + 1 and first.shows.rhs == norm2(x)
    assert second.shows.lhs == norm2(x) / 16 + sp.Rational(1, 4) + 1


def test_an_entry_that_is_not_known_is_in_no_run():
    beyond = ForEvery(AtMost(g[t], 1), t, 1, T)
    # At every T the entry at m may be any, within the range or not: m is a length too.
    assert all(run.lengths.keys() == {"T", "m"} for run in runs([beyond], AtMost(g[m], 1)))
    assert not list(runs([beyond], AtMost(g[sp.floor(X)], 1)))


def test_a_run_begins_where_the_hypotheses_let_it():
    assert [run.lengths["T"] for run in runs([BESIDE, T >= 5], AtMost(g[T], 0))] == ["5", "6", "7"]
    assert not list(runs([ForEvery(AtMost(g[s], 0), s, 1, 10**6 * T)], AtMost(g[1], 0)))


def bounded_by(most, low=1, high=T):
    return Theorem(
        given=[ForEvery(AtMost(g[s], most), s, low, high)], shows=AtMost(sp.Sum(g[s], (s, 1, T)), Y * T)
    )


@pytest.mark.parametrize(
    "right", [bounded_by(Y - 1), bounded_by(Y - 1 / s**2), bounded_by(Y, 0, T + 3)], ids=str
)
def test_a_hypothesis_for_every_index_is_met_by_a_stronger_one(right) -> None:
    assert prove(right.use("bounded", X=Y)).verdict is PROVED


@pytest.mark.parametrize("wrong", [bounded_by(Y + 1 / s), bounded_by(Y, 2), bounded_by(Y, 1, T - 1)], ids=str)
def test_a_hypothesis_for_every_index_is_not_met_by_a_weaker_one(wrong) -> None:
    assert prove(wrong.use("bounded", X=Y)).verdict is REFUTED


def test_what_is_known_of_sequences_does_not_hide_what_is_known_of_numbers():
    e, K = sp.IndexedBase("e", nonnegative=True), sp.Symbol("K", integer=True, positive=True)
    growing = ForEvery(AtMost(e[t + 1], (1 + 1 / K) * e[t]), t, 1, K)
    theorem = Theorem(given=[growing], shows=AtMost(e[K + 1], sp.E * e[1]))
    theorem = theorem.unroll(e[t], 1 + 1 / K, 0, (t, 1, K), "K times")
    assert prove(theorem.have(AtMost((1 + 1 / K) ** K, sp.E), "by logarithms")).verdict is PROVED


PAPER_WITH_AN_ERROR = """
import sympy as sp
from dpverify.claims import Paper, claim
from dpverify.relations import AtMost
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import REFUTED

PAPER = Paper("error", "Me (2020)")
x, y = sp.symbols("x y", real=True)

@claim(PAPER, "wrong", at="Lemma 1", expect=REFUTED, correction="right")
def wrong():
    "x <= x^2."
    return AtMost(x, x**2)

@claim(PAPER, "right", at="Lemma 1")
def right():
    "x <= x^2 + 1."
    return AtMost(x, x**2 + 1)

@claim(PAPER, "leans", at="Theorem 2", uses=["wrong", "right"])
def leans():
    "y <= y^2 + 2, by the lemma as corrected."
    return Theorem(shows=AtMost(y, y**2 + 2)).use("right", x=y)

@claim(PAPER, "lies", at="Theorem 3", uses=["wrong", "right"])
def lies():
    "y <= y^2 + 2, by the lemma as printed."
    return AllOf(AtMost(0, y**2), Theorem(shows=AtMost(y, y**2 + 2)).use("wrong", x=y))
"""


def test_a_proof_that_uses_what_is_refuted_is_tainted_whatever_else_it_names(tmp_path) -> None:
    file = tmp_path / "error.py"
    file.write_text(PAPER_WITH_AN_ERROR)
    leaning = {c.claim.id: c for c in check(paths=[file])}
    assert leaning["error/leans"].result.depends == ("error/right",) and not leaning["error/leans"].tainted
    assert leaning["error/lies"].result.depends == ("error/wrong",)
    assert leaning["error/lies"].tainted == ("error/wrong",)


def test_one_name_is_one_vector_and_one_function():
    same = Equal(norm2(x), norm2(Noise("x", variance=1)))
    assert "two different vectors are called x" in prove(same).because
    twice = AtMost(Function("f", convex=True)(x), Function("f", smooth=1)(x))
    assert "two different functions are called f" in prove(twice).because


def test_a_domain_in_two_pieces_is_seen_to_be():
    apart = Increasing(-1 / X, X, [sp.Or(X < -1, X > 1)])
    assert prove(apart).verdict is REFUTED


NARROW_PLACES = '''
import sympy as sp
from dpverify.claims import Paper, claim
from dpverify.language.expectations import Noise
from dpverify.language.vectors import Vector, norm2
from dpverify.relations import AtMost
from dpverify.theorems import Iterates, Theorem

PAPER = Paper("narrow", "A paper")
s = sp.Symbol("s", nonnegative=True)
z, now = sp.Symbol("z", positive=True), sp.Symbol("n_now", positive=True)
R, r = (sp.Symbol(name, integer=True, positive=True) for name in ("R", "r"))
e, n = sp.IndexedBase("e", nonnegative=True), sp.IndexedBase("n", positive=True)


def narrow(x):
    """Negative next to log(7) alone, where no search looks."""
    return (x - sp.log(7)) ** 2 * sp.exp(x) - sp.Rational(1, 10**30)


@claim(PAPER, "square", at="Lemma")
def square():
    """0 <= |nu|^2."""
    return AtMost(0, norm2(Noise("nu", variance=s)))


@claim(PAPER, "case", at="a noise that exists in a case", uses=["square"])
def case():
    """narrow(z) >= 0."""
    nu = Noise("nu", variance=narrow(z))
    theorem = Theorem(shows=AtMost(0, narrow(z))).use("square", "a case", when=narrow(z) >= 0, s=narrow(z))
    return theorem.expect(AtMost(0, norm2(nu)), [nu], "not negative")


@claim(PAPER, "step", at="a noise of an arbitrary step")
def step():
    """narrow(n_now) >= 0."""
    xi, later, w = Noise("xi", variance=narrow(n[r])), Noise("xi", variance=narrow(now)), Vector("w")
    run = Iterates(e, norm2(w), [w], [w + xi], [xi], r, 1, R)
    theorem = Theorem(given=[run], shows=AtMost(0, narrow(now))).descend(run, 1, narrow(n[r]), "a step")
    return theorem.expect(AtMost(0, norm2(later)), [later], "not negative")


@claim(PAPER, "name", at="a hypothesis on a number that the engine made up")
def name():
    """If narrow(n_now) >= 0 for one number, w times below(n_r) never grows."""
    w = Vector("w")

    def below(x):
        return 1 / (1 + narrow(x))

    run = Iterates(e, norm2(w), [w], [below(n[r]) * w], [], r, 1, R)
    return (
        Theorem(given=[run, narrow(now) >= 0], shows=AtMost(e[R + 1], e[1]))
        .have(AtMost(below(now), 1), "not negative")
        .have(AtMost(0, below(now)), "nor this")
        .have(AtMost(below(now) ** 2, 1), "squared")
        .descend(run, 1, 0, "a step")
        .unroll(e[r], 1, 0, (r, 1, R), "all steps")
    )
'''


def test_what_exists_in_a_case_or_at_a_step_does_not_exist_everywhere(tmp_path) -> None:
    file = tmp_path / "narrow.py"
    file.write_text(NARROW_PLACES)
    verdicts = {c.claim.id: c.result.verdict for c in check(paths=[file])}
    assert verdicts == {
        "narrow/square": PROVED,
        "narrow/case": UNDECIDED,
        "narrow/step": UNDECIDED,
        "narrow/name": UNDECIDED,
    }


def shortened(*where, noise=0):
    """x -> x - x/|x|, a step of length 1 towards 0, as long as `where` holds: E|x|^2 grows by 1 at most."""
    V = sp.IndexedBase("V", real=True)
    drawn = [noise] if noise else []
    step = x - x / sp.sqrt(norm2(x)) + noise if noise else x - x / sp.sqrt(norm2(x))
    run = Iterates(V, norm2(x), [x], [step], drawn, t, 1, T, where=where)
    return (
        Theorem(given=[run], shows=AtMost(V[T + 1], V[1] + 2 * T))
        .descend(run, 1, 2, "one step")
        .unroll(V[t], 1, 2, (t, 1, T), "all steps")
    )


def test_a_condition_on_every_state_is_known_at_a_step_and_has_to_be_met_by_a_run() -> None:
    V, nu = sp.IndexedBase("V", real=True), Noise("nu", variance=1)
    assert prove(shortened(norm2(x) > 0)).verdict is PROVED
    assert "defined" in prove(shortened()).because, "the step is not defined at 0"
    # From |x| = 1 the first half step leaves |x| >= 1, so that there is no second one.
    halved = Iterates(V, norm2(x), [x], [x / 2], [], t, 1, T, where=[norm2(x) >= 1])
    for start, verdict in (([], PROVED), ([sp.Eq(V[1], 1), T >= 2], UNDECIDED)):
        theorem = Theorem(given=[halved, *start], shows=AtMost(V[T + 1], V[1]))
        moved = theorem.descend(halved, 1, 0, "one step").unroll(V[t], 1, 0, (t, 1, T), "all steps")
        assert prove(moved).verdict is verdict
    assert prove(shortened(norm2(nu) > 0, norm2(x) > 0, noise=nu)).verdict is not PROVED


def test_a_lemma_about_a_run_is_not_used_for_one_that_may_leave_its_states() -> None:
    lemma = shortened(norm2(x) > 0)
    statements.set(lambda id: (id, lemma))
    for where, right in (((norm2(x) > 0,), True), ((), False)):
        bare = shortened(*where)
        used = Theorem(given=bare.given, shows=bare.shows).use("lemma", "the lemma")
        assert (prove(used).verdict is PROVED) == right
