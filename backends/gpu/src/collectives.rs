//! Collective communication by NCCL or RCCL.

use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

use cuproxide_hal::libraries::{Collectives, Communicator, ReduceOp};
use cuproxide_hal::{DType, Error, Result, Stream};

use crate::api::collectives::{CollectivesTable, Comm, UniqueId};
use crate::api::driver::Driver;
use crate::context::Primary;
use crate::loader::Library;

/// The library, for one device.
pub struct GpuCollectives {
    table: Arc<CollectivesTable>,
    driver: &'static Driver,
    primary: Primary,
}

impl GpuCollectives {
    /// NCCL or RCCL, opened.
    pub fn new(library: Library, driver: &'static Driver, primary: Primary) -> GpuCollectives {
        GpuCollectives { table: Arc::new(CollectivesTable::new(library)), driver, primary }
    }

    fn made(&self, comm: Comm) -> Arc<dyn Communicator> {
        Arc::new(Rank { table: self.table.clone(), backend: self.primary.backend, comm: AtomicPtr::new(comm) })
    }
}

/// One rank of a group; null once it has left.
struct Rank {
    table: Arc<CollectivesTable>,
    backend: &'static str,
    comm: AtomicPtr<std::ffi::c_void>,
}

fn number(backend: &str, dtype: DType) -> Result<i32> {
    Ok(match dtype {
        DType::I8 => 0,
        DType::U8 | DType::Bool => 1,
        DType::I32 => 2,
        DType::U32 => 3,
        DType::I64 => 4,
        DType::U64 => 5,
        DType::F16 => 6,
        DType::F32 => 7,
        DType::F64 => 8,
        DType::BF16 => 9,
        other => return Err(Error::unsupported(backend, format!("collective communication of {other}"))),
    })
}

/// The library's number of an operator. Bools travel as bytes, whose sums and products might wrap to 0.
fn operator(backend: &str, op: ReduceOp, dtype: DType) -> Result<i32> {
    Ok(match (op, dtype) {
        (ReduceOp::Average, DType::Bool) => return Err(Error::unsupported(backend, "an average of bool")),
        (ReduceOp::Max, _) | (ReduceOp::Sum, DType::Bool) => 2,
        (ReduceOp::Min, _) | (ReduceOp::Prod, DType::Bool) => 3,
        (ReduceOp::Sum, _) => 0,
        (ReduceOp::Prod, _) => 1,
        (ReduceOp::Average, _) => 4,
    })
}

impl Rank {
    fn comm(&self) -> Result<Comm> {
        let comm = self.comm.load(Ordering::Acquire);
        if comm.is_null() {
            Err(Error::unsupported(self.backend, "use of a communicator that was destroyed"))
        } else {
            Ok(comm)
        }
    }

    fn ask(&self, ask: impl FnOnce(Comm, &mut i32) -> Result<()>) -> Result<usize> {
        let mut answer = 0;
        ask(self.comm()?, &mut answer)?;
        Ok(answer as usize)
    }
}

impl Communicator for Rank {
    fn rank(&self) -> Result<usize> {
        // SAFETY: the communicator lives; the library writes one integer.
        self.ask(|comm, answer| unsafe { self.table.rank(comm, answer) })
    }

    fn size(&self) -> Result<usize> {
        // SAFETY: as above.
        self.ask(|comm, answer| unsafe { self.table.count(comm, answer) })
    }

    fn device(&self) -> Result<usize> {
        // SAFETY: as above.
        self.ask(|comm, answer| unsafe { self.table.device(comm, answer) })
    }

    fn raw(&self) -> u64 {
        self.comm.load(Ordering::Acquire) as u64
    }

    unsafe fn all_reduce(
        &self,
        stream: &dyn Stream,
        src: u64,
        dst: u64,
        count: usize,
        dtype: DType,
        op: ReduceOp,
    ) -> Result<()> {
        // SAFETY: the caller's promise, here and below.
        unsafe {
            self.table.all_reduce(
                src,
                dst,
                count,
                number(self.backend, dtype)?,
                operator(self.backend, op, dtype)?,
                self.comm()?,
                stream.raw(),
            )
        }
    }

    unsafe fn reduce(
        &self,
        stream: &dyn Stream,
        src: u64,
        dst: u64,
        count: usize,
        dtype: DType,
        op: ReduceOp,
        root: usize,
    ) -> Result<()> {
        let (dtype, op, root) = (number(self.backend, dtype)?, operator(self.backend, op, dtype)?, root as i32);
        // SAFETY: as above.
        unsafe { self.table.reduce(src, dst, count, dtype, op, root, self.comm()?, stream.raw()) }
    }

    unsafe fn broadcast(
        &self,
        stream: &dyn Stream,
        src: u64,
        dst: u64,
        count: usize,
        dtype: DType,
        root: usize,
    ) -> Result<()> {
        // SAFETY: as above.
        unsafe {
            self.table.broadcast(src, dst, count, number(self.backend, dtype)?, root as i32, self.comm()?, stream.raw())
        }
    }

    unsafe fn reduce_scatter(
        &self,
        stream: &dyn Stream,
        src: u64,
        dst: u64,
        count: usize,
        dtype: DType,
        op: ReduceOp,
    ) -> Result<()> {
        // SAFETY: as above.
        unsafe {
            self.table.reduce_scatter(
                src,
                dst,
                count,
                number(self.backend, dtype)?,
                operator(self.backend, op, dtype)?,
                self.comm()?,
                stream.raw(),
            )
        }
    }

    unsafe fn all_gather(&self, stream: &dyn Stream, src: u64, dst: u64, count: usize, dtype: DType) -> Result<()> {
        // SAFETY: as above.
        unsafe { self.table.all_gather(src, dst, count, number(self.backend, dtype)?, self.comm()?, stream.raw()) }
    }

    unsafe fn send(&self, stream: &dyn Stream, src: u64, count: usize, dtype: DType, peer: usize) -> Result<()> {
        // SAFETY: as above.
        unsafe { self.table.send(src, count, number(self.backend, dtype)?, peer as i32, self.comm()?, stream.raw()) }
    }

    unsafe fn receive(&self, stream: &dyn Stream, dst: u64, count: usize, dtype: DType, peer: usize) -> Result<()> {
        // SAFETY: as above.
        unsafe { self.table.receive(dst, count, number(self.backend, dtype)?, peer as i32, self.comm()?, stream.raw()) }
    }

    fn split(&self, color: i32, key: i32) -> Result<Option<Arc<dyn Communicator>>> {
        let mut comm = null_mut();
        // SAFETY: the communicator lives; no configuration stands for the usual one.
        unsafe { self.table.split(self.comm()?, color, key, &mut comm, null_mut()) }?;
        if comm.is_null() {
            return Ok(None);
        }
        let (table, backend) = (self.table.clone(), self.backend);
        Ok(Some(Arc::new(Rank { table, backend, comm: AtomicPtr::new(comm) })))
    }

    fn abort(&self) -> Result<()> {
        let comm = self.comm.swap(null_mut(), Ordering::AcqRel);
        // SAFETY: only the thread that takes the communicator out ends it.
        if comm.is_null() { Ok(()) } else { unsafe { self.table.abort(comm) } }
    }

    fn destroy(&self) -> Result<()> {
        let comm = self.comm.swap(null_mut(), Ordering::AcqRel);
        // SAFETY: as above.
        if comm.is_null() { Ok(()) } else { unsafe { self.table.destroy(comm) } }
    }

    fn check(&self) -> Result<()> {
        let mut status = 0;
        // SAFETY: the communicator lives; the library writes one integer.
        unsafe { self.table.async_error(self.comm()?, &mut status) }?;
        if status == 0 { Ok(()) } else { Err(self.table.failure("ncclCommGetAsyncError", status)) }
    }
}

impl Drop for Rank {
    fn drop(&mut self) {
        let _ = self.destroy();
    }
}

impl Collectives for GpuCollectives {
    fn version(&self) -> Result<i32> {
        let mut version = 0;
        // SAFETY: the library writes one integer.
        unsafe { self.table.version(&mut version) }?;
        Ok(version)
    }

    fn unique_id(&self) -> Result<Vec<u8>> {
        let mut id = UniqueId([0; 128]);
        // SAFETY: the library writes 128 bytes.
        unsafe { self.table.unique_id(&mut id) }?;
        Ok(id.0.to_vec())
    }

    fn join(&self, id: &[u8], rank: usize, size: usize) -> Result<Arc<dyn Communicator>> {
        let Ok(id) = <[u8; 128]>::try_from(id) else {
            return Err(Error::unsupported(self.primary.backend, format!("a group id of {} bytes", id.len())));
        };
        self.primary.enter(self.driver)?;
        let mut comm = null_mut();
        // SAFETY: the context is current; the library writes one handle.
        unsafe { self.table.init_rank(&mut comm, size as i32, UniqueId(id), rank as i32) }?;
        Ok(self.made(comm))
    }

    fn join_all(&self, devices: &[usize]) -> Result<Vec<Arc<dyn Communicator>>> {
        let devices: Vec<i32> = devices.iter().map(|&device| device as i32).collect();
        let mut comms = vec![null_mut(); devices.len()];
        self.primary.enter(self.driver)?;
        // SAFETY: the library writes as many handles as there are devices.
        unsafe { self.table.init_all(comms.as_mut_ptr(), devices.len() as i32, devices.as_ptr()) }?;
        // It leaves another device current.
        self.primary.enter(self.driver)?;
        Ok(comms.into_iter().map(|comm| self.made(comm)).collect())
    }

    fn group_start(&self) -> Result<()> {
        // SAFETY: no precondition.
        unsafe { self.table.group_start() }
    }

    fn group_end(&self) -> Result<()> {
        // SAFETY: no precondition.
        unsafe { self.table.group_end() }
    }
}
