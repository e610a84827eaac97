//! What Rust calls of the Python package: every module and attribute, named once and looked up when it is called.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

/// A function or a class of a module of the package.
pub struct Named {
    module: &'static str,
    name: &'static str,
}

const fn named(module: &'static str, name: &'static str) -> Named {
    Named { module, name }
}

/// The protocol `__array_function__`.
pub const ARRAY_FUNCTION: Named = named("cuproxide._protocols.dispatch", "array_function");
/// `ufunc.at` for operands that no atomic update serves.
pub const UFUNC_AT: Named = named("cuproxide._protocols.dispatch", "ufunc_at");
/// `ufunc.reduceat`.
pub const UFUNC_REDUCEAT: Named = named("cuproxide._protocols.dispatch", "ufunc_reduceat");
/// The help text of a ufunc.
pub const UFUNC_TEXT: Named = named("cuproxide._texts.docstrings", "of_ufunc");
/// The signature of a ufunc, for `inspect`.
pub const UFUNC_SIGNATURE: Named = named("cuproxide._protocols.members", "ufunc_signature");
/// `ndarray.ctypes`.
pub const CTYPES: Named = named("cuproxide._protocols.members", "CTypes");
/// An array in a notebook.
pub const ARRAY_HTML: Named = named("cuproxide._tools.notebook", "array_html");
/// The pieces of a long copy, with a display of how far it is.
pub const PIECES: Named = named("cuproxide._tools.progress", "pieces");
/// Whether an object is about structured data.
pub const CONCERNS_RECORDS: Named = named("cuproxide._records", "concerns");
/// An array of a structured dtype in host memory.
pub const RECORDS_TO_HOST: Named = named("cuproxide._records", "to_host");
/// Raises unless an array holds the values of the one that it was cast from.
pub const CHECK_SAME_VALUES: Named = named("cuproxide._lib.conversions", "check_same_values");
/// Variances in a type that the device does not compute in.
pub const SPREAD_IN_STEPS: Named = named("cuproxide._routines.spread", "spread_in_steps");
/// Gives up what the package keeps for later calls.
pub const RELEASE_KEPT: Named = named("cuproxide._lib.kept", "release");
/// How an array is pickled.
pub const REBUILD: Named = named("cuproxide._cuproxide", "_rebuild");
/// How a ufunc is pickled.
pub const UFUNC: Named = named("cuproxide._cuproxide", "_ufunc");

/// The modules whose members Rust finds by names that programs give.
pub const RECORDS: &str = "cuproxide._records";
/// The public ufuncs of SciPy.
pub const SPECIAL: &str = "cuproxide.scipy.special";

impl Named {
    /// The object itself.
    pub fn get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import(self.module)?.getattr(self.name)
    }

    /// Calls it.
    pub fn call<'py, A>(&self, py: Python<'py>, arguments: A) -> PyResult<Bound<'py, PyAny>>
    where
        A: IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
    {
        self.get(py)?.call1(arguments.into_pyobject(py)?)
    }
}

/// The package `cuproxide`, imported when first needed: its public functions are found by the names of methods.
pub fn package(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    static PACKAGE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = PACKAGE.get_or_try_init(py, || py.import("cuproxide").map(Bound::unbind))?;
    Ok(module.bind(py).clone())
}
