"""Optimizers to try dpverify on."""
