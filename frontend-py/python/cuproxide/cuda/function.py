"""Modules of compiled kernels, and the kernels in them."""

from __future__ import annotations

import os
import tempfile
from typing import Any

from .._kernels import RawKernel, RawModule

__all__ = ["Function", "Module"]

Function = RawKernel


class Module:
    """A module of compiled kernels, from a file or from memory."""

    def __init__(self) -> None:
        """A module without kernels, until one of the `load` methods."""
        self._module: RawModule | None = None

    def load_file(self, filename: str | os.PathLike[str]) -> None:
        """Takes the kernels of a file: a cubin or fatbin, PTX text, or a code object of AMD."""
        self._module = RawModule(path=os.fspath(filename))
        # Now and not at the first kernel, since the file may not stay.
        self._module.compile()

    def load(self, cubin: bytes) -> None:
        """Takes the kernels of such a file's content."""
        with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
            file.write(cubin)
            file.flush()
            self.load_file(file.name)

    def get_function(self, name: str) -> Any:
        """The kernel of a name."""
        return self._loaded().get_function(name)

    def get_global_var(self, name: str) -> Any:
        """Memory of a global variable."""
        return self._loaded().get_global(name)

    def _loaded(self) -> RawModule:
        if self._module is None:
            raise ValueError("the module holds nothing: call load_file or load first")
        return self._module
