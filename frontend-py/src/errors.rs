//! The one place where errors of the layers below become Python exceptions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cuproxide_core::Error;
use cuproxide_hal as hal;
use pyo3::exceptions::{
    PyAttributeError, PyImportError, PyIndexError, PyMemoryError, PyNotImplementedError, PyOverflowError,
    PyRuntimeError, PyTypeError, PyValueError,
};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};

use crate::raised;

/// The result of every fallible function of the front end.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// A Python exception that is about to be raised; made from the errors of every layer.
#[derive(Debug)]
pub struct Failure(PyErr);

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        failure.0
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Failure {
        Failure(error)
    }
}

impl<'a, 'py> From<pyo3::CastError<'a, 'py>> for Failure {
    fn from(error: pyo3::CastError<'a, 'py>) -> Failure {
        Failure(error.into())
    }
}

impl From<hal::Error> for Failure {
    fn from(error: hal::Error) -> Failure {
        Python::attach(|py| Failure(device_exception(py, &error).unwrap_or_else(|raised| raised)))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let message = error.to_string();
        Failure(match error {
            Error::Value(_) | Error::DeviceMismatch { .. } => PyValueError::new_err(message),
            Error::Type(_) => PyTypeError::new_err(message),
            Error::Index(_) => PyIndexError::new_err(message),
            Error::Overflow(_) => PyOverflowError::new_err(message),
            Error::Casting(_) => Python::attach(|py| casting_exception(py, message)),
            Error::Axis { axis, ndim } => Python::attach(|py| axis_exception(py, axis, ndim)),
            Error::OutOfMemory(_) => Python::attach(|py| {
                exceptions(py).map_or_else(|raised| raised, |own| own.raise(py, &own.out_of_memory, message))
            }),
            Error::Waits(_) => Python::attach(|py| {
                exceptions(py).map_or_else(|raised| raised, |own| own.raise(py, &own.synchronized, message))
            }),
            Error::Host(raised) => match raised.downcast_ref::<PyErr>() {
                Some(raised) => Python::attach(|py| raised.clone_ref(py)),
                None => PyRuntimeError::new_err(message),
            },
            Error::Hal(error) => return error.into(),
            _ => PyRuntimeError::new_err(message),
        })
    }
}

impl<'py> From<pyo3::CastIntoError<'py>> for Failure {
    fn from(error: pyo3::CastIntoError<'py>) -> Failure {
        Failure(error.into())
    }
}

/// What a function of the program raised, on its way through core.
pub fn host_error(raised: PyErr) -> Error {
    Error::Host(Arc::new(raised))
}

/// A `TypeError`.
pub fn type_error(message: impl Into<String>) -> Failure {
    Failure(PyTypeError::new_err(message.into()))
}

/// A `ValueError`.
pub fn value_error(message: impl Into<String>) -> Failure {
    Failure(PyValueError::new_err(message.into()))
}

/// An `IndexError`.
pub fn index_error(message: impl Into<String>) -> Failure {
    Failure(PyIndexError::new_err(message.into()))
}

/// An `OverflowError`.
pub fn overflow_error(message: impl Into<String>) -> Failure {
    Failure(PyOverflowError::new_err(message.into()))
}

/// A `RuntimeError`.
pub fn runtime_error(message: impl Into<String>) -> Failure {
    Failure(PyRuntimeError::new_err(message.into()))
}

/// An `AttributeError`.
pub fn attribute_error(message: impl Into<String>) -> Failure {
    Failure(PyAttributeError::new_err(message.into()))
}

/// A `KeyError`.
pub fn key_error(message: impl Into<String>) -> Failure {
    Failure(pyo3::exceptions::PyKeyError::new_err(message.into()))
}

/// A `BufferError`, which the DLPack protocol asks for.
pub fn buffer_error(message: impl Into<String>) -> Failure {
    Failure(pyo3::exceptions::PyBufferError::new_err(message.into()))
}

/// The exception types of the package itself.
struct Exceptions {
    device: Py<PyType>,
    unsupported: Py<PyType>,
    missing_library: Py<PyType>,
    compile: Py<PyType>,
    out_of_memory: Py<PyType>,
    synchronized: Py<PyType>,
}

impl Exceptions {
    fn new(py: Python<'_>) -> PyResult<Exceptions> {
        let runtime = py.get_type::<PyRuntimeError>();
        let class = |module: &str, name: &str, doc: &str, bases: Vec<Bound<'_, PyType>>| -> PyResult<Py<PyType>> {
            let namespace = PyDict::new(py);
            namespace.set_item("__module__", module)?;
            namespace.set_item("__doc__", doc)?;
            let made = py.get_type::<PyType>().call1((name, PyTuple::new(py, bases)?, namespace))?;
            Ok(made.cast_into::<PyType>()?.unbind())
        };
        let device =
            class("cuproxide", "DeviceError", "A call of a driver or vendor library failed.", vec![runtime.clone()])?;
        let unsupported = class(
            "cuproxide",
            "UnsupportedError",
            "The device lacks an optional ability.",
            vec![device.bind(py).clone(), py.get_type::<PyNotImplementedError>()],
        )?;
        let missing_library = class(
            "cuproxide",
            "MissingLibraryError",
            "A vendor library is not on this machine; the message lists each path tried and a hint.",
            vec![py.get_type::<PyImportError>(), runtime.clone()],
        )?;
        let compile = class(
            "cuproxide.cuda.compiler",
            "CompileError",
            "A kernel did not compile; `log` holds the compiler's words, `source` the text.",
            vec![runtime.clone()],
        )?;
        let synchronized = class(
            "cuproxide",
            "DeviceSynchronized",
            "A device would have been waited for within `allow_synchronize(False)`.",
            vec![runtime],
        )?;
        let out_of_memory = class(
            "cuproxide.cuda.memory",
            "OutOfMemoryError",
            "No device memory is left, or the pool's limit is reached.",
            vec![py.get_type::<PyMemoryError>()],
        )?;
        Ok(Exceptions { device, unsupported, missing_library, compile, out_of_memory, synchronized })
    }

    fn raise(&self, py: Python<'_>, class: &Py<PyType>, message: String) -> PyErr {
        PyErr::from_type(class.bind(py).clone(), message)
    }
}

static EXCEPTIONS: PyOnceLock<Exceptions> = PyOnceLock::new();

fn exceptions(py: Python<'_>) -> PyResult<&'static Exceptions> {
    EXCEPTIONS.get_or_try_init(py, || Exceptions::new(py))
}

// Codes of the run-time interface for errors that this library raises itself, on every backend.
const INVALID_DEVICE: i64 = 101;
const NOT_SUPPORTED: i64 = 801;
const CAPTURE_UNSUPPORTED: i64 = 900;

fn with_status(py: Python<'_>, raised: PyErr, status: i64) -> PyResult<PyErr> {
    raised.value(py).setattr("status", status)?;
    Ok(raised)
}

fn device_exception(py: Python<'_>, error: &hal::Error) -> PyResult<PyErr> {
    let own = exceptions(py)?;
    let message = error.to_string();
    Ok(match error {
        hal::Error::OutOfMemory { .. } => own.raise(py, &own.out_of_memory, message),
        hal::Error::Unsupported { .. } => with_status(py, own.raise(py, &own.unsupported, message), NOT_SUPPORTED)?,
        hal::Error::NoSuchDevice { .. } => with_status(py, own.raise(py, &own.device, message), INVALID_DEVICE)?,
        hal::Error::Capture { .. } => with_status(py, own.raise(py, &own.device, message), CAPTURE_UNSUPPORTED)?,
        hal::Error::InvalidSetting { .. } => PyValueError::new_err(message),
        hal::Error::MissingLibrary(missing) => {
            let raised = own.raise(py, &own.missing_library, message);
            raised.value(py).setattr("name", &missing.name)?;
            raised
        }
        hal::Error::MissingSymbol { library, path, .. } => {
            let raised = own.raise(py, &own.missing_library, message);
            raised.value(py).setattr("name", library)?;
            raised.value(py).setattr("path", path)?;
            raised
        }
        hal::Error::Compile { log, source_text, .. } => {
            if PRINT_SOURCES.load(Ordering::Relaxed) {
                let shown = format!("{message}\n{}", numbered(source_text));
                let _ = py.import("sys")?.getattr("stderr")?.call_method1("write", (shown,));
            }
            let raised = own.raise(py, &own.compile, format!("{message}\n{}", numbered(source_text)));
            raised.value(py).setattr("log", log)?;
            raised.value(py).setattr("source", source_text)?;
            raised
        }
        hal::Error::Call { code, .. } => with_status(py, own.raise(py, &own.device, message), *code)?,
        hal::Error::NoSuchSymbol { .. } => PyAttributeError::new_err(message),
        hal::Error::Interrupted => raised::taken(),
        _ => own.raise(py, &own.device, message),
    })
}

/// Whether texts that do not compile are also printed; a setting of the process.
pub static PRINT_SOURCES: AtomicBool = AtomicBool::new(false);

/// The lines of a text with their numbers, as messages of compilers refer to them.
fn numbered(text: &str) -> String {
    let width = text.lines().count().to_string().len();
    let line = |(number, line): (usize, &str)| format!("{:>width$} | {line}\n", number + 1);
    text.lines().enumerate().map(line).collect()
}

/// NumPy's own exception types, or the built-in ones that they derive from where NumPy keeps them elsewhere.
fn numpy_exception<'py>(py: Python<'py>, module: &str, name: &str) -> Option<Bound<'py, PyType>> {
    py.import(module).and_then(|module| module.getattr(name)).ok()?.cast_into::<PyType>().ok()
}

fn casting_exception(py: Python<'_>, message: String) -> PyErr {
    match numpy_exception(py, "numpy._core._exceptions", "UFuncTypeError") {
        Some(class) => PyErr::from_type(class, message),
        None => PyTypeError::new_err(message),
    }
}

fn axis_exception(py: Python<'_>, axis: isize, ndim: usize) -> PyErr {
    match numpy_exception(py, "numpy.exceptions", "AxisError") {
        Some(class) => PyErr::from_type(class, (axis, ndim)),
        None => PyIndexError::new_err(format!("axis {axis} is out of bounds for array of dimension {ndim}")),
    }
}

/// Makes panics a `RuntimeError`, which `except Exception` catches, and whose message says that they are faults of this
/// package. Every function of the extension turns a panic into this one class, which is not shared with other extensions.
fn name_panics(py: Python<'_>) -> PyResult<()> {
    let panics = py.get_type::<pyo3::panic::PanicException>();
    panics.setattr("__bases__", (py.get_type::<PyRuntimeError>(),))?;
    let text =
        c"lambda self: 'internal error, please report it with the call that led to it: ' + RuntimeError.__str__(self)";
    panics.setattr("__str__", py.eval(text, None, None)?)
}

/// Puts the exception types into the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    name_panics(py)?;
    let own = exceptions(py)?;
    let all =
        [&own.device, &own.unsupported, &own.missing_library, &own.compile, &own.out_of_memory, &own.synchronized];
    all.into_iter().try_for_each(|class| {
        let class = class.bind(py);
        module.add(class.name()?, class)
    })
}
