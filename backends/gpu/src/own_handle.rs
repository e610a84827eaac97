//! Our own handles of vendors' libraries, descriptors that such handles use, and libraries that are opened when first needed.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;

use cuproxide_hal::Result;
use once_cell::sync::OnceCell;
use parking_lot::{Mutex, MutexGuard};

use crate::api::driver::Driver;
use crate::context::Primary;
use crate::graph::Unrestricted;

/// Any handle or descriptor of a library.
pub type Raw = *mut c_void;

/// A handle of a library for one device. The stream is a state of the handle, so calls take turns.
pub struct OwnHandle {
    driver: &'static Driver,
    primary: Primary,
    raw: Mutex<Address>,
}

struct Address(Raw);

// SAFETY: the libraries allow a handle to be used from any thread, by one at a time.
unsafe impl Send for Address {}

/// The turn of one caller, which others wait for.
pub struct Turn<'h>(MutexGuard<'h, Address>);

impl Turn<'_> {
    /// The handle.
    pub fn raw(&self) -> Raw {
        self.0.0
    }
}

impl OwnHandle {
    /// Makes one by a function of the library. It lives as long as the process.
    ///
    /// # Errors
    /// The library's refusal.
    pub fn new(
        driver: &'static Driver,
        primary: Primary,
        create: impl FnOnce(&mut Raw) -> Result<()>,
    ) -> Result<OwnHandle> {
        let _capturing = Unrestricted::enter(driver);
        primary.enter(driver)?;
        let mut raw = null_mut();
        create(&mut raw)?;
        Ok(OwnHandle { driver, primary, raw: Mutex::new(Address(raw)) })
    }

    /// The handle, for calls on its device; `set_stream` sends them to a stream, if they go to one.
    ///
    /// # Errors
    /// The library's refusal.
    pub fn take_turn(&self, set_stream: impl FnOnce(Raw) -> Result<()>) -> Result<Turn<'_>> {
        self.primary.enter(self.driver)?;
        let turn = Turn(self.raw.lock());
        set_stream(turn.raw())?;
        Ok(turn)
    }

    /// The backend's name, for messages.
    pub fn backend(&self) -> &'static str {
        self.primary.backend
    }
}

/// A library of one device, opened when first needed.
pub struct Lazy<T> {
    driver: &'static Driver,
    primary: Primary,
    open: fn(&'static Driver, Primary) -> Result<T>,
    opened: OnceCell<Arc<T>>,
}

impl<T> Lazy<T> {
    /// Opens nothing yet.
    pub fn new(driver: &'static Driver, primary: Primary, open: fn(&'static Driver, Primary) -> Result<T>) -> Lazy<T> {
        Lazy { driver, primary, open, opened: OnceCell::new() }
    }

    /// The library.
    ///
    /// # Errors
    /// Why it cannot be opened.
    pub fn get(&self) -> Result<&Arc<T>> {
        self.opened.get_or_try_init(|| {
            // Loading a library makes calls that a capture of this thread may forbid.
            let _capturing = Unrestricted::enter(self.driver);
            (self.open)(self.driver, self.primary).map(Arc::new)
        })
    }
}

/// A function that destroys a descriptor.
type Destroy<T> = unsafe fn(&T, Raw) -> Result<()>;

/// A descriptor of a library, by its table of functions; destroyed on drop.
pub struct Descriptor<'t, T> {
    table: &'t T,
    /// Its address.
    pub raw: Raw,
    destroy: Destroy<T>,
}

impl<'t, T> Descriptor<'t, T> {
    /// Makes one by a function of the table.
    ///
    /// # Errors
    /// The library's refusal.
    pub fn new(
        table: &'t T,
        create: unsafe fn(&T, *mut Raw) -> Result<()>,
        destroy: Destroy<T>,
    ) -> Result<Descriptor<'t, T>> {
        let mut raw = null_mut();
        // SAFETY: the library writes one address.
        unsafe { create(table, &mut raw) }?;
        Ok(Descriptor { table, raw, destroy })
    }
}

impl<T> Drop for Descriptor<'_, T> {
    fn drop(&mut self) {
        // SAFETY: the descriptor was made by the library and is used no more.
        if let Err(error) = unsafe { (self.destroy)(self.table, self.raw) } {
            tracing::warn!(%error, "a descriptor was not destroyed");
        }
    }
}
