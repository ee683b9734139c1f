"""column_normalize divides the noise by a norm that it took away.

library: jax-privacy 2.0.0
met by: BandMFExecutionPlanConfig(strategy=..., column_normalize=True) with a strategy whose norm is not 1
severity: corner case
claim: the dp_event of a plan made by one of the configurations can be trusted (docstring of DPExecutionPlan)
shown: a strategy of norm 1/2 gets half the noise that is charged
cause: the noise is scaled by the norm of the strategy as given, after its columns were normalised
remedy: scale by the norm of what is used, or ask for norm 1 as toeplitz.inverse_as_streaming_matrix does
upstream: https://github.com/google-deepmind/jax_privacy/pull/310 (closed) says the same and proposes a remedy
targets: jax-privacy:bandmf-normalized
"""

import jax.numpy as jnp
import numpy as np
from jax_privacy.experimental import execution_plan


def spread(strategy):
    plan = execution_plan.BandMFExecutionPlanConfig(
        iterations=1,
        strategy=np.array(strategy),
        epsilon=None,
        delta=None,
        noise_multiplier=1.0,
        l2_clip_norm=1.0,
        sampling_prob=1.0,
        column_normalize=True,
        noise_seed=0,
    ).plan
    noise, zero = plan.noise_addition_transform, jnp.zeros(100_000)
    return float(jnp.std(noise.update(zero, noise.init(zero))[0])), plan.dp_event


(whole, charged), (half, same) = spread([1.0]), spread([0.5])
print(
    f"noise {whole:.3f} with a strategy of norm 1, {half:.3f} with norm 1/2; charged alike: {charged == same}"
)
raise SystemExit(0 if half < 0.6 * whole else "mended")
