//! A CUDA device.

use std::any::Any;
use std::ffi::{CStr, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use cudarc::driver::sys::CUdevice_attribute as Attribute;
use cuproxide_cpp::Program;
use cuproxide_hal as hal;
use cuproxide_hal::ir::Kernel;
use cuproxide_hal::libraries::{Blas, Fft, Primitives, Solver};
use cuproxide_hal::{
    Allocation, DeviceId, DeviceInfo, Error, Fault, MemoryInfo, MemoryKind, Result, SourceText, Specialization,
    StreamFlags,
};
use cuproxide_kernels_cuda::DIALECT;
use once_cell::sync::OnceCell;

use crate::api::driver::{Driver, OUT_OF_MEMORY};
use crate::blas::LazyBlas;
use crate::compiler::{Architecture, Request, Target};
use crate::context::Primary;
use crate::fft::CufftHandle;
use crate::graph::{self, Unrestricted};
use crate::kernel::{self, Means};
use crate::primitives::CudaPrimitives;
use crate::solver::CudaSolver;
use crate::stream::{Event, Stream};
use crate::system::CudaSystem;

/// One device with its primary context.
pub(crate) struct CudaDevice {
    pub driver: &'static Driver,
    pub primary: Primary,
    info: DeviceInfo,
    architecture: Architecture,
    default_stream: Arc<Stream>,
    fault: FaultWord,
    blas: Arc<LazyBlas>,
    fft: OnceCell<CufftHandle>,
    solver: CudaSolver,
    primitives: CudaPrimitives,
    modules: kernel::Modules,
    system: CudaSystem,
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

impl CudaDevice {
    /// Retains the primary context of a device and reads its facts.
    pub fn open(driver: &'static Driver, ordinal: usize) -> Result<CudaDevice> {
        let mut device = 0;
        let mut primary = Primary { context: std::ptr::null_mut(), ordinal };
        // SAFETY: the driver writes one integer and one pointer.
        unsafe {
            driver.device_get(&mut device, ordinal as i32)?;
            driver.context_retain(&mut primary.context, device)?;
        }
        primary.enter(driver)?;
        let (info, architecture) = facts(driver, device, ordinal)?;
        let mut fault = FaultWord { host: std::ptr::null_mut(), device: 0 };
        // SAFETY: the driver writes the addresses; the word is ours from here on.
        unsafe {
            driver.allocate_host(&mut fault.host, size_of::<u32>(), HOST_PORTABLE | HOST_MAPPED)?;
            fault.host.cast::<u32>().write(0);
            driver.host_device_address(&mut fault.device, fault.host, 0)?;
        }
        let blas = Arc::new(LazyBlas::new(driver, primary));
        let primitives = CudaPrimitives::new(driver, primary, architecture, info.processors);
        Ok(CudaDevice {
            driver,
            primary,
            info,
            architecture,
            default_stream: Stream::borrowed(driver, primary, 0),
            fault,
            blas: blas.clone(),
            fft: OnceCell::new(),
            solver: CudaSolver::new(driver, primary, architecture, blas),
            primitives,
            modules: kernel::Modules::default(),
            system: CudaSystem { driver, primary },
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
        let program = Program::new(kernel, specialization, &DIALECT)?;
        let request = Request::generated(&kernel.name, program.text(), Target::device(self.architecture));
        let Some(module) = self.modules.get(self.driver, self.primary, &request, means)? else { return Ok(None) };
        Ok(Some(Arc::new(kernel::Kernel::new(module, program, self.info.processors, self.fault.device)?)))
    }
}

/// Reads an attribute; 0 where the driver does not know it.
fn attribute(driver: &Driver, device: i32, which: Attribute) -> i32 {
    let mut value = 0;
    // SAFETY: the driver writes one integer.
    let read = unsafe { driver.device_attribute(&mut value, which as i32, device) };
    read.map_or(0, |()| value)
}

/// `CU_DEVICE_ATTRIBUTE_MAX_PITCH` as the runtime writes it: `MaxPitch`.
fn attribute_name(which: Attribute) -> String {
    let name = format!("{which:?}");
    let words = name.trim_start_matches("CU_DEVICE_ATTRIBUTE_").split('_');
    words.map(|word| word[..1].to_owned() + &word[1..].to_lowercase()).collect()
}

fn facts(driver: &Driver, device: i32, ordinal: usize) -> Result<(DeviceInfo, Architecture)> {
    use Attribute::*;
    let mut name = [0u8; 256];
    let mut total_memory = 0;
    // SAFETY: the driver writes a terminated string of at most the given length, and one integer.
    unsafe {
        driver.device_name(name.as_mut_ptr().cast(), name.len() as i32, device)?;
        driver.device_memory(&mut total_memory, device)?;
    }
    let name = CStr::from_bytes_until_nul(&name).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let read = |which| attribute(driver, device, which).max(0) as u32;
    let architecture = Architecture {
        major: read(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
        minor: read(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
    };
    let listed = [
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
        CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY,
        CU_DEVICE_ATTRIBUTE_WARP_SIZE,
        CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK,
        CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR,
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR,
        CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
        CU_DEVICE_ATTRIBUTE_CLOCK_RATE,
        CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE,
        CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH,
        CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE,
        CU_DEVICE_ATTRIBUTE_INTEGRATED,
        CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS,
        CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT,
        CU_DEVICE_ATTRIBUTE_COMPUTE_MODE,
        CU_DEVICE_ATTRIBUTE_ECC_ENABLED,
        CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING,
        CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY,
        CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS,
        CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS,
        CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH,
        CU_DEVICE_ATTRIBUTE_PCI_BUS_ID,
        CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID,
        CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
    ];
    let attributes =
        listed.into_iter().map(|which| (attribute_name(which), attribute(driver, device, which).into())).collect();
    let info = DeviceInfo {
        id: DeviceId { backend: "cuda", ordinal },
        name,
        architecture: format!("sm_{}{}", architecture.major, architecture.minor),
        total_memory,
        warp_size: read(CU_DEVICE_ATTRIBUTE_WARP_SIZE),
        processors: read(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
        host_addressable: false,
        asynchronous: true,
        dlpack_type: 2,
        capability: Some((architecture.major, architecture.minor)),
        attributes,
    };
    Ok((info, architecture))
}

impl hal::Device for CudaDevice {
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
        unsafe { self.driver.context_synchronize() }
    }

    unsafe fn copy_from_host(&self, stream: &dyn hal::Stream, dst: u64, src: *const u8, bytes: usize) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        self.enter()?;
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
        let Some(source) = source.as_any().downcast_ref::<CudaDevice>() else {
            return Err(Error::unsupported("cuda", format!("copies from {}", source.info().id)));
        };
        self.enter()?;
        let (to, from) = (self.primary.context, source.primary.context);
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
        let (image, names) = Request::user(text, self.architecture)?.image_and_names()?;
        // The user's modules have variables, so each one is loaded anew.
        let module = kernel::Module::load(self.driver, self.primary, &image)?;
        let names = text.expressions.iter().cloned().zip(names).collect();
        Ok(Arc::new(kernel::UserModule { module, name: text.name.to_owned(), names }))
    }

    fn load_image(&self, name: &str, image: &[u8]) -> Result<Arc<dyn hal::Module>> {
        // PTX is text that has to end with a zero byte; more of them do no harm to machine code.
        let image = [image, &[0]].concat();
        let module = kernel::Module::load(self.driver, self.primary, &image)?;
        Ok(Arc::new(kernel::UserModule { module, name: name.to_owned(), names: vec![] }))
    }

    fn take_fault(&self) -> Option<Fault> {
        let word = self.fault.word();
        // A plain read first: the usual answer is no, and a write would take the line from the device.
        if word.load(Ordering::Acquire) == 0 { None } else { Fault::from_code(word.swap(0, Ordering::AcqRel)) }
    }

    fn system(&self) -> Result<&dyn hal::System> {
        Ok(&self.system)
    }

    fn solver(&self) -> Result<&dyn Solver> {
        Ok(&self.solver)
    }

    fn blas(&self) -> Result<&dyn Blas> {
        Ok(self.blas.get()?)
    }

    fn primitives(&self) -> Result<&dyn Primitives> {
        Ok(&self.primitives)
    }

    fn fft(&self) -> Result<&dyn Fft> {
        Ok(self.fft.get_or_try_init(|| CufftHandle::new(self.driver, self.primary))?)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
