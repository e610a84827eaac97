"""Whether functions follow CuPy where it differs from NumPy and SciPy, which `cuproxide.compat` decides."""

from __future__ import annotations

_follows = False


def set_following_cupy(follows: bool) -> bool:
    """Lets functions follow CuPy, or no longer; returns what held before."""
    global _follows  # noqa: PLW0603
    before, _follows = _follows, follows
    return before


def follows_cupy() -> bool:
    """Whether functions follow CuPy."""
    return _follows
