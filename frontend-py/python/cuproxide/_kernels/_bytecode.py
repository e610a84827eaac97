"""What Python's bytecode does with the names that it loads: an abstract run of a code object's stack.

Values on the stack are names that were loaded, constants, or data: everything that was computed. A name that reaches an
instruction other than an attribute, a call or an import becomes data, which `Visitor.escapes` hears. The table lists
what is known of each instruction: code with another one is not read, nor is code in which an instruction moves the
stack otherwise than `dis.stack_effect` says. So a later Python whose bytecode differs is refused, not misread.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any, Protocol

__all__ = ["DATA", "Constant", "Unclear", "Visitor", "run"]


class Unclear(Exception):
    """Why it cannot be said what code depends on."""


class _Mark:
    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


DATA = _Mark("data")
"""A value that the code computed or was given."""

UNKNOWN = "it has the instruction {}, which traces do not know"

NULL = _Mark("null")
"""The place of `self` where a call has none."""


class Constant:
    """A constant of the code.

    Parameters
    ----------
    value : object
        The constant.
    """

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


Value = Any
"""`DATA`, `NULL`, a `Constant`, or what a visitor stands for a name."""


class Visitor(Protocol):
    """Hears what code does with names."""

    def load(self, name: str, is_cell: bool) -> Value:
        """A global name or a cell is read."""

    def attribute(self, value: Value, name: str) -> Value:
        """An attribute is read."""

    def imports(self, name: str, level: int, parts: Sequence[str]) -> Value:
        """A module is imported."""

    def call(self, function: Value, arguments: Sequence[Value], *, is_plain: bool) -> Value:
        """A function is called; `is_plain` if all arguments are given by position."""

    def escapes(self, value: Value) -> None:
        """A value becomes data."""

    def raises(self, value: Value) -> None:
        """A value is raised."""

    def checks(self, kind: Value) -> None:
        """An exception's class is compared with one or with a tuple of them."""

    def compared(self, one: Value, other: Value) -> None:
        """The identities of two values are compared."""

    def stores(self, kind: str, name: str, value: Value) -> None:
        """A name outside the code (`kind` "global" or "cell") or an attribute (of `value`) is assigned or deleted."""

    def catches(self) -> None:
        """The code handles exceptions."""


# Operands that are popped and values that are pushed, by the instruction's argument.
_Effect = tuple[int | Callable[[int], int], int | Callable[[int], int]]


def _as_is(argument: int) -> int:
    return argument


_PLAIN: dict[str, _Effect] = {
    "POP_ITER": (1, 0),
    "UNARY_POSITIVE": (1, 1),
    "UNARY_NEGATIVE": (1, 1),
    "UNARY_NOT": (1, 1),
    "UNARY_INVERT": (1, 1),
    "TO_BOOL": (1, 1),
    "BINARY_OP": (2, 1),
    "BINARY_SUBSCR": (2, 1),
    "BINARY_SLICE": (3, 1),
    "STORE_SLICE": (4, 0),
    "STORE_SUBSCR": (3, 0),
    "DELETE_SUBSCR": (2, 0),
    "COMPARE_OP": (2, 1),
    "CONTAINS_OP": (2, 1),
    "GET_ITER": (1, 1),
    "GET_YIELD_FROM_ITER": (1, 1),
    "GET_LEN": (1, 2),
    "MATCH_MAPPING": (1, 2),
    "MATCH_SEQUENCE": (1, 2),
    "MATCH_KEYS": (2, 3),
    "MATCH_CLASS": (3, 1),
    "LIST_TO_TUPLE": (1, 1),
    "BUILD_TUPLE": (_as_is, 1),
    "BUILD_LIST": (_as_is, 1),
    "BUILD_SET": (_as_is, 1),
    "BUILD_STRING": (_as_is, 1),
    "BUILD_SLICE": (_as_is, 1),
    "BUILD_MAP": (lambda argument: 2 * argument, 1),
    "BUILD_CONST_KEY_MAP": (lambda argument: argument + 1, 1),
    "LIST_EXTEND": (1, 0),
    "LIST_APPEND": (1, 0),
    "SET_UPDATE": (1, 0),
    "SET_ADD": (1, 0),
    "DICT_UPDATE": (1, 0),
    "DICT_MERGE": (1, 0),
    "MAP_ADD": (2, 0),
    "UNPACK_SEQUENCE": (1, _as_is),
    "UNPACK_EX": (1, lambda argument: (argument & 0xFF) + (argument >> 8) + 1),
    "FORMAT_VALUE": (lambda argument: 2 if argument & 4 else 1, 1),
    "FORMAT_SIMPLE": (1, 1),
    "FORMAT_WITH_SPEC": (2, 1),
    "CONVERT_VALUE": (1, 1),
    "LOAD_FAST": (0, 1),
    "LOAD_FAST_CHECK": (0, 1),
    "LOAD_FAST_BORROW": (0, 1),
    "LOAD_FAST_AND_CLEAR": (0, 1),
    "LOAD_FAST_LOAD_FAST": (0, 2),
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": (0, 2),
    "LOAD_CLOSURE": (0, 1),
    "LOAD_ASSERTION_ERROR": (0, 1),
    "LOAD_COMMON_CONSTANT": (0, 1),
    "LOAD_SPECIAL": (1, 2),
    "STORE_FAST": (1, 0),
    "STORE_FAST_STORE_FAST": (2, 0),
    "STORE_FAST_LOAD_FAST": (1, 1),
    "SET_FUNCTION_ATTRIBUTE": (2, 1),
    "BEFORE_WITH": (1, 2),
    "WITH_EXCEPT_START": (0, 1),
    "PUSH_EXC_INFO": (1, 2),
    "POP_EXCEPT": (1, 0),
    "YIELD_VALUE": (1, 1),
    "CLEANUP_THROW": (3, 2),
    "END_SEND": (2, 1),
}
"""Instructions that compute data of data."""

_NOTHING = frozenset(
    {
        "NOP",
        "RESUME",
        "CACHE",
        "EXTENDED_ARG",
        "NOT_TAKEN",
        "MAKE_CELL",
        "COPY_FREE_VARS",
        "DELETE_FAST",
        "PRECALL",
        "KW_NAMES",
    }
)
_BRANCHES = ("POP_JUMP_IF_", "POP_JUMP_FORWARD_IF_", "POP_JUMP_BACKWARD_IF_")
_JUMPS = frozenset({"JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"})
_ENDS = frozenset({"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE"})
_HARMLESS_INTRINSICS = frozenset(
    {"INTRINSIC_STOPITERATION_ERROR", "INTRINSIC_UNARY_POSITIVE", "INTRINSIC_LIST_TO_TUPLE"}
)


def run(code: CodeType, visitor: Visitor) -> None:
    """Tells a visitor what a code object does with names, on every path through it.

    Parameters
    ----------
    code : code
        The code; functions inside are not looked into.
    visitor : Visitor
        Hears about the names.

    Raises
    ------
    Unclear
        For instructions that are not known.
    """
    steps, offsets = _steps(code)
    handlers = [
        (entry.start, entry.end, offsets[entry.target], entry.depth, entry.lasti)
        for entry in dis.Bytecode(code).exception_entries  # type: ignore[attr-defined]
    ]
    seen: dict[int, tuple[Value, ...]] = {}
    waiting: list[int] = []

    def reach(at: int, stack: Sequence[Value]) -> None:
        known = seen.get(at)
        if known is None:
            merged = tuple(stack)
        else:
            if len(known) != len(stack):
                raise Unclear(UNKNOWN.format(steps[at].opname))
            merged = tuple(_merge(a, b, visitor) for a, b in zip(known, stack, strict=True))
            if merged == known:
                return
        seen[at] = merged
        waiting.append(at)

    reach(0, ())
    while waiting:
        at = waiting.pop()
        step, stack = steps[at], list(seen[at])
        for start, end, target, depth, keeps_place in handlers:
            if start <= step.offset < end:
                reach(target, [*stack[:depth], *([DATA] if keeps_place else []), DATA])
        _step(step, stack, visitor, at, offsets, reach, steps)


def _steps(code: CodeType) -> tuple[list[dis.Instruction], dict[int, int]]:
    """The instructions, and the position of each by its offset or that of its prefixes, to which jumps may lead."""
    steps: list[dis.Instruction] = []
    offsets: dict[int, int] = {}
    for step in dis.get_instructions(code):
        offsets[step.offset] = len(steps)
        if step.opname not in {"CACHE", "EXTENDED_ARG"}:
            steps.append(step)
    return steps, offsets


def _merge(one: Value, other: Value, visitor: Visitor) -> Value:
    if one is other or one == other:
        return one
    if NULL in (one, other):
        raise Unclear("its calls cannot be followed")
    visitor.escapes(one)
    visitor.escapes(other)
    return DATA


def _step(
    step: dis.Instruction,
    stack: list[Value],
    visitor: Visitor,
    at: int,
    offsets: dict[int, int],
    reach: Callable[[int, Sequence[Value]], None],
    steps: list[dis.Instruction],
) -> None:
    """One instruction, and what is reached from it."""
    name, argument = step.opname, step.arg or 0
    height = len(stack)

    def pop(count: int) -> list[Value]:
        taken = stack[len(stack) - count :]
        del stack[len(stack) - count :]
        return taken

    def spend(count: int) -> None:
        for value in pop(count):
            visitor.escapes(value)

    if name in _NOTHING:
        pass
    elif name == "PUSH_EXC_INFO":
        visitor.catches()
        spend(1)
        stack += [DATA, DATA]
    elif name == "POP_TOP":
        pop(1)
    elif name == "CHECK_EXC_MATCH":
        visitor.checks(stack[-1])
        stack[-1] = DATA
    elif name in _PLAIN:
        taken, given = (count(argument) if callable(count) else count for count in _PLAIN[name])
        spend(taken)
        stack += [DATA] * given
    elif name == "SWAP":
        stack[-1], stack[-argument] = stack[-argument], stack[-1]
    elif name == "COPY":
        stack.append(stack[-argument])
    elif name == "PUSH_NULL":
        stack.append(NULL)
    elif name in {"LOAD_CONST", "LOAD_SMALL_INT"}:
        stack.append(Constant(step.argval))
    elif name == "LOAD_GLOBAL":
        stack += _before_call(visitor.load(str(step.argval), False), bool(argument & 1))
    elif name == "LOAD_DEREF":
        stack.append(visitor.load(str(step.argval), True))
    elif name in {"LOAD_ATTR", "LOAD_METHOD"}:
        (value,) = pop(1)
        found = visitor.attribute(value, str(step.argval))
        stack += _before_call(found, dis.stack_effect(step.opcode, argument) == 1)
    elif name == "IMPORT_NAME":
        level, parts = pop(2)
        if not isinstance(level, Constant) or not isinstance(parts, Constant):
            raise Unclear(f"it imports {step.argval} when it is called")
        stack.append(visitor.imports(str(step.argval), level.value, parts.value or ()))
    elif name == "IMPORT_FROM":
        stack.append(visitor.attribute(stack[-1], str(step.argval)))
    elif name == "IS_OP":
        one, other = pop(2)
        visitor.compared(one, other)
        stack.append(DATA)
    elif name in {"CALL", "CALL_KW"}:
        if name == "CALL_KW":
            pop(1)
        is_plain = name == "CALL" and not any(
            steps[before].opname == "KW_NAMES" for before in range(max(at - 2, 0), at)
        )
        arguments = pop(argument)
        stack.append(_called(pop(2), arguments, visitor, is_plain))
        if at and steps[at - 1].opname == "PRECALL":
            # Which is said to pop the arguments.
            height -= argument
    elif name == "CALL_FUNCTION_EX":
        effect = dis.stack_effect(step.opcode, argument)
        count = 1 - effect
        # The function and no `self` before; a tuple and perhaps a dictionary.
        extra = pop(count - 2)
        stack.append(_called(pop(2), extra, visitor, False))
    elif name == "MAKE_FUNCTION":
        pop(1)
        spend(-dis.stack_effect(step.opcode, argument))
        stack.append(DATA)
    elif name == "CALL_INTRINSIC_1" and step.argrepr in _HARMLESS_INTRINSICS:
        spend(1)
        stack.append(DATA)
    elif name in {"STORE_DEREF", "DELETE_DEREF"}:
        visitor.stores("cell", str(step.argval), DATA)
        if name == "STORE_DEREF":
            spend(1)
    elif name in {"STORE_GLOBAL", "DELETE_GLOBAL"}:
        visitor.stores("global", str(step.argval), DATA)
        if name == "STORE_GLOBAL":
            spend(1)
    elif name in {"STORE_ATTR", "DELETE_ATTR"}:
        (owner,) = pop(1)
        visitor.stores("attribute", str(step.argval), owner)
        if name == "STORE_ATTR":
            spend(1)
    elif name == "RAISE_VARARGS":
        for value in pop(argument):
            visitor.raises(value)
        return
    elif name in _ENDS:
        if name == "RETURN_VALUE":
            spend(1)
        return
    elif name in _JUMPS:
        reach(offsets[step.argval], stack)
        return
    elif name.startswith(_BRANCHES):
        spend(1)
        reach(offsets[step.argval], stack)
    elif name in {"JUMP_IF_FALSE_OR_POP", "JUMP_IF_TRUE_OR_POP"}:
        visitor.escapes(stack[-1])
        stack[-1] = DATA
        reach(offsets[step.argval], stack)
        pop(1)
    elif name in {"FOR_ITER", "SEND"}:
        count = 1 if name == "FOR_ITER" else 2
        spend(count)
        left, further = (count + dis.stack_effect(step.opcode, argument, jump=jumps) for jumps in (True, False))
        reach(offsets[step.argval], [*stack, *[DATA] * left])
        stack += [DATA] * further
    elif name == "RETURN_GENERATOR":
        # It is there before it is pushed, or after, by the Python version.
        stack.append(DATA)
        reach(at + 1, stack)
        return
    elif name == "END_FOR":
        spend(-dis.stack_effect(step.opcode))
    else:
        raise Unclear(UNKNOWN.format(name))
    if name != "PRECALL" and len(stack) - height != dis.stack_effect(step.opcode, step.arg, jump=False):
        raise Unclear(UNKNOWN.format(name))
    reach(at + 1, stack)


def _before_call(value: Value, is_called: bool) -> list[Value]:
    """What is pushed for a value, with a place for `self` if it is loaded to be called."""
    if not is_called:
        return [value]
    return [value, NULL] if sys.version_info >= (3, 13) else [NULL, value]


def _called(pair: list[Value], arguments: Sequence[Value], visitor: Visitor, is_plain: bool) -> Value:
    # The function and its first argument, or one of the two is missing: which, depends on the Python version.
    function, *first = [value for value in pair if value is not NULL]
    given = [value for value in arguments if value is not NULL]
    return visitor.call(function, [*first, *given], is_plain=is_plain)
