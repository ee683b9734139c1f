"""The figures of a run that its picture shows: the schedule, its optimum, and the influence of the noise."""

import dataclasses

import numpy as np
import pytest

from dpverify.algorithms import example
from dpverify.reporting import figures
from dpverify.reporting.runs import along, judged, summary, table


@pytest.mark.parametrize(("name", "power"), [("private-gd-momentum", 2), ("dp-masg", 1)])
def test_no_schedule_on_the_same_budget_has_a_smaller_exact_mean_than_the_optimum(name, power):
    case = example(name)
    row = along(case, case.simulate(2, every_step=True))
    noise, optimum = np.array(row["noise"]), np.array(row["optimum"])
    assert np.sum(optimum**-power) == pytest.approx(np.sum(noise**-power), rel=1e-2)

    def exact(schedule):
        def release(t):
            as_run = case.algorithm.release(t)
            scale = as_run.scale * schedule[t - 1] * float(as_run.ratio(case.adjacency))
            return dataclasses.replace(as_run, scale=scale)

        algorithm = dataclasses.replace(case.algorithm, release=release)
        return dataclasses.replace(case, algorithm=algorithm).exact_mean()

    least = exact(optimum)
    assert least < case.exact_mean()
    rng = np.random.default_rng(0)
    for _ in range(5):
        other = optimum * np.exp(0.3 * rng.standard_normal(len(optimum)))
        other *= (np.sum(other**-power) / np.sum(optimum**-power)) ** (1 / power)
        assert exact(other) > least


def test_a_picture_shows_what_is_known():
    case = example("dp-gd")
    runs = case.simulate(5, every_step=True)
    row = summary(case, runs, False) | along(case, runs)
    known = figures.algorithm(row)
    assert "against its formula" in known.alt  # nobody has checked its claim
    proved = figures.algorithm(row | {"bound_verdict": "PROVED"})
    assert "against its bound" in proved.alt and "bound at the end of a run" in proved.svg
    unknown = figures.algorithm(row | {"bound": None, "influence": [], "optimum": []})
    assert "the least exact mean on the same budget" in known.svg
    assert "the influence of that noise" in known.svg
    assert "influence" not in unknown.svg
    assert "no bound is proved" in unknown.alt


def test_why_no_bound_is_proved_is_a_field_of_its_own_whatever_the_note_says():
    case = example("output-perturbation")
    runs = case.simulate(5)
    assert "none is proved for this case: a baseline" in table(judged(summary(case, runs, False), {}))
    silent = dataclasses.replace(case, no_bound="", note="no bound on the number of records is known")
    assert "none is proved for this case: a theorem needs" in table(judged(summary(silent, runs, False), {}))
