"""Pictures of a report as SVG, the same bytes for the same figures."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dpverify.reporting.runs import called

TIMELESS = {"Date": None, "Creator": None, "Format": None, "Type": None}


class Picture(NamedTuple):
    """A drawing as SVG, and what it shows in words for those who do not see it."""

    svg: str
    alt: str


class Sheet:
    """Axes to draw on, side by side, or one above two; `picture` gives the SVG, and writes a file as its
    suffix says.
    """

    def __init__(self, *titles: str, size: tuple[float, float] = (5.4, 3.6)) -> None:
        import matplotlib

        self.style: Any = {"svg.hashsalt": "dpverify", "svg.fonttype": "none", "font.size": 9.0}
        with matplotlib.rc_context(self.style):
            from matplotlib.backends.backend_svg import FigureCanvasSVG
            from matplotlib.figure import Figure

            self.figure = Figure(figsize=size, layout="constrained", facecolor="white")
            FigureCanvasSVG(self.figure)
            grid: Any = [range(len(titles))] if len(titles) < 3 else [[0, 0], [1, 2]]
            placed = self.figure.subplot_mosaic([list(row) for row in grid])
            self.axes = [placed[i] for i in range(len(titles))]
        for axes, title in zip(self.axes, titles):
            axes.set_title(title, fontsize=10)

    def logarithmic(self, axis: Any) -> None:
        """A logarithmic axis with plain numbers at its ticks, at least two of them."""
        from matplotlib.ticker import LogLocator, NullFormatter

        axis.axes.set(**{f"{axis.axis_name}scale": "log"})
        low, high = axis.get_view_interval()
        axis.set_major_locator(LogLocator(subs=(1.0,) if high > 300 * low else (1.0, 2.0, 5.0)))
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter(NullFormatter())

    def number_steps(self, axes: Any, steps: int) -> None:
        """The steps 1 to `steps` below the axes, as whole numbers."""
        from matplotlib.ticker import MaxNLocator

        axes.set(xlabel="t", xlim=(0.5, steps + 0.5))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))

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

    lines = {
        "uniform": dn.uniform(T, R),
        "dynamic, Eq (7), the optimum of gradient descent": dn.dynamic(gamma, T, R),
        "exponential, fitted": dn.fitted_exponential(dn.dynamic(gamma, T, R), T, R),
        "exact influence, the optimum with momentum": from_influence(
            dn.momentum_influence(beta, gamma, T), T, R
        ),
        "momentum, as printed (Thm 4.6)": from_influence(
            dn.piecewise_influence(beta, gamma, T, dn.t_hat(beta, gamma)), T, R
        ),
    }
    sheet = Sheet(f"noise schedules on one budget\n(T = {T}, gamma = {gamma}, beta = {beta}, R = {R:g})")
    (axes,) = sheet.axes
    _draw(sheet, {name: schedule.values(T) for name, schedule in lines.items()})
    axes.set(ylabel="sigma_t^2")
    return sheet.picture("Squared noise multiplier over the steps for five schedules, two of them optima")


def _draw(sheet: Sheet, lines: dict[str, Any]) -> None:
    """Positive curves over t = 1, 2, ...; those that coincide are one line with both names."""
    (axes,) = sheet.axes
    curves: list[tuple[list[str], Any]] = []
    for name, values in lines.items():
        same = next((names for names, other in curves if np.allclose(values, other, rtol=1e-3)), None)
        if same is None:
            curves.append(([name], values))
        else:
            same.append(name)
    for (names, values), style in zip(curves, ("-", "--", "-.", ":", (0, (5, 1)))):
        axes.plot(np.arange(1, len(values) + 1), values, label="\n= ".join(names), linestyle=style)
    sheet.logarithmic(axes.yaxis)
    sheet.number_steps(axes, len(next(iter(lines.values()))))
    axes.legend(fontsize=8)


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
    axes.set(xlabel="T", ylabel="ERUB")
    sheet.logarithmic(axes.yaxis)
    axes.legend(fontsize=8)
    return sheet.picture("The bound over T for two schedules, with stated and true minimisers")


def algorithm(row: dict[str, Any], path: Path | None = None) -> Picture:
    """The Monte Carlo mean along the steps with its band and the bound; beside it the schedule, that is the
    noise of each step over its sensitivity, with its optimum where that is known, and then the influence of
    the noise of each step; also written to a file on request.
    """
    mean, spread = np.array(row["path"]), 2 * np.array(row["spread"])
    title = f"{row['algorithm']}\n({row['paper']}, {row['runs']} runs)"
    known = len(row["influence"]) > 1
    titles = (title, "its noise schedule") + ("the influence of that noise",) * known
    sheet = Sheet(*titles, size=(6.4, 4.6 if known else 2.6))
    axes = sheet.axes[0]
    steps = np.arange(len(mean))
    axes.fill_between(steps, mean - spread, mean + spread, alpha=0.3, label="two standard errors")
    axes.plot(steps, mean, label=row["quantity"])
    if row["exact"] is not None:
        axes.plot(steps[-1], row["exact"], "D", markersize=4, color="black", label="exact, by moments")
    if row["bound"] is not None:
        axes.axhline(row["bound"], linestyle="--", color="black", label=f"{called(row)} at the end of a run")
    if np.all(mean > 0):
        sheet.logarithmic(axes.yaxis)
    sheet.number_steps(axes, len(mean) - 1)
    axes.set_xlim(left=-0.5)
    axes.legend(fontsize=7)
    _schedule(sheet, sheet.axes[1], row)
    if known:
        _bars(sheet, sheet.axes[2], row["influence"])
    against = (
        f"against its {called(row)}" if row["bound"] is not None else "(no bound is proved for this case)"
    )
    more = ", with the optimum on the same budget" * bool(row["optimum"]) + ", and its influence" * known
    alt = f"Mean along the steps of {row['algorithm']} {against}, and its noise schedule{more}"
    return sheet.picture(alt, path)


def _schedule(sheet: Sheet, axes: Any, row: dict[str, Any]) -> None:
    """The noise of each step over its sensitivity, and beside it the optimum where there is one."""
    t = np.arange(1, len(row["noise"]) + 1)
    axes.step(t, row["noise"], where="mid", marker="." if len(t) < 40 else "", label="as run")
    if row["optimum"]:
        axes.plot(t, row["optimum"], "k:", label="the least exact mean on the same budget")
        axes.legend(fontsize=7)
    axes.set(ylabel="noise over sensitivity")
    axes.set_ylim(bottom=0)
    sheet.number_steps(axes, len(t))


def _bars(sheet: Sheet, axes: Any, influence: list[float]) -> None:
    """How much of the mean at the end is owed to each unit of variance of the noise of a step."""
    axes.bar(np.arange(1, len(influence) + 1), influence)
    axes.set(ylabel="excess per unit of variance")
    sheet.number_steps(axes, len(influence))


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
    axes.set(xlabel="median, exact interval", ylim=(-0.5, len(rows) - 0.5))
    if min(row["median_interval"][0] for row in rows) > 0:
        sheet.logarithmic(axes.xaxis)
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
    x = seen.on_data[keep]
    y = seen.on_other[keep]
    n = seen.fresh
    share = 0.05 / (4 * len(keep))
    (low, high), (left, right) = (
        np.array([clopper_pearson(int(k), n, share) for k in counts]).T for counts in (x, y)
    )
    sheet = Sheet(title or name_of(mechanism), "wealth of the bets", size=(6.8, 3.5))
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
    _wealth(sheet, wealth, np.array(seen.wealth), budget.alpha)
    return sheet.picture(
        "Observed trade-off of an audited mechanism against its claim, and the wealth over runs", path
    )


def _wealth(sheet: Sheet, axes: Any, path: Any, alpha: float) -> None:
    """The wealth of the bets over the runs, as powers of ten, as far as five times what refutes."""
    runs, logs = path[:, 0], path[:, 1] / np.log(10)
    least = np.log10(2 / alpha)
    axes.plot(runs, logs, marker=".")
    axes.axhline(least, color="black", linestyle="--", label=f"refuted from here on (alpha = {alpha:g})")
    if np.any(logs >= least):
        first = int(np.argmax(logs >= least))
        axes.plot(
            runs[first], logs[first], "o", color="tab:red", label=f"refuted by {runs[first]:g} runs a side"
        )
    axes.set(xlabel="runs a side", ylabel="log10 of the wealth")
    axes.set_ylim(min(logs.min(), 0) - 0.5, min(max(logs.max(), least) + 1, 5 * least))
    sheet.logarithmic(axes.xaxis)
    axes.legend(fontsize=7, loc="best")


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

    lines = {
        "gradient descent": dn.gd_influence(gamma, T),
        "momentum, exact": dn.momentum_influence(beta, gamma, T),
        "momentum, as printed (Thm 4.6)": dn.piecewise_influence(beta, gamma, T, dn.t_hat(beta, gamma)),
    }
    sheet = Sheet(f"influence of the noise of step t\n(T = {T}, gamma = {gamma}, beta = {beta})")
    values = {name: schedule.values(T) for name, schedule in lines.items()}
    _draw(sheet, {name: each / each.sum() for name, each in values.items()})
    sheet.axes[0].set(ylabel="share of the sum")
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
    sheet = Sheet(f"delta(eps) of Algorithm 1, R = {R}:\nexact losses of 10,000 transcripts")
    (axes,) = sheet.axes
    for (name, pair), colour in zip(pairs.items(), ("tab:green", "tab:red")):
        bounds = profile_bounds(privacy_losses(algorithm, pair, 10_000, 0), epsilons, 0.05)
        axes.fill_between(
            epsilons,
            np.maximum(bounds.lower, 1e-9),
            bounds.upper,
            alpha=0.3,
            color=colour,
            label=f"{name}: 95 %, all eps at once",
        )
    claimed = [GDP(R**0.5).delta_at(float(e)) for e in epsilons]
    axes.plot(epsilons, claimed, color="black", label="Theorem 3.1: sum 1/sigma^2 = R, that is sqrt(R)-GDP")
    axes.set(xlabel="eps", ylabel="delta", ylim=(1e-6, 1))
    sheet.logarithmic(axes.yaxis)
    axes.legend(fontsize=7)
    return sheet.picture(
        "Privacy profile of Algorithm 1 for a zeroed and for a replaced record against the claim"
    )


def zoo(rows: list[dict[str, Any]]) -> Picture:
    """The planted bugs against the rungs of an audit: which one refuted."""
    rungs = list(dict.fromkeys(rung for row in rows for rung in row["rungs"]))
    level = {"REFUTED": 2, "SUPPORTED": 1, "UNDECIDED": 0}
    table = np.array([[level.get(row["rungs"].get(rung, "UNDECIDED"), 0) for rung in rungs] for row in rows])
    sheet = Sheet("planted bugs: refuted (✗), passed (·), not told", size=(5.4, 0.9 + 0.19 * len(rows)))
    (axes,) = sheet.axes
    from matplotlib.colors import ListedColormap

    axes.imshow(table, aspect="auto", cmap=ListedColormap(["#eeeeee", "#bfe3c6", "#e8a09a"]), vmin=0, vmax=2)
    axes.set_xticks(range(len(rungs)), rungs)
    names = [row["bug"] + (" *" if row.get("why") else "") for row in rows]
    axes.set_yticks(range(len(rows)), names, fontsize=7)
    for i, j in np.ndindex(*table.shape):
        if table[i, j]:
            axes.text(j, i, "✗" if table[i, j] == 2 else "·", ha="center", va="center", fontsize=7)
    told = [f"* {row['bug']} {row['why']}" for row in rows if row.get("why")]
    return sheet.picture("; ".join(["Heat map of planted bugs by the rung that refuted them", *told]))
