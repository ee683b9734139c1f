"""SmartNoise synthesizers: those from marginals, those with networks, and what prepares their columns.

Shown on smartnoise-synth 1.0.8:
  - the bins of MWEM end at the least and the largest category of the records;
  - MST fixes the number of records, and gives as many back, while its noise is for one more or less; what it
    measures adds up to its budget, as in AIM;
  - StandardScaler publishes mean and variance with hardly any noise;
  - DPCTGAN and DPGAN train for one more round when the budget is nearly spent;
  - the teachers of PATECTGAN are one network, and the student is the same.

No law was run on PATEGAN, whose teachers are networks of their own, on QUAIL and `snsynth.models`, which need
scikit-learn, and on the bounds that MinMaxTransformer and BinTransformer find for themselves.
"""

from dpverify.adapters.smartnoise.marginals import TARGETS as MARGINALS
from dpverify.adapters.smartnoise.networks import TARGETS as NETWORKS
from dpverify.adapters.smartnoise.transforms import TARGETS as TRANSFORMS

TARGETS = (*MARGINALS, *NETWORKS, *TRANSFORMS)
