//! Selecting by flags and of sorted elements, on devices that have primitives for it.

use cuproxide_hal::DType;
use cuproxide_hal::libraries::{Compaction, Select, Sorted};

use crate::array::Array;
use crate::error::Result;
use crate::layout::Order;
use crate::ops::copy::{astype, dense};
use crate::ops::transfer::item;

/// What flags are aligned to, see [`Select::flags`].
const ALIGNMENT: u64 = 16;

/// The elements of `array` where `mask`, of the same shape, is true, in C order. Synchronises.
///
/// `None` where the device has no such primitive.
pub(crate) fn elements(array: &Array, mask: &Array) -> Result<Option<Array>> {
    if array.itemsize() > 16 {
        return Ok(None);
    }
    let Some(compaction) = array.context().device().libraries().compaction.find()? else { return Ok(None) };
    let array = dense(array, false)?;
    run(compaction, &flags(mask)?, array.dtype(), Some(&array)).map(Some)
}

/// The positions in C order of the elements that are not zero, int64. Synchronises.
///
/// `None` where the device has no such primitive.
pub(crate) fn positions(array: &Array) -> Result<Option<Array>> {
    let Some(compaction) = array.context().device().libraries().compaction.find()? else { return Ok(None) };
    run(compaction, &flags(array)?, DType::I64, None).map(Some)
}

/// The first ones of equal neighbours in a sorted line of real elements, NaN being equal to NaN with `equal_nan`.
/// Synchronises.
///
/// `None` where the device has no such primitive, and for other arrays.
///
/// # Errors
/// Those of the device.
pub fn distinct(sorted: &Array, equal_nan: bool) -> Result<Option<Array>> {
    let (context, count, dtype) = (sorted.context(), sorted.size(), sorted.dtype());
    let Some(distinct) = context.device().libraries().distinct.find()? else { return Ok(None) };
    if count == 0 || sorted.ndim() != 1 || !sorted.layout().c_contiguous || dtype.is_complex() {
        return Ok(None);
    }
    let mut request = Sorted { dtype, ptr: sorted.ptr()?, count, equal_nan, scratch: 0 };
    if !request.ptr.is_multiple_of(ALIGNMENT) {
        return Ok(None);
    }
    let total = Array::empty(context, DType::I64, &[], Order::C)?;
    let sum = total.ptr()?;
    let scratch = context.allocate(distinct.scratch_bytes(&request))?;
    request.scratch = scratch.ptr;
    // SAFETY: the elements are contiguous, aligned and of this number; the scratch memory is as large as asked for.
    context.queue(|stream| unsafe { distinct.count(stream, &request, sum) })?;
    let out = Array::empty(context, dtype, &[item(&total)?.to_integer() as usize], Order::C)?;
    let target = out.ptr()?;
    // SAFETY: the result has room for those that were counted.
    context.queue(|stream| unsafe { distinct.write(stream, &request, target) })?;
    Ok(Some(out))
}

/// Whether elements are not zero, contiguous and aligned.
fn flags(array: &Array) -> Result<Array> {
    let ready = array.dtype() == DType::Bool && array.layout().c_contiguous;
    if ready && array.ptr()? % ALIGNMENT == 0 { Ok(array.clone()) } else { astype(array, DType::Bool, Order::C) }
}

fn run(compaction: &dyn Compaction, flags: &Array, dtype: DType, items: Option<&Array>) -> Result<Array> {
    let (context, count) = (flags.context(), flags.size());
    if count == 0 {
        return Array::empty(context, dtype, &[0], Order::C);
    }
    let total = Array::empty(context, DType::I64, &[], Order::C)?;
    let scratch = context.allocate(compaction.scratch_bytes(count))?;
    let (ptr, sum) = (flags.read_ptr()?, total.ptr()?);
    // SAFETY: the flags are contiguous, aligned and of this number; the scratch memory is as large as asked for.
    context.queue(|stream| unsafe { compaction.count(stream, ptr, count, scratch.ptr, sum) })?;
    let selected = item(&total)?.to_integer() as usize;
    let out = Array::empty(context, dtype, &[selected], Order::C)?;
    if selected > 0 {
        let items = items.map_or(Ok(0), Array::read_ptr)?;
        let select = Select { flags: ptr, count, items, size: dtype.size(), out: out.ptr()?, scratch: scratch.ptr };
        // SAFETY: the items are contiguous and as many as the flags; the result has room for those that were counted.
        context.queue(|stream| unsafe { compaction.write(stream, &select) })?;
    }
    Ok(out)
}
