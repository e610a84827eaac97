//! Runs kernels that the user wrote in CUDA's dialect of C++ on the host's processor.
//!
//! A text is preprocessed against headers of ours ([`include`](../src/include)), rewritten in the few places that C++
//! has no macro for ([`scan`]), and compiled by the host's compiler to a shared library ([`compiler`]), which is cached
//! on disk. Names of the text's own that the host's headers have too are given others ([`names`]). A launch spreads blocks over threads ([`launch`]). Where no thread of a block can wait for another, a block
//! is a plain loop; otherwise its threads are stackful coroutines on one thread of the system ([`block`]), so that
//! barriers, shared memory, shuffles and votes mean what they mean on a GPU with warps of 32. Shared memory is
//! `thread_local`: of the thread that runs the block.
//!
//! A kernel that does what it must not ends with an error ([`guard`]), and Ctrl-C ends one that the main thread waits for
//! ([`interrupt`]).
#![deny(missing_docs)]

mod assembly;
mod barrier;
mod block;
mod compiler;
mod divide;
mod guard;
pub mod images;
mod interrupt;
mod launch;
mod module;
mod names;
mod scan;
mod state;
mod tokens;

pub use compiler::{MAX_DYNAMIC_SHARED, PlayedDevice, compile_played, status};
pub use launch::Pool;
pub use module::{Function, LIMITS, Library};
