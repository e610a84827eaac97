//! Operations that run without a group, because the program has so far needed the result of each such operation before the next
//! one ([`Habits`]). The kernel is that of a group of one operation. A wrong guess costs a launch and changes no result.
//!
//! Only operations on few elements run at once, and only on synchronous devices: on others the queue hides the host's work.
//!
//! [`Habits`]: super::habits::Habits

use std::sync::Arc;

use cuproxide_hal::{DType, Scalar};

use super::eager::is_labelled;
use super::habits::Kind;
use super::line::Line;
use super::record::Operand;
use super::single::queue_line;
use super::state::Fuser;
use super::step::MAX_INPUTS;
use crate::array::Array;
use crate::error::Result;
use crate::layout::Layout;
use crate::memory::{capture, hooks};
use crate::storage::Storage;
use crate::timeline;
use crate::ufunc::{self, Source};

/// Most elements: at this size a group takes 4 % of the instructions of an addition.
const MOST_POINTS: usize = 1 << 14;

impl Line<'_> {
    /// The kind of the operation, if it could run at once: into `out`, which is in memory, or into a new array.
    #[inline]
    pub(super) fn kind(&self, out: Option<&Array>) -> Option<Kind> {
        if self.context.info().asynchronous {
            return None;
        }
        let points: usize = self.shape.iter().product();
        if points == 0 || points > MOST_POINTS || is_watched() {
            return None;
        }
        let mut word = u64::from(out.is_some());
        for (position, input) in self.inputs.iter().enumerate() {
            let Operand::Array(array) = *input else {
                word = word << 2 | 1;
                continue;
            };
            let whole = self.whole >> position & 1 == 1;
            let is_line = whole || array.size() == 1;
            if !array.storage().is_ready() || !is_line || out.is_some_and(|out| shares_elsewhere(out, array, whole)) {
                return None;
            }
            word = word << 2 | 2 | u64::from(whole);
        }
        Some(Kind::of(u64::from(self.ufunc.id.0) | (self.index as u64) << 16 | word << 24 | (points as u64) << 40))
    }

    /// Runs the operation if results of its kind have so far been needed immediately; otherwise does nothing.
    ///
    /// # Errors
    /// Those of the kernel.
    #[inline]
    pub(super) fn run_at_once(&self, fuser: &Fuser, kind: Kind) -> Result<Option<Array>> {
        if !fuser.habits.is_due(kind) {
            return Ok(None);
        }
        let dtype = self.ufunc.loops[self.index].outputs[0];
        let layout = self.new_layout(dtype.size());
        // If the allocation fails, the operation is deferred, and the code that needs its result reports the error.
        let Ok(storage) = Storage::allocate(self.context, layout.size() * dtype.size()) else { return Ok(None) };
        let made = Array::of_layout(storage, dtype, layout);
        Ok(self.run(fuser, &made)?.then_some(made))
    }

    /// The layout of the result, shared with an input of the same layout.
    #[inline]
    fn new_layout(&self, itemsize: usize) -> Arc<Layout> {
        let same = self.inputs.iter().enumerate().find_map(|(position, input)| match *input {
            Operand::Array(array) if self.whole >> position & 1 == 1 && array.layout().is_new(itemsize) => {
                Some(array.shared_layout().clone())
            }
            _ => None,
        });
        same.unwrap_or_else(|| Arc::new(Layout::contiguous(self.shape, itemsize, false)))
    }

    /// [`Line::run_at_once`] into an array that exists.
    ///
    /// # Errors
    /// Those of the kernel, and of the groups that read the array.
    pub(super) fn run_at_once_into(&self, fuser: &Fuser, kind: Kind, out: &Array) -> Result<bool> {
        if fuser.habits.is_due(kind) { self.run(fuser, out) } else { Ok(false) }
    }

    /// Runs the operation; false for fills, which have code of their own.
    fn run(&self, fuser: &Fuser, out: &Array) -> Result<bool> {
        let mut sources = [Source::Scalar(DType::Bool); MAX_INPUTS];
        let mut lines = [(0, 0); MAX_INPUTS + 1];
        let mut scalars = [Scalar { bytes: [0; 16], dtype: DType::Bool }; MAX_INPUTS];
        let (mut operands, mut constants) = (0, 0);
        for (source, input) in sources.iter_mut().zip(self.inputs) {
            *source = match *input {
                Operand::Array(array) => {
                    lines[operands] = (array.read_ptr()?, stride_of(array));
                    operands += 1;
                    Source::Memory(array.dtype())
                }
                Operand::Scalar(_) if self.ufunc.id == ufunc::copy().id => return Ok(false),
                Operand::Scalar(scalar) => {
                    scalars[constants] = scalar;
                    constants += 1;
                    Source::Scalar(scalar.dtype)
                }
            };
        }
        lines[operands] = (out.ptr()?, stride_of(out));
        let (sources, lines, scalars) = (&sources[..self.inputs.len()], &lines[..=operands], &scalars[..constants]);
        queue_line(
            self.context,
            (self.ufunc, self.index),
            out.size(),
            sources,
            lines,
            scalars,
            (out.dtype(), out.dtype()),
        )?;
        fuser.state.lock().log.note_at_once(self.shape, operands, self.ufunc.name);
        Ok(true)
    }
}

/// The stride of a C-contiguous array, 0 for one element.
#[inline]
fn stride_of(array: &Array) -> isize {
    if array.size() == 1 { 0 } else { array.itemsize() as isize }
}

/// Whether a profiler, a capture, a memory hook or `fuse` has to see the operation or its memory.
#[inline]
fn is_watched() -> bool {
    timeline::is_on() || capture::any_open() || hooks::are_set() || is_labelled()
}

/// Whether an input shares memory with an output without being the very same elements.
#[inline]
fn shares_elsewhere(out: &Array, input: &Array, whole: bool) -> bool {
    Arc::ptr_eq(out.storage(), input.storage())
        && !(whole && out.offset() == input.offset() && out.itemsize() == input.itemsize())
}
