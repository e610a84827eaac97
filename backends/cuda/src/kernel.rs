//! Loaded machine code: generated kernels and the user's own.

use std::ffi::{CString, c_void};
use std::sync::{Arc, Weak};

use cuproxide_cpp::{Program, THREADS};
use cuproxide_hal as hal;
use cuproxide_hal::{Error, Launch, RawLaunch, Result};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::api::driver::Driver;
use crate::cache::Key;
use crate::compiler::Request;
use crate::context::Primary;

/// A module in the device's memory.
pub(crate) struct Module {
    pub driver: &'static Driver,
    pub primary: Primary,
    raw: u64,
}

impl Module {
    /// Loads machine code or PTX.
    pub fn load(driver: &'static Driver, primary: Primary, image: &[u8]) -> Result<Arc<Module>> {
        primary.enter(driver)?;
        let mut raw = 0;
        // SAFETY: the image came from the compiler, which ends PTX with a zero byte; cubins state their own size.
        unsafe { driver.module_load(&mut raw, image.as_ptr().cast()) }?;
        Ok(Arc::new(Module { driver, primary, raw }))
    }

    /// The handle of a function.
    pub fn handle(&self, name: &str) -> Result<u64> {
        self.primary.enter(self.driver)?;
        let mut function = 0;
        // SAFETY: the name is terminated; the driver writes one handle.
        unsafe { self.driver.module_function(&mut function, self.raw, terminated(name)?.as_ptr()) }?;
        Ok(function)
    }

    /// Blocks of `threads` that one multiprocessor runs at a time.
    pub fn residency(&self, function: u64, threads: usize) -> Result<usize> {
        let mut blocks = 0;
        // SAFETY: the function belongs to this module; the driver writes one integer.
        unsafe { self.driver.occupancy(&mut blocks, function, threads as i32, 0) }?;
        Ok(blocks.max(1) as usize)
    }
}

/// The modules of a device that are in use, so that equal texts share one.
#[derive(Default)]
pub(crate) struct Modules(Mutex<FxHashMap<Key, Weak<Module>>>);

impl Modules {
    /// The module of a request, loaded if it is not.
    pub fn get(&self, driver: &'static Driver, primary: Primary, request: &Request<'_>) -> Result<Arc<Module>> {
        if let Some(module) = self.0.lock().get(&request.key).and_then(Weak::upgrade) {
            return Ok(module);
        }
        // Compiled without the lock; should another thread do the same meanwhile, both modules are right.
        let module = Module::load(driver, primary, &request.image()?)?;
        let mut modules = self.0.lock();
        modules.retain(|_, module| module.strong_count() > 0);
        modules.insert(request.key, Arc::downgrade(&module));
        Ok(module)
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if self.primary.enter(self.driver).is_ok() {
            // SAFETY: no function of the module is used any more: each holds the module.
            let _ = unsafe { self.driver.module_unload(self.raw) };
        }
    }
}

fn terminated(name: &str) -> Result<CString> {
    CString::new(name).map_err(|_| Error::unsupported("cuda", format!("a symbol named {name:?}")))
}

/// A generated kernel.
pub(crate) struct Kernel {
    module: Arc<Module>,
    program: Program,
    functions: [u64; 3],
    /// Blocks that the whole device runs at a time.
    residency: usize,
    fault: u64,
}

impl Kernel {
    pub fn new(module: Arc<Module>, program: Program, processors: u32, fault: u64) -> Result<Kernel> {
        let mut functions = [0; 3];
        for (function, name) in functions.iter_mut().zip(program.entries()) {
            *function = module.handle(name)?;
        }
        let residency = module.residency(functions[0], THREADS)? * processors as usize;
        Ok(Kernel { module, program, functions, residency, fault })
    }
}

impl hal::CompiledKernel for Kernel {
    fn scratch_bytes(&self, launch: &Launch<'_>) -> usize {
        self.program.scratch_bytes(launch, self.residency)
    }

    unsafe fn launch(&self, stream: &dyn hal::Stream, launch: &Launch<'_>) -> Result<()> {
        let driver = self.module.driver;
        self.module.primary.enter(driver)?;
        let mut plan = self.program.plan(launch, self.fault, self.residency);
        let mut parameters = [plan.words.as_mut_ptr().cast::<c_void>()];
        for step in plan.steps() {
            let Ok(grid) = u32::try_from(step.grid) else {
                return Err(Error::unsupported("cuda", format!("a launch of {} blocks", step.grid)));
            };
            let function = self.functions[step.entry];
            // SAFETY: the argument has the layout that the text declares; its addresses are the caller's promise.
            unsafe {
                driver.launch(
                    function,
                    grid,
                    1,
                    1,
                    step.block,
                    1,
                    1,
                    0,
                    stream.raw(),
                    parameters.as_mut_ptr(),
                    std::ptr::null_mut(),
                )?;
            }
        }
        Ok(())
    }
}

/// A module that was compiled from the user's text.
pub(crate) struct UserModule(pub Arc<Module>);

struct UserFunction {
    module: Arc<Module>,
    function: u64,
}

const MAX_DYNAMIC_SHARED_SIZE_BYTES: i32 = 8;
/// Dynamic shared memory that every function may use without asking.
const SHARED_WITHOUT_ASKING: u32 = 48 * 1024;

impl hal::Module for UserModule {
    fn function(&self, name: &str) -> Result<Arc<dyn hal::RawFunction>> {
        let function = self.0.handle(name)?;
        Ok(Arc::new(UserFunction { module: self.0.clone(), function }))
    }

    fn global(&self, name: &str) -> Result<(u64, usize)> {
        self.0.primary.enter(self.0.driver)?;
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: the name is terminated; the driver writes an address and a size.
        unsafe { self.0.driver.module_global(&mut address, &mut bytes, self.0.raw, terminated(name)?.as_ptr()) }?;
        Ok((address, bytes))
    }
}

impl hal::RawFunction for UserFunction {
    unsafe fn launch(&self, stream: &dyn hal::Stream, geometry: RawLaunch, parameters: &mut [*mut u8]) -> Result<()> {
        let driver = self.module.driver;
        self.module.primary.enter(driver)?;
        let RawLaunch { grid, block, shared } = geometry;
        // SAFETY: the caller promises parameters that fit the function and outlive the call.
        unsafe {
            if shared > SHARED_WITHOUT_ASKING {
                driver.function_set(self.function, MAX_DYNAMIC_SHARED_SIZE_BYTES, shared as i32)?;
            }
            driver.launch(
                self.function,
                grid[0],
                grid[1],
                grid[2],
                block[0],
                block[1],
                block[2],
                shared,
                stream.raw(),
                parameters.as_mut_ptr().cast(),
                std::ptr::null_mut(),
            )
        }
    }
}
