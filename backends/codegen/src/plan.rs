//! Turns a launch into grids and into the words of the kernel's argument. Nothing here allocates.

use cuproxide_hal::Launch;

use crate::Program;
use crate::shape::{Shape, Walk};
use crate::words::{HEADER_WORDS, MAX_WORDS, PLAN_WORDS, ROW_BYTES, THREADS, WORDS_A_DIVISOR, argument_words};

/// Points of a tile along the last dimension.
const TILE: usize = 32;
const BETWEEN_ROUNDS: usize = 8;

/// One kernel of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Number of the entry in [`Program::entries`].
    pub entry: usize,
    /// Blocks.
    pub grid: u64,
    /// Threads of a block.
    pub block: u32,
    /// Bytes of shared memory that a block gets besides what its text declares.
    pub shared: u32,
}

/// What to launch, in order, and the argument that every step takes.
pub struct Plan {
    /// The argument.
    pub words: [u64; MAX_WORDS],
    steps: [Step; 3],
    count: usize,
}

impl Plan {
    /// The kernels to queue.
    pub fn steps(&self) -> &[Step] {
        &self.steps[..self.count]
    }
}

/// Sizes that depend on the launch and the device, but on no address.
#[derive(Clone, Copy, Debug, Default)]
struct Geometry {
    plan: [u64; PLAN_WORDS],
    steps: [Step; 3],
    count: usize,
    splits: usize,
    /// Bytes of scratch memory, where it is not an accumulator for each part of a row.
    scratch: usize,
    /// The dimension that makes tiles with the last one.
    crossed: Option<usize>,
}

impl Geometry {
    fn push(&mut self, entry: usize, grid: usize, block: usize) {
        self.steps[self.count] = Step { entry, grid: grid.max(1) as u64, block: block as u32, shared: 0 };
        self.count += 1;
    }
}

impl Program {
    /// Scratch memory that a launch needs on a device that runs `residency` blocks of [`THREADS`] at a time.
    pub fn scratch_bytes(&self, launch: &Launch<'_>, residency: usize) -> usize {
        if self.shape.walk == Walk::Map {
            return 0;
        }
        let geometry = self.shape.geometry(launch, residency);
        if geometry.scratch > 0 || geometry.splits == 1 {
            return geometry.scratch;
        }
        launch.outer_size() * geometry.splits * self.shape.accumulator_bytes
    }

    /// Lays out a launch; `fault` is the address of the device's fault word.
    pub fn plan(&self, launch: &Launch<'_>, fault: u64, residency: usize) -> Plan {
        let shape = &self.shape;
        let geometry = shape.geometry(launch, residency);
        let mut plan = Plan { words: [0; MAX_WORDS], steps: geometry.steps, count: geometry.count };
        let words = &mut plan.words;
        words[0] = launch.outer_size() as u64;
        words[1] = launch.inner_size() as u64;
        words[2] = fault;
        words[3] = launch.scratch;
        words[4..HEADER_WORDS].copy_from_slice(&geometry.plan);
        let mut at = HEADER_WORDS;
        for (word, operand) in words[at..].iter_mut().zip(launch.operands) {
            *word = operand.ptr;
        }
        at += self.operands.max(1);
        let lengths = launch.outer.iter().chain(launch.inner);
        for (dim, &length) in lengths.enumerate() {
            let packs = match geometry.crossed {
                Some(_) if dim + 1 == shape.outer => length.div_ceil(TILE),
                Some(crossed) if dim == crossed => length.div_ceil(BETWEEN_ROUNDS * shape.unroll),
                _ => shape.packs_along(dim, length),
            };
            // The first dimension of a space takes what is left and needs no division.
            let (magic, shift) = if dim == 0 || dim == shape.outer { (0, 0) } else { divisor(packs, shape.narrow) };
            words[at..at + WORDS_A_DIVISOR].copy_from_slice(&[length as u64, packs as u64, magic, shift]);
            at += WORDS_A_DIVISOR;
        }
        if shape.dims() == 0 {
            at += WORDS_A_DIVISOR;
        }
        for dim in 0..shape.dims() {
            for (word, operand) in words[at..].iter_mut().zip(launch.operands) {
                *word = operand.strides[dim] as u64;
            }
            at += self.operands.max(1);
        }
        if shape.dims() == 0 {
            at += self.operands.max(1);
        }
        for scalar in launch.scalars {
            let (low, high) = scalar.bytes.split_at(8);
            words[at] = u64::from_le_bytes(low.try_into().expect("eight bytes"));
            words[at + 1] = u64::from_le_bytes(high.try_into().expect("eight bytes"));
            at += 2;
        }
        debug_assert!(at <= argument_words(shape, self.operands, self.scalars));
        plan
    }
}

/// Times as many blocks as reside among which long rows are split, and the rounds that each block should have for it.
const TURNS: usize = 4;
const ROUNDS: usize = 30;

/// How many times as many blocks as reside fold so many rounds. More keep the memory busier, if each has enough rounds: on an H200
/// the sum of 1 GiB of float32 took 258 us in resident blocks and 242 us in four times as many, but `argmax` of 256 MiB, of 8 rounds
/// each, 78 us and 85 us.
fn turns(rounds: usize, residency: usize) -> usize {
    (rounds / (ROUNDS * residency)).clamp(1, TURNS)
}

impl Shape {
    fn packs_along(&self, dim: usize, length: usize) -> usize {
        if self.vector == Some(dim) { length.div_ceil(self.width) } else { length }
    }

    fn packs(&self, first: usize, lengths: &[usize]) -> usize {
        lengths.iter().enumerate().map(|(at, &length)| self.packs_along(first + at, length)).product()
    }

    fn geometry(&self, launch: &Launch<'_>, residency: usize) -> Geometry {
        let mut geometry = Geometry { splits: 1, ..Geometry::default() };
        let residency = residency.max(1);
        match (self.walk, self.scan) {
            (Walk::Map, _) => self.map(launch, residency, &mut geometry),
            (Walk::Rows, false) if self.ranges.is_some() => self.segments(launch, residency, &mut geometry),
            (Walk::Rows, false) if self.rows.is_some() => self.rows(launch, residency, &mut geometry),
            (Walk::Rows, false) => self.reduce_rows(launch, residency, &mut geometry),
            (Walk::Columns, false) => self.reduce_columns(launch, residency, &mut geometry),
            (_, true) => self.scan(launch, residency, &mut geometry),
        }
        geometry
    }

    fn map(&self, launch: &Launch<'_>, residency: usize, geometry: &mut Geometry) {
        let packs = self.packs(0, launch.outer);
        // Small arrays use smaller blocks, so that they reach more processors.
        let mut block = THREADS;
        while block > self.warp.max(32) && packs.div_ceil(block * self.unroll) < residency / 4 {
            block /= 2;
        }
        geometry.plan[0] = packs as u64;
        geometry.crossed = self.crossed(launch);
        if let Some(crossed) = geometry.crossed {
            let last = self.outer - 1;
            let tiles =
                launch.outer[crossed].div_ceil(BETWEEN_ROUNDS * self.unroll) * launch.outer[last].div_ceil(TILE);
            let others = packs / (launch.outer[crossed] * launch.outer[last]);
            geometry.plan[1] = crossed as u64 + 1;
            geometry.push(0, tiles * others, THREADS);
            return;
        }
        geometry.push(0, packs.div_ceil(block * self.unroll), block);
    }

    /// The dimension along which most operands are contiguous that are strided along the last.
    fn crossed(&self, launch: &Launch<'_>) -> Option<usize> {
        let last = self.outer.checked_sub(1)?;
        if self.width > 1 || launch.outer[last] < 8 {
            return None;
        }
        let contiguous = |dim: usize| {
            let near = launch.operands.iter().filter(|operand| {
                let (here, there) = (operand.strides[dim].unsigned_abs(), operand.strides[last].unsigned_abs());
                here > 0 && here <= 16 && there > 32
            });
            near.count()
        };
        (0..last).filter(|&dim| launch.outer[dim] >= 8 && contiguous(dim) > 0).max_by_key(|&dim| contiguous(dim))
    }

    fn reduce_rows(&self, launch: &Launch<'_>, residency: usize, geometry: &mut Geometry) {
        let rows = launch.outer_size();
        let packs = self.packs(self.outer, launch.inner);
        let mut team = packs.div_ceil(self.unroll).next_power_of_two().min(self.warp);
        let mut splits = 1;
        let block_iterations = packs.div_ceil(THREADS * self.unroll);
        let few = rows * self.warp < residency * THREADS;
        if block_iterations >= 4 || (few && packs > 2 * self.warp * self.unroll) {
            team = THREADS;
            splits =
                (turns(rows * block_iterations, residency) * residency / rows).clamp(1, (block_iterations / 4).max(1));
        }
        let segment = packs.div_ceil(splits).max(1);
        splits = packs.div_ceil(segment).max(1);
        geometry.plan[0] = team as u64;
        geometry.plan[1] = team.trailing_zeros().into();
        geometry.plan[2] = splits as u64;
        geometry.plan[3] = segment as u64;
        geometry.plan[4] = packs as u64;
        geometry.push(0, (rows * splits).div_ceil(THREADS / team), THREADS);
        combine(rows, splits, self.warp, geometry);
    }

    /// Teams as wide as the average range asks for. Where neighbours share a range and there are enough of them, each thread
    /// folds it for itself, so that neighbouring threads read neighbouring elements.
    fn segments(&self, launch: &Launch<'_>, residency: usize, geometry: &mut Geometry) {
        let Some(ranges) = &self.ranges else { return };
        let varies = |dim: usize| {
            let moves = launch.operands.iter().zip(&ranges.operands);
            ranges.positions || moves.into_iter().any(|(operand, &read)| read && operand.strides[dim] != 0)
        };
        let shared: usize = (0..self.outer).filter(|&dim| !varies(dim)).map(|dim| launch.outer[dim]).product();
        let points = launch.outer_size();
        let average = (launch.inner_size() * shared).div_ceil(points);
        let neighbours = self.outer.checked_sub(1).is_some_and(|last| !varies(last) && launch.outer[last] >= 8);
        let (mut team, mut splits) = (average.div_ceil(4).next_power_of_two().min(self.warp), 1);
        if neighbours && points >= residency * THREADS / 2 {
            team = 1;
        } else if average >= 8 * THREADS || (points * self.warp < residency * THREADS && average > 4 * self.warp) {
            team = THREADS;
            splits = (residency / points).clamp(1, (average / (8 * THREADS)).max(1));
        }
        geometry.plan[0] = team as u64;
        geometry.plan[1] = team.trailing_zeros().into();
        geometry.plan[2] = splits as u64;
        geometry.push(0, (points * splits).div_ceil(THREADS / team), THREADS);
        combine(points, splits, self.warp, geometry);
    }

    /// Teams as a reduction has them; a block has as many as fit its shared memory.
    fn rows(&self, launch: &Launch<'_>, residency: usize, geometry: &mut Geometry) {
        let mut alone = Geometry::default();
        self.reduce_rows(launch, residency, &mut alone);
        let (team, packs) = (alone.plan[0] as usize, alone.plan[4] as usize);
        let slot = self.rows.as_ref().map_or(0, |rows| rows.slot);
        let bytes = (packs * slot).next_multiple_of(16);
        let mut block = THREADS;
        while block > team.max(self.warp) && block / team * bytes > ROW_BYTES {
            block /= 2;
        }
        geometry.plan = alone.plan;
        geometry.plan[2] = bytes as u64;
        geometry.push(0, launch.outer_size().div_ceil(block / team), block);
        geometry.steps[0].shared = (block / team * bytes) as u32;
    }

    fn reduce_columns(&self, launch: &Launch<'_>, residency: usize, geometry: &mut Geometry) {
        let packs = self.packs(0, launch.outer);
        let inner = launch.inner_size();
        let groups = (inner / (2 * self.unroll)).clamp(1, THREADS);
        let groups = 1usize << groups.ilog2();
        let columns = (THREADS / groups).max(packs.next_power_of_two().min(self.warp));
        let groups = THREADS / columns;
        let across = packs.div_ceil(columns);
        let most = (inner / (groups * self.unroll * 4)).max(1);
        let mut splits = (residency / across).clamp(1, most);
        let segment = inner.div_ceil(splits).max(1);
        splits = inner.div_ceil(segment).max(1);
        geometry.plan[1] = columns.trailing_zeros().into();
        geometry.plan[2] = splits as u64;
        geometry.plan[3] = segment as u64;
        geometry.plan[4] = packs as u64;
        geometry.plan[5] = across as u64;
        geometry.push(0, across * splits, THREADS);
        combine(launch.outer_size(), splits, self.warp, geometry);
    }

    fn scan(&self, launch: &Launch<'_>, residency: usize, geometry: &mut Geometry) {
        match self.walk {
            Walk::Rows => self.scan_rows(launch, residency, geometry),
            _ => self.scan_columns(launch, residency, geometry),
        }
    }

    /// Many rows are taken by a warp each, few long ones tile by tile.
    fn scan_rows(&self, launch: &Launch<'_>, residency: usize, geometry: &mut Geometry) {
        let rows = launch.outer_size();
        let packs = self.packs(self.outer, launch.inner);
        let warps = THREADS / self.warp;
        geometry.plan[4] = packs as u64;
        let tiles = packs.div_ceil(THREADS * self.rounds()).max(1);
        if rows >= residency * warps / 2 || packs <= 8 * self.warp * self.unroll || u32::try_from(rows * tiles).is_err()
        {
            return geometry.push(0, rows.div_ceil(warps), THREADS);
        }
        // A ticket, a sum for each tile and for each group of as many tiles as a block has threads.
        let words = 2 + rows * (tiles + tiles.div_ceil(THREADS)) * self.accumulator_bytes.div_ceil(4);
        geometry.plan[2] = tiles as u64;
        geometry.plan[5] = words as u64;
        geometry.scratch = 8 * words;
        geometry.push(1, words.div_ceil(THREADS), THREADS);
        geometry.push(2, rows * tiles, THREADS);
    }

    /// A column is taken by a thread, or in parts by several.
    fn scan_columns(&self, launch: &Launch<'_>, residency: usize, geometry: &mut Geometry) {
        let (outer, length) = (launch.outer_size(), launch.inner_size());
        let splits = (2 * residency * THREADS / outer).clamp(1, (length / 64).max(1));
        let segment = length.div_ceil(splits).max(1);
        let splits = length.div_ceil(segment).max(1);
        let across = outer.div_ceil(THREADS);
        geometry.plan[2] = splits as u64;
        geometry.plan[3] = segment as u64;
        geometry.plan[4] = length as u64;
        geometry.plan[5] = across as u64;
        geometry.splits = splits;
        if splits > 1 {
            geometry.push(1, across * splits, THREADS);
            geometry.push(2, outer.div_ceil(THREADS / self.warp), THREADS);
        }
        geometry.push(0, across * splits, THREADS);
    }
}

/// Adds the step that puts the parts of split rows together.
fn combine(rows: usize, splits: usize, warp: usize, geometry: &mut Geometry) {
    geometry.splits = splits;
    if splits == 1 {
        return;
    }
    let team = if splits > 4 * warp { THREADS } else { splits.next_power_of_two().min(warp) };
    geometry.plan[6] = team as u64;
    geometry.plan[7] = team.trailing_zeros().into();
    geometry.push(1, rows.div_ceil(THREADS / team), THREADS);
}

/// Factor and shift that replace a division: `(high_half(n * magic) + n) >> shift == n / by` for every `n` in the lower
/// half of the unsigned range.
fn divisor(by: usize, narrow: bool) -> (u64, u64) {
    if by <= 1 {
        return (0, 0);
    }
    let bits = if narrow { 32 } else { 64 };
    let shift = usize::BITS - (by - 1).leading_zeros();
    let magic = ((((1u128 << shift) - by as u128) << bits) / by as u128) + 1;
    (magic as u64, shift.into())
}

#[cfg(test)]
mod tests {
    use super::{divisor, turns};

    #[test]
    fn more_blocks_than_reside_have_enough_rounds() {
        let residency = 528;
        // 256 MiB, 512 MiB and 1 GiB of float32 in rounds of 16 KiB, which a block reads at once.
        for (bytes, wanted) in [(0, 1), (1 << 28, 1), (1 << 29, 2), (1 << 30, 4), (1 << 34, 4)] {
            assert_eq!(turns(bytes >> 14, residency), wanted, "{bytes}");
        }
    }

    #[test]
    fn multiplication_divides_exactly() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for by in (1..2000usize).chain([4095, 4096, 4097, 65535, 65537, 1 << 30, (1 << 31) - 1]) {
            let (magic, shift) = divisor(by, true);
            let (wide_magic, wide_shift) = divisor(by, false);
            for _ in 0..200 {
                let n = (random() >> 33) as u32;
                let quotient = (((u64::from(n) * magic) >> 32) as u32 + n) >> shift;
                assert_eq!(quotient as usize, n as usize / by, "{n} / {by}");
                let n = random() >> 1;
                let quotient = (((u128::from(n) * u128::from(wide_magic)) >> 64) as u64 + n) >> wide_shift;
                assert_eq!(quotient, n / by as u64, "{n} / {by}");
            }
        }
    }
}
