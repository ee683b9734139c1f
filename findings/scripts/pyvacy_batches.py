"""DPSGD clips the gradient of a batch, not of a record.

library: pyvacy 0.0.32
met by: DPSGD "training as usual" (its readme) with more than one record a batch
severity: breaks for an ordinary user
claim: the epsilon of analysis.moments_accountant for the same batch size (the example of its readme)
shown: 9 records a batch: one record moves the query by the clip; the noise is noise_multiplier times a
    third of that
cause: optim/dp_optimizer.py clips p.grad, the mean over the batch, and divides the noise by
    sqrt(batch_size)
remedy: clip record by record, or use microbatches of one record
upstream: no public thread found (searched 2026-11-17)
targets: pyvacy:batches
"""

import torch
from pyvacy import optim


def released(records):
    torch.manual_seed(0)  # the same noise
    w = torch.zeros(1, requires_grad=True)
    step = optim.DPSGD(params=[w], lr=1.0, l2_norm_clip=1.0, noise_multiplier=1.0, batch_size=9)
    (w * records).mean().backward()
    step.step()
    return w.grad.item()


def noise(weights=100_000):
    torch.manual_seed(0)
    w = torch.zeros(weights, requires_grad=True)
    step = optim.DPSGD(params=[w], lr=1.0, l2_norm_clip=1.0, noise_multiplier=1.0, batch_size=9)
    (0 * w).sum().backward()
    step.step()
    return w.grad.std().item()


data = torch.zeros(9)
other = data.clone()
other[0] = 1e6
moved, scale = abs(released(other) - released(data)), noise()
print(f"one record of nine: moved {moved:.3f}, noise of scale {scale:.3f} at noise_multiplier 1")
raise SystemExit(0 if moved > 1.1 * scale else "mended")
