//! What cuDNN and MIOpen call with the same arguments.

/// Queues a batch normalisation, or its gradient, by a table of functions whose arguments are cuDNN's. The types of the
/// factors' addresses differ, so a macro writes the calls.
#[macro_export]
macro_rules! normalize {
    ($table:ident, $handle:ident, $operation:ident, $describe:ident, $at:ident, $zero:ident, $one:ident) => {{
        use cuproxide_hal::libraries::dnn::Operation;
        let mode = |per_activation: bool| std::ffi::c_int::from(!per_activation);
        match $operation {
            Operation::Normalization { per_activation, epsilon, factor } => {
                let (x, y, parameters) = ($describe(0)?, $describe(3)?, $describe(1)?);
                $table.normalization_training(
                    $handle,
                    mode(*per_activation),
                    $one,
                    $zero,
                    x.raw,
                    $at(0),
                    y.raw,
                    $at(3),
                    parameters.raw,
                    $at(1),
                    $at(2),
                    *factor,
                    $at(4),
                    $at(5),
                    *epsilon,
                    $at(6),
                    $at(7),
                )
            }
            Operation::NormalizationInference { per_activation, epsilon } => {
                let (x, y, parameters) = ($describe(0)?, $describe(5)?, $describe(1)?);
                $table.normalization_inference(
                    $handle,
                    mode(*per_activation),
                    $one,
                    $zero,
                    x.raw,
                    $at(0),
                    y.raw,
                    $at(5),
                    parameters.raw,
                    $at(1),
                    $at(2),
                    $at(3),
                    $at(4),
                    *epsilon,
                )
            }
            Operation::NormalizationGradient { per_activation, epsilon } => {
                let (x, dy, dx, parameters) = ($describe(0)?, $describe(1)?, $describe(5)?, $describe(2)?);
                $table.normalization_backward(
                    $handle,
                    mode(*per_activation),
                    $one,
                    $zero,
                    $one,
                    $zero,
                    x.raw,
                    $at(0),
                    dy.raw,
                    $at(1),
                    dx.raw,
                    $at(5),
                    parameters.raw,
                    $at(2),
                    $at(6),
                    $at(7),
                    *epsilon,
                    $at(3),
                    $at(4),
                )
            }
            other => unreachable!("{other:?} is not a normalisation"),
        }
    }};
}
