//! Groups that run: taken out of the pending ones by one thread, and still seen by all.
//!
//! A group runs as a whole or not at all. It is taken, run without the lock, and then finished; if it fails, even by a panic,
//! it is pending again, with every mark that says what it reads and writes, as if nobody had tried. The marks are valid all
//! the time: code that runs meanwhile, in this thread (memory hooks, allocators, other groups that make room) or in others,
//! finds the group by what it touches and waits for it, or gets an error if it would wait for itself.

use std::sync::Arc;
use std::time::Duration;

use super::group::{Group, Held, note, writer_of};
use super::log::{Outcome, Reason, Tier};
use super::run::Failed;
use super::state::{Fuser, Running, State, in_progress};
use crate::detach::detached;
use crate::error::{Error, Result};
use crate::fork::{is_calling_back, this_thread};

/// How often a thread that waits looks whether it waits for a program's own code.
const LOOK: Duration = Duration::from_secs(1);
/// How many times in a row it may find so: that code may itself wait for this thread.
const LOOKS: usize = 15;

/// What came of taking a group.
pub(super) enum Take<'f> {
    Taken(Taken<'f>),
    /// It has run.
    Gone,
    /// It is not as it was asked for.
    Unfit,
    /// This group has to run first.
    After(u64),
    /// The calling thread runs it, further up.
    Own,
    /// Another thread runs it.
    Elsewhere,
}

/// A group that the calling thread runs. Unless it is finished it goes back to those that are pending.
pub(super) struct Taken<'f> {
    fuser: &'f Fuser,
    group: Option<Arc<Held>>,
}

impl State {
    /// All groups, those that run included.
    #[inline]
    pub fn all(&self) -> impl Iterator<Item = &Group> {
        self.groups.iter().map(|held| &**held).chain(self.running.iter().map(Running::group))
    }

    fn thread_of(&self, serial: u64) -> Option<u64> {
        self.running.iter().find(|running| running.group.serial == serial).map(|running| running.thread)
    }

    /// Whether a group, or one that it has to wait for, has called a program's own code or is run by the calling thread.
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

    /// Whether a thread that waits for a group would wait for itself.
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
    fn end(&mut self, group: Arc<Held>) -> Held {
        self.running.retain(|running| !Arc::ptr_eq(&running.group, &group));
        Arc::into_inner(group).expect("the thread that runs a group holds the last reference")
    }
}

impl Fuser {
    /// Takes a group to run it, if it is pending and `fits`.
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

    /// Waits until no thread runs a group. It may have failed and be pending again.
    ///
    /// # Errors
    /// `ValueError` if the thread would wait for itself, or for a program's own code that does not return.
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

    /// Notes that the group has run: what it wrote is ready. The group is to be discarded without the lock.
    pub fn finish(mut self, reason: Reason, outcome: &Outcome) -> Held {
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

    /// Notes that the results of the group's folds are in memory; the rest of it goes on waiting.
    pub fn finish_rows(mut self, reason: Reason, outcome: &Outcome) {
        let group = self.group.take().expect("a group ends once");
        let mut state = self.fuser.state.lock();
        let mut group = state.end(group);
        group.finish_rows();
        state.log.note_ahead(&group, reason, outcome);
        state.groups.push(group);
        self.tell(&state);
    }

    /// Puts the group back, of which another kernel has computed a value itself.
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

    /// Makes the group pending again, or in its place one that does what is left of its work. Returns why it could not run.
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
    /// Says that what the group was to write needs it no more.
    fn release_writes(&self) {
        let changed = self.effects.iter().map(|effect| &effect.view.storage);
        for storage in self.outputs.iter().map(|output| &output.storage).chain(changed) {
            if writer_of(storage) == self.serial {
                storage.set_writer(0);
            }
        }
    }

    /// Says that the group is to write what its effects change.
    fn claim_writes(&self) {
        self.effects.iter().for_each(|effect| effect.view.storage.set_writer(note(self.serial, None)));
    }
}
