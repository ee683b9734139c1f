"""Objectives whose records have clipped gradient sums in closed form; one file a kind."""

from dpverify.problems.base import Problem
from dpverify.problems.linear import Linear, least_squares, logistic, same_model, wavy
from dpverify.problems.network import Network, network
from dpverify.problems.quadratic import Quadratic, mean_estimation, quadratic
from dpverify.problems.records import Records, finite

__all__ = [
    "Linear",
    "Network",
    "Problem",
    "Quadratic",
    "Records",
    "finite",
    "least_squares",
    "logistic",
    "mean_estimation",
    "network",
    "quadratic",
    "same_model",
    "wavy",
]
