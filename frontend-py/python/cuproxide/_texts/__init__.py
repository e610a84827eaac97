"""Texts of docstrings that functions share, and their examples; nothing here computes."""
