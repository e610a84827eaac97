//! What the driver tells about a device.

use std::ffi::CStr;

use cuproxide_gpu::{Driver, Target};
use cuproxide_hal::{DeviceId, DeviceInfo, Result};

use crate::api::attributes::{ATTRIBUTES, MAJOR, MINOR, PROCESSORS, WARP_SIZE};
use crate::compiler::Architecture;

/// Reads an attribute by the driver's number; 0 where the driver does not know it.
fn attribute(driver: &Driver, device: i32, number: i32) -> i32 {
    let mut value = 0;
    // SAFETY: the driver writes one integer.
    let read = unsafe { driver.device_attribute(&mut value, number, device) };
    read.map_or(0, |()| value)
}

/// DLPack's codes of CUDA and of its managed memory.
const DLPACK_CUDA: i32 = 2;
const DLPACK_MANAGED: i32 = 13;

/// What is known about a device, and what is compiled for it.
pub(crate) fn describe(driver: &Driver, device: i32, ordinal: usize) -> Result<(DeviceInfo, Target)> {
    let mut name = [0u8; 256];
    let mut total_memory = 0;
    // SAFETY: the driver writes a terminated string of at most the given length, and one integer.
    unsafe {
        driver.device_name(name.as_mut_ptr().cast(), name.len() as i32, device)?;
        driver.device_memory(&mut total_memory, device)?;
    }
    let name = CStr::from_bytes_until_nul(&name).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let read = |number| attribute(driver, device, number).max(0) as u32;
    let architecture = Architecture { major: read(MAJOR), minor: read(MINOR) };
    let attributes =
        ATTRIBUTES.iter().map(|&(name, number)| (name.to_owned(), attribute(driver, device, number).into())).collect();
    let target = architecture.target(true);
    let info = DeviceInfo {
        id: DeviceId { backend: "cuda", ordinal },
        name,
        architecture: target.name.to_owned(),
        total_memory,
        warp_size: read(WARP_SIZE),
        processors: read(PROCESSORS),
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
