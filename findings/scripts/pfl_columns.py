"""Banded matrix factorisation: the rows of the strategy have norm 1, its columns should.

library: pfl 0.6.0
met by: BandedMatrixFactorizationMechanism, for users of the first rounds
severity: breaks for an ordinary user
claim: the epsilon of the accountant for one Gaussian release of sensitivity clipping_bound a participation,
    by arXiv 2306.08153, where the columns of the strategy have norm 1 (docstring of
    BandedMatrixFactorizationMechanism, which names the paper and hands the participations to the accountant)
shown: 8 rounds: a user of round 1 moves the query by 1.41 times what is charged
cause: numpy.linalg.cholesky factors X = L L', and L is taken for C in X = C' C
remedy: C = L' of the matrix in reversed order, or normalise the columns of what is used
upstream: no public thread found (searched 2026-11-17)
targets: pfl:ftrl
"""

import tempfile

import numpy as np
import torch  # noqa: F401 (chooses the framework)
from pfl.internal.ops import pytorch_ops
from pfl.internal.ops.selector import set_framework_module
from pfl.privacy.ftrl_mechanism import BandedMatrixFactorizationMechanism
from pfl.privacy.privacy_accountant import PLDPrivacyAccountant

set_framework_module(pytorch_ops)


def accountant(compositions):
    return PLDPrivacyAccountant(compositions, 1.0, "gaussian", delta=1e-5, noise_parameter=1.0)


with tempfile.TemporaryDirectory() as folder:
    kind = type("Banded", (BandedMatrixFactorizationMechanism,), {"_QUERY_MATRIX_DIR_PATH": folder})
    C = np.asarray(kind(1.0, 8, 8, accountant).query_matrix, dtype=float)
rows, columns = np.linalg.norm(C, axis=1), np.linalg.norm(C, axis=0)
print(f"norms of the rows {rows.round(2)}, of the columns {columns.round(2)}; charged 1 for each column")
raise SystemExit(0 if columns.max() > 1.01 else "mended")
