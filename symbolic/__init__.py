"""Papers, statement by statement: one package per paper, its claims in the order of the paper."""
