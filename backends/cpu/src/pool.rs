//! The backend's own threads.
//!
//! They are made when first needed and number `CUPROXIDE_NUM_THREADS` or as many as the machine has. A forked child
//! does not inherit threads, so it forgets the pool and makes one of its own.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};
use std::{hint, mem, ptr};

use cuproxide_hal::interrupt::{self, Following};
use cuproxide_hal::settings;
use parking_lot::Mutex;
use rayon::{ThreadPool, Yield};

use crate::fault;
use crate::registers::{self, Cleared};

static POOL: AtomicPtr<Pool> = AtomicPtr::new(ptr::null_mut());

/// Threads, and how work reaches those that look for it.
struct Pool {
    threads: ThreadPool,
    /// Length of `offers.works`, which helpers poll without the lock.
    offered: AtomicUsize,
    offers: Mutex<Offers>,
    /// How long a helper looks for further work before it sleeps.
    linger: Duration,
}

thread_local! {
    /// Whether this thread is in `linger`.
    static LINGERS: Cell<bool> = const { Cell::new(false) };
}

/// Work for lingering helpers. Their number is `works.len() + waiting`: each offer is reserved for one of them.
#[derive(Default)]
struct Offers {
    works: Vec<Arc<Work>>,
    waiting: usize,
}

/// Number of threads that work is split over.
pub fn threads() -> usize {
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| {
        // The backend has refused a value without a meaning before it came to this.
        let asked = settings::NUM_THREADS.count().ok().flatten();
        asked.unwrap_or_else(|| thread::available_parallelism().map_or(1, Into::into))
    })
}

extern "C" fn forget() {
    POOL.store(ptr::null_mut(), Ordering::Relaxed);
}

/// The threads of the pool, or `None` if the system gives none.
pub fn pool() -> Option<&'static ThreadPool> {
    current().map(|pool| &pool.threads)
}

fn current() -> Option<&'static Pool> {
    let mut current = POOL.load(Ordering::Acquire);
    if current.is_null() {
        static WATCH_FORKS: OnceLock<()> = OnceLock::new();
        WATCH_FORKS.get_or_init(|| {
            // SAFETY: the handler only stores a pointer, which is allowed between fork and exec.
            unsafe { libc::pthread_atfork(None, None, Some(forget)) };
        });
        let made = Box::into_raw(Box::new(Pool::new(start(threads())?, LINGER)));
        match POOL.compare_exchange(ptr::null_mut(), made, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => current = made,
            Err(winner) => {
                // SAFETY: `made` came from a box and nobody else has seen it.
                drop(unsafe { Box::from_raw(made) });
                current = winner;
            }
        }
    }
    // SAFETY: a published pool is never freed.
    unsafe { current.as_ref() }
}

/// A pool of as many threads, or of fewer where the system starts no more.
fn start(wanted: usize) -> Option<ThreadPool> {
    let mut counts = std::iter::successors(Some(wanted), |count| Some(count / 2).filter(|&count| count > 1));
    counts.find_map(|count| {
        let name = |index| format!("cuproxide-{index}");
        match rayon::ThreadPoolBuilder::new().num_threads(count).thread_name(name).build() {
            Ok(pool) => Some(pool),
            Err(error) => {
                tracing::warn!(threads = count, %error, "the system does not start so many threads");
                None
            }
        }
    })
}

/// Set in `Work::state` when nobody may join any more.
const CLOSED: usize = 1 << (usize::BITS - 1);
/// How often the caller looks, some microseconds in all, before it sleeps until helpers are done.
const LOOKS: usize = 128;
/// The system takes longer to wake a thread than a program takes from one array operation to the next, and longer still where other
/// processes are busy.
const LINGER: Duration = Duration::from_micros(100);
/// Pauses from one look to the next.
const PAUSES: usize = 16;

/// Work that helpers may join until the caller is done. One that wakes up later finds it closed: nobody waits for it.
struct Work {
    /// How many helpers are at work, and `CLOSED`.
    state: AtomicUsize,
    body: *const (dyn Fn() + Sync),
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    caller: Thread,
}

// SAFETY: what `body` points to is `Sync`, and stays while a helper is counted.
unsafe impl Send for Work {}
// SAFETY: as above.
unsafe impl Sync for Work {}

impl Work {
    /// Does what is left of the work, unless it is closed.
    fn join(&self) {
        let enter = |state| (state & CLOSED == 0).then_some(state + 1);
        if self.state.fetch_update(Ordering::Acquire, Ordering::Relaxed, enter).is_err() {
            return;
        }
        // SAFETY: the caller closes the work and waits for those who joined before it drops the body.
        let outcome = catch_unwind(AssertUnwindSafe(|| unsafe { (*self.body)() }));
        if let Err(payload) = outcome {
            *self.panic.lock() = Some(payload);
        }
        if self.state.fetch_sub(1, Ordering::Release) == CLOSED + 1 {
            self.caller.unpark();
        }
    }
}

/// Closes work and waits for those who joined it, also when the caller panics.
struct Closed<'a>(&'a Work);

impl Drop for Closed<'_> {
    fn drop(&mut self) {
        let state = &self.0.state;
        state.fetch_or(CLOSED, Ordering::Acquire);
        for _ in 0..LOOKS {
            if state.load(Ordering::Acquire) == CLOSED {
                return;
            }
            hint::spin_loop();
        }
        while state.load(Ordering::Acquire) != CLOSED {
            thread::park();
        }
    }
}

impl Pool {
    fn new(threads: ThreadPool, linger: Duration) -> Pool {
        Pool { threads, offered: AtomicUsize::new(0), offers: Mutex::default(), linger }
    }

    /// Runs `body` on the caller, and on threads of the pool that linger or wake up before the caller returns from `body`.
    fn share(&'static self, helpers: usize, body: &(dyn Fn() + Sync)) {
        // SAFETY: only the lifetime is another; `Closed` keeps the promise that `join` relies on.
        let body: &'static (dyn Fn() + Sync) = unsafe { mem::transmute(body) };
        let work =
            Arc::new(Work { state: AtomicUsize::new(0), body, panic: Mutex::new(None), caller: thread::current() });
        for _ in self.offer(helpers, &work)..helpers {
            let work = work.clone();
            self.threads.spawn(move || {
                work.join();
                self.linger();
            });
        }
        let closed = Closed(&work);
        body();
        drop(closed);
        if let Some(payload) = work.panic.lock().take() {
            resume_unwind(payload);
        }
    }

    /// Offers work to helpers that look for it; how many there are, `helpers` at most.
    fn offer(&self, helpers: usize, work: &Arc<Work>) -> usize {
        let mut offers = self.offers.lock();
        let found = helpers.min(offers.waiting);
        offers.waiting -= found;
        offers.works.extend((0..found).map(|_| work.clone()));
        self.offered.store(offers.works.len(), Ordering::Release);
        found
    }

    /// Does further work that comes before a helper has waited too long.
    fn linger(&self) {
        // rayon may run this task inside `next` of the same thread; the outer call goes on lingering.
        if LINGERS.replace(true) {
            return;
        }
        while let Some(work) = self.next() {
            work.join();
        }
        LINGERS.set(false);
    }

    /// Waits for offered work, but not for long. Meanwhile it runs rayon tasks, such as parts of a product, which would otherwise
    /// wait; while it does, an offer may be reserved for it, and the caller has a helper less.
    fn next(&self) -> Option<Arc<Work>> {
        self.offers.lock().waiting += 1;
        let begin = Instant::now();
        loop {
            let late = begin.elapsed() > self.linger;
            if late || self.offered.load(Ordering::Acquire) > 0 {
                let mut offers = self.offers.lock();
                if let Some(work) = offers.works.pop() {
                    self.offered.store(offers.works.len(), Ordering::Release);
                    return Some(work);
                }
                if late {
                    offers.waiting -= 1;
                    return None;
                }
            }
            if rayon::yield_now() != Some(Yield::Executed) {
                (0..PAUSES).for_each(|_| hint::spin_loop());
            }
        }
    }
}

/// Runs `body` for every number below `tasks`, on the caller and on the pool. It ends early, by unwinding, if the program is to
/// stop ([`interrupt::point`]).
pub fn run(tasks: usize, body: impl Fn(usize) + Sync) {
    run_tasks(tasks, &body);
}

/// [`run`], compiled once for all bodies.
fn run_tasks(tasks: usize, body: &(dyn Fn(usize) + Sync)) {
    let helpers = (threads() - 1).min(tasks.saturating_sub(1));
    let pool = if helpers == 0 { None } else { current() };
    let Some(pool) = pool else {
        let _cleared = Cleared;
        for task in 0..tasks {
            body(task);
            interrupt::point();
        }
        return;
    };
    let next = AtomicUsize::new(0);
    let (caller, is_followed, faults) = (thread::current().id(), interrupt::is_followed(), fault::place());
    let work = || {
        // A library may have had this thread before, by the pool itself.
        registers::clear();
        let _cleared = Cleared;
        // SAFETY: the caller waits for all that joined its work.
        let helping = || unsafe { fault::Helping::begin(faults) };
        let _following = (thread::current().id() != caller).then(|| (Following::begin(is_followed), helping()));
        loop {
            let task = next.fetch_add(1, Ordering::Relaxed);
            if task >= tasks || interrupt::requested() {
                break;
            }
            body(task);
        }
    };
    pool.share(helpers, &work);
    interrupt::point();
}

/// [`ThreadPool::install`] through a `dyn` closure, so that it is compiled once.
pub fn inside<R: Send>(pool: &ThreadPool, work: impl FnOnce() -> R + Send) -> R {
    fn inside(pool: &ThreadPool, work: &mut (dyn FnMut() + Send)) {
        pool.install(work);
    }
    let (mut work, mut result) = (Some(work), None);
    inside(pool, &mut || result = work.take().map(|work| work()));
    result.expect("work that ends has a result")
}

/// [`rayon::join`] through `dyn` closures, so that it is compiled once.
pub fn join<A: Send, B: Send>(first: impl FnOnce() -> A + Send, second: impl FnOnce() -> B + Send) -> (A, B) {
    fn join(first: &mut (dyn FnMut() + Send), second: &mut (dyn FnMut() + Send)) {
        rayon::join(first, second);
    }
    let (mut first, mut second) = (Some(first), Some(second));
    let (mut a, mut b) = (None, None);
    join(&mut || a = first.take().map(|work| work()), &mut || b = second.take().map(|work| work()));
    a.zip(b).expect("work that ends has a result")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool_of_one(linger: Duration) -> &'static Pool {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread starts");
        Box::leak(Box::new(Pool::new(threads, linger)))
    }

    #[test]
    fn nobody_waits_for_a_helper_that_is_busy() {
        let pool = pool_of_one(LINGER);
        let (release, wait) = std::sync::mpsc::channel::<()>();
        pool.threads.spawn(move || assert!(wait.recv().is_ok()));
        let count = AtomicUsize::new(0);
        pool.share(1, &|| {
            count.fetch_add(1, Ordering::Relaxed);
        });
        // The helper is held until now, so that it did not come.
        release.send(()).expect("the helper waits");
        pool.threads.install(|| ());
        assert_eq!(count.into_inner(), 1);
    }

    #[test]
    fn the_caller_waits_for_helpers_that_came() {
        let pool = pool_of_one(LINGER);
        let (arrived, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let caller = thread::current().id();
        pool.share(1, &|| {
            if thread::current().id() == caller {
                while arrived.load(Ordering::Acquire) == 0 {
                    thread::yield_now();
                }
            } else {
                arrived.store(1, Ordering::Release);
                thread::sleep(Duration::from_millis(20));
                done.store(1, Ordering::Relaxed);
            }
        });
        assert_eq!(done.into_inner(), 1);
    }

    #[test]
    fn a_panic_of_a_helper_is_the_callers() {
        let pool = pool_of_one(LINGER);
        let arrived = AtomicUsize::new(0);
        let caller = thread::current().id();
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            pool.share(1, &|| {
                if thread::current().id() == caller {
                    while arrived.load(Ordering::Acquire) == 0 {
                        thread::yield_now();
                    }
                } else {
                    arrived.store(1, Ordering::Release);
                    panic!("in a helper");
                }
            });
        }));
        assert!(outcome.is_err());
    }

    /// Shares work with a helper that surely comes, and says which thread it is.
    fn helper(pool: &'static Pool) -> thread::ThreadId {
        let (caller, found) = (thread::current().id(), OnceLock::new());
        pool.share(1, &|| {
            if thread::current().id() == caller {
                while found.get().is_none() {
                    thread::yield_now();
                }
            } else {
                found.set(thread::current().id()).expect("there is one helper");
            }
        });
        found.into_inner().expect("the helper came")
    }

    #[test]
    fn a_lingering_helper_takes_offered_work_and_other_tasks() {
        static TAKEN: AtomicUsize = AtomicUsize::new(0);
        let body: &'static (dyn Fn() + Sync) = &|| {
            TAKEN.fetch_add(1, Ordering::Release);
        };
        let pool = pool_of_one(Duration::from_secs(5));
        let first = helper(pool);
        for count in 1..100 {
            while pool.offers.lock().waiting == 0 {
                thread::yield_now();
            }
            let (state, panic, caller) = (AtomicUsize::new(0), Mutex::new(None), thread::current());
            assert_eq!(pool.offer(1, &Arc::new(Work { state, body, panic, caller })), 1);
            while TAKEN.load(Ordering::Acquire) < count {
                thread::yield_now();
            }
            assert_eq!(pool.threads.install(|| thread::current().id()), first);
        }
    }

    #[test]
    fn a_helper_that_found_no_work_is_not_counted_on() {
        let pool = pool_of_one(Duration::ZERO);
        helper(pool);
        while pool.threads.install(|| LINGERS.get()) {}
        assert_eq!(pool.offers.lock().waiting, 0);
        helper(pool);
    }
}
