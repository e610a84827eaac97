//! Which instruction an operator is, by the type of its elements: rows of numbers from the manuals.

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Binary, Compare, Unary};

use super::encode::Row;

/// Whether elements take 8 bytes, as W tells.
const fn is_double(size: usize) -> bool {
    size == 8
}

/// An instruction on float32 or float64.
pub const fn float(opcode: u8, size: usize) -> Row {
    let double = is_double(size);
    Row::new(1, double as u8, opcode, double).broadcast(size)
}

/// An instruction on integers of all widths with the prefix 66.
const fn integers(map: u8, opcodes: [u8; 4], size: usize) -> Row {
    let opcode = opcodes[size.trailing_zeros() as usize];
    Row::new(map, 1, opcode, is_double(size)).broadcast(size)
}

/// An instruction of bits, which are the same in lanes of any width.
const fn bits(opcode: u8, size: usize) -> Row {
    Row::new(1, 1, opcode, is_double(size)).broadcast(size)
}

/// Moves whole vectors of 16 bytes and more.
pub const MOVE: Row = Row::new(1, 1, 0x10, true);
const MOVE_TO: Row = Row::new(1, 1, 0x11, true).reversed();
const LOAD_8: Row = Row::new(1, 2, 0x7e, true);
const STORE_8: Row = Row::new(1, 1, 0xd6, true).reversed();
const LOAD_4: Row = Row::new(1, 1, 0x6e, false);
const STORE_4: Row = Row::new(1, 1, 0x7e, false).reversed();
const LOAD_2: Row = Row::new(1, 1, 0xc4, false);
const STORE_2: Row = Row::new(3, 1, 0x15, false).reversed();
const LOAD_1: Row = Row::new(3, 1, 0x20, false);
const STORE_1: Row = Row::new(3, 1, 0x14, false).reversed();

/// Moves a vector of so many bytes from memory; one of less than 4 into the lane of the immediate.
pub const fn load(bytes: usize) -> Row {
    match bytes {
        1 => LOAD_1,
        2 => LOAD_2,
        4 => LOAD_4,
        8 => LOAD_8,
        _ => MOVE,
    }
}

/// Moves a vector of so many bytes to memory; one of less than 4 from the lane of the immediate.
pub const fn store(bytes: usize) -> Row {
    match bytes {
        1 => STORE_1,
        2 => STORE_2,
        4 => STORE_4,
        8 => STORE_8,
        _ => MOVE_TO,
    }
}

/// Moves the elements of a mask from memory. AVX-512 only.
pub const fn load_some(size: usize) -> Row {
    some(size, [0x10, 0x6f]).zeroing()
}

/// Moves the elements of a mask to memory. AVX-512 only.
pub const fn store_some(size: usize) -> Row {
    some(size, [0x11, 0x7f]).reversed()
}

const fn some(size: usize, [float, integer]: [u8; 2]) -> Row {
    match size {
        8 => Row::new(1, 1, float, true),
        4 => Row::new(1, 0, float, false),
        _ => Row::new(1, 3, integer, size == 2),
    }
}

/// Moves masks between registers, or from memory.
pub const MASK_LOAD: Row = Row::masks(0x90);
pub const MASK_STORE: Row = Row::masks(0x91).reversed();
pub const MASK_NOT: Row = Row::masks(0x44);
pub const MASK_AND: Row = Row::masks(0x41);
/// Not the first, and the second.
pub const MASK_AND_NOT: Row = Row::masks(0x42);
pub const MASK_OR: Row = Row::masks(0x45);
pub const MASK_XOR: Row = Row::masks(0x47);

/// One element in all lanes.
pub const fn broadcast(size: usize) -> Row {
    let opcode = [0x78, 0x79, 0x58, 0x59][size.trailing_zeros() as usize];
    Row::new(2, 1, opcode, is_double(size)).single()
}

/// A general register in all lanes (AVX-512), or in the first.
pub const BROADCAST_GENERAL: Row = Row::new(2, 1, 0x7c, true);
pub const MOVE_GENERAL: Row = Row::new(1, 1, 0x6e, true).vex_wide();

/// Any function of three bits: those of the result before, of the source and of the operand. AVX-512 only.
pub const fn choice_of_bits(size: usize) -> Row {
    Row::new(3, 1, 0x25, is_double(size)).broadcast(size)
}

/// The operand in lanes whose mask is set, else the source. AVX-512 only.
pub const fn blend(dtype: DType) -> Row {
    let size = dtype.size();
    match (dtype.is_float(), size) {
        (true, _) => Row::new(2, 1, 0x65, is_double(size)).broadcast(size),
        (_, 4 | 8) => Row::new(2, 1, 0x64, is_double(size)).broadcast(size),
        _ => Row::new(2, 1, 0x66, size == 2),
    }
}

/// The lanes in which the bits of both have something in common. AVX-512 only.
pub const fn test(size: usize) -> Row {
    Row::new(2, 1, if size < 4 { 0x26 } else { 0x27 }, size == 2 || size == 8)
}

/// `result * source + operand`.
pub const fn multiply_add(size: usize) -> Row {
    Row::new(2, 1, 0xa8, is_double(size)).broadcast(size).vex_wide()
}

/// Rounds to integers as the immediate says, without noting that something was lost.
pub const fn round(size: usize) -> Row {
    Row::new(3, 1, if is_double(size) { 0x09 } else { 0x08 }, is_double(size)).broadcast(size)
}

/// How [`round`] rounds.
pub fn rounding(op: Unary) -> Option<u8> {
    Some(match op {
        Unary::Rint => 8,
        Unary::Floor => 9,
        Unary::Ceil => 10,
        Unary::Trunc => 11,
        _ => return None,
    })
}

/// The lanes where a comparison holds, and its immediate. AVX-512 only for integers.
pub fn compare(op: Compare, dtype: DType) -> (Row, u8) {
    let size = dtype.size();
    if dtype.is_float() {
        return (float(0xc2, size), float_predicate(op));
    }
    let opcode = match (size < 4, dtype.is_signed()) {
        (true, true) => 0x3f,
        (true, false) => 0x3e,
        (false, true) => 0x1f,
        (false, false) => 0x1e,
    };
    let predicate = match op {
        Compare::Eq => 0,
        Compare::Lt => 1,
        Compare::Le => 2,
        Compare::Ne => 4,
        Compare::Ge => 5,
        Compare::Gt => 6,
    };
    (Row::new(3, 1, opcode, size == 2 || size == 8).broadcast(size), predicate)
}

/// Quiet comparisons of floats, which hold for no NaN but by `Ne`.
pub fn float_predicate(op: Compare) -> u8 {
    match op {
        Compare::Eq => 0x00,
        Compare::Ne => 0x04,
        Compare::Lt => 0x11,
        Compare::Le => 0x12,
        Compare::Ge => 0x1d,
        Compare::Gt => 0x1e,
    }
}

/// The processor's smaller (`min`) or larger: its operand where both are equal or one is NaN.
pub const fn extremum(min: bool, size: usize) -> Row {
    float(if min { 0x5d } else { 0x5f }, size)
}

/// The smaller or the larger of two floats, as the immediate says, where -0 is smaller than 0; a number wins over NaN. AVX-512 only.
pub const fn range(size: usize) -> Row {
    Row::new(3, 1, 0x50, is_double(size)).broadcast(size)
}

/// What [`range`] finds.
pub const fn ordering(min: bool) -> u8 {
    if min { 4 } else { 5 }
}

/// The predicate of a [`compare`] of floats that finds NaN in either.
pub const UNORDERED: u8 = 3;

/// Bits of floats: and, or, exclusive or.
pub const fn float_and(size: usize) -> Row {
    float(0x54, size)
}
pub const fn float_or(size: usize) -> Row {
    float(0x56, size)
}
pub const fn float_xor(size: usize) -> Row {
    float(0x57, size)
}

pub const fn square_root(size: usize) -> Row {
    float(0x51, size)
}

pub const fn integer_xor(size: usize) -> Row {
    bits(0xef, size)
}

pub const fn magnitude(size: usize) -> Row {
    integers(2, [0x1c, 0x1d, 0x1e, 0x1f], size)
}

/// Operators that are one instruction on two vectors.
pub fn binary(op: Binary, dtype: DType) -> Option<Row> {
    let size = dtype.size();
    let signed = dtype.is_signed();
    if dtype.is_float() {
        let opcode = match op {
            Binary::Add => 0x58,
            Binary::Mul => 0x59,
            Binary::Sub => 0x5c,
            Binary::Div => 0x5e,
            _ => return None,
        };
        return Some(float(opcode, size));
    }
    Some(match op {
        Binary::Add => integers(1, [0xfc, 0xfd, 0xfe, 0xd4], size),
        Binary::Sub => integers(1, [0xf8, 0xf9, 0xfa, 0xfb], size),
        Binary::And => bits(0xdb, size),
        Binary::Or => bits(0xeb, size),
        Binary::Xor => bits(0xef, size),
        Binary::Mul if size == 2 => Row::new(1, 1, 0xd5, false),
        Binary::Mul if size >= 4 => Row::new(2, 1, 0x40, is_double(size)).broadcast(size),
        Binary::Min | Binary::Max => {
            let opcode = match (op, signed, size) {
                (Binary::Min, true, 2) => return Some(Row::new(1, 1, 0xea, false)),
                (Binary::Max, true, 2) => return Some(Row::new(1, 1, 0xee, false)),
                (Binary::Min, false, 1) => return Some(Row::new(1, 1, 0xda, false)),
                (Binary::Max, false, 1) => return Some(Row::new(1, 1, 0xde, false)),
                (Binary::Min, true, 1) => 0x38,
                (Binary::Min, true, _) => 0x39,
                (Binary::Min, false, 2) => 0x3a,
                (Binary::Min, false, _) => 0x3b,
                (_, true, 1) => 0x3c,
                (_, true, _) => 0x3d,
                (_, false, 2) => 0x3e,
                (_, false, _) => 0x3f,
            };
            Row::new(2, 1, opcode, is_double(size)).broadcast(size)
        }
        Binary::Shl | Binary::Shr if size >= 2 => {
            let opcode = match (op, signed, size) {
                (Binary::Shl, _, 2) => 0x12,
                (Binary::Shl, ..) => 0x47,
                (_, false, 2) => 0x10,
                (_, false, _) => 0x45,
                (_, true, 2) => 0x11,
                (_, true, _) => 0x46,
            };
            Row::new(2, 1, opcode, size != 4).broadcast(size).vex_wide()
        }
        _ => return None,
    })
}

/// Whether an operator on masks is one instruction.
pub fn is_of_masks(op: Binary) -> bool {
    matches!(op, Binary::And | Binary::Mul | Binary::Min | Binary::Or | Binary::Add | Binary::Max | Binary::Xor)
}

/// An operator on masks in registers of their own.
pub fn of_masks(op: Binary) -> Row {
    match op {
        Binary::And | Binary::Mul | Binary::Min => MASK_AND,
        Binary::Xor => MASK_XOR,
        _ => MASK_OR,
    }
}

/// The same on masks in vectors.
pub fn of_vector_masks(op: Binary) -> Row {
    match op {
        Binary::And | Binary::Mul | Binary::Min => float_and(8),
        Binary::Xor => float_xor(8),
        _ => float_or(8),
    }
}

/// Not the first, and the second.
pub const VECTOR_AND_NOT: Row = float(0x55, 8);

/// All ones where integers are equal, or the first is greater (signed). AVX2 only.
pub const fn compare_vectors(equal: bool, size: usize) -> Row {
    match (size, equal) {
        (8, true) => Row::new(2, 1, 0x29, false),
        (8, false) => Row::new(2, 1, 0x37, false),
        _ => integers(1, if equal { [0x74, 0x75, 0x76, 0] } else { [0x64, 0x65, 0x66, 0] }, size),
    }
}

/// The operand in lanes whose mask, named by the immediate, is set, else the source. AVX2 only.
pub const fn blend_vectors(dtype: DType) -> Row {
    let opcode = match (dtype.is_float(), dtype.size()) {
        (true, 8) => 0x4b,
        (true, _) => 0x4a,
        _ => 0x4c,
    };
    Row::new(3, 1, opcode, false).named_mask()
}

/// The upper half of a vector. AVX2 only.
pub const UPPER_HALF: Row = Row::new(3, 1, 0x39, false).reversed();

/// The lanes of two vectors of 128 bits in lanes of so many bytes, half as many as before, in one. Those of 16 and 8 bits saturate:
/// as signed numbers, which masks are, or as unsigned ones. AVX2 only.
pub const fn pack(size: usize, signed: bool) -> Row {
    match (size, signed) {
        (1, true) => Row::new(1, 1, 0x63, false),
        (1, false) => Row::new(1, 1, 0x67, false),
        (2, true) => Row::new(1, 1, 0x6b, false),
        (2, false) => Row::new(2, 1, 0x2b, false),
        _ => Row::new(1, 0, 0xc6, false),
    }
}

/// Operators on integers that AVX2 has no instruction for.
pub fn is_wide_only(op: Binary, dtype: DType) -> bool {
    match (op, dtype.size()) {
        (Binary::Mul | Binary::Min | Binary::Max, 8) => !dtype.is_float(),
        (Binary::Shr, 8) => dtype.is_signed(),
        (Binary::Shl | Binary::Shr, 2) => true,
        _ => false,
    }
}

/// Conversions that AVX2 has.
pub fn converts_narrowly(from: DType, to: DType) -> bool {
    use DType::{F32, F64, I32};
    matches!((from, to), (F32, F64) | (F64, F32) | (I32, F32 | F64))
}

/// Integers of another width: wider ones keep the sign of `signed`, narrower ones lose their upper bits.
pub fn resize(from: usize, to: usize, signed: bool) -> Row {
    let (narrow, wide) = (from.min(to), from.max(to));
    let low = match (narrow, wide) {
        (1, 2) => 0,
        (1, 4) => 1,
        (1, _) => 2,
        (2, 4) => 3,
        (2, _) => 4,
        _ => 5,
    };
    if from < to {
        return Row::new(2, 1, if signed { 0x20 } else { 0x30 } + low, false);
    }
    Row::new(2, 2, 0x30 + low, false).reversed()
}

/// Conversions that are one instruction.
pub fn convert(from: DType, to: DType) -> Option<Row> {
    use DType::{F32, F64, I32, I64, U32, U64};
    let (prefix, opcode, wide) = match (from, to) {
        (F32, F64) => (0, 0x5a, false),
        (F64, F32) => (1, 0x5a, true),
        (I32, F64) => (2, 0xe6, false),
        (I32, F32) => (0, 0x5b, false),
        (U32, F64) => (2, 0x7a, false),
        (U32, F32) => (3, 0x7a, false),
        (I64, F64) => (2, 0xe6, true),
        (I64, F32) => (0, 0x5b, true),
        (U64, F64) => (2, 0x7a, true),
        (U64, F32) => (3, 0x7a, true),
        // The smallest int64 where the number is out of range, or none.
        (F64, I64) => (1, 0x7a, true),
        (F32, I64) => (1, 0x7a, false),
        _ => return None,
    };
    Some(Row::new(1, prefix, opcode, wide).broadcast(from.size()))
}
