//! Kernels that check how they are launched and do nothing else.

use std::sync::Arc;

use cuproxide_hal::ir::{Kernel, Mode};
use cuproxide_hal::{
    CompiledKernel, Error, Launch, MAX_DIMS, Module, Operand, RawFunction, RawLaunch, Result, Specialization, Stream,
};

use crate::core::Core;
use crate::name::NAME;
use crate::recorder::Call;

/// A kernel of the IR.
pub(crate) struct NoopKernel {
    pub(crate) core: Arc<Core>,
    pub(crate) kernel: Kernel,
    pub(crate) specialization: Specialization,
}

impl CompiledKernel for NoopKernel {
    unsafe fn launch(&self, stream: &dyn Stream, launch: &Launch<'_>) -> Result<()> {
        let stream = self.core.stream("launch", stream)?;
        if let Err(message) = self.check(launch) {
            return self.core.violation("launch", format!("kernel {}: {message}", self.kernel.name));
        }
        self.core.record(
            stream,
            Call::Launch {
                kernel: self.kernel.name.clone(),
                outer: launch.outer.to_vec(),
                inner: launch.inner.to_vec(),
            },
        );
        Ok(())
    }
}

impl NoopKernel {
    /// Checks the part of the contract that can be seen from outside: everything but gathered and scattered addresses.
    fn check(&self, launch: &Launch<'_>) -> Result<(), String> {
        let kernel = &self.kernel;
        let dims = launch.outer.len() + launch.inner.len();
        if dims > MAX_DIMS || launch.outer.contains(&0) {
            return Err(format!("bad dimensions {:?} and {:?}", launch.outer, launch.inner));
        }
        if launch.operands.len() != kernel.operands.len() {
            return Err(format!("{} operands, {} are declared", launch.operands.len(), kernel.operands.len()));
        }
        if !launch.scalars.iter().map(|scalar| scalar.dtype).eq(kernel.scalars.iter().copied()) {
            return Err("the scalars have other types than declared".to_owned());
        }
        let needed = Specialization::of(kernel, launch);
        if needed != self.specialization {
            return Err(format!("compiled for {:?}, the launch needs {needed:?}", self.specialization));
        }
        let lengths: Vec<usize> = launch.outer.iter().chain(launch.inner).copied().collect();
        if lengths.contains(&0) {
            return Ok(());
        }
        let extents: Vec<Extent> = launch
            .operands
            .iter()
            .zip(&kernel.operands)
            .map(|(operand, declared)| Extent::of(operand, &lengths, declared.dtype.size()))
            .collect();
        for (position, extent) in extents.iter().enumerate() {
            let at = |message| format!("operand {position}: {message}");
            self.core.memory.check(extent.start, extent.end).map_err(at)?;
        }
        for (position, written) in extents.iter().enumerate() {
            if kernel.operands[position].mode == Mode::Read || !written.dense {
                continue;
            }
            for (other, extent) in extents.iter().enumerate() {
                let same = (extent.origin, &extent.strides) == (written.origin, &written.strides);
                if other != position && !same && (written.start..written.end).contains(&extent.origin) {
                    return Err(format!("written operand {position} overlaps operand {other}"));
                }
            }
        }
        Ok(())
    }
}

/// The bytes that an operand reaches.
struct Extent {
    origin: u64,
    start: u64,
    end: u64,
    strides: Vec<isize>,
    /// Whether every byte between start and end belongs to some element.
    dense: bool,
}

impl Extent {
    fn of(operand: &Operand, lengths: &[usize], size: usize) -> Extent {
        let moving = |(&length, &stride): (&usize, &isize)| if length > 1 { stride } else { 0 };
        let strides: Vec<isize> = lengths.iter().zip(&operand.strides).map(moving).collect();
        let (mut below, mut above) = (0, size as u64);
        for (&length, &stride) in lengths.iter().zip(&strides) {
            let reach = (length as u64 - 1).saturating_mul(stride.unsigned_abs() as u64);
            if stride < 0 { below += reach } else { above += reach }
        }
        let mut ascending: Vec<(usize, usize)> =
            strides.iter().map(|s| s.unsigned_abs()).zip(lengths.iter().copied()).collect();
        ascending.retain(|&(stride, _)| stride != 0);
        ascending.sort_unstable();
        let covered = ascending
            .iter()
            .try_fold(size, |covered, &(stride, length)| (stride == covered).then(|| covered.saturating_mul(length)));
        Extent {
            origin: operand.ptr,
            start: operand.ptr.saturating_sub(below),
            end: operand.ptr.saturating_add(above),
            strides,
            dense: covered.is_some(),
        }
    }
}

/// Text that was "compiled": every name is a function.
pub(crate) struct NoopModule {
    pub(crate) core: Arc<Core>,
}

impl Module for NoopModule {
    fn function(&self, name: &str) -> Result<Arc<dyn RawFunction>> {
        Ok(Arc::new(NoopFunction { core: self.core.clone(), name: name.to_owned() }))
    }

    fn global(&self, _name: &str) -> Result<(u64, usize)> {
        Err(Error::unsupported(NAME, "global variables of kernels"))
    }
}

struct NoopFunction {
    core: Arc<Core>,
    name: String,
}

impl RawFunction for NoopFunction {
    unsafe fn launch(&self, stream: &dyn Stream, _geometry: RawLaunch, _parameters: &mut [*mut u8]) -> Result<()> {
        let stream = self.core.stream("launch", stream)?;
        self.core.record(stream, Call::LaunchFunction { function: self.name.clone() });
        Ok(())
    }
}
