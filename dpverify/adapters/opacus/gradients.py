"""The per-example gradients of Opacus on any model, against one record at a time."""

from __future__ import annotations

import copy
import logging
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from dpverify.adapters.gradients import gradients_agree
from dpverify.adapters.torch_models import halves
from dpverify.verdicts import REFUTED, UNDECIDED, Result

MODES = ("hooks", "functorch", "ew", "ghost")
WIDTH = 4  # of a record; the first half goes to one layer, the rest to another


@contextmanager
def quietly() -> Iterator[None]:
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

    with quietly(), torch.enable_grad():
        try:
            reference = one_by_one(copy.deepcopy(model), loss, inputs, targets)
        except Exception as error:
            return Result(UNDECIDED, f"{name}: a batch of one record raises {type(error).__name__}: {error}")
        try:
            computed = sampled(copy.deepcopy(model), loss, inputs, targets, mode)
        except Exception as error:
            return Result(UNDECIDED, f"{name}: Opacus ({mode}) raises {type(error).__name__}: {error}")
    if mode != "ghost":
        return gradients_agree(computed, reference, tolerance, model=f"{name}, gradients by {mode}")
    norms = {
        of: np.linalg.norm(rows.reshape(len(rows), -1), axis=1)[:, None] for of, rows in reference.items()
    }
    result = gradients_agree(computed, norms, tolerance, model=f"{name}, norms by ghost")
    if result.verdict is REFUTED:
        return result.with_(because=f"{result.because} {_direction(computed, norms)}")
    return result


def _direction(computed: Mapping[str, Any], norms: Mapping[str, Any]) -> str:
    """Whether the norms of whole records, by which they are clipped, are too small (which breaks privacy) or
    too large (which costs accuracy).

    >>> _direction({"weight": np.array([[1.0], [3.0]])}, {"weight": np.array([[2.0], [2.0]])})
    'The norms of 2 records are 0.5 to 1.5 of the true ones: too small for 1, too large for 1.'
    """
    own, true = (
        np.sqrt(sum((np.asarray(part, dtype=float) ** 2).sum(axis=1) for part in side.values()))
        for side in (computed, norms)
    )
    if own.shape != true.shape:
        return f"There are {len(own)} norms of {len(true)} records."
    share = own / np.maximum(true, 1e-30)
    small, large = int((share < 1 - 1e-9).sum()), int((share > 1 + 1e-9).sum())
    return (
        f"The norms of {len(share)} records are {share.min():.3g} to {share.max():.3g} of the true ones: "
        f"too small for {small}, too large for {large}."
    )


def _trained(model: Any) -> dict[str, Any]:
    return {name: parameter for name, parameter in model.named_parameters() if parameter.requires_grad}


def one_by_one(model: Any, loss: Callable[[Any, Any], Any], inputs: Any, targets: Any) -> dict[str, Any]:
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


def sampled(
    model: Any, loss: Callable[[Any, Any], Any], inputs: Any, targets: Any, mode: str
) -> dict[str, Any]:
    """What Opacus computes for the whole batch: gradients, or their norms ("ghost")."""
    from opacus.grad_sample.utils import prepare_module

    model.zero_grad(set_to_none=True)
    wrapped = prepare_module(model, grad_sample_mode=mode, loss_reduction=getattr(loss, "reduction", "mean"))
    loss(wrapped(inputs), targets).backward()
    gradients = {}
    for name, parameter in _trained(model).items():
        sample = parameter._norm_sample[:, None] if mode == "ghost" else parameter.grad_sample
        if sample is None:  # of a parameter that the loss does not depend on
            sample = parameter.new_zeros(len(inputs), *parameter.shape)
        gradients[name] = sample.detach().double().cpu().numpy()
    return gradients


def own_gradients(mode: str) -> Callable[[], Mapping[str, Result]]:
    """How the per-example gradients of the model that the targets train compare with their reference."""

    def compare() -> Mapping[str, Result]:
        import torch

        inputs = torch.as_tensor(np.random.default_rng(0).normal(size=(3, WIDTH)))
        targets = torch.zeros(3, 1, dtype=torch.float64)
        return {mode: check_gradients(halves(WIDTH), torch.nn.MSELoss(), inputs, targets, mode=mode)}

    return compare
