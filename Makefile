# make test      installs everything it needs, passes the tests, and says which share of the statements they ran
# make report    installs everything it needs, checks every claim, writes report/index.html
# make findings  puts other people's optimizers through the laws and their scripts, and says what changed
# make docs      installs everything it needs, writes docs/_build/index.html
PYTHON ?= python3
PROFILE ?= quick
TOX = .venv/bin/tox

.PHONY: test report docs exam findings clean

test: $(TOX)
	$(TOX) run -e test

report: $(TOX)
	$(TOX) run -e report -- --profile $(PROFILE)

docs: $(TOX)
	$(TOX) run -e docs

exam: $(TOX)
	$(TOX) run -e exam

findings: $(TOX)
	for name in torch jax sklearn legacy accountants others synth pfl tf tumult; do $(TOX) run -e findings-$$name; done
	for name in torch jax sklearn legacy others synth pfl tf tumult; do $(TOX) run -e $$name -- tests/adapters/test_findings.py; done
	git diff --stat findings

$(TOX):
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install --quiet tox

clean:
	rm -rf .venv .tox report docs/_build build dist *.egg-info
