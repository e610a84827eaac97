//! The class `ufunc`, one object for each row of the core's table: what it tells of itself is here, the rest in a file a
//! subject.

mod call;
mod methods;
mod protocol;
mod types;

pub use protocol::dispatch;

use cuproxide_core::ufunc::{self as table, Domain, Home, Identity, Ufunc};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::errors::{Failure, Result, value_error};
use crate::package;

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
        let row = self.row;
        let origin = match row.home {
            Home::Special => "scipy.special",
            Home::NumPy | Home::Internal => "numpy",
        };
        let made = Python::attach(|py| -> PyResult<String> {
            let told = (row.name, row.nin, row.nout, row.doc, row.source, origin);
            package::UFUNC_TEXT.call(py, told)?.extract()
        });
        made.unwrap_or_else(|_| row.doc.to_owned())
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
        match self.row.home {
            Home::Special => format!("cuproxide_scipy_special_{}", self.row.name),
            Home::NumPy | Home::Internal => format!("cuproxide_{}", self.row.name),
        }
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
        Ok(package::UFUNC_SIGNATURE.call(slf.py(), (slf,))?)
    }

    fn __repr__(&self) -> String {
        format!("<ufunc '{}'>", self.row.name)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (name, home) = (self.row.name, self.row.home);
        // A name alone is what pickles of NumPy's have always had.
        let arguments = match home {
            Home::Special => PyTuple::new(py, [name, home.name()])?,
            Home::NumPy | Home::Internal => PyTuple::new(py, [name])?,
        };
        Ok((package::UFUNC.get(py)?, arguments))
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

/// The ufuncs of a home by name, aliases included. Of "numpy" are also those that other functions are made of, with a `_` in
/// front.
#[pyfunction]
#[pyo3(signature = (home="numpy"))]
pub fn ufuncs<'py>(py: Python<'py>, home: &str) -> Result<Bound<'py, PyDict>> {
    let home = parse_home(home)?;
    let all = PyDict::new(py);
    for row in table::table() {
        let prefix = match row.home {
            own if own == home => "",
            Home::Internal if home == Home::NumPy => "_",
            _ => continue,
        };
        let object = Bound::new(py, PyUfunc { row })?;
        for name in row.aliases.iter().chain([&row.name]) {
            all.set_item(format!("{prefix}{name}"), &object)?;
        }
    }
    Ok(all)
}

fn parse_home(name: &str) -> Result<Home> {
    let found = Home::ALL.into_iter().find(|home| home.name() == name);
    found.ok_or_else(|| value_error(format!("ufuncs are of numpy, special or internal, not {name:?}")))
}

/// The domains of the inputs as (low, high, whether the ends belong to it), and the source of the method.
type Facts = (Vec<(f64, f64, bool)>, &'static str);

/// What the table says of a ufunc's arguments and of its method.
#[pyfunction]
pub fn ufunc_facts(ufunc: &Bound<'_, PyUfunc>) -> Facts {
    let row = ufunc.get().row;
    let domains: &[Domain] = if row.domains.is_empty() { &vec![Domain::ALL; row.nin] } else { row.domains };
    (domains.iter().map(|domain| (domain.low, domain.high, domain.closed)).collect(), row.source)
}

/// The ufunc of a name, for pickles.
#[pyfunction]
#[pyo3(name = "_ufunc", signature = (name, home="numpy"))]
pub fn ufunc_named<'py>(py: Python<'py>, name: &str, home: &str) -> Result<Bound<'py, PyAny>> {
    let home = parse_home(home)?;
    let (module, row) = match home {
        Home::Special => (py.import(package::SPECIAL)?, table::find(home, name)),
        Home::NumPy | Home::Internal => (package::package(py)?, table::get(name)),
    };
    let public = module.getattr_opt(name)?.filter(PyAnyMethods::is_instance_of::<PyUfunc>);
    match (public, row) {
        (Some(ufunc), _) => Ok(ufunc),
        (None, Some(row)) => Ok(Bound::new(py, PyUfunc { row })?.into_any()),
        (None, None) => Err(Failure::from(PyTypeError::new_err(format!("there is no ufunc {name}")))),
    }
}
