//! Sorting, by the hand-written radix sort.

use std::ffi::c_void;
use std::sync::Arc;

use cuproxide_hal::libraries::{Primitives, Sort};
use cuproxide_hal::{DType, Error, Kind, Result, Stream};
use cuproxide_kernels_cuda::{PRELUDE, SORT};
use once_cell::sync::OnceCell;

use crate::api::driver::Driver;
use crate::compiler::{Architecture, Request, Target};
use crate::context::Primary;
use crate::kernel::Module;

const THREADS: usize = 256;
/// Keys that one block counts and moves.
const TILE: usize = 4096;
const DIGITS: usize = 256;

const ENTRIES: [&str; 6] = ["sort_keys", "sort_count", "sort_scan", "sort_scan_sums", "sort_scatter", "sort_finish"];

/// What a pass takes its digits from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Digits {
    Value = 0,
    Class = 1,
    Row = 2,
}

/// The sort of one device; a module for each element type is compiled on first use.
pub(crate) struct Sorter {
    driver: &'static Driver,
    primary: Primary,
    architecture: Architecture,
    /// By element type, for 32-bit and 64-bit positions.
    modules: [[OnceCell<Loaded>; 2]; DType::ALL.len()],
}

struct Loaded {
    /// Keeps the functions alive.
    _module: Arc<Module>,
    functions: [u64; ENTRIES.len()],
}

/// The kernels' argument, as `struct Sort` of the text lays it out.
#[repr(C)]
#[derive(Clone, Copy)]
struct Argument {
    source: u64,
    count: u64,
    length: u64,
    tiles: u64,
    keys: u64,
    positions: u64,
    next_keys: u64,
    next_positions: u64,
    counts: u64,
    sums: u64,
    shift: u64,
    component: u64,
    mode: u64,
    first: u64,
    sorted: u64,
    indices: u64,
}

/// Sizes of the parts of the scratch memory.
struct Scratch {
    keys: usize,
    positions: usize,
    counts: usize,
    sums: usize,
}

impl Scratch {
    fn of(sort: &Sort) -> Scratch {
        let count = sort.rows * sort.length;
        let position = position_bytes(count);
        let entries = DIGITS * count.div_ceil(TILE);
        let align = |bytes: usize| bytes.next_multiple_of(256);
        Scratch {
            keys: align(count * sort.dtype.real().size()),
            positions: align(count * position),
            counts: align(entries * position),
            sums: align(entries.div_ceil(TILE) * position),
        }
    }

    fn total(&self) -> usize {
        2 * self.keys + 2 * self.positions + self.counts + self.sums
    }
}

fn position_bytes(count: usize) -> usize {
    if count <= u32::MAX as usize { 4 } else { 8 }
}

/// The text of the sort for an element type.
pub(crate) fn text(dtype: DType, wide: bool) -> String {
    let key = ["", "u8", "u16", "", "u32", "", "", "", "u64"][dtype.real().size()];
    let position = if wide { "u64" } else { "u32" };
    let kind = match dtype.kind() {
        Kind::Bool | Kind::Unsigned => 0,
        Kind::Signed => 1,
        Kind::Float | Kind::Complex => 2,
    };
    let infinite: u64 = match dtype.real() {
        DType::F16 => 0x7c00,
        DType::BF16 => 0x7f80,
        DType::F32 => 0x7f80_0000,
        DType::F64 => 0x7ff0_0000_0000_0000,
        _ => 0,
    };
    let lanes = dtype.lanes();
    format!(
        "{PRELUDE}\ntypedef {key} Key;\ntypedef {position} Position;\n#define KIND {kind}\n#define INFINITE 0x{infinite:x}ull\n\
         #define COMPONENTS {lanes}\n\n{SORT}"
    )
}

/// The texts worth precompiling, by name: all but those for more than four billion elements.
pub(crate) fn texts() -> Vec<(&'static str, String)> {
    DType::ALL.map(|dtype| ("sort", text(dtype, false))).to_vec()
}

impl Sorter {
    pub fn new(driver: &'static Driver, primary: Primary, architecture: Architecture) -> Sorter {
        Sorter { driver, primary, architecture, modules: Default::default() }
    }

    fn loaded(&self, dtype: DType, wide: bool) -> Result<&Loaded> {
        self.modules[dtype as usize][usize::from(wide)].get_or_try_init(|| {
            let text = text(dtype, wide);
            let request = Request::generated("sort", &text, Target::device(self.architecture));
            let module = Module::compiled(self.driver, self.primary, &request)?;
            let mut functions = [0; ENTRIES.len()];
            for (function, name) in functions.iter_mut().zip(ENTRIES) {
                *function = module.handle(name)?;
            }
            Ok(Loaded { _module: module, functions })
        })
    }
}

/// A sort under way.
struct Run<'s> {
    sorter: &'s Sorter,
    loaded: &'s Loaded,
    stream: u64,
    argument: Argument,
}

impl Run<'_> {
    fn launch(&mut self, entry: usize, blocks: usize) -> Result<()> {
        let Ok(grid) = u32::try_from(blocks.max(1)) else {
            return Err(Error::unsupported("cuda", format!("a sort of {} elements", self.argument.count)));
        };
        let mut parameters = [(&raw mut self.argument).cast::<c_void>()];
        // SAFETY: the argument has the layout of the text; its addresses are the caller's promise.
        unsafe {
            self.sorter.driver.launch(
                self.loaded.functions[entry],
                grid,
                1,
                1,
                THREADS as u32,
                1,
                1,
                0,
                self.stream,
                parameters.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        }
    }

    /// Fetches the keys of a series of passes through the positions so far.
    fn keys(&mut self, digits: Digits, component: usize, shift: u32) -> Result<()> {
        self.argument.mode = digits as u64;
        self.argument.component = component as u64;
        self.argument.shift = shift.into();
        let blocks = (self.argument.count as usize).div_ceil(THREADS);
        self.launch(0, blocks)?;
        self.argument.first = 0;
        Ok(())
    }

    /// One stable pass over eight bits of the keys.
    fn pass(&mut self, shift: u32) -> Result<()> {
        self.argument.shift = shift.into();
        let tiles = self.argument.tiles as usize;
        self.launch(1, tiles)?;
        self.launch(2, (DIGITS * tiles).div_ceil(TILE))?;
        self.launch(3, 1)?;
        self.launch(4, tiles)?;
        let Argument { keys, next_keys, positions, next_positions, .. } = &mut self.argument;
        std::mem::swap(keys, next_keys);
        std::mem::swap(positions, next_positions);
        Ok(())
    }
}

impl Primitives for Sorter {
    fn sort_scratch_bytes(&self, sort: &Sort) -> usize {
        Scratch::of(sort).total()
    }

    unsafe fn sort(&self, stream: &dyn Stream, sort: &Sort) -> Result<()> {
        let count = sort.rows * sort.length;
        if count == 0 {
            return Ok(());
        }
        self.primary.enter(self.driver)?;
        let loaded = self.loaded(sort.dtype, position_bytes(count) == 8)?;
        let sizes = Scratch::of(sort);
        let mut at = sort.scratch;
        let mut take = |bytes: usize| {
            let here = at;
            at += bytes as u64;
            here
        };
        let argument = Argument {
            source: sort.keys,
            count: count as u64,
            length: sort.length as u64,
            tiles: count.div_ceil(TILE) as u64,
            keys: take(sizes.keys),
            next_keys: take(sizes.keys),
            positions: take(sizes.positions),
            next_positions: take(sizes.positions),
            counts: take(sizes.counts),
            sums: take(sizes.sums),
            shift: 0,
            component: 0,
            mode: 0,
            first: 1,
            sorted: sort.sorted,
            indices: sort.indices,
        };
        let mut run = Run { sorter: self, loaded, stream: stream.raw(), argument };
        for component in (0..sort.dtype.lanes()).rev() {
            run.keys(Digits::Value, component, 0)?;
            let bits = if sort.dtype == DType::Bool { 1 } else { sort.dtype.bits() as u32 };
            for shift in (0..bits).step_by(8) {
                run.pass(shift)?;
            }
        }
        if sort.dtype.is_complex() {
            run.keys(Digits::Class, 0, 0)?;
            run.pass(0)?;
        }
        if sort.rows > 1 {
            let bits = usize::BITS - (sort.rows - 1).leading_zeros();
            for shift in (0..bits).step_by(8) {
                run.keys(Digits::Row, 0, shift)?;
                run.pass(0)?;
            }
        }
        run.launch(5, count.div_ceil(THREADS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler;

    /// The sort compiles for every element type, where a compiler is found.
    #[test]
    fn every_type_compiles() {
        if let Err(error) = compiler::compiler_version() {
            println!("skipped: {error}");
            return;
        }
        for architecture in [Architecture { major: 8, minor: 0 }, Architecture { major: 9, minor: 0 }] {
            assert!(compiler::knows(architecture).expect("a compiler"));
            for dtype in DType::ALL {
                for wide in [false, true] {
                    compiler::compile_text("sort", &text(dtype, wide), architecture).expect("the sort compiles");
                }
            }
        }
    }
}
