//! The driver's extras.

use std::ffi::c_void;
use std::sync::Arc;

use cuproxide_hal as hal;
use cuproxide_hal::{Error, PitchedCopy, PointerInfo, PoolNumber, Result, SharedHandle, System};

use crate::api::driver::{Driver, NOT_SUPPORTED};
use crate::api::types::{Copy2D, Handle, KIND_HOST, KIND_UNIFIED, Location, PoolProperties};
use crate::context::Primary;
use crate::graph::Unrestricted;
use crate::peers;
use crate::stream::Event;
use crate::vendor::Vendor;

const HOST_DEVICE: i32 = -1;
const IPC_LAZY_PEER_ACCESS: u32 = 1;
/// No timing, shared between processes.
const SHARED_EVENT: u32 = 2 | 4;
const USED_NOW: i32 = 7;
const RESERVED_NOW: i32 = 5;

/// The extras of one device.
pub(crate) struct GpuSystem {
    pub vendor: &'static Vendor,
    pub driver: &'static Driver,
    pub primary: Primary,
    /// The context of another device, if it is one of the same driver.
    pub context_of: fn(&dyn hal::Device) -> Option<Primary>,
}

impl GpuSystem {
    fn enter(&self) -> Result<&'static Driver> {
        self.primary.enter(self.driver)?;
        Ok(self.driver)
    }

    fn handle(&self) -> Result<i32> {
        let mut device = 0;
        // SAFETY: the driver writes one integer.
        unsafe { self.driver.device_get(&mut device, self.primary.ordinal as i32) }?;
        Ok(device)
    }

    fn peer(&self, peer: &dyn hal::Device) -> Result<Primary> {
        (self.context_of)(peer).ok_or_else(|| {
            Error::unsupported(self.primary.backend, format!("access to the memory of {}", peer.info().id))
        })
    }

    /// How the driver shall look at one end of a two-dimensional copy.
    fn end(&self, ptr: u64) -> u32 {
        let mut kind = 0u32;
        // SAFETY: the driver writes one integer.
        let known = unsafe { self.driver.pointer_attribute((&raw mut kind).cast(), 2, ptr) }.is_ok();
        if known { KIND_UNIFIED } else { KIND_HOST }
    }
}

impl System for GpuSystem {
    fn backend(&self) -> &'static str {
        self.primary.backend
    }

    fn driver_version(&self) -> Result<i32> {
        let mut version = 0;
        // SAFETY: the driver writes one integer.
        unsafe { self.driver.driver_version(&mut version) }?;
        Ok(version)
    }

    fn attribute(&self, number: i32) -> Result<i64> {
        let mut value = 0;
        // SAFETY: the driver writes one integer.
        unsafe { self.driver.device_attribute(&mut value, number, self.handle()?) }?;
        Ok(value.into())
    }

    fn limit(&self, number: i32) -> Result<usize> {
        let mut value = 0;
        // SAFETY: the driver writes one number.
        unsafe { self.enter()?.limit_get(&mut value, number) }?;
        Ok(value)
    }

    fn set_limit(&self, number: i32, value: usize) -> Result<()> {
        // SAFETY: a current context is all that it takes.
        unsafe { self.enter()?.limit_set(number, value) }
    }

    fn can_access(&self, peer: &dyn hal::Device) -> Result<bool> {
        let Some(peer) = (self.context_of)(peer) else { return Ok(false) };
        peers::can_access(self.driver, self.primary, peer)
    }

    fn enable_access(&self, peer: &dyn hal::Device) -> Result<()> {
        let peer = self.peer(peer)?;
        if peers::take_over(self.primary, peer) {
            return Ok(());
        }
        // SAFETY: both contexts are retained.
        unsafe { self.enter()?.peer_enable(peer.context, 0) }
    }

    fn disable_access(&self, peer: &dyn hal::Device) -> Result<()> {
        let peer = self.peer(peer)?;
        peers::take_over(self.primary, peer);
        // SAFETY: both contexts are retained.
        unsafe { self.enter()?.peer_disable(peer.context) }
    }

    fn priorities(&self) -> Result<(i32, i32)> {
        let (mut least, mut greatest) = (0, 0);
        // SAFETY: the driver writes two integers.
        unsafe { self.enter()?.stream_priorities(&mut least, &mut greatest) }?;
        Ok((least, greatest))
    }

    fn allocate_ordered(&self, stream: &dyn hal::Stream, pool: u64, bytes: usize) -> Result<u64> {
        let driver = self.enter()?;
        let (mut ptr, bytes) = (0, bytes.max(1));
        // SAFETY: the driver writes one address.
        unsafe {
            if pool == 0 {
                driver.allocate_ordered(&mut ptr, bytes, stream.raw())?;
            } else {
                driver.allocate_from_pool(&mut ptr, bytes, pool, stream.raw())?;
            }
        }
        Ok(ptr)
    }

    unsafe fn free_ordered(&self, stream: &dyn hal::Stream, ptr: u64) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.enter()?.free_ordered(ptr, stream.raw()) }
    }

    fn pool(&self, first: bool) -> Result<u64> {
        let driver = self.enter()?;
        let mut pool = 0;
        // SAFETY: the driver writes one handle.
        unsafe {
            if first {
                driver.default_pool(&mut pool, self.handle()?)?;
            } else {
                driver.current_pool(&mut pool, self.handle()?)?;
            }
        }
        Ok(pool)
    }

    fn set_pool(&self, pool: u64) -> Result<()> {
        // SAFETY: the driver checks the handle.
        unsafe { self.enter()?.set_pool(self.handle()?, pool) }
    }

    fn create_pool(&self) -> Result<u64> {
        let properties = PoolProperties {
            allocation: 1,
            handles: 0,
            location: Location::of(Some(self.primary.ordinal)),
            security: std::ptr::null_mut(),
            max_size: 0,
            usage: 0,
            reserved: [0; 54],
        };
        let mut pool = 0;
        // SAFETY: the driver reads the properties and writes one handle.
        unsafe { self.enter()?.create_pool(&mut pool, &properties) }?;
        Ok(pool)
    }

    fn destroy_pool(&self, pool: u64) -> Result<()> {
        // SAFETY: the driver checks the handle.
        unsafe { self.enter()?.destroy_pool(pool) }
    }

    fn trim_pool(&self, pool: u64, keep: usize) -> Result<()> {
        // SAFETY: as above.
        unsafe { self.enter()?.trim_pool(pool, keep) }
    }

    fn pool_number(&self, pool: u64, number: PoolNumber) -> Result<usize> {
        let code = match number {
            PoolNumber::Used => USED_NOW,
            PoolNumber::Reserved => RESERVED_NOW,
        };
        let mut value = 0u64;
        // SAFETY: both numbers are 64 bits wide.
        unsafe { self.enter()?.pool_attribute(pool, code, (&raw mut value).cast()) }?;
        Ok(value as usize)
    }

    unsafe fn register(&self, ptr: u64, bytes: usize, flags: u32) -> Result<()> {
        let driver = self.enter()?;
        let _capturing = Unrestricted::enter(driver);
        // SAFETY: the caller's promise.
        unsafe { driver.host_register(ptr as *mut c_void, bytes, flags) }
    }

    fn unregister(&self, ptr: u64) -> Result<()> {
        let driver = self.enter()?;
        let _capturing = Unrestricted::enter(driver);
        // SAFETY: the driver checks the address.
        unsafe { driver.host_unregister(ptr as *mut c_void) }
    }

    fn pointer(&self, ptr: u64) -> Result<PointerInfo> {
        let driver = self.enter()?;
        let (mut kind, mut managed, mut ordinal) = (0u32, 0u32, 0i32);
        let (mut device_ptr, mut host_ptr) = (0u64, 0u64);
        // SAFETY: the driver writes one value of the attribute's size each.
        let ask = |out: *mut c_void, attribute: i32| unsafe { driver.pointer_attribute(out, attribute, ptr) };
        if ask((&raw mut kind).cast(), 2).is_err() {
            return Ok(PointerInfo { device: None, kind: 0, device_ptr: 0, host_ptr: ptr });
        }
        let _ = ask((&raw mut managed).cast(), 8);
        let _ = ask((&raw mut ordinal).cast(), 9);
        let _ = ask((&raw mut device_ptr).cast(), 3);
        let _ = ask((&raw mut host_ptr).cast(), 4);
        let kind = if managed != 0 { 3 } else { kind };
        Ok(PointerInfo { device: usize::try_from(ordinal).ok(), kind, device_ptr, host_ptr })
    }

    unsafe fn prefetch(&self, stream: &dyn hal::Stream, ptr: u64, bytes: usize, device: Option<usize>) -> Result<()> {
        let driver = self.enter()?;
        // SAFETY: the caller's promise.
        unsafe {
            if driver.prefetch.is_some() {
                return driver.prefetch(ptr, bytes, Location::of(device), 0, stream.raw());
            }
            let target = device.map_or(HOST_DEVICE, |ordinal| ordinal as i32);
            driver.prefetch_12(ptr, bytes, target, stream.raw())
        }
    }

    unsafe fn advise(&self, ptr: u64, bytes: usize, advice: i32, device: Option<usize>) -> Result<()> {
        let driver = self.enter()?;
        // SAFETY: the caller's promise.
        unsafe {
            if driver.advise.is_some() {
                return driver.advise(ptr, bytes, advice, Location::of(device));
            }
            driver.advise_12(ptr, bytes, advice, device.map_or(HOST_DEVICE, |ordinal| ordinal as i32))
        }
    }

    unsafe fn copy_pitched(&self, stream: &dyn hal::Stream, copy: &PitchedCopy) -> Result<()> {
        let driver = self.enter()?;
        let PitchedCopy { dst, dst_pitch, src, src_pitch, width, rows } = *copy;
        let request = Copy2D {
            src_x: 0,
            src_y: 0,
            src_kind: self.end(src),
            src_host: src,
            src_device: src,
            src_array: 0,
            src_pitch,
            dst_x: 0,
            dst_y: 0,
            dst_kind: self.end(dst),
            dst_host: dst,
            dst_device: dst,
            dst_array: 0,
            dst_pitch,
            width,
            height: rows,
        };
        // SAFETY: the caller's promise.
        unsafe { driver.copy_2d(&request, stream.raw()) }
    }

    unsafe fn copy_any(&self, stream: &dyn hal::Stream, dst: u64, src: u64, bytes: usize) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: the caller's promise; the driver finds out where the addresses lie.
        unsafe { self.enter()?.copy_any(dst, src, bytes, stream.raw()) }
    }

    fn share_memory(&self, ptr: u64) -> Result<SharedHandle> {
        let mut handle = [0; 64];
        // SAFETY: the driver writes 64 bytes.
        unsafe { self.enter()?.ipc_share(handle.as_mut_ptr(), ptr) }?;
        Ok(handle)
    }

    fn open_memory(&self, handle: &SharedHandle) -> Result<u64> {
        let mut ptr = 0;
        // SAFETY: the driver takes the handle by value, as 64 bytes, and writes one address.
        unsafe { self.enter()?.ipc_open(&mut ptr, Handle(*handle), IPC_LAZY_PEER_ACCESS) }?;
        Ok(ptr)
    }

    fn close_memory(&self, ptr: u64) -> Result<()> {
        // SAFETY: the driver checks the address.
        unsafe { self.enter()?.ipc_close(ptr) }
    }

    fn create_shared_event(&self) -> Result<Arc<dyn hal::Event>> {
        let driver = self.enter()?;
        let mut raw = 0;
        // SAFETY: the driver writes one handle.
        unsafe { driver.event_create(&mut raw, SHARED_EVENT) }?;
        Ok(Arc::new(Event { driver, primary: self.primary, raw, owned: true }))
    }

    fn share_event(&self, event: &dyn hal::Event) -> Result<SharedHandle> {
        let mut handle = [0; 64];
        // SAFETY: the event lives; the driver writes 64 bytes.
        unsafe { self.enter()?.ipc_share_event(handle.as_mut_ptr(), event.raw()) }?;
        Ok(handle)
    }

    fn open_event(&self, handle: &SharedHandle) -> Result<Arc<dyn hal::Event>> {
        let driver = self.enter()?;
        let mut raw = 0;
        // SAFETY: as for memory.
        unsafe { driver.ipc_open_event(&mut raw, Handle(*handle)) }?;
        Ok(Arc::new(Event { driver, primary: self.primary, raw, owned: true }))
    }

    fn external_event(&self, raw: u64) -> Result<Arc<dyn hal::Event>> {
        Ok(Arc::new(Event { driver: self.driver, primary: self.primary, raw, owned: false }))
    }

    fn library_handle(&self, library: &str) -> Result<u64> {
        (self.vendor.library_handle)(self.driver, self.primary, library)
    }

    fn profile(&self, on: bool) -> Result<()> {
        let driver = self.enter()?;
        // SAFETY: no precondition but a current context.
        let done = unsafe { if on { driver.profiler_start() } else { driver.profiler_stop() } };
        match done {
            // ROCm 7: AMD's profilers have switches of their own.
            Err(Error::Call { code, .. }) if code == NOT_SUPPORTED => Ok(()),
            done => done,
        }
    }
}
