"""momentum-agg: COMPOSE, trees against direct sums, naive twins of Algorithms 1 and 2, exact noise, and what
the accountant says.
"""

import math
from itertools import product

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from dpverify import Budget, audit
from dpverify.accounting import account, epsilon, meets
from dpverify.accounting.gaussian import gaussian_mu, tree_cost
from dpverify.algorithms import example
from dpverify.algorithms.dp_nsgd import dp_nsgd
from dpverify.algorithms.sensitivity_reduced_nsgd import Scales, sensitivity_reduced_nsgd
from dpverify.algorithms.tree_aggregation import tree_aggregation
from dpverify.auditing.algorithm import loss_mechanism
from dpverify.engine import walk
from dpverify.formulas import momentum_agg
from dpverify.formulas.momentum_agg import ending_at
from dpverify.guarantees import GDP, ZCDP
from dpverify.losses import block_losses
from dpverify.montecarlo import generator, run
from dpverify.neighbours import REPLACE, Neighbours
from dpverify.parts.cases import logistic_case
from dpverify.parts.trees import covering, grow, node_sums, prefix
from dpverify.problems import mean_estimation
from dpverify.releases import TreeNode, occurrences
from dpverify.verdicts import REFUTED

PRINTED = {
    "tree-aggregation": 0.976,
    "dp-nsgd": 0.283,
    "sensitivity-reduced-nsgd": 0.2175,
}  # at delta = 1e-3, where 2 is claimed
quick = settings(max_examples=40, derandomize=True, database=None, deadline=None)


@pytest.mark.parametrize("name", PRINTED)
def test_the_default_is_certified_with_nothing_to_spare(name):
    case = example(name)
    assert meets(case.algorithm.ledger(), REPLACE, case.claimed)
    assert epsilon(account(case.algorithm.ledger(), REPLACE), 1e-3) == pytest.approx(2.0, rel=1e-3)


@pytest.mark.parametrize("name", PRINTED)
def test_the_accountant_judges_the_printed_constants(name):
    case = example(name, as_printed=True)
    assert epsilon(account(case.algorithm.ledger(), REPLACE), 1e-3) == pytest.approx(PRINTED[name], rel=0.01)


def test_the_printed_sensitivity_of_differences_lacks_the_smoothness():
    spent = [
        epsilon(
            account(
                example("sensitivity-reduced-nsgd", as_printed=True, smoothness=L).algorithm.ledger(), REPLACE
            ),
            1e-3,
        )
        for L in (0.25, 8.0)
    ]
    assert spent[0] < 2.0 < spent[1]


@quick
@given(a=st.integers(1, 200), length=st.integers(0, 200))
def test_compose_gives_maximal_dyadic_parts(a, length):
    b = a + length - 1
    parts = momentum_agg.compose(a, b)
    assert [i for y, z in parts for i in range(y, z + 1)] == list(range(a, b + 1))
    for y, z in parts:
        size = z - y + 1
        assert size & (size - 1) == 0
        assert (y - 1) % size == 0
        parent = (y - 1) // (2 * size) * 2 * size + 1
        assert not (a <= parent and parent + 2 * size - 1 <= b)
    if length:
        assert len(parts) <= 2 * (1 + math.floor(math.log2(length)))
        assert len(momentum_agg.compose(1, b)) == b.bit_count()


@quick
@given(T=st.integers(1, 40), decay=st.sampled_from([1.0, 0.9, 0.5]))
def test_node_sums_and_prefixes_are_direct_sums(T, decay):
    terms = np.random.default_rng(0).standard_normal(T)
    siblings = known = (None,) * T.bit_length()
    forest = ()
    for t in range(1, T + 1):
        sums, siblings = node_sums(siblings, terms[[t - 1]], t, decay)
        for (y, z), total in zip(momentum_agg.ending_at(t), sums, strict=True):
            assert total[0] == pytest.approx(sum(decay ** (z - i) * terms[i - 1] for i in range(y, z + 1)))
        total, known = prefix(known, sums[-1], t, decay)
        assert total[0] == pytest.approx(sum(decay ** (t - i) * terms[i - 1] for i in range(1, t + 1)))
        forest = grow(forest, sums, t, 8)
        for a in range(max(1, t - 7), t + 1):
            assert [(node.first, node.last) for node in covering(forest, a, t)] == momentum_agg.compose(a, t)
            direct = sum(decay ** (t - node.last) * node.value[0] for node in covering(forest, a, t))
            assert direct == pytest.approx(sum(decay ** (t - i) * terms[i - 1] for i in range(a, t + 1)))


def test_the_forest_forgets_what_no_window_needs():
    forest = ()
    for t in range(1, 1025):
        forest = grow(forest, [np.zeros(1)] * (momentum_agg.level(t) + 1), t, 8)

    def size(node):
        return 0 if node is None else 1 + size(node.left) + size(node.right)

    assert sum(map(size, forest)) < 64
    with pytest.raises(ValueError, match="window"):
        list(covering(forest, 1, 3))


@quick
@given(
    T=st.integers(1, 9), N=st.integers(1, 4), decay=st.sampled_from([1.0, 0.8, 0.3]), all_nodes=st.booleans()
)
def test_the_accountant_of_trees_charges_the_worst_place_of_a_record(T, N, decay, all_nodes):
    nodes = [node for t in range(1, T + 1) for node in momentum_agg.ending_at(t)[0 if all_nodes else -1 :]]
    worst = 0.0
    for places in product(range(1, N + 1), repeat=-(-T // N)):
        steps = [epoch * N + place for epoch, place in enumerate(places)]
        worst = max(worst, sum(sum(decay ** (z - i) for i in steps if y <= i <= z) ** 2 for y, z in nodes))
    charged = tree_cost([(y, z, 1.0) for y, z in nodes], N, decay)
    assert charged == pytest.approx(worst)


def test_a_record_may_meet_a_node_at_the_end_of_one_epoch_and_the_start_of_the_next():
    most = occurrences(1, 16, period=5, decay=0.8)[-1]
    assert most == pytest.approx(1 + 0.8 + 0.8**6 + 0.8**11)
    assert most > 2  # Theorem 4 takes 4 alpha G = 2 occurrences' worth


def test_printed_counts():
    assert momentum_agg.printed_v(8, 4) == 3 * 2 + 1
    T, N = sympy.symbols("T N", positive=True)
    assert float(momentum_agg.printed_v(T, N).subs({T: 80, N: 20}).doit()) == momentum_agg.printed_v(80, 20)
    i = momentum_agg.block_coefficients(0.3, 0.2)
    c = [1.0]
    for k in range(1, 5):
        c.append(0.7**k + 0.2 * c[-1])
    assert i.values(5).tolist() == pytest.approx(c)
    assert momentum_agg.momentum_weights(0.2, 6).values(6).sum() == pytest.approx(1 - 0.8**6)


PROBLEM, DATA = logistic_case(6, ridge=0.05, doubt=0.3)


def gradients(x, i, clip):
    rows, labels = DATA
    g = -labels[i] * rows[i] / (1 + math.exp(labels[i] * rows[i] @ x))
    return g * min(1.0, clip / np.linalg.norm(g))


def test_tree_aggregation_is_its_naive_twin():
    problem = mean_estimation(2, count=7)
    data = np.random.default_rng(0).standard_normal((7, 2))
    *steps, last = walk(tree_aggregation(problem, clip=1.0, scale=0.5), data, 2, generator(0, 0))
    clipped = -data / np.maximum(1.0, np.linalg.norm(data, axis=1))[:, None]
    for step in steps:
        ((y, z),) = step.release.nodes
        assert np.allclose(step.answer.value[:, 0], clipped[y - 1 : z].sum(axis=0))
    parts = [step.released[:, 0] for step in steps if step.release.nodes[0] in momentum_agg.compose(1, 7)]
    assert np.allclose(last.x, -sum(parts) / 7)


def test_dp_nsgd_is_its_naive_twin():
    alpha = 0.3
    eta = 0.05
    T = 20
    N = 6
    algorithm = dp_nsgd(PROBLEM, clip=0.4, alpha=alpha, scale=0.2, steps=T, step_size=eta)
    *steps, last = walk(algorithm, DATA, 2, generator(0, 0))
    for r in range(2):
        x = PROBLEM.start
        noise = {}
        past = []
        public = np.zeros(3)
        for step in steps:
            t = step.t
            order = step.state.order[r]
            assert sorted(order) == list(range(N))
            past.append(gradients(x, order[(t - 1) % N], 0.4))
            ((y, z),) = step.release.nodes
            exact = alpha * sum((1 - alpha) ** (z - i) * past[i - 1] for i in range(y, z + 1))
            assert np.allclose(step.answer.value[r, 0], exact)
            noise[y, z] = step.released[r, 0] - exact
            m = alpha * sum((1 - alpha) ** (t - i) * past[i - 1] for i in range(1, t + 1))
            m = m + sum((1 - alpha) ** (t - z) * noise[y, z] for y, z in momentum_agg.compose(1, t))
            public = (1 - alpha) * public + alpha * 2 * PROBLEM.ridge * x
            x = x - eta * (m + public) / np.linalg.norm(m + public)
        assert np.allclose(last.x[r], x)


def test_epochs_have_fresh_orders_and_the_output_is_any_iterate():
    algorithm = dp_nsgd(PROBLEM, clip=1.0, alpha=0.3, scale=0.2, steps=18, step_size=0.1)
    *steps, last = walk(algorithm, DATA, 4000, generator(0, 0))
    first, second = steps[0].state.order, steps[6].state.order
    assert not np.array_equal(first, second)
    assert np.array_equal(steps[0].state.order, steps[5].state.order)
    path = np.stack([step.state.x for step in steps], axis=1)
    which = np.argmin(np.linalg.norm(path - last.chosen[:, None], axis=2), axis=1)
    counts = np.bincount(which, minlength=18)
    assert np.all(
        np.abs(counts / 4000 - 1 / 18) < 0.03
    )  # Hoeffding: a false alarm has chance below 18 * 2 exp(-7.2) < 0.03, fixed seed


def test_sensitivity_reduced_is_its_naive_twin():
    """Algorithms 2 and 4 term by term, with all nodes kept and the coefficients of Lemma 17."""
    alpha = 0.3
    gamma = 0.4
    eta = 0.05
    T = 20
    N = 6
    L = 0.25
    settings_ = {"clip": 1.0, "smoothness": L, "alpha": alpha, "gamma": gamma, "steps": T, "step_size": eta}
    algorithm = sensitivity_reduced_nsgd(PROBLEM, scales=Scales(0.5, 0.3, 0.1), **settings_)
    *steps, last = walk(algorithm, DATA, 1, generator(0, 0))
    x = PROBLEM.start
    path = []
    terms = []
    released = {}
    public, rho = np.zeros(3), (1 - alpha) ** N

    def gathered(stream, a, b):
        return sum((1 - alpha) ** (b - z) * released[stream, y, z] for y, z in momentum_agg.compose(a, b))

    for step in steps:
        t = step.t
        path.append(x)
        q = (t - 1) // N
        record = step.state.order[0, (t - 1) % N]
        anchor, before = path[q * N], path[(q - 1) * N] if q else None
        g0, g1 = gradients(anchor, record, 1.0), gradients(x, record, 1.0)
        terms.append((g0, g1 - g0, g0 - gradients(before, record, 1.0) if q else None))
        column = 0
        for y, z in momentum_agg.ending_at(t):
            for stream in (0, 1, 2) if y > N else (0, 1):
                assert step.release.nodes[column] == (y, z)
                assert step.release.scale[column] == (0.1 if stream else 0.5 if t <= 2 * N else 0.3)
                exact = sum((1 - alpha) ** (z - i) * terms[i - 1][stream] for i in range(y, z + 1))
                assert np.allclose(step.answer.value[0, column], exact)
                released[stream, y, z] = step.released[0, column]
                column += 1
        q, r = divmod(t, N)
        c = [0.0, 1.0]
        while len(c) <= q:
            c.append((1 - gamma) ** (len(c) - 1) + rho * c[-1])
        total = rho**q * gathered(0, 1, r) + (c[q] * gathered(0, r + 1, r + N) if q else 0.0)
        for i in range(1, q):
            block = t - i * N + 1, t - (i - 1) * N
            total = total + c[i] * ((1 - gamma) * gathered(2, *block) + gamma * gathered(0, *block))
        public = (1 - alpha) * public + alpha * 2 * PROBLEM.ridge * x
        m = alpha * (total + gathered(1, 1, t)) + public
        x = x - eta * m / np.linalg.norm(m)
    assert np.allclose(last.x[0], x)


@pytest.mark.parametrize("reduced", [False, True])
def test_the_exact_noise_of_the_momentum(reduced):
    """Zero gradients: the direction is the noise, whose deviation the closed form gives."""
    T = 20
    runs = 4000
    N = 6
    problem = mean_estimation(2, count=N)
    flat = np.zeros((N, 2))
    seen = []
    if reduced:
        scales = Scales(0.5, 0.3, 0.1)
        algorithm = sensitivity_reduced_nsgd(
            problem, clip=1.0, smoothness=1.0, alpha=0.3, gamma=0.4, scales=scales, steps=T, step_size=1e-9
        )
        deviation = momentum_agg.reduced_deviation(0.3, 0.4, N, T, *scales)
    else:
        algorithm = dp_nsgd(problem, clip=1.0, alpha=0.3, scale=0.5, steps=T, step_size=1e-9)
        deviation = momentum_agg.prefix_deviation(0.3, 0.5, T)
    for step in walk(algorithm, flat, runs, generator(0, 0)):
        state = getattr(step, "state", step)
        if state.t > 1:
            if reduced:
                r = sum(
                    0.7 ** (state.t - 1 - node.last) * node.value[:, 1]
                    for node in covering(state.forest, 1, state.t - 1)
                )
                seen.append((0.3 * (state.sums[0] + r)).std())
            else:
                seen.append(state.prefixes[momentum_agg.level(state.t - 1)].std())
    # 8000 Gaussian draws: a deviation is within 5 % by six of its standard errors
    assert np.allclose(seen, deviation, rtol=0.05)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"alpha=0\.0"):
        dp_nsgd(PROBLEM, clip=1.0, alpha=0.0, scale=1.0, steps=4, step_size=0.1)
    with pytest.raises(ValueError, match="steps=0"):
        dp_nsgd(PROBLEM, clip=1.0, alpha=0.5, scale=1.0, steps=0, step_size=0.1)
    with pytest.raises(ValueError, match="with 6 records, the length of an epoch, got 5"):
        run(
            dp_nsgd(PROBLEM, clip=1.0, alpha=0.5, scale=1.0, steps=4, step_size=0.1),
            (DATA[0][:5], DATA[1][:5]),
            2,
        )
    with pytest.raises(ValueError, match="count=1"):
        sensitivity_reduced_nsgd(
            mean_estimation(1, count=1),
            clip=1.0,
            smoothness=1.0,
            alpha=0.5,
            gamma=0.5,
            scales=Scales(1, 1, 1),
            steps=2,
            step_size=0.1,
        )
    with pytest.raises(ValueError, match="a=0"):
        momentum_agg.compose(0, 3)
    with pytest.raises(ValueError, match=r"decay=1\.5"):
        TreeNode((1.0,), {REPLACE: (1.0,)}, ((1, 1),), period=1, decay=1.5)


def placements(T, N):
    """The steps at which a record may occur, one place in each epoch; all are equally likely."""
    for places in product(range(1, N + 1), repeat=-(-T // N)):
        yield [epoch * N + place for epoch, place in enumerate(places)]


def moved(nodes, steps, alpha):
    """The sum over nodes (first, last, scale) of the square of what a record at these steps moves it by, its
    gradient being 1 or -1, in units of the node's noise.
    """
    return sum(
        (2 * sum((1 - alpha) ** (z - i) for i in steps if y <= i <= z) / scale) ** 2 for y, z, scale in nodes
    )


SETTINGS = [(4, 4, 0.25), (5, 15, 0.2), (6, 14, 0.5), (3, 12, 1.0), (8, 8, 0.125)]  # N, T, alpha


@pytest.mark.parametrize("reduced", [False, True])
@pytest.mark.parametrize(("N", "T", "alpha"), SETTINGS)
def test_ledger_exact_losses_and_audit_agree_with_the_theorem(N, T, alpha, reduced):
    """For f(w, x) = -x w, x = 1 or -1, every node moves by all that its sensitivity allows: the loss of a run
    is N(m/2, m), m that of the placement. Theorem 4 says m <= 1/sigma^2, Theorem 8 m <= 3/sigma^2 for its
    three trees, of which those of differences do not move here.
    """
    problem, ones = mean_estimation(1, count=N), np.ones((N, 1))
    pair = Neighbours.replace(ones, 0, -np.ones(1))
    common = {"clip": 1.0, "alpha": alpha, "steps": T, "step_size": 0.01}
    sigma = 0.25
    if reduced:
        few, many = (4 * sigma * math.sqrt(v) for v in momentum_agg.printed_v_reduced(T, N))
        scales = Scales(few, many, 2 * 0.01 * N * many / 4)
        algorithm = sensitivity_reduced_nsgd(problem, scales=scales, smoothness=1.0, gamma=0.5, **common)
        nodes = [(y, z, few if z <= 2 * N else many) for t in range(1, T + 1) for y, z in ending_at(t)]
    else:
        scale = 4 * alpha * sigma * math.sqrt(momentum_agg.printed_v(T, N))
        algorithm = dp_nsgd(problem, scale=scale, **common)
        nodes = [(*ending_at(t)[-1], scale / alpha) for t in range(1, T + 1)]
    exact = np.array([moved(nodes, steps, alpha) for steps in placements(T, N)])
    charged = gaussian_mu(algorithm.ledger(), REPLACE) ** 2
    assert charged <= (3 if reduced else 1) / sigma**2
    assert exact.max() <= charged * (1 + 1e-9) if reduced else exact.max() == pytest.approx(charged)
    runs = 4000
    losses = block_losses(
        algorithm, algorithm.load(pair.data), algorithm.load(pair.other), runs, generator(0, 0)
    )
    error = math.sqrt((exact.mean() + exact.var() / 4) / runs)
    assert abs(losses.mean() - exact.mean() / 2) < 5 * error  # false alarm below 1e-6 each, fixed seed
    budget, mechanism = Budget(runs=6000, seed=0), loss_mechanism(algorithm, pair)
    for claimed, verdict in ((GDP(math.sqrt(charged)), False), (ZCDP(exact.mean() / 6), True)):
        ended = audit(mechanism, pair, claimed, budget=budget, rungs=["statistics"], smaller=False).verdict
        assert (ended is REFUTED) == verdict
