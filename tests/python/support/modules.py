"""The public modules of the package, found by walking it: a new one is tested without being listed."""

import importlib
import pkgutil

import cuproxide as cp


def public(package):
    """Names of the public modules below a package, itself included, without the leading `cuproxide.`."""
    root = importlib.import_module(f"cuproxide.{package}")
    found = [module.name for module in pkgutil.walk_packages(root.__path__, f"{root.__name__}.")]
    names = [root.__name__, *(name for name in found if "._" not in name)]
    return [name.removeprefix(f"{cp.__name__}.") for name in names]


SCIPY = public("scipy")
