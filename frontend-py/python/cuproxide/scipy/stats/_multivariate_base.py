"""What multivariate distributions share, and their documentation."""

from __future__ import annotations

import functools
import inspect
from typing import Any

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_float
from ..._lib.conversions import as_shape
from ._common import generator

_EXAMPLE = """{text} See `scipy.stats.{name}`.

>>> import cuproxide as cp
>>> {example}
{result}
"""


class multi_frozen:
    """A multivariate distribution with its parameters, which are attributes as `multi_generic._shown` names them."""

    def __init__(self, dist: Any, args: tuple[Any, ...], kwds: dict[str, Any]) -> None:
        names = (*dist._names, "seed", *dist._options)
        if len(args) > len(names):
            raise TypeError(f"{dist.name} takes at most {len(names)} arguments, got {len(args)}")
        given = dict(zip(names, args, strict=False))
        for name, value in kwds.items():
            if name in given:
                raise TypeError(f"{dist.name} got multiple values for argument {name!r}")
            if name not in names:
                raise TypeError(f"{dist.name} got an unexpected keyword argument {name!r}")
            given[name] = value
        self._seed = given.pop("seed", None)
        self._dist, self._given = dist, given
        dist._check(**given)

    @property
    def random_state(self) -> Any:
        """The generator of `rvs`."""
        return generator(self._seed)

    @random_state.setter
    def random_state(self, seed: Any) -> None:
        self._seed = generator(seed)

    def rvs(self, size: Any = None, random_state: Any = None, **more: Any) -> ndarray:
        """Random draws."""
        if size is not None:
            more["size"] = size
        more["random_state"] = self._seed if random_state is None else random_state
        return self._call("rvs", (), more)

    def _call(self, name: str, rest: tuple[Any, ...], more: dict[str, Any]) -> Any:
        taken = _argument_names(type(self._dist), name)
        known = {key: value for key, value in self._given.items() if key in taken and key not in more}
        if name == "rvs":
            return self._dist.rvs(**known, **more)
        return getattr(self._dist, name)(*rest, **known, **more)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if name in self._dist._attributes:
            self.__dict__.update(self._dist._shown(**self._given))
            return self.__dict__[name]
        if name not in self._dist._unfrozen and callable(getattr(self._dist, name, None)):
            return lambda *rest, **more: self._call(name, rest, more)
        raise AttributeError(f"a frozen {self._dist.name} has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        methods = [name for name in dir(type(self._dist)) if not name.startswith("_")]
        return [*super().__dir__(), *self._dist._attributes, *(m for m in methods if m not in self._dist._unfrozen)]


@functools.cache
def _argument_names(kind: type, method: str) -> frozenset[str]:
    """Names of the parameters that a method of a distribution takes."""
    return frozenset(inspect.signature(getattr(kind, method)).parameters)


class multi_generic:
    """What multivariate distributions share."""

    _names: tuple[str, ...] = ()
    """Parameters in the order in which a frozen distribution takes them."""
    _options: tuple[str, ...] = ()
    """Arguments of a frozen distribution after its seed."""
    _attributes: tuple[str, ...] = ()
    """What a frozen distribution shows of its parameters: the keys of `_shown`."""
    _unfrozen: tuple[str, ...] = ("fit",)
    """Methods that frozen distributions lack."""

    def __init__(self, name: str) -> None:
        self.name = name
        text, example, result = _DOCS[name]
        self.__doc__ = _EXAMPLE.format(text=text, name=name, example=example, result=result)
        self._seed: Any = None

    def __call__(self, *args: Any, **kwds: Any) -> multi_frozen:
        return multi_frozen(self, args, kwds)

    @property
    def __signature__(self) -> inspect.Signature:
        """What a call takes, for `inspect`: the parameters, with their defaults, and a seed."""
        methods = [getattr(self, name) for name in ("logpmf", "logpdf", "cdf", "rvs") if hasattr(self, name)]
        known = {name: one for method in methods for name, one in inspect.signature(method).parameters.items()}
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        names = (*self._names, "seed", *self._options)
        defaults = [known[name].default if name in known else None for name in names]
        return inspect.Signature([inspect.Parameter(n, kind, default=d) for n, d in zip(names, defaults, strict=True)])

    def _check(self, *args: Any, **kwds: Any) -> None:
        """Raises for parameters that do not fit; computes nothing on the device."""

    def _shown(self, *args: Any, **given: Any) -> dict[str, Any]:
        """The attributes of a frozen distribution."""
        return given

    @property
    def random_state(self) -> Any:
        """The generator of `rvs`."""
        return generator(self._seed)

    @random_state.setter
    def random_state(self, seed: Any) -> None:
        self._seed = generator(seed)


_DOCS = {
    "multivariate_normal": (
        "The multivariate normal distribution.",
        "float(cp.scipy.stats.multivariate_normal.entropy([0.0], [[1.0]])) > 1.4",
        "True",
    ),
    "multivariate_t": (
        "The multivariate t distribution.",
        "round(float(cp.scipy.stats.multivariate_t.pdf([0.0, 0.0], df=3)), 6)",
        "0.159155",
    ),
    "dirichlet": ("The Dirichlet distribution.", "cp.scipy.stats.dirichlet.mean([1.0, 3.0])", "array([0.25, 0.75])"),
    "multinomial": (
        "The multinomial distribution.",
        "round(float(cp.scipy.stats.multinomial.pmf([1, 1], 2, [0.5, 0.5])), 6)",
        "0.5",
    ),
    "dirichlet_multinomial": (
        "The Dirichlet-multinomial distribution.",
        "round(float(cp.scipy.stats.dirichlet_multinomial.pmf([1, 1], [1.0, 1.0], 2)), 6)",
        "0.333333",
    ),
    "multivariate_hypergeom": (
        "The multivariate hypergeometric distribution.",
        "round(float(cp.scipy.stats.multivariate_hypergeom.pmf([1, 1], [2, 2], 2)), 6)",
        "0.666667",
    ),
    "matrix_normal": (
        "The matrix normal distribution.",
        "round(float(cp.scipy.stats.matrix_normal.pdf([[0.0]])), 6)",
        "0.398942",
    ),
    "matrix_t": (
        "The matrix t distribution.",
        "round(float(cp.scipy.stats.matrix_t.pdf([[0.0]], df=3)), 6)",
        "0.63662",
    ),
    "random_table": (
        "Random tables of counts with given sums of rows and columns.",
        "round(float(cp.scipy.stats.random_table.pmf([[1, 5, 1], [2, 3, 1]], [7, 6], [3, 8, 2])), 6)",
        "0.195804",
    ),
    "wishart": (
        "The Wishart distribution.",
        "cp.scipy.stats.wishart.mean(3, cp.eye(2))",
        "array([[3., 0.],\n       [0., 3.]])",
    ),
    "invwishart": (
        "The inverse Wishart distribution.",
        "cp.scipy.stats.invwishart.mean(4, cp.eye(2))",
        "array([[1., 0.],\n       [0., 1.]])",
    ),
    "ortho_group": ("Random orthogonal matrices.", "cp.scipy.stats.ortho_group.rvs(3, random_state=1).shape", "(3, 3)"),
    "special_ortho_group": (
        "Random rotations.",
        "round(float(cp.linalg.det(cp.scipy.stats.special_ortho_group.rvs(3, random_state=1))), 6)",
        "1.0",
    ),
    "unitary_group": (
        "Random unitary matrices.",
        "cp.scipy.stats.unitary_group.rvs(3, random_state=1).dtype",
        "dtype('complex128')",
    ),
    "uniform_direction": (
        "Random unit vectors.",
        "cp.scipy.stats.uniform_direction.rvs(3, size=2, random_state=1).shape",
        "(2, 3)",
    ),
    "vonmises_fisher": (
        "The von Mises-Fisher distribution of directions.",
        "round(float(cp.scipy.stats.vonmises_fisher.pdf([1.0, 0.0, 0.0], [1.0, 0.0, 0.0], 1.0)), 6)",
        "0.184065",
    ),
    "normal_inverse_gamma": (
        "The normal-inverse-gamma distribution.",
        "round(float(cp.scipy.stats.normal_inverse_gamma.pdf(0.0, 1.0)), 6)",
        "0.146763",
    ),
    "random_correlation": (
        "Random correlation matrices with given eigenvalues.",
        "cp.diag(cp.scipy.stats.random_correlation.rvs([0.5, 1.5], random_state=1)).round(6)",
        "array([1., 1.])",
    ),
}


def _size(size: Any) -> tuple[int, ...]:
    return () if size is None else tuple(int(n) for n in as_shape(size))


def _number(value: Any) -> Any:
    return value if isinstance(value, (int, float)) else to_float(as_device(value))
