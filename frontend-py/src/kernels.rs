//! Kernels that the user wrote as text: modules, their functions, and launching them.

use std::ffi::CString;
use std::sync::Arc;

use cuproxide_core::detach::detached;
use cuproxide_core::memory::capture;
use cuproxide_core::timeline::{self, Work};
use cuproxide_core::{Array, Context};
use cuproxide_hal as hal;
use cuproxide_hal::{DType, DeviceId, FunctionAttribute, RawFunction, RawLaunch, Scalar, SourceText};
use parking_lot::RwLock;
use pyo3::exceptions::{PyOverflowError, PyRuntimeWarning};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyComplex, PyComplexMethods, PyDict, PyFloat, PyInt, PyTuple};
use smallvec::SmallVec;

use crate::arguments;
use crate::dtypes::Numpy;
use crate::errors::{Result, type_error, value_error};
use crate::interop;
use crate::kernel_values::ByValue;
use crate::ndarray::NdArray;
use crate::stream::{Stream, on_stream};
use crate::wait;

/// What a module is made of.
enum Source {
    Text { text: String, options: Vec<String>, expressions: Vec<String> },
    Image(Vec<u8>),
}

/// What each device has of a text or a kernel in it, from its first use there.
struct OnDevices<T: ?Sized + Send + Sync>(RwLock<Vec<(DeviceId, Arc<T>)>>);

impl<T: ?Sized + Send + Sync> OnDevices<T> {
    fn new() -> OnDevices<T> {
        OnDevices(RwLock::default())
    }

    fn get(&self, device: DeviceId) -> Option<Arc<T>> {
        self.0.read().iter().find(|(id, _)| *id == device).map(|(_, found)| found.clone())
    }

    /// What the device has from now on, and whether that is `made`: another thread may have been as fast.
    fn insert(&self, device: DeviceId, made: Arc<T>) -> (Arc<T>, bool) {
        let mut all = self.0.write();
        match all.iter().find(|(id, _)| *id == device) {
            Some((_, first)) => (first.clone(), false),
            None => {
                all.push((device, made.clone()));
                (made, true)
            }
        }
    }
}

impl<T: ?Sized + Send + Sync> Drop for OnDevices<T> {
    fn drop(&mut self) {
        // Drivers may wait for the device before they unload anything.
        let all = std::mem::take(self.0.get_mut());
        if !all.is_empty() {
            detached(|| drop(all));
        }
    }
}

/// A text or file with kernels, compiled or loaded for each device at its first use there.
pub struct Shared {
    name: String,
    source: Source,
    cooperative: bool,
    loaded: OnDevices<dyn hal::Module>,
}

impl Shared {
    fn on(&self, py: Python<'_>, context: &Context) -> Result<Arc<dyn hal::Module>> {
        if let Some(module) = self.loaded.get(context.id()) {
            return Ok(module);
        }
        let device = context.device();
        let made = wait::detached(py, || {
            let _span = timeline::scope(Work::Compile, &self.name, context.id(), || 0);
            match &self.source {
                Source::Text { text, options, expressions } => {
                    device.compile_text(&SourceText { name: &self.name, text, options, expressions })
                }
                Source::Image(image) => device.load_image(&self.name, image),
            }
        })?;
        // All threads must see the same variables.
        let (module, is_new) = self.loaded.insert(context.id(), made);
        for warning in if is_new { module.warnings() } else { &[] } {
            let message = format!("kernel {} on {}: {warning}", self.name, context.id());
            let message = CString::new(message).map_err(PyErr::from)?;
            PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &message, 1)?;
        }
        Ok(module)
    }
}

/// A text or file with kernels.
#[pyclass(module = "cuproxide._cuproxide", frozen)]
pub struct KernelModule(Arc<Shared>);

#[pymethods]
impl KernelModule {
    #[new]
    #[pyo3(signature = (name, text=None, options=Vec::new(), expressions=Vec::new(), image=None, cooperative=false))]
    fn __new__(
        name: String,
        text: Option<String>,
        options: Vec<String>,
        expressions: Vec<String>,
        image: Option<&Bound<'_, PyBytes>>,
        cooperative: bool,
    ) -> Result<KernelModule> {
        let source = match (text, image) {
            (Some(text), None) => Source::Text { text, options, expressions },
            (None, Some(image)) => Source::Image(image.as_bytes().to_vec()),
            _ => return Err(type_error("a module is made of either a text or a file")),
        };
        Ok(KernelModule(Arc::new(Shared { name, source, cooperative, loaded: OnDevices::new() })))
    }

    /// Compiles or loads the module for the current device.
    fn compile(&self, py: Python<'_>) -> Result<()> {
        self.0.on(py, &*Context::current()?).map(drop)
    }

    /// The vendor's intermediate code of the text for the current device, for linkers that join kernels at run time.
    fn link_code<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>> {
        let context = Context::current()?;
        let Source::Text { text, options, expressions } = &self.0.source else {
            return Err(type_error(format!("module {} was loaded from a file, not compiled from a text", self.0.name)));
        };
        let text = SourceText { name: &self.0.name, text, options, expressions };
        let code = wait::long(py, || Ok(context.device().compile_for_linking(&text)?))?;
        Ok(PyBytes::new(py, &code))
    }

    /// The kernel with a name; it is looked up at its first use.
    fn function(&self, name: String) -> KernelFunction {
        KernelFunction { module: self.0.clone(), name, resolved: OnDevices::new() }
    }

    /// Address and size in bytes of a variable on the current device.
    fn variable(&self, py: Python<'_>, name: &str) -> Result<(u64, usize)> {
        Ok(self.0.on(py, &*Context::current()?)?.global(name)?)
    }
}

/// A kernel that can be launched: the base of `RawKernel`, whose calls come here without a detour through Python.
#[pyclass(module = "cuproxide._cuproxide", frozen, subclass)]
pub struct KernelFunction {
    module: Arc<Shared>,
    name: String,
    resolved: OnDevices<dyn RawFunction>,
}

impl KernelFunction {
    fn on(&self, py: Python<'_>, context: &Context) -> Result<Arc<dyn RawFunction>> {
        if let Some(function) = self.resolved.get(context.id()) {
            return Ok(function);
        }
        let made = self.module.on(py, context)?.function(&self.name)?;
        Ok(self.resolved.insert(context.id(), made).0)
    }

    fn current(&self, py: Python<'_>) -> Result<Arc<dyn RawFunction>> {
        self.on(py, &*Context::current()?)
    }
}

#[pymethods]
impl KernelFunction {
    /// The kernel with a name in a module.
    #[new]
    fn __new__(module: &KernelModule, name: String) -> KernelFunction {
        module.function(name)
    }

    /// Queues the kernel on a stream, or on the current one.
    #[pyo3(signature = (grid, block, args, shared_mem=0, stream=None))]
    fn __call__(
        &self,
        py: Python<'_>,
        grid: &Bound<'_, PyAny>,
        block: &Bound<'_, PyAny>,
        args: &Bound<'_, PyAny>,
        shared_mem: u32,
        stream: Option<&Bound<'_, Stream>>,
    ) -> Result<()> {
        let context = match stream {
            Some(stream) => stream.get().resolve()?.0,
            None => Context::current()?,
        };
        let function = self.on(py, &context)?;
        let geometry = RawLaunch {
            grid: self.geometry("grid", grid)?,
            block: self.geometry("block", block)?,
            shared: shared_mem,
            cooperative: self.module.cooperative,
        };
        let mut packed = Packed::new(&self.name, &context);
        let sizes = function.parameters();
        let size = |index: usize| sizes.and_then(|sizes| sizes.get(index)).copied();
        match args.cast::<PyTuple>() {
            Ok(tuple) => {
                for (index, argument) in tuple.iter_borrowed().enumerate() {
                    packed.add(index, &argument, size(index))?;
                }
            }
            Err(_) => {
                for (index, argument) in args.try_iter()?.enumerate() {
                    packed.add(index, &argument?, size(index))?;
                }
            }
        }
        if let Some(sizes) = sizes
            && sizes.len() != packed.starts.len()
        {
            let (takes, given) = (sizes.len(), packed.starts.len());
            return Err(type_error(format!("kernel {} takes {takes} arguments, {given} were given", self.name)));
        }
        let Packed { mut words, starts, owners, .. } = packed;
        cuproxide_core::trace::refuse("it launches a kernel of its own");
        on_stream(stream, || {
            let first = words.as_mut_ptr();
            let work = || -> hal::Result<()> {
                let _span = timeline::queued(Work::Kernel, &self.name, &context, || 0);
                let mut pointers: SmallVec<[*mut u8; 16]> = SmallVec::with_capacity(starts.len());
                for &start in &starts {
                    pointers.push(first.wrapping_add(start).cast());
                }
                // SAFETY: the addresses are those of the packed values, which outlive the call. That their types are
                // those of the kernel's parameters is the promise of the program, as on any GPU.
                context.with_stream(|stream| unsafe { function.launch(stream.as_ref(), geometry, &mut pointers) })?;
                if !owners.is_empty()
                    && let Some(hold) = capture::current(&context)
                {
                    hold.keep(Arc::new(owners));
                }
                Ok(())
            };
            if context.info().asynchronous {
                return Ok(work()?);
            }
            let work = Sendable(work);
            let outcome = wait::long(py, move || Ok(work.call()?));
            if outcome.is_err() {
                // A kernel that Ctrl-C has ended failed for that reason.
                py.check_signals()?;
            }
            outcome
        })
    }

    /// Compiles the module for the current device and finds the kernel in it.
    fn resolve(&self, py: Python<'_>) -> Result<()> {
        self.current(py).map(drop)
    }

    /// The kernel's attributes on the current device.
    fn attributes<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>> {
        let function = self.current(py)?;
        let found = PyDict::new(py);
        for (name, which) in FunctionAttribute::ALL {
            found.set_item(name, function.attribute(which)?)?;
        }
        Ok(found)
    }

    /// One attribute on the current device.
    fn attribute(&self, py: Python<'_>, name: &str) -> Result<i64> {
        Ok(self.current(py)?.attribute(attribute_named(name)?)?)
    }

    /// Sets an attribute on the current device.
    ///
    /// Parameters
    /// ----------
    /// name : str
    ///     The name of the attribute.
    /// value : int
    ///     Its value.
    fn set_attribute(&self, py: Python<'_>, name: &str, value: i64) -> Result<()> {
        Ok(self.current(py)?.set_attribute(attribute_named(name)?, value)?)
    }
}

fn attribute_named(name: &str) -> Result<FunctionAttribute> {
    let found = FunctionAttribute::ALL.iter().find(|(known, _)| *known == name);
    found.map(|&(_, which)| which).ok_or_else(|| value_error(format!("a kernel has no attribute {name}")))
}

/// Work over packed values, which no other thread touches while the launch runs detached from the interpreter.
struct Sendable<F>(F);

// SAFETY: see above; the raw pointers inside are to memory of the launching call, which waits for the work.
unsafe impl<F> Send for Sendable<F> {}

impl<F: FnOnce() -> T, T> Sendable<F> {
    fn call(self) -> T {
        (self.0)()
    }
}

impl KernelFunction {
    /// One to three numbers.
    fn geometry(&self, what: &str, object: &Bound<'_, PyAny>) -> Result<[u32; 3]> {
        let wrong = |given: String| {
            value_error(format!("kernel {}: {what} must be 1 to 3 positive integers, not {given}", self.name))
        };
        let numbers = arguments::integers(object)?;
        if numbers.is_empty() || numbers.len() > 3 {
            return Err(wrong(object.repr()?.to_string()));
        }
        let mut geometry = [1; 3];
        for (slot, &number) in geometry.iter_mut().zip(&numbers) {
            *slot = u32::try_from(number).ok().filter(|&number| number > 0).ok_or_else(|| wrong(number.to_string()))?;
        }
        Ok(geometry)
    }
}

/// A scalar of NumPy's whose bits a number of the host gives exactly.
fn plain_scalar(argument: &Bound<'_, PyAny>, dtype: DType) -> Option<Scalar> {
    match dtype {
        DType::F64 => Some(Scalar::real(dtype, argument.extract().ok()?)),
        DType::I8 | DType::I16 | DType::I32 | DType::I64 | DType::U8 | DType::U16 | DType::U32 => {
            Some(Scalar::integer(dtype, argument.extract::<i64>().ok()?.into()))
        }
        DType::F32 => {
            let value: f64 = argument.extract().ok()?;
            // The payload of a NaN would not survive.
            (!value.is_nan()).then(|| Scalar::real(dtype, value))
        }
        _ => None,
    }
}

/// The values of a launch's parameters, each aligned to 16 bytes.
struct Packed<'k> {
    name: &'k str,
    context: &'k Arc<Context>,
    words: SmallVec<[u128; 16]>,
    starts: SmallVec<[usize; 16]>,
    /// Textures and the like, while anything captures: its graph needs them.
    owners: Vec<Py<PyAny>>,
}

impl<'k> Packed<'k> {
    fn new(name: &'k str, context: &'k Arc<Context>) -> Packed<'k> {
        Packed { name, context, words: SmallVec::new(), starts: SmallVec::new(), owners: vec![] }
    }

    fn push(&mut self, value: u128) {
        self.starts.push(self.words.len());
        self.words.push(value);
    }

    fn push_bytes(&mut self, bytes: &[u8]) {
        self.starts.push(self.words.len());
        for part in bytes.chunks(16) {
            let mut word = [0; 16];
            word[..part.len()].copy_from_slice(part);
            self.words.push(u128::from_le_bytes(word));
        }
        if bytes.is_empty() {
            self.words.push(0);
        }
    }

    fn mismatch(&self, index: usize, argument: &Bound<'_, PyAny>, wanted: usize) -> Result<()> {
        let class = argument.get_type().name()?;
        Err(type_error(format!(
            "kernel {}: argument {index} is of type {class}, which does not fit a parameter of {wanted} bytes",
            self.name
        )))
    }

    /// Adds an argument; `wanted` is the size of the parameter if that is known.
    #[inline]
    fn add(&mut self, index: usize, argument: &Bound<'_, PyAny>, wanted: Option<usize>) -> Result<()> {
        if let Ok(array) = argument.cast_exact::<NdArray>() {
            let pointer = self.pointer(&array.get().read())?;
            return self.sized(index, argument, wanted, 8, pointer.into());
        }
        self.add_other(index, argument, wanted)
    }

    fn add_other(&mut self, index: usize, argument: &Bound<'_, PyAny>, wanted: Option<usize>) -> Result<()> {
        let py = argument.py();
        // A number in Python's own types fits every parameter that is not larger: integers are extended or cut.
        if let Ok(truth) = argument.cast_exact::<PyBool>() {
            return self.integral(index, argument, wanted, truth.is_true().into());
        }
        if argument.is_exact_instance_of::<PyInt>() {
            // The usual case first: wider integers take Python's arithmetic.
            if let Ok(value) = argument.extract::<i64>() {
                return self.integral(index, argument, wanted, i128::from(value) as u128);
            }
            let value: i128 = argument.extract()?;
            if value < i64::MIN.into() || value > u64::MAX.into() {
                let message = format!("kernel {}: argument {index}, {value}, does not fit 64 bits", self.name);
                return Err(PyOverflowError::new_err(message).into());
            }
            return self.integral(index, argument, wanted, value as u128);
        }
        if let Ok(float) = argument.cast_exact::<PyFloat>() {
            return self.sized(index, argument, wanted, 8, float.value().to_bits().into());
        }
        if let Ok(complex) = argument.cast_exact::<PyComplex>() {
            let [re, im] = [complex.real(), complex.imag()].map(|part| u128::from(part.to_bits()));
            return self.sized(index, argument, wanted, 16, re | im << 64);
        }
        if argument.is_none() {
            return self.sized(index, argument, wanted, 8, 0);
        }
        let numpy = Numpy::get(py)?;
        if let Some(dtype) = numpy.of_scalar_type(&argument.get_type())
            && let Some(scalar) = plain_scalar(argument, dtype)
        {
            let bytes = &scalar.bytes[..dtype.size()];
            if wanted.is_some_and(|wanted| wanted != bytes.len()) {
                return self.mismatch(index, argument, wanted.unwrap_or(0));
            }
            self.push_bytes(bytes);
            return Ok(());
        }
        if let Ok(value) = argument.cast::<ByValue>() {
            let bytes = value.get().bytes();
            if wanted.is_some_and(|wanted| wanted != bytes.len()) {
                return self.mismatch(index, argument, wanted.unwrap_or(0));
            }
            self.push_bytes(bytes);
            return Ok(());
        }
        if let Ok(array) = argument.cast::<NdArray>() {
            let pointer = self.pointer(&array.get().read())?;
            return self.sized(index, argument, wanted, 8, pointer.into());
        }
        if let Some(bytes) = crate::records::bytes(argument) {
            let pointer = self.pointer(&bytes.get().read())?;
            return self.sized(index, argument, wanted, 8, pointer.into());
        }
        let is_array = numpy.is_array(argument)?;
        if is_array || argument.is_instance(numpy.generic.bind(py))? {
            if is_array && argument.getattr(intern!(py, "size"))?.extract::<usize>()? != 1 {
                return Err(type_error(format!(
                    "kernel {}: argument {index} is a numpy.ndarray on the host; only those of size one can be passed, \
                     by value",
                    self.name
                )));
            }
            let bytes = argument.call_method0(intern!(py, "tobytes"))?;
            let bytes = bytes.cast::<PyBytes>()?.as_bytes();
            if wanted.is_some_and(|wanted| wanted != bytes.len()) {
                return self.mismatch(index, argument, wanted.unwrap_or(0));
            }
            self.push_bytes(bytes);
            return Ok(());
        }
        if let Some(shared) = interop::from_device_object(argument)? {
            let pointer = self.pointer(&shared.array)?;
            return self.sized(index, argument, wanted, 8, pointer.into());
        }
        // Memory, pointers into it, textures: whatever has an address or handle of its own.
        if let Some(pointer) = argument.getattr_opt(intern!(py, "ptr"))? {
            if capture::any_open() {
                self.owners.push(argument.clone().unbind());
            }
            return self.sized(index, argument, wanted, 8, pointer.extract::<u64>()?.into());
        }
        let class = argument.get_type();
        Err(type_error(format!("kernel {}: argument {index} has the unsupported type {class}", self.name)))
    }

    fn pointer(&self, array: &Array) -> Result<u64> {
        if **array.context() != **self.context {
            let (left, right) = (array.context().id(), self.context.id());
            return Err(value_error(format!(
                "kernel {}: an argument is an array on {left}, but the kernel is launched on {right}",
                self.name
            )));
        }
        Ok(array.ptr()?)
    }

    fn sized(
        &mut self,
        index: usize,
        argument: &Bound<'_, PyAny>,
        wanted: Option<usize>,
        given: usize,
        value: u128,
    ) -> Result<()> {
        if wanted.is_some_and(|wanted| wanted != given) {
            return self.mismatch(index, argument, wanted.unwrap_or(0));
        }
        self.push(value);
        Ok(())
    }

    fn integral(
        &mut self,
        index: usize,
        argument: &Bound<'_, PyAny>,
        wanted: Option<usize>,
        value: u128,
    ) -> Result<()> {
        if wanted.is_some_and(|wanted| wanted > 8) {
            return self.mismatch(index, argument, wanted.unwrap_or(0));
        }
        self.push(value);
        Ok(())
    }
}
