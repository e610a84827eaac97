//! Joining arrays.

use cuproxide_hal::DType;
use cuproxide_hal::libraries::Piece;
use smallvec::SmallVec;

use crate::array::{Array, Slice, common_context};
use crate::context::Context;
use crate::error::{Error, Result, value_error};
use crate::layout::{Dims, Order, normalize_axis, show_shape};
use crate::ops::copy::{assign, reshape};
use crate::promotion::{Casting, Operand, result_type};
use crate::trace;

/// `numpy.concatenate`: joins along an axis, or flattened if `axis` is `None`.
///
/// # Errors
/// `ValueError` if the shapes do not fit, `TypeError` if the casting rule forbids writing to `out` or `dtype`.
pub fn concatenate(
    arrays: &[Array],
    axis: Option<isize>,
    dtype: Option<DType>,
    out: Option<&Array>,
    casting: Casting,
) -> Result<Array> {
    let Some(first) = arrays.first() else { return value_error("need at least one array to concatenate") };
    let context = common_context("concatenate", arrays.iter().chain(out))?.cloned();
    let context = context.map_or_else(Context::current, Ok)?;
    let flattened: Vec<Array>;
    let (arrays, axis) = match axis {
        Some(axis) => {
            if first.ndim() == 0 {
                return value_error("zero-dimensional arrays cannot be concatenated");
            }
            (arrays, normalize_axis(axis, first.ndim())?)
        }
        None => {
            flattened = arrays.iter().map(|a| reshape(a, &[-1], Order::C)).collect::<Result<_>>()?;
            (flattened.as_slice(), 0)
        }
    };
    let first = &arrays[0];
    let mut shape = Dims::from_slice(first.shape());
    shape[axis] = 0;
    for (position, array) in arrays.iter().enumerate() {
        if array.ndim() != first.ndim() {
            return value_error(format!(
                "all the input arrays must have same number of dimensions, but the array at index 0 has {} \
                 dimension(s) and the array at index {position} has {} dimension(s)",
                first.ndim(),
                array.ndim()
            ));
        }
        let differs = (0..first.ndim()).find(|&a| a != axis && array.shape()[a] != first.shape()[a]);
        if let Some(a) = differs {
            return value_error(format!(
                "all the input array dimensions except for the concatenation axis must match exactly, but along \
                 dimension {a}, the array at index 0 has size {} and the array at index {position} has size {}",
                first.shape()[a],
                array.shape()[a]
            ));
        }
        shape[axis] += array.shape()[axis];
    }
    let is_new = out.is_none();
    let out = match out {
        Some(out) => {
            if out.shape() != shape.as_slice() {
                return value_error(format!(
                    "Output array is the wrong shape: {} instead of {}",
                    show_shape(out.shape()),
                    show_shape(&shape)
                ));
            }
            out.clone()
        }
        None => {
            let dtype = dtype.unwrap_or_else(|| joined_type(arrays));
            match Order::of_results() {
                Order::K if shape.len() > 1 => Array::in_memory_order(&context, dtype, &shape, &joined_order(arrays))?,
                Order::K => Array::empty(&context, dtype, &shape, Order::C)?,
                order => Array::empty(&context, dtype, &shape, order)?,
            }
        }
    };
    if join_at_once(arrays, axis, &out, is_new)? {
        return Ok(out);
    }
    if out.layout().f_contiguous && arrays.iter().all(|array| array.layout().f_contiguous) {
        let reversed: Vec<Array> = arrays.iter().map(Array::reversed_axes).collect();
        if join_at_once(&reversed, out.ndim() - 1 - axis, &out.reversed_axes(), is_new)? {
            return Ok(out);
        }
    }
    let mut start = 0;
    for array in arrays {
        let length = array.shape()[axis];
        let piece = out.slice_axis(axis, Slice { start: start as isize, step: 1, length });
        assign(&piece, array, casting, None).map_err(|error| match error {
            Error::Casting(message) => Error::Type(message),
            other => other,
        })?;
        start += length;
    }
    Ok(out)
}

/// The type that the arrays promote to.
fn joined_type(arrays: &[Array]) -> DType {
    let first = arrays[0].dtype();
    if arrays.iter().all(|array| array.dtype() == first) {
        return first;
    }
    let operands: Vec<Operand> = arrays.iter().map(|array| Operand::Strong(array.dtype())).collect();
    result_type(&operands)
}

/// Axes from fastest to slowest as in what NumPy joins `arrays` to: by their strides from the slowest on, where axes of
/// length 1 stay before those that they cannot be compared with.
fn joined_order(arrays: &[Array]) -> Dims {
    let ndim = arrays[0].ndim();
    let mut order: Dims = (0..ndim).collect();
    for position in 1..ndim {
        let mut target = position;
        for candidate in (0..position).rev() {
            let (here, there) = (order[position], order[candidate]);
            let told = arrays.iter().filter(|array| array.shape()[here] != 1 && array.shape()[there] != 1);
            let mut further = told.map(|array| array.strides()[here].abs() > array.strides()[there].abs());
            match further.next() {
                // One array that has them in C order decides.
                Some(first) if first && further.all(|further| further) => target = candidate,
                Some(_) => break,
                None => {}
            }
        }
        let axis = order.remove(position);
        order.insert(target, axis);
    }
    order.reverse();
    order
}

/// Joins contiguous arrays of one type by the device's primitive; whether that was possible. `is_new` says that no array shares
/// memory with the result.
fn join_at_once(arrays: &[Array], axis: usize, out: &Array, is_new: bool) -> Result<bool> {
    let fits = |array: &Array| {
        array.dtype() == out.dtype()
            && array.layout().c_contiguous
            && (is_new || array.size() == 0 || !array.may_share_memory(out))
    };
    if out.size() == 0 || !out.layout().c_contiguous || !arrays.iter().all(fits) {
        return Ok(false);
    }
    let context = out.context();
    let Some(joining) = context.below().libraries().joining.find()? else { return Ok(false) };
    let rows: usize = out.shape()[..axis].iter().product();
    let mut pieces: SmallVec<[Piece; 4]> = SmallVec::new();
    for array in arrays.iter().filter(|array| array.size() > 0) {
        pieces.push(Piece { ptr: array.read_ptr()?, width: array.nbytes() / rows });
    }
    let target = out.ptr()?;
    let bytes = joining.scratch_bytes(pieces.len());
    let held = if bytes > 0 { Some(context.allocate(bytes)?) } else { None };
    let scratch = held.as_ref().map_or(0, |block| block.ptr);
    // SAFETY: pieces and result are contiguous, of one type and shape but for the axis, and do not overlap; scratch is as
    // large as asked for.
    context.queue_known(|stream| unsafe { joining.join(stream, target, rows, &pieces, scratch) })?;
    if !trace::is_on() {
        return Ok(true);
    }
    let read: SmallVec<[(u64, usize); 8]> = pieces.iter().map(|piece| (piece.ptr, piece.width * rows)).collect();
    let written = [(target, out.nbytes()), (scratch, bytes)];
    trace::call(context.index(), &read, &written[..if bytes > 0 { 2 } else { 1 }], || {
        let device = context.below().clone();
        Box::new(move |stream, ptrs| {
            let joining = device.libraries().joining.find()?.expect("it was there when the call was traced");
            let (sources, written) = ptrs.split_at(pieces.len());
            let pieces: SmallVec<[Piece; 4]> =
                pieces.iter().zip(sources).map(|(piece, &ptr)| Piece { ptr, width: piece.width }).collect();
            let scratch = written.get(1).copied().unwrap_or(0);
            // SAFETY: as when it was traced, on memory of the same sizes.
            unsafe { joining.join(stream, written[0], rows, &pieces, scratch) }
        })
    });
    Ok(true)
}
