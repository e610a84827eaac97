//! Attributes of `ndarray`.

use cuproxide_core::Array;
use cuproxide_core::layout::{MAX_NDIM, Order};
use cuproxide_core::ops::copy;
use cuproxide_core::promotion::Casting;
use cuproxide_hal::Scalar;
use pyo3::exceptions::PyDeprecationWarning;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use super::{Flags, NdArray, wrap_view};
use crate::arguments;
use crate::device::Device;
use crate::dtypes;
use crate::errors::{Result, attribute_error, type_error, value_error};
use crate::foreign::PROTOCOLS;
use crate::memory::MemoryPointer;
use crate::package::package;

#[pymethods]
impl NdArray {
    /// The array with its axes reversed.
    #[getter(T)]
    fn transposed<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        let array = slf.get().read().reversed_axes();
        wrap_view(slf, array)
    }

    /// The array with its last two axes exchanged.
    #[getter(mT)]
    fn matrix_transposed<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        let array = slf.get().snapshot();
        let ndim = array.ndim() as isize;
        if ndim < 2 {
            return Err(value_error("matrix transpose with ndim < 2 is undefined"));
        }
        let mut axes: Vec<isize> = (0..ndim).collect();
        axes.swap(ndim as usize - 2, ndim as usize - 1);
        wrap_view(slf, array.transpose(&axes)?)
    }

    /// Pointer to the first element.
    #[getter]
    fn data(&self) -> MemoryPointer {
        MemoryPointer::of(&self.read())
    }

    /// Element type, a `numpy.dtype`.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        dtypes::to_numpy(py, self.read().dtype())
    }

    /// Changes the element type in place without changing the memory, as `view` does; the last axis may change its length.
    #[setter]
    fn set_dtype(&self, py: Python<'_>, dtype: &Bound<'_, PyAny>) -> Result<()> {
        let dtype = dtypes::parse_or_float(Some(dtype))?;
        self.change(py, |array| Ok(array.view_dtype(dtype)?))
    }

    /// Memory layout.
    #[getter]
    fn flags(slf: &Bound<'_, Self>) -> Flags {
        Flags::of(slf)
    }

    /// The elements in C order, as an iterator that can be indexed.
    #[getter]
    fn flat<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        Ok(package(slf.py())?.getattr("flatiter")?.call1((slf,))?)
    }

    #[setter]
    fn set_flat(slf: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> Result<()> {
        Ok(Self::flat(slf)?.set_item(arguments_ellipsis(slf.py()), value)?)
    }

    /// The real parts: a view if the array is complex, else the array.
    #[getter]
    fn real<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        let array = slf.get().snapshot();
        if !array.dtype().is_complex() {
            return Ok(slf.clone().into_any());
        }
        wrap_view(slf, array.part(false))
    }

    #[setter]
    fn set_real(&self, value: &Bound<'_, PyAny>) -> Result<()> {
        assign(&self.target()?.part(false), value)
    }

    /// The imaginary parts: a view if the array is complex, else zeros that are read-only.
    #[getter]
    fn imag<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        let array = slf.get().snapshot();
        if array.dtype().is_complex() {
            return wrap_view(slf, array.part(true));
        }
        let zeros = array.empty_like(array.dtype(), Order::K)?;
        copy::fill(&zeros, Scalar::integer(array.dtype(), 0))?;
        let zeros = NdArray::new(zeros);
        zeros.set_read_only(true);
        Ok(Bound::new(slf.py(), zeros)?.into_any())
    }

    #[setter]
    fn set_imag(&self, value: &Bound<'_, PyAny>) -> Result<()> {
        let array = self.snapshot();
        if !array.dtype().is_complex() {
            return Err(type_error("array does not have imaginary part to set"));
        }
        assign(&self.target()?.part(true), value)
    }

    /// Bytes of one element.
    #[getter]
    fn itemsize(&self) -> usize {
        self.read().itemsize()
    }

    /// Bytes of all elements.
    #[getter]
    fn nbytes(&self) -> usize {
        self.read().nbytes()
    }

    /// Number of axes.
    #[getter]
    fn ndim(&self) -> usize {
        self.read().ndim()
    }

    /// Lengths of the axes. Assigning a shape reshapes the array in place, if that needs no copy.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyTuple>> {
        Ok(PyTuple::new(py, self.read().shape())?)
    }

    #[setter]
    fn set_shape(&self, py: Python<'_>, shape: &Bound<'_, PyAny>) -> Result<()> {
        let requested = arguments::integers(shape)?;
        self.change(py, |array| {
            let lengths = array.infer_shape(&requested)?;
            array.reshape_view(&lengths, false).ok_or_else(|| {
                attribute_error(
                    "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired \
                     shape.",
                )
            })
        })
    }

    /// Number of elements.
    #[getter]
    fn size(&self) -> usize {
        self.read().size()
    }

    /// Bytes to step to the next element along each axis.
    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyTuple>> {
        Ok(PyTuple::new(py, self.read().strides())?)
    }

    /// Changes the strides in place. Deprecated, as in NumPy 2.4: emits a warning.
    #[setter]
    fn set_strides(&self, py: Python<'_>, strides: &Bound<'_, PyAny>) -> Result<()> {
        let category = py.get_type::<PyDeprecationWarning>();
        let advice = c"setting the strides of an array is deprecated: make a view by lib.stride_tricks.as_strided";
        PyErr::warn(py, &category, advice, 1)?;
        let strides = arguments::integers(strides)?;
        self.change(py, |array| Ok(array.as_strided(array.shape(), &strides)?))
    }

    /// The array that owns the memory; `None` if it is this one.
    #[getter]
    fn base(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        cuproxide_core::trace::refuse("it asks for the base of an array");
        self.base.as_ref().map(|base| base.clone_ref(py))
    }

    /// The device that holds the elements.
    #[getter]
    fn device(&self) -> Device {
        Device::of(self.read().context())
    }

    /// Description of the memory for other GPU libraries (version 3 of the protocol unless another is set).
    #[getter(__cuda_array_interface__)]
    fn cuda_array_interface<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>> {
        let array = self.read();
        let info = array.context().info();
        if !info.array_interface {
            return Err(attribute_error(format!("the memory of an array on {} is not that of a GPU", info.id)));
        }
        let interface = PyDict::new(py);
        let dtype = dtypes::to_numpy(py, array.dtype())?;
        interface.set_item("shape", PyTuple::new(py, array.shape())?)?;
        interface.set_item("typestr", dtype.getattr(intern!(py, "str"))?)?;
        interface.set_item("descr", dtype.getattr(intern!(py, "descr"))?)?;
        let strides = if array.layout().c_contiguous { None } else { Some(PyTuple::new(py, array.strides())?) };
        interface.set_item("strides", strides)?;
        let ptr = if array.size() == 0 { 0 } else { array.expose()? };
        interface.set_item("data", (ptr, self.is_read_only()))?;
        let protocols = *PROTOCOLS.read();
        if protocols.interface >= 3 {
            // In the protocol, 1 means the legacy default stream.
            let stream = protocols.synchronize.then(|| array.context().stream().raw().max(1));
            interface.set_item("stream", stream)?;
        }
        interface.set_item("version", protocols.interface)?;
        Ok(interface)
    }
}

fn arguments_ellipsis(py: Python<'_>) -> Py<PyAny> {
    py.Ellipsis()
}

/// Writes a number, an array or an array-like into `target`, broadcast and cast.
pub fn assign(target: &Array, value: &Bound<'_, PyAny>) -> Result<()> {
    assign_nested(target, value, MAX_NDIM)
}

/// [`assign`] for lists of at most `depth` levels.
///
/// # Errors
/// `ValueError` for lists of more levels.
pub fn assign_nested(target: &Array, value: &Bound<'_, PyAny>, depth: usize) -> Result<()> {
    match arguments::Argument::parse(value)? {
        Some(arguments::Argument::Number(number)) => {
            let element = number.assigned(value, target.dtype())?;
            Ok(copy::fill(target, element)?)
        }
        Some(arguments::Argument::Array(source)) => {
            copy::assign(target, &source, Casting::Unsafe, None)?;
            Ok(dtypes::warn_of_lost_parts(value.py(), source.dtype(), target.dtype())?)
        }
        None => {
            let source = crate::interop::to_be_assigned(value, target.context(), target.dtype())?;
            let is_sequence = value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>();
            if is_sequence && source.ndim() > depth {
                return Err(value_error(format!(
                    "setting an array element with a sequence: {} levels of lists for an array with {depth} axes",
                    source.ndim()
                )));
            }
            copy::assign(target, &source, Casting::Unsafe, None)?;
            Ok(dtypes::warn_of_lost_parts(value.py(), source.dtype(), target.dtype())?)
        }
    }
}
