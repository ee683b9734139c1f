"""MWEM takes its bins from the least and the largest category that occurs, though all are given.

library: smartnoise-synth 1.0.8
met by: MWEMSynthesizer as it comes, on data in which the first or the last category of a column occurs once;
    with the categories given by a transformer that was fitted without the data, too
severity: breaks for an ordinary user
claim: epsilon is the privacy budget (docstring of MWEMSynthesizer)
shown: epsilon 1, categories a, b, c, of which c occurs once: a synthetic sample of 100 records holds a c in
    about two fifths of all fits; without that record there is no bin for it, and no c ever
cause: _histogram_from_data_attributes takes min and max of each column of the data, and np.histogramdd the
    same; the transformer's cardinality is not asked
remedy: as many bins as the transformer has categories, from 0 on
upstream: https://github.com/opendp/smartnoise-sdk/issues/473 (closed) asks for it, when categories could not
    yet be given
targets: smartnoise:mwem
"""

import warnings

from snsynth.mwem import MWEMSynthesizer
from snsynth.transform import LabelTransformer, TableTransformer

FITS = 20


def fitted(rows):
    public = TableTransformer([LabelTransformer(nullable=False)])
    public.fit([("a",), ("b",), ("c",)])
    synthesizer = MWEMSynthesizer(epsilon=1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        synthesizer.fit(rows, transformer=public)
    return synthesizer.synthetic_histograms[0][0].size, ("c",) in map(tuple, synthesizer.sample(100))


others = [("a",)] * 50 + [("b",)] * 49
with_record, without = ([fitted(rows) for _ in range(FITS)] for rows in ([*others, ("c",)], others))
for name, seen in (("with", with_record), ("without", without)):
    bins, holds = {size for size, _ in seen}, sum(drawn for _, drawn in seen)
    print(f"{name} the only c: {bins} bins, a c in {holds} of {FITS} samples")
raise SystemExit(0 if any(c for _, c in with_record) and not any(c for _, c in without) else "mended")
