//! The shared library that Python imports. Its compilation begins only when every crate below is done; what it holds is in
//! `cuproxide-py`, which is compiled beside the backends.

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
fn _cuproxide(module: &Bound<'_, PyModule>) -> PyResult<()> {
    cuproxide_py::fill(module)
}
