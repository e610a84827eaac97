//! Reductions of ranges of an axis.

use cuproxide_hal::{DType, Scalar};
use smallvec::SmallVec;

use crate::array::{Array, Slice, common_context};
use crate::dispatch::{self, Place};
use crate::error::{Result, value_error};
use crate::fold::{self, Options};
use crate::layout::{Dims, Order, Strides, normalize_axis, result_layout};
use crate::ops::copy::{aligned, assign, fill};
use crate::promotion::Casting;
use crate::ufunc::Ufunc;

/// `ufunc.reduceat`: reduces `array[starts[i]:starts[i + 1]]` along an axis, or takes `array[starts[i]]` where that is
/// empty; the last range goes to the end. `starts` is a one-dimensional int64 array of positions on the axis, which are
/// not checked. Two launches for the bounds and one for all ranges.
///
/// # Errors
/// `ValueError` for ufuncs that are not binary and for other kinds of `starts`; those of types as `ufunc.reduce`.
pub fn reduceat(
    ufunc: &'static Ufunc,
    array: &Array,
    starts: &Array,
    axis: isize,
    dtype: Option<DType>,
) -> Result<Array> {
    let context = common_context("reduceat", [array, starts].into_iter())?.expect("two arrays").clone();
    let axis = normalize_axis(axis, array.ndim())?;
    let Some(row) = fold::of_ufunc(ufunc.id).filter(|_| ufunc.nin == 2 && ufunc.nout == 1) else {
        return value_error("reduceat only supported for binary functions");
    };
    if starts.dtype() != DType::I64 || starts.ndim() != 1 {
        return value_error("reduceat: the starts must be a one-dimensional array of int64");
    }
    let plan = row.plan(array.dtype(), dtype)?;
    let mut shape = Dims::from_slice(array.shape());
    shape[axis] = starts.size();
    // In memory as an elementwise result of the array, repeated along the axis.
    let row_of_axis = Slice { start: 0, step: 1, length: array.shape()[axis].min(1) };
    let output = plan.outputs[0];
    let layout = if array.layout().c_contiguous || row_of_axis.length == 0 {
        result_layout(&shape, output.size(), Order::C, std::iter::empty())
    } else {
        let repeated = array.slice_axis(axis, row_of_axis).broadcast_to(&shape)?;
        result_layout(
            &shape,
            output.size(),
            Order::of_results(),
            std::iter::once((repeated.layout(), repeated.strides())),
        )
    };
    let target = Array::with_layout(&context, output, layout)?;
    if target.size() == 0 {
        return Ok(target);
    }
    let bounds = Array::empty(&context, DType::I64, &[starts.size() + 1], Order::C)?;
    let part = |start: usize, length: usize| bounds.slice_axis(0, Slice { start: start as isize, step: 1, length });
    assign(&part(0, starts.size()), starts, Casting::No, None)?;
    fill(&part(starts.size(), 1), Scalar::i64(array.shape()[axis] as i64))?;

    let divisible = row.is_divisible(plan);
    let key = fold::Key { plan: plan.clone(), stored: output, options: Options::default() };
    let input = if divisible { array.clone() } else { aligned(array)? };
    // Over the shape of the result, then along the axis.
    let place = |ptr: u64, mut strides: Strides, along: isize| {
        strides.push(along);
        Place { ptr, strides }
    };
    let mut across: Strides = SmallVec::from_elem(0, shape.len());
    across[axis] = 8;
    let mut kept = Strides::from_slice(input.strides());
    let stride = std::mem::take(&mut kept[axis]);
    let first = bounds.read_ptr()?;
    let mut places = [
        place(first, across.clone(), 0),
        place(first + 8, across, 0),
        place(input.read_ptr()?, kept, stride),
        place(target.ptr()?, Strides::from_slice(target.strides()), 0),
    ];
    if divisible {
        let kernel = fold::SEGMENTS.kernel(key)?;
        dispatch::launch(&context, kernel, &shape, &[input.shape()[axis]], &mut places, &[])?;
    } else {
        let kernel = fold::ORDERED_SEGMENTS.kernel(key)?;
        places.iter_mut().for_each(|place| _ = place.strides.pop());
        dispatch::launch_map(&context, kernel, &shape, &mut places, &[Scalar::i64(stride as i64)])?;
    }
    Ok(target)
}
