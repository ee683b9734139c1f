"""The per-example gradients of jax-privacy on any loss, against one record at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dpverify.adapters.gradients import gradients_agree
from dpverify.adapters.jax_privacy.running import Array, float64
from dpverify.verdicts import REFUTED, SUPPORTED, Evidence, Result


def per_example(
    loss: Callable[..., Any], params: Any, *batch: Any, **options: Any
) -> tuple[dict[str, Array], dict[str, Array]]:
    """The gradient of every record by the name of a leaf: as `clipped_grad` has it within the batch, and of
    that record alone.

    All other rows are marked as padding, so that the sum that `clipped_grad` gives is the gradient of one
    record.
    """
    import jax
    import jax.numpy as jnp
    from jax_privacy import clipped_grad

    clip = options.pop("l2_clip_norm", np.inf)
    has_aux, keep = options.get("has_aux", False), options.get("keep_batch_dim", True)
    together = jax.jit(
        clipped_grad(loss, l2_clip_norm=clip, batch_argnums=tuple(range(1, len(batch) + 1)), **options).fun
    )
    alone = jax.jit(jax.grad(loss, has_aux=has_aux))
    rows = len(jax.tree.leaves(batch)[0])
    computed, reference = [], []
    for i in range(rows):
        own = [
            jax.tree.map(
                lambda part, i=i: jnp.asarray(part)[i : i + 1] if keep else jnp.asarray(part)[i], part
            )
            for part in batch
        ]
        within, single = (
            together(params, *map(_arrays, batch), is_padding_example=np.arange(rows) != i),
            alone(params, *own),
        )
        computed.append(_named(within[0] if has_aux else within))
        reference.append(_named(single[0] if has_aux else single))
    return _stacked(computed), _stacked(reference)


def _arrays(tree: Any) -> Any:
    import jax
    import jax.numpy as jnp

    return jax.tree.map(jnp.asarray, tree)


def _named(tree: Any) -> dict[str, Array]:
    import jax

    leaves = jax.tree_util.tree_leaves_with_path(tree)
    return {
        jax.tree_util.keystr(path) or "the parameters": np.asarray(leaf, dtype=float) for path, leaf in leaves
    }


def _stacked(rows: list[dict[str, Array]]) -> dict[str, Array]:
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]}


def check_gradients(
    loss: Callable[..., Any],
    params: Any,
    *batch: Any,
    whole: Callable[..., Any] | None = None,
    reduction: str = "mean",
    tolerance: float = 1e-4,
    model: str = "the model",
    **options: Any,
) -> Result:
    """Whether `clipped_grad` of jax-privacy differentiates, clips and adds up a loss of yours record by
    record, as it must.

    Three comparisons: each record within its batch against that record alone; the same clipped at the median
    norm against clipping by hand; and the sum over the records against the gradient of the loss of the
    `whole` batch, a "mean" or a "sum" over its records (by default `loss` itself, unless
    `keep_batch_dim=False`, where `loss` is that of one record). The last one finds batch normalization and
    every other loss that mixes records: then clipping single records does not bound what you think it does.
    `options` go to `clipped_grad`. Needs jax-privacy.
    """
    import jax

    if reduction not in ("mean", "sum"):
        raise ValueError(f"Expected reduction={reduction!r} to be 'mean' or 'sum'.")
    if not batch:
        raise ValueError("Expected at least one array of records, got batch=().")
    computed, reference = per_example(loss, params, *batch, **options)
    results = [gradients_agree(computed, reference, tolerance, model)]
    norms = np.sqrt(sum((part.reshape(len(part), -1) ** 2).sum(axis=1) for part in reference.values()))
    clip = float(np.median(norms))
    if 0 < clip < np.inf:
        shrink = np.minimum(1.0, clip / np.maximum(norms, 1e-300))
        by_hand = {name: (part.T * shrink).T for name, part in reference.items()}
        results.append(
            gradients_agree(
                per_example(loss, params, *batch, **options, l2_clip_norm=clip)[0],
                by_hand,
                tolerance,
                f"{model}, clipped at {clip:.3g}",
            )
        )
    batched = loss if whole is None and options.get("keep_batch_dim", True) else whole
    if batched is not None:
        gradient = jax.grad(batched, has_aux=whole is None and options.get("has_aux", False))(
            params, *map(_arrays, batch)
        )
        together = _named(gradient[0] if whole is None and options.get("has_aux", False) else gradient)
        times = len(norms) if reduction == "mean" else 1
        added = gradients_agree(
            {name: part.sum(axis=0, keepdims=True) for name, part in computed.items()},
            {name: times * part[None] for name, part in together.items()},
            tolerance,
            f"{model}, added up over the batch",
        )
        if added.verdict is REFUTED:
            mixes = (
                "The gradients of single records do not add up to that of the batch: the loss mixes "
                "records, or its reduction is another one."
            )
            added = added.with_(because=f"{added.because} {mixes}")
        results.append(added)
    wrong = [result for result in results if result.verdict is REFUTED]
    if wrong:
        return wrong[0]
    largest = max(result.evidence.certificate["largest"] for result in results if result.evidence)
    evidence = Evidence(
        "per-example gradients",
        {
            "parameters": len(reference),
            "records": len(norms),
            "comparisons": len(results),
            "largest": largest,
        },
        ceiling=f"any leaf that is off by {tolerance:g} of its gradient on these records",
    )
    return Result(
        SUPPORTED,
        f"{model}: {len(reference)} leaves agree in {len(results)} comparisons (largest relative "
        f"gap {largest:.2g}).",
        evidence,
    )


def models(seed: int = 0) -> dict[str, tuple[Callable[..., Any], Any, tuple[Any, ...]]]:
    """Small models of many kinds: their loss, a mean over the batch, with parameters and a batch of six
    records.
    """
    import jax
    import jax.numpy as jnp

    rng = np.random.default_rng(seed)

    def draw(*shape: int) -> Array:
        return rng.normal(size=shape) / np.sqrt(shape[0])

    def norm(x: Any, scale: Any, shift: Any) -> Any:
        return (
            scale * (x - x.mean(axis=-1, keepdims=True)) / jnp.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)
            + shift
        )

    def mlp(w: Any, batch: Any) -> Any:
        x, y = batch
        hidden = jnp.tanh(x @ w["in"]["kernel"] + w["in"]["bias"])
        return ((hidden @ w["out"]["kernel"] + w["out"]["bias"] - y) ** 2).sum(axis=-1).mean()

    def convolution(w: Any, batch: Any) -> Any:
        x, y = batch
        maps = jax.nn.relu(
            jax.lax.conv_general_dilated(x, w["kernel"], (1, 1), "SAME") + w["bias"][:, None, None]
        )
        return ((maps.mean(axis=(2, 3)) @ w["out"] - y) ** 2).sum(axis=-1).mean()

    def embedding(w: Any, batch: Any) -> Any:
        tokens, y = batch
        return ((w["table"][tokens].mean(axis=1) @ w["out"] - y) ** 2).sum(axis=-1).mean()

    def layer_norm(w: Any, batch: Any) -> Any:
        x, y = batch
        return ((norm(x @ w["in"], w["scale"], w["shift"]) @ w["out"] - y) ** 2).sum(axis=-1).mean()

    def attention(w: Any, batch: Any) -> Any:
        x, y = batch
        scores = jnp.einsum("bik,bjk->bij", x @ w["query"], x @ w["key"]) / 2.0
        mixed = jnp.einsum("bij,bjk->bik", jax.nn.softmax(scores, axis=-1), x @ w["value"])
        return (
            ((norm(mixed + x, w["scale"], w["shift"]).mean(axis=1) @ w["out"] - y) ** 2).sum(axis=-1).mean()
        )

    def shared(w: Any, batch: Any) -> Any:
        tokens, y = batch
        hidden = w["table"][tokens].mean(axis=1)
        for _ in range(2):
            hidden = jnp.tanh(hidden @ w["again"])
        return (
            -(jax.nn.log_softmax(hidden @ w["table"].T) * jax.nn.one_hot(y, w["table"].shape[0]))
            .sum(axis=-1)
            .mean()
        )

    n = 6
    x = draw(6, 4)
    y = draw(6, 2)
    tokens = rng.integers(0, 7, size=(6, 5))
    return {
        "two layers": (
            mlp,
            {"in": {"kernel": draw(4, 5), "bias": draw(5)}, "out": {"kernel": draw(5, 2), "bias": draw(2)}},
            ((x, y),),
        ),
        "convolution": (
            convolution,
            {"kernel": draw(3, 2, 3, 3), "bias": draw(3), "out": draw(3, 2)},
            ((draw(n, 2, 5, 5), y),),
        ),
        "embedding": (embedding, {"table": draw(7, 4), "out": draw(4, 2)}, ((tokens, y),)),
        "layer normalization": (
            layer_norm,
            {"in": draw(4, 5), "scale": draw(5), "shift": draw(5), "out": draw(5, 2)},
            ((x, y),),
        ),
        "attention": (
            attention,
            {
                "query": draw(4, 4),
                "key": draw(4, 4),
                "value": draw(4, 4),
                "scale": draw(4),
                "shift": draw(4),
                "out": draw(4, 2),
            },
            ((draw(n, 3, 4), y),),
        ),
        "shared parameters": (shared, {"table": draw(7, 4), "again": draw(4, 4)}, ((tokens, tokens[:, 0]),)),
    }


def gradients() -> Mapping[str, Result]:
    """Per-example gradients of every model against one record at a time, and of one also in microbatches."""
    with float64():
        pairs = {name: per_example(loss, params, *batch) for name, (loss, params, batch) in models().items()}
        loss, params, batch = models()["two layers"]
        pairs["two layers, in microbatches"] = per_example(loss, params, *batch, microbatch_size=2)
    return {name: gradients_agree(*pair, model=name) for name, pair in pairs.items()}
