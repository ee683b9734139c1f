"""Pictures of a report as SVG, the same bytes for the same figures."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

TIMELESS = {"Date": None, "Creator": None, "Format": None, "Type": None}


class Picture(NamedTuple):
    """A drawing as SVG, and what it shows in words for those who do not see it."""

    svg: str
    alt: str


class Sheet:
    """Axes side by side to draw on; `picture` gives the SVG, and writes a file as its suffix says."""

    def __init__(self, *titles: str, size: tuple[float, float] = (6.4, 3.8)) -> None:
        import matplotlib

        self.style: Any = {"svg.hashsalt": "dpverify", "svg.fonttype": "none", "font.size": 9.0}
        with matplotlib.rc_context(self.style):
            from matplotlib.backends.backend_svg import FigureCanvasSVG
            from matplotlib.figure import Figure

            self.figure = Figure(figsize=size, layout="constrained", facecolor="white")
            FigureCanvasSVG(self.figure)
            self.axes = [self.figure.add_subplot(1, len(titles), i + 1) for i in range(len(titles))]
        for axes, title in zip(self.axes, titles):
            axes.set_title(title, fontsize=10)

    def picture(self, alt: str, path: Path | None = None) -> Picture:
        import matplotlib

        buffer = io.StringIO()
        with matplotlib.rc_context(self.style):
            self.figure.savefig(buffer, format="svg", metadata=TIMELESS)
            if path is not None:
                self.figure.savefig(path, metadata=TIMELESS if path.suffix.lower() == ".svg" else None)
        text = buffer.getvalue()
        return Picture(text[text.index("<svg") :], alt)


def of_report(document: dict[str, Any]) -> dict[str, Picture]:
    """The pictures of a report by name; `paper:name` stands on the page of that paper."""
    keys = {paper["key"] for paper in document["papers"]}
    result = {}
    if "dynamic-noise" in keys and not document["sources"]:
        result["dynamic-noise:schedules"] = schedules()
        result["dynamic-noise:influence"] = influence()
        result["dynamic-noise:bound"] = bound_over_T()
        result["dynamic-noise:profile"] = profile_curve()
    for row in document["algorithms"]:
        result[f"{row['paper']}:{row['algorithm']}"] = algorithm(row)
    if document["zoo"]:
        result["zoo"] = zoo(document["zoo"])
        result["audit"] = half_the_noise()
    return result


def schedules(T: int = 60, gamma: float = 0.95, beta: float = 0.9, R: float = 1.0) -> Picture:
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
    sheet = Sheet(f"noise schedules on one budget (T = {T}, gamma = {gamma}, beta = {beta}, R = {R:g})")
    (axes,) = sheet.axes
    for i, (name, schedule) in enumerate(lines.items()):
        axes.plot(t, schedule.values(T), label=name, linestyle=("-", "--", ":", "-.", (0, (5, 1)))[i])
    axes.set(xlabel="t", ylabel="sigma_t^2", yscale="log")
    axes.legend(fontsize=8)
    return sheet.picture("Squared noise multiplier over the steps for five schedules")


def bound_over_T(kappa: float = 10.0, alpha: float = 1e-3) -> Picture:
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
    sheet = Sheet(f"the bound over T (kappa = {kappa:g}, alpha = {alpha:g})")
    (axes,) = sheet.axes
    for name, curve, colour in (("uniform", uniform, "tab:blue"), ("dynamic", dynamic, "tab:orange")):
        axes.plot(T, curve, color=colour, label=name)
        best = int(np.argmin(curve))
        axes.plot(best, curve[best], "o", color=colour, label=f"{name}: least at T = {best}")
        at = int(np.ceil(stated[name]))
        if at <= top:
            axes.plot(at, curve[at], "x", color=colour, label=f"{name}: stated T = {at}")
    axes.set(xlabel="T", ylabel="ERUB", yscale="log")
    axes.legend(fontsize=8)
    return sheet.picture("The bound over T for two schedules, with stated and true minimisers")


def algorithm(row: dict[str, Any], path: Path | None = None) -> Picture:
    """The Monte Carlo mean along the steps with its band and the bound, and beside it the schedule: the noise
    of each step over its sensitivity; also written to a file on request.
    """
    mean, spread = np.array(row["path"]), 1.96 * np.array(row["spread"])
    title = f"{row['algorithm']} ({row['paper']}), {row['runs']} runs"
    sheet = Sheet(title, "its noise schedule", size=(7.4, 2.9))
    axes, schedule = sheet.axes
    steps = np.arange(len(mean))
    axes.fill_between(steps, mean - spread, mean + spread, alpha=0.3)
    axes.plot(steps, mean, label=row["quantity"])
    if row["exact"] is not None:
        axes.plot(steps[-1], row["exact"], "D", markersize=4, color="black", label="exact, by moments")
    if row["bound"] is not None:
        axes.axhline(row["bound"], linestyle="--", color="black", label="bound on the last step")
    axes.set(xlabel="t")
    if np.all(mean > 0):
        axes.set_yscale("log")
    axes.legend(fontsize=7)
    schedule.step(np.arange(1, len(row["noise"]) + 1), row["noise"], where="mid")
    schedule.set(xlabel="t", ylabel="noise over sensitivity")
    schedule.set_ylim(bottom=0)
    against = "against its bound" if row["bound"] is not None else "(no bound is proved for this case)"
    alt = f"Mean along the steps of {row['algorithm']} {against}, and its noise schedule"
    return sheet.picture(alt, path)


def comparison(rows: list[dict[str, Any]], path: Path | None = None) -> Picture:
    """The medians of several algorithms with their exact intervals, the best at the top, and how many times
    the best median each is.
    """
    sheet = Sheet(
        f"F(x) - F* under {rows[0]['guarantee']}, {rows[0]['adjacency']}", size=(5.2, 0.8 + 0.4 * len(rows))
    )
    (axes,) = sheet.axes
    for place, row in enumerate(reversed(rows)):
        low, high = row["median_interval"]
        axes.plot([low, high], [place, place], color="black")
        axes.plot(row["median"], place, "o", color="black")
    names = [f"{row['algorithm']}, {row['times_best']:.3g} times the best" for row in rows[:0:-1]]
    axes.set_yticks(range(len(rows)), [*names, rows[0]["algorithm"]])
    axes.margins(y=0.15)
    axes.set(xlabel="median, exact interval", xscale="log" if rows[0]["median"] > 0 else "linear")
    return sheet.picture("Medians of the excess of several algorithms", path)


def audit(
    mechanism: Any, neighbours: Any, claim: Any, budget: Any, path: Path | None = None, title: str = ""
) -> Picture:
    """An audit in two panels: the observed trade-off with its band against the claim, and the wealth of the
    bets over the runs; also written to a file on request.
    """
    from dpverify.auditing.claimed import worst_pair
    from dpverify.auditing.exact import clopper_pearson
    from dpverify.auditing.picture import observe
    from dpverify.auditing.sampling import name_of

    seen = observe(mechanism, neighbours, claim, replace(budget, runs=min(budget.runs, 50_000)))
    keep = np.unique(np.linspace(0, len(seen.on_data) - 1, 40).astype(int))
    x, y, n = seen.on_data[keep], seen.on_other[keep], seen.fresh
    share = 0.05 / (4 * len(keep))
    (low, high), (left, right) = (
        np.array([clopper_pearson(int(k), n, share) for k in counts]).T for counts in (x, y)
    )
    sheet = Sheet(title or name_of(mechanism), "wealth of the bets", size=(8.4, 4.0))
    trade, wealth = sheet.axes
    claimed = [np.append(0, side) for side in worst_pair(claim).curve]
    trade.plot(*claimed, color="black", label=f"{claim}: nothing may lie above")
    boxes = [y / n - left, right - y / n], [x / n - low, high - x / n]
    trade.errorbar(
        y / n, x / n, *boxes[::-1], fmt=".", label=f"observed, {n} fresh runs a side, 95 % at once"
    )
    trade.plot([0, 1], [0, 1], color="grey", linewidth=0.5)
    trade.set(xlabel="probability on D'", ylabel="probability on D", xlim=(0, 1), ylim=(0, 1))
    trade.legend(fontsize=7, loc="lower right")
    runs, logs = np.array(seen.wealth).T
    wealth.plot(runs, logs / np.log(10), marker=".")
    least = np.log10(2 / budget.alpha)
    wealth.axhline(
        least, color="black", linestyle="--", label=f"refuted from here on (alpha = {budget.alpha:g})"
    )
    wealth.set(xlabel="runs a side", ylabel="log10 of the wealth", xscale="log")
    wealth.xaxis.set_minor_formatter("")
    wealth.legend(fontsize=7)
    return sheet.picture(
        "Observed trade-off of an audited mechanism against its claim, and the wealth over runs", path
    )


def half_the_noise() -> Picture:
    """The audit of a Gaussian mechanism whose noise is half of what is claimed."""
    from dpverify.auditing import Budget
    from dpverify.guarantees import GDP
    from dpverify.neighbours import Neighbours

    def noisy_sum(data: Any, rng: np.random.Generator, runs: int) -> Any:
        return data.sum() + 0.5 * rng.normal(size=(runs, 1))

    pair = Neighbours.replace(np.zeros((2, 1)), 0, [1.0])
    title = "an audit: claimed 1-GDP, noise half of it"
    return audit(noisy_sum, pair, GDP(1.0), Budget(runs=20_000, seed=0), title=title)


def influence(T: int = 60, gamma: float = 0.95, beta: float = 0.9) -> Picture:
    """How much the noise of step t weighs in the bound of dynamic-noise: gradient descent, momentum, and
    momentum as printed, each as a share of its sum.
    """
    from dpverify.formulas import dynamic_noise as dn

    t = np.arange(1, T + 1)
    lines = {
        "gradient descent": dn.gd_influence(gamma, T),
        "momentum, exact": dn.momentum_influence(beta, gamma, T),
        "momentum, as printed (Thm 4.6)": dn.piecewise_influence(beta, gamma, T, dn.t_hat(beta, gamma)),
    }
    sheet = Sheet(f"influence of the noise of step t (T = {T}, gamma = {gamma}, beta = {beta})")
    (axes,) = sheet.axes
    for (name, schedule), style in zip(lines.items(), ("-", "--", ":")):
        values = schedule.values(T)
        axes.plot(t, values / values.sum(), style, label=name)
    axes.set(xlabel="t", ylabel="share of the sum", yscale="log")
    axes.legend(fontsize=8)
    return sheet.picture("Influence of the noise over the steps, three formulas")


def profile_curve() -> Picture:
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
    sheet = Sheet(f"delta(eps) of Algorithm 1, R = {R}: exact losses of 10,000 transcripts")
    (axes,) = sheet.axes
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
    axes.plot(epsilons, claimed, color="black", label="Theorem 3.1: sum 1/sigma^2 = R, that is sqrt(R)-GDP")
    axes.set(xlabel="eps", ylabel="delta", yscale="log")
    axes.legend(fontsize=7)
    return sheet.picture(
        "Privacy profile of Algorithm 1 for a zeroed and for a replaced record against the claim"
    )


def zoo(rows: list[dict[str, Any]]) -> Picture:
    """The planted bugs against the rungs of an audit: which one refuted."""
    rungs = list(dict.fromkeys(rung for row in rows for rung in row["rungs"]))
    level = {"REFUTED": 2, "SUPPORTED": 1, "UNDECIDED": 0}
    table = np.array([[level.get(row["rungs"].get(rung, "UNDECIDED"), 0) for rung in rungs] for row in rows])
    sheet = Sheet("planted bugs: refuted (✗), passed (·), not told", size=(6.4, 0.9 + 0.19 * len(rows)))
    (axes,) = sheet.axes
    from matplotlib.colors import ListedColormap

    axes.imshow(table, aspect="auto", cmap=ListedColormap(["#eeeeee", "#bfe3c6", "#e8a09a"]), vmin=0, vmax=2)
    axes.set_xticks(range(len(rungs)), rungs)
    axes.set_yticks(range(len(rows)), [row["bug"] for row in rows], fontsize=7)
    for i, j in np.ndindex(*table.shape):
        if table[i, j]:
            axes.text(j, i, "✗" if table[i, j] == 2 else "·", ha="center", va="center", fontsize=7)
    return sheet.picture("Heat map of planted bugs by the rung that refuted them")
