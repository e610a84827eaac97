//! What a program queues on a stream besides arrays: host callbacks, captures, events.

use std::collections::HashMap;
use std::sync::LazyLock;

use cuproxide_core::graph::{begin_capture, end_capture};
use cuproxide_core::trace;
use cuproxide_hal as hal;
use cuproxide_hal::CaptureMode;
use parking_lot::Mutex;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::ffi;
use pyo3::prelude::*;

use crate::errors::{Result, value_error};
use crate::event::Event;
use crate::graph::Graph;
use crate::stream::Stream;
use crate::wait;

/// Functions of the host with their arguments, by the capture that they are part of.
static CAPTURED_CALLS: LazyLock<Mutex<HashMap<u64, Vec<(Py<PyAny>, Py<PyAny>)>>>> = LazyLock::new(Mutex::default);

#[pymethods]
impl Stream {
    /// Queues the call `callback(arg)`, which must not use the device. It may run in a thread of the driver: an exception
    /// goes to `sys.unraisablehook`, as one in a destructor does, except `KeyboardInterrupt`, which the main thread raises.
    ///
    /// Parameters
    /// ----------
    /// callback : callable
    ///     The function.
    /// arg : object
    ///     Its argument.
    fn launch_host_func(&self, py: Python<'_>, callback: Py<PyAny>, arg: Py<PyAny>) -> Result<()> {
        let kept = (callback.clone_ref(py), arg.clone_ref(py));
        self.call_host(move |py| callback.call1(py, (&arg,)), kept)
    }

    /// Queues the call `callback(stream, status, arg)`, which must not use the device; `status` is 0. Exceptions are treated
    /// as by `launch_host_func`.
    ///
    /// Parameters
    /// ----------
    /// callback : callable
    ///     The function.
    /// arg : object
    ///     Its argument.
    fn add_callback(slf: &Bound<'_, Self>, callback: Py<PyAny>, arg: Py<PyAny>) -> Result<()> {
        let stream = slf.clone().unbind();
        let kept = (callback.clone_ref(slf.py()), arg.clone_ref(slf.py()));
        slf.get().call_host(move |py| callback.call1(py, (&stream, 0, &arg)), kept)
    }

    /// Starts to capture: from now on, what is queued on this stream becomes part of a graph and does not run. `mode` is
    /// one of `runtime.streamCaptureMode...`; relaxed by default.
    #[pyo3(signature = (mode=None))]
    fn begin_capture(&self, py: Python<'_>, mode: Option<u32>) -> Result<()> {
        let mode = match mode {
            None | Some(2) => CaptureMode::Relaxed,
            Some(0) => CaptureMode::Global,
            Some(1) => CaptureMode::ThreadLocal,
            Some(other) => return Err(value_error(format!("{other} is not a capture mode (0, 1 or 2)"))),
        };
        let (context, stream) = self.resolve()?;
        wait::long(py, || begin_capture(&context, &stream, mode))
    }

    /// Ends the capture and returns its graph.
    fn end_capture(&self, py: Python<'_>) -> Result<Graph> {
        let (context, stream) = self.resolve()?;
        let capture = stream.capture().ok().flatten();
        let captured = wait::long(py, || end_capture(&context, &stream));
        // After a failure, too, nothing is kept.
        let calls = capture.and_then(|number| CAPTURED_CALLS.lock().remove(&number)).unwrap_or_default();
        Ok(Graph::of(captured?, calls))
    }

    /// Whether the stream takes part in a capture.
    fn is_capturing(&self) -> Result<bool> {
        Ok(self.resolve()?.1.capture()?.is_some())
    }

    /// Records an event (a new one by default) after the work queued so far.
    #[pyo3(signature = (event=None))]
    fn record<'py>(&self, py: Python<'py>, event: Option<&Bound<'py, Event>>) -> Result<Bound<'py, Event>> {
        let (context, stream) = self.resolve()?;
        let event = match event {
            Some(event) => event.clone(),
            None => Bound::new(py, Event::on(Some(context.clone()), true))?,
        };
        event.get().record_on(&context, stream.as_ref())?;
        Ok(event)
    }

    /// Lets later work wait for an event.
    fn wait_event(&self, event: &Bound<'_, Event>) -> Result<()> {
        let (context, stream) = self.resolve()?;
        trace::refuse("it waits for an event");
        context.flush_onto(stream.as_ref())?;
        let recorded = event.get().inner.lock().clone();
        recorded.map_or(Ok(()), |(_, event)| Ok(stream.wait(event.as_ref())?))
    }
}

impl Stream {
    fn call_host(
        &self,
        function: impl Fn(Python<'_>) -> PyResult<Py<PyAny>> + Send + Sync + 'static,
        kept: (Py<PyAny>, Py<PyAny>),
    ) -> Result<()> {
        trace::refuse("it queues a host callback");
        let announced = hal::host::Announced::new();
        let call = move || {
            let _announced = &announced;
            // Nothing can be called any more once the interpreter has shut down.
            wait::try_attached(|py| {
                match function(py) {
                    // The program is to stop: its main thread raises this as soon as it runs Python code.
                    Err(error) if error.is_instance_of::<PyKeyboardInterrupt>(py) => {
                        // SAFETY: the interpreter is attached; the function only notes a signal.
                        unsafe { ffi::PyErr_SetInterrupt() }
                    }
                    Err(error) => error.write_unraisable(py, None),
                    Ok(_) => {}
                }
            });
        };
        let (context, stream) = self.resolve()?;
        context.flush_onto(stream.as_ref())?;
        stream.call_host(Box::new(call))?;
        // Devices that work at once have called it by now.
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "a method of one lifetime is not a function of all lifetimes"
        )]
        Python::attach(|py| py.check_signals())?;
        if let Some(number) = stream.capture()? {
            CAPTURED_CALLS.lock().entry(number).or_default().push(kept);
        }
        Ok(())
    }
}
