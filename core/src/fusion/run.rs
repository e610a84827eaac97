//! The state of a running group: the results that are in memory, the results to be stored, and why a run failed.

use std::cell::RefCell;
use std::sync::Arc;

use cuproxide_hal::DType;
use smallvec::SmallVec;

use super::group::{Group, GroupBox};
use crate::context::Context;
use crate::dispatch::{Patience, Place};
use crate::error::{Error, Result};
use crate::layout::{Dims, Layout, short};
use crate::memory::Buffer;

/// Why a group could not run.
pub(super) struct Failed {
    pub error: Error,
    /// A group of the remaining work, if some existing memory has been changed already: running the whole group again would
    /// change it twice.
    pub rest: Option<GroupBox>,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Failed {
        Failed { error, rest: None }
    }
}

/// A result to be stored: its step and its place.
pub(super) struct Target {
    pub step: u16,
    pub dtype: DType,
    pub place: Place,
    /// Whether there is one element for each row.
    pub row: bool,
    /// The number of the group's effect, unless the target is a new array.
    pub effect: Option<usize>,
}

/// The result of a step, in memory.
#[derive(Clone)]
pub(super) struct Made {
    pub dtype: DType,
    pub place: Place,
    /// The memory, unless a new array owns it.
    pub buffer: Option<Arc<Buffer>>,
}

/// A running group.
pub(super) struct Run<'g> {
    pub context: &'g Arc<Context>,
    pub group: &'g Group,
    /// Steps whose results are in memory already.
    pub made: Vec<Option<Made>>,
    pub patience: Patience,
    /// Values to be copied to existing memory, by the number of the effect. The copies come last: before them, at most one launch
    /// has changed existing memory, so a group whose launch fails can run again.
    pub copies: RefCell<Vec<(usize, Made)>>,
    /// Whether the values are uniform, so that one point is computed for all.
    pub is_once: bool,
}

impl<'g> Run<'g> {
    pub fn new(context: &'g Arc<Context>, group: &'g Group) -> Run<'g> {
        let made = if group.reduced == 0 { vec![] } else { vec![None; group.steps.len()] };
        Run { context, group, made, patience: Patience::Background, copies: RefCell::default(), is_once: false }
    }

    #[inline]
    pub fn made(&self, step: usize) -> Option<&Made> {
        self.made.get(step).and_then(Option::as_ref)
    }

    pub fn needed(&self, roots: impl Iterator<Item = u16>) -> SmallVec<[bool; 16]> {
        self.group.needed(roots, |step| self.made(step).is_some())
    }

    /// The shape of all points, of one for each row, or of the single point of a uniform value.
    #[inline]
    pub fn shape(&self, row: bool) -> Dims {
        match (self.is_once, row) {
            (true, _) => Dims::from_elem(1, self.group.shape.len()),
            (false, true) => self.group.row_shape(),
            (false, false) => short(&self.group.shape),
        }
    }

    /// Allocates a C-contiguous result of a shape.
    pub fn allocate(&self, dtype: DType, shape: &[usize]) -> Result<Made> {
        let bytes = shape.iter().product::<usize>() * dtype.size();
        let buffer = Arc::new(self.context.allocate_buffer(bytes)?);
        Ok(Made { dtype, place: self.place_of_line(shape, dtype, &buffer), buffer: Some(buffer) })
    }

    /// The place of a C-contiguous result in a buffer; strides along axes of length 1 are 0.
    fn place_of_line(&self, shape: &[usize], dtype: DType, buffer: &Buffer) -> Place {
        let mut strides = Layout::contiguous(shape, dtype.size(), false).strides;
        let ones = shape.iter().zip(&mut strides).filter(|(length, _)| **length == 1);
        ones.for_each(|(_, stride)| *stride = 0);
        Place { ptr: buffer.ptr, strides }
    }
}
