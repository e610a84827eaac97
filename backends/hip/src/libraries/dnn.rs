//! Layers of neural networks by MIOpen, as far as its calls mirror cuDNN's. What it lacks (float64, gradients of pooling, whose
//! forward pass would have to keep places, dropout and recurrent networks, whose memory is laid out differently) is left to
//! kernels.

use std::ffi::c_int;
use std::sync::Arc;

use cuproxide_gpu::choices::Choices;
use cuproxide_gpu::graph::{self, Unrestricted};
use cuproxide_gpu::layers::Normalizations;
use cuproxide_gpu::own_handle::{Descriptor, OwnHandle, Turn};
use cuproxide_gpu::{Driver, Primary};
use cuproxide_hal::libraries::dnn::{
    Activation, Choice, Convolution, Dnn, Network, Operation, Pass, Pooling, Sizes, Softmax, Tensor, Window,
};
use cuproxide_hal::{DType, Error, Result, Stream};

use crate::api::library::{Kind, kind};
use crate::api::miopen::{Factor, MiopenTable, Performance};

/// MIOpen.
pub(crate) const KIND: Kind = kind!("MIOpen", "MIOpen", 1, 1, 1, "miopenCreate", "miopen-hip");

const CROSS_CORRELATION: c_int = 0;
const DETERMINISTIC: c_int = 1;
/// Softmax over axis 1.
const CHANNEL: c_int = 1;
/// More than there are of any kind.
const MOST: usize = 16;

static ZERO: f32 = 0.0;
static ONE: f32 = 1.0;

const NORMALIZATIONS: Normalizations<MiopenTable, Factor> = Normalizations {
    training: MiopenTable::normalization_training,
    inference: MiopenTable::normalization_inference,
    gradient: MiopenTable::normalization_backward,
};

/// MIOpen for one device.
pub(crate) struct Miopen {
    table: MiopenTable,
    handle: OwnHandle,
    choices: Choices,
}

fn lacks<T>(what: impl Into<String>) -> Result<T> {
    Err(Error::unsupported("hip", what.into()))
}

fn ints(values: &[usize]) -> Result<Vec<c_int>> {
    let convert = |&value| c_int::try_from(value).or_else(|_| lacks(format!("a length of {value} in neural networks")));
    values.iter().map(convert).collect()
}

type Described<'t> = Descriptor<'t, MiopenTable>;

fn describe_tensor<'t>(table: &'t MiopenTable, tensor: &Tensor) -> Result<Described<'t>> {
    let dtype = match tensor.dtype {
        DType::F16 => 0,
        DType::F32 => 1,
        other => return lacks(format!("neural networks of {other}")),
    };
    let made = Descriptor::new(table, MiopenTable::tensor_create, MiopenTable::tensor_destroy)?;
    let strides: Vec<usize> = tensor.strides.iter().map(|stride| stride.unsigned_abs().max(1)).collect();
    let (lengths, strides) = (ints(&tensor.shape)?, ints(&strides)?);
    // SAFETY: the lists have as many elements; the library reads them at once.
    unsafe {
        table.tensor_set(made.raw, dtype, lengths.len() as c_int, lengths.as_ptr(), strides.as_ptr())?;
    }
    Ok(made)
}

fn describe_convolution<'t>(table: &'t MiopenTable, convolution: &Convolution) -> Result<Described<'t>> {
    let made = Descriptor::new(table, MiopenTable::convolution_create, MiopenTable::convolution_destroy)?;
    let Convolution { padding, strides, dilation, groups, .. } = convolution;
    let (padding, strides, dilation) = (ints(padding)?, ints(strides)?, ints(dilation)?);
    // SAFETY: the lists have as many elements; the library reads them at once.
    unsafe {
        table.convolution_set(
            made.raw,
            padding.len() as c_int,
            padding.as_ptr(),
            strides.as_ptr(),
            dilation.as_ptr(),
            CROSS_CORRELATION,
        )?;
        table.convolution_groups(made.raw, *groups as c_int)?;
        if convolution.deterministic {
            table.convolution_attribute(made.raw, DETERMINISTIC, 1)?;
        }
    }
    Ok(made)
}

fn describe_pooling<'t>(table: &'t MiopenTable, window: &Window) -> Result<Described<'t>> {
    let made = Descriptor::new(table, MiopenTable::pooling_create, MiopenTable::pooling_destroy)?;
    let mode = match window.kind {
        Pooling::Max | Pooling::MaxDeterministic => 0,
        Pooling::Mean => 1,
        Pooling::MeanWithPadding => 2,
    };
    let (lengths, padding, strides) = (ints(&window.lengths)?, ints(&window.padding)?, ints(&window.strides)?);
    // SAFETY: the lists have as many elements; the library reads them at once.
    unsafe {
        table.pooling_set(
            made.raw,
            mode,
            lengths.len() as c_int,
            lengths.as_ptr(),
            padding.as_ptr(),
            strides.as_ptr(),
        )?;
    }
    Ok(made)
}

fn describe_activation(table: &MiopenTable, function: Activation, coefficient: f64) -> Result<Described<'_>> {
    let (mode, alpha, beta) = match function {
        Activation::Sigmoid => (1, 0.0, 0.0),
        Activation::Tanh => (2, 1.0, 1.0),
        Activation::Relu => (3, 0.0, 0.0),
        Activation::ClippedRelu => (7, coefficient, 0.0),
        Activation::Elu => (9, coefficient, 0.0),
        Activation::Swish => return lacks("swish"),
    };
    let made = Descriptor::new(table, MiopenTable::activation_create, MiopenTable::activation_destroy)?;
    // SAFETY: the descriptor lives.
    unsafe { table.activation_set(made.raw, mode, alpha, beta, 0.0) }?;
    Ok(made)
}

fn softmax(algorithm: Softmax) -> c_int {
    match algorithm {
        Softmax::Fast => 0,
        Softmax::Accurate => 1,
        Softmax::Log => 2,
    }
}

/// Tensors of a convolution in the library's order: gradients come first.
fn ordered(pass: Pass, tensors: &[Tensor]) -> [&Tensor; 3] {
    match pass {
        Pass::Forward => [&tensors[0], &tensors[1], &tensors[2]],
        Pass::Data | Pass::Filter => [&tensors[1], &tensors[0], &tensors[2]],
    }
}

impl Miopen {
    fn on(&self, stream: &dyn Stream) -> Result<Turn<'_>> {
        // SAFETY: both live.
        self.handle.take_turn(|handle| unsafe { self.table.set_stream(handle, stream.raw()) })
    }

    /// Measures the algorithms of a convolution, which the library wants before it runs one.
    unsafe fn find(
        &self,
        stream: &dyn Stream,
        (pass, convolution): (Pass, &Convolution),
        tensors: &[Tensor],
        (memory, bytes): (u64, usize),
    ) -> Result<Choice> {
        let table = &self.table;
        let handle = self.on(stream)?;
        let [a, b, out] = ordered(pass, tensors);
        let describe = |tensor| describe_tensor(table, tensor);
        let (a_raw, b_raw, out_raw) = (describe(a)?, describe(b)?, describe(out)?);
        let described = describe_convolution(table, convolution)?;
        let (mut count, mut found) = (0, [Performance::default(); MOST]);
        macro_rules! find {
            ($function:ident) => {
                table.$function(
                    handle.raw(),
                    a_raw.raw,
                    a.ptr,
                    b_raw.raw,
                    b.ptr,
                    described.raw,
                    out_raw.raw,
                    out.ptr,
                    MOST as c_int,
                    &mut count,
                    found.as_mut_ptr(),
                    memory,
                    bytes,
                    convolution.search,
                )
            };
        }
        // SAFETY: the descriptors live, the list has `MOST` elements; memory is the caller's promise.
        unsafe {
            match pass {
                Pass::Forward => find!(convolution_forward_find),
                Pass::Data => find!(convolution_data_find),
                Pass::Filter => find!(convolution_filter_find),
            }?;
        }
        let fits = |one: &&Performance| one.memory <= convolution.limit;
        match found[..count as usize].iter().find(fits) {
            Some(one) => Ok(Choice { algorithm: one.algorithm, math: 0, scratch: one.memory }),
            None => lacks(format!("a convolution of these arguments in {} bytes of workspace", convolution.limit)),
        }
    }
}

impl Dnn for Miopen {
    fn version(&self) -> Result<usize> {
        let [mut major, mut minor, mut patch] = [0; 3];
        // SAFETY: the library writes three numbers.
        unsafe { self.table.version(&mut major, &mut minor, &mut patch) }?;
        Ok(major * 10000 + minor * 100 + patch)
    }

    fn dropout_sizes(&self, _x: Option<&Tensor>) -> Result<Sizes> {
        lacks("dropout")
    }

    fn network_sizes(&self, _network: &Network) -> Result<Sizes> {
        lacks("recurrent networks")
    }

    fn network_places(&self, _network: &Network) -> Result<Vec<(usize, usize)>> {
        lacks("recurrent networks")
    }

    fn searches(&self, operation: &Operation, tensors: &[Tensor]) -> bool {
        // Measuring waits for the device, which a capture does not allow.
        matches!(operation, Operation::Convolution(..))
            && !graph::any_open()
            && self.choices.get(operation, tensors).is_none()
    }

    unsafe fn choose(
        &self,
        stream: &dyn Stream,
        operation: &Operation,
        tensors: &[Tensor],
        search: Option<(u64, usize)>,
    ) -> Result<Choice> {
        let Operation::Convolution(pass, convolution) = operation else { return Ok(Choice::default()) };
        if let Some(choice) = self.choices.get(operation, tensors) {
            return Ok(choice);
        }
        let Some(memory) = search else { return lacks("a convolution that was not measured, within a capture") };
        // SAFETY: the caller's promise.
        let choice = unsafe { self.find(stream, (*pass, convolution), tensors, memory) }?;
        self.choices.keep(operation, tensors, choice);
        Ok(choice)
    }

    unsafe fn run(
        &self,
        stream: &dyn Stream,
        operation: &Operation,
        tensors: &[Tensor],
        choice: Choice,
        scratch: u64,
    ) -> Result<()> {
        let table = &self.table;
        let (zero, one): (Factor, Factor) = (&ZERO, &ONE);
        let at = |number: usize| tensors[number].ptr;
        let describe = |number: usize| describe_tensor(table, &tensors[number]);
        let handle = self.on(stream)?;
        let handle = handle.raw();
        // SAFETY: the caller's promise; descriptors and factors outlive the calls, which read them at once.
        unsafe {
            match operation {
                Operation::Activation(function, coefficient) => {
                    let (function, x) = (describe_activation(table, *function, *coefficient)?, describe(0)?);
                    table.activation_forward(handle, function.raw, one, x.raw, at(0), zero, x.raw, at(1))
                }
                Operation::ActivationGradient(function, coefficient) => {
                    let (function, x) = (describe_activation(table, *function, *coefficient)?, describe(0)?);
                    let x = x.raw;
                    table.activation_backward(handle, function.raw, one, x, at(0), x, at(1), x, at(2), zero, x, at(3))
                }
                Operation::Softmax(algorithm) => {
                    let (x, algorithm) = (describe(0)?, softmax(*algorithm));
                    table.softmax_forward(handle, one, x.raw, at(0), zero, x.raw, at(1), algorithm, CHANNEL)
                }
                Operation::SoftmaxGradient(algorithm) => {
                    let (y, algorithm) = (describe(0)?, softmax(*algorithm));
                    let y = y.raw;
                    table.softmax_backward(handle, one, y, at(0), y, at(1), zero, y, at(2), algorithm, CHANNEL)
                }
                Operation::Pooling(window) => {
                    let (window, x, y) = (describe_pooling(table, window)?, describe(0)?, describe(1)?);
                    table.pooling_forward(handle, window.raw, one, x.raw, at(0), zero, y.raw, at(1), false, 0, 0)
                }
                Operation::Convolution(pass, convolution) => {
                    let [a, b, out] = ordered(*pass, tensors);
                    let describe = |tensor| describe_tensor(table, tensor);
                    let (a_raw, b_raw, out_raw) = (describe(a)?, describe(b)?, describe(out)?);
                    let described = describe_convolution(table, convolution)?;
                    macro_rules! queue {
                        ($function:ident) => {
                            table.$function(
                                handle,
                                one,
                                a_raw.raw,
                                a.ptr,
                                b_raw.raw,
                                b.ptr,
                                described.raw,
                                choice.algorithm,
                                zero,
                                out_raw.raw,
                                out.ptr,
                                scratch,
                                choice.scratch,
                            )
                        };
                    }
                    match pass {
                        Pass::Forward => queue!(convolution_forward),
                        Pass::Data => queue!(convolution_data),
                        Pass::Filter => queue!(convolution_filter),
                    }
                }
                Operation::Normalization { .. }
                | Operation::NormalizationInference { .. }
                | Operation::NormalizationGradient { .. } => {
                    NORMALIZATIONS.queue(table, handle, operation, describe, at, (zero, one))
                }
                Operation::PoolingGradient(_) => lacks("gradients of pooling"),
                Operation::DropoutSeed(_) | Operation::Dropout(_) | Operation::DropoutGradient(_) => lacks("dropout"),
                Operation::Recurrent(_) | Operation::RecurrentData(_) | Operation::RecurrentWeights(_) => {
                    lacks("recurrent networks")
                }
            }
        }
    }
}

/// Opens MIOpen and makes a handle.
pub(crate) fn open(driver: &'static Driver, primary: Primary) -> Result<Arc<dyn Dnn>> {
    let _capturing = Unrestricted::enter(driver);
    let table = MiopenTable::new(KIND.open()?);
    // SAFETY: the context is current; MIOpen writes one handle.
    let handle = OwnHandle::new(driver, primary, |made| unsafe { table.create(made) })?;
    Ok(Arc::new(Miopen { table, handle, choices: Choices::default() }))
}
