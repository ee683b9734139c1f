"""The language of theorems about optimizers and mechanisms."""
