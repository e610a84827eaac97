//! Letting other Python threads run during work that takes long.

use std::marker::PhantomData;
use std::ptr;

use cuproxide_core::fork::{self, AtWork};
use cuproxide_core::ops::elementwise::{self, Call, Input, Results};
use cuproxide_core::ops::transfer;
use cuproxide_core::ufunc::Ufunc;
use cuproxide_core::{Array, Context, routes};
use cuproxide_hal::{Scalar, interrupt};
use pyo3::ffi;
use pyo3::prelude::*;
use smallvec::smallvec;

use crate::errors::Result;

/// Runs work that waits for a device, copies to or from the host, or may compile, detached from the interpreter.
pub fn long<T: Send>(py: Python<'_>, work: impl FnOnce() -> cuproxide_core::Result<T> + Send) -> Result<T> {
    Ok(detached(py, work)?)
}

/// The one element of an array; read at once where nothing has to be waited for, which takes less time than a detachment.
pub fn item(py: Python<'_>, array: &Array) -> Result<Scalar> {
    let is_there = !array.context().info().asynchronous && array.storage().is_ready();
    if is_there { Ok(transfer::item(array)?) } else { long(py, || transfer::item(array)) }
}

/// Runs work detached from the interpreter.
pub fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
    py.detach(|| {
        let _at_work = AtWork::begin();
        work()
    })
}

/// Runs long work of the host detached from the interpreter; Ctrl-C ends it at its next [`interrupt::point`].
pub fn interruptible<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> Result<T> {
    Ok(detached(py, || interrupt::caught(|| Ok(work())))?)
}

/// Runs work of the core's detached from the interpreter; with it, where there is none any more.
pub fn detach(work: &mut (dyn FnMut() + Send)) {
    if Python::try_attach(|py| py.detach(&mut *work)).is_none() {
        work();
    }
}

/// Runs the program's own code in the middle of an operation, which may be detached.
///
/// The operation may be the deallocation of an array while an exception is under way, which Python code must not find set: it
/// is put aside. All Python code that this package calls by itself goes through here.
pub fn attached<T>(call: impl FnOnce(Python<'_>) -> T) -> T {
    fork::called_back(|| {
        Python::attach(|py| {
            let _pending = Pending::put_aside(py);
            call(py)
        })
    })
}

/// [`attached`], where the interpreter may have shut down.
pub fn try_attached(call: impl FnOnce(Python<'_>)) {
    fork::called_back(|| {
        Python::try_attach(|py| {
            let _pending = Pending::put_aside(py);
            call(py);
        })
    });
}

/// The exception that is under way, put aside while this lives.
struct Pending<'py> {
    exception: [*mut ffi::PyObject; 3],
    _attached: PhantomData<Python<'py>>,
}

// Both functions are deprecated since Python 3.12, whose successors the stable ABI of 3.11 lacks; free-threaded builds see that.
#[allow(deprecated)]
impl<'py> Pending<'py> {
    fn put_aside(_: Python<'py>) -> Pending<'py> {
        let mut exception = [ptr::null_mut(); 3];
        let [kind, value, traceback] = &mut exception;
        // SAFETY: the thread is attached; the interpreter hands over its references, or null pointers.
        unsafe { ffi::PyErr_Fetch(kind, value, traceback) };
        Pending { exception, _attached: PhantomData }
    }
}

#[allow(deprecated)]
impl Drop for Pending<'_> {
    fn drop(&mut self) {
        let [kind, value, traceback] = self.exception;
        if !kind.is_null() {
            // SAFETY: the thread is still attached; the references go back to the interpreter, once.
            unsafe { ffi::PyErr_Restore(kind, value, traceback) };
        }
    }
}

/// Runs an operation over `elements` elements: detached if the device computes before the call returns and has much to
/// do. A launch that only queues work is over sooner than a detachment.
pub fn operation<T: Send>(
    py: Python<'_>,
    context: &Context,
    elements: usize,
    work: impl FnOnce() -> cuproxide_core::Result<T> + Send,
) -> Result<T> {
    if routes::DETACHED.takes(elements) && !context.info().asynchronous { long(py, work) } else { Ok(work()?) }
}

/// Runs a library's work of so many operations: detached unless they are few and the device computes before the call returns.
/// Elsewhere a library may wait for the device, or be loaded first.
pub fn library_call<T: Send>(
    py: Python<'_>,
    context: &Context,
    operations: usize,
    work: impl FnOnce() -> cuproxide_core::Result<T> + Send,
) -> Result<T> {
    let brief = !routes::DETACHED.takes(operations) && !context.info().asynchronous;
    if brief { Ok(work()?) } else { long(py, work) }
}

/// Calls a ufunc with NumPy's defaults, letting other threads run where that takes long.
pub fn ufunc(py: Python<'_>, ufunc: &'static Ufunc, inputs: &[Input<'_>]) -> Result<Results> {
    let deferred = match *inputs {
        [only] => elementwise::defer(ufunc, &[only])?,
        [left, right] => elementwise::defer(ufunc, &[left, right])?,
        [first, second, third] => elementwise::defer(ufunc, &[first, second, third])?,
        _ => None,
    };
    if let Some(deferred) = deferred {
        return Ok(smallvec![deferred]);
    }
    let request = Call::new(inputs);
    operands(py, inputs, || elementwise::call(ufunc, &request))
}

/// Like [`operation`], for operands that are broadcast together.
pub fn operands<T: Send>(
    py: Python<'_>,
    inputs: &[Input<'_>],
    work: impl FnOnce() -> cuproxide_core::Result<T> + Send,
) -> Result<T> {
    let arrays = inputs.iter().filter_map(|input| match input {
        Input::Array(array) => Some(*array),
        _ => None,
    });
    match arrays.max_by_key(|array| array.size()) {
        Some(largest) => operation(py, largest.context(), largest.size(), work),
        None => Ok(work()?),
    }
}
