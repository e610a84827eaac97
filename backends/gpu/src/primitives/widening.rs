//! How generated text widens narrow floats.

use cuproxide_hal::DType;

/// The number that memory holds, as generated text: narrow floats become float32.
pub(super) fn widened(dtype: DType, value: &str) -> String {
    match dtype {
        DType::F16 => format!("half_to_float({value})"),
        DType::BF16 => format!("bitcast<f32>((u32){value} << 16)"),
        _ => value.to_owned(),
    }
}
