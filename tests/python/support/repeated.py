"""Random programs that are repeated, unchanged or with one change, to test the prediction of recorded operations.

Statements are those of `programs` and some more, over arrays of one shape and others that stretch to it. Each leaves
one value in a place of its own: a statement that fails or makes nothing leaves its operand there. So all later
statements read the same places whatever a changed one does.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import operator
import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import cuproxide as cp
import interrupted
import numpy as np
import programs

#: Shapes of the arrays that a program begins with.
SHAPES = ((4, 6), (5, 5), (37,), (2, 3, 4), (3, 40), (1, 5), (1,), (), (0, 3), (130, 130))
#: Types of these arrays: mostly some that mix without a cast.
DTYPES = ("f8", "f8", "f8", "f4", "f4", "i8", "i4", "u1", "?", "c16", "f2")
#: Inputs that are the one before in another form.
FORMS: dict[str, Callable[[Any], Any]] = {
    "same": lambda x: x,
    "view": lambda x: x[...],
    "reversed": lambda x: x[::-1] if x.ndim else x,
    "turned": lambda x: x.T,
}
#: What they are in a program: of its whole shape, of its last axis, and of length 1 along that.
WHOLES, ROWS = 4, 2
INPUTS = WHOLES + ROWS

#: Larger arrays are no results, with as many axes as the program's or another number: some statements double what they
#: read.
LARGEST, SMALL = 40_000, 2000

#: A statement: its kind, and choices that are taken modulo what there is to choose from.
Statement = tuple[int, ...]


class Program(NamedTuple):
    """Statements over some arrays, and the places of those that are read at the end."""

    shape: tuple[int, ...]
    dtypes: tuple[str, ...]
    statements: tuple[Statement, ...]
    wanted: frozenset[int]

    def arrays(self) -> list[Any]:
        """The arrays that it begins with."""
        made: list[Any] = []
        for host, dtype in zip(hosts(self.shape, self.dtypes), self.dtypes, strict=True):
            made.append(FORMS[dtype](made[-1]) if dtype in FORMS else cp.asarray(host))
        return made


@functools.lru_cache
def hosts(shape: tuple[int, ...], dtypes: tuple[str, ...]) -> list[np.ndarray]:
    """Numbers for the arrays that a program begins with."""
    shapes = [shape] * WHOLES + [shape[-1:], (*shape[:-1], 1)[: len(shape)]]
    draw = np.random.default_rng(7)
    made = [np.asarray(draw.integers(-20, 20, one) / 4) for one in shapes]
    types = [dtype if dtype not in FORMS else "f8" for dtype in dtypes]
    return [(abs(one) if dtype == "u1" else one).astype(dtype) for one, dtype in zip(made, types, strict=True)]


class Interrupt(BaseException):
    """An exception of a signal handler, which is no `Exception`."""


class Foreign:
    """An object with operators of its own, which compute or fail."""

    __array_priority__ = 1000

    def __init__(self, error: type[BaseException] | None = None) -> None:
        self.error = error

    def compute(self, other: Any) -> Any:
        if self.error is not None:
            raise self.error("foreign")
        return other * 2 - other

    __radd__ = __rsub__ = __rmul__ = __rtruediv__ = compute

    def __index__(self) -> int:
        raise Interrupt("index")

    __float__ = __index__


class Derived(cp.ndarray):
    """A subclass whose instances have a dictionary and can be resurrected."""

    def __array_finalize__(self, source: Any) -> None:
        self.source = type(source).__name__


FUSED = cp.fuse(lambda x, y: x * 2 + y - x)
STREAMS: dict[tuple[int, int], Any] = {}
#: Whether the device has computed when a call returns, so that a call raises the error of its own elements.
ON_CPU = cp.cuda.Device().backend == "cpu"


def stream(number: int) -> Any:
    """One of two streams of the current device."""
    key = cp.cuda.runtime.getDevice(), number % 2
    if key not in STREAMS:
        STREAMS[key] = cp.cuda.Stream()
    return STREAMS[key]


@contextlib.contextmanager
def in_order(other: Any) -> Iterator[None]:
    """Runs the body on another stream; on asynchronous devices, events order it after earlier and before later work."""
    here = cp.cuda.get_current_stream()
    if not ON_CPU:
        other.wait_event(here.record())
    with other:
        yield
    if not ON_CPU:
        here.wait_event(other.record())


def fraction(_: Any) -> float:
    """A Python function that fails on every element."""
    return 1 / 0


#: Statements that raise.
FAILURES: tuple[Callable[[Any, Any], Any], ...] = (
    lambda x, y: x + cp.ones((7, *x.shape, 11)),
    lambda x, y: x & 1.5,
    lambda x, y: cp.add(x, y, out=cp.zeros(x.shape, "?")),
    lambda x, y: cp.multiply(x, y, out=cp.zeros((5, 1))),
    lambda x, y: cp.add(x, y, out=3),
    lambda x, y: x + Foreign(ZeroDivisionError),
    lambda x, y: x * Foreign(Interrupt),
    lambda x, y: operator.iadd(x, Foreign(KeyboardInterrupt)),
    lambda x, y: x + "1",
    lambda x, y: x + ["a", y],
    lambda x, y: cp.where(x > 0, x, object()),
    lambda x, y: x.astype("no type"),
    lambda x, y: x[99],
    lambda x, y: x[Foreign() :],
    lambda x, y: x.__setitem__(..., Foreign()),
    # Where operations are queued, an error of an element comes later.
    *([lambda x, y: (x > 0).astype("i4") ** -cp.ones((), "i4")] if ON_CPU else []),
    lambda x, y: x.sum(axis=9),
    lambda x, y: x.reshape(5, 7, 11),
    lambda x, y: operator.iadd((x > 0).astype("u1"), 300),
    lambda x, y: operator.iadd(x, 1j),
    lambda x, y: operator.iadd(x, y[None, None]),
    lambda x, y: float(x + y),
    lambda x, y: cp.vectorize(fraction)(x + y),
    lambda x, y: FUSED(x, cp.ones((7, *x.shape, 11))),
    lambda x, y: cp.sqrt(x, casting="impossible"),
    lambda x, y: cp.maximum(x, y, where=cp.ones(13, "?")),
)
#: Ways to look at an array.
READS: tuple[Callable[[Any], Any], ...] = (
    cp.evaluate,
    lambda x: x.get(),
    lambda x: x.reshape(-1)[:1].get(),
    lambda x: float(x.reshape(-1)[0].real),
    lambda x: bool(x.any()),
    lambda x: x.tolist(),
    str,
    repr,
    lambda x: x.sum().item(),
    lambda x: int(x.reshape(-1)[-1].real),
    lambda x: np.array(x.get()),
    lambda x: x.copy().get(),
    lambda x: x.shape and x.strides,
)
#: What a program may do between its operations.
ASIDES: tuple[Callable[[], Any], ...] = (
    gc.collect,
    cp.fusion.explain,
    cp.fusion.cache_info,
    cp.fusion.clear,
    lambda: cp.get_default_memory_pool().free_all_blocks(),
    lambda: cp.Device().synchronize(),
    lambda: cp.cuda.Event().record(),
    lambda: cp.cuda.get_current_stream().synchronize(),
    lambda: cp.ones((2, 2)) @ cp.ones((2, 2)),
    lambda: cp.random.default_rng(1).random(3) + 1,
)
CASTS = ("f8", "f4", "i4", "?", "c16", "f2", "i8", "u1")
SCALARS = (
    2.0, 0.5, -1.0, 3, 0, True, 300, -0.0, float("nan"), 1e300, 0.1, np.float32(1.5), np.int8(3), 1j, np.float64(0.25),
)  # fmt: skip


class Repeated(programs.Machine):
    """Runs such programs with the package."""

    def __init__(
        self, program: Program, arrays: Iterable[Any], turn: int, device: Any, shared: Sequence[Any] = ()
    ) -> None:
        super().__init__(cp, exact=False)
        self.program, self.turn, self.device, self.shared = program, turn, device, shared
        self.arrays = list(arrays)
        #: What is in the places that are read at the end.
        self.ends: dict[int, tuple[np.ndarray, str]] = {}
        #: The number of the statement that uses a place last, so far.
        self.last_use = dict.fromkeys(range(INPUTS), 0)
        self.now = 0

    def do(self, number: int, statement: Statement) -> None:
        """Fills the statement's place."""
        self.now, place, made = number, len(self.arrays), None
        try:
            with self.device:
                made = self.step(statement)
        except ERRORS as error:
            self.seen.append(f"{type(error).__name__}: {error}")
        results = [*self.arrays[place:], *([] if made is None else [self.as_array(made)])]
        results = [result for result in results if self.is_bounded(result)]
        del self.arrays[place:]
        self.arrays.append(results[statement[-1] % len(results)] if results else self.pick(statement[1]))
        self.last_use[place] = number

    def is_bounded(self, array: Any) -> bool:
        """Whether operations with an array have results of bounded size: large arrays of other axes would broadcast."""
        return array.size <= (LARGEST if array.ndim == len(self.program.shape) else SMALL)

    def tell(self, array: Any) -> tuple[np.ndarray, str]:
        """Everything that a program can observe of an array."""
        return self.to_numpy(array).copy(), f"{type(array).__name__}{array.shape}{array.strides}"

    def pick(self, number: int) -> Any:
        place = number % len(self.arrays)
        self.last_use[place] = self.now
        array = self.arrays[place]
        assert array is not None, "it was dropped too early"
        return array

    def operand(self, number: int, scalar: int) -> Any:
        if self.shared and number % 3 == 0:
            return self.shared[number // 3 % len(self.shared)]
        return super().operand(number, scalar)

    def step(self, statement: Statement) -> Any:
        kind, a, b, c, d, e = statement
        if kind < programs.KINDS:
            return super().step(statement)
        return FURTHER[kind - programs.KINDS](self, self.pick(a), b, c, d, e)

    def scalar(self, x: Any, b: int, c: int, d: int, e: int) -> Any:
        """A number as an operand, on either side."""
        number = SCALARS[b % len(SCALARS)]
        return self.ufunc(c)(number, x) if d % 4 == 0 else self.ufunc(c)(x, number)

    def changing(self, x: Any, b: int, c: int, d: int, e: int) -> Any:
        """A number that differs from turn to turn, and sometimes its type, too."""
        number = (self.turn * 0.25 - 0.5, self.turn, np.float32(self.turn), SCALARS[(b + self.turn) % len(SCALARS)])[
            d % 4
        ]
        return self.ufunc(c)(x, number)

    def chosen(self, x: Any, b: int, c: int, d: int, e: int) -> Any:
        """`where` with arrays and numbers."""
        y = SCALARS[d % len(SCALARS)] if d % 3 == 0 else self.pick(b)
        z = SCALARS[e % len(SCALARS)] if e % 3 == 0 else self.pick(c)
        return cp.where(x > 0 if d % 2 else x != y, y, z)

    def cast(self, x: Any, b: int, c: int, d: int, e: int) -> Any:
        dtype = CASTS[b % len(CASTS)]
        return (
            x.astype(dtype, copy=False)
            if c % 3 == 0
            else cp.add(x, x, dtype=dtype, casting="unsafe")
            if c % 3 == 1
            else x.astype(dtype)
        )

    def update(self, x: Any, b: int, c: int, d: int, e: int) -> None:
        """In-place operators with arrays or numbers, sometimes on a value that has just been made."""
        target = x + 1 if e % 4 == 0 else x
        other = SCALARS[d % len(SCALARS)] if d % 2 else self.operand(b, d)
        (operator.iadd, operator.isub, operator.imul, operator.itruediv)[c % 4](target, other)
        return target

    def into(self, x: Any, b: int, c: int, d: int, e: int) -> Any:
        """`out=`, a new array, an old one, an operand or a part of one."""
        y = self.pick(b)
        out = (cp.empty_like(x), x, y, x[..., ::-1] if x.ndim else x, self.pick(d), cp.zeros(x.shape, CASTS[d % 4]))[
            e % 6
        ]
        self.ufunc(c)(x, y, out=out)
        return out

    def part(self, x: Any, b: int, c: int, d: int, e: int) -> Any:
        """A slice that each run makes again, mostly the same one; or a slice that moves."""
        if x.ndim == 0:
            return x[...]
        start = (self.turn if d % 3 == 0 else d) % max(x.shape[0], 1)
        moved = x[start:] if c % 2 else x[..., : max(x.shape[-1] - 1 - c % 2, 1)]
        return moved if e % 3 else self.ufunc(b)(moved, moved)

    def assign_part(self, x: Any, b: int, c: int, d: int, e: int) -> None:
        y = SCALARS[d % 4] if e % 3 == 0 else self.pick(b)
        x[self.slices(x, c)] = y if e % 3 != 1 or np.ndim(y) == 0 else y[self.slices(y, c)] * 2

    def read(self, x: Any, b: int, c: int, d: int, e: int) -> Any:
        self.seen.append(self.told(READS[b % len(READS)](x)))

    def told(self, value: Any) -> Any:
        return value.copy() if isinstance(value, np.ndarray) else repr(value)

    def fail(self, x: Any, b: int, c: int, d: int, e: int) -> Any:
        return FAILURES[b % len(FAILURES)](x, self.pick(c))

    def foreign(self, x: Any, b: int, c: int, d: int, e: int) -> Any:
        return (operator.add, operator.sub, operator.mul)[b % 3](x, Foreign())

    def fused(self, x: Any, b: int, c: int, d: int, e: int) -> Any:
        return FUSED(x, self.pick(b))

    def streamed(self, x: Any, b: int, c: int, d: int, e: int) -> Any:
        y, other = self.pick(b), stream(d)
        with in_order(other):
            return self.ufunc(c)(x, y) if e % 2 else self.ufunc(c)(x * 2, y) + x

    def derived(self, x: Any, b: int, c: int, d: int, e: int) -> Any:
        y = x.view(Derived)
        if e % 2:
            y = self.ufunc(c)(y, self.pick(b))
        self.seen.append(type(y).__name__ + getattr(y, "source", ""))
        return y

    def reshaped(self, x: Any, b: int, c: int, d: int, e: int) -> Any:
        """Assigns the shape of an object; most later statements then fail to broadcast."""
        y = x + 1
        y.shape = (-1,) if b % 2 else (*y.shape, 1)
        return y * 2 if c % 2 else y

    def kept(self, x: Any, b: int, c: int, d: int, e: int) -> Any:
        return x

    def aside(self, x: Any, b: int, c: int, d: int, e: int) -> None:
        ASIDES[b % len(ASIDES)]()

    def allocated(self, x: Any, b: int, c: int, d: int, e: int) -> Any:
        """With an allocator of the program."""
        with cp.cuda.using_allocator(cp.get_default_memory_pool().malloc):
            y = self.ufunc(c)(x, self.operand(b, d))
            if e % 2:
                cp.evaluate(y)
        return y

    def by_numpy(self, x: Any, b: int, c: int, d: int, e: int) -> Any:
        """NumPy's functions, which call this package's."""
        y = self.operand(b, d)
        return (np.add(x, y), np.multiply(y, x), np.where(x > 1, x, y), np.maximum(x, x), np.add(x, y, out=x))[c % 5]

    def copied(self, x: Any, b: int, c: int, d: int, e: int) -> Any:
        y = cp.empty_like(x)
        if b % 3 == 0:
            cp.copyto(y, self.pick(c), casting="unsafe")
        elif b % 3 == 1:
            cp.copyto(y, x)
        else:
            y[...] = x
        return y

    def chain(self, x: Any, b: int, c: int, d: int, e: int) -> Any:
        """Expressions of several operators, whose intermediate results are dropped at once."""
        y = self.pick(b)
        way = c % 5
        if way == 0:
            return (x * y + 0.5) - x * 0.25
        if way == 1:
            return -(x - y) / 4
        if way == 2:
            return (x + y) * (x - y)
        if way == 3:
            return abs(x) - 2 * y + 1
        return x * (1 / (1 + y * y))

    def folded(self, x: Any, b: int, c: int, d: int, e: int) -> Any:
        """Reductions in the middle."""
        m = self.reduction(b)(x, axis=self.axis(x, d), keepdims=bool(c % 4))
        return x - m if e % 2 and m.dtype != bool else m


#: What statements from `programs.KINDS` on do.
FURTHER = (
    Repeated.scalar, Repeated.changing, Repeated.chosen, Repeated.cast, Repeated.update, Repeated.into, Repeated.part,
    Repeated.assign_part, Repeated.read, Repeated.fail, Repeated.foreign, Repeated.fused, Repeated.streamed,
    Repeated.derived, Repeated.reshaped, Repeated.kept, Repeated.chain, Repeated.folded, Repeated.aside,
    Repeated.by_numpy, Repeated.copied, Repeated.allocated,
)  # fmt: skip

#: How often kinds are drawn: mostly what goes on with a group.
WEIGHTS = {Repeated.scalar: 5, Repeated.changing: 3, Repeated.chain: 5, Repeated.chosen: 3, Repeated.update: 3,
          Repeated.kept: 2, Repeated.read: 2, Repeated.cast: 2, Repeated.folded: 2, Repeated.part: 2}  # fmt: skip
KINDS = (1, 2) * 6 + (3,) * 4
KINDS += tuple(programs.KINDS + n for n, further in enumerate(FURTHER) for _ in range(WEIGHTS.get(further, 1)))
#: Neither new arrays of any shape, nor the removal of one.
RARE = tuple(kind for kind in range(1, programs.KINDS) if kind != 15)
#: What a group takes without other work.
MAPS = (1, 1, 2, 3, *(programs.KINDS + FURTHER.index(further) for further in WEIGHTS if WEIGHTS[further] > 2))


def drawn_statement(draw: random.Random, places: int, varied: float = 1) -> Statement:
    """A random statement over so many values, of which it prefers the last ones; a part of them are of any kind."""
    way = draw.random()
    kind = draw.choice(MAPS if way > varied else RARE if way < 0.15 * varied else KINDS)
    recent = [
        max(places - 1 - int(draw.expovariate(0.5)), 0) if draw.random() < 0.7 else draw.randrange(places)
        for _ in range(2)
    ]
    return kind, *recent, *(draw.randrange(1000) for _ in range(3))


def drawn_dtype(draw: random.Random, place: int, common: str, varied: float) -> str:
    """The type of an input, or its form."""
    if 0 < place < WHOLES and draw.random() < 0.1:
        return draw.choice(sorted(FORMS))
    return draw.choice(DTYPES) if draw.random() < 0.4 * varied else common


def drawn_program(draw: random.Random, *, longest: int = 24) -> Program:
    # Half of them mostly map arrays of one type, in long groups.
    varied = draw.choice((1, 0.1))
    common = draw.choice(DTYPES)
    dtypes = tuple(drawn_dtype(draw, place, common, varied) for place in range(INPUTS))
    length = draw.randrange(3, longest * 6 if draw.random() < 0.05 else longest)
    statements = tuple(drawn_statement(draw, INPUTS + number, varied) for number in range(length))
    wanted = frozenset(draw.sample(range(INPUTS + length), draw.randrange(1, 4)) + [INPUTS + length - 1])
    return Program(draw.choice(SHAPES), dtypes, statements, wanted)


def changed(program: Program, draw: random.Random) -> Program:
    """The program with one thing changed: a number of a statement, all of it, or the arrays that it begins with."""
    way = draw.random()
    if way < 0.05:
        return program._replace(shape=draw.choice(SHAPES))
    if way < 0.12:
        place = draw.randrange(INPUTS)
        dtype = draw.choice(sorted(FORMS)) if 0 < place < WHOLES else draw.choice(DTYPES)
        dtypes = (*program.dtypes[:place], dtype, *program.dtypes[place + 1 :])
        return program._replace(dtypes=dtypes)
    if way < 0.17:
        return program._replace(wanted=program.wanted ^ {draw.randrange(INPUTS + len(program.statements))})
    place = draw.randrange(len(program.statements))
    old, new = program.statements[place], drawn_statement(draw, INPUTS + place)
    field = draw.randrange(programs.WIDTH)
    if way < 0.85:
        new = (*old[:field], new[field], *old[field + 1 :])
    return program._replace(statements=(*program.statements[:place], new, *program.statements[place + 1 :]))


class Run(NamedTuple):
    """One run of a session: the program, how long its values live, and which of them are read immediately."""

    program: Program
    keeps: str
    asks: int
    #: How many of them.
    share: float


#: How long values live that are not wanted: until their last use, until the end, or until a random moment between.
KEEPS = ("dropped", "dropped", "kept", "random")


class Session(NamedTuple):
    """A program several times, then changed ones and itself again, one after another."""

    seed: int
    runs: tuple[Run, ...]
    #: Whether updates in place are seen by later runs.
    persists: bool


def drawn_session(seed: int, *, longest: int = 24) -> Session:
    draw = random.Random(seed)
    program = drawn_program(draw, longest=longest)
    order = [program] * draw.randrange(3, 6)
    for _ in range(draw.randrange(1, 4)):
        order += [changed(program, draw)] * draw.choice((1, 1, 2)) + [program] * draw.choice((1, 1, 2))
    keeps, asks, share = draw.choice(KEEPS), draw.randrange(1000), draw.choice((0, 0, 0.05, 0.3))

    def run(one: Program) -> Run:
        other = draw.random() < 0.15
        return Run(one, draw.choice(KEEPS) if other else keeps, draw.randrange(1000) if other else asks, share)

    return Session(seed, tuple(map(run, order)), draw.random() < 0.4)


#: Errors that a statement may raise.
ERRORS = (*programs.ERRORS, AttributeError, KeyboardInterrupt, Interrupt)


class Outcome(NamedTuple):
    """Everything that one run observes during the run and at its end, and the last use of each value."""

    seen: list[Any]
    ends: dict[int, tuple[np.ndarray, str]]
    last_use: dict[int, int]


Outcomes = list[Outcome]


def perform(machine: Repeated, run: Run, last_use: dict[int, int] | None) -> Iterator[None]:
    """Executes one statement at a time; values live as the run says if their last uses are given."""
    program, asks = run.program, random.Random(run.asks)
    drops: dict[int, list[int]] = {}
    for place, last in (last_use or {}).items():
        if place not in program.wanted and run.keeps != "kept":
            later = asks.randrange(4) if run.keeps == "random" else 0
            drops.setdefault(last + later, []).append(place)
    for number, statement in enumerate(program.statements):
        machine.do(number, statement)
        if last_use is not None:
            if asks.random() < run.share:
                cp.evaluate(machine.arrays[-1])
            for place in drops.get(number, ()):
                machine.arrays[place] = None
        yield
    for place in range(len(machine.arrays)) if run.keeps == "kept" else sorted(program.wanted):
        machine.ends[place] = machine.tell(machine.arrays[place])


def play(session: Session, wanted: Outcomes | None, shared: Sequence[Any] = ()) -> Iterator[Outcomes | None]:
    """Executes one statement of the session's runs at a time, and finally yields the results."""
    outcomes: Outcomes = []
    arrays: list[Any] = []
    devices = 1 if session.persists or shared else cp.cuda.runtime.getDeviceCount()
    for turn, run in enumerate(session.runs):
        is_first = turn == 0 or run.program[:2] != session.runs[turn - 1].program[:2]
        device = cp.Device(run.asks % devices)
        if is_first or not session.persists:
            with device:
                arrays = run.program.arrays()
        machine = Repeated(run.program, arrays, turn, device, shared)
        if not session.persists:
            # The machine has the only references.
            arrays = []
        for _ in perform(machine, run, wanted[turn].last_use if wanted else None):
            yield None
        outcomes.append(Outcome(machine.seen, machine.ends, machine.last_use))
    yield outcomes


def last(values: Iterator[Any]) -> Any:
    return deque(values, maxlen=1).pop()


def reference(session: Session, shared: Sequence[Any] = ()) -> Outcomes:
    """What eager evaluation observes, and the last uses of all values."""
    with cp.fusion.eager():
        return last(play(session, None, shared))


def compared(session: Session, found: Outcomes, wanted: Outcomes) -> str:
    """The differences between the runs of a session and eager evaluation; empty if there are none."""
    for turn, (mine, theirs) in enumerate(zip(found, wanted, strict=True)):
        if told := programs.difference(mine.seen, theirs.seen):
            return f"session {session.seed}, run {turn}: {told}"
        for place, end in mine.ends.items():
            if told := programs.difference(end, theirs.ends[place]):
                return f"session {session.seed}, run {turn}, place {place}: {told}"
    return ""


def difference(session: Session, wanted: Outcomes, shared: Sequence[Any] = ()) -> str:
    """Runs a session and compares it with eager evaluation."""
    return compared(session, last(play(session, wanted, shared)), wanted)


def difference_of_interrupted(machine: interrupted.Interrupted, seed: int, often: int = 4) -> str:
    """Runs a program until it is predicted, then interrupts it at some places, with complete runs in between."""
    program, draw = interrupted.drawn_program(seed), random.Random(seed)
    quiet = [step for step in program if step[0] not in (interrupted.BEGIN, interrupted.END)]
    runs = [quiet] * often
    for _ in range(2):
        place = draw.randrange(len(quiet) + 1)
        begin, end = (interrupted.BEGIN, draw.randrange(1000), 0, 0, 0), (interrupted.END, 0, 0, 0, 0)
        after = draw.randrange(place, len(quiet) + 1)
        runs += [[*quiet[:place], begin, *quiet[place:after], end, *quiet[after:]], quiet]
    found = ((number, machine.difference(run)) for number, run in enumerate(runs))
    return next((f"seed {seed}, run {number}: {told}" for number, told in found if told), "")
