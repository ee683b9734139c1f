"""The minimiser of a regularised logistic regression, with or without a linear term, and records cut to a
length.

    argmin  sum_i ln(1 + exp(-y_i <a_i, x>)) + <linear, x> + weight/2 |x|^2
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpverify.problems import Records

Array = np.ndarray[Any, Any]


def cut_records(loaded: Records, longest: float) -> Records:
    """The records, none longer than `longest`; kept beside the others, so that it is done once.

    >>> cut_records(Records(np.array([[3.0, 4.0]]), np.ones(1)), 1.0).features.round(1).tolist()
    [[0.6, 0.8]]
    """
    if "cut" not in loaded.memo:
        lengths = loaded.norms(2)
        factor = np.minimum(1.0, longest / np.where(lengths > 0, lengths, 1.0))
        cut = Records(loaded.features * factor[:, None], loaded.targets)
        cut.memo["cut"] = cut
        loaded.memo["cut"] = cut
    return loaded.memo["cut"]


def derivatives(x: Array, data: Records) -> tuple[Array, Array]:
    """The gradient and the Hessian of the sum of the logistic losses, one for each row of x."""
    a, y = data.features, np.sign(data.targets)
    chance = 0.5 * (1 - np.tanh(0.5 * y * (x @ a.T)))  # of the other label
    return -(y * chance) @ a, np.einsum("rn,ni,nj->rij", chance * (1 - chance), a, a, optimize=True)


def perturbed_minimiser(data: Records, linear: Array, weight: float) -> Array:
    """The minimiser of sum of losses + <linear, x> + weight/2 |x|^2, one for each row of `linear`, by
    Newton's method; where a step does not bring the gradient down it is halved.

    >>> from dpverify.parts.cases import baseline_case
    >>> problem, data = baseline_case()
    >>> loaded, noise = problem.load(data), np.array([[30.0, 0.0, -5.0]])
    >>> x = perturbed_minimiser(loaded, noise, 20.0)
    >>> bool(np.abs(derivatives(x, loaded)[0] + noise + 20 * x).max() < 1e-10)
    True
    """
    x = linear / -weight
    slope, curvature = derivatives(x, data)
    slope = slope + linear + weight * x
    for _ in range(100):
        size = np.linalg.norm(slope, axis=1)
        if np.all(size <= 1e-13 * (1 + np.linalg.norm(linear, axis=1))):
            break
        step = np.linalg.solve(curvature + weight * np.eye(x.shape[1]), slope[:, :, None])[:, :, 0]
        length = np.ones((len(x), 1))
        for _ in range(30):
            there = x - length * step
            new, bent = derivatives(there, data)
            new = new + linear + weight * there
            worse = np.linalg.norm(new, axis=1) > size
            if not worse.any():
                break
            length[worse] /= 2
        if np.array_equal(there, x):
            break
        x = there
        slope = new
        curvature = bent
    return x
