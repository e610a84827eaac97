//! Device memory: the caching pool and the buffers handed out from it.

mod arena;
pub mod capture;
pub mod hooks;
mod pool;
pub mod quiet;

pub use pool::{Block, Limit, MemoryPool, PoolStats, Source, set_default_limit, set_pressure_hook};

use std::any::Any;
use std::sync::Arc;

/// A range of device memory and what keeps it alive.
pub struct Buffer {
    /// Address of the first byte.
    pub ptr: u64,
    /// Size in bytes.
    pub bytes: usize,
    /// Released when the buffer is dropped.
    pub owner: Owner,
}

/// What keeps a buffer alive.
pub enum Owner {
    /// A block of a pool, given back on drop.
    Pool(Block),
    /// Memory of another library or of a Python object.
    Foreign(Arc<dyn Any + Send + Sync>),
}
