//! Compiling in the background, so that a new kernel need not be waited for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use cuproxide_hal::{Device, Specialization};
use parking_lot::{Condvar, Mutex};

use super::CachedKernel;
use crate::fork::AtWork;
use crate::timeline::{self, Work};

struct Request {
    device: Arc<dyn Device>,
    index: usize,
    kernel: Arc<CachedKernel>,
    version: Specialization,
}

struct Compiler {
    requests: Sender<Request>,
    thread: JoinHandle<()>,
}

/// Started at the first request; `None` again after [`shut_down`].
static COMPILER: Mutex<Option<Compiler>> = Mutex::new(None);
/// Set by [`shut_down`]: nothing more is compiled, not even what was asked for already.
static STOPPED: AtomicBool = AtomicBool::new(false);
/// Requests that are not done.
static OPEN: Mutex<usize> = Mutex::new(0);
static DONE: Condvar = Condvar::new();

/// Asks for a version of a kernel.
pub(super) fn request(device: Arc<dyn Device>, index: usize, kernel: Arc<CachedKernel>, version: Specialization) {
    let mut compiler = COMPILER.lock();
    if STOPPED.load(Ordering::Relaxed) {
        return;
    }
    if compiler.is_none() {
        *compiler = start();
    }
    let Some(compiler) = &*compiler else { return };
    *OPEN.lock() += 1;
    if compiler.requests.send(Request { device, index, kernel, version }).is_err() {
        close();
    }
}

fn start() -> Option<Compiler> {
    let (requests, inbox) = channel::<Request>();
    let work = move || {
        for Request { device, index, kernel, version } in inbox {
            if STOPPED.load(Ordering::Relaxed) {
                close();
                continue;
            }
            let at_work = AtWork::begin();
            let span = timeline::scope(Work::Compile, kernel.name(), device.info().id, || 0);
            let compiled = device.compile(&kernel.kernel, version);
            drop(span);
            match compiled {
                Ok(compiled) => kernel.compiled.add(index, version, compiled),
                // The kernel stays unavailable, and its operators go on running one by one.
                Err(error) => tracing::warn!(kernel = kernel.name(), %error, "a kernel could not be compiled"),
            }
            close();
            drop(at_work);
        }
    };
    let thread = std::thread::Builder::new().name("cuproxide-compile".to_owned()).spawn(work);
    thread.ok().map(|thread| Compiler { requests, thread })
}

fn close() {
    *OPEN.lock() -= 1;
    DONE.notify_all();
}

/// Waits until every kernel that was asked for has been compiled.
pub fn wait_for_background() {
    let mut open = OPEN.lock();
    while *open > 0 {
        DONE.wait(&mut open);
    }
}

/// Forgets the thread that compiles and what it was asked for, in a child of the process, which has no such thread.
pub fn forget_background() {
    std::mem::forget(COMPILER.lock().take());
    *OPEN.lock() = 0;
}

/// Finishes the kernel that is being compiled and stops, for the end of the process.
pub fn shut_down() {
    let compiler = {
        let mut compiler = COMPILER.lock();
        STOPPED.store(true, Ordering::Relaxed);
        compiler.take()
    };
    if let Some(Compiler { requests, thread }) = compiler {
        drop(requests);
        let _ = thread.join();
    }
}
