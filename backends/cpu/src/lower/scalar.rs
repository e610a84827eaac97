//! Operators on one scalar.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{
    AbiParam, Endianness, InstBuilder, MemFlagsData, Signature, StackSlotData, StackSlotKind, Value, types,
};
use cranelift_frontend::FunctionBuilder;
use cuproxide_hal::ir::{Binary, Compare, Literal, Unary};
use cuproxide_hal::{DType, Kind, Scalar};
use smallvec::SmallVec;

use super::group::{scalar_type, vector_type};
use super::host::{POINTER, host_convention};
use super::math::{self, Routine};

/// The condition code of a comparison of integers.
pub fn integer_condition(op: Compare, signed: bool) -> IntCC {
    match (op, signed) {
        (Compare::Eq, _) => IntCC::Equal,
        (Compare::Ne, _) => IntCC::NotEqual,
        (Compare::Lt, true) => IntCC::SignedLessThan,
        (Compare::Le, true) => IntCC::SignedLessThanOrEqual,
        (Compare::Gt, true) => IntCC::SignedGreaterThan,
        (Compare::Ge, true) => IntCC::SignedGreaterThanOrEqual,
        (Compare::Lt, false) => IntCC::UnsignedLessThan,
        (Compare::Le, false) => IntCC::UnsignedLessThanOrEqual,
        (Compare::Gt, false) => IntCC::UnsignedGreaterThan,
        (Compare::Ge, false) => IntCC::UnsignedGreaterThanOrEqual,
    }
}

/// The condition code of a comparison of floats.
pub fn float_condition(op: Compare) -> FloatCC {
    match op {
        Compare::Eq => FloatCC::Equal,
        Compare::Ne => FloatCC::NotEqual,
        Compare::Lt => FloatCC::LessThan,
        Compare::Le => FloatCC::LessThanOrEqual,
        Compare::Gt => FloatCC::GreaterThan,
        Compare::Ge => FloatCC::GreaterThanOrEqual,
    }
}

/// Memory accesses of compiled code: they never trap and may be unaligned.
pub fn memory() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// A constant.
pub fn constant(b: &mut FunctionBuilder<'_>, literal: &Literal) -> Value {
    let word = u64::from_le_bytes(literal.bytes[..8].try_into().expect("eight bytes"));
    match literal.dtype {
        DType::F32 => b.ins().f32const(f32::from_bits(word as u32)),
        DType::F64 => b.ins().f64const(f64::from_bits(word)),
        dtype => integer(b, dtype, word as i64),
    }
}

/// An integer constant, cut to the width of its type.
pub fn integer(b: &mut FunctionBuilder<'_>, dtype: DType, value: i64) -> Value {
    let ty = scalar_type(dtype);
    let unused = 64 - ty.bits();
    let bits = (((value as u64) << unused) >> unused) as i64;
    b.ins().iconst(ty, bits)
}

/// A call of a foreign function.
pub fn call(
    b: &mut FunctionBuilder<'_>,
    address: usize,
    arguments: &[Value],
    result: Option<types::Type>,
) -> Option<Value> {
    let mut signature = Signature::new(host_convention());
    for &argument in arguments {
        let ty = b.func.dfg.value_type(argument);
        signature.params.push(AbiParam::new(ty));
    }
    signature.returns.extend(result.map(AbiParam::new));
    let signature = b.import_signature(signature);
    let callee = b.ins().iconst(POINTER, address as i64);
    let call = b.ins().call_indirect(signature, callee, arguments);
    result.map(|_| b.inst_results(call)[0])
}

/// Calls a mathematical routine for one value.
pub fn call_routine(b: &mut FunctionBuilder<'_>, routine: Routine, dtype: DType, arguments: &[Value]) -> Value {
    let ty = scalar_type(dtype);
    match routine {
        Routine::Scalar(address) => call(b, address, arguments, Some(ty)).expect("the call has a result"),
        Routine::Strip(address) => {
            let slot = b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, 24, 4));
            let place =
                |b: &mut FunctionBuilder<'_>, position: usize| b.ins().stack_addr(POINTER, slot, 8 * position as i32);
            let mut parameters = SmallVec::<[Value; 4]>::new();
            for (position, &argument) in arguments.iter().enumerate() {
                let input = place(b, position);
                b.ins().store(memory(), argument, input, 0);
                parameters.push(input);
            }
            let output = place(b, arguments.len());
            let one = b.ins().iconst(types::I64, 1);
            parameters.extend([output, one]);
            call(b, address, &parameters, None);
            b.ins().load(ty, memory(), output, 0)
        }
    }
}

/// A unary operator.
pub fn unary(b: &mut FunctionBuilder<'_>, op: Unary, dtype: DType, a: Value) -> Value {
    if let Some(routine) = math::unary(op, dtype) {
        return call_routine(b, routine, dtype, &[a]);
    }
    let float = dtype.is_float();
    match op {
        Unary::Neg if float => b.ins().fneg(a),
        Unary::Neg => b.ins().ineg(a),
        Unary::Abs if float => b.ins().fabs(a),
        Unary::Abs if dtype.is_signed() => b.ins().iabs(a),
        Unary::Not if dtype == DType::Bool => b.ins().bxor_imm_u(a, 1),
        Unary::Not => b.ins().bnot(a),
        Unary::Popcount => b.ins().popcnt(a),
        Unary::Sqrt | Unary::SqrtNormal => b.ins().sqrt(a),
        Unary::Floor => b.ins().floor(a),
        Unary::Ceil => b.ins().ceil(a),
        Unary::Trunc => b.ins().trunc(a),
        Unary::Rint => b.ins().nearest(a),
        _ => a,
    }
}

/// A binary operator.
pub fn binary(b: &mut FunctionBuilder<'_>, op: Binary, dtype: DType, x: Value, y: Value) -> Value {
    if let Some(routine) = math::binary(op, dtype) {
        return call_routine(b, routine, dtype, &[x, y]);
    }
    let (float, signed) = (dtype.is_float(), dtype.is_signed());
    let boolean = dtype == DType::Bool;
    match op {
        Binary::Add if float => b.ins().fadd(x, y),
        Binary::Add if boolean => b.ins().bor(x, y),
        Binary::Add => b.ins().iadd(x, y),
        Binary::Sub if float => b.ins().fsub(x, y),
        Binary::Sub => b.ins().isub(x, y),
        Binary::Mul if float => b.ins().fmul(x, y),
        Binary::Mul if boolean => b.ins().band(x, y),
        Binary::Mul => b.ins().imul(x, y),
        Binary::Div if float => b.ins().fdiv(x, y),
        Binary::Div if signed => b.ins().sdiv(x, y),
        Binary::Div => b.ins().udiv(x, y),
        Binary::Rem if signed => b.ins().srem(x, y),
        Binary::Rem => b.ins().urem(x, y),
        Binary::Min | Binary::Max if float => extremum(b, op, dtype, x, y),
        Binary::Min if signed => b.ins().smin(x, y),
        Binary::Min => b.ins().umin(x, y),
        Binary::Max if signed => b.ins().smax(x, y),
        Binary::Max => b.ins().umax(x, y),
        Binary::And => b.ins().band(x, y),
        Binary::Or => b.ins().bor(x, y),
        Binary::Xor => b.ins().bxor(x, y),
        Binary::Shl => b.ins().ishl(x, y),
        Binary::Shr if signed => b.ins().sshr(x, y),
        Binary::Shr => b.ins().ushr(x, y),
        Binary::MulHigh if dtype == DType::U32 => multiply_words_high(b, x, y),
        Binary::MulHigh => b.ins().umulhi(x, y),
        Binary::Copysign => b.ins().fcopysign(x, y),
        Binary::Pow | Binary::Atan2 | Binary::Hypot | Binary::Nextafter => x,
    }
}

/// The upper half of the product of two words, by one multiplication that needs no fixed registers.
fn multiply_words_high(b: &mut FunctionBuilder<'_>, x: Value, y: Value) -> Value {
    let [x, y] = [x, y].map(|word| b.ins().uextend(types::I64, word));
    let product = b.ins().imul(x, y);
    let high = b.ins().ushr_imm_u(product, 32);
    b.ins().ireduce(types::I32, high)
}

/// Min or max of floats: the smaller (larger) operand, where -0 is smaller than 0, and NaN if either is.
fn extremum(b: &mut FunctionBuilder<'_>, op: Binary, dtype: DType, x: Value, y: Value) -> Value {
    // In vectors, where comparisons are masks: choices between floats by flags are branches.
    let ty = vector_type(dtype);
    let [x, y] = [x, y].map(|number| b.ins().scalar_to_vector(ty, number));
    let choose = |b: &mut FunctionBuilder<'_>, condition, operands: [Value; 2], yes, no| {
        let mask = b.ins().fcmp(condition, operands[0], operands[1]);
        let mask = b.ins().bitcast(ty, MemFlagsData::new().with_endianness(Endianness::Little), mask);
        b.ins().bitselect(mask, yes, no)
    };
    let min = op == Binary::Min;
    let chosen = choose(b, FloatCC::LessThan, if min { [x, y] } else { [y, x] }, x, y);
    // Of two zeros the sign decides.
    let both = if min { b.ins().bor(x, y) } else { b.ins().band(x, y) };
    let chosen = choose(b, FloatCC::Equal, [x, y], both, chosen);
    let chosen = choose(b, FloatCC::Unordered, [x, x], x, chosen);
    b.ins().extractlane(chosen, 0)
}

/// A comparison; the result is an `i8`, 0 or 1.
pub fn compare(b: &mut FunctionBuilder<'_>, op: Compare, dtype: DType, x: Value, y: Value) -> Value {
    if dtype.is_float() {
        b.ins().fcmp(float_condition(op), x, y)
    } else {
        b.ins().icmp(integer_condition(op, dtype.is_signed()), x, y)
    }
}

/// A conversion of values; floats are not converted to uint64.
pub fn cast(b: &mut FunctionBuilder<'_>, from: DType, to: DType, a: Value) -> Value {
    let target = scalar_type(to);
    let source = scalar_type(from);
    match (from.kind(), to.kind()) {
        _ if from == to => a,
        (Kind::Float, Kind::Bool) => {
            let zero = constant(b, &Literal { bytes: [0; 16], dtype: from });
            b.ins().fcmp(FloatCC::NotEqual, a, zero)
        }
        (_, Kind::Bool) => b.ins().icmp_imm_u(IntCC::NotEqual, a, 0),
        (Kind::Float, Kind::Float) if target.bits() > source.bits() => b.ins().fpromote(target, a),
        (Kind::Float, Kind::Float) => b.ins().fdemote(target, a),
        (Kind::Float, _) => {
            // As the strips for whole vectors.
            let least = i64::MIN as f64;
            let [end, least] = [-least, least].map(|end| constant(b, &Scalar::real(from, end).into()));
            let magnitude = b.ins().fabs(a);
            let inside = b.ins().fcmp(FloatCC::LessThan, magnitude, end);
            let a = b.ins().select(inside, a, least);
            let wide = b.ins().fcvt_to_sint_sat(types::I64, a);
            if target == types::I64 { wide } else { b.ins().ireduce(target, wide) }
        }
        (Kind::Signed, Kind::Float) => b.ins().fcvt_from_sint(target, a),
        (_, Kind::Float) => b.ins().fcvt_from_uint(target, a),
        (Kind::Signed, _) if target.bits() > source.bits() => b.ins().sextend(target, a),
        _ if target.bits() > source.bits() => b.ins().uextend(target, a),
        _ if target.bits() < source.bits() => b.ins().ireduce(target, a),
        _ => a,
    }
}

/// The same bits as another type of the same width.
pub fn bitcast(b: &mut FunctionBuilder<'_>, to: DType, a: Value) -> Value {
    let target = scalar_type(to);
    if b.func.dfg.value_type(a) == target { a } else { b.ins().bitcast(target, MemFlagsData::new(), a) }
}
