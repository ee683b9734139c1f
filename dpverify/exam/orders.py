"""O, Omega and Theta in one and several variables, with constants that the claim gives or the engine chooses,
with and without hidden logarithms.
"""

import sympy as sp

from dpverify.relations import BigO, Omega, Theta

x, a, L = sp.symbols("x a L", positive=True)
eps, delta, eta = sp.symbols("epsilon delta eta", positive=True)
N, d, T, t = (sp.Symbol(name, integer=True, positive=True) for name in ("N", "d", "T", "t"))
half = sp.Rational(1, 2)
log, sqrt = sp.log, sp.sqrt

TRUE = [
    ("x + 1 is Theta(x) from 1 on", lambda: Theta(x + 1, x, lower=1, upper=2, given=[x >= 1])),
    ("x^2 + 3x is Theta(x^2) from 1 on", lambda: Theta(x**2 + 3 * x, x**2, lower=1, upper=4, given=[x >= 1])),
    ("log(1 + x) is O(x)", lambda: BigO(log(1 + x), x, constant=1)),
    ("log(1 + x) is Omega(x) up to 1", lambda: Omega(log(1 + x), x, [x <= 1], constant=half)),
    ("1 - e^(-x) is Theta(x) up to 1", lambda: Theta(1 - sp.exp(-x), x, lower=half, upper=1, given=[x <= 1])),
    ("sqrt(1 + x) - 1 is O(x)", lambda: BigO(sqrt(1 + x) - 1, x, constant=half)),
    ("(a + x)^2 is O(a^2 + x^2)", lambda: Theta((a + x) ** 2, a**2 + x**2, lower=1, upper=2)),
    ("x/(1 + x) is Theta(x) up to 1", lambda: Theta(x / (1 + x), x, lower=half, upper=1, given=[x <= 1])),
    ("N(N + 1)/2 is Theta(N^2)", lambda: Theta(N * (N + 1) / 2, N**2, lower=half, upper=1)),
    ("3N + log N = Theta(N)", lambda: Theta(3 * N + log(N), N)),
    ("log(1 + 1/N) = Theta(1/N)", lambda: Theta(log(1 + 1 / N), 1 / N)),
    ("a N^2 + N = Theta(N^2) for each a", lambda: Theta(a * N**2 + N, N**2, of=[a])),
    ("log N = O(N^(1/8))", lambda: BigO(log(N), N ** sp.Rational(1, 8))),
    ("sqrt(N d) = O(N + d)", lambda: BigO(sqrt(N * d), N + d)),
    ("sqrt(N + d) = Theta(sqrt N + sqrt d)", lambda: Theta(sqrt(N + d), sqrt(N) + sqrt(d))),
    ("max(N, d) = Theta(N + d)", lambda: Theta(sp.Max(N, d), N + d)),
    ("1/eps + 1 = Theta(1/eps) up to 1", lambda: Theta(1 / eps + 1, 1 / eps, [eps <= 1])),
    ("N^2 d = O(N d^2) where N <= d", lambda: BigO(N**2 * d, N * d**2, [N <= d])),
    ("e^eps - 1 = Theta(eps) up to 1", lambda: Theta(sp.exp(eps) - 1, eps, [eps <= 1])),
    (
        "a rate of private descent, its cross term absorbed",
        lambda: BigO(L / T + L * sqrt(d) / (N * eps * sqrt(T)), L / T + L * d / (N * eps) ** 2),
    ),
    (
        "the noise of composition, a logarithm hidden",
        lambda: BigO(
            sqrt(T * d * log(1 / delta)) / (N * eps), sqrt(T * d) / (N * eps), [delta < 1], hiding=[1 / delta]
        ),
    ),
    ("N log N + d = O~(N + d)", lambda: BigO(N * log(N) + d, N + d, hiding=[N])),
    ("log(N)^2 log d = O~(1)", lambda: BigO(log(N) ** 2 * log(d), 1, hiding=[N, d])),
    ("N/(1 + log N) = Omega~(N)", lambda: Omega(N / (1 + log(N)), N, hiding=[N])),
    (
        "nodes of a tree: ceil(log2 N) + 1 = O(log N)",
        lambda: BigO(sp.ceiling(log(N) / log(2)) + 1, log(N), [N >= 2]),
    ),
    (
        "(N eps)^(-2/3) d^(1/3) below the mean of its neighbours",
        lambda: BigO(
            (N * eps) ** sp.Rational(-2, 3) * d ** sp.Rational(1, 3), 1 / (N * eps) + sqrt(d) / sqrt(N * eps)
        ),
    ),
    (
        "d/(N eps) = O(1 + sqrt(d)/(N eps)) where d <= N eps",
        lambda: BigO(d / (N * eps), sqrt(d) / (N * eps) + 1, [N * eps >= d]),
    ),
    ("min(N, d) = O(sqrt(N d))", lambda: BigO(sp.Min(N, d), sqrt(N * d))),
    ("2^N = O(3^N)", lambda: BigO(2**N, 3**N)),
    ("a harmonic sum = O(1 + log N)", lambda: BigO(sp.Sum(1 / t, (t, 1, N)), 1 + log(N))),
    ("inverse roots = O(sqrt N)", lambda: BigO(sp.Sum(1 / sqrt(t), (t, 1, N)), sqrt(N))),
    ("1/(x(1 - x)) = O(1/x) up to 1/2", lambda: BigO(1 / (x * (1 - x)), 1 / x, [x <= half])),
    ("1/(1 - e^-eps) = O(1/eps) up to 1", lambda: BigO(1 / (1 - sp.exp(-eps)), 1 / eps, [eps <= 1])),
    ("sqrt(x^2 + 1) = Theta(x + 1)", lambda: Theta(sqrt(x**2 + 1), x + 1)),
    ("N^5 = O(d^4) where N^3 <= d^2", lambda: BigO(N**5, d**4, [d**2 >= N**3])),
    ("N log(N)^5 = O~(N)", lambda: BigO(N * log(N) ** 5, N, hiding=[N])),
    ("eta <= 1/L makes L eta^2 = O(eta)", lambda: BigO(L * eta**2, eta, [eta <= 1 / L])),
]

FALSE = [
    (
        "x + 1 is at most 1.99x from 1 on",
        lambda: Theta(x + 1, x, lower=1, upper=sp.Rational(199, 100), given=[x >= 1]),
    ),
    ("x + 1 is O(x) without a left end", lambda: Theta(x + 1, x, lower=1, upper=2)),
    ("x + 1 = O(x) for some constant", lambda: BigO(x + 1, x)),
    ("x^2 is O(x)", lambda: BigO(x**2, x, constant=1000)),
    ("log(1 + x) is at most 0.99x", lambda: BigO(log(1 + x), x, constant=sp.Rational(99, 100))),
    ("log(1 + x) is Omega(x) everywhere", lambda: Omega(log(1 + x), x, constant=sp.Rational(1, 10))),
    (
        "1 - e^(-x) is at least 0.64x up to 1",
        lambda: Omega(1 - sp.exp(-x), x, [x <= 1], constant=sp.Rational(64, 100)),
    ),
    (
        "(a + x)^2 is at most 1.99(a^2 + x^2)",
        lambda: BigO((a + x) ** 2, a**2 + x**2, constant=sp.Rational(199, 100)),
    ),
    ("N log N = Theta(N)", lambda: Theta(N * log(N), N, [N >= 2])),
    ("N^2 = O(N)", lambda: BigO(N**2, N)),
    ("N = Omega(N^(3/2))", lambda: Omega(N, N ** sp.Rational(3, 2))),
    ("log(N)^2 = O(log N)", lambda: BigO(log(N) ** 2, log(N), [N >= 3])),
    ("a N + N^2 = Theta(N)", lambda: Theta(a * N + N**2, N, of=[a])),
    ("a N^2 + N = O(N^2) for every a at once", lambda: BigO(a * N**2 + N, N**2)),
    ("sqrt(log log N) = O(1)", lambda: BigO(sqrt(log(log(N))), 1, [N >= 10])),
    ("1/N = Theta(1/N^2)", lambda: Theta(1 / N, 1 / N**2)),
    ("log(1 + 1/N) = Theta(1)", lambda: Theta(log(1 + 1 / N), 1)),
    ("-N = O(1)", lambda: BigO(-N, 1)),
    ("N d = O(N + d)", lambda: BigO(N * d, N + d)),
    ("N d = O~(N + d)", lambda: BigO(N * d, N + d, hiding=[N, d])),
    ("N^2 d = O(N d^2) without N <= d", lambda: BigO(N**2 * d, N * d**2)),
    ("sqrt(N + d) = Theta(sqrt N)", lambda: Theta(sqrt(N + d), sqrt(N))),
    ("1/eps + 1 = O(1/eps) beyond 1", lambda: BigO(1 / eps + 1, 1 / eps)),
    ("e^eps - 1 = O(eps) beyond 1", lambda: BigO(sp.exp(eps) - 1, eps)),
    (
        "the noise of composition, no logarithm hidden",
        lambda: BigO(sqrt(T * d * log(1 / delta)) / (N * eps), sqrt(T * d) / (N * eps), [delta < 1]),
    ),
    (
        "the noise of composition without sqrt d",
        lambda: BigO(
            sqrt(T * d * log(1 / delta)) / (N * eps), sqrt(T) / (N * eps), [delta < 1], hiding=[1 / delta, d]
        ),
    ),
    (
        "the cross term against the first term alone",
        lambda: BigO(L * sqrt(d) / (N * eps * sqrt(T)), L / T),
    ),
    ("sqrt(N d) = O(min(N, d))", lambda: BigO(sqrt(N * d), sp.Min(N, d))),
    ("3^N = O(2^N)", lambda: BigO(3**N, 2**N)),
    ("1 + ... + N = O(N)", lambda: BigO(sp.Sum(t, (t, 1, N)), N)),
    ("1/(x(1 - x)) = O(1/x) up to 1", lambda: BigO(1 / (x * (1 - x)), 1 / x, [x < 1])),
    ("1/(1 - e^-eps) = O(1/eps) everywhere", lambda: BigO(1 / (1 - sp.exp(-eps)), 1 / eps)),
    ("N^5 = O(d^3) where N^3 <= d^2", lambda: BigO(N**5, d**3, [d**2 >= N**3])),
    ("L eta^2 = O(eta) without a bound on the step", lambda: BigO(L * eta**2, eta)),
    ("L eta^2 = O(eta^2) for every L", lambda: BigO(L * eta**2, eta**2, [eta <= 1 / L])),
    ("N/(1 + log N) = Omega(N)", lambda: Omega(N / (1 + log(N)), N)),
]

OPEN = [
    ("2N + (-1)^N = Theta(N)", lambda: Theta(2 * N + (-1) ** N, N)),
]
