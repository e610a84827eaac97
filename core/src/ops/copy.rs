//! Copies: with another type or order, into existing arrays, and reshapes that need one.

use cuproxide_hal::Scalar;

use crate::array::{Array, common_context};
use crate::error::{Error, Result, value_error};
use crate::fusion;
use crate::layout::{Order, show_shape};
use crate::ops::elementwise::{Input, write};
pub use crate::ops::elementwise::{assign_input, astype, copy};
use crate::promotion::{Casting, can_cast};
use crate::trace;

/// The array itself if it is contiguous in the wanted order, else a copy that is.
pub fn ascontiguous(array: &Array, fortran: bool) -> Result<Array> {
    let layout = array.layout();
    if if fortran { layout.f_contiguous } else { layout.c_contiguous } {
        return Ok(array.clone());
    }
    copy(array, if fortran { Order::F } else { Order::C })
}

/// The array itself if it is contiguous in the wanted order and aligned, else a copy that is: for libraries, and for what
/// computes addresses by itself.
pub(crate) fn dense(array: &Array, fortran: bool) -> Result<Array> {
    if array.is_aligned() {
        ascontiguous(array, fortran)
    } else {
        copy(array, if fortran { Order::F } else { Order::C })
    }
}

/// The array itself if it is aligned, else a copy that lies in memory alike.
pub(crate) fn aligned(array: &Array) -> Result<Array> {
    if array.is_aligned() { Ok(array.clone()) } else { copy(array, Order::K) }
}

/// Writes `source`, broadcast and cast, into `target`, at the positions where `mask` is true if one is given.
///
/// # Errors
/// `ValueError` if the shapes do not fit, `TypeError` if the casting rule forbids it.
pub fn assign(target: &Array, source: &Array, casting: Casting, mask: Option<&Array>) -> Result<()> {
    common_context("copyto", [target, source].into_iter().chain(mask))?;
    if !can_cast(source.dtype(), target.dtype(), casting) {
        return Err(Error::Casting(format!(
            "Cannot cast array data from dtype('{}') to dtype('{}') according to the rule '{}'",
            source.dtype(),
            target.dtype(),
            casting.name()
        )));
    }
    let mut source = source.clone();
    while source.ndim() > target.ndim() && source.shape()[0] == 1 {
        source = source.index_axis(0, 0)?;
    }
    if source.layout().broadcast_strides(target.shape()).is_none() {
        return value_error(format!(
            "could not broadcast input array from shape {} into shape {}",
            show_shape(source.shape()),
            show_shape(target.shape())
        ));
    }
    if source.is_same_view(target) {
        return Ok(());
    }
    write(target, &source, mask)
}

/// Sets every element to a scalar, cast to the array's type.
pub fn fill(target: &Array, value: Scalar) -> Result<()> {
    if target.size() == 0 {
        return Ok(());
    }
    let dense = target.layout().c_contiguous || target.layout().f_contiguous;
    let at_once = fusion::is_eager() || target.storage().is_exposed();
    if at_once && dense && value.dtype == target.dtype() && value.bytes == [0; 16] {
        let (context, dst) = (target.context(), target.ptr()?);
        // SAFETY: the array is dense and owns its bytes.
        context.queue_known(|stream| unsafe { context.below().fill(stream, dst, 0, target.nbytes()) })?;
        trace::moved(context.index(), dst, None, target.nbytes());
        return Ok(());
    }
    assign_input(target, &Input::Scalar(value), None)
}

/// `numpy.reshape`: a view where one exists, else a copy. At most one length may be -1.
///
/// # Errors
/// `ValueError` if the sizes differ.
pub fn reshape(array: &Array, shape: &[isize], order: Order) -> Result<Array> {
    let shape = array.infer_shape(shape)?;
    let fortran = match order {
        Order::F => true,
        Order::A => array.layout().f_contiguous && !array.layout().c_contiguous,
        Order::C => false,
        Order::K => return value_error("order 'K' is not permitted for reshaping"),
    };
    if let Some(view) = array.reshape_view(&shape, fortran) {
        return Ok(view);
    }
    let dense = copy(array, if fortran { Order::F } else { Order::C })?;
    Ok(dense.reshape_view(&shape, fortran).expect("a contiguous array has every shape of its size"))
}
