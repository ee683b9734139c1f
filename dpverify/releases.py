"""What a step publishes: the noise that is drawn is the noise that is charged.

A release knows its scale and, per neighbouring relation, the sensitivity of the query it protects. The sampler draws
from it, the privacy loss evaluates its density, and every accountant reads it.
"""
