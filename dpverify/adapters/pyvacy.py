"""PyVacy 0.0.32 (PyTorch): DPSGD as its readme uses it ("training as usual"), on the linear loss <w, record>.

    query     clip(mean_i g_i, clip)          released   query + N(0, (noise clip)^2 / batch I)

Two things were found in its step (optim/dp_optimizer.py), each shown by a target. It clips the gradient of
the batch, not of a record: one record moves the query by up to `clip`, while the noise of a batch is `noise
clip / sqrt(batch)` and its accountant charges it as `noise` times the sensitivity. With one record a batch
that is right. And it takes the square root of the norm after each parameter group, so that with two groups a
gradient (g, 0) counts as sqrt |g|, and is clipped at clip sqrt |g|. PyVacy does not state a relation; its
accountant is the sampled Gaussian mechanism of TensorFlow Privacy, with a conversion so loose that half of
its epsilon stands too. Not in its claim: gradients that are not numbers.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from dpverify.adapters import Target, positive, profile_through
from dpverify.adapters.torch_models import float64, forget, halves, seeded
from dpverify.auditing.tape import Tape
from dpverify.guarantees import Profile
from dpverify.neighbours import ADD_REMOVE, REPLACE, ZERO_OUT, Neighbours
from dpverify.releases import Gaussian
from dpverify.subjects import Subject
from dpverify.verdicts import REFUTED, SUPPORTED, Verdict

WIDTH = 4  # of a record; the first half goes to one layer, the rest to another


@lru_cache(maxsize=32)
def _claim(noise: float, steps: int, batch: int) -> Profile:
    """What its accountant says of that many steps on a data set of one batch."""
    from pyvacy import analysis

    def epsilon(delta: float) -> float:
        return float(
            analysis.moments_accountant(
                N=batch, batch_size=batch, noise_multiplier=noise, epochs=steps, delta=delta
            )
        )

    return profile_through(
        [(epsilon(delta), delta) for delta in np.geomspace(0.9, 1e-8, 50)], "the moments accountant of PyVacy"
    )


def dpsgd(steps: int = 2, noise: float = 1.0, clip: float = 1.0, batch: int = 1, groups: int = 1) -> Subject:
    """DPSGD, the whole data set of `batch` records in every step, each layer a parameter group of its own if
    `groups` is 2.
    """
    positive(steps=steps, noise=noise, clip=clip, batch=batch)
    if groups not in (1, 2):
        raise ValueError(f"Expected groups={groups} to be 1 or 2.")
    import torch
    from pyvacy import optim

    torch.set_num_threads(1)
    model = halves(WIDTH)
    parameters = list(model.parameters())
    settings = {"l2_norm_clip": clip, "noise_multiplier": noise, "batch_size": batch}
    # of its noise, like that of the weights: float32 noise on float64 weights is told by its trailing bits
    with float64():
        optimizer = optim.DPSGD(
            params=[{"params": [p]} for p in parameters] if groups == 2 else parameters, lr=1.0, **settings
        )
        still = optim.DPSGD(
            params=optimizer.param_groups, lr=0.0, **{**settings, "noise_multiplier": 1e-30}
        )  # the same clip, to see the query
    reach = clip / batch**0.5  # what noise / noise_multiplier is the sensitivity of
    declared = Gaussian(noise * reach, {ADD_REMOVE: reach, ZERO_OUT: reach, REPLACE: 2 * reach})

    kept = dict[bytes, tuple[list[Any], Any]]()

    def gradient(data: Any) -> tuple[list[Any], Any]:
        """The gradient of the loss, and what is left of it after the clip."""
        if len(data) > batch:
            raise ValueError(f"Expected at most batch={batch} records, got {len(data)}.")
        key = data.tobytes()
        if key not in kept:
            forget(kept)
            optimizer.zero_grad()
            losses = model(torch.as_tensor(data))
            (losses.mean() if len(data) else losses.sum()).backward()
            slopes = [p.grad.clone() for p in parameters]
            kept[key] = slopes, step(still, slopes)
        return kept[key]

    def step(with_: Any, slopes: list[Any]) -> Any:
        for p, g in zip(parameters, slopes):
            p.grad = g.clone()
        with_.step()
        return np.concatenate([p.grad.numpy().ravel() for p in parameters])

    def train(data: Any, rng: np.random.Generator, tape: Tape) -> Any:
        published = []
        with seeded(0):
            slopes, query = gradient(np.asarray(data, dtype=float))
        with seeded(int(rng.integers(2**62))):
            for _ in range(steps):
                published.append(tape.record(query, step(optimizer, slopes), declared))
        return np.concatenate(published)

    pair = Neighbours.zero_out(
        np.array([[3e4 * clip, 0.0, 0.0 if groups == 2 else 4e4 * clip, 0.0], *np.zeros((batch - 1, WIDTH))]),
        0,
    )
    return Subject(
        train,
        _claim(noise, steps, batch),
        pair,
        "pyvacy.analysis.moments_accountant; no relation is stated",
        runs=3000,
    )


def batches(steps: int = 2, noise: float = 1.0, clip: float = 1.0, batch: int = 9) -> Subject:
    """Batches of more than one record."""
    return dpsgd(steps, noise, clip, batch)


def groups(steps: int = 2, noise: float = 1.0, clip: float = 1.0) -> Subject:
    """One record a batch, two parameter groups."""
    return dpsgd(steps, noise, clip, groups=2)


INSTALL = 'pip install ".[legacy]"'
PACKAGES = ("pyvacy", "torch", "six")
CLAIM = "the profile of its moments accountant"
BROKEN: dict[str, Verdict] = {law: REFUTED for law in ("sensitivity", "huge", "nan", "step", "training")}

TARGETS = (
    Target(
        "pyvacy:dpsgd",
        "DPSGD, one record a batch",
        CLAIM,
        dpsgd,
        PACKAGES,
        INSTALL,
        {"nan": REFUTED, "half": SUPPORTED},
    ),
    Target(
        "pyvacy:batches",
        "DPSGD, nine records a batch: it clips their mean",
        CLAIM,
        batches,
        PACKAGES,
        INSTALL,
        BROKEN,
    ),
    Target(
        "pyvacy:groups",
        "DPSGD, two parameter groups: it clips at the root of the norm",
        CLAIM,
        groups,
        PACKAGES,
        INSTALL,
        BROKEN,
    ),
)
