"""Provers: one tactic per file; the search may be clever, the check is dumb.

A tactic module has
    HANDLES                     the relation types it is for
    attempt(relation, effort)   an `Outcome`: a `Certificate`, `Ways` to reduce it to simpler relations, a
                                `Counterpoint`, a `Scanned` result (never PROVED), or `GaveUp` and why
    check(relation, cert)       the dumb checker of a certificate (a tactic that only reduces has none)
    again(relation, recipe)     optional: the reductions that can be made without a search, or by this recipe
    consequences(relation)      optional: plain comparisons that must hold if the relation does (refuting one
    refutes it)
    refute(relation, effort)    optional: a witness of the tactic's own kind, which its `verify(exact)`
    accepts from JSON alone
A tactic sees only what the gate has let through (`gate`): modelled, defined wherever the hypotheses hold,
and with hypotheses that some explicit point meets. PROVED needs a certificate that its checker accepts, and a
hard search for a counterexample, to the relation or to a consequence of it, that came back empty.
"""

import sys

from dpverify.proving.deciding import prove
from dpverify.proving.long_numbers import keep_long_numbers_short

__all__ = ["prove"]

keep_long_numbers_short()
# Python refuses to write or read numbers of more than 4300 digits; algebra makes longer ones, and a limit of
# processor time ends what takes too long.
sys.set_int_max_str_digits(0)
