//! The n-dimensional array: a typed, strided view of a storage.

use std::sync::Arc;

use cuproxide_hal::DType;
use once_cell::sync::Lazy;
use smallvec::SmallVec;

use crate::context::Context;
use crate::error::{Error, Result, out_of_bounds, value_error};
use crate::layout::{
    Dims, Layout, MAX_NDIM, Order, Strides, checked_size, in_order, like_layout, normalize_axis, reshape_strides,
    short, show_shape,
};
use crate::storage::Storage;
use crate::trace;

/// An n-dimensional array on one device. Cloning makes another view of the same memory.
#[derive(Clone)]
pub struct Array {
    dtype: DType,
    /// Whether the array without `layout` is a view of one element, without axes.
    is_point: bool,
    /// `None` if it is the storage's own, or that of all points. Views of the same layout share one, so an array is a few words.
    layout: Option<Arc<Layout>>,
    /// Bytes from the start of the storage to the first element.
    offset: usize,
    storage: Arc<Storage>,
}

/// The layout of views without axes.
static POINT: Lazy<Arc<Layout>> = Lazy::new(|| Arc::new(Layout::contiguous(&[], 1, false)));

/// The results of a ufunc, in order.
pub type Results = SmallVec<[Array; 1]>;

/// The range of one axis that a slice selects, as Python's `slice.indices` gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// First index.
    pub start: isize,
    /// Distance between indices, not zero.
    pub step: isize,
    /// Number of indices.
    pub length: usize,
}

impl Array {
    /// An uninitialised array on `context`, C- or (for `Order::F`) Fortran-ordered.
    ///
    /// # Errors
    /// `ValueError` for too many dimensions or too many bytes, `MemoryError` when there is no memory.
    pub fn empty(context: &Arc<Context>, dtype: DType, shape: &[usize], order: Order) -> Result<Array> {
        check_ndim(shape.len())?;
        checked_size(shape, dtype.size())?;
        Array::with_layout(context, dtype, Layout::contiguous(shape, dtype.size(), order == Order::F))
    }

    /// An uninitialised array whose axes lie in memory in this order, the fastest first.
    pub(crate) fn in_memory_order(
        context: &Arc<Context>,
        dtype: DType,
        shape: &[usize],
        order: &[usize],
    ) -> Result<Array> {
        check_ndim(shape.len())?;
        checked_size(shape, dtype.size())?;
        Array::with_layout(context, dtype, in_order(shape, dtype.size(), order))
    }

    /// An uninitialised array with a dense layout.
    pub(crate) fn with_layout(context: &Arc<Context>, dtype: DType, layout: Layout) -> Result<Array> {
        let bytes = layout.size() * dtype.size();
        let storage = Storage::allocate(context, bytes)?;
        Ok(Array { dtype, is_point: false, layout: Some(Arc::new(layout)), offset: 0, storage })
    }

    /// All of a storage that has the size of the layout.
    #[inline]
    pub(crate) fn of_layout(storage: Arc<Storage>, dtype: DType, layout: Arc<Layout>) -> Array {
        Array { dtype, is_point: false, layout: Some(layout), offset: 0, storage }
    }

    /// All of a storage of [`Storage::line`].
    #[inline]
    pub(crate) fn of_line(storage: Arc<Storage>, dtype: DType) -> Array {
        Array { dtype, is_point: false, layout: None, offset: 0, storage }
    }

    /// A view of a storage.
    pub fn from_storage(storage: Arc<Storage>, dtype: DType, shape: Dims, strides: Strides, offset: usize) -> Array {
        let layout = Arc::new(Layout::new(shape, strides, dtype.size()));
        Array { dtype, is_point: false, layout: Some(layout), offset, storage }
    }

    /// Whether every element lies at a multiple of its size, or of its parts' if they are complex.
    pub fn is_aligned(&self) -> bool {
        let base = self.storage.peek().map_or(0, |buffer| buffer.ptr);
        let axes = self.shape().iter().zip(self.strides());
        let steps = axes.filter(|(length, _)| **length > 1).fold(0, |bits, (_, &stride)| bits | stride as u64);
        (base.wrapping_add(self.offset as u64) | steps).is_multiple_of(self.dtype.alignment() as u64)
            || self.size() == 0
    }

    /// Whether an axis repeats elements: it has stride 0, and there are elements.
    pub fn is_broadcast(&self) -> bool {
        self.size() != 0 && self.shape().iter().zip(self.strides()).any(|(&length, &stride)| length > 1 && stride == 0)
    }

    /// An uninitialised array like this one, with another type and order.
    pub fn empty_like(&self, dtype: DType, order: Order) -> Result<Array> {
        self.empty_of_shape(self.context(), dtype, self.shape(), order)
    }

    /// Like [`Array::empty_like`], on another device and with another shape; one of as many axes keeps their order.
    pub fn empty_of_shape(&self, context: &Arc<Context>, dtype: DType, shape: &[usize], order: Order) -> Result<Array> {
        check_ndim(shape.len())?;
        checked_size(shape, dtype.size())?;
        let own = self.layout();
        let keeps = order == Order::K && shape.len() == self.ndim();
        let layout = if keeps && !own.c_contiguous && !own.f_contiguous {
            like_layout(shape, dtype.size(), &own.strides)
        } else {
            let is_fortran = own.f_contiguous && !own.c_contiguous && (keeps || order == Order::A);
            Layout::contiguous(shape, dtype.size(), is_fortran || order == Order::F)
        };
        Array::with_layout(context, dtype, layout)
    }

    /// Element type.
    #[inline]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Shape, strides and contiguity.
    #[inline]
    pub fn layout(&self) -> &Layout {
        self.shared_layout()
    }

    /// [`Array::layout`], to be shared with other arrays.
    #[inline]
    pub(crate) fn shared_layout(&self) -> &Arc<Layout> {
        match &self.layout {
            Some(layout) => layout,
            None if self.is_point => &POINT,
            None => self.storage.own_layout(),
        }
    }

    /// Whether the array uses the layout that its storage was made for.
    #[inline]
    pub(crate) fn has_layout_of_storage(&self) -> bool {
        self.layout.is_none() && !self.is_point
    }

    /// Lengths of the axes.
    #[inline]
    pub fn shape(&self) -> &[usize] {
        &self.layout().shape
    }

    /// Distances between neighbours, in bytes.
    #[inline]
    pub fn strides(&self) -> &[isize] {
        &self.layout().strides
    }

    /// Whether the array has a shape, or can be stretched to it.
    #[inline]
    pub fn stretches_to(&self, shape: &[usize]) -> bool {
        let own = self.shape();
        let fits = |(&length, &target): (&usize, &usize)| length == target || length == 1;
        own.len() <= shape.len() && own.iter().rev().zip(shape.iter().rev()).all(fits)
    }

    /// Number of axes.
    #[inline]
    pub fn ndim(&self) -> usize {
        self.layout().ndim()
    }

    /// Number of elements.
    #[inline]
    pub fn size(&self) -> usize {
        self.layout().size()
    }

    /// Size of an element in bytes.
    #[inline]
    pub fn itemsize(&self) -> usize {
        self.dtype.size()
    }

    /// Bytes of all elements.
    pub fn nbytes(&self) -> usize {
        self.size() * self.itemsize()
    }

    /// The memory that the array views.
    #[inline]
    pub fn storage(&self) -> &Arc<Storage> {
        &self.storage
    }

    /// Bytes from the start of the storage to the first element.
    #[inline]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The device.
    #[inline]
    pub fn context(&self) -> &'static Arc<Context> {
        self.storage.context()
    }

    /// Address of the first element, for any use of the memory: deferred work on it is queued first.
    pub fn ptr(&self) -> Result<u64> {
        Ok(self.storage.buffer()?.ptr + self.offset as u64)
    }

    /// Address of the first element, to be handed to others: from now on nothing that touches the memory is deferred.
    pub fn expose(&self) -> Result<u64> {
        Ok(self.storage.expose()?.ptr + self.offset as u64)
    }

    /// Address of the first element, for reading: deferred work that makes the elements is queued first.
    pub fn read_ptr(&self) -> Result<u64> {
        Ok(self.storage.read()?.ptr + self.offset as u64)
    }

    /// A view with another shape and strides; `move_by` bytes are added to the offset.
    pub(crate) fn view(&self, shape: Dims, strides: Strides, move_by: isize) -> Array {
        let is_point = shape.is_empty();
        Array {
            dtype: self.dtype,
            is_point,
            layout: (!is_point).then(|| Arc::new(Layout::new(shape, strides, self.itemsize()))),
            offset: (self.offset as isize + move_by) as usize,
            storage: self.storage.clone(),
        }
    }

    /// A view with any strides, as `numpy.lib.stride_tricks.as_strided`, but kept inside the storage.
    ///
    /// # Errors
    /// `ValueError` if an element would lie outside the memory that this array views.
    pub fn as_strided(&self, shape: &[usize], strides: &[isize]) -> Result<Array> {
        check_ndim(shape.len())?;
        if shape.len() != strides.len() {
            return value_error(format!("strides has {} entries, shape has {}", strides.len(), shape.len()));
        }
        let view = self.view(Dims::from_slice(shape), Strides::from_slice(strides), 0);
        let (low, high) = view.layout().extent(self.itemsize());
        let start = self.offset as isize;
        if start + low < 0 || start + high > self.storage.bytes() as isize {
            return value_error(format!(
                "shape {} with strides {strides:?} reaches outside the array's memory",
                show_shape(shape)
            ));
        }
        if trace::is_on() {
            let own = self.layout().extent(self.itemsize());
            if low < own.0 || high > own.1 {
                trace::refuse("it views memory around an array");
            }
        }
        Ok(view)
    }

    /// A view with the axes in another order.
    ///
    /// # Errors
    /// `ValueError` unless `axes` is a permutation.
    pub fn transpose(&self, axes: &[isize]) -> Result<Array> {
        if axes.len() != self.ndim() {
            return value_error("axes don't match array");
        }
        let mut seen: SmallVec<[bool; 8]> = SmallVec::from_elem(false, self.ndim());
        let (mut shape, mut strides) = (Dims::new(), Strides::new());
        for &axis in axes {
            let axis = normalize_axis(axis, self.ndim())?;
            if std::mem::replace(&mut seen[axis], true) {
                return value_error("repeated axis in transpose");
            }
            shape.push(self.shape()[axis]);
            strides.push(self.strides()[axis]);
        }
        Ok(self.view(shape, strides, 0))
    }

    /// A view with the order of the axes reversed.
    pub fn reversed_axes(&self) -> Array {
        let shape = self.shape().iter().rev().copied().collect();
        let strides = self.strides().iter().rev().copied().collect();
        self.view(shape, strides, 0)
    }

    /// A view stretched to `shape`.
    ///
    /// # Errors
    /// `ValueError` if the shapes do not fit.
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<Array> {
        check_ndim(shape.len())?;
        match self.layout().broadcast_strides(shape) {
            Some(strides) => Ok(self.view(Dims::from_slice(shape), strides, 0)),
            None => value_error(format!(
                "operands could not be broadcast together with remapped shapes [original->remapped]: {} and requested \
                 shape {}",
                show_shape(self.shape()),
                show_shape(shape)
            )),
        }
    }

    /// The shape that `requested` (with at most one -1) means for this array.
    pub fn infer_shape(&self, requested: &[isize]) -> Result<Dims> {
        check_ndim(requested.len())?;
        let show = || {
            let list = requested.iter().map(isize::to_string).collect::<Vec<_>>().join(",");
            if requested.len() == 1 { format!("({list},)") } else { format!("({list})") }
        };
        let fail = || value_error(format!("cannot reshape array of size {} into shape {}", self.size(), show()));
        let unknown = requested.iter().filter(|&&n| n < 0).count();
        if unknown > 1 {
            return value_error("can only specify one unknown dimension");
        }
        if requested.iter().any(|&n| n < -1) {
            return value_error("negative dimensions not allowed");
        }
        let known = requested.iter().filter(|&&n| n >= 0).try_fold(1usize, |total, &n| total.checked_mul(n as usize));
        let Some(known) = known else { return fail() };
        let filled = match (unknown, known) {
            (0, n) if n == self.size() => 0,
            (1, n) if n > 0 && self.size().is_multiple_of(n) => self.size() / n,
            _ => return fail(),
        };
        Ok(requested.iter().map(|&n| if n < 0 { filled } else { n as usize }).collect())
    }

    /// A view with another shape of the same size, or nothing if that needs a copy.
    pub fn reshape_view(&self, shape: &[usize], fortran: bool) -> Option<Array> {
        debug_assert_eq!(self.size(), shape.iter().product::<usize>());
        if self.size() == 0 {
            // NumPy's reshape steps over what is not there; its new arrays do not.
            let lengths: Dims = shape.iter().map(|&length| length.max(1)).collect();
            let strides = Layout::contiguous(&lengths, self.itemsize(), false).strides;
            return Some(self.view(Dims::from_slice(shape), strides, 0));
        }
        if self.size() <= 1 || shape.is_empty() || (!fortran && self.layout().c_contiguous) {
            let layout = Layout::contiguous(shape, self.itemsize(), fortran);
            return Some(self.view(layout.shape, layout.strides, 0));
        }
        let strides = reshape_strides(self.layout(), shape, fortran)?;
        Some(self.view(Dims::from_slice(shape), strides, 0))
    }

    /// A view without axes of length 1: all of them, or the given ones.
    ///
    /// # Errors
    /// `ValueError` if a given axis is longer than 1.
    pub fn squeeze(&self, axes: Option<&[usize]>) -> Result<Array> {
        if let Some(&axis) = axes.into_iter().flatten().find(|&&axis| self.shape()[axis] != 1) {
            let _ = axis;
            return value_error("cannot select an axis to squeeze out which has size not equal to one");
        }
        let keep = |axis: usize| axes.map_or(self.shape()[axis] != 1, |list| !list.contains(&axis));
        let kept: Dims = (0..self.ndim()).filter(|&axis| keep(axis)).collect();
        let shape = kept.iter().map(|&axis| self.shape()[axis]).collect();
        let strides = kept.iter().map(|&axis| self.strides()[axis]).collect();
        Ok(self.view(shape, strides, 0))
    }

    /// A view with a new axis of length 1 before axis `axis`.
    pub fn insert_axis(&self, axis: usize) -> Array {
        let (mut shape, mut strides) = (short(self.shape()), short(self.strides()));
        shape.insert(axis, 1);
        strides.insert(axis, 0);
        self.view(shape, strides, 0)
    }

    /// A view of part of an axis.
    pub fn slice_axis(&self, axis: usize, slice: Slice) -> Array {
        let (mut shape, mut strides) = (short(self.shape()), short(self.strides()));
        let stride = strides[axis];
        let start = if slice.length == 0 { 0 } else { slice.start * stride };
        shape[axis] = slice.length;
        strides[axis] = stride * slice.step;
        self.view(shape, strides, start)
    }

    /// A view of one position of an axis, without that axis.
    ///
    /// # Errors
    /// `IndexError` if the index is out of bounds.
    pub fn index_axis(&self, axis: usize, index: isize) -> Result<Array> {
        let length = self.shape()[axis];
        let wrapped = if index < 0 { index + length as isize } else { index };
        if !(0..length as isize).contains(&wrapped) {
            return Err(out_of_bounds(index, axis, length));
        }
        let (mut shape, mut strides) = (Dims::new(), Strides::new());
        for (other, (&length, &stride)) in self.shape().iter().zip(self.strides()).enumerate() {
            if other != axis {
                shape.push(length);
                strides.push(stride);
            }
        }
        Ok(self.view(shape, strides, wrapped * self.strides()[axis]))
    }

    /// A view of a diagonal over two axes; the diagonal becomes the last axis (`numpy.diagonal`).
    pub fn diagonal(&self, offset: isize, axis1: isize, axis2: isize) -> Result<Array> {
        if self.ndim() < 2 {
            return value_error("diag requires an array of at least two dimensions");
        }
        let (first, second) = (normalize_axis(axis1, self.ndim())?, normalize_axis(axis2, self.ndim())?);
        if first == second {
            return value_error("axis1 and axis2 cannot be the same");
        }
        let (rows, columns) = (self.shape()[first] as isize, self.shape()[second] as isize);
        let (row_stride, column_stride) = (self.strides()[first], self.strides()[second]);
        let length = (rows + offset.min(0)).min(columns - offset.max(0)).max(0);
        let start = if length == 0 { 0 } else { -offset.min(0) * row_stride + offset.max(0) * column_stride };
        let kept = (0..self.ndim()).filter(|&axis| axis != first && axis != second);
        let mut shape: Dims = kept.clone().map(|axis| self.shape()[axis]).collect();
        let mut strides: Strides = kept.map(|axis| self.strides()[axis]).collect();
        shape.push(length as usize);
        strides.push(row_stride + column_stride);
        Ok(self.view(shape, strides, start))
    }

    /// The same memory read as another type; lengths of the last axis change with the size of the type.
    ///
    /// # Errors
    /// `ValueError` in the cases that `numpy.ndarray.view` refuses.
    pub fn view_dtype(&self, dtype: DType) -> Result<Array> {
        let (old, new) = (self.itemsize(), dtype.size());
        let (mut shape, mut strides) = (short(self.shape()), short(self.strides()));
        if old != new {
            let Some(last) = self.ndim().checked_sub(1) else {
                return value_error("Changing the dtype of a 0d array is only supported if the itemsize is unchanged");
            };
            let (length, stride) = (self.shape()[last], self.strides()[last]);
            if length != 1 && stride != old as isize && self.size() != 0 {
                return value_error("To change to a dtype of a different size, the last axis must be contiguous");
            }
            let bytes = length * old;
            if !bytes.is_multiple_of(new) {
                return value_error(
                    "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the \
                     last axis of the array.",
                );
            }
            shape[last] = bytes / new;
            strides[last] = new as isize;
        }
        Ok(Array { dtype, layout: Some(Arc::new(Layout::new(shape, strides, new))), ..self.clone() })
    }

    /// A view of the real (or imaginary) parts of a complex array; for a real array the array itself.
    pub fn part(&self, imaginary: bool) -> Array {
        let mut view = self.clone();
        if self.dtype.is_complex() {
            view.dtype = self.dtype.real();
            view.offset += if imaginary { view.dtype.size() } else { 0 };
            let (shape, strides) = (short(self.shape()), short(self.strides()));
            view.layout = Some(Arc::new(Layout::new(shape, strides, view.dtype.size())));
        }
        view
    }

    /// Whether two arrays may share memory: their byte ranges overlap.
    pub fn may_share_memory(&self, other: &Array) -> bool {
        if self.size() == 0 || other.size() == 0 {
            return false;
        }
        // Memory that does not exist yet is nobody else's.
        let base = if Arc::ptr_eq(&self.storage, &other.storage) {
            (0, 0)
        } else {
            match (self.storage.peek(), other.storage.peek()) {
                (Some(mine), Some(theirs)) if self.context() == other.context() => (mine.ptr, theirs.ptr),
                _ => return false,
            }
        };
        let range = |array: &Array, base: u64| {
            let (low, high) = array.layout().extent(array.itemsize());
            let start = base.wrapping_add(array.offset as u64);
            (start.wrapping_add_signed(low as i64), start.wrapping_add_signed(high as i64))
        };
        let (mine, theirs) = (range(self, base.0), range(other, base.1));
        mine.0 < theirs.1 && theirs.0 < mine.1
    }

    /// Whether both arrays view exactly the same elements in the same order.
    pub fn is_same_view(&self, other: &Array) -> bool {
        Arc::ptr_eq(&self.storage, &other.storage)
            && self.offset == other.offset
            && self.dtype == other.dtype
            && self.layout().shape == other.layout().shape
            && self.layout().strides == other.layout().strides
    }
}

/// Checks that an array may have so many dimensions.
///
/// # Errors
/// `ValueError` above [`MAX_NDIM`].
pub fn check_ndim(ndim: usize) -> Result<()> {
    if ndim > MAX_NDIM {
        return value_error(format!("maximum supported dimension for an ndarray is {MAX_NDIM}, found {ndim}"));
    }
    Ok(())
}

/// Checks that all arrays are on one device and returns it.
///
/// # Errors
/// [`Error::DeviceMismatch`] naming the operation and both devices.
pub fn common_context<'a>(op: &str, mut arrays: impl Iterator<Item = &'a Array>) -> Result<Option<&'a Arc<Context>>> {
    let Some(first) = arrays.next() else { return Ok(None) };
    for other in arrays {
        if first.context() != other.context() {
            let (left, right) = (first.context().id(), other.context().id());
            return Err(Error::DeviceMismatch { op: op.to_owned(), left, right });
        }
    }
    Ok(Some(first.context()))
}
