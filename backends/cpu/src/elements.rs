//! The element types of arrays as types of Rust.

/// `$of!(T)` for the Rust type of an element, `$truth` for bool; the caller adds the arms of complex types.
macro_rules! by_number {
    ($dtype:expr, $of:ident, $truth:ty, $($others:tt)*) => {
        match $dtype {
            DType::Bool => $of!($truth),
            DType::I8 => $of!(i8),
            DType::U8 => $of!(u8),
            DType::I16 => $of!(i16),
            DType::U16 => $of!(u16),
            DType::I32 => $of!(i32),
            DType::U32 => $of!(u32),
            DType::I64 => $of!(i64),
            DType::U64 => $of!(u64),
            DType::F16 => $of!(half::f16),
            DType::BF16 => $of!(half::bf16),
            DType::F32 => $of!(f32),
            DType::F64 => $of!(f64),
            $($others)*
        }
    };
}

/// `$rows!` of the Rust types of narrow floats, each with the word of its bits, plain and atomic.
macro_rules! narrow_types {
    ($rows:ident) => {
        $rows! {
            half::f16: u16, std::sync::atomic::AtomicU16;
            half::bf16: u16, std::sync::atomic::AtomicU16;
        }
    };
}

pub(crate) use {by_number, narrow_types};
