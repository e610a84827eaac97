//! Elements of a rank in windows.

use cuproxide_hal::libraries::Ranks;

use crate::array::Array;
use crate::error::{Result, value_error};
use crate::layout::Order;
use crate::ops::copy::dense;

/// The element of a rank, from 0, in each rectangle of `window` of the last two axes of `wide` (planes, rows, columns).
///
/// `None` where the device has no primitive for it.
///
/// # Errors
/// `ValueError` if `wide` has no three axes, a plane is smaller than a window, or the rank is not in it.
pub fn ranks(wide: &Array, window: [usize; 2], rank: usize) -> Result<Option<Array>> {
    let context = wide.context();
    let Some(ranking) = context.device().libraries().ranking.find()? else { return Ok(None) };
    let [rows, columns] = window;
    let &[planes, height, width] = wide.shape() else {
        return value_error(format!("windows of an array of {} axes, not 3", wide.ndim()));
    };
    if rank >= rows * columns || rows > height || columns > width {
        return value_error(format!("rank {rank} in windows of {rows} x {columns} in {height} x {width}"));
    }
    let shape = [planes, height - rows + 1, width - columns + 1];
    let mut request = Ranks { dtype: wide.dtype(), wide: 0, shape, window, rank, out: 0 };
    if planes == 0 || !ranking.takes(&request) {
        return Ok(None);
    }
    let wide = dense(wide, false)?;
    let out = Array::empty(context, wide.dtype(), &shape, Order::C)?;
    request.wide = wide.ptr()?;
    request.out = out.ptr()?;
    // SAFETY: the planes are dense, and the result has just been made for them.
    context.queue(|stream| unsafe { ranking.ranks(stream, &request) })?;
    Ok(Some(out))
}
