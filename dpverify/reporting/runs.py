"""Many runs of an algorithm in figures: its mean, its interval, the bound that is proved of it, and what the
accountant says under each neighbouring relation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dpverify.releases import Gaussian, Laplace

if TYPE_CHECKING:
    from dpverify.algorithms import Example
    from dpverify.montecarlo import Runs
    from dpverify.releases import Release


NEEDS = "a theorem needs known constants, gradients within the clip ({}), and its own step size"


def summary(case: Example, result: Runs, as_printed: bool) -> dict[str, Any]:
    """The figures of a run: mean, interval, bound with its claim, and what the accountant says.

    >>> from dpverify.algorithms import example
    >>> case = example("private-gd")
    >>> figures = summary(case, case.simulate(50), False)
    >>> figures["algorithm"], figures["certified"], figures["bound_claim"]
    ('private-gd', True, 'dynamic-noise/bound-gd')
    """
    from dpverify.accounting import meets
    from dpverify.montecarlo import mean_at_least

    quantity = case.quantity
    mean, spread = result.mean(quantity), result.standard_error(quantity)
    at_least, exact = mean_at_least(result.values[quantity]), case.exact_mean()
    known = exact if exact is not None else at_least
    bound, printed = case.bound, case.printed
    spent = spending(case)
    return {
        "algorithm": case.algorithm.name,
        "paper": case.paper,
        "calibration": "as printed" if as_printed else "certified",
        "steps": case.algorithm.steps,
        "runs": result.runs,
        "seed": result.seed,
        "quantity": quantity,
        "mean": mean,
        "standard_error": spread if result.runs > 1 else None,
        "at_least": at_least,
        "exact": exact,
        "bound": None if bound is None else bound.value,
        "bound_claim": "" if bound is None else bound.claim,
        "bound_at": "" if bound is None else bound.at,
        "bound_taken": [] if bound is None else bound.taken,
        "exceeds_bound": case.exceeds(known),
        "printed": None if printed is None else printed.value,
        "printed_claim": "" if printed is None else printed.claim,
        "printed_at": "" if printed is None else printed.at,
        "adjacency": str(case.adjacency),
        "claimed": str(case.claimed),
        "accountant_epsilon": spent[0]["epsilon"],
        "accountant_delta": spent[0]["delta"],
        "accountant": spent,
        "certified": meets(case.algorithm.ledger(), case.adjacency, case.claimed),
        "gradients": slopes(case),
        "no_bound": case.no_bound,
        "note": case.note,
    }


def slopes(case: Example) -> str:
    """How long a record's gradient may be in the problem of a case, in words.

    >>> from dpverify.algorithms import example
    >>> slopes(example("private-gd"))
    'here up to 1 in length, 2.24 in the L1 norm'
    """
    longest, longest1 = case.problem.lipschitz, case.problem.lipschitz1
    if longest is None or longest1 is None:
        return "here of any length"
    return f"here up to {longest:.3g} in length, {longest1:.3g} in the L1 norm"


def judged(figures: dict[str, Any], records: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """The figures with what came of checking the claims that they name; `records` has one for each claim
    that was checked, as `dpverify check --json` has it.

    >>> judged({"bound_claim": "a/b", "printed_claim": ""}, {})["bound_verdict"]
    ''
    """
    result = dict(figures)
    for what in ("bound", "printed"):
        record = records.get(figures[f"{what}_claim"], {})
        result[f"{what}_verdict"] = record.get("verdict", "")
        result[f"{what}_judges"] = record.get("judges", [])
        result[f"{what}_given"] = record.get("given", [])
        result[f"{what}_tainted"] = record.get("tainted", [])
        result[f"{what}_because"] = record.get("because", "")
    return result


def called(figures: Mapping[str, Any]) -> str:
    """What the formula of the claim may be called: a bound if that is proved and leans on nothing that is
    not.

    >>> called({"bound_verdict": "PROVED"}), called({"bound_verdict": "PROVED", "bound_tainted": ["p/a"]})
    ('bound', 'formula')
    """
    leans = figures.get("bound_given") or figures.get("bound_tainted")
    return "bound" if figures.get("bound_verdict") == "PROVED" and not leans else "formula"


def spending(case: Example) -> list[dict[str, Any]]:
    """epsilon under every neighbouring relation for which the releases can be charged, the claimed one
    first; None where the accountant certifies none.
    """
    import math

    from dpverify.accounting import account, epsilon
    from dpverify.guarantees import ApproxDP, PureDP
    from dpverify.neighbours import Adjacency

    ledger = case.algorithm.ledger()
    claimed = case.claimed
    delta = 0.0 if isinstance(claimed, PureDP) else claimed.delta if isinstance(claimed, ApproxDP) else 1e-5
    known = [a for a in Adjacency if all(a in release.adjacencies for release in ledger)]
    steps = []
    for adjacency in sorted(known, key=lambda a: a is not case.adjacency):
        spent = epsilon(account(ledger, adjacency, "auto" if delta else "pure"), delta)
        steps.append(
            {
                "adjacency": str(adjacency),
                "epsilon": spent if math.isfinite(spent) else None,
                "delta": delta,
            }
        )
    return steps


def table(figures: dict[str, Any]) -> str:
    """The figures, judged, as text.

    >>> from dpverify.algorithms import example
    >>> case = example("clipped-mean")
    >>> print(table(judged(summary(case, case.simulate(100), False), {})).splitlines()[0])
    clipped-mean (diff2), certified, 1 step, 100 runs, seed 0
    """
    spread = figures["standard_error"]
    near = f" (standard error {spread:.2g})" if spread is not None else ""
    lines = [
        f"{figures['algorithm']} ({figures['paper']}), {figures['calibration']}, "
        f"{figures['steps']} step{'s' if figures['steps'] > 1 else ''}, "
        f"{figures['runs']} runs, seed {figures['seed']}",
        *([f"  {'data':15} {figures['data']}"] if "data" in figures else []),
        f"  {figures['quantity']:15} {figures['mean']:.6g}{near}",
        f"  {'at least':15} {figures['at_least']:.6g} (97.5 %, valid in finite samples)",
    ]
    if figures["exact"] is not None:
        lines.append(f"  {'exactly':15} {figures['exact']:.6g} (recursion of moments)")
    lines += _bound_lines(figures)
    if figures["printed"] is not None:
        lines.append(
            f"  {'the paper says':15} {figures['printed']:.6g} ({figures['printed_at']}; "
            f"{_verdict(figures, 'printed')})"
        )
    lines.append(f"  {'claimed':15} {figures['claimed']} under {figures['adjacency']}")
    for i, spent in enumerate(figures["accountant"]):
        says = "no certificate" if spent["epsilon"] is None else f"epsilon = {spent['epsilon']:.4g}"
        verdict = ""
        if i == 0:
            verdict = ": certifies the claim" if figures["certified"] else ": does NOT certify the claim"
        lines.append(
            f"  {'accountant' if i == 0 else '':15} {says} at delta = {spent['delta']:g} under "
            f"{spent['adjacency']}{verdict}"
        )
    if figures["note"]:
        lines.append(f"  {'note':15} {figures['note']}")
    return "\n".join(lines)


def _bound_lines(figures: dict[str, Any]) -> list[str]:
    """The formula of the claim at this run; it is called a bound if the claim is proved."""
    if figures["bound"] is None:
        why = figures["no_bound"] or NEEDS.format(figures["gradients"])
        return [f"  {'bound':15} none is proved for this case: {why}"]
    reached = (
        "EXCEEDED" if figures["exceeds_bound"] else f"{figures['mean'] / figures['bound']:.3g} of it reached"
    )
    lines = [
        f"  {called(figures):15} {figures['bound']:.6g}, {reached} ({figures['bound_at']})",
        f"  {'':15} {_verdict(figures, 'bound')}",
    ]
    lines += [f"  {'':15} {words}" for words in taken(figures)]
    if figures["bound_verdict"] and called(figures) != "bound":
        why = (
            figures["bound_because"]
            if figures["bound_verdict"] != "PROVED"
            else "what it leans on is not proved"
        )
        lines.append(f"  {'':15} which is no bound now: {why}")
    return lines


def taken(figures: dict[str, Any]) -> list[str]:
    """What a bound takes as known of the means along a run, which no figure of the run decides, in words.

    >>> taken({"bound_taken": ["V[1] <= 2*e[1]"], "bound_claim": "p/b"})
    ['takes as known of means: V[1] <= 2*e[1]', 'in full: dpverify explain p/b']
    """
    known = [f"takes as known of means: {hypothesis}" for hypothesis in figures["bound_taken"]]
    return known and [*known, f"in full: dpverify explain {figures['bound_claim']}"]


def _verdict(figures: dict[str, Any], what: str) -> str:
    """The verdict that was computed, by whom, and what it leans on; or that nothing was checked."""
    claim, verdict = figures[f"{what}_claim"], figures[f"{what}_verdict"]
    if not claim:
        return "no claim says so"
    if not verdict:
        return f"{claim}, not checked (dpverify check {claim})"
    judges = f" by {', '.join(figures[f'{what}_judges'])}" if figures[f"{what}_judges"] else ""
    given = f", given {', '.join(figures[f'{what}_given'])}" if figures[f"{what}_given"] else ""
    refuted = ", ".join(figures[f"{what}_tainted"])
    taint = f", tainted: leans on {refuted}, which is refuted" if refuted and verdict == "PROVED" else ""
    return f"{claim}: {verdict}{judges}{given}{taint}, checked by this installation"


def along(case: Example, result: Runs) -> dict[str, list[float]]:
    """The mean along the steps, its standard error, the noise of each step over its sensitivity, and where
    they are known the influence of that noise and its optimum, to the digits that a picture needs.
    """
    mean = result.path[case.quantity]
    spread = (result.path_variance[case.quantity] / result.runs) ** 0.5
    releases = [case.algorithm.release(t) for t in range(1, case.algorithm.steps + 1)]
    costs = np.array([float(release.ratio(case.adjacency)) for release in releases])
    influence = case.influence()
    return {
        "path": [float(f"{v:.6g}") for v in mean],
        "spread": [float(f"{v:.4g}") for v in spread],
        "noise": [float(f"{1 / cost:.4g}") if cost else 0.0 for cost in costs],
        "influence": [] if influence is None else [float(f"{v:.4g}") for v in influence],
        "optimum": [float(f"{v:.4g}") for v in _optimum(releases, costs, influence)],
    }


def _optimum(releases: Sequence[Release], costs: Any, influence: Any) -> Any:
    """The noise over the sensitivity of each step that makes the exact mean least, where the squares of the
    costs add up (Gaussian noise) or the costs do (Laplace noise); none where that is not so.

        sum J_t r_t^2 over sum 1/r_t^p = sum 1/q_t^p is least at r_t^(p + 2) in proportion to 1/J_t
    """
    powers: dict[type[Release], int] = {Gaussian: 2, Laplace: 1}
    kinds = {type(release) for release in releases}
    power = powers.get(type(releases[0])) if len(kinds) == 1 else None
    if influence is None or power is None or not costs.all() or len(costs) < 2:
        return []
    weights = influence * np.array([release.variance() for release in releases]) * costs**2
    if not np.all(weights > 0):
        return []
    shape = weights ** (-1 / (power + 2))
    return shape * (np.sum(shape ** (-power)) / np.sum(costs**power)) ** (1 / power)
