"""The pytest plugin: the fixture `dp_audit`, the marker `dp`, the options `--dp-profile` and `--dp-seed`, and the sum of all alphas."""
