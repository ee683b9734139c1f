"""Ghost clipping lets a record of repeated tokens through unclipped, and every record with mode="max".

library: opacus 1.6.0
met by: grad_sample_mode="ghost" (documented) on a model with torch.nn.EmbeddingBag, which its validator
    accepts
severity: breaks for a documented option
claim: max_grad_norm is the maximum norm of the per-sample gradients, and what is above is clipped to it
    (docstring of PrivacyEngine.make_private)
shown: clip 1, a record of one token 64 times: charged 1, moved 64; with mode="max" and an output that counts
    a thousandfold: charged 1, moved 1000
cause: grad_sample/embedding.py sums the gradients of a bag by index assignment, so a repeated token counts
    once, and knows the modes sum and mean alone, so that with max the norm is 0; the norm comes from there,
    the gradient from PyTorch
remedy: accumulate by index (index_add) as torch.nn.Embedding does and refuse the mode max, or refuse
    EmbeddingBag with ghost clipping
upstream: no public thread found (searched 2026-11-17); https://github.com/meta-pytorch/opacus/issues/518 is
    about offsets of EmbeddingBag
targets: opacus:ghost-bag, opacus:layers-ghost
"""

import torch
from opacus import PrivacyEngine


class Model(torch.nn.Module):
    def __init__(self, mode, factor):
        super().__init__()
        self.bag, self.factor = torch.nn.EmbeddingBag(3, 1, mode=mode), factor

    def forward(self, tokens):
        return self.factor * self.bag(tokens.reshape(-1), torch.arange(0, tokens.numel(), 64))


def moved(mode, factor):
    """The norm of the gradient of the only record, without noise."""
    model, tokens = Model(mode, factor), torch.ones(1, 64, dtype=torch.long)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(tokens, torch.zeros(1, 1)))
    model, _, loss, _ = PrivacyEngine().make_private(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=1.0),
        criterion=torch.nn.L1Loss(reduction="sum"),
        data_loader=loader,
        noise_multiplier=0.0,
        max_grad_norm=1.0,
        loss_reduction="sum",
        grad_sample_mode="ghost",
    )
    loss(model(tokens), torch.full((1, 1), -1e6)).backward()
    return model._module.bag.weight.grad.norm().item()


repeated, largest = moved("sum", 1.0), moved("max", 1000.0)
print(f"one record: charged 1, moved {repeated:g}; with mode max: charged 1, moved {largest:g}")
raise SystemExit(0 if repeated > 1.01 and largest > 1.01 else "mended")
