//! Memory that a group reads or changes, as an array of the group's shape.

use std::sync::Arc;

use cuproxide_hal::DType;

use crate::array::Array;
use crate::layout::{Strides, same_shape, short};
use crate::memory::capture;
use crate::storage::Storage;

/// Elements of an existing storage, with strides over the group's shape.
#[derive(Clone)]
pub(super) struct View {
    pub storage: Arc<Storage>,
    pub offset: usize,
    pub dtype: DType,
    pub strides: Strides,
}

impl View {
    /// All elements of an array that has the shape of the group.
    pub fn whole(array: &Array) -> View {
        View {
            storage: array.storage().clone(),
            offset: array.offset(),
            dtype: array.dtype(),
            strides: short(array.strides()),
        }
    }

    /// An array broadcast to `shape`; the caller has checked that it fits.
    pub fn stretched(array: &Array, shape: &[usize]) -> View {
        if same_shape(array.shape(), shape) {
            return View::whole(array);
        }
        let strides = array.layout().broadcast_strides(shape).expect("shapes were broadcast together");
        View { storage: array.storage().clone(), offset: array.offset(), dtype: array.dtype(), strides }
    }

    /// Whether two views are the same elements, of the same type.
    pub fn is(&self, other: &View) -> bool {
        Arc::ptr_eq(&self.storage, &other.storage)
            && self.offset == other.offset
            && self.dtype == other.dtype
            && same_shape(&self.strides, &other.strides)
    }

    /// [`View::is`] for an array that has the shape of the group.
    #[inline]
    pub fn is_of(&self, array: &Array) -> bool {
        Arc::ptr_eq(&self.storage, array.storage())
            && self.offset == array.offset()
            && self.dtype == array.dtype()
            && same_shape(&self.strides, array.strides())
    }

    /// The first byte, and one past the last byte, within the storage.
    fn range(&self, shape: &[usize]) -> (isize, isize) {
        let (mut low, mut high) = (self.offset as isize, (self.offset + self.dtype.size()) as isize);
        for (&length, &stride) in shape.iter().zip(&self.strides) {
            let reach = (length as isize - 1) * stride;
            if reach < 0 { low += reach } else { high += reach }
        }
        (low, high)
    }

    /// Whether two views over `shape` may share memory: whether their ranges of bytes intersect.
    pub fn overlaps(&self, other: &View, shape: &[usize]) -> bool {
        if !Arc::ptr_eq(&self.storage, &other.storage) {
            return false;
        }
        let (mine, theirs) = (self.range(shape), other.range(shape));
        mine.0 < theirs.1 && theirs.0 < mine.1
    }

    /// Address of the first element.
    #[inline]
    pub fn ptr(&self) -> u64 {
        let buffer = self.storage.peek().expect("what a group reads or changes exists");
        capture::touch(self.storage.context(), buffer);
        self.storage.note_replays();
        buffer.ptr + self.offset as u64
    }
}
