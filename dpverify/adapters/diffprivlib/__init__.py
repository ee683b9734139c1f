"""diffprivlib (IBM): its mechanisms, its tools and its models."""

from dpverify.adapters.diffprivlib import mechanisms, models, tools

TARGETS = (*mechanisms.TARGETS, *models.TARGETS, *tools.TARGETS)
