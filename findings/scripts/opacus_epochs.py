"""After the epochs that were asked for, the accountant reports more than the epsilon that was asked for.

library: opacus 1.6.0
met by: make_private_with_epsilon with a number of batches b for which int(1 / (1 / b)) is b - 1 (49, 93, 98,
    ...)
severity: accuracy only
claim: target_epsilon at the end of `epochs` epochs (docstring of make_private_with_epsilon), with a tolerance
    of 0.01 (that of get_noise_multiplier)
shown: asked for 50 after one epoch of 93 batches, its own accountant reports 50.19; at the rate that batches
    were drawn at it would be 49.99
cause: the private loader makes int(1 / rate) = 92 steps an epoch, and the rate recorded is one over that;
    batches are drawn, and the noise is chosen, at rate 1/93
remedy: keep the number of batches, and record the rate that batches are drawn at
upstream: no public thread found (searched 2026-11-17); https://github.com/meta-pytorch/opacus/issues/346 is
    about the search for the noise, which is mended
targets: accountant:opacus-rdp, accountant:opacus-prv
"""

import warnings

import torch
from opacus import PrivacyEngine

warnings.simplefilter("ignore")
model = torch.nn.Linear(1, 1, bias=False)
data = torch.utils.data.TensorDataset(torch.zeros(93, 1))
engine = PrivacyEngine(accountant="rdp")
model, optimizer, loader = engine.make_private_with_epsilon(
    module=model,
    optimizer=torch.optim.SGD(model.parameters(), lr=0.0),
    data_loader=torch.utils.data.DataLoader(data, batch_size=1),
    target_epsilon=50.0,
    target_delta=1e-5,
    epochs=1,
    max_grad_norm=1.0,
)
for (records,) in loader:
    optimizer.zero_grad()
    model(records).sum().backward()
    optimizer.step()
spent, (noise, rate, steps) = engine.get_epsilon(1e-5), engine.accountant.history[0]
print(f"asked for epsilon 50, reported {spent:.4f}: {steps} steps at rate 1/{1 / rate:.0f} instead of 1/93")
engine.accountant.history = [(noise, 1 / 93, steps)]
print(f"at the rate that batches were drawn at: {engine.get_epsilon(1e-5):.4f}")
raise SystemExit(0 if spent > 50.01 else "mended")
