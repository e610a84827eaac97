//! The hand-written kernels: sorting, selecting by flags, counting by bins, joining.

mod histogram;
mod join;
mod select;
mod sort;

use std::ffi::c_void;
use std::sync::Arc;

use cuproxide_hal::libraries::{Binning, Compaction, Joining, Primitives, Sort};
use cuproxide_hal::{DType, Error, Result, Stream};

use crate::api::driver::Driver;
use crate::compiler::{Architecture, Request, Target};
use crate::context::Primary;
use crate::kernel::Module;

/// Where kernels of a device are compiled and launched.
#[derive(Clone, Copy)]
struct Place {
    driver: &'static Driver,
    primary: Primary,
    architecture: Architecture,
    processors: u32,
}

/// The texts worth precompiling, by name: all but those for more than four billion elements.
pub(crate) fn texts() -> Vec<(&'static str, String)> {
    let mut texts = vec![("select", select::text()), ("join", join::text())];
    texts.extend(DType::ALL.map(|dtype| ("sort", sort::text(dtype, false))));
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
    /// Compiles a text, or takes it from the cache on disk.
    fn load<const COUNT: usize>(&self, name: &str, text: &str, entries: [&str; COUNT]) -> Result<Loaded<COUNT>> {
        let request = Request::generated(name, text, Target::device(self.architecture));
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
        let Ok(grid) = u32::try_from(blocks) else {
            return Err(Error::unsupported("cuda", format!("a launch of {blocks} blocks")));
        };
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
                0,
                stream,
                parameters.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        }
    }
}

/// The hand-written kernels of one device; each text is compiled on first use.
pub(crate) struct CudaPrimitives {
    sort: sort::Sorter,
    select: select::Selector,
    histogram: histogram::Histograms,
    join: join::Joiner,
}

impl CudaPrimitives {
    pub fn new(
        driver: &'static Driver,
        primary: Primary,
        architecture: Architecture,
        processors: u32,
    ) -> CudaPrimitives {
        let place = Place { driver, primary, architecture, processors };
        CudaPrimitives {
            sort: sort::Sorter::new(place),
            select: select::Selector::new(place),
            histogram: histogram::Histograms::new(place),
            join: join::Joiner::new(place),
        }
    }
}

impl Primitives for CudaPrimitives {
    fn sort_scratch_bytes(&self, sort: &Sort) -> usize {
        self.sort.scratch_bytes(sort)
    }

    unsafe fn sort(&self, stream: &dyn Stream, sort: &Sort) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.sort.sort(stream, sort) }
    }

    fn compaction(&self) -> Option<&dyn Compaction> {
        Some(&self.select)
    }

    fn binning(&self) -> Option<&dyn Binning> {
        Some(&self.histogram)
    }

    fn joining(&self) -> Option<&dyn Joining> {
        Some(&self.join)
    }
}
