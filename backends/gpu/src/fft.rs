//! Fourier transforms by the vendors' libraries, whose functions are alike but for the type of a plan.

use std::ffi::{c_int, c_longlong};
use std::ptr::null_mut;
use std::sync::Arc;

use cuproxide_hal::libraries::{Fft, FftDirection, FftKind, FftPlan, FftSpec};
use cuproxide_hal::{DType, Error, MemoryInfo, Result, Stream};
use parking_lot::Mutex;

use crate::api::driver::Driver;
use crate::context::Primary;
use crate::graph::{self, Unrestricted};
use crate::routes;

/// A vendor's library of transforms.
pub trait FftLibrary: Send + Sync + 'static {
    /// What the library calls a plan.
    type Plan: Copy + Send;
    /// The vendor's name.
    const NAME: &'static str;
    /// Status: there is no memory for the plan.
    const ALLOCATION_FAILED: i64 = 2;

    /// Makes an empty plan that allocates nothing by itself.
    fn create(&self) -> Result<Self::Plan>;

    /// Prepares a plan; returns the bytes of its work area.
    ///
    /// # Safety
    /// The plan is new.
    unsafe fn prepare(&self, plan: Self::Plan, request: &mut Request) -> Result<usize>;

    /// Says where executions are queued and, if the plan has one, where its work area is.
    ///
    /// # Safety
    /// The plan exists; the work area is as large as was asked for.
    unsafe fn direct(&self, plan: Self::Plan, stream: u64, work: Option<u64>) -> Result<()>;

    /// Queues a transform; the sign is that of complex transforms.
    ///
    /// # Safety
    /// The data are device memory of the plan's sizes.
    unsafe fn execute(&self, plan: Self::Plan, kind: Kind, input: u64, output: u64, sign: c_int) -> Result<()>;

    /// Destroys a plan.
    ///
    /// # Safety
    /// Nobody uses it any more.
    unsafe fn destroy(&self, plan: Self::Plan) -> Result<()>;
}

/// A library for one device.
pub struct FftHandle<L> {
    library: Arc<L>,
    driver: &'static Driver,
    primary: Primary,
}

impl<L: FftLibrary> FftHandle<L> {
    /// A handle of an opened library.
    pub fn new(library: L, driver: &'static Driver, primary: Primary) -> FftHandle<L> {
        FftHandle { library: Arc::new(library), driver, primary }
    }
}

/// The libraries' number for what a plan computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Kind {
    /// Real to complex, float32.
    ForwardSingle = 0x2a,
    /// Complex to real, float32.
    BackSingle = 0x2c,
    /// Complex, float32.
    ComplexSingle = 0x29,
    /// Real to complex, float64.
    ForwardDouble = 0x6a,
    /// Complex to real, float64.
    BackDouble = 0x6c,
    /// Complex, float64.
    ComplexDouble = 0x69,
}

impl Kind {
    fn of(backend: &str, kind: FftKind, dtype: DType) -> Result<Kind> {
        Ok(match (kind, dtype) {
            (FftKind::Complex, DType::F32) => Kind::ComplexSingle,
            (FftKind::Complex, DType::F64) => Kind::ComplexDouble,
            (FftKind::RealToComplex, DType::F32) => Kind::ForwardSingle,
            (FftKind::RealToComplex, DType::F64) => Kind::ForwardDouble,
            (FftKind::ComplexToReal, DType::F32) => Kind::BackSingle,
            (FftKind::ComplexToReal, DType::F64) => Kind::BackDouble,
            _ => return Err(Error::unsupported(backend, format!("Fourier transforms of {dtype}"))),
        })
    }
}

/// What the libraries get of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What is computed.
    pub kind: Kind,
    /// Of the transformed axes, outermost first.
    pub lengths: Vec<c_longlong>,
    /// Number of transforms.
    pub batch: c_longlong,
    /// Distance of neighbours in a transform and of transforms; none where transforms are contiguous, one after another.
    pub strides: Option<(c_longlong, c_longlong)>,
}

impl Request {
    /// The rank, and where the library finds the lengths and the form in which the data lie, which is null if contiguous.
    /// Leading axes of contiguous data lie in the form of their own lengths.
    pub fn layout(&mut self) -> (c_int, *mut c_longlong, *mut c_longlong) {
        let lengths = self.lengths.as_mut_ptr();
        (self.lengths.len() as c_int, lengths, if self.strides.is_some() { lengths } else { null_mut() })
    }
}

fn arguments(backend: &str, spec: &FftSpec) -> Result<Request> {
    let kind = Kind::of(backend, spec.kind, spec.dtype)?;
    if !(1..=3).contains(&spec.lengths.len()) {
        return Err(Error::unsupported(
            backend,
            format!("Fourier transforms over {} axes at once", spec.lengths.len()),
        ));
    }
    let large = |_| Error::unsupported(backend, format!("a Fourier transform of lengths {:?}", spec.lengths));
    let lengths = spec.lengths.iter().map(|&length| length.try_into().map_err(large)).collect::<Result<_>>()?;
    let batch = spec.batch.try_into().map_err(large)?;
    Ok(Request { kind, lengths, batch, strides: spec.interleaved.then_some((batch, 1)) })
}

/// The libraries' numbers of directions.
fn sign(direction: FftDirection) -> c_int {
    match direction {
        FftDirection::Forward => -1,
        FftDirection::Inverse => 1,
    }
}

/// A plan. Stream and work area are states of it, so executions are queued in turns.
struct Plan<L: FftLibrary> {
    library: Arc<L>,
    driver: &'static Driver,
    primary: Primary,
    kind: Kind,
    work_bytes: usize,
    handle: Mutex<L::Plan>,
}

impl<L: FftLibrary> Drop for Plan<L> {
    fn drop(&mut self) {
        if self.primary.enter(self.driver).is_ok() {
            // SAFETY: the plan exists and nobody else has it; the library waits for its work.
            let destroyed = unsafe { self.library.destroy(*self.handle.get_mut()) };
            if let Err(error) = destroyed {
                tracing::warn!(%error, "a plan of {} could not be destroyed", L::NAME);
            }
        }
    }
}

impl<L: FftLibrary> Fft for FftHandle<L> {
    fn interleaves(&self, lengths: &[usize], batch: usize) -> bool {
        // Longer lines and planes, whose elements lie further apart, take the libraries several times a transposition's time.
        lengths.len() == 1 && !routes::TRANSPOSED.takes(lengths[0]) && routes::SIDE_BY_SIDE.takes(batch)
    }

    fn plan(&self, spec: &FftSpec) -> Result<Arc<dyn FftPlan>> {
        let mut request = arguments(self.primary.backend, spec)?;
        self.primary.enter(self.driver)?;
        let _capturing = Unrestricted::enter(self.driver);
        let handle = self.library.create().map_err(|error| self.plan_error(error))?;
        let (library, driver, primary) = (self.library.clone(), self.driver, self.primary);
        let kind = request.kind;
        let mut plan = Plan { library, driver, primary, kind, work_bytes: 0, handle: Mutex::new(handle) };
        // SAFETY: the plan is new.
        let prepared = unsafe { self.library.prepare(handle, &mut request) };
        plan.work_bytes = prepared.map_err(|error| self.plan_error(error))?;
        Ok(Arc::new(plan))
    }
}

impl<L: FftLibrary> FftHandle<L> {
    /// The library's lack of memory as the error that makes callers free some.
    #[cold]
    fn plan_error(&self, error: Error) -> Error {
        if graph::any_open() {
            // It copies tables on the default stream, for which a blocking stream would have to wait.
            let advice =
                "run the transform once before the capture, or capture on a stream made with non_blocking=True";
            return Error::capture(
                self.primary.backend,
                format!("{} cannot prepare a transform during this capture ({error}); {advice}", L::NAME),
            );
        }
        if !matches!(error, Error::Call { code, .. } if code == L::ALLOCATION_FAILED) {
            return error;
        }
        let (mut free, mut total) = (0, 0);
        // SAFETY: the context is current; the driver writes two integers.
        let read = unsafe { self.driver.memory_info(&mut free, &mut total) };
        let memory = read.map_or(MemoryInfo { free: 0, total: 0 }, |()| MemoryInfo { free, total });
        let device = self.primary.id().to_string();
        Error::OutOfMemory { device, requested: 0, free: memory.free, total: memory.total }
    }
}

impl<L: FftLibrary> FftPlan for Plan<L> {
    fn scratch_bytes(&self) -> usize {
        self.work_bytes
    }

    fn overwrites_input(&self) -> bool {
        matches!(self.kind, Kind::BackSingle | Kind::BackDouble)
    }

    unsafe fn execute(
        &self,
        stream: &dyn Stream,
        direction: FftDirection,
        input: u64,
        output: u64,
        scratch: u64,
    ) -> Result<()> {
        self.primary.enter(self.driver)?;
        let handle = self.handle.lock();
        let work = (self.work_bytes > 0).then_some(scratch);
        // SAFETY: the caller promises data and scratch of the plan's sizes; what is queued keeps the stream and the work
        // area of this call.
        unsafe {
            self.library.direct(*handle, stream.raw(), work)?;
            self.library.execute(*handle, self.kind, input, output, sign(direction))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(kind: FftKind, dtype: DType, lengths: &[usize], batch: usize) -> FftSpec {
        FftSpec { kind, dtype, lengths: lengths.to_vec(), batch, interleaved: false }
    }

    #[test]
    fn requests_become_the_arguments_of_the_library() {
        let arguments = |spec: &FftSpec| arguments("gpu", spec);
        let plain = spec(FftKind::Complex, DType::F32, &[4, 5, 6], 7);
        let wanted = Request { kind: Kind::ComplexSingle, lengths: vec![4, 5, 6], batch: 7, strides: None };
        assert_eq!(arguments(&plain).expect("supported"), wanted);
        let beside = arguments(&FftSpec { interleaved: true, ..plain }).expect("supported");
        assert_eq!(beside, Request { strides: Some((7, 1)), ..wanted });
        let wide = arguments(&spec(FftKind::RealToComplex, DType::F64, &[1 << 33], 1)).expect("64-bit lengths");
        assert_eq!((wide.kind, wide.lengths), (Kind::ForwardDouble, vec![1 << 33]));
        assert!(arguments(&spec(FftKind::Complex, DType::F64, &[2; 4], 1)).is_err());
        assert!(arguments(&spec(FftKind::Complex, DType::F16, &[2], 1)).is_err());
        assert!(arguments(&spec(FftKind::Complex, DType::F64, &[usize::MAX], 1)).is_err());
    }
}
