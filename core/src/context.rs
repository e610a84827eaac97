//! A device as arrays see it: with its pools and kernels; and which device and stream a thread uses.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cuproxide_hal::{Device, DeviceId, DeviceInfo, Fault, MemoryKind, Stream};
use once_cell::sync::OnceCell;
use parking_lot::RwLock;

use crate::deferred::Waiting;
use crate::detach::{detached, queueing};
use crate::error::{Error, Result, value_error};
use crate::memory::{Block, Buffer, MemoryPool, Owner, capture, hooks};
use crate::plans::{Caches, Key, PlanCache};
use crate::{timeline, trace, waits};

/// A device with its memory pools. One exists for each device that the process has used.
pub struct Context {
    /// Position in the list of contexts: cheaper to compare than names.
    index: usize,
    device: Arc<dyn Device>,
    info: DeviceInfo,
    default_stream: Arc<dyn Stream>,
    /// The id of the default stream.
    default_id: u64,
    pool: MemoryPool,
    pinned: MemoryPool,
    plans: Caches,
    fuser: Waiting,
    /// The context itself, which lives as long as the process: what is made all the time refers to it without counting.
    this: OnceCell<&'static Arc<Context>>,
}

static CONTEXTS: RwLock<Vec<Arc<Context>>> = RwLock::new(Vec::new());
static DEFAULT_DEVICE: OnceCell<fn() -> cuproxide_hal::Result<Arc<dyn Device>>> = OnceCell::new();

thread_local! {
    static CURRENT: RefCell<Option<Arc<Context>>> = const { RefCell::new(None) };
    static STREAMS: RefCell<Vec<(usize, Arc<dyn Stream>)>> = const { RefCell::new(Vec::new()) };
    /// The device whose current stream was asked for last, and the stream's id: what each operation asks.
    static STREAM_ID: Cell<(usize, u64)> = const { Cell::new(NO_STREAM) };
    /// The thread's own default streams, by device.
    static OWN_STREAMS: RefCell<Vec<(usize, Arc<dyn Stream>)>> = const { RefCell::new(Vec::new()) };
}

/// No stream of any device.
const NO_STREAM: (usize, u64) = (usize::MAX, 0);

/// Whether threads start on default streams of their own.
static OWN_BY_DEFAULT: AtomicBool = AtomicBool::new(false);

/// Whether any thread has ever had a current stream other than the default one, without which nobody need look what its own is.
static CHOSEN: AtomicBool = AtomicBool::new(false);

/// Lets each thread that has chosen no stream use a default stream of its own, from its next call on a device on.
pub fn set_per_thread_streams(own: bool) {
    CHOSEN.store(true, Ordering::SeqCst);
    OWN_BY_DEFAULT.store(own, Ordering::SeqCst);
}

/// Says where the first device comes from; set once by the front end.
pub fn set_default_device(provider: fn() -> cuproxide_hal::Result<Arc<dyn Device>>) {
    let _ = DEFAULT_DEVICE.set(provider);
}

impl Context {
    /// The context of a device; the same for every call with the same device id.
    pub fn of(device: &Arc<dyn Device>) -> Arc<Context> {
        let id = device.info().id;
        let find = |list: &[Arc<Context>]| list.iter().find(|c| c.info.id == id).cloned();
        if let Some(found) = find(&CONTEXTS.read()) {
            return found;
        }
        let mut contexts = CONTEXTS.write();
        find(&contexts).unwrap_or_else(|| {
            let context: &'static Arc<Context> = Box::leak(Box::new(Arc::new(Context {
                index: contexts.len(),
                info: device.info().clone(),
                default_id: device.default_stream().id(),
                default_stream: device.default_stream(),
                pool: MemoryPool::new(device.clone(), MemoryKind::Device),
                pinned: MemoryPool::new(device.clone(), MemoryKind::Pinned),
                plans: Caches::default(),
                fuser: Waiting::default(),
                this: OnceCell::new(),
                device: device.clone(),
            })));
            let _ = context.this.set(context);
            contexts.push(context.clone());
            context.clone()
        })
    }

    /// The contexts of all devices that the process has used.
    pub(crate) fn all() -> Vec<Arc<Context>> {
        CONTEXTS.read().clone()
    }

    /// The calling thread's current device; the default device of the process if none was chosen.
    pub fn current() -> Result<Arc<Context>> {
        Context::here().cloned()
    }

    /// [`Context::current`], without counting a reference.
    #[inline]
    pub fn here() -> Result<&'static Arc<Context>> {
        if let Some(context) = CURRENT.with_borrow(|context| context.as_ref().map(|context| context.shared())) {
            return Ok(context);
        }
        let Some(provider) = DEFAULT_DEVICE.get() else { return value_error("no device was chosen") };
        let context = Context::of(&queueing(provider)?).shared();
        CURRENT.set(Some(context.clone()));
        Ok(context)
    }

    /// Makes this the calling thread's current device and returns the one before (none if none was chosen yet).
    pub fn make_current(context: Option<Arc<Context>>) -> Option<Arc<Context>> {
        trace::refuse("it changes the current device");
        CURRENT.replace(context)
    }

    /// The context, to be kept without counting.
    #[inline]
    pub fn shared(&self) -> &'static Arc<Context> {
        self.this.get().expect("a context knows itself")
    }

    /// A small number that names the device in this process.
    #[inline]
    pub(crate) fn index(&self) -> usize {
        self.index
    }

    /// The device below. What is done with it is not seen by traces, so a function that is traced no longer can be.
    pub fn device(&self) -> &Arc<dyn Device> {
        trace::refuse("it calls the device or a library directly");
        &self.device
    }

    /// The device below, for work that traces know of.
    #[inline]
    pub(crate) fn below(&self) -> &Arc<dyn Device> {
        &self.device
    }

    /// The device's facts.
    #[inline]
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// The device's name in the process.
    pub fn id(&self) -> DeviceId {
        self.info.id
    }

    /// The pool of device memory.
    pub fn pool(&self) -> &MemoryPool {
        &self.pool
    }

    /// The pool of page-locked host memory.
    pub fn pinned_pool(&self) -> &MemoryPool {
        &self.pinned
    }

    /// What the device's libraries have prepared, of one kind.
    pub fn plans<K: Key>(&self) -> Arc<PlanCache<K>> {
        self.plans.of()
    }

    /// Forgets what libraries have prepared, of every kind, to make room; whether there was anything.
    pub fn clear_plans(&self) -> bool {
        self.plans.clear()
    }

    /// The deferred work.
    #[inline]
    pub(crate) fn deferred(&self) -> &Waiting {
        &self.fuser
    }

    /// The calling thread's current stream on this device. As for [`Context::device`], traces do not see what it is for.
    pub fn stream(&self) -> Arc<dyn Stream> {
        trace::refuse("it uses a stream directly");
        self.current_stream()
    }

    /// The calling thread's current stream, for work that traces know of.
    pub(crate) fn current_stream(&self) -> Arc<dyn Stream> {
        self.with_stream(Clone::clone)
    }

    /// Whether the calling thread may read results now at no cost to speak of: the device computes before calls return, and
    /// nothing is being traced or captured.
    pub fn reads_at_once(&self) -> bool {
        let is_queued = || !matches!(self.with_stream(|stream| stream.capture()), Ok(None));
        !self.info.asynchronous && waits::are_allowed() && !trace::is_on() && !is_queued()
    }

    /// Calls `use_stream` with the calling thread's current stream on this device.
    #[inline]
    pub fn with_stream<R>(&self, use_stream: impl FnOnce(&Arc<dyn Stream>) -> R) -> R {
        if !CHOSEN.load(Ordering::Relaxed) {
            return use_stream(&self.default_stream);
        }
        self.choose_own_stream();
        STREAMS.with_borrow(|streams| {
            let chosen = streams.iter().find(|(index, _)| *index == self.index);
            use_stream(chosen.map_or(&self.default_stream, |(_, stream)| stream))
        })
    }

    /// The id of the calling thread's current stream on this device.
    #[inline]
    pub(crate) fn stream_id(&self) -> u64 {
        if !CHOSEN.load(Ordering::Relaxed) {
            return self.default_id;
        }
        match STREAM_ID.get() {
            (index, id) if index == self.index && !OWN_BY_DEFAULT.load(Ordering::Relaxed) => id,
            _ => self.find_stream_id(),
        }
    }

    #[cold]
    fn find_stream_id(&self) -> u64 {
        let id = self.with_stream(|stream| stream.id());
        STREAM_ID.set((self.index, id));
        id
    }

    /// Queues work on the calling thread's current stream that traces do not know.
    pub fn queue<R: Send>(&self, work: impl FnOnce(&dyn Stream) -> R + Send) -> R {
        trace::refuse("it calls a library that traces do not know");
        self.queue_known(work)
    }

    /// Queues work on the calling thread's current stream; the caller tells the trace of it.
    pub(crate) fn queue_known<R: Send>(&self, work: impl FnOnce(&dyn Stream) -> R + Send) -> R {
        self.with_stream(|stream| queueing(|| work(stream.as_ref())))
    }

    /// A block of the device's pool for work on the calling thread's current stream.
    #[inline]
    pub(crate) fn allocate(&self, bytes: usize) -> Result<Block> {
        let block = match self.pool.take_waiting(bytes, self.stream_id()) {
            Some(block) => block,
            None => self.allocate_any(bytes)?,
        };
        trace::allocated(block.ptr, bytes);
        Ok(block)
    }

    fn allocate_any(&self, bytes: usize) -> Result<Block> {
        self.choose_own_stream();
        // The list of streams must not stay borrowed: making room may run a program's own code.
        let allocate = || {
            if STREAMS.with_borrow(Vec::is_empty) {
                return self.pool.allocate(bytes, &self.default_stream);
            }
            self.pool.allocate(bytes, &self.current_stream())
        };
        match allocate() {
            // Deferred work keeps its operands alive; what it makes may be smaller.
            Err(Error::OutOfMemory(_)) if self.fuser.make_room() => allocate(),
            outcome => outcome,
        }
    }

    /// Memory for an array: from the program's own allocator, if it has one, or a block of the device's pool.
    #[inline]
    pub(crate) fn allocate_buffer(self: &Arc<Self>, bytes: usize) -> Result<Buffer> {
        if let Some(buffer) = hooks::allocate(self, bytes) {
            trace::refuse("its memory comes from the program's own allocator");
            return buffer;
        }
        let block = self.allocate(bytes)?;
        Ok(Buffer { ptr: block.ptr, bytes, owner: Owner::Pool(block) })
    }

    /// Runs `work` with `stream` as the calling thread's current stream.
    pub(crate) fn on_stream<R>(&self, stream: &Arc<dyn Stream>, work: impl FnOnce() -> R) -> R {
        if self.stream_id() == stream.id() {
            return work();
        }
        let before = self.put_stream(stream.clone());
        let result = work();
        self.put_stream(before);
        result
    }

    /// Makes the calling thread's current stream wait for what is queued on another one.
    pub(crate) fn follow(&self, other: &Arc<dyn Stream>) -> Result<()> {
        if self.stream_id() == other.id() {
            return Ok(());
        }
        let current = self.current_stream();
        // A thread that waits for a capture takes part in it; and what one began with was queued before it.
        if current.capture()?.is_some() || other.capture()?.is_some() {
            return Ok(());
        }
        let event = self.device.create_event(false)?;
        other.record(event.as_ref())?;
        Ok(current.wait(event.as_ref())?)
    }

    /// Queues what is deferred on the calling thread's current stream.
    pub fn flush_stream(&self) -> Result<()> {
        self.fuser.flush_stream(Some(self.current_stream().as_ref()))
    }

    /// Queues what is deferred on a stream: before waiting for it, or marking a place in it.
    pub fn flush_onto(&self, stream: &dyn Stream) -> Result<()> {
        self.fuser.flush_stream(Some(stream))
    }

    /// Queues all that is deferred on the device.
    pub fn flush(&self) -> Result<()> {
        self.fuser.flush_stream(None)
    }

    /// Makes the thread's own default stream current if threads start on theirs and this one has chosen none.
    #[inline]
    fn choose_own_stream(&self) {
        if OWN_BY_DEFAULT.load(Ordering::Relaxed) {
            self.choose_stream_of_thread();
        }
    }

    #[cold]
    fn choose_stream_of_thread(&self) {
        if STREAMS.with_borrow(|streams| streams.iter().all(|(index, _)| *index != self.index))
            && let Ok(own) = self.per_thread_stream()
        {
            self.put_stream(own);
        }
    }

    /// The default stream of the calling thread, for this thread only.
    pub fn per_thread_stream(&self) -> Result<Arc<dyn Stream>> {
        let known = |streams: &Vec<(usize, Arc<dyn Stream>)>| {
            streams.iter().find(|(index, _)| *index == self.index).map(|(_, stream)| stream.clone())
        };
        if let Some(stream) = OWN_STREAMS.with_borrow(known) {
            return Ok(stream);
        }
        let stream = self.device.per_thread_stream()?;
        OWN_STREAMS.with_borrow_mut(|streams| streams.push((self.index, stream.clone())));
        Ok(stream)
    }

    /// Makes `stream` the calling thread's current stream on this device; returns the one before.
    pub fn set_stream(&self, stream: Arc<dyn Stream>) -> Arc<dyn Stream> {
        trace::refuse("it changes the current stream");
        self.put_stream(stream)
    }

    fn put_stream(&self, stream: Arc<dyn Stream>) -> Arc<dyn Stream> {
        CHOSEN.store(true, Ordering::SeqCst);
        STREAM_ID.set(NO_STREAM);
        STREAMS.with_borrow_mut(|streams| match streams.iter_mut().find(|(index, _)| *index == self.index) {
            Some((_, slot)) => std::mem::replace(slot, stream),
            None => {
                streams.push((self.index, stream));
                self.default_stream.clone()
            }
        })
    }

    /// The stream that is current when none was chosen.
    pub fn default_stream(&self) -> &Arc<dyn Stream> {
        &self.default_stream
    }

    /// Waits for the current stream, with all that is deferred on it, and raises what kernels recorded.
    pub fn synchronize_stream(&self) -> Result<()> {
        waits::check("the stream is synchronized")?;
        trace::refuse("it waits for the device");
        self.flush_stream()?;
        self.wait()
    }

    /// Runs work that waits for the device, and lets other threads of the host language go on if that can take long.
    pub(crate) fn waiting<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        trace::refuse("it waits for the device");
        if self.info.asynchronous { detached(work) } else { work() }
    }

    /// Waits for what has been queued on the current stream and raises what kernels recorded.
    pub(crate) fn wait(&self) -> Result<()> {
        let stream = self.current_stream();
        self.waiting(|| stream.synchronize())?;
        self.check_fault()
    }

    /// Waits for the whole device and raises what kernels recorded.
    pub fn synchronize(&self) -> Result<()> {
        waits::check("the device is synchronized")?;
        trace::refuse("it waits for the device");
        if capture::current(self).is_some() {
            // Fails, and says why, on every device alike.
            return self.synchronize_stream();
        }
        self.flush()?;
        self.waiting(|| self.device.synchronize())?;
        self.check_fault()
    }

    /// Turns a fault that a kernel recorded into an error; call after a synchronisation.
    pub fn check_fault(&self) -> Result<()> {
        self.device.take_fault().map_or(Ok(()), |fault| Err(fault_error(fault, &self.info)))
    }
}

/// The error that NumPy raises for what a kernel found.
pub(crate) fn fault_error(fault: Fault, info: &DeviceInfo) -> Error {
    let operation = match fault {
        Fault::IndexOutOfBounds => "reading (a[indices], take, choose)",
        Fault::AssignmentOutOfBounds => "assigning (a[indices] = values, put)",
        Fault::UpdateOutOfBounds => "updating (ufunc.at, scatter_add, scatter_max, scatter_min)",
        Fault::NegativeIntegerPower => {
            return Error::Value("Integers to negative integer powers are not allowed.".to_owned());
        }
    };
    Error::Index(format!("an index was out of bounds in an earlier call on {}, while {operation}", info.id))
}

impl PartialEq for Context {
    fn eq(&self, other: &Context) -> bool {
        self.index == other.index
    }
}

impl timeline::Place for Context {
    fn id(&self) -> DeviceId {
        self.info.id
    }

    fn asynchronous(&self) -> Option<(Arc<dyn Device>, Arc<dyn Stream>)> {
        self.info.asynchronous.then(|| (self.device.clone(), self.current_stream()))
    }
}
