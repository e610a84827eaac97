//! The compiled half of the Python package: classes and functions over `core`, with NumPy's semantics at the edge.
//!
//! Python code in the package around it writes compositions; what runs in a hot path is here. Nothing is opened on
//! import: the first operation that needs a device asks the registry of backends for one.

mod arguments;
mod device;
mod dlpack;
mod dtypes;
mod errors;
mod functions;
mod interop;
mod memory;
mod ndarray;
mod reductions;
mod scalars;
mod stream;
mod ufunc;
mod wait;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// The package `cuproxide`, imported when first needed.
fn package(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    static PACKAGE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = PACKAGE.get_or_try_init(py, || py.import("cuproxide").map(Bound::unbind))?;
    Ok(module.bind(py).clone())
}

/// A module of the package.
fn submodule<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyModule>> {
    py.import(format!("cuproxide.{name}"))
}

/// Drops arrays that only reference cycles keep alive, when a pool is out of memory.
fn collect_garbage() {
    Python::attach(|py| {
        let collected = py.import("gc").and_then(|gc| gc.call_method0("collect"));
        if let Err(error) = collected {
            error.write_unraisable(py, None);
        }
    });
}

#[pymodule(gil_used = false)]
fn _cuproxide(module: &Bound<'_, PyModule>) -> PyResult<()> {
    cuproxide_core::context::set_default_device(cuproxide_backends::default_device);
    cuproxide_core::memory::set_pressure_hook(collect_garbage);
    cuproxide_core::dispatch::set_detach(|work| Python::attach(|py| py.detach(work)));
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    errors::register(module)?;

    module.add_class::<ndarray::NdArray>()?;
    module.add_class::<ndarray::Flags>()?;
    module.add_class::<ufunc::PyUfunc>()?;
    module.add_class::<device::Device>()?;
    module.add_class::<stream::Stream>()?;
    module.add_class::<stream::Event>()?;
    module.add_class::<memory::Memory>()?;
    module.add_class::<memory::MemoryPointer>()?;
    module.add_class::<memory::MemoryPool>()?;
    ufunc::document(module.py())?;
    register_functions(module)
}

fn register_functions(module: &Bound<'_, PyModule>) -> PyResult<()> {
    macro_rules! add {
        ($($function:path),* $(,)?) => { $(module.add_function(wrap_pyfunction!($function, module)?)?;)* };
    }
    add!(
        functions::array,
        functions::asnumpy,
        functions::from_dlpack,
        functions::from_capsule,
        functions::empty,
        functions::zeros,
        functions::full,
        functions::empty_like,
        functions::zeros_like,
        functions::full_like,
        functions::arange,
        functions::reduce,
        functions::accumulate,
        functions::concatenate,
        functions::matmul,
        functions::r#where,
        functions::clip,
        functions::take_function,
        functions::put_function,
        functions::scatter,
        functions::nonzero_function,
        functions::sort,
        functions::argsort_function,
        functions::copyto,
        functions::broadcast_to,
        functions::broadcast_shapes,
        functions::as_strided,
        functions::expand_dims,
        functions::moveaxis,
        functions::may_share_memory,
        functions::normalize_one_axis,
        functions::normalize_all_axes,
        functions::dtype,
        functions::promote_types,
        functions::result_type,
        functions::can_cast,
        functions::host_transfers,
        functions::set_fault_plan,
        functions::fault_counts,
        ndarray::rebuild,
        ufunc::ufuncs,
        ufunc::ufunc_named,
        device::available_devices,
        device::device_count,
        device::backends,
        device::reports,
        stream::external_stream,
        stream::get_current_stream,
        stream::get_elapsed_time,
        memory::alloc,
        memory::unowned_memory,
        memory::get_default_memory_pool,
        memory::get_default_pinned_memory_pool,
    );
    Ok(())
}
