"""Noise for bfloat16 gradients is drawn in bfloat16: few values, and no tails.

library: jax-privacy 2.0.0
met by: gaussian_privatizer with its default dtype=None on bfloat16 (or float16) gradients; optax 0.2.8 does
    the same in contrib.differentially_private_aggregate, without such an option
severity: breaks for an ordinary user
claim: Gaussian noise of the given standard deviation (docstring of matrix_factorization_privatizer, which
    gaussian_privatizer is with the identity; it says that the noise has the type of the gradients where no
    dtype is given, and not what becomes of it there)
shown: 128 values, none beyond 2.9 standard deviations; 87 % of the outputs of a gradient of 1 cannot come
    from one of 0
cause: jax.random.normal in bfloat16 inverts a uniform number of 8 bits
remedy: draw in float32 whatever the gradients are, which dtype=float32 does in jax-privacy
upstream: no public thread found (searched 2026-11-17); https://github.com/jax-ml/jax/pull/26974 is about the
    same coarseness of jax.random.uniform
targets: jax-privacy:bfloat16, jax-privacy:float16, optax:bfloat16
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax_privacy import noise_addition
from optax.contrib import differentially_private_aggregate

size = 100_000
privatizer = noise_addition.gaussian_privatizer(stddev=1.0, prng_key=jax.random.key(0))


def outputs(value):
    gradient = jnp.full(size, value, jnp.bfloat16)
    return np.asarray(privatizer.update(gradient, privatizer.init(gradient))[0], dtype=float)


noise, moved = outputs(0.0), outputs(1.0)
impossible = np.mean(~np.isin(moved, np.unique(noise)))
print(f"{len(np.unique(noise))} values of noise, largest {np.abs(noise).max():.2f}; {impossible:.0%} of")
print("the outputs of a gradient of 1 are none of a gradient of 0, in 100 000 draws")
aggregate = differentially_private_aggregate(1.0, 1.0, key=jax.random.key(0))
other, _ = aggregate.update(jnp.zeros((1, size), jnp.bfloat16), aggregate.init(None))
print(f"optax: {len(np.unique(np.asarray(other, dtype=float)))} values of noise")
raise SystemExit(0 if np.abs(noise).max() < 4 else "mended")
