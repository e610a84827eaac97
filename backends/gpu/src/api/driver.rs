//! The driver.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use cuproxide_hal::{Error, Result};

use super::types::{ArrayDescriptor, Copy2D, Copy3D, Handle, Location, PoolProperties, Resource, TextureDescriptor};
use crate::table;
use crate::unfinished;

/// A context: whatever says which device calls go to.
pub type Context = *mut c_void;

/// Status: the driver has no memory to give.
pub const OUT_OF_MEMORY: i64 = 2;
/// Status: no device is present.
pub const NO_DEVICE: i64 = 100;
/// Status: work is still going on.
pub const NOT_READY: i32 = 600;
/// Status: the device or this version of the driver cannot do it.
pub const NOT_SUPPORTED: i64 = 801;

table! {
    /// The driver's functions, by the names that CUDA gives them. Symbols with a version suffix are
    /// the current ones; the plain names are older forms.
    Driver {
        fn init = cuInit(flags: c_uint);
        fn driver_version = cuDriverGetVersion(version: *mut c_int);
        fn device_count = cuDeviceGetCount(count: *mut c_int);
        fn device_get = cuDeviceGet(device: *mut c_int, ordinal: c_int);
        fn device_name = cuDeviceGetName(name: *mut c_char, length: c_int, device: c_int);
        fn device_memory = cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int);
        fn device_attribute = cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int);
        fn device_pci = cuDeviceGetPCIBusId(text: *mut c_char, length: c_int, device: c_int);
        fn context_retain = cuDevicePrimaryCtxRetain(context: *mut Context, device: c_int);
        fn context_current = cuCtxGetCurrent(context: *mut Context);
        fn context_set = cuCtxSetCurrent(context: Context);
        fn context_synchronize = cuCtxSynchronize();
        fn stream_priorities = cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int);
        fn memory_info = cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
        fn allocate = cuMemAlloc_v2(address: *mut u64, bytes: usize);
        fn free = cuMemFree_v2(address: u64);
        fn allocate_host = cuMemHostAlloc(address: *mut *mut c_void, bytes: usize, flags: c_uint);
        fn free_host = cuMemFreeHost(address: *mut c_void);
        fn host_device_address = cuMemHostGetDevicePointer_v2(device: *mut u64, host: *mut c_void, flags: c_uint);
        fn allocate_managed = cuMemAllocManaged(address: *mut u64, bytes: usize, flags: c_uint);
        fn copy_from_host = cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, bytes: usize, stream: u64);
        fn copy_to_host = cuMemcpyDtoHAsync_v2(to: *mut c_void, from: u64, bytes: usize, stream: u64);
        fn copy = cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: u64);
        fn copy_peer = cuMemcpyPeerAsync(to: u64, to_context: Context, from: u64, from_context: Context, bytes: usize, stream: u64);
        fn fill = cuMemsetD8Async(to: u64, value: u8, bytes: usize, stream: u64);
        fn stream_create = cuStreamCreateWithPriority(stream: *mut u64, flags: c_uint, priority: c_int);
        fn stream_destroy = cuStreamDestroy_v2(stream: u64);
        fn stream_synchronize = cuStreamSynchronize(stream: u64);
        fn stream_query = cuStreamQuery(stream: u64);
        fn stream_wait = cuStreamWaitEvent(stream: u64, event: u64, flags: c_uint);
        fn stream_flags = cuStreamGetFlags(stream: u64, flags: *mut c_uint);
        fn stream_priority = cuStreamGetPriority(stream: u64, priority: *mut c_int);
        fn launch_host = cuLaunchHostFunc(stream: u64, function: extern "C" fn(*mut c_void), argument: *mut c_void);
        fn capture_begin = cuStreamBeginCapture_v2(stream: u64, mode: c_int);
        fn capture_end = cuStreamEndCapture(stream: u64, graph: *mut u64);
        fn capture_info = cuStreamGetCaptureInfo_v2(
            stream: u64,
            status: *mut c_int,
            id: *mut u64,
            graph: *mut u64,
            dependencies: *mut *const u64,
            count: *mut usize,
        );
        fn capture_continue = cuStreamUpdateCaptureDependencies(
            stream: u64,
            dependencies: *const u64,
            count: usize,
            flags: c_uint,
        );
        fn graph_add_graph = cuGraphAddChildGraphNode(
            node: *mut u64,
            graph: u64,
            dependencies: *const u64,
            count: usize,
            child: u64,
        );
        fn exchange_capture_mode = cuThreadExchangeStreamCaptureMode(mode: *mut c_int);
        fn graph_instantiate = cuGraphInstantiateWithFlags(executable: *mut u64, graph: u64, flags: u64);
        fn graph_launch = cuGraphLaunch(executable: u64, stream: u64);
        fn graph_upload = cuGraphUpload(executable: u64, stream: u64);
        fn graph_dot = cuGraphDebugDotPrint(graph: u64, path: *const c_char, flags: c_uint);
        fn graph_destroy = cuGraphDestroy(graph: u64);
        fn graph_exec_destroy = cuGraphExecDestroy(executable: u64);
        fn pointer_attribute = cuPointerGetAttribute(value: *mut c_void, attribute: c_int, address: u64);
        fn limit_get = cuCtxGetLimit(value: *mut usize, limit: c_int);
        fn limit_set = cuCtxSetLimit(limit: c_int, value: usize);
        fn peer_can_access = cuDeviceCanAccessPeer(can: *mut c_int, device: c_int, peer: c_int);
        fn peer_enable = cuCtxEnablePeerAccess(peer: Context, flags: c_uint);
        fn peer_disable = cuCtxDisablePeerAccess(peer: Context);
        fn allocate_ordered = cuMemAllocAsync(address: *mut u64, bytes: usize, stream: u64);
        fn allocate_from_pool = cuMemAllocFromPoolAsync(address: *mut u64, bytes: usize, pool: u64, stream: u64);
        fn free_ordered = cuMemFreeAsync(address: u64, stream: u64);
        fn default_pool = cuDeviceGetDefaultMemPool(pool: *mut u64, device: c_int);
        fn current_pool = cuDeviceGetMemPool(pool: *mut u64, device: c_int);
        fn set_pool = cuDeviceSetMemPool(device: c_int, pool: u64);
        fn create_pool = cuMemPoolCreate(pool: *mut u64, properties: *const PoolProperties);
        fn destroy_pool = cuMemPoolDestroy(pool: u64);
        fn trim_pool = cuMemPoolTrimTo(pool: u64, keep: usize);
        fn pool_attribute = cuMemPoolGetAttribute(pool: u64, attribute: c_int, value: *mut c_void);
        fn host_register = cuMemHostRegister_v2(address: *mut c_void, bytes: usize, flags: c_uint);
        fn host_unregister = cuMemHostUnregister(address: *mut c_void);
        fn prefetch = cuMemPrefetchAsync_v2(address: u64, bytes: usize, place: Location, flags: c_uint, stream: u64);
        fn prefetch_12 = cuMemPrefetchAsync(address: u64, bytes: usize, device: c_int, stream: u64);
        fn advise = cuMemAdvise_v2(address: u64, bytes: usize, advice: c_int, place: Location);
        fn advise_12 = cuMemAdvise(address: u64, bytes: usize, advice: c_int, device: c_int);
        fn copy_2d = cuMemcpy2DAsync_v2(copy: *const Copy2D, stream: u64);
        fn copy_any = cuMemcpyAsync(to: u64, from: u64, bytes: usize, stream: u64);
        fn array_create = cuArray3DCreate_v2(array: *mut u64, descriptor: *const ArrayDescriptor);
        fn array_descriptor = cuArray3DGetDescriptor_v2(descriptor: *mut ArrayDescriptor, array: u64);
        fn array_destroy = cuArrayDestroy(array: u64);
        fn copy_3d = cuMemcpy3DAsync_v2(copy: *const Copy3D, stream: u64);
        fn texture_create = cuTexObjectCreate(
            texture: *mut u64,
            resource: *const Resource,
            sampling: *const TextureDescriptor,
            view: *const c_void,
        );
        fn texture_destroy = cuTexObjectDestroy(texture: u64);
        fn surface_create = cuSurfObjectCreate(surface: *mut u64, resource: *const Resource);
        fn surface_destroy = cuSurfObjectDestroy(surface: u64);
        fn ipc_share = cuIpcGetMemHandle(handle: *mut u8, address: u64);
        fn ipc_open = cuIpcOpenMemHandle_v2(address: *mut u64, handle: Handle, flags: c_uint);
        fn ipc_close = cuIpcCloseMemHandle(address: u64);
        fn ipc_share_event = cuIpcGetEventHandle(handle: *mut u8, event: u64);
        fn ipc_open_event = cuIpcOpenEventHandle(event: *mut u64, handle: Handle);
        fn profiler_start = cuProfilerStart();
        fn profiler_stop = cuProfilerStop();
        fn event_create = cuEventCreate(event: *mut u64, flags: c_uint);
        fn event_destroy = cuEventDestroy_v2(event: u64);
        fn event_record = cuEventRecord(event: u64, stream: u64);
        fn event_synchronize = cuEventSynchronize(event: u64);
        fn event_query = cuEventQuery(event: u64);
        fn event_elapsed = cuEventElapsedTime(milliseconds: *mut f32, start: u64, end: u64);
        fn module_load = cuModuleLoadData(module: *mut u64, image: *const c_void);
        fn module_unload = cuModuleUnload(module: u64);
        fn module_function = cuModuleGetFunction(function: *mut u64, module: u64, name: *const c_char);
        fn module_global = cuModuleGetGlobal_v2(address: *mut u64, bytes: *mut usize, module: u64, name: *const c_char);
        fn function_get = cuFuncGetAttribute(value: *mut c_int, attribute: c_int, function: u64);
        fn function_parameter_count = cuFuncGetParamCount(function: u64, count: *mut usize);
        fn function_parameter = cuFuncGetParamInfo(function: u64, index: usize, offset: *mut usize, bytes: *mut usize);
        fn function_set = cuFuncSetAttribute(function: u64, attribute: c_int, value: c_int);
        fn occupancy = cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks: *mut c_int, function: u64, block: c_int, shared: usize);
        fn launch = cuLaunchKernel(
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
        );
        fn launch_cooperative = cuLaunchCooperativeKernel(
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
        );
        fn error_name = cuGetErrorName(code: i32, name: *mut *const c_char);
        fn error_text = cuGetErrorString(code: i32, text: *mut *const c_char);
    }
}

impl Driver {
    /// The error for a status that is not success.
    #[cold]
    pub fn failure(&self, call: &'static str, code: i32) -> Error {
        let name = self.text(self.error_name, code);
        let message = self.text(self.error_text, code);
        if is_sticky(code) {
            let current = unfinished::current();
            let device = current.map_or(self.library.name.to_owned(), |id| id.to_string());
            let suspects = current.map(unfinished::named).unwrap_or_default();
            return Error::DeviceLost {
                device,
                message: format!("{call} returned {code} ({name}): {message}{suspects}"),
            };
        }
        Error::Call { call, code: code.into(), name, message }
    }

    fn text(&self, lookup: Option<unsafe extern "C" fn(i32, *mut *const c_char) -> i32>, code: i32) -> String {
        let Some(lookup) = lookup else { return "unknown".to_owned() };
        let mut text = std::ptr::null();
        // SAFETY: the driver stores a pointer to a static string, or leaves null for codes that it does not know.
        unsafe {
            if lookup(code, &mut text) != 0 || text.is_null() {
                return "unknown".to_owned();
            }
            CStr::from_ptr(text).to_string_lossy().into_owned()
        }
    }

    /// The highest version that the driver serves in CUDA's numbering, as (major, minor).
    pub fn version(&self) -> Result<(u32, u32)> {
        let mut version = 0;
        // SAFETY: the driver writes one integer.
        unsafe { self.driver_version(&mut version) }?;
        Ok((version as u32 / 1000, version as u32 % 1000 / 10))
    }
}

/// Errors after which every further call of the process fails the same way.
fn is_sticky(code: i32) -> bool {
    matches!(code, 214 | 220 | 226 | 700 | 702 | 710 | 714..=719)
}
