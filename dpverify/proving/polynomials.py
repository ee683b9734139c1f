"""Polynomial and algebraic inequalities and equations by Z3: the hypotheses together with the negated
conclusion are unsatisfiable.

Roots become variables (r >= 0, r^q = base), quotients inverses (y * x = 1). Subterms that are not algebraic
(logarithms, powers with a symbolic exponent, sums) become variables of which only the sign or the range is
told: a proof then covers every value they could have. The certificate is the SMT-LIB text, or those of its
assertions that nothing meets already; its checker translates again, compares, and solves again.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import sympy as sp

from dpverify.effort import Effort
from dpverify.proving.domain import Domain, domain_of
from dpverify.proving.identities import sum_sign
from dpverify.proving.reduction import Certificate, Counterpoint, GaveUp, Outcome
from dpverify.proving.solvers import STRATEGIES, ask_z3, blocks, parts, z3_context
from dpverify.proving.symbols import fresh
from dpverify.relations import AtMost, Equal

HANDLES = (AtMost, Equal)
SHORTER = 10  # times is a part of a question asked than the whole


class _Translation:
    """A relation as Z3 constraints whose unsatisfiability proves it."""

    def __init__(self, domain: Domain, violated: str):
        self.z3, self.context = z3_context()
        self.domain = domain
        self.facts: list[Any] = []
        self.variables: dict[Any, Any] = {}
        self.abstracted: list[Any] = []
        self.units: dict[tuple[Any, Any], Any] = {}
        self.shields: dict[Any, Any] = {}
        left, right = map(self._shielded, map(_spelt_out, self.domain.expressions))
        gap = (
            sp.together(right - left)
            if not (right - left).has(sp.Max, sp.Min, sp.Abs, sp.Piecewise)
            else right - left
        )
        hypotheses = [
            h.func(*[self._shielded(_spelt_out(side)) for side in (h.lhs, h.rhs)])
            for h in self.domain.given
            if isinstance(h, sp.core.relational.Relational)
        ]
        hypotheses = [h for h in hypotheses if h not in (sp.true, sp.false)]
        self._find_units([gap, *hypotheses])
        for symbol in self.domain.symbols:
            self.term(symbol)
        goal = self._compare(gap, violated)
        for h in hypotheses:
            self.facts.append(self._compare(h.lhs - h.rhs, h.rel_op))
        self.facts.append(goal)

    def _shielded(self, e: Any) -> Any:
        """A symbol for every x^(-n) with an x that may be 0: it has a value there if n <= 0, and 1/x^n, which
        algebra makes of it, has none.
        """
        powers = {
            p
            for p in e.atoms(sp.Pow)
            if p.exp.free_symbols and p.exp.could_extract_minus_sign() and not p.base.is_nonzero
        }
        taken = [*self.domain.expressions, *self.domain.given]
        for p in sorted(powers - set(self.shields), key=sp.default_sort_key):
            sign = {"nonnegative": True} if p.is_nonnegative else {"real": True}
            self.shields[p] = fresh("power", [*taken, *self.shields.values()], **sign)
        return e.xreplace(self.shields)

    def _compare(self, e: Any, op: str) -> Any:
        n, d = _fraction(e)
        top = self.term(n)
        if d != 1:
            bottom = self.term(d)
            self.facts.append(bottom != 0)
            top = top if d.is_positive else (-top if d.is_negative else top * bottom)
        return {"<": top < 0, "<=": top <= 0, ">": top > 0, ">=": top >= 0, "==": top == 0, "!=": top != 0}[
            op
        ]

    def _find_units(self, expressions: list[Any]) -> None:
        """For every base^(c m) with symbolic m, the common unit base^(g m) of which all of them are whole
        powers.
        """
        parts: dict[tuple[Any, Any], list[Any]] = {}
        for e in expressions:
            for p in e.atoms(sp.Pow, sp.exp):
                base, exponent = p.as_base_exp()
                if exponent.free_symbols:
                    c, m = exponent.as_coeff_Mul()
                    if c.is_Rational:
                        parts.setdefault((base, m), []).append(c)
        for (base, m), coefficients in parts.items():
            unit = abs(coefficients[0])
            for c in coefficients[1:]:
                unit = sp.Rational(sp.gcd(unit.p * c.q, c.p * unit.q), unit.q * c.q)
            self.units[(base, m)] = unit

    def _fresh(self, key: Any, name: str) -> Any:
        if key not in self.variables:
            plain = "".join(c if c.isalnum() else "_" for c in name)
            self.variables[key] = self.z3.Real(f"{plain}_{len(self.variables)}", self.context)
        return self.variables[key]

    def term(self, e: Any) -> Any:
        """The Z3 term of an expression."""
        if isinstance(e, sp.Rational):
            return self.z3.RealVal(f"{e.p}/{e.q}", self.context)
        if e in self.variables:
            return self.variables[e]
        if e in self.shields.values():
            return self._opaque(next(p for p, shield in self.shields.items() if shield == e))
        if isinstance(e, sp.Symbol):
            return self._symbol(e)
        if isinstance(e, sp.Add | sp.Mul):
            terms = [self.term(arg) for arg in e.args]
            result = terms[0]
            for t in terms[1:]:
                result = result + t if isinstance(e, sp.Add) else result * t
            return result
        if isinstance(e, sp.Pow) and e.exp.is_Rational:
            return self._power(e.base, e.exp)
        if isinstance(e, sp.Pow | sp.exp):
            return self._symbolic_power(e)
        if isinstance(e, sp.Abs):
            inner, v = self.term(e.args[0]), self._fresh(e, "abs")
            self.facts += [v >= 0, self.z3.Or(v == inner, v == -inner)]
            return v
        if isinstance(e, sp.Max | sp.Min):
            parts, v = [self.term(arg) for arg in e.args], self._fresh(e, "extreme")
            self.facts += [(v >= p if isinstance(e, sp.Max) else v <= p) for p in parts]
            self.facts.append(self.z3.Or(*[v == p for p in parts]))
            return v
        return self._opaque(e)

    def _symbol(self, s: sp.Symbol) -> Any:
        v = self._fresh(s, s.name)
        b = self.domain.bounds.get(s)
        if b is not None:
            if b.low.is_Rational:
                low = self.z3.RealVal(str(b.low), self.context)
                self.facts.append(v > low if b.low_open else v >= low)
            if b.high.is_Rational:
                high = self.z3.RealVal(str(b.high), self.context)
                self.facts.append(v < high if b.high_open else v <= high)
        return v

    def _power(self, base: Any, exponent: sp.Rational) -> Any:
        if exponent.q != 1:
            key = (base, "root", exponent.q)
            known = key in self.variables
            root = self._fresh(key, "root")
            if not known:
                inner = self.term(base)
                self.facts += [root >= 0, _product(root, int(exponent.q)) == inner]
            return self._signed_power(key, root, int(exponent.p))
        return self._signed_power(base, self.term(base), int(exponent))

    def _signed_power(self, key: Any, value: Any, n: int) -> Any:
        if n >= 0:
            return _product(value, n)
        known = (key, "inverse") in self.variables
        inverse = self._fresh((key, "inverse"), "inverse")
        if not known:
            self.facts.append(inverse * value == 1)
        return _product(inverse, -n)

    def _symbolic_power(self, e: Any) -> Any:
        base, exponent = e.as_base_exp()
        c, m = exponent.as_coeff_Mul()
        unit = self.units.get((base, m))
        if unit is None or not (c / unit).is_Integer:
            return self._opaque(e)
        atom = sp.Pow(base, unit * m)
        if atom == e and c == unit:
            return self._opaque(e)
        return self._signed_power(atom, self._opaque(atom), int(c / unit))

    def _opaque(self, e: Any) -> Any:
        """A variable for something that is not algebraic, with what is known of its range."""
        known = e in self.variables
        v = self._fresh(e, "term")
        if known:
            return v
        self.abstracted.append(e)
        sign = sum_sign(e) if isinstance(e, sp.Sum | sp.Product) else ""
        if e.is_positive or sign == "positive":
            self.facts.append(v > 0)
        elif e.is_nonnegative or sign == "nonnegative":
            self.facts.append(v >= 0)
        elif e.is_negative:
            self.facts.append(v < 0)
        if isinstance(e, sp.Pow):
            self.facts += self._power_range(e, v)
        if isinstance(e, sp.exp):
            if e.args[0].is_positive:
                self.facts.append(v > 1)
            elif e.args[0].is_negative:
                self.facts.append(v < 1)
        if isinstance(e, sp.log):
            b = self._range(e.args[0])
            if b and b.low.is_finite and b.low >= 1:
                self.facts.append(v > 0 if b.low > 1 or b.low_open else v >= 0)
            if b and b.high.is_finite and b.high <= 1:
                self.facts.append(v < 0 if b.high < 1 or b.high_open else v <= 0)
        return v

    def _range(self, e: Any) -> Any:
        if isinstance(e, sp.Symbol):
            return self.domain.bounds.get(e)
        return None

    def _power_range(self, e: sp.Pow, v: Any) -> list[Any]:
        b = self._range(e.base)
        if b is None or not b.low.is_finite or b.low < 0:
            return []
        facts = [v > 0] if (b.low > 0 or b.low_open) else [v >= 0]
        if b.high.is_finite and b.high <= 1:
            if e.exp.is_positive:
                facts.append(v < 1 if b.high < 1 or b.high_open else v <= 1)
            elif e.exp.is_nonnegative:
                facts.append(v <= 1)
        if b.low >= 1 and e.exp.is_nonnegative:
            facts.append(v > 1 if (b.low > 1 or b.low_open) and e.exp.is_positive else v >= 1)
        return facts

    def names(self) -> dict[str, Any]:
        """The symbols of the relation by the names that they have in the text."""
        return {str(self.variables[symbol]): symbol for symbol in self.domain.symbols}

    def text(self) -> str:
        """The constraints in SMT-LIB."""
        solver = self.z3.Solver(ctx=self.context)
        solver.add(*self.facts)
        return str(solver.sexpr())


def _spelt_out(e: Any) -> Any:
    """Logarithms of products and powers with sums as exponents written out, on either side alike, so that
    atoms agree. A power whose base may be 0 is left as it is: x^(n-1) is not x^n/x there.
    """
    if not (e.has(sp.log) or _symbolic_powers(e)):
        return e
    kept = {
        p: sp.Dummy("p", real=True)
        for p in e.atoms(sp.Pow)
        if isinstance(p.exp, sp.Add) and p.exp.free_symbols and not p.base.is_nonzero
    }
    back = {v: k for k, v in kept.items()}
    return sp.expand_log(sp.expand(e.xreplace(kept), power_exp=True)).xreplace(back)


def _symbolic_powers(e: Any) -> bool:
    return any(p.as_base_exp()[1].free_symbols for p in e.atoms(sp.Pow, sp.exp))


def _product(value: Any, n: int) -> Any:
    result: Any = 1
    for _ in range(n):
        result = value if isinstance(result, int) else result * value
    return result


@lru_cache(maxsize=4096)  # the steps of a proof have most of their hypotheses in common
def _fraction(e: Any) -> tuple[Any, Any]:
    """Numerator and denominator of an expression in which nothing is cut in cases."""
    whole = e.has(sp.Max, sp.Min, sp.Abs, sp.Piecewise)
    return (e, sp.Integer(1)) if whole else sp.fraction(sp.together(e))


class _Question(NamedTuple):
    """A relation as SMT-LIB text, its symbols by their names there, and the subterms that may be anything."""

    text: str
    names: dict[str, Any]
    abstracted: list[Any]


def _question_of(relation: AtMost | Equal) -> _Question:
    violated = "!=" if isinstance(relation, Equal) else "<=" if relation.strict else "<"
    return _asked(domain_of(relation), violated)


@lru_cache(maxsize=32)  # by the search, and by the check of what it found
def _asked(domain: Domain, violated: str) -> _Question:
    translation = _Translation(domain, violated)
    return _Question(translation.text(), translation.names(), translation.abstracted)


def attempt(relation: AtMost | Equal, effort: Effort) -> Outcome:
    """Ask the portfolio whether a counterexample can exist."""
    if isinstance(relation, Equal) and isinstance(relation.derived, sp.MatrixBase):
        return GaveUp("matrices are compared entry by entry")
    text, names, abstracted = _question_of(relation)
    work = 1_000 * effort.solver_work
    seen = f"; {len(abstracted)} subterms arbitrary in their range" if abstracted else ""
    for part in parts(text):
        if ask_z3(part, "nlsat", work // SHORTER).unsatisfiable:
            summary = f"no counterexample can exist (nlsat{seen})"
            return Certificate({"smt2": part, "solver": "nlsat", "summary": summary, "work": work // SHORTER})
    silent = []
    for strategy in STRATEGIES:
        answer = ask_z3(text, strategy, work, tuple(names))
        if answer.unsatisfiable:
            summary = f"no counterexample can exist ({strategy}{seen})"
            return Certificate({"smt2": text, "solver": strategy, "summary": summary, "work": work})
        if answer.values is not None:
            if abstracted:
                shown = sp.sstr(abstracted[:3])
                return GaveUp(f"{strategy} found a counterexample to the abstraction of {shown}")
            if len(answer.values) < len(names):
                return GaveUp("z3 found a counterexample that it could not write down")
            return Counterpoint({names[name]: sp.Rational(*pair) for name, pair in answer.values.items()})
        silent.append(answer.why)
    return GaveUp(", ".join(silent), cut_short=True)


def check(relation: AtMost | Equal, certificate: dict[str, Any]) -> bool:
    """Translate, and have the translation solved, or those of its assertions that the certificate names and
    nothing else that stands in it.
    """
    text, names, _ = _question_of(relation)
    solved, wanted = certificate["smt2"], tuple(names)
    if solved != text:
        named = set(blocks(solved))
        solved, wanted = "".join(f"{block}\n" for block in blocks(text) if block in named), ()
    return ask_z3(solved, certificate["solver"], certificate["work"], wanted).unsatisfiable
