"""What fits of data that no parameters allow raise."""

from __future__ import annotations


class FitDataError(ValueError):
    """Data lie outside of the support that fixed parameters allow."""

    def __init__(self, name: str, lower: float, upper: float) -> None:
        super().__init__(
            f"Invalid values in `data`.  Maximum likelihood estimation with {name!r} requires that {lower!r} < (x - loc)/scale  < {upper!r} for each x in `data`."  # noqa: E501
        )


class FitUniformFixedScaleDataError(FitDataError):
    """The data are wider than the fixed scale."""

    def __init__(self, ptp: float, fscale: float) -> None:
        ValueError.__init__(
            self,
            f"Invalid values in `data`.  Maximum likelihood estimation with the uniform distribution and fixed scale requires that np.ptp(data) <= fscale, but np.ptp(data) = {ptp} and fscale = {fscale}.",  # noqa: E501
        )
