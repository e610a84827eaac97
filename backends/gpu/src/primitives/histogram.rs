//! Counting by bins.

use cuproxide_hal::libraries::{Binning, Histogram};
use cuproxide_hal::{DType, Error, Result, Stream};
use cuproxide_kernels_cuda::{HISTOGRAM, WARP};
use once_cell::sync::OnceCell;

use super::place::{Loaded, Place};
use super::widening::widened;

const THREADS: usize = 512;
/// Counts in the memory of a block.
const SLOTS: usize = 8192;
/// Threads of a block that counts a range of bins.
const WIDE: usize = 1024;
/// Most ranges of bins: each of them reads the values.
const RANGES: usize = 8;
/// Values for each bin that make ranges worth clearing and adding up.
const FILL: usize = 16;
/// Memory of a block that the system keeps for itself.
const RESERVED: usize = 1024;
/// Most copies of the counts.
const COPIES: usize = 8;

/// The types of edges, by the place of their modules.
const EDGES: [DType; 4] = [DType::F32, DType::F64, DType::I64, DType::U64];

pub(super) struct Histograms {
    place: Place,
    /// By the type of the values, then for each type of edges and for none.
    modules: [[OnceCell<Loaded<2>>; EDGES.len() + 1]; DType::ALL.len()],
}

/// The kernel's argument, as `struct Histogram` of the text lays it out.
#[repr(C)]
struct Argument {
    values: u64,
    count: u64,
    bins: u64,
    edges: u64,
    uniform: u64,
    counts: u64,
    copies: u64,
}

/// The name in generated text of the type that memory holds.
fn number(dtype: DType) -> &'static str {
    dtype.storage().info().machine_name
}

/// The text for a type of values and of edges.
pub(super) fn text(values: DType, edges: Option<DType>) -> String {
    let (value, edge, whole) = (number(values), number(edges.unwrap_or(DType::I64)), u8::from(edges.is_none()));
    let read = if values == DType::Bool { "(value != 0)".to_owned() } else { widened(values, "value") };
    format!(
        "{WARP}\ntypedef {value} Value;\ntypedef {edge} Edge;\n#define WHOLE {whole}\n\
         #define AS_EDGE(value) ((Edge){read})\n\n{HISTOGRAM}"
    )
}

impl Histograms {
    pub fn new(place: Place) -> Histograms {
        Histograms { place, modules: Default::default() }
    }

    fn loaded(&self, values: DType, edges: Option<DType>) -> Result<&Loaded<2>> {
        let unsupported = |dtype| Error::unsupported(self.place.primary.backend, format!("a histogram of {dtype}"));
        let at = match edges {
            None => EDGES.len(),
            Some(dtype) => EDGES.iter().position(|&known| known == dtype).ok_or_else(|| unsupported(dtype))?,
        };
        if values.is_complex() || (edges.is_none() && values.is_inexact()) {
            return Err(unsupported(values));
        }
        self.place.primary.enter(self.place.driver)?;
        self.modules[values as usize][at]
            .get_or_try_init(|| self.place.load("histogram", &text(values, edges), ["histogram", "histogram_ranges"]))
    }
}

impl Binning for Histograms {
    unsafe fn histogram(&self, stream: &dyn Stream, histogram: &Histogram) -> Result<()> {
        let Histogram { dtype, values, count, bins, edges, counts } = *histogram;
        if count == 0 {
            return Ok(());
        }
        let loaded = self.loaded(dtype, edges.map(|edges| edges.dtype))?;
        let mut argument = Argument {
            values,
            count: count as u64,
            bins: bins as u64,
            edges: edges.map_or(0, |edges| edges.ptr),
            uniform: u64::from(edges.is_some_and(|edges| edges.uniform)),
            counts,
            copies: (SLOTS / bins).min(COPIES) as u64,
        };
        let room = (self.place.block_memory - RESERVED) / 4;
        let ranges = bins.div_ceil(room);
        if edges.is_none() && bins > SLOTS && ranges <= RANGES && count / FILL >= bins {
            argument.copies = ranges as u64;
            let slices = (self.place.processors as usize / ranges).max(1);
            let memory = 4 * bins.div_ceil(ranges);
            // SAFETY: the caller's promise.
            return unsafe {
                self.place.launch_with(stream.raw(), loaded.functions[1], slices * ranges, WIDE, memory, &argument)
            };
        }
        let blocks = count.div_ceil(THREADS * 16).clamp(1, 4 * self.place.processors as usize);
        // SAFETY: the caller's promise.
        unsafe { self.place.launch(stream.raw(), loaded.functions[0], blocks, THREADS, &argument) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler;

    #[test]
    fn types_of_every_kind_compile() {
        for values in [DType::Bool, DType::I16, DType::U64, DType::F16, DType::BF16, DType::F64] {
            let whole = (!values.is_inexact()).then_some(None);
            for edges in EDGES.into_iter().map(Some).chain(whole) {
                compiler::tests::compiles_everywhere("histogram", &text(values, edges));
            }
        }
    }
}
