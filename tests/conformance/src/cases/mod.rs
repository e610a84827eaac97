//! The kernels of the suite: every operator for every type that it accepts, every kind of statement, layout and body.

mod access;
mod arithmetic;
mod control;
mod folds;
mod layouts;
mod programs;
mod rows;

use crate::case::Case;

/// All cases that run a kernel, by group.
pub fn groups() -> [(&'static str, Vec<Case>); 7] {
    [
        ("arithmetic", arithmetic::cases()),
        ("control", control::cases()),
        ("layouts", layouts::cases()),
        ("access", access::cases()),
        ("folds", folds::cases()),
        ("rows", rows::cases()),
        ("programs", programs::cases()),
    ]
}
