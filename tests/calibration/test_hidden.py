"""A third attack, through the public `audit`: leaks hidden in the type of an output, its letters, increments,
ratios, signs, runs, places and residues, with their twins; and correct mechanisms that return such outputs.

At the first trial 19 of 31 were missed (one was no output that could be scored), and mended by their
cause; no twin and no correct mechanism was accused. By default those that take few runs are tried; all of
them in three seeds with `--dp-profile deep`.
"""

import datetime
import decimal
import enum
import fractions
import math
import struct

import numpy as np
import pytest
from scipy.special import bdtrc

from dpverify.guarantees import GDP, ApproxDP, PureDP
from dpverify.verdicts import REFUTED

E = math.e
POINT = ApproxDP(1.0, 1e-5)
DAY = datetime.datetime(2024, 1, 1)


def total(data):
    return float(np.sum(data))


def two_sided(rng):
    return int(rng.geometric(1 - 1 / E)) - int(rng.geometric(1 - 1 / E))


def sometimes(draw, change):
    """A leak and its twin: one output in a hundred is changed, on the second data set alone or on both."""

    def leak(data, rng):
        value = draw(rng)
        return change(value) if rng.random() < 0.01 * total(data) else value

    def twin(data, rng):
        value = draw(rng)
        return change(value) if rng.random() < 0.01 else value

    return leak, twin


def seldom(chance, width, change):
    """A leak and its twin: normal rows, a share of which is changed, on the second data set alone or on
    both.
    """

    def rows(rng, runs, share):
        out = rng.standard_normal((runs, width))
        hit = rng.random(runs) < share
        out[hit] = change(out[hit], rng)
        return out

    def leak(data, rng, runs):
        return rows(rng, runs, chance * total(data))

    def twin(data, rng, runs):
        return rows(rng, runs, chance)

    return leak, twin


def masked(value):
    return np.ma.array(value, mask=[False, False, True, False])


def double(rows, rng):
    return np.column_stack([rows[:, :7], 2 * rows[:, 2], rows[:, 8:]])


def angle(rows, rng):
    return np.linalg.norm(rows, axis=1)[:, None] * [math.cos(1.0), math.sin(1.0)]


def pattern(rows, rng):
    return np.abs(rows) * [1, 1, -1, 1, -1, -1, -1, 1]


def even_positives(rows, rng):
    odd = (rows > 0).sum(axis=1) % 2 == 1
    return np.where(odd[:, None] & (np.arange(12) == 5), -rows, rows)


def near_gap(rows, rng):
    rows = np.sort(rows, axis=1)
    rows[:, 10] = rows[:, 9] + 1e-6 * rng.random(len(rows))
    return rows


def mirrored(rows, rng):
    return np.hstack([rows[:, :32], rows[:, 31::-1]])


def single(rows, rng):
    return rows.astype(np.float32).astype(float)


def long_run(rows, rng):
    for row, at in zip(rows, rng.integers(0, 19, size=len(rows))):
        row[at : at + 12] = np.abs(row[at : at + 12])
    return rows


def letters(truth):
    def mechanism(data, rng):
        bits = rng.random(24) < 0.5
        bits[17] = (rng.random() < truth) == bool(total(data))
        return "".join("YN"[int(bit)] for bit in bits)

    return mechanism


def packed(scale, grain=2.0**-20):
    """On a grid, for in all their bits sums of floats tell what was added."""

    def mechanism(data, rng):
        noisy = np.array([rng.normal(), total(data) + rng.laplace(scale=scale), rng.normal()])
        return struct.pack("<3d", *(np.round(noisy / grain) * grain if grain else noisy))

    return mechanism


def many_numbers(scale):
    def mechanism(data, rng):
        noisy = rng.laplace(size=20)
        noisy[18] = total(data) + scale * noisy[18]
        return ",".join(f"{value:.3f}" for value in noisy)

    return mechanism


def running_sums(width, move, scale):
    """Sums of steps, one of which is moved, and scaled on the second data set or on both."""

    def mechanism(data, rng, runs):
        steps = rng.standard_normal((runs, width))
        steps[:, width // 2] = move * total(data) + scale(total(data)) * steps[:, width // 2]
        return np.cumsum(steps, axis=1)

    return mechanism


def shared_noise(shared):
    def mechanism(data, rng, runs):
        out = 10 * rng.standard_normal((runs, 300))
        if shared:
            out[:, 203] = out[:, 3]
        out[:, 3] += total(data)
        return out

    return mechanism


def last_of_a_list(scale):
    def mechanism(data, rng):
        path = rng.normal(size=int(rng.integers(3, 10)))
        path[-1] = 0.3 * total(data) + scale * path[-1]
        return path.tolist()

    return mechanism


def chained_bits(stay):
    def mechanism(data, rng, runs):
        flips = rng.random((runs, 40)) > (stay if total(data) else 0.5)
        flips[:, 0] = rng.random(runs) < 0.5
        return np.cumsum(flips, axis=1) % 2 * 1.0

    return mechanism


def multiples(modulus, chances):
    def mechanism(data, rng, runs):
        out = np.round(rng.laplace(scale=1e5, size=(runs, 1)))
        hit = rng.random(runs) < chances[int(total(data))]
        out[hit] = np.round(out[hit] / modulus) * modulus
        return out

    return mechanism


def shuffle(naive):
    """Every place swapped with any other is no uniform shuffle."""

    def mechanism(data, rng):
        items = [1, 0, 0, 0, 0, 0] if total(data) else [0, 0, 0, 1, 0, 0]
        for i in range(6):
            j = int(rng.integers(6 if naive else i + 1))
            items[i], items[j] = items[j], items[i]
        return items

    return mechanism


def stamps(unit):
    def mechanism(data, rng):
        return 1_700_000_000_000_000_000 + int(total(data)) * unit + 1000 * round(rng.laplace(scale=1000))

    return mechanism


def moments(unit):
    def mechanism(data, rng):
        return DAY + datetime.timedelta(days=two_sided(rng)) + datetime.timedelta(hours=unit * total(data))

    return mechanism


def keyed(factor):
    def mechanism(data, rng):
        keys = [key for key in "abcdefgh" if rng.random() < 0.5]
        return {key: rng.normal() * (factor ** total(data) if key == "e" else 1.0) for key in keys}

    return mechanism


def student(factor):
    def mechanism(data, rng, runs):
        out = rng.standard_t(1.5, size=(runs, 20))
        out[:, 13] *= factor ** total(data)
        return out

    return mechanism


def deep_inside(chances):
    def mechanism(data, rng):
        bias = None if rng.random() < chances[int(total(data))] else rng.normal()
        return {"model": {"layers": [{"w": [rng.normal(), rng.normal()], "b": bias}]}, "ok": True}

    return mechanism


def cut_off(bound):
    values = np.arange(-bound, bound + 1)
    weights = np.cumsum(np.exp(-(values**2) / (2 * 3.7306**2)))

    def mechanism(data, rng, runs):
        out = values[np.searchsorted(weights / weights[-1], rng.random((runs, 10)))].astype(float)
        out[:, 4] += total(data)
        return out

    return mechanism


def ties(raw):
    def mechanism(data, rng):
        counts = np.array([3, 3, 3 + int(total(data)), 3, 2])
        noisy = counts + np.array([two_sided(rng) for _ in counts])
        best = np.flatnonzero(noisy == noisy.max())
        return int(best[counts[best].argmax()]) if raw else int(rng.choice(best))

    return mechanism


LEAKS = {
    "list or tuple": (*sometimes(lambda rng: [rng.normal(), rng.normal()], tuple), POINT),
    "int or float": (*sometimes(lambda rng: round(rng.laplace(scale=20)), float), POINT),
    "bool or int": (*sometimes(lambda rng: int(rng.integers(2)), bool), POINT),
    "precision": (*sometimes(lambda rng: rng.normal(size=3).astype(np.float32), np.float64), POINT),
    "mask": (*sometimes(lambda rng: np.ma.array(rng.normal(size=4), mask=False), masked), POINT),
    "places of a decimal": (
        *sometimes(lambda rng: decimal.Decimal(f"{rng.normal():.2f}"), lambda x: x.quantize(x / 10)),
        POINT,
    ),
    "letter 17 of 24": (letters(0.9), letters(E / (1 + E)), PureDP(1.0)),
    "packed bytes": (packed(0.5), packed(1.0), PureDP(1.0)),
    "19th number of a text": (many_numbers(0.5), many_numbers(1.0), PureDP(1.0)),
    "scale of a step": (
        running_sums(100, 0.0, lambda secret: 0.4**secret),
        running_sums(100, 0.0, lambda secret: 1.0),
        POINT,
    ),
    "noise of a step of 300": (
        running_sums(300, 0.5, lambda secret: 0.5),
        running_sums(300, 0.5, lambda secret: 1.0),
        GDP(0.5),
    ),
    "noise shared by two of 300": (shared_noise(True), shared_noise(False), GDP(0.15)),
    "ratio in 3 %": (*seldom(0.03, 10, double), POINT),
    "angle in 3 %": (*seldom(0.03, 2, angle), POINT),
    "even number of positives": (*seldom(0.5, 12, even_positives), PureDP(0.2)),
    "near gap in 2 %": (*seldom(0.02, 20, near_gap), POINT),
    "six digits in 2 %": (*seldom(0.02, 1, lambda rows, rng: np.round(rows, 6)), POINT),
    "single precision in 2 %": (*seldom(0.02, 1, single), POINT),
    "mirror copy in 3 %": (*seldom(0.03, 64, mirrored), POINT),
    "long run in 2 %": (*seldom(0.02, 30, long_run), POINT),
    "last of a list": (last_of_a_list(0.1), last_of_a_list(1.0), GDP(0.3)),
    "chained bits": (chained_bits(0.56), chained_bits(0.5), PureDP(0.2)),
    "time stamps": (stamps(137), stamps(1000), POINT),
    "datetimes": (moments(1), moments(24), PureDP(1.0)),
    "scale of Student noise": (student(1.5), student(math.exp(0.1)), PureDP(0.15)),
    "discrete Gaussian cut in 10": (cut_off(9), cut_off(40), POINT),
    "ties to the larger": (ties(True), ties(False), PureDP(1.0)),
    "sign pattern of 8": (*seldom(0.02, 8, pattern), POINT),
    "multiples of 37": (multiples(37, (0, 0.03)), multiples(37, (0.03, 0.03)), PureDP(0.4)),
    "scale at one key": (keyed(0.4), keyed(1.0), POINT),
    "naive shuffle": (shuffle(True), shuffle(False), PureDP(0.05)),
    "None deep inside": (deep_inside((0, 1e-3)), deep_inside((1e-3, 1e-3)), POINT),
}
SLOW = ["noise of a step of 300", *list(LEAKS)[-5:]]


@pytest.mark.parametrize("name", LEAKS)
def test_the_hidden_leak_is_found_and_its_twin_acquitted(name, many, ends):
    leak, twin, claim = LEAKS[name]
    if many(0, 1) == 0 and (name in SLOW or list(LEAKS).index(name) % 2):
        pytest.skip("tried with --dp-profile deep")
    for seed in range(many(1, 3)):
        assert ends(leak, claim, 100_000, seed).verdict is REFUTED
        assert ends(twin, claim, many(500, 20_000), seed).verdict is not REFUTED


def test_all_the_bytes_of_a_float_tell_what_was_added_to_the_noise(ends):
    """Sums near 0 of a large number and noise have empty low bits, small noise alone has not (Mironov
    2012).
    """
    assert ends(packed(1.0, grain=0.0), PureDP(1.0), 30_000, 0).verdict is REFUTED


class Answer(enum.Enum):
    first = 0
    other = 1


def noisy(data, rng):
    return total(data) + rng.laplace()


def response(bit, rng):
    return bit if rng.random() < E / (1 + E) else 1 - bit


def responses(data, rng):
    return [response(int(i == 4 and total(data)), rng) for i in range(12)]


def nested(value):
    inner = {"v": value, "t": f"{value:.2f}", "n": None if value < 0 else math.nan}
    return {"a": inner, "b": [value > 1, int(value), np.float32(value)]}


def in_time(value):
    span = datetime.timedelta(days=value)
    return DAY + span, span, DAY.date() + datetime.timedelta(days=round(value)), (DAY + span).time()


def by_rejection(data, rng):
    """The exponential mechanism by rejection, told by members of an enumeration and numbers."""
    utilities = np.array([total(data), 1, 0, 0.5, 0, 0])
    while True:
        at = int(rng.integers(6))
        if rng.random() < math.exp(utilities[at] - 1):
            return Answer.first if at == 0 else at


def frame(data, rng):
    counts = np.array([3 + total(data), 3, 2, 5]) + rng.laplace(size=4)
    order = np.argsort(counts)
    share = (counts / counts.sum()).astype(np.float32)
    return {
        "name": ["abcd"[i] for i in order],
        "count": np.round(counts[order], 2),
        "share": share[order],
    }


def histogram(data, rng):
    counts = {"ann": 5, "bob": 1, "eve": 2 + int(total(data)), "joe": 0}
    shown = {key: count + rng.laplace() for key, count in counts.items()}
    return {key: count for key, count in shown.items() if count > 1.5}


def mixture(data, rng):
    coin = bool(rng.random() < 0.3)
    return coin, total(data) + rng.laplace(scale=1.0 if coin else 3.0)


def prefix(data, rng):
    steps = rng.normal(size=12)
    steps[5] += 0.5 * total(data)
    return np.cumsum(steps)


def raising(value):
    if value > 2:
        raise ValueError("x" * int(value))
    if value < -2:
        raise TypeError(f"{value:.3f} < -2")
    return value


def after(change):
    return lambda data, rng: change(noisy(data, rng))


CORRECT = {
    "nested": after(nested),
    "masked": after(lambda value: np.ma.array([value, 2 * value], mask=[value < 0, value > 1])),
    "times": after(in_time),
    "bytes": after(lambda value: struct.pack("<d", value)),
    "set": lambda data, rng: frozenset(np.flatnonzero(responses(data, rng)).tolist()),
    "letters": lambda data, rng: "".join("NY"[bit] for bit in responses(data, rng)),
    "complex": lambda data, rng: (
        complex(noisy(data, rng), rng.normal()),
        np.array([rng.normal() * 1j, 1.0]),
    ),
    "half precision": after(np.float16),
    "mixture": mixture,
    "rejection": by_rejection,
    "frame": frame,
    "stamps": lambda data, rng: 1_700_000_000_000_000_000 + 1000 * (int(total(data)) + two_sided(rng)),
    "varying length": lambda data, rng: [response(int(total(data)), rng)] + [0] * int(rng.geometric(0.4)),
    "fractions": lambda data, rng: fractions.Fraction(int(total(data)) + two_sided(rng), 7),
    "sorted": lambda data, rng: np.sort(rng.laplace(size=6) + total(data) * (np.arange(6) == 2)),
    "histogram": histogram,
    "functions of one": after(lambda v: [v, v / 12, v * 0.1 + 0.3, 3 * v - 1, (v + 7.7) - 7.7]),
    "money": lambda data, rng: f"{noisy(data, rng):,.2f} EUR at {rng.random():.17f}",
    "int or float": after(lambda value: 0 if value < 0 else value),
    "zeros of both signs": after(lambda value: np.round(value) * np.array([1, -1, 0.0])),
    "raising": after(raising),
    "running sums": prefix,
}


def test_correct_mechanisms_with_outputs_of_any_type_are_not_accused(many, ends):
    """Measured: 0 alarms in 440 audits of 300 runs at alpha = 0.05."""
    alpha = 0.05
    seeds = many(1, 20)
    names = list(CORRECT)[:: many(3, 1)]
    alarms = {}
    for name in names:
        claim = GDP(0.5) if name == "running sums" else PureDP(1.0)
        results = [ends(CORRECT[name], claim, 300, 1000 + seed, alpha) for seed in range(seeds)]
        assert all(result.evidence is not None for result in results), results[0].because
        alarms[name] = sum(result.verdict is REFUTED for result in results)
    audits, count = seeds * len(names), sum(alarms.values())
    print(f"\n{count} false alarms in {audits} audits at alpha = {alpha}")
    assert count == 0 or bdtrc(count - 1, audits, alpha) > 1e-3, alarms
