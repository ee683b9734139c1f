"""Noise in single precision has bits that tell the value it was added to.

library: tensorflow-privacy 0.9.0
met by: whoever sees what GaussianSumQuery and the queries and optimizers that are made of it publish, number
    by number; weights that were stepped and rounded after it tell less
severity: corner case
claim: the epsilon of compute_dp_sgd_privacy_statement, for Gaussian noise on the clipped sum (its text; the
    precision of the noise is not spoken of)
shown: stddev 1: an output that is no multiple of 2^-24 was made from 0 and not from 1, in about a quarter of
    the runs
cause: the noise is drawn and added in the type of the record, float32, where 1 + noise has no bits below
    2^-24, and noise alone has
remedy: draw and add in float64 and round the sum to a grid, or say that outputs must not be published as they
    are
upstream: https://github.com/tensorflow/privacy/issues/349 points to such attacks, and the maintainers answer
    that they know; https://github.com/meta-pytorch/opacus/issues/616 is about the same in Opacus
targets: tf-privacy:dpkeras-sgd, tf-privacy:tree
"""

import tensorflow as tf
import tensorflow_privacy as tfp

query = tfp.GaussianSumQuery(l2_norm_clip=100.0, stddev=1.0)


def share(value):
    """How many of 5000 coordinates of a noisy sum of one record have a bit below 2^-24."""
    record = [tf.fill([5000], value)]
    state = query.initial_global_state()
    clipped = query.preprocess_record(query.derive_sample_params(state), record)
    released, *_ = query.get_noised_result(clipped, state)
    return float((released[0].numpy().astype(float) * 2.0**24 % 1 != 0).mean())


from_0, from_1 = share(0.0), share(1.0)
print(f"{from_0:.3f} of the outputs of 0 have a bit below 2^-24, and {from_1:g} of those of 1")
raise SystemExit(0 if from_0 > 0.1 and from_1 == 0 else "mended")
