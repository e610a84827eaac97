//! XORWOW and MRG32k3a in the order that cuRAND calls the legacy one and documents: word `i` of a sequence is the next one
//! of lane `i` modulo 4096. A lane begins 2^67 numbers of XORWOW, or 2^76 of MRG32k3a, after the one before it.
//!
//! Lanes begin by jumps: the recurrences are linear, so a power of the matrix of one step makes many steps at once.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use cuproxide_hal::libraries::{Sequence, SequenceKind, SequenceSpec};
use cuproxide_hal::{Error, Result, Stream};
use parking_lot::Mutex;

use crate::{graph, pool};

const LANES: usize = 4096;
/// Lanes of a task.
const TASK: usize = 64;

/// The sequence of a specification.
pub fn sequence(spec: &SequenceSpec) -> Result<Arc<dyn Sequence>> {
    match spec.kind {
        SequenceKind::Xorwow => Ok(Arc::new(Lanes::<Xorwow>::new(spec.seed))),
        SequenceKind::Mrg32k3a => Ok(Arc::new(Lanes::<Mrg>::new(spec.seed))),
        kind => Err(Error::unsupported(
            "cpu",
            format!("the sequence {kind:?}, which takes tables of the vendors' libraries"),
        )),
    }
}

/// The state of a lane.
trait Recurrence: Copy + Send + Sync + 'static {
    /// The first state of all lanes.
    fn lanes(seed: u64) -> Vec<Self>;

    /// Makes as many steps with each state.
    fn jump(states: &mut [Self], steps: u64);

    /// The next word.
    fn step(&mut self) -> u32;
}

/// The lanes before the word of number `row` of each.
struct Place<R> {
    row: u64,
    states: Vec<R>,
}

struct Lanes<R> {
    start: Arc<Vec<R>>,
    /// Where the last call ended, since the next one usually goes on there.
    last: Arc<Mutex<Place<R>>>,
}

impl<R: Recurrence> Lanes<R> {
    fn new(seed: u64) -> Lanes<R> {
        let states = R::lanes(seed);
        Lanes { last: Arc::new(Mutex::new(Place { row: 0, states: states.clone() })), start: Arc::new(states) }
    }
}

impl<R: Recurrence> Sequence for Lanes<R> {
    unsafe fn fill(&self, stream: &dyn Stream, first: u64, dst: u64, count: usize) -> Result<()> {
        let (start, last) = (self.start.clone(), self.last.clone());
        graph::run_or_record(stream, "sequence", move || {
            let (row, skipped) = (first / LANES as u64, (first % LANES as u64) as usize);
            let mut place = last.lock();
            if place.row != row {
                place.states.copy_from_slice(&start);
                R::jump(&mut place.states, row);
            }
            let words = skipped..skipped + count;
            let states = place.states.as_mut_ptr() as usize;
            pool::run(LANES / TASK, |task| {
                let lanes = task * TASK..(task + 1) * TASK;
                let own = (states as *mut R).wrapping_add(lanes.start);
                // SAFETY: each task has states of its own, which are locked meanwhile.
                let own = unsafe { std::slice::from_raw_parts_mut(own, TASK) };
                // SAFETY: the caller's promise.
                unsafe { write(own, &lanes, &words, dst as *mut u32) };
            });
            place.row = row + (words.end / LANES) as u64;
            Ok(())
        })
    }
}

/// Writes the words of some lanes: of those numbered from the first row on, the ones in `words`, the first of which goes to
/// `out`. The states move on by the rows that are full.
///
/// # Safety
/// `out` has room for all words.
unsafe fn write<R: Recurrence>(states: &mut [R], lanes: &Range<usize>, words: &Range<usize>, out: *mut u32) {
    let full = words.end / LANES;
    for row in 0..words.end.div_ceil(LANES) {
        for (state, lane) in states.iter_mut().zip(lanes.clone()) {
            let mut next = *state;
            let word = next.step();
            let number = row * LANES + lane;
            if words.contains(&number) {
                // SAFETY: the caller's promise.
                unsafe { out.add(number - words.start).write(word) };
            }
            if row < full {
                *state = next;
            }
        }
    }
}

/// Marsaglia's xorwow (2003): shifts of five words and a counter.
#[derive(Clone, Copy)]
struct Xorwow {
    words: [u32; 5],
    counter: u32,
}

const COUNTER_STEP: u32 = 362_437;
/// Bits of the shifted words.
const BITS: usize = 160;

fn shifted([x, y, z, w, v]: [u32; 5]) -> [u32; 5] {
    let t = x ^ (x >> 2);
    [y, z, w, v, v ^ (v << 4) ^ t ^ (t << 1)]
}

/// A linear map of the words over bits: what becomes of each bit.
#[derive(Clone)]
struct BitMatrix(Box<[[u32; 5]; BITS]>);

impl BitMatrix {
    fn of(map: impl Fn([u32; 5]) -> [u32; 5]) -> BitMatrix {
        let bit = |number: usize| {
            let mut words = [0; 5];
            words[number / 32] = 1 << (number % 32);
            map(words)
        };
        BitMatrix(Box::new(std::array::from_fn(bit)))
    }

    fn apply(&self, words: [u32; 5]) -> [u32; 5] {
        let mut sum = [0; 5];
        for (number, mut word) in words.into_iter().enumerate() {
            while word != 0 {
                let image = &self.0[number * 32 + word.trailing_zeros() as usize];
                (0..5).for_each(|i| sum[i] ^= image[i]);
                word &= word - 1;
            }
        }
        sum
    }

    fn squared(&self) -> BitMatrix {
        BitMatrix::of(|words| self.apply(self.apply(words)))
    }

    /// The map `steps` times over.
    fn power(mut self, mut steps: u64) -> BitMatrix {
        let mut product = BitMatrix::of(|words| words);
        while steps > 0 {
            if steps & 1 == 1 {
                product = BitMatrix::of(|words| self.apply(product.apply(words)));
            }
            self = self.squared();
            steps >>= 1;
        }
        product
    }
}

impl Recurrence for Xorwow {
    fn lanes(seed: u64) -> Vec<Xorwow> {
        static APART: LazyLock<BitMatrix> =
            LazyLock::new(|| (0..67).fold(BitMatrix::of(shifted), |matrix, _| matrix.squared()));
        let low = (seed as u32 ^ 0xAAD2_6B49).wrapping_mul(1_099_087_573);
        let high = ((seed >> 32) as u32 ^ 0xF7DC_EFDD).wrapping_mul(2_591_861_531);
        let mut words = [
            123_456_789u32.wrapping_add(low),
            362_436_069 ^ low,
            521_288_629u32.wrapping_add(high),
            88_675_123 ^ high,
            5_783_321u32.wrapping_add(low),
        ];
        let counter = 6_615_241u32.wrapping_add(high).wrapping_add(low);
        let lane = |_| {
            // The counter comes round in 2^32 steps.
            let lane = Xorwow { words, counter };
            words = APART.apply(words);
            lane
        };
        (0..LANES).map(lane).collect()
    }

    fn jump(states: &mut [Xorwow], steps: u64) {
        let matrix = BitMatrix::of(shifted).power(steps);
        for state in states {
            state.words = matrix.apply(state.words);
            state.counter = state.counter.wrapping_add(COUNTER_STEP.wrapping_mul(steps as u32));
        }
    }

    fn step(&mut self) -> u32 {
        self.words = shifted(self.words);
        self.counter = self.counter.wrapping_add(COUNTER_STEP);
        self.words[4].wrapping_add(self.counter)
    }
}

/// L'Ecuyer's MRG32k3a (1999): two recurrences of order three modulo primes.
#[derive(Clone, Copy)]
struct Mrg([[u64; 3]; 2]);

const MODULI: [u64; 2] = [4_294_967_087, 4_294_944_443];
/// What spreads the numbers over 32 bits.
const SCALE: f64 = 1.000_000_048_662;

type ModMatrix = [[u64; 3]; 3];

/// One step of each recurrence.
const STEPS: [ModMatrix; 2] = [
    [[0, 1, 0], [0, 0, 1], [MODULI[0] - 810_728, 1_403_580, 0]],
    [[0, 1, 0], [0, 0, 1], [MODULI[1] - 1_370_589, 0, 527_612]],
];

fn times(a: &ModMatrix, b: &ModMatrix, modulus: u64) -> ModMatrix {
    let element = |i: usize, j: usize| (0..3).fold(0, |sum, k| (sum + a[i][k] * b[k][j] % modulus) % modulus);
    std::array::from_fn(|i| std::array::from_fn(|j| element(i, j)))
}

fn power(mut matrix: ModMatrix, mut steps: u128, modulus: u64) -> ModMatrix {
    let mut product = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    while steps > 0 {
        if steps & 1 == 1 {
            product = times(&matrix, &product, modulus);
        }
        matrix = times(&matrix, &matrix, modulus);
        steps >>= 1;
    }
    product
}

impl Mrg {
    fn moved(self, matrices: &[ModMatrix; 2]) -> Mrg {
        let element = |part: usize, i: usize| {
            let (row, modulus) = (&matrices[part][i], MODULI[part]);
            (0..3).fold(0, |sum, k| (sum + row[k] * self.0[part][k] % modulus) % modulus)
        };
        Mrg(std::array::from_fn(|part| std::array::from_fn(|i| element(part, i))))
    }

    fn matrices(steps: u128) -> [ModMatrix; 2] {
        [0, 1].map(|part| power(STEPS[part], steps, MODULI[part]))
    }
}

impl Recurrence for Mrg {
    fn lanes(seed: u64) -> Vec<Mrg> {
        const FIRST: u64 = 12_345;
        let factors = if seed == 0 { [1, 1] } else { [(seed ^ 0x5555_5555) & 0xFFFF_FFFF, (seed >> 32) ^ 0xAAAA_AAAA] };
        let first = |part: usize, i: usize| factors[(part + i) % 2] * FIRST % MODULI[part];
        let mut state = Mrg(std::array::from_fn(|part| std::array::from_fn(|i| first(part, i))));
        let apart = Mrg::matrices(1 << 76);
        let lane = |_| {
            let lane = state;
            state = state.moved(&apart);
            lane
        };
        (0..LANES).map(lane).collect()
    }

    fn jump(states: &mut [Mrg], steps: u64) {
        let matrices = Mrg::matrices(steps.into());
        states.iter_mut().for_each(|state| *state = state.moved(&matrices));
    }

    fn step(&mut self) -> u32 {
        let [[a0, a1, a2], [b0, b1, b2]] = self.0;
        let a = (1_403_580 * a1 + (MODULI[0] - a0) * 810_728) % MODULI[0];
        let b = (527_612 * b2 + (MODULI[1] - b0) * 1_370_589) % MODULI[1];
        self.0 = [[a1, a2, a], [b1, b2, b]];
        let difference = if a > b { a - b } else { a + MODULI[0] - b };
        (difference as f64 * SCALE) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::CpuStream;

    fn words(spec: SequenceSpec, first: u64, count: usize) -> Vec<u32> {
        let mut out = vec![0u32; count];
        let made = sequence(&spec).unwrap();
        // SAFETY: the words have room.
        unsafe { made.fill(&CpuStream::default_stream(), first, out.as_mut_ptr() as u64, count) }.unwrap();
        out
    }

    fn spec(kind: SequenceKind, seed: u64) -> SequenceSpec {
        SequenceSpec { kind, seed, dimensions: 1 }
    }

    /// Words of cuRAND 10.3.10 in its legacy order, by its generator of the host: seed, first word, and the words at 0, 1,
    /// 4096 and 81920 from there.
    #[test]
    fn the_words_are_curands() {
        use SequenceKind::{Mrg32k3a, Xorwow};
        for (kind, seed, first, expected) in [
            (Xorwow, 1234, 0, [624_778_773, 3_522_650_202, 1_867_875_844, 3_316_345_055]),
            (Xorwow, 1234, 5000, [1_378_181_827, 2_670_588_456, 1_911_353_636, 2_032_470_363]),
            (Xorwow, 0, 0, [3_179_217_846, 3_955_638_199, 1_883_133_293, 907_067_221]),
            (Xorwow, (1 << 40) + 7, 100_001, [2_423_887_625, 4_224_446_544, 2_397_192_542, 3_878_343_813]),
            (Mrg32k3a, 1234, 0, [3_379_073_520, 653_317_650, 2_521_876_100, 2_069_886_509]),
            (Mrg32k3a, 1234, 5000, [1_410_194_085, 692_299_680, 4_264_681_467, 2_654_885_013]),
            (Mrg32k3a, 0, 0, [545_508_615, 341_016_064, 1_368_065_476, 3_236_436_360]),
            (Mrg32k3a, (1 << 40) + 7, 100_001, [2_247_264_984, 848_973_331, 1_940_474_134, 3_818_394_307]),
        ] {
            let found = words(spec(kind, seed), first, 81_921);
            assert_eq!([0, 1, 4096, 81_920].map(|at| found[at]), expected, "{kind:?} {seed} {first}");
        }
    }

    #[test]
    fn parts_are_the_whole() {
        for kind in [SequenceKind::Xorwow, SequenceKind::Mrg32k3a] {
            let whole = words(spec(kind, 5), 0, 20_000);
            let made = sequence(&spec(kind, 5)).unwrap();
            let mut parts = vec![0u32; 20_000];
            // In order with odd ends, then once more from the middle.
            for (first, count) in [(0, 10), (10, 7), (17, 8192), (8209, 11_791), (9000, 3)] {
                let out = parts[first..first + count].as_mut_ptr() as u64;
                // SAFETY: the words have room.
                unsafe { made.fill(&CpuStream::default_stream(), first as u64, out, count) }.unwrap();
                assert_eq!(parts[first..first + count], whole[first..first + count], "{kind:?} {first}");
            }
            // A jump far ahead agrees with one of another size that lands on the same word.
            let far = 1u64 << 50;
            assert_eq!(words(spec(kind, 5), far, 5000)[4500..], words(spec(kind, 5), far + 4500, 500));
        }
    }
}
