//! Rows of routes: an operation has one implementation for few elements and another for many.
//!
//! `core` keeps its rows in `routes.rs`, and so does each backend that chooses between a vendor's library and kernels of its
//! own. Where the better way depends on the library, the backend states a fact through the library's trait, such as
//! [`Sparse::is_faster`](crate::libraries::Sparse::is_faster), and the core decides.

/// An operation, the size from which on its other implementation is better, and why.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// What is done, and in which way from the threshold on.
    pub work: &'static str,
    /// The threshold: elements, rows, bytes, as `work` says.
    pub from: usize,
    /// The measurement that set the threshold, or `not measured`.
    pub why: &'static str,
}

impl Route {
    /// Whether an operation of this size uses the other implementation.
    pub const fn takes(&self, count: usize) -> bool {
        count >= self.from
    }
}
