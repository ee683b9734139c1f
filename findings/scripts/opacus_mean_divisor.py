"""The default loss_reduction divides the noise by a number that one record changes.

library: opacus 1.6.0
met by: PrivacyEngine().make_private as it comes (loss_reduction="mean", Poisson sampling), where the number
    of records is not public
severity: breaks for an ordinary user
claim: (epsilon, delta) by the analysis of the sampled Gaussian mechanism (accountants/analysis/rdp.py refers
    to arXiv 1908.10530, where neighbours differ by one record more or less; no other relation is named)
shown: 1000 against 999 records: noise of scale 0.01 against 0.0101, told apart by a model of a million
    weights (about 10 standard errors), at noise_multiplier 1 and one step
cause: privacy_engine.py sets expected_batch_size = int(records * rate), which DPOptimizer.scale_grad
    divides by
remedy: divide by a public number (the batch size that was asked for), or state that the number of records
    is public
upstream: https://github.com/meta-pytorch/opacus/issues/571,
    https://github.com/meta-pytorch/opacus/issues/819
targets: opacus:mean
"""

import warnings

import torch
from opacus import PrivacyEngine

warnings.simplefilter("ignore")


def spread(records):
    model = torch.nn.Linear(1_000_000, 1, bias=False)
    data = torch.utils.data.TensorDataset(torch.zeros(records, 1))
    model, optimizer, _ = PrivacyEngine().make_private(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=1.0),
        data_loader=torch.utils.data.DataLoader(data, batch_size=100),
        noise_multiplier=1.0,
        max_grad_norm=1.0,
    )
    model(torch.zeros(1, 1_000_000)).mean().backward()  # records of zeros: what is published is noise alone
    optimizer.step()
    return model._module.weight.grad.std().item()


one, other = spread(1000), spread(999)
errors = abs(other / one - 1) / (1 / 1_000_000) ** 0.5
print(f"noise of scale {one:.6f} for 1000 records, {other:.6f} for 999: {errors:.1f} standard errors apart")
raise SystemExit(0 if errors > 6 else "mended")
