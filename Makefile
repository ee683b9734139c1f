# make test      installs everything it needs, passes the tests, and says which share of the statements they ran
# make report    installs everything it needs, checks every claim, writes report/index.html
# make findings  puts other people's optimizers through the laws and their scripts, and says what changed
# make docs      installs everything it needs, writes docs/_build/index.html
PYTHON ?= python3
PROFILE ?= quick
TOX = .venv/bin/tox
LIBRARIES = torch jax sklearn legacy others synth pfl tf tumult accountants  # each with an environment of its own

# the targets of each
torch = 'opacus:*'
jax = 'jax-privacy:*' 'optax:*'
sklearn = 'diffprivlib:*'
legacy = 'pyvacy:*' 'deepee:*' 'published:*'
others = 'flower:*' 'opendp:*' 'pipeline-dp:*' 'pydp:*'
synth = 'smartnoise:*'
pfl = 'pfl:*'
tf = 'tf-privacy:*'
tumult = 'tumult:*'
accountants = 'accountant:*'

.PHONY: test report docs exam findings clean

test: $(TOX)
	$(TOX) run -e test

report: $(TOX)
	$(TOX) run -e report -- --profile $(PROFILE)

docs: $(TOX)
	$(TOX) run -e docs

exam: $(TOX)
	$(TOX) run -e exam

# Results first, then scripts; either may say that something changed, and both are always run.
findings-%: $(TOX)
	$(TOX) run -e $* -- dpverify targets $($*) --test -o findings; laws=$$?; \
	$(TOX) run -e $* -- pytest tests/adapters/test_findings.py && exit $$laws

findings: $(TOX)
	failed=""; \
	for name in $(LIBRARIES); do $(MAKE) findings-$$name || failed="$$failed $$name"; done; \
	git diff --stat -- findings; \
	test -z "$$failed" || { echo "otherwise than known:$$failed"; exit 1; }

$(TOX):
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install --quiet tox

clean:
	rm -rf .venv .tox report docs/_build build dist *.egg-info
