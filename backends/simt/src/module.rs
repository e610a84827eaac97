//! A compiled text in the process: its kernels, its variables, and launching.

use std::error::Error as _;
use std::ffi::{CStr, CString, c_char, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use cuproxide_codegen::cache::DiskCache;
use cuproxide_hal::{Error, FunctionAttribute, RawLaunch, Result, SourceText};
use libloading::os::unix as system;

use crate::compiler::{MAX_DYNAMIC_SHARED, compile, temporary_folder};
use crate::guard;
use crate::launch::{Calls, MAX_COOPERATIVE_BLOCKS, Pool, launch};
use crate::names::RENAMED;
use crate::state::State;

/// Dynamic shared memory that a launch may have without asking.
const SHARED_WITHOUT_ASKING: u32 = 48 * 1024;
/// Threads of a block.
const MAX_THREADS: u64 = 1024;
/// Threads of a block and blocks of a grid in each direction.
const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
const MAX_GRID: [u32; 3] = [i32::MAX as u32, 65_535, 65_535];

/// What launches are limited to, by the names of CUDA's attributes of devices.
pub const LIMITS: [(&str, i64); 9] = [
    ("MaxThreadsPerBlock", MAX_THREADS as i64),
    ("MaxBlockDimX", MAX_BLOCK[0] as i64),
    ("MaxBlockDimY", MAX_BLOCK[1] as i64),
    ("MaxBlockDimZ", MAX_BLOCK[2] as i64),
    ("MaxGridDimX", MAX_GRID[0] as i64),
    ("MaxGridDimY", MAX_GRID[1] as i64),
    ("MaxGridDimZ", MAX_GRID[2] as i64),
    ("MaxSharedMemoryPerBlock", SHARED_WITHOUT_ASKING as i64),
    ("MaxSharedMemoryPerBlockOptin", MAX_DYNAMIC_SHARED as i64),
];

/// The other side of `__cpx::kernel` in `include/detail/runtime.h`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Described {
    name: *const c_char,
    address: *const c_void,
    thread: Option<unsafe extern "C" fn(*mut *mut c_void) -> i32>,
    block: Option<unsafe extern "C" fn(*mut *mut c_void) -> i32>,
    count: u64,
    sizes: *const u64,
}

/// A kernel or variable of a library.
struct Known {
    name: String,
    address: u64,
    /// How to call it; nothing for a variable.
    calls: Option<Calls>,
    /// Sizes of the parameters, or of the variable.
    sizes: Vec<usize>,
}

/// A shared library with kernels. Each has variables of its own, also where two come from one text.
pub struct Library {
    name: String,
    handle: system::Library,
    known: Vec<Known>,
    finish: unsafe extern "C" fn(),
    warnings: Vec<String>,
}

impl Library {
    /// Compiles and loads a text.
    ///
    /// # Errors
    /// A missing compiler, [`Error::Compile`], or a system that does not let code be loaded.
    pub fn compile(text: &SourceText<'_>) -> Result<Arc<Library>> {
        let warnings: Vec<String> = DiskCache::of_process().warning().into_iter().collect();
        compile(text, |image| Library::load_warning(text.name, image, warnings.clone()))
    }

    /// What the user should know about how it was compiled.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Loads what a compilation made.
    ///
    /// # Errors
    /// [`Error::Kernel`] for an image that is no such library.
    pub fn load(name: &str, image: &[u8]) -> Result<Arc<Library>> {
        Library::load_warning(name, image, vec![])
    }

    fn load_warning(name: &str, image: &[u8], warnings: Vec<String>) -> Result<Arc<Library>> {
        let refused = |reason: String| Error::Kernel { kernel: name.to_owned(), reason };
        // A new file for each: the system knows libraries by their path.
        let folder = temporary_folder(&std::env::temp_dir())
            .map_err(|error| refused(format!("no temporary folder: {error}")))?;
        let path = folder.path().join("kernel.so");
        std::fs::write(&path, image)
            .map_err(|error| refused(format!("{} cannot be written: {error}", path.display())))?;
        // SAFETY: what the library runs when it is loaded are constructors of the user's variables, which is what the
        // user asked for.
        let handle = unsafe { system::Library::open(Some(&path), system::RTLD_NOW | system::RTLD_LOCAL) };
        let handle = handle.map_err(|error| {
            let reason = error.source().map_or_else(|| error.to_string(), ToString::to_string);
            refused(format!("the compiled kernel cannot be loaded: {reason}"))
        })?;
        let symbol = |symbol: &CStr| -> Result<*mut c_void> {
            // SAFETY: only the address is taken.
            let found = unsafe { handle.get::<*mut c_void>(symbol.to_bytes_with_nul()) };
            let found = found.map_err(|error| refused(format!("this is not a library of kernels: {error}")))?;
            Ok(found.as_raw_ptr())
        };
        let (describe, begin) = (symbol(c"__cpx_describe")?, symbol(c"__cpx_begin")?);
        let (set_block, set_thread) = (symbol(c"__cpx_set_block")?, symbol(c"__cpx_set_thread")?);
        let land = symbol(c"__cpx_land")?;
        let code = guard::code_around(land as usize);
        let (finish, suspends) = (symbol(c"__cpx_finish")?, symbol(c"__cpx_suspends").is_ok());
        // SAFETY: the closing lines of every text define these functions with these signatures; the list has as many
        // places as were counted.
        let (known, finish) = unsafe {
            let describe: unsafe extern "C" fn(*mut Described) -> u64 = std::mem::transmute(describe);
            let count = describe(std::ptr::null_mut()) as usize;
            let mut list: Vec<Described> = Vec::with_capacity(count);
            describe(list.as_mut_ptr());
            list.set_len(count);
            type Triple = unsafe extern "C" fn(u32, u32, u32);
            let set_block = std::mem::transmute::<*mut c_void, Triple>(set_block);
            let set_thread = std::mem::transmute::<*mut c_void, Triple>(set_thread);
            let begin =
                std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*const u32, *const u32) -> *mut State>(begin);
            let land = std::mem::transmute::<*mut c_void, guard::Land>(land);
            let read = |one: &Described| {
                let calls = one.thread.zip(one.block).map(|(thread, block)| Calls {
                    thread,
                    block,
                    begin,
                    set_block,
                    set_thread,
                    land,
                    suspends,
                    code: code.clone(),
                });
                Known {
                    name: CStr::from_ptr(one.name).to_string_lossy().into_owned(),
                    address: one.address as u64,
                    calls,
                    sizes: (0..one.count as usize).map(|index| *one.sizes.add(index) as usize).collect(),
                }
            };
            (list.iter().map(read).collect(), std::mem::transmute::<*mut c_void, unsafe extern "C" fn()>(finish))
        };
        Ok(Arc::new(Library { name: name.to_owned(), handle, known, finish, warnings }))
    }

    fn missing(&self, what: &'static str, name: &str) -> Error {
        Error::NoSuchSymbol { module: self.name.clone(), what, name: name.to_owned() }
    }

    /// The address of a symbol of the library itself, not of those that it uses.
    fn address(&self, name: &str) -> Option<u64> {
        let find = |name: String| {
            let name = CString::new(name).ok()?;
            // SAFETY: only the address is taken.
            let found = unsafe { self.handle.get::<*mut c_void>(name.as_bytes_with_nul()) };
            let found = found.ok()?.as_raw_ptr();
            (object_of(found) == object_of(self.finish as *const c_void)).then_some(found as u64)
        };
        find(format!("{RENAMED}{name}")).or_else(|| find(name.to_owned()))
    }

    /// A kernel by its name, by an expression that was compiled, or by its mangled name.
    ///
    /// # Errors
    /// [`Error::NoSuchSymbol`].
    pub fn function(self: &Arc<Library>, name: &str) -> Result<Function> {
        let kernels = || self.known.iter().enumerate().filter(|(_, known)| known.calls.is_some());
        let named = kernels().find(|(_, known)| known.name == name);
        let found = named.or_else(|| {
            let address = self.address(name)?;
            kernels().find(|(_, known)| known.address == address)
        });
        let (index, _) = found.ok_or_else(|| self.missing("function", name))?;
        Ok(Function {
            library: self.clone(),
            index,
            max_shared: AtomicI64::new(SHARED_WITHOUT_ASKING.into()),
            carveout: AtomicI64::new(-1),
        })
    }

    /// Address and size of a variable.
    ///
    /// # Errors
    /// [`Error::NoSuchSymbol`].
    pub fn global(&self, name: &str) -> Result<(u64, usize)> {
        let plain = name.trim().trim_start_matches('&');
        let named =
            self.known.iter().find(|known| known.calls.is_none() && (known.name == name || known.name == plain));
        if let Some(known) = named {
            return Ok((known.address, known.sizes[0]));
        }
        let address = self.address(plain).ok_or_else(|| self.missing("variable", name))?;
        let bytes = symbol_size(address).ok_or_else(|| self.missing("variable", name))?;
        Ok((address, bytes))
    }
}

/// The entry of a symbol table, of which only the size matters.
#[repr(C)]
struct Symbol {
    name: u32,
    info: u8,
    other: u8,
    section: u16,
    value: u64,
    size: u64,
}

#[link(name = "c")]
unsafe extern "C" {
    fn dladdr1(address: *const c_void, info: *mut libc::Dl_info, extra: *mut *mut c_void, flags: i32) -> i32;
}

const RTLD_DL_SYMENT: i32 = 1;

/// Where the object begins that holds an address; 0 if none does.
fn object_of(address: *const c_void) -> usize {
    // SAFETY: the loader fills the structure in for an address that it knows, or returns 0.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(address, &mut info) == 0 { 0 } else { info.dli_fbase as usize }
    }
}

/// Size of the variable at an address, from the library's symbol table.
fn symbol_size(address: u64) -> Option<usize> {
    let mut entry: *mut c_void = std::ptr::null_mut();
    // SAFETY: the loader fills both structures in for an address of a library that it knows, or returns 0.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if dladdr1(address as *const c_void, &mut info, &mut entry, RTLD_DL_SYMENT) == 0 || entry.is_null() {
            return None;
        }
        Some((*entry.cast::<Symbol>()).size as usize)
    }
}

/// A kernel of a library.
pub struct Function {
    library: Arc<Library>,
    index: usize,
    max_shared: AtomicI64,
    carveout: AtomicI64,
}

impl Function {
    fn known(&self) -> &Known {
        &self.library.known[self.index]
    }

    /// Sizes in bytes of the parameters.
    pub fn parameters(&self) -> &[usize] {
        &self.known().sizes
    }

    fn refused(&self, reason: impl Into<String>) -> Error {
        Error::Kernel { kernel: self.known().name.clone(), reason: reason.into() }
    }

    /// Runs the kernel and waits for its end.
    ///
    /// # Errors
    /// [`Error::Kernel`] for a geometry that no GPU would take, and for a kernel that fails: a failed assertion, a
    /// deadlock.
    ///
    /// # Safety
    /// The parameters fit the kernel's signature, aligned to 16 bytes or as their types demand.
    pub unsafe fn launch(&self, geometry: RawLaunch, parameters: &mut [*mut u8], pool: &dyn Pool) -> Result<()> {
        self.check(geometry)?;
        let known = self.known();
        if parameters.len() != known.sizes.len() {
            let (wanted, given) = (known.sizes.len(), parameters.len());
            return Err(self.refused(format!("takes {wanted} arguments, {given} were given")));
        }
        let Some(calls) = &known.calls else { return Err(self.library.missing("function", &known.name)) };
        // SAFETY: the caller's promise; the library stays loaded.
        unsafe {
            let outcome = launch(calls, geometry, parameters.as_mut_ptr().cast(), pool);
            (self.library.finish)();
            outcome.map_err(|reason| self.refused(reason))
        }
    }

    /// Whether a GPU would take a launch of this geometry.
    ///
    /// # Errors
    /// [`Error::Kernel`].
    pub fn check(&self, geometry: RawLaunch) -> Result<()> {
        let RawLaunch { grid, block, shared, cooperative } = geometry;
        let triple = |t: [u32; 3]| format!("({}, {}, {})", t[0], t[1], t[2]);
        for (what, given, most) in [("grid", grid, MAX_GRID), ("block", block, MAX_BLOCK)] {
            if given.iter().zip(&most).any(|(&given, &most)| given == 0 || given > most) {
                let range = format!("from (1, 1, 1) to {}", triple(most));
                return Err(self.refused(format!("a {what} of {} is not in the range {range}", triple(given))));
            }
        }
        let threads: u64 = block.iter().map(|&length| u64::from(length)).product();
        if threads > MAX_THREADS {
            return Err(self.refused(format!("a block of {threads} threads has more than {MAX_THREADS}")));
        }
        let most = self.max_shared.load(Ordering::Relaxed);
        if i64::from(shared) > most {
            return Err(self.refused(format!(
                "{shared} bytes of shared memory are more than max_dynamic_shared_size_bytes, which is {most}"
            )));
        }
        let blocks: u64 = grid.iter().map(|&length| u64::from(length)).product();
        if cooperative && blocks > MAX_COOPERATIVE_BLOCKS {
            return Err(self.refused(format!(
                "{blocks} blocks are more than the {MAX_COOPERATIVE_BLOCKS} that can run at a time"
            )));
        }
        Ok(())
    }

    /// An attribute; registers and the like are 0, as a host has none.
    pub fn attribute(&self, which: FunctionAttribute) -> i64 {
        match which {
            FunctionAttribute::MaxThreadsPerBlock => MAX_THREADS as i64,
            FunctionAttribute::MaxDynamicSharedSizeBytes => self.max_shared.load(Ordering::Relaxed),
            FunctionAttribute::PreferredSharedMemoryCarveout => self.carveout.load(Ordering::Relaxed),
            _ => 0,
        }
    }

    /// Sets an attribute.
    ///
    /// # Errors
    /// [`Error::Kernel`] for one that is fixed, and for a value out of range.
    pub fn set_attribute(&self, which: FunctionAttribute, value: i64) -> Result<()> {
        let (cell, range) = match which {
            FunctionAttribute::MaxDynamicSharedSizeBytes => (&self.max_shared, 0..=i64::from(MAX_DYNAMIC_SHARED)),
            FunctionAttribute::PreferredSharedMemoryCarveout => (&self.carveout, -1..=100),
            other => return Err(self.refused(format!("{other:?} cannot be set"))),
        };
        if !range.contains(&value) {
            return Err(self.refused(format!("{which:?} must be in {range:?}, not {value}")));
        }
        cell.store(value, Ordering::Relaxed);
        Ok(())
    }
}
