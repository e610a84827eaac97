//! Look-alikes of a GPU's driver and run-time compiler that run everything on the host, so that a backend can be tested
//! from end to end on a machine without its hardware. For tests only: nothing of this goes into a wheel.
//!
//! One shared library answers under the names of several (`libcuda.so.1`, `libnvrtc.so.13`, `libcusparse.so.12`,
//! `libcutensor.so.2`, `libcusparseLt.so.0`, `libcudnn.so.9`, `libcudss.so.1`; `libamdhip64.so.7`, `libhiprtc.so.7`, `libhipsparse.so.4`,
//! `libhiptensor.so.0`, `libhipsparselt.so.0`): links to it lie in one
//! folder, and the loader's variables point there. Texts are compiled by the host's compiler
//! ([`cuproxide_simt::compile_played`]); blocks run as on the CPU backend. What a driver leaves open is answered by the
//! worst that it allows:
//!
//! - Work waits in its stream until something asks for its end ([`queue`]), and then runs in the order that the streams
//!   and events demand and no other. Who forgets to wait reads old data.
//! - Device memory ([`memory`]) cannot be touched by the host, is full of ones at first, and ends at a page that nobody
//!   may touch. A kernel that does is stopped, and the device is lost.
//! - Every call that needs a current context, or that a capture forbids, checks ([`calls`]).
//!
//! `STANDIN_*` variables, or calls of the functions in [`control`], choose devices, their memory, and calls that fail.
#![deny(missing_docs)]

mod calls;
mod capture;
mod code;
mod compiler;
mod control;
mod cuda;
#[allow(non_snake_case, reason = "the vendor's names")]
mod cudnn;
#[allow(non_snake_case, reason = "the vendor's names")]
mod cudss;
mod device;
mod elements;
mod hip;
mod hip_libraries;
mod hiprtc;
mod images;
mod memory;
mod nvrtc;
mod queue;
mod sparse;
mod status;
mod structured;
mod tensors;
