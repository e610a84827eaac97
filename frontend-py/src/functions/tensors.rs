//! Operations on tensors with labels, for the Python module that gives them their names.

use cuproxide_core::ops::library::library;
use cuproxide_core::ops::tensors::{Place, Request};
use cuproxide_core::{Array, Context};
use cuproxide_hal::libraries::{Libraries, TensorCompute, TensorOperation as Below, TensorSpec, TensorWorkspace};
use pyo3::prelude::*;

use crate::errors::{Result, value_error};
use crate::{arguments, dtypes, wait};

/// An operation on arrays whose axes carry labels.
#[pyclass(frozen, module = "cuproxide._cuproxide")]
pub struct TensorOperation(Request);

/// Where an array lies: dtype, shape, strides in bytes, alignment of its address.
type Layout<'py> = (Bound<'py, PyAny>, Vec<usize>, Vec<isize>, u32);

fn compute(number: i32) -> Result<TensorCompute> {
    Ok(match number {
        1 => TensorCompute::F16,
        4 => TensorCompute::F32,
        16 => TensorCompute::F64,
        1024 => TensorCompute::Bf16,
        4096 => TensorCompute::Tf32,
        8192 => TensorCompute::ThreeTf32,
        other => return Err(value_error(format!("compute_desc={other} is not an arithmetic"))),
    })
}

#[pymethods]
impl TensorOperation {
    /// `kind` is "contraction", "reduction", "permutation", "binary" or "trinary"; `combine` holds the binary operators.
    /// `labels` and `operators` are those of each tensor, the result last. `limit` bounds the scratch bytes, and without it
    /// the library's estimate for `preference` does.
    #[new]
    #[pyo3(signature = (kind, combine, labels, operators, compute_number, algorithm=-1, compiling=0, limit=None, preference=2))]
    #[allow(clippy::too_many_arguments, reason = "all that a plan depends on")]
    fn __new__(
        kind: &str,
        combine: (i32, i32),
        labels: Vec<Vec<i32>>,
        operators: Vec<i32>,
        compute_number: i32,
        algorithm: i32,
        compiling: i32,
        limit: Option<u64>,
        preference: i32,
    ) -> Result<TensorOperation> {
        let operation = match kind {
            "contraction" => Below::Contraction,
            "reduction" => Below::Reduction { combine: combine.0 },
            "permutation" => Below::Permutation,
            "binary" => Below::Binary { combine: combine.0 },
            "trinary" => Below::Trinary { first: combine.0, last: combine.1 },
            other => return Err(value_error(format!("no operation {other:?} on tensors"))),
        };
        let workspace = limit.map_or(TensorWorkspace::Preference(preference), TensorWorkspace::Limit);
        let compute = compute(compute_number)?;
        Ok(TensorOperation(Request { operation, labels, operators, compute, algorithm, compiling, workspace }))
    }

    /// Prepares the operation on the current device for tensors that lie as said; the scratch bytes that it takes.
    fn prepare(&self, py: Python<'_>, layouts: Vec<Layout<'_>>) -> Result<usize> {
        let context = Context::current()?;
        let place = |(dtype, shape, strides, alignment): Layout<'_>| -> Result<Place> {
            Ok(Place { dtype: dtypes::parse(&dtype)?, shape, strides, alignment })
        };
        let places: Vec<Place> = layouts.into_iter().map(place).collect::<Result<_>>()?;
        wait::long(py, || self.0.prepare(&context, &places))
    }

    /// Queues the operation: the arrays that are read, the one that is written, and the factors as pairs of real and
    /// imaginary part.
    fn run(
        &self,
        py: Python<'_>,
        inputs: Vec<Bound<'_, PyAny>>,
        out: &Bound<'_, PyAny>,
        factors: Vec<(f64, f64)>,
    ) -> Result<()> {
        let mut arrays: Vec<Array> = vec![];
        for input in &inputs {
            arrays.push(arguments::array(input)?.clone());
        }
        arrays.push(arguments::owner(out)?.get().output()?.clone());
        // Planning may take long, and compile.
        wait::long(py, || self.0.run(&arrays, &factors))
    }
}

/// Versions of the library of the current device and of the run-time library that it was built with.
#[pyfunction]
pub fn tensor_versions() -> Result<(usize, usize)> {
    let context = Context::current()?;
    let library = library(&context, Libraries::tensors)?;
    Ok((library.version()?, library.runtime_version()?))
}

/// Whether the current device has such a library, and it can be opened.
#[pyfunction]
pub fn tensors_are_there() -> Result<bool> {
    Ok(library(&*Context::current()?, Libraries::tensors).is_ok())
}

/// Plans held, requests that found one, and those that did not, of the current device.
#[pyfunction]
pub fn tensor_plan_stats() -> Result<(usize, usize, usize)> {
    let stats = Context::current()?.plans::<TensorSpec>().stats();
    Ok((stats.size, stats.hits, stats.misses))
}

/// Gives up the plans that are held.
#[pyfunction]
pub fn clear_tensor_plans(py: Python<'_>) -> Result<()> {
    let plans = Context::current()?.plans::<TensorSpec>();
    wait::detached(py, || plans.clear());
    Ok(())
}
