//! The rows: NumPy's named reductions, then every binary ufunc with one output.

use cuproxide_hal::ir::Var;

use super::row::{Argument, FoldId, Plans, Reduction, Rule, Steps};
use super::steps::*;
use crate::ufunc;

/// The fold of a ufunc as it is; the methods below set what differs.
fn fold(name: &'static str, ufunc: &str, doc: &'static str) -> Reduction {
    let ufunc = ufunc::get(ufunc).expect("a row names a ufunc");
    Reduction {
        id: FoldId(0),
        name,
        nout: 1,
        rule: Rule::Ufunc,
        skips_nan: false,
        has_identity: ufunc.identity.is_some(),
        arguments: &[],
        any_order: false,
        doc,
        steps: Steps::Ufunc { ufunc, map: |x| x, finish: keep },
        plans: Plans::default(),
    }
}

/// A reduction with accumulators of its own, which do not depend on the order of elements.
fn own(name: &'static str, rule: Rule, has_identity: bool, doc: &'static str, steps: Steps) -> Reduction {
    Reduction {
        id: FoldId(0),
        name,
        nout: 1,
        rule,
        skips_nan: false,
        has_identity,
        arguments: &[],
        any_order: true,
        doc,
        steps,
        plans: Plans::default(),
    }
}

const ARGMAX: Steps = Steps::Own { identity: no_maximum, map: located, combine: greater, finish: position };
const ARGMIN: Steps = Steps::Own { identity: no_minimum, map: located, combine: lesser, finish: position };
const PTP: Steps = Steps::Own { identity: no_extent, map: extent, combine: widen_extent, finish: peak_to_peak };
const EXTENT: Steps = Steps::Own { identity: no_extent, map: extent, combine: widen_extent, finish: both };
const VAR: Steps = Steps::Own { identity: no_moments, map: moments, combine: join_moments, finish: variance };
const STD: Steps = Steps::Own { identity: no_moments, map: moments, combine: join_moments, finish: deviation };
const NANVAR: Steps = Steps::Own { identity: no_moments, map: moments, combine: join_moments, finish: variance_or_nan };
const NANSTD: Steps =
    Steps::Own { identity: no_moments, map: moments, combine: join_moments, finish: deviation_or_nan };

impl Reduction {
    fn rule(self, rule: Rule) -> Reduction {
        Reduction { rule, ..self }
    }

    fn skipping_nan(self) -> Reduction {
        Reduction { skips_nan: true, ..self }
    }

    fn given(self, arguments: &'static [Argument]) -> Reduction {
        Reduction { arguments, ..self }
    }

    fn results(self, nout: usize) -> Reduction {
        Reduction { nout, ..self }
    }

    fn finish(self, finish: for<'b> fn(Var<'b>, &[Var<'b>]) -> Var<'b>) -> Reduction {
        match self.steps {
            Steps::Ufunc { ufunc, map, .. } => Reduction { steps: Steps::Ufunc { ufunc, map, finish }, ..self },
            Steps::Own { .. } => self,
        }
    }

    fn map(self, map: for<'b> fn(Var<'b>) -> Var<'b>) -> Reduction {
        match self.steps {
            Steps::Ufunc { ufunc, finish, .. } => Reduction { steps: Steps::Ufunc { ufunc, map, finish }, ..self },
            Steps::Own { .. } => self,
        }
    }
}

pub(super) fn rows() -> Vec<Reduction> {
    let mut rows = named();
    let foldable = ufunc::table().iter().filter(|ufunc| ufunc.nin == 2 && ufunc.nout == 1);
    rows.extend(foldable.map(|ufunc| fold(ufunc.name, ufunc.name, ufunc.doc)));
    rows
}

fn named() -> Vec<Reduction> {
    use Argument::{Correction, Count};
    vec![
        fold("sum", "add", "Sum of the elements."),
        fold("prod", "multiply", "Product of the elements."),
        fold("max", "maximum", "Largest element; NaN if there is one."),
        fold("min", "minimum", "Smallest element; NaN if there is one."),
        fold("all", "logical_and", "Whether all elements are true."),
        fold("any", "logical_or", "Whether any element is true."),
        fold("nansum", "add", "Sum of the elements that are not NaN.").skipping_nan(),
        fold("nanprod", "multiply", "Product of the elements that are not NaN.").skipping_nan(),
        fold("nanmax", "fmax", "Largest element that is not NaN."),
        fold("nanmin", "fmin", "Smallest element that is not NaN."),
        fold("count_nonzero", "add", "Number of elements that are not zero.").rule(Rule::Count),
        fold("mean", "add", "Arithmetic mean.").rule(Rule::Mean).given(&[Count]).finish(average),
        fold("nanmean", "add", "Mean of the elements that are not NaN.")
            .rule(Rule::Mean)
            .given(&[Count])
            .finish(average)
            .skipping_nan(),
        fold("sum_of_squares", "add", "Sum of squared absolute values.").rule(Rule::Spread).map(square_modulus),
        fold("norm", "add", "Square root of the sum of squared absolute values.")
            .rule(Rule::Spread)
            .map(square_modulus)
            .finish(|sum, _| sum.sqrt()),
        fold("sum_of_magnitudes", "add", "Sum of absolute values.").rule(Rule::Spread).map(magnitude),
        own("argmax", Rule::Index, false, "Position of the first largest element, or of the first NaN.", ARGMAX),
        own("argmin", Rule::Index, false, "Position of the first smallest element, or of the first NaN.", ARGMIN),
        own("nanargmax", Rule::Index, false, "Position of the first largest element; -1 if all are NaN.", ARGMAX)
            .skipping_nan(),
        own("nanargmin", Rule::Index, false, "Position of the first smallest element; -1 if all are NaN.", ARGMIN)
            .skipping_nan(),
        own("ptp", Rule::Difference, false, "Largest minus smallest element.", PTP),
        own("minmax", Rule::Same, false, "Smallest and largest element.", EXTENT).results(2),
        own("var", Rule::Spread, true, "Variance.", VAR).given(&[Correction]),
        own("std", Rule::Spread, true, "Standard deviation.", STD).given(&[Correction]),
        own("nanvar", Rule::Spread, true, "Variance of the elements that are not NaN.", NANVAR)
            .given(&[Correction])
            .skipping_nan(),
        own("nanstd", Rule::Spread, true, "Standard deviation of the elements that are not NaN.", NANSTD)
            .given(&[Correction])
            .skipping_nan(),
    ]
}
