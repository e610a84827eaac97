//! What all orthogonal polynomials share: three-term recurrences, their symmetry, and the choice of a method by the order.

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

use super::approximation::either;
use super::double_double::Double;
use super::gauss;

/// Up to this order polynomials of complex numbers are computed by recurrence.
const MOST_STEPS: f64 = 200.0;

/// Whether an order is whole and small.
pub(super) fn has_few_steps(n: Var<'_>) -> Var<'_> {
    n.eq(n.floor()) & n.ge(n.like(0.0)) & n.le(n.like(MOST_STEPS))
}

/// From [0, 1] to [-1, 1].
pub(super) fn shifted(x: Var<'_>) -> Var<'_> {
    x + x - x.like(1.0)
}

/// The number `n` steps after `first` and `second`, which are numbers 0 and 1; `step` takes k, number k and number k - 1.
pub(super) fn recurrence<'b>(
    n: Var<'b>,
    first: Var<'b>,
    second: Var<'b>,
    step: impl FnOnce(Var<'b>, Var<'b>, Var<'b>) -> Var<'b>,
) -> Var<'b> {
    let builder = n.builder();
    let (k, last, current) = (builder.local(n.like(1.0)), builder.local(first), builder.local(second));
    builder.repeat(
        || k.get().lt(n),
        || {
            let (before, now) = (last.get(), current.get());
            let next = step(k.get(), now, before);
            last.set(now);
            current.set(next);
            k.set(k.get() + n.like(1.0));
        },
    );
    first.when(n.lt(n.like(1.0)), current.get())
}

/// As `recurrence`, by the differences of successive numbers, which are small near the end of the interval; the first
/// number is 1. `step` takes k, number k and the previous difference, and returns the next difference.
pub(super) fn by_differences<'b>(
    n: Var<'b>,
    difference: Var<'b>,
    step: impl FnOnce(Var<'b>, Var<'b>, Var<'b>) -> Var<'b>,
) -> Var<'b> {
    let (builder, one) = (n.builder(), difference.like(1.0));
    let (k, d, p) = (builder.local(n.like(1.0)), builder.local(difference), builder.local(one + difference));
    builder.repeat(
        || k.get().lt(n),
        || {
            let next = step(k.get(), p.get(), d.get());
            d.set(next);
            p.set(p.get() + next);
            k.set(k.get() + n.like(1.0));
        },
    );
    one.when(n.lt(n.like(1.0)), p.get())
}

/// Whether a whole number is odd.
pub(super) fn is_odd(n: Var<'_>) -> Var<'_> {
    let half = n * n.like(0.5);
    half.ne(half.floor())
}

/// A polynomial that is even for even orders and odd for odd ones: `near` for |x| below 1/2, `far` beyond.
pub(super) fn symmetric<'b>(
    n: Var<'b>,
    x: Var<'b>,
    near: impl FnOnce(Var<'b>) -> Var<'b>,
    far: impl FnOnce(Var<'b>) -> Var<'b>,
) -> Var<'b> {
    let size = x.abs();
    let value = either(size.lt(x.like(0.5)), || near(size), || far(size), x.dtype());
    (-value).when(is_odd(n) & x.lt(x.like(0.0)), value)
}

/// A polynomial of integer orders by `whole`, and of orders of a real type by `any`, in float64 or complex128.
pub(super) fn with_order<'b>(
    n: Var<'b>,
    x: Var<'b>,
    whole: impl FnOnce(Var<'b>, Var<'b>) -> Var<'b>,
    any: impl FnOnce(Var<'b>, Var<'b>) -> Var<'b>,
) -> Var<'b> {
    let order = n.cast(DType::F64);
    if n.dtype() == DType::I64 {
        return whole(order, x);
    }
    let wide = if x.dtype().is_complex() { DType::C128 } else { DType::F64 };
    any(order, x.cast(wide)).cast(x.dtype())
}

/// As `with_order`, but whole orders of a real type use `whole`, too, if the argument is real.
pub(super) fn of_any_order<'b>(
    n: Var<'b>,
    x: Var<'b>,
    whole: impl Fn(Var<'b>, Var<'b>) -> Var<'b>,
    any: impl FnOnce(Var<'b>, Var<'b>) -> Var<'b>,
) -> Var<'b> {
    with_order(n, x, &whole, |order, x| {
        if x.dtype().is_complex() {
            return any(order, x);
        }
        let is_whole = order.eq(order.floor()) & order.ge(order.like(0.0)) & order.lt(order.like(1e5));
        either(is_whole, || whole(order, x), || any(order, x), DType::F64)
    })
}

/// For a complex number next to 0 and a whole order, if `stable`, the recurrence: powers of the distance from 1 would lose
/// the smaller part. Else `any`.
pub(super) fn middle_first<'b>(
    n: Var<'b>,
    x: Var<'b>,
    stable: Var<'b>,
    second: Var<'b>,
    step: impl FnOnce(Var<'b>, Var<'b>, Var<'b>) -> Var<'b>,
    any: impl FnOnce() -> Var<'b>,
) -> Var<'b> {
    if !x.dtype().is_complex() {
        return any();
    }
    let first = n.builder().complex(n.like(1.0), n.like(0.0));
    let middle = has_few_steps(n) & x.abs().lt(n.like(0.5)) & stable;
    either(middle, || recurrence(n, first, second, step), any, DType::C128)
}

/// 2F1 of three parameters and (1 - x) / 2. The distance of its argument from 1 keeps all digits next to x = -1, too.
pub(super) fn from_ends<'b>(parameters: [Double<'b>; 3], x: Var<'b>, most: f64) -> Var<'b> {
    let (one, half) = (x.like(1.0), x.like(0.5));
    let (z, y) = ((one - x) * half, (one + x) * half);
    gauss::beside(parameters, z, y, parameters[0].high.like(most))
}
