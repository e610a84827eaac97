//! Moving elements between the host and devices.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cuproxide_hal::{DType, Scalar};

use crate::array::Array;
use crate::context::Context;
use crate::error::{Result, value_error};
use crate::layout::Order;
use crate::memory::capture;
use crate::ops::copy::{ascontiguous, astype};
use crate::timeline::{self, Work};
use crate::trace;
use crate::waits;

static HOST_READS: AtomicUsize = AtomicUsize::new(0);

/// How many times array data went from a device to the host in this process. Tests use it to prove that routines stay
/// on the device.
pub fn host_reads() -> usize {
    HOST_READS.load(Ordering::Relaxed)
}

/// A new array with elements copied from dense host memory.
///
/// # Safety
/// `src` is readable for all elements of `shape`.
pub unsafe fn from_host(
    context: &Arc<Context>,
    dtype: DType,
    shape: &[usize],
    fortran: bool,
    src: *const u8,
) -> Result<Array> {
    let array = Array::empty(context, dtype, shape, if fortran { Order::F } else { Order::C })?;
    if array.size() > 0 {
        let dst = array.ptr()?;
        let _span = timeline::queued(Work::Copy, "host to device", context, || array.nbytes());
        // SAFETY: the caller vouches for the source; the target was just allocated with that size.
        unsafe { upload(context, dst, src, array.nbytes()) }?;
    }
    Ok(array)
}

/// Copies the elements of a dense array to host memory, waits for them and raises what kernels recorded.
///
/// # Safety
/// `dst` is writable for all elements.
pub unsafe fn to_host(array: &Array, dst: *mut u8) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { part_to_host(array, dst, 0..array.nbytes()) }
}

/// As [`to_host`], for a range of the array's bytes; `dst` is the place of the first of them.
///
/// # Safety
/// `dst` is writable for the bytes of the range.
pub unsafe fn part_to_host(array: &Array, dst: *mut u8, range: Range<usize>) -> Result<()> {
    debug_assert!(array.layout().c_contiguous || array.layout().f_contiguous);
    assert!(range.end <= array.nbytes(), "bytes {range:?} of {}", array.nbytes());
    waits::check("elements are read on the host")?;
    HOST_READS.fetch_add(1, Ordering::Relaxed);
    let context = array.context();
    if capture::current(context).is_some() {
        // The wait fails and voids the capture: nothing may be copied to memory that the graph does not hold.
        drop(context.synchronize_stream());
        let message = "values cannot be read while a stream captures: reading waits for the device, which invalidates the \
                       capture. Read them before begin_capture() or after end_capture()";
        return Err(cuproxide_hal::Error::capture(context.id().backend, message).into());
    }
    if !range.is_empty() {
        let src = array.read_ptr()? + range.start as u64;
        let _span = timeline::queued(Work::Copy, "device to host", context, || range.len());
        // SAFETY: the caller vouches for the target; the source is a dense array that outlives the wait below.
        unsafe { download(context, dst, src, range.len()) }?;
    }
    context.wait()
}

/// The elements in C order on the host as words of 64 bits, converted to a type of 8 bytes or, in two words each, of 16.
pub fn to_words(array: &Array, dtype: DType) -> Result<Vec<u64>> {
    let dense = ascontiguous(&astype(array, dtype, Order::C)?, false)?;
    let mut words = vec![0; dense.nbytes() / 8];
    // SAFETY: the words have the size of the elements, and any bits are a word.
    unsafe { to_host(&dense, words.as_mut_ptr().cast())? };
    Ok(words)
}

/// A new array of a type of 8 or 16 bytes from words of 64 bits, in C order.
pub fn from_words(context: &Arc<Context>, dtype: DType, shape: &[usize], words: &[u64]) -> Result<Array> {
    assert_eq!(shape.iter().product::<usize>() * dtype.size(), words.len() * 8, "words for the shape {shape:?}");
    // SAFETY: the words have the size of the elements.
    unsafe { from_host(context, dtype, shape, false, words.as_ptr().cast()) }
}

/// Queues a copy from the host on the current stream. The device may read the host's memory before this returns.
///
/// # Safety
/// As for [`copy_from_host`](cuproxide_hal::Device::copy_from_host).
unsafe fn upload(context: &Context, dst: u64, src: *const u8, bytes: usize) -> Result<()> {
    trace::refuse("it makes an array from host data");
    let (stream, src) = (context.current_stream(), src as usize);
    // SAFETY: the caller's promise.
    Ok(context.waiting(|| unsafe { context.device().copy_from_host(stream.as_ref(), dst, src as *const u8, bytes) })?)
}

/// Queues a copy to the host on the current stream. The device may write the host's memory before this returns.
///
/// # Safety
/// As for [`copy_to_host`](cuproxide_hal::Device::copy_to_host).
unsafe fn download(context: &Context, dst: *mut u8, src: u64, bytes: usize) -> Result<()> {
    trace::refuse("it looks at the values of an array");
    let (stream, dst) = (context.current_stream(), dst as usize);
    // SAFETY: the caller's promise.
    Ok(context.waiting(|| unsafe { context.device().copy_to_host(stream.as_ref(), dst as *mut u8, src, bytes) })?)
}

/// The one element of an array of size 1. Synchronises.
///
/// # Errors
/// `ValueError` for other sizes.
pub fn item(array: &Array) -> Result<Scalar> {
    if array.size() != 1 {
        return value_error("can only convert an array of size 1 to a Python scalar");
    }
    let mut scalar = Scalar { bytes: [0; 16], dtype: array.dtype() };
    // SAFETY: every element fits the 16 bytes of a scalar.
    unsafe { to_host(array, scalar.bytes.as_mut_ptr())? };
    // Of a bool, any byte but 0 is true.
    Ok(if scalar.dtype == DType::Bool { Scalar::integer(DType::Bool, scalar.to_integer()) } else { scalar })
}

/// A copy on another device; the array itself if it is there already.
pub fn to_device(array: &Array, context: &Arc<Context>) -> Result<Array> {
    let source = array.context();
    if source.id() == context.id() {
        return Ok(array.clone());
    }
    trace::refuse("it moves an array to another device");
    let fortran = array.layout().f_contiguous && !array.layout().c_contiguous;
    let dense = ascontiguous(array, fortran)?;
    let order = if fortran { Order::F } else { Order::C };
    let out = Array::empty(context, array.dtype(), array.shape(), order)?;
    if array.size() == 0 {
        return Ok(out);
    }
    let (dst, src, bytes) = (out.ptr()?, dense.read_ptr()?, array.nbytes());
    if source.id().backend == context.id().backend {
        // The copy is queued on the target's stream, so the source's work must be done.
        source.synchronize_stream()?;
        let _span = timeline::queued(Work::Copy, "device to device", context, || bytes);
        // SAFETY: both arrays are dense, live, and of the same size.
        context.queue(|stream| unsafe {
            context.device().copy_from_peer(stream, dst, source.device().as_ref(), src, bytes)
        })?;
        return Ok(out);
    }
    if context.info().host_addressable {
        // SAFETY: the target is host memory of that size.
        unsafe { to_host(&dense, dst as *mut u8)? };
    } else if source.info().host_addressable {
        source.synchronize_stream()?;
        // SAFETY: the source is host memory of that size and dense.
        unsafe { upload(context, dst, src as *const u8, bytes) }?;
        // The source may be reused by its own stream as soon as this returns.
        context.synchronize_stream()?;
    } else {
        let mut staging = vec![0u8; bytes];
        // SAFETY: the staging buffer has that size and outlives both copies.
        unsafe {
            to_host(&dense, staging.as_mut_ptr())?;
            upload(context, dst, staging.as_ptr(), bytes)?;
        }
        context.synchronize_stream()?;
    }
    Ok(out)
}
