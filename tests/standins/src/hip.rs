//! The functions of `libamdhip64.so.7`: those of the CUDA driver under AMD's names, with AMD's numbers.
//!
//! What a device is called decides how many of its threads run in step: `STANDIN_ARCHITECTURE`, `gfx942` if it is not set.

use std::ffi::{c_char, c_int, c_uint, c_void};

use cuproxide_hip_sys::hip;

use crate::calls::{Needs, current, enter, export, give, set_current};
use crate::cuda::*;
use crate::images::amd_has_images;
use crate::memory::{self, Kind};
use crate::queue::{self, Work};
use crate::status::*;
use crate::{code, device};

/// Version of the runtime, as AMD counts: `STANDIN_VERSION`, 7.2.4 if it is not set.
fn version() -> c_int {
    device::setting("STANDIN_VERSION", 70_200_004) as c_int
}

/// The architecture of the devices, with its features.
pub fn architecture() -> String {
    let named = std::env::var("STANDIN_ARCHITECTURE").ok().filter(|name| !name.is_empty());
    named.unwrap_or_else(|| "gfx942:sramecc+:xnack-".to_owned())
}

/// Threads of an architecture that run in step.
pub fn warp(architecture: &str) -> u32 {
    if architecture.starts_with("gfx1") { 32 } else { 64 }
}

/// Attributes by AMD's numbers, and CUDA's.
const ATTRIBUTES: [(hip::hipDeviceAttribute_t, c_int); 36] = [
    (hip::hipDeviceAttributeMaxThreadsPerBlock, 1),
    (hip::hipDeviceAttributeMaxBlockDimX, 2),
    (hip::hipDeviceAttributeMaxBlockDimY, 3),
    (hip::hipDeviceAttributeMaxBlockDimZ, 4),
    (hip::hipDeviceAttributeMaxGridDimX, 5),
    (hip::hipDeviceAttributeMaxGridDimY, 6),
    (hip::hipDeviceAttributeMaxGridDimZ, 7),
    (hip::hipDeviceAttributeMaxSharedMemoryPerBlock, 8),
    (hip::hipDeviceAttributeTotalConstantMemory, 9),
    (hip::hipDeviceAttributeWarpSize, 10),
    (hip::hipDeviceAttributeMaxRegistersPerBlock, 12),
    (hip::hipDeviceAttributeClockRate, 13),
    (hip::hipDeviceAttributeMultiprocessorCount, 16),
    (hip::hipDeviceAttributeIntegrated, 18),
    (hip::hipDeviceAttributeComputeMode, 20),
    (hip::hipDeviceAttributeConcurrentKernels, 31),
    (hip::hipDeviceAttributeEccEnabled, 32),
    (hip::hipDeviceAttributePciBusId, 33),
    (hip::hipDeviceAttributePciDeviceId, 34),
    (hip::hipDeviceAttributeMemoryClockRate, 36),
    (hip::hipDeviceAttributeMemoryBusWidth, 37),
    (hip::hipDeviceAttributeL2CacheSize, 38),
    (hip::hipDeviceAttributeMaxThreadsPerMultiProcessor, 39),
    (hip::hipDeviceAttributeAsyncEngineCount, 40),
    (hip::hipDeviceAttributeUnifiedAddressing, 41),
    (hip::hipDeviceAttributePciDomainId, 50),
    (hip::hipDeviceAttributeComputeCapabilityMajor, 75),
    (hip::hipDeviceAttributeComputeCapabilityMinor, 76),
    (hip::hipDeviceAttributeSharedMemPerMultiprocessor, 81),
    (hip::hipDeviceAttributeMaxRegistersPerMultiprocessor, 82),
    (hip::hipDeviceAttributeManagedMemory, 83),
    (hip::hipDeviceAttributePageableMemoryAccess, 88),
    (hip::hipDeviceAttributeConcurrentManagedAccess, 89),
    (hip::hipDeviceAttributeCooperativeLaunch, 95),
    (hip::hipDeviceAttributeMaxBlocksPerMultiProcessor, 106),
    (hip::hipDeviceAttributeMemoryPoolsSupported, 115),
];

/// An attribute, where AMD's devices have other values than NVIDIA's.
fn attribute(number: c_uint, ordinal: c_int) -> Outcome<c_int> {
    let device = device::checked(ordinal)?;
    if number == hip::hipDeviceAttributeSharedMemPerBlockOptin {
        return Ok(64 << 10);
    }
    if number == hip::hipDeviceAttributeImageSupport {
        return Ok(amd_has_images().into());
    }
    let (_, cuda) = ATTRIBUTES.iter().find(|(known, _)| *known == number).ok_or(INVALID_VALUE)?;
    Ok(match cuda {
        8 | 81 => 64 << 10,
        10 => warp(&architecture()) as c_int,
        75 if architecture().starts_with("gfx1") => 11,
        other => device::attribute(*other, device)?,
    })
}

/// Names of the statuses that programs may meet.
const NAMES: [(c_int, &str); 34] = [
    (0, "hipSuccess\0"),
    (1, "hipErrorInvalidValue\0"),
    (2, "hipErrorOutOfMemory\0"),
    (3, "hipErrorNotInitialized\0"),
    (35, "hipErrorInsufficientDriver\0"),
    (100, "hipErrorNoDevice\0"),
    (101, "hipErrorInvalidDevice\0"),
    (200, "hipErrorInvalidImage\0"),
    (201, "hipErrorInvalidContext\0"),
    (209, "hipErrorNoBinaryForGpu\0"),
    (217, "hipErrorPeerAccessUnsupported\0"),
    (400, "hipErrorInvalidHandle\0"),
    (500, "hipErrorNotFound\0"),
    (600, "hipErrorNotReady\0"),
    (700, "hipErrorIllegalAddress\0"),
    (701, "hipErrorLaunchOutOfResources\0"),
    (702, "hipErrorLaunchTimeOut\0"),
    (704, "hipErrorPeerAccessAlreadyEnabled\0"),
    (705, "hipErrorPeerAccessNotEnabled\0"),
    (710, "hipErrorAssert\0"),
    (712, "hipErrorHostMemoryAlreadyRegistered\0"),
    (713, "hipErrorHostMemoryNotRegistered\0"),
    (719, "hipErrorLaunchFailure\0"),
    (720, "hipErrorCooperativeLaunchTooLarge\0"),
    (801, "hipErrorNotSupported\0"),
    (900, "hipErrorStreamCaptureUnsupported\0"),
    (901, "hipErrorStreamCaptureInvalidated\0"),
    (903, "hipErrorStreamCaptureUnmatched\0"),
    (904, "hipErrorStreamCaptureUnjoined\0"),
    (905, "hipErrorStreamCaptureIsolation\0"),
    (906, "hipErrorStreamCaptureImplicit\0"),
    (907, "hipErrorCapturedEvent\0"),
    (908, "hipErrorStreamCaptureWrongThread\0"),
    (999, "hipErrorUnknown\0"),
];

/// Name of a status.
#[unsafe(no_mangle)]
extern "C" fn hipGetErrorName(status: c_int) -> *const c_char {
    let named = NAMES.iter().find(|(known, _)| *known == status);
    named.map_or("hipErrorUnknown\0", |(_, name)| name).as_ptr().cast()
}

/// Description of a status.
#[unsafe(no_mangle)]
extern "C" fn hipGetErrorString(status: c_int) -> *const c_char {
    words(status).map_or("unknown error\0", |(_, text)| text).as_ptr().cast()
}

/// Fills one of the structs of properties in, of which only the names are asked for.
macro_rules! properties {
    ($to:ident, $type:ty, $device:ident) => {{
        device::checked($device)?;
        if $to.is_null() {
            return Err(INVALID_VALUE);
        }
        $to.write_bytes(0, 1);
        let copy = |to: &mut [c_char], text: &str| {
            for (to, byte) in to.iter_mut().zip(text.bytes()) {
                *to = byte as c_char;
            }
        };
        copy(&mut (*$to).name, "Stand-in for a GPU");
        copy(&mut (*$to).gcnArchName, &architecture());
        (*$to).totalGlobalMem = device::total_memory();
        (*$to).warpSize = warp(&architecture()) as c_int;
    }};
}

/// Functions that do what the driver's do.
macro_rules! same {
    ($($needs:ident => { $(
        fn $name:ident($($argument:ident: $type:ty),* $(,)?) = $other:ident($($given:expr),* $(,)?);
    )* })*) => {$($(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $type),*) -> Status {
            // SAFETY: the same as the other function asks for.
            enter(stringify!($name), Needs::$needs, || match unsafe { $other($($given),*) } {
                0 => Ok(()),
                status => Err(status),
            })
        }
    )*)*};
}

same! {
    Nothing => {
        fn hipInit(flags: c_uint) = cuInit(flags);
    }
    Driver => {
        fn hipGetDeviceCount(count: *mut c_int) = cuDeviceGetCount(count);
        fn hipDeviceGet(device: *mut c_int, ordinal: c_int) = cuDeviceGet(device, ordinal);
        fn hipDeviceGetName(name: *mut c_char, length: c_int, device: c_int) = cuDeviceGetName(name, length, device);
        fn hipDeviceTotalMem(bytes: *mut usize, device: c_int) = cuDeviceTotalMem_v2(bytes, device);
        fn hipDeviceGetPCIBusId(text: *mut c_char, length: c_int, device: c_int) =
            cuDeviceGetPCIBusId(text, length, device);
        fn hipDeviceCanAccessPeer(can: *mut c_int, device: c_int, peer: c_int) =
            cuDeviceCanAccessPeer(can, device, peer);
        fn hipDeviceGetDefaultMemPool(pool: *mut u64, device: c_int) = cuDeviceGetDefaultMemPool(pool, device);
        fn hipDeviceGetMemPool(pool: *mut u64, device: c_int) = cuDeviceGetMemPool(pool, device);
        fn hipDeviceSetMemPool(device: c_int, pool: u64) = cuDeviceSetMemPool(device, pool);
        fn hipThreadExchangeStreamCaptureMode(mode: *mut c_int) = cuThreadExchangeStreamCaptureMode(mode);
    }
    Device => {
        fn hipDeviceSynchronize() = cuCtxSynchronize();
        fn hipDeviceGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) =
            cuCtxGetStreamPriorityRange(least, greatest);
        fn hipDeviceGetLimit(value: *mut usize, limit: c_int) = cuCtxGetLimit(value, limit);
        fn hipDeviceSetLimit(limit: c_int, value: usize) = cuCtxSetLimit(limit, value);
        fn hipDeviceEnablePeerAccess(peer: c_int, flags: c_uint) = cuCtxEnablePeerAccess(context(peer as usize), flags);
        fn hipDeviceDisablePeerAccess(peer: c_int) = cuCtxDisablePeerAccess(context(peer as usize));
        fn hipMemGetInfo(free: *mut usize, total: *mut usize) = cuMemGetInfo_v2(free, total);
        fn hipMalloc(address: *mut u64, bytes: usize) = cuMemAlloc_v2(address, bytes);
        fn hipFree(address: u64) = cuMemFree_v2(address);
        fn hipMallocManaged(address: *mut u64, bytes: usize, flags: c_uint) = cuMemAllocManaged(address, bytes, flags);
        fn hipHostMalloc(address: *mut *mut c_void, bytes: usize, flags: c_uint) =
            cuMemHostAlloc(address, bytes, flags & 7);
        fn hipHostFree(address: *mut c_void) = cuMemFreeHost(address);
        fn hipHostGetDevicePointer(to: *mut u64, host: *mut c_void, flags: c_uint) =
            cuMemHostGetDevicePointer_v2(to, host, flags);
        fn hipHostRegister(address: *mut c_void, bytes: usize, flags: c_uint) =
            cuMemHostRegister_v2(address, bytes, flags);
        fn hipHostUnregister(address: *mut c_void) = cuMemHostUnregister(address);
        fn hipMemcpyHtoDAsync(to: u64, from: *const c_void, bytes: usize, stream: u64) =
            cuMemcpyHtoDAsync_v2(to, from, bytes, stream);
        fn hipMemcpyDtoHAsync(to: *mut c_void, from: u64, bytes: usize, stream: u64) =
            cuMemcpyDtoHAsync_v2(to, from, bytes, stream);
        fn hipMemcpyDtoDAsync(to: u64, from: u64, bytes: usize, stream: u64) =
            cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
        fn hipMemcpyAsync(to: u64, from: u64, bytes: usize, _kind: c_uint, stream: u64) =
            cuMemcpyAsync(to, from, bytes, stream);
        fn hipMemcpyPeerAsync(to: u64, to_device: c_int, from: u64, from_device: c_int, bytes: usize, stream: u64) =
            cuMemcpyPeerAsync(to, context(to_device as usize), from, context(from_device as usize), bytes, stream);
        fn hipMemsetD8Async(to: u64, value: u8, bytes: usize, stream: u64) = cuMemsetD8Async(to, value, bytes, stream);
        fn hipMallocAsync(address: *mut u64, bytes: usize, stream: u64) = cuMemAllocAsync(address, bytes, stream);
        fn hipMallocFromPoolAsync(address: *mut u64, bytes: usize, pool: u64, stream: u64) =
            cuMemAllocFromPoolAsync(address, bytes, pool, stream);
        fn hipFreeAsync(address: u64, stream: u64) = cuMemFreeAsync(address, stream);
        fn hipMemPoolCreate(pool: *mut u64, properties: *const c_void) = cuMemPoolCreate(pool, properties);
        fn hipMemPoolDestroy(pool: u64) = cuMemPoolDestroy(pool);
        fn hipMemPoolTrimTo(pool: u64, keep: usize) = cuMemPoolTrimTo(pool, keep);
        fn hipMemPoolGetAttribute(pool: u64, attribute: c_int, value: *mut c_void) =
            cuMemPoolGetAttribute(pool, attribute, value);
        fn hipMemPrefetchAsync(address: u64, bytes: usize, device: c_int, stream: u64) =
            cuMemPrefetchAsync(address, bytes, device, stream);
        fn hipMemAdvise(address: u64, bytes: usize, advice: c_int, device: c_int) =
            cuMemAdvise(address, bytes, advice, device);
        fn hipStreamCreateWithPriority(stream: *mut u64, flags: c_uint, priority: c_int) =
            cuStreamCreateWithPriority(stream, flags, priority);
        fn hipStreamDestroy(stream: u64) = cuStreamDestroy_v2(stream);
        fn hipStreamSynchronize(stream: u64) = cuStreamSynchronize(stream);
        fn hipStreamQuery(stream: u64) = cuStreamQuery(stream);
        fn hipStreamWaitEvent(stream: u64, event: u64, flags: c_uint) = cuStreamWaitEvent(stream, event, flags);
        fn hipStreamGetFlags(stream: u64, flags: *mut c_uint) = cuStreamGetFlags(stream, flags);
        fn hipStreamGetPriority(stream: u64, priority: *mut c_int) = cuStreamGetPriority(stream, priority);
        fn hipLaunchHostFunc(stream: u64, function: extern "C" fn(*mut c_void), argument: *mut c_void) =
            cuLaunchHostFunc(stream, function, argument);
        fn hipEventCreateWithFlags(event: *mut u64, flags: c_uint) = cuEventCreate(event, flags & 7);
        fn hipEventDestroy(event: u64) = cuEventDestroy_v2(event);
        fn hipEventRecord(event: u64, stream: u64) = cuEventRecord(event, stream);
        fn hipEventSynchronize(event: u64) = cuEventSynchronize(event);
        fn hipEventQuery(event: u64) = cuEventQuery(event);
        fn hipEventElapsedTime(milliseconds: *mut f32, start: u64, end: u64) =
            cuEventElapsedTime(milliseconds, start, end);
        fn hipStreamBeginCapture(stream: u64, mode: c_int) = cuStreamBeginCapture_v2(stream, mode);
        fn hipStreamEndCapture(stream: u64, graph: *mut u64) = cuStreamEndCapture(stream, graph);
        fn hipStreamGetCaptureInfo_v2(
            stream: u64,
            status: *mut c_int,
            id: *mut u64,
            graph: *mut u64,
            dependencies: *mut *const u64,
            count: *mut usize,
        ) = cuStreamGetCaptureInfo_v2(stream, status, id, graph, dependencies, count);
        fn hipStreamUpdateCaptureDependencies(stream: u64, nodes: *const u64, count: usize, flags: c_uint) =
            cuStreamUpdateCaptureDependencies(stream, nodes, count, flags);
        fn hipGraphAddChildGraphNode(node: *mut u64, graph: u64, after: *const u64, count: usize, child: u64) =
            cuGraphAddChildGraphNode(node, graph, after, count, child);
        fn hipGraphInstantiateWithFlags(executable: *mut u64, graph: u64, flags: u64) =
            cuGraphInstantiateWithFlags(executable, graph, flags);
        fn hipGraphLaunch(executable: u64, stream: u64) = cuGraphLaunch(executable, stream);
        fn hipGraphUpload(executable: u64, stream: u64) = cuGraphUpload(executable, stream);
        fn hipGraphDebugDotPrint(graph: u64, path: *const c_char, flags: c_uint) =
            cuGraphDebugDotPrint(graph, path, flags);
        fn hipGraphDestroy(graph: u64) = cuGraphDestroy(graph);
        fn hipGraphExecDestroy(executable: u64) = cuGraphExecDestroy(executable);
        fn hipModuleLoadData(module: *mut u64, image: *const c_void) = cuModuleLoadData(module, image);
        fn hipModuleUnload(module: u64) = cuModuleUnload(module);
        fn hipModuleGetFunction(function: *mut u64, module: u64, name: *const c_char) =
            cuModuleGetFunction(function, module, name);
        fn hipModuleGetGlobal(address: *mut u64, bytes: *mut usize, module: u64, name: *const c_char) =
            cuModuleGetGlobal_v2(address, bytes, module, name);
        fn hipFuncGetAttribute(value: *mut c_int, attribute: c_int, function: u64) =
            cuFuncGetAttribute(value, attribute, function);
        fn hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
            blocks: *mut c_int,
            function: u64,
            threads: c_int,
            shared: usize,
        ) = cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared);
    }
}

/// AMD's kernels may have all of a block's memory without asking.
fn allow_shared(function: u64, shared: c_uint) -> Outcome {
    const MAX_DYNAMIC_SHARED: c_int = 8;
    if shared > 64 << 10 {
        return Err(INVALID_VALUE);
    }
    code::set_attribute(function, MAX_DYNAMIC_SHARED, 64 << 10)
}

pub(crate) fn checked(status: Status) -> Outcome {
    if status == 0 { Ok(()) } else { Err(status) }
}

export! {
    Nothing => {
        fn hipDriverGetVersion(number: *mut c_int) {
            give(number, version())?;
        }
        fn hipRuntimeGetVersion(number: *mut c_int) {
            give(number, version())?;
        }
    }
    Driver => {
        fn hipDeviceGetAttribute(value: *mut c_int, number: c_uint, device: c_int) {
            give(value, attribute(number, device)?)?;
        }
        fn hipSetDevice(device: c_int) {
            set_current(Some(device::checked(device)?));
        }
        fn hipGetDevice(device: *mut c_int) {
            give(device, current().unwrap_or(0) as c_int)?;
        }
        fn hipGetDevicePropertiesR0600(to: *mut hip::hipDeviceProp_tR0600, device: c_int) {
            properties!(to, hip::hipDeviceProp_tR0600, device);
        }
    }
    Device => {
        // What ROCm 7 answers.
        fn hipProfilerStart() {
            checked(NOT_SUPPORTED)?;
        }
        fn hipProfilerStop() {
            checked(NOT_SUPPORTED)?;
        }
        fn hipPointerGetAttribute(value: *mut c_void, attribute: c_int, address: u64) {
            const MEMORY_TYPE: c_int = 2;
            let block = memory::find(address).ok_or(INVALID_VALUE)?;
            if attribute == MEMORY_TYPE && block.kind == Kind::Managed {
                return give(value.cast(), 3u32);
            }
            checked(cuPointerGetAttribute(value, attribute, address))?;
        }
        fn hipMemcpy2DAsync(
            to: u64,
            to_pitch: usize,
            from: u64,
            from_pitch: usize,
            width: usize,
            rows: usize,
            _kind: c_uint,
            stream: u64,
        ) {
            if width == 0 || rows == 0 {
                return Ok(());
            }
            if to_pitch < width || from_pitch < width {
                return Err(INVALID_VALUE);
            }
            let target = memory::check(to, (rows - 1) * to_pitch + width)?;
            let source = memory::check(from, (rows - 1) * from_pitch + width)?;
            let place = queue::submit(stream, Work::Rows { to, to_pitch, from, from_pitch, width, rows })?;
            if target.is_none() || source.is_none() {
                queue::wait(place)?;
            }
        }
        fn hipModuleLaunchKernel(
            function: u64,
            grid_x: c_uint,
            grid_y: c_uint,
            grid_z: c_uint,
            block_x: c_uint,
            block_y: c_uint,
            block_z: c_uint,
            shared: c_uint,
            stream: u64,
            parameters: *mut *mut c_void,
            extra: *mut *mut c_void,
        ) {
            allow_shared(function, shared)?;
            let status = cuLaunchKernel(
                function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, parameters, extra,
            );
            checked(status)?;
        }
        fn hipModuleLaunchCooperativeKernel(
            function: u64,
            grid_x: c_uint,
            grid_y: c_uint,
            grid_z: c_uint,
            block_x: c_uint,
            block_y: c_uint,
            block_z: c_uint,
            shared: c_uint,
            stream: u64,
            parameters: *mut *mut c_void,
        ) {
            allow_shared(function, shared)?;
            let status = cuLaunchCooperativeKernel(
                function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, parameters,
            );
            checked(status)?;
        }
    }
}
