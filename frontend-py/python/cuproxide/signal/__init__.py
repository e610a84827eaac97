"""Signal processing beyond SciPy's: radar, channels, cepstra, and convolutions of higher order. See `cupyx.signal`."""

# ruff: noqa: F403

from __future__ import annotations

from .._lib.exports import declared as _declared
from .._lib.texts import complete as _complete
from ._cepstra import *
from ._channels import *
from ._fir import *
from ._radar import *
from ._texts import TEXTS as _TEXTS

__all__ = _declared(globals())
_complete(globals(), __all__, _TEXTS)


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
