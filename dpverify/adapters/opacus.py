"""Opacus (PyTorch): DPOptimizer with flat clipping, on the linear loss <w, record> over two layers.

    query     sum_i clip(g_i, clip)          released   query + N(0, (noise clip)^2 I)

The gradients of a data set are computed by Opacus once and handed to every step (they do not depend on the weights); clipping,
noise and update run in every step of every run. Its accountant speaks of add/remove neighbours.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from dpverify.adapters import Subject, Target, positive, profile_of
from dpverify.auditing.tape import Tape
from dpverify.guarantees import Profile
from dpverify.neighbours import ADD_REMOVE, REPLACE, ZERO_OUT, Neighbours
from dpverify.releases import Gaussian

WIDTH = 4  # of a record; the first half goes to one layer, the rest to another
PAIR = Neighbours.remove(np.array([[3.0, 0.0, 4.0, 0.0], [0.0, 0.5, 0.0, 0.0]]), 0)


def _model(width: int) -> Any:
    """Two linear layers side by side whose gradient is the record."""
    import torch

    class Halves(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.half = width // 2
            self.first = torch.nn.Linear(self.half, 1, bias=False, dtype=torch.float64)
            self.second = torch.nn.Linear(width - self.half, 1, bias=False, dtype=torch.float64)

        def forward(self, x: Any) -> Any:
            return self.first(x[:, : self.half]) + self.second(x[:, self.half :])

    return Halves()


def _claim(noise: float, rate: float, steps: int, kind: str = "rdp") -> Profile:
    """What an accountant of Opacus says of that many steps."""
    from opacus.accountants import create_accountant

    accountant = create_accountant(kind)
    for _ in range(steps):
        accountant.step(noise_multiplier=noise, sample_rate=rate)

    def epsilon(delta: float) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return float(accountant.get_epsilon(delta))

    return profile_of(epsilon, f"the {kind} accountant of Opacus")


def dpsgd(steps: int = 4, noise: float = 1.0, clip: float = 1.0) -> Subject:
    """DPOptimizer, flat clipping, full batch."""
    positive(steps=steps, noise=noise, clip=clip)
    import torch
    from opacus import GradSampleModule
    from opacus.optimizers import DPOptimizer

    torch.set_num_threads(1)
    model = GradSampleModule(_model(WIDTH), loss_reduction="sum")
    generator = torch.Generator()
    optimizer = DPOptimizer(
        torch.optim.SGD(model.parameters(), lr=1.0), noise_multiplier=noise, max_grad_norm=clip, expected_batch_size=None, loss_reduction="sum",
        generator=generator,
    )  # fmt: skip
    parameters = list(model.parameters())
    declared = Gaussian(noise * clip, {ADD_REMOVE: clip, ZERO_OUT: clip, REPLACE: 2 * clip})
    kept: dict[bytes, list[Any]] = {}

    def samples(data: Any) -> list[Any]:
        """The per-example gradients that the hooks of Opacus give on these data."""
        key = data.tobytes()
        if key not in kept:
            kept.clear()
            optimizer.zero_grad()
            model(torch.as_tensor(data)).sum().backward()
            kept[key] = [p.grad_sample for p in parameters]
        return kept[key]

    def train(data: Any, rng: np.random.Generator, tape: Tape) -> Any:
        data = np.asarray(data, dtype=float)
        generator.manual_seed(int(rng.integers(2**62)))
        published = []
        for _ in range(steps):
            for p, sample in zip(parameters, samples(data)):
                p.grad_sample, p.summed_grad, p.grad = sample.clone(), None, None
            optimizer.step()
            query = np.concatenate([p.summed_grad.numpy().ravel() for p in parameters])
            released = np.concatenate([p.grad.numpy().ravel() for p in parameters])
            published.append(tape.record(query, released, declared))
        return np.concatenate(published)

    return Subject(train, _claim(noise, 1.0, steps), PAIR, "opacus.accountants.RDPAccountant, add/remove")


INSTALL = 'pip install "dpverify[torch]"'
PACKAGES = ("opacus", "torch")

TARGETS = (
    Target("opacus:dpsgd", "DPOptimizer, flat clipping, full batch", "the profile of its RDP accountant, add/remove", dpsgd, PACKAGES, INSTALL),
)
