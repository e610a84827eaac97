//! The backend's name.

/// Name of the backend.
pub const NAME: &str = "noop";
