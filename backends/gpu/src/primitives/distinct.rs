//! The distinct ones of sorted elements.

use cuproxide_hal::libraries::{Distinct, Sorted};
use cuproxide_hal::{DType, Error, Result, Stream};
use cuproxide_kernels_cuda::{DISTINCT, WARP};
use once_cell::sync::OnceCell;

use super::place::{Loaded, Place};

const THREADS: usize = 256;
/// Threads of the block that adds up.
const WIDE: usize = 1024;
/// Bytes of elements that one block looks at.
const TILE: usize = THREADS * 4 * 16;
const ENTRIES: [&str; 3] = ["distinct_count", "distinct_offsets", "distinct_write"];

pub(super) struct Distincts {
    place: Place,
    modules: [OnceCell<Loaded<{ ENTRIES.len() }>>; DType::ALL.len()],
}

/// The kernels' argument, as `struct Distinct` of the text lays it out.
#[repr(C)]
struct Argument {
    sorted: u64,
    count: u64,
    equal_nan: u64,
    counts: u64,
    tiles: u64,
    total: u64,
    out: u64,
}

/// The text for a real element type. After a NaN comes nothing but NaN.
pub(super) fn text(dtype: DType) -> String {
    let widening = format!("{}_to_float", dtype.info().narrow_name);
    let (value, read) = match dtype {
        DType::Bool => ("u8", "0 != "),
        narrow if narrow.is_narrow() => (narrow.info().machine_name, widening.as_str()),
        DType::F32 => ("f32", ""),
        DType::F64 => ("f64", ""),
        other => (["", "u8", "u16", "", "u32", "", "", "", "u64"][other.size()], ""),
    };
    let written = if dtype == DType::Bool { "value != 0" } else { "value" };
    format!(
        "{WARP}\ntypedef {value} Value;\nDEVICE Value written(Value value) {{ return {written}; }}\n\
         DEVICE f32 bfloat_to_float(u16 bits) {{ return bitcast<f32>((u32)bits << 16); }}\n\
         DEVICE bool differ(Value earlier, Value later, bool equal_nan) {{\n    \
         const auto a = {read}(earlier), b = {read}(later);\n    \
         return a != b && !(equal_nan && a != a);\n}}\n\n{DISTINCT}"
    )
}

impl Distincts {
    pub fn new(place: Place) -> Distincts {
        Distincts { place, modules: Default::default() }
    }

    fn tiles(sorted: &Sorted) -> usize {
        (sorted.count * sorted.dtype.size()).div_ceil(TILE).max(1)
    }

    fn launch(&self, stream: &dyn Stream, sorted: &Sorted, entry: usize, total: u64, out: u64) -> Result<()> {
        let Sorted { dtype, ptr, count, equal_nan, scratch } = *sorted;
        let loaded =
            self.modules[dtype as usize].get_or_try_init(|| self.place.load("distinct", &text(dtype), ENTRIES))?;
        let tiles = Distincts::tiles(sorted);
        let argument = Argument {
            sorted: ptr,
            count: count as u64,
            equal_nan: equal_nan.into(),
            counts: scratch,
            tiles: tiles as u64,
            total,
            out,
        };
        // SAFETY: the promise of both callers' callers.
        unsafe {
            let (blocks, threads) = if entry == 1 { (1, WIDE) } else { (tiles, THREADS) };
            self.place.launch(stream.raw(), loaded.functions[entry], blocks, threads, &argument)
        }
    }
}

impl Distinct for Distincts {
    fn scratch_bytes(&self, sorted: &Sorted) -> usize {
        8 * Distincts::tiles(sorted)
    }

    unsafe fn count(&self, stream: &dyn Stream, sorted: &Sorted, total: u64) -> Result<()> {
        if sorted.dtype.is_complex() {
            return Err(Error::unsupported(
                self.place.primary.backend,
                format!("the distinct ones of {}", sorted.dtype),
            ));
        }
        self.place.primary.enter(self.place.driver)?;
        self.launch(stream, sorted, 0, total, 0)?;
        self.launch(stream, sorted, 1, total, 0)
    }

    unsafe fn write(&self, stream: &dyn Stream, sorted: &Sorted, out: u64) -> Result<()> {
        self.place.primary.enter(self.place.driver)?;
        self.launch(stream, sorted, 2, 0, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler;

    #[test]
    fn types_of_every_size_compile() {
        for dtype in [DType::Bool, DType::I16, DType::F16, DType::BF16, DType::F32, DType::I64, DType::F64] {
            compiler::tests::compiles_everywhere("distinct", &text(dtype));
        }
    }
}
