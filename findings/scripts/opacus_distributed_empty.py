"""On several processes, a process skips the steps in which its part of a Poisson batch is empty.

library: opacus 1.6.0
met by: DifferentiallyPrivateDistributedDataParallel (DPDDP) and make_private with Poisson sampling, the
    default, where a process expects few records a batch: 2 give an empty part in 14 % of the steps, 20 in one
    of 500 million
severity: corner case
claim: each replica selects each sample of its chunk independently with probability sample_rate (docstring of
    DistributedUniformWithReplacementSampler); the accountant charges every step at that rate
shown: 1000 records in batches of 4 on two processes: rate 0.004 recorded, a record is in 0.0046 or 0.0047 of
    the batches of its process; of 250 steps an epoch one process makes 216 and the other 215 on average,
    though every step waits for both
cause: DistributedUniformWithReplacementSampler.__iter__ yields only parts that are not empty; what is left is
    a sample under the condition that it is not empty. UniformWithReplacementSampler, for one process, yields
    empty ones
remedy: yield the empty part too, as for one process
upstream: no public thread found (searched 2026-11-17); https://github.com/meta-pytorch/opacus/issues/161 and
    https://github.com/meta-pytorch/opacus/pull/164 are about the sampler of one process
targets: opacus:distributed
"""

import os
import tempfile

import torch
from opacus import PrivacyEngine
from opacus.distributed import DifferentiallyPrivateDistributedDataParallel as DPDDP
from torch.utils.data import DataLoader, TensorDataset

RECORDS, BATCH, EPOCHS = 1000, 4, 40


def work(rank, folder):
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{folder}/group", rank=rank, world_size=2
    )
    torch.manual_seed(rank)
    model = DPDDP(torch.nn.Linear(1, 1))
    data = TensorDataset(torch.arange(RECORDS).float()[:, None])
    _, _, loader = PrivacyEngine().make_private(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=0.1),
        data_loader=DataLoader(data, batch_size=BATCH),
        noise_multiplier=1.0,
        max_grad_norm=1.0,
    )
    sizes = [len(part) for _ in range(EPOCHS) for part in loader.batch_sampler]
    inclusion = sum(sizes) / len(sizes) / (RECORDS / 2)
    torch.save((loader.sample_rate, inclusion, len(sizes) / EPOCHS), f"{folder}/{rank}")
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(work, (folder,), nprocs=2)
        seen = [torch.load(f"{folder}/{rank}") for rank in range(2)]
    for rank, (rate, inclusion, steps) in enumerate(seen):
        print(f"process {rank}: rate {rate:g} recorded, {inclusion:.5f} seen, {steps:g} of 250 steps")
    raise SystemExit(0 if all(inclusion > 1.1 * rate for rate, inclusion, _ in seen) else "mended")
