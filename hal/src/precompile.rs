//! Compiling ahead of time, for devices that need not be on this machine.

use std::path::Path;

use crate::ir::Kernel;
use crate::launch::Specialization;

/// What to compile ahead of time, and for what.
#[derive(Clone, Copy, Debug)]
pub struct Precompile<'a> {
    /// Kernels with the versions of them that are wanted. The backend's own hand-written kernels are always included.
    pub kernels: &'a [(&'a Kernel, Specialization)],
    /// Architectures as the vendor's compiler names them; [`DeviceInfo::architecture`](crate::DeviceInfo::architecture)
    /// is such a name.
    pub architectures: &'a [String],
    /// Which part of how many equal ones to compile, so that several processes share the work.
    pub part: (usize, usize),
    /// A file to collect the results in, besides the cache on disk.
    pub pack: Option<&'a Path>,
}

/// What became of a [`Precompile`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Precompiled {
    /// Pieces of machine code asked for: different texts times architectures.
    pub wanted: usize,
    /// How many of them were compiled now; the others were in the cache.
    pub compiled: usize,
    /// Bytes of all.
    pub bytes: usize,
}
