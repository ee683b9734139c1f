"""Ghost clipping takes every padding of a convolution for zeros.

library: opacus 1.6.0
met by: grad_sample_mode="ghost" (documented) on Conv1d, Conv2d or Conv3d with padding_mode circular,
    reflect or replicate, which its validator accepts
severity: breaks for a documented option
claim: max_grad_norm is the maximum norm of the per-sample gradients, and what is above is clipped to it
    (docstring of PrivacyEngine.make_private)
shown: clip 1, circular padding, a record of zeros that ends in 100: charged 1, moved 100
cause: grad_sample/conv.py unfolds the input with zeros around it whatever padding_mode says; a record that
    is large at the border has a norm that is too small
remedy: pad with the layer's own mode before unfolding, or refuse other modes
upstream: no public thread found (searched 2026-11-17)
targets: opacus:layers-ghost
"""

import torch
from opacus import PrivacyEngine

layer = torch.nn.Conv1d(1, 1, 3, padding=1, padding_mode="circular", bias=False)
record = torch.zeros(1, 1, 100)
record[0, 0, -1] = 100.0  # the first output sees it through the padding
target = torch.zeros(1, 1, 100)
model, optimizer, loss, _ = PrivacyEngine().make_private(
    module=layer,
    optimizer=torch.optim.SGD(layer.parameters(), lr=1.0),
    criterion=lambda output, _: output[:, :, 0].sum(dim=1),
    data_loader=torch.utils.data.DataLoader(torch.utils.data.TensorDataset(record, target)),
    noise_multiplier=0.0,
    max_grad_norm=1.0,
    loss_reduction="sum",
    grad_sample_mode="ghost",
)
loss(model(record), target).backward()
moved = layer.weight.grad.norm().item()
print(f"one record: charged 1, moved {moved:g}")
raise SystemExit(0 if moved > 1.01 else "mended")
