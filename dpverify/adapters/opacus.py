"""Opacus (PyTorch): its optimizers and its engine on the linear loss <w, record>, and its per-example
gradients on any model.

    query     sum_i clip(g_i, clip)          released   query + N(0, (noise clip)^2 I)

Steps are recorded by the hook that Opacus calls once a gradient is noised. Its accountants speak of the
sampled Gaussian mechanism (Mironov, Talwar and Zhang 2019): added or removed records. Not in its claim:
gradients that are not numbers, which no optimizer of Opacus keeps out. `secure_mode` needs torchcsprng, which
has no release for this Python, and cannot be run.
"""

from __future__ import annotations

import copy
import logging
import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from typing import Any

import numpy as np

from dpverify.adapters import Law, Subject, Target, positive, profile_of, profile_through
from dpverify.adapters._torch import MODELS, case, forget, halves
from dpverify.adapters.gradients import gradients_agree
from dpverify.auditing.tape import Tape
from dpverify.guarantees import Profile
from dpverify.neighbours import ADD_REMOVE, REPLACE, ZERO_OUT, Neighbours
from dpverify.releases import Gaussian, Subsampled
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Result, Verdict

WIDTH = 4  # of a record; the first half goes to one layer, the rest to another
PAIR = Neighbours.remove(np.array([[3.0, 0.0, 4.0, 0.0], [0.0, 0.5, 0.0, 0.0]]), 0)
MODES = ("hooks", "functorch", "ew", "ghost")
RUNS = 3000  # half the claim falls after 1500 to 2300
BATCHES = 2  # of an epoch: the sampling rate is one half
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


@contextmanager
def _quietly() -> Iterator[None]:
    """Without the warnings of PyTorch on hooks of inputs that need no gradient, and of Opacus on its
    accountants and on empty batches.
    """
    log = logging.getLogger("opacus.data_loader")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(level)


# Per-example gradients


def check_gradients(
    model: Any,
    loss: Callable[[Any, Any], Any],
    inputs: Any,
    targets: Any,
    *,
    mode: str = "hooks",
    tolerance: float = 1e-4,
    name: str = "the model",
) -> Result:
    """Whether the per-example gradients that Opacus computes for a batch are those of each record alone, for
    any `torch.nn.Module`.

    Records lie along the first axis of `inputs` and `targets`; `loss(output, target)` is a mean over records
    unless it has an attribute `reduction = "sum"`. `mode` is the `grad_sample_mode` of Opacus; "ghost"
    compares norms, which is all that it computes. The model is copied. Undecided where Opacus, or a batch of
    one record, raises. A wrong gradient is still clipped and noised in the first three modes; with "ghost" a
    norm that is too small lets the true gradient through unclipped.

        check_gradients(model, torch.nn.CrossEntropyLoss(), images, labels, mode="ghost")
    """
    if mode not in MODES:
        raise ValueError(f"Expected mode={mode!r} among {', '.join(MODES)}.")
    if not len(inputs) == len(targets) > 0:
        raise ValueError(
            f"Expected as many inputs as targets, at least one, got {len(inputs)} and {len(targets)}."
        )
    import torch

    with _quietly(), torch.enable_grad():
        try:
            reference = _one_by_one(copy.deepcopy(model), loss, inputs, targets)
        except Exception as error:
            return Result(UNDECIDED, f"{name}: a batch of one record raises {type(error).__name__}: {error}")
        try:
            found = _sampled(copy.deepcopy(model), loss, inputs, targets, mode)
        except Exception as error:
            return Result(UNDECIDED, f"{name}: Opacus ({mode}) raises {type(error).__name__}: {error}")
    if mode == "ghost":
        reference = {
            of: np.linalg.norm(rows.reshape(len(rows), -1), axis=1)[:, None] for of, rows in reference.items()
        }
    return gradients_agree(
        found, reference, tolerance, model=f"{name}, {'norms' if mode == 'ghost' else 'gradients'} by {mode}"
    )


def _trained(model: Any) -> dict[str, Any]:
    return {name: parameter for name, parameter in model.named_parameters() if parameter.requires_grad}


def _one_by_one(model: Any, loss: Callable[[Any, Any], Any], inputs: Any, targets: Any) -> dict[str, Any]:
    """The gradient of every record alone, by the name of the parameter."""
    rows: dict[str, list[Any]] = {name: [] for name in _trained(model)}
    for i in range(len(inputs)):
        model.zero_grad(set_to_none=True)
        loss(model(inputs[i : i + 1]), targets[i : i + 1]).backward()
        for name, parameter in _trained(model).items():
            rows[name].append(
                np.zeros(parameter.shape)
                if parameter.grad is None
                else parameter.grad.double().cpu().numpy().copy()
            )
    return {name: np.stack(parts) for name, parts in rows.items()}


def _sampled(
    model: Any, loss: Callable[[Any, Any], Any], inputs: Any, targets: Any, mode: str
) -> dict[str, Any]:
    """What Opacus computes for the whole batch: gradients, or their norms ("ghost")."""
    from opacus.grad_sample.utils import prepare_module

    model.zero_grad(set_to_none=True)
    wrapped = prepare_module(model, grad_sample_mode=mode, loss_reduction=getattr(loss, "reduction", "mean"))
    loss(wrapped(inputs), targets).backward()
    found = {}
    for name, parameter in _trained(model).items():
        sample = parameter._norm_sample[:, None] if mode == "ghost" else parameter.grad_sample
        if sample is None:  # of a parameter that the loss does not depend on
            sample = parameter.new_zeros(len(inputs), *parameter.shape)
        found[name] = sample.detach().double().cpu().numpy()
    return found


def _layer(mode: str, name: str) -> Law:
    def law(target: Target, seed: int) -> Result | str:
        if not target.installed:
            target()
        return check_gradients(*case(name), mode=mode, name=name)

    return law


# Optimizers


class _Published:
    """What every step of an optimizer releases, written on a tape from its step hook, in units of what the
    optimizer divides by.
    """

    def __init__(self, optimizer: Any, declared: Any, divisor: float = 1.0) -> None:
        self.declared, self.divisor, self.then = declared, divisor, optimizer.step_hook
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


def _gaussian(noise: float, clip: float) -> Gaussian:
    return Gaussian(noise * clip, {ADD_REMOVE: clip, ZERO_OUT: clip, REPLACE: 2 * clip})


@lru_cache(maxsize=32)
def _claim(noise: float, rate: float, steps: int, kind: str = "rdp") -> Profile:
    """What an accountant of Opacus says of that many steps."""
    from opacus.accountants import create_accountant

    with _quietly():
        accountant = create_accountant(kind)
    for _ in range(steps):
        accountant.step(noise_multiplier=noise, sample_rate=rate)

    def epsilon(delta: float) -> float:
        with _quietly():
            return float(accountant.get_epsilon(delta))

    source = f"the {kind} accountant of Opacus"
    if kind == "rdp":
        return profile_of(epsilon, source)
    points = []
    for delta in DELTAS:
        with suppress(ValueError):  # "gdp" finds no epsilon where 0 would do
            points.append((epsilon(delta), delta))
    return profile_through(points, source)


def _full_batch(
    build: Callable[[Any, Any], tuple[Any, Any]], declared: Gaussian, steps: int
) -> Callable[..., Any]:
    """Training on the whole data set in every step: `build` makes model and optimizer.

    The gradients of a data set do not depend on the weights: Opacus computes them once, and they are handed
    to every step. Clipping and noise run in every step of every run, except for ghost clipping, which clips
    while it differentiates.
    """
    import torch

    torch.set_num_threads(1)
    generator = torch.Generator()
    model, optimizer = build(halves(WIDTH), generator)
    published = _Published(optimizer, declared)
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
        found = gradients(np.asarray(data, dtype=float))
        for _ in range(steps):
            optimizer.zero_grad()
            for p, gradient in zip(parameters, found):
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


def _own_gradients(mode: str) -> Callable[[], Mapping[str, Any]]:
    """The per-example gradients of the model that the targets train, and their reference."""

    def both() -> Mapping[str, Any]:
        import torch

        inputs = torch.as_tensor(np.random.default_rng(0).normal(size=(3, WIDTH)))
        model, loss = halves(WIDTH), lambda output, target: (output - target).square().mean()
        targets = torch.zeros(3, 1, dtype=torch.float64)
        with _quietly():
            reference = _one_by_one(copy.deepcopy(model), loss, inputs, targets)
            if mode == "ghost":
                reference = {
                    name: np.linalg.norm(rows.reshape(3, -1), axis=1)[:, None]
                    for name, rows in reference.items()
                }
            return {f"two linear layers by {mode}": (_sampled(model, loss, inputs, targets, mode), reference)}

    return both


RDP = "opacus.accountants.RDPAccountant, add/remove"
SETTINGS = {"expected_batch_size": None, "loss_reduction": "sum"}


def dpsgd(steps: int = 2, noise: float = 1.0, clip: float = 1.0) -> Subject:
    """DPOptimizer, flat clipping, full batch."""
    positive(steps=steps, noise=noise, clip=clip)

    def build(model: Any, generator: Any) -> tuple[Any, Any]:
        import torch
        from opacus import GradSampleModule
        from opacus.optimizers import DPOptimizer

        model = GradSampleModule(model, loss_reduction="sum")
        plain = torch.optim.SGD(model.parameters(), lr=1.0)
        return model, DPOptimizer(
            plain, noise_multiplier=noise, max_grad_norm=clip, generator=generator, **SETTINGS
        )

    train = _full_batch(build, _gaussian(noise, clip), steps)
    return Subject(train, _claim(noise, 1.0, steps), PAIR, RDP, gradients=_own_gradients("hooks"), runs=RUNS)


def per_layer(steps: int = 2, noise: float = 1.0, clip: float = 1.0) -> Subject:
    """DPPerLayerOptimizer: each of the two layers is clipped at clip / sqrt 2, and the noise is for both
    together.
    """
    positive(steps=steps, noise=noise, clip=clip)

    def build(model: Any, generator: Any) -> tuple[Any, Any]:
        import torch
        from opacus import GradSampleModule
        from opacus.optimizers import DPPerLayerOptimizer

        model = GradSampleModule(model, loss_reduction="sum")
        plain = torch.optim.SGD(model.parameters(), lr=1.0)
        return model, DPPerLayerOptimizer(
            plain,
            noise_multiplier=noise,
            max_grad_norm=[clip / math.sqrt(2)] * 2,
            generator=generator,
            **SETTINGS,
        )

    train = _full_batch(build, _gaussian(noise, clip), steps)
    return Subject(train, _claim(noise, 1.0, steps), PAIR, RDP, gradients=_own_gradients("hooks"), runs=RUNS)


def ghost(steps: int = 2, noise: float = 1.0, clip: float = 1.0) -> Subject:
    """DPOptimizerFastGradientClipping on a GradSampleModuleFastGradientClipping (ghost clipping), full
    batch.
    """
    positive(steps=steps, noise=noise, clip=clip)
    train = _full_batch(partial(_ghost, noise=noise, clip=clip), _gaussian(noise, clip), steps)
    return Subject(train, _claim(noise, 1.0, steps), PAIR, RDP, gradients=_own_gradients("ghost"), runs=RUNS)


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
    published = _Published(optimizer, Gaussian(noise * clip, {ADD_REMOVE: clip, REPLACE: 2 * clip}))
    kept = dict[bytes, Any]()

    def gradient(tokens: Any) -> Any:
        key = tokens.tobytes()
        if key not in kept:
            forget(kept)
            optimizer.zero_grad()
            with _quietly():
                _two_passes(model, optimizer, model(torch.as_tensor(tokens)).squeeze(1)).backward()
            kept[key] = optimizer.params[0].grad.clone()
        return kept[key]

    def train(data: Any, rng: np.random.Generator, tape: Tape) -> Any:
        records = np.abs(np.asarray(data, dtype=float))
        if not (records < 1e9).all():
            raise ValueError("Expected token numbers.")
        found = gradient(records.astype(int) % 3)
        generator.manual_seed(int(rng.integers(2**62)))
        published.begin(tape)
        for _ in range(steps):
            optimizer.zero_grad()
            optimizer.params[0].grad = found.clone()
            optimizer.step()
        return np.concatenate(published.released)

    pair = Neighbours.remove(np.array([[1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 2.0, 2.0]]), 0)
    return Subject(train, _claim(noise, 1.0, steps), pair, RDP, runs=RUNS)


# The engine


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
            with _quietly():
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
            kept[key] = model, optimizer, private, _Published(optimizer, declared, divisor)
        return kept[key]

    def train(data: Any, rng: np.random.Generator, tape: Tape) -> Any:
        model, optimizer, loader, published = prepared(np.asarray(data, dtype=float))
        noises.manual_seed(int(rng.integers(2**62)))
        draws.manual_seed(int(rng.integers(2**62)))
        published.begin(tape)
        with _quietly():
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
        _claim(noise, 1 / BATCHES, steps, accountant),
        pair,
        said_by,
        gradients=_own_gradients("hooks"),
        runs=RUNS,
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


INSTALL = 'pip install "dpverify[torch]"'
PACKAGES = ("opacus", "torch")
WHOLE = "the profile of its RDP accountant, add/remove"
ENGINE = "the profile of its default accountant, add/remove"
NAN: dict[str, Verdict] = {"nan": REFUTED}
NONE: dict[str, Verdict] = {
    **NAN,
    "empty": UNDECIDED,
}  # a data loader of Opacus refuses a data set without records
LESS: dict[str, Verdict] = {**NONE, "step": REFUTED, "training": REFUTED}
SIZE: dict[str, Verdict] = {**LESS, "sensitivity": REFUTED, "huge": REFUTED}
BAG: dict[str, Verdict] = {"sensitivity": REFUTED, "step": REFUTED, "training": REFUTED}
LAYERS = {mode: {name: _layer(mode, name) for name in MODELS} for mode in MODES}
PADDED = [f"Conv{d}d, {how}" for d in (1, 2, 3) for how in ("circular", "reflect", "replicate")]
BAGS = [f"EmbeddingBag, {how}" for how in ("sum", "mean", "max")]
TIED = "Embedding tied to functional.linear"
# known of 1.6.0: wrong gradients (or norms), and layers at which it raises
WRONG: dict[str, tuple[list[str], list[str]]] = {
    "hooks": (
        ["Embedding, padding_idx", *BAGS, TIED, *PADDED],
        ["LayerNorm, no bias", "DPMultiheadAttention, bias of keys"],
    ),
    "functorch": ([TIED], [*BAGS, "DPMultiheadAttention, bias of keys"]),
    "ew": (
        ["Embedding, padding_idx"],
        ["own layer", *BAGS, "RMSNorm", "PReLU", "ConvTranspose2d", "DPMultiheadAttention, bias of keys"],
    ),
    "ghost": (
        ["Embedding, padding_idx", *BAGS, "Embedding tied to a subclass of Linear", TIED, *PADDED],
        [
            "Linear on images",
            "Linear twice",
            "Embedding tied to Linear",
            "LayerNorm, no bias",
            "DPMultiheadAttention, bias of keys",
        ],
    ),
}
GRADIENTS = "the per-example gradients of a batch are those of each record alone"


def _layers(mode: str) -> Target:
    """The target of one mode: a law for every kind of layer."""
    wrong, raises = WRONG[mode]
    expect: dict[str, Verdict] = {**dict.fromkeys(wrong, REFUTED), **dict.fromkeys(raises, UNDECIDED)}
    what = "norms" if mode == "ghost" else "gradients"
    return Target(
        f"opacus:layers-{mode}",
        f"per-example {what} with grad_sample_mode={mode!r}",
        GRADIENTS,
        dpsgd,
        PACKAGES,
        INSTALL,
        expect,
        LAYERS[mode],
    )


TARGETS = (
    Target("opacus:dpsgd", "DPOptimizer, flat clipping, full batch", WHOLE, dpsgd, PACKAGES, INSTALL, NAN),
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
        {**LESS, "half": SUPPORTED},
    ),
    *(_layers(mode) for mode in MODES),
)
