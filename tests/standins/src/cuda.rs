//! The functions of `libcuda.so.1`.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

use cuproxide_hal::RawLaunch;

use crate::calls::{current, export, give, set_current};
use crate::capture::{self, forbid_danger};
use crate::compiler::text;
use crate::memory::{self, Kind};
use crate::queue::{self, Source, Work};
use crate::status::*;
use crate::{code, device};

/// A context is its device's number and this.
const CONTEXT: usize = 0x00c0_0000;
/// The first pool of a device, likewise.
const POOL: u64 = 0x00b0_0000;
/// The pool that a device allocates from, if it is another.
static CHOSEN: AtomicU64 = AtomicU64::new(0);

type Context = *mut c_void;

/// The context of a device.
pub(crate) fn context(device: usize) -> Context {
    (CONTEXT + device) as Context
}

fn device_of(context: Context) -> Outcome<usize> {
    let device = (context as usize).checked_sub(CONTEXT).filter(|&device| device < device::devices());
    device.ok_or(INVALID_CONTEXT)
}

fn first_pool(ordinal: c_int) -> Outcome<u64> {
    Ok(POOL + device::checked(ordinal)? as u64)
}

fn chosen_pool(ordinal: c_int) -> Outcome<u64> {
    match CHOSEN.load(Ordering::Relaxed) {
        0 => first_pool(ordinal),
        pool => Ok(pool),
    }
}

/// Writes a text of at most so many bytes, with a zero byte at its end.
///
/// # Safety
/// The address is good for `length` bytes.
unsafe fn give_text(to: *mut c_char, length: c_int, text: &str) -> Outcome {
    if to.is_null() || length <= 0 {
        return Err(INVALID_VALUE);
    }
    let count = text.len().min(length as usize - 1);
    // SAFETY: the caller's promise.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), to.cast(), count);
        to.add(count).write(0);
    }
    Ok(())
}

/// Queues a copy. Pageable memory is read at once, unless the stream captures; where it is written, the copy is waited
/// for.
///
/// # Safety
/// Ranges outside of blocks are the program's own memory.
unsafe fn copy(to: u64, from: u64, bytes: usize, stream: u64) -> Outcome {
    if bytes == 0 {
        return Ok(());
    }
    let target = memory::check(to, bytes)?;
    let source = memory::check(from, bytes)?;
    let captures = capture::info(stream)?.status != 0;
    let from = if source.is_none() && !captures {
        // SAFETY: the caller's promise.
        Source::Staged(unsafe { std::slice::from_raw_parts(from as *const u8, bytes) }.into())
    } else {
        Source::Address(from)
    };
    let place = queue::submit(stream, Work::Copy { to, from, bytes })?;
    if target.is_none() { queue::wait(place) } else { Ok(()) }
}

/// The function's own form of a launch.
unsafe fn launch(function: u64, geometry: RawLaunch, stream: u64, parameters: *mut *mut c_void) -> Outcome {
    // SAFETY: the caller of the driver's promise.
    let launch = unsafe { code::Launch::new(function, geometry, parameters) }?;
    queue::submit(stream, Work::Launch(launch.into())).map(drop)
}

/// `CUmemLocation`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Location {
    kind: c_int,
    id: c_int,
}

/// `CUDA_MEMCPY2D`, of which arrays are not served.
#[repr(C)]
pub(crate) struct Copy2D {
    src_x: usize,
    src_y: usize,
    src_kind: c_uint,
    src_host: u64,
    src_device: u64,
    src_array: u64,
    src_pitch: usize,
    dst_x: usize,
    dst_y: usize,
    dst_kind: c_uint,
    dst_host: u64,
    dst_device: u64,
    dst_array: u64,
    dst_pitch: usize,
    width: usize,
    height: usize,
}

/// One end of it: its first address, its pitch, and whether it may lie in memory of the program's own.
fn end(kind: c_uint, host: u64, device: u64, (x, y): (usize, usize), pitch: usize) -> Outcome<u64> {
    const HOST: c_uint = 1;
    const DEVICE: c_uint = 2;
    const UNIFIED: c_uint = 4;
    let offset = (y * pitch + x) as u64;
    match kind {
        HOST => Ok(host + offset),
        DEVICE | UNIFIED => memory::check_device(device + offset, 1).map(|_| device + offset),
        _ => Err(NOT_SUPPORTED),
    }
}

/// What is asked of managed memory only.
fn managed(address: u64, bytes: usize) -> Outcome {
    match memory::check_device(address, bytes)?.kind {
        Kind::Managed => Ok(()),
        _ => Err(INVALID_VALUE),
    }
}

fn advise(address: u64, bytes: usize, advice: c_int) -> Outcome {
    if !(1..=6).contains(&advice) {
        return Err(INVALID_VALUE);
    }
    managed(address, bytes)
}

fn prefetch(address: u64, bytes: usize, stream: u64) -> Outcome {
    managed(address, bytes)?;
    queue::submit(stream, Work::Nothing).map(drop)
}

export! {
    Nothing => {
        fn cuInit(flags: c_uint) {
            if flags != 0 {
                return Err(INVALID_VALUE);
            }
            if device::devices() == 0 {
                return Err(NO_DEVICE);
            }
            device::initialise();
        }
        fn cuDriverGetVersion(version: *mut c_int) {
            give(version, device::version())?;
        }
        fn cuGetErrorName(code: c_int, name: *mut *const c_char) {
            give(name, words(code).ok_or(INVALID_VALUE)?.0.as_ptr().cast())?;
        }
        fn cuGetErrorString(code: c_int, name: *mut *const c_char) {
            give(name, words(code).ok_or(INVALID_VALUE)?.1.as_ptr().cast())?;
        }
    }
    Driver => {
        fn cuDeviceGetCount(count: *mut c_int) {
            give(count, device::devices() as c_int)?;
        }
        fn cuDeviceGet(device: *mut c_int, ordinal: c_int) {
            give(device, device::checked(ordinal)? as c_int)?;
        }
        fn cuDeviceGetName(name: *mut c_char, length: c_int, device: c_int) {
            device::checked(device)?;
            give_text(name, length, "Stand-in for a GPU")?;
        }
        fn cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int) {
            device::checked(device)?;
            give(bytes, device::total_memory())?;
        }
        fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int) {
            give(value, device::attribute(attribute, device::checked(device)?)?)?;
        }
        fn cuDeviceGetPCIBusId(text: *mut c_char, length: c_int, device: c_int) {
            let device = device::checked(device)?;
            give_text(text, length, &format!("0000:{:02X}:00.0", device + 1))?;
        }
        fn cuDevicePrimaryCtxRetain(to: *mut Context, device: c_int) {
            give(to, context(device::checked(device)?))?;
        }
        fn cuCtxGetCurrent(to: *mut Context) {
            give(to, current().map_or(std::ptr::null_mut(), context))?;
        }
        fn cuCtxSetCurrent(context: Context) {
            set_current(if context.is_null() { None } else { Some(device_of(context)?) });
        }
        fn cuThreadExchangeStreamCaptureMode(mode: *mut c_int) {
            if mode.is_null() {
                return Err(INVALID_VALUE);
            }
            *mode = capture::exchange_mode(*mode)?;
        }
        fn cuDeviceCanAccessPeer(can: *mut c_int, device: c_int, peer: c_int) {
            let (device, peer) = (device::checked(device)?, device::checked(peer)?);
            give(can, c_int::from(device != peer))?;
        }
        fn cuDeviceGetDefaultMemPool(pool: *mut u64, device: c_int) {
            give(pool, first_pool(device)?)?;
        }
        fn cuDeviceGetMemPool(pool: *mut u64, device: c_int) {
            give(pool, chosen_pool(device)?)?;
        }
        fn cuDeviceSetMemPool(device: c_int, pool: u64) {
            CHOSEN.store(if pool == first_pool(device)? { 0 } else { pool }, Ordering::Relaxed);
        }
    }
    Context => {
        fn cuCtxSynchronize() {
            queue::synchronize(current()?)?;
        }
        fn cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) {
            give(least, 0)?;
            give(greatest, -5)?;
        }
        fn cuCtxGetLimit(value: *mut usize, limit: c_int) {
            give(value, device::limit(limit)?)?;
        }
        fn cuCtxSetLimit(limit: c_int, value: usize) {
            device::set_limit(limit, value)?;
        }
        fn cuCtxEnablePeerAccess(peer: Context, flags: c_uint) {
            if device_of(peer)? == current()? || flags != 0 {
                return Err(INVALID_VALUE);
            }
            device::enable_peer(current()?, device_of(peer)?)?;
        }
        fn cuCtxDisablePeerAccess(peer: Context) {
            device::disable_peer(current()?, device_of(peer)?)?;
        }
        fn cuProfilerStart() {}
        fn cuProfilerStop() {}

        fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) {
            let all = device::total_memory();
            give(free, all - memory::used(current()?))?;
            give(total, all)?;
        }
        fn cuMemAlloc_v2(address: *mut u64, bytes: usize) {
            forbid_danger()?;
            give(address, memory::allocate(current()?, bytes, Kind::Device, 0)?)?;
        }
        fn cuMemAllocManaged(address: *mut u64, bytes: usize, flags: c_uint) {
            forbid_danger()?;
            if !matches!(flags, 1 | 2) {
                return Err(INVALID_VALUE);
            }
            give(address, memory::allocate(current()?, bytes, Kind::Managed, 0)?)?;
        }
        fn cuMemFree_v2(address: u64) {
            forbid_danger()?;
            if address == 0 {
                return Ok(());
            }
            let block = memory::find(address).ok_or(INVALID_VALUE)?;
            // As the driver does, whatever uses the memory still is finished first.
            queue::drain(block.device)?;
            memory::free(address, &[Kind::Device, Kind::Managed])?;
        }
        fn cuMemHostAlloc(address: *mut *mut c_void, bytes: usize, flags: c_uint) {
            forbid_danger()?;
            if flags > 7 {
                return Err(INVALID_VALUE);
            }
            give(address, memory::allocate(current()?, bytes, Kind::Host, 0)? as *mut c_void)?;
        }
        fn cuMemFreeHost(address: *mut c_void) {
            forbid_danger()?;
            queue::drain(current()?)?;
            memory::free(address as u64, &[Kind::Host])?;
        }
        fn cuMemHostGetDevicePointer_v2(to: *mut u64, host: *mut c_void, flags: c_uint) {
            if flags != 0 {
                return Err(INVALID_VALUE);
            }
            memory::check_device(host as u64, 1)?;
            give(to, host as u64)?;
        }
        fn cuMemHostRegister_v2(address: *mut c_void, bytes: usize, _flags: c_uint) {
            forbid_danger()?;
            memory::register(address as u64, bytes)?;
        }
        fn cuMemHostUnregister(address: *mut c_void) {
            forbid_danger()?;
            queue::drain(current()?)?;
            memory::unregister(address as u64)?;
        }
        fn cuPointerGetAttribute(value: *mut c_void, attribute: c_int, address: u64) {
            let block = memory::find(address).ok_or(INVALID_VALUE)?;
            let host = matches!(block.kind, Kind::Host | Kind::Registered);
            match attribute {
                1 => give(value.cast(), context(block.device))?,
                2 => give(value.cast(), if host { 1u32 } else { 2 })?,
                3 => give(value.cast(), address)?,
                4 if block.kind == Kind::Device => return Err(INVALID_VALUE),
                4 => give(value.cast(), address)?,
                8 => give(value.cast(), u32::from(block.kind == Kind::Managed))?,
                9 => give(value.cast(), block.device as c_int)?,
                11 => give(value.cast(), block.start)?,
                12 => give(value.cast(), block.bytes)?,
                _ => return Err(INVALID_VALUE),
            }
        }
        fn cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, bytes: usize, stream: u64) {
            if bytes > 0 {
                memory::check_device(to, bytes)?;
            }
            copy(to, from as u64, bytes, stream)?;
        }
        fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: u64, bytes: usize, stream: u64) {
            if bytes > 0 {
                memory::check_device(from, bytes)?;
            }
            copy(to as u64, from, bytes, stream)?;
        }
        fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: u64) {
            if bytes > 0 {
                memory::check_device(to, bytes)?;
                memory::check_device(from, bytes)?;
            }
            copy(to, from, bytes, stream)?;
        }
        fn cuMemcpyAsync(to: u64, from: u64, bytes: usize, stream: u64) {
            copy(to, from, bytes, stream)?;
        }
        fn cuMemcpyPeerAsync(to: u64, to_context: Context, from: u64, from_context: Context, bytes: usize, stream: u64) {
            if bytes > 0 {
                let (to, from) = (memory::check_device(to, bytes)?, memory::check_device(from, bytes)?);
                if to.device != device_of(to_context)? || from.device != device_of(from_context)? {
                    return Err(INVALID_VALUE);
                }
            }
            copy(to, from, bytes, stream)?;
        }
        fn cuMemcpy2DAsync_v2(request: *const Copy2D, stream: u64) {
            let Copy2D { width, height, src_pitch, dst_pitch, .. } = *request;
            let request = &*request;
            if width == 0 || height == 0 {
                return Ok(());
            }
            if src_pitch < width || dst_pitch < width {
                return Err(INVALID_VALUE);
            }
            let source = (request.src_x, request.src_y);
            let from = end(request.src_kind, request.src_host, request.src_device, source, src_pitch)?;
            let target = (request.dst_x, request.dst_y);
            let to = end(request.dst_kind, request.dst_host, request.dst_device, target, dst_pitch)?;
            memory::check(from, (height - 1) * src_pitch + width)?;
            memory::check(to, (height - 1) * dst_pitch + width)?;
            let rows = Work::Rows { to, to_pitch: dst_pitch, from, from_pitch: src_pitch, width, rows: height };
            let place = queue::submit(stream, rows)?;
            // Pageable memory on either side is finished with when the call returns.
            if memory::find(from).is_none() || memory::find(to).is_none() {
                queue::wait(place)?;
            }
        }
        fn cuMemsetD8Async(to: u64, value: u8, bytes: usize, stream: u64) {
            if bytes > 0 {
                memory::check_device(to, bytes)?;
                queue::submit(stream, Work::Fill { to, value: vec![value], count: bytes })?;
            }
        }
        fn cuMemAllocAsync(address: *mut u64, bytes: usize, stream: u64) {
            let pool = chosen_pool(current()? as c_int)?;
            queue::submit(stream, Work::Nothing)?;
            give(address, memory::allocate(current()?, bytes, Kind::Device, pool)?)?;
        }
        fn cuMemAllocFromPoolAsync(address: *mut u64, bytes: usize, pool: u64, stream: u64) {
            device::check_pool(pool, POOL)?;
            queue::submit(stream, Work::Nothing)?;
            give(address, memory::allocate(current()?, bytes, Kind::Device, pool)?)?;
        }
        fn cuMemFreeAsync(address: u64, stream: u64) {
            if memory::check_device(address, 1)?.start != address {
                return Err(INVALID_VALUE);
            }
            queue::submit(stream, Work::Free(address))?;
        }
        fn cuMemPoolCreate(pool: *mut u64, _properties: *const c_void) {
            give(pool, device::create_pool())?;
        }
        fn cuMemPoolDestroy(pool: u64) {
            device::destroy_pool(pool)?;
            let _ = CHOSEN.compare_exchange(pool, 0, Ordering::Relaxed, Ordering::Relaxed);
        }
        fn cuMemPoolTrimTo(pool: u64, _keep: usize) {
            device::check_pool(pool, POOL)?;
        }
        fn cuMemPoolGetAttribute(pool: u64, attribute: c_int, value: *mut c_void) {
            device::check_pool(pool, POOL)?;
            match attribute {
                // Nothing is kept back, so what is reserved is in use.
                5..=8 => give(value.cast(), memory::used_of_pool(pool) as u64)?,
                4 => give(value.cast(), 0u64)?,
                1..=3 => give(value.cast(), 1 as c_int)?,
                _ => return Err(INVALID_VALUE),
            }
        }
        fn cuMemPrefetchAsync_v2(address: u64, bytes: usize, _place: Location, _flags: c_uint, stream: u64) {
            prefetch(address, bytes, stream)?;
        }
        fn cuMemPrefetchAsync(address: u64, bytes: usize, _device: c_int, stream: u64) {
            prefetch(address, bytes, stream)?;
        }
        fn cuMemAdvise_v2(address: u64, bytes: usize, advice: c_int, _place: Location) {
            advise(address, bytes, advice)?;
        }
        fn cuMemAdvise(address: u64, bytes: usize, advice: c_int, _device: c_int) {
            advise(address, bytes, advice)?;
        }

        fn cuStreamCreateWithPriority(stream: *mut u64, flags: c_uint, priority: c_int) {
            if flags > 1 {
                return Err(INVALID_VALUE);
            }
            give(stream, queue::create_stream(current()?, flags == 1, priority))?;
        }
        fn cuStreamDestroy_v2(stream: u64) {
            queue::destroy_stream(stream)?;
        }
        fn cuStreamSynchronize(stream: u64) {
            queue::synchronize_stream(stream)?;
        }
        fn cuStreamQuery(stream: u64) {
            queue::query_stream(stream)?;
        }
        fn cuStreamWaitEvent(stream: u64, event: u64, _flags: c_uint) {
            queue::wait_event(stream, event)?;
        }
        fn cuStreamGetFlags(stream: u64, flags: *mut c_uint) {
            let mut state = queue::state();
            let id = state.resolve(stream)?;
            give(flags, c_uint::from(state.streams[&id].non_blocking))?;
        }
        fn cuStreamGetPriority(stream: u64, priority: *mut c_int) {
            let mut state = queue::state();
            let id = state.resolve(stream)?;
            give(priority, state.streams[&id].priority)?;
        }
        fn cuLaunchHostFunc(stream: u64, function: extern "C" fn(*mut c_void), argument: *mut c_void) {
            queue::submit(stream, Work::Call { function, argument: argument as u64 })?;
        }
        fn cuEventCreate(event: *mut u64, flags: c_uint) {
            if flags > 7 {
                return Err(INVALID_VALUE);
            }
            give(event, queue::create_event(flags & 2 == 0))?;
        }
        fn cuEventDestroy_v2(event: u64) {
            queue::destroy_event(event)?;
        }
        fn cuEventRecord(event: u64, stream: u64) {
            queue::record(event, stream)?;
        }
        fn cuEventSynchronize(event: u64) {
            queue::synchronize_event(event)?;
        }
        fn cuEventQuery(event: u64) {
            queue::query_event(event)?;
        }
        fn cuEventElapsedTime(milliseconds: *mut f32, start: u64, end: u64) {
            give(milliseconds, queue::elapsed(start, end)?)?;
        }

        fn cuStreamBeginCapture_v2(stream: u64, mode: c_int) {
            capture::begin(stream, mode)?;
        }
        fn cuStreamEndCapture(stream: u64, graph: *mut u64) {
            give(graph, capture::end(stream)?)?;
        }
        fn cuStreamGetCaptureInfo_v2(
            stream: u64,
            status: *mut c_int,
            id: *mut u64,
            graph: *mut u64,
            dependencies: *mut *const u64,
            count: *mut usize,
        ) {
            let info = capture::info(stream)?;
            give(status, info.status)?;
            if !id.is_null() {
                give(id, info.id)?;
            }
            if !graph.is_null() {
                give(graph, info.graph)?;
            }
            if !dependencies.is_null() {
                give(dependencies, info.front.0)?;
            }
            if !count.is_null() {
                give(count, info.front.1)?;
            }
        }
        fn cuStreamUpdateCaptureDependencies(stream: u64, nodes: *const u64, count: usize, flags: c_uint) {
            let nodes = if count == 0 { &[] } else { std::slice::from_raw_parts(nodes, count) };
            capture::update_front(stream, nodes, flags == 1)?;
        }
        fn cuGraphAddChildGraphNode(node: *mut u64, graph: u64, after: *const u64, count: usize, child: u64) {
            let after = if count == 0 { &[] } else { std::slice::from_raw_parts(after, count) };
            give(node, capture::add_graph(graph, after, child)?)?;
        }
        fn cuGraphInstantiateWithFlags(executable: *mut u64, graph: u64, _flags: u64) {
            give(executable, capture::instantiate(graph)?)?;
        }
        fn cuGraphLaunch(executable: u64, stream: u64) {
            let works = capture::executable(executable)?;
            queue::submit(stream, Work::Graph(works))?;
        }
        fn cuGraphUpload(executable: u64, stream: u64) {
            capture::executable(executable)?;
            queue::submit(stream, Work::Nothing)?;
        }
        fn cuGraphDebugDotPrint(graph: u64, path: *const c_char, _flags: c_uint) {
            std::fs::write(text(path), capture::dot(graph)?).map_err(|_| INVALID_VALUE)?;
        }
        fn cuGraphDestroy(graph: u64) {
            capture::destroy(graph)?;
        }
        fn cuGraphExecDestroy(executable: u64) {
            capture::destroy_executable(executable)?;
        }

        fn cuModuleLoadData(module: *mut u64, image: *const c_void) {
            forbid_danger()?;
            // As the driver does, here and where it unloads.
            queue::drain(current()?)?;
            give(module, code::load(image.cast())?)?;
        }
        fn cuModuleUnload(module: u64) {
            queue::drain(current()?)?;
            code::unload(module)?;
        }
        fn cuModuleGetFunction(function: *mut u64, module: u64, name: *const c_char) {
            give(function, code::function(module, &text(name))?)?;
        }
        fn cuModuleGetGlobal_v2(address: *mut u64, bytes: *mut usize, module: u64, name: *const c_char) {
            let (found, size) = code::global(module, &text(name))?;
            give(address, found)?;
            give(bytes, size)?;
        }
        fn cuFuncGetAttribute(value: *mut c_int, attribute: c_int, function: u64) {
            give(value, code::attribute(function, attribute)?)?;
        }
        fn cuFuncSetAttribute(function: u64, attribute: c_int, value: c_int) {
            code::set_attribute(function, attribute, value)?;
        }
        fn cuFuncGetParamCount(function: u64, count: *mut usize) {
            give(count, code::parameters(function)?)?;
        }
        fn cuFuncGetParamInfo(function: u64, index: usize, offset: *mut usize, bytes: *mut usize) {
            let (start, size) = code::parameter(function, index)?;
            give(offset, start)?;
            give(bytes, size)?;
        }
        fn cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks: *mut c_int, function: u64, threads: c_int, shared: usize) {
            code::attribute(function, 0)?;
            give(blocks, device::occupancy(threads, shared)?)?;
        }
        fn cuLaunchKernel(
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
            if !extra.is_null() {
                return Err(NOT_SUPPORTED);
            }
            let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
            launch(function, RawLaunch { grid, block, shared, cooperative: false }, stream, parameters)?;
        }
        fn cuLaunchCooperativeKernel(
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
            let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
            launch(function, RawLaunch { grid, block, shared, cooperative: true }, stream, parameters)?;
        }
    }
}
