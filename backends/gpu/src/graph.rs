//! Captured work as the driver's graphs, and what a capture needs besides.

use std::any::Any;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use cuproxide_hal as hal;
use cuproxide_hal::{CaptureMode, Error, HostFunction, Result};
use parking_lot::Mutex;

use crate::api::driver::Driver;
use crate::context::Primary;
use crate::unfinished;

/// Captures that this library began and has not ended.
static OPEN: AtomicUsize = AtomicUsize::new(0);
/// The handles of the streams in which they began.
static ORIGINS: Mutex<Vec<u64>> = Mutex::new(Vec::new());
/// What the captures under way need at each launch, by their numbers.
static HELD: Mutex<Vec<(u64, Held)>> = Mutex::new(Vec::new());

/// What a graph keeps: host memory that it copies from, the machine code of its kernels, and functions that it calls.
#[derive(Default)]
struct Held {
    bytes: Vec<Box<[u8]>>,
    modules: Vec<Arc<dyn Any + Send + Sync>>,
    #[allow(clippy::vec_box, reason = "the driver has their addresses")]
    functions: Vec<Box<HostFunction>>,
}

const RELAXED: i32 = 2;
const ACTIVE: i32 = 1;

/// The driver's number of a mode.
fn mode_code(mode: CaptureMode) -> i32 {
    match mode {
        CaptureMode::Global => 0,
        CaptureMode::ThreadLocal => 1,
        CaptureMode::Relaxed => RELAXED,
    }
}

/// Lets this thread make calls that a capture may forbid (allocating, loading, creating handles) while it lives. They
/// concern no stream that captures.
pub struct Unrestricted<'d>(Option<(&'d Driver, i32)>);

impl<'d> Unrestricted<'d> {
    /// Begins here.
    pub fn enter(driver: &'d Driver) -> Unrestricted<'d> {
        let mut mode = RELAXED;
        // SAFETY: the driver exchanges one number.
        let entered = unsafe { driver.exchange_capture_mode(&mut mode) }.is_ok();
        Unrestricted(entered.then_some((driver, mode)))
    }
}

impl Drop for Unrestricted<'_> {
    fn drop(&mut self) {
        if let Some((driver, mut mode)) = self.0.take() {
            // SAFETY: as above.
            let _ = unsafe { driver.exchange_capture_mode(&mut mode) };
        }
    }
}

/// Whether a capture of this library goes on.
pub fn any_open() -> bool {
    OPEN.load(Ordering::Relaxed) > 0
}

/// The status of a stream's capture, and its number. An invalidated capture has a number too.
fn state(driver: &Driver, raw: u64) -> Result<(i32, u64)> {
    let (mut status, mut id) = (0, 0);
    let null = std::ptr::null_mut();
    // SAFETY: the driver writes a status and a number; the rest is not wanted.
    unsafe { driver.capture_info(raw, &mut status, &mut id, null, null.cast(), null.cast()) }?;
    Ok((status, id))
}

/// The number of the capture that a stream takes part in.
pub(crate) fn capture_of(driver: &Driver, raw: u64) -> Result<Option<u64>> {
    // The legacy stream cannot capture, and asking it during another stream's capture is an error.
    if raw <= 1 {
        return Ok(None);
    }
    let (status, id) = state(driver, raw)?;
    Ok((status == ACTIVE).then_some(id))
}

/// Whether a stream takes part in a capture that was invalidated.
pub(crate) fn is_void(driver: &Driver, raw: u64) -> Result<bool> {
    Ok(state(driver, raw)?.0 > ACTIVE)
}

/// Starts a capture.
pub(crate) fn begin(driver: &Driver, raw: u64, mode: CaptureMode) -> Result<()> {
    // SAFETY: the stream lives.
    unsafe { driver.capture_begin(raw, mode_code(mode)) }?;
    ORIGINS.lock().push(raw);
    OPEN.fetch_add(1, Ordering::SeqCst);
    Ok(())
}

/// Ends a capture with its graph, which can be launched.
pub(crate) fn end(driver: &'static Driver, primary: Primary, raw: u64) -> Result<Graph> {
    let mut made = take(driver, primary, raw)?;
    // SAFETY: the graph exists; the driver writes one handle.
    unsafe { driver.graph_instantiate(&mut made.executable, made.graph, 0) }?;
    Ok(made)
}

/// Ends the capture, if any, that began in a stream which is about to be destroyed, so that nothing is kept for it. CUDA
/// itself would end it with its stream; of HIP that is not known.
pub(crate) fn abandon(driver: &'static Driver, primary: Primary, raw: u64) {
    if any_open() && ORIGINS.lock().contains(&raw) {
        drop(take(driver, primary, raw));
    }
}

/// Ends a capture with its graph as it was recorded.
fn take(driver: &'static Driver, primary: Primary, raw: u64) -> Result<Graph> {
    let (status, id) = state(driver, raw)?;
    forget_origin(raw);
    if status == 0 {
        return Err(Error::capture(primary.backend, "the stream does not capture"));
    }
    let mut graph = 0;
    // SAFETY: the driver writes one handle.
    let ended = unsafe { driver.capture_end(raw, &mut graph) };
    let held = {
        let mut all = HELD.lock();
        let position = all.iter().position(|(capture, _)| *capture == id);
        position.map_or_else(Held::default, |position| all.swap_remove(position).1)
    };
    ended?;
    Ok(Graph { driver, primary, graph, executable: 0, _held: held })
}

/// Notes that no capture of this library goes on that began in a stream; it may have been another library's.
fn forget_origin(raw: u64) {
    let mut origins = ORIGINS.lock();
    if let Some(position) = origins.iter().position(|&origin| origin == raw) {
        origins.swap_remove(position);
        OPEN.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Where an asynchronous copy may read pageable memory from: a copy that the graph keeps, if the stream captures.
pub(crate) fn stable_source(driver: &Driver, raw: u64, src: *const u8, bytes: usize) -> Result<*const u8> {
    if !any_open() {
        return Ok(src);
    }
    let Some(id) = capture_of(driver, raw)? else { return Ok(src) };
    if is_registered(driver, src as u64) {
        return Ok(src);
    }
    // SAFETY: the caller of the copy promises that many readable bytes.
    let held: Box<[u8]> = unsafe { std::slice::from_raw_parts(src, bytes) }.into();
    let address = held.as_ptr();
    hold(id, |all| all.bytes.push(held));
    Ok(address)
}

fn hold(id: u64, add: impl FnOnce(&mut Held)) {
    let mut all = HELD.lock();
    let position = all.iter().position(|(capture, _)| *capture == id).unwrap_or_else(|| {
        all.push((id, Held::default()));
        all.len() - 1
    });
    add(&mut all[position].1);
}

/// Keeps the module of a kernel that was launched for the graph, if the stream captures: the driver's graph has only its
/// function's handle.
pub(crate) fn keep_module<M: Send + Sync + 'static>(driver: &Driver, raw: u64, module: &Arc<M>) -> Result<()> {
    if any_open()
        && let Some(id) = capture_of(driver, raw)?
    {
        let address = Arc::as_ptr(module).cast::<u8>();
        hold(id, |held| {
            if !held.modules.iter().any(|kept| Arc::as_ptr(kept).cast::<u8>() == address) {
                held.modules.push(module.clone());
            }
        });
    }
    Ok(())
}

/// Whether the driver knows the address: page-locked or managed memory.
pub(crate) fn is_registered(driver: &Driver, ptr: u64) -> bool {
    const MEMORY_TYPE: i32 = 2;
    let mut kind = 0i32;
    // SAFETY: the driver writes one integer; it refuses addresses that it does not know.
    unsafe { driver.pointer_attribute((&raw mut kind).cast(), MEMORY_TYPE, ptr) }.is_ok()
}

extern "C" fn call_once(function: *mut c_void) {
    // SAFETY: the pointer came from a box and this is the one call.
    let function = unsafe { Box::from_raw(function.cast::<HostFunction>()) };
    function();
}

extern "C" fn call_again(function: *mut c_void) {
    // SAFETY: the graph keeps the function as long as it may be launched.
    let function = unsafe { &*function.cast::<HostFunction>() };
    function();
}

/// Queues a call of a host function.
pub(crate) fn call_host(driver: &Driver, raw: u64, function: HostFunction) -> Result<()> {
    let function = Box::new(function);
    if let Some(id) = capture_of(driver, raw)? {
        let address = std::ptr::from_ref(function.as_ref()).cast_mut().cast();
        // SAFETY: the capture, then the graph, keeps the function.
        unsafe { driver.launch_host(raw, call_again, address) }?;
        hold(id, |all| all.functions.push(function));
        return Ok(());
    }
    let address = Box::into_raw(function).cast();
    // SAFETY: the function is called once, and then freed.
    let queued = unsafe { driver.launch_host(raw, call_once, address) };
    if queued.is_err() {
        // SAFETY: the driver did not take the function.
        drop(unsafe { Box::from_raw(address.cast::<HostFunction>()) });
    }
    queued
}

/// What errors call graphs, whose kernels are not known by their names.
static NAME: LazyLock<Arc<str>> = LazyLock::new(|| "a graph".into());

/// A graph with its executable form.
pub(crate) struct Graph {
    driver: &'static Driver,
    primary: Primary,
    graph: u64,
    executable: u64,
    _held: Held,
}

impl Graph {
    /// Makes the graph a node of the one that a stream captures: the driver does not capture launches.
    fn add_to_capture(&self, raw: u64) -> Result<()> {
        const SET: u32 = 1;
        let (mut status, mut id, mut outer, mut count, mut node) = (0, 0, 0, 0, 0);
        let mut dependencies = std::ptr::null();
        // SAFETY: the driver writes the capture's graph and where it stands; it reads that list and copies this graph.
        unsafe {
            self.driver.capture_info(raw, &mut status, &mut id, &mut outer, &mut dependencies, &mut count)?;
            self.driver.graph_add_graph(&mut node, outer, dependencies, count, self.graph)?;
            self.driver.capture_continue(raw, &node, 1, SET)
        }
    }
}

impl hal::Graph for Graph {
    unsafe fn launch(&self, stream: &dyn hal::Stream) -> Result<()> {
        self.primary.enter(self.driver)?;
        if capture_of(self.driver, stream.raw())?.is_some() {
            return self.add_to_capture(stream.raw());
        }
        // SAFETY: both handles live; the memory is the caller's promise.
        unsafe { self.driver.graph_launch(self.executable, stream.raw()) }?;
        unfinished::launched(self.primary.id(), stream.id(), &NAME);
        Ok(())
    }

    fn upload(&self, stream: &dyn hal::Stream) -> Result<()> {
        self.primary.enter(self.driver)?;
        // SAFETY: both handles live.
        unsafe { self.driver.graph_upload(self.executable, stream.raw()) }
    }

    fn dot(&self, flags: u32) -> Result<String> {
        self.primary.enter(self.driver)?;
        let failed = |error: &dyn std::fmt::Display| Error::Call {
            call: "cuGraphDebugDotPrint",
            code: -1,
            name: "file".to_owned(),
            message: error.to_string(),
        };
        // The driver only writes to files.
        let file = tempfile::NamedTempFile::new().map_err(|error| failed(&error))?;
        let path =
            std::ffi::CString::new(file.path().as_os_str().as_encoded_bytes()).map_err(|error| failed(&error))?;
        // SAFETY: the graph lives; the path is terminated.
        unsafe { self.driver.graph_dot(self.graph, path.as_ptr(), flags) }?;
        std::fs::read_to_string(file.path()).map_err(|error| failed(&error))
    }

    fn raw(&self) -> (u64, u64) {
        (self.graph, self.executable)
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        if self.primary.enter(self.driver).is_err() {
            return;
        }
        // SAFETY: the handles are ours.
        unsafe {
            if self.executable != 0 {
                let _ = self.driver.graph_exec_destroy(self.executable);
            }
            if self.graph != 0 {
                let _ = self.driver.graph_destroy(self.graph);
            }
        }
    }
}
