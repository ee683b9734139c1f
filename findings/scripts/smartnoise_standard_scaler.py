"""StandardScaler publishes mean and variance with noise of about 1e-13.

library: smartnoise-synth 1.0.8
met by: snsynth.transform.StandardScaler in a TableTransformer, with bounds or without
severity: breaks for a documented option
claim: epsilon is the privacy budget to use for mean and variance (docstring of StandardScaler)
shown: epsilon 0.1, values within (0, 1): 50 ones of 100 give a mean of 0.5, 49 of them 0.49, to 12 digits, in
    every fit; noise for epsilon 0.1 would be of about 0.5
cause: the number of values is given to OpenDP as public, so that data sets of it differ by at least two, one
    record less and another more; the scales of the noise are looked for at a distance of 1, at which such
    data sets are the same, and a scale of nearly 0 will do
remedy: look for the scales at d_in=2, or leave the size out and count with noise
upstream: no public thread found (searched 2026-11-17); https://github.com/opendp/smartnoise-sdk/pull/440
    brought the scaler, on another library then
targets: smartnoise:standard-scaler
"""

from snsynth.transform import StandardScaler

means = []
for ones in (50, 49):
    fitted = []
    for _ in range(5):
        scaler = StandardScaler(lower=0.0, upper=1.0, epsilon=0.1)
        scaler.fit([1.0] * ones + [0.0] * (100 - ones))
        fitted.append(float(scaler.mean))
    means.append(fitted)
    print(f"{ones} ones of 100: means {fitted}, spent {scaler.budget_spent}")
raise SystemExit(0 if min(means[0]) > 0.499 and max(means[1]) < 0.491 else "mended")
