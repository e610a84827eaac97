//! Random sequences of the vendors' libraries, which call them by one name and number them differently.

use std::ffi::{c_int, c_uint, c_ulonglong, c_void};

use cuproxide_hal::Error;

use crate::table;

/// `curandGenerator_t`.
pub type Generator = *mut c_void;

table! {
    /// The functions of both libraries, by the names that cuRAND gives them.
    RandomTable {
        fn create = curandCreateGenerator(generator: *mut Generator, kind: c_int);
        fn destroy = curandDestroyGenerator(generator: Generator);
        fn set_stream = curandSetStream(generator: Generator, stream: u64);
        fn set_seed = curandSetPseudoRandomGeneratorSeed(generator: Generator, seed: c_ulonglong);
        fn set_offset = curandSetGeneratorOffset(generator: Generator, offset: c_ulonglong);
        fn set_ordering = curandSetGeneratorOrdering(generator: Generator, ordering: c_int);
        fn set_dimensions = curandSetQuasiRandomGeneratorDimensions(generator: Generator, dimensions: c_uint);
        fn generate = curandGenerate(generator: Generator, out: u64, count: usize);
        fn generate_wide = curandGenerateLongLong(generator: Generator, out: u64, count: usize);
    }
}

impl RandomTable {
    /// The error for a status that is not success.
    #[cold]
    pub fn failure(&self, call: &'static str, code: i32) -> Error {
        let (name, message) = match code {
            100 => ("VERSION_MISMATCH", "header and library are of different versions"),
            101 => ("NOT_INITIALIZED", "the generator is not valid"),
            102 => ("ALLOCATION_FAILED", "no memory for the generator"),
            103 => ("TYPE_ERROR", "the generator is of the wrong kind"),
            104 => ("OUT_OF_RANGE", "an argument is out of range"),
            105 => ("LENGTH_NOT_MULTIPLE", "the length is not a multiple of the dimensions"),
            106 => ("DOUBLE_PRECISION_REQUIRED", "the device has no float64"),
            201 => ("LAUNCH_FAILURE", "a kernel could not be launched"),
            202 => ("PREEXISTING_FAILURE", "an earlier call of another kind failed"),
            203 => ("INITIALIZATION_FAILED", "the library could not be initialised"),
            204 => ("ARCH_MISMATCH", "not supported on this device"),
            999 => ("INTERNAL_ERROR", "internal error of the library"),
            1000 => ("NOT_IMPLEMENTED", "not implemented"),
            _ => ("unknown", "see the documentation of the library"),
        };
        Error::Call { call, code: code.into(), name: name.to_owned(), message: message.to_owned() }
    }
}

/// A vendor's library of random sequences.
pub struct Sequences {
    /// Its functions.
    pub table: RandomTable,
    /// Its numbers of XORWOW, MRG32k3a, and of scrambled Sobol points in words of 32 and of 64 bits.
    pub kinds: [i32; 4],
}
