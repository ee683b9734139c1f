"""Gradients of earlier batches stay in the copies of the model.

library: deepee 0.1.9
met by: the documented training loop; zero_grad(), which it does not call, of the model or of an optimizer
    reaches the wrapped model and not its copies
severity: breaks for an ordinary user
claim: the epsilon of PrivacyWatchdog for the DP-SGD of Abadi et al. (readme; docstring of PrivacyWatchdog),
    by which a record that is not in a batch does not move its gradient
shown: a record of the first batch moves the second, which does not hold it
cause: the copies of the model accumulate their gradients and are never cleared
remedy: clear them in prepare_next_batch
upstream: no public thread found (searched 2026-11-17)
targets: deepee:stale
"""

import deepee
import torch

torch.nn.parallel.parallel_apply = lambda modules, inputs: [m(x) for m, x in zip(modules, inputs)]  # no GPU


def second(first):
    torch.manual_seed(0)
    model = deepee.PrivacyWrapper(torch.nn.Linear(1, 1, bias=False), 1, 10.0, 0.0)
    for record in (first, 0.0):
        model.zero_grad()
        model(torch.tensor([[record]])).sum().backward()
        model.clip_and_accumulate("mean")
        released = next(iter(model.parameters())).grad.item()
        model.noise_gradient()
        model.prepare_next_batch()
    return released


print(f"the second batch, of a record at 0: {second(3.0):g} after a first one at 3, {second(0.0):g} after 0")
raise SystemExit(0 if second(3.0) != second(0.0) else "mended")
