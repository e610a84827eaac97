//! Coefficients, a file for each family of functions; written by `ci/special_tables.py`.

pub(super) mod airy;
pub(super) mod bessel01;
pub(super) mod bessel_first;
pub(super) mod bessel_integrals;
pub(super) mod bessel_order;
pub(super) mod elliptic;
pub(super) mod error;
pub(super) mod gamma;
pub(super) mod integrals;
pub(super) mod zeta;
