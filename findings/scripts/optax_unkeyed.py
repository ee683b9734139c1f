"""Without a key, the noise is the same in every run.

library: optax 0.2.8
met by: optax.contrib.differentially_private_aggregate with its default key=None
severity: breaks for an ordinary user
claim: noise of noise_multiplier times the clip (docstring of differentially_private_aggregate)
shown: two optimizers made without a key add the same noise, so that the noise is known to everybody
cause: a missing key is taken for jax.random.key(0); the warning says that a key will be required, and nothing
    of privacy
remedy: require a key
upstream: https://github.com/google-deepmind/optax/pull/1167 (closed) proposed to raise
targets: optax:unkeyed
"""

import warnings

import jax.numpy as jnp
from optax import contrib

warnings.simplefilter("ignore")


def released():
    aggregate = contrib.differentially_private_aggregate(l2_norm_clip=1.0, noise_multiplier=1.0)
    weights = jnp.zeros(3)
    return aggregate.update(jnp.zeros((2, 3)), aggregate.init(weights), weights)[0]


one, other = released(), released()
print(f"{one} and {other}")
raise SystemExit(0 if (one == other).all() else "mended")
