//! Libraries that may fail: calls of products, transforms and sorts count as launches. All others are given out as long
//! as the device is not lost.

use std::sync::Arc;

use cuproxide_hal::libraries::{
    Blas, Carried, Fft, FftDirection, FftPlan, FftSpec, Gate, Gemm, Libraries, Sort, Sorting,
};
use cuproxide_hal::{Device, Result, Stream};

use crate::injector::Guard;
use crate::plan::Site;

/// The table of a device in front of `inner`.
pub(crate) fn libraries(guard: &Guard, inner: &Arc<dyn Device>) -> Libraries {
    let alive = guard.clone();
    let gate: Gate = Arc::new(move || alive.alive());
    let Libraries { blas, fft, sorting, .. } = Libraries::behind(&gate, inner);
    let [products, transforms, sorts] = [guard.clone(), guard.clone(), guard.clone()];
    Libraries {
        blas: blas.map(move |inner| Arc::new(Faulty { inner, guard: products.clone() })),
        fft: fft.map(move |inner| Arc::new(Faulty { inner, guard: transforms.clone() })),
        sorting: sorting.map(move |inner| Arc::new(Faulty { inner, guard: sorts.clone() })),
        ..Libraries::behind(&gate, inner)
    }
}

/// A library, or a plan of one, in front of another.
struct Faulty<T: ?Sized> {
    inner: Arc<T>,
    guard: Guard,
}

impl Blas for Faulty<dyn Blas> {
    unsafe fn gemm(&self, stream: &dyn Stream, gemm: &Gemm) -> Result<()> {
        self.guard.pass(Site::Launch, "Blas::gemm")?;
        // SAFETY: the caller's promise is passed on.
        unsafe { self.inner.gemm(stream, gemm) }
    }

    fn takes_overlapping(&self) -> bool {
        self.inner.takes_overlapping()
    }
}

impl Sorting for Faulty<dyn Sorting> {
    fn scratch_bytes(&self, sort: &Sort) -> usize {
        self.inner.scratch_bytes(sort)
    }

    unsafe fn sort(&self, stream: &dyn Stream, sort: &Sort) -> Result<()> {
        self.guard.pass(Site::Launch, "Sorting::sort")?;
        // SAFETY: the caller's promise is passed on.
        unsafe { self.inner.sort(stream, sort) }
    }

    fn carrying_scratch_bytes(&self, sort: &Sort, carried: &[Carried; 2]) -> Option<usize> {
        self.inner.carrying_scratch_bytes(sort, carried)
    }

    unsafe fn sort_carrying(&self, stream: &dyn Stream, sort: &Sort, carried: &[Carried; 2]) -> Result<()> {
        self.guard.pass(Site::Launch, "Sorting::sort_carrying")?;
        // SAFETY: the caller's promise is passed on.
        unsafe { self.inner.sort_carrying(stream, sort, carried) }
    }
}

impl Fft for Faulty<dyn Fft> {
    fn interleaves(&self, lengths: &[usize], batch: usize) -> bool {
        self.inner.interleaves(lengths, batch)
    }

    fn plan(&self, spec: &FftSpec) -> Result<Arc<dyn FftPlan>> {
        self.guard.alive()?;
        Ok(Arc::new(Faulty { inner: self.inner.plan(spec)?, guard: self.guard.clone() }))
    }
}

impl FftPlan for Faulty<dyn FftPlan> {
    fn scratch_bytes(&self) -> usize {
        self.inner.scratch_bytes()
    }

    fn overwrites_input(&self) -> bool {
        self.inner.overwrites_input()
    }

    unsafe fn execute(
        &self,
        stream: &dyn Stream,
        direction: FftDirection,
        input: u64,
        output: u64,
        scratch: u64,
    ) -> Result<()> {
        self.guard.pass(Site::Launch, "FftPlan::execute")?;
        // SAFETY: the caller's promise is passed on.
        unsafe { self.inner.execute(stream, direction, input, output, scratch) }
    }
}
