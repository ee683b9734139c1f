"""Optimizers of Opacus on the whole data set in every step: flat, per layer and ghost clipping, Adam."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any

import numpy as np

from dpverify.adapters import Target, positive, profile_of, profile_through
from dpverify.adapters.opacus.gradients import WIDTH, own_gradients, quietly
from dpverify.adapters.opacus.layers import INSTALL, PACKAGES
from dpverify.adapters.torch_models import forget, halves
from dpverify.auditing.tape import Tape
from dpverify.guarantees import Profile
from dpverify.neighbours import ADD_REMOVE, REPLACE, ZERO_OUT, Neighbours
from dpverify.releases import Gaussian
from dpverify.subjects import Subject
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Verdict

PAIR = Neighbours.remove(np.array([[3.0, 0.0, 4.0, 0.0], [0.0, 0.5, 0.0, 0.0]]), 0)
RUNS = 3000  # half the claim falls after 1500 to 2300
DELTAS = (
    0.3,
    0.1,
    0.03,
    0.01,
    3e-3,
    1e-3,
    1e-4,
    1e-6,
)  # at which accountants are asked that take a second, or answer small ones only


class Published:
    """What every step of an optimizer releases, written on a tape from its step hook, in units of what the
    optimizer divides by.
    """

    def __init__(self, optimizer: Any, declared: Any, divisor: float = 1.0) -> None:
        self.declared = declared
        self.divisor = divisor
        self.then = optimizer.step_hook
        self.tape, self.released = Tape(), list[Any]()
        optimizer.attach_step_hook(self)

    def begin(self, tape: Tape) -> None:
        self.tape, self.released = tape, []

    def __call__(self, optimizer: Any) -> None:
        if self.then is not None:
            self.then(optimizer)
        query = np.concatenate([p.summed_grad.numpy().ravel() for p in optimizer.params]) / self.divisor
        self.released.append(
            self.tape.record(
                query, np.concatenate([p.grad.numpy().ravel() for p in optimizer.params]), self.declared
            )
        )


class Trained(Published):
    """The same, and published are the weights: the optimizer inside goes on with what is on the tape."""

    def __init__(self, optimizer: Any, declared: Any) -> None:
        super().__init__(optimizer, declared)
        self.inside, self.weights = optimizer.original_optimizer, optimizer.params
        self.inside.register_step_post_hook(self.stepped)

    def begin(self, tape: Tape) -> None:
        super().begin(tape)
        self.inside.state.clear()
        for weight in self.weights:
            weight.data.zero_()

    def __call__(self, optimizer: Any) -> None:
        super().__call__(optimizer)
        released = iter(self.released.pop())
        for weight in self.weights:
            weight.grad.ravel()[:] = weight.grad.new_tensor([next(released) for _ in range(weight.numel())])

    def stepped(self, *_: Any) -> None:
        self.released.append(np.concatenate([weight.detach().numpy().ravel() for weight in self.weights]))


def clipped_sum(noise: float, clip: float) -> Gaussian:
    return Gaussian(noise * clip, {ADD_REMOVE: clip, ZERO_OUT: clip, REPLACE: 2 * clip})


@lru_cache(maxsize=32)
def opacus_claim(noise: float, rate: float, steps: int, kind: str = "rdp") -> Profile:
    """What an accountant of Opacus says of that many steps."""
    from opacus.accountants import create_accountant

    with quietly():
        accountant = create_accountant(kind)
    for _ in range(steps):
        accountant.step(noise_multiplier=noise, sample_rate=rate)

    def epsilon(delta: float) -> float:
        with quietly():
            return float(accountant.get_epsilon(delta))

    source = f"the {kind} accountant of Opacus"
    if kind == "rdp":
        return profile_of(epsilon, source)
    points = []
    for delta in DELTAS:
        with suppress(ValueError):  # "gdp" finds no epsilon where 0 would do
            points.append((epsilon(delta), delta))
    return profile_through(points, source)


def full_batch(
    build: Callable[[Any, Any], tuple[Any, Any]], publish: Callable[[Any], Published], steps: int
) -> Callable[..., Any]:
    """Training on the whole data set in every step: `build` makes model and optimizer, `publish` says what is
    written down of the optimizer's steps.

    The gradients of a data set do not depend on the weights: Opacus computes them once, and they are handed
    to every step. Clipping and noise run in every step of every run, except for ghost clipping, which clips
    while it differentiates.
    """
    import torch

    torch.set_num_threads(1)
    generator = torch.Generator()
    model, optimizer = build(halves(WIDTH), generator)
    published = publish(optimizer)
    parameters, kept = optimizer.params, dict[bytes, list[Any]]()
    ghost = hasattr(model, "get_clipping_coef")

    def gradients(data: Any) -> list[Any]:
        key = data.tobytes()
        if key not in kept:
            forget(kept)
            optimizer.zero_grad()
            losses = model(torch.as_tensor(data).requires_grad_()).squeeze(1)
            (_two_passes(model, optimizer, losses) if ghost else losses.sum()).backward()
            kept[key] = [
                (p.grad if ghost else p.grad_sample).clone() for p in parameters
            ]  # zero_grad writes on them
        return kept[key]

    def train(data: Any, rng: np.random.Generator, tape: Tape) -> Any:
        generator.manual_seed(int(rng.integers(2**62)))
        published.begin(tape)
        rows = gradients(np.asarray(data, dtype=float))
        for _ in range(steps):
            optimizer.zero_grad()
            for p, gradient in zip(parameters, rows):
                if ghost:
                    p.grad = gradient.clone()
                else:
                    p.grad_sample = gradient.clone()
            optimizer.step()
        return np.concatenate(published.released)

    return train


def _two_passes(model: Any, optimizer: Any, losses: Any) -> Any:
    """A loss whose `backward` finds the norms, then differentiates the sum of the losses that they scale."""
    from opacus.utils.fast_gradient_clipping_utils import DPTensorFastGradientClipping

    return DPTensorFastGradientClipping(model, optimizer, losses, "sum")


RDP = "opacus.accountants.RDPAccountant, add/remove"
SETTINGS = {"expected_batch_size": None, "loss_reduction": "sum"}


def _clipped(
    build: Callable[[Any, Any], tuple[Any, Any]],
    steps: int,
    noise: float,
    clip: float,
    mode: str,
    publish: type[Published] = Published,
) -> Subject:
    """An optimizer that clips at `clip` in all, on the whole data set in every step."""
    return Subject(
        full_batch(build, lambda optimizer: publish(optimizer, clipped_sum(noise, clip)), steps),
        opacus_claim(noise, 1.0, steps),
        PAIR,
        RDP,
        gradients=own_gradients(mode),
        runs=RUNS,
        any_number=True,
    )


def _hooked(kind: str, noise: float, clip: Any, inside: str = "SGD") -> Callable[[Any, Any], tuple[Any, Any]]:
    """How to build an optimizer of Opacus by its name around one of PyTorch, on gradients of single
    records.
    """

    def build(model: Any, generator: Any) -> tuple[Any, Any]:
        import torch
        from opacus import GradSampleModule, optimizers

        model = GradSampleModule(model, loss_reduction="sum")
        plain = getattr(torch.optim, inside)(model.parameters(), lr=1.0)
        settings = {"noise_multiplier": noise, "max_grad_norm": clip, "generator": generator, **SETTINGS}
        return model, getattr(optimizers, kind)(plain, **settings)

    return build


def dpsgd(steps: int = 2, noise: float = 1.0, clip: float = 1.0) -> Subject:
    """DPOptimizer, flat clipping, full batch."""
    positive(steps=steps, noise=noise, clip=clip)
    return _clipped(_hooked("DPOptimizer", noise, clip), steps, noise, clip, "hooks")


def adam(steps: int = 2, noise: float = 1.0, clip: float = 1.0) -> Subject:
    """DPOptimizer around torch.optim.Adam at its defaults, full batch. Published are the weights after each
    step, of which the first tells little but the signs of the noisy gradient.
    """
    positive(steps=steps, noise=noise, clip=clip)
    build = _hooked("DPOptimizer", noise, clip, "Adam")
    return _clipped(build, steps, noise, clip, "hooks", Trained)


def per_layer(steps: int = 2, noise: float = 1.0, clip: float = 1.0) -> Subject:
    """DPPerLayerOptimizer: each of the two layers is clipped at clip / sqrt 2, and the noise is for both
    together.
    """
    positive(steps=steps, noise=noise, clip=clip)
    build = _hooked("DPPerLayerOptimizer", noise, [clip / math.sqrt(2)] * 2)
    return _clipped(build, steps, noise, clip, "hooks")


def ghost(steps: int = 2, noise: float = 1.0, clip: float = 1.0) -> Subject:
    """DPOptimizerFastGradientClipping on a GradSampleModuleFastGradientClipping (ghost clipping), full
    batch.
    """
    positive(steps=steps, noise=noise, clip=clip)
    return _clipped(partial(_ghost, noise=noise, clip=clip), steps, noise, clip, "ghost")


def _ghost(model: Any, generator: Any, noise: float, clip: float) -> tuple[Any, Any]:
    import torch
    from opacus.grad_sample import GradSampleModuleFastGradientClipping
    from opacus.optimizers import DPOptimizerFastGradientClipping

    model = GradSampleModuleFastGradientClipping(model, loss_reduction="sum", max_grad_norm=clip)
    plain = torch.optim.SGD(model.parameters(), lr=1.0)
    return model, DPOptimizerFastGradientClipping(
        plain, noise_multiplier=noise, max_grad_norm=clip, generator=generator, **SETTINGS
    )


def ghost_bag(steps: int = 1, noise: float = 1.0, clip: float = 1.0) -> Subject:
    """Ghost clipping of an EmbeddingBag; a record is four token numbers, and the loss is the sum of their
    embeddings.

    The grad sampler of EmbeddingBag (grad_sample/embedding.py) adds by index, which counts a token that
    occurs several times once. With ghost clipping the norm comes from there and the gradient from PyTorch: a
    record of one token four times has norm 4 and is not clipped at 1. In the other modes the gradient itself
    is wrong, but clipped.
    """
    positive(steps=steps, noise=noise, clip=clip)
    import torch

    class Bag(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.bag = torch.nn.EmbeddingBag(3, 1, mode="sum", dtype=torch.float64)

        def forward(self, tokens: Any) -> Any:
            return self.bag(tokens.reshape(-1), torch.arange(0, tokens.numel(), WIDTH))

    torch.set_num_threads(1)
    generator = torch.Generator()
    model, optimizer = _ghost(Bag(), generator, noise, clip)
    published = Published(optimizer, Gaussian(noise * clip, {ADD_REMOVE: clip, REPLACE: 2 * clip}))
    kept = dict[bytes, Any]()

    def gradient(tokens: Any) -> Any:
        key = tokens.tobytes()
        if key not in kept:
            forget(kept)
            optimizer.zero_grad()
            with quietly():
                _two_passes(model, optimizer, model(torch.as_tensor(tokens)).squeeze(1)).backward()
            kept[key] = optimizer.params[0].grad.clone()
        return kept[key]

    def train(data: Any, rng: np.random.Generator, tape: Tape) -> Any:
        records = np.abs(np.asarray(data, dtype=float))
        if not (records < 1e9).all():
            raise ValueError("Expected token numbers.")
        rows = gradient(records.astype(int) % 3)
        generator.manual_seed(int(rng.integers(2**62)))
        published.begin(tape)
        for _ in range(steps):
            optimizer.zero_grad()
            optimizer.params[0].grad = rows.clone()
            optimizer.step()
        return np.concatenate(published.released)

    pair = Neighbours.remove(np.array([[1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 2.0, 2.0]]), 0)
    return Subject(train, opacus_claim(noise, 1.0, steps), pair, RDP, runs=RUNS, any_number=True)


class Adaptive(Published):
    """The same of AdaClipDPOptimizer: the noisy gradient, and the noisy number of records below the clip."""

    def __init__(self, optimizer: Any, noise: float, clip: float) -> None:
        self.optimizer = optimizer
        self.clip = clip
        spread = optimizer.unclipped_num_std
        scale = (noise**-2 - (2 * spread) ** -2) ** -0.5
        super().__init__(optimizer, clipped_sum(scale, clip))
        # What Theorem 1 of Andrew et al. (2021) charges for the count.
        self.count = Gaussian(spread, {ADD_REMOVE: 0.5, ZERO_OUT: 0.5, REPLACE: 1.0})

    def begin(self, tape: Tape) -> None:
        super().begin(tape)
        self.optimizer.max_grad_norm = self.clip  # every run is the first step

    def __call__(self, optimizer: Any) -> None:
        super().__call__(optimizer)
        rows = [p.grad_sample.numpy().reshape(len(p.grad_sample), -1) for p in optimizer.params]
        norms = np.linalg.norm(np.concatenate(rows, axis=1), axis=1)
        below = np.array([float((norms + 1e-6 <= self.clip).sum())])
        released = np.array([float(optimizer.unclipped_num)])
        self.released.append(self.tape.record(below, released, self.count))


def adaptive(noise: float = 1.0, clip: float = 1.0, spread: float = 1.0) -> Subject:
    """AdaClipDPOptimizer, one step on the whole data set; what the next clip tells, the noisy number of
    records below it, is published beside the gradient.

    Its noise multiplier is that of both together by Theorem 1 of Andrew et al. (2021), where a record counts
    1/2 or -1/2, so that it moves the count by 1/2 when it comes or goes. Here it counts 1 or 0.
    """
    positive(noise=noise, clip=clip, spread=spread)
    if noise >= 2 * spread:
        raise ValueError(f"Expected noise={noise} < 2 * spread={2 * spread}.")

    def build(model: Any, generator: Any) -> tuple[Any, Any]:
        import torch
        from opacus import GradSampleModule
        from opacus.optimizers import AdaClipDPOptimizer

        model = GradSampleModule(model, loss_reduction="sum")
        return model, AdaClipDPOptimizer(
            torch.optim.SGD(model.parameters(), lr=1.0),
            noise_multiplier=noise,
            max_grad_norm=clip,
            target_unclipped_quantile=0.5,
            clipbound_learning_rate=0.2,
            max_clipbound=2 * clip,
            min_clipbound=clip / 2,
            unclipped_num_std=spread,
            generator=generator,
            **SETTINGS,
        )

    pair = Neighbours.remove(np.array([[0.6, 0.0, 0.799, 0.0], [0.0, 3.0, 0.0, 0.0]]) * clip, 0)
    train = full_batch(build, lambda optimizer: Adaptive(optimizer, noise, clip), 1)
    return Subject(train, opacus_claim(noise, 1.0, 1), pair, RDP, runs=RUNS, any_number=True)


WHOLE = "the profile of its RDP accountant, add/remove"
NAN: dict[str, Verdict] = {"nan": REFUTED}
BAG: dict[str, Verdict] = {"sensitivity": REFUTED, "huge": REFUTED, "step": REFUTED, "training": REFUTED}

TARGETS = (
    Target("opacus:dpsgd", "DPOptimizer, flat clipping, full batch", WHOLE, dpsgd, PACKAGES, INSTALL, NAN),
    Target(
        "opacus:adam",
        "DPOptimizer around Adam, full batch: the weights after each step, which tell so little of the noisy "
        "gradients that half the claim stands",
        WHOLE,
        adam,
        PACKAGES,
        INSTALL,
        {**NAN, "half": SUPPORTED},
    ),
    Target(
        "opacus:adaclip",
        "AdaClipDPOptimizer, one step, with what its next clip tells",
        WHOLE,
        adaptive,
        PACKAGES,
        INSTALL,
        {**NAN, "sensitivity": REFUTED, "training": REFUTED, "empty": UNDECIDED},
    ),
    Target(
        "opacus:per-layer",
        "DPPerLayerOptimizer, two layers, full batch",
        WHOLE,
        per_layer,
        PACKAGES,
        INSTALL,
        NAN,
    ),
    Target(
        "opacus:ghost",
        "DPOptimizerFastGradientClipping, ghost clipping, full batch",
        WHOLE,
        ghost,
        PACKAGES,
        INSTALL,
        NAN,
    ),
    Target(
        "opacus:ghost-bag",
        "ghost clipping of an EmbeddingBag: a token that is repeated counts once in the norm",
        WHOLE,
        ghost_bag,
        PACKAGES,
        INSTALL,
        BAG,
    ),
)
