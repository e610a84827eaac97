//! Operators on one 128-bit register. Each computes in every lane what [`super::scalar`] computes; `None` sends the
//! operator there, lane by lane.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{ConstantData, InstBuilder, InstructionData, MemFlagsData, Opcode, Type, Value, types};
use cranelift_frontend::FunctionBuilder;
use cuproxide_hal::DType;
use cuproxide_hal::ir::{Binary, Compare, Unary};

use super::group::{integer_vector, vector_type};
use super::scalar::{float_condition, integer_condition};

/// Reinterprets a register.
pub fn recast(b: &mut FunctionBuilder<'_>, ty: Type, a: Value) -> Value {
    if b.func.dfg.value_type(a) == ty {
        return a;
    }
    let flags = MemFlagsData::new().with_endianness(cranelift_codegen::ir::Endianness::Little);
    b.ins().bitcast(ty, flags, a)
}

/// A register from its 16 bytes.
pub fn constant(b: &mut FunctionBuilder<'_>, ty: Type, bytes: [u8; 16]) -> Value {
    let data = b.func.dfg.constants.insert(ConstantData::from(&bytes[..]));
    b.ins().vconst(ty, data)
}

/// Picks 16 of the 32 bytes of two registers.
pub fn shuffle(b: &mut FunctionBuilder<'_>, ty: Type, x: Value, y: Value, mask: [u8; 16]) -> Value {
    let bytes = integer_vector(1);
    let (x, y) = (recast(b, bytes, x), recast(b, bytes, y));
    let mask = b.func.dfg.immediates.push(ConstantData::from(&mask[..]));
    let picked = b.ins().shuffle(x, y, mask);
    recast(b, ty, picked)
}

/// `yes` where the mask (lanes as wide as those of `ty`) is set, else `no`.
pub fn blend(b: &mut FunctionBuilder<'_>, ty: Type, mask: Value, yes: Value, no: Value) -> Value {
    let mask = recast(b, ty, mask);
    b.ins().bitselect(mask, yes, no)
}

/// A comparison; the result is a mask.
pub fn compare(b: &mut FunctionBuilder<'_>, op: Compare, dtype: DType, x: Value, y: Value) -> Value {
    if dtype.is_float() {
        b.ins().fcmp(float_condition(op), x, y)
    } else {
        b.ins().icmp(integer_condition(op, dtype.is_signed()), x, y)
    }
}

/// A unary operator other than the called routines.
pub fn unary(b: &mut FunctionBuilder<'_>, op: Unary, dtype: DType, a: Value) -> Option<Value> {
    let float = dtype.is_float();
    Some(match op {
        Unary::Neg if float => b.ins().fneg(a),
        Unary::Neg => b.ins().ineg(a),
        Unary::Abs if float => b.ins().fabs(a),
        Unary::Abs if dtype.is_signed() => b.ins().iabs(a),
        Unary::Abs => a,
        Unary::Not => b.ins().bnot(a),
        Unary::Popcount if dtype == DType::U8 => b.ins().popcnt(a),
        Unary::Sqrt | Unary::SqrtNormal => b.ins().sqrt(a),
        Unary::Floor => b.ins().floor(a),
        Unary::Ceil => b.ins().ceil(a),
        Unary::Trunc => b.ins().trunc(a),
        Unary::Rint => b.ins().nearest(a),
        _ => return None,
    })
}

/// A binary operator other than the called routines; `count` is the shift count if it is the same in every lane.
pub fn binary(
    b: &mut FunctionBuilder<'_>,
    op: Binary,
    dtype: DType,
    x: Value,
    y: Value,
    count: Option<Value>,
) -> Option<Value> {
    let (float, signed) = (dtype.is_float(), dtype.is_signed());
    let boolean = dtype == DType::Bool;
    Some(match op {
        Binary::And => b.ins().band(x, y),
        Binary::Or => b.ins().bor(x, y),
        Binary::Xor => b.ins().bxor(x, y),
        Binary::Add if boolean => b.ins().bor(x, y),
        Binary::Mul if boolean => b.ins().band(x, y),
        Binary::Max if boolean => b.ins().bor(x, y),
        Binary::Min if boolean => b.ins().band(x, y),
        Binary::Add if float => b.ins().fadd(x, y),
        Binary::Add => b.ins().iadd(x, y),
        Binary::Sub if float => b.ins().fsub(x, y),
        Binary::Sub => b.ins().isub(x, y),
        Binary::Mul if float => b.ins().fmul(x, y),
        Binary::Mul if dtype.size() > 1 => b.ins().imul(x, y),
        Binary::Mul => multiply_bytes(b, x, y),
        Binary::MulHigh if dtype == DType::U32 => multiply_words_high(b, x, y),
        Binary::Div if float => b.ins().fdiv(x, y),
        Binary::Min | Binary::Max if float => extremum(b, op, dtype, x, y),
        Binary::Min | Binary::Max if dtype.size() == 8 => {
            let order = if op == Binary::Min { Compare::Lt } else { Compare::Gt };
            let first = compare(b, order, dtype, x, y);
            b.ins().bitselect(first, x, y)
        }
        Binary::Min if signed => b.ins().smin(x, y),
        Binary::Min => b.ins().umin(x, y),
        Binary::Max if signed => b.ins().smax(x, y),
        Binary::Max => b.ins().umax(x, y),
        Binary::Shl => b.ins().ishl(x, count?),
        Binary::Shr if signed => b.ins().sshr(x, count?),
        Binary::Shr => b.ins().ushr(x, count?),
        Binary::Copysign => {
            let ty = vector_type(dtype);
            let mut bytes = [0; 16];
            bytes.iter_mut().skip(dtype.size() - 1).step_by(dtype.size()).for_each(|byte| *byte = 0x80);
            let sign = constant(b, ty, bytes);
            b.ins().bitselect(sign, y, x)
        }
        _ => return None,
    })
}

/// The upper halves of the products of 32-bit lanes.
fn multiply_words_high(b: &mut FunctionBuilder<'_>, x: Value, y: Value) -> Value {
    let (x, y) = (unfolded(b, x), unfolded(b, y));
    let (a, c) = (b.ins().uwiden_low(x), b.ins().uwiden_low(y));
    let low = b.ins().imul(a, c);
    let (a, c) = (b.ins().uwiden_high(x), b.ins().uwiden_high(y));
    let high = b.ins().imul(a, c);
    shuffle(b, types::I32X4, low, high, [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
}

/// A constant in all 32-bit lanes in a form that Cranelift does not widen by itself: it has one instruction for the
/// product of widened lanes, but only if it sees them widened.
fn unfolded(b: &mut FunctionBuilder<'_>, x: Value) -> Value {
    let defined = |value: Value| b.func.dfg.value_def(value).inst().map(|inst| b.func.dfg.insts[inst]);
    let Some(InstructionData::Unary { opcode: Opcode::Splat, arg }) = defined(x) else { return x };
    let Some(InstructionData::UnaryImm { opcode: Opcode::Iconst, imm }) = defined(arg) else { return x };
    let word = (imm.bits() as u32).to_le_bytes();
    constant(b, types::I32X4, std::array::from_fn(|byte| word[byte % 4]))
}

/// Products of bytes: those of the even and odd bytes in 16-bit lanes.
fn multiply_bytes(b: &mut FunctionBuilder<'_>, x: Value, y: Value) -> Value {
    let words = integer_vector(2);
    let (x, y) = (recast(b, words, x), recast(b, words, y));
    let even = b.ins().imul(x, y);
    let (x_high, y_high) = (b.ins().ushr_imm_u(x, 8), b.ins().ushr_imm_u(y, 8));
    let odd = b.ins().imul(x_high, y_high);
    let odd = b.ins().ishl_imm_u(odd, 8);
    let low = constant(b, words, [0xff, 0].repeat(8).try_into().expect("sixteen bytes"));
    let even = b.ins().band(even, low);
    let product = b.ins().bor(even, odd);
    recast(b, integer_vector(1), product)
}

/// As in `crate::math`'s extrema.
fn extremum(b: &mut FunctionBuilder<'_>, op: Binary, dtype: DType, x: Value, y: Value) -> Value {
    let ty = vector_type(dtype);
    let min = op == Binary::Min;
    // Written so that instruction selection finds one `minps`-like instruction.
    let (low, high) = if min { (x, y) } else { (y, x) };
    let first = b.ins().fcmp(FloatCC::LessThan, low, high);
    let ordered = blend(b, ty, first, x, y);
    let tied = if min { b.ins().bor(x, y) } else { b.ins().band(x, y) };
    let equal = b.ins().fcmp(FloatCC::Equal, x, y);
    let found = blend(b, ty, equal, tied, ordered);
    let nan = b.ins().fcmp(FloatCC::Unordered, x, x);
    blend(b, ty, nan, x, found)
}
