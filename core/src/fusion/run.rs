//! A group at work: what it has computed so far, what it is to store, and why it could not.

use std::cell::RefCell;
use std::sync::Arc;

use cuproxide_hal::DType;
use smallvec::SmallVec;

use super::group::{Group, Held};
use crate::context::Context;
use crate::dispatch::{Patience, Place};
use crate::error::{Error, Result};
use crate::layout::{Dims, Layout, short};
use crate::memory::Buffer;

/// Why a group could not run.
pub(super) struct Failed {
    pub error: Error,
    /// What is left to do, if some of what the group changes has been changed: running all of it again would do that twice.
    pub rest: Option<Held>,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Failed {
        Failed { error, rest: None }
    }
}

/// Something to store: a step's result and its place.
pub(super) struct Target {
    pub step: u16,
    pub dtype: DType,
    pub place: Place,
    /// Whether there is one element a row.
    pub row: bool,
    /// The group's effect that this is, if it is no new array.
    pub effect: Option<usize>,
}

/// A step's results in memory.
#[derive(Clone)]
pub(super) struct Made {
    pub dtype: DType,
    pub place: Place,
    /// The memory, if it is the group's own; else it is that of a new array.
    pub buffer: Option<Arc<Buffer>>,
}

/// A group at work.
pub(super) struct Run<'g> {
    pub context: &'g Arc<Context>,
    pub group: &'g Group,
    /// Steps whose results are in memory already.
    pub made: Vec<Option<Made>>,
    pub patience: Patience,
    /// Values to be copied to what the group changes, by the number of the effect. They come last: until then nothing but one
    /// launch has changed anything, so that a group whose launch fails can run again.
    pub copies: RefCell<Vec<(usize, Made)>>,
    /// Whether one point is computed, which stands for all.
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

    /// The shape of all points, of one a row, or of the one that stands for all.
    #[inline]
    pub fn shape(&self, row: bool) -> Dims {
        match (self.is_once, row) {
            (true, _) => Dims::from_elem(1, self.group.shape.len()),
            (false, true) => self.group.row_shape(),
            (false, false) => short(&self.group.shape),
        }
    }

    /// New memory for as many points as a shape has, in C order.
    pub fn allocate(&self, dtype: DType, shape: &[usize]) -> Result<Made> {
        let bytes = shape.iter().product::<usize>() * dtype.size();
        let buffer = Arc::new(self.context.allocate_buffer(bytes)?);
        Ok(Made { dtype, place: self.place_of_line(shape, dtype, &buffer), buffer: Some(buffer) })
    }

    /// A buffer that holds elements in C order; strides along axes of length 1 are 0.
    fn place_of_line(&self, shape: &[usize], dtype: DType, buffer: &Buffer) -> Place {
        let mut strides = Layout::contiguous(shape, dtype.size(), false).strides;
        let ones = shape.iter().zip(&mut strides).filter(|(length, _)| **length == 1);
        ones.for_each(|(_, stride)| *stride = 0);
        Place { ptr: buffer.ptr, strides }
    }
}
