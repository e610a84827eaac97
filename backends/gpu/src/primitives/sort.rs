//! Sorting, by the hand-written radix sort.

use cuproxide_hal::libraries::{Carried, Sort, Sorting};
use cuproxide_hal::{DType, Error, Kind, Result, Stream};
use cuproxide_kernels_cuda::{SORT, WARP};
use once_cell::sync::OnceCell;

use super::place::{Loaded, Place};

const THREADS: usize = 512;
const DIGITS: usize = 256;
/// Bytes for the tickets of the sweeps over one key, at the start of what is cleared.
const TICKETS: usize = 64;
/// Longest row whose positions, with the two flags of a state, take 32 bits: the sum after the last tile, for which 30 bits
/// may be too few, is never read.
const NARROW: usize = 1 << 30;

const ENTRIES: [&str; 7] =
    ["sort_count", "sort_starts", "sort_rows", "sort_sweep", "sort_sweep_pairs", "sort_fetch", "sort_gather"];
/// Those of a text that carries elements along.
const CARRYING: [&str; 4] = ["sort_count", "sort_starts", "sort_rows", "sort_sweep"];

/// The place of an entry in [`ENTRIES`], and in [`CARRYING`].
#[derive(Clone, Copy)]
enum Entry {
    Count,
    Starts,
    Rows,
    Sweep,
    SweepPairs,
    Fetch,
    Gather,
}

/// Flags of a sweep: it reads keys as they were given, it writes them so.
const FIRST: u64 = 1;
const LAST: u64 = 2;

/// Sorts complex numbers last of all by whether their parts are NaN.
const BY_CLASS: u64 = 1;

/// The sort of one device; a module for each element type is compiled on first use.
pub(super) struct Sorter {
    place: Place,
    /// By element type, for 32-bit and 64-bit positions.
    modules: [[OnceCell<Loaded<{ ENTRIES.len() }>>; 2]; DType::ALL.len()],
    /// For keys of 4 and 8 bytes, by the widths of what is carried along.
    carrying: [[[OnceCell<Loaded<{ CARRYING.len() }>>; WIDTHS]; WIDTHS]; 2],
}

/// Widths of elements that are carried along: powers of two up to 16.
const WIDTHS: usize = 5;

/// The kernels' argument, as `struct Sort` of the text lays it out.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Argument {
    source: u64,
    from: u64,
    target: u64,
    to: u64,
    indices: u64,
    starts: u64,
    states: u64,
    next_states: u64,
    ticket: u64,
    rows: u64,
    length: u64,
    tiles: u64,
    pass: u64,
    digit_bits: u64,
    flags: u64,
    component: u64,
    mode: u64,
    carried_from: [u64; 2],
    carried_to: [u64; 2],
}

/// Keys that a thread holds; fewer if it holds more with each.
fn items(dtype: DType, wide: bool, carries: bool) -> usize {
    if wide || carries || dtype.real().size() == 8 { 8 } else { 16 }
}

fn wide(sort: &Sort) -> bool {
    sort.length > NARROW
}

fn tile(sort: &Sort, carries: bool) -> usize {
    THREADS * items(sort.dtype, wide(sort), carries)
}

/// Passes over a key with all its digits.
fn passes(dtype: DType) -> usize {
    dtype.real().size()
}

/// Bits that keys are sorted by: those that are the same in all of them are left out.
fn bits_of(sort: &Sort) -> usize {
    let all = 8 * passes(sort.dtype);
    let is_integer = matches!(sort.dtype.kind(), Kind::Signed | Kind::Unsigned);
    if is_integer { sort.bits.clamp(1, all) } else { all }
}

/// Passes that are made.
fn passes_of(sort: &Sort) -> usize {
    bits_of(sort).div_ceil(8)
}

/// What the scratch memory of sweeps holds.
struct Scratch {
    /// Tickets, the starts of digits and one set of states, cleared before every key.
    cleared: usize,
    states: usize,
    keys: usize,
    positions: usize,
    /// Buffers of keys and of positions.
    buffers: [usize; 2],
    /// Bytes of a buffer for each of the elements that are carried along.
    carried: [usize; 2],
}

impl Scratch {
    fn of(sort: &Sort, carried: Option<&[Carried; 2]>) -> Scratch {
        let position = if wide(sort) { 8 } else { 4 };
        let align = |bytes: usize| bytes.next_multiple_of(256);
        let states = sort.rows * sort.length.div_ceil(tile(sort, carried.is_some())) * DIGITS * position;
        let starts = sort.rows * passes(sort.dtype) * DIGITS * position;
        let count = sort.rows * sort.length;
        let pairs = sort.indices != 0 || sort.dtype.is_complex();
        let own_keys = if sort.sorted == 0 || sort.dtype.is_complex() { 2 } else { 1 };
        let several = usize::from(passes(sort.dtype) > 1 || sort.dtype.is_complex());
        Scratch {
            cleared: align(TICKETS + starts + states),
            states: align(states),
            keys: align(count * sort.dtype.real().size()),
            positions: align(count * position),
            buffers: [several * own_keys, if pairs { several * 2 } else { 0 }],
            carried: carried.map_or([0; 2], |carried| carried.map(|each| align(several * count * each.size))),
        }
    }

    fn total(&self) -> usize {
        self.cleared
            + self.states
            + self.buffers[0] * self.keys
            + self.buffers[1] * self.positions
            + self.carried.iter().sum::<usize>()
    }
}

/// The text of the sort for an element type, and for widths of elements to be carried along.
pub(super) fn text(dtype: DType, wide: bool, carried: Option<[usize; 2]>) -> String {
    let key = ["", "u8", "u16", "", "u32", "", "", "", "u64"][dtype.real().size()];
    let position = if wide { "u64" } else { "u32" };
    let kind = match dtype.kind() {
        Kind::Unsigned => 0,
        Kind::Signed => 1,
        Kind::Float | Kind::Complex => 2,
        Kind::Bool => 3,
    };
    let infinite = dtype.info().infinity;
    let (lanes, items) = (dtype.lanes(), items(dtype, wide, carried.is_some()));
    let unit = |size: usize| format!("u{}", 8 * size.min(8));
    let [first, second] = carried.unwrap_or([1; 2]);
    let carried = format!(
        "#define CARRIES {}\ntypedef {} First;\ntypedef {} Second;\n#define FIRST_UNITS {}\n#define SECOND_UNITS {}\n",
        u8::from(carried.is_some()),
        unit(first),
        unit(second),
        first.div_ceil(8),
        second.div_ceil(8)
    );
    format!(
        "{WARP}\ntypedef {key} Key;\ntypedef {position} Position;\n#define KIND {kind}\n\
         #define INFINITE 0x{infinite:x}ull\n#define COMPONENTS {lanes}\n#define THREADS {THREADS}\n\
         #define ITEMS {items}\n#define RESIDENT 2\n{carried}\n{SORT}"
    )
}

impl Sorter {
    pub fn new(place: Place) -> Sorter {
        Sorter { place, modules: Default::default(), carrying: Default::default() }
    }

    fn loaded(&self, dtype: DType, wide: bool) -> Result<&Loaded<{ ENTRIES.len() }>> {
        self.place.primary.enter(self.place.driver)?;
        self.modules[dtype as usize][usize::from(wide)]
            .get_or_try_init(|| self.place.load("sort", &text(dtype, wide, None), ENTRIES))
    }

    fn loaded_carrying(&self, dtype: DType, sizes: [usize; 2]) -> Result<&Loaded<{ CARRYING.len() }>> {
        self.place.primary.enter(self.place.driver)?;
        let [first, second] = sizes.map(|size| size.trailing_zeros() as usize);
        self.carrying[usize::from(dtype == DType::I64)][first][second]
            .get_or_try_init(|| self.place.load("sort", &text(dtype, false, Some(sizes)), CARRYING))
    }
}

impl Sorting for Sorter {
    fn scratch_bytes(&self, sort: &Sort) -> usize {
        if sort.length <= tile(sort, false) { 0 } else { Scratch::of(sort, None).total() }
    }

    unsafe fn sort(&self, stream: &dyn Stream, sort: &Sort) -> Result<()> {
        if sort.rows * sort.length == 0 {
            return Ok(());
        }
        self.run(stream, sort, None, &self.loaded(sort.dtype, wide(sort))?.functions)
    }

    fn carrying_scratch_bytes(&self, sort: &Sort, carried: &[Carried; 2]) -> Option<usize> {
        let is_known = carried.iter().all(|each| each.size.is_power_of_two() && each.size <= 1 << (WIDTHS - 1));
        let carries = is_known && matches!(sort.dtype, DType::I32 | DType::I64) && !wide(sort);
        let bytes = || if sort.length <= tile(sort, true) { 0 } else { Scratch::of(sort, Some(carried)).total() };
        carries.then(bytes)
    }

    unsafe fn sort_carrying(&self, stream: &dyn Stream, sort: &Sort, carried: &[Carried; 2]) -> Result<()> {
        if self.carrying_scratch_bytes(sort, carried).is_none() {
            return Err(Error::unsupported(self.place.primary.backend, format!("carrying {carried:?} along")));
        }
        if sort.rows * sort.length == 0 {
            return Ok(());
        }
        let sizes = carried.map(|each| each.size);
        self.run(stream, sort, Some(carried), &self.loaded_carrying(sort.dtype, sizes)?.functions)
    }
}

impl Sorter {
    fn run(&self, stream: &dyn Stream, sort: &Sort, carried: Option<&[Carried; 2]>, functions: &[u64]) -> Result<()> {
        let argument = Argument {
            source: sort.keys,
            target: sort.sorted,
            indices: sort.indices,
            rows: sort.rows as u64,
            length: sort.length as u64,
            carried_from: carried.map_or([0; 2], |carried| carried.map(|each| each.from)),
            carried_to: carried.map_or([0; 2], |carried| carried.map(|each| each.to)),
            ..Argument::default()
        };
        let scratch = Scratch::of(sort, carried);
        let run = Run { place: &self.place, functions, stream: stream.raw(), sort, carried, scratch, argument };
        if sort.length <= run.tile() {
            return run.rows();
        }
        if sort.dtype.is_complex() { run.complex() } else { run.sweeps(Keys::of(&run), sort.indices, sort.sorted) }
    }
}

/// A sort under way.
struct Run<'s> {
    place: &'s Place,
    functions: &'s [u64],
    stream: u64,
    sort: &'s Sort,
    carried: Option<&'s [Carried; 2]>,
    scratch: Scratch,
    argument: Argument,
}

/// Where sweeps find keys and positions, and the buffers that they go through.
#[derive(Clone, Copy)]
struct Keys {
    source: u64,
    /// 0 where every key is at its own position.
    from: u64,
    keys: [u64; 2],
    positions: [u64; 2],
    /// Where elements that are carried along go in turns.
    carried: [[u64; 2]; 2],
}

impl Keys {
    /// The keys of the caller; the result is a buffer too, if there is one.
    fn of(run: &Run<'_>) -> Keys {
        let scratch = &run.scratch;
        let start = run.sort.scratch + (scratch.cleared + scratch.states) as u64;
        let own = run.sort.sorted == 0 || run.sort.dtype.is_complex();
        let second = if own { start + scratch.keys as u64 } else { run.sort.sorted };
        let positions = start + (scratch.buffers[0] * scratch.keys) as u64;
        let carried = positions + (scratch.buffers[1] * scratch.positions) as u64;
        Keys {
            source: run.sort.keys,
            from: 0,
            keys: [start, second],
            positions: [positions, positions + scratch.positions as u64],
            carried: [[carried, carried + scratch.carried[0] as u64], run.argument.carried_to],
        }
    }
}

impl Run<'_> {
    fn tile(&self) -> usize {
        tile(self.sort, self.carried.is_some())
    }

    fn launch(&self, entry: Entry, blocks: usize, threads: usize, argument: &Argument) -> Result<()> {
        // SAFETY: the argument has the layout of the text; its addresses are the caller's promise.
        unsafe { self.place.launch(self.stream, self.functions[entry as usize], blocks, threads, argument) }
    }

    /// Rows that fit into a tile, as many at a time as fit.
    fn rows(&self) -> Result<()> {
        let together = self.tile() / self.sort.length;
        let argument = Argument { tiles: together as u64, ..self.argument };
        self.launch(Entry::Rows, self.sort.rows.div_ceil(together), THREADS, &argument)
    }

    /// Sorts by one key. The positions end up in `indices`, or if that is 0 and there are positions in the first buffer;
    /// the keys in `sorted`, unless that is 0.
    fn sweeps(&self, keys: Keys, indices: u64, sorted: u64) -> Result<()> {
        let Run { sort, scratch, .. } = self;
        let passes = passes(sort.dtype);
        let made = passes_of(sort);
        let tickets = sort.scratch;
        let starts = tickets + TICKETS as u64;
        let position = if wide(sort) { 8 } else { 4 };
        let mut states =
            [starts + (sort.rows * passes * DIGITS * position) as u64, sort.scratch + scratch.cleared as u64];
        // SAFETY: the scratch memory is as large as was asked for.
        unsafe { self.place.driver.fill(tickets, 0, scratch.cleared, self.stream)? };

        // Digits of equal width: runs of equal ones are longer where there are fewer.
        let digit_bits = bits_of(sort).div_ceil(made) as u64;
        let mut argument = Argument { starts, source: keys.source, from: keys.from, digit_bits, ..self.argument };
        // Each block counts a good many keys, but all processors have something to do.
        let wanted = sort.length.div_ceil(16 * THREADS).min((8 * self.place.processors as usize).div_ceil(sort.rows));
        argument.tiles = wanted.max(1) as u64;
        self.launch(Entry::Count, sort.rows * wanted.max(1), THREADS, &argument)?;
        self.launch(Entry::Starts, sort.rows * passes, DIGITS, &argument)?;

        let tiles = sort.length.div_ceil(self.tile());
        let pairs = sort.indices != 0 || sort.dtype.is_complex();
        argument.tiles = tiles as u64;
        for pass in 0..made {
            let last = pass + 1 == made;
            // The buffers take turns so that the last keys land in the second one, the last positions in the first.
            let turn = (made - pass) % 2;
            argument.target = if last { sorted } else { keys.keys[turn] };
            argument.to = if last && indices != 0 { 0 } else { keys.positions[1 - turn] };
            argument.indices = if last { indices } else { 0 };
            argument.carried_to = keys.carried[turn];
            argument.states = states[0];
            argument.next_states = if last { 0 } else { states[1] };
            argument.ticket = tickets + 4 * pass as u64;
            argument.pass = pass as u64;
            argument.flags = if pass == 0 { FIRST } else { 0 } | if last { LAST } else { 0 };
            let entry = if pairs { Entry::SweepPairs } else { Entry::Sweep };
            self.launch(entry, sort.rows * tiles, THREADS, &argument)?;
            argument.source = argument.target;
            argument.from = argument.to;
            argument.carried_from = argument.carried_to;
            states.swap(0, 1);
        }
        Ok(())
    }

    /// Complex numbers: by the imaginary part, by the real one, by which of them are NaN; then everything is fetched.
    fn complex(&self) -> Result<()> {
        let sort = self.sort;
        let blocks = (sort.rows * sort.length).div_ceil(THREADS);
        // The number of passes is even, so the first one reads the second buffer of keys.
        let buffers = Keys::of(self);
        let mut from = 0;
        for (component, mode) in [(1, 0), (0, 0), (0, BY_CLASS)] {
            let fetch = Argument { from, target: buffers.keys[1], component, mode, ..self.argument };
            self.launch(Entry::Fetch, blocks, THREADS, &fetch)?;
            self.sweeps(Keys { source: buffers.keys[1], from, ..buffers }, 0, 0)?;
            from = buffers.positions[0];
        }
        self.launch(Entry::Gather, blocks, THREADS, &Argument { from, ..self.argument })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler;

    #[test]
    fn every_type_compiles() {
        for dtype in DType::ALL {
            compiler::tests::compiles_everywhere("sort", &text(dtype, false, None));
        }
        for dtype in [DType::F32, DType::C128] {
            compiler::tests::compiles_everywhere("sort", &text(dtype, true, None));
        }
        for sizes in [[4, 1], [4, 8], [8, 16]] {
            compiler::tests::compiles_everywhere("sort", &text(DType::I32, false, Some(sizes)));
        }
        compiler::tests::compiles_everywhere("sort", &text(DType::I64, false, Some([8, 4])));
    }
}
