//! Operations that match the prediction of the [fuser](crate::fusion).

use cuproxide_hal::{DType, Scalar};

use crate::array::Array;
use crate::fusion;
pub use crate::fusion::{Expected, is_any_expected};
use crate::ops::elementwise::{Input, constant};
use crate::ufunc::{self, Ufunc};

/// Records a ufunc call with NumPy's defaults if the script of the current group predicts it. Otherwise returns `None` and
/// records nothing: the caller then uses `elementwise::defer` or `elementwise::call`. This function never waits, computes or
/// fails.
#[inline(always)]
pub fn follow<const N: usize>(ufunc: &'static Ufunc, inputs: &[Input<'_>; N]) -> Option<Expected> {
    let (index, full) = expected_loop(ufunc, inputs)?;
    fusion::follow::<N>(ufunc, index, &Operands { ufunc, inputs, full }, full)
}

/// [`follow`] with an output array; returns whether the call was predicted.
#[inline(always)]
pub fn follow_into<const N: usize>(ufunc: &'static Ufunc, inputs: &[Input<'_>; N], out: &Array) -> bool {
    let Some((index, full)) = expected_loop(ufunc, inputs) else { return false };
    fusion::follow_into::<N>(ufunc, index, &Operands { ufunc, inputs, full }, out).is_some()
}

/// The loop of a call that may be predicted, and one of its input arrays.
#[inline(always)]
fn expected_loop<'a, const N: usize>(ufunc: &Ufunc, inputs: &[Input<'a>; N]) -> Option<(usize, &'a Array)> {
    if !is_any_expected() {
        return None;
    }
    let (mut full, mut combination) = (None, 0);
    for input in inputs {
        match *input {
            Input::Array(array) => full = Some(array),
            // The int may be out of range of the other type, which decides the result.
            Input::Int(_) if ufunc.comparison.is_some() => return None,
            _ => {}
        }
        combination = ufunc::add_code(combination, input.operand());
    }
    let full = full.filter(|_| ufunc.nout == 1 && fusion::has_default_mode())?;
    Some((ufunc::known_loop_of(ufunc, N, combination)?, full))
}

/// The inputs of a call that may be predicted.
struct Operands<'a, const N: usize> {
    ufunc: &'static Ufunc,
    inputs: &'a [Input<'a>; N],
    full: &'a Array,
}

impl<const N: usize> fusion::Inputs for Operands<'_, N> {
    #[inline(always)]
    fn get(&self, position: usize, dtype: DType) -> fusion::InputRef<'_> {
        match self.inputs[position] {
            Input::Array(array) => fusion::InputRef::Array(array),
            Input::Float(value) if dtype.is_inexact() => fusion::InputRef::Real(value),
            _ => fusion::InputRef::Scalar,
        }
    }

    fn scalar(&self, position: usize, dtype: DType) -> Option<Scalar> {
        match constant(self.ufunc, position, &self.inputs[position], dtype, self.full.context()) {
            Ok(fusion::Operand::Scalar(scalar)) => Some(scalar),
            _ => None,
        }
    }
}
