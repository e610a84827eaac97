//! What methods of several distributions are made of: attempts until one is accepted, and single draws.

use cuproxide_hal::DType;
use cuproxide_hal::ir::Var;

use super::elementary::{ln, ln_1p};
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

/// One number in (0, 1) from the next block.
pub(super) fn open<'b>(stream: &Stream<'b>) -> Var<'b> {
    stream.uniforms()[0]
}

/// The exponential variate of failures until a success of probability `p`: -ln(u) / -ln(1 - p).
pub(super) fn trials<'b>(stream: &Stream<'b>, p: Var<'b>) -> Var<'b> {
    (ln(open(stream)) / ln_1p(-p)).ceil().max(p.like(1.0))
}
