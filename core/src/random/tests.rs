//! The published known answers, and that every distribution is a valid kernel.

use cuproxide_hal::DType;
use std::collections::HashMap;

use cuproxide_hal::ir::{Binary, Body, Builder, Kernel, Mode, Op, Stmt};

use super::*;

fn kernel(distribution: &Distribution) -> Kernel {
    let b = Builder::new(distribution.name);
    let stream = Stream::declare(&b, distribution.lanes);
    let parameters: Vec<_> =
        (0..distribution.parameters).map(|_| b.load(b.operand(distribution.parameter_type, Mode::Read))).collect();
    b.output(DType::F64, distribution.value(&stream, &parameters));
    b.finish_map()
}

#[test]
fn every_distribution_is_a_valid_kernel() {
    for distribution in &DISTRIBUTIONS {
        kernel(distribution).validate().unwrap_or_else(|error| panic!("{}: {error}", distribution.name));
    }
}

#[test]
fn names_are_found() {
    for (number, distribution) in DISTRIBUTIONS.iter().enumerate() {
        assert_eq!(find(distribution.name), Some(number));
    }
    assert_eq!(find("none"), None);
}

#[test]
fn draws_take_whole_blocks() {
    assert_eq!(Lanes::Four.blocks(9), 3);
    assert_eq!(Lanes::Two.blocks(9), 5);
    assert_eq!(Lanes::One.blocks(9), 9);
}

/// Runs Philox with constant words by folding its statements.
fn philox_of(counter: [u32; 4], key: [u32; 2]) -> Vec<u32> {
    let b = Builder::new("philox");
    let word = |value: u32| b.integer(DType::U32, value.into());
    for result in philox::philox(counter.map(word), &philox::keys_of(key.map(word))) {
        b.output(DType::U32, result);
    }
    let Body::Map(statements) = b.finish_map().body else { unreachable!("a map was finished") };
    let (mut values, mut stored) = (HashMap::new(), vec![]);
    for statement in statements {
        match statement {
            Stmt::Let(value, Op::Const(literal)) => {
                let bytes = literal.bytes[..4].try_into().expect("four bytes");
                values.insert(value, u32::from_le_bytes(bytes));
            }
            Stmt::Let(value, Op::Binary(op, left, right)) => {
                let (left, right) = (values[&left], values[&right]);
                let result = match op {
                    Binary::Add => left.wrapping_add(right),
                    Binary::Mul => left.wrapping_mul(right),
                    Binary::Xor => left ^ right,
                    Binary::MulHigh => ((u64::from(left) * u64::from(right)) >> 32) as u32,
                    other => panic!("Philox has no {other:?}"),
                };
                values.insert(value, result);
            }
            Stmt::Store { value, .. } => stored.push(values[&value]),
            other => panic!("Philox has no {other:?}"),
        }
    }
    stored
}

/// The vectors that the authors publish with Random123.
#[test]
fn philox_gives_the_published_answers() {
    assert_eq!(philox_of([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
    assert_eq!(philox_of([u32::MAX; 4], [u32::MAX; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
    assert_eq!(
        philox_of([0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344], [0xa409_3822, 0x299f_31d0]),
        [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
    );
}
