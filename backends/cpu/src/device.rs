//! The backend and its device, which tests may ask for more than once.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use cuproxide_hal::ir::{self, Kernel, LegalizeOptions};
use cuproxide_hal::libraries::{Libraries, Library};
use cuproxide_hal::{
    Allocation, Backend, CompiledKernel, Device, DeviceId, DeviceInfo, Error, Event, Fault, Images, MemoryInfo,
    MemoryKind, Module, Report, Result, SourceText, Specialization, Stream, StreamFlags, System, settings,
};

use crate::blas::CpuBlas;
use crate::bytes;
use crate::fault;
use crate::fft::CpuFft;
use crate::graph;
use crate::images::CpuImages;
use crate::memory;
use crate::pairs::CpuPairs;
use crate::pool;
use crate::random::CpuRng;
use crate::run::CpuKernel;
use crate::solver::CpuSolver;
use crate::sort::CpuPrimitives;
use crate::sparse::CpuSparse;
use crate::stream::{CpuEvent, CpuStream};
use crate::system::CpuSystem;
use crate::text::CpuModule;

/// The backend.
pub struct CpuBackend {
    devices: OnceLock<Vec<Arc<CpuDevice>>>,
}

impl CpuBackend {
    /// A backend; its device is made when asked for.
    pub const fn new() -> CpuBackend {
        CpuBackend { devices: OnceLock::new() }
    }

    /// One, or as many as `CUPROXIDE_CPU_DEVICES` says: the same processor under several numbers.
    fn devices(&self) -> Result<&[Arc<CpuDevice>]> {
        if let Some(devices) = self.devices.get() {
            return Ok(devices);
        }
        settings::NUM_THREADS.count()?;
        settings::CPU_VECTORS.choice()?;
        let count = settings::CPU_DEVICES.count()?.unwrap_or(1);
        Ok(self.devices.get_or_init(|| (0..count).map(|ordinal| Arc::new(CpuDevice::new(ordinal))).collect()))
    }
}

impl Backend for CpuBackend {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn device_count(&self) -> Result<usize> {
        Ok(self.devices()?.len())
    }

    fn device(&self, ordinal: usize) -> Result<Arc<dyn Device>> {
        let devices = self.devices()?;
        match devices.get(ordinal) {
            Some(device) => Ok(device.clone()),
            None => Err(Error::NoSuchDevice { backend: "cpu".to_owned(), ordinal, count: devices.len() }),
        }
    }

    fn report(&self) -> Report {
        let devices = self.devices();
        Report {
            backend: "cpu",
            devices: devices.map(|devices| devices.iter().map(|device| device.info.clone()).collect()),
            libraries: vec![cuproxide_simt::status()],
            facts: vec![("threads".to_owned(), pool::threads().to_string())],
        }
    }
}

/// The host's processor.
pub struct CpuDevice {
    info: DeviceInfo,
    stream: Arc<CpuStream>,
    libraries: Libraries,
}

impl CpuDevice {
    fn new(ordinal: usize) -> CpuDevice {
        let info = DeviceInfo {
            id: DeviceId { backend: "cpu", ordinal },
            name: processor_name(),
            architecture: std::env::consts::ARCH.to_owned(),
            total_memory: memory::information().total,
            warp_size: 1,
            processors: pool::threads() as u32,
            row_bytes: 64 << 10,
            host_addressable: true,
            asynchronous: false,
            writes_in_order: true,
            array_interface: false,
            dlpack_type: 1,
            // Page-locked by the vendors' drivers.
            dlpack_also: &[3, 11],
            dlpack_default_stream: 0,
            capability: None,
            // Kernels of programs have blocks as on a GPU.
            attributes: cuproxide_simt::LIMITS.map(|(name, value)| (name.to_owned(), value)).into(),
        };
        CpuDevice { info, stream: Arc::new(CpuStream::default_stream()), libraries: libraries() }
    }
}

/// What is built in; nothing has to be opened.
fn libraries() -> Libraries {
    Libraries {
        blas: Library::ready(Arc::new(CpuBlas)),
        solver: Library::ready(Arc::new(CpuSolver)),
        fft: Library::ready(Arc::new(CpuFft)),
        rng: Library::ready(Arc::new(CpuRng)),
        sparse: Library::ready(Arc::new(CpuSparse)),
        sparse_solver: Library::ready(cuproxide_factors::solver()),
        sorting: Library::ready(Arc::new(CpuPrimitives)),
        compaction: Library::ready(Arc::new(CpuPrimitives)),
        binning: Library::ready(Arc::new(CpuPrimitives)),
        packing: Library::ready(Arc::new(CpuPrimitives)),
        joining: Library::ready(Arc::new(CpuPrimitives)),
        searching: Library::ready(Arc::new(CpuPrimitives)),
        pairs: Library::ready(Arc::new(CpuPairs)),
        ..Libraries::none("cpu")
    }
}

fn processor_name() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
}

/// Copies now or records the copy.
unsafe fn copy_on(stream: &dyn Stream, label: &'static str, dst: u64, src: u64, bytes: usize) -> Result<()> {
    if bytes <= bytes::COPY_PIECE && graph::capture_of(stream).is_none() {
        // Done before anybody could interrupt it.
        // SAFETY: the caller's promise.
        unsafe { bytes::copy(dst as *mut u8, src as *const u8, bytes) };
        return Ok(());
    }
    graph::run_or_record(stream, label, move || {
        // SAFETY: the caller's promise.
        unsafe { bytes::copy(dst as *mut u8, src as *const u8, bytes) };
        Ok(())
    })
}

impl Device for CpuDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn allocate(&self, kind: MemoryKind, bytes: usize) -> Result<Allocation> {
        memory::allocate(kind, bytes)
    }

    unsafe fn free(&self, allocation: Allocation) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { memory::free(allocation) };
        Ok(())
    }

    fn memory_info(&self) -> Result<MemoryInfo> {
        Ok(memory::information())
    }

    fn default_stream(&self) -> Arc<dyn Stream> {
        self.stream.clone()
    }

    fn per_thread_stream(&self) -> Result<Arc<dyn Stream>> {
        Ok(Arc::new(CpuStream::per_thread()))
    }

    fn create_stream(&self, flags: StreamFlags) -> Result<Arc<dyn Stream>> {
        Ok(CpuStream::create(flags))
    }

    fn external_stream(&self, raw: u64) -> Result<Arc<dyn Stream>> {
        Ok(if raw == 0 { self.stream.clone() } else { CpuStream::named(raw) })
    }

    fn create_event(&self, timing: bool) -> Result<Arc<dyn Event>> {
        Ok(Arc::new(CpuEvent::new(timing)))
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    unsafe fn copy_from_host(&self, stream: &dyn Stream, dst: u64, src: *const u8, bytes: usize) -> Result<()> {
        if let Some(capture) = graph::capture_of(stream)
            && !memory::is_pinned(src as u64)
        {
            // SAFETY: the caller's promise.
            let held: Box<[u8]> = unsafe { std::slice::from_raw_parts(src, bytes) }.into();
            capture.push("copy from host", move || {
                // SAFETY: the caller's promise; the graph holds the source.
                unsafe { bytes::copy(dst as *mut u8, held.as_ptr(), held.len()) };
                Ok(())
            });
            return Ok(());
        }
        // SAFETY: the caller's promise.
        unsafe { copy_on(stream, "copy from host", dst, src as u64, bytes) }
    }

    unsafe fn copy_to_host(&self, stream: &dyn Stream, dst: *mut u8, src: u64, bytes: usize) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { copy_on(stream, "copy to host", dst as u64, src, bytes) }
    }

    unsafe fn copy(&self, stream: &dyn Stream, dst: u64, src: u64, bytes: usize) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { copy_on(stream, "copy", dst, src, bytes) }
    }

    unsafe fn copy_from_peer(
        &self,
        stream: &dyn Stream,
        dst: u64,
        _source: &dyn Device,
        src: u64,
        bytes: usize,
    ) -> Result<()> {
        // SAFETY: the caller's promise; all devices share the host's memory.
        unsafe { self.copy(stream, dst, src, bytes) }
    }

    unsafe fn fill(&self, stream: &dyn Stream, dst: u64, value: u8, bytes: usize) -> Result<()> {
        graph::run_or_record(stream, "fill", move || {
            // SAFETY: the caller's promise.
            unsafe { bytes::fill(dst as *mut u8, value, bytes) };
            Ok(())
        })
    }

    fn compile(&self, kernel: &Kernel, specialization: Specialization) -> Result<Arc<dyn CompiledKernel>> {
        let legal = ir::legalize(
            kernel,
            LegalizeOptions { native_half: false, total_casts: true, inline: LegalizeOptions::SHORT },
        );
        Ok(Arc::new(CpuKernel::new(&legal, specialization)?))
    }

    fn compile_text(&self, text: &SourceText<'_>) -> Result<Arc<dyn Module>> {
        Ok(Arc::new(CpuModule(cuproxide_simt::Library::compile(text)?)))
    }

    fn load_image(&self, name: &str, image: &[u8]) -> Result<Arc<dyn Module>> {
        Ok(Arc::new(CpuModule(cuproxide_simt::Library::load(name, image)?)))
    }

    fn take_fault(&self) -> Option<Fault> {
        fault::take()
    }

    fn system(&self) -> Result<&dyn System> {
        Ok(&CpuSystem)
    }

    fn libraries(&self) -> &Libraries {
        &self.libraries
    }

    fn images(&self) -> Result<&dyn Images> {
        Ok(&CpuImages)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
