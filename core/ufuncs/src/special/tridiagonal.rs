//! Eigenvalues of symmetric tridiagonal matrices of bounded size, one matrix for each element: bisection by Sturm's counts
//! (Givens 1954) and Newton's rule, and the eigenvectors by continued fractions from both ends.

use cuproxide_hal::DType;
use cuproxide_hal::ir::{ArrayVar, Var};

/// The largest size of a matrix: that of the local arrays.
pub(super) const LARGEST: usize = 256;
/// Halvings of the bracket; after these no bracket of float64 numbers of one size is left.
const HALVINGS: f64 = 90.0;

/// A tridiagonal matrix in local memory, of which the first `length` rows count.
#[derive(Clone, Copy)]
pub(super) struct Tridiagonal<'b> {
    diagonal: ArrayVar<'b>,
    /// What element k is multiplied with towards row k - 1, times what that is multiplied with towards row k.
    squares: ArrayVar<'b>,
    length: Var<'b>,
}

fn index(k: Var<'_>) -> Var<'_> {
    k.cast(DType::I64)
}

impl<'b> Tridiagonal<'b> {
    /// The matrix whose row k has the given diagonal element and product of the elements beside it.
    pub(super) fn new(length: Var<'b>, row: impl FnOnce(Var<'b>) -> (Var<'b>, Var<'b>)) -> Tridiagonal<'b> {
        let builder = length.builder();
        let zero = length.like(0.0);
        let (diagonal, squares) = (builder.array(LARGEST, zero), builder.array(LARGEST, zero));
        let k = builder.local(zero);
        builder.repeat(
            || k.get().lt(length),
            || {
                let (element, square) = row(k.get());
                diagonal.set(index(k.get()), element);
                squares.set(index(k.get()), square);
                k.set(k.get() + length.like(1.0));
            },
        );
        Tridiagonal { diagonal, squares, length }
    }

    /// The eigenvalue that so many others are smaller than, between two numbers, from `start` on: by Newton's rule for the
    /// determinant where no other lies between, else by bisection.
    pub(super) fn eigenvalue(&self, smaller: Var<'b>, low: Var<'b>, high: Var<'b>, start: Var<'b>) -> Var<'b> {
        let builder = smaller.builder();
        let (zero, one, half) = (smaller.like(0.0), smaller.like(1.0), smaller.like(0.5));
        let (tiny, infinity) = (smaller.like(1e-290), smaller.like(f64::INFINITY));
        let (left, right, step) = (builder.local(low), builder.local(high), builder.local(zero));
        let inside = start.gt(low) & start.lt(high);
        let at = builder.local(start.when(inside, half * (low + high)));
        let (moved, newton_before) = (builder.local(infinity), builder.local(infinity));
        let more = builder.local(builder.boolean(true));
        builder.repeat(
            || more.get() & step.get().lt(smaller.like(HALVINGS)),
            || {
                let here = at.get();
                let (k, inverse, count) = (builder.local(zero), builder.local(one), builder.local(zero));
                // The logarithmic derivatives of the pivots, and of the determinant.
                let (change, sum) = (builder.local(zero), builder.local(zero));
                builder.repeat(
                    || k.get().lt(self.length),
                    || {
                        let row = index(k.get());
                        let part = self.squares.get(row) * inverse.get();
                        let pivot = self.diagonal.get(row) - here - part;
                        // A pivot of 0 is an eigenvalue where the matrix falls apart, else the sum tells nothing.
                        let coupled = self.squares.get(index(k.get() + one)).ne(zero);
                        let unknown = pivot.eq(zero) & coupled;
                        let pivot = (-tiny).when(pivot.eq(zero), pivot);
                        count.set(count.get() + one.when(pivot.lt(zero), zero));
                        inverse.set(one / pivot);
                        change.set((part * change.get() - one) * inverse.get());
                        sum.set(smaller.like(f64::NAN).when(unknown, sum.get() + change.get()));
                        k.set(k.get() + one);
                    },
                );
                let above = count.get().gt(smaller);
                right.set(here.when(above, right.get()));
                left.set(left.get().when(above, here));
                // Then it is the next one, below or above, and the bracket says which.
                let alone = count.get().eq(smaller) | count.get().eq(smaller + one);
                let newton = one / sum.get();
                let (size, next) = (newton.abs(), here - newton);
                let good = alone & next.gt(left.get()) & next.lt(right.get()) & size.lt(half * moved.get());
                let middle = half * (left.get() + right.get());
                let near = alone & size.le(here.abs() * smaller.like(1e-15));
                let next = next.when(good | near, middle);
                // Newton's steps shrink by their square; small ones that shrink no more are noise.
                let (shrunk, reach) = (size / newton_before.get(), next.abs());
                let arrived = (size * shrunk * shrunk).le(reach * smaller.like(2e-17)) & shrunk.lt(smaller.like(0.1));
                let arrived =
                    good & arrived & newton_before.get().lt(infinity) | good & size.le(reach * smaller.like(2e-16));
                // Beside the eigenvalue the step's sign is noise.
                let arrived = arrived | near;
                let closed = !good & !(middle.gt(left.get()) & middle.lt(right.get()));
                newton_before.set(size.when(good, infinity));
                moved.set((next - here).abs());
                more.set(!(arrived | closed));
                at.set(next);
                step.set(step.get() + one);
            },
        );
        at.get()
    }

    /// Where the eigenvector is large: the row whose pivot from both ends is the smallest.
    pub(super) fn centre(&self, value: Var<'b>) -> Var<'b> {
        let builder = value.builder();
        let (zero, one, tiny) = (value.like(0.0), value.like(1.0), value.like(1e-290));
        let away = |x: Var<'b>| tiny.when(x.eq(zero), x);
        let forward = builder.array(LARGEST, zero);
        let (k, before) = (builder.local(zero), builder.local(zero));
        builder.repeat(
            || k.get().lt(self.length),
            || {
                let here = index(k.get());
                forward.set(here, before.get());
                let pivot = away(value - self.diagonal.get(here) - before.get());
                before.set(self.squares.get(index(k.get() + one)) / pivot);
                k.set(k.get() + one);
            },
        );
        let (best, least) = (builder.local(zero), builder.local(value.like(f64::INFINITY)));
        k.set(self.length - one);
        before.set(zero);
        builder.repeat(
            || k.get().ge(zero),
            || {
                let here = index(k.get());
                let rest = value - self.diagonal.get(here) - before.get();
                let both = (rest - forward.get(here)).abs();
                let better = both.lt(least.get());
                best.set(k.get().when(better, best.get()));
                least.set(both.when(better, least.get()));
                before.set(self.squares.get(here) / away(rest));
                k.set(k.get() - one);
            },
        );
        best.get()
    }

    /// The ratios of neighbouring elements of the eigenvector, scaled by the roots of the products: below `centre` that of
    /// element k to k + 1, above it that of element k to k - 1. They replace the products.
    pub(super) fn ratios(self, value: Var<'b>, centre: Var<'b>) -> Ratios<'b> {
        let builder = value.builder();
        let (zero, one) = (value.like(0.0), value.like(1.0));
        let tiny = value.like(1e-290);
        let away = |x: Var<'b>| tiny.when(x.eq(zero), x);
        let result = builder.array(LARGEST, zero);
        let (k, before) = (builder.local(zero), builder.local(zero));
        // Pivots from the first row on, and from the last one.
        builder.repeat(
            || k.get().lt(centre),
            || {
                let here = index(k.get());
                let pivot = away(value - self.diagonal.get(here) - before.get());
                result.set(here, one / pivot);
                before.set(self.squares.get(index(k.get() + one)) / pivot);
                k.set(k.get() + one);
            },
        );
        k.set(self.length - one);
        before.set(zero);
        builder.repeat(
            || k.get().gt(centre),
            || {
                let here = index(k.get());
                let pivot = away(value - self.diagonal.get(here) - before.get());
                result.set(here, one / pivot);
                before.set(self.squares.get(here) / pivot);
                k.set(k.get() - one);
            },
        );
        Ratios { values: result, centre, length: self.length }
    }
}

/// An eigenvector as the inverses of the pivots on both sides of its centre. With b_k what an equation multiplies its
/// neighbour with, element k is b_k times its inverse times the neighbour nearer to the centre.
#[derive(Clone, Copy)]
pub(super) struct Ratios<'b> {
    values: ArrayVar<'b>,
    centre: Var<'b>,
    length: Var<'b>,
}

impl<'b> Ratios<'b> {
    /// Calls `visit` with k and element k, which is 1 at the centre: downwards from there, then upwards. `lower` and `upper`
    /// give what row k multiplies element k + 1 and element k - 1 with.
    pub(super) fn visit(
        &self,
        lower: impl Fn(Var<'b>) -> Var<'b>,
        upper: impl Fn(Var<'b>) -> Var<'b>,
        visit: impl Fn(Var<'b>, Var<'b>),
    ) {
        let builder = self.centre.builder();
        let (zero, one) = (self.centre.like(0.0), self.centre.like(1.0));
        let (k, element, step) = (builder.local(self.centre), builder.local(one), builder.local(-one));
        // One loop for both directions, so that the body is there once.
        builder.repeat(
            || k.get().lt(self.length),
            || {
                let at = k.get();
                let here = self.values.get(index(at));
                let factor = lower(at).when(step.get().lt(zero), upper(at)) * here;
                element.set(one.when(at.eq(self.centre), element.get() * factor));
                visit(at, element.get());
                let next = at + step.get();
                let turned = next.lt(zero);
                let start = self.centre + one;
                step.set(one.when(turned, step.get()));
                element.set(one.when(turned, element.get()));
                k.set(start.when(turned, next));
            },
        );
    }
}
