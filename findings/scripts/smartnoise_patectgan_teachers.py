"""The teachers of PATECTGAN are one network, and the student is the same.

library: smartnoise-synth 1.0.8
met by: Synthesizer.create("patectgan", epsilon=...) as it comes
severity: breaks for an ordinary user
claim: PATE-GAN (the page of PATECTGAN in the documentation names the paper): each teacher sees a part of the
    records of its own, and the student, by which the generator is trained, sees none, but noisy votes
shown: 40 records, 5 teachers: all five votes and the student come from one network, which has been trained on
    all records without noise before the first vote; a record that is replaced moves a vote by 2 or
    more, charged for 1
cause: one Discriminator is made, the list of teachers repeats it, and the student is it (train of
    patectgan.py); PATEGAN makes a network for each
remedy: a Discriminator of its own for each teacher and for the student
upstream: no public thread found (searched 2026-11-17);
    https://github.com/opendp/smartnoise-sdk/issues/489 (open) sees that it performs poorly
targets: smartnoise:patectgan
"""

import warnings

import numpy as np
import torch
from snsynth.pytorch.nn import patectgan
from snsynth.transform import MinMaxTransformer, TableTransformer

warnings.simplefilter("ignore")
pate = patectgan.pate


class FirstVotes(Exception):
    """Ends the training there."""


def watched(made_up, teachers, noise, device="cpu"):
    _, votes = pate(made_up, teachers, noise, device=device)
    raise FirstVotes(len(teachers), len({id(teacher) for teacher in teachers}), votes.numpy()[:, 0])


patectgan.pate = watched
public = TableTransformer([MinMaxTransformer(lower=-1.0, upper=1.0)])
public.fit([(-1.0,), (1.0,)])


def first_votes(first, seed):
    """The votes before any noise; all other records, all seeds and all made-up records are the same."""
    np.random.seed(seed)
    torch.manual_seed(seed)
    synthesizer = patectgan.PATECTGAN(epsilon=1.0, sample_per_teacher=10, verbose=False)
    try:
        synthesizer.fit([(first,)] + [(-1.0,), (1.0,)] * 19 + [(-1.0,)], transformer=public)
    except FirstVotes as votes:
        return votes.args


moved = 0
for seed in range(10):
    (count, networks, one), (_, _, other) = (first_votes(first, seed) for first in (-1.0, 1.0))
    moved = max(moved, abs(one - other).max())
    if moved > 1:
        break
print(f"{count} teachers, {networks} network; one record moves a vote by {moved:g}, charged for 1")
raise SystemExit(0 if networks < count and moved > 1 else "mended")
