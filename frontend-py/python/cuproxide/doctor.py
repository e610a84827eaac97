"""Shows what Cuproxide found on this machine, what it tried, and what to install.

    python -m cuproxide.doctor

Its last line is the verdict. Exits with 0 if some device computes correctly. Needs no device, driver or library to run.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from importlib import metadata
from typing import Any

from . import _cuproxide as _core

__all__ = ["describe", "examine", "main", "verdict"]

_VARIABLES = (
    "CUDA_HOME",
    "CUDA_PATH",
    "CUDA_VISIBLE_DEVICES",
    "CUPY_CACHE_DIR",
    "HIP_VISIBLE_DEVICES",
    "ROCM_PATH",
    "ROCR_VISIBLE_DEVICES",
)

# Users send the output to others.
_SECRETS = ("CUPROXIDE_DISTRIBUTED_TOKEN",)


def examine() -> dict[str, Any]:
    """The findings: versions, environment, the chosen device, and a report of each backend."""
    return {
        "versions": {
            "cuproxide": _core.__version__,
            "numpy": _version("numpy"),
            "ml_dtypes": _version("ml_dtypes"),
            "python": platform.python_version(),
            "platform": platform.platform(),
        },
        "environment": {
            name: "(set)" if name in _SECRETS else value
            for name, value in sorted(os.environ.items())
            if name.startswith("CUPROXIDE_") or name in _VARIABLES
        },
        "default": _default_device(),
        "backends": _core.reports(),
        "check": _check(),
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _default_device() -> dict[str, Any]:
    try:
        return {"device": str(_core.Device()), "error": None}
    except Exception as error:
        return {"device": None, "error": str(error)}


def _check() -> dict[str, Any]:
    """Whether a small computation on each device gives the right answer."""
    results = {}
    for device in _core.available_devices():
        try:
            with device:
                total = _core.arange(0, 1, 1000, "float64").sum().item()
            results[str(device)] = None if total == 499500.0 else f"a sum gave {total} instead of 499500.0"
        except Exception as error:
            results[str(device)] = f"{type(error).__name__}: {error}"
    return results


def describe(found: dict[str, Any], verbose: bool = False) -> str:
    """The text of what `examine` found; `verbose` lists every place that was tried.

    Parameters
    ----------
    found : dict
        What `examine` found.
    verbose : bool
        Whether every place that was tried is listed.

    Returns
    -------
    str

    Examples
    --------
    >>> from cuproxide import doctor
    >>> text = doctor.describe(doctor.examine())
    >>> text.splitlines()[-1].startswith("verdict: ")
    True
    """
    lines = [f"{name:<12}{version or 'not installed'}" for name, version in found["versions"].items()]
    lines += [f"{name}={value}" for name, value in found["environment"].items()]
    chosen = found["default"]
    lines += [
        "",
        f"default device: {chosen['device']}" if chosen["device"] else f"no default device: {chosen['error']}",
    ]
    for report in found["backends"]:
        lines += ["", f"backend {report['backend']}", *_indented(_report(report, found["check"], verbose))]
    if not verbose:
        lines += ["", "python -m cuproxide.doctor --verbose lists every library, and every place that was tried."]
    return "\n".join([*lines, "", f"verdict: {verdict(found)}"])


def verdict(found: dict[str, Any]) -> str:
    """One line on what `examine` found: the devices that compute correctly, and those that do not."""
    well = [name for name, problem in found["check"].items() if problem is None]
    badly = [f"{name} does not compute correctly" for name in found["check"] if name not in well]
    works = f"works on {', '.join(well)}" if well else "no device works"
    if well and all(name.startswith("cpu") for name in well):
        works += "; no GPU was found; the hints above say what a GPU needs"
    return "; ".join([works, *badly])


def _indented(lines: list[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def _report(report: dict[str, Any], check: dict[str, Any], verbose: bool) -> list[str]:
    # The places where a library was sought follow with the library.
    lines = []
    if report["error"]:
        lines.append(f"cannot be used: {report['error'].splitlines()[0].removesuffix('; tried')}")
    for device in report["devices"]:
        memory = device["total_memory"] / 2**30
        lines.append(f"{device['name']}: {device['product']}, {device['architecture']}, {memory:.1f} GiB")
        if device["name"] in check:
            problem = check[device["name"]]
            lines.append(f"  computes correctly: {'yes' if problem is None else problem}")
    libraries = report["libraries"]
    if libraries and libraries[0].get("error") and not verbose:
        # Without a driver the others are of no use, and their hints of no help.
        missing = sum(bool(library.get("error")) for library in libraries[1:])
        lines += _library(libraries[0], verbose)
        which = f"{missing} of {len(libraries) - 1}" if missing < len(libraries) - 1 else f"all {missing}"
        lines += [f"other libraries of this backend: {which} missing"] if missing else []
        libraries = ()
    for library in libraries:
        lines += _library(library, verbose)
    lines += [f"{name}: {value}" for name, value in report["facts"]]
    return lines


_NOT_THERE = ("cannot open shared object file", "no other package has loaded it")


def _library(library: dict[str, Any], verbose: bool) -> list[str]:
    if not library.get("error"):
        version = f" {library['version']}" if library.get("version") else ""
        return [f"{library['name']}{version}: {library['path']}"]
    attempts = library.get("attempts", ())
    lines = [f"{library['name']}: missing" + ("" if verbose else f", {len(attempts)} places tried")]
    tried = [(path, reason.removeprefix(f"{path}: ")) for path, reason in attempts]
    if verbose:
        lines += _indented([f"tried {path}: {reason}" for path, reason in tried])
    else:
        # What is there, but cannot be used, is the news.
        usable = [f"found {path}: {reason}" for path, reason in tried if not reason.startswith(_NOT_THERE)]
        lines += _indented(usable[:3])
    if library.get("hint"):
        lines.append(f"  hint: {library['hint']}")
    return lines


def main(arguments: list[str] | None = None) -> int:
    """Runs the command and returns its exit status: 0 if some device computes correctly."""
    parser = argparse.ArgumentParser(prog="python -m cuproxide.doctor", description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print what was found as JSON")
    parser.add_argument("--verbose", action="store_true", help="list every place that was tried")
    options = parser.parse_args(arguments)
    found = examine()
    found["verdict"] = verdict(found)
    print(json.dumps(found, indent=2, default=str) if options.json else describe(found, options.verbose))
    return 0 if any(problem is None for problem in found["check"].values()) else 1


if __name__ == "__main__":
    sys.exit(main())
