//! Spreads the blocks of a launch over threads of the system.

use std::ffi::c_void;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use cuproxide_hal::RawLaunch;
use parking_lot::Mutex;

use crate::barrier::GridBarrier;
use crate::block::{Block, Entry};
use crate::guard::{self, Running};
use crate::interrupt::{self, Interruptible, Part};
use crate::state::State;

/// The threads that blocks run on.
pub trait Pool {
    /// Number of threads.
    fn threads(&self) -> usize;

    /// Runs `body` for every number below `tasks`, on any threads, and returns when all are done.
    fn run(&self, tasks: usize, body: &(dyn Fn(usize) + Sync));
}

/// What a library exports for each of its kernels.
#[derive(Clone)]
pub struct Calls {
    pub thread: unsafe extern "C" fn(*mut *mut c_void) -> i32,
    pub block: unsafe extern "C" fn(*mut *mut c_void) -> i32,
    pub begin: unsafe extern "C" fn(*const u32, *const u32) -> *mut State,
    pub set_block: unsafe extern "C" fn(u32, u32, u32),
    pub set_thread: unsafe extern "C" fn(u32, u32, u32),
    /// Ends a kernel that does what it must not.
    pub land: guard::Land,
    /// Whether threads of a block may wait for each other; otherwise they run one after the other in a loop.
    pub suspends: bool,
    /// Addresses of the library's code.
    pub code: Range<usize>,
}

/// Threads of small launches: too few to be worth waking others up.
const FEW_THREADS: u64 = 2048;
/// Stacks that may be mapped at a time; each takes two of the 65530 mappings that Linux grants a process.
const MAX_STACKS: usize = 16_384;
/// Blocks of a cooperative launch, each of which has a thread of the system.
pub const MAX_COOPERATIVE_BLOCKS: u64 = 512;

/// The parameters' addresses, which all threads read.
#[derive(Clone, Copy)]
struct Parameters(*mut *mut c_void);

// SAFETY: kernels only read parameters.
unsafe impl Send for Parameters {}
// SAFETY: as above.
unsafe impl Sync for Parameters {}

impl Parameters {
    /// The list; a method, so that closures take the whole and not the pointer in it.
    fn list(self) -> *mut *mut c_void {
        self.0
    }
}

/// Sets the block's index and returns it.
fn set_block(calls: &Calls, grid: [u32; 3], index: u64) -> [u32; 3] {
    let (width, height) = (u64::from(grid[0]), u64::from(grid[1]));
    let [x, y, z] = [index % width, index / width % height, index / width / height].map(|part| part as u32);
    // SAFETY: the function writes three integers of its own.
    unsafe { (calls.set_block)(x, y, z) };
    [x, y, z]
}

/// Runs a kernel and waits for its end.
///
/// # Safety
/// The parameters fit the kernel and what they point to is not used otherwise meanwhile.
pub unsafe fn launch(
    calls: &Calls,
    geometry: RawLaunch,
    parameters: *mut *mut c_void,
    pool: &dyn Pool,
) -> Result<(), String> {
    let parameters = Parameters(parameters);
    let RawLaunch { grid, block, shared, cooperative } = geometry;
    let blocks: u64 = grid.iter().map(|&length| u64::from(length)).product();
    let threads: u64 = block.iter().map(|&length| u64::from(length)).product();
    let failure: Mutex<Option<String>> = Mutex::new(None);
    let failed = AtomicBool::new(false);
    let report = |message: String| {
        failed.store(true, Ordering::Relaxed);
        failure.lock().get_or_insert(message);
    };
    let begin = || {
        // SAFETY: the function reads two triples and returns the calling thread's own state, which nobody else uses.
        unsafe {
            let state = (calls.begin)(block.as_ptr(), grid.as_ptr());
            (*state).shared_bytes = shared;
            (*state).cooperative = cooperative.into();
            state
        }
    };
    let interruptible = Interruptible::begin();
    // Runs some of the blocks on the calling thread.
    let run = |indices: &mut dyn Iterator<Item = u64>, barrier: Option<&GridBarrier>| {
        let state = begin();
        let running = Running { state, land: calls.land, code: calls.code.clone() };
        let _prepared = guard::prepare();
        let _part = Part::take(interruptible.as_ref());
        let entry = Entry { thread: calls.thread, set_thread: calls.set_thread };
        // SAFETY: the state is that of this thread; the parameters are the caller's promise.
        let mut coroutines =
            calls.suspends.then(|| unsafe { Block::new(entry, &running, parameters.list(), block, barrier) });
        for index in indices {
            if failed.load(Ordering::Relaxed) {
                break;
            }
            let [x, y, z] = set_block(calls, grid, index);
            let outcome = match &mut coroutines {
                _ if interrupt::requested() => Err(interrupt::MESSAGE.to_owned()),
                Some(coroutines) => coroutines.run(),
                None => {
                    // SAFETY: the parameters are the caller's promise; the state is that of this thread.
                    let code = guard::with(&running, || unsafe { (calls.block)(parameters.list()) });
                    // SAFETY: as above.
                    if code == 0 { Ok(()) } else { Err(unsafe { (*state).take_message() }) }
                }
            };
            if let Err(message) = outcome {
                report(format!("block ({x}, {y}, {z}): {message}"));
                break;
            }
        }
    };
    if cooperative && calls.suspends && blocks > 1 {
        let barrier = GridBarrier::new(blocks as usize);
        std::thread::scope(|scope| {
            for index in 0..blocks {
                let (run, barrier, failed) = (&run, &barrier, &failed);
                let body = move || {
                    run(&mut std::iter::once(index), Some(barrier));
                    barrier.leave(failed.load(Ordering::Relaxed));
                };
                if let Err(error) = std::thread::Builder::new().spawn_scoped(scope, body) {
                    report(format!("the system gives no thread for a block: {error}"));
                    barrier.leave(true);
                }
            }
        });
    } else if blocks == 1 || (blocks * threads <= FEW_THREADS && !calls.suspends) {
        run(&mut (0..blocks), None);
    } else {
        let workers = if calls.suspends {
            pool.threads().min((MAX_STACKS / threads.max(1) as usize).max(1))
        } else {
            pool.threads()
        };
        let step = (blocks / (workers as u64 * 16)).max(1);
        let next = AtomicU64::new(0);
        pool.run(workers.min(usize::try_from(blocks.div_ceil(step)).unwrap_or(usize::MAX)), &|_| {
            let mut range = 0..0;
            // Blocks are begun in ascending order, as on a GPU.
            let mut indices = std::iter::from_fn(|| {
                if range.is_empty() {
                    let start = next.fetch_add(step, Ordering::Relaxed).min(blocks);
                    range = start..(start + step).min(blocks);
                }
                range.next()
            });
            run(&mut indices, None);
        });
    }
    failure.into_inner().map_or(Ok(()), Err)
}
