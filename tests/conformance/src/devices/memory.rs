//! Allocation, copies and fills.

use cuproxide_hal::{Error, MemoryKind};

use super::Test;
use crate::rig::{Check, Rig, ensure};
use crate::samples::Random;

pub const TESTS: &[Test] = &[
    ("alignment", alignment),
    ("round_trip", round_trip),
    ("copy", copy),
    ("copy_from_peer", copy_from_peer),
    ("fill", fill),
    ("pinned", pinned),
    ("managed", managed),
    ("information", information),
    ("out_of_memory", out_of_memory),
];

const SIZES: [usize; 7] = [1, 3, 255, 256, 4097, 1 << 20, (1 << 22) + 5];

fn random_bytes(count: usize) -> Vec<u8> {
    let mut random = Random::new(count as u64);
    (0..count).map(|_| random.bits() as u8).collect()
}

fn alignment(rig: &Rig) -> Check {
    let buffers = SIZES.iter().map(|&bytes| rig.empty(bytes)).collect::<Result<Vec<_>, _>>()?;
    for (buffer, bytes) in buffers.iter().zip(SIZES) {
        ensure(buffer.ptr() != 0 && buffer.ptr() % 256 == 0, || format!("{bytes} bytes at {:#x}", buffer.ptr()))?;
    }
    Ok(())
}

fn round_trip(rig: &Rig) -> Check {
    for bytes in SIZES {
        let content = random_bytes(bytes);
        ensure(rig.upload(&content)?.download()? == content, || format!("{bytes} bytes came back different"))?;
    }
    Ok(())
}

fn copy(rig: &Rig) -> Check {
    for bytes in SIZES {
        let content = random_bytes(bytes + 3);
        let (source, target) = (rig.upload(&content)?, rig.upload(&vec![7; bytes + 3])?);
        // SAFETY: both buffers hold `bytes` from the first and third byte on.
        unsafe { rig.device.copy(&*rig.stream, target.ptr() + 1, source.ptr() + 3, bytes)? };
        let expected = [&[7], &content[3..], &[7, 7]].concat();
        ensure(target.download()? == expected, || format!("{bytes} bytes were copied wrongly"))?;
    }
    Ok(())
}

fn copy_from_peer(rig: &Rig) -> Check {
    let content = random_bytes(10_000);
    let (source, target) = (rig.upload(&content)?, rig.empty(10_000)?);
    // SAFETY: both buffers are of this device and 10000 bytes long.
    unsafe { rig.device.copy_from_peer(&*rig.stream, target.ptr(), &*rig.device, source.ptr(), 10_000)? };
    ensure(target.download()? == content, || "the copy differs".to_owned())
}

fn fill(rig: &Rig) -> Check {
    for bytes in SIZES {
        let buffer = rig.upload(&vec![1; bytes + 2])?;
        // SAFETY: the range lies within the buffer.
        unsafe { rig.device.fill(&*rig.stream, buffer.ptr() + 1, 0xa5, bytes)? };
        let expected = [&[1][..], &vec![0xa5; bytes], &[1]].concat();
        ensure(buffer.download()? == expected, || format!("{bytes} bytes were filled wrongly"))?;
    }
    Ok(())
}

fn pinned(rig: &Rig) -> Check {
    through(rig, MemoryKind::Pinned)
}

/// Data goes from one pinned block to the device and back into another.
fn through(rig: &Rig, kind: MemoryKind) -> Check {
    let content = random_bytes(5000);
    let first = rig.device.allocate(kind, content.len())?;
    let second = rig.device.allocate(kind, content.len())?;
    let buffer = rig.empty(content.len())?;
    // SAFETY: pinned and managed blocks are host addresses of the content's length; the stream is synchronised before
    // they are read, and they are freed once.
    let back = unsafe {
        std::ptr::copy_nonoverlapping(content.as_ptr(), first.ptr as *mut u8, content.len());
        rig.device.copy_from_host(&*rig.stream, buffer.ptr(), first.ptr as *const u8, content.len())?;
        rig.device.copy_to_host(&*rig.stream, second.ptr as *mut u8, buffer.ptr(), content.len())?;
        rig.stream.synchronize()?;
        let back = std::slice::from_raw_parts(second.ptr as *const u8, content.len()).to_vec();
        rig.device.free(first)?;
        rig.device.free(second)?;
        back
    };
    ensure(back == content, || "the content came back different".to_owned())
}

fn managed(rig: &Rig) -> Check {
    through(rig, MemoryKind::Managed)
}

fn information(rig: &Rig) -> Check {
    let memory = rig.device.memory_info()?;
    ensure(0 < memory.free && memory.free <= memory.total, || format!("{memory:?}"))?;
    let info = rig.device.info();
    ensure(info.processors > 0 && info.warp_size > 0 && info.total_memory > 0, || format!("{info:?}"))
}

/// Asking for more than there can be is an error value that names the request, and later requests work.
fn out_of_memory(rig: &Rig) -> Check {
    let bytes = 1 << 60;
    match rig.device.allocate(MemoryKind::Device, bytes) {
        Err(Error::OutOfMemory { requested, .. }) => {
            ensure(requested == bytes, || format!("{requested} bytes were reported"))?;
        }
        Err(other) => return Err(format!("the error is {other}").into()),
        Ok(_) => return Err("an allocation of 2^60 bytes succeeded".to_owned().into()),
    }
    round_trip(rig)
}
