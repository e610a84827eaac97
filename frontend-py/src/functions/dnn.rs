//! Layers of neural networks by a device's library: what the module `cudnn` asks before it uses its own kernels.

use cuproxide_core::ops::dnn;
use cuproxide_core::{Array, Context};
use cuproxide_hal::DType;
use cuproxide_hal::libraries::dnn::{
    Activation, Cell, Convolution, Network, Operation, Pass, Pooling, Softmax, Window,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments;
use crate::errors::{Result, value_error};
use crate::wait;

/// The keywords of an operation.
struct Options<'a, 'py>(&'a Bound<'py, PyDict>);

impl<'py> Options<'_, 'py> {
    fn get<T: for<'a> FromPyObject<'a, 'py, Error = PyErr>>(&self, name: &str) -> Result<T> {
        match self.0.get_item(name)? {
            Some(value) => Ok(value.extract()?),
            None => Err(value_error(format!("the option {name} is missing"))),
        }
    }

    fn number<T: Copy>(&self, name: &str, table: &[T]) -> Result<T> {
        let number: usize = self.get(name)?;
        table.get(number).copied().ok_or_else(|| value_error(format!("{name}={number} is not known")))
    }

    fn activation(&self) -> Result<(Activation, f64)> {
        use Activation::{ClippedRelu, Elu, Relu, Sigmoid, Swish, Tanh};
        // 5 is the identity, which no library is asked for.
        let table = [Some(Sigmoid), Some(Relu), Some(Tanh), Some(ClippedRelu), Some(Elu), None, Some(Swish)];
        let function = self.number("mode", &table)?.ok_or_else(|| value_error("the identity is not an operation"))?;
        Ok((function, self.get("coef")?))
    }

    fn softmax(&self) -> Result<Softmax> {
        self.number("algorithm", &[Softmax::Fast, Softmax::Accurate, Softmax::Log])
    }

    /// Lengths, strides and padding of three axes, one after another; those of `axes` are wanted.
    fn window(&self, axes: usize) -> Result<Window> {
        let table = [Pooling::Max, Pooling::MeanWithPadding, Pooling::Mean, Pooling::MaxDeterministic];
        let numbers: Vec<usize> = self.get("window")?;
        if numbers.len() != 9 || !(1..=3).contains(&axes) {
            return Err(value_error("a window has nine numbers, for up to three axes"));
        }
        let part = |which: usize| numbers[which * 3 + 3 - axes..which * 3 + 3].to_vec();
        Ok(Window { kind: self.number("mode", &table)?, lengths: part(0), strides: part(1), padding: part(2) })
    }

    fn convolution(&self) -> Result<Convolution> {
        Ok(Convolution {
            padding: self.get("pad")?,
            strides: self.get("stride")?,
            dilation: self.get("dilation")?,
            groups: self.get("groups")?,
            tensor_cores: self.get("tensor_cores")?,
            search: self.get("search")?,
            deterministic: self.get("deterministic")?,
            limit: self.get("limit")?,
        })
    }

    fn network(&self) -> Result<Network> {
        let dtype: String = self.get("dtype")?;
        let optional = |name: &str| self.0.contains(name).unwrap_or(false);
        Ok(Network {
            cell: self.number("mode", &[Cell::Relu, Cell::Tanh, Cell::Lstm, Cell::Gru])?,
            directions: self.get("directions")?,
            layers: self.get("layers")?,
            inputs: self.get("inputs")?,
            units: self.get("units")?,
            dtype: DType::from_name(&dtype).ok_or_else(|| value_error(format!("{dtype} is not a dtype")))?,
            sizes: if optional("sizes") { self.get("sizes")? } else { vec![1] },
            dropout: if optional("ratio") { self.get("ratio")? } else { 0.0 },
            training: if optional("training") { self.get("training")? } else { true },
        })
    }
}

fn operation(name: &str, axes: usize, options: &Bound<'_, PyDict>) -> Result<Operation> {
    let options = Options(options);
    let per_activation = || options.get("per_activation");
    let epsilon = || options.get("eps");
    Ok(match name {
        "activation" => {
            options.activation().map(|(function, coefficient)| Operation::Activation(function, coefficient))?
        }
        "activation_gradient" => {
            options.activation().map(|(function, coefficient)| Operation::ActivationGradient(function, coefficient))?
        }
        "softmax" => Operation::Softmax(options.softmax()?),
        "softmax_gradient" => Operation::SoftmaxGradient(options.softmax()?),
        "pooling" => Operation::Pooling(options.window(axes)?),
        "pooling_gradient" => Operation::PoolingGradient(options.window(axes)?),
        "convolution" => Operation::Convolution(Pass::Forward, options.convolution()?),
        "convolution_data" => Operation::Convolution(Pass::Data, options.convolution()?),
        "convolution_filter" => Operation::Convolution(Pass::Filter, options.convolution()?),
        "normalization" => Operation::Normalization {
            per_activation: per_activation()?,
            epsilon: epsilon()?,
            factor: options.get("factor")?,
        },
        "normalization_inference" => {
            Operation::NormalizationInference { per_activation: per_activation()?, epsilon: epsilon()? }
        }
        "normalization_gradient" => {
            Operation::NormalizationGradient { per_activation: per_activation()?, epsilon: epsilon()? }
        }
        "dropout_seed" => Operation::DropoutSeed(options.get("seed")?),
        "dropout" => Operation::Dropout(options.get("ratio")?),
        "dropout_gradient" => Operation::DropoutGradient(options.get("ratio")?),
        "rnn" => Operation::Recurrent(options.network()?),
        "rnn_data" => Operation::RecurrentData(options.network()?),
        "rnn_weights" => Operation::RecurrentWeights(options.network()?),
        other => return Err(value_error(format!("there is no operation {other}"))),
    })
}

fn arrays(objects: &[Bound<'_, PyAny>]) -> Result<Vec<Array>> {
    objects.iter().map(|object| Ok(arguments::array(object)?.clone())).collect()
}

/// The version of the current device's library of neural networks; None if it has none, or if it is not installed.
#[pyfunction]
pub fn dnn_version(py: Python<'_>) -> Result<Option<usize>> {
    wait::long(py, || {
        let context = Context::current()?;
        Ok(dnn::library(&context)?.map(cuproxide_hal::libraries::Dnn::version).transpose()?)
    })
}

/// Has the library compute an operation on arrays, the last of which it writes; false if it does not compute this.
#[pyfunction]
pub fn dnn_run(
    py: Python<'_>,
    name: &str,
    operands: Vec<Bound<'_, PyAny>>,
    options: &Bound<'_, PyDict>,
) -> Result<bool> {
    let operands = arrays(&operands)?;
    let axes = operands.first().map_or(0, |array| array.ndim().saturating_sub(2));
    let operation = operation(name, axes, options)?;
    let operands: Vec<&Array> = operands.iter().collect();
    wait::long(py, || dnn::run(&operation, &operands))
}

/// Bytes of states or weights, and of the reserve, that "dropout" (of one array, or of none yet) or "rnn" needs; None without a
/// library, or where it does not compute this.
#[pyfunction]
pub fn dnn_sizes(
    py: Python<'_>,
    name: &str,
    operands: Vec<Bound<'_, PyAny>>,
    options: &Bound<'_, PyDict>,
) -> Result<Option<(usize, usize)>> {
    let operands = arrays(&operands)?;
    let network = if name == "rnn" { Some(Options(options).network()?) } else { None };
    wait::long(py, || {
        let context = Context::current()?;
        dnn::sizes(&context, network.as_ref(), operands.first())
    })
}

/// Where the library keeps the weights of a network: offsets of matrices and biases, in elements.
#[pyfunction]
pub fn dnn_rnn_places(py: Python<'_>, options: &Bound<'_, PyDict>) -> Result<Option<Vec<(usize, usize)>>> {
    let network = Options(options).network()?;
    wait::long(py, || {
        let context = Context::current()?;
        dnn::places(&context, &network)
    })
}
