"""The stubs of compiled and generated names say what is there at run time."""

import ast
import inspect
from pathlib import Path

import cuproxide as cp
import pytest
from cuproxide import _cuproxide as core
from cuproxide.random import _legacy

PACKAGE = Path(cp.__file__).parent
EXAMPLES = {"flagsobj": cp.ones(2).flags}


def parse(name):
    return ast.parse((PACKAGE / name).read_text()).body


def names(body):
    """The names that a module or class defines."""
    for node in body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                if ast.unparse(annotation) != "TypeAlias":
                    yield name
            case ast.Assign(targets=[ast.Name(id=name)]):
                yield name


def parameters(function):
    arguments = function.args
    named = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return {name for name in named if name not in ("self", "cls")}


BODY = parse("_cuproxide.pyi")
CLASSES = {node.name: node for node in BODY if isinstance(node, ast.ClassDef)}
FUNCTIONS = [node for node in BODY if isinstance(node, ast.FunctionDef)]
METHODS = [
    pytest.param(getattr(core, name), node, id=f"{name}.{node.name}")
    for name, body in CLASSES.items()
    for node in body.body
    # Slots have signatures of Python's making.
    if isinstance(node, ast.FunctionDef) and not node.name.startswith("__") and hasattr(core, name)
]


def test_compiled_names():
    stub, runtime = set(names(BODY)), {name for name in dir(core) if not name.startswith("_")}
    assert stub - set(dir(core)) == set()
    assert runtime - stub == set()


def own_and_inherited(node):
    bases = [CLASSES[base.id] for base in node.bases if isinstance(base, ast.Name) and base.id in CLASSES]
    return set(names(node.body)).union(*map(own_and_inherited, bases))


@pytest.mark.parametrize("name", CLASSES)
def test_members(name):
    members, runtime = own_and_inherited(CLASSES[name]), set(dir(getattr(core, name)))
    dynamic = "__getattr__" in members
    # Python 3.12 brought the one, and the other stands for what is looked up when asked.
    members -= {"__buffer__", "__getattr__"}
    if not issubclass(getattr(core, name), BaseException):
        # Flags look their names up when asked.
        assert [member for member in members - runtime if not hasattr(EXAMPLES.get(name), member)] == []
        public = {member for member in runtime if not member.startswith("__")}
        assert dynamic or public - members == set()


def check_parameters(node, runtime):
    try:
        found = inspect.signature(runtime).parameters
    except ValueError:
        pytest.skip("Python does not tell")
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in found.values()):
        return
    positional = {argument.arg for argument in node.args.posonlyargs}
    kept = {name for name in found if name != "self"}
    variadic = {p.name for p in found.values() if p.kind is p.VAR_POSITIONAL}
    assert parameters(node) - positional == kept - positional - variadic or len(positional) == len(kept)


@pytest.mark.parametrize(("owner", "node"), METHODS)
def test_methods(owner, node):
    check_parameters(node, getattr(owner, node.name))


@pytest.mark.parametrize("node", FUNCTIONS, ids=lambda node: node.name)
def test_functions(node):
    check_parameters(node, getattr(core, node.name))


def test_ufuncs():
    assert sorted(names(parse("_ufuncs.pyi"))) == sorted(cp._ufuncs), "run python ci/write_stubs.py"


def test_special_ufuncs():
    listed = sorted(names(parse("scipy/special/_ufuncs.pyi")))
    assert listed == sorted(core.ufuncs("special")), "run python ci/write_stubs.py"


def test_random_functions():
    listed = {name for name in names(parse("random/_functions.pyi")) if not name.startswith("_")}
    assert listed == {*_legacy._METHODS, "ranf", "sample"}, "run python ci/write_stubs.py"
