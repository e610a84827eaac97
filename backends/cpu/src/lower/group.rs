//! How the value of an IR name is held: in one scalar, or in registers over neighbouring points.

use cranelift_codegen::ir::types::{self, Type};
use cranelift_codegen::ir::{self};
use cuproxide_hal::DType;
use smallvec::SmallVec;

/// The registers of one value, in the order of the points.
pub type Regs = SmallVec<[ir::Value; 8]>;

/// An IR value in machine code.
#[derive(Clone, Debug)]
pub enum Group {
    /// The same at every point of the group (and the only form in scalar code). A bool is an `i8`, 0 or 1.
    One(ir::Value),
    /// 128-bit registers. A bool is a mask: integer lanes of any width, each zero or all ones.
    Many(Regs),
}

/// The machine type of a legalised scalar.
pub fn scalar_type(dtype: DType) -> Type {
    let storage = dtype.storage();
    match (storage.is_float(), storage.size()) {
        (true, 4) => types::F32,
        (true, _) => types::F64,
        (false, 1) => types::I8,
        (false, 2) => types::I16,
        (false, 4) => types::I32,
        (false, _) => types::I64,
    }
}

/// The type of a register that is full of such scalars.
pub fn vector_type(dtype: DType) -> Type {
    let scalar = scalar_type(dtype);
    scalar.by(128 / scalar.bits()).expect("scalars divide a register")
}

/// An integer vector type by the width of its lanes in bytes.
pub fn integer_vector(width: usize) -> Type {
    match width {
        1 => types::I8X16,
        2 => types::I16X8,
        4 => types::I32X4,
        _ => types::I64X2,
    }
}

/// Registers needed for `lanes` values of `width` bytes.
pub fn register_count(lanes: usize, width: usize) -> usize {
    (lanes * width).div_ceil(16)
}
