"""Without Poisson sampling, the rate that is recorded is below the share of a batch.

library: opacus 1.6.0
met by: make_private(poisson_sampling=False) with a batch size that does not divide the number of records
severity: documented by the library
claim: none: the docstring of make_private says that the accountants' assumptions do not hold in this mode
shown: 10 records in batches of 4: rate 1/3 is recorded, a batch holds 2/5 of all records
cause: the rate is one over the number of batches, of which the last is smaller
remedy: batch size over number of records
upstream: its own documentation
targets: accountant:opacus-rdp, accountant:opacus-prv
"""

import warnings

import torch
from opacus import PrivacyEngine

warnings.simplefilter("ignore")
model, engine = torch.nn.Linear(1, 1, bias=False), PrivacyEngine(accountant="rdp")
data = torch.utils.data.TensorDataset(torch.zeros(10, 1))
model, optimizer, loader = engine.make_private(
    module=model,
    optimizer=torch.optim.SGD(model.parameters(), lr=0.0),
    data_loader=torch.utils.data.DataLoader(data, batch_size=4),
    noise_multiplier=1.0,
    max_grad_norm=1.0,
    poisson_sampling=False,
)
largest = 0
for (records,) in loader:
    largest = max(largest, len(records) / 10)
    optimizer.zero_grad()
    model(records).sum().backward()
    optimizer.step()
rate = engine.accountant.history[0][1]
print(f"recorded rate {rate:.3f}, largest batch {largest:.3f} of all records")
raise SystemExit(0 if rate < largest - 1e-9 else "mended")
