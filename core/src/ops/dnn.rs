//! Layers of neural networks by a device's library: memory for what it needs, and its answers.

use cuproxide_hal::Error as HalError;
use cuproxide_hal::libraries::dnn::{Dnn, Network, Operation, Tensor};

use crate::array::Array;
use crate::context::Context;
use crate::detach::queueing;
use crate::error::{Result, value_error};
use crate::timeline::{self, Work};

/// The library of a device; nothing where it has none, or where it is not installed.
///
/// # Errors
/// Those of opening it, but for what is missing.
pub fn library(context: &Context) -> Result<Option<&dyn Dnn>> {
    match queueing(|| context.device().libraries().dnn.find()) {
        Err(HalError::MissingLibrary(_) | HalError::MissingSymbol { .. }) => Ok(None),
        other => Ok(other?),
    }
}

fn tensor(array: &Array, writes: bool) -> Result<Tensor> {
    let itemsize = array.itemsize() as isize;
    Ok(Tensor {
        ptr: if writes { array.ptr()? } else { array.read_ptr()? },
        dtype: array.dtype(),
        shape: array.shape().to_vec(),
        strides: array.strides().iter().map(|stride| stride / itemsize).collect(),
    })
}

/// Has the library of the arrays' device run an operation; `false` if there is none, or if it does not compute this.
///
/// # Errors
/// `ValueError` for another number of arrays or for arrays of several devices, and those of the library.
pub fn run(operation: &Operation, arrays: &[&Array]) -> Result<bool> {
    let (count, written) = operation.tensors();
    if arrays.len() != count {
        return value_error(format!("this operation takes {count} arrays, got {}", arrays.len()));
    }
    let context = arrays[0].context().clone();
    if arrays.iter().any(|array| array.context().info().id != context.info().id) {
        return value_error("all arrays must be on one device");
    }
    let Some(library) = library(&context)? else { return Ok(false) };
    let size = |array: &&Array| array.nbytes();
    let _span = timeline::queued(Work::Library, "neural network", &context, || arrays.iter().map(size).sum());
    let tensors: Vec<Tensor> = arrays
        .iter()
        .enumerate()
        .map(|(number, array)| tensor(array, number >= count - written))
        .collect::<Result<_>>()?;
    if tensors.iter().any(|tensor| !tensor.ptr.is_multiple_of(tensor.dtype.size() as u64)) {
        return Ok(false);
    }
    let search = match operation {
        Operation::Convolution(_, convolution) if library.searches(operation, &tensors) => {
            Some((context.allocate(convolution.limit.max(1))?, convolution.limit))
        }
        _ => None,
    };
    let memory = search.as_ref().map(|(block, bytes)| (block.ptr, *bytes));
    // SAFETY: the arrays are memory of their shapes, and kept until the calls have queued their work.
    let choice = context.queue(|stream| unsafe { library.choose(stream, operation, &tensors, memory) });
    let Some(choice) = supported(choice)? else { return Ok(false) };
    drop(search);
    let scratch = if choice.scratch == 0 { None } else { Some(context.allocate(choice.scratch)?) };
    let address = scratch.as_ref().map_or(0, |block| block.ptr);
    // SAFETY: as above; scratch memory is as large as asked for. It is given back after the work is queued: stream order
    // protects it from the next user.
    let done = context.queue(|stream| unsafe { library.run(stream, operation, &tensors, choice, address) });
    Ok(supported(done)?.is_some())
}

/// The answer of a library; nothing if it, or its version, does not compute what was asked for.
fn supported<T>(answer: cuproxide_hal::Result<T>) -> Result<Option<T>> {
    match answer {
        Err(HalError::Unsupported { .. } | HalError::MissingSymbol { .. }) => Ok(None),
        other => Ok(Some(other?)),
    }
}

/// Bytes of states or weights, and of the reserve, of a network, or else of a dropout of an array; nothing without a library that
/// computes this.
///
/// # Errors
/// Those of the library.
pub fn sizes(context: &Context, network: Option<&Network>, x: Option<&Array>) -> Result<Option<(usize, usize)>> {
    let Some(library) = library(context)? else { return Ok(None) };
    let x = x.map(|array| tensor(array, false)).transpose()?;
    let answer = queueing(|| match network {
        Some(network) => library.network_sizes(network),
        None => library.dropout_sizes(x.as_ref()),
    });
    Ok(supported(answer)?.map(|sizes| (sizes.states, sizes.reserve)))
}

/// Where the library keeps the weights of a network; nothing without a library that computes it.
///
/// # Errors
/// Those of the library.
pub fn places(context: &Context, network: &Network) -> Result<Option<Vec<(usize, usize)>>> {
    let Some(library) = library(context)? else { return Ok(None) };
    supported(queueing(|| library.network_places(network)))
}
