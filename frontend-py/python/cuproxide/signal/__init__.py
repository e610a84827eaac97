"""Signal processing beyond SciPy's: radar, channels, cepstra, and convolutions of higher order. See `cupyx.signal`."""

from __future__ import annotations

from . import _cepstra, _channels, _fir, _radar
from ._cepstra import *  # noqa: F403
from ._channels import *  # noqa: F403
from ._fir import *  # noqa: F403
from ._radar import *  # noqa: F403

__all__ = [*_cepstra.__all__, *_channels.__all__, *_fir.__all__, *_radar.__all__]  # noqa: PLE0604


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
