"""jax-privacy: clipped gradients, privatizers, batch selection and execution plans, on the linear loss <w,
record> over two leaves.

    query     sum_i clip(g_i, clip)          released   query + N(0, (noise clip)^2 I)
    factors   Y = X + N Z, Z ~ N(0, std^2 I)  recorded as   L^-1 Y = L^-1 X + Z', N N^T = L L^T, Z' ~ N(0,
    std^2 I)

X are the queries of all steps, one row each, and N is the noising matrix. L^-1 undoes the correlation and
loses nothing, so the tape sees one release of the whole training with independent noise. Runs are mapped over
inside of one compiled function, in float64.

Findings on jax-privacy 2.0.0, of which the first three are targets and the others are shown in the tests:
  - bfloat16 (float16) gradients with the default `dtype=None` of a privatizer get noise of 128 (1024)
  different values, none beyond
    2.9 (3.5) standard deviations: far from the Gaussian that is charged. With `dtype=float32` there is none
    of it.
  - the norm of float16 gradients is computed in float16: entries below 1.7e-4 square to 0, and what has norm
  0 is not clipped.
  - `BandMFExecutionPlanConfig(column_normalize=True)` multiplies the noise by the norm of the strategy, which
  normalizing took away:
    a strategy of norm 1/2 gets half of the noise that its `dp_event` charges.
    `toeplitz.inverse_as_streaming_matrix` asks for norm 1,
    the plan neither asks nor checks; what `default` optimizes has norm 1.
  - squared norms of bfloat16 leaves are added up in bfloat16: from a few hundred leaves on, clipped gradients
  are longer than the clip.
  - `rescale_to_unit_norm` with a clip near the square root of the smallest number (1e-19 in float32) gives
  norms far above 1.
  - a dense noising matrix repeats the noise of its last row in every step beyond it, without an error
  (nothing is claimed there; pull
    request 338 of its repository, later than this version, makes it an error).
  - `matrix_factorization_privatizer` documents the covariance N^T N; it is N N^T, which is what privacy
  needs.
  - what its Keras API charges is not what its fit() does (`keras.py`).
  - an empty batch is refused, so that batches of Poisson sampling have to be padded; `prng_key=None` draws 31
  bits from NumPy's
    global generator.
"""

from dpverify.adapters.jax_privacy import batches, factors, keras, training
from dpverify.adapters.jax_privacy.gradients import check_gradients

__all__ = ["TARGETS", "check_gradients"]

TARGETS = (*training.TARGETS, *batches.TARGETS, *factors.TARGETS, *keras.TARGETS)
