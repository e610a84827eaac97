"""Sets of element types by name, made from the rows of `hal/src/dtype.rs`."""

from __future__ import annotations

from .. import _cuproxide as _core

_ROWS = _core.element_types()

KINDS = {name: kind for name, kind, _, _ in _ROWS}
"""The letter of each type's kind. For a type that NumPy lacks it is the kind of its numbers: "f" for bfloat16."""
NARROW = frozenset(name for name, _, narrow, _ in _ROWS if narrow)
"""Floating types that are computed in float32."""
EXTENSIONS = frozenset(name for name, _, _, known in _ROWS if not known)
"""Types that NumPy lacks; the package `ml_dtypes` has them."""
