"""histogram with bins="auto" takes the number of bins from the records, without a warning.

library: diffprivlib 0.6.6
met by: tools.histogram(..., bins="auto") or another name of a rule, with the range given
severity: documented by the library
claim: none for the bins: the docstring says that their width is computed from the data within the range; but
    no PrivacyLeakWarning is raised, as it is where the range is missing
shown: a hundred records, one of them moved: 39 bins or 24, in every run
cause: numpy.histogram_bin_edges on the records
remedy: a PrivacyLeakWarning here too
upstream: no public thread found (searched 2026-11-17)
targets: diffprivlib:histogram-auto
"""

import numpy as np
from diffprivlib import tools

records = np.linspace(0.4, 0.6, 100)
moved = np.append(records[1:], 0.9)
one, other = (len(tools.histogram(data, 1.0, bins="auto", range=(0, 1))[0]) for data in (records, moved))
print(f"{one} bins, and {other} with one record moved")
raise SystemExit(0 if one != other else "mended")
