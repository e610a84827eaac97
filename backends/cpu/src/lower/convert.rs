//! Conversions between registers of different lane widths.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use cranelift_frontend::FunctionBuilder;
use cuproxide_hal::{DType, Kind};

use super::group::{Regs, integer_vector, register_count, vector_type};
use super::simd::{constant, recast, shuffle};

/// The width in bytes of the lanes of a mask.
pub fn mask_width(b: &FunctionBuilder<'_>, regs: &Regs) -> usize {
    b.func.dfg.value_type(regs[0]).lane_type().bytes() as usize
}

/// A mask with lanes of another width.
pub fn mask_to(b: &mut FunctionBuilder<'_>, regs: &Regs, lanes: usize, width: usize) -> Regs {
    let mut regs = regs.clone();
    let mut current = mask_width(b, &regs);
    while current > width {
        regs = narrow(b, &regs, current, true);
        current /= 2;
    }
    while current < width {
        regs = widen(b, &regs, lanes, current, true);
        current *= 2;
    }
    regs
}

/// Integer lanes of twice the width.
fn widen(b: &mut FunctionBuilder<'_>, regs: &Regs, lanes: usize, width: usize, signed: bool) -> Regs {
    let count = register_count(lanes, 2 * width);
    let mut wide = Regs::new();
    for &reg in regs {
        let low = if signed { b.ins().swiden_low(reg) } else { b.ins().uwiden_low(reg) };
        wide.push(low);
        if wide.len() < count {
            let high = if signed { b.ins().swiden_high(reg) } else { b.ins().uwiden_high(reg) };
            wide.push(high);
        }
    }
    wide
}

/// Integer lanes of half the width; `mask` promises that they are zero or all ones.
fn narrow(b: &mut FunctionBuilder<'_>, regs: &Regs, width: usize, mask: bool) -> Regs {
    let target = integer_vector(width / 2);
    let mut half = Regs::new();
    for pair in regs.chunks(2) {
        let (low, high) = (pair[0], *pair.last().expect("chunks are not empty"));
        half.push(match width {
            8 => shuffle(b, target, low, high, [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27]),
            _ if mask => b.ins().snarrow(low, high),
            _ => {
                // Saturation must not see the bits that are dropped.
                let keep: [u8; 16] = std::array::from_fn(|byte| if byte % width < width / 2 { 0xff } else { 0 });
                let keep = constant(b, integer_vector(width), keep);
                let (low, high) = (b.ins().band(low, keep), b.ins().band(high, keep));
                b.ins().unarrow(low, high)
            }
        });
    }
    half
}

/// Integer lanes of any width; integers wrap.
pub fn resize(b: &mut FunctionBuilder<'_>, regs: &Regs, lanes: usize, from: usize, to: usize, signed: bool) -> Regs {
    let (mut regs, mut width) = (regs.clone(), from);
    while width < to {
        regs = widen(b, &regs, lanes, width, signed);
        width *= 2;
    }
    while width > to {
        regs = narrow(b, &regs, width, false);
        width /= 2;
    }
    regs
}

/// The mask of the lanes that are not zero.
pub fn truth(b: &mut FunctionBuilder<'_>, regs: &Regs, dtype: DType) -> Regs {
    let zero = constant(b, vector_type(dtype), [0; 16]);
    let test = |&reg: &Value| {
        if dtype.is_float() {
            b.ins().fcmp(FloatCC::NotEqual, reg, zero)
        } else {
            b.ins().icmp(IntCC::NotEqual, reg, zero)
        }
    };
    regs.iter().map(test).collect()
}

/// A mask as numbers 0 and 1.
fn from_mask(b: &mut FunctionBuilder<'_>, regs: &Regs, lanes: usize, to: DType) -> Regs {
    let mask = mask_to(b, regs, lanes, to.size());
    let one = cuproxide_hal::Scalar::real(to, 1.0);
    let ones: [u8; 16] = std::array::from_fn(|byte| one.bytes[byte % to.size()]);
    let ty = integer_vector(to.size());
    let ones = constant(b, ty, ones);
    let number = |&reg: &Value| {
        let bits = b.ins().band(reg, ones);
        recast(b, vector_type(to), bits)
    };
    mask.iter().map(number).collect()
}

/// Converts `lanes` values, or `None` where no vector form exists.
pub fn cast(b: &mut FunctionBuilder<'_>, regs: &Regs, lanes: usize, from: DType, to: DType) -> Option<Regs> {
    let signed = from.is_signed();
    Some(match (from.kind(), to.kind()) {
        _ if from == to => regs.clone(),
        (Kind::Bool, _) => from_mask(b, regs, lanes, to),
        (_, Kind::Bool) => truth(b, regs, from),
        (Kind::Signed | Kind::Unsigned, Kind::Signed | Kind::Unsigned) => {
            resize(b, regs, lanes, from.size(), to.size(), signed)
        }
        (Kind::Float, Kind::Float) if to == DType::F64 => promote(b, regs, lanes),
        (Kind::Float, Kind::Float) => demote(b, regs),
        (Kind::Signed | Kind::Unsigned, Kind::Float) if from.size() <= 4 => {
            let words = resize(b, regs, lanes, from.size(), 4, signed);
            // Narrow unsigned integers are non-negative int32s, for which the signed conversion is the cheaper one.
            let signed = signed || from.size() < 4;
            if to == DType::F32 {
                words_to_single(b, &words, signed)
            } else {
                words_to_double(b, &words, lanes, signed)
            }
        }
        (Kind::Signed, Kind::Float) if to == DType::F64 => {
            regs.iter().map(|&reg| b.ins().fcvt_from_sint(types::F64X2, reg)).collect()
        }
        (Kind::Unsigned, Kind::Float) if to == DType::F64 => {
            regs.iter().map(|&reg| b.ins().fcvt_from_uint(types::F64X2, reg)).collect()
        }
        _ => return None,
    })
}

fn words_to_single(b: &mut FunctionBuilder<'_>, words: &Regs, signed: bool) -> Regs {
    let convert = |&reg: &Value| {
        if signed { b.ins().fcvt_from_sint(types::F32X4, reg) } else { b.ins().fcvt_from_uint(types::F32X4, reg) }
    };
    words.iter().map(convert).collect()
}

fn words_to_double(b: &mut FunctionBuilder<'_>, words: &Regs, lanes: usize, signed: bool) -> Regs {
    let count = register_count(lanes, 8);
    let mut doubles = Regs::new();
    for &reg in words {
        let halves = [reg, shuffle(b, types::I32X4, reg, reg, UPPER_HALF)];
        for half in halves.into_iter().take(count - doubles.len()) {
            doubles.push(if signed {
                let wide = b.ins().swiden_low(half);
                b.ins().fcvt_from_sint(types::F64X2, wide)
            } else {
                let wide = b.ins().uwiden_low(half);
                b.ins().fcvt_from_uint(types::F64X2, wide)
            });
        }
    }
    doubles
}

/// Moves the upper eight bytes down.
const UPPER_HALF: [u8; 16] = [8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15];

fn promote(b: &mut FunctionBuilder<'_>, regs: &Regs, lanes: usize) -> Regs {
    let count = register_count(lanes, 8);
    let mut wide = Regs::new();
    for &reg in regs {
        let low = b.ins().fvpromote_low(reg);
        wide.push(low);
        if wide.len() < count {
            let upper = shuffle(b, types::F32X4, reg, reg, UPPER_HALF);
            let high = b.ins().fvpromote_low(upper);
            wide.push(high);
        }
    }
    wide
}

fn demote(b: &mut FunctionBuilder<'_>, regs: &Regs) -> Regs {
    let mut half = Regs::new();
    for pair in regs.chunks(2) {
        let low = b.ins().fvdemote(pair[0]);
        let Some(&second) = pair.get(1) else {
            half.push(low);
            continue;
        };
        let high = b.ins().fvdemote(second);
        let both = shuffle(b, types::F32X4, low, high, [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23]);
        half.push(both);
    }
    half
}
