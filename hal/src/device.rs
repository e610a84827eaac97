//! Backends, devices, memory, streams, events and compiled kernels.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::error::{Error, LibraryStatus, Result};
use crate::fault::Fault;
use crate::images::Images;
use crate::ir::Kernel;
use crate::launch::{Launch, Specialization};
use crate::libraries::Libraries;
use crate::precompile::{Precompile, Precompiled};
use crate::stream::{Event, Stream, StreamFlags};
use crate::system::System;

/// Names a device within the process, such as `cuda:0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeviceId {
    /// Name of the backend.
    pub backend: &'static str,
    /// The device's number within its backend.
    pub ordinal: usize,
}

impl fmt::Display for DeviceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.backend, self.ordinal)
    }
}

/// What a backend found on this machine: the material of `cuproxide.doctor`.
#[derive(Clone, Debug)]
pub struct Report {
    /// Name of the backend.
    pub backend: &'static str,
    /// The devices, or why there are none.
    pub devices: Result<Vec<DeviceInfo>>,
    /// Every library that the backend can use.
    pub libraries: Vec<LibraryStatus>,
    /// Further facts as (name, value), such as driver and runtime versions.
    pub facts: Vec<(String, String)>,
}

/// A family of devices behind one vendor interface.
pub trait Backend: Send + Sync {
    /// Short lower-case name: `cpu`, `cuda`, `hip`, `noop`.
    fn name(&self) -> &'static str;

    /// Number of devices. Opens the driver on the first call.
    fn device_count(&self) -> Result<usize>;

    /// Device `ordinal`; the same object on every call.
    fn device(&self, ordinal: usize) -> Result<Arc<dyn Device>>;

    /// What was found and what was tried. Never fails, opens everything that can be opened.
    fn report(&self) -> Report;

    /// Compiles into the cache on disk what devices of the given architectures would compile at run time. Needs the
    /// compiler, but no device and no driver.
    ///
    /// # Errors
    /// [`Error::Unsupported`] from backends that compile in no time, a missing compiler, an unknown architecture, a
    /// kernel that does not compile, a pack that cannot be written.
    fn precompile(&self, work: &Precompile<'_>) -> Result<Precompiled> {
        let _ = work;
        Err(Error::unsupported(self.name(), "compiling ahead of time"))
    }
}

/// Facts about a device that do not change, and the capabilities that tell devices apart.
#[derive(Clone, Debug)]
pub struct DeviceInfo {
    /// The device's name in this process.
    pub id: DeviceId,
    /// The vendor's product name.
    pub name: String,
    /// Architecture as the compiler names it, such as `sm_90`, `gfx942` or `x86_64`.
    pub architecture: String,
    /// Bytes of device memory.
    pub total_memory: usize,
    /// Threads that run in lock step; 1 on a CPU.
    pub warp_size: u32,
    /// Independent processors: multiprocessors of a GPU, threads of the pool of a CPU.
    pub processors: u32,
    /// Most bytes of a row that a kernel of [rows](crate::ir::Rows) takes: of the elements that it folds, and of what it
    /// keeps of the points between its parts. A reduction takes rows of elements up to there in one piece.
    pub row_bytes: usize,
    /// Whether the host can read and write device memory through its address.
    pub host_addressable: bool,
    /// Whether a call may return before the work is done.
    pub asynchronous: bool,
    /// Whether writes of one kernel to one place happen in the order of its points, so that the last one stays.
    pub writes_in_order: bool,
    /// Whether other libraries know the memory by the array interface of GPUs.
    pub array_interface: bool,
    /// DLPack's code of the device type.
    pub dlpack_type: i32,
    /// DLPack's codes of other types whose memory is taken as this device's: page-locked memory as the host's, managed
    /// memory as its GPU's.
    pub dlpack_also: &'static [i32],
    /// How DLPack writes the stream with handle 0.
    pub dlpack_default_stream: u64,
    /// Compute capability as (major, minor) where the vendor has such a thing.
    pub capability: Option<(u32, u32)>,
    /// Further attributes by the vendor's names.
    pub attributes: Vec<(String, i64)>,
}

/// What kind of memory to allocate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryKind {
    /// Memory of the device.
    Device,
    /// Page-locked host memory that the device can copy from and to without staging.
    Pinned,
    /// Memory that migrates between host and device.
    Managed,
}

/// A block of memory from [`Device::allocate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Allocation {
    /// Address, aligned to at least 256 bytes; a host address for pinned memory.
    pub ptr: u64,
    /// Size in bytes.
    pub bytes: usize,
    /// The kind asked for.
    pub kind: MemoryKind,
}

/// Free and total bytes of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryInfo {
    /// Bytes that can still be allocated.
    pub free: usize,
    /// Bytes in all.
    pub total: usize,
}

/// One device.
///
/// Addresses are plain `u64`; who owns what is the business of the memory pools above this layer.
pub trait Device: Send + Sync {
    /// The fixed facts.
    fn info(&self) -> &DeviceInfo;

    /// Allocates memory. Fails with [`Error::OutOfMemory`] when there is none; the caller frees caches and retries.
    fn allocate(&self, kind: MemoryKind, bytes: usize) -> Result<Allocation>;

    /// Gives memory back.
    ///
    /// # Safety
    /// `allocation` came from this device, is freed once, and no queued work uses it.
    unsafe fn free(&self, allocation: Allocation) -> Result<()>;

    /// Free and total memory.
    fn memory_info(&self) -> Result<MemoryInfo>;

    /// The stream that work goes to when no other is chosen.
    fn default_stream(&self) -> Arc<dyn Stream>;

    /// The default stream of the thread that makes the call, as an object for this thread only: no other has its
    /// [`Stream::id`]. Each call makes a new one.
    fn per_thread_stream(&self) -> Result<Arc<dyn Stream>>;

    /// Makes a stream.
    fn create_stream(&self, flags: StreamFlags) -> Result<Arc<dyn Stream>>;

    /// Wraps a stream of another library by its raw handle. The caller keeps it alive.
    fn external_stream(&self, raw: u64) -> Result<Arc<dyn Stream>>;

    /// Makes an event; `timing` if times will be read from it.
    fn create_event(&self, timing: bool) -> Result<Arc<dyn Event>>;

    /// Waits for all work on the device.
    fn synchronize(&self) -> Result<()>;

    /// Queues a copy from host memory. With pageable memory the source may be reused on return: a graph keeps a copy of
    /// what it holds now. Memory of kind [`MemoryKind::Pinned`] is read again by each launch of a graph.
    ///
    /// # Safety
    /// `src` is readable and `dst` writable device memory for `bytes`; pinned sources stay alive until the copy is done.
    unsafe fn copy_from_host(&self, stream: &dyn Stream, dst: u64, src: *const u8, bytes: usize) -> Result<()>;

    /// Queues a copy to host memory; it is done after the stream is synchronised.
    ///
    /// # Safety
    /// `src` is readable device memory and `dst` writable for `bytes`, both until the copy is done.
    unsafe fn copy_to_host(&self, stream: &dyn Stream, dst: *mut u8, src: u64, bytes: usize) -> Result<()>;

    /// Queues a copy within the device.
    ///
    /// # Safety
    /// Both ranges are device memory of `bytes` and do not overlap.
    unsafe fn copy(&self, stream: &dyn Stream, dst: u64, src: u64, bytes: usize) -> Result<()>;

    /// Queues a copy from another device of the same backend.
    ///
    /// # Safety
    /// `src` is memory of `source`, `dst` of this device, for `bytes`.
    unsafe fn copy_from_peer(
        &self,
        stream: &dyn Stream,
        dst: u64,
        source: &dyn Device,
        src: u64,
        bytes: usize,
    ) -> Result<()>;

    /// Queues setting every byte of a range.
    ///
    /// # Safety
    /// `dst` is writable device memory for `bytes`.
    unsafe fn fill(&self, stream: &dyn Stream, dst: u64, value: u8, bytes: usize) -> Result<()>;

    /// Compiles a kernel for a kind of launch. May take tens of milliseconds: the caller caches the result and holds no
    /// lock meanwhile.
    fn compile(&self, kernel: &Kernel, specialization: Specialization) -> Result<Arc<dyn CompiledKernel>>;

    /// The version, if it can be had without running a slow compiler: precompiled, in a cache on disk, or compiled fast.
    /// `None`: compile it, perhaps in the background.
    fn compile_cached(&self, kernel: &Kernel, version: Specialization) -> Result<Option<Arc<dyn CompiledKernel>>> {
        self.compile(kernel, version).map(Some)
    }

    /// Compiles C++ text in the device's dialect.
    fn compile_text(&self, text: &SourceText<'_>) -> Result<Arc<dyn Module>> {
        let _ = text;
        Err(Error::unsupported(self.info().id.backend, "kernels written as text"))
    }

    /// Compiles such text to the vendor's intermediate code, for linkers that join kernels at run time.
    fn compile_for_linking(&self, text: &SourceText<'_>) -> Result<Vec<u8>> {
        let _ = text;
        Err(Error::unsupported(self.info().id.backend, "intermediate code for linking"))
    }

    /// Loads machine code that the vendor's compiler wrote to a file.
    fn load_image(&self, name: &str, image: &[u8]) -> Result<Arc<dyn Module>> {
        let _ = (name, image);
        Err(Error::unsupported(self.info().id.backend, "machine code from files"))
    }

    /// [`Device::compile_text`] for text that stands for itself.
    fn compile_source(&self, name: &str, source: &str, options: &[String]) -> Result<Arc<dyn Module>> {
        self.compile_text(&SourceText { name, text: source, options, expressions: &[] })
    }

    /// The first fault recorded since the last call; clears it. Only meaningful after a synchronisation.
    fn take_fault(&self) -> Option<Fault>;

    /// The driver's extras.
    fn system(&self) -> Result<&dyn System> {
        Err(Error::unsupported(self.info().id.backend, "calls of the driver beyond arrays"))
    }

    /// What the device has of libraries.
    fn libraries(&self) -> &Libraries;

    /// Images, textures and surfaces.
    fn images(&self) -> Result<&dyn Images> {
        Err(Error::unsupported(self.info().id.backend, "textures and surfaces"))
    }

    /// For a backend to recognise its own devices.
    fn as_any(&self) -> &dyn Any;
}

/// A kernel that is ready to launch on its device.
pub trait CompiledKernel: Send + Sync {
    /// Scratch memory, in bytes, that `launch` needs.
    fn scratch_bytes(&self, launch: &Launch<'_>) -> usize {
        let _ = launch;
        0
    }

    /// Queues the kernel on `stream`.
    ///
    /// # Safety
    /// The launch keeps the [contract](crate#contract): counts, pointers, strides and specialisation fit the kernel.
    unsafe fn launch(&self, stream: &dyn Stream, launch: &Launch<'_>) -> Result<()>;
}

/// A user text to compile.
#[derive(Clone, Copy, Debug)]
pub struct SourceText<'t> {
    /// Stands for the file in the compiler's messages.
    pub name: &'t str,
    /// C++ in the device's dialect.
    pub text: &'t str,
    /// Options of the compiler.
    pub options: &'t [String],
    /// Instances of templates to compile, such as `scale<float>`: names that [`Module::function`] then knows.
    pub expressions: &'t [String],
}

/// Machine code that was compiled from text.
pub trait Module: Send + Sync {
    /// The function with this unmangled name, or this [expression](SourceText::expressions).
    fn function(&self, name: &str) -> Result<Arc<dyn RawFunction>>;

    /// Address and size in bytes of a global variable.
    fn global(&self, name: &str) -> Result<(u64, usize)>;

    /// What the user should know: assumptions of the text that do not hold on this device, a cache on disk that is not used.
    fn warnings(&self) -> &[String] {
        &[]
    }
}

/// The geometry of a raw launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RawLaunch {
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// Whether all blocks run at a time, so that they can wait for each other.
    pub cooperative: bool,
}

/// Attributes of a [`RawFunction`], as the vendors count them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum FunctionAttribute {
    /// Threads that a block may have.
    MaxThreadsPerBlock = 0,
    /// Bytes of static shared memory.
    SharedSizeBytes = 1,
    /// Bytes of constant memory.
    ConstSizeBytes = 2,
    /// Bytes of each thread's own memory.
    LocalSizeBytes = 3,
    /// Registers of a thread.
    NumRegs = 4,
    /// Version of the intermediate code.
    PtxVersion = 5,
    /// Version of the machine code.
    BinaryVersion = 6,
    /// Whether global loads are cached in the first level.
    CacheModeCa = 7,
    /// Bytes of dynamic shared memory that a launch may ask for; can be set.
    MaxDynamicSharedSizeBytes = 8,
    /// The preferred share of shared memory in percent, or -1; can be set.
    PreferredSharedMemoryCarveout = 9,
}

impl FunctionAttribute {
    /// Every attribute with its name.
    pub const ALL: [(&'static str, FunctionAttribute); 10] = [
        ("max_threads_per_block", FunctionAttribute::MaxThreadsPerBlock),
        ("shared_size_bytes", FunctionAttribute::SharedSizeBytes),
        ("const_size_bytes", FunctionAttribute::ConstSizeBytes),
        ("local_size_bytes", FunctionAttribute::LocalSizeBytes),
        ("num_regs", FunctionAttribute::NumRegs),
        ("ptx_version", FunctionAttribute::PtxVersion),
        ("binary_version", FunctionAttribute::BinaryVersion),
        ("cache_mode_ca", FunctionAttribute::CacheModeCa),
        ("max_dynamic_shared_size_bytes", FunctionAttribute::MaxDynamicSharedSizeBytes),
        ("preferred_shared_memory_carveout", FunctionAttribute::PreferredSharedMemoryCarveout),
    ];
}

/// A function of a [`Module`].
pub trait RawFunction: Send + Sync {
    /// Queues the function with parameters given by the addresses of their values.
    ///
    /// # Safety
    /// The parameters fit the function's signature and outlive the call.
    unsafe fn launch(&self, stream: &dyn Stream, geometry: RawLaunch, parameters: &mut [*mut u8]) -> Result<()>;

    /// Sizes in bytes of the parameters, if the device can tell.
    fn parameters(&self) -> Option<&[usize]> {
        None
    }

    /// An attribute.
    fn attribute(&self, which: FunctionAttribute) -> Result<i64> {
        let _ = which;
        Err(Error::unsupported("this device", "attributes of functions"))
    }

    /// Sets one of the two attributes that can be set.
    fn set_attribute(&self, which: FunctionAttribute, value: i64) -> Result<()> {
        let _ = (which, value);
        Err(Error::unsupported("this device", "attributes of functions"))
    }
}
