//! Roots of increasing functions: Newton's steps inside a bracket that shrinks.

use cuproxide_hal::ir::Var;

/// Most steps; bisection alone leaves no bracket of float64 numbers after these.
const STEPS: f64 = 120.0;

/// What an iteration knows at a point.
pub(super) struct Step<'b> {
    /// Whether the root lies below.
    pub(super) is_above: Var<'b>,
    /// Where Newton's rule goes from here: the distance to subtract.
    pub(super) newton: Var<'b>,
    /// The order to which errors shrink.
    pub(super) order: i32,
}

impl<'b> Step<'b> {
    /// The step for a probability `value` that is to be `target`: Newton's rule for its logarithm, which is nearly straight
    /// in the tails. `slope` is the density; where `decreasing`, the probability is that of the other side. With `bend`, the
    /// logarithmic derivative of the density, it is Halley's rule.
    pub(super) fn of_probability(
        value: Var<'b>,
        target: Var<'b>,
        slope: Var<'b>,
        decreasing: Var<'b>,
        bend: Option<Var<'b>>,
    ) -> Step<'b> {
        let difference = value - target;
        // Near the root the logarithm of the quotient comes from the difference.
        let logarithm = (difference / target).log1p();
        let newton = value * logarithm / slope;
        let above = difference.gt(value.like(0.0));
        let is_above = difference.lt(value.like(0.0)).when(decreasing, above);
        let newton = (-newton).when(decreasing, newton);
        let Some(bend) = bend else { return Step { is_above, newton, order: 2 } };
        let share = slope / value;
        let curvature = bend + share.when(decreasing, -share);
        let divisor = value.like(1.0) - newton * curvature * value.like(0.5);
        Step { is_above, newton: newton / divisor.max(value.like(0.5)).min(value.like(2.0)), order: 3 }
    }
}

/// The root in (low, high) of an increasing function, from `start` on.
pub(super) fn increasing_root<'b>(
    start: Var<'b>,
    low: Var<'b>,
    high: Var<'b>,
    at: impl FnOnce(Var<'b>) -> Step<'b>,
) -> Var<'b> {
    let builder = start.builder();
    let (zero, one, half, two) = (start.like(0.0), start.like(1.0), start.like(0.5), start.like(2.0));
    let inside = start.gt(low) & start.lt(high);
    let fallback = (low + one).when(high.gt(start.like(1e300)), half * (low + high));
    let x = builder.local(start.when(inside, fallback));
    let (left, right) = (builder.local(low), builder.local(high));
    let (n, moved, more) = (builder.local(zero), builder.local(start.like(f64::INFINITY)), builder.local(one));
    builder.repeat(
        || n.get().lt(start.like(STEPS)) & more.get().gt(zero),
        || {
            let point = x.get();
            let step = at(point);
            right.set(point.when(step.is_above, right.get()));
            left.set(left.get().when(step.is_above, point));
            let next = point - step.newton;
            let (lower, upper) = (left.get(), right.get());
            // Between numbers of one sign and different size the middle is that of their exponents.
            let far = lower.gt(zero) & upper.gt(lower * start.like(4.0));
            let middle = (lower.sqrt() * upper.min(start.like(1e300)).sqrt()).when(far, half * (lower + upper));
            let middle = (two * point.abs() + one).when(upper.gt(start.like(1e300)) & point.ge(zero), middle);
            let tiny = upper * start.like(1e-3);
            let middle = tiny.when(lower.eq(zero) & upper.lt(one) & upper.gt(zero), middle);
            let good = next.gt(lower) & next.lt(upper) | step.newton.eq(zero);
            let next = next.when(good, middle);
            // Steps shrink by their square or cube: what the next one would be, from this one and the one before. Those that
            // have become small and shrink no more are noise.
            let (size, before, reach) = (step.newton.abs(), moved.get(), next.abs());
            let shrunk = size / before;
            let second = before.lt(start.like(f64::INFINITY));
            let next_size = (0..step.order).fold(size, |size, _| size * shrunk);
            let arrived = next_size.le(reach * start.like(5e-17)) & shrunk.lt(start.like(0.1)) & second;
            let noise = size.le(reach * start.like(1e-10)) & shrunk.gt(start.like(0.25));
            let ended = good & (arrived | noise | size.le(reach * start.like(1.1e-16)));
            moved.set(size.when(good, start.like(f64::INFINITY)));
            more.set(zero.when(ended, one));
            x.set(next);
            n.set(n.get() + one);
        },
    );
    x.get()
}
