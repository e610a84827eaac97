"""What distinguishes element types by name, as the rows of the HAL say it."""

from __future__ import annotations

from .. import _cuproxide as _core

_ROWS = _core.element_types()

KINDS = {name: kind for name, kind, _, _ in _ROWS}
"""The letter of each type's kind, which of types that NumPy lacks is that of the numbers they hold."""
NARROW = frozenset(name for name, _, narrow, _ in _ROWS if narrow)
"""Floating types that are computed in float32."""
EXTENSIONS = frozenset(name for name, _, _, known in _ROWS if not known)
"""Types that NumPy lacks; the package `ml_dtypes` has them."""
