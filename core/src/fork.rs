//! Makes `fork()` wait until no thread works without the interpreter's lock. The child process has the forking thread only; a
//! lock that another thread holds at that moment stays locked there. The interpreter itself stops attached threads before a
//! fork: by its lock, or in free-threaded Python once they have left their present call. Threads that work detached register
//! here, and none begins once the fork may proceed.

use std::cell::Cell;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

/// Threads that are at work, each as often as it began.
static AT_WORK: AtomicUsize = AtomicUsize::new(0);
/// Whether a thread waits for the others, to fork, or may fork.
static PHASE: AtomicU8 = AtomicU8::new(NO_FORK);
const NO_FORK: u8 = 0;
const WAITING: u8 = 1;
const REACHED: u8 = 2;
/// How long a thread that begins, or one that forks, sleeps before it looks again.
const NAP: Duration = Duration::from_micros(100);

/// Threads that are in the program's functions, each as often as it called one.
static CALLING: Mutex<Vec<u64>> = Mutex::new(Vec::new());

thread_local! {
    static OWN: Cell<usize> = const { Cell::new(0) };
    /// Whether the thread works without the interpreter's lock.
    static FREE: Cell<bool> = const { Cell::new(false) };
}

/// A thread is at work, without the interpreter's lock, while this lives. It knows whether the thread was before.
pub struct AtWork(bool);

impl AtWork {
    /// Begins work that holds no lock yet: waits for a fork that is about to be.
    pub fn begin() -> AtWork {
        loop {
            if (PHASE.load(Ordering::SeqCst) == NO_FORK || OWN.get() > 0)
                && let Some(at_work) = AtWork::go_on()
            {
                return at_work;
            }
            std::thread::sleep(NAP);
        }
    }

    /// Begins a part of work that is under way, whose locks may be held. None if a fork may be at any moment: such work is then
    /// to be done attached to the interpreter, which waits for it.
    pub fn go_on() -> Option<AtWork> {
        // One of both sees the other: this thread that the fork is reached, or the one that forks that this is at work.
        AT_WORK.fetch_add(1, Ordering::SeqCst);
        if OWN.get() == 0 && PHASE.load(Ordering::SeqCst) == REACHED {
            AT_WORK.fetch_sub(1, Ordering::SeqCst);
            return None;
        }
        OWN.set(OWN.get() + 1);
        Some(AtWork(FREE.replace(true)))
    }

    /// Whether the calling thread is at work, and not in a user function that its work has called.
    pub fn is_now() -> bool {
        FREE.get()
    }
}

/// Calls a user function, with the interpreter's lock, in the middle of work or outside of any.
pub fn called_back<T>(function: impl FnOnce() -> T) -> T {
    /// Puts things back, also after a panic.
    struct Back(bool);
    impl Drop for Back {
        fn drop(&mut self) {
            FREE.set(self.0);
            let mut calling = CALLING.lock();
            if let Some(position) = calling.iter().rposition(|&thread| thread == this_thread()) {
                calling.swap_remove(position);
            }
        }
    }
    CALLING.lock().push(this_thread());
    let _back = Back(FREE.replace(false));
    function()
}

/// Whether a thread is in a user function.
pub(crate) fn is_calling_back(thread: u64) -> bool {
    CALLING.lock().contains(&thread)
}

/// A number that names the calling thread in this process.
pub(crate) fn this_thread() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local! {
        static NUMBER: u64 = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    NUMBER.with(|number| *number)
}

impl Drop for AtWork {
    fn drop(&mut self) {
        FREE.set(self.0);
        OWN.set(OWN.get() - 1);
        AT_WORK.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Keeps other threads from beginning. A fork continues as soon as this says true while the thread is attached to the
/// interpreter; before the next question it is detached for a moment, by [`nap`].
pub fn is_reached() -> bool {
    for phase in [WAITING, REACHED] {
        PHASE.store(phase, Ordering::SeqCst);
        if AT_WORK.load(Ordering::SeqCst) != OWN.get() {
            PHASE.store(WAITING, Ordering::SeqCst);
            return false;
        }
    }
    true
}

/// Sleeps until it is worth while to ask again.
pub fn nap() {
    std::thread::sleep(NAP);
}

/// Lets the others go on, in the parent.
pub fn is_over() {
    PHASE.store(NO_FORK, Ordering::SeqCst);
}

/// Goes on in the child, which has no other threads. What such threads did is to be forgotten, too
/// ([`forget_background`](crate::dispatch::forget_background)).
pub fn begin_child() {
    AT_WORK.store(OWN.get(), Ordering::SeqCst);
    is_over();
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn nobody_begins_once_a_fork_may_be() {
        let (begun, is_begun) = channel();
        let (end, is_ended) = channel();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let at_work = AtWork::begin();
                begun.send(()).unwrap();
                is_ended.recv().unwrap();
                drop(at_work);
            });
            is_begun.recv().unwrap();
            assert!(!is_reached(), "a thread is at work");
            // What is under way goes on while the fork waits.
            assert!(scope.spawn(|| AtWork::go_on().is_some()).join().unwrap());
            end.send(()).unwrap();
            while !is_reached() {
                nap();
            }
            assert!(scope.spawn(|| AtWork::go_on().is_none()).join().unwrap(), "such work is done attached");
            let waiting = scope.spawn(|| drop(AtWork::begin()));
            nap();
            assert!(!waiting.is_finished(), "work begins after the fork");
            is_over();
            waiting.join().unwrap();
        });
    }
}
