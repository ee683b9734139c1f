"""Laws of accountants: epsilons against exact values, certified bounds, themselves, and what was really run.

An epsilon that is too large is no violation; by how much is a figure.
"""
