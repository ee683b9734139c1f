"""The same mechanisms through other people's estimators and ours: bounds, refutations, false alarms and time.

    python benchmarks/peers.py [seeds] [largest n]

Gaussian: sensitivity 1, sigma = 3.7306, exactly (1, 1e-5)-DP and 0.26805-GDP; Laplace: scale 1, 1-DP. All at
95 % one-sided confidence, the event chosen on one half and tested on the other unless said otherwise:

    ours                  claim of the point (1, 1e-5) or 1-DP, and of the whole curve (the Gaussian's)
    jax-privacy           its public estimators on the raw output (only where it is installed)
    DP-Sniper style       a logistic posterior, its likeliest outputs, Clopper-Pearson (Bichsel et al. 2021)
    Delta-Siege style     the event of the largest mu on a grid, Clopper-Pearson on mu (Lokna et al. 2023)
    hockey-stick style    a learned witness function in [0, 1] and an empirical Bernstein bound, as in
                          dp_auditorium (Kong et al. 2024); it tests the claim and gives no bound

The last three are written here from the ideas of the papers. Times include drawing the samples.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import expit, ndtri

from dpverify import Budget, Neighbours
from dpverify.auditing.exact import clopper_pearson, equivalent_epsilon
from dpverify.auditing.rungs import Audit
from dpverify.auditing.statistics import statistical_audit
from dpverify.guarantees import GDP, ApproxDP, PureDP
from dpverify.verdicts import REFUTED

SIGMA, ALPHA = 3.7306, 0.05
PAIR = Neighbours.replace(np.zeros((1, 1)), 0, [1.0])
PICTURE = Path(__file__).parent.parent / "docs" / "pictures" / "peers.png"
Mechanism = Callable[[float, np.random.Generator, int], np.ndarray]


class Case(NamedTuple):
    """A mechanism on the secret 0 or 1, the delta at which epsilon = 1 is claimed, and if that is true."""

    mechanism: Mechanism
    delta: float
    true: bool
    family: str  # of the claim: Gaussian or pure


def gaussian(factor: float = 1.0, shift: float = 1.0) -> Mechanism:
    return lambda secret, rng, runs: shift * secret + SIGMA / factor * rng.standard_normal(runs)


def laplace(factor: float = 1.0) -> Mechanism:
    return lambda secret, rng, runs: secret + rng.laplace(scale=1 / factor, size=runs)


def bump(secret: float, rng: np.random.Generator, runs: int) -> np.ndarray:
    out = rng.laplace(size=runs)
    hit = rng.random(runs) < 0.05 * secret
    out[hit] = rng.uniform(0.3, 0.301, int(hit.sum()))
    return out


CASES = {
    "Gaussian": Case(gaussian(), 1e-5, True, "Gaussian"),
    "std / 1.1": Case(gaussian(1.1), 1e-5, False, "Gaussian"),
    "std / 2": Case(gaussian(2.0), 1e-5, False, "Gaussian"),
    "no clip, 5": Case(gaussian(1.0, 5.0), 1e-5, False, "Gaussian"),
    "Laplace": Case(laplace(), 0.0, True, "pure"),
    "Laplace / 1.5": Case(laplace(1.5), 0.0, False, "pure"),
    "narrow bump": Case(bump, 0.0, False, "pure"),
}


class Outcome(NamedTuple):
    """The bound on epsilon at the claimed delta, if there is one, and whether 1 is refuted."""

    bound: float | None
    refuted: bool


def _draw(case: Case, runs: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return case.mechanism(1.0, rng, runs), case.mechanism(0.0, rng, runs)


def _interval(x: int, n: int, y: int, m: int, delta: float) -> float:
    low, high = clopper_pearson(x, n, ALPHA / 2)[0], clopper_pearson(y, m, ALPHA / 2)[1]
    return math.log(max((low - delta) / high, 1.0))


def ours(case: Case, runs: int, seed: int, curve: bool) -> Outcome:
    def on_data(data: np.ndarray, rng: np.random.Generator, runs: int) -> np.ndarray:
        return case.mechanism(float(data.sum()), rng, runs)[:, None]

    claim = GDP(1 / SIGMA) if curve else ApproxDP(1.0, case.delta) if case.delta else PureDP(1.0)
    result = statistical_audit(Audit(on_data, PAIR, claim, Budget(runs=runs, alpha=ALPHA, seed=seed)))
    figures = result.evidence.certificate
    bound = figures.get("epsilon_lower_bound")
    if "mu_lower_bound" in figures:
        bound = equivalent_epsilon(figures["mu_lower_bound"], case.delta)
    return Outcome(bound, result.verdict is REFUTED)


def canary_scores(case: Case, runs: int, seed: int, curve: bool) -> Outcome:
    from jax_privacy.auditing import CanaryScoreAuditor, Split

    auditor = CanaryScoreAuditor(*_draw(case, runs, seed))
    if curve:
        bound = auditor.epsilon_from_gdp(ALPHA, case.delta)
    else:
        bound = auditor.epsilon_clopper_pearson(ALPHA, case.delta, threshold_strategy=Split(0.5, seed))
    return Outcome(float(bound), bound > 1)


def _posterior(x: np.ndarray, y: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """A logistic regression of the side on the output and its square, by Newton steps."""
    both, side = np.concatenate([x, y]), np.repeat([1.0, 0.0], [len(x), len(y)])
    centre, spread = both.mean(), both.std()

    def lift(values: np.ndarray) -> np.ndarray:
        z = np.clip((values - centre) / spread, -8, 8)
        return np.stack([np.ones_like(z), z, z * z], axis=1)

    design, beta = lift(both), np.zeros(3)
    for _ in range(8):
        fit = expit(design @ beta)
        hessian = (design.T * (fit * (1 - fit))) @ design + 1e-6 * np.eye(3)
        beta += np.linalg.solve(hessian, design.T @ (side - fit))
    return lambda values: lift(values) @ beta


def sniper(case: Case, runs: int, seed: int) -> Outcome:
    x, y = _draw(case, runs, seed)
    half = runs // 2
    score = _posterior(x[:half], y[:half])
    learned, others = np.sort(score(x[:half])), np.sort(score(y[:half]))
    best, cut = -math.inf, 0.0
    for share in (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5):
        threshold = float(np.quantile(others, 1 - share))
        p = 1 - np.searchsorted(learned, threshold, side="right") / half
        if p > 0 and math.log(p / share) > best:
            best, cut = math.log(p / share), threshold
    a, b = (int((score(side[half:]) > cut).sum()) for side in (x, y))
    bound = _interval(a, runs - half, b, runs - half, case.delta)
    return Outcome(bound, bound > 1)


def siege(case: Case, runs: int, seed: int) -> Outcome:
    x, y = _draw(case, runs, seed)
    half, fresh = runs // 2, runs - runs // 2
    if case.family == "pure":  # its profile has one parameter, epsilon itself
        return sniper(case, runs, seed)
    cuts = np.quantile(np.concatenate([x[:half], y[:half]]), np.linspace(0.02, 0.98, 97))
    p, q = ((np.searchsorted(np.sort(side[:half]), cuts) / half) for side in (x, y))
    p, q = np.clip(1 - p, 1e-4, 1 - 1e-4), np.clip(1 - q, 1e-4, 1 - 1e-4)
    noise = np.sqrt(p * (1 - p) * np.exp(ndtri(p) ** 2) + q * (1 - q) * np.exp(ndtri(q) ** 2))
    cut = cuts[int((ndtri(p) - ndtri(q) - 1.645 * noise * math.sqrt(2 * math.pi / fresh)).argmax())]
    a, b = (int((side[half:] > cut).sum()) for side in (x, y))
    low, high = clopper_pearson(a, fresh, ALPHA / 2)[0], clopper_pearson(b, fresh, ALPHA / 2)[1]
    mu = max(float(ndtri(low) - ndtri(high)), 0.0)
    bound = equivalent_epsilon(mu, case.delta)
    return Outcome(bound, bound > 1)


def hockey_stick(case: Case, runs: int, seed: int) -> Outcome:
    x, y = _draw(case, runs, seed)
    half, fresh = runs // 2, runs - runs // 2
    score = _posterior(x[:half], y[:half])
    a, b = (expit(8 * (score(side[half:]) - 1.0)) for side in (x, y))
    gains = a - math.e * b
    width = 1 + math.e
    margin = math.sqrt(2 * gains.var() * math.log(2 / ALPHA) / fresh) + 7 * width * math.log(2 / ALPHA) / (
        3 * (fresh - 1)
    )
    return Outcome(None, bool(gains.mean() - margin > case.delta))


def methods() -> dict[str, Callable[[Case, int, int], Outcome]]:
    known: dict[str, Callable[[Case, int, int], Outcome]] = {
        "ours, curve": lambda case, runs, seed: ours(case, runs, seed, case.family == "Gaussian"),
        "ours, point": lambda case, runs, seed: ours(case, runs, seed, False),
    }
    if find_spec("jax_privacy") is None:
        print("jax-privacy is not installed: its rows are left out")
    else:
        known["jax-privacy, GDP"] = lambda case, runs, seed: canary_scores(case, runs, seed, case.delta > 0)
        known["jax-privacy, split"] = lambda case, runs, seed: canary_scores(case, runs, seed, False)
    known["Delta-Siege style"] = siege
    known["DP-Sniper style"] = sniper
    known["hockey-stick style"] = hockey_stick
    return known


def main(seeds: int = 5, largest: int = 10**6) -> None:
    sizes = [n for n in (10**4, 10**5, 10**6) if n <= largest]
    bounds: dict[str, list[float]] = {}
    print("mean bound (refuted / seeds); seconds are those of one audit of the Gaussian")
    print("| n | method | " + " | ".join(CASES) + " | seconds |")
    print("|" + "---|" * (len(CASES) + 3))
    alarms: dict[str, list[int]] = {}
    for n in sizes:
        for name, method in methods().items():
            cells, seconds = [], 0.0
            for label, case in CASES.items():
                started = time.perf_counter()
                outcomes = [method(case, n, seed) for seed in range(seeds)]
                if label == "Gaussian":
                    seconds = (time.perf_counter() - started) / seeds
                refuted = sum(outcome.refuted for outcome in outcomes)
                known = [outcome.bound for outcome in outcomes if outcome.bound is not None]
                cells.append(f"{np.mean(known):.2f} ({refuted})" if known else f"({refuted})")
                if label == "Gaussian" and known:
                    bounds.setdefault(name, []).append(float(np.mean(known)))
                if case.true:
                    counts = alarms.setdefault(name, [0, 0])
                    counts[0], counts[1] = counts[0] + refuted, counts[1] + seeds
            print(f"| {n} | {name} | " + " | ".join(cells) + f" | {seconds:.2f} |", flush=True)
    for name, (false, audits) in alarms.items():
        print(f"{name}: {false} false alarms in {audits} audits of true claims at alpha = {ALPHA}")
    draw(sizes, bounds)


def draw(sizes: list[int], bounds: dict[str, list[float]]) -> None:
    """The bounds on the correct Gaussian, as a small picture."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(5, 3), dpi=90)
    for name, values in bounds.items():
        axes.plot(sizes, values, marker="o", label=name, linewidth=2 if name.startswith("ours") else 1)
    axes.axhline(1.0, color="grey", linestyle=":")
    axes.set(xscale="log", xlabel="runs a side", ylabel="shown epsilon", ylim=(0, 1.05))
    axes.set_title("A correct Gaussian, epsilon = 1 at delta = 1e-5", fontsize="small")
    axes.legend(fontsize="x-small")
    figure.tight_layout()
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURE, metadata={"Software": None})


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
