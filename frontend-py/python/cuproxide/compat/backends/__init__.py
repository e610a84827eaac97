"""What stands for `cupy_backends.cuda`: the modules of libraries, below `libs`."""

from . import libs

__all__ = ["libs"]
