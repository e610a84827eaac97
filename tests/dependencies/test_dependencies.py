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
ABOVE_THE_HAL = ["cuproxide-core", "cuproxide-ufuncs", "cuproxide-py", "cuproxide-pymodule"]
# What a crate above the HAL may use of this workspace. Only the front end meets the registry, to hand devices to core.
ALLOWED = {
    "cuproxide-core": {"cuproxide-hal", "cuproxide-ufuncs"},
    "cuproxide-ufuncs": {"cuproxide-hal"},
    "cuproxide-py": {"cuproxide-hal", "cuproxide-core", "cuproxide-backends", "cuproxide-geometry"},
    "cuproxide-pymodule": {"cuproxide-py"},
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
    assert vendor_words(ROOT / "core") == []


def test_front_end_names_no_vendor():
    assert vendor_words(ROOT / "frontend-py/src", without_fixed_names) == []


@pytest.mark.parametrize("folder", ["core", "frontend-py/src", "hal/src"])
def test_code_is_not_chosen_by_vendor(folder):
    """No conditional compilation by device; hal may say `cuda` in an example, but not branch on it."""
    conditional = re.compile(r"cfg!?\(.*(cuda|hip|nvidia|rocm)|feature\s*=\s*\"(cuda|hip)", re.IGNORECASE)
    found = [f for f in (ROOT / folder).rglob("*.rs") if conditional.search(f.read_text())]
    assert found == []
