//! Reductions and cumulative operations.

use cuproxide_hal::{DType, Scalar};

use crate::array::Array;
use crate::error::{Result, type_error};

/// The arguments of a reduction.
#[derive(Clone, Copy, Default)]
pub struct Reduction<'a> {
    /// The axes to reduce; all if `None`.
    pub axes: Option<&'a [isize]>,
    /// Whether reduced axes stay with length 1.
    pub keepdims: bool,
    /// Type of the result.
    pub dtype: Option<DType>,
    /// Where the result goes.
    pub out: Option<&'a Array>,
    /// Value to start from.
    pub initial: Option<Scalar>,
    /// NumPy's `where`.
    pub mask: Option<&'a Array>,
    /// Delta degrees of freedom of `var` and `std`.
    pub ddof: f64,
}

/// Placeholder until the fold table lands.
pub fn reduce(name: &str, _array: &Array, _r: &Reduction<'_>) -> Result<Array> {
    type_error(name)
}
/// Placeholder until the fold table lands.
pub fn accumulate(name: &str, _a: &Array, _axis: isize, _d: Option<DType>, _o: Option<&Array>) -> Result<Array> {
    type_error(name)
}
