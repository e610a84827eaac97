"""Entries of parameters that docstrings of `scipy.integrate` share; `_lib.texts` fills them in."""

TEXTS = {
    "_runge_kutta.first_step": "float, optional\n    The first step, chosen if not given.",
    "_runge_kutta.max_step": "float\n    The longest step.",
    "args": "tuple, optional\n    Further arguments of `func`.",
    "atol": "float or array_like\n    The absolute tolerance.",
    "axis": "int, optional\n    The axis to integrate along.",
    "dx": "float, optional\n    The spacing of the samples.",
    "first_step": "float, optional\n    The first step; chosen by default.",
    "full_output": "bool, optional\n    Whether to return further information, too.",
    "fun": "callable\n    The right-hand side, called as `fun(t, y)`.",
    "jac": "array_like, sparse array or callable, optional\n"
    "    The Jacobian, or a function `jac(t, y)` for it; by finite differences without one.",
    "jac_sparsity": "array_like or sparse array, optional\n    Where the Jacobian may be other than zero.",
    "kwargs": "dict of array_like, optional\n    Further arguments by name.",
    "limit": "int, optional\n    The most intervals.",
    "max_step": "float, optional\n    The longest step; without a limit by default.",
    "name": "str\n    The name of the integrator.",
    "points": "sequence of float, optional\n    Where the function is not smooth.",
    "relax": "bool\n    Whether steps may end behind that time.",
    "rtol": "float or array_like\n    The relative tolerance.",
    "step": "bool\n    Whether to take one step only.",
    "t": "float\n    The time.",
    "t0": "float\n    The time to begin at.",
    "t_bound": "float\n    The time to end at.",
    "vectorized": "bool, optional\n    Whether `fun` takes several states as columns.",
    "x": "array_like, optional\n"
    "    Where they were taken: one axis, or the shape of `y`. Without it they are `dx` apart.",
    "y": "array_like\n    The samples.",
    "y0": "array_like\n    The state then.",
}
