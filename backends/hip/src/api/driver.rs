//! The HIP runtime as the driver of the shared code. What is a context to CUDA is the number of a device here.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

use cuproxide_gpu::Driver;
use cuproxide_gpu::api::driver::Context;
use cuproxide_gpu::api::types::{
    ArrayDescriptor, Copy2D, Copy3D, CopyEnd, Handle, KIND_ARRAY, KIND_HOST, PoolProperties, Resource,
    TextureDescriptor,
};
use cuproxide_gpu::api::{Names, missing};
use cuproxide_gpu::loader::Wanted;
use cuproxide_hal::Result;
use cuproxide_hip_sys::hip::{self, Hip};

use super::attributes::ATTRIBUTES;
use super::{adapters, pointer};
use crate::machine::Machine;
use crate::places;

/// The runtime of every major version, newest first.
pub(crate) const WANTED: Wanted = Wanted {
    name: "HIP runtime",
    sonames: &["libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"],
    wheel: "",
    probe: "hipInit",
    hint: "install AMD's ROCm 6 or 7 (https://rocm.docs.amd.com: package hip-runtime-amd), or set ROCM_PATH to its folder, \
           or CUPROXIDE_LIBRARY_PATH to the folder with its libraries; in a container, start it with --device=/dev/kfd --device=/dev/dri --group-add video",
};

/// The runtime that was opened.
pub(crate) struct Runtime {
    pub driver: Driver,
    /// Version as (major, minor, patch).
    pub version: (u32, u32, u32),
}

static SYMBOLS: OnceLock<Hip> = OnceLock::new();

/// The functions; only adapters ask, which are in a table only once there are some.
fn symbols() -> &'static Hip {
    SYMBOLS.get().expect("adapters are handed out after the library was opened")
}

adapters! {
    install: Driver, symbols: Hip;
    fn driver_version = hipDriverGetVersion(version: *mut c_int) -> (version);
    fn device_count = hipGetDeviceCount(count: *mut c_int) -> (count);
    fn device_get = hipDeviceGet(device: *mut c_int, ordinal: c_int) -> (device, ordinal);
    fn device_name = hipDeviceGetName(name: *mut c_char, length: c_int, device: c_int) -> (name, length, device);
    fn device_memory = hipDeviceTotalMem(bytes: *mut usize, device: c_int) -> (bytes, device);
    fn device_pci = hipDeviceGetPCIBusId(text: *mut c_char, length: c_int, device: c_int) -> (text, length, device);
    fn context_set = hipSetDevice(context: Context) -> (context as usize as c_int);
    fn context_synchronize = hipDeviceSynchronize() -> ();
    fn stream_priorities = hipDeviceGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int)
        -> (least, greatest);
    fn memory_info = hipMemGetInfo(free: *mut usize, total: *mut usize) -> (free, total);
    fn allocate = hipMalloc(address: *mut u64, bytes: usize) -> (address.cast(), bytes);
    fn free = hipFree(address: u64) -> (pointer(address));
    fn allocate_host = hipHostMalloc(address: *mut *mut c_void, bytes: usize, flags: c_uint)
        -> (address, bytes, flags);
    fn free_host = hipHostFree(address: *mut c_void) -> (address);
    fn host_device_address = hipHostGetDevicePointer(device: *mut u64, host: *mut c_void, flags: c_uint)
        -> (device.cast(), host, flags);
    fn allocate_managed = hipMallocManaged(address: *mut u64, bytes: usize, flags: c_uint)
        -> (address.cast(), bytes, flags);
    fn copy_from_host = hipMemcpyHtoDAsync(to: u64, from: *const c_void, bytes: usize, stream: u64)
        -> (pointer(to), from.cast_mut(), bytes, pointer(stream));
    fn copy_to_host = hipMemcpyDtoHAsync(to: *mut c_void, from: u64, bytes: usize, stream: u64)
        -> (to, pointer(from), bytes, pointer(stream));
    fn copy = hipMemcpyDtoDAsync(to: u64, from: u64, bytes: usize, stream: u64)
        -> (pointer(to), pointer(from), bytes, pointer(stream));
    fn copy_peer = hipMemcpyPeerAsync(
        to: u64, to_context: Context, from: u64, from_context: Context, bytes: usize, stream: u64,
    ) -> (
        pointer(to), to_context as usize as c_int, pointer(from), from_context as usize as c_int, bytes,
        pointer(stream),
    );
    fn fill = hipMemsetD8Async(to: u64, value: u8, bytes: usize, stream: u64)
        -> (pointer(to), value, bytes, pointer(stream));
    fn stream_create = hipStreamCreateWithPriority(stream: *mut u64, flags: c_uint, priority: c_int)
        -> (stream.cast(), flags, priority);
    fn stream_destroy = hipStreamDestroy(stream: u64) -> (pointer(stream));
    fn stream_synchronize = hipStreamSynchronize(stream: u64) -> (pointer(stream));
    fn stream_query = hipStreamQuery(stream: u64) -> (pointer(stream));
    fn stream_wait = hipStreamWaitEvent(stream: u64, event: u64, flags: c_uint)
        -> (pointer(stream), pointer(event), flags);
    fn stream_flags = hipStreamGetFlags(stream: u64, flags: *mut c_uint) -> (pointer(stream), flags);
    fn stream_priority = hipStreamGetPriority(stream: u64, priority: *mut c_int) -> (pointer(stream), priority);
    fn launch_host = hipLaunchHostFunc(stream: u64, function: extern "C" fn(*mut c_void), argument: *mut c_void)
        -> (pointer(stream), Some(function), argument);
    fn capture_begin = hipStreamBeginCapture(stream: u64, mode: c_int) -> (pointer(stream), mode as c_uint);
    fn capture_end = hipStreamEndCapture(stream: u64, graph: *mut u64) -> (pointer(stream), graph.cast());
    fn capture_info = hipStreamGetCaptureInfo_v2(
        stream: u64, status: *mut c_int, id: *mut u64, graph: *mut u64, dependencies: *mut *const u64, count: *mut usize,
    ) -> (pointer(stream), status.cast(), id.cast(), graph.cast(), dependencies.cast(), count);
    fn capture_continue = hipStreamUpdateCaptureDependencies(
        stream: u64, dependencies: *const u64, count: usize, flags: c_uint,
    ) -> (pointer(stream), dependencies.cast_mut().cast(), count, flags);
    fn graph_add_graph = hipGraphAddChildGraphNode(
        node: *mut u64, graph: u64, dependencies: *const u64, count: usize, child: u64,
    ) -> (node.cast(), pointer(graph), dependencies.cast(), count, pointer(child));
    fn exchange_capture_mode = hipThreadExchangeStreamCaptureMode(mode: *mut c_int) -> (mode.cast());
    fn graph_instantiate = hipGraphInstantiateWithFlags(executable: *mut u64, graph: u64, flags: u64)
        -> (executable.cast(), pointer(graph), flags);
    fn graph_launch = hipGraphLaunch(executable: u64, stream: u64) -> (pointer(executable), pointer(stream));
    fn graph_upload = hipGraphUpload(executable: u64, stream: u64) -> (pointer(executable), pointer(stream));
    fn graph_dot = hipGraphDebugDotPrint(graph: u64, path: *const c_char, flags: c_uint)
        -> (pointer(graph), path, flags);
    fn graph_destroy = hipGraphDestroy(graph: u64) -> (pointer(graph));
    fn graph_exec_destroy = hipGraphExecDestroy(executable: u64) -> (pointer(executable));
    fn limit_get = hipDeviceGetLimit(value: *mut usize, limit: c_int) -> (value, limit as c_uint);
    fn limit_set = hipDeviceSetLimit(limit: c_int, value: usize) -> (limit as c_uint, value);
    fn peer_can_access = hipDeviceCanAccessPeer(can: *mut c_int, device: c_int, peer: c_int) -> (can, device, peer);
    fn peer_enable = hipDeviceEnablePeerAccess(peer: Context, flags: c_uint) -> (peer as usize as c_int, flags);
    fn peer_disable = hipDeviceDisablePeerAccess(peer: Context) -> (peer as usize as c_int);
    fn allocate_ordered = hipMallocAsync(address: *mut u64, bytes: usize, stream: u64)
        -> (address.cast(), bytes, pointer(stream));
    fn allocate_from_pool = hipMallocFromPoolAsync(address: *mut u64, bytes: usize, pool: u64, stream: u64)
        -> (address.cast(), bytes, pointer(pool), pointer(stream));
    fn free_ordered = hipFreeAsync(address: u64, stream: u64) -> (pointer(address), pointer(stream));
    fn default_pool = hipDeviceGetDefaultMemPool(pool: *mut u64, device: c_int) -> (pool.cast(), device);
    fn current_pool = hipDeviceGetMemPool(pool: *mut u64, device: c_int) -> (pool.cast(), device);
    fn set_pool = hipDeviceSetMemPool(device: c_int, pool: u64) -> (device, pointer(pool));
    fn create_pool = hipMemPoolCreate(pool: *mut u64, properties: *const PoolProperties)
        -> (pool.cast(), properties.cast());
    fn destroy_pool = hipMemPoolDestroy(pool: u64) -> (pointer(pool));
    fn trim_pool = hipMemPoolTrimTo(pool: u64, keep: usize) -> (pointer(pool), keep);
    fn pool_attribute = hipMemPoolGetAttribute(pool: u64, attribute: c_int, value: *mut c_void)
        -> (pointer(pool), attribute as c_uint, value);
    fn host_register = hipHostRegister(address: *mut c_void, bytes: usize, flags: c_uint) -> (address, bytes, flags);
    fn host_unregister = hipHostUnregister(address: *mut c_void) -> (address);
    fn prefetch_12 = hipMemPrefetchAsync(address: u64, bytes: usize, device: c_int, stream: u64)
        -> (pointer(address), bytes, device, pointer(stream));
    fn advise_12 = hipMemAdvise(address: u64, bytes: usize, advice: c_int, device: c_int)
        -> (pointer(address), bytes, advice as c_uint, device);
    fn copy_any = hipMemcpyAsync(to: u64, from: u64, bytes: usize, stream: u64)
        -> (pointer(to), pointer(from), bytes, hip::hipMemcpyDefault, pointer(stream));
    fn array_create = hipArray3DCreate(array: *mut u64, descriptor: *const ArrayDescriptor)
        -> (array.cast(), descriptor.cast());
    fn array_descriptor = hipArray3DGetDescriptor(descriptor: *mut ArrayDescriptor, array: u64)
        -> (descriptor.cast(), pointer(array));
    fn array_destroy = hipArrayDestroy(array: u64) -> (pointer(array));
    fn texture_destroy = hipTexObjectDestroy(texture: u64) -> (pointer(texture));
    fn surface_destroy = hipDestroySurfaceObject(surface: u64) -> (pointer(surface));
    fn ipc_share = hipIpcGetMemHandle(handle: *mut u8, address: u64) -> (handle.cast(), pointer(address));
    fn ipc_open = hipIpcOpenMemHandle(address: *mut u64, handle: Handle, flags: c_uint)
        -> (address.cast(), hip::hipIpcMemHandle_t { reserved: handle.0.map(|byte| byte as c_char) }, flags);
    fn ipc_close = hipIpcCloseMemHandle(address: u64) -> (pointer(address));
    fn ipc_share_event = hipIpcGetEventHandle(handle: *mut u8, event: u64) -> (handle.cast(), pointer(event));
    fn ipc_open_event = hipIpcOpenEventHandle(event: *mut u64, handle: Handle)
        -> (event.cast(), hip::hipIpcEventHandle_t { reserved: handle.0.map(|byte| byte as c_char) });
    fn profiler_start = hipProfilerStart() -> ();
    fn profiler_stop = hipProfilerStop() -> ();
    fn event_create = hipEventCreateWithFlags(event: *mut u64, flags: c_uint) -> (event.cast(), flags);
    fn event_destroy = hipEventDestroy(event: u64) -> (pointer(event));
    fn event_record = hipEventRecord(event: u64, stream: u64) -> (pointer(event), pointer(stream));
    fn event_synchronize = hipEventSynchronize(event: u64) -> (pointer(event));
    fn event_query = hipEventQuery(event: u64) -> (pointer(event));
    fn event_elapsed = hipEventElapsedTime(milliseconds: *mut f32, start: u64, end: u64)
        -> (milliseconds, pointer(start), pointer(end));
    fn module_load = hipModuleLoadData(module: *mut u64, image: *const c_void) -> (module.cast(), image);
    fn module_unload = hipModuleUnload(module: u64) -> (pointer(module));
    fn module_function = hipModuleGetFunction(function: *mut u64, module: u64, name: *const c_char)
        -> (function.cast(), pointer(module), name);
    fn module_global = hipModuleGetGlobal(address: *mut u64, bytes: *mut usize, module: u64, name: *const c_char)
        -> (address.cast(), bytes, pointer(module), name);
    fn function_get = hipFuncGetAttribute(value: *mut c_int, attribute: c_int, function: u64)
        -> (value, attribute as c_uint, pointer(function));
    fn occupancy = hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut c_int, function: u64, block: c_int, shared: usize,
    ) -> (blocks, pointer(function), block, shared);
    fn launch = hipModuleLaunchKernel(
        function: u64, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared: c_uint, stream: u64, parameters: *mut *mut c_void, extra: *mut *mut c_void,
    ) -> (
        pointer(function), grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, pointer(stream), parameters,
        extra,
    );
    fn launch_cooperative = hipModuleLaunchCooperativeKernel(
        function: u64, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared: c_uint, stream: u64, parameters: *mut *mut c_void,
    ) -> (
        pointer(function), grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, pointer(stream), parameters,
    );
}

/// Status: no device, which ROCm 5 calls an invalid one.
const NO_DEVICE: i32 = 100;
const INVALID_DEVICE: i32 = 101;
const INVALID_VALUE: i32 = 1;
/// Attribute of an address: the kind of its memory.
const MEMORY_TYPE: i32 = 2;

unsafe extern "C" fn init(flags: c_uint) -> i32 {
    let Ok(function) = &symbols().hipInit else { return super::MISSING };
    // SAFETY: no precondition.
    match unsafe { function(flags) as i32 } {
        INVALID_DEVICE => NO_DEVICE,
        status => status,
    }
}

/// As CUDA counts attributes, so that a number means the same everywhere.
unsafe extern "C" fn device_attribute(value: *mut c_int, attribute: c_int, device: c_int) -> i32 {
    let Ok(function) = &symbols().hipDeviceGetAttribute else { return super::MISSING };
    let Some((_, _, which)) = ATTRIBUTES.iter().find(|(_, number, _)| *number == attribute) else {
        return INVALID_VALUE;
    };
    // SAFETY: the runtime writes one integer.
    unsafe { function(value, *which, device) as i32 }
}

/// Dynamic shared memory needs no permission here, up to what there is; how the cache is divided is fixed.
unsafe extern "C" fn function_set(_: u64, attribute: c_int, value: c_int) -> i32 {
    const MAX_DYNAMIC_SHARED: c_int = 8;
    const CARVEOUT: c_int = 9;
    match attribute {
        MAX_DYNAMIC_SHARED if (0..=LOCAL_MEMORY).contains(&value) => 0,
        CARVEOUT if (-1..=100).contains(&value) => 0,
        _ => INVALID_VALUE,
    }
}

/// Bytes of memory that a block of any AMD device may share.
const LOCAL_MEMORY: c_int = 64 * 1024;

unsafe extern "C" fn context_retain(context: *mut Context, device: c_int) -> i32 {
    // SAFETY: the caller gives a place for it.
    unsafe { *context = device as usize as Context };
    0
}

unsafe extern "C" fn context_current(context: *mut Context) -> i32 {
    let Ok(function) = &symbols().hipGetDevice else { return super::MISSING };
    let mut device = 0;
    // SAFETY: the runtime writes one integer, the caller gives a place for the context.
    unsafe {
        let status = function(&mut device) as i32;
        *context = device as usize as Context;
        status
    }
}

/// As CUDA has it: an address that the driver does not know is an error, and kinds of memory are counted as since ROCm 6.
unsafe extern "C" fn pointer_attribute(value: *mut c_void, attribute: c_int, address: u64) -> i32 {
    let Ok(function) = &symbols().hipPointerGetAttribute else { return super::MISSING };
    // SAFETY: the caller's promise.
    let status = unsafe { function(value, attribute as c_uint, pointer(address)) } as i32;
    if status != 0 || attribute != MEMORY_TYPE {
        return status;
    }
    // SAFETY: the runtime has just written this kind.
    let kind = unsafe { &mut *value.cast::<u32>() };
    let old = runtime().is_ok_and(|runtime| runtime.version.0 < 6);
    *kind = match (*kind, old) {
        (0, true) => 1,
        (1, true) => 2,
        (4, true) => 3,
        (kind, _) => kind,
    };
    if *kind == 0 { INVALID_VALUE } else { 0 }
}

unsafe extern "C" fn copy_2d(copy: *const Copy2D, stream: u64) -> i32 {
    let Ok(function) = &symbols().hipMemcpy2DAsync else { return super::MISSING };
    // SAFETY: the caller's promise; the runtime finds out where the addresses lie.
    unsafe {
        let (target, source, [width, height]) = (*copy).lines();
        function(
            pointer(target.0),
            target.1,
            pointer(source.0),
            source.1,
            width,
            height,
            hip::hipMemcpyDefault,
            pointer(stream),
        ) as i32
    }
}

/// An end of a copy of a box: where in it, the kind, the addresses of the host, of the driver and of an image, and the
/// distances of rows and planes.
fn end_of(end: &CopyEnd) -> ([usize; 3], hip::hipMemoryType, [u64; 3], [usize; 2]) {
    let kind = match end.kind {
        KIND_HOST => hip::hipMemoryTypeHost,
        KIND_ARRAY => hip::hipMemoryTypeArray,
        _ => hip::hipMemoryTypeUnified,
    };
    ([end.x, end.y, end.z], kind, [end.host, end.device, end.array], [end.pitch, end.rows])
}

unsafe extern "C" fn copy_3d(copy: *const Copy3D, stream: u64) -> i32 {
    let Ok(function) = &symbols().hipDrvMemcpy3DAsync else { return super::MISSING };
    // SAFETY: the caller's promise.
    unsafe {
        let copy = &*copy;
        let ([src_x, src_y, src_z], src_kind, [src_host, src_device, src_array], [src_pitch, src_rows]) =
            end_of(&copy.src);
        let ([dst_x, dst_y, dst_z], dst_kind, [dst_host, dst_device, dst_array], [dst_pitch, dst_rows]) =
            end_of(&copy.dst);
        let request = hip::HIP_MEMCPY3D {
            srcXInBytes: src_x,
            srcY: src_y,
            srcZ: src_z,
            srcLOD: 0,
            srcMemoryType: src_kind,
            srcHost: pointer(src_host),
            srcDevice: pointer(src_device),
            srcArray: pointer(src_array),
            srcPitch: src_pitch,
            srcHeight: src_rows,
            dstXInBytes: dst_x,
            dstY: dst_y,
            dstZ: dst_z,
            dstLOD: 0,
            dstMemoryType: dst_kind,
            dstHost: pointer(dst_host),
            dstDevice: pointer(dst_device),
            dstArray: pointer(dst_array),
            dstPitch: dst_pitch,
            dstHeight: dst_rows,
            WidthInBytes: copy.width,
            Height: copy.height,
            Depth: copy.depth,
        };
        function(&request, pointer(stream)) as i32
    }
}

/// The runtime refuses every bound on the samples of an anisotropic filter, since it always takes one: which no bound forbids.
unsafe extern "C" fn texture_create(
    texture: *mut u64,
    resource: *const Resource,
    sampling: *const TextureDescriptor,
    view: *const c_void,
) -> i32 {
    let Ok(function) = &symbols().hipTexObjectCreate else { return super::MISSING };
    // SAFETY: the caller's promise; the descriptions are laid out as the runtime's.
    unsafe {
        let mut sampling = *sampling;
        sampling.max_anisotropy = 0;
        function(texture.cast(), resource.cast(), (&raw const sampling).cast(), view.cast()) as i32
    }
}

/// AMD has this only as a function of the runtime, whose description of an image is shorter.
unsafe extern "C" fn surface_create(surface: *mut u64, resource: *const Resource) -> i32 {
    let Ok(function) = &symbols().hipCreateSurfaceObject else { return super::MISSING };
    // SAFETY: the caller's promise; zeros are valid for the description, of which the image is one variant.
    unsafe {
        let Some(image) = (*resource).image() else { return INVALID_VALUE };
        let mut description: hip::hipResourceDesc = std::mem::zeroed();
        description.resType = hip::hipResourceTypeArray;
        description.res.array.array = pointer(image);
        function(surface.cast(), &description) as i32
    }
}

unsafe extern "C" fn error_name(code: i32, name: *mut *const c_char) -> i32 {
    let Ok(function) = &symbols().hipGetErrorName else { return super::MISSING };
    // SAFETY: the runtime has a static string for every code.
    unsafe { *name = function(code as c_uint) };
    0
}

unsafe extern "C" fn error_text(code: i32, text: *mut *const c_char) -> i32 {
    let Ok(function) = &symbols().hipGetErrorString else { return super::MISSING };
    // SAFETY: as above.
    unsafe { *text = function(code as c_uint) };
    0
}

/// Names of what the adapters above stand for.
const SPECIAL: [(&str, &str); 12] = [
    ("device_attribute", "hipDeviceGetAttribute"),
    ("function_set", "hipFuncSetAttribute"),
    ("init", "hipInit"),
    ("context_current", "hipGetDevice"),
    ("context_retain", "hipSetDevice"),
    ("pointer_attribute", "hipPointerGetAttribute"),
    ("copy_2d", "hipMemcpy2DAsync"),
    ("copy_3d", "hipDrvMemcpy3DAsync"),
    ("texture_create", "hipTexObjectCreate"),
    ("surface_create", "hipCreateSurfaceObject"),
    ("error_name", "hipGetErrorName"),
    ("error_text", "hipGetErrorString"),
];
const NAMES: [(&str, &str); CALLED.len() + SPECIAL.len()] = {
    let mut all = [("", ""); CALLED.len() + SPECIAL.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = if at < CALLED.len() { CALLED[at] } else { SPECIAL[at - CALLED.len()] };
        at += 1;
    }
    all
};

/// The runtime, opened on the first call, whether or not there is a device.
pub(crate) fn runtime() -> Result<&'static Runtime> {
    static RUNTIME: OnceLock<Result<Runtime>> = OnceLock::new();
    RUNTIME.get_or_init(open).as_ref().map_err(Clone::clone)
}

fn open() -> Result<Runtime> {
    let library = places::of_process().open(&WANTED)?;
    let unusable = |symbol: &str| missing(&library, symbol);
    let handle = library.share().ok_or_else(|| unusable("hipInit"))?;
    // SAFETY: the functions have the signatures of the headers, which these did not change from ROCm 5 to 7.
    let symbols = unsafe { Hip::from_library(handle) }.map_err(|_| unusable("hipInit"))?;
    let symbols = SYMBOLS.get_or_init(|| symbols);
    // Without these nothing works: a file that lacks one is no runtime, or not all of one.
    let needed = [
        (symbols.hipInit.is_ok(), "hipInit"),
        (symbols.hipGetDeviceCount.is_ok(), "hipGetDeviceCount"),
        (symbols.hipModuleLaunchKernel.is_ok(), "hipModuleLaunchKernel"),
    ];
    if let Some((_, symbol)) = needed.into_iter().find(|(there, _)| !there) {
        return Err(unusable(symbol));
    }
    let mut number = 0;
    // SAFETY: the runtime writes one integer.
    let read = symbols.hipRuntimeGetVersion.as_ref().is_ok_and(|version| unsafe { version(&mut number) } == 0);
    let number = if read { number as u32 } else { 0 };
    let version = (number / 10_000_000, number / 100_000 % 100, number % 100_000);
    let mut driver = Driver::empty(library, Names { functions: &NAMES, status: None });
    install(&mut driver, symbols);
    driver.init = Some(init);
    driver.context_retain = Some(context_retain);
    driver.function_set = Some(function_set);
    driver.device_attribute = symbols.hipDeviceGetAttribute.is_ok().then_some(device_attribute as _);
    driver.context_current = symbols.hipGetDevice.is_ok().then_some(context_current as _);
    driver.pointer_attribute = symbols.hipPointerGetAttribute.is_ok().then_some(pointer_attribute as _);
    driver.copy_2d = symbols.hipMemcpy2DAsync.is_ok().then_some(copy_2d as _);
    // ROCm 5 describes the copy by other types.
    driver.copy_3d = (version.0 >= 6 && symbols.hipDrvMemcpy3DAsync.is_ok()).then_some(copy_3d as _);
    driver.texture_create = symbols.hipTexObjectCreate.is_ok().then_some(texture_create as _);
    driver.surface_create = symbols.hipCreateSurfaceObject.is_ok().then_some(surface_create as _);
    driver.error_name = symbols.hipGetErrorName.is_ok().then_some(error_name as _);
    driver.error_text = symbols.hipGetErrorString.is_ok().then_some(error_text as _);
    Ok(Runtime { driver, version })
}

/// The driver, opened and initialised on the first call.
///
/// # Errors
/// A missing library, or whatever initialisation reports, with what the machine says about the reason.
pub(crate) fn driver() -> Result<&'static Driver> {
    static READY: OnceLock<Result<()>> = OnceLock::new();
    let driver = &runtime()?.driver;
    // SAFETY: no precondition.
    let ready = READY.get_or_init(|| unsafe { driver.init(0) }.map_err(|error| Machine::here().explain(error)));
    ready.clone().map(|()| driver)
}

/// What the runtime says about the name of a device's architecture, with the features that are on.
pub(crate) fn architecture(device: c_int) -> Result<String> {
    let text = |field: &[c_char]| {
        let bytes: Vec<u8> = field.iter().take_while(|&&byte| byte != 0).map(|&byte| byte as u8).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let driver = &runtime()?.driver;
    if let Ok(read) = &symbols().hipGetDevicePropertiesR0600 {
        let mut properties = std::mem::MaybeUninit::<hip::hipDeviceProp_tR0600>::zeroed();
        // SAFETY: the runtime fills the struct of this very name, for which zeros are valid.
        let (status, properties) = unsafe { (read(properties.as_mut_ptr(), device), properties.assume_init()) };
        return match status {
            0 => Ok(text(&properties.gcnArchName)),
            code => Err(driver.failure("hipGetDevicePropertiesR0600", code as i32)),
        };
    }
    // ROCm 5 has the plain name only, which fills the older struct.
    let plain = "hipGetDeviceProperties";
    let Some(address) = driver.library.symbol(plain) else { return Err(missing(&driver.library, plain)) };
    let mut properties = std::mem::MaybeUninit::<hip::hipDeviceProp_tR0000>::zeroed();
    // SAFETY: as above.
    unsafe {
        let read: unsafe extern "C" fn(*mut hip::hipDeviceProp_tR0000, c_int) -> hip::hipError_t =
            std::mem::transmute(address);
        match read(properties.as_mut_ptr(), device) {
            0 => Ok(text(&properties.assume_init().gcnArchName)),
            code => Err(driver.failure(plain, code as i32)),
        }
    }
}
