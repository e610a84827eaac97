//! The factors of results and of what is there before.

use std::ffi::c_void;

use cuproxide_hal::DType;

use crate::api::cudnn::Factor;

/// One and zero in the type that the library takes factors in.
pub(super) struct Factors {
    double: [f64; 2],
    single: [f32; 2],
    is_double: bool,
}

impl Factors {
    pub(super) fn of(dtype: DType) -> Factors {
        Factors { double: [0.0, 1.0], single: [0.0, 1.0], is_double: dtype == DType::F64 }
    }

    pub(super) fn at(&self, number: usize) -> Factor {
        if self.is_double {
            (&raw const self.double[number]).cast::<c_void>()
        } else {
            (&raw const self.single[number]).cast::<c_void>()
        }
    }

    pub(super) fn zero(&self) -> Factor {
        self.at(0)
    }

    pub(super) fn one(&self) -> Factor {
        self.at(1)
    }
}
