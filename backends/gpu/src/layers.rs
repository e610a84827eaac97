//! What cuDNN and MIOpen call with the same arguments.

use std::ffi::{c_double, c_int};

use cuproxide_hal::Result;
use cuproxide_hal::libraries::dnn::Operation;

use crate::own_handle::{Descriptor, Raw};

/// The functions of a table that queue batch normalisations. `F` is the address of a factor, whose type differs.
#[rustfmt::skip]
pub struct Normalizations<T, F> {
    /// Handle, mode, factors, `x`, `y`, parameters with scale and offset, the weight of this batch in the running mean and
    /// variance, these, epsilon, the batch's mean and inverse deviation.
    pub training: unsafe fn(
        &T, Raw, c_int, F, F, Raw, u64, Raw, u64, Raw, u64, u64, c_double, u64, u64, c_double, u64, u64,
    ) -> Result<()>,
    /// Handle, mode, factors, `x`, `y`, parameters with scale and offset, mean, variance, epsilon.
    pub inference: unsafe fn(
        &T, Raw, c_int, F, F, Raw, u64, Raw, u64, Raw, u64, u64, u64, u64, c_double,
    ) -> Result<()>,
    /// Handle, mode, factors of both results, `x`, gradients for `y` and `x`, parameters with scale and gradients for scale
    /// and offset, epsilon, the batch's mean and inverse deviation.
    pub gradient: unsafe fn(
        &T, Raw, c_int, F, F, F, F, Raw, u64, Raw, u64, Raw, u64, Raw, u64, u64, u64, c_double, u64, u64,
    ) -> Result<()>,
}

impl<T, F: Copy> Normalizations<T, F> {
    /// Queues a normalisation, or its gradient; `describe` and `at` tell the descriptor and the address of a tensor.
    ///
    /// # Safety
    /// The tensors are valid for the operation, and the factors outlive the call.
    ///
    /// # Errors
    /// The library's refusal.
    ///
    /// # Panics
    /// If the operation is not a normalisation.
    pub unsafe fn queue<'t>(
        &self,
        table: &'t T,
        handle: Raw,
        operation: &Operation,
        describe: impl Fn(usize) -> Result<Descriptor<'t, T>>,
        at: impl Fn(usize) -> u64,
        (zero, one): (F, F),
    ) -> Result<()> {
        let mode = |per_activation: bool| c_int::from(!per_activation);
        // SAFETY: the caller's promise; descriptors outlive the calls, which read them at once.
        unsafe {
            match operation {
                Operation::Normalization { per_activation, epsilon, factor } => {
                    let (x, y, parameters) = (describe(0)?, describe(3)?, describe(1)?);
                    (self.training)(
                        table,
                        handle,
                        mode(*per_activation),
                        one,
                        zero,
                        x.raw,
                        at(0),
                        y.raw,
                        at(3),
                        parameters.raw,
                        at(1),
                        at(2),
                        *factor,
                        at(4),
                        at(5),
                        *epsilon,
                        at(6),
                        at(7),
                    )
                }
                Operation::NormalizationInference { per_activation, epsilon } => {
                    let (x, y, parameters) = (describe(0)?, describe(5)?, describe(1)?);
                    (self.inference)(
                        table,
                        handle,
                        mode(*per_activation),
                        one,
                        zero,
                        x.raw,
                        at(0),
                        y.raw,
                        at(5),
                        parameters.raw,
                        at(1),
                        at(2),
                        at(3),
                        at(4),
                        *epsilon,
                    )
                }
                Operation::NormalizationGradient { per_activation, epsilon } => {
                    let (x, dy, dx, parameters) = (describe(0)?, describe(1)?, describe(5)?, describe(2)?);
                    (self.gradient)(
                        table,
                        handle,
                        mode(*per_activation),
                        one,
                        zero,
                        one,
                        zero,
                        x.raw,
                        at(0),
                        dy.raw,
                        at(1),
                        dx.raw,
                        at(5),
                        parameters.raw,
                        at(2),
                        at(6),
                        at(7),
                        *epsilon,
                        at(3),
                        at(4),
                    )
                }
                other => unreachable!("{other:?} is not a normalisation"),
            }
        }
    }
}
