//! Scalars of a kernel that are equal in every launch.
//!
//! Each number of a program is a scalar of its own, so that a loop with a changing number compiles once. But programs repeat
//! themselves: `w * 0.5` here and `w * 0.5` there are the same only if both scalars are known to be equal. A kernel therefore
//! has a second form, in which scalars that have been equal in every launch so far are one. Once two of them differ, a new
//! form takes its place: as equalities only ever become fewer, there are few of these.

use std::sync::Arc;

use cuproxide_hal::Scalar;
use cuproxide_hal::ir::{Kernel, LegalizeOptions, legalize};

use super::kernel::{CachedKernel, State, intern};
use crate::error::Result;

/// How often the form may be replaced before scalars are taken for what they are.
const MOST_CHANGES: u8 = 3;

impl CachedKernel {
    /// The form of the map for a launch with these scalars, which takes the same arguments; nothing if it has no other.
    pub(crate) fn of_equal_scalars(&self, scalars: &[Scalar]) -> Result<Option<Arc<CachedKernel>>> {
        if scalars.len() < 2 {
            return Ok(None);
        }
        let mut state = self.alike.0.lock();
        let (before, changes) = match &*state {
            State::None => return Ok(None),
            State::Some { first, kernel, changes } => {
                if first.iter().zip(scalars).all(|(&first, scalar)| scalars[usize::from(first)] == *scalar) {
                    return Ok(Some(kernel.clone()));
                }
                (Some(first), changes + 1)
            }
            State::New => (None, 0),
        };
        let first = equal(scalars, before.map(|first| &first[..]));
        let made = if changes > MOST_CHANGES { None } else { smaller(&self.kernel, &first) };
        let Some(kernel) = made else {
            *state = State::None;
            return Ok(None);
        };
        let kernel = intern(kernel)?;
        *state = State::Some { first, kernel: kernel.clone(), changes };
        Ok(Some(kernel))
    }
}

/// For each scalar the first that equals it, among those that it equalled `before`.
fn equal(scalars: &[Scalar], before: Option<&[u16]>) -> Box<[u16]> {
    let class = |index: usize| before.map_or(0, |before| before[index]);
    let first = |index: usize| {
        let alike = |&other: &usize| class(other) == class(index) && scalars[other] == scalars[index];
        (0..index).find(alike).unwrap_or(index) as u16
    };
    (0..scalars.len()).map(first).collect()
}

/// The kernel with equal scalars as one, if it then has less to do.
fn smaller(kernel: &Kernel, first: &[u16]) -> Option<Kernel> {
    if first.iter().enumerate().all(|(index, &first)| usize::from(first) == index) {
        return None;
    }
    let made = kernel.with_equal_scalars(first)?;
    let operations = |kernel| legalize(kernel, LegalizeOptions::default()).operations();
    (operations(&made) < operations(kernel)).then_some(made)
}

#[cfg(test)]
mod tests {
    use cuproxide_hal::ir::Builder;
    use cuproxide_hal::{DType, Scalar};

    use super::*;

    /// x * a + x * b - x * c.
    fn kernel() -> Arc<CachedKernel> {
        let builder = Builder::new("combination");
        let x = builder.input(DType::F64);
        let [a, b, c] = [0; 3].map(|_| builder.scalar(DType::F64));
        builder.output(DType::F64, x * a + x * b - x * c);
        intern(builder.finish_map()).expect("a valid kernel")
    }

    fn form(kernel: &CachedKernel, scalars: [f64; 3]) -> Option<Arc<CachedKernel>> {
        kernel.of_equal_scalars(&scalars.map(|value| Scalar::real(DType::F64, value))).expect("a valid kernel")
    }

    fn same(one: Option<&Arc<CachedKernel>>, other: Option<&Arc<CachedKernel>>) -> bool {
        one.map(Arc::as_ptr) == other.map(Arc::as_ptr)
    }

    #[test]
    fn scalars_that_are_always_equal_are_one() {
        let kernel = kernel();
        let all = form(&kernel, [2.0; 3]);
        assert!(all.is_some() && same(form(&kernel, [3.0; 3]).as_ref(), all.as_ref()));
        let two = form(&kernel, [2.0, 2.0, 3.0]);
        assert!(two.is_some() && !same(two.as_ref(), all.as_ref()));
        // Those that differed once stay apart.
        assert!(same(form(&kernel, [2.0; 3]).as_ref(), two.as_ref()));
        assert!(form(&kernel, [1.0, 2.0, 2.0]).is_none() && form(&kernel, [2.0; 3]).is_none());
    }

    #[test]
    fn what_gains_nothing_stays_as_it_is() {
        let builder = Builder::new("line");
        let x = builder.input(DType::F64);
        let [a, b] = [0; 2].map(|_| builder.scalar(DType::F64));
        builder.output(DType::F64, x * a + b);
        let kernel = intern(builder.finish_map()).expect("a valid kernel");
        let scalars = [Scalar::real(DType::F64, 2.0); 2];
        assert!(kernel.of_equal_scalars(&scalars).expect("a valid kernel").is_none());
    }

    #[test]
    fn zeros_of_both_signs_are_not_equal() {
        let kernel = kernel();
        assert!(form(&kernel, [0.0, -0.0, 1.0]).is_none());
    }
}
