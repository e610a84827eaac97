"""Python's operators and the package's ufuncs in C++, typed as NumPy types them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._cuproxide import kernel_type
from ._types import Mode, Rejected, Scalar, Value, cast, promote

__all__ = ["BINARY", "COMPARISONS", "UNARY", "call_ufunc", "is_ufunc", "literal"]

BINARY: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder",
    ast.Pow: "power",
    ast.LShift: "left_shift",
    ast.RShift: "right_shift",
    ast.BitAnd: "bitwise_and",
    ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor",
}
UNARY: dict[type[ast.AST], str] = {
    ast.USub: "negative",
    ast.UAdd: "positive",
    ast.Invert: "invert",
    ast.Not: "logical_not",
}
COMPARISONS: dict[type[ast.AST], str] = {
    ast.Eq: "equal",
    ast.NotEq: "not_equal",
    ast.Lt: "less",
    ast.LtE: "less_equal",
    ast.Gt: "greater",
    ast.GtE: "greater_equal",
}
_SYMBOLS = {"equal": "==", "not_equal": "!=", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">="}


def _same(names: str, kinds: str, text: str = "{name}({{0}})") -> dict[str, dict[str, str]]:
    return {name: {kinds: text.format(name=name)} for name in names.split()}


# By NumPy's name: the text for the kinds of the operands, which have been converted to the types of NumPy's loop.
_UFUNCS: dict[str, dict[str, str]] = {
    "add": {"iufc": "({0} + {1})", "b": "({0} || {1})"},
    "subtract": {"iufc": "({0} - {1})"},
    "multiply": {"iufc": "({0} * {1})", "b": "({0} && {1})"},
    "divide": {"fc": "({0} / {1})"},
    "floor_divide": {"iu": "jit_int_floor_divide({0}, {1})", "f": "jit_floor_divide({0}, {1})"},
    "remainder": {"iu": "jit_int_remainder({0}, {1})", "f": "jit_remainder({0}, {1})"},
    "fmod": {"iu": "jit_int_fmod({0}, {1})", "f": "fmod({0}, {1})"},
    "power": {"iu": "jit_int_power({0}, {1})", "fc": "pow({0}, {1})"},
    "float_power": {"fc": "pow({0}, {1})"},
    "negative": {"iufc": "(-{0})"},
    "positive": {"iufc": "(+{0})"},
    "absolute": {"b": "{0}", "u": "{0}", "i": "jit_abs({0})", "f": "fabs({0})", "c": "abs({0})"},
    "fabs": {"f": "fabs({0})"},
    "sign": {"iuf": "jit_sign({0})"},
    "conjugate": {"iuf": "{0}", "c": "conj({0})"},
    "square": {"iufc": "({0} * {0})"},
    "reciprocal": {"iu": "jit_int_floor_divide(({type})1, {0})", "fc": "(({type})1 / {0})"},
    "gcd": {"iu": "jit_gcd({0}, {1})"},
    "lcm": {"iu": "jit_lcm({0}, {1})"},
    "heaviside": {"f": "jit_heaviside({0}, {1})"},
    "logaddexp": {"f": "jit_logaddexp({0}, {1})"},
    "logaddexp2": {"f": "jit_logaddexp2({0}, {1})"},
    "rsqrt": {"f": "(({type})1 / sqrt({0}))"},
    "bitwise_and": {"biu": "({0} & {1})"},
    "bitwise_or": {"biu": "({0} | {1})"},
    "bitwise_xor": {"biu": "({0} ^ {1})"},
    "invert": {"b": "(!{0})", "iu": "(~{0})"},
    "left_shift": {"iu": "jit_left_shift({0}, {1})"},
    "right_shift": {"iu": "jit_right_shift({0}, {1})"},
    "bitwise_count": {"iu": "jit_bitwise_count({0})"},
    "logical_and": {"biufc": "(jit_truth({0}) && jit_truth({1}))"},
    "logical_or": {"biufc": "(jit_truth({0}) || jit_truth({1}))"},
    "logical_xor": {"biufc": "(jit_truth({0}) != jit_truth({1}))"},
    "logical_not": {"biufc": "(!jit_truth({0}))"},
    "maximum": {"biuf": "jit_maximum({0}, {1})", "c": "jit_complex_maximum({0}, {1})"},
    "minimum": {"biuf": "jit_minimum({0}, {1})", "c": "jit_complex_minimum({0}, {1})"},
    "fmax": {"biu": "jit_maximum({0}, {1})", "f": "fmax({0}, {1})"},
    "fmin": {"biu": "jit_minimum({0}, {1})", "f": "fmin({0}, {1})"},
    "isnan": {"biu": "false", "fc": "({0} != {0})"},
    "isinf": {"biu": "false", "f": "(fabs({0}) == ({type})JIT_INFINITY)"},
    "isfinite": {"biu": "true", "f": "({0} - {0} == ({type})0)"},
    "signbit": {"f": "(bool)signbit({0})"},
    "degrees": {"f": "({0} * ({type})57.295779513082320877)"},
    "radians": {"f": "({0} * ({type})0.017453292519943295769)"},
    "rad2deg": {"f": "({0} * ({type})57.295779513082320877)"},
    "deg2rad": {"f": "({0} * ({type})0.017453292519943295769)"},
    "arctan2": {"f": "atan2({0}, {1})"},
    "hypot": {"f": "hypot({0}, {1})"},
    "copysign": {"f": "copysign({0}, {1})"},
    "nextafter": {"f": "nextafter({0}, {1})"},
    **{name: {"biufc": f"({{0}} {symbol} {{1}})"} for name, symbol in _SYMBOLS.items()},
    **_same("exp log log10 sqrt sin cos tan sinh cosh tanh", "fc"),
    **_same("exp2 expm1 log2 log1p cbrt rint", "f"),
    **{name: {"b": "{0}", "iu": "{0}", "f": f"{name}({{0}})"} for name in ("floor", "ceil", "trunc")},
    **{
        f"arc{name}": {"fc" if len(name) <= 4 else "f": f"a{name}({{0}})"}
        for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")
    },
}


def is_ufunc(thing: Any) -> bool:
    """Whether something is a ufunc, of this package or of NumPy."""
    from .._cuproxide import ufunc

    return isinstance(thing, (ufunc, np.ufunc))


def canonical(name: str) -> str:
    """NumPy's first name of a ufunc."""
    found = getattr(np, name, None)
    return found.__name__ if isinstance(found, np.ufunc) else name


def literal(number: Any, to: Scalar) -> str:
    """A number that is known now, in C++. OverflowError if an integer does not fit."""
    name = to.cpp
    if to.kind == "b":
        return str(bool(number)).lower()
    if to.kind in "iu":
        number = int(number)
        limits = np.iinfo(to.dtype)
        if not limits.min <= number <= limits.max:
            raise Rejected(OverflowError, f"Python integer {number} out of bounds for {to}")
        if to.dtype == np.int32 and number != limits.min:
            return str(number) if number >= 0 else f"({number})"
        if number == limits.min and number < 0:
            return f"({name})({number + 1}LL - 1)"
        suffix = {("i", 8): "LL", ("u", 8): "ULL", ("u", 4): "u"}.get((to.kind, to.dtype.itemsize))
        text = f"{number}{suffix}" if suffix else f"({name}){number}"
        return f"({text})" if number < 0 or not suffix else text
    if to.kind == "f":
        number = float(number)
        if number != number:
            return f"(({name})JIT_NAN)"
        if number in (np.inf, -np.inf):
            return f"(({name}){'-' if number < 0 else ''}JIT_INFINITY)"
        if to.dtype.itemsize == 4:
            with np.errstate(over="ignore"):
                narrow = np.float32(number)
            if np.isinf(narrow):
                return f"(({name}){'-' if number < 0 else ''}JIT_INFINITY)"
            text = f"{float(narrow)!r}f"
        else:
            text = repr(number)
        return f"(({name}){text})" if to.half else f"({text})" if number < 0 else text
    number = complex(number)
    part = Scalar(np.dtype(np.float32 if to.dtype.itemsize == 8 else np.float64))
    return f"{name}({literal(number.real, part)}, {literal(number.imag, part)})"


def _operand(value: Any, to: Scalar) -> str:
    """An operand as the loop wants it: halves compute as float."""
    text = cast(value, to) if isinstance(value, Value) else literal(value, to)
    return f"(float)({text})" if to.half else text


def _scalar(operand: Any, mode: Mode, name: str) -> Scalar:
    kind = operand.type if isinstance(operand, Value) else mode.of(operand)
    if not isinstance(kind, Scalar):
        raise Rejected(TypeError, f"{name} takes numbers, not {kind}; index the array first")
    return kind


def _resolve(name: str, ufunc: np.ufunc, types: Sequence[Scalar]) -> list[Scalar]:
    """The types of NumPy's loop for operands, inputs first, then the output."""
    strong = [kind.dtype for kind in types if not kind.weak]
    wide = None
    if any(dtype.kind == "V" for dtype in strong):
        # NumPy's tables do not know bfloat16: it goes the way of float32, unless something wider is there.
        wide = strong[0]
        for dtype in strong[1:]:
            wide = promote(wide, dtype)
        standing = np.dtype(np.float32) if wide.kind == "V" else wide
    python = {"b": bool, "i": int, "u": int, "f": float, "c": complex}
    asked: list[Any] = [python[kind.kind] if kind.weak else kind.dtype if wide is None else standing for kind in types]
    if all(kind.weak for kind in types):
        asked = [kind.dtype for kind in types]
    try:
        found = list(ufunc.resolve_dtypes((*asked, *[None] * ufunc.nout)))
    except TypeError as error:
        raise Rejected(TypeError, f"{name} is not defined for {', '.join(map(str, types))}") from error
    if wide is not None and wide.kind == "V":
        found = [wide if dtype == np.float32 else dtype for dtype in found]
    return [Scalar(dtype) for dtype in found]


def call_ufunc(name: str, operands: Sequence[Any], mode: Mode) -> Value:
    """The call of a ufunc for values and constants."""
    numpy_name = canonical(name)
    ufunc = getattr(np, "sqrt" if numpy_name == "rsqrt" else numpy_name, None)
    texts = _UFUNCS.get(numpy_name)
    if texts is None or not isinstance(ufunc, np.ufunc):
        raise Rejected(TypeError, f"the ufunc {name} cannot be called in a kernel")
    if len(operands) != ufunc.nin:
        raise Rejected(TypeError, f"{name} takes {ufunc.nin} operands, not {len(operands)}")
    types = [_scalar(operand, mode, name) for operand in operands]
    if numpy_name in _SYMBOLS:
        return _compare(numpy_name, operands, types)
    loop = _resolve(name, ufunc, types)
    result = loop[-1]
    text = next((text for kinds, text in texts.items() if loop[0].kind in kinds), None)
    if text is None:
        raise Rejected(TypeError, f"{name} cannot be computed for {loop[0]} in a kernel")
    compute = "float" if loop[0].half else loop[0].cpp
    parts = [_operand(operand, kind) for operand, kind in zip(operands, loop, strict=False)]
    code = text.format(*parts, type=compute)
    # C++ computes small integers as int, and halves as float.
    if result.half or (result.kind in "iu" and result.dtype.itemsize < 4) or numpy_name.startswith("bitwise"):
        code = f"({result.cpp}){code}"
    weak = all(kind.weak for kind in types) and result.kind in "iufc"
    return Value(code, Scalar(result.dtype, weak))


def _compare(name: str, operands: Sequence[Any], types: Sequence[Scalar]) -> Value:
    a, b = types
    symbol, boolean = _SYMBOLS[name], Scalar(np.dtype(bool))
    strong = {Scalar(kind.dtype) for kind in types}
    if {kind.kind for kind in strong} == {"i", "u"} and np.dtype(np.uint64) in {kind.dtype for kind in strong}:
        if isinstance(operands[1], int) and not isinstance(operands[1], bool) and operands[1] >= 0:
            return Value(f"({_operand(operands[0], a)} {symbol} {literal(operands[1], a)})", boolean)
        wide = [Scalar(np.dtype(np.int64 if kind.kind == "i" else np.uint64)) for kind in types]
        texts = [_operand(operand, kind) for operand, kind in zip(operands, wide, strict=True)]
        if a.kind == "i":
            return Value(f"(jit_compare({texts[0]}, {texts[1]}) {symbol} 0)", boolean)
        return Value(f"(0 {symbol} jit_compare({texts[1]}, {texts[0]}))", boolean)
    for strong_type, weak_type, constant in ((a, b, operands[1]), (b, a, operands[0])):
        if weak_type.weak and not strong_type.weak:
            fits = strong_type.kind in "fc" and weak_type.kind in "iuf" or strong_type.kind == "c"
            if strong_type.kind in "iu" and isinstance(constant, int):
                limits = np.iinfo(strong_type.dtype)
                fits = limits.min <= constant <= limits.max
            if fits:
                texts = [_operand(operand, strong_type) for operand in operands]
                return Value(f"({texts[0]} {symbol} {texts[1]})", boolean)
    to = Scalar(promote(a.dtype, b.dtype))
    return Value(f"({_operand(operands[0], to)} {symbol} {_operand(operands[1], to)})", boolean)


def fold_ufunc(name: str, operands: Sequence[Any]) -> Any:
    """The result of a ufunc for numbers that are known now: Python's numbers stay Python's."""
    with np.errstate(all="ignore"):
        if canonical(name) == "rsqrt":
            result = 1 / np.sqrt(operands[0])
        else:
            result = getattr(np, canonical(name))(*operands)
    if any(isinstance(operand, np.generic) for operand in operands) or isinstance(result, tuple):
        return result
    return result.item()


def as_dtype(thing: Any) -> np.dtype[Any]:
    """The dtype that is named, checked to be one of kernels."""
    from .._cuproxide import dtype

    try:
        found = dtype(thing)
        kernel_type(found)
    except (TypeError, ValueError) as error:
        raise Rejected(TypeError, f"{thing!r} is not a dtype of kernels") from error
    return found
