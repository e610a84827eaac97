//! Text to machine code: the disk cache first, NVRTC when it has nothing.

use std::ffi::{CString, c_void};
use std::sync::OnceLock;

use cuproxide_hal::{Error, Result};

use crate::api::driver::{Driver, driver};
use crate::api::nvrtc::{COMPILATION_FAILED, Nvrtc, WANTED, WANTED_12};
use crate::cache::{DiskCache, Key};
use crate::loader::Places;

/// A device architecture by its compute capability: `sm_90` is (9, 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Architecture {
    /// Major number.
    pub major: u32,
    /// Minor number.
    pub minor: u32,
}

impl Architecture {
    fn number(self) -> i32 {
        (self.major * 10 + self.minor) as i32
    }
}

/// Options of every kernel: no contraction, since a fused multiply-add rounds once where NumPy rounds twice.
const OPTIONS: [&str; 2] = ["--std=c++17", "--fmad=false"];

struct Compiler {
    nvrtc: Nvrtc,
    version: (i32, i32),
    architectures: Vec<i32>,
}

fn compiler() -> Result<&'static Compiler> {
    static COMPILER: OnceLock<Result<Compiler>> = OnceLock::new();
    COMPILER.get_or_init(open).as_ref().map_err(Clone::clone)
}

fn open() -> Result<Compiler> {
    let mut places = Places::of_process();
    // The tests' and CI's way to name one file.
    if let Some(path) = std::env::var_os("CUPROXIDE_NVRTC").filter(|path| !path.is_empty()) {
        let path = std::path::PathBuf::from(path);
        places.loaded = false;
        places.named = path.parent().map(Into::into).into_iter().collect();
    }
    let old_driver = driver().and_then(Driver::version).is_ok_and(|(major, _)| major < 13);
    let nvrtc = Nvrtc::new(places.open(if old_driver { &WANTED_12 } else { &WANTED })?);
    let (mut major, mut minor, mut count) = (0, 0, 0);
    // SAFETY: the functions write the integers whose addresses they get; the list has as many entries as were counted.
    let architectures = unsafe {
        nvrtc.version(&mut major, &mut minor)?;
        nvrtc.architecture_count(&mut count)?;
        let mut list = vec![0; count.max(0) as usize];
        nvrtc.architectures(list.as_mut_ptr())?;
        list
    };
    Ok(Compiler { nvrtc, version: (major, minor), architectures })
}

/// Path and version (major, minor) of the run-time compiler.
///
/// # Errors
/// A missing library.
pub fn compiler_version() -> Result<(String, (i32, i32))> {
    let compiler = compiler()?;
    Ok((compiler.nvrtc.library.path.clone(), compiler.version))
}

/// Whether the run-time compiler knows an architecture by name.
#[cfg(test)]
pub(crate) fn knows(architecture: Architecture) -> bool {
    compiler().is_ok_and(|compiler| compiler.architectures.contains(&architecture.number()))
}

/// Compiles generated text without looking at any cache, for tests that need a compiler and no device.
///
/// # Errors
/// A missing compiler, or [`Error::Compile`].
pub fn compile_text(name: &str, text: &str, architecture: Architecture) -> Result<Vec<u8>> {
    let compiler = compiler()?;
    compiler.run(name, text, &compiler.target(architecture), &OPTIONS.map(str::to_owned))
}

/// A text with everything that decides what comes out of it.
pub(crate) struct Request<'t> {
    name: &'t str,
    text: &'t str,
    target: Target,
    options: Vec<String>,
    pub key: Key,
}

impl<'t> Request<'t> {
    /// A text of ours, or with `options` one of the user's.
    pub fn new(
        name: &'t str,
        text: &'t str,
        architecture: Architecture,
        options: Option<&[String]>,
    ) -> Result<Request<'t>> {
        let compiler = compiler()?;
        let mut target = compiler.target(architecture);
        let options = match options {
            None => OPTIONS.map(str::to_owned).to_vec(),
            Some(options) => {
                let names_target =
                    |option: &str| option.starts_with("--gpu-architecture") || option.starts_with("-arch");
                if let Some(own) = options.iter().find(|option| names_target(option)) {
                    target = Target { binary: own.contains("sm_"), option: own.clone() };
                }
                let mut options: Vec<String> = options.iter().filter(|option| !names_target(option)).cloned().collect();
                if text.contains("#include") {
                    let folders = Places::of_process().include_folders();
                    options.extend(folders.iter().map(|folder| format!("--include-path={}", folder.display())));
                }
                options
            }
        };
        let version = format!("nvrtc {}.{}", compiler.version.0, compiler.version.1);
        let parts = [text, &version, &target.option].into_iter().chain(options.iter().map(String::as_str));
        let key = Key::of(parts.map(str::as_bytes));
        Ok(Request { name, text, target, options, key })
    }

    /// Machine code (or PTX, for devices newer than the compiler) from the disk or the compiler.
    pub fn image(&self) -> Result<Vec<u8>> {
        let cache = DiskCache::of_process();
        if let Some(image) = cache.get(&self.key) {
            return Ok(image);
        }
        let image = compiler()?.run(self.name, self.text, &self.target, &self.options)?;
        cache.put(&self.key, &image);
        Ok(image)
    }
}

/// What to compile for.
struct Target {
    option: String,
    /// Machine code rather than PTX.
    binary: bool,
}

impl Compiler {
    /// The device's own architecture, or the newest that the compiler knows, as PTX for the driver to finish.
    fn target(&self, architecture: Architecture) -> Target {
        let wanted = architecture.number();
        if self.architectures.contains(&wanted) {
            return Target { option: format!("--gpu-architecture=sm_{wanted}"), binary: true };
        }
        let older = self.architectures.iter().filter(|&&known| known < wanted).max();
        let nearest = older.or_else(|| self.architectures.iter().min()).copied().unwrap_or(wanted);
        Target { option: format!("--gpu-architecture=compute_{nearest}"), binary: false }
    }

    fn run(&self, name: &str, text: &str, target: &Target, options: &[String]) -> Result<Vec<u8>> {
        let refused = |reason: &str| Error::Compile {
            kernel: name.to_owned(),
            log: reason.to_owned(),
            source_text: text.to_owned(),
        };
        let zero = |_| refused("a zero byte in the text or its options");
        let source = CString::new(text).map_err(zero)?;
        let file = CString::new(format!("{name}.cu")).map_err(zero)?;
        let options = std::iter::once(&target.option).chain(options).map(|option| CString::new(option.as_str()));
        let options = options.collect::<std::result::Result<Vec<CString>, _>>().map_err(zero)?;
        let pointers: Vec<_> = options.iter().map(|option| option.as_ptr()).collect();
        let nvrtc = &self.nvrtc;
        let mut program = Program { nvrtc, handle: std::ptr::null_mut() };
        // SAFETY: strings are terminated and outlive the calls; the buffers have the sizes that the compiler asked for.
        unsafe {
            nvrtc.create(&mut program.handle, source.as_ptr(), file.as_ptr(), 0, std::ptr::null(), std::ptr::null())?;
            match nvrtc.compile(program.handle, pointers.len() as i32, pointers.as_ptr()) {
                Err(Error::Call { code: COMPILATION_FAILED, .. }) => return Err(refused(&program.log())),
                Err(Error::Call { name: status, .. }) => {
                    return Err(refused(&format!("{status} (options: {options:?})\n{}", program.log())));
                }
                other => other?,
            }
            let mut size = 0;
            if target.binary {
                nvrtc.cubin_size(program.handle, &mut size)?;
            } else {
                nvrtc.ptx_size(program.handle, &mut size)?;
            }
            let mut image = vec![0u8; size];
            if target.binary {
                nvrtc.cubin(program.handle, image.as_mut_ptr().cast())?;
            } else {
                nvrtc.ptx(program.handle, image.as_mut_ptr().cast())?;
            }
            Ok(image)
        }
    }
}

/// A program of the compiler, destroyed at the end.
struct Program<'n> {
    nvrtc: &'n Nvrtc,
    handle: *mut c_void,
}

impl Program<'_> {
    fn log(&self) -> String {
        let mut size = 0;
        // SAFETY: the buffer has the size that the compiler asked for.
        unsafe {
            if self.nvrtc.log_size(self.handle, &mut size).is_err() {
                return String::new();
            }
            let mut log = vec![0u8; size];
            if self.nvrtc.log(self.handle, log.as_mut_ptr().cast()).is_err() {
                return String::new();
            }
            String::from_utf8_lossy(&log).trim_end_matches('\0').trim_end().to_owned()
        }
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            // SAFETY: the handle is ours and used no more.
            let _ = unsafe { self.nvrtc.destroy(&mut self.handle) };
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Compiles a text of our own for an older and a newer architecture, where a compiler is found.
    pub fn compiles_everywhere(name: &str, text: &str) {
        if let Err(error) = compiler_version() {
            println!("skipped: {error}");
            return;
        }
        for architecture in [Architecture { major: 8, minor: 0 }, Architecture { major: 9, minor: 0 }] {
            assert!(knows(architecture));
            if let Err(error) = compile_text(name, text, architecture) {
                panic!("{name}: {error}");
            }
        }
    }
}
