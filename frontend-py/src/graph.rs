//! Captured steps of a program.

use cuproxide_core::graph::Graph as Captured;
use pyo3::prelude::*;

use crate::device::Device;
use crate::errors::Result;
use crate::stream::{self, Stream};
use crate::wait;

/// Work that a stream captured, to be launched any number of times: what `Stream.end_capture` returns.
///
/// Each launch computes from the contents of the captured arrays at that time, and into the same memory. The graph keeps
/// all memory that it uses, temporary arrays included.
#[pyclass(module = "cuproxide.cuda", frozen)]
pub struct Graph {
    captured: Captured,
    /// Functions of the host that the step calls, with their arguments.
    calls: Vec<(Py<PyAny>, Py<PyAny>)>,
}

impl Graph {
    /// The Python object of a captured step.
    pub fn of(captured: Captured, calls: Vec<(Py<PyAny>, Py<PyAny>)>) -> Graph {
        Graph { captured, calls }
    }
}

#[pymethods]
impl Graph {
    /// Queues the captured work on a stream, by default the current one.
    #[pyo3(signature = (stream=None))]
    fn launch(&self, py: Python<'_>, stream: Option<&Bound<'_, Stream>>) -> Result<()> {
        let context = self.captured.context();
        let stream = stream::or_current(stream, context)?;
        // A device that computes before the call returns may take long.
        if context.info().asynchronous {
            Ok(self.captured.launch(&stream)?)
        } else {
            wait::long(py, || self.captured.launch(&stream))
        }
    }

    /// Moves what a launch needs to the device ahead of the first one.
    #[pyo3(signature = (stream=None))]
    fn upload(&self, stream: Option<&Bound<'_, Stream>>) -> Result<()> {
        let stream = stream::or_current(stream, self.captured.context())?;
        Ok(self.captured.upload(&stream)?)
    }

    /// The captured work as text in the DOT language; `flags` choose the details in the driver's way.
    #[pyo3(signature = (flags=0))]
    fn debug_dot_str(&self, py: Python<'_>, flags: u32) -> Result<String> {
        wait::long(py, || self.captured.dot(flags))
    }

    /// The driver's handle of the graph.
    #[getter]
    fn graph(&self) -> u64 {
        self.captured.raw().0
    }

    /// The driver's handle of the executable form of the graph.
    #[getter(graphExec)]
    fn graph_exec(&self) -> u64 {
        self.captured.raw().1
    }

    /// The host callbacks of the captured work, each with its argument.
    #[getter]
    fn host_funcargs(&self, py: Python<'_>) -> Vec<(Py<PyAny>, Py<PyAny>)> {
        self.calls.iter().map(|(function, argument)| (function.clone_ref(py), argument.clone_ref(py))).collect()
    }

    /// The device.
    #[getter]
    fn device(&self) -> Device {
        Device::of(self.captured.context())
    }

    fn __repr__(&self) -> String {
        format!("<Graph {:#x} (device {})>", self.captured.raw().0, self.captured.context().id())
    }
}
