"""VARIANCE within bounds of both signs: squares about their middle get the noise of squares about 0.

library: pipeline-dp 0.3.1
met by: Metrics.VARIANCE with bounds of both signs of which the smaller has more than 0.42 of the size of the
    larger, such as (-1, 1)
severity: breaks for an ordinary user
claim: the total epsilon of the whole pipeline, for one privacy id more or less (docstring of
    NaiveBudgetAccountant)
shown: epsilon 3, bounds (-1, 1): a user at 1 moves the sum of squares by 1, its noise is for 1/2; an event
    has probability 12.5 % with that user, and 0.23 % without, e^4 times less
cause: VarianceCombiner.create_accumulator squares the values less the middle of the bounds, which gives
    numbers from 0 to ((max_value - min_value) / 2)^2; compute_dp_var reckons with half the length of the
    interval of the squares of the values themselves (compute_squares_interval). Within bounds of one sign
    that is more than needed
remedy: ((max_value - min_value) / 2)^2 as the sensitivity of that sum; or half of it, where the middle of
    the squares' interval is subtracted from each
upstream: no public thread found (searched 2026-11-17); https://github.com/OpenMined/PipelineDP/pull/301 moved
    the subtraction into the accumulator
targets: pipeline-dp:variance
"""

import math

import pipeline_dp

RUNS, EPSILON = 20_000, 3.0


def event(values):
    """How often count, sum and sum of squares are at least 4, 1 and 1, over that many partitions."""
    rows = [((run, user), run, value) for run in range(RUNS) for user, value in enumerate(values)]
    accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=EPSILON, total_delta=0)
    engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
    metrics = pipeline_dp.Metrics
    params = pipeline_dp.AggregateParams(
        metrics=[metrics.VARIANCE, metrics.MEAN, metrics.COUNT],
        noise_kind=pipeline_dp.NoiseKind.LAPLACE,
        max_partitions_contributed=1,
        max_contributions_per_partition=1,
        min_value=-1,
        max_value=1,
    )
    extract = pipeline_dp.DataExtractors(
        privacy_id_extractor=lambda row: row[0],
        partition_extractor=lambda row: row[1],
        value_extractor=lambda row: row[2],
    )
    released = engine.aggregate(rows, params, extract, public_partitions=list(range(RUNS)))
    accountant.compute_budgets()
    seen = 0
    for _, out in released:
        users = max(1.0, out.count)
        seen += out.count >= 4 and out.mean * users >= 1 and (out.variance + out.mean**2) * users >= 1
    return seen


with_user, without = event([1.0, 0.0, 0.0, 0.0]), event([0.0, 0.0, 0.0])
allowed = without + 5 * math.sqrt(without + 1)  # five standard errors, in the library's favour
print(f"epsilon {EPSILON:g}, {RUNS} partitions: {with_user} with the user, {without} without")
print(f"that is e^{math.log(with_user / max(without, 1)):.2f} times as often (exact: e^4)")
raise SystemExit(0 if with_user > math.exp(EPSILON) * allowed else "mended")
