//! What is deferred on one device: the open groups, those that run, and the threads that wait for them.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use parking_lot::{Condvar, Mutex};

use super::group::{Group, Held};
use super::habits::Habits;
use super::log::Log;
use super::repetition::Rhythm;
use crate::error::Error;

/// Most open groups of a device.
pub(super) const MAX_GROUPS: usize = 8;

/// Most open groups of a device while a function is traced: what is not cut apart is launched together ever after.
pub(super) const MAX_TRACED_GROUPS: usize = 64;

/// The deferred work of one device.
///
/// The lock guards bookkeeping only: it is never held while anything can fail, wait, compile, allocate, or run a program's
/// own code. A group that runs is in [`State::running`] meanwhile, so that everybody sees what it reads and writes.
#[derive(Default)]
pub struct Fuser {
    pub(super) state: Mutex<State>,
    pub(super) habits: Habits,
    /// Told when a group has run, or failed to.
    pub(super) ended: Condvar,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) groups: Vec<Held>,
    /// Loops that were found in full groups.
    pub(super) rhythms: Vec<Rhythm>,
    pub(super) running: Vec<Running>,
    /// Threads that wait for a group that another one runs.
    pub(super) waiting: Vec<(u64, u64)>,
    /// Threads that run deferred work because there was no memory.
    pub(super) making_room: Vec<u64>,
    pub(super) log: Log,
}

pub(super) static SERIAL: AtomicU64 = AtomicU64::new(1);

/// The error of code that a group has called in order to run (a memory hook or an allocator) and that needs that very group.
pub(super) fn in_progress() -> Error {
    Error::Value(
        "the array is being computed: a memory hook or an allocator that this calls cannot read the result, nor write to \
         what it is computed from"
            .to_owned(),
    )
}

/// A group that a thread runs.
pub(super) struct Running {
    pub(super) group: Arc<Held>,
    pub(super) thread: u64,
}

impl Running {
    pub fn group(&self) -> &Group {
        &self.group
    }
}
