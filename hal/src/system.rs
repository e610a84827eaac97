//! What a driver offers besides arrays: limits, peers, memory of other kinds, sharing between processes.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::stream::{Event, Stream};

/// A handle that another process can open.
pub type SharedHandle = [u8; 64];

/// What is known about an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointerInfo {
    /// Number of the device, if the memory belongs to one.
    pub device: Option<usize>,
    /// Kind of the memory in the vendor's numbering: 0 unregistered, 1 host, 2 device, 3 managed.
    pub kind: u32,
    /// Address for the device, or 0.
    pub device_ptr: u64,
    /// Address for the host, or 0.
    pub host_ptr: u64,
}

/// A two-dimensional copy: `rows` lines of `width` bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PitchedCopy {
    /// Target.
    pub dst: u64,
    /// Bytes between lines of the target.
    pub dst_pitch: usize,
    /// Source.
    pub src: u64,
    /// Bytes between lines of the source.
    pub src_pitch: usize,
    /// Bytes of a line.
    pub width: usize,
    /// Number of lines.
    pub rows: usize,
}

/// Numbers that a pool of the driver tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolNumber {
    /// Bytes in use.
    Used,
    /// Bytes held from the device.
    Reserved,
}

/// Optional abilities of a device's driver. Each is [`Error::Unsupported`] unless a backend has it; numbers of attributes,
/// limits and advice are the vendor's.
pub trait System: Send + Sync {
    /// Name of the backend, for messages.
    fn backend(&self) -> &'static str;

    /// Highest version that the driver serves, in the vendor's numbering.
    fn driver_version(&self) -> Result<i32> {
        Err(Error::unsupported(self.backend(), "a driver's version"))
    }

    /// A fact about the device by its number.
    fn attribute(&self, number: i32) -> Result<i64> {
        Err(Error::unsupported(self.backend(), format!("the device attribute {number}")))
    }

    /// A limit of the device.
    fn limit(&self, number: i32) -> Result<usize> {
        Err(Error::unsupported(self.backend(), format!("the limit {number}")))
    }

    /// Sets a limit of the device.
    fn set_limit(&self, number: i32, value: usize) -> Result<()> {
        let _ = value;
        Err(Error::unsupported(self.backend(), format!("the limit {number}")))
    }

    /// Whether the device can access the memory of another one.
    fn can_access(&self, peer: &dyn Device) -> Result<bool> {
        let _ = peer;
        Ok(false)
    }

    /// Lets the device access the memory of another one.
    fn enable_access(&self, peer: &dyn Device) -> Result<()> {
        Err(Error::unsupported(self.backend(), format!("access to the memory of {}", peer.info().id)))
    }

    /// Takes that access back.
    fn disable_access(&self, peer: &dyn Device) -> Result<()> {
        Err(Error::unsupported(self.backend(), format!("access to the memory of {}", peer.info().id)))
    }

    /// The least and the greatest priority of streams.
    fn priorities(&self) -> Result<(i32, i32)> {
        Ok((0, 0))
    }

    /// Memory in the order of a stream, from a pool of the driver or (0) from its current one.
    fn allocate_ordered(&self, stream: &dyn Stream, pool: u64, bytes: usize) -> Result<u64> {
        let _ = (stream, pool, bytes);
        Err(Error::unsupported(self.backend(), "allocation in the order of a stream"))
    }

    /// Gives such memory back in the order of a stream.
    ///
    /// # Safety
    /// It came from `allocate_ordered`, is freed once, and work of other streams does not use it.
    unsafe fn free_ordered(&self, stream: &dyn Stream, ptr: u64) -> Result<()> {
        let _ = (stream, ptr);
        Err(Error::unsupported(self.backend(), "allocation in the order of a stream"))
    }

    /// The device's current pool of the driver, or the one that it began with.
    fn pool(&self, first: bool) -> Result<u64> {
        let _ = first;
        Err(Error::unsupported(self.backend(), "memory pools of the driver"))
    }

    /// Makes a pool of the driver the device's current one.
    fn set_pool(&self, pool: u64) -> Result<()> {
        let _ = pool;
        Err(Error::unsupported(self.backend(), "memory pools of the driver"))
    }

    /// Makes a pool of the driver.
    fn create_pool(&self) -> Result<u64> {
        Err(Error::unsupported(self.backend(), "memory pools of the driver"))
    }

    /// Destroys a pool of the driver once its memory is given back.
    fn destroy_pool(&self, pool: u64) -> Result<()> {
        let _ = pool;
        Err(Error::unsupported(self.backend(), "memory pools of the driver"))
    }

    /// Gives unused memory of a pool of the driver back to the device, but for `keep` bytes.
    fn trim_pool(&self, pool: u64, keep: usize) -> Result<()> {
        let _ = (pool, keep);
        Err(Error::unsupported(self.backend(), "memory pools of the driver"))
    }

    /// A number of a pool of the driver.
    fn pool_number(&self, pool: u64, number: PoolNumber) -> Result<usize> {
        let _ = (pool, number);
        Err(Error::unsupported(self.backend(), "memory pools of the driver"))
    }

    /// Page-locks host memory that exists.
    ///
    /// # Safety
    /// The memory exists until it is unregistered.
    unsafe fn register(&self, ptr: u64, bytes: usize, flags: u32) -> Result<()> {
        let _ = (ptr, bytes, flags);
        Err(Error::unsupported(self.backend(), "page-locking memory"))
    }

    /// Ends the page-lock.
    fn unregister(&self, ptr: u64) -> Result<()> {
        let _ = ptr;
        Err(Error::unsupported(self.backend(), "page-locking memory"))
    }

    /// What is known about an address.
    fn pointer(&self, ptr: u64) -> Result<PointerInfo> {
        let _ = ptr;
        Err(Error::unsupported(self.backend(), "facts about addresses"))
    }

    /// Queues moving managed memory to a device, or (`None`) to the host.
    ///
    /// # Safety
    /// The range is managed memory.
    unsafe fn prefetch(&self, stream: &dyn Stream, ptr: u64, bytes: usize, device: Option<usize>) -> Result<()> {
        let _ = (stream, ptr, bytes, device);
        Err(Error::unsupported(self.backend(), "prefetching managed memory"))
    }

    /// Says how managed memory will be used, by a device or (`None`) by the host.
    ///
    /// # Safety
    /// The range is managed memory.
    unsafe fn advise(&self, ptr: u64, bytes: usize, advice: i32, device: Option<usize>) -> Result<()> {
        let _ = (ptr, bytes, advice, device);
        Err(Error::unsupported(self.backend(), "advice about managed memory"))
    }

    /// Queues a two-dimensional copy between any two places that the device can reach.
    ///
    /// # Safety
    /// Both ranges exist until the copy is done and do not overlap.
    unsafe fn copy_pitched(&self, stream: &dyn Stream, copy: &PitchedCopy) -> Result<()> {
        let _ = (stream, copy);
        Err(Error::unsupported(self.backend(), "two-dimensional copies"))
    }

    /// Checks that memory which a program names by its address is there. Drivers that do so by themselves need not.
    fn check_memory(&self, ptr: u64, bytes: usize) -> Result<()> {
        let _ = (ptr, bytes);
        Ok(())
    }

    /// Queues a copy between any two places that the device can reach, host memory included.
    ///
    /// # Safety
    /// As for [`copy_pitched`](System::copy_pitched).
    unsafe fn copy_any(&self, stream: &dyn Stream, dst: u64, src: u64, bytes: usize) -> Result<()> {
        let _ = (stream, dst, src, bytes);
        Err(Error::unsupported(self.backend(), "copies between any two addresses"))
    }

    /// A handle of device memory for other processes.
    fn share_memory(&self, ptr: u64) -> Result<SharedHandle> {
        let _ = ptr;
        Err(Error::unsupported(self.backend(), "memory shared between processes"))
    }

    /// The memory behind another process's handle.
    fn open_memory(&self, handle: &SharedHandle) -> Result<u64> {
        let _ = handle;
        Err(Error::unsupported(self.backend(), "memory shared between processes"))
    }

    /// Closes such memory.
    fn close_memory(&self, ptr: u64) -> Result<()> {
        let _ = ptr;
        Err(Error::unsupported(self.backend(), "memory shared between processes"))
    }

    /// An event that other processes can open.
    fn create_shared_event(&self) -> Result<std::sync::Arc<dyn Event>> {
        Err(Error::unsupported(self.backend(), "events shared between processes"))
    }

    /// A handle of such an event.
    fn share_event(&self, event: &dyn Event) -> Result<SharedHandle> {
        let _ = event;
        Err(Error::unsupported(self.backend(), "events shared between processes"))
    }

    /// The event behind another process's handle.
    fn open_event(&self, handle: &SharedHandle) -> Result<std::sync::Arc<dyn Event>> {
        let _ = handle;
        Err(Error::unsupported(self.backend(), "events shared between processes"))
    }

    /// An event of another library, which goes on owning it.
    fn external_event(&self, raw: u64) -> Result<std::sync::Arc<dyn Event>> {
        let _ = raw;
        Err(Error::unsupported(self.backend(), "events of other libraries"))
    }

    /// The handle of a vendor's library (`cublas`, `cusolver`, ...) that the device's own work uses.
    fn library_handle(&self, library: &str) -> Result<u64> {
        Err(Error::unsupported(self.backend(), format!("a handle of {library}")))
    }

    /// Starts or stops a profiler that is attached to the process; nothing happens without one.
    fn profile(&self, on: bool) -> Result<()> {
        let _ = on;
        Ok(())
    }
}
