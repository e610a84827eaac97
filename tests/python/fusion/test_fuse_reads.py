"""`cp.fuse` sees whatever a function reads besides its arguments, or does not trace it."""

import argparse
import ast
import dataclasses
import dis
import enum
import functools
import inspect
import itertools
import operator
import os
import random
import statistics
import sys
import tarfile
import textwrap
import types
import warnings

import cuproxide as cp
import numpy as np
import programs
import pytest
import reads
from cuproxide import fusion
from cuproxide._kernels._fusion import statuses
from effort import CASES, drawn


@pytest.fixture(autouse=True)
def counted():
    """What is counted starts at zero in each test."""
    fusion.clear()
    yield
    fusion.wait()


def ramp(count=4):
    return cp.arange(float(count)) + 0.5


def status(name):
    """`(launches, traced, replayed, plain, reason)` of the one function of a name."""
    (found,) = [row[1:] for row in statuses() if row[0] == name]
    return found


def same(mine, theirs):
    """Whether results are alike: types, values, bits of arrays."""
    if type(mine) is not type(theirs):
        return False
    if isinstance(theirs, (tuple, list)):
        return len(mine) == len(theirs) and all(same(a, b) for a, b in zip(mine, theirs, strict=True))
    if isinstance(theirs, dict):
        return same(list(mine.items()), list(theirs.items()))
    if isinstance(theirs, set):
        return same(sorted(mine), sorted(theirs))
    if isinstance(theirs, types.GeneratorType):
        return same(list(mine), list(theirs))
    if isinstance(theirs, cp.ndarray):
        alike = (mine.dtype, mine.shape, mine.strides) == (theirs.dtype, theirs.shape, theirs.strides)
        return alike and programs.same_bits(mine.get(), theirs.get())
    if isinstance(theirs, float):
        return np.float64(mine).tobytes() == np.float64(theirs).tobytes()
    return bool(mine == theirs)


# Earlier functions of a test may still be listed while their kernels are compiled.
NUMBERS = itertools.count()


def check(function, calls, change=None):
    """Compares calls with those of the undecorated function; between them `change` changes what it reads."""
    name = f"checked{next(NUMBERS)}"
    fused = cp.fuse(function, kernel_name=name)
    for turn, arguments in enumerate(calls):
        want = outcome(function, ramp(), *arguments)
        assert same(outcome(fused, ramp(), *arguments), want), (turn, arguments, status(name))
        if change is not None:
            change(turn)
    return status(name)


def outcome(function, *arguments):
    """What a function returns or raises."""
    try:
        return function(*arguments)
    except Exception as error:
        return type(error).__name__, str(error)


MODULE = types.ModuleType("module_of_reads")
CONSTANT = 2.5
TABLE = {float: 1.5, int: 2.5}


class Config:
    rate = 2.0
    table = [1.0, 2.0]

    @staticmethod
    def doubled(x):
        return x * Config.rate


class Computed(type):
    count = 0

    @property
    def rate(cls):
        cls.count += 1
        return float(cls.count)


class Counting(metaclass=Computed):
    pass


class Turning:
    def __get__(self, one, owner=None):
        return MODULE.c


class Holder:
    turning = Turning()


def helper(x):
    return x * 2.0


helper.factor = 1.5


def imported(x):
    from module_of_reads import c

    return x * c


def imported_whole(x):
    import module_of_reads

    return x * module_of_reads.c


def matched(x, s):
    match s:
        case int():
            return x + 1
        case float():
            return x * s
    return x


def told_by_table(x, s):
    return x * {float: s, int: 7.0}[type(s)]


def read_by_helper(x, module=MODULE):
    return x * module.c


READS = {
    "getattr": lambda x: x * getattr(MODULE, "c"),  # noqa: B009
    "getattr with a default": lambda x: x * getattr(MODULE, "late", 3.0),
    "getattr of a name that is computed": lambda x: x * getattr(MODULE, "".join(["c"])),
    "hasattr": lambda x: x * (2.0 if hasattr(MODULE, "late") else 3.0),
    "an import of a name": imported,
    "an import": imported_whole,
    "a module by another name": lambda x: (lambda module: x * module.c)(MODULE),
    "a module in a list": lambda x: x * [MODULE][0].c,
    "a module as a default": read_by_helper,
    "attrgetter": lambda x: x * operator.attrgetter("c")(MODULE),
    "methodcaller": lambda x: x * operator.methodcaller("__getattribute__", "c")(MODULE),
    "sys.modules": lambda x: x * sys.modules["module_of_reads"].c,
    "vars": lambda x: x * vars(MODULE)["c"],
    "globals": lambda x: x * globals()["MODULE"].c,
    "eval": lambda x: x * eval("MODULE.c"),
    "importlib": lambda x: x * __import__("importlib").import_module("module_of_reads").c,
    "a class": lambda x: Config.doubled(x) * getattr(Config, "rate") + Config.table[0],  # noqa: B009
    "a class by another name": lambda x: (lambda kind: x * kind.rate)(Config),
    "a property of a class": lambda x: x * Counting.rate,
    "a descriptor": lambda x: x * Holder.turning,
    "an attribute of a function": lambda x: helper(x) * helper.factor,
    "an attribute of a function by another name": lambda x: (lambda f: x * f.factor)(helper),
    "format": lambda x: x * float("{0.c}".format(MODULE)),  # noqa: UP030, UP032
    "reduce and partial": lambda x: functools.reduce(lambda a, b: a * b, [x, MODULE.c]),
    "a generator": lambda x: x * sum(MODULE.c * k for k in (1, 2)),
    "a comprehension": lambda x: x * [MODULE.c for _ in (1,)][0],
    "a nested function": lambda x: (lambda: (lambda: x * MODULE.c)())(),
}


@pytest.mark.parametrize("name", READS)
def test_what_is_read_is_seen_to_change(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "module_of_reads", MODULE)
    vars(MODULE).update(c=1.0)
    vars(MODULE).pop("late", None)
    Config.rate, Config.table[0], helper.factor, Counting.count = 2.0, 1.0, 1.5, 0

    def change(turn):
        # After a replay.
        if turn % 2:
            MODULE.c += 1
            Config.rate += 1
            Config.table[0] += 1
            helper.factor += 1
            if turn == 3:
                MODULE.late = 5.0

    fused = cp.fuse(READS[name])
    Counting.count = 0
    for turn in range(6):
        Counting.count = 10 * turn
        want = READS[name](ramp())
        Counting.count = 10 * turn
        assert same(fused(ramp()), want), turn
        change(turn)


TELLING = {
    "type": lambda x, s: x * (1.0 if type(s) is float else 2.0) * s,
    "a name of a type": lambda x, s: x * len(type(s).__name__) * s,
    "a dictionary of types": told_by_table,
    "identity": lambda x, s: x * (1.0 if s is CONSTANT else 2.0) * s,
    "identity, denied": lambda x, s: x * (1.0 if s is not CONSTANT else 2.0) * s,
    "an attribute that stands for it": lambda x, s: x * (1.0 if hasattr(s, "__array__") else 2.0) * s,
    "map of types": lambda x, s: x * (1.0 if list(map(type, [s]))[0] is float else 2.0) * s,
    "match": matched,
    "class": lambda x, s: x * (1.0 if s.__class__ is float else 2.0) * s,
    "a sum": lambda x, s: x * sum([s, 0.1, 0.2, 0.3]),
    "a special method": lambda x, s: x * (1.0 if s.__add__(1) is NotImplemented else 2.0) * s,
    "scalars of NumPy": lambda x, s: x * (1.0 if np.isscalar(s) else 2.0) * s,
    "types of results": lambda x, s: x * (np.result_type(s, np.float32).itemsize + cp.result_type(x, s).itemsize),
    "what is raised": lambda x, s: x * (1.0 / s),
    "a domain": lambda x, s: x * __import__("math").sqrt(s),
    "sets": lambda x, s: x * (s in {1.5, 2.5}) * s,
    "formats": lambda x, s: x * float(f"{s:.1f}") * len(repr(s)) * float("{:.2f}".format(s)),  # noqa: UP032
    "formats with a percent sign": lambda x, s: x * float("%.1f" % s),  # noqa: UP031
    "a set of results": lambda x, s: (x * s, {s}),
    "a dictionary of results": lambda x, s: {s: x, "s": [s, (s,)]},
    "a generator": lambda x, s: (k * s for k in (1, 2)),
}


def caught(x, s):
    try:
        return x * (1.0 / s)
    except ZeroDivisionError:
        return x + 1


def caught_errors(x, s):
    try:
        return x * np.sin(s)
    except TypeError:
        return x + 1


@pytest.mark.parametrize("function", [*TELLING.values(), caught, caught_errors], ids=[*TELLING, "caught", "TypeError"])
def test_numbers_are_floats_for_the_function(function):
    same_object = 2.5
    check(function, [(s,) for s in (1.5, 2.5, CONSTANT, 0.75, same_object, 0.0, -1.0, 1.5, 3.5, float("2.5"), 1e300)])


class TooLarge(Exception):
    """Keeps what it is made of."""

    def __init__(self, limit, *parts):
        super().__init__(limit, *parts)
        self.limit = limit


def raises_its_number(x, s):
    x[0] = 7
    y = x * s
    if s > 3:
        raise TooLarge(s)
    return y


def raises_within(x, s):
    x[0] = 7
    y = x * s
    if s > 3:
        raise TooLarge([s, {s: (s,)}])
    return y


def raises_from_another(x, s):
    x[0] = 7
    y = x * s
    if s > 3:
        raise ValueError("large") from TooLarge(s)
    return y


def raises_the_value_of_an_iterator(x, s):
    x[0] = 7
    y = x * s
    if s > 3:
        raise StopIteration(s)
    return y


def numbers_of(held):
    """The innermost parts of what an error keeps."""
    if isinstance(held, dict):
        held = [*held, *held.values()]
    return [number for part in held for number in numbers_of(part)] if isinstance(held, (list, tuple)) else [held]


@pytest.mark.parametrize(
    "function", [raises_its_number, raises_within, raises_from_another, raises_the_value_of_an_iterator]
)
def test_numbers_in_the_errors_of_functions_that_write_are_floats(function):
    fused = cp.fuse(function)
    fused(cp.arange(3.0), 1.5)
    with pytest.raises((TooLarge, ValueError, StopIteration)) as caught:
        fused(cp.arange(3.0), 5.5)
    error = caught.value.__cause__ or caught.value
    kept = [error.args, getattr(error, "limit", 5.5), getattr(error, "value", 5.5)]
    assert {type(number) for number in numbers_of(kept)} == {float} and set(numbers_of(kept)) == {5.5}


def test_what_was_a_constant_before_is_none_any_more():
    calls = [(CONSTANT,), (float("2.5"),), (CONSTANT,), (float("2.5"),)]
    assert "identities" in check(lambda x, s: x * (1.0 if s is CONSTANT else 2.0), calls)[4]


def test_numbers_of_numpy_are_told_apart_by_their_bits():
    negative, zero, nan = np.float64(-0.0), np.float64(0.0), np.float64("nan")
    status = check(
        lambda x, s: x * s, [(zero,), (negative,), (zero,), (nan,), (nan,), (np.float32(-0.0),), (np.float32(0.0),)]
    )
    assert status[1:3] == (5, 2)
    check(lambda x, s: x * (1 if s.char == "l" else 2), [(np.dtype("l"),), (np.dtype("q"),), (np.dtype("l"),)])
    check(
        lambda x, s: x * s.astype(int), [(np.datetime64(3, "s"),), (np.datetime64(3, "D"),), (np.datetime64(3, "s"),)]
    )


@pytest.mark.parametrize(
    "function",
    [
        lambda x, s: x * (np.float64(1) / np.float64(0)),
        lambda x, s: x * np.log(s),
        lambda x, s: x * functools.reduce(np.divide, [1.0, s]),
        lambda x, s: (lambda divide: x * divide(1.0, s))(np.divide),
    ],
)
def test_what_numpy_does_about_errors_is_read(function):
    fused = cp.fuse(function)
    for state in ("ignore", "raise", "ignore", "raise"):
        with np.errstate(all=state):
            want, given = outcome(function, ramp(), 0.0), outcome(fused, ramp(), 0.0)
            assert isinstance(want, tuple) == (state == "raise") and same(given, want)


def test_numbers_do_not_stay_in_lists():
    def keeping(parts, x, s):
        parts["s"] = s
        return x * s

    fused, given = cp.fuse(keeping), {"s": 1.5}
    for s in (1.5, 2.5, 1.5, 0.5):
        assert same(fused(given, ramp(), s), ramp() * s)
        assert type(given["s"]) is float and given["s"] == s

    def failing(parts, x, s):
        parts.append(s)
        if s > 2:
            raise ValueError
        parts.pop()
        return x * s

    fused, given = cp.fuse(failing), []
    for s in (1.5, 1.0, 2.5, 3.5):
        assert same(outcome(fused, given, ramp(), s), outcome(failing, [], ramp(), s))
    assert given == [2.5, 3.5] and [type(part) for part in given] == [float, float]


def test_lists_that_are_returned_are_those_that_were_given():
    def given(x, parts):
        return parts, x + 1

    fused, parts = cp.fuse(given, kernel_name="given"), [1.0]
    for _ in range(3):
        assert fused(ramp(), parts)[0] is parts
    assert "also elsewhere" in status("given")[4]
    twice = cp.fuse(lambda x: (lambda parts: (parts, parts))([x + 1]))
    for _ in range(3):
        one, other = twice(ramp())
        assert one is other

    def exchanging(x, parts):
        parts[0] = x + 1

    fused = cp.fuse(exchanging)
    for turn in range(3):
        parts = [ramp()]
        fused(ramp() * turn, parts)
        assert same(parts[0], ramp() * turn + 1)


def test_what_is_done_elsewhere_is_done_at_every_call(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "module_of_reads", MODULE)

    def printing(x):
        print("called")
        return x + 1

    def setting(x):
        MODULE.c += 1.0
        return x + 1

    def warning(x):
        warnings.warn("told", stacklevel=1)
        return x + 1

    fused = [cp.fuse(function) for function in (printing, setting, warning)]
    MODULE.c = 1.0
    for _ in range(3):
        fused[0](ramp()), fused[1](ramp())
        with pytest.warns(UserWarning, match="told"):
            fused[2](ramp())
    assert capsys.readouterr().out == "called\n" * 3 and MODULE.c == 4.0


def test_functions_that_look_like_those_of_libraries_are_read():
    scale = 2.0

    @functools.wraps(np.sin)
    def disguised(x):
        return x * scale

    fused = cp.fuse(lambda x: disguised(x))
    for scale in (2.0, 3.0, 2.0):
        assert same(fused(ramp()), ramp() * scale)
    own = types.ModuleType("math")
    own.c = 2.0
    fused = cp.fuse(lambda x: x * own.c)
    for own.c in (2.0, 3.0):
        assert same(fused(ramp()), ramp() * own.c)


def test_names_within_functions_are_their_own():
    # The variable of the inner function hides that of the outer one, which is a function here.
    scale = helper

    def function(x):
        def inner():
            scale = x.size

            def innermost():
                return scale

            return innermost()

        return x * inner() + scale(x)

    assert check(function, [(), (), ()])[1:3] == (1, 2)


def test_what_is_found_among_builtins_is_compared(monkeypatch):
    import builtins

    monkeypatch.setattr(builtins, "factor_of_reads", 2.0, raising=False)
    function = eval("lambda x: x * factor_of_reads")
    fused = cp.fuse(function)
    for factor in (2.0, 2.0, 3.0):
        monkeypatch.setattr(builtins, "factor_of_reads", factor)
        assert same(fused(ramp()), ramp() * factor)


class Mode(enum.Enum):
    ONE = 1
    TWO = 2


def test_static_functions_tell_numbers_from_floats():
    fused = cp.fuse(lambda how, x, s: how(x, s), static_argnames="how", kernel_name="static")
    for s in (1.5, 2.5, 0.5, 3.5):
        telling, plain = TELLING["type"], lambda x, s: x * s
        for how in (telling, plain, Mode.ONE and telling):
            assert same(fused(how, ramp(), s), how(ramp(), s))


def test_common_functions_are_still_traced():
    scale, table = 2.0, {"a": [1.0, 2.0]}

    def step(x, s, xp=cp, *, flip=False):
        y = xp.sqrt(abs(x)) * scale + s * np.pi
        if x.ndim != 1 or (flip and not isinstance(s, float)):
            raise ValueError(f"x has {x.ndim} axes")
        for k, part in enumerate(table["a"]):
            y = y + part * k if k else y
        parts = [y * k for k in range(2)]
        total = functools.reduce(operator.add, parts)
        y, *_ = (helper(part) for part in (total, y))
        return {"y": xp.where(y > max(1, len(parts)), y, 0.0), "n": (x.shape, x.dtype), "norm": xp.linalg.norm(y)}

    launches = check(step, [(s,) for s in (1.5, 2.5, 0.5, 3.5, 4.5, 5.5)])
    # Once with the first number, and once for all others.
    assert launches[1:4] == (2, 4, 0), launches


def test_programs_for_cupy_are_traced():
    from cuproxide import compat

    compat.install()
    try:
        import cupy
        import cupyx.scipy.special

        step = lambda x: cupy.where(x > 1, cupy.sqrt(x), cupyx.scipy.special.erf(x)) + cupy.linalg.norm(x)  # noqa: E731
        assert check(step, [(), (), ()])[1:3] == (1, 2)
        given = cp.fuse(lambda xp, x: xp.concatenate((xp.abs(x), x)), kernel_name="given")
        for _ in range(3):
            assert same(given(cupy, ramp()), cp.concatenate((abs(ramp()), ramp())))
        assert status("given")[1:3] == (1, 2)
        drawing = cp.fuse(lambda x: x * cupy.random.random(), kernel_name="drawing")
        drawing(ramp())
        assert status("drawing")[1] == 0
    finally:
        compat.uninstall()


def test_bytecode_of_the_standard_library_is_known():
    """The abstract run agrees with `dis.stack_effect` on all functions of some modules, but for what traces refuse."""
    from cuproxide._kernels import _bytecode

    class Visitor:
        def load(self, name, is_cell):
            return name

        def attribute(self, value, name):
            return f"{value}.{name}"

        def imports(self, name, level, parts):
            return name

        def call(self, function, arguments, *, is_plain):
            assert _bytecode.NULL not in (function, *arguments)
            return _bytecode.DATA

        def escapes(self, value):
            assert value is not _bytecode.NULL

        raises = checks = escapes

        def compared(self, one, other):
            pass

        def stores(self, kind, name, value):
            pass

        def catches(self):
            pass

    def codes(code):
        yield code
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                yield from codes(constant)

    refused = {
        "STORE_GLOBAL",
        "DELETE_GLOBAL",
        "LOAD_BUILD_CLASS",
        "LOAD_SUPER_ATTR",
        "CALL_INTRINSIC_1",
        "CALL_INTRINSIC_2",
    }
    refused |= {"GET_AWAITABLE", "GET_AITER", "GET_ANEXT", "BEFORE_ASYNC_WITH", "ASYNC_GEN_WRAP", "CHECK_EG_MATCH"}
    count = 0
    for module in (argparse, ast, dataclasses, dis, inspect, statistics, tarfile, textwrap):
        for code in codes(compile(inspect.getsource(module), module.__name__, "exec")):
            if code.co_flags & inspect.CO_OPTIMIZED:
                try:
                    _bytecode.run(code, Visitor())
                    count += 1
                except _bytecode.Unclear as reason:
                    assert str(reason).split()[4].strip(",") in refused, (code, reason)
    assert count > 500


def is_one_list(mine, theirs, given, given_there):
    """Whether lists that are returned are those that were given where they are so without the decorator."""
    if not isinstance(theirs, (tuple, list)):
        return True
    for one, other in zip([mine, *mine], [theirs, *theirs], strict=True):
        if (other is given_there) != (one is given):
            return False
    pairs = ((a, b) for a in range(len(theirs)) for b in range(a))
    return all((mine[a] is mine[b]) == (theirs[a] is theirs[b]) for a, b in pairs if isinstance(theirs[a], list))


def check_program(seed):
    """Calls a random function decorated and not, while what it reads changes; how often it was replayed."""
    draw = random.Random(seed)
    text = reads.source(draw)
    mine = reads.Program("mine", text, cp.fuse)
    theirs = reads.Program("theirs", text, lambda function: function)
    given, given_there = [1.0], [1.0]
    history = []
    try:
        numbers = draw.sample([1.5, 2.5, 0.75, 3.25, 0.0, -1.0, 5.5, 1e200], 3)
        if draw.random() < 0.2:
            numbers[0] = draw.choice([2, True, 0])
        counts, kinds = draw.choice([[2], [2], [2, 5]]), draw.choice([["a"], ["a"], ["a", "b"]])
        for turn in range(draw.randrange(4, 9)):
            number, count, kind = draw.choice(numbers), draw.choice(counts), draw.choice(kinds)
            if draw.random() < 0.3:
                given, given_there = [1.0], [1.0]
            shared = os.environ.get(reads.VARIABLE)
            got = mine.call((ramp(), number, count, kind, given), turn)
            reads.set_variable(shared)
            want = theirs.call((ramp(), number, count, kind, given_there), turn)
            history.append((number, count, kind))
            told = (seed, text, history, got, want)
            assert same(got, want), (*told, fusion.explain())
            assert same(given, given_there) and same(mine.state(), theirs.state()), (
                *told,
                mine.state(),
                theirs.state(),
            )
            assert is_one_list(got[0], want[0], given, given_there), told
            if draw.random() < 0.4:
                change = draw.choice(reads.CHANGES)
                shared = os.environ.get(reads.VARIABLE)
                mine.change(change, number)
                reads.set_variable(shared)
                theirs.change(change, number)
                history.append(change)
        # Of a program that raises in every call, nothing is known.
        return sum(row[3] for row in statuses() if row[0] == "f")
    finally:
        mine.close(), theirs.close()
        fusion.clear()


def test_random_reads_give_the_same_bits():
    # The long mode: `CUPROXIDE_TEST_CASES=20000 python -m pytest tests/python/fusion/test_fuse_reads.py -k random`.
    count = CASES or drawn(250)
    replays = [check_program(seed) for seed in range(count)]
    # Most of what is read refuses traces, but not all.
    assert sum(replays) > count // 4 or count < 20
