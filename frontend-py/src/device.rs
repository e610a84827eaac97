//! Devices: choosing one, and what they say about themselves.

use std::cell::RefCell;
use std::sync::Arc;

use cuproxide_core::Context;
use cuproxide_core::detach::queueing;
use cuproxide_hal::{DeviceId, DeviceInfo, Report};
use pyo3::prelude::*;
use pyo3::types::{PyAnyMethods, PyBool, PyDict, PyList, PyString};

use crate::errors::{Result, buffer_error, type_error, value_error};
use crate::wait;

thread_local! {
    /// What was current before each `with device:` that the thread is in.
    static ENTERED: RefCell<Vec<Option<Arc<Context>>>> = const { RefCell::new(Vec::new()) };
}

/// A device: `Device("cuda:0")`, `Device("cpu")`, `Device(1)` of the backend in use, `Device()` for the current one.
///
/// `with device:` makes it the thread's current device. A number that no device has is an error when the device is used.
#[pyclass(module = "cuproxide", frozen)]
pub struct Device {
    id: DeviceId,
    /// Nothing for a device that does not exist.
    context: Option<Arc<Context>>,
}

impl Device {
    /// The device of a context.
    pub fn of(context: &Arc<Context>) -> Device {
        Device { id: context.id(), context: Some(context.clone()) }
    }

    /// The context; of a device that does not exist the error of looking for it.
    pub fn context(&self) -> Result<Arc<Context>> {
        self.context.clone().map_or_else(|| named(&self.id.to_string()), Ok)
    }
}

/// The context of a device by its name in the process.
pub fn named(name: &str) -> Result<Arc<Context>> {
    Ok(queueing(|| cuproxide_backends::device(name).map(|device| Context::of(&device)))?)
}

/// The devices of all backends.
fn all() -> Vec<DeviceInfo> {
    queueing(cuproxide_backends::devices)
}

/// A `device=` argument: nothing for `None`.
pub fn parse_optional(object: Option<&Bound<'_, PyAny>>) -> Result<Option<Arc<Context>>> {
    let Some(object) = object.filter(|object| !object.is_none()) else { return Ok(None) };
    if let Ok(device) = object.cast::<Device>() {
        return device.get().context().map(Some);
    }
    if let Ok(name) = object.cast::<PyString>() {
        return named(name.to_str()?).map(Some);
    }
    if object.is_instance_of::<PyBool>() {
        return Err(type_error("a device is given by its name, its number, or a Device, not by a bool"));
    }
    match object.extract::<i64>() {
        Ok(ordinal) if ordinal >= 0 => {
            let backend = Context::current()?.id().backend;
            named(&format!("{backend}:{ordinal}")).map(Some)
        }
        Ok(ordinal) => Err(value_error(format!("device number {ordinal} is negative"))),
        Err(_) => Err(type_error(format!(
            "a device is given by its name, its number, or a Device, not by {}",
            object.get_type()
        ))),
    }
}

/// A `device=` argument: the current device for `None`.
pub fn parse(object: Option<&Bound<'_, PyAny>>) -> Result<&'static Arc<Context>> {
    match parse_optional(object)? {
        Some(context) => Ok(context.shared()),
        None => Ok(Context::here()?),
    }
}

/// A `device_id=` argument: a device in any form; the current one for `None` and -1.
pub fn parse_id(object: Option<&Bound<'_, PyAny>>) -> Result<Arc<Context>> {
    let current = |object: &&Bound<'_, PyAny>| object.extract::<i64>().is_ok_and(|ordinal| ordinal == -1);
    parse(object.filter(|object| !current(object))).cloned()
}

/// The device that DLPack calls by this type and number.
pub fn by_dlpack(kind: i32, ordinal: i32) -> Result<Arc<Context>> {
    let fits = |info: &DeviceInfo| {
        let same = info.dlpack_type == kind || info.dlpack_also.contains(&kind);
        // Memory of the host has no number, or that of the device that it is locked for.
        same && info.id.ordinal as i32 == if info.host_addressable { 0 } else { ordinal }
    };
    let current = Context::current()?;
    if fits(current.info()) {
        return Ok(current);
    }
    match all().iter().find(|info| fits(info)) {
        Some(info) => named(&info.id.to_string()),
        None => Err(buffer_error(format!("no device here has the DLPack type {kind} and number {ordinal}"))),
    }
}

/// The device that foreign GPU memory is on: the current one if it is a GPU, else the first one that is.
pub fn gpu() -> Result<Arc<Context>> {
    let is_gpu = |info: &DeviceInfo| info.array_interface;
    let current = Context::current()?;
    if is_gpu(current.info()) {
        return Ok(current);
    }
    match all().iter().find(|info| is_gpu(info)) {
        Some(info) => named(&info.id.to_string()),
        None => Err(type_error("the object describes GPU memory, but no GPU can be used here")),
    }
}

fn attribute(info: &DeviceInfo, name: &str) -> Option<i64> {
    info.attributes.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|&(_, value)| value)
}

#[pymethods]
impl Device {
    #[new]
    #[pyo3(signature = (device=None))]
    fn __new__(device: Option<&Bound<'_, PyAny>>) -> Result<Device> {
        if let Some(ordinal) =
            device.filter(|object| !object.is_instance_of::<PyBool>() && !object.is_instance_of::<Device>())
            && let Ok(ordinal) = ordinal.extract::<usize>()
        {
            let backend = Context::current()?.id().backend;
            let id = DeviceId { backend, ordinal };
            return Ok(Device { id, context: named(&id.to_string()).ok() });
        }
        Ok(Device::of(parse(device)?))
    }

    /// Number of the device within its backend.
    #[getter]
    pub fn id(&self) -> usize {
        self.id.ordinal
    }

    /// Name of the backend.
    #[getter]
    fn backend(&self) -> &'static str {
        self.id.backend
    }

    /// Product name.
    #[getter]
    fn name(&self) -> Result<String> {
        Ok(self.context()?.info().name.clone())
    }

    /// Architecture as compilers name it.
    #[getter]
    fn architecture(&self) -> Result<String> {
        Ok(self.context()?.info().architecture.clone())
    }

    /// Free and total bytes of memory.
    #[getter]
    fn mem_info(&self, py: Python<'_>) -> Result<(usize, usize)> {
        let context = self.context()?;
        let memory = wait::long(py, || Ok(context.device().memory_info()?))?;
        Ok((memory.free, memory.total))
    }

    /// Further attributes by the vendor's names.
    #[getter]
    fn attributes<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>> {
        let attributes = PyDict::new(py);
        for (name, value) in &self.context()?.info().attributes {
            attributes.set_item(name, value)?;
        }
        Ok(attributes)
    }

    /// Compute capability as digits, such as "90"; "00" where there is no such thing, for programs that convert it.
    #[getter]
    fn compute_capability(&self) -> Result<String> {
        let (major, minor) = self.context()?.info().capability.unwrap_or((0, 0));
        Ok(format!("{major}{minor}"))
    }

    /// Threads that run in lock step.
    #[getter]
    fn warp_size(&self) -> Result<u32> {
        Ok(self.context()?.info().warp_size)
    }

    /// Independent processors.
    #[getter]
    fn multiprocessors(&self) -> Result<u32> {
        Ok(self.context()?.info().processors)
    }

    /// Bytes of memory.
    #[getter]
    fn total_memory(&self) -> Result<usize> {
        Ok(self.context()?.info().total_memory)
    }

    /// Whether calls return before the work is done.
    #[getter]
    fn asynchronous(&self) -> Result<bool> {
        Ok(self.context()?.info().asynchronous)
    }

    /// Address on the PCI bus as `domain:bus:device.function`; empty where there is none.
    #[getter]
    fn pci_bus_id(&self) -> Result<String> {
        let context = self.context()?;
        let part = |name: &str| attribute(context.info(), name);
        Ok(match (part("PciDomainId"), part("PciBusId"), part("PciDeviceId")) {
            (domain, Some(bus), Some(device)) => format!("{:04x}:{bus:02x}:{device:02x}.0", domain.unwrap_or(0)),
            _ => String::new(),
        })
    }

    /// The device at an address of the PCI bus, written as `0000:01:00.0`.
    #[staticmethod]
    fn from_pci_bus_id(pci_bus_id: &str) -> Result<Device> {
        let wanted = pci_bus_id.to_ascii_lowercase();
        for info in all() {
            let device = Device::of(&named(&info.id.to_string())?);
            let address = device.pci_bus_id()?;
            if !address.is_empty() && address == wanted {
                return Ok(device);
            }
        }
        Err(value_error(format!("no device is at the PCI address {pci_bus_id:?}")))
    }

    /// A handle of cuBLAS for the device, as a number; UnsupportedError where there is none, ImportError without the library.
    #[getter]
    fn cublas_handle(&self) -> Result<u64> {
        self.handle("cublas")
    }

    /// A handle of cuSOLVER's dense half, likewise.
    #[getter]
    fn cusolver_handle(&self) -> Result<u64> {
        self.handle("cusolver")
    }

    /// A handle of cuSOLVER's sparse half, likewise.
    #[getter]
    fn cusolver_sp_handle(&self) -> Result<u64> {
        self.handle("cusolver_sp")
    }

    /// A handle of cuSPARSE, likewise.
    #[getter]
    fn cusparse_handle(&self) -> Result<u64> {
        self.handle("cusparse")
    }

    /// A handle of cuTENSOR, likewise.
    #[getter]
    fn cutensor_handle(&self) -> Result<u64> {
        self.handle("cutensor")
    }

    /// Makes the device the thread's current one.
    fn r#use(&self) -> Result<()> {
        Context::make_current(Some(self.context()?));
        Ok(())
    }

    /// Waits for all work on the device and raises what kernels recorded.
    fn synchronize(&self, py: Python<'_>) -> Result<()> {
        let context = self.context()?;
        wait::long(py, || context.synchronize())
    }

    fn __enter__<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, Self>> {
        let before = Context::make_current(Some(slf.get().context()?));
        ENTERED.with_borrow_mut(|entered| entered.push(before));
        Ok(slf.clone())
    }

    #[pyo3(signature = (*_arguments))]
    fn __exit__(&self, _arguments: &Bound<'_, PyAny>) {
        if let Some(before) = ENTERED.with_borrow_mut(Vec::pop) {
            Context::make_current(before);
        }
    }

    fn __int__(&self) -> usize {
        self.id()
    }

    fn __index__(&self) -> usize {
        self.id()
    }

    fn __str__(&self) -> String {
        self.id.to_string()
    }

    fn __repr__(&self) -> String {
        let name = self.context.as_ref().map_or("absent", |context| &context.info().name);
        format!("<Device {}: {name}>", self.id)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        if let Ok(other) = other.cast::<Device>() {
            return other.get().id == self.id;
        }
        other.cast::<PyString>().is_ok_and(|name| *name == *self.id.to_string())
    }

    fn __lt__(&self, other: &Device) -> bool {
        self.id() < other.id()
    }

    fn __le__(&self, other: &Device) -> bool {
        self.id() <= other.id()
    }

    fn __gt__(&self, other: &Device) -> bool {
        self.id() > other.id()
    }

    fn __ge__(&self, other: &Device) -> bool {
        self.id() >= other.id()
    }

    fn __hash__(&self, py: Python<'_>) -> Result<isize> {
        // That of the string which it is equal to.
        Ok(PyString::new(py, &self.id.to_string()).hash()?)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (String,)) {
        (slf.get_type().into_any(), (slf.get().__str__(),))
    }
}

impl Device {
    fn handle(&self, library: &str) -> Result<u64> {
        Ok(self.context()?.device().system()?.library_handle(library)?)
    }
}

/// Every device of every backend that works here.
#[pyfunction]
pub fn available_devices(py: Python<'_>) -> Result<Vec<Device>> {
    let infos = wait::detached(py, cuproxide_backends::devices);
    infos.iter().map(|info| Ok(Device::of(&named(&info.id.to_string())?))).collect()
}

/// Number of devices of a backend, by default that of the current device; 0 if it does not work here.
#[pyfunction]
#[pyo3(signature = (backend=None))]
pub fn device_count(py: Python<'_>, backend: Option<&str>) -> Result<usize> {
    let name = match backend {
        Some(name) => name.to_owned(),
        None => Context::current()?.id().backend.to_owned(),
    };
    let backend = cuproxide_backends::backend(&name)?;
    Ok(wait::detached(py, || backend.device_count()).unwrap_or(0))
}

/// Names of the backends in this build.
#[pyfunction]
pub fn backends() -> Vec<&'static str> {
    cuproxide_backends::names()
}

/// What each backend found, as plain data. Opens everything that can be opened, never fails.
#[pyfunction]
pub fn reports(py: Python<'_>) -> Result<Bound<'_, PyList>> {
    let reports = wait::detached(py, cuproxide_backends::reports);
    let list = PyList::empty(py);
    for report in &reports {
        list.append(describe(py, report)?)?;
    }
    Ok(list)
}

fn describe<'py>(py: Python<'py>, report: &Report) -> Result<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("backend", report.backend)?;
    let devices = PyList::empty(py);
    match &report.devices {
        Err(error) => out.set_item("error", error.to_string())?,
        Ok(infos) => {
            out.set_item("error", py.None())?;
            for info in infos {
                let device = PyDict::new(py);
                device.set_item("name", info.id.to_string())?;
                device.set_item("product", &info.name)?;
                device.set_item("architecture", &info.architecture)?;
                device.set_item("total_memory", info.total_memory)?;
                device.set_item("capability", info.capability)?;
                device.set_item("processors", info.processors)?;
                devices.append(device)?;
            }
        }
    }
    out.set_item("devices", devices)?;
    let libraries = PyList::empty(py);
    for status in &report.libraries {
        let library = PyDict::new(py);
        library.set_item("name", &status.name)?;
        match &status.found {
            Ok((path, version)) => {
                library.set_item("path", path)?;
                library.set_item("version", version)?;
                library.set_item("error", py.None())?;
            }
            Err(missing) => {
                let attempts: Vec<(&str, &str)> =
                    missing.attempts.iter().map(|attempt| (attempt.path.as_str(), attempt.error.as_str())).collect();
                library.set_item("error", missing.to_string())?;
                library.set_item("attempts", attempts)?;
                library.set_item("hint", &missing.hint)?;
            }
        }
        libraries.append(library)?;
    }
    out.set_item("libraries", libraries)?;
    out.set_item("facts", report.facts.clone())?;
    Ok(out)
}
