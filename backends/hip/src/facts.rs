//! What the runtime tells about a device.

use std::ffi::CStr;

use cuproxide_gpu::{Driver, Target};
use cuproxide_hal::{DeviceId, DeviceInfo, Result};
use cuproxide_hip_sys::hip;

use crate::api::driver;
use crate::compiler;

/// Attributes: the names that CUDA's have, CUDA's numbers, AMD's. One that only AMD has keeps its number.
pub(crate) const ATTRIBUTES: [(&str, i32, hip::hipDeviceAttribute_t); 38] = [
    ("MaxThreadsPerBlock", 1, hip::hipDeviceAttributeMaxThreadsPerBlock),
    ("MaxBlockDimX", 2, hip::hipDeviceAttributeMaxBlockDimX),
    ("MaxBlockDimY", 3, hip::hipDeviceAttributeMaxBlockDimY),
    ("MaxBlockDimZ", 4, hip::hipDeviceAttributeMaxBlockDimZ),
    ("MaxGridDimX", 5, hip::hipDeviceAttributeMaxGridDimX),
    ("MaxGridDimY", 6, hip::hipDeviceAttributeMaxGridDimY),
    ("MaxGridDimZ", 7, hip::hipDeviceAttributeMaxGridDimZ),
    ("MaxSharedMemoryPerBlock", 8, hip::hipDeviceAttributeMaxSharedMemoryPerBlock),
    ("MaxSharedMemoryPerBlockOptin", 97, hip::hipDeviceAttributeSharedMemPerBlockOptin),
    ("MaxSharedMemoryPerMultiprocessor", 81, hip::hipDeviceAttributeSharedMemPerMultiprocessor),
    ("TotalConstantMemory", 9, hip::hipDeviceAttributeTotalConstantMemory),
    ("WarpSize", 10, hip::hipDeviceAttributeWarpSize),
    ("MaxRegistersPerBlock", 12, hip::hipDeviceAttributeMaxRegistersPerBlock),
    ("MaxRegistersPerMultiprocessor", 82, hip::hipDeviceAttributeMaxRegistersPerMultiprocessor),
    ("MaxThreadsPerMultiprocessor", 39, hip::hipDeviceAttributeMaxThreadsPerMultiProcessor),
    ("MaxBlocksPerMultiprocessor", 106, hip::hipDeviceAttributeMaxBlocksPerMultiProcessor),
    ("MultiprocessorCount", 16, hip::hipDeviceAttributeMultiprocessorCount),
    ("ClockRate", 13, hip::hipDeviceAttributeClockRate),
    ("MemoryClockRate", 36, hip::hipDeviceAttributeMemoryClockRate),
    ("GlobalMemoryBusWidth", 37, hip::hipDeviceAttributeMemoryBusWidth),
    ("L2CacheSize", 38, hip::hipDeviceAttributeL2CacheSize),
    ("Integrated", 18, hip::hipDeviceAttributeIntegrated),
    ("ConcurrentKernels", 31, hip::hipDeviceAttributeConcurrentKernels),
    ("AsyncEngineCount", 40, hip::hipDeviceAttributeAsyncEngineCount),
    ("ComputeMode", 20, hip::hipDeviceAttributeComputeMode),
    ("EccEnabled", 32, hip::hipDeviceAttributeEccEnabled),
    ("UnifiedAddressing", 41, hip::hipDeviceAttributeUnifiedAddressing),
    ("ManagedMemory", 83, hip::hipDeviceAttributeManagedMemory),
    ("ConcurrentManagedAccess", 89, hip::hipDeviceAttributeConcurrentManagedAccess),
    ("PageableMemoryAccess", 88, hip::hipDeviceAttributePageableMemoryAccess),
    ("CooperativeLaunch", 95, hip::hipDeviceAttributeCooperativeLaunch),
    ("PciBusId", 33, hip::hipDeviceAttributePciBusId),
    ("PciDeviceId", 34, hip::hipDeviceAttributePciDeviceId),
    ("PciDomainId", 50, hip::hipDeviceAttributePciDomainId),
    ("ComputeCapabilityMajor", 75, hip::hipDeviceAttributeComputeCapabilityMajor),
    ("ComputeCapabilityMinor", 76, hip::hipDeviceAttributeComputeCapabilityMinor),
    ("MemoryPoolsSupported", 115, hip::hipDeviceAttributeMemoryPoolsSupported),
    ("ImageSupport", hip::hipDeviceAttributeImageSupport as i32, hip::hipDeviceAttributeImageSupport),
];
/// CUDA's numbers of those that decide how kernels are written.
const WARP_SIZE: i32 = 10;
const PROCESSORS: i32 = 16;
const MAJOR: i32 = 75;
const MINOR: i32 = 76;
/// DLPack's code of ROCm.
const ROCM: i32 = 10;

/// What is known about a device, and what is compiled for it.
pub(crate) fn describe(driver: &Driver, device: i32, ordinal: usize) -> Result<(DeviceInfo, Target)> {
    let read = |number: i32| {
        let mut value = 0;
        // SAFETY: the runtime writes one integer.
        let read = unsafe { driver.device_attribute(&mut value, number, device) };
        read.map_or(0, |()| value)
    };
    let mut name = [0u8; 256];
    let mut total_memory = 0;
    // SAFETY: the runtime writes a terminated string of at most the given length, and one integer.
    unsafe {
        driver.device_name(name.as_mut_ptr().cast(), name.len() as i32, device)?;
        driver.device_memory(&mut total_memory, device)?;
    }
    let name = CStr::from_bytes_until_nul(&name).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let architecture = driver::architecture(device)?;
    let capability = (read(MAJOR).max(0) as u32, read(MINOR).max(0) as u32);
    let info = DeviceInfo {
        id: DeviceId { backend: "hip", ordinal },
        name: if name.is_empty() { compiler::plain(&architecture).to_owned() } else { name },
        architecture: architecture.clone(),
        total_memory,
        warp_size: read(WARP_SIZE).max(1) as u32,
        processors: read(PROCESSORS).max(1) as u32,
        row_bytes: cuproxide_cpp::ROW_BYTES,
        host_addressable: false,
        asynchronous: true,
        dlpack_type: ROCM,
        capability: Some(capability),
        attributes: ATTRIBUTES.iter().map(|&(name, number, _)| (name.to_owned(), read(number).into())).collect(),
    };
    Ok((info, Target::new(&architecture, true)))
}
