"""The picture of docs/architecture.md, enforced: arrows go down to the HAL only, and no vendor is named above it."""

import functools
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo, which knows the dependencies, is missing")

ROOT = Path(__file__).resolve().parents[2]
ABOVE_THE_HAL = ["cuproxide-core", "cuproxide-py"]
# What a crate above the HAL may use of this workspace. Only the front end meets the registry, to hand devices to core.
ALLOWED = {
    "cuproxide-core": {"cuproxide-hal"},
    "cuproxide-py": {"cuproxide-hal", "cuproxide-core", "cuproxide-backends", "cuproxide-geometry"},
    "cuproxide-geometry": set(),
    "cuproxide-hal": set(),
}
# Libraries that only a backend has a use for.
BELOW_THE_HAL = re.compile(r"cudarc|cranelift-.*|libloading|faer|gemm|rayon|.*-hip-sys|.*cuda.*|.*nvrtc.*")
VENDOR = re.compile(r"(?i:cuda|nvidia|rocm)|(?<![A-Za-z])(?:[Hh]ip(?![a-z])|HIP(?![A-Z])|AMD(?![A-Z]))")
# What the front end alone may say: protocols that other libraries have fixed, the Python module `cp.cuda`, which serves
# every backend, and, in the documentation that users read, names of devices.
FIXED_NAMES = re.compile(
    r"(?:__)?cuda_array_interface(?:__)?|__cuda_stream__|\b(?:cp|cuproxide)\.cuda\b|\bkDL(?:CUDA|ROCM)\w*"
)
DEVICE_NAME = re.compile(r"\"(?:cuda|hip):\d\"")


@functools.cache
def packages() -> dict[str, dict]:
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--offline", "--locked"]
    output = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return {package["name"]: package for package in json.loads(output)["packages"]}


def dependencies(name: str) -> set[str]:
    """Names of the packages that a package needs outside its tests."""
    return {d["name"] for d in packages()[name]["dependencies"] if d["kind"] != "dev"}


def vendor_words(folder: Path, allowed: Callable[[str], str] = str) -> list[str]:
    """Lines that name a vendor once `allowed` has taken out what may stand there."""
    found = []
    for file in sorted(folder.rglob("*.rs")):
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if VENDOR.search(allowed(line)):
                found.append(f"{file.relative_to(ROOT)}:{number}: {line.strip()}")
    return found


def without_fixed_names(line: str) -> str:
    documentation = line.lstrip().startswith("///")
    return FIXED_NAMES.sub("", DEVICE_NAME.sub("", line) if documentation else line)


@pytest.mark.parametrize("name", ALLOWED)
def test_workspace_dependencies_point_down(name):
    inside = {dependency for dependency in dependencies(name) if dependency in packages()}
    assert inside <= ALLOWED[name]


@pytest.mark.parametrize("name", ["cuproxide-hal", *ABOVE_THE_HAL])
def test_no_library_of_a_backend_is_used_above_it(name):
    assert [d for d in sorted(dependencies(name)) if BELOW_THE_HAL.fullmatch(d)] == []


def test_backends_know_the_hal_and_never_what_is_above_it():
    backends = [
        n for n, package in packages().items() if Path(package["manifest_path"]).is_relative_to(ROOT / "backends")
    ]
    assert "cuproxide-backends" in backends
    for name in backends:
        # Bindings of a vendor's headers know nothing of ours at all.
        assert "cuproxide-hal" in dependencies(name) or name.endswith("-sys"), name
        assert not dependencies(name) & set(ABOVE_THE_HAL), name


def test_only_the_registry_names_every_backend():
    backends = {"cuproxide-cpu", "cuproxide-cuda", "cuproxide-hip", "cuproxide-noop"}
    users = {name for name in packages() if len(dependencies(name) & backends) > 1}
    assert users == {"cuproxide-backends"}


def test_core_names_no_vendor():
    assert vendor_words(ROOT / "core/src") == []


def test_front_end_names_no_vendor():
    assert vendor_words(ROOT / "frontend-py/src", without_fixed_names) == []


@pytest.mark.parametrize("folder", ["core/src", "frontend-py/src", "hal/src"])
def test_code_is_not_chosen_by_vendor(folder):
    """No conditional compilation by device; hal may say `cuda` in an example, but not branch on it."""
    conditional = re.compile(r"cfg!?\(.*(cuda|hip|nvidia|rocm)|feature\s*=\s*\"(cuda|hip)", re.IGNORECASE)
    found = [f for f in (ROOT / folder).rglob("*.rs") if conditional.search(f.read_text())]
    assert found == []


# Circles between the modules of a crate that are natural, each with its reason. A circle that is not within one of
# these sets is a mistake: move what both sides need into a module below them, or hand it in.
CIRCLES = {
    "hal": [
        ({"device", "graph", "images", "system"}, "the traits of a device name each other in their signatures"),
    ],
    "core": [
        (
            {"context", "deferred", "memory", "storage"},
            "a context owns the pools and the deferred work of its device; what they keep knows the context it is of",
        ),
    ],
    "backends/codegen": [
        ({"analysis", "emit", "plan", "program", "rows"}, "kernels of rows are made of whole programs for their parts"),
    ],
    "backends/cpu": [
        ({"graph", "stream"}, "a stream begins captures, and a capture replays on streams"),
        (
            {"eigen", "multishift", "qr", "schur", "solver", "tridiagonal"},
            "methods for eigenvalues use each other's steps, and all the solver's views of matrices",
        ),
        ({"blas", "device", "lower", "math", "run", "system"}, "compiled code calls the device's own functions"),
    ],
    "backends/simt": [
        (
            {"block", "guard", "interrupt", "launch"},
            "a launch makes blocks, whose kernels may launch; what stops one unwinds the other",
        ),
        ({"assembly", "compiler", "names", "scan"}, "text within assembly is text again, with names of its own"),
    ],
    "backends/noop": [
        ({"device", "kernel", "libraries"}, "kernels and libraries record what they are asked in their device"),
    ],
    "tests/conformance": [
        ({"log", "summary"}, "a summary keeps a log, which reads results back"),
    ],
    "frontend-py": [
        ({"graph", "stream"}, "streams make graphs, which are launched on streams"),
        (
            {
                "arguments",
                "dlpack",
                "functions",
                "interop",
                "kernel_values",
                "ndarray",
                "records",
                "reductions",
                "ufunc",
            },
            "the class of arrays has everything as methods, and everything takes and makes arrays",
        ),
    ],
}
TESTS = re.compile(r"#\[cfg\(test\)\]\s*(?:pub(?:\(\w+\))? )?mod \w+ \{.*", re.DOTALL)


def modules(folder: Path) -> dict[str, set[str]]:
    """The modules at the top of a crate, and which of the others each names by `crate::`."""
    named: dict[str, set[str]] = {}
    for file in folder.rglob("*.rs"):
        top = file.relative_to(folder).parts[0].removesuffix(".rs")
        if top in ("lib", "main", "tests"):
            continue
        text = TESTS.sub("", re.sub(r"//.*", "", file.read_text()))
        uses = named.setdefault(top, set())
        uses.update(re.findall(r"\bcrate::(\w+)", text))
        for group in re.findall(r"\bcrate::\{([^;]*)\};", text):
            # Names within inner braces belong to the module before them.
            flat = re.sub(r"\{[^{}]*\}", "", group)
            uses.update(re.findall(r"(?:^|,)\s*(\w+)", flat))
    return {name: {use for use in uses if use in named and use != name} for name, uses in named.items()}


def circles(graph: dict[str, set[str]]) -> list[set[str]]:
    """Sets of modules each of which leads to each other one."""

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        todo = [start]
        while todo:
            for name in graph[todo.pop()] - seen:
                seen.add(name)
                todo.append(name)
        return seen

    ways = {name: reached(name) for name in graph}
    found = {frozenset(other for other in ways[name] if name in ways[other]) for name in graph if name in ways[name]}
    return sorted(map(set, found), key=sorted)


CRATES = sorted(
    {str(manifest.parent.relative_to(ROOT)) for manifest in ROOT.glob("backends/*/Cargo.toml")}
    | {"hal", "core", "frontend-py", "kernels-cuda", "kernels-hip", "tests/conformance"}
)


@pytest.mark.parametrize("crate", CRATES)
def test_modules_have_no_circles_but_natural_ones(crate):
    allowed = [members for members, _ in CIRCLES.get(crate, [])]
    found = circles(modules(ROOT / crate / "src"))
    beyond = [sorted(circle) for circle in found if not any(circle <= members for members in allowed)]
    assert beyond == []
    # What has been cut is no longer allowed.
    stale = [sorted(members) for members in allowed if not any(circle <= members for circle in found)]
    assert stale == []


def test_circles_are_found():
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a", "d"}, "e": set()}
    assert circles(graph) == [{"b", "c"}, {"d"}]
