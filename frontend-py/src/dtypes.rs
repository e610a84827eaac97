//! NumPy's dtype objects and the element types of the library.

use cuproxide_hal::{DType, Kind};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyString, PyType};

use crate::errors::{Result, type_error};

/// NumPy's module, and the objects of it that are looked up often.
pub struct Numpy {
    /// `numpy.ndarray`.
    pub ndarray: Py<PyType>,
    /// `numpy.generic`, the base of NumPy's scalars.
    pub generic: Py<PyType>,
    dtype: Py<PyType>,
    /// The dtype of each type that NumPy has, by discriminant.
    dtypes: Vec<Option<Py<PyAny>>>,
    /// The scalar type of each type that NumPy has, by discriminant.
    types: Vec<Option<Py<PyType>>>,
}

/// What `ml_dtypes` has of a type that NumPy lacks, loaded when it is first met.
struct Extension {
    dtype: Py<PyAny>,
    class: Py<PyType>,
}

/// NumPy's `ComplexWarning` for a cast that drops imaginary parts.
///
/// # Errors
/// The warning itself, where warnings are errors.
pub fn warn_of_lost_parts(py: Python<'_>, from: DType, to: DType) -> PyResult<()> {
    if !from.is_complex() || to.is_complex() || to == DType::Bool {
        return Ok(());
    }
    let category = py.import("numpy.exceptions")?.getattr("ComplexWarning")?;
    PyErr::warn(py, &category, c"Casting complex values to real discards the imaginary part", 1)
}

static NUMPY: PyOnceLock<Numpy> = PyOnceLock::new();
static EXTENSIONS: [PyOnceLock<Extension>; DType::ALL.len()] = [const { PyOnceLock::new() }; DType::ALL.len()];

impl Numpy {
    fn load(py: Python<'_>) -> PyResult<Numpy> {
        let module = py.import("numpy")?;
        let class = |name: &str| -> PyResult<Py<PyType>> { Ok(module.getattr(name)?.cast_into()?.unbind()) };
        let dtype = class("dtype")?;
        let (mut dtypes, mut types) = (Vec::new(), Vec::new());
        for own in DType::ALL {
            if !own.info().in_numpy {
                dtypes.push(None);
                types.push(None);
                continue;
            }
            let object = dtype.bind(py).call1((own.name(),))?;
            types.push(Some(object.getattr("type")?.cast_into::<PyType>()?.unbind()));
            dtypes.push(Some(object.unbind()));
        }
        Ok(Numpy { ndarray: class("ndarray")?, generic: class("generic")?, dtype, dtypes, types })
    }

    /// The loaded module.
    pub fn get(py: Python<'_>) -> PyResult<&'static Numpy> {
        NUMPY.get_or_try_init(py, || Numpy::load(py))
    }

    /// Whether the object is a `numpy.ndarray`.
    pub fn is_array(&self, object: &Bound<'_, PyAny>) -> PyResult<bool> {
        object.is_instance(self.ndarray.bind(object.py()))
    }

    /// Whether the object is a NumPy scalar.
    pub fn is_scalar(&self, object: &Bound<'_, PyAny>) -> bool {
        object.is_instance(self.generic.bind(object.py())).unwrap_or(false)
    }

    /// Whether the object is a dtype.
    pub fn is_dtype(&self, object: &Bound<'_, PyAny>) -> bool {
        object.is_instance(self.dtype.bind(object.py())).unwrap_or(false)
    }

    /// The element type whose NumPy scalars have this exact type.
    pub fn of_scalar_type(&self, class: &Bound<'_, PyType>) -> Option<DType> {
        let wanted = class.as_ptr();
        let same = |known: &Option<Py<PyType>>| known.as_ref().is_some_and(|known| known.as_ptr() == wanted);
        if let Some(index) = self.types.iter().position(same) {
            return Some(DType::ALL[index]);
        }
        let loaded = |dtype: &DType| EXTENSIONS[*dtype as usize].get(class.py());
        let same = |dtype: &DType| loaded(dtype).is_some_and(|extension| extension.class.as_ptr() == wanted);
        DType::ALL.into_iter().filter(|dtype| !dtype.info().in_numpy).find(same)
    }
}

/// Whether the object is a class of numbers: a Python class or a NumPy scalar class.
pub fn is_scalar_class(object: &Bound<'_, PyAny>) -> bool {
    let py = object.py();
    let Ok(class) = object.cast::<PyType>() else { return false };
    let python =
        [py.get_type::<PyBool>(), py.get_type::<PyInt>(), py.get_type::<PyFloat>(), py.get_type::<PyComplex>()];
    python.iter().any(|known| known.is(class))
        || Numpy::get(py).is_ok_and(|numpy| numpy.of_scalar_type(class).is_some())
}

fn extension(py: Python<'_>, dtype: DType) -> Result<&'static Extension> {
    let load = || -> PyResult<Extension> {
        let class = py.import("ml_dtypes")?.getattr(dtype.name())?.cast_into::<PyType>()?;
        let dtype = Numpy::get(py)?.dtype.bind(py).call1((&class,))?;
        Ok(Extension { dtype: dtype.unbind(), class: class.unbind() })
    };
    EXTENSIONS[dtype as usize].get_or_try_init(py, load).map_err(|error| {
        type_error(format!("arrays of {dtype} need the package ml_dtypes on the host (pip install ml_dtypes): {error}"))
    })
}

/// The `numpy.dtype` of an element type.
pub fn to_numpy(py: Python<'_>, dtype: DType) -> Result<Bound<'_, PyAny>> {
    match &Numpy::get(py)?.dtypes[dtype as usize] {
        Some(object) => Ok(object.bind(py).clone()),
        None => Ok(extension(py, dtype)?.dtype.bind(py).clone()),
    }
}

/// The element type that an object which stands for a dtype means.
///
/// # Errors
/// `TypeError` for everything that NumPy does not take for a dtype, and for dtypes without arrays here.
pub fn parse(object: &Bound<'_, PyAny>) -> Result<DType> {
    let py = object.py();
    let numpy = Numpy::get(py)?;
    let pointer = object.as_ptr();
    let same = |known: &Option<Py<PyAny>>| known.as_ref().is_some_and(|known| known.as_ptr() == pointer);
    if let Some(index) = numpy.dtypes.iter().position(same) {
        return Ok(DType::ALL[index]);
    }
    if let Ok(class) = object.cast::<PyType>() {
        if let Some(dtype) = numpy.of_scalar_type(class) {
            return Ok(dtype);
        }
        for (known, dtype) in [
            (py.get_type::<PyFloat>(), DType::F64),
            (py.get_type::<PyInt>(), DType::I64),
            (py.get_type::<PyBool>(), DType::Bool),
            (py.get_type::<PyComplex>(), DType::C128),
        ] {
            if class.is(&known) {
                return Ok(dtype);
            }
        }
    }
    if let Ok(name) = object.cast::<PyString>() {
        let name = name.to_str()?;
        if let Some(dtype) = DType::from_name(name).or_else(|| from_code(name)) {
            return Ok(dtype);
        }
    }
    slow(numpy, object)
}

/// The type with one of NumPy's short names, a kind and a size: `f4`, `<i8`.
fn from_code(name: &str) -> Option<DType> {
    let native = if cfg!(target_endian = "little") { '<' } else { '>' };
    let code = name.strip_prefix(['=', '|', native]).unwrap_or(name);
    Some(match code {
        "b1" => DType::Bool,
        "i1" => DType::I8,
        "u1" => DType::U8,
        "i2" => DType::I16,
        "u2" => DType::U16,
        "i4" => DType::I32,
        "u4" => DType::U32,
        "i8" => DType::I64,
        "u8" => DType::U64,
        "f2" => DType::F16,
        "f4" => DType::F32,
        "f8" => DType::F64,
        "c8" => DType::C64,
        "c16" => DType::C128,
        _ => return None,
    })
}

/// Asks NumPy what the object means.
fn slow(numpy: &Numpy, object: &Bound<'_, PyAny>) -> Result<DType> {
    let py = object.py();
    let resolved = numpy.dtype.bind(py).call1((object,))?;
    let unsupported = || -> Result<DType> { Err(type_error(format!("Unsupported dtype {resolved}"))) };
    let is_native = resolved.getattr(intern!(py, "isnative"))?.is_truthy()?;
    let kind: String = resolved.getattr(intern!(py, "kind"))?.extract()?;
    let bytes: usize = resolved.getattr(intern!(py, "itemsize"))?.extract()?;
    if !is_native {
        return unsupported();
    }
    let same = |dtype: &DType| dtype.info().in_numpy && letter(dtype.kind()) == kind && dtype.size() == bytes;
    let found = DType::ALL.into_iter().find(same);
    if let Some(dtype) = found {
        return Ok(dtype);
    }
    let name: String = resolved.getattr(intern!(py, "name"))?.extract()?;
    match DType::from_name(&name) {
        Some(dtype) if !dtype.info().in_numpy => extension(py, dtype).map(|_| dtype),
        _ => unsupported(),
    }
}

/// NumPy's letter of a family of types.
fn letter(kind: Kind) -> &'static str {
    match kind {
        Kind::Bool => "b",
        Kind::Signed => "i",
        Kind::Unsigned => "u",
        Kind::Float => "f",
        Kind::Complex => "c",
    }
}

/// Every element type: its name, the letter of its kind, whether it is computed in float32, and whether NumPy has it.
#[pyfunction]
pub fn element_types() -> Vec<(&'static str, &'static str, bool, bool)> {
    let row = |dtype: DType| (dtype.name(), letter(dtype.kind()), dtype.is_narrow(), dtype.info().in_numpy);
    DType::ALL.map(row).to_vec()
}

/// A `dtype=` argument: nothing for `None`.
pub fn parse_optional(object: Option<&Bound<'_, PyAny>>) -> Result<Option<DType>> {
    object.filter(|object| !object.is_none()).map(parse).transpose()
}

/// A `dtype=` argument where `None` means float64.
pub fn parse_or_float(object: Option<&Bound<'_, PyAny>>) -> Result<DType> {
    Ok(parse_optional(object)?.unwrap_or(DType::F64))
}
