"""Covariances get noise in another order than they stand in.

library: smartnoise-synth 1.0.8
met by: snsynth.models.dp_covariance.DPcovariance on three or more columns of different ranges; it is not
    exported, and DPLinearRegression, which is and which calls it, ends in an error on all data after it
severity: corner case
claim: a differentially private covariance matrix for global_eps (docstrings of DPcovariance's methods)
shown: columns within (0, 1), (0, 1) and (0, 1000), 100 records, epsilon 1: a record moves the covariance of
    the first and the third by 10, under noise of scale 0.12
cause: release() lists the lower triangle row by row, covariance_sensitivity the upper one row by row; with
    three columns the third and the fourth change places. make_covar_symmetric fills the upper triangle with
    what stands in the order of the lower, so that the entries change places as well
remedy: one order for values, sensitivities and matrix, numpy.tril_indices in all three
upstream: no public thread found (searched 2026-11-17); https://github.com/opendp/smartnoise-sdk/issues/622
    (closed) is about another line of the same function, which
    https://github.com/opendp/smartnoise-sdk/pull/624 (merged) mends in this version
targets: smartnoise:covariance
"""

import numpy as np
import pandas as pd
from snsynth.models.dp_covariance import DPcovariance

np.random.seed(0)


def released(last):
    """The covariance of the first and the third column, fifty times; one record has `last` in the third."""
    table = pd.DataFrame(np.zeros((100, 3)), columns=["a", "b", "c"])
    table.loc[0] = [1.0, 0.0, last]
    bounds = pd.DataFrame([[0.0, 0.0, 0.0], [1.0, 1.0, 1000.0]])
    private = DPcovariance(100, ["a", "b", "c"], bounds, 1.0)
    return np.array([private.release(table.copy())[3] for _ in range(50)])


one, other = released(0.0), released(1000.0)
print(
    f"fifty runs, epsilon 1: {one.min():.2f} to {one.max():.2f} with a record, {other.min():.2f} to ", end=""
)
print(f"{other.max():.2f} with another")
raise SystemExit(0 if one.max() < other.min() - 1 else "mended")
