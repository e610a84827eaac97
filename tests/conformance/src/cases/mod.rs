//! The kernels of the suite: every operator for every type that it accepts, every kind of statement, layout and body.

mod access;
mod arithmetic;
mod control;
mod folds;
mod layouts;

use crate::case::Case;

/// All cases that run a kernel.
pub fn all() -> Vec<Case> {
    let mut cases = arithmetic::cases();
    cases.extend(control::cases());
    cases.extend(layouts::cases());
    cases.extend(access::cases());
    cases.extend(folds::cases());
    cases
}
