//! Array operations, one file a subject. Each works out shapes and types, then launches through [`crate::dispatch`].

pub mod authored;
pub mod binning;
pub mod collectives;
pub mod copy;
pub mod creation;
pub mod dnn;
pub mod elementwise;
pub mod fft;
pub mod gather;
pub mod indexing;
pub mod joining;
pub mod padding;
pub mod products;
pub mod random;
pub mod reduction;
pub mod search;
pub mod segments;
pub mod select;
pub mod sliding;
pub mod solver;
pub mod sorting;
pub mod sparse_factors;
pub mod transfer;
pub mod updates;
