"""Docstrings are completed from the tables of shared entries."""

import functools
import importlib
import inspect
import subprocess
import sys

import numpy as np
import pytest
from cuproxide._lib import texts

PACKAGES = [
    "cluster",
    "stats",
    "signal",
    "optimize",
    "interpolate",
    "integrate",
    "linalg",
    "ndimage",
    "spatial",
    "special",
]
PACKAGES = [*(f"scipy.{package}" for package in PACKAGES), "scipy.fftpack", "random", "polynomial", "compat", "testing"]
PACKAGES += ["scipy.sparse", "cuda", "cuda.runtime", "cudnn", "distributed", "fft", "signal"]
SUBMODULES = {"scipy.stats": ["contingency", "qmc"], "scipy.signal": ["windows"], "scipy.optimize": ["elementwise"]}
SUBMODULES |= {"scipy.linalg": ["interpolative"], "scipy.spatial": ["distance", "transform"]}
BASES = ["polynomial", "chebyshev", "hermite", "hermite_e", "laguerre", "legendre"]
SUBMODULES |= {
    "scipy.cluster": ["hierarchy", "vq"],
    "scipy.sparse": ["csgraph", "linalg"],
    "cuda": ["cusparselt", "nccl", "nvtx"],
    "distributed": ["array"],
    "polynomial": [*BASES, "polyutils"],
    "compat": ["cublas", "lapack"],
}
ELSEWHERE = {"cuda": ["cutensor"]}
TABLE = {"x": "array_like\n    The points.", "axis": "int\n    The axis.", "**kwds": "The rest."}


def documented(package):
    """The docstrings of the functions, classes and methods of a package, by name."""
    own = (f"{package}.{submodule}" for submodule in SUBMODULES.get(package, []))
    for name in [package, *own, *ELSEWHERE.get(package, [])]:
        module = importlib.import_module(f"cuproxide.{name}")
        for public in module.__all__:
            thing = getattr(module, public)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                yield f"{name}.{public}", inspect.getdoc(thing) or ""
            if inspect.isclass(thing):
                for member, value in inspect.getmembers(thing, inspect.isroutine):
                    yield f"{name}.{public}.{member}", inspect.getdoc(value) or ""


def filled(entry, text):
    """What help shows of an entry of a table, where no parameter is optional."""
    if " -> " in entry:
        return f"\nReturns\n-------\n{text}\n"
    if entry.endswith(": Raises"):
        return f"\nRaises\n------\n{text}\n"
    return f"\n{entry.partition(':')[0].rpartition('.')[2]} : {text}\n"


def without_defaults(text):
    """The text as if no parameter had a default."""
    return text.replace(", optional\n", "\n")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_entry_of_a_table_is_used(package):
    table = importlib.import_module(f"cuproxide.{package}._texts").TEXTS
    every = without_defaults("\n".join(text for _, text in documented(package)) + "\n")
    assert [entry for entry, text in table.items() if filled(entry, text) not in every] == []


@pytest.mark.parametrize(("name", "table"), [("", "TEXTS"), ("linalg", "OF_LINALG")])
def test_every_entry_of_numpys_functions_is_used(name, table):
    module = importlib.import_module(f"cuproxide.{name}".rstrip("."))
    things = [getattr(module, public) for public in module.__all__]
    things = [thing for thing in things if inspect.isfunction(thing) or inspect.isclass(thing)]
    every = without_defaults("\n".join(inspect.getdoc(thing) or "" for thing in things) + "\n")
    table = getattr(importlib.import_module("cuproxide._routines._texts"), table)
    assert [entry for entry, text in table.items() if every.count(filled(entry, text)) < 2] == []


def test_functions_of_numpy_keep_their_text():
    before = np.base_repr.__doc__
    texts.complete(
        {"__package__": "none", "base_repr": np.base_repr}, ["base_repr"], {"number": "int\n    It."}, "numpy"
    )
    assert np.base_repr.__doc__ == before


def test_an_annotation_chooses_among_entries():
    def along_one(mode: str): ...
    def along_all(mode: object): ...

    for function, kind in ((along_one, "str"), (along_all, "str or sequence")):
        function.__annotations__["mode"] = "str" if kind == "str" else "Any"
        function.__doc__ = "The text.\n\nExamples\n--------\n>>> 1\n"
        table = {"mode": "str or sequence\n    The edges.", "mode: str": "str\n    The edges."}
        namespace = {"__package__": "none", function.__name__: function}
        texts.complete(namespace, [function.__name__], table)
        assert f"mode : {kind}\n" in function.__doc__


def test_a_module_chooses_among_entries():
    def function(x: int, y: int): ...

    function.__doc__ = "The text.\n\nExamples\n--------\n>>> 1\n"
    module = __name__.rpartition(".")[2]
    table = {"x": "int\n    Any.", "x: int": "int\n    One of this kind.", f"{module}.x": "int\n    One of here."}
    texts.complete({"__package__": "none", "function": function}, ["function"], table | {"y": "int\n    The other."})
    assert "x : int\n    One of here.\ny : int\n    The other.\n" in function.__doc__


def test_a_parameter_with_a_default_is_optional():
    def function(x, y=1, *, z=2): ...

    function.__doc__ = "The text.\n\nExamples\n--------\n>>> 1\n"
    table = {"x": "int\n    One.", "y": "int\n    Two.", "z": "int"}
    texts.complete({"__package__": "none", "function": function}, ["function"], table)
    assert "x : int\n    One.\ny : int, optional\n    Two.\nz : int, optional\n" in function.__doc__


def test_a_module_describes_results_and_errors():
    def function() -> "Kind": ...  # noqa: F821

    def other() -> "Kind":  # noqa: F821
        """The text, without sections."""

    function.__doc__ = "The text.\n\nExamples\n--------\n>>> 1\n"
    module = __name__.rpartition(".")[2]
    table = {f"{module} -> Kind": "Kind\n    The sum.", f"{module}: Raises": "ValueError\n    For 0."}
    texts.complete({"__package__": "none", "function": function, "other": other}, ["function", "other"], table)
    assert "Returns\n-------\nKind\n    The sum.\n\nRaises\n------\nValueError\n    For 0.\n\n" in function.__doc__
    assert other.__doc__ == "The text, without sections."


@pytest.mark.parametrize(
    ("annotation", "text"), [("tuple[ndarray, ...]", "tuple of ndarray"), ("Path", "Path"), ("Any", None)]
)
def test_words_and_classes_of_results(annotation, text):
    namespace = {"Path": type("Path", (), {}), "__name__": "m"}
    exec(f"def function() -> {annotation!r}:\n    'The text.\\n\\nExamples\\n--------\\n>>> 1'", namespace)
    texts.complete({"__package__": "none", "function": namespace["function"]}, ["function"], {})
    assert ("Returns\n-------\n" in namespace["function"].__doc__) is (text is not None)
    assert text is None or f"Returns\n-------\n{text}\n" in namespace["function"].__doc__


def test_filters_of_one_axis_have_one_mode():
    for name in ("convolve1d", "convolve", "maximum_filter1d"):
        text = getattr(importlib.import_module("cuproxide.scipy.ndimage"), name).__doc__
        assert "mode : str, optional\n" in text
    assert (
        "mode : str or sequence of str, optional\n" in importlib.import_module("cuproxide.scipy.ndimage").sobel.__doc__
    )


def test_entries_follow_the_signature():
    def function(x, n, /, *rest, axis=0, **kwds):
        """The text.

        Parameters
        ----------
        *rest : object
            Its own.
        n : int
            How many.

        Notes
        -----
        Short.

        Examples
        --------
        >>> 1
        1
        """

    texts.complete({"__package__": "p", "function": function}, ["function"], TABLE, "numpy.p")
    parameters = inspect.getdoc(function).split("----------\n")[1].split("\n\n")[0]
    assert parameters == (
        "x : array_like\n    The points.\nn : int\n    How many.\n*rest : object\n    Its own.\n"
        "axis : int, optional\n    The axis.\n**kwds : The rest."
    )
    lines = inspect.getdoc(function).split("\n")
    headers = [line for line, rule in zip(lines, lines[1:], strict=False) if rule and set(rule) == {"-"}]
    assert headers == ["Parameters", "See Also", "Notes", "Examples"]
    before = function.__doc__
    texts.complete({"__package__": "p", "function": function}, ["function"], TABLE, "numpy.p")
    assert function.__doc__ == before


def test_docstrings_of_one_line_are_completed_wholly_or_not():
    def described(x):
        """The text."""

    def unknown(x, other):
        """The text."""

    def without():
        """The text."""

    for function in (described, unknown, without):
        texts.complete({"__package__": "p", function.__name__: function}, [function.__name__], TABLE)
    assert described.__doc__ == "The text.\n\nParameters\n----------\nx : array_like\n    The points."
    assert unknown.__doc__ == without.__doc__ == "The text."


def test_grouped_entries_describe_each_name():
    def function(x, y, axis):
        """The text.

        Parameters
        ----------
        x, axis : object
            Both.
        """

    texts.complete({"__package__": "p", "function": function}, ["function"], TABLE)
    assert function.__doc__ == "The text.\n\nParameters\n----------\nx, axis : object\n    Both."


def test_returns_follow_from_the_annotation():
    def function(x) -> "ndarray":  # noqa: F821
        """The text.

        Examples
        --------
        >>> 1
        1
        """

    texts.complete({"__package__": "p", "function": function}, ["function"], {}, "numpy.p", without=("function",))
    assert "Returns\n-------\nndarray\n\nExamples" in function.__doc__
    assert "See Also" not in function.__doc__


def test_methods_of_private_bases_are_completed():
    from cuproxide.scipy import stats

    assert "x : array_like\n    The points.\n*args : array_like" in inspect.getdoc(stats.rv_continuous.pdf)
    assert "d : int\n    The number of dimensions." in inspect.getdoc(stats.qmc.Sobol)


def test_classes_name_what_they_follow():
    from cuproxide.scipy import sparse, special

    assert "See Also\n--------\nscipy.sparse.csr_array : The class that this one follows." in sparse.csr_array.__doc__
    assert "See Also" not in special.orthopoly1d.__doc__


def test_failures_of_root_finders():
    from cuproxide.scipy import optimize

    for function in (optimize.bisect, optimize.ridder, optimize.brentq, optimize.brenth, optimize.toms748):
        assert "disp : bool, optional\n    Whether to raise an error" in inspect.getdoc(function)


def test_without_docstrings():
    code = "import cuproxide.scipy.stats as s, cuproxide.scipy.spatial.distance; print(s.zscore.__doc__)"
    done = subprocess.run([sys.executable, "-OO", "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "None", done.stderr


def test_a_prompt_begins_the_examples():
    def f(x):
        """Does it.

        >>> cp.f(1)
        1

        With more:

        >>> cp.f(2)
        2
        """

    texts.complete({"__package__": "none", "f": f}, ["f"], TABLE)
    examples = f.__doc__.partition("\nExamples\n--------\n")[2]
    assert examples == ">>> import cuproxide as cp\n>>> cp.f(1)\n1\n\nWith more:\n\n>>> cp.f(2)\n2"
    assert "x : array_like\n    The points." in f.__doc__


def test_wrapped_functions_get_the_texts_of_their_module():
    def f(x):
        """Does it.

        >>> f(1)
        """

    @functools.wraps(f)
    def wrapper(*args):
        return f(*args)

    wrapper.__module__ = "none"
    texts.complete({"__package__": "none", "f": wrapper}, ["f"], {"test_texts.x": "int\n    It."})
    assert "x : int\n    It." in wrapper.__doc__


def test_calls_of_objects_are_completed():
    class Thing:
        """A thing."""

        def __call__(self, x):
            """Does it.

            >>> Thing()(1)
            """

    Thing.__module__ = "none.things"
    texts.complete({"__package__": "none", "Thing": Thing}, ["Thing"], TABLE)
    assert "x : array_like\n    The points." in Thing.__call__.__doc__
