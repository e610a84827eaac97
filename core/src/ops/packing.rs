//! Truth values packed into bits, by the device's primitive.

use cuproxide_hal::DType;
use cuproxide_hal::libraries::Bits;

use crate::array::Array;
use crate::error::{Result, type_error};
use crate::layout::Order;
use crate::ops::copy::dense;

/// Packs the truth values along the last axis into bits of bytes; those that the last byte has left are 0. The first of eight is
/// the highest bit if `big`.
///
/// # Errors
/// `TypeError` for elements of more than a byte; unsupported where the device has no primitive for it.
pub fn pack(array: &Array, big: bool) -> Result<Array> {
    if array.dtype().size() != 1 {
        return type_error(format!("pack_bits: unsupported type {}", array.dtype()));
    }
    let length = array.shape().last().copied().unwrap_or(1);
    turned(array, length.div_ceil(8), big, true)
}

/// The first `length` bits of the bytes along the last axis, as bytes of 0 and 1; those beyond the bytes are 0.
///
/// # Errors
/// As for [`pack`].
pub fn unpack(array: &Array, length: usize, big: bool) -> Result<Array> {
    if array.dtype() != DType::U8 {
        return type_error(format!("unpack_bits: unsupported type {}", array.dtype()));
    }
    turned(array, length, big, false)
}

/// The array with its last axis turned into one of so many elements.
fn turned(array: &Array, last: usize, big: bool, packs: bool) -> Result<Array> {
    let mut shape = array.shape().to_vec();
    let before = shape.pop().unwrap_or(1);
    let rows = shape.iter().product();
    shape.push(last);
    let context = array.context();
    let out = Array::empty(context, DType::U8, &shape, Order::C)?;
    if out.size() == 0 {
        return Ok(out);
    }
    let packing = context.device().libraries().packing()?;
    let array = dense(array, false)?;
    let (from, to) = (array.read_ptr()?, out.ptr()?);
    // SAFETY: the rows are dense, and those of the result just made.
    context.queue(|stream| unsafe {
        if packs {
            packing.pack(stream, &Bits { rows, length: before, width: last, big, truths: from, bytes: to })
        } else {
            packing.unpack(stream, &Bits { rows, length: last, width: before, big, truths: to, bytes: from })
        }
    })?;
    Ok(out)
}
