//! Kernels that the user wrote as text: C++ by the host's compiler.

use std::sync::Arc;

use cuproxide_hal::{FunctionAttribute, Module, RawFunction, RawLaunch, Result, Stream};
use cuproxide_simt::{Function, Library, Pool};

use crate::{graph, pool};

/// The backend's own threads.
struct Threads;

impl Pool for Threads {
    fn threads(&self) -> usize {
        pool::threads()
    }

    fn run(&self, tasks: usize, body: &(dyn Fn(usize) + Sync)) {
        pool::run(tasks, body);
    }
}

/// A compiled text.
pub struct CpuModule(pub Arc<Library>);

struct CpuFunction(Arc<Function>);

/// A launch that a graph repeats, with the values of its parameters, aligned to 16 bytes.
struct Recorded {
    function: Arc<Function>,
    geometry: RawLaunch,
    values: Vec<Vec<u128>>,
}

impl Recorded {
    /// Copies what a launch needs.
    ///
    /// # Safety
    /// The parameters fit the kernel's signature.
    unsafe fn new(function: Arc<Function>, geometry: RawLaunch, parameters: &[*mut u8]) -> Result<Recorded> {
        function.check(geometry)?;
        let copy = |(&size, &from): (&usize, &*mut u8)| {
            let mut value = vec![0_u128; size.div_ceil(size_of::<u128>())];
            // SAFETY: the caller's promise; the copy is large enough.
            unsafe { std::ptr::copy_nonoverlapping(from, value.as_mut_ptr().cast(), size) };
            value
        };
        let values = function.parameters().iter().zip(parameters).map(copy).collect();
        Ok(Recorded { function, geometry, values })
    }

    fn run(&self) -> Result<()> {
        let mut values = self.values.clone();
        let mut parameters: Vec<*mut u8> = values.iter_mut().map(|value| value.as_mut_ptr().cast()).collect();
        // SAFETY: the parameters were those of a launch.
        unsafe { self.function.launch(self.geometry, &mut parameters, &Threads) }
    }
}

impl Module for CpuModule {
    fn function(&self, name: &str) -> Result<Arc<dyn RawFunction>> {
        Ok(Arc::new(CpuFunction(Arc::new(self.0.function(name)?))))
    }

    fn global(&self, name: &str) -> Result<(u64, usize)> {
        self.0.global(name)
    }

    fn warnings(&self) -> &[String] {
        self.0.warnings()
    }
}

impl RawFunction for CpuFunction {
    unsafe fn launch(&self, stream: &dyn Stream, geometry: RawLaunch, parameters: &mut [*mut u8]) -> Result<()> {
        // A wrong number of parameters is refused by the launch itself.
        if graph::capture_of(stream).is_none() || parameters.len() != self.0.parameters().len() {
            // SAFETY: the caller's promise.
            return unsafe { self.0.launch(geometry, parameters, &Threads) };
        }
        // SAFETY: as above.
        let recorded = unsafe { Recorded::new(self.0.clone(), geometry, parameters)? };
        graph::run_or_record(stream, "kernel", move || recorded.run())
    }

    fn parameters(&self) -> Option<&[usize]> {
        Some(self.0.parameters())
    }

    fn attribute(&self, which: FunctionAttribute) -> Result<i64> {
        Ok(self.0.attribute(which))
    }

    fn set_attribute(&self, which: FunctionAttribute, value: i64) -> Result<()> {
        self.0.set_attribute(which, value)
    }
}
