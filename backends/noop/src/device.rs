//! The device: real memory, no computation.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cuproxide_hal::ir::{self, Kernel, LegalizeOptions};
use cuproxide_hal::libraries::Libraries;
use cuproxide_hal::{
    Allocation, CompiledKernel, Device, DeviceId, DeviceInfo, Error, Event, Fault, MemoryInfo, MemoryKind, Module,
    Result, SourceText, Specialization, Stream, StreamFlags,
};
use parking_lot::Mutex;

use crate::core::Core;
use crate::kernel::{NoopKernel, NoopModule};
use crate::libraries;
use crate::memory::Memory;
use crate::name::NAME;
use crate::recorder::{Call, Recorder};
use crate::stream::{NoopEvent, NoopStream};

/// A device that runs nothing.
pub struct NoopDevice {
    info: DeviceInfo,
    core: Arc<Core>,
    libraries: Libraries,
    default_stream: Arc<NoopStream>,
    handles: AtomicU64,
}

impl NoopDevice {
    pub(crate) fn new(ordinal: usize, memory: usize, recorder: Arc<Recorder>) -> NoopDevice {
        let info = DeviceInfo {
            id: DeviceId { backend: NAME, ordinal },
            name: "no operation".to_owned(),
            architecture: NAME.to_owned(),
            total_memory: memory,
            warp_size: 32,
            processors: 1,
            row_bytes: 64 << 10,
            host_addressable: false,
            asynchronous: true,
            writes_in_order: false,
            array_interface: false,
            dlpack_type: 12,
            dlpack_also: &[],
            dlpack_default_stream: 0,
            capability: None,
            attributes: vec![],
        };
        let core = Arc::new(Core { ordinal, memory: Memory::new(memory), recorder: recorder.clone() });
        NoopDevice {
            info,
            libraries: libraries::libraries(&core),
            core,
            default_stream: Arc::new(NoopStream {
                device: ordinal,
                raw: 0,
                recorder,
                flags: StreamFlags::default(),
                capture: AtomicU64::new(0),
            }),
            handles: AtomicU64::new(1),
        }
    }

    /// What was asked of this device and its siblings.
    pub fn recorder(&self) -> &Recorder {
        &self.core.recorder
    }

    fn handle(&self) -> u64 {
        self.handles.fetch_add(1, Ordering::Relaxed)
    }

    fn stream_with(&self, raw: u64, flags: StreamFlags) -> Arc<dyn Stream> {
        let recorder = self.core.recorder.clone();
        Arc::new(NoopStream { device: self.core.ordinal, raw, recorder, flags, capture: AtomicU64::new(0) })
    }
}

/// Whether a stream captures, so that what it is asked to do is recorded only.
fn captures(stream: &dyn Stream) -> bool {
    matches!(stream.capture(), Ok(Some(_)))
}

impl Device for NoopDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn allocate(&self, kind: MemoryKind, bytes: usize) -> Result<Allocation> {
        let Some(allocation) = self.core.memory.allocate(kind, bytes) else {
            let MemoryInfo { free, total } = self.memory_info()?;
            return Err(Error::OutOfMemory { device: self.info.id.to_string(), requested: bytes, free, total });
        };
        self.core.record(None, Call::Allocate { kind, ptr: allocation.ptr, bytes });
        Ok(allocation)
    }

    unsafe fn free(&self, allocation: Allocation) -> Result<()> {
        self.core.memory.free(allocation).or_else(|message| self.core.violation("free", message))?;
        self.core.record(None, Call::Free { ptr: allocation.ptr, bytes: allocation.bytes });
        Ok(())
    }

    fn memory_info(&self) -> Result<MemoryInfo> {
        Ok(MemoryInfo { free: self.core.memory.free_bytes(), total: self.core.memory.total() })
    }

    fn default_stream(&self) -> Arc<dyn Stream> {
        self.default_stream.clone()
    }

    fn per_thread_stream(&self) -> Result<Arc<dyn Stream>> {
        // A handle of its own is as good, and shows in the records which thread asked.
        Ok(self.stream_with(self.handle(), StreamFlags::default()))
    }

    fn create_stream(&self, flags: StreamFlags) -> Result<Arc<dyn Stream>> {
        Ok(self.stream_with(self.handle(), flags))
    }

    fn external_stream(&self, raw: u64) -> Result<Arc<dyn Stream>> {
        Ok(self.stream_with(raw, StreamFlags::default()))
    }

    fn create_event(&self, timing: bool) -> Result<Arc<dyn Event>> {
        let (device, recorder) = (self.core.ordinal, self.core.recorder.clone());
        Ok(Arc::new(NoopEvent { device, raw: self.handle(), timing, reached: Mutex::new(None), recorder }))
    }

    fn synchronize(&self) -> Result<()> {
        self.core.record(None, Call::Synchronize);
        Ok(())
    }

    unsafe fn copy_from_host(&self, stream: &dyn Stream, dst: u64, src: *const u8, bytes: usize) -> Result<()> {
        let of = stream;
        let stream = self.core.stream("copy_from_host", of)?;
        self.core.check_range("copy_from_host", dst, bytes)?;
        if !captures(of) {
            // SAFETY: `dst` was found live for `bytes`; the caller promises `src`.
            unsafe { std::ptr::copy(src, dst as *mut u8, bytes) };
        }
        self.core.record(stream, Call::CopyFromHost { dst, bytes });
        Ok(())
    }

    unsafe fn copy_to_host(&self, stream: &dyn Stream, dst: *mut u8, src: u64, bytes: usize) -> Result<()> {
        let of = stream;
        let stream = self.core.stream("copy_to_host", of)?;
        self.core.check_range("copy_to_host", src, bytes)?;
        if !captures(of) {
            // SAFETY: `src` was found live for `bytes`; the caller promises `dst`.
            unsafe { std::ptr::copy(src as *const u8, dst, bytes) };
        }
        self.core.record(stream, Call::CopyToHost { src, bytes });
        Ok(())
    }

    unsafe fn copy(&self, stream: &dyn Stream, dst: u64, src: u64, bytes: usize) -> Result<()> {
        let of = stream;
        let stream = self.core.stream("copy", of)?;
        self.core.check_range("copy", dst, bytes)?;
        self.core.check_range("copy", src, bytes)?;
        if dst.abs_diff(src) < bytes as u64 {
            return self.core.violation("copy", format!("{bytes} bytes at {dst:#x} and {src:#x} overlap"));
        }
        if !captures(of) {
            // SAFETY: both ranges were found live.
            unsafe { std::ptr::copy(src as *const u8, dst as *mut u8, bytes) };
        }
        self.core.record(stream, Call::Copy { dst, src, bytes });
        Ok(())
    }

    unsafe fn copy_from_peer(
        &self,
        stream: &dyn Stream,
        dst: u64,
        source: &dyn Device,
        src: u64,
        bytes: usize,
    ) -> Result<()> {
        let of = stream;
        let stream = self.core.stream("copy_from_peer", of)?;
        let Some(peer) = source.as_any().downcast_ref::<NoopDevice>() else {
            return self.core.violation("copy_from_peer", format!("{} is of another backend", source.info().id));
        };
        self.core.check_range("copy_from_peer", dst, bytes)?;
        peer.core.check_range("copy_from_peer", src, bytes)?;
        if !captures(of) {
            // SAFETY: both ranges were found live.
            unsafe { std::ptr::copy(src as *const u8, dst as *mut u8, bytes) };
        }
        self.core.record(stream, Call::CopyFromPeer { source: peer.info.id, dst, src, bytes });
        Ok(())
    }

    unsafe fn fill(&self, stream: &dyn Stream, dst: u64, value: u8, bytes: usize) -> Result<()> {
        let of = stream;
        let stream = self.core.stream("fill", of)?;
        self.core.check_range("fill", dst, bytes)?;
        if !captures(of) {
            // SAFETY: the range was found live.
            unsafe { std::ptr::write_bytes(dst as *mut u8, value, bytes) };
        }
        self.core.record(stream, Call::Fill { dst, value, bytes });
        Ok(())
    }

    fn compile(&self, kernel: &Kernel, specialization: Specialization) -> Result<Arc<dyn CompiledKernel>> {
        kernel.validate()?;
        ir::legalize(kernel, LegalizeOptions::default());
        self.core.record(None, Call::Compile { kernel: kernel.name.clone(), specialization });
        Ok(Arc::new(NoopKernel { core: self.core.clone(), kernel: kernel.clone(), specialization }))
    }

    fn compile_text(&self, text: &SourceText<'_>) -> Result<Arc<dyn Module>> {
        self.core.record(None, Call::CompileSource { name: text.name.to_owned() });
        Ok(Arc::new(NoopModule { core: self.core.clone() }))
    }

    fn take_fault(&self) -> Option<Fault> {
        None
    }

    fn libraries(&self) -> &Libraries {
        &self.libraries
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
