//! The memory behind arrays: ready, or still to be computed.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::context::Context;
use crate::error::Result;
use crate::memory::{Buffer, Owner, capture, hooks};

/// Work that fills a storage when somebody first asks for its memory. An elementwise expression over other arrays'
/// storage is one; nothing above this trait needs to know whether an array has been computed.
pub trait Pending: Send {
    /// Computes the elements into `buffer`, which holds the storage's bytes.
    fn evaluate(self: Box<Self>, context: &Context, buffer: &Buffer) -> Result<()>;
}

/// Memory of one device that arrays share views of.
pub struct Storage {
    context: Arc<Context>,
    bytes: usize,
    ready: OnceLock<Buffer>,
    pending: Mutex<Option<Box<dyn Pending>>>,
}

impl Storage {
    /// Uninitialised memory from the device's pool, for work on the current stream.
    pub fn allocate(context: &Arc<Context>, bytes: usize) -> Result<Arc<Storage>> {
        let buffer = allocate_buffer(context, bytes)?;
        Ok(Storage::ready(context, buffer))
    }

    /// Memory that exists already.
    pub fn ready(context: &Arc<Context>, buffer: Buffer) -> Arc<Storage> {
        let bytes = buffer.bytes;
        let ready = OnceLock::from(buffer);
        Arc::new(Storage { context: context.clone(), bytes, ready, pending: Mutex::new(None) })
    }

    /// Memory that `work` will fill when it is first asked for.
    pub fn pending(context: &Arc<Context>, bytes: usize, work: Box<dyn Pending>) -> Arc<Storage> {
        let pending = Mutex::new(Some(work));
        Arc::new(Storage { context: context.clone(), bytes, ready: OnceLock::new(), pending })
    }

    /// The device.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether the memory exists and its filling has been queued.
    pub fn is_ready(&self) -> bool {
        self.ready.get().is_some()
    }

    /// The memory; evaluates pending work first. After a failed evaluation the work is gone and the memory's content
    /// unspecified, but the storage stays usable.
    pub fn buffer(&self) -> Result<&Buffer> {
        if let Some(buffer) = self.ready.get() {
            capture::touch(&self.context, buffer);
            return Ok(buffer);
        }
        let mut pending = self.pending.lock();
        if self.ready.get().is_none() {
            let buffer = allocate_buffer(&self.context, self.bytes)?;
            let outcome = pending.take().map_or(Ok(()), |work| work.evaluate(&self.context, &buffer));
            let _ = self.ready.set(buffer);
            outcome?;
        }
        drop(pending);
        Ok(self.ready.get().expect("set under the lock"))
    }
}

fn allocate_buffer(context: &Arc<Context>, bytes: usize) -> Result<Buffer> {
    if let Some(buffer) = hooks::allocate(context, bytes) {
        return buffer;
    }
    let block = context.allocate(bytes)?;
    Ok(Buffer { ptr: block.ptr, bytes, owner: Owner::Pool(block) })
}
