//! Searching sorted arrays.

use cuproxide_hal::libraries::{Search, Searching};
use cuproxide_hal::{DType, Error, Kind, Result, Stream};
use cuproxide_kernels_cuda::{SEARCH, WARP};
use once_cell::sync::OnceCell;

use super::place::{Loaded, Place};
use super::widening::widened;

const THREADS: usize = 256;
/// Values that a thread looks for at a time.
const AT_ONCE: usize = 8;
/// Bytes of the tree in a block's memory.
const TREE: usize = 16384;
/// Blocks of a multiprocessor.
const RESIDENT: usize = 8;

pub(super) struct Searcher {
    place: Place,
    modules: [OnceCell<Loaded<1>>; DType::ALL.len()],
}

/// The kernel's argument, as `struct Search` of the text lays it out.
#[repr(C)]
struct Argument {
    sorted: u64,
    length: u64,
    values: u64,
    count: u64,
    out: u64,
    levels: u64,
    step: u64,
    right: u64,
}

/// The text for a real element type.
pub(super) fn text(dtype: DType) -> String {
    let bits = 8 * dtype.size();
    // Floats compare as whole numbers once negative ones are turned round, both zeros are one and so are all NaN.
    let floating = |key: usize, plain: &str| {
        let number = if key == 64 { "f64" } else { "f32" };
        format!(
            "    const {number} number = {plain};\n    if (number != number) return ~(Key)0;\n    \
             const Key bits = bitcast<Key>(number + 0);\n    \
             return bits >> {} ? ~bits : bits | (Key)1 << {};\n",
            key - 1,
            key - 1
        )
    };
    let (value, key, body) = match (dtype, dtype.kind()) {
        (narrow, _) if narrow.is_narrow() => {
            (narrow.info().machine_name.to_owned(), 32, floating(32, &widened(narrow, "value")))
        }
        (_, Kind::Float) => (format!("f{bits}"), bits, floating(bits, "value")),
        (_, Kind::Signed) => {
            let key = bits.max(32);
            (format!("i{bits}"), key, format!("    return (Key)value ^ (Key)1 << {};\n", key - 1))
        }
        (_, Kind::Bool) => ("u8".to_owned(), 32, "    return value != 0;\n".to_owned()),
        _ => (format!("u{bits}"), bits.max(32), "    return (Key)value;\n".to_owned()),
    };
    format!(
        "{WARP}\ntypedef {value} Value;\ntypedef u{key} Key;\n\
         DEVICE Key key_of(Value value) {{\n{body}}}\n\n{SEARCH}"
    )
}

impl Searcher {
    pub fn new(place: Place) -> Searcher {
        Searcher { place, modules: Default::default() }
    }
}

impl Searching for Searcher {
    unsafe fn search(&self, stream: &dyn Stream, search: &Search) -> Result<()> {
        let Search { dtype, sorted, length, values, count, right, out } = *search;
        if dtype.is_complex() {
            return Err(Error::unsupported(self.place.primary.backend, format!("a search of {dtype}")));
        }
        if count == 0 {
            return Ok(());
        }
        self.place.primary.enter(self.place.driver)?;
        let loaded =
            self.modules[dtype as usize].get_or_try_init(|| self.place.load("search", &text(dtype), ["search"]))?;
        let nodes = TREE / dtype.size().max(4);
        let levels = (length + 1).next_power_of_two().min(nodes).trailing_zeros();
        let step = (length + 1).div_ceil(1 << levels).max(1);
        let argument = Argument {
            sorted,
            length: length as u64,
            values,
            count: count as u64,
            out,
            levels: levels.into(),
            step: step as u64,
            right: right.into(),
        };
        let blocks = count.div_ceil(THREADS * AT_ONCE).clamp(1, RESIDENT * self.place.processors as usize);
        // SAFETY: the caller's promise.
        unsafe { self.place.launch(stream.raw(), loaded.functions[0], blocks, THREADS, &argument) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler;

    #[test]
    fn every_real_type_compiles() {
        for dtype in DType::ALL.into_iter().filter(|dtype| !dtype.is_complex()) {
            compiler::tests::compiles_everywhere("search", &text(dtype));
        }
    }
}
