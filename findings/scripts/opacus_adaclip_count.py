"""Adaptive clipping charges the count of records below the clip half of what one record moves it.

library: opacus 1.6.0
met by: clipping="adaptive" (AdaClipDPOptimizer); the next clip is made from the count, and shows in the noise
    of every later step
severity: breaks for a documented option
claim: the noise multiplier of gradients and count together, by Theorem 1 of Andrew et al. 2021 (docstring of
    add_noise)
shown: noise multiplier 1, unclipped_num_std 1: a record moves the count by 1 under noise of 1, and the
    gradient by the clip under noise of 1.155; together 1.32-GDP for 1
cause: the noise multiplier of the gradient is (z^-2 - (2 s)^-2)^(-1/2), right for counts of 1/2 and -1/2,
    which one record moves by 1/2; the code counts 1 and 0
remedy: count a record as 1/2 or -1/2, as the paper does, or charge 1/s
upstream: no public thread found (searched 2026-11-17); https://github.com/meta-pytorch/opacus/issues/757 is
    about the same formula, where it has no value
targets: opacus:adaclip
"""

import warnings

import torch
from opacus import GradSampleModule
from opacus.optimizers import AdaClipDPOptimizer

warnings.simplefilter("ignore")
torch.manual_seed(0)
SIZE = 100_000  # of weights, all but two with a gradient of 0: their noise is seen


def optimizer_on(records):
    model = GradSampleModule(torch.nn.Linear(SIZE, 1, bias=False), loss_reduction="sum")
    optimizer = AdaClipDPOptimizer(
        torch.optim.SGD(model.parameters(), lr=0.0),
        noise_multiplier=1.0,
        max_grad_norm=1.0,
        target_unclipped_quantile=0.5,
        clipbound_learning_rate=0.2,
        max_clipbound=10.0,
        min_clipbound=0.1,
        unclipped_num_std=1.0,
        expected_batch_size=None,
        loss_reduction="sum",
    )
    rows = torch.nn.functional.pad(torch.tensor(records), (0, SIZE - 2))
    model(rows).sum().backward()
    optimizer.clip_and_accumulate()
    return optimizer, model


large = [[0.0, 5.0]] * 3
(with_it, model), (without, other) = optimizer_on([[0.999, 0.0], *large]), optimizer_on(large)
count = int(with_it.unclipped_num - without.unclipped_num)
gradient = (next(model.parameters()).summed_grad - next(other.parameters()).summed_grad).norm()
with_it.add_noise()
z, s = next(model.parameters()).grad[0, 2:].std(), with_it.unclipped_num_std
spent = ((gradient / z) ** 2 + (count / s) ** 2) ** 0.5
print(
    f"count: noise {s}, moved {count}; gradient: noise {z:.3f}, moved {gradient:.2f}; {spent:.2f}-GDP for 1"
)
raise SystemExit(0 if spent > 1.2 else "mended")
