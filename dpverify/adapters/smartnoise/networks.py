"""SmartNoise's synthesizers with networks: DPCTGAN and DPGAN (DP-SGD by Opacus 0.14), and PATECTGAN (votes of
teachers on parts of the records).

    trained    the epsilon that the library's own accountant has when training ends, against the one asked
    voted      the votes of the teachers on made-up records, before their noise: a record is in the part of
               one teacher, so that it moves each vote by 1 at most

Delta is the library's own, 1/n^(3/2). Records are numbers within (-1, 1) in one column; with its bounds given
the transformer costs nothing.
"""

from __future__ import annotations

from functools import partial
from typing import Any
from unittest import mock

import numpy as np

from dpverify.adapters import Target, positive
from dpverify.adapters.smartnoise.marginals import INSTALL, PACKAGES, quiet
from dpverify.auditing.tape import Tape
from dpverify.guarantees import ApproxDP
from dpverify.neighbours import REPLACE, Neighbours
from dpverify.releases import Laplace
from dpverify.subjects import Spent, Subject
from dpverify.verdicts import REFUTED, UNDECIDED


def _transformer() -> Any:
    from snsynth.transform import MinMaxTransformer, TableTransformer

    transformer = TableTransformer([MinMaxTransformer(lower=-1.0, upper=1.0)])
    transformer.fit([(-1.0,), (1.0,)])
    return transformer


def _rows(data: Any) -> list[tuple[float]]:
    return [(float(value),) for value in np.ravel(data)]


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


def voted(records: int = 20, teachers: int = 5, noise: float = 1.0) -> Subject:
    """PATECTGAN with small networks, one round and two votes: `sample_per_teacher` is such that there are as
    many teachers, `noise_multiplier` is 1 over the scale of the noise on a vote.
    """
    positive(records=records, teachers=teachers, noise=noise)
    votes = 2

    def run(data: Any, rng: np.random.Generator, tape: Tape) -> Any:
        import torch
        from snsynth.pytorch.nn import patectgan

        seed = int(rng.integers(2**31))
        np.random.seed(seed)
        torch.manual_seed(seed)
        declared = Laplace(1 / noise, {REPLACE: float(votes)})
        pate = patectgan.pate
        seen = []

        def written(made_up: Any, networks: Any, scale: float, device: Any = "cpu") -> Any:
            _, counted = pate(made_up, networks, scale, device=device)
            exact = counted.numpy()[:, 0]
            noisy = tape.record(exact, exact + np.random.laplace(scale=1 / scale, size=votes), declared)
            seen.append(noisy)
            return torch.tensor(np.array(noisy)[:, None] > len(networks) / 2).double(), counted

        synthesizer = patectgan.PATECTGAN(
            epsilon=1.0,
            embedding_dim=2,
            generator_dim=(4,),
            discriminator_dim=(4,),
            batch_size=votes,
            student_iters=1,
            sample_per_teacher=max(len(data) // (teachers - 1), 1),
            noise_multiplier=noise,
            moments_order=10,
            discriminator_lr=0.1,
            verbose=False,
        )
        with quiet(), mock.patch.object(patectgan, "pate", written):
            synthesizer.fit(_rows(data), transformer=_transformer())
        return np.concatenate(seen)

    pair = Neighbours.replace(np.tile([-1.0, 1.0], records // 2)[:, None], 0, [1.0])
    said_by = "PATE (Jordon et al., named in its documentation): a record is in the part of one teacher"
    return Subject(run, None, pair, said_by, runs=100, shrinks=False)


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
        {"sensitivity": REFUTED, "empty": UNDECIDED},
    ),
)
