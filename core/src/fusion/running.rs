//! Running groups: one thread takes a group from the pending ones, and all threads still see it.
//!
//! A group runs completely or not at all. A thread takes it, runs it without the lock, and then finishes it. If it fails, even by
//! a panic, it becomes pending again. Storages keep naming the group that reads or writes them all the time. Other code that
//! runs meanwhile, in this thread (memory hooks, allocators, groups that make room) or in others, therefore finds the group by
//! its storages and waits for it, or gets an error if it would wait for itself.

use std::sync::Arc;
use std::time::Duration;

use super::group::{Group, GroupBox, note, writer_of};
use super::log::{Outcome, Reason, Tier};
use super::run::Failed;
use super::state::{Fuser, Running, State, in_progress};
use crate::detach::detached;
use crate::error::{Error, Result};
use crate::fork::{is_calling_back, this_thread};

/// How often a waiting thread checks whether it is waiting for user code.
const LOOK: Duration = Duration::from_secs(1);
/// After how many such checks in a row it gives up: the user code may itself be waiting for this thread.
const LOOKS: usize = 15;

/// The outcome of taking a group.
pub(super) enum Take<'f> {
    Taken(Taken<'f>),
    /// It has run.
    Gone,
    /// It does not meet the caller's condition.
    Unfit,
    /// This group has to run first.
    After(u64),
    /// The calling thread is running it, further up the call stack.
    Own,
    /// Another thread is running it.
    Elsewhere,
}

/// A group that the calling thread is running. If it is dropped unfinished, it becomes pending again.
pub(super) struct Taken<'f> {
    fuser: &'f Fuser,
    group: Option<Arc<GroupBox>>,
}

impl State {
    /// All groups, pending and running.
    #[inline]
    pub fn all(&self) -> impl Iterator<Item = &Group> {
        self.groups.iter().map(|held| &**held).chain(self.running.iter().map(Running::group))
    }

    fn thread_of(&self, serial: u64) -> Option<u64> {
        self.running.iter().find(|running| running.group.serial == serial).map(|running| running.thread)
    }

    /// Whether a group, or one that it has to wait for, is calling user code or is run by the calling thread.
    pub fn is_in_call(&self, group: &Group) -> bool {
        let mut next = Some(group);
        while let Some(group) = next {
            let thread = self.thread_of(group.serial);
            if thread.is_some_and(|thread| thread == this_thread() || is_calling_back(thread)) {
                return true;
            }
            next = group.after.and_then(|before| self.all().find(|group| group.serial == before));
        }
        false
    }

    /// Whether the calling thread would wait for itself if it waited for a group.
    fn is_circular(&self, serial: u64) -> bool {
        let mut owner = self.thread_of(serial);
        for _ in 0..=self.waiting.len() {
            let Some(thread) = owner else { return false };
            if thread == this_thread() {
                return true;
            }
            let next = self.waiting.iter().find(|(waiter, _)| *waiter == thread);
            owner = next.and_then(|(_, serial)| self.thread_of(*serial));
        }
        false
    }

    /// Ends the run of a group and returns it.
    fn end(&mut self, group: Arc<GroupBox>) -> GroupBox {
        self.running.retain(|running| !Arc::ptr_eq(&running.group, &group));
        Arc::into_inner(group).expect("the thread that runs a group holds the last reference")
    }
}

impl Fuser {
    /// Takes a group to run it, if it is pending and `fits` holds.
    pub(super) fn take(&self, serial: u64, fits: impl FnOnce(&Group) -> bool) -> Take<'_> {
        let mut state = self.state.lock();
        let Some(position) = state.groups.iter().position(|group| group.serial == serial) else {
            return match state.thread_of(serial) {
                None => Take::Gone,
                Some(thread) if thread == this_thread() => Take::Own,
                Some(_) => Take::Elsewhere,
            };
        };
        let group = &state.groups[position];
        if !fits(group) {
            return Take::Unfit;
        }
        if let Some(before) = group.after.filter(|&before| state.all().any(|group| group.serial == before)) {
            return Take::After(before);
        }
        let group = Arc::new(state.groups.swap_remove(position));
        state.running.push(Running { group: group.clone(), thread: this_thread() });
        Take::Taken(Taken { fuser: self, group: Some(group) })
    }

    /// Waits until no thread is running a group. The group may have failed and be pending again.
    ///
    /// # Errors
    /// `ValueError` if the thread would wait for itself, or for user code that does not return.
    pub(super) fn wait_for(&self, serial: u64) -> Result<()> {
        let thread = this_thread();
        {
            let mut state = self.state.lock();
            if state.is_circular(serial) {
                return Err(in_progress());
            }
            state.waiting.push((thread, serial));
        }
        detached(|| {
            let mut state = self.state.lock();
            let mut looks = 0;
            let ended = loop {
                let Some(owner) = state.thread_of(serial) else { break true };
                if self.ended.wait_for(&mut state, LOOK).timed_out() {
                    looks = if is_calling_back(owner) { looks + 1 } else { 0 };
                }
                if looks >= LOOKS {
                    break false;
                }
            };
            state.waiting.retain(|waiting| *waiting != (thread, serial));
            if ended { Ok(()) } else { Err(stuck()) }
        })
    }
}

fn stuck() -> Error {
    Error::Value(format!(
        "the array is being computed by another thread, whose memory hook or allocator has not returned for {} seconds; it \
         must not wait for a thread that uses this array",
        LOOK.as_secs() * LOOKS as u64
    ))
}

impl Taken<'_> {
    pub fn group(&self) -> &Group {
        self.group.as_ref().expect("it is there until the end")
    }

    /// Notes that the group has run and its results are ready. The caller discards the group without the lock.
    pub fn finish(mut self, reason: Reason, outcome: &Outcome) -> GroupBox {
        let group = self.group.take().expect("a group ends once");
        let mut state = self.fuser.state.lock();
        let group = state.end(group);
        group.release_writes();
        if state.all().next().is_none() {
            group.operands.iter().for_each(|view| view.storage.set_read_by_group(false));
        }
        state.log.note(&group, reason, outcome);
        if let Some(kind) = group.kind {
            self.fuser.habits.note(kind, group.steps.len() == 1 && outcome.tier == Tier::Single);
        }
        self.tell(&state);
        group
    }

    /// Notes that the results of the group's folds are in memory; the rest of the group stays deferred.
    pub fn finish_rows(mut self, reason: Reason, outcome: &Outcome) {
        let group = self.group.take().expect("a group ends once");
        let mut state = self.fuser.state.lock();
        let mut group = state.end(group);
        group.finish_rows();
        state.log.note_ahead(&group, reason, outcome);
        state.groups.push(group);
        self.tell(&state);
    }

    /// Puts the group back after another kernel has computed one of its values itself.
    pub fn put_back(mut self, absorbed: Option<&Outcome>) {
        let group = self.group.take().expect("a group ends once");
        let mut state = self.fuser.state.lock();
        let group = state.end(group);
        if let Some(outcome) = absorbed {
            state.log.note_absorbed(&group, outcome);
        }
        state.groups.push(group);
        self.tell(&state);
    }

    /// Makes the group pending again, or a group of its remaining work. Returns the error.
    #[cold]
    #[inline(never)]
    pub fn fail(mut self, failed: Failed) -> Error {
        let Some(rest) = failed.rest else { return failed.error };
        let group = self.group.take().expect("a group ends once");
        let mut state = self.fuser.state.lock();
        let group = state.end(group);
        group.release_writes();
        rest.claim_writes();
        state.groups.push(rest);
        self.tell(&state);
        drop(state);
        // Without the lock, as after `finish`.
        group.discard();
        failed.error
    }

    fn tell(&self, state: &State) {
        if !state.waiting.is_empty() {
            self.fuser.ended.notify_all();
        }
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let Some(group) = self.group.take() else { return };
        let mut state = self.fuser.state.lock();
        let group = state.end(group);
        state.groups.push(group);
        self.tell(&state);
    }
}

impl Group {
    /// Clears the group from the storages that it has written.
    fn release_writes(&self) {
        let changed = self.effects.iter().map(|effect| &effect.view.storage);
        for storage in self.outputs.iter().map(|output| &output.storage).chain(changed) {
            if writer_of(storage) == self.serial {
                storage.set_writer(0);
            }
        }
    }

    /// Names the group as the writer of the storages that it changes in place.
    fn claim_writes(&self) {
        self.effects.iter().for_each(|effect| effect.view.storage.set_writer(note(self.serial, None)));
    }
}
