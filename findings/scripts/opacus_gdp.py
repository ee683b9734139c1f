"""The accountant "gdp" reports less than is spent.

library: opacus 1.6.0
met by: PrivacyEngine(accountant="gdp")
severity: documented by the library
claim: an estimate; the accountant warns that it can be too small when it is made
shown: 1000 steps of noise 0.6 at rate 0.001, delta 1e-6: 0.49 reported, at least 1.81 true
cause: a central limit theorem, applied where it has not set in
remedy: the default accountant
upstream: its own warning
targets: accountant:opacus-gdp, opacus:gdp
"""

import warnings

from opacus.accountants import create_accountant

warnings.simplefilter("ignore")
said = {}
for kind in ("gdp", "prv"):
    accountant = create_accountant(kind)
    accountant.history = [(0.6, 0.001, 1000)]
    said[kind] = float(accountant.get_epsilon(1e-6))
print(f"{said['gdp']:.3f} by gdp, {said['prv']:.3f} by prv (an upper bound within a few percent)")
raise SystemExit(0 if said["gdp"] < 0.5 * said["prv"] else "mended")
