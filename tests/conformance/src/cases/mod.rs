//! The kernels of the suite: every operator for every type that it accepts, every kind of statement, layout and body.

mod access;
mod arithmetic;
mod bools;
mod control;
mod folds;
mod functions;
mod layouts;
mod programs;
mod rows;
mod segments;

use crate::case::Case;

/// All cases that run a kernel, by group.
pub fn groups() -> Vec<(&'static str, Vec<Case>)> {
    let mut groups = vec![
        ("arithmetic", arithmetic::cases()),
        ("control", control::cases()),
        ("layouts", layouts::cases()),
        ("access", access::cases()),
        ("functions", functions::cases()),
        ("folds", folds::cases()),
        ("rows", rows::cases()),
        ("segments", segments::cases()),
        ("programs", programs::cases()),
    ];
    let bools = bools::cases(groups.iter().flat_map(|(_, cases)| cases));
    groups.push(("odd bools", bools));
    groups
}
