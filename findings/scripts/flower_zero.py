"""A client that changes nothing ends the round with an error.

library: flwr 1.41.0
met by: any strategy with clipping, or LocalDpMod, where a client returns the weights that it got
severity: corner case
claim: the replies of the sampled clients are aggregated (docstring of aggregate_train), clipped where their
    norm is above the clip
shown: an update of zero raises ZeroDivisionError, so that everybody sees that some client changed nothing
cause: min(1, clipping_norm / norm) of a norm that is 0
remedy: nothing is to be clipped where the norm is 0
upstream: https://github.com/flwrlabs/flower/pull/7631 (open) reports it and proposes this remedy
targets: flower:fixed
"""

import numpy as np
from flwr.supercore.differential_privacy import compute_clip_model_update

weights = [np.ones(3)]
try:
    compute_clip_model_update([np.ones(3)], weights, 1.0)
except ZeroDivisionError as error:
    print(f"an update of zero: ZeroDivisionError: {error}")
    raise SystemExit(0) from None
raise SystemExit("mended")
