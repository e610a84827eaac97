//! Layers of neural networks. Every operation is plain data with its tensors in a fixed order, inputs first; images have
//! their channels at axis 1, whatever their strides.

use crate::{DType, Result, Stream};

/// An array as a library sees it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tensor {
    /// Address of the first element.
    pub ptr: u64,
    /// Type of the elements.
    pub dtype: DType,
    /// Lengths.
    pub shape: Vec<usize>,
    /// Elements from one position to the next.
    pub strides: Vec<isize>,
}

/// Activation functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Activation {
    /// `1 / (1 + exp(-x))`.
    Sigmoid,
    /// `max(x, 0)`.
    Relu,
    /// `tanh(x)`.
    Tanh,
    /// `min(max(x, 0), coefficient)`.
    ClippedRelu,
    /// `x`, or `coefficient * (exp(x) - 1)` below zero.
    Elu,
    /// `x / (1 + exp(-x))`.
    Swish,
}

/// How softmax is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Softmax {
    /// Exponentials as they are.
    Fast,
    /// Less the maximum first.
    Accurate,
    /// The logarithm of it.
    Log,
}

/// What becomes of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pooling {
    /// Its maximum.
    Max,
    /// Its mean, padding counting as zeros.
    MeanWithPadding,
    /// Its mean without padding.
    Mean,
    /// Its maximum; the gradient has the same bits each time.
    MaxDeterministic,
}

/// Windows over the spatial axes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    /// What becomes of one.
    pub kind: Pooling,
    /// Lengths.
    pub lengths: Vec<usize>,
    /// Positions from one to the next.
    pub strides: Vec<usize>,
    /// Padding on both sides.
    pub padding: Vec<usize>,
}

/// What is computed of a convolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pass {
    /// Images, filters: the result.
    Forward,
    /// Filters, gradient for the result: that for the images.
    Data,
    /// Images, gradient for the result: that for the filters.
    Filter,
}

/// A cross-correlation of images with filters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Convolution {
    /// Padding on both sides.
    pub padding: Vec<usize>,
    /// Positions from one result to the next.
    pub strides: Vec<usize>,
    /// Positions from one element of a filter to the next.
    pub dilation: Vec<usize>,
    /// Parts that the channels are split into.
    pub groups: usize,
    /// Whether products may be rounded to less than the type has.
    pub tensor_cores: bool,
    /// Whether algorithms are measured.
    pub search: bool,
    /// Whether the same bits are wanted each time.
    pub deterministic: bool,
    /// Most bytes of scratch memory.
    pub limit: usize,
}

/// Kinds of recurrent networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    /// Plain, with ReLU.
    Relu,
    /// Plain, with tanh.
    Tanh,
    /// Long short-term memory.
    Lstm,
    /// Gated recurrent units.
    Gru,
}

impl Cell {
    /// Matrices for the input of a layer, and as many for the state.
    pub const fn gates(self) -> usize {
        match self {
            Cell::Relu | Cell::Tanh => 1,
            Cell::Lstm => 4,
            Cell::Gru => 3,
        }
    }
}

/// A recurrent network over packed sequences.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// Its kind.
    pub cell: Cell,
    /// 1, or 2 for both directions.
    pub directions: usize,
    /// Layers.
    pub layers: usize,
    /// Elements of an input.
    pub inputs: usize,
    /// Elements of a state.
    pub units: usize,
    /// Type of all elements.
    pub dtype: DType,
    /// How many sequences reach each step.
    pub sizes: Vec<usize>,
    /// The share of elements that is dropped between layers.
    pub dropout: f64,
    /// Whether gradients are wanted later.
    pub training: bool,
}

/// An operation. The tensors of each are listed in their order; those after the colon are written.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// x: y, with the coefficient.
    Activation(Activation, f64),
    /// y, gradient for it, x: gradient.
    ActivationGradient(Activation, f64),
    /// x: y, along axis 1.
    Softmax(Softmax),
    /// y, gradient for it: gradient.
    SoftmaxGradient(Softmax),
    /// x: y.
    Pooling(Window),
    /// y, gradient for it, x: gradient.
    PoolingGradient(Window),
    /// Two inputs: the result.
    Convolution(Pass, Convolution),
    /// x, scale, offset: y, running mean, running variance, mean, inverse of the standard deviation.
    Normalization {
        /// A mean for each element of an image, not only for each channel.
        per_activation: bool,
        /// Is added to the variance.
        epsilon: f64,
        /// The share of the new running averages that is this batch's.
        factor: f64,
    },
    /// x, scale, offset, mean, variance: y.
    NormalizationInference {
        /// As above.
        per_activation: bool,
        /// As above.
        epsilon: f64,
    },
    /// x, gradient for y, scale, mean, inverse of the standard deviation: gradients for x, scale, offset.
    NormalizationGradient {
        /// As above.
        per_activation: bool,
        /// As above.
        epsilon: f64,
    },
    /// Nothing: the states of a random sequence.
    DropoutSeed(u64),
    /// x: states, y, reserve.
    Dropout(f64),
    /// Gradient for y, states, reserve: gradient.
    DropoutGradient(f64),
    /// Inputs, states, cells, weights: dropout states, results, last states, last cells, reserve.
    Recurrent(Network),
    /// States, cells, weights, results, gradients for results, last states and last cells: dropout states, gradients for
    /// inputs, states and cells, reserve.
    RecurrentData(Network),
    /// Inputs, states, results: dropout states, gradient for the weights (zeros before), reserve.
    RecurrentWeights(Network),
}

impl Operation {
    /// How many tensors there are, and how many of them, the last ones, are written.
    pub const fn tensors(&self) -> (usize, usize) {
        match self {
            Operation::Activation(..) | Operation::Softmax(_) | Operation::Pooling(_) => (2, 1),
            Operation::ActivationGradient(..) | Operation::PoolingGradient(_) => (4, 1),
            Operation::SoftmaxGradient(_) | Operation::Convolution(..) => (3, 1),
            Operation::Normalization { .. } => (8, 5),
            Operation::NormalizationInference { .. } => (6, 1),
            Operation::NormalizationGradient { .. } => (8, 3),
            Operation::DropoutSeed(_) => (1, 1),
            Operation::Dropout(_) => (4, 3),
            Operation::DropoutGradient(_) => (4, 1),
            Operation::Recurrent(_) => (9, 5),
            Operation::RecurrentData(_) => (12, 5),
            Operation::RecurrentWeights(_) => (6, 3),
        }
    }
}

/// How an operation is run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The library's number of an algorithm.
    pub algorithm: i32,
    /// The library's number of a way to round.
    pub math: i32,
    /// Bytes of scratch memory.
    pub scratch: usize,
}

/// Bytes that a program keeps for a library.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// States of a random sequence, or the weights of a network.
    pub states: usize,
    /// What a forward pass keeps for its gradients.
    pub reserve: usize,
}

/// A library of layers.
pub trait Dnn: Send + Sync {
    /// Version, as major * 10000 + minor * 100 + patch level.
    fn version(&self) -> Result<usize>;

    /// The memory that a dropout of a tensor (or of none yet) needs.
    fn dropout_sizes(&self, x: Option<&Tensor>) -> Result<Sizes>;

    /// The memory that a network needs.
    fn network_sizes(&self, network: &Network) -> Result<Sizes>;

    /// Where the weights of a network lie, in elements: the matrix and the bias of each number of each layer and direction.
    fn network_places(&self, network: &Network) -> Result<Vec<(usize, usize)>>;

    /// Whether [`Dnn::choose`] would measure algorithms for this call, for which it needs its limit of scratch memory.
    fn searches(&self, operation: &Operation, tensors: &[Tensor]) -> bool;

    /// How to run an operation. `search` is memory to measure algorithms in, which overwrites what the operation writes.
    ///
    /// # Safety
    /// Tensors are memory of their shapes, and `search` an address with so many bytes.
    unsafe fn choose(
        &self,
        stream: &dyn Stream,
        operation: &Operation,
        tensors: &[Tensor],
        search: Option<(u64, usize)>,
    ) -> Result<Choice>;

    /// Queues an operation.
    ///
    /// # Errors
    /// [`crate::Error::Unsupported`] for what the library does not compute; nothing has been written then.
    ///
    /// # Safety
    /// Tensors are memory of their shapes, and `scratch` has as many bytes as the choice says.
    unsafe fn run(
        &self,
        stream: &dyn Stream,
        operation: &Operation,
        tensors: &[Tensor],
        choice: Choice,
        scratch: u64,
    ) -> Result<()>;
}
