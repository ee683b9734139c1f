"""Every model of diffprivlib.models: fitted on a few records, all fitted attributes that its documentation
names published.

    LogisticRegression    noise in the objective, ||record|| <= data_norm           replace
    LinearRegression      noise on the coefficients of the objective                replace
    GaussianNB, StandardScaler, KMeans, PCA    noise on counts, sums, variances, eigenvalues and eigenvectors
    replace
    DecisionTreeClassifier, RandomForestClassifier    noise on the majority of each leaf
    add/remove

The library does not say which relation it means; the number of records is used without noise by all but the
tree, which is replace, and the counts of classes and leaves have the noise of one record more or less, which
is add/remove: where both meet, neither holds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from dpverify.adapters import positive
from dpverify.adapters.diffprivlib.common import calls, guarantee, repeated, slow, target
from dpverify.neighbours import Neighbours
from dpverify.subjects import Subject
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED


def shipped() -> list[str]:
    """The names of all models in the library that is installed."""
    from diffprivlib import models

    return [name for name, part in vars(models).items() if isinstance(part, type)]


def _model(
    name: str,
    pair: Neighbours,
    epsilon: float,
    runs: int,
    publish: Callable[[Any], Any],
    parts: bool = False,
    **settings: Any,
) -> Subject:
    """A model by name, fitted on records, or on records and labels; `publish` takes from it what is
    published. With `parts`, its mechanisms see parts of the records each, or coordinates of one vector with
    the sensitivity of the whole, so that their epsilons do not add up.
    """
    positive(epsilon=epsilon)

    def one(data: Any, state: np.random.RandomState) -> Any:
        from diffprivlib import BudgetAccountant, models

        # The default accountant lists all that was ever spent, and a forest copies it for every tree: with
        # it the time of a fit would grow with the number of fits before.
        model = getattr(models, name)(
            epsilon=epsilon, random_state=state, accountant=BudgetAccountant(), **settings
        )
        fitted = model.fit(*data if isinstance(data, tuple) else (data,))
        return np.concatenate([np.ravel(part) for part in publish(fitted)])

    return Subject(
        repeated(one, name),
        guarantee(epsilon),
        pair,
        f"the docstring of diffprivlib.models.{name}",
        calls=None if parts else calls(one),
        runs=runs,
        any_number=True,
    )


def _labelled(features: Any, labels: Any) -> tuple[Any, Any]:
    return np.asarray(features, dtype=float).reshape(len(labels), -1), np.asarray(labels)


def logistic(epsilon: float = 1.0, norm: float = 1.0, c: float = 1.0) -> Subject:
    """No intercept. The size of the coefficient is published; a record of the full norm is replaced by one at
    0.
    """
    positive(norm=norm, c=c)
    pair = Neighbours.replace(_labelled([norm, 0.0], [1, 0]), 0, ([0.0], 1))
    return _model(
        "LogisticRegression",
        pair,
        epsilon,
        1_500,
        lambda m: [np.round(np.abs(m.coef_), 6)],
        data_norm=norm,
        C=c,
        fit_intercept=False,
    )


def logistic_norm(epsilon: float = 1.0, norm: float = 1000.0, c: float = 1 / 3000) -> Subject:
    """No intercept, data_norm = 1000: the curvature is reckoned as if the norm were 1."""
    return logistic(epsilon, norm, c)


def logistic_intercept(epsilon: float = 1.0, c: float = 1.0) -> Subject:
    """With an intercept, the default. Published is whether it is beyond 3 while the decision at 1 is within 3
    of 0: a record seems to be there.
    """
    positive(c=c)

    def publish(fitted: Any) -> Any:
        intercept, slope = fitted.intercept_[0], fitted.coef_[0, 0]
        return [float(abs(intercept) > 3 > abs(intercept + slope))]

    pair = Neighbours.replace(_labelled([1.0, 0.0], [1, 0]), 0, ([-1.0], 1))
    return _model(
        "LogisticRegression", pair, epsilon, 3_000, publish, data_norm=1.0, C=c, tol=1e-6, max_iter=500
    )


def logistic_class(epsilon: float = 1.0) -> Subject:
    """The only record of a third class is replaced by one of the second."""
    pair = Neighbours.replace(_labelled([1.0, 0.5, 0.0], [2, 1, 0]), 0, ([1.0], 1))
    return _model("LogisticRegression", pair, epsilon, 100, lambda m: [m.coef_, m.intercept_], data_norm=1.0)


def _linear(pair: Neighbours, epsilon: float, lower: float, upper: float) -> Subject:
    settings: dict[str, Any] = {"bounds_X": (lower, upper), "bounds_y": (-1.0, 1.0), "fit_intercept": False}
    return _model("LinearRegression", pair, epsilon, 1_000, lambda m: [m.coef_], **settings)


def linear(epsilon: float = 1.0, lower: float = -1.0, upper: float = 1.0) -> Subject:
    """No intercept, one feature, bounds whose lower one is the larger in size: a record changes its target
    from one bound to the other.
    """
    return _linear(
        Neighbours.replace(_labelled([upper, upper], [1.0, 1.0]), 0, ([upper], -1.0)), epsilon, lower, upper
    )


def linear_lower(epsilon: float = 1.0, lower: float = 0.0, upper: float = 1.0) -> Subject:
    """No intercept, one feature: the only record goes from the upper bound to a tenth of it."""
    return _linear(
        Neighbours.replace(_labelled([upper], [0.0]), 0, ([upper / 10], 0.0)), epsilon, lower, upper
    )


def linear_default(epsilon: float = 1.0, features: int = 1) -> Subject:
    """With an intercept, as it comes: a record changes its target from one bound to the other.

    The means of X and of y spend a share of the budget each, and room is made for one of them: the calls add
    up to epsilon (1 + 1 / (features + 1)).
    """
    positive(features=features)
    data = _labelled(np.ones((2, features)), [1.0, 1.0])
    pair = Neighbours.replace(data, 0, (np.ones(features), -1.0))
    settings: dict[str, Any] = {"bounds_X": (-1.0, 1.0), "bounds_y": (-1.0, 1.0)}
    return _model("LinearRegression", pair, epsilon, 500, lambda m: [m.coef_, m.intercept_], **settings)


def _bayes(pair: Neighbours, epsilon: float, runs: int, upper: Any = 1.0) -> Subject:
    return _model(
        "GaussianNB",
        pair,
        epsilon,
        runs,
        lambda m: [m.theta_, m.var_, m.class_count_],
        parts=True,
        bounds=(np.zeros_like(upper), upper),
    )


def bayes(epsilon: float = 1.0, records: int = 4) -> Subject:
    """A record goes from one bound to the other and keeps its class."""
    data = _labelled(np.zeros(records), np.arange(records) % 2)
    return _bayes(Neighbours.replace(data, 0, ([1.0], 0)), epsilon, 1_000)


def bayes_class(epsilon: float = 1.0) -> Subject:
    """The only record of a class is replaced by one of another class."""
    return _bayes(Neighbours.replace(_labelled([0.0, 0.0, 1.0], [2, 0, 1]), 0, ([0.0], 1)), epsilon, 100)


def bayes_tiny(epsilon: float = 1.0) -> Subject:
    """Two features with the bounds (0, 1e-10) and (0, 1e-8); the first is clipped at 1e-8."""
    data = _labelled(np.zeros((4, 2)), [0, 1, 0, 1])
    return _bayes(Neighbours.replace(data, 0, ([1e-8, 0.0], 0)), epsilon, 1_000, np.array([1e-10, 1e-8]))


def scaler(epsilon: float = 1.0, records: int = 3, columns: int = 1) -> Subject:
    """All records at the lower bound, and one of them moved to the upper: mean and variance."""
    pair = Neighbours.replace(np.zeros((records, columns)), 0, np.ones(columns))
    return _model("StandardScaler", pair, epsilon, 4_000, lambda m: [m.mean_, m.var_], bounds=(0.0, 1.0))


def means(epsilon: float = 1.0, clusters: int = 1, columns: int = 1, records: int = 8) -> Subject:
    """One cluster: a record goes from one bound to the other."""
    pair = Neighbours.replace(np.full((records, columns), 0.5), 0, np.ones(columns))
    return _model(
        "KMeans", pair, epsilon, 1_000, lambda m: [m.cluster_centers_], n_clusters=clusters, bounds=(0.0, 1.0)
    )


def means_features(epsilon: float = 1.0, features: int = 10) -> Subject:
    """One cluster, ten features: what is meant for the count is spent on every feature, and the reverse."""
    return replace(means(epsilon, columns=features), runs=200)


def means_inertia(epsilon: float = 1.0, records: int = 8) -> Subject:
    """The centre and `inertia_`, which is computed from the records without noise."""
    pair = Neighbours.replace(np.full((records, 1), 0.5), 0, [1.0])
    return _model(
        "KMeans",
        pair,
        epsilon,
        500,
        lambda m: [m.cluster_centers_, m.inertia_],
        n_clusters=1,
        bounds=(0.0, 1.0),
    )


def means_empty(epsilon: float = 1.0) -> Subject:
    """Two clusters: all records at one bound, and one of them moved to the other."""
    pair = Neighbours.replace(np.zeros((8, 1)), 0, [1.0])
    return _model(
        "KMeans",
        pair,
        epsilon,
        1_500,
        lambda m: [np.sort(m.cluster_centers_.ravel())],
        parts=True,
        n_clusters=2,
        bounds=(0.0, 1.0),
    )


def components(epsilon: float = 1.0, dimension: int = 2) -> Subject:
    """Centred records; one goes from one axis to another."""
    pair = Neighbours.replace(np.eye(dimension)[[0, 0]], 0, np.eye(dimension)[1])
    return _model(
        "PCA",
        pair,
        epsilon,
        1_000,
        lambda m: [m.components_, m.explained_variance_],
        parts=True,
        data_norm=1.0,
        centered=True,
    )


def _leaves(tree: Any) -> Any:
    """Of a tree of depth 1 the threshold and the labels of its two leaves."""
    return [
        tree.tree_.threshold[0],
        tree.tree_.value[:, 0, :].argmax(axis=1)[[tree.tree_.children_left[0], tree.tree_.children_right[0]]],
    ]


def _tree(pair: Neighbours, epsilon: float) -> Subject:
    settings: dict[str, Any] = {"bounds": (0.0, 1.0), "classes": [0, 1], "max_depth": 1}
    return _model("DecisionTreeClassifier", pair, epsilon, 2_000, _leaves, parts=True, **settings)


def tree(epsilon: float = 1.0) -> Subject:
    """All records in one leaf, of one class but for one, which is removed."""
    return _tree(Neighbours.remove(_labelled(np.zeros(2), [0, 1]), 0), epsilon)


def tree_replace(epsilon: float = 1.0) -> Subject:
    """All records in one leaf, of one class but for one, which changes its class."""
    return _tree(Neighbours.replace(_labelled(np.zeros(3), [0, 1, 1]), 0, ([0.0], 1)), epsilon)


def _forest(pair: Neighbours, epsilon: float, runs: int) -> Subject:
    settings: dict[str, Any] = {"bounds": (0.0, 1.0), "classes": [0, 1], "max_depth": 1, "n_estimators": 2}
    return _model(
        "RandomForestClassifier",
        pair,
        epsilon,
        runs,
        lambda m: [p for t in m.estimators_ for p in _leaves(t)[1:]],
        parts=True,
        **settings,
    )


def forest(epsilon: float = 1.0) -> Subject:
    """Two trees of three records: without the first record the fourth goes to the other tree."""
    return _forest(Neighbours.remove(_labelled(np.zeros(6), [0, 1, 1, 1, 1, 0]), 0), epsilon, 1_000)


def forest_replace(epsilon: float = 1.0) -> Subject:
    """Two trees of three records: a record changes its class."""
    return _forest(
        Neighbours.replace(_labelled(np.zeros(6), [0, 1, 1, 0, 1, 1]), 0, ([0.0], 1)), epsilon, 1_000
    )


REPLACE, ADD = "epsilon-DP, replace", "epsilon-DP, add/remove"

FEW = {"empty": UNDECIDED, "single": UNDECIDED}  # refused

TARGETS = (
    target(
        "LogisticRegression",
        "no intercept, data_norm=1: looser than claimed, half the claim stands",
        REPLACE,
        logistic,
        **FEW,
        half=SUPPORTED,
    ),
    slow(
        "LogisticRegression-norm",
        "no intercept, data_norm=1000: the curvature of the loss of a record of norm R is up to "
        "R^2 / 4, the model reckons with R / 4 (as Vector-norm)",
        REPLACE,
        logistic_norm,
        **FEW,
        training=REFUTED,
    ),
    slow(
        "LogisticRegression-intercept",
        "with an intercept, the default: it is not regularised, and what the noise is calibrated "
        "for needs strong convexity in every parameter "
        "(exact loss 8.5 at epsilon = 1; where the noise is large the objective has no minimum)",
        REPLACE,
        logistic_intercept,
        **FEW,
        training=REFUTED,
    ),
    slow(
        "LogisticRegression-class",
        "the classes are taken from the labels, without a warning: a record that is alone in its "
        "class decides how many "
        "coefficients there are",
        REPLACE,
        logistic_class,
        **FEW,
        training=REFUTED,
    ),
    target(
        "LinearRegression",
        "no intercept, bounds (-1, 1): of three shares of the budget two are seen, half the claim stands",
        REPLACE,
        linear,
        empty=UNDECIDED,
        huge=REFUTED,
        half=SUPPORTED,
    ),
    slow(
        "LinearRegression-default",
        "with an intercept, the default: the means of X and y spend one share twice",
        REPLACE,
        linear_default,
        empty=UNDECIDED,
        budget=REFUTED,
        half=SUPPORTED,
    ),
    slow(
        "LinearRegression-lower",
        "no intercept, bounds_X=(0, 1): the sensitivity of the sum of squares is taken from the "
        "lower bound alone, which is 0, so "
        "that sum has no noise",
        REPLACE,
        linear_lower,
        empty=UNDECIDED,
        huge=REFUTED,
        training=REFUTED,
    ),
    target(
        "GaussianNB",
        "a record keeps its class: of three shares of the budget two are used, half the claim stands",
        REPLACE,
        bayes,
        empty=UNDECIDED,
        half=SUPPORTED,
    ),
    target(
        "GaussianNB-class",
        "the classes are taken from the labels, without a warning: a record that is alone in its "
        "class decides how many there are",
        REPLACE,
        bayes_class,
        empty=UNDECIDED,
        training=REFUTED,
    ),
    target(
        "GaussianNB-tiny",
        "bounds (0, 1e-10) and (0, 1e-8): upper bounds within 1e-8 of each other are taken for "
        "equal, so the first feature is clipped at "
        "1e-8, a hundred times its sensitivity. KMeans, LinearRegression and the trees clip in the same way",
        REPLACE,
        bayes_tiny,
        empty=UNDECIDED,
        huge=REFUTED,
        training=REFUTED,
    ),
    target("StandardScaler", "mean and variance of one feature", REPLACE, scaler, empty=UNDECIDED),
    target(
        "KMeans",
        "one cluster: only the last of two iterations is seen, half the claim stands",
        REPLACE,
        means,
        empty=UNDECIDED,
        half=SUPPORTED,
    ),
    slow(
        "KMeans-features",
        "one cluster, ten features: the shares of the count and of a feature are taken for each other",
        REPLACE,
        means_features,
        empty=UNDECIDED,
        budget=REFUTED,
        half=SUPPORTED,
    ),
    target(
        "KMeans-inertia",
        "one cluster, with the attribute inertia_ of the fitted model, which has no noise; the "
        "documentation does not except it",
        REPLACE,
        means_inertia,
        empty=UNDECIDED,
        huge=REFUTED,
        training=REFUTED,
    ),
    slow(
        "KMeans-empty",
        "two clusters: the centre of a cluster that no record is nearest to stays as it was, without noise",
        REPLACE,
        means_empty,
        **FEW,
        huge=REFUTED,
        training=REFUTED,
    ),
    target(
        "PCA",
        "centred records in the plane: looser than claimed, half the claim stands",
        REPLACE,
        components,
        empty=UNDECIDED,
        half=SUPPORTED,
    ),
    target("DecisionTreeClassifier", "one leaf with records", ADD, tree, empty=UNDECIDED),
    target(
        "DecisionTreeClassifier-replace",
        "one leaf with records: a change of class moves two counts, against which "
        "`monotonic=True` does not help. "
        "The documentation names no relation",
        REPLACE,
        tree_replace,
        empty=UNDECIDED,
        training=REFUTED,
    ),
    slow(
        "RandomForestClassifier",
        "two trees: the records are cut by their number, so without the first record another one "
        "changes its tree",
        ADD,
        forest,
        empty=UNDECIDED,
        training=REFUTED,
    ),
    slow(
        "RandomForestClassifier-replace",
        "two trees: a change of class moves two counts of a leaf. The documentation names no relation",
        REPLACE,
        forest_replace,
        empty=UNDECIDED,
        training=REFUTED,
    ),
)
