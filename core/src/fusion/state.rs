//! The deferred work of one device: open groups, running groups, and the threads that wait for these.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use parking_lot::{Condvar, Mutex};

use super::group::{Group, GroupBox};
use super::habits::Habits;
use super::log::Log;
use super::repetition::Rhythm;
use crate::error::Error;

/// Most open groups of a device.
pub(super) const MAX_GROUPS: usize = 8;

/// Most open groups of a device while a function is traced. The limit is higher because a trace is replayed often: fewer, larger
/// groups pay off each time.
pub(super) const MAX_TRACED_GROUPS: usize = 64;

/// The deferred work of one device.
///
/// The lock guards bookkeeping only: no thread holds it while it can fail, wait, compile, allocate device memory or run user
/// code. A running group is in [`State::running`], so that other threads see what it reads and writes.
#[derive(Default)]
pub struct Fuser {
    pub(super) state: Mutex<State>,
    pub(super) habits: Habits,
    /// Notified when a group has run or failed.
    pub(super) ended: Condvar,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) groups: Vec<GroupBox>,
    /// Loops of the program that were found in full groups.
    pub(super) rhythms: Vec<Rhythm>,
    pub(super) running: Vec<Running>,
    /// Threads that wait for a group that another thread runs: thread and group.
    pub(super) waiting: Vec<(u64, u64)>,
    /// Threads that are flushing groups because an allocation failed.
    pub(super) making_room: Vec<u64>,
    pub(super) log: Log,
}

pub(super) static SERIAL: AtomicU64 = AtomicU64::new(1);

/// The error in a memory hook or an allocator that a running group has called and that needs a result of this group.
pub(super) fn in_progress() -> Error {
    Error::Value(
        "the array is being computed: a memory hook or an allocator that this calls cannot read the result, nor write to \
         what it is computed from"
            .to_owned(),
    )
}

/// A group that a thread is running.
pub(super) struct Running {
    pub(super) group: Arc<GroupBox>,
    pub(super) thread: u64,
}

impl Running {
    pub fn group(&self) -> &Group {
        &self.group
    }
}
