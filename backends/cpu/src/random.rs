//! Random words, with the widest vectors that the processor has: kernels have those of 128 bits.

use std::slice;
use std::sync::Arc;

use cuproxide_hal::libraries::{Rng, Sequence, SequenceSpec};
use cuproxide_hal::{Result, Stream};
use pulp::{Arch, Simd, WithSimd};

use crate::{graph, pool, sequences};

/// Multipliers of Philox4x32, and the steps of its key.
const MULTIPLIERS: [u64; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
const ROUNDS: usize = 10;
/// Blocks that are worth a task.
const TASK: usize = 1 << 13;

/// Random words of the host.
pub struct CpuRng;

impl Rng for CpuRng {
    fn writes_first(&self) -> bool {
        true
    }

    fn sequence(&self, spec: &SequenceSpec) -> Result<Arc<dyn Sequence>> {
        sequences::sequence(spec)
    }

    unsafe fn philox(&self, stream: &dyn Stream, key: [u32; 2], first: u64, count: usize, out: u64) -> Result<()> {
        let round = |number: usize| [0, 1].map(|i| key[i].wrapping_add(WEYL[i].wrapping_mul(number as u32)).into());
        let keys = std::array::from_fn(round);
        graph::run_or_record(stream, "philox", move || {
            pool::run(count.div_ceil(TASK), |task| {
                let start = task * TASK;
                let part = (out as *mut [u64; 2]).wrapping_add(start);
                // SAFETY: the caller's promise, and each task has its own part.
                let part = unsafe { slice::from_raw_parts_mut(part, TASK.min(count - start)) };
                Arch::new().dispatch(Blocks { keys, first: first.wrapping_add(start as u64), out: part });
            });
            Ok(())
        })
    }
}

/// Blocks that one thread writes; a pair has two words in each of its numbers.
struct Blocks<'a> {
    keys: [[u64; 2]; ROUNDS],
    first: u64,
    out: &'a mut [[u64; 2]],
}

impl WithSimd for Blocks<'_> {
    type Output = ();

    // A word is the lower half of a lane; what is above it is left there, since a product of vectors does not read it.
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let word = |lane: u64| lane & u64::from(u32::MAX);
        for (i, out) in self.out.iter_mut().enumerate() {
            let number = self.first.wrapping_add(i as u64);
            let mut lanes = [number, number >> 32, 0, 0];
            for key in self.keys {
                let products = [word(lanes[0]) * MULTIPLIERS[0], word(lanes[2]) * MULTIPLIERS[1]];
                lanes = [
                    (products[1] >> 32) ^ lanes[1] ^ key[0],
                    products[1],
                    (products[0] >> 32) ^ lanes[3] ^ key[1],
                    products[0],
                ];
            }
            *out = [word(lanes[0]) | lanes[1] << 32, word(lanes[2]) | lanes[3] << 32];
        }
    }
}
