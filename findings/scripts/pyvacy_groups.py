"""With two parameter groups, DPSGD clips at the root of the norm.

library: pyvacy 0.0.32
met by: DPSGD with parameters in more than one group, as every optimizer of PyTorch takes them
severity: breaks for a documented option
claim: l2_norm_clip is an upper bound on the norm of the gradient (docstring of the optimizers)
shown: a gradient of 10 000 is released as 100 at clip 1
cause: the square root of the total norm is taken inside the loop over groups
remedy: take it once, after the loop
upstream: no public thread found (searched 2026-11-17)
targets: pyvacy:groups
"""

import torch
from pyvacy import optim

a, b = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)
step = optim.DPSGD(
    params=[{"params": [a]}, {"params": [b]}], lr=1.0, l2_norm_clip=1.0, noise_multiplier=1e-9, batch_size=1
)
(1e4 * a + 0 * b).backward()
step.step()
print(f"one record: charged 1, moved {a.grad.item():.1f}")
raise SystemExit(0 if a.grad.item() > 1.01 else "mended")
