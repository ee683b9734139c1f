"""Pictures of a report as SVG, the same bytes for the same figures."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

TIMELESS = {"Date": None, "Creator": None, "Format": None, "Type": None}


@contextmanager
def _axes(
    title: str, size: tuple[float, float] = (6.4, 3.8), path: Path | None = None
) -> Iterator[tuple[Any, list[str]]]:
    """Axes to draw on; afterwards the list holds the SVG, and the file the picture in the format of its
    suffix.
    """
    import matplotlib

    with matplotlib.rc_context(
        {"svg.hashsalt": "dpverify", "svg.fonttype": "none", "font.size": 9.0, "figure.facecolor": "white"}
    ):
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure

        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasSVG(figure)
        axes = figure.add_subplot()
        axes.set_title(title, fontsize=10)
        out: list[str] = []
        yield axes, out
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata=TIMELESS)
        if path is not None:
            figure.savefig(path, metadata=TIMELESS if path.suffix.lower() == ".svg" else None)
        text = buffer.getvalue()
        out.append(text[text.index("<svg") :])


def _alone(svg: str, name: str, alt: str) -> str:
    """The SVG with ids of its own, so that several can stand on one page, and a text for those who do not see
    it.
    """
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', svg)
    svg = re.sub(r'(xlink:href="#|url\(#)', rf"\g<1>{name}-", svg)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{alt}" ', 1)


def schedules(T: int = 60, gamma: float = 0.95, beta: float = 0.9, R: float = 1.0) -> str:
    """sigma_t^2 over t of the schedules of dynamic-noise, all spending the same budget."""
    from dpverify.formulas import dynamic_noise as dn
    from dpverify.schedules import from_influence

    t = np.arange(1, T + 1)
    exact = from_influence(dn.momentum_influence(beta, gamma, T), T, R)
    lines = {
        "uniform": dn.uniform(T, R),
        "dynamic, Eq (7)": dn.dynamic(gamma, T, R),
        "exponential, fitted": dn.fitted_exponential(dn.dynamic(gamma, T, R), T, R),
        "momentum, exact influence": exact,
        "momentum, as printed (Thm 4.6)": from_influence(
            dn.piecewise_influence(beta, gamma, T, dn.t_hat(beta, gamma)), T, R
        ),
    }
    with _axes(f"noise schedules on one budget (T = {T}, gamma = {gamma}, beta = {beta}, R = {R:g})") as (
        axes,
        out,
    ):
        for i, (name, schedule) in enumerate(lines.items()):
            axes.plot(t, schedule.values(T), label=name, linestyle=("-", "--", ":", "-.", (0, (5, 1)))[i])
        axes.set(xlabel="t", ylabel="sigma_t^2", yscale="log")
        axes.legend(fontsize=8)
    return _alone(out[0], "schedules", "Squared noise multiplier over the steps for five schedules")


def bound_over_T(kappa: float = 10.0, alpha: float = 1e-3) -> str:
    """The bound of dynamic-noise over T, uniform and dynamic schedule, with the stated T and the true
    minimisers.
    """
    from dpverify.formulas import dynamic_noise as dn

    gamma = 1 - 1 / kappa
    stated = {"uniform": float(dn.eq_23(kappa, alpha)), "dynamic": float(dn.eq_7(kappa, alpha))}
    top = int(2 * max(stated.values()))
    T = np.arange(0, top + 1)
    uniform = np.array([float(dn.uniform_erub(gamma, alpha, int(n))) for n in T])
    dynamic = np.array([float(dn.dynamic_erub(gamma, alpha, int(n))) for n in T])
    with _axes(f"the bound over T (kappa = {kappa:g}, alpha = {alpha:g})") as (axes, out):
        for name, curve, colour in (("uniform", uniform, "tab:blue"), ("dynamic", dynamic, "tab:orange")):
            axes.plot(T, curve, color=colour, label=name)
            best = int(np.argmin(curve))
            axes.plot(best, curve[best], "o", color=colour, label=f"{name}: least at T = {best}")
            at = int(np.ceil(stated[name]))
            if at <= top:
                axes.plot(at, curve[at], "x", color=colour, label=f"{name}: stated T = {at}")
        axes.set(xlabel="T", ylabel="ERUB", yscale="log")
        axes.legend(fontsize=8)
    return _alone(out[0], "bound", "The bound over T for two schedules, with stated and true minimisers")


def algorithm(row: dict[str, Any], path: Path | None = None) -> str:
    """The Monte Carlo mean along the steps with its band, and the paper's bound; also written to a file on
    request.
    """
    mean, spread = np.array(row["path"]), 1.96 * np.array(row["spread"])
    with _axes(f"{row['algorithm']} ({row['paper']}), {row['runs']} runs", (4.6, 2.9), path) as (axes, out):
        steps = np.arange(len(mean))
        axes.fill_between(steps, mean - spread, mean + spread, alpha=0.3)
        axes.plot(steps, mean, label=row["quantity"])
        if row["exact"] is not None:
            axes.plot(steps[-1], row["exact"], "D", markersize=4, color="black", label="exact, by moments")
        if row["bound"] is not None:
            axes.axhline(row["bound"], linestyle="--", color="black", label="bound")
        axes.set(xlabel="t")
        if np.all(mean > 0):
            axes.set_yscale("log")
        axes.legend(fontsize=7)
    return _alone(
        out[0], f"run-{row['algorithm']}", f"Mean along the steps of {row['algorithm']} against its bound"
    )


def audit_curve() -> str:
    """An audit of a Gaussian mechanism whose noise is half of what is claimed: observed trade-off against the
    claim.
    """
    from dpverify.auditing import Budget
    from dpverify.auditing.exact import clopper_pearson
    from dpverify.auditing.picture import observed_curve
    from dpverify.guarantees import GDP
    from dpverify.neighbours import Neighbours

    def half_the_noise(data: Any, rng: np.random.Generator, runs: int) -> Any:
        return data.sum() + 0.5 * rng.normal(size=(runs, 1))

    claim, n_runs = GDP(1.0), 20_000
    x, y, n = observed_curve(
        half_the_noise, Neighbours.replace(np.zeros((2, 1)), 0, [1.0]), claim, Budget(runs=n_runs, seed=0)
    )
    keep = np.unique(np.linspace(0, len(x) - 1, 40).astype(int))
    share = 0.05 / (2 * len(keep))
    low = np.array([clopper_pearson(int(k), n, share)[0] for k in x[keep]])
    right = np.array([clopper_pearson(int(k), n, share)[1] for k in y[keep]])
    from scipy.special import ndtr, ndtri

    grid = np.linspace(1e-4, 1 - 1e-4, 200)
    with _axes("an audit: claimed 1-GDP, noise half of it", (4.2, 4.2)) as (axes, out):
        axes.plot(grid, ndtr(ndtri(grid) + claim.mu), color="black", label="the claim: nothing may lie above")
        axes.plot(y[keep] / n, x[keep] / n, ".", label="observed on fresh runs")
        axes.step(right, low, where="post", label="95 % bound, all points at once")
        axes.plot([0, 1], [0, 1], color="grey", linewidth=0.5)
        axes.set(xlabel="probability on D'", ylabel="probability on D", xlim=(0, 1), ylim=(0, 1))
        axes.legend(fontsize=7, loc="lower right")
    return _alone(out[0], "audit", "Trade-off curve of an audited mechanism above its claim")


def profile_curve() -> str:
    """delta(eps) of Algorithm 1 of dynamic-noise with its printed budget, from exact losses, against what
    Theorem 3.1 says of it.
    """
    from dpverify.algorithms.private_gd import private_gd
    from dpverify.auditing.whitebox import profile_bounds
    from dpverify.formulas import dynamic_noise as dn
    from dpverify.guarantees import GDP
    from dpverify.losses import privacy_losses
    from dpverify.neighbours import Neighbours
    from dpverify.problems import quadratic

    R, T = dn.PRINTED_R, 3
    problem = quadratic([1.0], count=2, start=[0.0], radius=1.0)
    algorithm = private_gd(problem, clip=1.0, variances=dn.dynamic(0.5, T, R), steps=T)
    data, epsilons = np.array([[1.0], [0.0]]), np.linspace(0, 3, 13)
    pairs = {
        "record zeroed": Neighbours.zero_out(data, 0),
        "record replaced": Neighbours.replace(data, 0, [-1.0]),
    }
    with _axes(f"delta(eps) of Algorithm 1, R = {R}: exact losses of 10,000 transcripts") as (axes, out):
        for (name, pair), colour in zip(pairs.items(), ("tab:green", "tab:red")):
            bounds = profile_bounds(privacy_losses(algorithm, pair, 10_000, 0), epsilons, 0.05)
            axes.fill_between(
                epsilons,
                np.maximum(bounds.lower, 1e-6),
                bounds.upper,
                alpha=0.3,
                color=colour,
                label=f"{name}: 95 %, all eps at once",
            )
        claimed = [max(GDP(R**0.5).delta_at(float(e)), 1e-6) for e in epsilons]
        axes.plot(
            epsilons, claimed, color="black", label="Theorem 3.1: sum 1/sigma^2 = R, that is sqrt(R)-GDP"
        )
        axes.set(xlabel="eps", ylabel="delta", yscale="log")
        axes.legend(fontsize=7)
    return _alone(
        out[0],
        "profile",
        "Privacy profile of Algorithm 1 for a zeroed and for a replaced record against the claim",
    )


def zoo(rows: list[dict[str, Any]]) -> str:
    """The planted bugs against the rungs of an audit: which one refuted."""
    rungs = ["replay", "noise", "accountant", "statistics"]
    level = {"REFUTED": 2, "SUPPORTED": 1, "UNDECIDED": 0}
    table = np.array([[level.get(row["rungs"].get(rung, "UNDECIDED"), 0) for rung in rungs] for row in rows])
    with _axes("planted bugs: refuted (✗), passed (·), not told", (6.4, 0.9 + 0.19 * len(rows))) as (
        axes,
        out,
    ):
        from matplotlib.colors import ListedColormap

        axes.imshow(
            table, aspect="auto", cmap=ListedColormap(["#eeeeee", "#bfe3c6", "#e8a09a"]), vmin=0, vmax=2
        )
        axes.set_xticks(range(len(rungs)), rungs)
        axes.set_yticks(range(len(rows)), [row["bug"] for row in rows], fontsize=7)
        for i, j in np.ndindex(*table.shape):
            if table[i, j]:
                axes.text(j, i, "✗" if table[i, j] == 2 else "·", ha="center", va="center", fontsize=7)
    return _alone(out[0], "zoo", "Heat map of planted bugs by the rung that refuted them")
