"""What a step publishes: the noise that is drawn is the noise that is charged; one file a kind of release."""

from dpverify.releases.base import Cost, Law, Noise, NotEnumerable, Release
from dpverify.releases.gaussian import Gaussian
from dpverify.releases.implicit import Implicit
from dpverify.releases.laplace import Laplace
from dpverify.releases.subsampled import Subsampled
from dpverify.releases.tree import TreeNode, occurrences

__all__ = [
    "Cost",
    "Gaussian",
    "Implicit",
    "Laplace",
    "Law",
    "Noise",
    "NotEnumerable",
    "Release",
    "Subsampled",
    "TreeNode",
    "occurrences",
]
