//! Kernels that the user wrote as text: C++ by the host's compiler.

use std::sync::Arc;

use cuproxide_cxx::{Function, Library, Pool};
use cuproxide_hal::{FunctionAttribute, Module, RawFunction, RawLaunch, Result, Stream};

use crate::pool;

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

struct CpuFunction(Function);

impl Module for CpuModule {
    fn function(&self, name: &str) -> Result<Arc<dyn RawFunction>> {
        Ok(Arc::new(CpuFunction(self.0.function(name)?)))
    }

    fn global(&self, name: &str) -> Result<(u64, usize)> {
        self.0.global(name)
    }
}

impl RawFunction for CpuFunction {
    unsafe fn launch(&self, _stream: &dyn Stream, geometry: RawLaunch, parameters: &mut [*mut u8]) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.0.launch(geometry, parameters, &Threads) }
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
