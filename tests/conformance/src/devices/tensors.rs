//! Operations on tensors with labels, of whole numbers, so that no order of sums matters.

use cuproxide_hal::libraries::{Tensor, TensorCompute, TensorOperation, TensorSpec, TensorWorkspace};
use cuproxide_hal::{DType, Result};

use super::Test;
use crate::rig::{Check, Rig, ensure};
use crate::samples::Random;

pub const TESTS: &[Test] =
    &[("contraction", contraction), ("reduction and permutation", others), ("wrong labels", wrong)];

const ADD: i32 = 3;
const IDENTITY: i32 = 1;

fn tensor(lengths: &[i64], labels: &str) -> Tensor {
    let mut strides = vec![1; lengths.len()];
    for axis in (1..lengths.len()).rev() {
        strides[axis - 1] = strides[axis] * lengths[axis];
    }
    let labels = labels.bytes().map(i32::from).collect();
    Tensor { dtype: DType::F64, lengths: lengths.to_vec(), strides, labels, operator: IDENTITY, alignment: 8 }
}

fn spec(operation: TensorOperation, tensors: Vec<Tensor>) -> TensorSpec {
    let workspace = TensorWorkspace::Preference(2);
    TensorSpec { operation, tensors, compute: TensorCompute::F64, algorithm: -1, compiling: 0, workspace }
}

fn numbers(count: usize) -> Vec<f64> {
    let mut random = Random::new(7);
    (0..count).map(|_| random.below(9) as f64 - 4.0).collect()
}

/// Runs an operation on tensors of these contents; the last one before the result is what the result was.
fn run(rig: &Rig, spec: &TensorSpec, contents: &[&[f64]], factors: &[(f64, f64)], size: usize) -> Result<Vec<f64>> {
    let plan = rig.device.libraries().tensors()?.plan(spec)?;
    let bytes = |numbers: &[f64]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    let buffers = contents.iter().map(|content| rig.upload(&bytes(content))).collect::<Result<Vec<_>>>()?;
    let (out, scratch) = (rig.empty(size * 8)?, rig.empty(plan.scratch_bytes())?);
    let mut addresses: Vec<u64> = buffers.iter().map(crate::rig::Buffer::ptr).collect();
    addresses.push(out.ptr());
    // SAFETY: the buffers are as large as the tensors, scratch as large as asked for.
    unsafe { plan.execute(&*rig.stream, factors, &addresses, scratch.ptr()) }?;
    let content = out.download()?;
    Ok(content.chunks_exact(8).map(|bytes| f64::from_le_bytes(bytes.try_into().expect("eight bytes"))).collect())
}

fn contraction(rig: &Rig) -> Check {
    let (a, b, c) = (numbers(2 * 3 * 4), numbers(4 * 5 * 3), numbers(5 * 2));
    let tensors =
        vec![tensor(&[2, 3, 4], "ijk"), tensor(&[4, 5, 3], "klj"), tensor(&[5, 2], "li"), tensor(&[5, 2], "li")];
    let spec = spec(TensorOperation::Contraction, tensors);
    let got = run(rig, &spec, &[&a, &b, &c], &[(2.0, 0.0), (3.0, 0.0)], 10)?;
    for l in 0..5 {
        for i in 0..2 {
            let pairs = (0..3).flat_map(|j| (0..4).map(move |k| (j, k)));
            let sum: f64 = pairs.map(|(j, k)| a[i * 12 + j * 4 + k] * b[k * 15 + l * 3 + j]).sum();
            let want = 2.0 * sum + 3.0 * c[l * 2 + i];
            ensure(got[l * 2 + i] == want, || format!("element {l}, {i} is {} and not {want}", got[l * 2 + i]))?;
        }
    }
    Ok(())
}

fn others(rig: &Rig) -> Check {
    let (a, c) = (numbers(6 * 4), numbers(4));
    let tensors = vec![tensor(&[6, 4], "ij"), tensor(&[4], "j"), tensor(&[4], "j")];
    let reduction = spec(TensorOperation::Reduction { combine: ADD }, tensors);
    let got = run(rig, &reduction, &[&a, &c], &[(1.0, 0.0), (-1.0, 0.0)], 4)?;
    let want: Vec<f64> = (0..4).map(|j| (0..6).map(|i| a[i * 4 + j]).sum::<f64>() - c[j]).collect();
    ensure(got == want, || format!("a reduction gave {got:?} and not {want:?}"))?;
    let permutation = spec(TensorOperation::Permutation, vec![tensor(&[6, 4], "ij"), tensor(&[4, 6], "ji")]);
    let got = run(rig, &permutation, &[&a], &[(2.0, 0.0)], 24)?;
    let want: Vec<f64> = (0..24).map(|at| 2.0 * a[at % 6 * 4 + at / 6]).collect();
    ensure(got == want, || format!("a permutation gave {got:?} and not {want:?}"))
}

fn wrong(rig: &Rig) -> Check {
    let library = rig.device.libraries().tensors()?;
    let tensors = vec![tensor(&[6, 4], "ij"), tensor(&[4, 7], "ji")];
    ensure(library.plan(&spec(TensorOperation::Permutation, tensors)).is_err(), || {
        "one label has two lengths".to_owned()
    })
}
