"""Random functions that read what is not among their arguments, in every way that Python has, and what changes it."""

import contextlib
import functools
import io
import os
import random
import sys
import types
import warnings

SETUP = """
import cmath, collections, contextlib, contextvars, dataclasses, enum
import functools, itertools, math, operator, os, random, sys, threading
import weakref
import numpy as np
import cuproxide as cp
import other_ROOT as MOD
from other_ROOT import c as C
from math import sqrt

G0, G1, CONSTANT = 1.5, 2.0, 2.5
TEXT, FLAG, PAIR = "a", True, (1.0, 2.0)
KINDS = ["c", "c"]
LIST, DICT, TABLE = [1.0, 2.0], {"a": 1.25, "b": 3.0}, {float: 1.5, int: 2.5}
W = cp.arange(4.0) + 1
COUNTER = itertools.count()
CVAR = contextvars.ContextVar("v", default=1.5)
LOCAL = threading.local()
LOCAL.v = 2.0
NT = collections.namedtuple("NT", "x y")
POINT = NT(1.5, 2.5)

class Config:
    rate = 2.0
    table = [1.0, 4.0]
    @staticmethod
    def still(v): return v * G1
    @classmethod
    def made(cls, v): return v * cls.rate
    @property
    def twice(self): return self.rate * 2

class Slots:
    __slots__ = ("v",)
SLOTS = Slots()
SLOTS.v = 1.5

class Computed:
    def __get__(self, one, owner=None): return G0 + 1
class Holder:
    d = Computed()
    def __init__(self): self.n, self.v = 0.0, 2.0
    def count(self):
        self.n += 1
        return self.n
    def __call__(self, v): return v * self.v
HOLDER = Holder()
WEAK = weakref.ref(HOLDER)

@dataclasses.dataclass
class Data:
    x: float = 1.5
class Mode(enum.Enum):
    ONE = 1.0
    TWO = 2.0
MODE = Mode.ONE

class MyError(ValueError):
    rate = 2.0

def helper(v): return v * G1 + 1
helper.factor = 1.5
def deeper(v): return helper(v) - MOD.c
def with_default(v, k=1.5, parts=[1.0]): return v * k + parts[0]
def with_keyword(v, *, k=1.5): return v * k
def remembering(v, parts=[]):
    parts.append(1.0)
    return v + len(parts)
def generated(v):
    for k in (1.0, G0):
        yield v * k
def decorated(function):
    @functools.wraps(function)
    def run(*args): return function(*args) * G0
    return run
@decorated
def wrapped(v): return v + 1
@functools.wraps(np.sin)
def disguised(v): return v * G0
@functools.lru_cache
def cached(n): return n + 1.0
@cp.fuse
def inner(x, v=1.0): return x * v + G1
PARTIAL = functools.partial(helper)
FILLED = functools.partial(with_default, k=2.0)
def cells():
    k, parts = 1.5, [1.0]
    def read(v): return v * k + parts[0]
    def write(new):
        nonlocal k
        k = new
    def bump(v):
        nonlocal k
        k += 1.0
        return v * k
    return read, write, bump
READ, WRITE, BUMP = cells()
"""

NUMBERS = """
G0 ; G1 ; C ; MOD.c ; MOD.sub.c ; getattr(MOD, "c") ; getattr(MOD, "c2", 2.0) ; float(hasattr(MOD, "c2")) ; PAIR[0]
getattr(MOD, KINDS[0]) ; Config.rate ; Config.table[0] ; getattr(Config, "rate") ; Config.still(s) ; Config.made(s)
Config().twice ; Config().rate ; SLOTS.v ; Holder.d ; HOLDER.d ; HOLDER.count() ; HOLDER(s) ; WEAK().v ; POINT.x
NT(s, 1.0).x ; Data(s).x ; Data().x ; MODE.value ; Mode.ONE.value ; (2.0 if MODE is Mode.ONE else 3.0)
helper.factor ; getattr(helper, "factor", 1.0) ; helper(s) ; deeper(s) ; with_default(s) ; with_keyword(s)
remembering(s) ; sum(generated(s)) ; list(generated(s))[1] ; wrapped(s) ; disguised(s) ; cached(n) ; PARTIAL(s)
FILLED(s) ; READ(s) ; BUMP(s) ; DICT["a"] ; DICT.get("z", 1.0) ; LIST[0] ; len(LIST) ; LIST[-1] * s ; TABLE[type(s)]
CVAR.get() ; LOCAL.v ; next(COUNTER) ; operator.attrgetter("c")(MOD) ; operator.itemgetter("a")(DICT)
operator.attrgetter("factor")(helper) ; operator.methodcaller("get", "a")(DICT) ; functools.partial(helper, 1.0)()
functools.reduce(operator.add, [s, 1.0, G0]) ; sum([k * G0 for k in (1, 2)]) ; sum(k * s for k in (1, 2))
sum([s, 0.1, 0.2]) ; (lambda v: v * G1)(s) ; sum(map(helper, LIST)) ; max(LIST, key=helper)
[f(s) for f in (helper, wrapped)][0] ; {"f": helper}["f"](s) ; (lambda m: m.c)(MOD) ; (lambda f: f.factor)(helper)
(lambda k: k.rate)(Config) ; [m for m in (MOD,)][0].c ; sys.modules["other_ROOT"].c ; globals()["G0"] ; eval("G0")
vars(MOD)["c"] ; locals().get("s") ; __import__("other_ROOT").c
__import__("importlib").import_module("other_ROOT").c ; len(os.environ.get("FUZZED_PROGRAM", ""))
random.random() ; np.random.random() ; (lambda xp: xp.random.random())(np) ; (1.0 if type(s) is float else 2.0)
len(type(s).__name__) ; {float: 1.5, int: 2.5}.get(type(s), 3.5) ; list(map(type, [s]))[0](2)
(1.0 if s is CONSTANT else 2.0) ; (1.0 if s is not CONSTANT else 2.0) ; (1.0 if s is G1 else 3.0) ; float(s in LIST)
s.__class__(2.5) ; (1.0 if s.__class__ is float else 2.0) ; len(s.__class__.__name__)
(1.0 if isinstance(s, float) else 2.0) ; float(isinstance(s, Config)) ; (1.0 if type(s) == float else 2.0)
float(hasattr(s, "__array__")) ; float(hasattr(s, "is_integer")) ; getattr(s, "real") ; s.__add__(1.0) ; int(s)
divmod(s, 0.7)[1] ; round(s, 1) ; round(s) ; math.floor(s) ; math.sqrt(s) ; math.log(s) ; sqrt(s) ; 1.0 / s
1.0 % s ; s // 0.3 ; math.exp(s * 400) ; math.prod([s, 0.1, 3.0]) ; math.fsum([s, 0.1, 3.0]) ; math.hypot(s, 1.0)
operator.mul(s, 2.0) ; s ** 2 ; 2.0 ** s ; float(f"{s:.2f}") ; len(f"{s}") ; len(repr(s)) ; len(str(s))
float("%.1f" % s) ; float("{:.1f}".format(s)) ; float("{0.real}".format(s)) ; len(format(s)) ; bool(s) ; (not s)
float(s in {1.0, 2.5}) ; float(s == 2.5) ; (s if s > 1 else 1.0) ; max(s, 1) ; min(1.25, s)
len(range(int(abs(s) % 64))) ; hash(s) % 5 ; sorted([s, 1.0])[0] ; abs(s) ; -s ; +s ; s + n ; s - G0 ; s * s - s / 3.0
complex(s).real ; float.fromhex("0x1p1") ; {s: 3.0}[s] ; {1.0: 2.0}.get(s, 3.0) ; float(np.float32(s))
np.float64(s) * 2 ; np.sin(s) ; float(np.isscalar(s)) ; np.result_type(s, np.float32).itemsize
float(cp.isscalar(s)) ; cp.result_type(x, s).itemsize ; x.dtype.itemsize ; len(x) ; len(t)
(1.0 if t == TEXT else 2.0) ; (1.0 if t is TEXT else 2.0) ; n ; n * G0 ; float(n is 5) ; float(x is W) ; (s, 1.0)[0]
[s][0] ; dict(k=s)["k"] ; len(LIST + [s]) ; np.pi ; math.pi ; cp.pi ; float(FLAG) ; float(FLAG is True)
float(t is None) ; any(k > s for k in LIST) ; all([s, 1]) ; next(iter(LIST)) ; list(zip(LIST, [s]))[0][0]
list(enumerate(LIST, 1))[0][0] ; LIST[::-1][0] ; dict(DICT)["a"]
"""

STATEMENTS = """
y = y * ({}) ; y = y + ({}) ; y = y - ({}) * G0 ; y[0] = {} ; y = cp.where(y > ({}), y, 1.0) ; y += {}
y = cp.maximum(y, {}) ; y = y / (2.0 + abs({})) ; y = y * 2.0 if ({}) > 1.5 else y + 1.0
y = cp.full(y.shape, {}) + y ; q.append({}) ; v = {}; y = y * v ; y = y * W ; y = inner(y) ; y = inner(y, s)
"""

EFFECTS = """
LIST.append(1.0) ; LIST[0] = s ; LIST.reverse() ; DICT["n"] = DICT.get("n", 0) + 1 ; DICT["s"] = s ; p.append(1.0)
p[0] = s ; p[0] = y * 1 ; HOLDER.n += 1 ; Config.rate = Config.rate + 1 ; helper.factor = helper.factor + 1
MOD.c = MOD.c + 1 ; print(s) ; W[0] += 1 ; x[0] = 7 ; p.clear() ; WRITE(3.0) ; DICT.pop("b", 0)
setattr(MOD, "c", 3.0) ; os.environ["FUZZED_PROGRAM"] = "abc" ; sys.modules["other_ROOT"].c = 4.0
globals().update(G1=3.0) ; del p[:1] ; p.insert(0, y)
"""

BLOCKS = [
    "try:\n    {0}\nexcept ZeroDivisionError:\n    y = y + 5.0",
    "try:\n    {0}\nexcept (ValueError, TypeError, OverflowError):\n    y = y + 6.0",
    "try:\n    {0}\nexcept MyError as error:\n    y = y * error.rate\nfinally:\n    y = y + 1.0",
    "if s > 4.0:\n    raise MyError('large', s)\n{0}",
    "for k in (1.0, 2.0):\n    {0}",
    "while True:\n    {0}\n    break",
    "match s:\n    case int():\n        y = y + 1.0\n    case float():\n        {0}",
    "match n:\n    case 2:\n        y = y + 1.0\n    case k if k > s:\n        {0}\n    case _:\n        pass",
    "match t:\n    case 'a':\n        y = y + 1.0\n    case str():\n        {0}",
    "def local(v, k=G0):\n    return v * k + G1\ny = y * local(s)\n{0}",
    "from other_ROOT import c as found\ny = y * found\n{0}",
    "import other_ROOT\ny = y * other_ROOT.c\n{0}",
    "import math as m\ny = y * m.sqrt(4.0)\n{0}",
    "m = MOD\ny = y * m.c\n{0}",
    "xp = cp.get_array_module(x)\ny = xp.sqrt(y * y)\n{0}",
    "global G2\nG2 = G1 + s\n{0}\ny = y * G2",
    "class Own:\n    rate = G0\ny = y * Own.rate\n{0}",
    "{0}\nassert s < 1000, MOD.c",
    "with contextlib.nullcontext(G0) as k:\n    y = y * k\n    {0}",
    "{0}",
    "{0}",
]

RESULTS = """
y ; (y, s) ; [y, y] ; {{'y': y, 's': s}} ; p ; (p, y) ; {{s: y}} ; (y, {}) ; q ; (q, q) ; {{s}} ; (v for v in [s])
x ; y.T ; y.sum() ; None
"""

CHANGES = """
G0 += 0.5 ; G1 = 3.5 ; G1 = -G1 ; MOD.c += 1 ; MOD.c2 = 4.0 ; MOD.sub.c = 5.0 ; MOD.__dict__.pop("c2", 0)
Config.rate += 1 ; Config.table[0] += 1 ; HOLDER.v += 1 ; LIST[0] += 1 ; LIST.append(3.0) ; DICT["a"] += 1
DICT["z"] = 2.0 ; TABLE[float] = 4.5 ; helper.factor += 1 ; WRITE(G1) ; W[1] += 1 ; W = cp.arange(4.0) + G0
LOCAL.v += 1 ; CVAR.set(2.5) ; POINT = NT(2.0, 1.0) ; Data.x = 4.0 ; SLOTS.v += 1 ; TEXT = "b"
TEXT = "".join(["a"]) ; FLAG = 1 ; FLAG = False ; PAIR = (4.0, 1.0) ; MODE = Mode.TWO ; helper.__defaults__ = (2.0,)
with_default.__defaults__ = (2.5, [3.0]) ; with_default.__defaults__[1][0] = 9.0
with_keyword.__kwdefaults__ = dict(k=3.5) ; helper.__code__ = (lambda v: v * G1 - 1).__code__
helper = lambda v: v - G0 ; Config.still = staticmethod(lambda v: v + 8) ; sum = lambda parts: 7.0 ; len = max
FILLED.keywords["k"] = 3.0 ; os.environ["FUZZED_PROGRAM"] = "a" ; os.environ.pop("FUZZED_PROGRAM", 0)
MyError.rate += 1 ; sqrt = lambda v: 3.0 ; C += 1 ; CONSTANT = s ; type = lambda v: int
PARTIAL = functools.partial(wrapped) ; del G1 ; math = cmath ; inner = lambda x, v=1.0: x - v
cached = lambda n: n - 1.0 ; G1 = CONSTANT
"""


def split(text):
    """The parts of a table."""
    return [part.strip() for line in text.strip().splitlines() for part in line.split(" ; ") if part.strip()]


NUMBERS, STATEMENTS, EFFECTS, RESULTS, CHANGES = map(split, (NUMBERS, STATEMENTS, EFFECTS, RESULTS, CHANGES))
PARAMETERS = ("x, s, n, t, p", "x, s, n, t, p, *, k=G0", "x, s, n=2, t='a', p=()", "*args")


def source(draw):
    """The text of a function `f`."""
    lines = []
    # Few reads, since one that is refused hides the others.
    for _ in range(draw.choice([1, 1, 1, 2, 3])):
        statement = draw.choice(STATEMENTS)
        lines.append(statement.replace("{}", draw.choice(NUMBERS)))
    if draw.random() < 0.15:
        lines.insert(draw.randrange(len(lines) + 1), draw.choice(EFFECTS))
    at = draw.randrange(len(lines))
    block = draw.choice(BLOCKS)
    indented = [
        line.replace("{0}", lines[at].replace("; y", "\n" + " " * (len(line) - len(line.lstrip())) + "y"))
        for line in block.splitlines()
    ]
    lines[at] = "\n".join(indented)
    result = draw.choice(RESULTS).replace("{}", draw.choice(NUMBERS)).replace("{{", "{").replace("}}", "}")
    if draw.random() < 0.6:
        result = "y"
    parameters = draw.choice(PARAMETERS)
    start = ["x, s, n, t, p = args"] if parameters == "*args" else []
    body = "\n".join([*start, "y, q = x * 1.0 + 0.25, []", *lines, f"return {result}"])
    return f"def f({parameters}):\n" + "\n".join("    " + line for line in body.splitlines())


@functools.cache
def compiled(text, name):
    """The code of a text for the module of a name."""
    with warnings.catch_warnings():
        # Of comparisons of identity, which are meant.
        warnings.simplefilter("ignore", SyntaxWarning)
        return compile(text.replace("ROOT", name), f"<{name}>", "exec")


# What both programs share, since it is the process's.
VARIABLE = "FUZZED_PROGRAM"


def set_variable(value):
    """Sets the variable that programs read and write, or takes it away."""
    if value is None:
        os.environ.pop(VARIABLE, None)
    else:
        os.environ[VARIABLE] = value


class Program:
    """A module with a function, decorated or not, and the module that it reads."""

    def __init__(self, name, text, decorate):
        self.name = name
        self.other = types.ModuleType(f"other_{name}")
        self.other.c, self.other.sub = 1.25, types.ModuleType("sub")
        self.other.sub.c = 1.5
        sys.modules[self.other.__name__] = self.other
        self.module = types.ModuleType(f"module_{name}")
        self.names = self.module.__dict__
        exec(compiled(SETUP, name), self.names)
        exec(compiled.__wrapped__(text, name), self.names)
        self.plain = self.names["f"]
        self.function = decorate(self.plain)
        self.names["f"] = self.function

    def change(self, text, number):
        """Changes what the function reads."""
        with contextlib.suppress(Exception):
            exec(text, self.names, {"s": number} if " = s" in text else None)
            if " = s" in text:
                self.names["CONSTANT"] = number

    def call(self, arguments, seed):
        """The result or the error of a call, and what it printed."""
        import numpy as np

        random.seed(seed), np.random.seed(seed)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            try:
                result = self.function(*arguments)
            except Exception as error:
                # Messages of the interpreter name numbers of other classes otherwise.
                result = (type(error).__name__, [part for part in error.args if not isinstance(part, str)])
        return result, printed.getvalue()

    def state(self):
        """What the function may have changed."""
        names = self.names
        kept = [names.get(name) for name in ("LIST", "DICT", "W", "G0", "G1", "G2", "FLAG", "TEXT")]
        return [*kept, names["HOLDER"].n, names["Config"].rate, self.other.c, getattr(names["helper"], "factor", None)]

    def close(self):
        """Forgets the modules."""
        del sys.modules[self.other.__name__]
