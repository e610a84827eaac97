//! Errors of array operations, each of the kind that NumPy raises in the same place.

use std::sync::Arc;

use cuproxide_hal as hal;
use thiserror::Error;

/// The result of every fallible array operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failed array operation. The front end maps each variant to one Python exception.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A bad value: shapes that do not fit, a negative dimension (`ValueError`).
    #[error("{0}")]
    Value(String),
    /// An unsupported type or combination of types (`TypeError`).
    #[error("{0}")]
    Type(String),
    /// A cast that the casting rule forbids, or a ufunc without a loop (NumPy's `UFuncTypeError`, a `TypeError`).
    #[error("{0}")]
    Casting(String),
    /// An index that lies outside its axis or has a wrong form (`IndexError`).
    #[error("{0}")]
    Index(String),
    /// A Python integer that the type cannot hold (`OverflowError`).
    #[error("{0}")]
    Overflow(String),
    /// An axis that does not exist (`numpy.exceptions.AxisError`).
    #[error("axis {axis} is out of bounds for array of dimension {ndim}")]
    Axis {
        /// The axis as given.
        axis: isize,
        /// Number of dimensions of the array.
        ndim: usize,
    },
    /// Arrays of two devices in one operation (`ValueError`).
    #[error(
        "{op}: arrays are on different devices ({left} and {right}); move one with .to_device() or cuproxide.asarray(x, device=...)"
    )]
    DeviceMismatch {
        /// The operation.
        op: String,
        /// The first device.
        left: hal::DeviceId,
        /// The other device.
        right: hal::DeviceId,
    },
    /// No memory left, with who holds it (`MemoryError`).
    #[error("{0}")]
    OutOfMemory(String),
    /// A wait for a device where the thread may not wait (an error of its own, see [`crate::waits`]).
    #[error("the device would have to be waited for here: {0}")]
    Waits(String),
    /// An exception of the host language, raised by a function of the program's own that was called.
    #[error("{0}")]
    Host(Arc<dyn std::error::Error + Send + Sync>),
    /// A failure below the HAL (`RuntimeError`, `MemoryError` or `ImportError`-like by its variant).
    #[error(transparent)]
    Hal(#[from] hal::Error),
}

impl Error {
    /// Whether memory was lacking.
    pub(crate) fn is_out_of_memory(&self) -> bool {
        matches!(self, Error::OutOfMemory(_) | Error::Hal(hal::Error::OutOfMemory { .. }))
    }
}

/// Shorthand for a `ValueError`.
pub(crate) fn value_error<T>(message: impl Into<String>) -> Result<T> {
    Err(Error::Value(message.into()))
}

/// Shorthand for an `IndexError`.
pub(crate) fn index_error<T>(message: impl Into<String>) -> Result<T> {
    Err(Error::Index(message.into()))
}

/// An index that no element of an axis has.
pub(crate) fn out_of_bounds(index: impl std::fmt::Display, axis: usize, length: usize) -> Error {
    Error::Index(format!("index {index} is out of bounds for axis {axis} with size {length}"))
}

/// Shorthand for a `TypeError`.
pub(crate) fn type_error<T>(message: impl Into<String>) -> Result<T> {
    Err(Error::Type(message.into()))
}
