//! Loaded machine code: generated kernels and the user's own.

use std::ffi::{CString, c_void};
use std::sync::{Arc, Weak};

use cuproxide_codegen::cache::Key;
use cuproxide_codegen::{Program, THREADS};
use cuproxide_hal as hal;
use cuproxide_hal::{Error, FunctionAttribute, Launch, RawLaunch, Result};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::api::driver::{Driver, OUT_OF_MEMORY};
use crate::compiler::Request;
use crate::context::Primary;
use crate::graph::{self, Unrestricted};
use crate::unfinished;

/// How far to go for machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Means {
    /// Only what was compiled earlier.
    Ready,
    /// Also the run-time compiler.
    Compiler,
}

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
        let _capturing = Unrestricted::enter(driver);
        let mut raw = 0;
        // SAFETY: the image came from the compiler, which ends PTX with a zero byte; cubins state their own size.
        unsafe { driver.module_load(&mut raw, image.as_ptr().cast()) }?;
        Ok(Arc::new(Module { driver, primary, raw }))
    }

    /// Loads what a request stands for. `None` if nothing is ready that the driver takes and `means` forbids to compile.
    pub fn make(
        driver: &'static Driver,
        primary: Primary,
        request: &Request<'_>,
        means: Means,
    ) -> Result<Option<Arc<Module>>> {
        for image in request.ready() {
            match Module::load(driver, primary, &image) {
                Err(Error::Call { code, name, .. }) if code != OUT_OF_MEMORY => {
                    tracing::info!(status = name, "the driver does not take machine code that was compiled earlier");
                }
                loaded => return loaded.map(Some),
            }
        }
        match means {
            Means::Ready => Ok(None),
            Means::Compiler => Module::load(driver, primary, &request.compile()?).map(Some),
        }
    }

    /// The module of a request, compiled if nothing is ready.
    pub fn compiled(driver: &'static Driver, primary: Primary, request: &Request<'_>) -> Result<Arc<Module>> {
        Ok(Module::make(driver, primary, request, Means::Compiler)?.expect("a compiler makes a module or fails"))
    }

    /// The handle of a function.
    pub fn handle(&self, name: &str) -> Result<u64> {
        self.primary.enter(self.driver)?;
        let mut function = 0;
        // SAFETY: the name is terminated; the driver writes one handle.
        unsafe { self.driver.module_function(&mut function, self.raw, terminated(self.primary, name)?.as_ptr()) }?;
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
    /// The module of a request, loaded if it is not, and made as `means` allows.
    pub fn get(
        &self,
        driver: &'static Driver,
        primary: Primary,
        request: &Request<'_>,
        means: Means,
    ) -> Result<Option<Arc<Module>>> {
        if let Some(module) = self.0.lock().get(&request.key).and_then(Weak::upgrade) {
            return Ok(Some(module));
        }
        // Made without the lock; should another thread do the same meanwhile, both modules are right.
        let Some(module) = Module::make(driver, primary, request, means)? else { return Ok(None) };
        let mut modules = self.0.lock();
        modules.retain(|_, module| module.strong_count() > 0);
        modules.insert(request.key, Arc::downgrade(&module));
        Ok(Some(module))
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

fn terminated(primary: Primary, name: &str) -> Result<CString> {
    CString::new(name).map_err(|_| Error::unsupported(primary.backend, format!("a symbol named {name:?}")))
}

/// Blocks of a fold that a multiprocessor is expected to run at a time.
const FOLD_BLOCKS: usize = 4;

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
        let blocks = match program.is_fold() {
            // How a sum is split must not depend on what else its kernel computes.
            true => FOLD_BLOCKS,
            false => module.residency(functions[0], THREADS)?,
        };
        let residency = blocks * processors as usize;
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
        graph::keep_module(self.module.driver, stream.raw(), &self.module)?;
        for step in plan.steps() {
            let Ok(grid) = u32::try_from(step.grid) else {
                return Err(Error::unsupported(
                    self.module.primary.backend,
                    format!("a launch of {} blocks", step.grid),
                ));
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
                    step.shared,
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
pub(crate) struct UserModule {
    pub module: Arc<Module>,
    pub name: String,
    /// Expressions of templates with their mangled names.
    pub names: Vec<(String, String)>,
    /// What may surprise who wrote the text.
    pub warnings: Vec<String>,
}

struct UserFunction {
    module: Arc<Module>,
    name: Arc<str>,
    function: u64,
    sizes: Option<Vec<usize>>,
}

/// Dynamic shared memory that every function may use without asking.
pub(crate) const SHARED_WITHOUT_ASKING: usize = 48 * 1024;
/// Status: no function or variable has the name.
const NOT_FOUND: i64 = 500;

impl UserModule {
    fn mangled<'n>(&'n self, name: &'n str) -> &'n str {
        self.names.iter().find(|(expression, _)| expression == name).map_or(name, |(_, mangled)| mangled)
    }

    fn named<T>(&self, found: Result<T>, what: &'static str, name: &str) -> Result<T> {
        found.map_err(|error| match error {
            Error::Call { code: NOT_FOUND, .. } => {
                Error::NoSuchSymbol { module: self.name.clone(), what, name: name.to_owned() }
            }
            other => other,
        })
    }
}

impl hal::Module for UserModule {
    fn function(&self, name: &str) -> Result<Arc<dyn hal::RawFunction>> {
        let function = self.named(self.module.handle(self.mangled(name)), "function", name)?;
        let sizes = parameter_sizes(self.module.driver, function);
        Ok(Arc::new(UserFunction { module: self.module.clone(), name: name.into(), function, sizes }))
    }

    fn global(&self, name: &str) -> Result<(u64, usize)> {
        let Module { driver, primary, raw } = &*self.module;
        primary.enter(driver)?;
        let (mut address, mut bytes) = (0, 0);
        let symbol = terminated(*primary, self.mangled(name))?;
        // SAFETY: the name is terminated; the driver writes an address and a size.
        let found = unsafe { driver.module_global(&mut address, &mut bytes, *raw, symbol.as_ptr()) };
        self.named(found, "variable", name)?;
        Ok((address, bytes))
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// Sizes of a function's parameters, from drivers that tell.
fn parameter_sizes(driver: &Driver, function: u64) -> Option<Vec<usize>> {
    driver.function_parameter?;
    let mut count = usize::MAX;
    if driver.function_parameter_count.is_some() {
        // SAFETY: the driver writes one integer.
        unsafe { driver.function_parameter_count(function, &mut count) }.ok()?;
    }
    let mut sizes = vec![];
    let (mut offset, mut bytes) = (0, 0);
    // Drivers before 13.2 do not tell how many there are, and fail for the number after the last.
    for index in 0..count {
        // SAFETY: the driver writes two integers.
        if unsafe { driver.function_parameter(function, index, &mut offset, &mut bytes) }.is_err() {
            break;
        }
        sizes.push(bytes);
    }
    Some(sizes)
}

impl UserFunction {
    /// Failures that leave the device whole name the kernel; it did not lose a device that is lost before it runs.
    fn explained(&self, outcome: Result<()>) -> Result<()> {
        outcome.map_err(|error| match error {
            Error::Call { .. } => self.refused(error.to_string()),
            other => other,
        })
    }

    fn refused(&self, reason: String) -> Error {
        Error::Kernel { kernel: self.name.to_string(), reason }
    }
}

impl hal::RawFunction for UserFunction {
    unsafe fn launch(&self, stream: &dyn hal::Stream, geometry: RawLaunch, parameters: &mut [*mut u8]) -> Result<()> {
        let driver = self.module.driver;
        self.module.primary.enter(driver)?;
        if let Some(sizes) = &self.sizes
            && sizes.len() != parameters.len()
        {
            return Err(self.refused(format!("takes {} arguments, {} were given", sizes.len(), parameters.len())));
        }
        let RawLaunch { grid, block, shared, cooperative } = geometry;
        let parameters = parameters.as_mut_ptr().cast();
        let (function, [gx, gy, gz], [bx, by, bz], raw) = (self.function, grid, block, stream.raw());
        graph::keep_module(self.module.driver, raw, &self.module)?;
        // SAFETY: the caller promises parameters that fit the function and outlive the call.
        self.explained(unsafe {
            if cooperative {
                driver.launch_cooperative(function, gx, gy, gz, bx, by, bz, shared, raw, parameters)
            } else {
                let extra = std::ptr::null_mut();
                driver.launch(function, gx, gy, gz, bx, by, bz, shared, raw, parameters, extra)
            }
        })?;
        unfinished::launched(self.module.primary.id(), stream.id(), &self.name);
        Ok(())
    }

    fn parameters(&self) -> Option<&[usize]> {
        self.sizes.as_deref()
    }

    fn attribute(&self, which: FunctionAttribute) -> Result<i64> {
        self.module.primary.enter(self.module.driver)?;
        let mut value = 0;
        // SAFETY: the driver writes one integer.
        unsafe { self.module.driver.function_get(&mut value, which as i32, self.function) }?;
        let value = i64::from(value);
        // Drivers differ in what they say of a function that was not asked about yet.
        let unset = which == FunctionAttribute::MaxDynamicSharedSizeBytes && value <= 0;
        Ok(if unset { SHARED_WITHOUT_ASKING as i64 } else { value })
    }

    fn set_attribute(&self, which: FunctionAttribute, value: i64) -> Result<()> {
        self.module.primary.enter(self.module.driver)?;
        // SAFETY: an attribute and its value; the driver checks both.
        self.explained(unsafe { self.module.driver.function_set(self.function, which as i32, value as i32) })
    }
}
