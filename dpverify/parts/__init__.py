"""What several algorithms are made of: clipped gradients, trees, clients, budgets, and small problems."""
