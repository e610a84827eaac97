"""Dropout with states that a seed makes reproducible."""

from __future__ import annotations

from typing import Any

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from ..random import Generator, default_rng
from ._activation import _as_images
from ._tensors import by_library, check, dense, has_library, same_shape


class DropoutStates:
    """The states of a random sequence that decides which elements are dropped.

    Parameters
    ----------
    seed : int
        Two states of one seed drop the same elements. A library's sequence differs from that of own kernels.

    >>> kept, y = cudnn.DropoutStates(None, 7).forward(None, cp.ones(1000), 0.5)
    >>> cp.unique(y)
    array([0., 2.])
    """

    def __init__(self, handle: Any, seed: int) -> None:
        self._seed, self._ratio = int(seed), 0.0
        self._random: Generator | None = None
        self._states: ndarray | None = None

    def set_dropout_ratio(self, dropout_ratio: float) -> None:
        """Sets the share of elements that are dropped."""
        if not 0.0 <= dropout_ratio < 1.0:
            raise ValueError(f"dropout_ratio must be at least 0 and less than 1, got {dropout_ratio}")
        self._ratio = float(dropout_ratio)

    def library_states(self) -> ndarray | None:
        """The states of a library's sequence, made when first asked for; None without a library."""
        if self._states is None and has_library():
            size = _core.dnn_sizes("dropout", [], {})
            if size is not None:
                states = _core.empty(size[0], "uint8")
                if by_library("dropout_seed", states, seed=self._seed):
                    self._states = states
        return self._states

    def mask(self, shape: tuple[int, ...]) -> ndarray:
        """Which elements own kernels keep next."""
        if self._random is None:
            self._random = default_rng(self._seed)
        return self._random.random(shape) >= self._ratio

    def forward(self, handle: Any, x: ndarray, dropout_ratio: float) -> tuple[ndarray, ndarray]:
        """Sets elements to zero with the probability `dropout_ratio` and divides the others by one less that.

        Parameters
        ----------
        x : cuproxide.ndarray
            Any shape; float16, float32 or float64.
        dropout_ratio : float
            The probability that an element is dropped: at least 0 and less than 1.

        Returns
        -------
        tuple of cuproxide.ndarray
            What `backward` needs, and the result, of the shape and dtype of `x`.

        Raises
        ------
        TypeError
            For other dtypes.
        ValueError
            For another ratio.
        """
        dtype = check(x=x)
        self.set_dropout_ratio(dropout_ratio)
        x = dense(x)
        y = _core.empty(x.shape, dtype)
        states = self.library_states()
        if states is not None and x.size:
            images = _as_images(x, y)
            size = _core.dnn_sizes("dropout", images[:1], {})
            if size is not None:
                reserve = _core.empty(size[1], "uint8")
                if by_library("dropout", images[0], states, images[1], reserve, ratio=self._ratio):
                    return reserve, y
        kept = self.mask(x.shape)
        y[...] = _core.where(kept, x / (1.0 - self._ratio), 0.0)
        return kept, y

    def backward(self, handle: Any, dy: ndarray, dropout_ratio: float, reserve_space: ndarray) -> ndarray:
        """The gradient for the input of `forward`, which gave `reserve_space`.

        Parameters
        ----------
        dy : cuproxide.ndarray
            The gradient for the result of `forward`, of its shape and dtype.
        dropout_ratio : float
            The ratio that `forward` was called with.
        reserve_space : cuproxide.ndarray
            The first result of `forward`.

        Returns
        -------
        cuproxide.ndarray
            The gradient, of the shape and dtype of `dy`: zero for the dropped elements.

        Raises
        ------
        TypeError
            For other dtypes.
        ValueError
            For another ratio, a reserve of another shape, or one that a library filled which does not compute now.
        """
        dtype = check(dy=dy)
        self.set_dropout_ratio(dropout_ratio)
        dy = dense(dy)
        dx = _core.empty(dy.shape, dtype)
        if reserve_space.dtype.kind != "b":
            images = _as_images(dy, dx)
            states = self.library_states()
            assert states is not None
            if not by_library("dropout_gradient", images[0], states, reserve_space, images[1], ratio=self._ratio):
                raise ValueError("reserve_space is of a library that does not compute now")
            return dx
        same_shape(dy=dy, reserve_space=reserve_space)
        dx[...] = _core.where(reserve_space, dy / (1.0 - self._ratio), 0.0)
        return dx


__all__ = ["DropoutStates"]
