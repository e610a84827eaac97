//! Where kernels are compiled and launched, and what was loaded there.

use std::ffi::c_void;
use std::sync::Arc;

use cuproxide_hal::{Error, FunctionAttribute, Result};

use crate::api::driver::Driver;
use crate::compiler::Request;
use crate::context::Primary;
use crate::kernel::{Module, SHARED_WITHOUT_ASKING};
use crate::target::Target;
use crate::vendor::Vendor;

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

/// The functions of one text.
pub(super) struct Loaded<const COUNT: usize> {
    /// Keeps the functions alive.
    pub(super) _module: Arc<Module>,
    pub(super) functions: [u64; COUNT],
}

impl Place {
    /// Compiles a text, which has no prelude yet, or takes it from the cache on disk.
    pub(super) fn load<const COUNT: usize>(
        &self,
        name: &str,
        text: &str,
        entries: [&str; COUNT],
    ) -> Result<Loaded<COUNT>> {
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
    pub(super) unsafe fn launch<T>(
        &self,
        stream: u64,
        function: u64,
        blocks: usize,
        threads: usize,
        argument: &T,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.launch_with(stream, function, blocks, threads, 0, argument) }
    }

    /// Queues a function whose blocks ask for `memory` bytes besides what they declare.
    ///
    /// # Safety
    /// As for [`Place::launch`].
    pub(super) unsafe fn launch_with<T>(
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
