"""Every kind of layer through the per-example gradients of Opacus, mode by mode."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from dpverify.adapters import Target
from dpverify.adapters.opacus.gradients import MODES, check_gradients
from dpverify.adapters.torch_models import MODELS, case
from dpverify.subjects import Subject
from dpverify.verdicts import REFUTED, UNDECIDED, Result, Verdict

INSTALL = 'pip install ".[torch]"'
PACKAGES = ("opacus", "torch")
PADDED = [f"Conv{d}d, {how}" for d in (1, 2, 3) for how in ("circular", "reflect", "replicate")]
BAGS = [f"EmbeddingBag, {how}" for how in ("sum", "mean", "max")]
TIED = "Embedding tied to functional.linear"
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


def layers(mode: str) -> Subject:
    """One small model for every kind of layer (`dpverify.adapters.torch_models`).

    With "ghost" Opacus computes norms, and clips by them: a norm that is too small is a gradient that is not
    clipped. In the other modes a wrong gradient is clipped and noised all the same: that costs accuracy.
    """

    def compare() -> Mapping[str, Result]:
        return {name: check_gradients(*case(name), mode=mode, name=name) for name in MODELS}

    return Subject(gradients=compare, said_by="opacus.grad_sample: the gradient of each sample")


def expected(mode: str) -> dict[str, Verdict]:
    """What is known of every layer in that mode; the others are right."""
    wrong, raises = WRONG[mode]
    return {**dict.fromkeys(wrong, REFUTED), **dict.fromkeys(raises, UNDECIDED)}


TARGETS = tuple(
    Target(
        f"opacus:layers-{mode}",
        f"per-example {'norms' if mode == 'ghost' else 'gradients'} with grad_sample_mode={mode!r}",
        GRADIENTS,
        partial(layers, mode),
        PACKAGES,
        INSTALL,
        {"gradients": REFUTED},
    )
    for mode in MODES
)
