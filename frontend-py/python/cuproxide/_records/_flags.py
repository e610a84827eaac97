"""The flags of arrays of records."""

from __future__ import annotations

from typing import Any


class Flags:
    """The flags of an array of records: those of its words, whose axis takes no part in the order of the others."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __getitem__(self, key: str) -> bool:
        words, axes = self._array._words, range(self._array.ndim)
        c = words.flags.c_contiguous
        f = words.transpose(*axes[::-1], len(axes)).flags.c_contiguous
        own = self._array.base is None
        known = {
            ("C", "CONTIGUOUS", "C_CONTIGUOUS"): c,
            ("F", "FORTRAN", "F_CONTIGUOUS"): f,
            ("O", "OWNDATA"): own,
            ("FNC",): f and not c,
            ("FORC",): f or c,
            ("CA", "CARRAY"): c and words.flags.behaved,
            ("FA", "FARRAY"): f and not c and words.flags.aligned,
        }
        for names, value in known.items():
            if key in names:
                return value
        return words.flags[key]

    def __setitem__(self, key: str, value: bool) -> None:
        self._array._words.flags[key] = value

    def __getattr__(self, name: str) -> bool:
        if len(name) < 3 or not name.islower():
            raise AttributeError(f"'flagsobj' object has no attribute '{name}'")
        try:
            return self[name.upper()]
        except KeyError:
            raise AttributeError(f"'flagsobj' object has no attribute '{name}'") from None

    @property
    def writeable(self) -> bool:
        """Whether the elements can be set."""
        return self._array._words.flags.writeable

    @writeable.setter
    def writeable(self, value: bool) -> None:
        self._array._words.flags.writeable = value

    def __repr__(self) -> str:
        names = ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED", "WRITEBACKIFCOPY")
        return "".join(f"  {name} : {self[name]}\n" for name in names)
