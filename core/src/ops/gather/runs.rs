//! Writes through repeated indices in NumPy's order, for devices whose threads race.
//!
//! A stable sort by place makes the writes to one place a run, in the order of the indices. One thread goes through each
//! run, so that sums round as NumPy's do, and the last of several assigned values stays.

use cuproxide_hal::ir::{Atomic, Builder, Kernel, Mode as Use, Var};
use cuproxide_hal::{DType, Scalar};
use smallvec::SmallVec;

use super::{
    Mode, Selector, Types, Write, byte_offset, index_places, index_scalars, is_deterministic, launch_scatter, types_of,
};
use crate::array::Array;
use crate::dispatch::{self, Family, Place};
use crate::error::Result;
use crate::layout::{Order, Strides};
use crate::ops::copy::{astype, dense, reshape};
use crate::ops::creation::arange;
use crate::ops::selection::take;
use crate::ops::sorting::argsort;

/// The kernel of [`places`]: by the types of the indices, what becomes of those outside, and what they are written for.
static PLACES: Family<(Types, Mode, Write)> = Family::new(|(types, mode, write)| {
    let b = Builder::new(format!("places{}", types.len()));
    b.output(DType::I64, byte_offset(&b, types, *mode, write.fault()));
    b.finish_map()
});

/// The kernel of runs, by the type of the elements.
static RUNS: Family<(DType, Write)> = Family::new(|&(dtype, write)| runs_kernel(dtype, write));

/// Queues a write through indices: in order where the result depends on the order and the program asks for equal bits at
/// every call, else as [`launch_scatter`].
pub(crate) fn scatter(
    selectors: &[Selector<'_>],
    mode: Mode,
    shape: &[usize],
    value: &Array,
    target: Place,
    dtype: DType,
    write: Write,
) -> Result<()> {
    if write.depends_on_order(dtype) && is_deterministic() && !value.context().info().writes_in_order {
        return in_order(selectors, mode, shape, value, &target, dtype, write);
    }
    launch_scatter(selectors, mode, shape, value, target, dtype, write)
}

/// Queues what [`launch_scatter`] does, in order.
fn in_order(
    selectors: &[Selector<'_>],
    mode: Mode,
    shape: &[usize],
    value: &Array,
    target: &Place,
    dtype: DType,
    write: Write,
) -> Result<()> {
    if shape.contains(&0) {
        return Ok(());
    }
    let places = places(selectors, mode, shape, value, target, write)?;
    let order = argsort(&places, 0, None)?;
    let sorted = take(&places, &order, None, Mode::Clip)?;
    let values = value.broadcast_to(shape)?;
    let values = if values.dtype() == dtype { dense(&values, false)? } else { astype(&values, dtype, Order::C)? };
    let kernel = RUNS.kernel((dtype, write))?;
    let still = |ptr: u64| Place { ptr, strides: Strides::from_elem(0, 1) };
    let mut operands = [still(sorted.ptr()?), still(order.ptr()?), still(values.ptr()?), still(target.ptr)];
    let count = sorted.size();
    dispatch::launch_map(value.context(), kernel, &[count], &mut operands, &[Scalar::i64(count as i64)])
}

/// For each point of `shape`, in C order, the bytes from the target's origin to the place that is written.
fn places(
    selectors: &[Selector<'_>],
    mode: Mode,
    shape: &[usize],
    value: &Array,
    target: &Place,
    write: Write,
) -> Result<Array> {
    let context = value.context();
    // Axes that no index selects from are selected from by their own numbers.
    let kept: Vec<usize> = (0..shape.len()).filter(|&axis| shape[axis] > 1 && target.strides[axis] != 0).collect();
    let numbers = |axis: usize| arange(context, DType::I64, Scalar::i64(0), Scalar::i64(1), shape[axis]);
    let numbers = kept.iter().map(|&axis| numbers(axis)).collect::<Result<Vec<Array>>>()?;
    let along = |(&axis, indices)| {
        let mut strides = Strides::from_elem(0, shape.len());
        strides[axis] = DType::I64.size() as isize;
        Selector { indices, strides, length: shape[axis], stride: target.strides[axis] }
    };
    let given = selectors.iter().map(|selector| Selector { strides: selector.strides.clone(), ..*selector });
    let all: SmallVec<[Selector<'_>; 8]> = given.chain(kept.iter().zip(&numbers).map(along)).collect();
    let out = Array::empty(context, DType::I64, shape, Order::C)?;
    let kernel = PLACES.kernel((types_of(&all), mode, write))?;
    let mut operands = index_places(&all)?;
    operands.push(Place::of(&out)?);
    dispatch::launch_map(context, kernel, shape, &mut operands, &index_scalars(&all))?;
    reshape(&out, &[-1], Order::C)
}

/// Over the sorted places: the first point of a run combines all of it with the target; of assignments the last writes.
fn runs_kernel(dtype: DType, write: Write) -> Kernel {
    let b = Builder::new(format!("runs_{dtype}"));
    let (places, order) = (b.operand(DType::I64, Use::Read), b.operand(DType::I64, Use::Read));
    let (values, target) = (b.operand(dtype, Use::Read), b.operand(dtype, Use::Update));
    let length = b.scalar(DType::I64);
    let (zero, one) = (b.integer(DType::I64, 0), b.integer(DType::I64, 1));
    let (word, item) = (b.integer(DType::I64, 8), b.integer(DType::I64, dtype.size() as i128));
    let point = b.index();
    let place = |at: Var<'_>| b.load_at(places, at.max(zero).min(length - one) * word);
    let value = |at: Var<'_>| b.load_at(values, b.load_at(order, at * word) * item);
    let own = place(point);
    match write {
        Write::Replace => {
            let is_last = point.eq(length - one) | place(point + one).ne(own);
            b.branch(is_last, || b.store_at(target, own, value(point)), || {});
        }
        Write::Combine(op) => {
            let is_first = point.eq(zero) | place(point - one).ne(own);
            let combine = || {
                let (total, next) = (b.local(b.load_at(target, own)), b.local(point));
                b.repeat(
                    || next.get().lt(length) & place(next.get()).eq(own),
                    || {
                        total.set(combined(op, total.get(), value(next.get())));
                        next.set(next.get() + one);
                    },
                );
                b.store_at(target, own, total.get());
            };
            b.branch(is_first, combine, || {});
        }
    }
    b.finish_map()
}

fn combined<'b>(op: Atomic, total: Var<'b>, value: Var<'b>) -> Var<'b> {
    match op {
        Atomic::Add => total + value,
        Atomic::Min => total.min(value),
        Atomic::Max => total.max(value),
    }
}
