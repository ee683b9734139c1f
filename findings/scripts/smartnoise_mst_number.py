"""MST publishes the number of records, while its noise is for one record more or less.

library: smartnoise-synth 1.0.8
met by: Synthesizer.create("mst", epsilon=...) as it comes, and sample() without a number or fit_sample()
severity: breaks for an ordinary user
claim: epsilon and delta are the privacy budget (docstring of MSTSynthesizer; no relation is named, and
    fit_sample says that it gives as many rows as there are records)
shown: 101 records or 100: sample() gives 101 rows or 100, in every fit. If the number is to be public, a
    record is replaced and moves two cells of each marginal: epsilon 1 and delta 1e-9 are claimed, and of what
    is measured alone delta is 1.7e-8
cause: fit() keeps len(data), sample() takes it where no number is given, and the model is estimated with
    known_total=len(data); sigma = sqrt(3/(2 rho)) is for marginals that move by 1 (mst.py)
remedy: estimate the total from what was measured, as AIM and the original do, and give the noisy one back; or
    twice rho for replaced records
upstream: no public thread found (searched 2026-11-17)
targets: smartnoise:mst
"""

import math
import warnings

from scipy.stats import norm
from snsynth import Synthesizer
from snsynth.transform import LabelTransformer, TableTransformer
from snsynth.utils import cdp_rho

warnings.simplefilter("ignore")
rows = [("a", "x"), *[("a", "y"), ("b", "x")] * 50]
numbers = []
for data in (rows, rows[1:]):
    public = TableTransformer([LabelTransformer(nullable=False), LabelTransformer(nullable=False)])
    public.fit([("a", "x"), ("b", "y")])
    synthesizer = Synthesizer.create("mst", epsilon=1.0)
    synthesizer.fit(data, transformer=public)
    numbers.append(len(synthesizer.sample()))
    print(f"{len(data)} records: {numbers[-1]} rows")
# Two thirds of rho are for the measurements; where a record is replaced they move twice as far, squared.
mu = math.sqrt(2 * 4 / 3 * cdp_rho(1.0, 1e-9))
delta = norm.cdf(mu / 2 - 1 / mu) - math.e * norm.cdf(-mu / 2 - 1 / mu)
print(f"if their number is public: delta {delta:.1e} at epsilon 1, 1e-9 claimed")
raise SystemExit(0 if numbers == [101, 100] and delta > 1e-9 else "mended")
