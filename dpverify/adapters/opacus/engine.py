"""PrivacyEngine of Opacus: Poisson batches, and what its accountants say of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpverify.adapters import Target, positive
from dpverify.adapters.opacus.gradients import WIDTH, own_gradients, quietly
from dpverify.adapters.opacus.layers import INSTALL, PACKAGES
from dpverify.adapters.opacus.optimizers import NAN, RUNS, Published, opacus_claim
from dpverify.adapters.torch_models import forget, halves
from dpverify.auditing.tape import Tape
from dpverify.neighbours import ADD_REMOVE, REPLACE, ZERO_OUT, Neighbours
from dpverify.releases import Gaussian, Subsampled
from dpverify.subjects import Subject
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Verdict

BATCHES = 2  # of an epoch: the sampling rate is one half


def poisson(
    steps: int = 2,
    noise: float = 0.5,
    clip: float = 1.0,
    physical: int = 0,
    accountant: str = "prv",
    mean: bool = False,
    batch: int = 0,
) -> Subject:
    """PrivacyEngine.make_private: Poisson batches at rate 1/2, empty ones among them, and what its accountant
    says of them.

    With `physical` > 0 batches are split by BatchMemoryManager into some of that size at most. The rate is
    that of a data loader with two batches an epoch whatever the number of records; with `batch` > 0 it is
    that of a plain loader, 1 / ceil(records / batch). With `mean` the gradient is divided by the expected
    batch size, floor(records * rate), as is the default of Opacus.
    """
    positive(steps=steps, noise=noise, clip=clip)
    if physical < 0 or batch < 0:
        raise ValueError(f"Expected physical={physical} >= 0 and batch={batch} >= 0.")
    import torch
    from opacus import PrivacyEngine
    from opacus.utils.batch_memory_manager import BatchMemoryManager

    torch.set_num_threads(1)
    noises, draws = torch.Generator(), torch.Generator()
    kept = dict[bytes, tuple[Any, ...]]()

    def prepared(data: Any) -> tuple[Any, ...]:
        key = data.tobytes()
        if key not in kept:
            forget(kept)
            batches: dict[str, Any] = (
                {"batch_size": batch} if batch else {"batch_sampler": [[0]] * BATCHES}
            )  # Opacus asks how many there are
            loader = torch.utils.data.DataLoader(
                torch.utils.data.TensorDataset(torch.as_tensor(data)), generator=draws, **batches
            )
            module = halves(WIDTH)
            with quietly():
                model, optimizer, private = PrivacyEngine(accountant=accountant).make_private(
                    module=module,
                    optimizer=torch.optim.SGD(module.parameters(), lr=1.0),
                    data_loader=loader,
                    noise_multiplier=noise,
                    max_grad_norm=clip,
                    noise_generator=noises,
                    loss_reduction="mean" if mean else "sum",
                )
            if physical:
                with BatchMemoryManager(
                    data_loader=private, max_physical_batch_size=physical, optimizer=optimizer
                ) as split:
                    private = split
            divisor = optimizer.expected_batch_size if mean else 1
            scaled = {
                relation: reach * clip / divisor
                for relation, reach in ((ADD_REMOVE, 1), (ZERO_OUT, 1), (REPLACE, 2))
            }
            declared = Subsampled(Gaussian(noise * clip / divisor, scaled), 1, len(loader), "poisson")
            kept[key] = model, optimizer, private, Published(optimizer, declared, divisor)
        return kept[key]

    def train(data: Any, rng: np.random.Generator, tape: Tape) -> Any:
        model, optimizer, loader, published = prepared(np.asarray(data, dtype=float))
        noises.manual_seed(int(rng.integers(2**62)))
        draws.manual_seed(int(rng.integers(2**62)))
        published.begin(tape)
        with quietly():
            while len(published.released) < steps:
                for (records,) in loader:
                    optimizer.zero_grad()
                    losses = model(records)
                    (losses.mean() if mean else losses.sum()).backward()
                    optimizer.step()
                    if len(published.released) == steps:
                        break
        optimizer._step_skip_queue.clear()  # an epoch that was left early
        return np.concatenate(published.released)

    pair = Neighbours.remove(
        np.array([[3.0, 0.0, 4.0, 0.0], *np.zeros((2 * batch - 1 if batch else 1, WIDTH))]), 0
    )
    said_by = f"PrivacyEngine(accountant={accountant!r}).get_epsilon, add/remove"
    return Subject(
        train,
        opacus_claim(noise, 1 / BATCHES, steps, accountant),
        pair,
        said_by,
        gradients=own_gradients("hooks"),
        runs=RUNS,
        any_number=batch == 0,  # with a batch size the rate depends on the number of records
    )


def virtual(steps: int = 2, noise: float = 0.5, clip: float = 1.0) -> Subject:
    """The same with BatchMemoryManager: batches arrive record by record, and only the last one of a batch
    makes a step.
    """
    return poisson(steps, noise, clip, physical=1)


def mean(steps: int = 2, noise: float = 0.5, clip: float = 1.0) -> Subject:
    """The same as it comes: a plain DataLoader of batch size 2, and loss_reduction="mean".

    The gradient is divided by floor(records * rate): 2 for four records, 1 for three, at the same rate 1/2.
    So the scale of the noise tells how many records there are. With loss_reduction="sum", or a number of
    records that is public, nothing of this is seen.
    """
    return poisson(steps, noise, clip, mean=True, batch=2)


def gdp(steps: int = 2, noise: float = 1.0, clip: float = 1.0) -> Subject:
    """The same with accountant="gdp", a central limit approximation that may say too little; Opacus warns of
    that itself.

    Its accountant falls to ours, without a run; half of its epsilon would take more runs to fall than are
    made.
    """
    return poisson(steps, noise, clip, accountant="gdp")


ENGINE = "the profile of its default accountant, add/remove"
NONE: dict[str, Verdict] = {
    **NAN,
    "empty": UNDECIDED,
}  # a data loader of Opacus refuses a data set without records
LESS: dict[str, Verdict] = {**NONE, "step": REFUTED, "training": REFUTED}
SIZE: dict[str, Verdict] = {**LESS, "sensitivity": REFUTED, "huge": REFUTED}

TARGETS = (
    Target("opacus:poisson", "PrivacyEngine, Poisson batches", ENGINE, poisson, PACKAGES, INSTALL, NONE),
    Target(
        "opacus:virtual",
        "PrivacyEngine, Poisson batches split by BatchMemoryManager",
        ENGINE,
        virtual,
        PACKAGES,
        INSTALL,
        NONE,
    ),
    Target(
        "opacus:mean",
        "PrivacyEngine as it comes: the divisor depends on the number of records",
        ENGINE,
        mean,
        PACKAGES,
        INSTALL,
        SIZE,
    ),
    Target(
        "opacus:gdp",
        'PrivacyEngine with accountant="gdp"',
        "the profile of its GDP accountant",
        gdp,
        PACKAGES,
        INSTALL,
        {**LESS, "budget": REFUTED, "half": SUPPORTED},
    ),
)
