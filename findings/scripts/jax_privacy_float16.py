"""The norm of float16 gradients underflows, and what has norm 0 is not clipped.

library: jax-privacy 2.0.0
met by: clipped_grad on float16 parameters with a clip of about 1e-4
severity: corner case
claim: one record moves the sum by at most l2_clip_norm (docstring of clipped_grad, Formal Guarantees)
shown: clip 1e-4, moved 4.8 times that
cause: squares are summed in float16, where those of numbers below 2^-12 are 0
remedy: compute norms in float32
upstream: https://github.com/google-deepmind/jax_privacy/pull/309 (closed) says the same and proposes a remedy
targets: jax-privacy:float16
"""

import jax.numpy as jnp
from jax_privacy import clipped_grad

gradient = clipped_grad(lambda w, x: (x @ w).sum(), l2_clip_norm=1e-4)
record = jnp.full((1, 16), 1.2e-4, jnp.float16)
moved = float(jnp.linalg.norm(gradient(jnp.zeros(16, jnp.float16), record).astype(jnp.float32)))
print(f"one record: charged 0.0001, moved {moved:.6f}")
raise SystemExit(0 if moved > 1.1e-4 else "mended")
