"""Geometric noise is added to integers in double precision, where large ones are rounded.

library: diffprivlib 0.6.6
met by: mechanisms.Geometric (GeometricTruncated, GeometricFolded) on integers beyond 2^53
severity: corner case
claim: epsilon-differential privacy on integers (docstring of Geometric, which sets no limit)
shown: epsilon 1 at 2^60 + 128 and 2^60 + 129: all outputs of one differ from all outputs of the other
cause: the value is a double once noise is added to it; neighbouring integers become 256 apart, the noise is
    lost in the rounding
remedy: add in whole numbers, or refuse what a double does not hold
upstream: no public thread found (searched 2026-11-17)
targets: diffprivlib:Geometric-large
"""

from diffprivlib.mechanisms import Geometric

one, other = (
    {Geometric(epsilon=1.0, sensitivity=1, random_state=k).randomise(value) for k in range(200)}
    for value in (2**60 + 128, 2**60 + 129)
)
print(f"200 outputs each: {len(one)} and {len(other)} different ones, {len(one & other)} in common")
raise SystemExit(0 if not one & other else "mended")
