"""What stands for `cupy_backends.cuda.libs`: constants and low-level calls of libraries."""

from ... import cuda

__all__ = list(cuda.LIBRARIES)
globals().update((name, getattr(cuda, name)) for name in __all__)
