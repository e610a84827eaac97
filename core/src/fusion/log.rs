//! The log of flushes: their reasons, their kernels, and counters.

use std::collections::VecDeque;
use std::ops::Deref;
use std::sync::Arc;

use super::group::Group;
use super::kernels::kernel_count;
use crate::layout::{Dims, same_shape, short};

/// Flushes that are remembered.
const LENGTH: usize = 256;

/// Why a group was flushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A result is needed in memory: by the host, by a library, or by an operation that is not elementwise.
    Read,
    /// Memory that the group reads is about to be written.
    Write,
    /// An operation reads a result in another shape or order.
    View,
    /// An operation writes memory that the group reads in another order.
    Overlap,
    /// The group is as large as a kernel may be.
    Full,
    /// Many shapes are in use.
    Shapes,
    /// The group keeps much memory alive.
    Memory,
    /// A stream or device is synchronised, an event recorded, a capture begun or ended.
    Synchronise,
    /// `evaluate` was called.
    Evaluate,
    /// A function that was traced is called again.
    Replay,
    /// The program has so far needed the result of each such operation immediately.
    Habit,
}

impl Reason {
    /// The reason in words.
    pub fn text(self) -> &'static str {
        match self {
            Reason::Read => "a result was needed in memory",
            Reason::Write => "memory that the group reads was about to be written",
            Reason::View => "a result was read in another shape or order",
            Reason::Overlap => "memory that the group reads in another order was written",
            Reason::Full => "the group had reached the size of a kernel",
            Reason::Shapes => "too many shapes were in use",
            Reason::Memory => "the group kept much memory alive",
            Reason::Synchronise => "a stream was synchronised or an event recorded",
            Reason::Evaluate => "evaluate() was called",
            Reason::Replay => "a function that was traced was called again",
            Reason::Habit => "each time before, the result was needed at once",
        }
    }
}

/// How a group ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// Nobody wanted a result any more.
    #[default]
    Dropped,
    /// As one kernel of a single operator, or a copy or fill.
    Single,
    /// As a fused kernel.
    Fused,
    /// Operator by operator, while the fused kernel is compiled.
    Unfused,
    /// As the recorded launches of a traced function.
    Replayed,
}

/// The name of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// The name of a ufunc, or an empty one.
    Static(&'static str),
    /// The name of a fused kernel, or the program's name for it.
    Shared(Arc<str>),
}

impl Default for Name {
    fn default() -> Name {
        Name::Static("")
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Name::Static(name) => name,
            Name::Shared(name) => name,
        }
    }
}

/// What running a group did.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    pub tier: Tier,
    pub steps: usize,
    pub operands: usize,
    pub stored: usize,
    pub name: Name,
    /// Reductions that computed their input themselves.
    pub absorbed: usize,
}

impl Outcome {
    /// The outcome of two kernels, one after the other.
    pub fn and(self, next: Outcome) -> Outcome {
        let name = if next.name.is_empty() { self.name } else { next.name };
        Outcome {
            tier: self.tier.max(next.tier),
            steps: self.steps.max(next.steps),
            operands: self.operands.max(next.operands),
            stored: self.stored + next.stored,
            name,
            absorbed: self.absorbed + next.absorbed,
        }
    }
}

/// One flush.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Why.
    pub reason: Reason,
    /// How.
    pub tier: Tier,
    /// The shape of all operations.
    pub shape: Dims,
    /// Operations that were deferred.
    pub deferred: usize,
    /// Operations that had to be computed.
    pub computed: usize,
    /// Arrays read.
    pub read: usize,
    /// Arrays written.
    pub written: usize,
    /// The name of the kernel, or the program's name for it.
    pub name: Name,
}

impl Entry {
    /// Whether it is that of an operation that ran at once.
    #[inline]
    fn is_at_once(&self, shape: &[usize], read: usize, name: &'static str) -> bool {
        let is_named = matches!(self.name, Name::Static(known) if std::ptr::eq(known, name));
        self.reason == Reason::Habit && self.read == read && is_named && same_shape(&self.shape, shape)
    }
}

/// How often things happened since the start.
#[derive(Clone, Copy, Debug, Default)]
pub struct CacheInfo {
    /// Operations that were deferred and flushed.
    pub deferred: u64,
    /// Operations that were never computed.
    pub dropped: u64,
    /// Operations that matched the script of their group: the steps of an earlier group that began alike.
    pub expected: u64,
    /// Flushes that ran as one fused kernel.
    pub fused: u64,
    /// Flushes of a single operator.
    pub single: u64,
    /// Flushes that ran operator by operator.
    pub unfused: u64,
    /// Calls of traced functions that replayed their trace.
    pub replayed: u64,
    /// Reductions that absorbed the operations before them.
    pub absorbed: u64,
    /// Fused kernels in the process.
    pub kernels: usize,
    /// Operations that are deferred now.
    pub pending: usize,
}

fn named(group: &Group, outcome: &Outcome) -> Name {
    group.label.clone().map_or_else(|| outcome.name.clone(), Name::Shared)
}

#[derive(Default)]
pub(super) struct Log {
    /// Each with how often in a row it happened.
    entries: VecDeque<(Entry, usize)>,
    info: CacheInfo,
}

impl Log {
    pub fn note(&mut self, group: &Group, reason: Reason, outcome: &Outcome) {
        self.info.deferred += group.steps.len() as u64;
        self.info.dropped += (group.steps.len() - outcome.steps.min(group.steps.len())) as u64;
        self.info.expected += group.followed as u64;
        self.count(outcome);
        self.push(Entry {
            reason,
            tier: outcome.tier,
            shape: short(&group.shape),
            deferred: group.steps.len(),
            computed: outcome.steps,
            read: outcome.operands,
            written: outcome.stored,
            name: named(group, outcome),
        });
    }

    /// Notes an operation that ran at once, by [`Reason::Habit`].
    #[inline]
    pub fn note_at_once(&mut self, shape: &[usize], read: usize, name: &'static str) {
        self.info.deferred += 1;
        self.info.single += 1;
        // A loop of one operation would fill the list with one entry.
        if let Some((last, times)) = self.entries.back_mut()
            && last.is_at_once(shape, read, name)
        {
            *times += 1;
            return;
        }
        self.push(Entry {
            reason: Reason::Habit,
            tier: Tier::Single,
            shape: short(shape),
            deferred: 1,
            computed: 1,
            read,
            written: 1,
            name: Name::Static(name),
        });
    }

    fn count(&mut self, outcome: &Outcome) {
        match outcome.tier {
            Tier::Dropped => {}
            Tier::Single => self.info.single += 1,
            Tier::Fused => self.info.fused += 1,
            Tier::Unfused => self.info.unfused += 1,
            Tier::Replayed => self.info.replayed += 1,
        }
        self.info.absorbed += outcome.absorbed as u64;
    }

    /// Notes reductions over values of `group` that ran on their own; all of it stays deferred.
    pub fn note_absorbed(&mut self, group: &Group, outcome: &Outcome) {
        self.info.absorbed += outcome.absorbed as u64;
        self.note_part(group, Reason::Read, outcome);
    }

    /// Notes results of reductions that were computed; the rest of `group` stays deferred.
    pub fn note_ahead(&mut self, group: &Group, reason: Reason, outcome: &Outcome) {
        self.count(outcome);
        self.note_part(group, reason, outcome);
    }

    fn note_part(&mut self, group: &Group, reason: Reason, outcome: &Outcome) {
        self.push(Entry {
            reason,
            tier: outcome.tier,
            shape: Dims::from_slice(&group.shape),
            deferred: group.steps.len(),
            computed: outcome.steps,
            read: outcome.operands,
            written: outcome.stored,
            name: named(group, outcome),
        });
    }

    /// Notes the replay of a traced function.
    pub fn note_replay(&mut self, entry: Entry) {
        self.info.replayed += 1;
        self.push(entry);
    }

    fn push(&mut self, entry: Entry) {
        if self.entries.len() == LENGTH {
            self.entries.pop_front();
        }
        self.entries.push_back((entry, 1));
    }

    /// The last flushes, oldest first.
    pub fn entries(&self) -> Vec<Entry> {
        let each = self.entries.iter().rev().flat_map(|(entry, times)| std::iter::repeat_n(entry, *times));
        let mut last: Vec<Entry> = each.take(LENGTH).cloned().collect();
        last.reverse();
        last
    }

    pub fn info(&self, pending: usize) -> CacheInfo {
        CacheInfo { kernels: kernel_count(), pending, ..self.info }
    }
}
