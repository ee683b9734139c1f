"""What the adapters of PyTorch libraries share, and a small model with a batch of records for every kind of
layer that one may get wrong.

Every model takes one batch, records along the first axis. Weights, records and targets are random but always
the same, in float64; token numbers repeat within a record, and padding occurs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

RECORDS = 4
STEPS = 5
WIDTH = 6
WORDS = 7


def halves(width: int) -> Any:
    """Two linear layers side by side whose loss is <w, record>: the gradient is the record, half of it in
    each layer.
    """
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


def forget(kept: dict[Any, Any], most: int = 8) -> None:
    """Make room for one more entry, the oldest first: audits go to and fro between two data sets.

    >>> kept = {1: "a", 2: "b"}
    >>> forget(kept, most=2)
    >>> kept
    {2: 'b'}
    """
    while len(kept) >= most:
        del kept[next(iter(kept))]


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """The generator of PyTorch that libraries draw from if nobody hands them one, at that seed; afterwards it
    is as it was.
    """
    import torch

    state = torch.default_generator.get_state()
    torch.default_generator.manual_seed(seed)
    try:
        yield
    finally:
        torch.default_generator.set_state(state)


@contextmanager
def float64() -> Iterator[None]:
    """Tensors that a library makes without saying of which type are float64."""
    import torch

    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def case(name: str) -> tuple[Any, Any, Any, Any]:
    """(model, loss, inputs, targets) of the layer of that name."""
    import torch

    build, shape = MODELS[name]
    with seeded(0):
        model = build(_kinds()).double()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.copy_(torch.randn_like(parameter))
        inputs = torch.randint(WORDS, shape) if shape is TOKENS else torch.randn(shape, dtype=torch.float64)
        if not inputs.is_floating_point():
            inputs[:, -1] = inputs[:, 0]
            inputs[0, 1] = 0
        targets = torch.randn_like(model(inputs).detach())
    return model, torch.nn.MSELoss(), inputs, targets


@lru_cache(maxsize=1)
def _kinds() -> SimpleNamespace:
    """The classes that the models are made of."""
    import torch
    from torch import nn
    from torch.nn import functional

    class Recurrent(nn.Module):
        def __init__(self, kind: str, **settings: Any) -> None:
            super().__init__()
            import opacus.layers

            self.inner = getattr(opacus.layers, kind)(WIDTH, 3, batch_first=True, **settings)

        def forward(self, x: Any) -> Any:
            return self.inner(x)[0]

    class Attention(nn.Module):
        def __init__(self, **settings: Any) -> None:
            super().__init__()
            from opacus.layers import DPMultiheadAttention

            self.inner = DPMultiheadAttention(WIDTH, 2, batch_first=True, **settings)

        def forward(self, x: Any) -> Any:
            return self.inner(x, x, x)[0]

    class Bag(nn.Module):
        def __init__(self, **settings: Any) -> None:
            super().__init__()
            self.inner = nn.EmbeddingBag(WORDS, 3, **settings)

        def forward(self, x: Any) -> Any:
            return self.inner(x.reshape(-1), torch.arange(0, x.numel(), STEPS))

    class Twice(nn.Module):
        """The same layer called twice."""

        def __init__(self, layer: Any) -> None:
            super().__init__()
            self.layer = layer

        def forward(self, x: Any) -> Any:
            return self.layer(torch.tanh(self.layer(x)))

    class Decoder(nn.Linear):
        """A linear layer by another name: libraries look layers up by their exact class."""

    class Tied(nn.Module):
        """An embedding whose weights decode as well: by a layer, by a subclass of it, or by a function."""

        def __init__(self, decoder: type | None) -> None:
            super().__init__()
            self.words = nn.Embedding(WORDS, 3)
            if decoder is not None:
                self.decoder = decoder(3, WORDS, bias=False)
                self.decoder.weight = self.words.weight
            self.by_layer = decoder is not None

        def forward(self, x: Any) -> Any:
            hidden = torch.tanh(self.words(x))
            return self.decoder(hidden) if self.by_layer else functional.linear(hidden, self.words.weight)

    class Own(nn.Module):
        """A layer that a user wrote, with parameters of its own."""

        def __init__(self) -> None:
            super().__init__()
            self.scale = nn.Parameter(torch.ones(WIDTH))
            self.inner = nn.Linear(WIDTH, 3)

        def forward(self, x: Any) -> Any:
            return self.inner(torch.sin(x * self.scale))

    class Transformer(nn.Module):
        """Words and places, attention, two layers, each of both beside a shortcut, and a head."""

        def __init__(self) -> None:
            super().__init__()
            self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(STEPS, WIDTH)
            self.attention = Attention()
            self.norms = nn.ModuleList([nn.LayerNorm(WIDTH) for _ in range(3)])
            self.mixing = nn.Sequential(nn.Linear(WIDTH, 8), nn.GELU(), nn.Linear(8, WIDTH))
            self.head = nn.Linear(WIDTH, WORDS)

        def forward(self, x: Any) -> Any:
            hidden = self.words(x) + self.places(torch.arange(STEPS).repeat(len(x), 1))
            hidden = hidden + self.attention(self.norms[0](hidden))
            hidden = hidden + self.mixing(self.norms[1](hidden))
            return self.head(self.norms[2](hidden))

    class Residual(nn.Module):
        """A ResNet of two blocks with GroupNorm, the second of which halves the image."""

        def __init__(self) -> None:
            super().__init__()
            self.first = self.block(4, 4, 1)
            self.second = self.block(4, 6, 2)
            self.shortcut = nn.Conv2d(4, 6, 1, stride=2, bias=False)
            self.head = nn.Linear(6, 3)

        @staticmethod
        def block(inputs: int, outputs: int, stride: int) -> Any:
            return nn.Sequential(
                nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False),
                nn.GroupNorm(2, outputs),
                nn.ReLU(),
                nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False),
                nn.GroupNorm(2, outputs),
            )

        def forward(self, x: Any) -> Any:
            x = functional.relu(x + self.first(x))
            x = functional.relu(self.shortcut(x) + self.second(x))
            return self.head(x.mean(dim=(2, 3)))

    def frozen() -> Any:
        model = nn.Sequential(nn.Linear(WIDTH, 4), nn.Tanh(), nn.Linear(4, 3))
        model[0].weight.requires_grad = False
        return model

    return SimpleNamespace(
        nn=nn,
        Recurrent=Recurrent,
        Attention=Attention,
        Bag=Bag,
        Twice=Twice,
        Decoder=Decoder,
        Tied=Tied,
        Own=Own,
        Transformer=Transformer,
        Residual=Residual,
        frozen=frozen,
    )


FLAT = (RECORDS, WIDTH)
TOKENS = (RECORDS, STEPS)
SEQUENCE = (RECORDS, STEPS, WIDTH)
SIGNAL = (RECORDS, 4, 9)
IMAGE = (RECORDS, 4, 7, 6)
VOLUME = (RECORDS, 4, 5, 4, 6)
CONVOLUTIONS: dict[str, dict[str, Any]] = {
    "": {},
    ", no bias": {"bias": False},
    ", padding": {"padding": 1},
    ", stride": {"stride": 2, "padding": 1},
    ", dilation": {"dilation": 2, "padding": 2},
    ", groups": {"groups": 2},
    ", same": {"padding": "same", "dilation": 2},
    ", circular": {"padding": 1, "padding_mode": "circular"},
    ", reflect": {"padding": 1, "padding_mode": "reflect"},
    ", replicate": {"padding": 1, "padding_mode": "replicate"},
}


def _convolution(dimension: int, settings: Mapping[str, Any]) -> Callable[[SimpleNamespace], Any]:
    return lambda of: getattr(of.nn, f"Conv{dimension}d")(4, 2, 3, **settings)


MODELS: dict[str, tuple[Callable[[SimpleNamespace], Any], tuple[int, ...]]] = {
    "Linear": (lambda of: of.nn.Linear(WIDTH, 3), FLAT),
    "Linear, no bias": (lambda of: of.nn.Linear(WIDTH, 3, bias=False), FLAT),
    "Linear on sequences": (lambda of: of.nn.Linear(WIDTH, 3), SEQUENCE),
    "Linear on images": (lambda of: of.nn.Linear(6, 3), IMAGE),
    "two Linear, weight frozen": (lambda of: of.frozen(), FLAT),
    "Linear twice": (lambda of: of.Twice(of.nn.Linear(WIDTH, WIDTH)), FLAT),
    "LayerNorm twice": (lambda of: of.Twice(of.nn.LayerNorm(WIDTH)), FLAT),
    "own layer": (lambda of: of.Own(), FLAT),
    "Embedding": (lambda of: of.nn.Embedding(WORDS, 3), TOKENS),
    "Embedding, padding_idx": (lambda of: of.nn.Embedding(WORDS, 3, padding_idx=0), TOKENS),
    "EmbeddingBag, sum": (lambda of: of.Bag(mode="sum"), TOKENS),
    "EmbeddingBag, mean": (lambda of: of.Bag(mode="mean"), TOKENS),
    "EmbeddingBag, max": (lambda of: of.Bag(mode="max"), TOKENS),
    "Embedding tied to Linear": (lambda of: of.Tied(of.nn.Linear), TOKENS),
    "Embedding tied to a subclass of Linear": (lambda of: of.Tied(of.Decoder), TOKENS),
    "Embedding tied to functional.linear": (lambda of: of.Tied(None), TOKENS),
    "LayerNorm": (lambda of: of.nn.LayerNorm(WIDTH), SEQUENCE),
    "LayerNorm over two axes": (lambda of: of.nn.LayerNorm((STEPS, WIDTH)), SEQUENCE),
    "LayerNorm, no bias": (lambda of: of.nn.LayerNorm(WIDTH, bias=False), SEQUENCE),
    "RMSNorm": (lambda of: of.nn.RMSNorm(WIDTH), SEQUENCE),
    "GroupNorm": (lambda of: of.nn.GroupNorm(2, 4), IMAGE),
    "InstanceNorm1d": (lambda of: of.nn.InstanceNorm1d(4, affine=True), SIGNAL),
    "InstanceNorm2d": (lambda of: of.nn.InstanceNorm2d(4, affine=True), IMAGE),
    "InstanceNorm3d": (lambda of: of.nn.InstanceNorm3d(4, affine=True), VOLUME),
    "PReLU": (lambda of: of.nn.PReLU(4), IMAGE),
    "ConvTranspose2d": (lambda of: of.nn.ConvTranspose2d(4, 2, 3, stride=2), IMAGE),
    "DPRNN": (lambda of: of.Recurrent("DPRNN"), SEQUENCE),
    "DPGRU": (lambda of: of.Recurrent("DPGRU"), SEQUENCE),
    "DPLSTM": (lambda of: of.Recurrent("DPLSTM"), SEQUENCE),
    "DPLSTM, two layers, both ways": (
        lambda of: of.Recurrent("DPLSTM", num_layers=2, bidirectional=True),
        SEQUENCE,
    ),
    "DPMultiheadAttention": (lambda of: of.Attention(), SEQUENCE),
    "DPMultiheadAttention, bias of keys": (
        lambda of: of.Attention(add_bias_kv=True, add_zero_attn=True),
        SEQUENCE,
    ),
    "small transformer": (lambda of: of.Transformer(), TOKENS),
    "ResNet with GroupNorm": (lambda of: of.Residual(), IMAGE),
    **{
        f"Conv{dimension}d{what}": (_convolution(dimension, settings), shape)
        for dimension, shape in ((1, SIGNAL), (2, IMAGE), (3, VOLUME))
        for what, settings in CONVOLUTIONS.items()
    },
}  # how to build the model of every kind of layer, and the shape of its batch
