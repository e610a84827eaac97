//! What the runtime tells about a device.

use std::ffi::CStr;

use cuproxide_gpu::{Driver, Target};
use cuproxide_hal::{DeviceId, DeviceInfo, Result};

use crate::api::attributes::ATTRIBUTES;
use crate::api::driver;
use crate::compiler;

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
        row_bytes: cuproxide_codegen::ROW_BYTES,
        host_addressable: false,
        asynchronous: true,
        writes_in_order: false,
        array_interface: true,
        dlpack_type: ROCM,
        dlpack_also: &[],
        dlpack_default_stream: 0,
        capability: Some(capability),
        attributes: ATTRIBUTES.iter().map(|&(name, number, _)| (name.to_owned(), read(number).into())).collect(),
    };
    Ok((info, Target::new(&architecture, true)))
}
