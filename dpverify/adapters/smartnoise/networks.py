"""SmartNoise's synthesizers with networks: DPCTGAN and DPGAN (DP-SGD by Opacus 0.14), PATECTGAN and PATEGAN
(votes of teachers on parts of the records).

    trained    the epsilon that the library's own accountant has when training ends, against the one asked
    voted      the votes of the teachers on made-up records, before their noise: a record is in the part of
               one teacher, so that it moves each vote by 1 at most

Delta is the library's own, 1/n^(3/2). Records are numbers within (-1, 1) in one column, for PATEGAN in three,
since its networks are as wide as a third of the columns; with its bounds given the transformer costs nothing.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from functools import partial
from typing import Any
from unittest import mock

import numpy as np

from dpverify.accounting import epsilon as accounted
from dpverify.adapters import Target, positive
from dpverify.adapters.smartnoise.marginals import INSTALL, PACKAGES, quiet
from dpverify.auditing.tape import Tape
from dpverify.guarantees import ZCDP, ApproxDP
from dpverify.neighbours import REPLACE, Neighbours
from dpverify.releases import Laplace
from dpverify.subjects import Spent, Subject
from dpverify.verdicts import REFUTED, UNDECIDED

PATE = "PATE (Jordon et al., named in its documentation): a record is in the part of one teacher"


def _transformer(columns: int = 1) -> Any:
    from snsynth.transform import MinMaxTransformer, TableTransformer

    transformer = TableTransformer([MinMaxTransformer(lower=-1.0, upper=1.0) for _ in range(columns)])
    transformer.fit([(-1.0,) * columns, (1.0,) * columns])
    return transformer


def _rows(data: Any) -> list[tuple[float, ...]]:
    return [tuple(float(value) for value in row) for row in np.asarray(data)]


def _by_opacus(synthesizer: Any, rows: Any) -> float:
    """The epsilon that Opacus has when the synthesizer has been trained."""
    import opacus

    engines = []
    attach = opacus.PrivacyEngine.attach

    def attached(engine: Any, optimizer: Any) -> Any:
        engines.append(engine)
        return attach(engine, optimizer)

    with quiet(), mock.patch.object(opacus.PrivacyEngine, "attach", attached):
        synthesizer.fit(rows, transformer=_transformer())
        return float(engines[0].get_privacy_spent(synthesizer.delta)[0])


def trained(name: str = "dpctgan", records: int = 500, epsilon: float = 1.0) -> Subject:
    """A synthesizer at its defaults: what it has spent when it stops."""
    positive(records=records, epsilon=epsilon)

    def spent(data: Any) -> Spent:
        from snsynth import Synthesizer

        quietly = {"verbose": False} if name == "dpctgan" else {}
        synthesizer = Synthesizer.create(name, epsilon=epsilon, **quietly)
        return [(f"the training of {name}, by its own accountant", _by_opacus(synthesizer, _rows(data)))]

    values = np.linspace(-1.0, 1.0, records)[:, None]
    pair = Neighbours.replace(values, 0, [1.0])
    said_by = f"Synthesizer.create({name!r}, epsilon={epsilon:g})"
    return Subject(claim=ApproxDP(epsilon, records**-1.5), neighbours=pair, said_by=said_by, calls=spent)


@contextlib.contextmanager
def _written(module: Any, tape: Tape, noise: float) -> Iterator[list[Any]]:
    """The votes of a PATE synthesizer, one by one on a tape, and in the list that is given."""
    import torch

    declared = Laplace(1 / noise, {REPLACE: 1.0})
    pate = module.pate
    seen: list[Any] = []

    def written(made_up: Any, networks: Any, scale: float, device: Any = "cpu") -> Any:
        _, counted = pate(made_up, networks, scale, device=device)
        noisy = [
            tape.record(exact, exact + np.random.laplace(scale=1 / scale, size=1), declared)
            for exact in counted.numpy()
        ]
        seen.extend(noisy)
        return torch.tensor(np.array(noisy) > len(networks) / 2).double(), counted

    with quiet(), mock.patch.object(module, "pate", written):
        yield seen


def _seeded(rng: np.random.Generator) -> None:
    import torch

    seed = int(rng.integers(2**31))
    np.random.seed(seed)
    torch.manual_seed(seed)


def voted(records: int = 20, teachers: int = 5, noise: float = 1.0) -> Subject:
    """PATECTGAN with small networks, one round and four votes: `sample_per_teacher` is such that there are as
    many teachers, `noise_multiplier` is 1 over the scale of the noise on a vote.
    """
    positive(records=records, teachers=teachers, noise=noise)

    def run(data: Any, rng: np.random.Generator, tape: Tape) -> Any:
        from snsynth.pytorch.nn import patectgan

        _seeded(rng)
        synthesizer = patectgan.PATECTGAN(
            epsilon=1.0,
            embedding_dim=2,
            generator_dim=(4,),
            discriminator_dim=(4,),
            batch_size=4,
            student_iters=1,
            sample_per_teacher=max(len(data) // (teachers - 1), 1),
            noise_multiplier=noise,
            moments_order=10,
            discriminator_lr=0.1,
            verbose=False,
        )
        with _written(patectgan, tape, noise) as seen:
            synthesizer.fit(_rows(data), transformer=_transformer())
        return np.concatenate(seen)

    pair = Neighbours.replace(np.tile([-1.0, 1.0], records // 2)[:, None], 0, [1.0])
    return Subject(run, None, pair, PATE, runs=25, shrinks=False)


def pategan_votes(records: int = 12, teachers: int = 3) -> Subject:
    """PATEGAN with one round of votes. Two numbers in its source are replaced, so that a record shows: the
    thousand records for a teacher, by so few that there are as many teachers, and the learning rate, by 0.1.
    """
    positive(records=records, teachers=teachers)
    noise, orders = 1e-3, 100  # numbers in its source

    def run(data: Any, rng: np.random.Generator, tape: Tape) -> Any:
        import torch
        from snsynth.pytorch.nn import pategan

        _seeded(rng)
        delta = len(data) ** -1.5
        faster = mock.Mock(Adam=lambda parameters, lr: torch.optim.Adam(parameters, lr=0.1))
        one_round = 1e-4 - math.log(delta) / orders
        synthesizer = pategan.PATEGAN(epsilon=one_round, delta=delta, student_iters=1)
        with (
            _written(pategan, tape, noise) as seen,
            mock.patch.object(pategan, "int", create=True, return_value=teachers),
            mock.patch.object(pategan, "optim", faster),
        ):
            synthesizer.fit(_rows(data), transformer=_transformer(3))
        return np.concatenate(seen)

    values = np.tile([[-1.0] * 3, [1.0] * 3], (records // 2, 1))
    pair = Neighbours.replace(values, 0, [1.0] * 3)
    return Subject(run, None, pair, PATE, runs=20, shrinks=False)


def pategan(records: int = 2000, epsilon: float = 1.0) -> Subject:
    """PATEGAN at its defaults, where there is a teacher for a thousand records: what its votes cost.

    Each vote has Laplace noise of scale 1000 for a record that moves it by 1. Its own accountant charges it
    for 2, and so counts 1.003 where it stops: the claim holds, with 0.38 of epsilon 1 spent.
    """
    positive(records=records, epsilon=epsilon)
    delta = records**-1.5

    def spent(data: Any) -> Spent:
        from snsynth.pytorch.nn import pategan

        scales = []
        pate = pategan.pate

        def counted(made_up: Any, networks: Any, scale: float, **options: Any) -> Any:
            scales.extend([scale] * len(made_up))
            return pate(made_up, networks, scale, **options)

        synthesizer = pategan.PATEGAN(epsilon=epsilon)
        with quiet(), mock.patch.object(pategan, "pate", counted):
            synthesizer.fit(_rows(data), transformer=_transformer(3))
        total = ZCDP(sum(scale**2 for scale in scales) / 2)
        return [(f"{len(scales)} votes, by zero-concentrated privacy", accounted(total, delta))]

    values = np.tile([[-1.0] * 3, [1.0] * 3], (records // 2, 1))
    pair = Neighbours.replace(values, 0, [1.0] * 3)
    said_by = f"Synthesizer.create('pategan', epsilon={epsilon:g})"
    return Subject(claim=ApproxDP(epsilon, delta), neighbours=pair, said_by=said_by, calls=spent)


TARGETS = (
    *(
        Target(
            f"smartnoise:{name}",
            f"{title} at its defaults on {records} records: what it has spent when it stops",
            "(epsilon, delta)-DP",
            partial(trained, name, records),
            (*PACKAGES, "opacus"),
            INSTALL,
            {"budget": REFUTED},
        )
        for name, title, records in (
            ("dpctgan", "DPCTGAN", 500),
            ("dpgan", "DPGAN", 200),
        )
    ),
    Target(
        "smartnoise:patectgan",
        "the votes of PATECTGAN's teachers, small networks, one round",
        "a record moves each vote by 1 at most",
        voted,
        PACKAGES,
        INSTALL,
        {"sensitivity": REFUTED, "empty": UNDECIDED, "huge": REFUTED, "nan": REFUTED},
    ),
    Target(
        "smartnoise:pategan",
        "PATEGAN at its defaults on 2000 records: what its votes have cost when it stops",
        "(epsilon, delta)-DP",
        pategan,
        PACKAGES,
        INSTALL,
    ),
    Target(
        "smartnoise:pategan-votes",
        "the votes of PATEGAN's teachers, few records, one round",
        "a record moves each vote by 1 at most",
        pategan_votes,
        PACKAGES,
        INSTALL,
        {"empty": UNDECIDED, "single": UNDECIDED},
    ),
)
