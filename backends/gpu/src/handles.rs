//! Handles of vendor libraries for programs that call these themselves. Our own work has its own.

use std::ffi::c_void;

use cuproxide_hal::{Error, Result};
use parking_lot::Mutex;

use crate::api;
use crate::api::driver::Driver;
use crate::context::Primary;
use crate::graph::Unrestricted;
use crate::loader::Library;

/// The handles of the process, which live as long: backend, device, name, address.
static HANDLES: Mutex<Vec<(&str, usize, &str, u64)>> = Mutex::new(Vec::new());

/// The handle that `int create(void **handle)` of a library makes for a device, by the name that programs give it. The
/// library is opened at the first call.
///
/// # Errors
/// A missing library or function, or the library's refusal.
pub fn handle(
    driver: &'static Driver,
    primary: Primary,
    name: &'static str,
    open: impl FnOnce() -> Result<Library>,
    create: &'static str,
) -> Result<u64> {
    let mut handles = HANDLES.lock();
    let of = (primary.backend, primary.ordinal, name);
    if let Some((.., handle)) = handles.iter().find(|known| (known.0, known.1, known.2) == of) {
        return Ok(*handle);
    }
    let library = open()?;
    let Some(address) = library.symbol(create) else { return Err(api::missing(&library, create)) };
    primary.enter(driver)?;
    let _capturing = Unrestricted::enter(driver);
    let mut handle = std::ptr::null_mut();
    // SAFETY: the backends name functions that take the place of one handle and return a status.
    let status = unsafe {
        let create = std::mem::transmute::<*const c_void, unsafe extern "C" fn(*mut *mut c_void) -> i32>(address);
        create(&mut handle)
    };
    if status != 0 {
        let (name, message) = ("unknown".to_owned(), format!("{} gives no handle", library.name));
        return Err(Error::Call { call: create, code: status.into(), name, message });
    }
    handles.push((primary.backend, primary.ordinal, name, handle as u64));
    Ok(handle as u64)
}
