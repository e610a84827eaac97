//! The hand-written kernels: sorting, searching, selecting by flags, counting by bins, joining,
//! ranks in windows.

mod distinct;
mod histogram;
mod join;
mod ranks;
mod search;
mod select;
mod sort;
mod words;

use std::ffi::c_void;
use std::sync::Arc;

use cuproxide_hal::libraries::{Libraries, Library};
use cuproxide_hal::{DType, Error, FunctionAttribute, Result};

use crate::api::driver::Driver;
use crate::compiler::Request;
use crate::context::Primary;
use crate::kernel::{Module, SHARED_WITHOUT_ASKING};
use crate::target::Target;
use crate::vendor::Vendor;

pub(crate) use words::Words;

/// Where kernels of a device are compiled and launched.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub vendor: &'static Vendor,
    pub driver: &'static Driver,
    pub primary: Primary,
    pub target: Target,
    pub processors: u32,
    /// Bytes of memory that a block may ask for.
    pub block_memory: usize,
}

/// The texts worth precompiling, by name, without the dialect's prelude: all but those for more than four billion elements.
pub(crate) fn texts() -> Vec<(&'static str, String)> {
    let mut texts =
        vec![("select", select::text()), ("join", join::text()), ("ranks", ranks::text()), ("philox", words::text())];
    texts.extend(DType::ALL.map(|dtype| ("sort", sort::text(dtype, false, None))));
    // Indices of 32 bits with elements: what sparse arrays carry along.
    texts.extend([4, 8].map(|size| ("sort", sort::text(DType::I32, false, Some([4, size])))));
    let searched = [DType::I32, DType::I64, DType::F32, DType::F64];
    texts.extend(searched.map(|dtype| ("search", search::text(dtype))));
    texts.extend(searched.map(|dtype| ("distinct", distinct::text(dtype))));
    texts.extend([DType::I32, DType::I64].map(|dtype| ("histogram", histogram::text(dtype, None))));
    texts.extend([DType::F32, DType::F64].map(|dtype| ("histogram", histogram::text(dtype, Some(dtype)))));
    texts
}

/// The functions of one text.
struct Loaded<const COUNT: usize> {
    /// Keeps the functions alive.
    _module: Arc<Module>,
    functions: [u64; COUNT],
}

impl Place {
    /// Compiles a text, which has no prelude yet, or takes it from the cache on disk.
    fn load<const COUNT: usize>(&self, name: &str, text: &str, entries: [&str; COUNT]) -> Result<Loaded<COUNT>> {
        let text = self.vendor.complete(self.target, text);
        let request = Request::generated(self.vendor, name, &text, self.target);
        let module = Module::compiled(self.driver, self.primary, &request)?;
        let mut functions = [0; COUNT];
        for (function, name) in functions.iter_mut().zip(entries) {
            *function = module.handle(name)?;
        }
        Ok(Loaded { _module: module, functions })
    }

    /// Queues a function.
    ///
    /// # Safety
    /// `argument` has the layout of the function's one parameter, and its addresses are good for what it does.
    unsafe fn launch<T>(&self, stream: u64, function: u64, blocks: usize, threads: usize, argument: &T) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.launch_with(stream, function, blocks, threads, 0, argument) }
    }

    /// Queues a function whose blocks ask for `memory` bytes besides what they declare.
    ///
    /// # Safety
    /// As for [`Place::launch`].
    unsafe fn launch_with<T>(
        &self,
        stream: u64,
        function: u64,
        blocks: usize,
        threads: usize,
        memory: usize,
        argument: &T,
    ) -> Result<()> {
        let Ok(grid) = u32::try_from(blocks) else {
            return Err(Error::unsupported(self.primary.backend, format!("a launch of {blocks} blocks")));
        };
        if memory > SHARED_WITHOUT_ASKING {
            let which = FunctionAttribute::MaxDynamicSharedSizeBytes as i32;
            // SAFETY: an attribute and its value; the driver checks both.
            unsafe { self.driver.function_set(function, which, memory as i32) }?;
        }
        let mut parameters = [std::ptr::from_ref(argument).cast_mut().cast::<c_void>()];
        // SAFETY: the caller's promise; the driver only reads the argument.
        unsafe {
            self.driver.launch(
                function,
                grid,
                1,
                1,
                threads as u32,
                1,
                1,
                memory as u32,
                stream,
                parameters.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        }
    }
}

/// The hand-written kernels of one device in its table of libraries; each text is compiled on first use.
pub(crate) fn installed(place: Place, others: Libraries) -> Libraries {
    Libraries {
        sorting: Library::ready(Arc::new(sort::Sorter::new(place))),
        compaction: Library::ready(Arc::new(select::Selector::new(place))),
        binning: Library::ready(Arc::new(histogram::Histograms::new(place))),
        joining: Library::ready(Arc::new(join::Joiner::new(place))),
        searching: Library::ready(Arc::new(search::Searcher::new(place))),
        distinct: Library::ready(Arc::new(distinct::Distincts::new(place))),
        ranking: Library::ready(Arc::new(ranks::Ranker::new(place))),
        ..others
    }
}
