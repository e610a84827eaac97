//! Elements in device memory as the libraries' stand-ins read and write them: one at a time, as complex numbers of double
//! precision. Only for work that runs, when device memory is open.

use cuproxide_hal::{DType, Scalar};

use crate::memory;
use crate::status::{ILLEGAL_ADDRESS, Outcome};

/// The element type of a number of CUDA's.
pub fn dtype(number: i32) -> Option<DType> {
    Some(match number {
        0 => DType::F32,
        1 => DType::F64,
        2 => DType::F16,
        3 => DType::I8,
        4 => DType::C64,
        5 => DType::C128,
        10 => DType::I32,
        14 => DType::BF16,
        _ => return None,
    })
}

/// A complex number.
pub type Complex = (f64, f64);

pub fn add(x: Complex, y: Complex) -> Complex {
    (x.0 + y.0, x.1 + y.1)
}

pub fn multiply(x: Complex, y: Complex) -> Complex {
    // Real numbers stay real: infinity times zero is none of their products.
    if x.1 == 0.0 && y.1 == 0.0 {
        return (x.0 * y.0, 0.0);
    }
    (x.0 * y.0 - x.1 * y.1, x.0 * y.1 + x.1 * y.0)
}

/// A number from memory of the host.
///
/// # Safety
/// The address is good for an element.
pub unsafe fn read(address: u64, dtype: DType) -> Complex {
    let mut bytes = [0; 16];
    // SAFETY: the caller's promise.
    unsafe { std::ptr::copy_nonoverlapping(address as *const u8, bytes.as_mut_ptr(), dtype.size()) };
    let scalar = Scalar { bytes, dtype };
    if dtype.is_integer() { (scalar.to_integer() as f64, 0.0) } else { scalar.to_complex() }
}

/// A number from device memory.
pub fn load(address: u64, dtype: DType) -> Outcome<Complex> {
    memory::check_device(address, dtype.size()).map_err(|_| ILLEGAL_ADDRESS)?;
    // SAFETY: the range lies in a block, which is open while work runs.
    Ok(unsafe { read(address, dtype) })
}

/// Writes a number to device memory; integers are rounded and bounded.
pub fn store(address: u64, dtype: DType, (re, im): Complex) -> Outcome {
    memory::check_device(address, dtype.size()).map_err(|_| ILLEGAL_ADDRESS)?;
    let scalar = match dtype {
        DType::I8 => Scalar::integer(dtype, re.round_ties_even().clamp(-128.0, 127.0) as i128),
        DType::I32 => Scalar::integer(dtype, re as i128),
        _ if dtype.is_complex() => Scalar::complex(dtype, re, im),
        _ => Scalar::real(dtype, re),
    };
    // SAFETY: as above.
    unsafe { std::ptr::copy_nonoverlapping(scalar.bytes.as_ptr(), address as *mut u8, dtype.size()) };
    Ok(())
}
