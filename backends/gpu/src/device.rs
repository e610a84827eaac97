//! A device.

use std::any::Any;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use cuproxide_codegen::Program;
use cuproxide_codegen::cache::DiskCache;
use cuproxide_hal as hal;
use cuproxide_hal::ir::Kernel;
use cuproxide_hal::libraries::{Libraries, Library};
use cuproxide_hal::{
    Allocation, DeviceInfo, Error, Fault, Images, MemoryInfo, MemoryKind, Result, SourceText, Specialization,
    StreamFlags,
};

use crate::api::driver::{Driver, OUT_OF_MEMORY};
use crate::compiler::{self, Request};
use crate::context::Primary;
use crate::graph::{self, Unrestricted};
use crate::images::GpuImages;
use crate::kernel::{self, Means, SHARED_WITHOUT_ASKING};
use crate::peers;
use crate::primitives::{self, Place, Words};
use crate::random::GpuRng;
use crate::staging::{self, Staging};
use crate::stream::{Event, Stream};
use crate::system::GpuSystem;
use crate::target::Target;
use crate::unfinished;
use crate::vendor::Vendor;

/// One device with its primary context.
pub(crate) struct GpuDevice {
    vendor: &'static Vendor,
    pub driver: &'static Driver,
    pub primary: Primary,
    info: DeviceInfo,
    target: Target,
    default_stream: Arc<Stream>,
    fault: FaultWord,
    libraries: Libraries,
    modules: kernel::Modules,
    system: GpuSystem,
    images: GpuImages,
    staging: Staging,
}

/// A word of host memory that kernels write and the host reads without a driver call.
struct FaultWord {
    host: *mut c_void,
    device: u64,
}

// SAFETY: the word is only accessed atomically.
unsafe impl Send for FaultWord {}
// SAFETY: as above.
unsafe impl Sync for FaultWord {}

impl FaultWord {
    fn word(&self) -> &AtomicU32 {
        // SAFETY: the allocation is aligned, zeroed before use, and lives as long as the process.
        unsafe { &*self.host.cast::<AtomicU32>() }
    }
}

const HOST_PORTABLE: u32 = 1;
const HOST_MAPPED: u32 = 2;
const MANAGED_GLOBAL: u32 = 1;

impl GpuDevice {
    /// Retains the primary context of a device and reads its facts.
    pub fn open(vendor: &'static Vendor, ordinal: usize) -> Result<GpuDevice> {
        let driver = (vendor.driver)()?;
        let mut device = 0;
        let mut primary = Primary { context: std::ptr::null_mut(), backend: vendor.name, ordinal };
        // SAFETY: the driver writes one integer and one pointer.
        unsafe {
            driver.device_get(&mut device, ordinal as i32)?;
            driver.context_retain(&mut primary.context, device)?;
        }
        primary.enter(driver)?;
        let (info, target) = (vendor.describe)(driver, device, ordinal)?;
        let mut fault = FaultWord { host: std::ptr::null_mut(), device: 0 };
        // SAFETY: the driver writes the addresses; the word is ours from here on.
        unsafe {
            driver.allocate_host(&mut fault.host, size_of::<u32>(), HOST_PORTABLE | HOST_MAPPED)?;
            fault.host.cast::<u32>().write(0);
            driver.host_device_address(&mut fault.device, fault.host, 0)?;
        }
        let most = |(name, bytes): &(String, i64)| (name == "MaxSharedMemoryPerBlockOptin").then_some(*bytes);
        let memory = info.attributes.iter().find_map(most).map_or(0, |bytes| bytes.max(0) as usize);
        let block_memory = memory.max(SHARED_WITHOUT_ASKING);
        let place = Place { vendor, driver, primary, target, processors: info.processors, block_memory };
        let libraries = primitives::installed(place, (vendor.libraries)(driver, primary, target));
        let rng = GpuRng::new(Words::new(place), driver, primary, vendor.sequences);
        Ok(GpuDevice {
            vendor,
            driver,
            primary,
            info,
            target,
            default_stream: Stream::borrowed(driver, primary, 0),
            fault,
            libraries: Libraries { rng: Library::ready(Arc::new(rng)), ..libraries },
            modules: kernel::Modules::default(),
            system: GpuSystem { vendor, driver, primary, context_of },
            images: GpuImages { backend: vendor.name, driver, primary },
            staging: Staging::default(),
        })
    }

    fn enter(&self) -> Result<()> {
        self.primary.enter(self.driver)
    }

    fn version(
        &self,
        kernel: &Kernel,
        specialization: Specialization,
        means: Means,
    ) -> Result<Option<Arc<dyn hal::CompiledKernel>>> {
        let program = Program::new(kernel, specialization, (self.vendor.dialect)(self.target))?;
        let request = Request::generated(self.vendor, &kernel.name, program.text(), self.target);
        let Some(module) = self.modules.get(self.driver, self.primary, &request, means)? else { return Ok(None) };
        Ok(Some(Arc::new(kernel::Kernel::new(module, program, self.info.processors, self.fault.device)?)))
    }
}

/// The context of a device of a GPU backend.
fn context_of(device: &dyn hal::Device) -> Option<Primary> {
    device.as_any().downcast_ref::<GpuDevice>().map(|device| device.primary)
}

impl hal::Device for GpuDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn allocate(&self, kind: MemoryKind, bytes: usize) -> Result<Allocation> {
        self.enter()?;
        let _capturing = Unrestricted::enter(self.driver);
        let mut ptr = 0;
        let size = bytes.max(1);
        // SAFETY: the driver writes one address.
        let allocated = unsafe {
            match kind {
                MemoryKind::Device => self.driver.allocate(&mut ptr, size),
                MemoryKind::Managed => self.driver.allocate_managed(&mut ptr, size, MANAGED_GLOBAL),
                MemoryKind::Pinned => {
                    let mut host = std::ptr::null_mut();
                    let allocated = self.driver.allocate_host(&mut host, size, HOST_PORTABLE);
                    ptr = host as u64;
                    allocated
                }
            }
        };
        match allocated {
            Ok(()) => Ok(Allocation { ptr, bytes, kind }),
            Err(Error::Call { code: OUT_OF_MEMORY, .. }) => {
                let MemoryInfo { free, total } =
                    self.memory_info().unwrap_or(MemoryInfo { free: 0, total: self.info.total_memory });
                Err(Error::OutOfMemory { device: self.info.id.to_string(), requested: bytes, free, total })
            }
            Err(error) => Err(error),
        }
    }

    unsafe fn free(&self, allocation: Allocation) -> Result<()> {
        self.enter()?;
        let _capturing = Unrestricted::enter(self.driver);
        // SAFETY: the caller promises an allocation of this device that nothing uses any more.
        unsafe {
            match allocation.kind {
                MemoryKind::Device | MemoryKind::Managed => self.driver.free(allocation.ptr),
                MemoryKind::Pinned => self.driver.free_host(allocation.ptr as *mut c_void),
            }
        }
    }

    fn memory_info(&self) -> Result<MemoryInfo> {
        self.enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: the driver writes two integers.
        unsafe { self.driver.memory_info(&mut free, &mut total) }?;
        Ok(MemoryInfo { free, total })
    }

    fn default_stream(&self) -> Arc<dyn hal::Stream> {
        self.default_stream.clone()
    }

    fn per_thread_stream(&self) -> Result<Arc<dyn hal::Stream>> {
        Ok(Stream::per_thread(self.driver, self.primary))
    }

    fn create_stream(&self, flags: StreamFlags) -> Result<Arc<dyn hal::Stream>> {
        Ok(Stream::create(self.driver, self.primary, flags)?)
    }

    fn external_stream(&self, raw: u64) -> Result<Arc<dyn hal::Stream>> {
        Ok(Stream::borrowed(self.driver, self.primary, raw))
    }

    fn create_event(&self, timing: bool) -> Result<Arc<dyn hal::Event>> {
        Ok(Event::create(self.driver, self.primary, timing)?)
    }

    fn synchronize(&self) -> Result<()> {
        self.enter()?;
        // SAFETY: no precondition but a current context.
        unsafe { self.driver.context_synchronize() }?;
        unfinished::finished(self.primary.id(), None);
        Ok(())
    }

    unsafe fn copy_from_host(&self, stream: &dyn hal::Stream, dst: u64, src: *const u8, bytes: usize) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        self.enter()?;
        let (driver, primary) = (self.driver, self.primary);
        let staged = staging::Copy { driver, primary, stream: stream.raw(), to: dst, from: src as usize, bytes };
        // SAFETY: the caller's promise.
        if unsafe { self.staging.copy(staged) }? {
            return Ok(());
        }
        let src = graph::stable_source(self.driver, stream.raw(), src, bytes)?;
        // SAFETY: the caller's promise; the driver stages pageable memory before it returns.
        unsafe { self.driver.copy_from_host(dst, src.cast(), bytes, stream.raw()) }
    }

    unsafe fn copy_to_host(&self, stream: &dyn hal::Stream, dst: *mut u8, src: u64, bytes: usize) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        self.enter()?;
        // SAFETY: the caller's promise; the driver waits when the target is pageable.
        unsafe { self.driver.copy_to_host(dst.cast(), src, bytes, stream.raw()) }
    }

    unsafe fn copy(&self, stream: &dyn hal::Stream, dst: u64, src: u64, bytes: usize) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        self.enter()?;
        // SAFETY: the caller's promise.
        unsafe { self.driver.copy(dst, src, bytes, stream.raw()) }
    }

    unsafe fn copy_from_peer(
        &self,
        stream: &dyn hal::Stream,
        dst: u64,
        source: &dyn hal::Device,
        src: u64,
        bytes: usize,
    ) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        let Some(peer) = context_of(source) else {
            return Err(Error::unsupported(self.vendor.name, format!("copies from {}", source.info().id)));
        };
        peers::connect(self.driver, self.primary, peer)?;
        self.enter()?;
        let (to, from) = (self.primary.context, peer.context);
        // SAFETY: the caller's promise; both contexts are retained.
        unsafe { self.driver.copy_peer(dst, to, src, from, bytes, stream.raw()) }
    }

    unsafe fn fill(&self, stream: &dyn hal::Stream, dst: u64, value: u8, bytes: usize) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        self.enter()?;
        // SAFETY: the caller's promise.
        unsafe { self.driver.fill(dst, value, bytes, stream.raw()) }
    }

    fn compile(&self, kernel: &Kernel, specialization: Specialization) -> Result<Arc<dyn hal::CompiledKernel>> {
        Ok(self.version(kernel, specialization, Means::Compiler)?.expect("a compiler makes a kernel or fails"))
    }

    fn compile_cached(&self, kernel: &Kernel, version: Specialization) -> Result<Option<Arc<dyn hal::CompiledKernel>>> {
        self.version(kernel, version, Means::Ready)
    }

    fn compile_text(&self, text: &SourceText<'_>) -> Result<Arc<dyn hal::Module>> {
        let request = Request::user(self.vendor, text, self.target)?;
        // The user's modules have variables, so each one is loaded again.
        let load = |image: &[u8]| kernel::Module::load(self.driver, self.primary, image);
        let (module, names) = match request.cached_image_and_names() {
            Some((image, names)) => match load(&image) {
                Err(Error::Call { code, name, .. }) if code != OUT_OF_MEMORY => {
                    tracing::info!(status = name, "the driver does not take machine code that was compiled earlier");
                    None
                }
                loaded => Some((loaded?, names)),
            },
            None => None,
        }
        .map_or_else(|| request.image_and_names().and_then(|(image, names)| Ok((load(&image)?, names))), Ok)?;
        let names = text.expressions.iter().cloned().zip(names).collect();
        let warnings = (self.vendor.warnings)(text, self.target).into_iter().map(str::to_owned);
        let warnings: Vec<String> = warnings.chain(DiskCache::of_process().warning()).collect();
        for warning in &warnings {
            tracing::warn!(kernel = text.name, "{warning}");
        }
        Ok(Arc::new(kernel::UserModule { module, name: text.name.to_owned(), names, warnings }))
    }

    fn compile_for_linking(&self, text: &SourceText<'_>) -> Result<Vec<u8>> {
        compiler::link_code(self.vendor, text, self.target)
    }

    fn load_image(&self, name: &str, image: &[u8]) -> Result<Arc<dyn hal::Module>> {
        // PTX is text that has to end with a zero byte; more of them do no harm to machine code.
        let image = [image, &[0]].concat();
        let module = kernel::Module::load(self.driver, self.primary, &image)?;
        Ok(Arc::new(kernel::UserModule { module, name: name.to_owned(), names: vec![], warnings: vec![] }))
    }

    fn take_fault(&self) -> Option<Fault> {
        let word = self.fault.word();
        // A plain read first: the usual answer is no, and a write would take the line from the device.
        if word.load(Ordering::Acquire) == 0 { None } else { Fault::from_code(word.swap(0, Ordering::AcqRel)) }
    }

    fn system(&self) -> Result<&dyn hal::System> {
        Ok(&self.system)
    }

    fn libraries(&self) -> &Libraries {
        &self.libraries
    }

    fn images(&self) -> Result<&dyn Images> {
        // Where the driver says so, the device has none of the units that sample.
        if self.info.attributes.iter().any(|(name, there)| name == "ImageSupport" && *there == 0) {
            let what = format!("textures and surfaces, for which {} has no hardware", self.info.architecture);
            return Err(Error::unsupported(self.vendor.name, what));
        }
        Ok(&self.images)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
