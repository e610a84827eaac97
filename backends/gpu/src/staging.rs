//! Large copies from pageable memory of the host, through page-locked buffers that several threads fill in turns: a driver's
//! own staging fills them by one thread.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use cuproxide_hal::{Event as _, Result};
use parking_lot::Mutex;

use crate::api::driver::Driver;
use crate::context::Primary;
use crate::graph::{self, Unrestricted};
use crate::routes;
use crate::stream::{Event, PER_THREAD};

/// Bytes of a buffer: small enough to stay in the processor's cache until the device reads it.
const PIECE: usize = 4 << 20;
/// Most threads that fill buffers; four read memory faster than a bus of 16 lanes takes it.
const MOST_THREADS: usize = 4;
const HOST_PORTABLE: u32 = 1;

/// A page-locked buffer, and the event after the last copy from it.
struct Buffer {
    memory: *mut u8,
    copied: Arc<Event>,
}

// SAFETY: the buffer owns its memory.
unsafe impl Send for Buffer {}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.copied.primary.enter(self.copied.driver).is_ok() {
            // SAFETY: the memory is ours, and who drops a buffer knows that no copy from it is under way.
            let _ = unsafe { self.copied.driver.free_host(self.memory.cast()) };
        }
    }
}

/// One thread's buffers: one is filled while the device reads the other.
type Lane = [Buffer; 2];

/// A device's buffers, made for its first large copy and kept.
#[derive(Default)]
pub(crate) struct Staging(Mutex<Vec<Lane>>);

/// Where a copy goes.
#[derive(Clone, Copy)]
pub(crate) struct Copy {
    pub driver: &'static Driver,
    pub primary: Primary,
    pub stream: u64,
    pub to: u64,
    /// Address of the host's memory.
    pub from: usize,
    pub bytes: usize,
}

impl Staging {
    /// Queues a copy in pieces; the source may be reused when this returns. `false`: nothing was done, the driver may do it
    /// better.
    ///
    /// # Safety
    /// Source and target are valid for as many bytes.
    pub unsafe fn copy(&self, copy: Copy) -> Result<bool> {
        // Another thread's default stream is another stream. Captures are the business of the driver's own copy.
        if !routes::STAGED.takes(copy.bytes) || copy.stream == PER_THREAD || graph::any_open() {
            return Ok(false);
        }
        let Copy { driver, primary, .. } = copy;
        if graph::is_registered(driver, copy.from as u64) || graph::capture_of(driver, copy.stream)?.is_some() {
            return Ok(false);
        }
        let Some(mut lanes) = self.0.try_lock() else { return Ok(false) };
        if lanes.is_empty() {
            // One that cannot be had leaves fewer, or none.
            let threads = thread::available_parallelism().map_or(1, |all| (all.get() / 2).clamp(1, MOST_THREADS));
            lanes.extend((0..threads).map_while(|_| lane(driver, primary).ok()));
        }
        let Some((own, others)) = lanes.split_first_mut() else { return Ok(false) };
        let next = AtomicUsize::new(0);
        let result = thread::scope(|scope| {
            let started: Vec<_> = others
                .iter_mut()
                .map_while(|lane| thread::Builder::new().spawn_scoped(scope, || fill(lane, copy, &next)).ok())
                .collect();
            let mut result = fill(own, copy, &next);
            for other in started {
                result = result.and(other.join().expect("copying does not panic"));
            }
            result
        });
        if result.is_err() {
            // The device may still read them.
            std::mem::forget(std::mem::take(&mut *lanes));
        }
        result.map(|()| true)
    }
}

/// New buffers for a thread.
fn lane(driver: &'static Driver, primary: Primary) -> Result<Lane> {
    let _capturing = Unrestricted::enter(driver);
    let buffer = || -> Result<Buffer> {
        let copied = Event::create(driver, primary, false)?;
        let mut memory: *mut c_void = std::ptr::null_mut();
        // SAFETY: the driver writes one address.
        unsafe { driver.allocate_host(&mut memory, PIECE, HOST_PORTABLE) }?;
        Ok(Buffer { memory: memory.cast(), copied })
    };
    Ok([buffer()?, buffer()?])
}

/// Copies pieces that no other thread has taken.
fn fill(lane: &mut Lane, copy: Copy, next: &AtomicUsize) -> Result<()> {
    let Copy { driver, primary, stream, .. } = copy;
    primary.enter(driver)?;
    let _capturing = Unrestricted::enter(driver);
    for turn in 0.. {
        let start = next.fetch_add(PIECE, Ordering::Relaxed);
        if start >= copy.bytes {
            break;
        }
        let bytes = PIECE.min(copy.bytes - start);
        let buffer = &lane[turn % 2];
        buffer.copied.synchronize()?;
        // SAFETY: the caller of the copy vouches for its source; the device is done with the buffer, which nobody else has.
        unsafe { std::ptr::copy_nonoverlapping((copy.from + start) as *const u8, buffer.memory, bytes) };
        // SAFETY: the caller vouches for the target, and the buffer lives as long as the process.
        unsafe {
            driver.copy_from_host(copy.to + start as u64, buffer.memory.cast(), bytes, stream)?;
            driver.event_record(buffer.copied.raw, stream)?;
        }
    }
    Ok(())
}
