//! Loaded code: modules, functions, launches.

use std::sync::Arc;

use cuproxide_hal::{FunctionAttribute, RawLaunch};
use cuproxide_simt::{Function, Library, Pool};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::compiler::MARK;
use crate::status::*;
use crate::{calls, memory, queue};

/// Threads that blocks of a launch run on.
const THREADS: usize = 2;

struct Threads(rayon::ThreadPool);

impl Pool for Threads {
    fn threads(&self) -> usize {
        THREADS
    }

    fn run(&self, tasks: usize, body: &(dyn Fn(usize) + Sync)) {
        self.0.scope(|scope| (0..tasks).for_each(|task| scope.spawn(move |_| body(task))));
    }
}

fn threads() -> &'static Threads {
    static POOL: std::sync::OnceLock<Threads> = std::sync::OnceLock::new();
    POOL.get_or_init(|| {
        Threads(rayon::ThreadPoolBuilder::new().num_threads(THREADS).build().expect("the system has threads"))
    })
}

#[derive(Clone)]
struct Loaded {
    module: u64,
    name: String,
    function: Arc<Function>,
}

#[derive(Default)]
struct Code {
    modules: FxHashMap<u64, Arc<Library>>,
    functions: FxHashMap<u64, Loaded>,
    /// Variables that were asked for, by their modules.
    variables: Vec<(u64, u64)>,
}

static CODE: Mutex<Option<Code>> = Mutex::new(None);

/// Loads an image that [`crate::compiler`] made.
///
/// # Safety
/// The address is that of such an image, or of one that starts otherwise within the mark's length.
pub unsafe fn load(image: *const u8) -> Outcome<u64> {
    if image.is_null() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: the caller's promise.
    let image = unsafe {
        if (0..MARK.len()).any(|at| *image.add(at) != MARK[at]) {
            return Err(INVALID_IMAGE);
        }
        let length = image.add(MARK.len()).cast::<u64>().read_unaligned() as usize;
        std::slice::from_raw_parts(image.add(MARK.len() + 8), length)
    };
    let library = Library::load("stand-in", image).map_err(|error| {
        eprintln!("stand-in: {error}");
        INVALID_IMAGE
    })?;
    let module = queue::state().next();
    CODE.lock().get_or_insert_default().modules.insert(module, library);
    Ok(module)
}

/// Forgets a module and its functions.
pub fn unload(module: u64) -> Outcome {
    let mut code = CODE.lock();
    let code = code.get_or_insert_default();
    code.functions.retain(|_, loaded| loaded.module != module);
    for (_, address) in code.variables.extract_if(.., |(owner, _)| *owner == module) {
        memory::remove_variable(address);
    }
    code.modules.remove(&module).map(drop).ok_or(INVALID_HANDLE)
}

/// Number of modules.
pub fn modules() -> usize {
    CODE.lock().as_ref().map_or(0, |code| code.modules.len())
}

/// A function of a module; the same handle each time.
pub fn function(module: u64, name: &str) -> Outcome<u64> {
    let mut code = CODE.lock();
    let code = code.get_or_insert_default();
    if let Some((&handle, _)) = code.functions.iter().find(|(_, known)| known.module == module && known.name == name) {
        return Ok(handle);
    }
    let library = code.modules.get(&module).ok_or(INVALID_HANDLE)?;
    let function = Arc::new(library.function(name).map_err(|_| NOT_FOUND)?);
    let handle = queue::state().next();
    code.functions.insert(handle, Loaded { module, name: name.to_owned(), function });
    Ok(handle)
}

/// Address and size of a variable.
pub fn global(module: u64, name: &str) -> Outcome<(u64, usize)> {
    let device = calls::current()?;
    let mut code = CODE.lock();
    let code = code.get_or_insert_default();
    let library = code.modules.get(&module).ok_or(INVALID_HANDLE)?;
    let (address, bytes) = library.global(name).map_err(|_| NOT_FOUND)?;
    if !code.variables.contains(&(module, address)) {
        code.variables.push((module, address));
        memory::add_variable(address, bytes, device);
    }
    Ok((address, bytes))
}

fn loaded(function: u64) -> Outcome<Loaded> {
    CODE.lock().as_ref().and_then(|code| code.functions.get(&function)).cloned().ok_or(INVALID_HANDLE)
}

fn which(number: i32) -> Outcome<FunctionAttribute> {
    let all = FunctionAttribute::ALL.iter().map(|(_, attribute)| *attribute);
    all.into_iter().find(|attribute| *attribute as i32 == number).ok_or(INVALID_VALUE)
}

/// An attribute of a function.
pub fn attribute(function: u64, number: i32) -> Outcome<i32> {
    let loaded = loaded(function)?;
    Ok(match which(number)? {
        FunctionAttribute::NumRegs => 32,
        FunctionAttribute::PtxVersion | FunctionAttribute::BinaryVersion => 90,
        attribute => loaded.function.attribute(attribute) as i32,
    })
}

/// Sets an attribute of a function.
pub fn set_attribute(function: u64, number: i32, value: i32) -> Outcome {
    loaded(function)?.function.set_attribute(which(number)?, value.into()).map_err(|_| INVALID_VALUE)
}

/// How many parameters a function has.
pub fn parameters(function: u64) -> Outcome<usize> {
    Ok(loaded(function)?.function.parameters().len())
}

/// Size of a parameter of a function.
pub fn parameter(function: u64, index: usize) -> Outcome<(usize, usize)> {
    let loaded = loaded(function)?;
    let sizes = loaded.function.parameters();
    let bytes = *sizes.get(index).ok_or(INVALID_VALUE)?;
    Ok((sizes[..index].iter().map(|size| size.next_multiple_of(8)).sum(), bytes))
}

/// A launch with a copy of its arguments.
pub struct Launch {
    loaded: Loaded,
    geometry: RawLaunch,
    /// Each parameter in 16-byte words of its own.
    parameters: Vec<Vec<u128>>,
}

impl Launch {
    /// Reads the arguments.
    ///
    /// # Safety
    /// `parameters` holds an address for each of the function's parameters.
    pub unsafe fn new(function: u64, geometry: RawLaunch, parameters: *mut *mut std::ffi::c_void) -> Outcome<Launch> {
        let loaded = loaded(function)?;
        loaded.function.check(geometry).map_err(|error| {
            let cooperative = geometry.cooperative && error.to_string().contains("at a time");
            if cooperative { COOPERATIVE_TOO_LARGE } else { INVALID_VALUE }
        })?;
        let sizes = loaded.function.parameters();
        if parameters.is_null() && !sizes.is_empty() {
            return Err(INVALID_VALUE);
        }
        let mut copies = vec![];
        for (index, &size) in sizes.iter().enumerate() {
            let mut copy = vec![0u128; size.div_ceil(16).max(1)];
            // SAFETY: the caller's promise.
            unsafe {
                let from = (*parameters.add(index)).cast::<u8>();
                std::ptr::copy_nonoverlapping(from, copy.as_mut_ptr().cast::<u8>(), size);
            }
            copies.push(copy);
        }
        Ok(Launch { loaded, geometry, parameters: copies })
    }

    /// Name of the function.
    pub fn name(&self) -> &str {
        &self.loaded.name
    }

    /// Runs the kernel.
    pub fn run(&self) -> Outcome {
        let mut parameters: Vec<*mut u8> =
            self.parameters.iter().map(|copy| copy.as_ptr().cast_mut().cast::<u8>()).collect();
        // SAFETY: the parameters have the sizes of the function's; what they point to is the caller's business.
        let outcome = unsafe { self.loaded.function.launch(self.geometry, &mut parameters, threads()) };
        outcome.map_err(|error| {
            let text = error.to_string();
            eprintln!("stand-in: {text}");
            if text.contains("illegal address") {
                ILLEGAL_ADDRESS
            } else if text.contains("misaligned address") {
                MISALIGNED_ADDRESS
            } else if text.contains("Assertion `") {
                ASSERT
            } else {
                LAUNCH_FAILED
            }
        })
    }
}
