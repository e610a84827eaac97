//! The memory behind arrays: ready, or yet to be computed by the [fuser](crate::fusion).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use once_cell::sync::OnceCell;

use crate::context::Context;
use crate::error::Result;
use crate::layout::Layout;
use crate::memory::{Buffer, Owner, capture};
use crate::trace;

/// Memory of one device that arrays share views of.
///
/// Deferred operations may have to fill, change or read it first. A caller that needs the memory names its purpose:
/// [`Storage::buffer`] queues all of these operations, [`Storage::read`] only those that change the content. The storage also
/// counts the possible changes of its content: see [`Storage::version`].
pub struct Storage {
    context: &'static Arc<Context>,
    bytes: usize,
    /// The layout of the array that it was made for, if that array is all of it in C order. Such an array borrows this layout,
    /// so making and dropping it changes no reference count of the layout.
    line: Option<Arc<Layout>>,
    ready: OnceCell<Buffer>,
    /// The open group that fills or changes the memory, 0 if there is none.
    writer: AtomicU64,
    /// Whether an open group may read the memory.
    read_by_group: AtomicBool,
    /// Whether code outside the library holds the address: then no operation on the memory may be deferred.
    exposed: AtomicBool,
    /// How often the content may have changed.
    changes: AtomicU64,
    /// Whether a graph may change the content when it is launched again.
    replayed: AtomicBool,
}

impl Storage {
    /// Uninitialised memory from the device's pool, for work on the current stream.
    #[inline]
    pub fn allocate(context: &Arc<Context>, bytes: usize) -> Result<Arc<Storage>> {
        let buffer = context.allocate_buffer(bytes)?;
        Ok(Storage::ready(context, buffer))
    }

    /// Memory that exists already.
    #[inline]
    pub fn ready(context: &Arc<Context>, buffer: Buffer) -> Arc<Storage> {
        let foreign = matches!(buffer.owner, Owner::Foreign(_));
        Arc::new(Storage::with(context, buffer.bytes, OnceCell::with_value(buffer), 0, foreign))
    }

    /// Memory that group `writer` of the fuser will provide.
    #[inline]
    pub(crate) fn deferred(context: &Arc<Context>, bytes: usize, writer: u64) -> Arc<Storage> {
        Arc::new(Storage::with(context, bytes, OnceCell::new(), writer, false))
    }

    /// [`Storage::deferred`] for an array of this layout, in C order.
    #[inline]
    pub(crate) fn line(context: &Arc<Context>, line: &Arc<Layout>, bytes: usize, writer: u64) -> Arc<Storage> {
        let storage = Storage::with(context, bytes, OnceCell::new(), writer, false);
        Arc::new(Storage { line: Some(line.clone()), ..storage })
    }

    /// [`Storage::line`], in the allocation of a storage that the caller alone holds and that never had memory.
    #[inline(always)]
    pub(crate) fn recycle(
        storage: Arc<Storage>,
        context: &Arc<Context>,
        line: &Arc<Layout>,
        bytes: usize,
        writer: u64,
    ) -> Arc<Storage> {
        let is_alike = storage.line.as_ref().is_some_and(|own| Arc::ptr_eq(own, line))
            && storage.bytes == bytes
            && Arc::ptr_eq(storage.context, context);
        if !is_alike || storage.ready.get().is_some() {
            return Storage::replace(storage, context, line, bytes, writer);
        }
        storage.writer.store(writer, Ordering::Release);
        storage.read_by_group.store(false, Ordering::Relaxed);
        storage.exposed.store(false, Ordering::Relaxed);
        // Versions are never reused.
        storage.changes.store(storage.changes.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        storage.replayed.store(false, Ordering::Relaxed);
        storage
    }

    /// [`Storage::recycle`] of a storage that was made for another layout or device.
    fn replace(
        mut storage: Arc<Storage>,
        context: &Arc<Context>,
        line: &Arc<Layout>,
        bytes: usize,
        writer: u64,
    ) -> Arc<Storage> {
        let Some(own) = Arc::get_mut(&mut storage) else { return Storage::line(context, line, bytes, writer) };
        *own = Storage { line: Some(line.clone()), ..Storage::with(context, bytes, OnceCell::new(), writer, false) };
        storage
    }

    #[inline]
    fn with(context: &Arc<Context>, bytes: usize, ready: OnceCell<Buffer>, writer: u64, exposed: bool) -> Storage {
        Storage {
            context: context.shared(),
            bytes,
            line: None,
            ready,
            writer: AtomicU64::new(writer),
            read_by_group: AtomicBool::new(false),
            exposed: AtomicBool::new(exposed),
            changes: AtomicU64::new(0),
            replayed: AtomicBool::new(false),
        }
    }

    /// The layout of the array that [`Storage::line`] was made for.
    #[inline]
    pub(crate) fn own_layout(&self) -> &Arc<Layout> {
        self.line.as_ref().expect("an array without a layout of its own has its storage's")
    }

    /// The device.
    #[inline]
    pub fn context(&self) -> &'static Arc<Context> {
        self.context
    }

    /// Size in bytes.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether the memory exists and the work that fills it has been queued.
    #[inline]
    pub fn is_ready(&self) -> bool {
        self.ready.get().is_some() && self.writer() == 0
    }

    /// The memory, for any use: deferred operations that fill, change or read it are queued first.
    pub fn buffer(&self) -> Result<&Buffer> {
        self.note_change();
        if self.writer() != 0 || self.read_by_group.load(Ordering::Acquire) {
            self.context.deferred().settle(self, true)?;
        }
        Ok(self.settled())
    }

    /// The memory, for reading: deferred operations that fill or change it are queued first.
    #[inline]
    pub fn read(&self) -> Result<&Buffer> {
        if self.writer() != 0 {
            self.context.deferred().settle(self, false)?;
        }
        Ok(self.settled())
    }

    #[inline]
    fn settled(&self) -> &Buffer {
        let buffer = self.ready.get().expect("settled storage has memory");
        capture::touch(self.context, buffer);
        buffer
    }

    /// Notes that the content changes: now, or when a deferred operation or a captured graph runs.
    #[inline]
    pub(crate) fn note_change(&self) {
        self.changes.fetch_add(1, Ordering::AcqRel);
        self.note_replays();
    }

    /// If the current stream captures a graph, notes that each launch of that graph may change the content.
    #[inline]
    pub(crate) fn note_replays(&self) {
        if capture::any_open() && capture::current(self.context).is_some() {
            self.replayed.store(true, Ordering::Release);
        }
    }

    /// A number that differs after every possible change of the content: facts about the content hold as long as the number
    /// stays the same. `None` if changes cannot be noticed: code outside the library holds the address, or a graph writes here.
    pub fn version(&self) -> Option<u64> {
        let unnoticed = self.is_exposed() || self.replayed.load(Ordering::Acquire);
        (!unnoticed).then(|| self.changes.load(Ordering::Acquire))
    }

    /// Notes that the address leaves the library: from now on no operation on the memory is deferred.
    pub fn expose(&self) -> Result<&Buffer> {
        trace::refuse("it asks for the address of an array");
        self.exposed.store(true, Ordering::Release);
        self.buffer()
    }

    /// Whether code outside the library holds the address.
    #[inline]
    pub(crate) fn is_exposed(&self) -> bool {
        self.exposed.load(Ordering::Acquire)
    }

    /// The memory if it exists, even if deferred operations are pending for it.
    #[inline]
    pub(crate) fn peek(&self) -> Option<&Buffer> {
        self.ready.get()
    }

    /// The open group that fills or changes the memory, 0 if there is none.
    #[inline]
    pub(crate) fn writer(&self) -> u64 {
        self.writer.load(Ordering::Acquire)
    }

    /// For the fuser: sets the group that fills or changes the memory.
    #[inline]
    pub(crate) fn set_writer(&self, group: u64) {
        if group != 0 {
            self.note_change();
        }
        self.writer.store(group, Ordering::Release);
    }

    /// Whether an open group may read the memory.
    #[inline]
    pub(crate) fn is_read_by_group(&self) -> bool {
        self.read_by_group.load(Ordering::Acquire)
    }

    /// For the fuser: sets whether an open group may read the memory.
    #[inline]
    pub(crate) fn set_read_by_group(&self, read: bool) {
        self.read_by_group.store(read, Ordering::Release);
    }

    /// For the fuser: sets the memory that deferred operations fill.
    pub(crate) fn provide(&self, buffer: Buffer) {
        debug_assert_eq!(buffer.bytes, self.bytes);
        let _ = self.ready.set(buffer);
    }
}
