//! What methods of several distributions are made of: attempts until one is accepted, and single draws.

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Builder, LocalVar, Var};

use super::elementary::{ln_1p, ln_normal};
use super::philox::Stream;

/// No method here needs more than a few attempts; the bound ends the loops of impossible parameters.
const ATTEMPTS: i128 = 1 << 16;

/// Repeats `attempt`, which gives a value and whether it is rejected, while it is; not at all where `valid` is false.
pub(super) fn until<'b>(
    stream: &Stream<'b>,
    valid: Var<'b>,
    invalid: Var<'b>,
    attempt: impl FnOnce() -> (Var<'b>, Var<'b>),
) -> Var<'b> {
    let b = stream.builder();
    let (result, open) = (b.local(invalid), b.local(valid));
    b.repeat(
        || open.get() & stream.taken().lt(b.integer(DType::U32, ATTEMPTS)),
        || {
            let (value, rejected) = attempt();
            result.set(value);
            open.set(rejected);
        },
    );
    result.get()
}

/// As [`until`], where an attempt takes what `first` is and then what `next` gives. The first ones are computed outside of the
/// loop, so that elements of one block share the computation.
pub(super) fn until_from<'b, const N: usize>(
    stream: &Stream<'b>,
    valid: Var<'b>,
    invalid: Var<'b>,
    first: [Var<'b>; N],
    next: impl FnOnce() -> [Var<'b>; N],
    attempt: impl FnOnce([Var<'b>; N]) -> (Var<'b>, Var<'b>),
) -> Var<'b> {
    let b = stream.builder();
    let taken = first.map(|value| b.local(value));
    until(stream, valid, invalid, || {
        let (value, rejected) = attempt(taken.map(LocalVar::get));
        // One round of a loop, which elements that are computed together skip if all are accepted.
        let open = b.local(rejected);
        b.repeat(
            || open.get(),
            || {
                taken.into_iter().zip(next()).for_each(|(local, value)| local.set(value));
                open.set(b.integer(DType::Bool, 0));
            },
        );
        (value, rejected)
    })
}

/// What `value` gives where it is `wanted`, else `other`: elements that are computed together skip it if none wants it.
pub(super) fn only_where<'b>(
    b: &'b Builder,
    wanted: Var<'b>,
    other: Var<'b>,
    value: impl FnOnce() -> Var<'b>,
) -> Var<'b> {
    let (result, open) = (b.local(other), b.local(wanted));
    b.repeat(
        || open.get(),
        || {
            result.set(value());
            open.set(b.integer(DType::Bool, 0));
        },
    );
    result.get()
}

/// Inversion by sequential search: how many of the probabilities, of 0 the `first`, of `k` that of `k - 1` times `ratio(k)`,
/// fit below `number` in (0, 1). The mean has to be small. `invalid` where `valid` is false.
pub(super) fn search<'b>(
    b: &'b Builder,
    valid: Var<'b>,
    invalid: Var<'b>,
    number: Var<'b>,
    first: Var<'b>,
    ratio: impl FnOnce(Var<'b>) -> Var<'b>,
) -> Var<'b> {
    let (zero, one) = (first.like(0.0), first.like(1.0));
    let (rest, probability, count) = (b.local(number), b.local(first), b.local(zero));
    // What rounding leaves of the number in the end is no reason to go on.
    let least = first.like(f64::exp2(-80.0));
    b.repeat(
        || valid & rest.get().gt(probability.get()) & probability.get().gt(least),
        || {
            let next = count.get() + one;
            rest.set(rest.get() - probability.get());
            probability.set(probability.get() * ratio(next));
            count.set(next);
        },
    );
    count.get().when(valid, invalid)
}

/// One number in (0, 1) from the next block.
pub(super) fn open<'b>(stream: &Stream<'b>) -> Var<'b> {
    stream.uniforms()[0]
}

/// The exponential variate of failures until a success of probability `p`: -ln(u) / -ln(1 - p).
pub(super) fn trials<'b>(stream: &Stream<'b>, p: Var<'b>) -> Var<'b> {
    (ln_normal(open(stream)) / ln_1p(-p)).ceil().max(p.like(1.0))
}
