"""What kernels written in Python refuse."""

import math

import cuproxide as cp
import pytest
from cuproxide import jit
from kernel_texts import define

WRONG = [
    ("y[0] = undefined", NameError, "name 'undefined' is not defined"),
    ("y[0] = later\n    later = 1", UnboundLocalError, "'later' is read before"),
    ("y['a'] = 1", TypeError, "an index must be an integer"),
    ("y[0.5 * n] = 1", TypeError, "an index must be an integer, not float64"),
    ("y[0, 1] = 1", IndexError, "too many indices: 2"),
    ("y[1:2] = 1", NotImplementedError, "slices"),
    ("y = (1, 2)", TypeError, "the variable 'y' is both"),
    ("w[0] = 1 << 63", OverflowError, "out of bounds for int64"),
    ("y[0] = 1j", TypeError, "cannot become float64"),
    ("w[0] += 1.5", TypeError, "same_kind"),
    ("y[0] = cp.int8(n) + 300", OverflowError, "300 out of bounds for int8"),
    ("y[0] = n @ n", NotImplementedError, "MatMult"),
    ("y[0] = y & 1", TypeError, "index the array first"),
    ("y[0] = y[0] & 1", TypeError, "bitwise_and is not defined"),
    ("return n", TypeError, "a kernel returns nothing"),
    ("with y: pass", NotImplementedError, "With statements"),
    ("a, b = 1, 2, 3", ValueError, "3 values cannot be unpacked into 2"),
    ("for a in y: pass", NotImplementedError, "loops go over range"),
    ("for a in range(2.5): pass", TypeError, "range\\(\\) takes integers"),
    ("for a in range(0, 5, 0): pass", ValueError, "must not be zero"),
    ("for a in jit.range(3, unroll=0.5): pass", ValueError, "unroll must be"),
    ("y[0] = [k for k in (1, 2)]", NotImplementedError, "ListComp"),
    ("y[0] = print(n)", TypeError, "print cannot be called"),
    ("y[0] = math.sin(n)", TypeError, "use the ufunc"),
    ("y[0] = helper(n)", TypeError, "decorate it with jit.rawkernel"),
    ("y[0] = cp.sin(n, n)", TypeError, "sin takes 1 operands"),
    ("y[0] = cp.frexp(y[0])", TypeError, "frexp cannot be called"),
    ("y[0] = jit.syncthreads()", TypeError, "void cannot become"),
    ("a = jit.syncthreads()", TypeError, "would be nothing"),
    ("jit.syncthreads(1)", TypeError, "too many positional"),
    ("jit.atomic_add(y, 0, 1, 2)", TypeError, "alt_value"),
    ("jit.atomic_cas(w, 0, 1)", TypeError, "alt_value"),
    ("jit.atomic_inc(y, 0, 1)", TypeError, "atomic_inc works on uint32, not on float64"),
    ("jit.atomic_add(w, 0, 1.5)", TypeError, "cannot put"),
    ("s = jit.shared_memory(cp.float32, n)", TypeError, "must be known when the kernel is compiled"),
    ("s = jit.shared_memory(cp.float32, 0)", ValueError, "size must be positive"),
    ("s = jit.shared_memory('x', 1)", TypeError, "is not a dtype of kernels"),
    ("s = jit.grid(4)", ValueError, "ndim must be 1, 2 or 3"),
    ("s = jit.threadIdx.w", AttributeError, "but no w"),
    ("s = y.T", AttributeError, "no attribute 'T'"),
    ("s = jit.shfl_sync(1, n, 0, width=5)", ValueError, "width must be"),
    ("s = n and 1.5", TypeError, "`and` and `or`"),
    ("s = n in (1, 2)", NotImplementedError, "`in` and `is`"),
    ("s = 1 / 0", ZeroDivisionError, "division by zero"),
    ("s = 'text'", TypeError, "a constant of type str"),
    ("lambda: 1", NotImplementedError, "Lambda"),
]


def helper(x):
    return x


@pytest.mark.parametrize(("text", "kind", "message"), WRONG)
def test_errors_show_the_line(text, kind, message):
    kernel = define(f"def kernel(y, w, n):\n    {text}\n", cp=cp, jit=jit, math=math, helper=helper)
    with pytest.raises(kind, match=message) as caught:
        kernel[1, 1](cp.zeros(3), cp.zeros(3, int), 2)
    lines = str(caught.value).splitlines()
    assert lines[1].strip().startswith('File "<kernel ') and ", line 2, in kernel" in lines[1]
    assert lines[2].strip() == text.splitlines()[0] and set(lines[3].strip()) == {"^"}


def test_errors_in_device_functions_and_signatures():
    @jit.rawkernel(device=True)
    def inner(x):
        return x[0]

    @jit.rawkernel(device=True)
    def endless(x):
        return endless(x)

    @jit.rawkernel()
    def outer(y):
        y[0] = inner(y[1])

    @jit.rawkernel()
    def forever(y):
        y[0] = endless(y[1])

    @jit.rawkernel()
    def defaults(y, n=3):
        y[0] = n

    @jit.rawkernel()
    def not_device(y):
        outer(y)

    y = cp.zeros(3)
    with pytest.raises(TypeError, match="return x\\[0\\]"):
        outer[1, 1](y)
    with pytest.raises(NotImplementedError, match="endless calls itself"):
        forever[1, 1](y)
    with pytest.raises(NotImplementedError, match="without defaults"):
        defaults[1, 1](y, 3)
    with pytest.raises(TypeError, match="outer is a kernel"):
        not_device[1, 1](y)
    with pytest.raises(TypeError, match="must be defined with def"):
        jit.rawkernel()(lambda y: y)[1, 1](y)
