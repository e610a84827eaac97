//! Conversion of `ndarray`: host copies, printing, copies, pickles, and the protocols of other libraries.

use cuproxide_core::layout::Order;
use cuproxide_core::ops::{copy, transfer};
use cuproxide_core::promotion::Casting;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple, PyType};

use super::{NdArray, of_class, wrap, wrap_like};
use crate::arguments;
use crate::device;
use crate::dlpack;
use crate::dtypes::Numpy;
use crate::errors::{Result, index_error, type_error, value_error};
use crate::package;
use crate::scalars;
use crate::stream::{Stream, on_stream};
use crate::ufunc;
use crate::wait;

type Any<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// The elements as a NumPy array in C order.
fn host<'py>(slf: &Bound<'py, NdArray>) -> Result<Bound<'py, PyAny>> {
    crate::numpy::to_numpy(slf.py(), &slf.get().snapshot(), Order::C, None)
}

#[pymethods]
impl NdArray {
    /// The elements as a NumPy array on the host.
    ///
    /// Parameters
    /// ----------
    /// stream : Stream, optional
    ///     The stream to work on; by default the current one.
    /// order : {'C', 'F', 'A'}, optional
    ///     The order of the copy.
    /// out : numpy.ndarray, optional
    ///     The array to copy to.
    /// blocking : bool
    ///     Whether to wait for the copy.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    #[pyo3(signature = (stream=None, order=None, out=None, blocking=true))]
    fn get<'py>(
        slf: &Bound<'py, Self>,
        stream: Option<&Bound<'py, Stream>>,
        order: Option<&str>,
        out: Any<'_, 'py>,
        blocking: bool,
    ) -> Result<Bound<'py, PyAny>> {
        // The copy is always complete on return, also without `blocking`.
        let _ = blocking;
        let order = arguments::order(order, Order::C)?;
        let array = slf.get().snapshot();
        on_stream(stream, || crate::numpy::to_numpy(slf.py(), &array, order, out.filter(|out| !out.is_none())))
    }

    /// Writes a NumPy array of the same type and shape into this one.
    ///
    /// Parameters
    /// ----------
    /// arr : numpy.ndarray
    ///     The array to copy from.
    /// stream : Stream, optional
    ///     The stream to work on; by default the current one.
    #[pyo3(signature = (arr, stream=None))]
    fn set(slf: &Bound<'_, Self>, arr: &Bound<'_, PyAny>, stream: Option<&Bound<'_, Stream>>) -> Result<()> {
        let py = slf.py();
        if !Numpy::get(py)?.is_array(arr)? {
            return Err(type_error("Only numpy.ndarray can be set to cuproxide.ndarray"));
        }
        let target = slf.get().target()?;
        let dtype = crate::dtypes::parse(&arr.getattr("dtype")?)?;
        if dtype != target.dtype() {
            return Err(type_error(format!("{dtype} array cannot be set to {} array", target.dtype())));
        }
        on_stream(stream, || {
            let source = crate::numpy::from_numpy(arr, target.context())?;
            if source.shape() != target.shape() {
                return Err(value_error(format!(
                    "Shape mismatch. Old shape: {}, new shape: {}",
                    cuproxide_core::layout::show_shape(target.shape()),
                    cuproxide_core::layout::show_shape(source.shape())
                )));
            }
            Ok(copy::assign(&target, &source, Casting::No, None)?)
        })
    }

    /// One element as a Python number: the only one, that of a flat index, or that of an index for each axis.
    #[pyo3(signature = (*index))]
    fn item<'py>(slf: &Bound<'py, Self>, index: &Bound<'py, PyTuple>) -> Result<Bound<'py, PyAny>> {
        let py = slf.py();
        let mut array = slf.get().snapshot();
        let index = match index.len() {
            1 if index.get_item(0)?.is_instance_of::<PyTuple>() => index.get_item(0)?.cast_into::<PyTuple>()?,
            _ => index.clone(),
        };
        if index.len() == 1 && array.ndim() != 1 {
            let flat: isize = index.get_item(0)?.extract()?;
            let size = array.size() as isize;
            let mut rest = if flat < 0 { flat + size } else { flat };
            if !(0..size).contains(&rest) {
                return Err(index_error(format!("index {flat} is out of bounds for size {size}")));
            }
            while let Some(&length) = array.shape().last() {
                array = array.index_axis(array.ndim() - 1, rest % length as isize)?;
                rest /= length as isize;
            }
        } else if !index.is_empty() {
            if index.len() != array.ndim() {
                return Err(value_error("incorrect number of indices for array"));
            }
            for position in index.iter() {
                array = array.index_axis(0, position.extract()?)?;
            }
        } else if array.size() != 1 {
            return Err(value_error("can only convert an array of size 1 to a Python scalar"));
        }
        scalars::to_python(py, wait::item(py, &array)?)
    }

    /// The elements as nested lists of Python numbers.
    fn tolist<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        Ok(host(slf)?.call_method0(intern!(slf.py(), "tolist"))?)
    }

    /// The bytes of the elements.
    #[pyo3(signature = (order=None))]
    fn tobytes<'py>(slf: &Bound<'py, Self>, order: Option<&str>) -> Result<Bound<'py, PyAny>> {
        let array = slf.get().snapshot();
        let order = match arguments::order(order, Order::C)? {
            Order::K => Order::C,
            order => order,
        };
        let dense = arguments::dense(&array, order)?;
        let bytes = PyBytes::new_with(slf.py(), dense.nbytes(), |target| {
            let ptr = target.as_mut_ptr() as usize;
            // SAFETY: the target has exactly the array's bytes.
            wait::long(slf.py(), || unsafe { transfer::to_host(&dense, ptr as *mut u8) }).map_err(PyErr::from)
        })?;
        Ok(bytes.into_any())
    }

    fn __bytes__<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        Self::tobytes(slf, None)
    }

    /// Writes the elements to a file as NumPy does.
    ///
    /// Parameters
    /// ----------
    /// fid : file, str or Path
    ///     The file, open or by its name.
    /// sep : str
    ///     The separator of numbers in a text; empty for binary files.
    /// format : str
    ///     The format of numbers in a text.
    #[pyo3(signature = (fid, sep="", format="%s"))]
    fn tofile(slf: &Bound<'_, Self>, fid: &Bound<'_, PyAny>, sep: &str, format: &str) -> Result<()> {
        host(slf)?.call_method1(intern!(slf.py(), "tofile"), (fid, sep, format))?;
        Ok(())
    }

    /// Pickles the array into a file.
    fn dump(slf: &Bound<'_, Self>, file: &Bound<'_, PyAny>) -> Result<()> {
        let py = slf.py();
        if file.getattr_opt(intern!(py, "write"))?.is_some() {
            py.import("pickle")?.call_method1("dump", (slf, file))?;
            return Ok(());
        }
        py.import("pathlib")?.call_method1("Path", (file,))?.call_method1("write_bytes", (Self::dumps(slf)?,))?;
        Ok(())
    }

    /// The array as a pickle.
    fn dumps<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        Ok(slf.py().import("pickle")?.call_method1("dumps", (slf,))?)
    }

    /// A copy on another device; the array itself if it is there already.
    ///
    /// Parameters
    /// ----------
    /// device : Device or str
    ///     Where to copy to.
    /// stream : Stream, optional
    ///     The stream to work on; by default the current one.
    ///
    /// Returns
    /// -------
    /// ndarray
    #[pyo3(signature = (device, /, *, stream=None))]
    fn to_device<'py>(
        slf: &Bound<'py, Self>,
        device: &Bound<'py, PyAny>,
        stream: Option<&Bound<'py, Stream>>,
    ) -> Result<Bound<'py, PyAny>> {
        let array = slf.get().snapshot();
        let target = device::parse(Some(device))?;
        if target.id() == array.context().id() {
            return Ok(slf.clone().into_any());
        }
        on_stream(stream, || wrap_like(slf, wait::long(slf.py(), || transfer::to_device(&array, target))?))
    }

    /// A DLPack capsule in the legacy form.
    #[pyo3(name = "toDlpack")]
    fn to_dlpack<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        dlpack::produce(py, &self.snapshot(), self.is_read_only(), Some(-1), None, None, None)
    }

    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<i64>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> Result<Bound<'py, PyAny>> {
        dlpack::produce(py, &self.snapshot(), self.is_read_only(), stream, max_version, dl_device, copy)
    }

    fn __dlpack_device__(&self) -> (i32, i32) {
        dlpack::device_of(&self.read())
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__(&self, dtype: Any<'_, '_>, copy: Option<bool>) -> Result<Py<PyAny>> {
        let _ = (dtype, copy);
        Err(PyTypeError::new_err(
            "Implicit conversion to a NumPy array is not allowed. Please use `.get()` or `cuproxide.asnumpy(x)` to \
             construct a NumPy array explicitly.",
        )
        .into())
    }

    #[pyo3(signature = (ufunc, method, *inputs, **kwargs))]
    fn __array_ufunc__<'py>(
        &self,
        py: Python<'py>,
        ufunc: &Bound<'py, PyAny>,
        method: &str,
        inputs: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> Result<Bound<'py, PyAny>> {
        ufunc::dispatch(py, ufunc, method, inputs, kwargs)
    }

    fn __array_function__<'py>(
        &self,
        py: Python<'py>,
        func: &Bound<'py, PyAny>,
        types: &Bound<'py, PyAny>,
        args: &Bound<'py, PyAny>,
        kwargs: &Bound<'py, PyAny>,
    ) -> Result<Bound<'py, PyAny>> {
        Ok(package::ARRAY_FUNCTION.call(py, (func, types, args, kwargs))?)
    }

    #[pyo3(signature = (*, api_version=None))]
    fn __array_namespace__<'py>(&self, py: Python<'py>, api_version: Any<'_, 'py>) -> Result<Bound<'py, PyModule>> {
        const VERSIONS: [&str; 5] = ["2021.12", "2022.12", "2023.12", "2024.12", "2025.12"];
        match api_version {
            Some(other) if !other.is_none() && !VERSIONS.iter().any(|version| other.eq(version).unwrap_or(false)) => {
                Err(value_error(format!("unrecognized array API version: {other}")))
            }
            // `compat` renames the class and the package.
            _ => Ok(py.import(py.get_type::<NdArray>().getattr(intern!(py, "__module__"))?.cast_into::<PyString>()?)?),
        }
    }

    fn __array_finalize__(&self, obj: &Bound<'_, PyAny>) {
        let _ = obj;
    }

    fn __copy__<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        let array = slf.get().snapshot();
        wrap_like(slf, copy::copy(&array, Order::K)?)
    }

    fn __deepcopy__<'py>(slf: &Bound<'py, Self>, memo: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        let _ = memo;
        Self::__copy__(slf)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, PyTuple>> {
        let py = slf.py();
        let array = slf.get().snapshot();
        let rebuild = package::REBUILD.get(py)?;
        let content = crate::numpy::to_numpy(py, &array, Order::K, None)?;
        // A pickled plain array can be loaded where this package has another name.
        let arguments = match slf.is_exact_instance_of::<NdArray>() {
            true => PyTuple::new(py, [content])?,
            false => PyTuple::new(py, [content, slf.get_type().into_any()])?,
        };
        let attributes = slf.getattr_opt(intern!(py, "__dict__"))?;
        Ok(match attributes.filter(|attributes| attributes.is_truthy().unwrap_or(false)) {
            Some(attributes) => PyTuple::new(py, [rebuild, arguments.into_any(), attributes])?,
            None => PyTuple::new(py, [rebuild, arguments.into_any()])?,
        })
    }

    fn __repr__<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        let text = host(slf)?.repr()?;
        if slf.is_exact_instance_of::<NdArray>() {
            return Ok(text.into_any());
        }
        // NumPy prints a subclass under its own name, its further lines indented to match.
        let name = slf.get_type().name()?.to_string();
        let indent = " ".repeat(name.len().saturating_sub("array".len()));
        let renamed = text.to_string().replacen("array", &name, 1).replace('\n', &format!("\n{indent}"));
        Ok(PyString::new(slf.py(), &renamed).into_any())
    }

    fn __str__<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        Ok(host(slf)?.str()?.into_any())
    }

    /// Shape, dtype, device and the elements at the corners, for notebooks.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        Ok(package::ARRAY_HTML.call(slf.py(), (slf,))?)
    }

    fn __format__<'py>(slf: &Bound<'py, Self>, format_spec: &str) -> Result<Bound<'py, PyAny>> {
        Ok(host(slf)?.call_method1(intern!(slf.py(), "__format__"), (format_spec,))?)
    }

    fn __setstate__(slf: &Bound<'_, Self>, state: &Bound<'_, PyDict>) -> Result<()> {
        for (name, value) in state {
            slf.setattr(name.cast_into::<PyString>()?, value)?;
        }
        Ok(())
    }
}

/// An array with the elements of a NumPy array, of a subclass if one is given, for pickles.
#[pyfunction]
#[pyo3(name = "_rebuild", signature = (content, class=None))]
pub fn rebuild<'py>(content: &Bound<'py, PyAny>, class: Option<&Bound<'py, PyType>>) -> Result<Bound<'py, PyAny>> {
    let py = content.py();
    let array = crate::numpy::from_numpy(content, &cuproxide_core::Context::current()?)?;
    let Some(class) = class else { return wrap(py, array) };
    let plain = Bound::new(py, NdArray::new(array))?;
    of_class(class, plain.clone(), &plain)
}
