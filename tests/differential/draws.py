"""The language of the rows: generators, which draw host values for one argument each.

A generator is called with a `Draw`, which holds the random numbers of the draw, its kind and the sizes of named axes.
The same seed draws the same values again, so that each side gets fresh arguments and neither sees what the other wrote.
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

# How often each kind is drawn. "typed" varies dtypes and layouts, "edge" lengths, NaN, infinities and extreme numbers,
# "invalid" spoils one argument of a plain draw.
KINDS = {"plain": 0.5, "typed": 0.2, "edge": 0.15, "invalid": 0.15}
PLAIN_SIZES = (2, 3, 4, 5, 6, 7, 8, 9)
EDGE_SIZES = (0, 1, 1, 2, 3)
OMITTED = object()


class Draw:
    """One draw: random numbers, the kind, and what its arguments share."""

    def __init__(self, name: str, seed: int) -> None:
        self.random = np.random.default_rng([seed, zlib.crc32(name.encode())])
        self.kind = str(self.random.choice(list(KINDS), p=list(KINDS.values())))
        self.sizes: dict[str, int] = {}
        self.stack: tuple[int, ...] | None = None
        self.least = 0
        self.finite = False

    def chance(self, probability: float) -> bool:
        return bool(self.random.random() < probability)

    def pick(self, choices: Any) -> Any:
        return choices[int(self.random.integers(len(choices)))]

    def size(self, name: str) -> int:
        """The length of an axis: a number, or a name that stands for one length throughout a draw, plus a number."""
        if name.isdigit():
            return int(name)
        base, _, more = name.partition("+")
        if base not in self.sizes:
            self.sizes[base] = self.pick(EDGE_SIZES if self.kind == "edge" else PLAIN_SIZES)
            if base.isupper():
                self.sizes[base] = 10 + 3 * self.sizes[base]
        return self.sizes[base] + int(more or 0)

    def shape(self, text: str) -> tuple[int, ...]:
        """A shape from the names of its axes; `*` stands for the axes of a stack, mostly none."""
        shape: tuple[int, ...] = ()
        for name in text.split():
            if name == "*":
                if self.stack is None:
                    self.stack = self.pick([(), (), (2,), (3, 1)])
                shape += self.stack
            elif name == "...":
                shape += tuple(self.size(each) for each in self.pick(["n", "n m", "n m k", "m"]).split())
            else:
                shape += (self.size(name),)
        return shape


Generator = Callable[[Draw], Any]


def draw_value(generator: Any, draw: Draw) -> Any:
    """What a generator draws; containers are drawn part by part, other values stand for themselves."""
    if isinstance(generator, Gen):
        return generator.of(draw)
    if isinstance(generator, (tuple, list)):
        return type(generator)(draw_value(part, draw) for part in generator)
    if isinstance(generator, dict):
        return {key: draw_value(part, draw) for key, part in generator.items()}
    return generator


@dataclass(frozen=True)
class Gen:
    """A generator; `always` keywords are in every draw, others in some."""

    of: Generator
    always: bool = False


@dataclass(frozen=True)
class Callback:
    """A Python function of either side: `make` is called with the namespace of its arrays."""

    make: Callable[[Any], Any]
    text: str = "function"


@dataclass(frozen=True)
class Made:
    """An object that each side makes by calling its own `name`."""

    name: str
    arguments: tuple
    keywords: dict


@dataclass(frozen=True)
class Named:
    """What each side has under this name."""

    name: str


# Numbers ----------------------------------------------------------------------------------------------------


def normal(random, shape):
    return random.normal(size=shape)


def positive(random, shape):
    return np.exp(random.normal(size=shape))


def unit(random, shape):
    return random.random(shape)


def whole(random, shape):
    return random.integers(-9, 10, shape).astype(float)


def counts(random, shape):
    return random.integers(1, 30, shape).astype(float)


def ties(random, shape):
    return random.integers(0, 4, shape).astype(float)


def truth(random, shape):
    return random.integers(0, 2, shape).astype(float)


def rising(random, shape):
    return np.cumsum(0.05 + random.random(shape), axis=-1) - 1 if shape else random.random()


def wide(random, shape):
    return random.choice([-1, 1], shape) * 10.0 ** random.uniform(-6, 3, shape)


def simplex(random, shape):
    values = 0.05 + random.random(shape)
    return values / values.sum(-1, keepdims=True) if shape and shape[-1] else values


def between(low, high):
    def values(random, shape):
        return random.uniform(low, high, shape)

    return values


def integers(low, high):
    def values(random, shape):
        return random.integers(low, high + 1, shape).astype(float)

    return values


EXTREMES = (np.nan, np.nan, np.inf, -np.inf, 0.0, -0.0, 1e200, 1e-200)
REAL, REALS, NUMERIC, ANY = "d", "df", "dfl", "dfliFDeb?BHI"
LINALG, FLOATING, COMPLEX, INTEGRAL, LABELS = "dfDFli", "dfe", "dDfF", "liBh", "lihb"


def cast(values, dtype, random):
    dtype = np.dtype(dtype)
    if dtype.kind == "c" and values.dtype.kind != "c":
        values = values + 1j * random.permutation(np.ravel(values)).reshape(values.shape)
    with np.errstate(all="ignore"):
        if dtype.kind in "iu" and values.size:
            scaled = values if np.all(values == np.round(values)) else np.round(values * 4)
            return (abs(scaled) if dtype.kind == "u" else scaled).astype(dtype)
        return (values > 0).astype(bool) if dtype.kind == "b" else values.astype(dtype)


def lay_out(values, draw):
    """The same array in C, Fortran, strided or reversed memory."""
    layout = draw.pick(["C", "F", "strided", "reversed"])
    if values.ndim == 0 or layout == "C":
        return values
    if layout == "F":
        return np.asfortranarray(values)
    if layout == "reversed":
        return np.ascontiguousarray(values[::-1])[::-1]
    spread = np.zeros((*values.shape[:-1], 2 * values.shape[-1]), values.dtype)
    spread[..., ::2] = values
    return spread[..., ::2]


def array(shape="n", values=normal, kinds=NUMERIC, finite=False, least=0, then=None):
    """An array with named axes; `kinds` are dtypes' codes, the first the usual one; `then` shapes the drawn values."""

    def of(draw):
        lengths = tuple(max(length, least) for length in draw.shape(shape))
        numbers = np.asarray(values(draw.random, lengths), float if values is not None else None)
        code = kinds[0]
        if draw.kind == "typed" or (draw.kind == "plain" and draw.chance(0.3)):
            code = draw.pick(kinds if draw.kind == "typed" else kinds[:3])
        dtype = np.dtype(code)
        if then:
            numbers = then(numbers)
        numbers = cast(numbers, dtype, draw.random)
        if draw.kind == "edge" and not finite and dtype.kind in "fc" and numbers.size and draw.chance(0.5):
            flat = numbers.reshape(-1)
            extreme, place = draw.pick(EXTREMES), draw.random.integers(flat.size)
            if not draw.finite:
                with np.errstate(all="ignore"):
                    flat[place] = extreme
        return lay_out(numbers, draw) if draw.kind == "typed" else numbers

    return Gen(of)


def symmetric(values):
    return values + np.swapaxes(values, -1, -2)


def definite(values):
    return values @ np.swapaxes(values, -1, -2) + np.eye(values.shape[-1])


def dominant(values):
    return values + 2 * values.shape[-1] * np.eye(values.shape[-1])


def upper(values):
    return np.triu(dominant(values))


def square(shape="* n n", kinds=LINALG, **options):
    return array(shape, kinds=kinds, **options)


def sparse(shape="n m", kinds="dfDFl", formats=("csr", "csc", "coo"), density=0.4, then=None, values=normal, both=True):
    """A sparse array or matrix of SciPy."""

    def of(draw):
        import scipy.sparse

        dense = array(shape, values, kinds, finite=True).of(draw)
        keep = draw.random.random(dense.shape) < density
        dense = np.where(keep, dense, np.zeros((), dense.dtype))
        if then:
            dense = then(dense).astype(dense.dtype)
        kind = draw.pick(["array", "matrix"]) if both else "array"
        return getattr(scipy.sparse, f"{draw.pick(formats)}_{kind}")(dense)

    return Gen(of)


# Choices ----------------------------------------------------------------------------------------------------


def one(*choices):
    """One of several values or generators."""
    return Gen(lambda draw: draw_value(draw.pick(choices), draw))


def maybe(generator):
    """A positional argument that is left out now and then, with those after it."""
    return Gen(lambda draw: draw_value(generator, draw) if draw.chance(0.6) else OMITTED)


def always(generator):
    """A keyword that is in every draw."""
    return Gen(generator.of if isinstance(generator, Gen) else lambda draw: draw_value(generator, draw), always=True)


def number(low, high):
    return Gen(lambda draw: float(draw.random.uniform(low, high)))


def integer(low, high):
    return Gen(lambda draw: int(draw.random.integers(low, high + 1)))


def axis(rank=1, none=False):
    """An axis of an array with as many axes or more."""
    choices = [*range(-rank, rank), *([None] if none else [])]
    return Gen(lambda draw: draw.pick(choices))


def function(make, text="function"):
    """A callback: `make(xp)` gives the function for the namespace of arrays."""
    return Gen(lambda draw: Callback(make, text))


def made(name, *arguments, **keywords):
    """An object of either side, made from drawn arguments."""

    def of(draw):
        drawn = [draw_value(argument, draw) for argument in arguments]
        kept = {key: draw_value(value, draw) for key, value in keywords.items()}
        return Made(name, tuple(value for value in drawn if value is not OMITTED), kept)

    return Gen(of)


def named(*names):
    return Gen(lambda draw: Named(draw.pick(names)))


def size(name):
    """The length of a named axis."""
    return Gen(lambda draw: draw.size(name))


def computed(function_of_draw):
    return Gen(function_of_draw)


def several(generator, low=2, high=4):
    """A list of drawn values."""
    return Gen(lambda draw: [draw_value(generator, draw) for _ in range(int(draw.random.integers(low, high + 1)))])


def mapped(function_of_value, generator):
    return Gen(lambda draw: function_of_value(draw_value(generator, draw)))


# Rows ----------------------------------------------------------------------------------------------------

LARGE = 10**4
WRONG = (None, "no such", -1, 0, LARGE, 2.5, (), [], np.nan)


@dataclass(frozen=True)
class Step:
    """What is done with an object that a row makes: a method called, or an attribute read."""

    method: str
    arguments: tuple = ()
    keywords: Any = None


def call(method, *arguments, **keywords):
    return Step(method, arguments, keywords)


def read(*attributes):
    return [Step(attribute) for attribute in attributes]


@dataclass(frozen=True)
class Row:
    """One way to call a function: generators of its arguments, and how its results are compared."""

    name: str
    arguments: tuple
    keywords: dict
    bound: float | None = None
    each: bool = False
    random: bool = False
    form: Callable[[Any], Any] | None = None
    steps: tuple = ()
    fields: tuple = ()
    star: bool = False
    hostile: bool = True
    unordered: bool = False
    filled: bool = False
    finite: bool = False
    most: int = LARGE


ROWS: dict[str, list[Row]] = {}
ALONE: dict[str, str] = {}


def row(names, *arguments, **keywords):
    """Adds a row for each of some names of one module: `row("fft.fft fft2", array(), n=integer(1, 9))`.

    Options begin with an underscore: `_bound` relative to the largest number of a result, or with `_each` to every
    number; `_random` compares dtypes and shapes alone; `_form` brings results into a canonical form; `_steps` are what
    is done with the object; `_fields` are its attributes; `_star` passes a drawn list as the positional arguments;
    without `_hostile` every draw is plain; `_filled` spoils no array by taking its elements, where SciPy would crash;
    `_finite` draws no NaN or infinity, and `_most` no larger number, for what takes SciPy longer than a draw may.
    """
    options = {key[1:]: keywords.pop(key) for key in list(keywords) if key[0] == "_"}
    module, _, first = names.split()[0].rpartition(".")
    for name in [first, *names.split()[1:]]:
        ROWS.setdefault(f"{module}.{name}" if module else name, []).append(
            Row(f"{module}.{name}" if module else name, arguments, keywords, **options)
        )


def alone(names, reason):
    """Names that SciPy has nothing to compare with."""
    module, _, first = names.split()[0].rpartition(".")
    for name in [first, *names.split()[1:]]:
        ALONE[f"{module}.{name}" if module else name] = reason


def described(arguments, keywords, steps=()):
    """The arguments of a draw in a line: arrays by dtype, shape and what is special in them, all else in full.

    `float64(3, 4)[nan reversed]` is an array with a NaN, whose first axis runs backwards in memory; the marks are nan,
    inf, huge (beyond 1e100), tiny (below 1e-100, but not 0), columns (which lie one after another) and reversed.
    """
    parts = [_described(value) for value in arguments]
    parts += [f"{key}={_described(value)}" for key, value in keywords.items()]
    for step in steps:
        passed = "" if step.keywords is None else f"({described(step.arguments, step.keywords)})"
        parts.append(f".{step.method}{passed}")
    return ", ".join(parts)


def _described(value):
    if isinstance(value, np.ndarray):
        found = [name for name, test in _SPECIAL if _any(test, value)]
        found += ["columns"] if value.flags.f_contiguous and not value.flags.c_contiguous else []
        found += ["reversed"] if value.size and min(value.strides, default=0) < 0 else []
        return f"{value.dtype}{value.shape}" + (f"[{' '.join(found)}]" if found else "")
    if hasattr(value, "toarray"):
        return f"{type(value).__name__} {value.dtype}{value.shape}"
    if isinstance(value, Callback):
        return value.text
    if isinstance(value, Made):
        return f"{value.name}({described(value.arguments, value.keywords)})"
    if isinstance(value, Named):
        return value.name
    if type(value) in (tuple, list):
        begin, end = "()" if type(value) is tuple else "[]"
        return begin + ", ".join(map(_described, value)) + end
    if type(value) is dict:
        return "{" + described((), value) + "}"
    return repr(value)


def _huge(values):
    return np.isfinite(values) & (abs(values) > 1e100)


def _tiny(values):
    return (values != 0) & (abs(values) < 1e-100)


_SPECIAL = (("nan", np.isnan), ("inf", np.isinf), ("huge", _huge), ("tiny", _tiny))


def _any(test, values):
    return values.dtype.kind in "fc" and bool(test(values).any())


def spoil(draw, arguments, keywords, row):
    """Makes one argument invalid: of the wrong kind, rank, length or dtype."""
    places = [*range(len(arguments)), *keywords]
    if not places:
        return
    place = draw.pick(places)
    holder = arguments if isinstance(place, int) else keywords
    value = holder[place]
    if isinstance(value, np.ndarray) and draw.chance(0.8):
        ways = ["raise", "complex", "nan"] if row.filled else ["raise", "lower", "shorter", "complex", "empty", "nan"]
        way = draw.pick(ways)
        if way == "raise":
            value = value[None]
        elif way == "lower" and value.ndim and value.shape[0]:
            value = value[0]
        elif way == "shorter" and value.ndim and value.shape[0]:
            value = value[:-1]
        elif way == "complex":
            value = value + 0.5j
        elif way == "empty":
            value = value[:0] if value.ndim else value
        elif not draw.finite:
            value = np.full(value.shape, np.nan)
        holder[place] = value
    elif isinstance(value, str):
        holder[place] = draw.pick(("no such", value.upper(), None, 3))
    elif not isinstance(value, (Callback, Made, Named)):
        wrong = draw.pick(WRONG)
        holder[place] = row.most if wrong == LARGE else wrong


def draw_call(name, seed):
    """A row of this name, positional and keyword arguments, the steps, and the kind of the draw."""
    draw = Draw(name, seed)
    row = draw.pick(ROWS[name])
    if not row.hostile:
        draw.kind = "plain"
    draw.finite = row.finite
    arguments = []
    for generator in row.arguments:
        value = draw_value(generator, draw)
        if value is OMITTED:
            break
        arguments.append(value)
    if row.star:
        arguments = [*arguments[0], *arguments[1:]]
    keywords = {}
    for key, generator in row.keywords.items():
        if draw.chance(0.3) or (isinstance(generator, Gen) and generator.always):
            value = draw_value(generator, draw)
            if value is not OMITTED:
                keywords[key] = value
    steps = []
    for step in [draw.pick(row.steps) for _ in range(2)] if row.steps else []:
        # A step of several is drawn as a whole.
        for each in step if isinstance(step, list) else [step]:
            kept = {
                key: draw_value(value, draw)
                for key, value in (each.keywords or {}).items()
                if draw.chance(0.4) or (isinstance(value, Gen) and value.always)
            }
            passed = [draw_value(argument, draw) for argument in each.arguments]
            passed = [value for value in passed if value is not OMITTED]
            steps.append(Step(each.method, tuple(passed), None if each.keywords is None else kept))
    if draw.kind == "invalid":
        spoil(draw, arguments, keywords, row)
    return row, arguments, keywords, steps, draw.kind
