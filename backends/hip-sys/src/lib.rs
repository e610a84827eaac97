//! The functions of AMD's libraries that are used, with their types, as the headers of ROCm 7.2.4 declare them.
//!
//! Every module but this page is written by `generate`, by bindgen, and checked in: building needs neither headers nor
//! libclang. A module is a struct of function addresses, filled from a library that is open; a function that the library
//! lacks is an error value in its place. Enums are integers, since other versions have other values. The compiler asserts
//! the layouts of structs.
#![allow(clippy::all, clippy::pedantic, clippy::undocumented_unsafe_blocks)]
#![allow(missing_docs, non_camel_case_types, non_snake_case, non_upper_case_globals)]
#![allow(unsafe_op_in_unsafe_fn, unused_qualifications, rustdoc::all)]

pub mod hip;
pub mod hipblas;
pub mod hipfft;
pub mod hiprtc;
pub mod hipsolver;
