//! Layers of neural networks by cuDNN.

mod convolution;
mod descriptors;
mod factors;
mod recurrent;

use std::ffi::c_int;
use std::sync::Arc;

use cuproxide_gpu::choices::Choices;
use cuproxide_gpu::graph::{self, Unrestricted};
use cuproxide_gpu::layers::Normalizations;
use cuproxide_gpu::own_handle::{OwnHandle, Turn};
use cuproxide_gpu::{Driver, Primary};
use cuproxide_hal::libraries::dnn::{Activation, Choice, Dnn, Network, Operation, Sizes, Softmax, Tensor};
use cuproxide_hal::{Error, Result, Stream};

use crate::api::cudnn::{CudnnTable, Factor, WANTED};
use crate::places;
use factors::Factors;

/// Softmax over axis 1.
const CHANNEL: c_int = 1;

const NORMALIZATIONS: Normalizations<CudnnTable, Factor> = Normalizations {
    training: CudnnTable::normalization_training,
    inference: CudnnTable::normalization_inference,
    gradient: CudnnTable::normalization_backward,
};

/// cuDNN for one device.
pub(crate) struct Cudnn {
    table: CudnnTable,
    handle: OwnHandle,
    choices: Choices,
}

impl Cudnn {
    /// Opens the library and makes a handle.
    pub fn new(driver: &'static Driver, primary: Primary) -> Result<Cudnn> {
        let table = CudnnTable::new(places::of_process().open(&WANTED)?);
        // SAFETY: the context is current; cuDNN writes one handle.
        let handle = OwnHandle::new(driver, primary, |made| unsafe { table.create(made) })?;
        Ok(Cudnn { table, handle, choices: Choices::default() })
    }

    /// The handle, for calls that queue their work on a stream.
    fn on(&self, stream: Option<&dyn Stream>) -> Result<Turn<'_>> {
        self.handle.take_turn(|handle| match stream {
            // SAFETY: both live.
            Some(stream) => unsafe { self.table.set_stream(handle, stream.raw()) },
            None => Ok(()),
        })
    }
}

fn activation(function: Activation) -> c_int {
    match function {
        Activation::Sigmoid => 0,
        Activation::Relu => 1,
        Activation::Tanh => 2,
        Activation::ClippedRelu => 3,
        Activation::Elu => 4,
        Activation::Swish => 6,
    }
}

fn softmax(algorithm: Softmax) -> c_int {
    match algorithm {
        Softmax::Fast => 0,
        Softmax::Accurate => 1,
        Softmax::Log => 2,
    }
}

impl Dnn for Cudnn {
    fn version(&self) -> Result<usize> {
        Ok(self.table.version())
    }

    fn dropout_sizes(&self, x: Option<&Tensor>) -> Result<Sizes> {
        let mut sizes = Sizes::default();
        let handle = self.on(None)?;
        // SAFETY: the library writes numbers.
        unsafe {
            match x {
                Some(x) => {
                    let x = descriptors::tensor(&self.table, x)?;
                    self.table.dropout_reserve(x.raw, &mut sizes.reserve)?;
                }
                None => self.table.dropout_states(handle.raw(), &mut sizes.states)?,
            }
        }
        Ok(sizes)
    }

    fn network_sizes(&self, network: &Network) -> Result<Sizes> {
        let handle = self.on(None)?;
        recurrent::sizes(&self.table, handle.raw(), network).map(|(sizes, _)| sizes)
    }

    fn network_places(&self, network: &Network) -> Result<Vec<(usize, usize)>> {
        let handle = self.on(None)?;
        recurrent::places(&self.table, handle.raw(), network)
    }

    fn searches(&self, operation: &Operation, tensors: &[Tensor]) -> bool {
        // Measuring waits for the device, which a capture does not allow.
        let searches = matches!(operation, Operation::Convolution(_, convolution) if convolution.search);
        searches && !graph::any_open() && self.choices.get(operation, tensors).is_none()
    }

    unsafe fn choose(
        &self,
        stream: &dyn Stream,
        operation: &Operation,
        tensors: &[Tensor],
        search: Option<(u64, usize)>,
    ) -> Result<Choice> {
        if let Some(choice) = self.choices.get(operation, tensors) {
            return Ok(choice);
        }
        let choice = match operation {
            Operation::Convolution(pass, convolution) => {
                let handle = self.on(Some(stream))?;
                // SAFETY: the caller's promise.
                unsafe { convolution::choose(&self.table, handle.raw(), *pass, convolution, tensors, search) }?
            }
            Operation::Recurrent(network)
            | Operation::RecurrentData(network)
            | Operation::RecurrentWeights(network) => {
                let handle = self.on(None)?;
                let (_, scratch) = recurrent::sizes(&self.table, handle.raw(), network)?;
                return Ok(Choice { scratch, ..Choice::default() });
            }
            _ => return Ok(Choice::default()),
        };
        // An estimate in place of a measurement, as during a capture, is not kept.
        let is_estimate = matches!(operation, Operation::Convolution(_, convolution) if convolution.search);
        if !is_estimate || search.is_some() {
            self.choices.keep(operation, tensors, choice);
        }
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
        let handle = self.on(Some(stream))?;
        let handle = handle.raw();
        let factors = Factors::of(tensors[0].dtype);
        let (zero, one) = (factors.zero(), factors.one());
        let at = |number: usize| tensors[number].ptr;
        let describe = |number: usize| descriptors::tensor(table, &tensors[number]);
        // SAFETY: the caller's promise; descriptors and factors outlive the calls, which read them at once.
        unsafe {
            match operation {
                Operation::Activation(function, coefficient) => {
                    let (function, x) =
                        (descriptors::activation(table, activation(*function), *coefficient)?, describe(0)?);
                    table.activation_forward(handle, function.raw, one, x.raw, at(0), zero, x.raw, at(1))
                }
                Operation::ActivationGradient(function, coefficient) => {
                    let (function, x) =
                        (descriptors::activation(table, activation(*function), *coefficient)?, describe(0)?);
                    let x = x.raw;
                    table.activation_backward(handle, function.raw, one, x, at(0), x, at(1), x, at(2), zero, x, at(3))
                }
                Operation::Softmax(algorithm) => {
                    let x = describe(0)?;
                    table.softmax_forward(handle, softmax(*algorithm), CHANNEL, one, x.raw, at(0), zero, x.raw, at(1))
                }
                Operation::SoftmaxGradient(algorithm) => {
                    let (algorithm, y) = (softmax(*algorithm), describe(0)?);
                    let y = y.raw;
                    table.softmax_backward(handle, algorithm, CHANNEL, one, y, at(0), y, at(1), zero, y, at(2))
                }
                Operation::Pooling(window) => {
                    let (window, x, y) = (descriptors::pooling(table, window)?, describe(0)?, describe(1)?);
                    table.pooling_forward(handle, window.raw, one, x.raw, at(0), zero, y.raw, at(1))
                }
                Operation::PoolingGradient(window) => {
                    let (window, y, x) = (descriptors::pooling(table, window)?, describe(0)?, describe(2)?);
                    let (y, x) = (y.raw, x.raw);
                    table.pooling_backward(handle, window.raw, one, y, at(0), y, at(1), x, at(2), zero, x, at(3))
                }
                Operation::Convolution(pass, convolution) => {
                    convolution::run(table, handle, *pass, convolution, tensors, choice, scratch)
                }
                Operation::Normalization { .. }
                | Operation::NormalizationInference { .. }
                | Operation::NormalizationGradient { .. } => {
                    NORMALIZATIONS.queue(table, handle, operation, describe, at, (zero, one))
                }
                Operation::DropoutSeed(seed) => {
                    // The first descriptor of states makes them, of no use later.
                    let dropout = descriptors::dropout(table, handle, 0.0, None)?;
                    let bytes = tensors[0].shape.iter().product();
                    table.dropout_set(dropout.raw, handle, 0.0, at(0), bytes, *seed)
                }
                Operation::Dropout(ratio) => {
                    let (dropout, x) = (descriptors::dropout(table, handle, *ratio, Some(&tensors[1]))?, describe(0)?);
                    let bytes = tensors[3].shape.iter().product();
                    table.dropout_forward(handle, dropout.raw, x.raw, at(0), x.raw, at(2), at(3), bytes)
                }
                Operation::DropoutGradient(ratio) => {
                    let (dropout, x) = (descriptors::dropout(table, handle, *ratio, Some(&tensors[1]))?, describe(0)?);
                    let bytes = tensors[2].shape.iter().product();
                    table.dropout_backward(handle, dropout.raw, x.raw, at(0), x.raw, at(3), at(2), bytes)
                }
                Operation::Recurrent(network) => recurrent::forward(table, handle, network, tensors, choice, scratch),
                Operation::RecurrentData(network) => recurrent::data(table, handle, network, tensors, choice, scratch),
                Operation::RecurrentWeights(network) => {
                    recurrent::weights(table, handle, network, tensors, choice, scratch)
                }
            }
        }
    }
}

/// Opens cuDNN, if it is one that has these functions.
pub(crate) fn open(driver: &'static Driver, primary: Primary) -> Result<Arc<dyn Dnn>> {
    let _capturing = Unrestricted::enter(driver);
    let made = Cudnn::new(driver, primary)?;
    match made.table.version() {
        version if version >= 90000 => Ok(Arc::new(made)),
        version => Err(Error::unsupported("cuda", format!("cuDNN {version}, which is older than 9"))),
    }
}
