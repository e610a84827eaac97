//! What kernels over neighbourhoods share: filters, morphology, padding, sampling.

pub mod boundary;
