"""What stands for `cupy_backends.cuda.libs`: constants and low-level calls of libraries."""

from ...cuda import cublas, cusparse, cusparselt, cutensor, nccl

__all__ = ["cublas", "cusparse", "cusparselt", "cutensor", "nccl"]
