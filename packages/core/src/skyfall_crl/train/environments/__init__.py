"""Environments small enough to compare learners on, which need no adapter."""
