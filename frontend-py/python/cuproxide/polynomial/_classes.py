"""Series as objects: `Chebyshev`, `Legendre` and the others, which differ in their row of the table of bases only."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any, ClassVar, Self

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.texts import complete
from .._routines.ranges import linspace
from .._typing import ArrayLike
from . import _basis, _functions
from ._basis import Basis
from ._texts import TEXTS
from .polyutils import as_series, getdomain, mapdomain, mapparms, trimcoef


class _Interval:
    """The default `domain` and `window` of a class, made when asked for; objects have their own."""

    def __get__(self, instance: object, owner: type[ABCPolyBase]) -> ndarray:
        return _core.array(list(owner._basis.domain))


def _reflected(name: str) -> Callable[[ABCPolyBase, Any], Any]:
    def method(self: ABCPolyBase, other: Any) -> Any:
        return self._combined(name, other, self.coef)

    return method


def _direct(name: str) -> Callable[[ABCPolyBase, Any], Any]:
    def method(self: ABCPolyBase, other: Any) -> Any:
        return self._combined(name, self.coef, self._coefficients_of(other))

    return method


class ABCPolyBase:
    """A series with coefficients on the device, the lowest degree first, on `domain`, which is mapped to `window`.

    Operators combine series of one class, domain, window and symbol, and trim trailing zeros, which waits for the
    device.

    Parameters
    ----------
    coef : array_like
        The coefficients, the lowest degree first.

    See Also
    --------
    numpy.polynomial : The class that this one follows.
    """

    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None

    maxpower = 100
    #: The letter of the members of the basis, for printing.
    basis_name: ClassVar[str | None] = None
    domain: Any = _Interval()
    window: Any = _Interval()
    _basis: ClassVar[Basis]
    _series: ClassVar[SimpleNamespace]

    def __init__(
        self, coef: ArrayLike, domain: ArrayLike | None = None, window: ArrayLike | None = None, symbol: str = "x"
    ) -> None:
        (self.coef,) = as_series([coef], trim=False)
        for name, given in (("domain", domain), ("window", window)):
            if given is None:
                self.__dict__[name] = getattr(type(self), name)
                continue
            (interval,) = as_series([given], trim=False)
            if len(interval) != 2:
                raise ValueError(f"{name.capitalize()} has wrong number of elements.")
            self.__dict__[name] = interval
        if not isinstance(symbol, str):
            raise TypeError("Symbol must be a non-empty string")
        if not symbol.isidentifier():
            raise ValueError("Symbol string must be a valid Python identifier")
        self._symbol = symbol

    @property
    def symbol(self) -> str:
        """The name of the variable, for printing."""
        return self._symbol

    def get(self, stream: Any = None) -> Any:
        """A copy as an object of NumPy's class of the same name. Waits for the device."""
        host = getattr(np.polynomial, self._basis.name)
        return host(self.coef.get(stream), self.domain.get(stream), self.window.get(stream), self.symbol)

    # Comparison.

    def has_samecoef(self, other: ABCPolyBase) -> bool:
        """Whether the coefficients are the same."""
        return self.coef.shape == other.coef.shape and bool((self.coef == other.coef).all())

    def has_samedomain(self, other: ABCPolyBase) -> bool:
        """Whether the domains are the same."""
        return self.domain is other.domain or bool((self.domain == other.domain).all())

    def has_samewindow(self, other: ABCPolyBase) -> bool:
        """Whether the windows are the same."""
        return self.window is other.window or bool((self.window == other.window).all())

    def has_sametype(self, other: object) -> bool:
        """Whether `other` is of the same class."""
        return isinstance(other, type(self))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, type(self))
            and self.has_samedomain(other)
            and self.has_samewindow(other)
            and self.has_samecoef(other)
            and self.symbol == other.symbol
        )

    # Arithmetic.

    def _coefficients_of(self, other: Any) -> Any:
        if not isinstance(other, ABCPolyBase):
            return other
        if not isinstance(other, type(self)):
            raise TypeError("Polynomial types differ")
        if not self.has_samedomain(other):
            raise TypeError("Domains differ")
        if not self.has_samewindow(other):
            raise TypeError("Windows differ")
        if self.symbol != other.symbol:
            raise ValueError("Polynomial symbols differ")
        return other.coef

    def _like(self, coef: ndarray) -> Self:
        return type(self)(coef, self.domain, self.window, self.symbol)

    def _combined(self, name: str, first: Any, second: Any) -> Any:
        try:
            result = getattr(self._series, name)(first, second)
        except ZeroDivisionError:
            raise
        except (TypeError, ValueError):
            return NotImplemented
        return tuple(map(self._like, result)) if isinstance(result, tuple) else self._like(result)

    __add__, __radd__ = _direct("add"), _reflected("add")
    __sub__, __rsub__ = _direct("sub"), _reflected("sub")
    __mul__, __rmul__ = _direct("mul"), _reflected("mul")
    __divmod__, __rdivmod__ = _direct("div"), _reflected("div")

    def __floordiv__(self, other: Any) -> Any:
        result = self.__divmod__(other)
        return result if result is NotImplemented else result[0]

    def __rfloordiv__(self, other: Any) -> Any:
        result = self.__rdivmod__(other)
        return result if result is NotImplemented else result[0]

    def __mod__(self, other: Any) -> Any:
        result = self.__divmod__(other)
        return result if result is NotImplemented else result[1]

    def __rmod__(self, other: Any) -> Any:
        result = self.__rdivmod__(other)
        return result if result is NotImplemented else result[1]

    def __truediv__(self, other: Any) -> Any:
        # A quotient of series is `//`; `/` is for numbers alone.
        if not isinstance(other, numbers.Number) or isinstance(other, bool):
            raise TypeError(f"unsupported types for true division: '{type(self)}', '{type(other)}'")
        return self.__floordiv__(other)

    __rtruediv__ = __rfloordiv__

    def __pow__(self, other: int) -> Self:
        return self._like(self._series.pow(self.coef, other, maxpower=self.maxpower))

    def __neg__(self) -> Self:
        return self._like(-self.coef)

    def __pos__(self) -> Self:
        return self

    # Values.

    def __call__(self, arg: ArrayLike | ABCPolyBase) -> Any:
        """The value of the series at `arg`; at another series their composition."""
        offset, scale = self.mapparms()
        if isinstance(arg, ABCPolyBase):
            inner = offset + scale * arg
            return _basis.clenshaw(self._basis, self.coef, lambda b: inner * b, inner._like(_core.array([1])))
        return self._series.val(mapdomain(arg, self.domain, self.window), self.coef)

    def __iter__(self) -> Iterator[ndarray]:
        return iter(self.coef)

    def __len__(self) -> int:
        return len(self.coef)

    def mapparms(self) -> tuple[Any, Any]:
        """Offset and scale of the map of the domain to the window."""
        return mapparms(self.domain, self.window)

    def linspace(self, n: int = 100, domain: ArrayLike | None = None) -> tuple[ndarray, ndarray]:
        """`n` equally spaced points of the domain, and the values there.

        Parameters
        ----------
        n : int
            The number of points.
        """
        interval: Any = self.domain if domain is None else domain
        x = linspace(interval[0], interval[1], n)
        return x, self(x)

    # Text, which is NumPy's.

    def __repr__(self) -> str:
        return repr(self.get())

    def __str__(self) -> str:
        return str(self.get())

    def __format__(self, format_spec: str) -> str:
        return format(self.get(), format_spec)

    def _repr_latex_(self) -> str:
        return self.get()._repr_latex_()

    # Changes of the series.

    def copy(self) -> Self:
        """A copy."""
        return self._like(self.coef)

    def degree(self) -> int:
        """The degree of the series, trailing zeros included."""
        return len(self) - 1

    def cutdeg(self, deg: int) -> Self:
        """The series without terms above the degree `deg`."""
        return self.truncate(deg + 1)

    def trim(self, tol: float = 0) -> Self:
        """The series without trailing coefficients of at most `tol` in magnitude. Waits for the device."""
        return self._like(trimcoef(self.coef, tol))

    def truncate(self, size: int) -> Self:
        """The first `size` terms."""
        length = int(size)
        if length != size or length < 1:
            raise ValueError("size must be a positive integer")
        return self._like(self.coef[:length])

    def convert(
        self,
        domain: ArrayLike | None = None,
        kind: type[ABCPolyBase] | None = None,
        window: ArrayLike | None = None,
    ) -> Any:
        """The same function as a series of another class, domain or window.

        Parameters
        ----------
        kind : type, optional
            The class of the result.
        """
        kind = type(self) if kind is None else kind
        domain = kind.domain if domain is None else domain
        window = kind.window if window is None else window
        return self(kind.identity(domain, window=window, symbol=self.symbol))

    def integ(self, m: int = 1, k: Any = [], lbnd: float | None = None) -> Self:  # noqa: B006
        """The `m`-th antiderivative with the constants `k`, zero at `lbnd` without them."""
        offset, scale = self.mapparms()
        start = 0 if lbnd is None else offset + scale * lbnd
        return self._like(self._series.int(self.coef, m, k, start, 1.0 / scale))

    def deriv(self, m: int = 1) -> Self:
        """The `m`-th derivative."""
        return self._like(self._series.der(self.coef, m, self.mapparms()[1]))

    def roots(self) -> ndarray:
        """The roots, in ascending order. Waits for the device."""
        return mapdomain(self._series.roots(self.coef), self.window, self.domain)

    # Makers.

    @classmethod
    def fit(
        cls,
        x: ArrayLike,
        y: ArrayLike,
        deg: int | Sequence[int],
        domain: Any = None,
        rcond: float | None = None,
        full: bool = False,
        w: ArrayLike | None = None,
        window: ArrayLike | None = None,
        symbol: str = "x",
    ) -> Any:
        """The series of least squared error at the points, with the solver's diagnostics if `full`.

        Parameters
        ----------
        y : array_like
            The values at the points.
        """
        if domain is None:
            domain = getdomain(x)
            if bool(domain[0] == domain[1]):
                domain = domain + _core.array([-1, 1])
        elif isinstance(domain, list) and not domain:
            domain = cls.domain
        window = cls.window if window is None else window
        found = cls._series.fit(mapdomain(x, domain, window), y, deg, w=w, rcond=rcond, full=full)
        if full:
            return cls(found[0], domain=domain, window=window, symbol=symbol), found[1]
        return cls(found, domain=domain, window=window, symbol=symbol)

    @classmethod
    def fromroots(
        cls,
        roots: ArrayLike,
        domain: Any = [],  # noqa: B006
        window: ArrayLike | None = None,
        symbol: str = "x",
    ) -> Self:
        """The series with these roots whose highest power has the coefficient 1.

        Parameters
        ----------
        roots : array_like
            The roots.
        """
        (roots,) = as_series([roots], trim=False)
        if domain is None:
            domain = getdomain(roots)
        elif isinstance(domain, list) and not domain:
            domain = cls.domain
        window = cls.window if window is None else window
        offset, scale = mapparms(domain, window)
        coef = cls._series.fromroots(offset + scale * roots) / scale ** len(roots)
        return cls(coef, domain=domain, window=window, symbol=symbol)

    @classmethod
    def identity(cls, domain: ArrayLike | None = None, window: ArrayLike | None = None, symbol: str = "x") -> Self:
        """The series `p` with `p(x) == x`."""
        domain = cls.domain if domain is None else domain
        window = cls.window if window is None else window
        offset, scale = mapparms(window, domain)
        return cls(cls._series.line(offset, scale), domain, window, symbol)

    @classmethod
    def basis(
        cls, deg: int, domain: ArrayLike | None = None, window: ArrayLike | None = None, symbol: str = "x"
    ) -> Self:
        """The member of the basis of degree `deg`."""
        degree = int(deg)
        if degree != deg or degree < 0:
            raise ValueError("deg must be non-negative integer")
        return cls([0] * degree + [1], domain, window, symbol)

    @classmethod
    def cast(cls, series: ABCPolyBase, domain: ArrayLike | None = None, window: ArrayLike | None = None) -> Any:
        """Another series as one of this class.

        Parameters
        ----------
        series : series
            What is converted.
        """
        return series.convert(domain, cls, window)


_SERIES = """A series of {name} polynomials on the device.

Parameters
----------
coef : array_like
    The coefficients, of the lowest degree first.
domain : array_like, optional
    The interval that is mapped to the window, both by their ends; the window of the class by default.
window : array_like, optional
    The interval that the polynomials are evaluated on, that of the class by default.
symbol : str
    The variable, for printing.

See Also
--------
{numpy} : The class that this one follows.

Examples
--------
>>> p = cp.polynomial.{name}([1.0, 2.0, 3.0])
>>> p.degree()
2
>>> float((p - p)(0.5))
0.0
"""


def series_class(basis: Basis, series: SimpleNamespace, **members: Any) -> type[ABCPolyBase]:
    """The class of a basis."""
    name = f"numpy.polynomial.{basis.module}.{basis.name}"
    text = _SERIES.format(name=basis.name, numpy=name)
    names = {"__doc__": text, "__module__": f"cuproxide.polynomial.{basis.module}", "_basis": basis, "_series": series}
    names["basis_name"] = basis.symbol or None
    return type(basis.name, (ABCPolyBase,), {**names, **members})


def publish(namespace: dict[str, Any], basis: Basis, **members: Any) -> list[str]:
    """Puts the functions and the class of a basis into its module, and says what is public there."""
    made = _functions.functions(basis)
    names = _functions.module_names(basis, made)
    names[basis.name] = series_class(basis, made, **members)
    names["ABCPolyBase"] = ABCPolyBase
    namespace.update(names)
    complete(namespace, [basis.name], TEXTS)
    return [*names, *(basis.prefix + name for name in ("domain", "zero", "one", "x"))]
