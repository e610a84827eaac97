//! What all orthogonal polynomials share: three-term recurrences, their symmetry, and which orders take which way.

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

use super::approximation::either;
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

/// As `recurrence` by the differences of successive numbers, which near the end of the interval are small; the first
/// number is 1. `step` takes k, number k and the difference before, and gives the next one.
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

/// A polynomial that is even or odd as its order: `near` for |x| below 1/2, `far` beyond.
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

/// A body for orders of the type of real numbers: whole ones are exact in float64.
pub(super) fn with_order<'b>(
    n: Var<'b>,
    x: Var<'b>,
    whole: impl FnOnce(Var<'b>, Var<'b>) -> Var<'b>,
    any: impl FnOnce(Var<'b>, Var<'b>) -> Var<'b>,
) -> Var<'b> {
    let order = n.cast(DType::F64);
    if n.dtype() == DType::I64 {
        return x.when(x.is_nan(), whole(order, x));
    }
    let wide = if x.dtype().is_complex() { DType::C128 } else { DType::F64 };
    any(order, x.cast(wide)).cast(x.dtype())
}

/// As `with_order`, of which orders of real numbers that are whole use the recurrence, too; `any` takes all others, and
/// complex arguments.
pub(super) fn of_any_order<'b>(
    n: Var<'b>,
    x: Var<'b>,
    whole: impl FnOnce(Var<'b>, Var<'b>) -> Var<'b>,
    any: impl FnOnce(Var<'b>, Var<'b>) -> Var<'b>,
) -> Var<'b> {
    let order = n.cast(DType::F64);
    if n.dtype() == DType::I64 {
        return whole(order, x);
    }
    if x.dtype().is_complex() {
        return any(order, x.cast(DType::C128)).cast(x.dtype());
    }
    let wide = x.cast(DType::F64);
    let is_whole = order.eq(order.floor()) & order.ge(order.like(0.0)) & order.lt(order.like(1e5));
    either(is_whole, || whole(order, wide), || any(order, wide), DType::F64).cast(x.dtype())
}

/// Of a complex number next to 0, and whole orders, the recurrence: powers of the distance from 1 lose the smaller part.
pub(super) fn middle_first<'b>(
    n: Var<'b>,
    x: Var<'b>,
    second: Var<'b>,
    step: impl FnOnce(Var<'b>, Var<'b>, Var<'b>) -> Var<'b>,
    any: impl FnOnce() -> Var<'b>,
) -> Var<'b> {
    if !x.dtype().is_complex() {
        return any();
    }
    let first = n.builder().complex(n.like(1.0), n.like(0.0));
    let middle = has_few_steps(n) & x.abs().lt(n.like(0.5));
    either(middle, || recurrence(n, first, second, step), any, DType::C128)
}

/// 2F1(a, b; c; (1 - x) / 2), whose distance from 1 has all digits next to -1, too.
pub(super) fn from_ends<'b>(a: Var<'b>, b: Var<'b>, c: Var<'b>, x: Var<'b>, most: f64) -> Var<'b> {
    let (one, half, most) = (x.like(1.0), x.like(0.5), a.like(most));
    let (z, y) = ((one - x) * half, (one + x) * half);
    let function = if x.dtype().is_complex() { gauss::complex_beside } else { gauss::real_beside };
    function(a, b, c, z, y, most)
}
