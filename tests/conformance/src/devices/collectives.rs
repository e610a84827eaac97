//! Communication in a group of one rank, which any device can be. Larger groups are the business of programs' tests.

use cuproxide_hal::DType;
use cuproxide_hal::libraries::ReduceOp;

use super::Test;
use crate::case::bytes;
use crate::interpreter::number::Number;
use crate::rig::{Buffer, Check, Rig, ensure};
use crate::samples::Random;

pub const TESTS: &[Test] = &[("a group of one", alone), ("joining by id", joined)];

const COUNT: usize = 1000;

fn alone(rig: &Rig) -> Check {
    let library = rig.device.libraries().collectives()?;
    ensure(library.version()? > 0, || "no version".to_owned())?;
    let ordinal = rig.device.info().id.ordinal;
    let group = library.join_all(&[ordinal])?;
    ensure(group.len() == 1, || format!("{} ranks", group.len()))?;
    let rank = &group[0];
    ensure((rank.rank()?, rank.size()?, rank.device()?) == (0, 1, ordinal), || "not the only rank".to_owned())?;
    let mut random = Random::new(3);
    for dtype in [DType::I8, DType::U8, DType::I32, DType::I64, DType::F16, DType::BF16, DType::F32, DType::F64] {
        let numbers: Vec<Number> = (0..COUNT).map(|_| random.small(dtype)).collect();
        let content = bytes(dtype, &numbers);
        let source = rig.upload(&content)?;
        let same = |what: &str, target: &Buffer<'_>| -> Check {
            ensure(target.download()? == content, || format!("{what} of {dtype}"))
        };
        let target = || rig.empty(content.len());
        let stream = &*rig.stream;
        // SAFETY: all buffers hold as many elements.
        unsafe {
            for op in [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min] {
                let out = target()?;
                rank.all_reduce(stream, source.ptr(), out.ptr(), COUNT, dtype, op)?;
                same("all-reduce", &out)?;
            }
            let out = target()?;
            rank.reduce(stream, source.ptr(), out.ptr(), COUNT, dtype, ReduceOp::Sum, 0)?;
            same("reduce", &out)?;
            let out = target()?;
            rank.broadcast(stream, source.ptr(), out.ptr(), COUNT, dtype, 0)?;
            same("broadcast", &out)?;
            let out = target()?;
            rank.reduce_scatter(stream, source.ptr(), out.ptr(), COUNT, dtype, ReduceOp::Sum)?;
            same("reduce-scatter", &out)?;
            let out = target()?;
            rank.all_gather(stream, source.ptr(), out.ptr(), COUNT, dtype)?;
            same("all-gather", &out)?;
            let out = target()?;
            library.group_start()?;
            rank.send(stream, source.ptr(), COUNT, dtype, 0)?;
            rank.receive(stream, out.ptr(), COUNT, dtype, 0)?;
            library.group_end()?;
            same("send and receive", &out)?;
        }
    }
    // Bools travel as bytes, in which sums and products would wrap.
    let bytes: Vec<u8> = (0..COUNT).map(|at| (at % 256) as u8).collect();
    let source = rig.upload(&bytes)?;
    for op in [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min] {
        let out = rig.empty(COUNT)?;
        // SAFETY: both buffers hold as many elements.
        unsafe { rank.all_reduce(&*rig.stream, source.ptr(), out.ptr(), COUNT, DType::Bool, op)? };
        let same = out.download()?.iter().zip(&bytes).all(|(&found, &sent)| (found != 0) == (sent != 0));
        ensure(same, || format!("{op:?} of bool"))?;
    }
    rank.check()?;
    rank.destroy()?;
    ensure(rank.rank().is_err(), || "a rank that left still answers".to_owned())
}

fn joined(rig: &Rig) -> Check {
    let library = rig.device.libraries().collectives()?;
    let id = library.unique_id()?;
    ensure(id != library.unique_id()?, || "two groups have one id".to_owned())?;
    let rank = library.join(&id, 0, 1)?;
    ensure((rank.rank()?, rank.size()?) == (0, 1), || "not the only rank".to_owned())?;
    rank.abort()?;
    ensure(library.join(&id[1..], 0, 1).is_err(), || "half an id makes a group".to_owned())
}
