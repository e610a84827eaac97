//! Loops that take the place of compiled folds and of compiled maps of one operation, whose vectors have 128 bits: the Rust
//! compiler makes vectors of them as wide as the processor has them.

mod columns;
mod extrema;
pub mod gathers;
pub mod lanes;
mod loops;
pub mod maps;
mod moments;
pub mod packing;
pub mod strips;
mod sums;
mod trial;
mod truth;

use cuproxide_hal::Access;
use cuproxide_hal::ir::{Fold, Kernel, Op, Stmt};

pub use loops::{defined, neutral};

use super::Entry;

/// A loop that extends the accumulators of a fold.
#[derive(Clone, Copy)]
pub struct Ready {
    /// The loop.
    pub entry: Entry,
    /// Whether its results do not depend on how elements are grouped.
    pub any_groups: bool,
    /// A loop that folds a line from no accumulators, in chunks that it joins in a tree.
    pub tree: Option<Entry>,
    /// The truth value that ends the search, if the loop looks for the first element that has it.
    pub ends_at: Option<bool>,
}

impl Ready {
    /// A loop whose results depend on how elements are grouped.
    fn grouped(entry: Entry) -> Ready {
        Ready { entry, any_groups: false, tree: None, ends_at: None }
    }
}

/// The loop that extends the accumulators of a legalised fold, if there is one for what it does with the elements of
/// operand 0, which lie in rows without gaps. In `lanes` the fold's order is that of lanes.
pub fn find(kernel: &Kernel, fold: &Fold, inner: &[Access], lanes: bool) -> Option<Ready> {
    if inner[0] != Access::Unit || !reads_elements(kernel, &fold.map.body) {
        return None;
    }
    if let Some(entry) = extrema::find(kernel, fold).or_else(|| truth::find(kernel, fold)) {
        return Some(Ready { entry, any_groups: true, tree: None, ends_at: truth::ends_at(kernel, fold) });
    }
    if lanes && let Some((entry, tree)) = sums::find(kernel, fold) {
        return Some(Ready { tree: Some(tree), ..Ready::grouped(entry) });
    }
    moments::find(kernel, fold, false).map(Ready::grouped)
}

/// The same for elements of operand 0 that belong to neighbouring accumulators.
pub fn find_columns(kernel: &Kernel, fold: &Fold, outer: &[Access]) -> Option<Ready> {
    if outer[0] != Access::Unit || !reads_elements(kernel, &fold.map.body) {
        return None;
    }
    columns::find(kernel, fold).or_else(|| moments::find(kernel, fold, true)).map(Ready::grouped)
}

/// Whether a block reads the whole element of operand 0 once, nothing else, and only computes.
fn reads_elements(kernel: &Kernel, block: &[Stmt]) -> bool {
    let mut loads = 0;
    block.iter().all(|statement| match *statement {
        Stmt::Let(_, Op::Load { operand, offset, lane }) => {
            loads += 1;
            loads == 1 && operand == 0 && offset.is_none() && lane == 0
        }
        Stmt::Let(..) => true,
        _ => false,
    }) && loads == 1
        && kernel.operands[0].dtype.lanes() == 1
}

#[cfg(test)]
mod tests {
    use cuproxide_hal::DType;
    use cuproxide_hal::ir::{Body, Builder, LegalizeOptions, Mode, Var, legalize};

    use super::*;

    type Combine = for<'b> fn(&[Var<'b>]) -> Vec<Var<'b>>;

    /// Whether there is a loop for the fold of dense float32 by `combine`, from `start` on.
    fn found(start: f64, located: bool, combine: Combine) -> bool {
        let b = Builder::new("fold");
        let (input, output) = (b.operand(DType::F32, Mode::Read), b.operand(DType::F32, Mode::Write));
        let types: &[DType] = if located { &[DType::F32, DType::I64] } else { &[DType::F32] };
        fn pair<'b>(value: Var<'b>, place: Option<Var<'b>>) -> Vec<Var<'b>> {
            std::iter::once(value).chain(place).collect()
        }
        let identity =
            b.lambda(&[], |_| pair(b.real(DType::F32, start), located.then(|| b.integer(DType::I64, i64::MAX.into()))));
        let map = b.lambda(&[], |_| pair(b.load(input), located.then(|| b.index())));
        let combine = b.lambda(&[types, types].concat(), combine);
        let finish = b.lambda(types, |values| {
            b.store(output, values[0]);
            vec![]
        });
        recognised(&b.finish(Body::Reduce(Fold { identity, map, combine, finish })))
    }

    fn recognised(kernel: &Kernel) -> bool {
        let kernel = legalize(kernel, LegalizeOptions::default());
        let Body::Reduce(fold) = &kernel.body else { unreachable!("the kernel is a reduction") };
        find(&kernel, fold, &[Access::Unit, Access::Broadcast], true).is_some()
    }

    /// The larger of two, or the one that is not NaN.
    fn larger_number<'b>(p: &[Var<'b>]) -> Vec<Var<'b>> {
        let (x, y) = (p[0], p[1]);
        vec![y.when(x.is_nan(), x.when(y.is_nan(), x.max(y)))]
    }

    fn first_largest<'b>(p: &[Var<'b>]) -> Vec<Var<'b>> {
        let tied = (p[2].eq(p[0]) | (p[2].is_nan() & p[0].is_nan())) & p[3].lt(p[1]);
        let take = p[2].gt(p[0]) | tied | (p[2].is_nan() & !p[0].is_nan());
        vec![p[2].when(take, p[0]), p[3].when(take, p[1])]
    }

    #[test]
    fn extrema_are_recognised() {
        let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
        assert!(found(low, false, |p| vec![p[0].max(p[1])]));
        assert!(found(high, false, |p| vec![p[0].min(p[1])]));
        assert!(found(low, true, first_largest));
        assert!(found(f64::NAN, false, larger_number));
        assert!(found(f64::NAN, false, |p| vec![
            p[0].min(p[1]).when(!p[1].is_nan() & !p[0].is_nan(), p[1].when(p[0].is_nan(), p[0]))
        ]));
    }

    /// Whether there is a loop for the fold of dense elements, cast to `total`, by `combine`.
    fn folded(dtype: DType, total: DType, start: i128, combine: Combine) -> bool {
        let b = Builder::new("fold");
        let (input, output) = (b.operand(dtype, Mode::Read), b.operand(total, Mode::Write));
        let identity = b.lambda(&[], |_| vec![b.integer(total, start)]);
        let map = b.lambda(&[], |_| vec![b.load(input).cast(total)]);
        let combine = b.lambda(&[total, total], combine);
        let finish = b.lambda(&[total], |p| {
            b.store(output, p[0]);
            vec![]
        });
        recognised(&b.finish(Body::Reduce(Fold { identity, map, combine, finish })))
    }

    #[test]
    fn counts_are_recognised() {
        let count = |dtype, total| folded(dtype, total, 0, |p| vec![p[0] + p[1]]);
        assert!(count(DType::Bool, DType::I64));
        assert!(count(DType::Bool, DType::U64));
        assert!(!count(DType::Bool, DType::I32));
        assert!(!count(DType::U8, DType::I64));
    }

    #[test]
    fn first_true_element_is_recognised() {
        let located = |largest: bool, combine: Combine| {
            let b = Builder::new("fold");
            let (input, output) = (b.operand(DType::Bool, Mode::Read), b.operand(DType::I64, Mode::Write));
            let types = [DType::Bool, DType::I64];
            let identity = b.lambda(&[], |_| {
                vec![b.integer(DType::Bool, i128::from(!largest)), b.integer(DType::I64, i64::MAX.into())]
            });
            let map = b.lambda(&[], |_| vec![b.load(input), b.index()]);
            let combine = b.lambda(&[types, types].concat(), combine);
            let finish = b.lambda(&types, |values| {
                b.store(output, values[1]);
                vec![]
            });
            recognised(&b.finish(Body::Reduce(Fold { identity, map, combine, finish })))
        };
        fn last_largest<'b>(p: &[Var<'b>]) -> Vec<Var<'b>> {
            let take = p[2].ge(p[0]);
            vec![p[2].when(take, p[0]), p[3].when(take, p[1])]
        }
        fn first<'b>(p: &[Var<'b>]) -> Vec<Var<'b>> {
            let take = p[2].gt(p[0]) | (p[2].eq(p[0]) & p[3].lt(p[1]));
            vec![p[2].when(take, p[0]), p[3].when(take, p[1])]
        }
        assert!(located(true, first));
        assert!(!located(false, first));
        assert!(!located(true, last_largest));
    }

    /// Whether there is a loop for the sum of what `term` makes of dense elements, from `start` on.
    fn summed(dtype: DType, start: f64, term: for<'b> fn(Var<'b>) -> Var<'b>) -> bool {
        let b = Builder::new("sum");
        let (input, output) = (b.operand(dtype, Mode::Read), b.operand(DType::F64, Mode::Write));
        let identity = b.lambda(&[], |_| vec![b.real(DType::F64, start)]);
        let map = b.lambda(&[], |_| vec![term(b.load(input))]);
        let combine = b.lambda(&[DType::F64; 2], |p: &[Var<'_>]| vec![p[0] + p[1]]);
        let finish = b.lambda(&[DType::F64], |p| {
            b.store(output, p[0]);
            vec![]
        });
        recognised(&b.finish(Body::Reduce(Fold { identity, map, combine, finish })))
    }

    #[test]
    fn sums_are_recognised() {
        for dtype in [DType::F32, DType::F64] {
            assert!(summed(dtype, 0.0, |x| x.cast(DType::F64)));
            assert!(summed(dtype, 0.0, |x| x.cast(DType::F64) * x.cast(DType::F64)));
            assert!(!summed(dtype, -0.0, |x| x.cast(DType::F64)));
            assert!(!summed(dtype, 0.0, |x| x.cast(DType::F64).abs()));
        }
        assert!(!summed(DType::F32, 0.0, |x| (x * x).cast(DType::F64)));
        assert!(!summed(DType::I32, 0.0, |x| x.cast(DType::F64)));
    }

    #[test]
    fn questions_are_recognised() {
        for dtype in [DType::Bool, DType::I16, DType::F64] {
            assert!(folded(dtype, DType::Bool, 0, |p| vec![p[0] | p[1]]));
            assert!(folded(dtype, DType::Bool, 1, |p| vec![p[0] & p[1]]));
            assert!(!folded(dtype, DType::Bool, 1, |p| vec![p[0] | p[1]]));
            assert!(!folded(dtype, DType::Bool, 0, |p| vec![p[0] ^ p[1]]));
        }
        assert!(!folded(DType::F16, DType::Bool, 0, |p| vec![p[0] | p[1]]));
    }

    #[test]
    fn other_folds_are_not() {
        let low = f64::NEG_INFINITY;
        // A sum of float32 that is no float64.
        assert!(!found(0.0, false, |p| vec![p[0] + p[1]]));
        // Not from the identity of the operator.
        assert!(!found(0.0, false, |p| vec![p[0].max(p[1])]));
        assert!(!found(0.0, true, first_largest));
        assert!(!found(low, false, larger_number));
        assert!(!found(f64::NAN, false, |p| vec![p[0].max(p[1])]));
        // The last of equals, and NaN as any other number.
        assert!(!found(low, true, |p| {
            let take = p[2].ge(p[0]) | (p[2].is_nan() & !p[0].is_nan());
            vec![p[2].when(take, p[0]), p[3].when(take, p[1])]
        }));
        assert!(!found(low, true, |p| {
            let take = p[2].gt(p[0]) | (p[2].eq(p[0]) & p[3].lt(p[1]));
            vec![p[2].when(take, p[0]), p[3].when(take, p[1])]
        }));
    }
}
