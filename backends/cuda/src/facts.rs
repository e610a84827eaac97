//! What the driver tells about a device.

use std::ffi::CStr;

use cudarc::driver::sys::CUdevice_attribute as Attribute;
use cuproxide_gpu::{Driver, Target};
use cuproxide_hal::{DeviceId, DeviceInfo, Result};

use crate::compiler::Architecture;

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

/// DLPack's codes of CUDA and of its managed memory.
const DLPACK_CUDA: i32 = 2;
const DLPACK_MANAGED: i32 = 13;

/// What is known about a device, and what is compiled for it.
pub(crate) fn describe(driver: &Driver, device: i32, ordinal: usize) -> Result<(DeviceInfo, Target)> {
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
    let target = architecture.target(true);
    let info = DeviceInfo {
        id: DeviceId { backend: "cuda", ordinal },
        name,
        architecture: target.name.to_owned(),
        total_memory,
        warp_size: read(CU_DEVICE_ATTRIBUTE_WARP_SIZE),
        processors: read(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
        row_bytes: cuproxide_codegen::ROW_BYTES,
        host_addressable: false,
        asynchronous: true,
        writes_in_order: false,
        array_interface: true,
        dlpack_type: DLPACK_CUDA,
        dlpack_also: &[DLPACK_MANAGED],
        // 0 would mean the same as none.
        dlpack_default_stream: 1,
        capability: Some((architecture.major, architecture.minor)),
        attributes,
    };
    Ok((info, target))
}
