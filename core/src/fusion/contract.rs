//! Fused multiply-adds, for programs that prefer speed to NumPy's last bit.

use cuproxide_hal::ir::{Builder, Var};
use cuproxide_hal::{DType, settings};
use once_cell::sync::Lazy;

use super::reader::{Reader, Values};
use super::step::{Ref, Step};

/// Whether the process was started with `CUPROXIDE_CONTRACT=1`.
static ASKED: Lazy<bool> = Lazy::new(|| settings::CONTRACT.is_on());

/// A sum or a difference with a product of an earlier step, as a fused multiply-add; `None` for all other steps, and without
/// `CUPROXIDE_CONTRACT`. All values of the program have to be in scope.
pub(super) fn contracted<'b>(
    builder: &'b Builder,
    reader: &Reader,
    values: &Values<'_, 'b>,
    step: &Step,
) -> Option<Var<'b>> {
    if !*ASKED || !matches!(step.dtype, DType::F32 | DType::F64) {
        return None;
    }
    let is_difference = match plain(step)? {
        "add" => false,
        "subtract" => true,
        _ => return None,
    };
    let [left, right] = *step.inputs() else { return None };
    let value = |of: Ref| values.get(of).cast(step.dtype);
    Some(match (reader.factors(left, step.dtype), reader.factors(right, step.dtype)) {
        (Some((a, b)), _) if is_difference => builder.fma(value(a), value(b), -value(right)),
        (Some((a, b)), _) => builder.fma(value(a), value(b), value(right)),
        (None, Some((a, b))) if is_difference => builder.fma(-value(a), value(b), value(left)),
        (None, Some((a, b))) => builder.fma(value(a), value(b), value(left)),
        (None, None) => return None,
    })
}

/// Whether a step is a product that may become part of a multiply-add, so that it has to stay in one kernel with the sum.
pub(super) fn keeps_product(step: &Step) -> bool {
    *ASKED && matches!(plain(step), Some("multiply" | "square"))
}

/// The name of the ufunc that a step calls, if it computes in the type of its result.
fn plain(step: &Step) -> Option<&'static str> {
    let (ufunc, index, _) = step.call()?;
    let types = &ufunc.loops[index];
    types.inputs.iter().chain(&types.outputs).all(|&dtype| dtype == step.dtype).then_some(ufunc.name)
}

impl Reader {
    /// The factors of a value that is a product of this type.
    fn factors(&self, value: Ref, dtype: DType) -> Option<(Ref, Ref)> {
        let Ref::Step(number) = value else { return None };
        let step = &self.steps[usize::from(number)];
        match (plain(step)?, step.inputs()) {
            ("multiply", &[a, b]) if step.dtype == dtype => Some((a, b)),
            ("square", &[a]) if step.dtype == dtype => Some((a, a)),
            _ => None,
        }
    }
}
