//! The class `ufunc`, one object for each row of the core's table: what it tells of itself is here, the rest in a file a
//! subject.

mod call;
mod methods;
mod protocol;
mod types;

pub use protocol::dispatch;

use cuproxide_core::ufunc::{self as table, Identity, Ufunc};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{Failure, Result};

/// A function that works element by element, as `numpy.ufunc`.
#[pyclass(name = "ufunc", module = "cuproxide", frozen)]
pub struct PyUfunc {
    row: &'static Ufunc,
}

impl PyUfunc {
    fn operands(&self) -> usize {
        self.row.nin + self.row.nout
    }

    fn type_list(&self) -> impl Iterator<Item = String> {
        self.row.loops.iter().map(ToString::to_string)
    }

    /// What the function computes, and its signature.
    fn documentation(&self) -> String {
        let names = ["x1", "x2", "x3", "x4"];
        let operands = if self.row.nin == 1 { "x".to_owned() } else { names[..self.row.nin.min(4)].join(", ") };
        let example = Python::attach(|py| -> PyResult<String> {
            crate::submodule(py, "_examples")?.call_method1("of", (self.row.name,))?.extract()
        });
        format!(
            "{}({operands}, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None)\n\n{}\n\nSee \
             ``numpy.{}``.\n\n{}",
            self.row.name,
            self.row.doc,
            self.row.name,
            example.unwrap_or_default()
        )
    }
}

#[pymethods]
impl PyUfunc {
    #[getter(__name__)]
    fn dunder_name(&self) -> &'static str {
        self.row.name
    }

    #[getter(__qualname__)]
    fn qualified_name(&self) -> &'static str {
        self.row.name
    }

    /// Name, with the package in front as CuPy has it.
    #[getter]
    fn name(&self) -> String {
        format!("cuproxide_{}", self.row.name)
    }

    /// Number of inputs.
    #[getter]
    fn nin(&self) -> usize {
        self.row.nin
    }

    /// Number of outputs.
    #[getter]
    fn nout(&self) -> usize {
        self.row.nout
    }

    /// Number of inputs and outputs.
    #[getter]
    fn nargs(&self) -> usize {
        self.operands()
    }

    /// Number of loops.
    #[getter]
    fn ntypes(&self) -> usize {
        self.row.loops.len()
    }

    /// The loops as type letters.
    #[getter]
    fn types(&self) -> Vec<String> {
        self.type_list().collect()
    }

    /// The neutral element.
    #[getter]
    fn identity<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        Ok(match self.row.identity {
            None => py.None().into_bound(py),
            Some(Identity::Bool(value)) => value.into_bound_py_any(py)?,
            Some(Identity::Int(value)) => value.into_bound_py_any(py)?,
            Some(Identity::NegativeInfinity) => f64::NEG_INFINITY.into_bound_py_any(py)?,
        })
    }

    /// Always `None`: the function works on single elements.
    #[getter(signature)]
    fn core_signature(&self) -> Option<&'static str> {
        None
    }

    /// The arguments of a call, for `inspect.signature`.
    #[getter(__signature__)]
    fn call_signature<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        Ok(crate::submodule(slf.py(), "_members")?.call_method1(intern!(slf.py(), "ufunc_signature"), (slf,))?)
    }

    fn __repr__(&self) -> String {
        format!("<ufunc '{}'>", self.row.name)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<(Bound<'py, PyAny>, (&'static str,))> {
        Ok((py.import("cuproxide._cuproxide")?.getattr("_ufunc")?, (self.row.name,)))
    }
}

/// Gives each ufunc its own text and the class another, which a plain attribute of the class cannot.
#[pyclass(module = "cuproxide", frozen)]
struct Documentation;

#[pymethods]
impl Documentation {
    fn __get__(&self, instance: &Bound<'_, PyAny>, _owner: &Bound<'_, PyAny>) -> String {
        match instance.cast::<PyUfunc>() {
            Ok(ufunc) => ufunc.get().documentation(),
            Err(_) => "A function that works element by element, as ``numpy.ufunc``.".to_owned(),
        }
    }
}

/// Makes `__doc__` that of the object where there is one.
pub fn document(py: Python<'_>) -> PyResult<()> {
    py.get_type::<PyUfunc>().setattr(intern!(py, "__doc__"), Bound::new(py, Documentation)?)
}

/// Every ufunc by name, aliases included; those that are not NumPy's have a `_` in front.
#[pyfunction]
pub fn ufuncs(py: Python<'_>) -> Result<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    for row in table::table() {
        let object = Bound::new(py, PyUfunc { row })?;
        for name in row.aliases.iter().chain([&row.name]) {
            if row.public {
                all.set_item(name, &object)?;
            } else {
                all.set_item(format!("_{name}"), &object)?;
            }
        }
    }
    Ok(all)
}

/// The ufunc of a name, for pickles.
#[pyfunction]
#[pyo3(name = "_ufunc")]
pub fn ufunc_named<'py>(py: Python<'py>, name: &str) -> Result<Bound<'py, PyAny>> {
    let public = crate::package(py)?.getattr_opt(name)?.filter(PyAnyMethods::is_instance_of::<PyUfunc>);
    match (public, table::get(name)) {
        (Some(ufunc), _) => Ok(ufunc),
        (None, Some(row)) => Ok(Bound::new(py, PyUfunc { row })?.into_any()),
        (None, None) => Err(Failure::from(PyTypeError::new_err(format!("there is no ufunc {name}")))),
    }
}
