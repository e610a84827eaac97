"""Prints the version, the devices of this machine and the next steps: `python -m cuproxide`."""

from __future__ import annotations

import sys

from . import _cuproxide as _core

_COMMANDS = (
    ("python -m cuproxide.doctor", "shows devices and libraries, places that were searched, and what to install"),
    ("python -m cuproxide.compat script.py", "runs a program that was written for CuPy"),
    ("python -m cuproxide.precompile script.py", "compiles the kernels of a program ahead of a run elsewhere"),
)


def main() -> int:
    """Prints the version, the devices, and the commands. Returns the exit status."""
    devices = ", ".join(str(device) for device in _core.available_devices()) or "none"
    print(f"Cuproxide {_core.__version__}: NumPy's and SciPy's functions on GPUs and CPUs")
    print(f"devices: {devices}")
    width = max(len(command) for command, _ in _COMMANDS)
    for command, what in _COMMANDS:
        print(f"  {command:{width}}  {what}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
