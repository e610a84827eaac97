"""What sparse arrays are known by, below their formats: a class that all derive from, and the table of formats."""

from __future__ import annotations

from typing import Any

FORMATS = {
    "bsr": "Block Sparse Row",
    "coo": "COOrdinate",
    "csc": "Compressed Sparse Column",
    "csr": "Compressed Sparse Row",
    "dia": "DIAgonal",
    "dok": "Dictionary Of Keys",
    "lil": "List of Lists",
}
CONTAINERS: dict[tuple[str, bool], Any] = {}
"""The class of a format: an array, or a matrix. Each puts itself here when it is defined."""


class Sparse:
    """A sparse array or matrix of this package, of any format: operations ask for this class and not for formats."""

    @property
    def _is_array(self) -> bool:
        """Whether `*` multiplies elements, as of arrays, and not matrices."""
        return False
