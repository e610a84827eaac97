//! Communication between devices, as plain calls for the Python module that gives them their names.

use std::sync::Arc;

use cuproxide_core::Context;
use cuproxide_core::ops::collectives::{self, Elements, Exchange};
use cuproxide_core::ops::library::library;
use cuproxide_hal::DType;
use cuproxide_hal::libraries::{Communicator as Below, Libraries, ReduceOp};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::dtypes;
use crate::errors::{Result, value_error};
use crate::ndarray::NdArray;
use crate::stream::Stream;
use crate::wait;

/// One rank of a group. Addresses are plain numbers.
#[pyclass(module = "cuproxide", frozen)]
pub struct Communicator {
    below: Arc<dyn Below>,
}

fn operator(name: &str) -> Result<ReduceOp> {
    Ok(match name {
        "sum" => ReduceOp::Sum,
        "prod" => ReduceOp::Prod,
        "max" => ReduceOp::Max,
        "min" => ReduceOp::Min,
        "avg" => ReduceOp::Average,
        _ => return Err(value_error(format!("{name:?} is not an operator of a reduction"))),
    })
}

#[pymethods]
impl Communicator {
    /// Joins a group with the current device; waits until all ranks have.
    #[new]
    fn __new__(py: Python<'_>, id: &[u8], rank: usize, size: usize) -> Result<Communicator> {
        let context = Context::current()?;
        let library = library(&context, Libraries::collectives)?;
        Ok(Communicator { below: wait::long(py, || Ok(library.join(id, rank, size)?))? })
    }

    /// A group of devices of this process, one rank each.
    #[staticmethod]
    fn all(py: Python<'_>, devices: Vec<usize>) -> Result<Vec<Communicator>> {
        let context = Context::current()?;
        let library = library(&context, Libraries::collectives)?;
        let made = wait::long(py, || Ok(library.join_all(&devices)?))?;
        Ok(made.into_iter().map(|below| Communicator { below }).collect())
    }

    #[getter]
    fn rank(&self) -> Result<usize> {
        Ok(self.below.rank()?)
    }

    #[getter]
    fn size(&self) -> Result<usize> {
        Ok(self.below.size()?)
    }

    #[getter]
    fn device(&self) -> Result<usize> {
        Ok(self.below.device()?)
    }

    #[getter]
    fn ptr(&self) -> u64 {
        self.below.raw()
    }

    fn all_reduce(
        &self,
        stream: &Bound<'_, Stream>,
        src: u64,
        dst: u64,
        count: usize,
        dtype: &Bound<'_, PyAny>,
        op: &str,
    ) -> Result<()> {
        self.queue(stream, Exchange::AllReduce(operator(op)?), (src, dst, count), dtype)
    }

    #[allow(clippy::too_many_arguments, reason = "the form of the vendors' call")]
    fn reduce(
        &self,
        stream: &Bound<'_, Stream>,
        src: u64,
        dst: u64,
        count: usize,
        dtype: &Bound<'_, PyAny>,
        op: &str,
        root: usize,
    ) -> Result<()> {
        self.queue(stream, Exchange::Reduce(operator(op)?, root), (src, dst, count), dtype)
    }

    fn broadcast(
        &self,
        stream: &Bound<'_, Stream>,
        src: u64,
        dst: u64,
        count: usize,
        dtype: &Bound<'_, PyAny>,
        root: usize,
    ) -> Result<()> {
        self.queue(stream, Exchange::Broadcast(root), (src, dst, count), dtype)
    }

    fn reduce_scatter(
        &self,
        stream: &Bound<'_, Stream>,
        src: u64,
        dst: u64,
        count: usize,
        dtype: &Bound<'_, PyAny>,
        op: &str,
    ) -> Result<()> {
        self.queue(stream, Exchange::ReduceScatter(operator(op)?), (src, dst, count), dtype)
    }

    fn all_gather(
        &self,
        stream: &Bound<'_, Stream>,
        src: u64,
        dst: u64,
        count: usize,
        dtype: &Bound<'_, PyAny>,
    ) -> Result<()> {
        self.queue(stream, Exchange::AllGather, (src, dst, count), dtype)
    }

    fn send(
        &self,
        stream: &Bound<'_, Stream>,
        src: u64,
        count: usize,
        dtype: &Bound<'_, PyAny>,
        peer: usize,
    ) -> Result<()> {
        self.queue(stream, Exchange::Send(peer), (src, 0, count), dtype)
    }

    fn receive(
        &self,
        stream: &Bound<'_, Stream>,
        dst: u64,
        count: usize,
        dtype: &Bound<'_, PyAny>,
        peer: usize,
    ) -> Result<()> {
        self.queue(stream, Exchange::Receive(peer), (0, dst, count), dtype)
    }

    /// Queues messages at once, each the rank that sends or receives it, an address, and a number of bytes.
    fn exchange(
        &self,
        stream: &Bound<'_, Stream>,
        sends: &Bound<'_, PyList>,
        receives: &Bound<'_, PyList>,
    ) -> Result<()> {
        let mut messages = Vec::with_capacity(sends.len() + receives.len());
        for message in sends {
            let (peer, src, count) = message.extract()?;
            messages.push((Exchange::Send(peer), Elements { src, dst: 0, count, dtype: DType::U8 }));
        }
        for message in receives {
            let (peer, dst, count) = message.extract()?;
            messages.push((Exchange::Receive(peer), Elements { src: 0, dst, count, dtype: DType::U8 }));
        }
        let (context, below) = stream.get().resolve()?;
        let library = library(&context, Libraries::collectives)?;
        // SAFETY: the program vouches for its addresses.
        wait::long(stream.py(), || unsafe {
            collectives::exchange_at_once(&context, &below, library, self.below.as_ref(), &messages)
        })
    }

    /// The group of the ranks with the same color; None for a negative one.
    fn split(&self, py: Python<'_>, color: i32, key: i32) -> Result<Option<Communicator>> {
        let made = wait::long(py, || Ok(self.below.split(color, key)?))?;
        Ok(made.map(|below| Communicator { below }))
    }

    fn abort(&self, py: Python<'_>) -> Result<()> {
        wait::long(py, || Ok(self.below.abort()?))
    }

    fn destroy(&self, py: Python<'_>) -> Result<()> {
        wait::long(py, || Ok(self.below.destroy()?))
    }

    fn check(&self) -> Result<()> {
        Ok(self.below.check()?)
    }
}

impl Communicator {
    /// Queues an exchange of elements at plain addresses; other threads, which may be other ranks, run meanwhile.
    fn queue(
        &self,
        stream: &Bound<'_, Stream>,
        exchange: Exchange,
        (src, dst, count): (u64, u64, usize),
        dtype: &Bound<'_, PyAny>,
    ) -> Result<()> {
        let elements = Elements { src, dst, count, dtype: dtypes::parse(dtype)? };
        let (context, below) = stream.get().resolve()?;
        // SAFETY: the program vouches for its addresses.
        wait::long(stream.py(), || unsafe {
            collectives::exchange(&context, &below, self.below.as_ref(), exchange, elements)
        })
    }
}

/// Version of the library that communicates for the current device.
#[pyfunction]
pub fn collectives_version() -> Result<i32> {
    Ok(library(&*Context::current()?, Libraries::collectives)?.version()?)
}

/// Address of an array's first element, for work that is queued at once: what is deferred on the memory is queued first,
/// and later work on it may be deferred as before.
#[pyfunction]
pub fn settled_pointer(array: &Bound<'_, NdArray>) -> Result<u64> {
    let array = array.get().snapshot();
    Ok(if array.size() == 0 { 0 } else { array.ptr()? })
}

/// What identifies a new group.
#[pyfunction]
pub fn collectives_id(py: Python<'_>) -> Result<Bound<'_, PyBytes>> {
    Ok(PyBytes::new(py, &library(&*Context::current()?, Libraries::collectives)?.unique_id()?))
}

/// Begins (`true`) or makes (`false`) a number of calls at once.
#[pyfunction]
pub fn collectives_group(py: Python<'_>, begin: bool) -> Result<()> {
    let context = Context::current()?;
    let library = library(&context, Libraries::collectives)?;
    wait::long(py, || Ok(if begin { library.group_start() } else { library.group_end() }?))
}
