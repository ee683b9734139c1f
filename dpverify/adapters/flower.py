"""Flower: central differential privacy by its strategies with fixed and adaptive clipping, and local
differential privacy by its mod, on clients whose updates are the records.

    fixed      released  sum_i w_i clip(u_i, clip) + N(0, (noise clip/n)^2 I),  w_i the share of examples
    adaptive   the same at the norm c of the round, and c exp(-0.2 (share of clipped clients + noise - 1/2))
    local      released  clip(u, clip) + N(0, s^2 I),  s = sensitivity sqrt(2 ln(1.25/delta))/epsilon

The strategy's own `aggregate_train` gets replies as they come from clients; the query is the same call
without noise. Noise comes from NumPy's global generator, seeded once a call. A client whose record is zero
sends an update of norm 1e-150: an update of exactly zero raises, which `flower:fixed` would otherwise show
everywhere.

Shown on flwr 1.41.0:
  - with equal numbers of examples fixed clipping is as charged;
  - FedAvg weighs clients by their number of examples, the noise is for weights of 1/n. With an accountant
    unequal weights are refused, without one they are not;
  - adaptive clipping adds noise for the norm of the next round to what was clipped at the norm of this one,
    charges the count of clipped clients half of what one client moves it, and moves the norm away from
    its target: what is clipped too often is clipped more;
  - the formula of the local mod is proved for epsilon up to 1 alone; larger ones are accepted.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from dpverify.adapters import Target, positive
from dpverify.auditing.tape import Tape
from dpverify.guarantees import GDP, ApproxDP
from dpverify.neighbours import REPLACE, ZERO_OUT, Neighbours
from dpverify.releases import Gaussian
from dpverify.subjects import Subject
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED

Array = np.ndarray[Any, Any]

TINY = 1e-150  # the norm of an update that stands for none


def _quiet() -> None:
    """No lines of log for each client, and the identity that messages need outside of a run."""
    from flwr.supercore.task_identity import TaskIdentity

    logging.getLogger("flwr").setLevel(logging.ERROR)
    TaskIdentity.run_id = TaskIdentity.node_id = TaskIdentity.task_id = 1


def _message(update: Array, examples: int) -> Any:
    """A message with these weights in two arrays, and the number of examples."""
    from flwr.app import Array as FlowerArray
    from flwr.app import ArrayRecord, Message, MetricRecord, RecordDict

    half = len(update) // 2
    arrays = {"first": FlowerArray(update[:half]), "second": FlowerArray(update[half:])}
    content = {"arrays": ArrayRecord(arrays), "metrics": MetricRecord({"num-examples": examples})}
    return Message(RecordDict(content), dst_node_id=1, message_type="train")


def _numbers(arrays: Any) -> Array:
    return np.concatenate([arrays[name].numpy() for name in ("first", "second")])


def _sent(data: Any) -> Array:
    """The updates of the clients; one of zero is replaced by one of norm TINY."""
    updates = np.array(data, dtype=float)
    updates[~updates.any(axis=1), 0] = TINY
    return updates


def _round(strategy: Any, updates: Array, examples: Sequence[int]) -> Array:
    """The weights that a strategy publishes after one round from zero."""
    strategy.current_arrays = _message(np.zeros(updates.shape[1]), 1).content["arrays"]
    replies = [_message(update, count) for update, count in zip(updates, examples)]
    with np.errstate(all="ignore"):  # infinite records are divided by their norm
        published, _ = strategy.aggregate_train(1, replies)
    return np.full(updates.shape[1], np.nan) if published is None else _numbers(published)


def fixed(noise: float = 1.0, clip: float = 1.0, clients: int = 4, first: int = 1) -> Subject:
    """DifferentialPrivacyServerSideFixedClipping around FedAvg, no accountant; the first client has `first`
    examples, the others one.

    What the strategy says is the noise multiplier, for which it cites McMahan et al. (2018): one client's
    update moves the average by clip/n, under the noise of noise clip/n.
    """
    positive(noise=noise, clip=clip, clients=clients, first=first)

    def train(data: Any, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
        from flwr.serverapp.strategy import DifferentialPrivacyServerSideFixedClipping, FedAvg

        _quiet()
        updates = _sent(data)
        count = max(len(updates), 1)
        examples = [first, *[1] * (count - 1)]
        noisy, still = (
            DifferentialPrivacyServerSideFixedClipping(FedAvg(), multiplier, clip, count)
            for multiplier in (noise, 0.0)
        )
        np.random.seed(int(rng.integers(2**32)))
        query = np.tile(_round(still, updates, examples), (runs, 1))
        released = np.array([_round(noisy, updates, examples) for _ in range(runs)])
        unit = clip / count
        return tape.record(query, released, Gaussian(noise * unit, {ZERO_OUT: unit, REPLACE: 2 * unit}))

    return Subject(
        train,
        GDP(1 / noise),
        _pair(clients),
        "flwr.serverapp.strategy.DifferentialPrivacyServerSideFixedClipping: noise_multiplier",
        runs=2000,
        any_number=first == 1,
    )


def _pair(clients: int, others: float = 0.01) -> Neighbours:
    """The first client sends 3, 0, 4, 0 or nothing, the others 0, `others`, 0, 0."""
    records = np.zeros((clients, 4))
    records[:, 1] = others
    records[0] = [3.0, 0.0, 4.0, 0.0]
    return Neighbours.zero_out(records, 0)


def adaptive(noise: float = 1.0, clients: int = 20) -> Subject:
    """DifferentialPrivacyServerSideAdaptiveClipping around FedAvg at its defaults (first norm 0.1,
    learning rate 0.2), one round; published are the weights and the noisy share of clipped clients, which the
    next norm tells.

    What it says is the noise multiplier of both together (Andrew et al. 2021): the weights get noise
    (1/noise^2 - 1/(2 s)^2)^(-1/2) clip/n, the count of clipped clients s = n/20.
    """
    positive(noise=noise, clients=clients)
    clip = 0.1

    def train(data: Any, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
        from flwr.serverapp.strategy import DifferentialPrivacyServerSideAdaptiveClipping, FedAvg
        from flwr.serverapp.strategy import DifferentialPrivacyServerSideFixedClipping as Fixed

        _quiet()
        updates = _sent(data)
        count, examples = max(len(updates), 1), [1] * len(updates)
        np.random.seed(int(rng.integers(2**32)))
        query = np.tile(_round(Fixed(FedAvg(), 0.0, clip, count), updates, examples), (runs, 1))
        released, shares = np.empty_like(query), np.empty((runs, 1))
        for run in range(runs):
            strategy = DifferentialPrivacyServerSideAdaptiveClipping(FedAvg(), noise, count)
            released[run] = _round(strategy, updates, examples)
            shares[run] = 0.5 - np.log(strategy.clipping_norm / clip) / strategy.clip_norm_lr
        unit = clip / count
        scale = (noise**-2 - (count / 10) ** -2) ** -0.5 * unit
        published = tape.record(query, released, Gaussian(scale, {ZERO_OUT: unit, REPLACE: 2 * unit}))
        clipped = np.full((runs, 1), (np.linalg.norm(updates, axis=1) > clip).sum() / count)
        half = 0.5 / count  # what one client is charged for
        noisy_count = tape.record(clipped, shares, Gaussian(0.05, {ZERO_OUT: half, REPLACE: 2 * half}))
        return np.concatenate([published, noisy_count], axis=1)

    return Subject(
        train,
        GDP(1 / noise),
        _pair(clients, 0.5),
        "flwr.serverapp.strategy.DifferentialPrivacyServerSideAdaptiveClipping: noise_multiplier",
        runs=2000,
    )


def local(epsilon: float = 1.0, delta: float = 1e-5, clip: float = 1.0) -> Subject:
    """LocalDpMod on the update of one client, with the sensitivity of an update that is replaced, 2 clip."""
    positive(epsilon=epsilon, delta=delta, clip=clip)

    def train(data: Any, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
        from flwr.clientapp.mod import LocalDpMod

        _quiet()
        (update,) = _sent(data)
        sent = _message(np.zeros(len(update)), 1)
        np.random.seed(int(rng.integers(2**32)))

        def answer(sensitivity: float) -> Array:
            mod = LocalDpMod(clip, sensitivity, epsilon, delta)
            with np.errstate(all="ignore"):
                return _numbers(mod(sent, None, _client(update)).content["arrays"])

        query = np.tile(answer(0.0), (runs, 1))
        released = np.array([answer(2 * clip) for _ in range(runs)])
        scale = 2 * clip * math.sqrt(2 * math.log(1.25 / delta)) / epsilon
        return tape.record(query, released, Gaussian(scale, {REPLACE: 2 * clip}))

    pair = Neighbours(np.array([[3.0, 0.0, 4.0, 0.0]]), np.array([[-3.0, 0.0, -4.0, 0.0]]), REPLACE)
    return Subject(
        train, ApproxDP(epsilon, delta), pair, "flwr.clientapp.mod.LocalDpMod: epsilon, delta", runs=2000
    )


def _client(update: Array) -> Callable[..., Any]:
    """A client that answers with this update."""
    return lambda message, context: _message(update, 1)


INSTALL = 'pip install ".[flower]"'
PACKAGES = ("flwr",)
CENTRAL = "noise_multiplier is the ratio of noise to clip: 1/noise-GDP for one client, zero-out"
LOCAL = "(epsilon, delta)-DP of what one client sends, replace"
ODD = {"nan": REFUTED, "empty": UNDECIDED}  # no clients, no round

TARGETS = (
    Target(
        "flower:fixed",
        "fixed clipping by the server, clients of equal weight",
        CENTRAL,
        fixed,
        PACKAGES,
        INSTALL,
        ODD,
    ),
    Target(
        "flower:weighted",
        "fixed clipping by the server, one client with 97 of 100 examples",
        CENTRAL,
        partial(fixed, first=97),
        PACKAGES,
        INSTALL,
        {**ODD, "sensitivity": REFUTED, "training": REFUTED, "huge": REFUTED},
    ),
    Target(
        "flower:adaptive",
        "adaptive clipping by the server at its defaults, clients of equal weight",
        CENTRAL,
        adaptive,
        PACKAGES,
        INSTALL,
        {
            **ODD,
            "noise": REFUTED,
            "sensitivity": REFUTED,
            "training": REFUTED,
            "huge": REFUTED,
            "single": UNDECIDED,
        },
    ),
    Target(
        "flower:local",
        "the mod for local privacy at epsilon 1",
        LOCAL,
        local,
        PACKAGES,
        INSTALL,
        {**ODD, "half": SUPPORTED},
    ),
    Target(
        "flower:local-large",
        "the mod for local privacy at epsilon 50",
        LOCAL,
        partial(local, epsilon=50.0),
        PACKAGES,
        INSTALL,
        {**ODD, "training": REFUTED, "budget": REFUTED, "half": UNDECIDED},
    ),
)
