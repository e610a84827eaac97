//! The hardware abstraction layer of Cuproxide: what a device is, what a kernel is, and what may go wrong.
//!
//! `core` and the front ends know this crate only; every crate under `backends/` implements it. The layer is kept at the
//! granularity of *memory, launches and library calls*: operations on arrays live above it as data (see [`ir`]), so a new
//! backend writes a lowering, not a thousand operators.
//!
//! # Contract
//!
//! What the caller (`core`) guarantees, so that a backend need not check it again:
//!
//! * A [`Kernel`](ir::Kernel) handed to [`Device::compile`] has passed [`ir::Kernel::validate`]. It is not yet legalised;
//!   a backend calls [`ir::legalize`] with the options that fit its lowering.
//! * A [`Launch`] has as many operands and scalars as the kernel declares, at most [`MAX_DIMS`] dimensions in total, no
//!   dimension of size zero in `outer`, and pointers that are valid for every element that the strides reach. Written
//!   operands do not overlap other operands, except where both have the same pointer and strides.
//! * An element that a kernel updates atomically, or whose address it computes by itself, lies at a multiple of
//!   [`DType::alignment`], as does all that libraries and primitives are given. Other operands of a launch need not:
//!   [`Specialization::unaligned`] says so. The aligned word of four bytes around a narrower element that is updated
//!   atomically belongs to the same memory: GPUs exchange whole words.
//! * A [`Launch`] is passed to a [`CompiledKernel`] made for exactly `Specialization::of(kernel, launch)`.
//! * Handles (streams, events, kernels) are used with the device that made them.
//! * Memory stays allocated until all work queued on the streams that use it has finished.
//!
//! A caller does *not* guarantee the bytes of bools, since memory may hold any: a mask of 8 bits seen as bools, memory of
//! another library, what a user's kernel wrote.
//!
//! What a backend guarantees:
//!
//! * Calls are safe from any thread. Work queued on one stream runs in the order of the calls; a launch or an
//!   asynchronous copy returns without waiting. While the device may be waiting for an interpreter's lock ([`host`]),
//!   no thread holds it in a driver call.
//! * On a capturing stream ([`Stream::begin_capture`]) launches, copies and host functions are recorded and not run.
//!   Waiting for such a stream is an error, and invalidates the capture.
//! * A bool is true where its byte is not 0, wherever it is loaded: by a kernel, as an operand, a scalar or a constant, and
//!   by a library or primitive, as a flag, a key or a value. What they compute as a bool they write as 0 or 1. What moves
//!   elements of a size and not of a type keeps their bytes: copies, joined pieces, selected and carried elements.
//! * A failure is a returned [`Error`], never a panic and never a process abort. Errors keep the vendor's raw integer.
//! * Long work on the host passes an [`interrupt::point`] between its parts, unless a partial result would be visible.
//! * A vendor library is opened when first needed; a missing one is [`Error::MissingLibrary`], which lists every attempt.
//! * Optional abilities have default bodies: harmless ones do nothing, the others return [`Error::Unsupported`].
#![deny(missing_docs)]

mod device;
mod dtype;
mod error;
mod fault;
mod graph;
pub mod host;
mod images;
pub mod interrupt;
pub mod ir;
mod launch;
pub mod libraries;
mod precompile;
pub mod routes;
mod scalar;
pub mod settings;
mod stream;
mod system;

pub use device::{
    Allocation, Backend, CompiledKernel, Device, DeviceId, DeviceInfo, FunctionAttribute, MemoryInfo, MemoryKind,
    Module, RawFunction, RawLaunch, Report, SourceText,
};
pub use dtype::{DType, DTypeInfo, Kind};
pub use error::{Attempt, Error, LibraryStatus, MissingLibrary, Result};
pub use fault::Fault;
pub use graph::{CaptureMode, Graph, HostFunction};
pub use images::{Channels, ImageCopy, ImageEnd, ImageSpec, Images, Sampling, TextureSource};
pub use launch::{Access, Launch, MAX_DIMS, Operand, Specialization, max_scalars};
pub use precompile::{Precompile, Precompiled};
pub use scalar::Scalar;
pub use stream::{Event, Stream, StreamFlags};
pub use system::{PitchedCopy, PointerInfo, PoolNumber, SharedHandle, System};
