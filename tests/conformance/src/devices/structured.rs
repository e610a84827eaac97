//! A product of a pruned matrix with a dense one, in int8, whose sums are exact.

use cuproxide_hal::libraries::{Multiplication, SparseSide, StructuredCompute, StructuredMatrix, StructuredProduct};

use super::Test;
use crate::rig::{Check, Rig, ensure};
use crate::samples::Random;

pub const TESTS: &[Test] = &[("a pruned product", product)];

const N: usize = 32;
/// int8, by the number that the vendors give it.
const I8: i32 = 3;

fn product(rig: &Rig) -> Check {
    let handle = rig.device.libraries().structured()?.handle()?;
    ensure(handle.version()? > 0, || "no version".to_owned())?;
    let mut random = Random::new(5);
    let mut matrix = || (0..N * N).map(|_| random.below(15) as u8).map(|x| x.wrapping_sub(7)).collect::<Vec<u8>>();
    let (a, b) = (matrix(), matrix());
    let n = N as i64;
    let dense =
        StructuredMatrix { rows: n, columns: n, leading: n, alignment: 16, dtype: I8, row_major: true, sparsity: None };
    let sparse = handle.matrix(&StructuredMatrix { sparsity: Some(0), ..dense })?;
    // int8 products want the second matrix by columns: a transposed one by rows.
    let (right, result) = (handle.matrix(&dense)?, handle.matrix(&dense)?);
    let described = handle.product(&StructuredProduct {
        operations: [0, 1],
        matrices: [sparse, right, result.clone(), result],
        compute: StructuredCompute::I32,
    })?;
    let plan = handle.plan(&described, &handle.selection(&described, 0)?)?;
    let (pruned, right, out, valid) = (rig.upload(&a)?, rig.upload(&b)?, rig.empty(N * N)?, rig.upload(&[9; 4])?);
    let (bytes, scratch_bytes) = handle.compressed_bytes(&SparseSide::Of(plan.clone()))?;
    let (compressed, scratch) = (rig.empty(bytes)?, rig.empty(scratch_bytes)?);
    let workspace = rig.empty(handle.workspace_bytes(&plan)?)?;
    let (alpha, beta) = (1.0_f32 / 16.0, 0.0_f32);
    let side = SparseSide::Of(described);
    let stream = &*rig.stream;
    // SAFETY: all buffers are as large as the descriptions say, the factors live until the stream is waited for.
    unsafe {
        handle.prune(stream, &side, pruned.ptr(), pruned.ptr(), 1)?;
        handle.check(stream, &side, pruned.ptr(), valid.ptr())?;
        handle.compress(stream, &SparseSide::Of(plan.clone()), pruned.ptr(), compressed.ptr(), scratch.ptr())?;
        let addresses = Multiplication {
            alpha: &raw const alpha as u64,
            a: compressed.ptr(),
            b: right.ptr(),
            beta: &raw const beta as u64,
            c: out.ptr(),
            d: out.ptr(),
            workspace: workspace.ptr(),
        };
        handle.multiply(stream, &plan, &addresses, false)?;
    }
    ensure(valid.download()? == [0; 4], || "a pruned matrix does not count as one".to_owned())?;
    let (pruned, got) = (pruned.download()?, out.download()?);
    let at = |matrix: &[u8], place: usize| i32::from(matrix[place].cast_signed());
    for group in pruned.chunks_exact(4) {
        ensure(group.iter().filter(|&&x| x != 0).count() <= 2, || format!("{group:?} is not pruned"))?;
    }
    for row in 0..N {
        for column in 0..N {
            let sum: i32 = (0..N).map(|k| at(&pruned, row * N + k) * at(&b, column * N + k)).sum();
            let want = (f64::from(sum) / 16.0).round_ties_even().clamp(-128.0, 127.0);
            let got = f64::from(at(&got, row * N + column));
            ensure((got - want).abs() <= 1.0, || format!("element {row}, {column} is {got} and not {want}"))?;
        }
    }
    Ok(())
}
