//! The backend's own threads.
//!
//! They are made when first needed and number `CUPROXIDE_NUM_THREADS` or as many as the machine has. A forked child
//! does not inherit threads, so it forgets the pool and makes one of its own.

use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use cuproxide_hal::settings;
use rayon::ThreadPool;

use crate::registers::{self, Cleared};

static POOL: AtomicPtr<ThreadPool> = AtomicPtr::new(ptr::null_mut());

/// Number of threads that work is split over.
pub fn threads() -> usize {
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| {
        // The backend has refused a value without a meaning before it came to this.
        let asked = settings::NUM_THREADS.count().ok().flatten();
        asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, Into::into))
    })
}

extern "C" fn forget() {
    POOL.store(ptr::null_mut(), Ordering::Relaxed);
}

/// The pool, or `None` if the system gives no threads.
pub fn pool() -> Option<&'static ThreadPool> {
    let mut current = POOL.load(Ordering::Acquire);
    if current.is_null() {
        static WATCH_FORKS: OnceLock<()> = OnceLock::new();
        WATCH_FORKS.get_or_init(|| {
            // SAFETY: the handler only stores a pointer, which is allowed between fork and exec.
            unsafe { libc::pthread_atfork(None, None, Some(forget)) };
        });
        let made = Box::into_raw(Box::new(start(threads())?));
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

/// Runs `body` for every number below `tasks`, on the caller and on the pool.
pub fn run(tasks: usize, body: impl Fn(usize) + Sync) {
    let helpers = (threads() - 1).min(tasks.saturating_sub(1));
    let pool = if helpers == 0 { None } else { pool() };
    let Some(pool) = pool else {
        (0..tasks).for_each(body);
        registers::clear();
        return;
    };
    let next = AtomicUsize::new(0);
    let work = || {
        // A library may have had this thread before, by the pool itself.
        registers::clear();
        let _cleared = Cleared;
        loop {
            let task = next.fetch_add(1, Ordering::Relaxed);
            if task >= tasks {
                break;
            }
            body(task);
        }
    };
    pool.in_place_scope(|scope| {
        for _ in 0..helpers {
            scope.spawn(|_| work());
        }
        work();
    });
}
