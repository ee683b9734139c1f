"""Categories are taken from the records, at no cost.

library: smartnoise-synth 1.0.8
met by: any synthesizer with categorical columns and no transformer, as in the examples of the documentation
severity: breaks for an ordinary user
claim: safe differentially private preprocessing by default (release notes of 0.3.0); epsilon is the privacy
    budget (docstring of MWEMSynthesizer)
shown: epsilon 1, a category that one record of 100 has: a synthetic sample of 100 rows holds it in about
    two fifths of all fits; without that record it is in none
cause: the transformer that is inferred has a LabelTransformer for the column, whose categories are those that
    occur
remedy: ask for the categories, or find them by a private choice of partitions, as smartnoise-sql does
upstream: https://github.com/opendp/smartnoise-sdk/issues/473 (closed) asks for given categories, which a
    fitted transformer allows by now; that the default takes them from the records has no thread of its own
    (searched 2026-11-17)
targets: smartnoise:categories
"""

import warnings

from snsynth import Synthesizer

warnings.simplefilter("ignore")
FITS = 20
others = [("a",)] * 50 + [("c",)] * 49
counts = []
for rows in ([*others, ("b",)], others):
    held = 0
    for _ in range(FITS):
        synthesizer = Synthesizer.create("mwem", epsilon=1.0)
        synthesizer.fit(rows, categorical_columns=[0])
        held += ("b",) in map(tuple, synthesizer.sample(100))
    counts.append(held)
    print(f"{len(rows)} records: a b in {held} of {FITS} samples")
raise SystemExit(0 if counts[0] and not counts[1] else "mended")
