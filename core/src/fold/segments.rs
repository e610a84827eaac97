//! Builds the kernels that reduce ranges of an axis.

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Body, Builder, Kernel, Mode, OperandVar, Segments, Var};

use super::kernel::{Element, Key, fold, name};
use crate::dispatch::Family;

/// The kernel that folds, for each outer point, the range from a position to the next one, or the one element at the
/// position if the next one is not after it.
///
/// Its operands are the positions, the next positions (both int64), the input over the inner space, and the output.
pub(crate) static SEGMENTS: Family<Key> = Family::new(segments_kernel);

/// The same from left to right, for ufuncs that are not reorderable. It is a map over the outer space; the input lies at
/// the origin of the axis, whose stride is the launch scalar.
pub(crate) static ORDERED_SEGMENTS: Family<Key> = Family::new(ordered_segments_kernel);

/// The bounds of NumPy's ranges at the current point.
fn range<'b>(b: &'b Builder, [position, next]: [OperandVar; 2]) -> [Var<'b>; 2] {
    let (begin, end) = (b.load(position), b.load(next));
    [begin, end.when(end.gt(begin), begin + b.integer(DType::I64, 1))]
}

fn declare(b: &Builder, key: &Key) -> ([OperandVar; 2], OperandVar, OperandVar) {
    let bounds = [0; 2].map(|_| b.operand(DType::I64, Mode::Read));
    (bounds, b.operand(key.plan.input, Mode::Read), b.operand(key.stored, Mode::Write))
}

fn segments_kernel(key: &Key) -> Kernel {
    let Key { plan, stored, options } = key;
    let b = Builder::new(name("segments_", plan, &[*stored], *options));
    let (bounds, input, output) = declare(&b, key);
    let range = b.lambda(&[], |_| range(&b, bounds).to_vec());
    let load = || Element { value: b.load(input), mask: None };
    // No range is empty, so the neutral element is that of a scan, which leaves a first element as it is.
    let fold = fold(&b, plan, *options, true, load, |results| b.store(output, results[0].cast(*stored)));
    b.finish(Body::Segments(Segments { range, fold }))
}

fn ordered_segments_kernel(key: &Key) -> Kernel {
    let Key { plan, stored, options } = key;
    let b = Builder::new(name("ordered_segments_", plan, &[*stored], *options));
    let (bounds, input, output) = declare(&b, key);
    let stride = b.scalar(DType::I64);
    let [begin, end] = range(&b, bounds);
    let load = |position: Var<'_>| b.load_at(input, b.var((b.var(position.id()) * stride).id())).cast(plan.value);
    let (accumulator, position) = (b.local(load(begin)), b.local(begin + b.integer(DType::I64, 1)));
    b.repeat(
        || position.get().lt(end),
        || {
            let current = position.get();
            accumulator.set(plan.step(accumulator.get(), load(current)));
            position.set(current + b.integer(DType::I64, 1));
        },
    );
    b.store(output, accumulator.get().cast(*stored));
    b.finish_map()
}
