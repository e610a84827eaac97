"""Signal processing. See `scipy.signal`."""

from __future__ import annotations

from ._convolution import *  # noqa: F403
