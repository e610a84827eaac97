"""Signatures of ufuncs for `inspect`, which cannot read those of compiled callables."""

from __future__ import annotations

import inspect

from ._cuproxide import ufunc

_KEYWORDS = {"where": True, "casting": "same_kind", "order": "K", "dtype": None, "subok": True, "signature": None}


class UfuncSignature:
    """The attribute `__signature__` of `ufunc`: NumPy's names and defaults for each ufunc, none for the class."""

    def __get__(self, instance: ufunc | None, owner: type[ufunc]) -> inspect.Signature | None:
        if instance is None:
            return None
        kind = inspect.Parameter
        names = ["x"] if instance.nin == 1 else [f"x{i + 1}" for i in range(instance.nin)]
        inputs = [kind(name, kind.POSITIONAL_ONLY) for name in names]
        default = None if instance.nout == 1 else (None,) * instance.nout
        out = kind("out", kind.POSITIONAL_OR_KEYWORD, default=default)
        keywords = [kind(name, kind.KEYWORD_ONLY, default=value) for name, value in _KEYWORDS.items()]
        return inspect.Signature([*inputs, out, *keywords])
