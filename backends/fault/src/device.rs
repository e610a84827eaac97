//! The device in front of another.

use std::any::Any;
use std::sync::Arc;

use cuproxide_hal::ir::Kernel;
use cuproxide_hal::libraries::Libraries;
use cuproxide_hal::{
    Allocation, CompiledKernel, Device, DeviceInfo, Error, Event, Fault, Images, MemoryInfo, MemoryKind, Module,
    Result, SourceText, Specialization, Stream, StreamFlags, System,
};

use crate::injector::{Guard, Injector, MESSAGE};
use crate::kernel::{FaultyKernel, FaultyModule};
use crate::libraries;
use crate::plan::Site;
use crate::stream::{FaultyEvent, FaultyStream};

/// A device whose calls may fail.
pub(crate) struct FaultyDevice {
    inner: Arc<dyn Device>,
    guard: Guard,
    default_stream: Arc<dyn Stream>,
    libraries: Libraries,
}

impl FaultyDevice {
    pub(crate) fn new(inner: Arc<dyn Device>, injector: Arc<Injector>) -> FaultyDevice {
        let guard = Guard { injector, device: inner.info().id };
        FaultyDevice {
            default_stream: wrap_stream(&guard, inner.default_stream()),
            libraries: libraries::libraries(&guard, &inner),
            guard,
            inner,
        }
    }
}

fn compile_error(kernel: &str, source_text: String) -> Error {
    Error::Compile { kernel: kernel.to_owned(), log: MESSAGE.to_owned(), source_text }
}

fn wrap_stream(guard: &Guard, inner: Arc<dyn Stream>) -> Arc<dyn Stream> {
    Arc::new(FaultyStream { inner, guard: guard.clone() })
}

impl Device for FaultyDevice {
    fn info(&self) -> &DeviceInfo {
        self.inner.info()
    }

    fn allocate(&self, kind: MemoryKind, bytes: usize) -> Result<Allocation> {
        let total = self.inner.info().total_memory;
        self.guard.pass_or(Site::Allocate, || Error::OutOfMemory {
            device: format!("{} (fault injection)", self.guard.device),
            requested: bytes,
            free: 0,
            total,
        })?;
        self.inner.allocate(kind, bytes)
    }

    unsafe fn free(&self, allocation: Allocation) -> Result<()> {
        // SAFETY: the caller's promise is passed on. A lost device frees too, so that a test can bring it back.
        unsafe { self.inner.free(allocation) }?;
        self.guard.alive()
    }

    fn memory_info(&self) -> Result<MemoryInfo> {
        self.guard.alive()?;
        self.inner.memory_info()
    }

    fn default_stream(&self) -> Arc<dyn Stream> {
        self.default_stream.clone()
    }

    fn per_thread_stream(&self) -> Result<Arc<dyn Stream>> {
        self.guard.alive()?;
        Ok(wrap_stream(&self.guard, self.inner.per_thread_stream()?))
    }

    fn create_stream(&self, flags: StreamFlags) -> Result<Arc<dyn Stream>> {
        self.guard.pass(Site::Stream, "Device::create_stream")?;
        Ok(wrap_stream(&self.guard, self.inner.create_stream(flags)?))
    }

    fn external_stream(&self, raw: u64) -> Result<Arc<dyn Stream>> {
        self.guard.pass(Site::Stream, "Device::external_stream")?;
        Ok(wrap_stream(&self.guard, self.inner.external_stream(raw)?))
    }

    fn create_event(&self, timing: bool) -> Result<Arc<dyn Event>> {
        self.guard.pass(Site::Stream, "Device::create_event")?;
        let inner = self.inner.create_event(timing)?;
        Ok(Arc::new(FaultyEvent { inner, guard: self.guard.clone() }))
    }

    fn synchronize(&self) -> Result<()> {
        self.inner.synchronize()?;
        self.guard.pass(Site::Synchronize, "Device::synchronize")
    }

    unsafe fn copy_from_host(&self, stream: &dyn Stream, dst: u64, src: *const u8, bytes: usize) -> Result<()> {
        self.guard.pass(Site::Copy, "Device::copy_from_host")?;
        // SAFETY: the caller's promise is passed on.
        unsafe { self.inner.copy_from_host(stream, dst, src, bytes) }
    }

    unsafe fn copy_to_host(&self, stream: &dyn Stream, dst: *mut u8, src: u64, bytes: usize) -> Result<()> {
        self.guard.pass(Site::Copy, "Device::copy_to_host")?;
        // SAFETY: the caller's promise is passed on.
        unsafe { self.inner.copy_to_host(stream, dst, src, bytes) }
    }

    unsafe fn copy(&self, stream: &dyn Stream, dst: u64, src: u64, bytes: usize) -> Result<()> {
        self.guard.pass(Site::Copy, "Device::copy")?;
        // SAFETY: the caller's promise is passed on.
        unsafe { self.inner.copy(stream, dst, src, bytes) }
    }

    unsafe fn copy_from_peer(
        &self,
        stream: &dyn Stream,
        dst: u64,
        source: &dyn Device,
        src: u64,
        bytes: usize,
    ) -> Result<()> {
        self.guard.pass(Site::Copy, "Device::copy_from_peer")?;
        // SAFETY: the caller's promise is passed on.
        unsafe { self.inner.copy_from_peer(stream, dst, source, src, bytes) }
    }

    unsafe fn fill(&self, stream: &dyn Stream, dst: u64, value: u8, bytes: usize) -> Result<()> {
        self.guard.pass(Site::Copy, "Device::fill")?;
        // SAFETY: the caller's promise is passed on.
        unsafe { self.inner.fill(stream, dst, value, bytes) }
    }

    fn compile(&self, kernel: &Kernel, specialization: Specialization) -> Result<Arc<dyn CompiledKernel>> {
        self.guard.pass_or(Site::Compile, || compile_error(&kernel.name, kernel.to_string()))?;
        let inner = self.inner.compile(kernel, specialization)?;
        Ok(Arc::new(FaultyKernel { inner, guard: self.guard.clone() }))
    }

    fn compile_cached(&self, kernel: &Kernel, version: Specialization) -> Result<Option<Arc<dyn CompiledKernel>>> {
        if self.guard.pass(Site::Slow, "Device::compile_cached").is_err() {
            return self.guard.alive().map(|()| None);
        }
        self.guard.pass_or(Site::Compile, || compile_error(&kernel.name, kernel.to_string()))?;
        let inner = self.inner.compile_cached(kernel, version)?;
        Ok(inner.map(|inner| Arc::new(FaultyKernel { inner, guard: self.guard.clone() }) as Arc<dyn CompiledKernel>))
    }

    fn compile_text(&self, text: &SourceText<'_>) -> Result<Arc<dyn Module>> {
        self.guard.pass_or(Site::Compile, || compile_error(text.name, text.text.to_owned()))?;
        let inner = self.inner.compile_text(text)?;
        Ok(Arc::new(FaultyModule { inner, guard: self.guard.clone() }))
    }

    fn compile_for_linking(&self, text: &SourceText<'_>) -> Result<Vec<u8>> {
        self.guard.pass_or(Site::Compile, || compile_error(text.name, text.text.to_owned()))?;
        self.inner.compile_for_linking(text)
    }

    fn load_image(&self, name: &str, image: &[u8]) -> Result<Arc<dyn Module>> {
        self.guard.alive()?;
        let inner = self.inner.load_image(name, image)?;
        Ok(Arc::new(FaultyModule { inner, guard: self.guard.clone() }))
    }

    fn take_fault(&self) -> Option<Fault> {
        self.inner.take_fault()
    }

    fn system(&self) -> Result<&dyn System> {
        self.guard.alive()?;
        self.inner.system()
    }

    fn libraries(&self) -> &Libraries {
        &self.libraries
    }

    fn images(&self) -> Result<&dyn Images> {
        self.guard.alive()?;
        self.inner.images()
    }

    fn as_any(&self) -> &dyn Any {
        self.inner.as_any()
    }
}
