"""Some layers get the wrong per-example gradient in the default mode.

library: opacus 1.6.0
met by: grad_sample_mode="hooks", the default, with EmbeddingBag (repeated tokens, or mode="max"),
    Embedding(padding_idx=...), convolutions with circular, reflect or replicate padding, or an embedding tied
    through functional.linear
severity: accuracy only
claim: grad_sample is the gradient of each sample (docstring of GradSampleModule)
shown: an EmbeddingBag of one token four times: the gradient is 4, grad_sample is 1; with mode="max" the
    gradient is 1, grad_sample 0. What there is is clipped and noised like any other
cause: grad_sample/embedding.py and grad_sample/conv.py, as for ghost clipping, where the same breaks privacy
remedy: as there; grad_sample_mode="functorch" is right for all but the tied embedding
upstream: no public thread found (searched 2026-11-17)
targets: opacus:layers-hooks, opacus:layers-ew, opacus:layers-functorch
"""

import torch
from opacus import GradSampleModule


class Model(torch.nn.Module):
    def __init__(self, mode):
        super().__init__()
        self.bag = torch.nn.EmbeddingBag(2, 1, mode=mode)

    def forward(self, tokens):
        return self.bag(tokens.reshape(-1), torch.arange(0, tokens.numel(), 4))


off = []
for mode in ("sum", "max"):
    model = GradSampleModule(Model(mode), loss_reduction="sum")
    model(torch.ones(1, 4, dtype=torch.long)).sum().backward()
    weight = model._module.bag.weight
    true, sampled = weight.grad.norm().item(), weight.grad_sample[0].norm().item()
    print(f"mode {mode}: the gradient of the only record has norm {true:g}, its grad_sample {sampled:g}")
    off.append(abs(true - sampled))
raise SystemExit(0 if min(off) > 1e-3 else "mended")
