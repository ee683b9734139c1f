"""Leaks that are easy to plant and hard to see, each with a twin that keeps the claim: the audit finds the
leak and acquits the twin.

    python tests/calibration/test_leaks.py [seeds] [runs] [names ...]     leaks found and twins accused

Each mechanism takes the secret (0 or 1, the one record that differs), a generator and the number of runs.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

from dpverify import Budget, Neighbours
from dpverify.auditing.rungs import Audit
from dpverify.auditing.statistics import statistical_audit
from dpverify.guarantees import GDP, ApproxDP, Guarantee, PureDP
from dpverify.verdicts import REFUTED

PAIR = Neighbours.replace(np.zeros((1, 1)), 0, [1.0])
POINT = ApproxDP(1.0, 1e-5)
Mechanism = Callable[[float, np.random.Generator, int], np.ndarray]


class Leak(NamedTuple):
    """What leaks, the mechanism that leaks it, its twin, and the claim on both."""

    leaky: Mechanism
    twin: Mechanism
    claim: Guarantee


def rows(rng, runs, width):
    return rng.standard_normal((runs, width))


def some(rng, runs, probability):
    return rng.random(runs) < probability


def laplace(secret, rng, runs):
    return secret + rng.laplace(size=(runs, 1))


def bump(secret, rng, runs):
    out = rng.laplace(size=(runs, 1))
    hit = some(rng, runs, 0.05 * (secret == 1))
    out[hit, 0] = rng.uniform(0.3, 0.301, hit.sum())
    return out


def atom(chance):
    def mechanism(secret, rng, runs):
        out = rng.laplace(size=(runs, 1))
        out[some(rng, runs, chance[int(secret)])] = 0.25
        return out

    return mechanism


def category(chance, kinds=1000):
    def mechanism(secret, rng, runs):
        out = rng.integers(kinds, size=(runs, 1)).astype(float)
        out[some(rng, runs, chance * secret)] = 637
        return out

    return mechanism


def lattice(offset):
    def mechanism(secret, rng, runs):
        return np.round(rng.laplace(size=(runs, 1)) / 1e-3) * 1e-3 + offset * secret

    return mechanism


def lowest_bit(leaks):
    def mechanism(secret, rng, runs):
        bits = rng.laplace(size=(runs, 1)).view(np.uint64)
        last = np.uint64(secret) if leaks else rng.integers(2, size=(runs, 1)).astype(np.uint64)
        return (bits & ~np.uint64(1) | last).view(float)

    return mechanism


def bit(place, bias):
    """One bit of the fraction is set more often on one side."""

    def mechanism(secret, rng, runs):
        bits = rng.standard_normal((runs, 3)).view(np.uint64)
        force = rng.random(runs) < bias * secret
        bits[force, 1] |= np.uint64(1) << np.uint64(place)
        return bits.view(float)

    return mechanism


def pair(correlation, width=50):
    def mechanism(secret, rng, runs):
        out = rows(rng, runs, width)
        c = correlation * secret
        out[:, 31] = c * out[:, 7] + math.sqrt(1 - c * c) * out[:, 31]
        return out

    return mechanism


def skew(secret, rng, runs):
    out = rows(rng, runs, 100)
    if secret:
        out[:, 42] = rng.exponential(size=runs) - 1
    return out


def two_modes(secret, rng, runs):
    out = rows(rng, runs, 10)
    if secret:
        out[:, 6] = 0.95 * rng.choice([-1, 1], runs) + math.sqrt(1 - 0.95**2) * out[:, 6]
    return out


def sparse_key(chance):
    def mechanism(secret, rng, runs):
        out = np.zeros((runs, 400))
        keys = rng.integers(400, size=runs)
        out[np.arange(runs), keys] = 5 + rng.laplace(size=runs)
        hit = some(rng, runs, chance[int(secret)])
        out[hit, 137] = 5 + rng.laplace(size=hit.sum())
        return out

    return mechanism


def published(chance, width):
    def mechanism(secret, rng, runs):
        record = np.linspace(0.5, 1.5, width)
        out = rng.laplace(size=(runs, width))
        out[some(rng, runs, chance[int(secret)])] = record
        return out

    return mechanism


def shifted(size, width=200, where=71):
    def mechanism(secret, rng, runs):
        out = rows(rng, runs, width)
        out[:, where] += size * secret
        return out

    return mechanism


def scaled(factor, width=200, where=slice(71, 72)):
    def mechanism(secret, rng, runs):
        out = rows(rng, runs, width)
        out[:, where] *= factor**secret
        return out

    return mechanism


def rare_mixture(others, record, other, delta=1e-4, records=200, epsilon=2.0, factor=1.0):
    """One step of stochastic gradient descent on one record drawn at random, the noise as in Theorem 4.1 of
    adp-erm (G = 1, T = 1, alpha = 1), which promises too much: the record is drawn with probability 1/n, and
    is then seen.
    """
    scale = math.sqrt(256 * math.log(16 / (records * delta)) * math.log(1.25 / delta)) / (records * epsilon)

    def mechanism(secret, rng, runs):
        gradients = np.tile(np.array(others, dtype=float), (records // len(others), 1))
        gradients[0] = record if secret else other
        drawn = gradients[rng.integers(records, size=runs)]
        return drawn + factor * scale * rng.standard_normal(drawn.shape)

    return mechanism


def hole(secret, rng, runs):
    out = rng.laplace(size=(runs, 1))
    if secret:
        inside = (out[:, 0] > 0.2) & (out[:, 0] < 0.2125)
        out[inside] *= -1
    return out


def integers(secret, rng, runs, scale=100.0):
    return np.round(rng.laplace(scale=scale, size=(runs, 1)))


def parity(secret, rng, runs):
    out = integers(secret, rng, runs)
    return out + ((out % 2 == 1) & (rng.random((runs, 1)) < 0.8)) * secret


def residue(secret, rng, runs):
    out = integers(secret, rng, runs)
    return np.where(rng.random((runs, 1)) < 0.4 * secret, 7 * np.round(out / 7), out)


def largest(secret, rng, runs):
    """The largest of ten noisy scores is moved to place 3 in every second run."""
    out = rows(rng, runs, 10)
    move = np.flatnonzero(some(rng, runs, 0.6 * secret))
    at = out[move].argmax(axis=1)
    out[move, at], out[move, 3] = out[move, 3], out[move, at]
    return out


def magnitudes(secret, rng, runs):
    out = rows(rng, runs, 20)
    if secret:
        out[:, 8] = np.abs(out[:, 3]) * rng.choice([-1, 1], runs)
    return out


def ties(secret, rng, runs):
    out = rows(rng, runs, 8)
    hit = some(rng, runs, 0.02 * secret)
    out[hit, 5] = out[hit, 2]
    return out


def single_precision(secret, rng, runs):
    out = rows(rng, runs, 4)
    return out.astype(np.float32).astype(float) if secret else out


def sign_of_zero(secret, rng, runs):
    out = np.maximum(rows(rng, runs, 2), 0.0)
    out[:, 1][out[:, 1] == 0] = -0.0 if secret else 0.0
    return out


def far_away(chance):
    def mechanism(secret, rng, runs):
        out = rows(rng, runs, 5)
        hit = some(rng, runs, chance[int(secret)])
        out[hit, 2] = 1e12 * (1 + rng.random(hit.sum()))
        return out

    return mechanism


def heavy_tail(secret, rng, runs):
    out = rows(rng, runs, 50)
    if secret:
        out[:, 11] = rng.standard_t(3, runs) / math.sqrt(3)
    return out


def row_of_bits(chance):
    def mechanism(secret, rng, runs):
        out = rng.integers(2, size=(runs, 12)).astype(float)
        out[some(rng, runs, chance * secret)] = np.array([1, 0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 0])
        return out

    return mechanism


def sorted_rows(secret, rng, runs):
    out = rows(rng, runs, 6)
    hit = some(rng, runs, 0.05 * secret)
    out[hit] = np.sort(out[hit], axis=1)
    return out


def spread_shift(size, width=100):
    def mechanism(secret, rng, runs):
        return rows(rng, runs, width) + size * secret / math.sqrt(width)

    return mechanism


def common_factor(weight, width=30):
    def mechanism(secret, rng, runs):
        return rows(rng, runs, width) + math.sqrt(weight) * secret * rows(rng, runs, 1)

    return mechanism


def serial(secret, rng, runs):
    out = rows(rng, runs, 50)
    out[:, 1:] = (out[:, 1:] + 0.2 * secret * out[:, :-1]) / math.sqrt(1 + 0.04 * secret)
    return out


def sum_fixed(secret, rng, runs):
    out = rows(rng, runs, 12)
    return out - 0.5 * secret * out.mean(axis=1, keepdims=True)


def norm_clipped(chance):
    def mechanism(secret, rng, runs):
        out = rows(rng, runs, 6)
        hit = some(rng, runs, chance[int(secret)])
        out[hit] *= 2 / np.linalg.norm(out[hit], axis=1, keepdims=True)
        return out

    return mechanism


def honest(width):
    return lambda secret, rng, runs: rows(rng, runs, width)


TIGHT = shifted(0.25)
LEAKS: dict[str, Leak] = {
    "narrow bump": Leak(bump, laplace, PureDP(1.0)),
    "atom": Leak(atom((0, 0.01)), atom((0.01, 0.02)), PureDP(1.0)),
    "one category of a thousand": Leak(category(0.008), category(0.0017), PureDP(1.0)),
    "offset lattice": Leak(lattice(3e-4), lattice(1e-3), POINT),
    "lowest bit": Leak(lowest_bit(True), lowest_bit(False), POINT),
    "bit 20": Leak(bit(20, 0.5), bit(20, 0.2), PureDP(0.3)),
    "pair among 50": Leak(pair(0.8), pair(0.0), POINT),
    "skew in one of 100": Leak(skew, honest(100), POINT),
    "two modes in one of 10": Leak(two_modes, honest(10), POINT),
    "sparse key among 400": Leak(sparse_key((0, 0.02)), sparse_key((0.02, 0.04)), POINT),
    "record published at 1e-3": Leak(published((0, 1e-3), 1), published((5e-4, 1e-3), 1), POINT),
    "row published at 1e-3": Leak(published((0, 1e-3), 20), published((5e-4, 1e-3), 20), POINT),
    "mean in one of 200": Leak(shifted(0.5), TIGHT, GDP(0.25)),
    "scale in one of 200": Leak(scaled(0.6), TIGHT, GDP(0.25)),
    "scales of all 20": Leak(scaled(1.05, 20, slice(None)), shifted(0.1, 20, 3), GDP(0.1)),
    "rare mixture": Leak(
        rare_mixture([[-1]], [1], [-1]), rare_mixture([[-1]], [1], [-1], factor=8), ApproxDP(2.0, 1e-4)
    ),
    "rare mixture in two dimensions": Leak(
        rare_mixture([[-1, 0], [1, 0]], [0, 1], [0, -1], delta=5e-4),
        rare_mixture([[-1, 0], [1, 0]], [0, 1], [0, -1], delta=5e-4, factor=8),
        ApproxDP(2.0, 5e-4),
    ),
    "hole": Leak(hole, laplace, PureDP(1.0)),
    "parity": Leak(parity, integers, PureDP(0.5)),
    "residue": Leak(residue, integers, PureDP(0.5)),
    "place of the largest": Leak(largest, honest(10), PureDP(0.8)),
    "magnitudes": Leak(magnitudes, honest(20), POINT),
    "ties": Leak(ties, honest(8), POINT),
    "single precision": Leak(single_precision, honest(4), POINT),
    "sign of zero": Leak(sign_of_zero, lambda s, rng, runs: np.maximum(rows(rng, runs, 2), 0.0), POINT),
    "far away": Leak(far_away((0, 1e-3)), far_away((1e-3, 2e-3)), POINT),
    "heavy tail in one of 50": Leak(heavy_tail, TIGHT, GDP(0.25)),
    "one row of bits": Leak(row_of_bits(0.01), row_of_bits(4e-4), POINT),
    "sorted rows": Leak(sorted_rows, honest(6), POINT),
    "shift spread over 100": Leak(spread_shift(0.4), spread_shift(0.2), GDP(0.2)),
    "common factor": Leak(common_factor(0.05), shifted(0.1, 30, 3), GDP(0.1)),
    "serial correlation": Leak(serial, shifted(0.25, 50, 3), GDP(0.25)),
    "sum pulled to zero": Leak(sum_fixed, shifted(0.25, 12, 3), GDP(0.25)),
    "norm clipped": Leak(norm_clipped((0, 0.02)), norm_clipped((0.02, 0.04)), POINT),
}


def ends(mechanism: Mechanism, claim: Guarantee, runs: int, seed: int, alpha: float = 1e-3):
    def on_data(data, rng, runs):
        return mechanism(float(data.sum()), rng, runs)

    return statistical_audit(Audit(on_data, PAIR, claim, Budget(runs=runs, alpha=alpha, seed=seed)))


@pytest.mark.parametrize("name", LEAKS)
def test_the_leak_is_found_and_its_twin_is_acquitted(name, many):
    leak = LEAKS[name]
    for seed in range(many(1, 3)):
        assert ends(leak.leaky, leak.claim, 100_000, seed).verdict is REFUTED
        assert ends(leak.twin, leak.claim, many(2_000, 100_000), seed).verdict is not REFUTED


def main(seeds: int = 3, runs: int = 100_000, *names: str) -> None:
    complete = accused = 0
    for name in names or LEAKS:
        leak, started = LEAKS[name], time.perf_counter()
        hits = [ends(leak.leaky, leak.claim, runs, seed) for seed in range(seeds)]
        seconds = (time.perf_counter() - started) / seeds
        alarms = sum(ends(leak.twin, leak.claim, runs, seed).verdict is REFUTED for seed in range(seeds))
        found = [r.evidence.samples for r in hits if r.verdict is REFUTED]
        complete, accused = complete + (len(found) == seeds), accused + alarms
        print(f"{name:30} found {len(found)} of {seeds} {found!s:26} twin accused {alarms}  {seconds:5.1f} s")
    print(f"{complete} of {len(names or LEAKS)} leaks found in every seed, {accused} twins accused")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]), *sys.argv[3:])
