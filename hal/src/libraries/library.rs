//! One library of a device, opened when it is first asked for.

use std::fmt;
use std::sync::Arc;

use once_cell::sync::OnceCell;

use crate::Result;

/// Asked each time before a library is given out.
pub type Gate = Arc<dyn Fn() -> Result<()> + Send + Sync>;

type Open<T> = dyn Fn() -> Result<Arc<T>> + Send + Sync;

/// One library of a device, opened when it is first asked for. An attempt that failed is made again the next time.
pub struct Library<T: ?Sized> {
    open: Option<Box<Open<T>>>,
    opened: OnceCell<Arc<T>>,
    gate: Option<Gate>,
}

impl<T: ?Sized + 'static> Library<T> {
    /// A library that the device does not have.
    pub const fn none() -> Library<T> {
        Library { open: None, opened: OnceCell::new(), gate: None }
    }

    /// A library that `open` opens.
    pub fn new(open: impl Fn() -> Result<Arc<T>> + Send + Sync + 'static) -> Library<T> {
        Library { open: Some(Box::new(open)), ..Library::none() }
    }

    /// A library that needs no opening.
    pub fn ready(library: Arc<T>) -> Library<T>
    where
        T: Send + Sync,
    {
        Library::new(move || Ok(library.clone()))
    }

    /// The library behind another of the same interface, where there is one.
    pub fn map(self, wrap: impl Fn(Arc<T>) -> Arc<T> + Send + Sync + 'static) -> Library<T> {
        let Library { open, gate, .. } = self;
        let open = open.map(|open| -> Box<Open<T>> { Box::new(move || open().map(&wrap)) });
        Library { open, gate, opened: OnceCell::new() }
    }

    /// The library of the device behind this one: `find` asks it, whenever `gate` lets the call pass.
    pub(super) fn behind(gate: &Gate, find: impl Fn() -> Result<Arc<T>> + Send + Sync + 'static) -> Library<T> {
        Library { gate: Some(gate.clone()), ..Library::new(find) }
    }

    /// Whether the device has such a library, though perhaps it cannot be opened.
    pub fn is_there(&self) -> bool {
        self.open.is_some()
    }

    /// The library; `None` if the device has none.
    ///
    /// # Errors
    /// Those of opening it, such as [`Error::MissingLibrary`](crate::Error::MissingLibrary).
    pub fn find(&self) -> Result<Option<&T>> {
        Ok(self.shared()?.map(Arc::as_ref))
    }

    /// As `find`, for a holder of its own.
    pub(super) fn shared(&self) -> Result<Option<&Arc<T>>> {
        let Some(open) = &self.open else { return Ok(None) };
        if let Some(gate) = &self.gate {
            gate()?;
        }
        self.opened.get_or_try_init(open).map(Some)
    }
}

impl<T: ?Sized> fmt::Debug for Library<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (&self.open, self.opened.get()) {
            (None, _) => "none",
            (Some(_), None) => "not opened",
            (Some(_), Some(_)) => "opened",
        })
    }
}
