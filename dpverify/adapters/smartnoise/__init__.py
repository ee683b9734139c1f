"""SmartNoise synthesizers: those from marginals, those with networks, those with private models, and what
prepares their columns.

Shown on smartnoise-synth 1.0.8:
  - the bins of MWEM end at the least and the largest category of the records;
  - MST fixes the number of records, and gives as many back, while its noise is for one more or less; what it
    measures adds up to its budget, as in AIM;
  - StandardScaler publishes mean and variance with hardly any noise;
  - DPCTGAN and DPGAN train for one more round when the budget is nearly spent;
  - the teachers of PATECTGAN are one network, and the student is the same; those of PATEGAN are networks of
    their own, and its votes cost less than is charged;
  - QUAIL spends what it says, and keeps an accuracy that has no noise;
  - the covariances behind DPLinearRegression get noise in another order than they stand in.

No law was run on the bounds that MinMaxTransformer and BinTransformer find for themselves.
"""

from dpverify.adapters.smartnoise.marginals import TARGETS as MARGINALS
from dpverify.adapters.smartnoise.models import TARGETS as MODELS
from dpverify.adapters.smartnoise.networks import TARGETS as NETWORKS
from dpverify.adapters.smartnoise.transforms import TARGETS as TRANSFORMS

TARGETS = (*MARGINALS, *MODELS, *NETWORKS, *TRANSFORMS)
