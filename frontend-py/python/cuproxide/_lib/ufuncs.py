"""The ufuncs by name, made once: `NUMPY["add"]`, and `SPECIAL["erf"]`; names with a `_` in front are internal."""

from __future__ import annotations

from .. import _cuproxide as _core

NUMPY = _core.ufuncs()
SPECIAL = _core.ufuncs("special")
