"""With a seed, every parameter and every step gets the same noise.

library: deepee 0.1.9
met by: PrivacyWrapper(..., seed=...)
severity: breaks for a documented option
claim: the epsilon of PrivacyWatchdog, which does not ask for the seed. The docstring has every generator that
    is not cryptographic, the default too, for experiments only; it does not say that the noise repeats
shown: the noise of two layers of the same shape is the same, number by number; so is that of two steps
cause: noise_gradient calls torch.manual_seed(seed) before each draw
remedy: make a generator from the seed once
upstream: no public thread found (searched 2026-11-17)
targets: deepee:seed
"""

import deepee
import torch

torch.nn.parallel.parallel_apply = lambda modules, inputs: [m(x) for m, x in zip(modules, inputs)]  # no GPU
layers = torch.nn.Sequential(torch.nn.Linear(3, 3, bias=False), torch.nn.Linear(3, 3, bias=False))
model = deepee.PrivacyWrapper(layers, 2, 1.0, 1.0, seed=1)
released = []
for _ in range(2):  # steps on records of zeros, so that all is noise
    model.zero_grad()
    model(torch.zeros(2, 3)).sum().backward()
    model.clip_and_accumulate()
    model.noise_gradient()
    released.append([parameter.grad.clone() for parameter in model.parameters()])
    model.prepare_next_batch()
(first, second), (later, _) = released
layers_agree, steps_agree = torch.equal(first, second), torch.equal(first, later)
print(f"the noise is the same in both layers: {layers_agree}; in both steps: {steps_agree}")
raise SystemExit(0 if layers_agree and steps_agree else "mended")
