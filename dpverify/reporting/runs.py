"""Many runs of an algorithm in figures: its mean, its interval, the paper's bound, and what the accountant
says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpverify.algorithms import Example
    from dpverify.montecarlo import Runs


def summary(case: Example, result: Runs, as_printed: bool) -> dict[str, Any]:
    """The figures of a run: mean, interval, bound, and what the accountant says.

    >>> from dpverify.algorithms import example
    >>> from dpverify.montecarlo import run
    >>> case = example("private-gd")
    >>> figures = summary(case, run(case.algorithm, case.data, 50, measure={case.quantity: case.measured}),
    ...     False)
    >>> figures["algorithm"], figures["certified"]
    ('private-gd', True)
    """
    import math

    import numpy as np

    from dpverify.accounting import account, epsilon, meets
    from dpverify.guarantees import ApproxDP, PureDP
    from dpverify.montecarlo import mean_at_least

    quantity = case.quantity
    if case.best_step:
        best = int(np.argmin(result.path[quantity]))
        mean, spread = (
            float(result.path[quantity][best]),
            math.sqrt(float(result.path_variance[quantity][best]) / result.runs),
        )
    else:
        best, mean, spread = case.algorithm.steps, result.mean(quantity), result.standard_error(quantity)
    at_least = None if case.best_step else mean_at_least(result.values[quantity])
    exact = exact_mean(case)
    known = exact if exact is not None else at_least
    ledger = case.algorithm.ledger()
    delta = (
        0.0
        if isinstance(case.claimed, PureDP)
        else case.claimed.delta
        if isinstance(case.claimed, ApproxDP)
        else 1e-5
    )
    guarantee = account(ledger, case.adjacency, "auto" if delta else "pure")
    return {
        "algorithm": case.algorithm.name,
        "paper": case.paper,
        "calibration": "as printed" if as_printed else "certified",
        "steps": case.algorithm.steps,
        "runs": result.runs,
        "seed": result.seed,
        "quantity": quantity,
        "at_step": best,
        "mean": mean,
        "interval": [mean - 1.96 * spread, mean + 1.96 * spread] if result.runs > 1 else None,
        "at_least": at_least,
        "exact": exact,
        "bound": case.bound,
        "exceeds_bound": case.bound is not None
        and known is not None
        and known > case.bound * (1 + 1e-9),  # reached is kept
        "bound_source": case.bound_source,
        "adjacency": str(case.adjacency),
        "claimed": repr(case.claimed),
        "accountant_epsilon": epsilon(guarantee, delta),
        "accountant_delta": delta,
        "certified": meets(ledger, case.adjacency, case.claimed),
        "note": case.note,
    }


def exact_mean(case: Example) -> float | None:
    """E F(x) - F* of the last iterate by the exact recursion, where the algorithm is affine on a quadratic;
    else None.
    """
    from dpverify.moments import NotAffine, NotQuadratic, exact_moments

    if case.measure is not None:
        return None
    try:
        moments = exact_moments(case.algorithm, case.data)
        return float(moments.expected_value(case.problem, case.data)[-1] - case.problem.optimum(case.data)[1])
    except (NotAffine, NotQuadratic):
        return None


def table(figures: dict[str, Any]) -> str:
    """The figures as text.

    >>> print(table({"algorithm": "a", "paper": "p", "calibration": "certified", "steps": 3, "runs": 1,
    ...     "seed": 0, "quantity": "E F",
    ...     "at_step": 3, "mean": 0.5, "interval": None, "at_least": 0.25, "exact": 0.5,
    ...     "exceeds_bound": False, "bound": None,
    ...     "bound_source": "", "adjacency": "replace", "claimed": "GDP(mu=1.0)", "accountant_epsilon": 4.0,
    ...     "accountant_delta": 1e-5,
    ...     "certified": True, "note": ""}))
    a (p), certified, 3 steps, 1 runs, seed 0
      E F             0.5 at step 3
      at least        0.25 (97.5 %, valid in finite samples)
      exactly         0.5 (recursion of moments)
      bound           none stated for this case
      claimed         GDP(mu=1.0) under replace
      accountant      epsilon = 4 at delta = 1e-05: certifies the claim
    """
    interval = figures["interval"]
    near = f", [{interval[0]:.6g}, {interval[1]:.6g}] (95 %, normal approximation)" if interval else ""
    bound = figures["bound"]
    if bound is None:
        against = "none stated for this case"
    else:
        verdict = "EXCEEDED" if figures["exceeds_bound"] else f"{figures['mean'] / bound:.3g} of it reached"
        against = f"{bound:.6g}, {verdict} ({figures['bound_source']})"
    says = "certifies the claim" if figures["certified"] else "does NOT certify the claim"
    lines = [
        f"{figures['algorithm']} ({figures['paper']}), {figures['calibration']}, {figures['steps']} steps, "
        f"{figures['runs']} runs, seed {figures['seed']}",
        f"  {figures['quantity']:15} {figures['mean']:.6g} at step {figures['at_step']}{near}",
        *(
            [f"  {'at least':15} {figures['at_least']:.6g} (97.5 %, valid in finite samples)"]
            if figures["at_least"] is not None
            else []
        ),
        *(
            [f"  {'exactly':15} {figures['exact']:.6g} (recursion of moments)"]
            if figures["exact"] is not None
            else []
        ),
        f"  {'bound':15} {against}",
        f"  {'claimed':15} {figures['claimed']} under {figures['adjacency']}",
        f"  {'accountant':15} epsilon = {figures['accountant_epsilon']:.4g} at delta = "
        f"{figures['accountant_delta']:g}: {says}",
    ]
    if figures["note"]:
        lines.append(f"  {'note':15} {figures['note']}")
    return "\n".join(lines)


def along(case: Example, result: Runs) -> dict[str, list[float]]:
    """The mean along the steps and its standard error, to the digits that a picture needs."""
    mean = result.path[case.quantity]
    spread = (result.path_variance[case.quantity] / result.runs) ** 0.5
    return {"path": [float(f"{v:.6g}") for v in mean], "spread": [float(f"{v:.4g}") for v in spread]}
