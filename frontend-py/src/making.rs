//! `array(...)`: any object as an array of the type, the order and the device that are asked for.

use std::sync::Arc;

use cuproxide_core::layout::{Dims, Order};
use cuproxide_core::ops::{copy, transfer};
use cuproxide_core::{Array, Context};
use cuproxide_hal::DType;
use pyo3::prelude::*;

use crate::dtypes;
use crate::errors::{Result, value_error};
use crate::interop::{Converted, convert};
use crate::ndarray::{NdArray, plain_view, wrap, wrap_like, wrap_view};
use crate::plain::wants_fortran;
use crate::wait;

/// What `array` was asked for.
#[derive(Clone, Copy)]
pub struct Wish {
    /// The element type, if not the source's.
    pub dtype: Option<DType>,
    /// Whether to copy; `None` where needed only.
    pub copy: Option<bool>,
    /// Memory order.
    pub order: Order,
}

fn refuse_copy() -> crate::errors::Failure {
    value_error("Unable to avoid copy while creating an array as requested.")
}

/// An array with the wished type and order; `shared` says that the source must not be handed out where a copy is wished.
fn adapt(array: Array, wish: Wish, shared: bool) -> Result<(Array, bool)> {
    let dtype = wish.dtype.unwrap_or(array.dtype());
    let layout = array.layout();
    let fits = match wish.order {
        Order::C => layout.c_contiguous,
        Order::F => layout.f_contiguous,
        Order::A => layout.c_contiguous || layout.f_contiguous,
        Order::K => true,
    };
    if dtype == array.dtype() && fits && (wish.copy != Some(true) || !shared) {
        return Ok((array, false));
    }
    if wish.copy == Some(false) {
        return Err(refuse_copy());
    }
    let order = match wish.order {
        Order::A if wants_fortran(Order::A, &array) => Order::F,
        Order::A => Order::C,
        order => order,
    };
    Ok((copy::astype(&array, dtype, order)?, true))
}

fn with_ndim(array: Array, ndmin: usize, order: Order) -> Array {
    let missing = ndmin.saturating_sub(array.ndim());
    if missing == 0 {
        return array;
    }
    let shape: Dims = std::iter::repeat_n(1, missing).chain(array.shape().iter().copied()).collect();
    let fortran = array.layout().f_contiguous && (order == Order::F || !array.layout().c_contiguous);
    array.reshape_view(&shape, fortran).unwrap_or(array)
}

/// `array(...)`: an array of anything. The same object comes back where nothing has to be done and no copy is wished.
pub fn array<'py>(
    object: &Bound<'py, PyAny>,
    wish: Wish,
    ndmin: usize,
    context: Option<Arc<Context>>,
    subok: bool,
) -> Result<Bound<'py, PyAny>> {
    let py = object.py();
    if let Ok(own) = object.cast::<NdArray>() {
        let source = own.get().snapshot();
        let moved = match &context {
            Some(context) if context.id() != source.context().id() => {
                if wish.copy == Some(false) {
                    return Err(refuse_copy());
                }
                Some(wait::long(py, || transfer::to_device(&source, context))?)
            }
            _ => None,
        };
        let is_moved = moved.is_some();
        dtypes::warn_of_lost_parts(py, source.dtype(), wish.dtype.unwrap_or(source.dtype()))?;
        let (made, copied) = adapt(moved.unwrap_or(source), wish, !is_moved)?;
        let is_plain = own.is_exact_instance_of::<NdArray>();
        if !copied && !is_moved && made.ndim() >= ndmin && (is_plain || subok) {
            return Ok(object.clone());
        }
        let made = with_ndim(made, ndmin, wish.order);
        return match (copied || is_moved, subok && !is_plain) {
            (true, true) => wrap_like(own, made),
            (false, true) => wrap_view(own, made),
            (false, false) => Ok(plain_view(own, made)?.into_any()),
            (true, false) => wrap(py, made),
        };
    }
    let chosen = context.is_some();
    let context = match context {
        Some(context) => context,
        None => Context::current()?,
    };
    let Converted { mut array, mut shared, read_only } = convert(object, &context, wish.dtype)?;
    if !shared && wish.copy == Some(false) {
        return Err(refuse_copy());
    }
    let elsewhere = array.context().id() != context.id();
    // Memory of the host goes to the device in use; memory of a GPU stays where it is unless told otherwise.
    if elsewhere && (chosen || array.context().info().host_addressable) {
        if wish.copy == Some(false) {
            return Err(refuse_copy());
        }
        array = wait::long(py, || transfer::to_device(&array, &context))?;
        shared = false;
    }
    dtypes::warn_of_lost_parts(py, array.dtype(), wish.dtype.unwrap_or(array.dtype()))?;
    // A fresh upload counts as the copy that was wished for.
    let (made, copied) = adapt(array, Wish { copy: if shared { wish.copy } else { None }, ..wish }, shared)?;
    let made = wrap(py, with_ndim(made, ndmin, wish.order))?;
    if shared && read_only && !copied {
        made.cast::<NdArray>().map_err(PyErr::from)?.get().set_read_only(true);
    }
    Ok(made)
}
