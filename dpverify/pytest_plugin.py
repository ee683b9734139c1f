"""The pytest plugin: the fixture `dp_audit`, the marker `dp`, the options `--dp-profile` and `--dp-seed`, and
the sum of all alphas.

    @pytest.mark.dp(epsilon=1.0, delta=1e-5, neighbours=pair)       # on a mechanism: it is audited, whatever
    its name
    def train(data, rng): ...

    @pytest.mark.dp(epsilon=1.0, delta=1e-5, relation="replace")     # on a test: the claim of its audits
    def test_train(dp_audit):
        dp_audit(train, data=data)                                   # the worst neighbour found; or
        dp_audit(train, pair)

    def test_laws():
        dpverify.properties.hold(train, data, declared=release)      # every law that applies, in one line

    @given(scale=floats(1, 2))                                       # Hypothesis searches for what breaks it
    def test_scales(dp_audit, scale):
        dp_audit(partial(train, scale=scale), pair, GDP(1 / scale))

An audit that does not end SUPPORTED fails the test, and its message is the witness, or why it is undecided.
Nothing heavy is imported before an audit runs.
"""

from __future__ import annotations

import inspect
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from dpverify.auditing import Budget
    from dpverify.verdicts import Result

PROFILES = {
    "quick": (2_000, 1e-6),
    "ci": (20_000, 1e-6),
    "deep": (1_000_000, 1e-6),
}  # runs a side, alpha per audit


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("dp", "audits of differential privacy")
    group.addoption(
        "--dp-profile",
        choices=sorted(PROFILES),
        default="ci",
        help="How much an audit may spend (default: ci).",
    )
    group.addoption("--dp-seed", type=int, default=0, help="Seed of every audit (default: 0).")


def pytest_configure(config: pytest.Config) -> None:
    line = f"dp({', '.join(KNOWN)}): the guarantee that a mechanism, or the audits of a test, claim"
    config.addinivalue_line("markers", line)


SEARCHED = ("data", "domain", "draw_record")  # where neighbours are searched for: see `worst_neighbours`
KNOWN = ("epsilon", "delta", "mu", "claim", "relation", "neighbours", *SEARCHED, "declared", "undecided")


def _expect_known(arguments: dict[str, Any]) -> None:
    from dpverify.auditing import Budget
    from dpverify.suggestions import did_you_mean

    for name in arguments:
        if name not in KNOWN:
            spent = (
                f" In dp_audit(..., budget=Budget({name}=...)), perhaps." if hasattr(Budget(), name) else ""
            )
            near = spent or did_you_mean(name, KNOWN)
            pytest.fail(f"Expected {name}= in dp(...) to be one of {', '.join(KNOWN)}.{near}", pytrace=False)


def claim_of(arguments: dict[str, Any]) -> Any:
    """The guarantee that a marker's arguments name.

    >>> str(claim_of({"epsilon": 1.0, "delta": 1e-5})), str(claim_of({"mu": 0.5}))
    ('(1, 1e-05)-DP', '0.5-GDP')
    """
    from dpverify.guarantees import GDP, ApproxDP, PureDP

    _expect_known(arguments)
    given = [name for name in ("epsilon", "mu", "claim") if arguments.get(name) is not None]
    if len(given) > 1:
        pytest.fail(f"Expected one claim in the marker dp(...), got {' and '.join(given)}.", pytrace=False)
    if arguments.get("claim") is not None:
        return arguments["claim"]
    delta = arguments.get("delta", 0.0)
    try:
        if arguments.get("mu") is not None:
            return GDP(arguments["mu"])
        if arguments.get("epsilon") is not None:
            return PureDP(arguments["epsilon"]) if delta == 0 else ApproxDP(arguments["epsilon"], delta)
    except (TypeError, ValueError) as error:
        pytest.fail(f"{error} It stands in the marker dp(...).", pytrace=False)
    pytest.fail("Expected one of epsilon, mu and claim in the marker dp(...).", pytrace=False)


def _neighbours_of(mechanism: Any, arguments: dict[str, Any], claim: Any, seed: int) -> Any:
    from dpverify.neighbours import Adjacency, Neighbours

    relation = arguments.get("relation")
    if relation is not None and relation not in list(Adjacency):
        pytest.fail(
            f"Expected relation={relation!r} in the marker dp(...) among {', '.join(Adjacency)}.",
            pytrace=False,
        )
    if isinstance(mechanism, Neighbours):
        pytest.fail("Expected dp_audit(mechanism, neighbours), got neighbours first.", pytrace=False)
    pair = arguments.get("neighbours")
    if pair is not None:
        pair = pair() if callable(pair) else pair
        if not isinstance(pair, Neighbours):
            pytest.fail(
                f"Expected neighbours={pair!r} of dp(...) or dp_audit(...) to be a Neighbours or "
                "to return one.",
                pytrace=False,
            )
        if relation is not None and pair.adjacency != relation:
            pytest.fail(
                f"Expected relation={relation!r} in the marker dp(...) to be that of its "
                f"neighbours, {pair.adjacency}.",
                pytrace=False,
            )
        return pair
    if arguments.get("data") is None:
        pytest.fail(
            "Expected neighbours=, or data= to search from, in dp(...) or dp_audit(...).", pytrace=False
        )
    from dpverify.auditing.search import worst_neighbours

    adjacency = Adjacency(relation or "replace")
    within: dict[str, Any] = {name: arguments.get(name) for name in ("domain", "draw_record")}
    return worst_neighbours(mechanism, arguments["data"], adjacency, claim=claim, seed=seed, **within)


OPTIONS = {"declared", "progress", "public", "rungs", "smaller"}  # those of `audit`


def _budget_of(item: pytest.Item, options: dict[str, Any]) -> Budget:
    """The budget among the options, which it is taken from, or else that of the profile."""
    from dpverify.auditing import Budget

    runs, alpha = PROFILES[item.config.getoption("--dp-profile")]
    seed = item.config.getoption("--dp-seed")
    return options.pop("budget", None) or Budget(runs=runs, alpha=alpha, seed=seed)


def _run(item: pytest.Item, mechanism: Any, pair: Any, claim: Any, options: dict[str, Any]) -> Result:
    """Audit, note the figures, and fail the test unless the claim is supported."""
    __tracebackhide__ = True
    from dpverify.auditing import audit

    budget = _budget_of(item, options)
    undecided = options.pop("undecided", False)
    for name in options.keys() - OPTIONS:
        spent = f"; as budget=Budget({name}=...), perhaps" if hasattr(budget, name) else ""
        among = ", ".join(sorted({"budget", "undecided", *OPTIONS}))
        pytest.fail(
            f"Expected {name}={options[name]!r} of dp_audit(...) among {among}{spent}.", pytrace=False
        )
    result = audit(mechanism, pair, claim, budget=budget, **options)
    _note(item, result, budget.alpha)
    _fail_unless_supported(result, undecided)
    return result


def _run_scores(item: pytest.Item, scores: Any, claim: Any, options: dict[str, Any]) -> Result:
    """Judge one training by the scores of its canaries, note the figures, and fail unless supported."""
    __tracebackhide__ = True
    from dpverify.auditing.one_run import score_audit

    for name in options.keys() - {"budget", "undecided"}:
        pytest.fail(
            f"Expected {name}={options[name]!r} of dp_audit(scores=...) among budget, undecided.",
            pytrace=False,
        )
    try:
        members, others = scores
    except (TypeError, ValueError):
        pytest.fail(f"Expected scores={scores!r} to be a pair (members, others).", pytrace=False)
    budget = _budget_of(item, options)
    result = score_audit(members, others, claim, alpha=budget.alpha, seed=budget.seed)
    _note(item, result, budget.alpha)
    _fail_unless_supported(result, options["undecided"])
    return result


def _fail_unless_supported(result: Result, undecided: bool) -> None:
    """An audit that is UNDECIDED has tested nothing; a test that may end so says `undecided=True`."""
    __tracebackhide__ = True
    from dpverify.verdicts import SUPPORTED, UNDECIDED

    allowed = undecided and result.verdict is UNDECIDED and not result.crashed
    if result.verdict is not SUPPORTED and not allowed:
        details = f"\n{result.evidence.details}" if result.crashed and result.evidence else ""
        # Within @given the traceback must stay: Hypothesis writes its falsifying example below it.
        pytest.fail(f"{result}{details}", pytrace=_within_given())


def _within_given() -> bool:
    hypothesis = sys.modules.get("hypothesis")
    return hypothesis is not None and hypothesis.currently_in_test_context()


def _note(item: pytest.Item, result: Result, alpha: float) -> None:
    """Add an audit to the properties of its test, which `--junitxml` writes: the weakest verdict, the most
    that was shown, the ceiling, and the sums of seconds and alphas.
    """
    from dpverify.verdicts import Verdict

    before = dict(item.user_properties)
    verdict = min(
        Verdict(str(before.get("dp_verdict", result.verdict))), result.verdict, key=lambda v: v.strength
    )
    shown = [value for value in (before.get("dp_shown"), result.shown) if isinstance(value, int | float)]
    after: dict[str, object] = {
        "dp_audits": int(str(before.get("dp_audits", 0))) + 1,
        "dp_alpha": float(str(before.get("dp_alpha", 0.0))) + alpha,
        "dp_verdict": verdict.value,
        "dp_seconds": round(float(str(before.get("dp_seconds", 0.0))) + result.seconds, 3),
    }
    if shown:
        after["dp_shown"] = max(shown)
    if result.evidence is not None and result.evidence.ceiling:
        after["dp_ceiling"] = result.evidence.ceiling
    item.user_properties[:] = list((before | after).items())


_item = pytest.StashKey[pytest.Item]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    item.config.stash[_item] = item


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """A test that bears the marker and makes no audit has tested no claim."""
    result = yield
    marked = any(mark.name == "dp" for mark in item.own_markers)
    if marked and "dp_audits" not in dict(item.user_properties):
        pytest.fail(
            f"Expected {item.name}, which is marked dp(...), to make an audit, as dp_audit(mechanism, "
            "neighbours) does.",
            pytrace=False,
        )
    return result


def pytest_itemcollected(item: pytest.Item) -> None:
    """A test under Hypothesis' @given that audits has no deadline of 200 ms, unless its author set one."""
    function = getattr(item, "function", None)
    if getattr(function, "is_hypothesis_test", False) and "dp_audit" in getattr(item, "fixturenames", ()):
        import hypothesis

        with suppress(hypothesis.errors.InvalidArgument):  # it has settings of its own
            hypothesis.settings(deadline=None)(function)


@pytest.fixture(scope="session")  # nothing is kept between two calls, so that @given may call it many times
def dp_audit(pytestconfig: pytest.Config) -> Callable[..., Result]:
    """Audit a mechanism: `dp_audit(mechanism, neighbours)` against the claim of the marker `dp`, or with the
    claim as third argument. The test fails unless the claim is supported.

    With `data=` instead of neighbours, the pair is searched for under the marker's relation, among records
    that `domain=` allows or `draw_record=` draws. With `scores=(members, others)` instead of a mechanism, one
    training is judged by the scores of its canaries.
    `undecided=True` lets an audit pass that could not have refuted the claim.
    """

    def run(
        mechanism: Any = None,
        neighbours: Any = None,
        claim: Any = None,
        data: Any = None,
        scores: Any = None,
        **options: Any,
    ) -> Result:
        __tracebackhide__ = True
        item = pytestconfig.stash[_item]
        marker = item.get_closest_marker("dp")
        arguments = dict(marker.kwargs) if marker is not None else {}
        options.setdefault("undecided", arguments.get("undecided", False))
        if scores is not None:
            return _run_scores(item, scores, claim or claim_of(arguments), options)
        given = (
            {"neighbours": neighbours}
            if neighbours is not None
            else {"neighbours": None, "data": data}
            if data is not None
            else {}
        )
        given |= {name: options.pop(name) for name in ("domain", "draw_record") if name in options}
        claim = claim or claim_of(arguments)
        seed = pytestconfig.getoption("--dp-seed")
        pair = _neighbours_of(mechanism, arguments | given, claim, seed)
        options.setdefault("declared", arguments.get("declared"))
        return _run(item, mechanism, pair, claim, options)

    return run


class MechanismItem(pytest.Item):
    """One audit of a marked mechanism."""

    def __init__(self, *, mechanism: Any, arguments: dict[str, Any], **rest: Any) -> None:
        super().__init__(**rest)
        self.mechanism, self.arguments = mechanism, arguments
        self.own_markers.extend(getattr(mechanism, "pytestmark", []))  # to be skipped, say

    def runtest(self) -> None:
        claim = claim_of(self.arguments)
        seed = self.config.getoption("--dp-seed")
        pair = _neighbours_of(self.mechanism, self.arguments, claim, seed)
        known = ("declared", "undecided")
        options: dict[str, Any] = {name: self.arguments[name] for name in known if name in self.arguments}
        _run(self, self.mechanism, pair, claim, options)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        return self.path, self.mechanism.__code__.co_firstlineno - 1, f"audit of {self.name}"


def pytest_pycollect_makeitem(collector: Any, name: str, obj: object) -> Any:
    """A marked function with parameters `data` and `rng` is a mechanism to audit, whatever its name."""
    if not inspect.isfunction(obj):
        return None
    marker = next((mark for mark in getattr(obj, "pytestmark", []) if mark.name == "dp"), None)
    if marker is None or not {"data", "rng"} <= set(inspect.signature(obj).parameters):
        return None
    return MechanismItem.from_parent(collector, name=name, mechanism=obj, arguments=dict(marker.kwargs))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """All alphas of the session add up to the chance that any of its audits raises a false alarm."""
    audits, alpha = 0, 0.0
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", None) == "call":
                properties = dict(report.user_properties)
                audits += properties.get("dp_audits", 0)
                alpha += properties.get("dp_alpha", 0.0)
    if audits:
        plural = "audit" if audits == 1 else "audits"
        terminalreporter.write_line(
            f"dp: {audits} {plural}; the chance of a false alarm anywhere is at most {alpha:.3g}"
        )
