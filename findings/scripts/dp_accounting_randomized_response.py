"""The number of randomised responses is lost.

library: dp-accounting 0.6.0
met by: PLDAccountant.compose(RandomizedResponseDpEvent(...), count), or the same in a SelfComposedDpEvent
severity: breaks for a documented option
claim: compose(event, count) composes the event count times (docstring of PrivacyAccountant.compose)
shown: ten answers that are true with probability 3/4: reported 1.10, 10.99 true at delta 1e-6
cause: the branch for RandomizedResponseDpEvent in pld_privacy_accountant.py composes the distribution once
remedy: self_compose(count), as the branches of the other events do
upstream: no public thread found (searched 2026-11-17)
targets: accountant:dp-accounting-pld
"""

import dp_accounting as dpa

answer = dpa.RandomizedResponseDpEvent(0.5, 2)  # true with probability 3/4: ln 3 a time
relation = dpa.NeighboringRelation.REPLACE_ONE
at_once = dpa.pld.PLDAccountant(relation).compose(answer, 10).get_epsilon(1e-6)
one_by_one = dpa.pld.PLDAccountant(relation)
for _ in range(10):
    one_by_one.compose(answer)
print(f"ten answers: {at_once:.4f} composed at once, {one_by_one.get_epsilon(1e-6):.4f} one by one")
raise SystemExit(0 if at_once < 2 else "mended")
