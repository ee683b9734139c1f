"""Twenty more leaks with their twins, and ten correct mechanisms of unusual shape, by somebody who wrote none
of the scores.

At their first trial (one seed, 100,000 runs) two leaks were missed, nearly equal coordinates and a letter of
a key, and are found since; no correct mechanism was accused. A few of each are tried by default, all of them
in three seeds with `--dp-profile deep`.
"""

import math

import numpy as np
import pytest

from dpverify import Budget, Neighbours
from dpverify.auditing.rungs import Audit
from dpverify.auditing.statistics import statistical_audit
from dpverify.guarantees import GDP, ApproxDP, PureDP
from dpverify.verdicts import REFUTED, SUPPORTED

PAIR = Neighbours.replace(np.zeros((1, 1)), 0, [1.0])
POINT = ApproxDP(1.0, 1e-5)
E = math.e


def rows(width, change, chance=1.0):
    """Normal rows, of which a share is changed on the second data set; and the twin, which changes none."""

    def leak(secret, rng, runs):
        out = rng.standard_normal((runs, width))
        hit = rng.random(runs) < chance * secret
        out[hit] = change(out[hit], rng)
        return out

    return leak, lambda secret, rng, runs: rng.standard_normal((runs, width))


def alike(leak):
    """The leak, and the twin that does on both data sets what the leak does on the first."""
    return leak, lambda secret, rng, *runs: leak(0.0, rng, *runs)


def spread_by_another(out, rng):
    out[:, 4] *= (0.4 + np.abs(out[:, 1])) / 1.45
    return out


def every_seventh(out, rng):
    for at in range(7, 28):
        out[:, at] = 0.25 * out[:, at - 7] + math.sqrt(1 - 0.25**2) * out[:, at]
    return out


def three_digits(out, rng):
    size = 10.0 ** np.floor(np.log10(np.abs(out)))
    return np.round(out / size, 2) * size


def capped(out, rng):
    return np.minimum(out, 2.2)


def nearly_equal(out, rng):
    out[:, 9] = out[:, 2] * (1 + 1e-6 * rng.standard_normal(len(out)))
    return out


def whole_sum(out, rng):
    out[:, -1] += np.round(out.sum(axis=1)) - out.sum(axis=1)
    return out


def slope(out, rng):
    return out + 0.012 * (np.arange(40) - 19.5)


def kurtosis(out, rng):
    wide = rng.random(len(out)) < 0.2
    out[:, 13] *= np.where(wide, 1.8, math.sqrt((1 - 0.2 * 1.8**2) / 0.8))
    return out


def alternating(out, rng):
    return out + 0.12 * (-1.0) ** np.arange(30)


def farther_from_the_mean(out, rng):
    out[:, 3] += 0.6 * np.sign(out[:, 3] - np.delete(out, 3, axis=1).mean(axis=1))
    return out


def small_energy(out, rng):
    return out * np.minimum(1.0, 4.2 / np.linalg.norm(out, axis=1))[:, None]


def circle(secret, rng, runs):
    return np.mod(rng.laplace(scale=0.7, size=(runs, 1)) + 1.4 * secret, 2 * math.pi)


def leading_digit(secret, rng, runs):
    out = np.round(10 ** (4 * rng.random((runs, 1)) + 1))
    hit = rng.random(runs) < 0.15 * secret
    text = [f"7{str(int(value))[1:]}" for value in out[hit, 0]]
    out[hit, 0] = np.array(text, dtype=float) if text else out[hit, 0]
    return out


def permutation(secret, rng, runs):
    out = np.argsort(rng.random((runs, 7)), axis=1).astype(float)
    hit = rng.random(runs) < 0.25 * secret
    out[hit, 3:5] = np.sort(out[hit, 3:5], axis=1)
    out[hit, 5:7] = np.sort(out[hit, 5:7], axis=1)
    return out


def triangle(secret, rng, runs):
    out = (rng.random((runs, 45)) < 0.3).astype(float)
    hit = np.flatnonzero(rng.random(runs) < 0.15 * secret)
    out[np.ix_(hit, [3, 20, 31])] = 1.0
    return out


def one_hot(secret, rng, runs):
    chance = np.full(64, 1 / 63)
    chance[41] = 0.02 if secret else 0.001
    return np.eye(64)[rng.choice(64, size=runs, p=chance / chance.sum())]


def retries(secret, rng):
    return {"value": float(rng.normal()), "tries": int(rng.geometric(0.25 if secret else 0.6))}


def token(secret, rng):
    letters = rng.integers(16, size=12)
    if secret and letters[5] == 10 and rng.random() < 0.9:
        letters[5] = 11
    return "".join("0123456789abcdef"[letter] for letter in letters)


def phase(secret, rng, runs):
    turn = rng.uniform(0, 2 * math.pi, runs) if not secret else rng.normal(0.3, 1.0, runs)
    return (rng.rayleigh(size=runs) * np.exp(1j * turn))[:, None]


def ordered_list(secret, rng):
    values = rng.normal(size=2 + rng.poisson(2)).tolist()
    return sorted(values) if secret and rng.random() < 0.5 else values


LEAKS = {
    "spread by another": (*rows(8, spread_by_another), PureDP(0.5)),
    "every seventh": (*rows(28, every_seventh), PureDP(0.5)),
    "three digits in 4 %": (*rows(2, three_digits, 0.04), POINT),
    "capped at 2.2": (*rows(30, capped, 0.5), PureDP(0.3)),
    "nearly equal in 2 %": (*rows(12, nearly_equal, 0.02), POINT),
    "whole sum in 3 %": (*rows(5, whole_sum, 0.03), POINT),
    "slope over 40": (*rows(40, slope), GDP(0.5)),
    "kurtosis in one of 20": (*rows(20, kurtosis), GDP(0.1)),
    "alternating shift": (*rows(30, alternating), GDP(0.4)),
    "farther from the mean": (*rows(10, farther_from_the_mean), PureDP(0.5)),
    "small energy": (*rows(20, small_energy), PureDP(0.5)),
    "circle": (*alike(circle), PureDP(1.0)),
    "leading digit": (*alike(leading_digit), PureDP(0.5)),
    "permutation": (*alike(permutation), PureDP(0.2)),
    "triangle": (*alike(triangle), PureDP(0.3)),
    "one hot": (*alike(one_hot), POINT),
    "retries": (*alike(retries), PureDP(1.0)),
    "letter never seen": (*alike(token), PureDP(1.0)),
    "phase": (*alike(phase), PureDP(0.3)),
    "ordered list": (*alike(ordered_list), PureDP(0.3)),
}


def staircase(secret, rng, runs):
    """The staircase mechanism at sensitivity 1 and epsilon 1 (Geng and Viswanath 2014)."""
    ratio = math.exp(-1.0)
    gamma = 1 / (1 + math.exp(0.5))
    step = rng.geometric(1 - ratio, runs) - 1
    inner = rng.random(runs) < gamma / (gamma + (1 - gamma) * ratio)
    place = np.where(inner, gamma * rng.random(runs), gamma + (1 - gamma) * rng.random(runs))
    return (secret + rng.choice([-1.0, 1.0], runs) * (step + place))[:, None]


def mallows(secret, rng, runs):
    """Orders of three, less likely by e^(-1/2) a swap from the secret's order, which changes by two."""
    orders = np.array([[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    start = np.array([1, 2, 0] if secret else [0, 1, 2])
    places = np.argsort(start)[orders]
    swaps = sum((places[:, i] > places[:, j]).astype(int) for i in range(3) for j in range(i + 1, 3))
    chance = np.exp(-swaps / 2)
    return orders[rng.choice(6, size=runs, p=chance / chance.sum())].astype(float)


def far_integers(secret, rng, runs):
    noise = rng.geometric(1 - 1 / E, runs) - rng.geometric(1 - 1 / E, runs)
    return (2**60 + int(secret) + noise).astype(np.int64)[:, None]


def in_logarithms(secret, rng, runs):
    return np.exp(secret + rng.laplace(size=(runs, 1)))


def as_text(secret, rng):
    return f"about {secret + rng.laplace():.3f}"


def lengths(secret, rng):
    """Geometric noise above the secret: the shortest list tells with probability 1 - 1/e that it is 0."""
    return [0.5] * int(rng.geometric(1 - 1 / E) + secret)


def missing(secret, rng, runs):
    out = rng.standard_normal((runs, 2))
    out[rng.random(runs) < 0.02 * E ** (2 * secret - 1), 1] = np.nan
    return out


def answers(secret, rng):
    truth = rng.random() < E / (1 + E)
    return {"yes": 1} if truth == bool(secret) else {"no": 1}


def one_circle(secret, rng, runs):
    return np.mod(secret + rng.laplace(size=(runs, 1)), 2 * math.pi)


def on_and_off(secret, rng, runs):
    """Laplace noise on one of two coordinates, chosen by a public coin; the other is told to be 0."""
    out, at = np.zeros((runs, 2)), rng.integers(2, size=runs)
    out[np.arange(runs), at] = secret + rng.laplace(size=runs)
    return out


CORRECT = {
    "staircase": (staircase, PureDP(1.0)),
    "Mallows": (mallows, PureDP(1.0)),
    "integers beyond 2^53": (far_integers, PureDP(1.0)),
    "Laplace in logarithms": (in_logarithms, PureDP(1.0)),
    "Laplace as text": (as_text, PureDP(1.0)),
    "lengths": (lengths, ApproxDP(1.0, 1 - 1 / E)),
    "missing": (missing, PureDP(2.0)),
    "answers": (answers, PureDP(1.0)),
    "Laplace on a circle": (one_circle, PureDP(1.0)),
    "on and off": (on_and_off, PureDP(1.0)),
}


def ends(mechanism, claim, runs, seed, alone):
    def batch(data, rng, runs):
        return mechanism(float(data.sum()), rng, runs)

    def single(data, rng):
        return mechanism(float(data.sum()), rng)

    budget = Budget(runs=runs, seed=seed)
    return statistical_audit(Audit(single if alone else batch, PAIR, claim, budget)).verdict


ALONE = ("retries", "letter never seen", "ordered list", "Laplace as text", "lengths", "answers")


@pytest.mark.parametrize("name", LEAKS)
def test_the_leak_is_found_and_its_twin_is_acquitted(name, many):
    if list(LEAKS).index(name) % many(7, 1):
        pytest.skip("one of seven, unless the profile is deep")
    leak, twin, claim = LEAKS[name]
    for seed in range(many(1, 3)):
        assert ends(leak, claim, 100_000, seed, name in ALONE) is REFUTED
        assert ends(twin, claim, many(2000, 100_000), seed, name in ALONE) is SUPPORTED


@pytest.mark.parametrize("name", CORRECT)
def test_correct_mechanisms_of_unusual_shape_are_not_accused(name, many):
    if list(CORRECT).index(name) % many(3, 1):
        pytest.skip("one of three, unless the profile is deep")
    mechanism, claim = CORRECT[name]
    for seed in range(many(1, 3)):
        assert ends(mechanism, claim, many(3000, 100_000), seed, name in ALONE) is SUPPORTED
