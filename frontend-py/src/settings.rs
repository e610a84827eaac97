//! What the front end itself does otherwise where a program asks for CuPy's ways.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether what CuPy documents and NumPy does not holds: diagonals and elements may be written to, by arrays of one, bounds of
/// slices may be floats, results lie in C order, copies are made on the current device, and the default stream is one object.
static FOLLOWS_CUPY: AtomicBool = AtomicBool::new(false);

/// Makes what [`FOLLOWS_CUPY`] lists hold throughout the process, as in CuPy, or no longer; returns what held before.
pub fn set_following_cupy(follows: bool) -> bool {
    cuproxide_core::layout::set_c_results(follows);
    FOLLOWS_CUPY.swap(follows, Ordering::Relaxed)
}

/// See [`set_following_cupy`].
pub fn follows_cupy() -> bool {
    FOLLOWS_CUPY.load(Ordering::Relaxed)
}
