"""deepee 0.1.9 (PyTorch): PrivacyWrapper, which trains a copy of the model for each record, and its
PrivacyWatchdog.

    query     mean_i clip(g_i, clip)          released   query + N(0, (noise clip / batch)^2 I)

The watchdog charges mu-GDP by a central limit theorem for batches drawn without replacement
(privacy_accounting.py) and states no relation; pairs here have one record set to 0, the weakest. A full batch
then costs mu = 1 / noise a step, and 2 / noise where records are replaced; the watchdog says 1.71 at noise 1.
Found, each shown by a target:

    stale     the gradients of the copies are never cleared (optimizer.zero_grad() of the documented loop
    reaches the wrapped model only), so
              that a record stays in the copy that saw it, and in a later batch is counted twice
    sum       with reduce="sum" the noise is that of the mean
    seed      with a seed, which is set anew before each draw, every parameter and every step gets the same
    noise; the documentation calls
              generators that are not cryptographic, of which this is one, for experiments only

Few steps at a low rate cost more than the central limit says: one step that draws one of ten records at noise
0.6 has delta = 0.0020 at
epsilon = 2, charged 0.00004. Not in its claim: gradients that are not numbers.

Without an accelerator `torch.nn.parallel.parallel_apply` fails in its forward pass; the copies are called one
after the other instead.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from dpverify.adapters import Target, positive, profile_through
from dpverify.adapters.torch_models import halves, seeded
from dpverify.auditing.tape import Tape
from dpverify.guarantees import Profile
from dpverify.neighbours import REPLACE, ZERO_OUT, Neighbours
from dpverify.releases import Gaussian, Subsampled
from dpverify.subjects import Subject
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Verdict

WIDTH = 4  # of a record; the first half goes to one layer, the rest to another


@contextmanager
def _one_after_the_other() -> Iterator[None]:
    """The forward pass of the copies without threads."""
    import torch

    before = torch.nn.parallel.parallel_apply
    torch.nn.parallel.parallel_apply = lambda modules, inputs: [
        module(x) for module, x in zip(modules, inputs)
    ]
    try:
        yield
    finally:
        torch.nn.parallel.parallel_apply = before


def _deepee() -> Any:
    """The library; loading it turns on logging for everybody, which is undone."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    import deepee

    root.setLevel(level)
    root.handlers[:] = handlers
    return deepee


def _batches(rng: np.random.Generator, records: int, size: int, steps: int) -> list[Any]:
    """The batches of its own sampler, which draws from the global generator of NumPy; afterwards that is as
    it was.
    """
    if size == records:
        return [np.arange(records)] * steps
    from deepee.dataloader import UniformWORSubsampler

    state = np.random.get_state()
    np.random.seed(int(rng.integers(2**32)))
    try:
        epochs = [
            list(UniformWORSubsampler(range(records), size)) for _ in range(steps)
        ]  # a batch an epoch at least
    finally:
        np.random.set_state(state)
    return [batch for epoch in epochs for batch in epoch][:steps]


@lru_cache(maxsize=32)
def _claim(noise: float, steps: int, records: int, batch: int) -> Profile:
    """What the watchdog says after that many steps."""
    deepee = _deepee()
    loader = deepee.UniformDataLoader(list(range(records)), batch_size=batch, pin_memory=False)

    def epsilon(delta: float) -> float:
        watchdog = deepee.PrivacyWatchdog(loader, target_epsilon=1e9, target_delta=delta)
        deepee.PrivacyWrapper(halves(WIDTH), 1, 1.0, noise, watchdog=watchdog)
        return float(watchdog.calc_epsilon(steps))

    points = []
    for delta in np.geomspace(0.9, 1e-8, 50):
        try:
            points.append((epsilon(delta), delta))
        except RuntimeError:  # it looks for epsilon from 0 on only
            continue
    return profile_through(points, "the watchdog of deepee")


def wrapper(
    steps: int = 2,
    noise: float = 1.0,
    clip: float = 1.0,
    records: int = 2,
    batch: int = 0,
    reduce: str = "mean",
    seed: bool = False,
) -> Subject:
    """PrivacyWrapper on batches drawn without replacement from `records` records; the whole data set if
    `batch` is 0.
    """
    positive(steps=steps, noise=noise, clip=clip, records=records)
    if not 0 <= batch <= records:
        raise ValueError(f"Expected 0 <= batch={batch} <= records={records}.")
    if reduce not in ("mean", "sum"):
        raise ValueError(f"Expected reduce={reduce!r} to be 'mean' or 'sum'.")
    import torch

    deepee = _deepee()
    torch.set_num_threads(1)
    wrappers: dict[int, Any] = {}

    def train(data: Any, rng: np.random.Generator, tape: Tape) -> Any:
        rows = torch.as_tensor(np.asarray(data, dtype=float))
        size = min(batch or len(rows), len(rows))
        if size not in wrappers:
            with seeded(0):
                wrappers[size] = deepee.PrivacyWrapper(halves(WIDTH), size, clip, noise)
        model = wrappers[size]
        parameters = list(model.parameters())
        divisor = size if reduce == "mean" else 1
        declared = Gaussian(noise * clip / divisor, {ZERO_OUT: clip / divisor, REPLACE: 2 * clip / divisor})
        model.seed = int(rng.integers(1, 2**62)) if seed else None
        for copied in model.models:  # as if it were new
            copied.zero_grad()
        batches = _batches(rng, len(rows), size, steps)
        published = []
        with seeded(int(rng.integers(2**62))), _one_after_the_other():
            for chosen in batches:
                model.zero_grad()  # like optimizer.zero_grad(), of the wrapped model alone
                model(rows[chosen]).sum().backward()
                model.clip_and_accumulate(reduce)
                query = np.concatenate([p.grad.numpy().ravel() for p in parameters])
                model.noise_gradient()
                released = np.concatenate([p.grad.numpy().ravel() for p in parameters])
                published.append(
                    tape.record(
                        query,
                        released,
                        Subsampled(declared, size, len(rows)) if size < len(rows) else declared,
                    )
                )
                model.prepare_next_batch()
        return np.concatenate(published)

    pair = Neighbours.zero_out(np.array([[3.0, 0.0, 4.0, 0.0], *np.zeros((records - 1, WIDTH))]), 0)
    return Subject(
        train,
        _claim(noise, steps, records, batch or records),
        pair,
        "deepee.PrivacyWatchdog.calc_epsilon; no relation is stated",
        runs=3000,
    )


def stale(steps: int = 3, noise: float = 1.0, clip: float = 1.0) -> Subject:
    """Two of three records in every step."""
    return replace(wrapper(steps, noise, clip, records=3, batch=2), shrinks=False)  # which takes minutes


def summed(steps: int = 1, noise: float = 1.0, clip: float = 1.0) -> Subject:
    """The sum of the gradients instead of their mean."""
    return wrapper(steps, noise, clip, records=4, reduce="sum")


def with_seed(steps: int = 2, noise: float = 1.0, clip: float = 1.0) -> Subject:
    """A seed handed to the wrapper, another one in every run."""
    return wrapper(steps, noise, clip, seed=True)


INSTALL = 'pip install ".[legacy]"'
PACKAGES = ("deepee", "torch")
CLAIM = "the profile of its watchdog"
USUAL: dict[str, Verdict] = {"nan": REFUTED, "empty": UNDECIDED}
BROKEN: dict[str, Verdict] = {**USUAL, "step": REFUTED, "training": REFUTED}
STALE: dict[str, Verdict] = {**USUAL, "budget": UNDECIDED, "sensitivity": REFUTED, "training": REFUTED}
SEED: dict[str, Verdict] = {**BROKEN, "noise": REFUTED, "single": REFUTED}

TARGETS = (
    Target(
        "deepee:wrapper",
        "PrivacyWrapper, full batch",
        CLAIM,
        wrapper,
        PACKAGES,
        INSTALL,
        {**USUAL, "half": SUPPORTED},
    ),
    Target(
        "deepee:stale",
        "PrivacyWrapper, two of three records: gradients of earlier batches stay",
        CLAIM,
        stale,
        PACKAGES,
        INSTALL,
        STALE,
    ),
    Target(
        "deepee:sum",
        'PrivacyWrapper, reduce="sum": the noise is that of the mean',
        CLAIM,
        summed,
        PACKAGES,
        INSTALL,
        {**BROKEN, "noise": REFUTED},
    ),
    Target(
        "deepee:seed",
        "PrivacyWrapper with a seed: the same noise on every parameter and step",
        CLAIM,
        with_seed,
        PACKAGES,
        INSTALL,
        SEED,
    ),
)
