//! Kernels and functions whose launches may fail.

use std::sync::Arc;

use cuproxide_hal::{CompiledKernel, FunctionAttribute, Launch, Module, RawFunction, RawLaunch, Result, Stream};

use crate::injector::Guard;
use crate::plan::Site;

/// A kernel in front of another.
pub(crate) struct FaultyKernel {
    pub(crate) inner: Arc<dyn CompiledKernel>,
    pub(crate) guard: Guard,
}

impl CompiledKernel for FaultyKernel {
    fn scratch_bytes(&self, launch: &Launch<'_>) -> usize {
        self.inner.scratch_bytes(launch)
    }

    unsafe fn launch(&self, stream: &dyn Stream, launch: &Launch<'_>) -> Result<()> {
        self.guard.pass(Site::Launch, "CompiledKernel::launch")?;
        // SAFETY: the caller's promise is passed on.
        unsafe { self.inner.launch(stream, launch) }
    }
}

/// Compiled text in front of another.
pub(crate) struct FaultyModule {
    pub(crate) inner: Arc<dyn Module>,
    pub(crate) guard: Guard,
}

impl Module for FaultyModule {
    fn function(&self, name: &str) -> Result<Arc<dyn RawFunction>> {
        self.guard.alive()?;
        Ok(Arc::new(FaultyFunction { inner: self.inner.function(name)?, guard: self.guard.clone() }))
    }

    fn global(&self, name: &str) -> Result<(u64, usize)> {
        self.guard.alive()?;
        self.inner.global(name)
    }

    fn warnings(&self) -> &[String] {
        self.inner.warnings()
    }
}

struct FaultyFunction {
    inner: Arc<dyn RawFunction>,
    guard: Guard,
}

impl RawFunction for FaultyFunction {
    unsafe fn launch(&self, stream: &dyn Stream, geometry: RawLaunch, parameters: &mut [*mut u8]) -> Result<()> {
        self.guard.pass(Site::Launch, "RawFunction::launch")?;
        // SAFETY: the caller's promise is passed on.
        unsafe { self.inner.launch(stream, geometry, parameters) }
    }

    fn parameters(&self) -> Option<&[usize]> {
        self.inner.parameters()
    }

    fn attribute(&self, which: FunctionAttribute) -> Result<i64> {
        self.guard.alive()?;
        self.inner.attribute(which)
    }

    fn set_attribute(&self, which: FunctionAttribute, value: i64) -> Result<()> {
        self.guard.alive()?;
        self.inner.set_attribute(which, value)
    }
}
