"""Opacus on two processes: DPDDP over gloo, every process with half of the records in every step.

    released: sum over both processes of their clipped gradients, noise from the first of them

Two workers are started once and wait for data; the first answers. A process whose part of a batch is empty
skips the step, and the other waits for it for ever: data sets with fewer records than processes are refused
here, and findings/scripts/opacus_distributed_empty.py shows what it does to the rate.
"""

from __future__ import annotations

import itertools
import os
import sys
import tempfile
from functools import lru_cache
from typing import Any

import numpy as np

from dpverify.adapters import Target, positive
from dpverify.adapters.opacus.gradients import WIDTH, quietly
from dpverify.adapters.opacus.layers import INSTALL, PACKAGES
from dpverify.adapters.opacus.optimizers import NAN, opacus_claim
from dpverify.adapters.torch_models import halves
from dpverify.neighbours import Neighbours
from dpverify.subjects import Subject
from dpverify.verdicts import SUPPORTED, UNDECIDED

PROCESSES = 2
PATIENCE = 1800.0  # seconds until a pair of processes is given up
NUMBERS = itertools.count()  # of calls, so that answers are not mixed up


def _serve(rank: int, folder: str, tasks: Any, answers: Any) -> None:
    """One of the processes: joins the group, and trains on whatever it is sent."""
    import torch

    if sys.platform == "linux":  # a name of this machine that nobody resolves is no reason not to find it
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    torch.set_num_threads(1)
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{folder}/group", rank=rank, world_size=PROCESSES
    )
    while True:
        number, task = tasks.get()
        try:
            released = _train(*task)
        except Exception as error:
            released = error
        if rank == 0:
            answers.put((number, released))


def _train(data: Any, seed: int, runs: int, steps: int, noise: float, clip: float) -> Any:
    """The gradients of all steps, as every process has them after they were added up."""
    import torch
    from opacus import PrivacyEngine
    from opacus.distributed import DifferentiallyPrivateDistributedDataParallel

    dataset = torch.utils.data.TensorDataset(torch.as_tensor(data))
    module = DifferentiallyPrivateDistributedDataParallel(halves(WIDTH))
    with quietly():
        model, optimizer, loader = PrivacyEngine().make_private(
            module=module,
            optimizer=torch.optim.SGD(module.parameters(), lr=1.0),
            data_loader=torch.utils.data.DataLoader(dataset, batch_size=len(dataset)),
            noise_multiplier=noise,
            max_grad_norm=clip,
            noise_generator=torch.Generator().manual_seed(seed),
            loss_reduction="sum",
        )
        released = []
        for _ in range(runs * steps):
            for (records,) in loader:  # an epoch has one batch
                optimizer.zero_grad()
                model(records).sum().backward()
                optimizer.step()
                released.append(np.concatenate([p.grad.numpy().ravel() for p in optimizer.params]))
    return np.array(released).reshape(runs, -1)


@lru_cache(maxsize=1)
def _workers() -> tuple[list[Any], Any]:
    """The queues of the two processes, and the one of their answers."""
    import multiprocessing

    context = multiprocessing.get_context("spawn")
    folder = tempfile.mkdtemp(prefix="dpverify-")
    tasks, answers = [context.Queue() for _ in range(PROCESSES)], context.Queue()
    for rank in range(PROCESSES):
        context.Process(target=_serve, args=(rank, folder, tasks[rank], answers), daemon=True).start()
    return tasks, answers


def distributed(steps: int = 1, noise: float = 0.5, clip: float = 1.0) -> Subject:
    """PrivacyEngine.make_private on a model in DPDDP, two processes, at rate 1: three records, and two."""
    positive(steps=steps, noise=noise, clip=clip)

    def train(data: Any, rng: np.random.Generator, runs: int) -> Any:
        data = np.asarray(data, dtype=float)
        if len(data) < PROCESSES:
            raise ValueError(f"Expected a record for each of {PROCESSES} processes, got {len(data)}.")
        tasks, answers = _workers()
        number, seed = next(NUMBERS), int(rng.integers(2**62))
        for queue in tasks:
            queue.put((number, (data, seed, runs, steps, noise, clip)))
        answered, released = answers.get(timeout=PATIENCE)
        while answered != number:  # of a call that was given up
            answered, released = answers.get(timeout=PATIENCE)
        if isinstance(released, Exception):
            raise released
        return released

    rows = np.array([[3.0, 0.0, 4.0, 0.0], [0.0, 0.5, 0.0, 0.0], [0.0, 0.0, 0.0, 0.5]])
    said_by = "the rdp accountant of Opacus at rate 1, add/remove"
    claim = opacus_claim(noise, 1.0, steps)
    return Subject(train, claim, Neighbours.remove(rows, 0), said_by, runs=1500, any_number=True)


TARGETS = (
    Target(
        "opacus:distributed",
        "PrivacyEngine and DPDDP on two processes over gloo, the whole data set in every step; half the "
        "claim stands in so few runs",
        "the profile of its RDP accountant, add/remove",
        distributed,
        PACKAGES,
        INSTALL,
        {**NAN, "empty": UNDECIDED, "single": UNDECIDED, "half": SUPPORTED},
    ),
)
