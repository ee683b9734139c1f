"""Ghost clipping does not see a weight that is used a second time through a function.

library: opacus 1.6.0
met by: grad_sample_mode="ghost" (documented) on a language model whose output layer is
    functional.linear(hidden, embedding.weight), or a subclass of Linear that shares the embedding's weight
severity: breaks for a documented option
claim: max_grad_norm is the maximum norm of the per-sample gradients, and what is above is clipped to it
    (docstring of PrivacyEngine.make_private)
shown: clip 1, weights of size 100, a record of eight tokens: charged 1, moved 2530
cause: norms are collected by hooks of modules; what a function does with their weights passes no hook
remedy: compare the norm with the gradient of a probe batch when the model is made private, or refuse
    weights whose gradient does not come from their own module alone
upstream: no public thread found (searched 2026-11-17)
targets: opacus:layers-ghost
"""

import torch
from opacus import PrivacyEngine


class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(5, 2)

    def forward(self, tokens):
        return torch.nn.functional.linear(self.words(tokens), self.words.weight).sum(dim=(1, 2))


model = Tied()
with torch.no_grad():  # the rows add up to 0, so that the embedding itself has no gradient
    model.words.weight.copy_(torch.tensor([[0.0], [100.0], [-100.0], [0.0], [0.0]]).repeat(1, 2))
tokens = torch.ones(1, 8, dtype=torch.long)
private, optimizer, loss, _ = PrivacyEngine().make_private(
    module=model,
    optimizer=torch.optim.SGD(model.parameters(), lr=1.0),
    criterion=lambda output, _: output,
    data_loader=torch.utils.data.DataLoader(torch.utils.data.TensorDataset(tokens, tokens)),
    noise_multiplier=0.0,
    max_grad_norm=1.0,
    loss_reduction="sum",
    grad_sample_mode="ghost",
)
loss(private(tokens), tokens).backward()
moved = model.words.weight.grad.norm().item()
print(f"one record: charged 1, moved {moved:g}")
raise SystemExit(0 if moved > 1.01 else "mended")
