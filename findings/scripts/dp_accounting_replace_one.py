"""Replacing a record is accepted, and charged like removing one.

library: dp-accounting 0.6.0
met by: RdpAccountant(neighboring_relation=NeighboringRelation.REPLACE_ONE) with a GaussianDpEvent
severity: breaks for a documented option
claim: epsilon for the neighbouring relation that was given (docstring of RdpAccountant)
shown: one Gaussian event of noise multiplier 1 at delta 1e-5: 4.73 reported, 10.0 true
cause: the Gaussian branch of rdp_privacy_accountant.py does not look at the relation; PLDAccountant doubles
    the sensitivity
remedy: halve the noise multiplier under REPLACE_ONE, or refuse it
upstream: https://github.com/google/differential-privacy/issues/378;
    https://github.com/google/differential-privacy/pull/464 proposes a remedy
targets: accountant:dp-accounting-rdp
"""

import dp_accounting as dpa
import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

event, relation = dpa.GaussianDpEvent(1.0), dpa.NeighboringRelation.REPLACE_ONE
renyi = dpa.rdp.RdpAccountant(neighboring_relation=relation).compose(event).get_epsilon(1e-5)
losses = dpa.pld.PLDAccountant(relation, 1e-3).compose(event).get_epsilon(1e-5)
# Exactly: one record replaced moves the sum by 2 under noise of 1 (Balle and Wang 2018).
true = brentq(lambda e: norm.cdf(1 - e / 2) - np.exp(e + norm.logcdf(-1 - e / 2)) - 1e-5, 0, 50)
print(f"one record replaced: {renyi:.3f} by RdpAccountant, {losses:.3f} by PLDAccountant, {true:.3f} exactly")
raise SystemExit(0 if renyi < 0.9 * true else "mended")
