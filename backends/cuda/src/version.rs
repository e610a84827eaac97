//! How NVIDIA's libraries tell their versions.

use std::ffi::{c_int, c_void};

use cuproxide_gpu::loader::Library;

/// How a library tells its version without a device.
#[derive(Clone, Copy)]
pub(crate) enum Version {
    /// `int f(libraryPropertyType, int*)`, for major, minor and patch level.
    Property(&'static str),
    /// `int f(int*)`, as major * 10000 + minor * 100 + patch level.
    Number(&'static str),
    /// `size_t f()`, likewise.
    Word(&'static str),
}

impl Version {
    /// The version of an opened library, or "unknown".
    pub fn of(self, library: &Library) -> String {
        let unknown = || "unknown".to_owned();
        match self {
            Version::Property(symbol) => {
                let Some(address) = library.symbol(symbol) else { return unknown() };
                // SAFETY: the signature that all of NVIDIA's libraries share.
                let read = unsafe {
                    std::mem::transmute::<*const c_void, unsafe extern "C" fn(c_int, *mut c_int) -> c_int>(address)
                };
                let mut parts = [0; 3];
                for (property, part) in parts.iter_mut().enumerate() {
                    // SAFETY: the function writes one integer.
                    if unsafe { read(property as c_int, part) } != 0 {
                        return unknown();
                    }
                }
                format!("{}.{}.{}", parts[0], parts[1], parts[2])
            }
            Version::Word(symbol) => {
                let Some(address) = library.symbol(symbol) else { return unknown() };
                // SAFETY: the function takes nothing and returns a word.
                let number =
                    unsafe { std::mem::transmute::<*const c_void, unsafe extern "C" fn() -> usize>(address)() };
                format!("{}.{}.{}", number / 10000, number / 100 % 100, number % 100)
            }
            Version::Number(symbol) => {
                let Some(address) = library.symbol(symbol) else { return unknown() };
                let mut number = 0;
                // SAFETY: the function takes the address of an integer and writes it.
                let status = unsafe {
                    std::mem::transmute::<*const c_void, unsafe extern "C" fn(*mut c_int) -> c_int>(address)(
                        &mut number,
                    )
                };
                if status != 0 {
                    unknown()
                } else {
                    format!("{}.{}.{}", number / 10000, number / 100 % 100, number % 100)
                }
            }
        }
    }
}
