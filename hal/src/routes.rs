//! Rows of routes: a work that is done in one way for little of it and in another for much.
//!
//! `core` keeps its rows in `routes.rs`, and so does each backend that chooses between a vendor's library and kernels of its
//! own. Where the better way depends on the library, the backend states a fact through the library's trait, such as
//! [`Sparse::is_faster`](crate::libraries::Sparse::is_faster), and the core decides.

/// A work, how much of it makes the other way better, and why.
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
    /// Whether so much of the work takes the other way.
    pub const fn takes(&self, count: usize) -> bool {
        count >= self.from
    }
}
