"""pfl-research (Apple): the Gaussian, Laplace and banded matrix factorization mechanisms, on users whose
statistics are the records.

    query     sum over users of clip(record, clip), clipped by `constrain_sensitivity` over two arrays
    together
    released  query + noise by `add_noise`: N(0, (noise clip)^2 I), Laplace of scale clip/epsilon, or C^-1 Z
    over the rounds

The sum of a data set is laid out once per run and `add_noise` is called on all runs at once: it draws every
entry by itself. The weight of the statistics, the number of users, is no part of what is published here: pfl
adds no noise to it. Its accountants speak of added and removed users.

pfl 0.6.0 wants dp-accounting 0.5.1, dpverify 0.6: in an environment of its own,

    pip install pfl==0.6.0 "torch>=2.6,<2.14"
    pip install --no-deps .        # from a clone
    pip install "sympy>=1.13" "mpmath>=1.3,<1.4" "hypothesis>=6.100" "pytest>=8" "python-flint>=0.7"
    "joblib>=1.4" "threadpoolctl>=3"
    pip install "typer>=0.12" "rich>=13" "jinja2>=3.1" "matplotlib>=3.9" "latex2mathml>=3.77"

(`pip check` then names dp-accounting alone.) torch is for the factorization only.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from dpverify.adapters import Target, positive
from dpverify.auditing.tape import Tape
from dpverify.guarantees import ApproxDP, Profile, PureDP
from dpverify.neighbours import ADD_REMOVE, REPLACE, ZERO_OUT, Adjacency, Neighbours
from dpverify.releases import Gaussian, Laplace
from dpverify.subjects import Subject
from dpverify.verdicts import REFUTED

Array = np.ndarray[Any, Any]

PAIR = Neighbours.remove(np.array([[3.0, 0.0, 4.0, 0.0], [0.0, 0.5, 0.0, 0.0]]), 0)
ALONG = Neighbours.remove(
    np.array([[5.0, 0.0, 0.0, 0.0], [0.0, 0.5, 0.0, 0.0]]), 0
)  # along a coordinate, where Laplace noise is tight


def _framework(name: str) -> None:
    """Have pfl compute with that one of its modules of operations."""
    import importlib

    from pfl.internal.ops import selector

    selector.set_framework_module(
        importlib.import_module(f"pfl.internal.ops.{name}"), old_module=selector._framework_module
    )


def _statistics(rows: Array) -> Any:
    """The first half of the columns as one array, the rest as another."""
    from pfl.internal.ops.selector import get_default_framework_module as get_ops
    from pfl.stats import MappedVectorStatistics

    half = rows.shape[-1] // 2
    parts = {"first": rows[..., :half].copy(), "second": rows[..., half:].copy()}
    return MappedVectorStatistics(
        {name: get_ops().to_tensor(part, dtype=None) for name, part in parts.items()}, weight=1.0
    )


def _numbers(statistics: Any) -> Array:
    return np.concatenate(
        [np.asarray(statistics["first"], dtype=float), np.asarray(statistics["second"], dtype=float)], axis=-1
    )


def _sum(mechanism: Any, data: Any) -> Array:
    """The sum of the users' statistics, each clipped by the mechanism."""
    rows = np.asarray(data, dtype=float)
    total = np.zeros(rows.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):
        for row in rows:
            total = total + _numbers(mechanism.constrain_sensitivity(_statistics(row))[0])
    return total


def _noisy(mechanism: Any, query: Array, users: int, rng: np.random.Generator) -> Array:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch on how pfl copies a tensor
        return _numbers(
            mechanism.add_noise(_statistics(query), cohort_size=users, seed=int(rng.integers(1, 2**32)))[0]
        )


def _by_relation(clip: float) -> dict[Adjacency, float]:
    return {ADD_REMOVE: clip, ZERO_OUT: clip, REPLACE: 2 * clip}


def _train(mechanism: Any, steps: int, declared: Any, operations: str = "numpy_ops") -> Callable[..., Array]:
    """`steps` rounds in which every user takes part; the noise by those operations of pfl."""

    def train(data: Any, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
        _framework("numpy_ops")
        query = np.tile(_sum(mechanism, data), (runs, 1))
        _framework(operations)
        return np.concatenate(
            [tape.record(query, _noisy(mechanism, query, len(data), rng), declared) for _ in range(steps)],
            axis=1,
        )

    return train


def _accountant(noise: float, compositions: int) -> Profile:
    """What the PLD accountant of pfl says of that many rounds with every user."""
    from pfl.privacy.privacy_accountant import PLDPrivacyAccountant

    composed = PLDPrivacyAccountant.get_composed_accountant(
        "gaussian", noise, True, 1.0, True, 1e-3, compositions
    )
    return Profile(
        lambda epsilon: float(composed.get_delta_for_epsilon(epsilon)), "PLDPrivacyAccountant of pfl"
    )


def gaussian(steps: int = 4, noise: float = 1.0, clip: float = 1.0) -> Subject:
    """GaussianMechanism in every round, as PLDPrivacyAccountant charges it."""
    positive(steps=steps, noise=noise, clip=clip)
    from pfl.privacy.gaussian_mechanism import GaussianMechanism

    mechanism = GaussianMechanism(clip, noise)
    declared = Gaussian(noise * clip, _by_relation(clip))
    return Subject(
        _train(mechanism, steps, declared),
        _accountant(noise, steps),
        PAIR,
        "PLDPrivacyAccountant, add/remove",
        runs=10_000,
        any_number=True,
        largest=1e38,
    )


def gaussian_torch(steps: int = 1, noise: float = 1.0, clip: float = 1.0) -> Subject:
    """GaussianMechanism with the PyTorch operations of pfl on statistics in float64: the noise is drawn in
    float32.

    `add_gaussian_noise` of pytorch_ops fills a float32 buffer and adds it to the statistic. Where the
    statistic is 0 the sum has the few bits of float32, elsewhere the 53 of float64: one output tells the two
    apart. In float32, pfl's default, they are told apart by the bits below those of the statistic.
    """
    positive(steps=steps, noise=noise, clip=clip)
    from pfl.privacy.gaussian_mechanism import GaussianMechanism

    declared = Gaussian(noise * clip, _by_relation(clip))
    train = _train(GaussianMechanism(clip, noise), steps, declared, "pytorch_ops")
    return Subject(
        train,
        _accountant(noise, steps),
        PAIR,
        "PLDPrivacyAccountant, add/remove",
        runs=2_000,
        any_number=True,
        largest=1e38,
    )


def gaussian_single(epsilon: float = 2.0, delta: float = 0.01, clip: float = 1.0) -> Subject:
    """GaussianMechanism.construct_single_iteration, which finds the noise for (epsilon, delta) by itself."""
    positive(epsilon=epsilon, delta=delta, clip=clip)
    from pfl.privacy.gaussian_mechanism import GaussianMechanism

    mechanism = GaussianMechanism.construct_single_iteration(clip, epsilon, delta)
    declared = Gaussian(mechanism.relative_noise_stddev * clip, _by_relation(clip))
    return Subject(
        _train(mechanism, 1, declared),
        ApproxDP(epsilon, delta),
        PAIR,
        "the docstring of construct_single_iteration",
        runs=40_000,
        any_number=True,
        largest=1e38,
    )


def laplace(steps: int = 2, epsilon: float = 1.0, clip: float = 1.0) -> Subject:
    """LaplaceMechanism in every round; its epsilon is that of one round, and rounds add up."""
    positive(steps=steps, epsilon=epsilon, clip=clip)
    from pfl.privacy.laplace_mechanism import LaplaceMechanism

    mechanism = LaplaceMechanism(clip, epsilon)
    declared = Laplace(clip / epsilon, _by_relation(clip))
    return Subject(
        _train(mechanism, steps, declared),
        PureDP(steps * epsilon),
        ALONG,
        "the docstring of LaplaceMechanism, basic composition",
        runs=20_000,
        any_number=True,
        largest=1e38,
    )


def ftrl(rounds: int = 8, joined: int = 1, noise: float = 1.0, clip: float = 1.0) -> Subject:
    """BandedMatrixFactorizationMechanism over `rounds` rounds, `min_separation` as many: a user takes part
    once, in round `joined`.

    It publishes X + C^-1 Z, which is C X + Z in other coordinates: a user moves C X by the norm of one column
    of C. The accountant is
    asked for one composition at sensitivity `clip`, so the columns must have norm 1. The optimizer gives X =
    C'C with a diagonal of
    ones; but `numpy.linalg.cholesky` factors X as L L', and L is taken for C: its *rows* have norm 1. The
    first column of L is longer:
    1.18 for 4 rounds, 1.41 for 8 (pfl 0.6.0). Users of the first round are short of noise by that factor,
    those of round 2 are not.
    """
    positive(rounds=rounds, joined=joined, noise=noise, clip=clip)
    if joined > rounds:
        raise ValueError(f"Expected joined={joined} <= rounds={rounds}.")
    import torch
    from pfl.privacy.ftrl_mechanism import BandedMatrixFactorizationMechanism, ForwardSubstitution
    from pfl.privacy.privacy_accountant import PLDPrivacyAccountant

    torch.set_num_threads(1)
    _framework("pytorch_ops")

    def accountant(compositions: int) -> Any:
        return PLDPrivacyAccountant(
            compositions,
            1.0,
            "gaussian",
            delta=1e-5,
            noise_parameter=noise,
            value_discretization_interval=1e-3,
        )

    with tempfile.TemporaryDirectory() as folder:
        kind = type(
            "Banded", (BandedMatrixFactorizationMechanism,), {"_QUERY_MATRIX_DIR_PATH": folder}
        )  # it keeps C in a file
        mechanism = kind(clip, rounds, rounds, accountant)
    C = np.asarray(mechanism.query_matrix, dtype=float)
    declared = Gaussian(noise * clip, _by_relation(clip))

    def train(data: Any, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
        _framework("numpy_ops")
        total = _sum(mechanism, data)
        _framework("pytorch_ops")
        mechanism._C_inv_noise = ForwardSubstitution(mechanism.query_matrix, rounds - 1)
        X = np.zeros((rounds, runs, len(total)), dtype=np.float32)  # as its noise
        X[joined - 1] = total
        published = np.stack([_noisy(mechanism, x, len(data), rng) for x in X])
        query, released = (np.einsum("st,trd->rsd", C, part).reshape(runs, -1) for part in (X, published))
        return tape.record(query, released, declared)

    return Subject(
        train,
        _accountant(noise, 1),
        PAIR,
        "PLDPrivacyAccountant for one participation, add/remove",
        runs=20_000,
        any_number=True,
        largest=1e38,
    )


INSTALL = (
    'an environment of its own: pip install pfl==0.6.0 "torch<2.14", then dpverify with --no-deps '
    "(see dpverify/adapters/pfl.py)"
)

TARGETS = (
    Target(
        "pfl:ftrl",
        "banded matrix factorization, one participation, in round 1",
        "the profile of its PLD accountant, add/remove",
        ftrl,
        ("pfl", "torch"),
        INSTALL,
        expect={"sensitivity": REFUTED, "nan": REFUTED, "training": REFUTED, "huge": REFUTED},
    ),
    Target(
        "pfl:gaussian",
        "GaussianMechanism, every user in every round",
        "the profile of its PLD accountant, add/remove",
        gaussian,
        ("pfl",),
        INSTALL,
        expect={"nan": REFUTED},
    ),
    Target(
        "pfl:gaussian-float64",
        "GaussianMechanism, PyTorch operations, float64 statistics",
        "the profile of its PLD accountant, add/remove",
        gaussian_torch,
        ("pfl", "torch"),
        INSTALL,
        expect={"nan": REFUTED, "step": REFUTED, "training": REFUTED},
    ),
    Target(
        "pfl:gaussian-single",
        "GaussianMechanism from epsilon and delta",
        "(epsilon, delta)-DP, add/remove",
        gaussian_single,
        ("pfl",),
        INSTALL,
        expect={"nan": REFUTED},
    ),
    Target(
        "pfl:laplace",
        "LaplaceMechanism",
        "epsilon-DP a round, add/remove",
        laplace,
        ("pfl",),
        INSTALL,
        expect={"nan": REFUTED},
    ),
)
