"""The sequential test: wealth is bet against the claim, chunk by chunk; the claim is refuted when it exceeds
1/alpha.

Before each chunk, a score, bins and weights are learned from earlier chunks alone; the chunk then multiplies
the wealth by a factor whose mean is at most 1 under the claim (see `betting`). Looks are free: the
probability that the wealth of a true claim ever exceeds 1/alpha is at most alpha.

Six bettors at two desks share the wealth equally (a mean of such wealths is one). At the early desk the few
scores of `scores` are learned on all draws and counted on them, too: quick, where the effect is plain. At the
honest desk the many of `ratios` are learned on the first half of the draws and counted on the rest, so that
the choice among them is not flattered. Bettors believe that the log-odds of the bins are quadratic in the
bin's normal score, smooth in it, plain frequencies of fewer bins (early), or that they grow (honest); they
stake less the weaker the evidence is, and nothing below a threshold.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

import numpy as np

from dpverify.auditing.betting import Bet, best_bet
from dpverify.auditing.claimed import WorstPair
from dpverify.auditing.ratios import FEWEST, excess, learn_ratios
from dpverify.auditing.scores import Score, edges_of, exceedances, learn_scores

# what a bettor believes of the bins' log-odds, and the evidence (in nats) at which it bets half of the
# growth-optimal stake
CAUTION = {"quadratic": 1.0, "smooth": 2.0, "plain": 2.0, "monotone": 2.0}
EARLY_KINDS, HONEST_KINDS = ("quadratic", "smooth", "plain"), ("quadratic", "smooth", "monotone")
EXTRA = 1.0  # evidence (in nats) that a choice among many scores is worth nothing below
LEAST = {True: 1.25, False: 0.95}  # standard deviations by which an event must exceed the claim to be bet on
PROMISING = 2.5  # standard deviations at which a score is counted on all outputs, and kept beside later ones
KEPT = 8  # scores, of those learned on the first half of the draws, that are kept after a look at the rest
TRIED = 2  # scores, of those at a desk, that bets are computed for
ROUGHNESS = 1.5
MOST = 1_200_000  # numbers of each side that are kept to learn from
POOL = 65_536  # outputs of each side that are kept to learn from
CLEARLY = 0.25  # by what part more than any other score one that is dear to apply must promise to be chosen
LOOK = 2048  # outputs of each side, at least, that a score which nobody bets on is then applied to
EARLY = 16_384  # outputs of each side on which the scores of the first desk are learned
OFTEN = 1500  # up to so many draws bets are chosen anew with every chunk, then when there are twice as many


def believed(kind: str, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The probabilities of the bins on the two sides that a kind of bettor believes after these counts."""
    if kind in ("plain", "monotone"):
        return shrunk(x, y) if kind == "plain" else increasing(x, y)
    return smoothed(x, y, None if kind == "quadratic" else ROUGHNESS)


def increasing(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bin probabilities on the two sides whose log-odds grow with the bin: neighbours that do not are
    pooled, and each pool is drawn towards equality by half a draw a side.

    >>> p, q = increasing(np.array([1, 5, 3, 40]), np.array([40, 4, 4, 0]))
    >>> bool(np.isclose(p[1] / q[1], p[2] / q[2])), bool(p[3] / q[3] > 50)
    (True, True)
    """
    ratio = y.sum() / max(x.sum(), 1)
    pools: list[tuple[float, float, int]] = []
    for a, b in zip(x * ratio, y.astype(float)):
        pools.append((a, b, 1))
        while len(pools) > 1 and pools[-2][0] * pools[-1][1] >= pools[-1][0] * pools[-2][1]:
            c, d, size = pools.pop()
            e, f, more = pools.pop()
            pools.append((c + e, d + f, size + more))
    fit = np.concatenate([np.full(size, (a + 0.5) / (a + b + 1)) for a, b, size in pools])
    both = x * ratio + y + 0.25
    p, q = both * fit, both * (1 - fit)
    return p / p.sum(), q / q.sum()


def smoothed(x: np.ndarray, y: np.ndarray, roughness: float | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Bin probabilities on the two sides whose log-odds are a smooth function of the bin's normal score.

    Quadratic, or, with `roughness`, any function whose second derivative has that size (a smoothing spline).

    >>> p, q = smoothed(np.array([10, 20, 30]), np.array([30, 20, 10]))
    >>> bool(p[2] > q[2]), round(float(p.sum()), 6)
    (True, 1.0)
    """
    from scipy.linalg.lapack import dposv
    from scipy.special import expit, ndtri

    share = x + y + 0.25
    share /= share.sum()
    z = ndtri(_within(share.cumsum() - share / 2, 1e-9, 1 - 1e-9))
    base = math.log(max(x.sum(), 0.5) / max(y.sum(), 0.5))
    if roughness is None or len(x) < 4:
        design = np.stack([np.ones_like(z), z, z**2 - 1], axis=1)
        penalty = np.diag([1.0, 1.0, 8.0])
    else:
        design = None  # a coefficient for every bin
        penalty = _curvature(z) / roughness**2
        penalty.flat[:: len(x) + 1] += 0.05
    beta = np.zeros(len(penalty))
    log_odds = np.zeros(len(x))
    both = x + y
    for _ in range(4):
        fit = expit(base + log_odds)
        gradient, weight = x - both * fit, both * fit * (1 - fit) + 1e-9
        if design is None:
            curvature = penalty.copy()
            curvature.flat[:: len(x) + 1] += weight
        else:
            gradient, curvature = design.T @ gradient, (design.T * weight) @ design + penalty
        step = dposv(curvature, gradient - penalty @ beta)[1]
        beta = _within(beta + _within(step, -3.0, 3.0), -20.0, 20.0)
        log_odds = beta if design is None else design @ beta
        if max(step.max(), -step.min()) < 0.01:
            break
    fit = _within(expit(log_odds), 1e-6, 1 - 1e-6)
    p, q = share * fit, share * (1 - fit)
    return p / p.sum(), q / q.sum()


def _within(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """What np.clip gives; of a few values, sooner."""
    return np.asarray(np.minimum(np.maximum(values, low), high))


def _curvature(z: np.ndarray) -> np.ndarray:
    """The quadratic form sum of squared second derivatives times spacing, on unevenly spaced points."""
    gaps = np.maximum(np.diff(z), 1e-3)
    a, b = gaps[:-1], gaps[1:]
    rows, weight = np.arange(len(a)), np.sqrt(2 / (a + b))
    second = np.zeros((len(a), len(z)))
    second[rows, rows] = weight / a
    second[rows, rows + 1] = -weight * (1 / a + 1 / b)
    second[rows, rows + 2] = weight / b
    return second.T @ second


def shrunk(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Plain frequencies drawn a little towards each other, so that an empty bin is not an impossible one.

    >>> p, q = shrunk(np.array([0, 10]), np.array([10, 0]))
    >>> bool(0 < p[0] < q[0])
    True
    """
    share = (x + y + 0.5) / (x + y + 0.5).sum()
    return (x + 2 * share) / (x.sum() + 2), (y + 2 * share) / (y.sum() + 2)


@dataclass
class Bettor:
    """One way to bet: the score and the bins it uses now, its weights, and its log-wealth."""

    kind: str
    caution: float = 0.0
    log_wealth: float = 0.0
    merge: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=int))
    bet: Bet | None = None
    of: int = 0
    ledger: list[dict[str, np.ndarray]] = field(default_factory=list)

    def learn(
        self,
        counts: list[tuple[np.ndarray, np.ndarray]],
        pair: WorstPair,
        some: Iterable[int] | None = None,
        dear: Collection[int] = (),
    ) -> None:
        """Choose a score (among `some`) and weights by these counts, and how much to stake; one that is
        `dear` only if it promises clearly more.
        """
        self.bet = None  # all in cash
        most = 0.0
        for of in range(len(counts)) if some is None else some:
            x, y = counts[of]
            merge = coarse(x + y, 8) if self.kind == "plain" and len(x) > 8 else np.arange(len(x))
            bet = best_bet(*believed(self.kind, np.bincount(merge, x), np.bincount(merge, y)), pair)
            # stake less where the violation is no larger than its own uncertainty
            evidence = float(x.sum()) * bet.growth - self.caution
            stake = evidence / (evidence + CAUTION[self.kind]) if evidence > 0 else 0.0
            promised = stake * bet.growth / (1 + CLEARLY * (of in dear))
            if promised > most:
                most = promised
                a, b = (np.log1p(stake * np.expm1(side)) for side in (bet.log_a, bet.log_b))
                self.of = of
                self.merge = merge
                self.bet = Bet(a, b, bet.growth)

    def play(self, counts: list[tuple[np.ndarray, np.ndarray]]) -> None:
        if self.bet is not None and self.bet.growth > 0:
            x, y = np.bincount(self.merge, counts[self.of][0]), np.bincount(self.merge, counts[self.of][1])
            self.log_wealth += float(x @ self.bet.log_a + y @ self.bet.log_b)
            self.ledger.append(
                {"log_a": self.bet.log_a, "log_b": self.bet.log_b, "x": x.astype(int), "y": y.astype(int)}
            )


def coarse(counts: np.ndarray, bins: int) -> np.ndarray:
    """A map from fine bins to at most `bins` neighbouring groups of about equal counts.

    >>> coarse(np.array([1, 1, 8, 1, 1]), 3).tolist()
    [0, 0, 1, 2, 2]
    """
    middle = np.cumsum(counts) - counts / 2
    group = np.minimum((bins * middle / max(counts.sum(), 1)).astype(int), bins - 1)
    return np.unique(group, return_inverse=True)[1]


def due(seen: int, learned: int) -> bool:
    """Whether what was learned on so many draws is to be learned anew after so many: soon while they are few,
    for each is worth much then.

    >>> due(120, 80), due(12_000, 8_000), due(16_000, 8_000)
    (True, False, True)
    """
    return seen > learned if seen <= OFTEN else seen >= 2 * learned


def _book(score: Score, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """The edges of a score's bins, and how many of these outputs fall in each."""
    a, b = score.apply(x), score.apply(y)
    edges = edges_of(np.concatenate([a, b]))
    return edges, (exceedances(a, edges), exceedances(b, edges))


@dataclass
class Desk:
    """Scores with their bins and counts, and the bettors who choose among them.

    `honest` if the scores were learned on other draws than those that are counted. `wanted` are the scores
    that are counted on all outputs, chosen with the bets after `learned` of the draws that were `seen`, and
    `left` those that are dear to apply and have shown nothing; `applied` are the values of the wanted on the
    last outputs.
    """

    honest: bool
    scores: list[Score] = field(default_factory=list)
    edges: list[np.ndarray] = field(default_factory=list)
    counts: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)
    bettors: list[Bettor] = field(default_factory=list)
    wanted: set[int] = field(default_factory=set)
    left: set[int] = field(default_factory=set)
    applied: list[tuple[Score, tuple[np.ndarray, np.ndarray]]] = field(default_factory=list)
    seen: int = 0
    learned: int = 0

    def open(self, scores: list[Score], x: np.ndarray, y: np.ndarray, pair: WorstPair) -> None:
        """Begin anew with these scores, and these outputs to count (of a dear one that shows nothing on the
        first of them, these alone); columns that come later are not seen.
        """
        self.scores = []
        self.edges = []
        self.counts = []
        self.learned = 0
        for learned in scores:
            score = learned.on_the_first(x.shape[1])
            rows = min(len(x), 2 * LOOK) if score.dear else len(x)
            edges, counts = _book(score, x[:rows], y[:rows])
            if rows < len(x) and excess(*counts, pair) > LEAST[self.honest]:
                edges, counts = _book(score, x, y)
            if len(edges):
                self.scores.append(score)
                self.edges.append(edges)
                self.counts.append(counts)

    def keep(self, most: int, pair: WorstPair) -> None:
        """Close all books but those of the scores whose counts exceed the claim most."""
        beyond = [excess(*counts, pair) for counts in self.counts]
        best = sorted(sorted(range(len(beyond)), key=lambda i: -beyond[i])[:most])
        self.scores = [self.scores[i] for i in best]
        self.edges = [self.edges[i] for i in best]
        self.counts = [self.counts[i] for i in best]

    def promising(self, pair: WorstPair) -> list[Score]:
        """The scores whose counts exceed the claim by much."""
        return [s for s, counts in zip(self.scores, self.counts) if excess(*counts, pair) > PROMISING]

    def play(self, x: np.ndarray, y: np.ndarray, pair: WorstPair) -> None:
        """Bet on these outputs, then count them; a score that nobody bets on is applied to a part alone, and
        bets stay as they are until they are due.
        """
        part = 0
        if due(self.seen, self.learned):
            self._learn(pair)
            part = max(LOOK, self.seen // 128)
        fresh = []
        self.applied = []
        for i, (score, edges) in enumerate(zip(self.scores, self.edges)):
            rows = len(x) if i in self.wanted else 0 if i in self.left else part // 4 if score.dear else part
            if not rows:
                fresh.append((np.zeros(len(edges) + 1, dtype=int),) * 2)
                continue
            a, b = score.apply(x[:rows]), score.apply(y[:rows])
            fresh.append((exceedances(a, edges), exceedances(b, edges)))
            if i in self.wanted:
                self.applied.append((score, (a, b)))
        for bettor in self.bettors:
            bettor.play(fresh)
        self.counts = [(a + c, b + d) for (a, b), (c, d) in zip(self.counts, fresh)]
        self.seen += len(x)

    def _learn(self, pair: WorstPair) -> None:
        """Let the bettors choose, and note which scores are wanted: those bet on, and the promising, if they
        are not dear.
        """
        # what does not exceed the claim as it stands is not worth a closer look
        beyond = [excess(*counts, pair) for counts in self.counts]
        best = sorted(range(len(beyond)), key=lambda i: -beyond[i])[:TRIED]
        some = sorted(i for i in best if beyond[i] > LEAST[self.honest])
        dear = {i for i, score in enumerate(self.scores) if score.dear}
        for bettor in self.bettors:
            bettor.learn(self.counts, pair, some, dear)
        self.wanted = {b.of for b in self.bettors if b.bet is not None and b.bet.growth > 0}
        if self.honest:
            self.wanted |= {i for i, by in enumerate(beyond) if by > PROMISING and i not in dear}
        self.left = {i for i in dear - self.wanted if beyond[i] < 0}
        self.learned = self.seen


@dataclass
class Sequential:
    """The state of the test: feed it chunks of outputs on the two data sets; `log_wealth` is free to look at.

    >>> from dpverify.auditing.claimed import worst_pair
    >>> from dpverify.guarantees import PureDP
    >>> rng, test = np.random.default_rng(0), Sequential(worst_pair(PureDP(1.0)))
    >>> for _ in range(10):
    ...     test.feed(rng.laplace(size=(100, 1)) + 3, rng.laplace(size=(100, 1)))
    >>> bool(test.log_wealth > np.log(1000)), test.samples
    (True, 1000)
    """

    pair: WorstPair
    samples: int = 0
    early: Desk = field(default_factory=lambda: Desk(False, bettors=[Bettor(k, 0.25) for k in EARLY_KINDS]))
    honest: Desk = field(default_factory=lambda: Desk(True, bettors=[Bettor(k, EXTRA) for k in HONEST_KINDS]))
    path: list[tuple[int, float]] = field(default_factory=list)
    _pool: tuple[list[np.ndarray], list[np.ndarray]] = field(default_factory=lambda: ([], []))
    _opened: int = 0
    _learned: int = 0
    _ratios: list[Score] = field(default_factory=list)

    @property
    def bettors(self) -> list[Bettor]:
        return self.early.bettors + self.honest.bettors

    @property
    def books(self) -> list[tuple[Score, np.ndarray, tuple[np.ndarray, np.ndarray]]]:
        """Every score with its edges and counts."""
        return [
            book for desk in (self.early, self.honest) for book in zip(desk.scores, desk.edges, desk.counts)
        ]

    @property
    def log_wealth(self) -> float:
        return float(np.logaddexp.reduce([b.log_wealth for b in self.bettors]) - math.log(len(self.bettors)))

    def expected(self, target: float) -> float:
        """How many runs a side more it takes until the log-wealth is the target, if what the bettors believe
        is right; infinitely many if nobody bets.

        >>> from dpverify.auditing.claimed import worst_pair
        >>> from dpverify.guarantees import PureDP
        >>> rng, test = np.random.default_rng(0), Sequential(worst_pair(PureDP(1.0)))
        >>> for _ in range(3):
        ...     test.feed(rng.laplace(size=(100, 1)) + 3, rng.laplace(size=(100, 1)))
        >>> bool(test.expected(50.0) < 1000), Sequential(worst_pair(PureDP(1.0))).expected(50.0)
        (True, inf)
        """
        alone = target + math.log(len(self.bettors))  # what one bettor needs, if the others have nothing
        needs = [(alone - b.log_wealth) / b.bet.growth for b in self.bettors if b.bet and b.bet.growth > 0]
        return max(0.0, min(needs, default=math.inf))

    def ledger(self) -> list[list[dict[str, list[float]]]]:
        """Every bet of every bettor: weights, and how often each bin was hit on the two sides; the wealth can
        be recomputed from it.
        """
        return [
            [{name: values.tolist() for name, values in bet.items()} for bet in bettor.ledger]
            for bettor in self.bettors
        ]

    def seen(self, score: Score, bins: np.ndarray) -> tuple[int, int]:
        """How often the outputs so far fell in those bins of a current score, on the two sides."""
        x, y = next(counts for known, _, counts in self.books if known is score)
        return int(x[bins].sum()), int(y[bins].sum())

    def values(self, score: Score, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The values of a score on the outputs that were fed last; those that a desk has are not computed
        again.
        """
        known = (values for of, values in self.early.applied + self.honest.applied if of is score)
        return next(known, None) or (score.apply(x), score.apply(y))

    def feed(self, x: np.ndarray, y: np.ndarray) -> None:
        """Learn from all earlier chunks, play this one, and remember it."""
        before = self.samples
        for desk in (self.early, self.honest):
            desk.play(x, y, self.pair)
        self.samples += len(x)
        self.path.append((self.samples, self.log_wealth))
        width = x.shape[1]
        most = max(256, min(POOL, max(EARLY, POOL * 4 // width), MOST // width))
        if before >= most:
            self._pool = ([], [])
            return
        a, b = (_stacked([*pool, side], width)[:most] for pool, side in zip(self._pool, (x, y)))
        self._pool = ([a], [b])
        if before < EARLY and due(len(a), self._opened):
            self.early.open(learn_scores(a, b), a, b, self.pair)
            self._opened = len(a)
        # the wider the outputs and the more there are, the dearer it is to learn anew
        factor = 1.4 if width <= 4 and len(a) <= EARLY else 2.0 if width <= 4 or len(a) <= 4096 else 3.0
        if len(a) >= 2 * FEWEST and (len(a) >= factor * self._learned or len(a) == most):
            half = len(a) // 2
            self._ratios = learn_ratios(a[:half], b[:half], self.pair, self._ratios)
            known = {score.text for score in self._ratios}
            kept = [score for score in self.honest.promising(self.pair) if score.text not in known]
            self.honest.open([*self._ratios, *kept], a[half:], b[half:], self.pair)
            self.honest.keep(KEPT, self.pair)
            self._learned = len(a)


def _stacked(chunks: list[np.ndarray], width: int) -> np.ndarray:
    """All rows, with zeros in the columns that came later."""
    missing = [np.zeros((len(chunk), width - chunk.shape[1])) for chunk in chunks]
    return np.concatenate(
        [np.hstack([chunk, zeros]) if zeros.size else chunk for chunk, zeros in zip(chunks, missing)]
    )
