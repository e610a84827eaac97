//! Operations that a program is expected to go on with: see [`fusion`].

use cuproxide_hal::{DType, Scalar};

use crate::array::Array;
use crate::fusion;
pub use crate::fusion::{Expected, is_any_expected};
use crate::ops::elementwise::{Input, constant};
use crate::ufunc::{self, Ufunc};

/// Records an operation that the program is expected to go on with, as it did when it began in this way before; with NumPy's
/// defaults. `None`, and nothing has been recorded, for every other: `elementwise::defer` and `elementwise::call` serve those. This
/// never waits, never computes and never fails.
#[inline(always)]
pub fn follow<const N: usize>(ufunc: &'static Ufunc, inputs: &[Input<'_>; N]) -> Option<Expected> {
    let (index, full) = expected_loop(ufunc, inputs)?;
    fusion::follow::<N>(ufunc, index, &Operands { ufunc, inputs, full }, full)
}

/// As [`follow`], into an array that exists; whether it was expected.
#[inline(always)]
pub fn follow_into<const N: usize>(ufunc: &'static Ufunc, inputs: &[Input<'_>; N], out: &Array) -> bool {
    let Some((index, full)) = expected_loop(ufunc, inputs) else { return false };
    fusion::follow_into::<N>(ufunc, index, &Operands { ufunc, inputs, full }, out).is_some()
}

/// The loop of a call that may be expected, and an array among its inputs.
#[inline(always)]
fn expected_loop<'a, const N: usize>(ufunc: &Ufunc, inputs: &[Input<'a>; N]) -> Option<(usize, &'a Array)> {
    if !is_any_expected() {
        return None;
    }
    let (mut full, mut combination) = (None, 0);
    for input in inputs {
        match *input {
            Input::Array(array) => full = Some(array),
            // As in `enter`.
            Input::Int(_) if ufunc.comparison.is_some() => return None,
            _ => {}
        }
        combination = ufunc::add_code(combination, input.operand());
    }
    let full = full.filter(|_| ufunc.nout == 1 && fusion::is_usual())?;
    Some((ufunc::known_loop_of(ufunc, N, combination)?, full))
}

/// The inputs of an operation that may be expected.
struct Operands<'a, const N: usize> {
    ufunc: &'static Ufunc,
    inputs: &'a [Input<'a>; N],
    full: &'a Array,
}

impl<const N: usize> fusion::Inputs for Operands<'_, N> {
    #[inline(always)]
    fn given(&self, position: usize, dtype: DType) -> fusion::Given<'_> {
        match self.inputs[position] {
            Input::Array(array) => fusion::Given::Array(array),
            Input::Float(value) if dtype.is_inexact() => fusion::Given::Real(value),
            _ => fusion::Given::Scalar,
        }
    }

    fn scalar(&self, position: usize, dtype: DType) -> Option<Scalar> {
        match constant(self.ufunc, position, &self.inputs[position], dtype, self.full.context()) {
            Ok(fusion::Operand::Scalar(scalar)) => Some(scalar),
            _ => None,
        }
    }
}
