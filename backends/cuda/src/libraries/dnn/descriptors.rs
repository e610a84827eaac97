//! cuDNN's descriptors: made, filled and destroyed within a call.

use std::ffi::c_int;

use cuproxide_gpu::own_handle;
use cuproxide_hal::libraries::dnn::{Cell, Convolution, Network, Tensor, Window};
use cuproxide_hal::{DType, Error, Result};

use crate::api::cudnn::{CudnnTable, Raw};

const PROPAGATE_NAN: c_int = 1;
const CROSS_CORRELATION: c_int = 1;
const FORMAT_CHANNELS_FIRST: c_int = 0;
const FORMAT_CHANNELS_LAST: c_int = 1;
const DOUBLE_BIAS: c_int = 2;
const PACKED_BY_STEPS: c_int = 1;
const DEFAULT_MATH: c_int = 0;
pub(super) const TENSOR_MATH: c_int = 1;
pub(super) const FULL_MATH: c_int = 3;

/// The number of a type.
pub(super) fn number(dtype: DType) -> Result<c_int> {
    Ok(match dtype {
        DType::F32 => 0,
        DType::F64 => 1,
        DType::F16 => 2,
        other => return Err(Error::unsupported("cuda", format!("neural networks of {other}"))),
    })
}

/// The number of the type that sums are made in.
fn computing(dtype: DType) -> Result<c_int> {
    number(if dtype == DType::F16 { DType::F32 } else { dtype })
}

fn int(value: usize) -> Result<c_int> {
    c_int::try_from(value).map_err(|_| Error::unsupported("cuda", format!("a length of {value} in neural networks")))
}

fn ints(values: &[usize]) -> Result<Vec<c_int>> {
    values.iter().map(|&value| int(value)).collect()
}

/// A descriptor, destroyed on drop.
pub(super) type Descriptor<'t> = own_handle::Descriptor<'t, CudnnTable>;

pub(super) fn tensor<'t>(table: &'t CudnnTable, tensor: &Tensor) -> Result<Descriptor<'t>> {
    let made = Descriptor::new(table, CudnnTable::tensor_create, CudnnTable::tensor_destroy)?;
    let lengths = ints(&tensor.shape)?;
    let mut strides = vec![];
    for (&stride, &length) in tensor.strides.iter().zip(&tensor.shape) {
        // The step along an axis of one element is not used, but must be positive.
        strides.push(if length == 1 { stride.max(1) } else { stride });
    }
    let strides: Vec<c_int> = strides.iter().map(|&stride| int(stride.unsigned_abs())).collect::<Result<_>>()?;
    // SAFETY: the lists have as many elements; the library reads them at once.
    unsafe {
        table.tensor_set(made.raw, number(tensor.dtype)?, int(lengths.len())?, lengths.as_ptr(), strides.as_ptr())?;
    }
    Ok(made)
}

pub(super) fn filter<'t>(table: &'t CudnnTable, tensor: &Tensor) -> Result<Descriptor<'t>> {
    let made = Descriptor::new(table, CudnnTable::filter_create, CudnnTable::filter_destroy)?;
    // Channels are last where they are closest together, and there is more than one of them.
    let last = tensor.shape[1] > 1 && tensor.strides[1] == 1 && tensor.shape[2..].iter().any(|&n| n > 1);
    let format = if last { FORMAT_CHANNELS_LAST } else { FORMAT_CHANNELS_FIRST };
    let lengths = ints(&tensor.shape)?;
    // SAFETY: the list has as many elements; the library reads it at once.
    unsafe { table.filter_set(made.raw, number(tensor.dtype)?, format, int(lengths.len())?, lengths.as_ptr()) }?;
    Ok(made)
}

pub(super) fn convolution<'t>(
    table: &'t CudnnTable,
    convolution: &Convolution,
    dtype: DType,
    math: c_int,
) -> Result<Descriptor<'t>> {
    let made = Descriptor::new(table, CudnnTable::convolution_create, CudnnTable::convolution_destroy)?;
    let Convolution { padding, strides, dilation, groups, .. } = convolution;
    let (padding, strides, dilation) = (ints(padding)?, ints(strides)?, ints(dilation)?);
    // SAFETY: the lists have as many elements; the library reads them at once.
    unsafe {
        table.convolution_set(
            made.raw,
            int(padding.len())?,
            padding.as_ptr(),
            strides.as_ptr(),
            dilation.as_ptr(),
            CROSS_CORRELATION,
            computing(dtype)?,
        )?;
        table.convolution_groups(made.raw, int(*groups)?)?;
        table.convolution_math(made.raw, math)?;
    }
    Ok(made)
}

pub(super) fn pooling<'t>(table: &'t CudnnTable, window: &Window) -> Result<Descriptor<'t>> {
    let made = Descriptor::new(table, CudnnTable::pooling_create, CudnnTable::pooling_destroy)?;
    let (lengths, padding, strides) = (ints(&window.lengths)?, ints(&window.padding)?, ints(&window.strides)?);
    // SAFETY: the lists have as many elements; the library reads them at once.
    unsafe {
        table.pooling_set(
            made.raw,
            window.kind as c_int,
            PROPAGATE_NAN,
            int(lengths.len())?,
            lengths.as_ptr(),
            padding.as_ptr(),
            strides.as_ptr(),
        )?;
    }
    Ok(made)
}

pub(super) fn activation(table: &CudnnTable, mode: c_int, coefficient: f64) -> Result<Descriptor<'_>> {
    let made = Descriptor::new(table, CudnnTable::activation_create, CudnnTable::activation_destroy)?;
    // SAFETY: the descriptor lives.
    unsafe { table.activation_set(made.raw, mode, PROPAGATE_NAN, coefficient) }?;
    Ok(made)
}

/// States that exist already, or none: sizes depend on the ratio alone.
pub(super) fn dropout<'t>(
    table: &'t CudnnTable,
    handle: Raw,
    ratio: f64,
    states: Option<&Tensor>,
) -> Result<Descriptor<'t>> {
    let made = Descriptor::new(table, CudnnTable::dropout_create, CudnnTable::dropout_destroy)?;
    // SAFETY: the states are memory of so many bytes; without states there is nothing to drop.
    unsafe {
        match states {
            Some(states) => {
                let bytes = states.shape.iter().product();
                table.dropout_restore(made.raw, handle, ratio as f32, states.ptr, bytes, 0)?;
            }
            None => table.dropout_set(made.raw, handle, ratio as f32, 0, 0, 0)?,
        }
    }
    Ok(made)
}

/// A network, which refers to the dropout.
pub(super) fn network<'t>(
    table: &'t CudnnTable,
    network: &Network,
    dropout: &Descriptor<'_>,
) -> Result<Descriptor<'t>> {
    let made = Descriptor::new(table, CudnnTable::network_create, CudnnTable::network_destroy)?;
    let cell = match network.cell {
        Cell::Relu => 0,
        Cell::Tanh => 1,
        Cell::Lstm => 2,
        Cell::Gru => 3,
    };
    let math = if network.dtype == DType::F16 {
        TENSOR_MATH
    } else if network.dtype == DType::F32 {
        FULL_MATH
    } else {
        DEFAULT_MATH
    };
    // SAFETY: both descriptors live.
    unsafe {
        table.network_set(
            made.raw,
            0,
            cell,
            DOUBLE_BIAS,
            int(network.directions - 1)?,
            0,
            number(network.dtype)?,
            computing(network.dtype)?,
            math,
            int(network.inputs)?,
            int(network.units)?,
            int(network.units)?,
            int(network.layers)?,
            dropout.raw,
            0,
        )?;
    }
    Ok(made)
}

/// Packed sequences of a network, with elements of a width.
pub(super) fn sequences<'t>(table: &'t CudnnTable, network: &Network, width: usize) -> Result<Descriptor<'t>> {
    let made = Descriptor::new(table, CudnnTable::sequences_create, CudnnTable::sequences_destroy)?;
    let batch = network.sizes.first().copied().unwrap_or(0);
    let steps = |sequence: usize| network.sizes.iter().filter(|&&size| size > sequence).count();
    let lengths = ints(&(0..batch).map(steps).collect::<Vec<_>>())?;
    // SAFETY: the list has an element for each sequence; the library copies it.
    unsafe {
        table.sequences_set(
            made.raw,
            number(network.dtype)?,
            PACKED_BY_STEPS,
            int(network.sizes.len())?,
            int(batch)?,
            int(width)?,
            lengths.as_ptr(),
            std::ptr::null_mut(),
        )?;
    }
    Ok(made)
}

/// States of a network: layers and directions, sequences, units.
pub(super) fn states<'t>(table: &'t CudnnTable, network: &Network) -> Result<Descriptor<'t>> {
    let batch = network.sizes.first().copied().unwrap_or(0);
    let shape = vec![network.layers * network.directions, batch, network.units];
    let strides = vec![(batch * network.units) as isize, network.units as isize, 1];
    tensor(table, &Tensor { ptr: 0, dtype: network.dtype, shape, strides })
}

/// A description of nothing yet, for answers.
pub(super) fn blank(table: &CudnnTable) -> Result<Descriptor<'_>> {
    Descriptor::new(table, CudnnTable::tensor_create, CudnnTable::tensor_destroy)
}
