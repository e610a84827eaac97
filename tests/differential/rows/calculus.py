"""Rows of scipy.optimize, scipy.integrate and scipy.differentiate."""

import numpy as np

from ..draws import (
    alone,
    always,
    array,
    axis,
    between,
    call,
    counts,
    function,
    integer,
    made,
    mapped,
    number,
    one,
    positive,
    read,
    rising,
    row,
    unit,
)

side = one(True, False)

# Objectives: smooth, of one, two or three variables.
bowl = function(lambda xp: lambda x, *args: xp.sum((x - 1.0) ** 2) + xp.sum(x) ** 2, "bowl")
valley = function(lambda xp: lambda x, *args: 10 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2, "valley")
slope = function(lambda xp: lambda x, *args: 2 * (x - 1.0) + 2 * xp.sum(x), "slope of the bowl")
objective = one(bowl, bowl, valley)
start = array("2", between(-2, 2), "dl", finite=True)
three = array("3", between(-2, 2), "dl", finite=True)
bounds = [(-2, 2), (one(-1, 0), 3)]


def settled(result):
    """Of an optimiser's result: where it ended and whether it says so; steps may differ in the last digits."""
    parts = getattr(result, "parts", None)
    if parts is None:
        return result[0] if isinstance(result, tuple) else result
    return [parts["x"], parts.get("fun"), parts.get("success")]


near = {"_form": settled, "_bound": 1e-3}
row(
    "optimize.minimize",
    bowl,
    three,
    method=one("BFGS", "CG", "L-BFGS-B", "TNC", "SLSQP", "Powell", "Nelder-Mead", "COBYLA", "COBYQA", "trust-constr"),
    jac=one(None, slope, "2-point", "3-point"),
    tol=always(1e-8),
    **near,
)
row(
    "optimize.minimize",
    bowl,
    start,
    method=always(one("L-BFGS-B", "TNC", "SLSQP", "Powell", "Nelder-Mead", "trust-constr", "COBYQA")),
    bounds=always([(-2, 0.2), (0.3, 3)]),
    tol=always(1e-8),
    **near,
)
row("optimize.fmin fmin_powell fmin_bfgs fmin_cg", bowl, three, disp=always(False), _bound=1e-3)
row("optimize.fmin_l_bfgs_b", bowl, three, approx_grad=always(True), _form=lambda r: r[0], _bound=1e-3)
row("optimize.fmin_tnc", bowl, start, approx_grad=always(True), messages=always(0), _form=lambda r: r[0], _bound=1e-3)
row("optimize.fmin_ncg", bowl, three, slope, disp=always(False), _bound=1e-3)
row("optimize.fmin_slsqp", bowl, three, disp=always(False), iprint=always(0), _bound=1e-3)
row("optimize.fmin_cobyla", bowl, three, [], rhoend=always(1e-6), _bound=1e-2)
row("optimize.basinhopping", bowl, [one(0.5, -1.0), 0.2], niter=always(3), _form=lambda r: 0, _hostile=False)
row("optimize.dual_annealing", bowl, bounds, maxiter=always(20), _form=lambda r: 0, _hostile=False)
ROWS_GLOBAL = {"_form": lambda r: np.round(r.parts["x"], 2) + 0.0, "_hostile": False}
row("optimize.differential_evolution", bowl, bounds, rng=always(1), maxiter=always(60), **ROWS_GLOBAL)
row("optimize.direct", bowl, bounds, **ROWS_GLOBAL)
row("optimize.shgo", bowl, bounds, **ROWS_GLOBAL)
row("optimize.brute", bowl, [(-2, 2), (-1, 3)], Ns=always(7), finish=one(None), _bound=1e-4, _most=50)
scalar = one(
    function(lambda xp: lambda x, *a: (x - 0.7) ** 2 + 0.1), function(lambda xp: lambda x, *a: xp.cosh(x - 0.3))
)
row(
    "optimize.minimize_scalar",
    scalar,
    method=one("brent", "golden"),
    _form=lambda r: [r.parts["x"], r.parts["fun"]],
    _bound=1e-5,
)
row(
    "optimize.minimize_scalar",
    scalar,
    bounds=always((-1, number(1, 3))),
    method=always("bounded"),
    _form=lambda r: [r.parts["x"], r.parts["fun"]],
    _bound=1e-4,
)
row("optimize.brent golden", scalar, brack=one(None, (-1, 2), (-1, 0.5, 2)), full_output=one(0), _bound=1e-5)
row("optimize.fminbound", scalar, number(-2, 0), number(1, 3), _bound=1e-4)
row("optimize.bracket", scalar, xa=number(-1, 0), xb=number(0.5, 2), _bound=1e-7)
root = one(
    function(lambda xp: lambda x, *a: x**3 - 2 * x - 5, "cubic"),
    function(lambda xp: lambda x, *a: xp.cos(x) - 0.3 * x + 1, "cosine"),
)
row(
    "optimize.bisect brenth brentq ridder toms748",
    root,
    number(-1, 1),
    number(2.2, 4),
    full_output=one(False),
    xtol=one(1e-10, 1e-6),
    _bound=1e-5,
)
row("optimize.newton", root, number(1, 3), tol=one(1e-10), _bound=1e-6)
row("optimize.newton", function(lambda xp: lambda x: x**2 - 2.0), array("n+1", between(1, 2), "d"), _bound=1e-6)
row(
    "optimize.root_scalar",
    root,
    bracket=always([0.0, 4.0]),
    method=one("brentq", "brenth", "bisect", "ridder", "toms748"),
    _form=lambda r: r,
    _fields=("root", "converged", "flag"),
    _bound=1e-6,
)
row(
    "optimize.root_scalar",
    root,
    x0=always(number(1.5, 3)),
    x1=always(3.1),
    method=one("secant"),
    _fields=("root", "converged"),
    _bound=1e-6,
)
fixed = function(lambda xp: lambda x: xp.cos(x) * 0.5, "half cosine")
row(
    "optimize.fixed_point",
    fixed,
    one(number(0, 1), array("n", unit, "d", finite=True)),
    method=one("del2", "iteration"),
    _bound=1e-6,
)
vector = function(
    lambda xp: lambda x, *a: xp.stack([x[0] + 0.5 * (x[0] - x[1]) ** 3 - 1, 0.5 * (x[1] - x[0]) ** 3 + x[1]]), "pair"
)
row("optimize.fsolve", vector, start, xtol=one(1e-10), _bound=1e-5)
row(
    "optimize.root",
    vector,
    start,
    method=one("hybr", "lm", "broyden1", "broyden2", "anderson", "krylov", "df-sane", "diagbroyden"),
    _form=lambda r: [r.parts["success"]],
    _hostile=False,
)
row("optimize.anderson broyden1 broyden2 newton_krylov", vector, start, f_tol=always(1e-8), _bound=1e-5)
row(
    "optimize.diagbroyden excitingmixing linearmixing",
    function(lambda xp: lambda x: x - xp.cos(x) / 2, "fixed point"),
    [0.8, 0.1],
    alpha=always(0.5),
    f_tol=always(1e-6),
    _bound=1e-4,
    _hostile=False,
)
row("optimize.rosen rosen_der rosen_hess", array("n+2", between(-2, 2), "dfl"))
row("optimize.rosen", array("n+2 k", kinds="dfl"))
row("optimize.rosen_hess_prod", array("n+2", between(-2, 2), "dfl"), array("n+2", kinds="dfl"))
line = function(lambda xp: lambda x, a, b: a * x + b, "line")
curve = function(lambda xp: lambda x, a, b: a * xp.exp(-b * x), "decay")
row(
    "optimize.curve_fit",
    line,
    array("n+3", rising, "df", finite=True),
    array("n+3", kinds="df", finite=True),
    p0=one(None, [1.0, 1.0]),
    sigma=one(None, array("n+3", positive, "d")),
    absolute_sigma=side,
    method=one("lm", "trf", "dogbox"),
    _bound=1e-4,
)
residual = function(
    lambda xp: lambda x, *a: xp.stack([x[0] - 1, 10 * (x[1] - x[0] ** 2), 0.3 * x[0] * x[1]]), "residual"
)
row("optimize.leastsq", residual, start, _form=lambda r: r[0], _bound=1e-4)
row(
    "optimize.least_squares",
    residual,
    start,
    jac=one("2-point", "3-point"),
    method=one("trf", "dogbox", "lm"),
    loss=one("linear"),
    x_scale=one(1.0, "jac"),
    _form=lambda r: [r.parts["x"], r.parts["cost"], r.parts["success"]],
    _bound=1e-3,
)
row(
    "optimize.least_squares",
    residual,
    [0.1, 0.4],
    bounds=always(([-1, -1], [0.5, 2])),
    loss=one("soft_l1", "huber", "cauchy", "arctan"),
    _form=lambda r: [r.parts["x"], r.parts["cost"], r.parts["success"]],
    _bound=1e-3,
)
row("optimize.approx_fprime", three, bowl, one(1e-7, 1.5e-8), _bound=1e-4)
row("optimize.check_grad", bowl, slope, three, _random=True)
row(
    "optimize.line_search",
    bowl,
    slope,
    mapped(lambda v: v.astype(float), start),
    mapped(lambda v: -v.astype(float), start),
    _form=lambda r: r[0],
    _bound=1e-5,
)
row(
    "optimize.isotonic_regression",
    array("n", kinds="dfl"),
    weights=one(None, array("n", positive, "d")),
    increasing=side,
)
row(
    "optimize.lsq_linear",
    array("6 3", kinds="df"),
    array("6", kinds="df"),
    bounds=one((-np.inf, np.inf), (-1, 1), ([-1, 0, -2], [1, 2, 0.5])),
    method=one("trf", "bvls"),
    lsq_solver=one(None, "exact", "lsmr"),
    _form=lambda r: [r.parts["x"], r.parts["cost"]],
    _bound=1e-4,
)
row("optimize.nnls", array("6 3", kinds="dfl"), array("6", kinds="dfl"), _bound=1e-6)
cost = array("3", positive, "dl", finite=True)
plan = {
    "A_ub": always(array("2 3", positive, "d", finite=True)),
    "b_ub": always(array("2", positive, "d", finite=True)),
    "bounds": one((0, None), (0, 2), [(0, 1), (0, None), (-1, 1)]),
    "method": one("highs", "highs-ds", "highs-ipm"),
    "A_eq": one(None),
    "integrality": one(None, 0, 1),
}
row(
    "optimize.linprog",
    mapped(lambda v: -v, cost),
    **plan,
    _form=lambda r: [r.parts["status"], r.parts["fun"]],
    _bound=1e-6,
)
row(
    "optimize.milp",
    mapped(lambda v: -v, cost),
    constraints=always(
        made(
            "optimize.LinearConstraint",
            array("2 3", positive, "d", finite=True),
            -np.inf,
            array("2", positive, "d", finite=True),
        )
    ),
    bounds=always(made("optimize.Bounds", 0, 5)),
    integrality=one(None, 0, 1),
    _form=lambda r: [r.parts["status"], r.parts["fun"]],
    _bound=1e-6,
)
row("optimize.linear_sum_assignment", one(array("n n", kinds="dfl"), array("n m", positive, "dfl")), maximize=side)
row(
    "optimize.quadratic_assignment",
    array("n n", positive, "d", finite=True),
    array("n n", positive, "d", finite=True),
    method=one("faq", "2opt"),
    options=always({"rng": 1}),
    _form=lambda r: np.sort(r.parts["col_ind"]),
)
row(
    "optimize.Bounds",
    array("3", between(-2, -1), "d"),
    array("3", between(1, 2), "d"),
    _steps=(read("lb"), read("ub"), read("keep_feasible"), [call("residual", array("3", kinds="d"))]),
)
row(
    "optimize.LinearConstraint",
    array("2 3"),
    array("2", between(-2, -1), "d"),
    array("2", between(1, 2), "d"),
    _steps=(read("A"), read("lb"), read("ub"), [call("residual", array("3", kinds="d"))]),
)
row("optimize.NonlinearConstraint", bowl, -1.0, number(0, 2), _steps=(read("lb"), read("ub"), read("jac")))
row(
    "optimize.BFGS SR1",
    init_scale=one("auto", 1.0),
    _steps=(
        [
            call("initialize", 2, "hess"),
            call("update", array("2", kinds="d", finite=True), array("2", positive, "d", finite=True)),
            call("get_matrix"),
        ],
    ),
    _bound=1e-6,
    _hostile=False,
)
row(
    "optimize.LbfgsInvHessProduct",
    array("2 3", positive, "d", finite=True),
    array("2 3", positive, "d", finite=True),
    _steps=(call("matvec", array("3", kinds="d")), call("todense")),
    _bound=1e-6,
)
row(
    "optimize.BroydenFirst",
    alpha=one(None, 0.5),
    reduction_method=one("restart", "svd", "simple"),
    _steps=(),
    _form=lambda r: 0,
    _hostile=False,
)
row("optimize.KrylovJacobian", method=one("lgmres", "gmres"), _form=lambda r: 0, _hostile=False)
row(
    "optimize.RootResults",
    1.5,
    3,
    7,
    0,
    "brentq",
    _fields=("root", "iterations", "function_calls", "converged", "flag"),
    _hostile=False,
)
alone("optimize.HessianUpdateStrategy InverseJacobian", "a base class")
alone("optimize.OptimizeResult OptimizeWarning NoConvergence", "a mapping, a warning, an exception")
alone("optimize.show_options linprog_verbose_callback", "prints")
many = function(lambda xp: lambda x, *a: xp.exp(x) - 2.0, "exp")
row(
    "optimize.elementwise.find_root",
    many,
    (array("n", between(-2, 0), "df", finite=True), array("n", between(1, 2), "df", finite=True)),
    _bound=1e-6,
)
row(
    "optimize.elementwise.bracket_root",
    many,
    array("n", between(-2, 0.4), "df", finite=True),
    factor=one(None, 1.5),
    _bound=1e-6,
)
quadratic = function(lambda xp: lambda x, *a: (x - 0.7) ** 2, "square")
row(
    "optimize.elementwise.find_minimum",
    quadratic,
    (
        array("n", between(-2, -1), "df", finite=True),
        array("n", between(0.5, 0.9), "df", finite=True),
        array("n", between(2, 3), "df", finite=True),
    ),
    _bound=1e-4,
)
row(
    "optimize.elementwise.bracket_minimum",
    quadratic,
    array("n", between(-2, 2), "df", finite=True),
    factor=one(None, 1.5),
    _bound=1e-6,
)

# Integrals of samples.
samples = one(array("n+1", kinds="dflD"), array("m n+1", kinds="dfl"))
places = one(None, array("n+1", rising, "df"))
row("integrate.trapezoid simpson", samples, x=places, dx=number(0.1, 2), axis=axis(1))
row("integrate.cumulative_trapezoid", samples, x=places, dx=number(0.1, 2), axis=axis(1), initial=one(None, 0))
row("integrate.cumulative_simpson", samples, x=places, dx=number(0.1, 2), axis=axis(1), initial=one(None, 0, 1.5))
row(
    "integrate.romb",
    one(array("5", kinds="dfl"), array("2 9", kinds="df"), array("n")),
    dx=number(0.1, 2),
    axis=one(-1),
)
row("integrate.newton_cotes", integer(1, 8), one(0, 1), _bound=1e-7)
row("integrate.lebedev_rule", one(3, 5, 7, 9, 11, 4), _form=lambda r: [np.sort(r[0], 1), np.sort(r[1])], _bound=1e-8)
# Integrals of functions.
smooth = one(
    function(lambda xp: lambda x, *a: xp.exp(-x * x), "bell"),
    function(lambda xp: lambda x, *a: 1 / (1 + x * x), "bump"),
)
row(
    "integrate.quad",
    smooth,
    one(0, -1.0, -np.inf),
    one(1, 2.5, np.inf),
    epsabs=one(1e-10),
    limit=one(50, 10),
    weight=one(None),
    points=one(None),
    _form=lambda r: r[0],
    _bound=1e-7,
)
row(
    "integrate.quad",
    smooth,
    0,
    number(1, 3),
    weight=always(one("cos", "sin")),
    wvar=always(number(1, 9)),
    _form=lambda r: r[0],
    _bound=1e-7,
)
row(
    "integrate.quad_vec",
    smooth,
    one(0, -1.0, -np.inf),
    one(1, 2.5, np.inf),
    norm=one("2", "max"),
    quadrature=one("gk21", "gk15", "trapezoid"),
    _form=lambda r: r[0],
    _bound=1e-6,
)
row("integrate.fixed_quad", smooth, number(-1, 0), number(1, 3), n=integer(1, 9), _bound=1e-8)
plane = function(lambda xp: lambda y, x: xp.exp(-x * y), "two variables")
row("integrate.dblquad", plane, 0, number(0.5, 2), 0, 1, _form=lambda r: r[0], _bound=1e-6, _hostile=False)
row(
    "integrate.tplquad",
    function(lambda xp: lambda z, y, x: x * y + z),
    0,
    1,
    0,
    1,
    0,
    number(0.5, 2),
    _form=lambda r: r[0],
    _bound=1e-6,
    _hostile=False,
)
row("integrate.nquad", plane, [[0, 1], [0, number(1, 2)]], _form=lambda r: r[0], _bound=1e-6, _hostile=False)
row(
    "integrate.tanhsinh",
    smooth,
    one(0.0, array("n", between(-1, 0), "df", finite=True)),
    one(number(1, 2), np.inf),
    _bound=1e-6,
    _fields=("success", "status", "integral"),
)
row(
    "integrate.nsum",
    function(lambda xp: lambda k, *a: 1 / k**2.5),
    one(1, array("n", counts, "d", finite=True)),
    one(np.inf, 40),
    _fields=("success", "status", "sum"),
    _bound=1e-5,
)
row(
    "integrate.cubature",
    function(lambda xp: lambda x: xp.exp(-xp.sum(x * x, axis=-1))),
    [0.0, 0.0],
    [1.0, number(1, 2)],
    rule=one("gk21", "gk15", "genz-malik"),
    _fields=("estimate", "status"),
    _bound=1e-6,
)
row(
    "integrate.qmc_quad",
    function(lambda xp: lambda x: xp.sum(x, axis=0)),
    [0.0, 0.0],
    [1.0, 2.0],
    n_points=always(64),
    _form=lambda r: 0,
    _hostile=False,
)
# Initial values.
decay = function(lambda xp: lambda t, y, *a: -0.5 * y, "decay")
swing = function(lambda xp: lambda t, y, *a: xp.stack([y[1], -y[0]]), "oscillator")
row(
    "integrate.solve_ivp",
    one(decay, swing),
    (0.0, number(0.5, 4)),
    array("2", kinds="df", finite=True),
    method=one("RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA"),
    t_eval=one(None, [0.1, 0.3]),
    rtol=one(1e-6),
    _form=lambda r: [r.parts["y"][..., -1], r.parts["status"], r.parts["success"]],
    _bound=1e-2,
)
row(
    "integrate.odeint",
    function(lambda xp: lambda y, t: -0.5 * y),
    array("2", kinds="d", finite=True),
    [0.0, 0.5, number(1, 2)],
    _bound=1e-4,
)
for solver in ("RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA"):
    row(
        f"integrate.{solver}",
        decay,
        0.0,
        array("2", kinds="d", finite=True),
        number(1, 4),
        rtol=one(1e-4),
        _steps=([call("step"), *read("status", "t_bound", "n", "direction")],),
        _bound=1e-2,
    )
row(
    "integrate.solve_bvp",
    function(lambda xp: lambda x, y: xp.stack([y[1], -y[0]])),
    function(lambda xp: lambda a, b: xp.stack([a[0], b[0] - 1.0])),
    np.linspace(0, 1, 6),
    np.zeros((2, 6)),
    tol=one(1e-3, 1e-5),
    _form=lambda r: [r.parts["status"], r.parts["success"]],
    _hostile=False,
)
row(
    "integrate.ode complex_ode",
    decay,
    _steps=(
        [
            call("set_integrator", one("dopri5", "dop853", "vode", "lsoda")),
            call("set_initial_value", array("2", kinds="d", finite=True), 0.0),
            call("integrate", number(0.5, 2)),
            call("successful"),
        ],
    ),
    _bound=1e-3,
    _hostile=False,
    _form=lambda r: r[2:],
)
alone("integrate.DenseOutput OdeSolution OdeSolver", "a base class, or made by solve_ivp")
alone("integrate.IntegrationWarning ODEintWarning", "a warning")

row(
    "differentiate.derivative",
    function(lambda xp: lambda x, *a: xp.exp(x)),
    one(number(0, 1), array("n", kinds="df", finite=True)),
    order=one(2, 4, 8),
    initial_step=one(0.5, 0.1),
    step_direction=one(0, 1, -1),
    _fields=("df", "success", "status"),
    _bound=1e-5,
)
row(
    "differentiate.jacobian",
    function(lambda xp: lambda x: xp.stack([x[0] ** 2, x[0] * x[1]])),
    array("2", kinds="d", finite=True),
    _fields=("df",),
    _bound=1e-5,
)
row(
    "differentiate.hessian",
    function(lambda xp: lambda x: x[0] ** 2 * x[1] + x[1] ** 3),
    array("2", kinds="d", finite=True),
    _fields=("ddf",),
    _bound=1e-4,
)
