//! Whether what was found out about the content of arrays still holds.

use std::sync::{Arc, Weak};

use cuproxide_core::Array;
use cuproxide_core::layout::{Dims, Strides};
use cuproxide_core::storage::Storage;
use cuproxide_hal::DType;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use smallvec::SmallVec;

use crate::ndarray::NdArray;

/// The parts of a sparse array as they were when they were checked: `hold` says whether nothing can have changed since.
///
/// They are the shape, the elements, of which only the lengths count, and index arrays.
#[pyclass(module = "cuproxide", frozen)]
pub struct Contents {
    shape: Py<PyTuple>,
    lengths: Dims,
    seen: SmallVec<[Seen; 2]>,
}

/// An array whose content is known.
struct Seen {
    /// The memory, which this keeps nobody from freeing.
    storage: Weak<Storage>,
    version: u64,
    dtype: DType,
    shape: Dims,
    strides: Strides,
    offset: usize,
}

impl Seen {
    fn of(array: &Array) -> Option<Seen> {
        Some(Seen {
            storage: Arc::downgrade(array.storage()),
            version: array.storage().version()?,
            dtype: array.dtype(),
            shape: Dims::from_slice(array.shape()),
            strides: Strides::from_slice(array.strides()),
            offset: array.offset(),
        })
    }

    fn holds(&self, array: &Array) -> bool {
        std::ptr::eq(self.storage.as_ptr(), Arc::as_ptr(array.storage()))
            && array.storage().version() == Some(self.version)
            && self.offset == array.offset()
            && self.dtype == array.dtype()
            && self.shape.as_slice() == array.shape()
            && self.strides.as_slice() == array.strides()
    }
}

#[pymethods]
impl Contents {
    /// Notes the parts as they are. `None` if their content may change without this library noticing, since others hold the
    /// address of an array or a graph writes to it, or if one is no `ndarray`.
    #[staticmethod]
    #[pyo3(signature = (shape, data, *indices))]
    fn of(shape: &Bound<'_, PyAny>, data: &Bound<'_, PyAny>, indices: &Bound<'_, PyTuple>) -> Option<Contents> {
        let shape = shape.cast::<PyTuple>().ok()?.clone().unbind();
        let lengths = Dims::from_slice(data.cast::<NdArray>().ok()?.get().read().shape());
        let look = |object: Bound<'_, PyAny>| Seen::of(&object.cast::<NdArray>().ok()?.get().read());
        Some(Contents { shape, lengths, seen: indices.iter().map(look).collect::<Option<_>>()? })
    }

    /// Nothing of it is sent along with an array: the process that gets one checks it again.
    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, Bound<'py, PyTuple>) {
        (py.None().into_bound(py).get_type().into_any(), PyTuple::empty(py))
    }

    /// Whether these are the same parts with the same content.
    #[pyo3(signature = (shape, data, *indices))]
    fn hold(&self, shape: &Bound<'_, PyAny>, data: &Bound<'_, PyAny>, indices: &Bound<'_, PyTuple>) -> PyResult<bool> {
        let fits = |array: &Array| array.shape() == self.lengths.as_slice();
        let same = |(object, seen): (Borrowed<'_, '_, PyAny>, &Seen)| {
            object.cast::<NdArray>().is_ok_and(|array| seen.holds(&array.get().read()))
        };
        Ok(indices.len() == self.seen.len()
            && data.cast::<NdArray>().is_ok_and(|array| fits(&array.get().read()))
            && indices.iter_borrowed().zip(&self.seen).all(same)
            && (shape.is(&self.shape) || shape.eq(&self.shape)?))
    }
}
