"""With reduce="sum" the noise is that of the mean.

library: deepee 0.1.9
met by: PrivacyWrapper.clip_and_accumulate(reduce="sum")
severity: breaks for a documented option
claim: the epsilon of PrivacyWatchdog for the DP-SGD of Abadi et al. (readme; docstring of PrivacyWatchdog),
    which does not ask for the reduction
shown: 4 records: a record moves the sum by the clip, the noise has a quarter of that
cause: noise_gradient divides the standard deviation by the batch size whatever the reduction was
remedy: divide only the mean
upstream: no public thread found (searched 2026-11-17)
targets: deepee:sum
"""

import deepee
import torch

torch.nn.parallel.parallel_apply = lambda modules, inputs: [m(x) for m, x in zip(modules, inputs)]  # no GPU
torch.manual_seed(0)
model = deepee.PrivacyWrapper(torch.nn.Linear(10_000, 1, bias=False), 4, 1.0, 1.0)
model(torch.zeros(4, 10_000)).sum().backward()
model.clip_and_accumulate("sum")
model.noise_gradient()
spread = next(iter(model.parameters())).grad.std().item()
print(f"one record moves the sum by up to 1; noise_multiplier 1 gives noise of scale {spread:.3f}")
raise SystemExit(0 if spread < 0.5 else "mended")
