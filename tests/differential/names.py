"""The public names of the packages."""

import importlib
import inspect
import pkgutil

import cuproxide.scipy


def public_names():
    """Every public name under cuproxide.scipy, without that prefix."""
    names = []
    for found in [None, *pkgutil.walk_packages(cuproxide.scipy.__path__, "cuproxide.scipy.")]:
        path = "cuproxide.scipy" if found is None else found.name
        if any(part.startswith("_") for part in path.split(".")):
            continue
        module = importlib.import_module(path)
        prefix = path.removeprefix("cuproxide.scipy").lstrip(".")
        for name in getattr(module, "__all__", ()):
            if not inspect.ismodule(getattr(module, name, None)):
                names.append(f"{prefix}.{name}" if prefix else name)
    return sorted(set(names))
