"""Says what Cuproxide is on this machine, and where to go on: `python -m cuproxide`."""

from __future__ import annotations

import sys

from . import _cuproxide as _core

_COMMANDS = (
    ("python -m cuproxide.doctor", "what was found on this machine, what was tried, what to install"),
    ("python -m cuproxide.compat script.py", "runs a program that was written for CuPy"),
    ("python -m cuproxide.precompile script.py", "compiles what a program needs before it runs elsewhere"),
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
