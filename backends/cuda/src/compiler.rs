//! Text to machine code: the disk cache first, NVRTC when it has nothing.

use std::ffi::{CStr, CString, c_void};
use std::sync::OnceLock;

use cuproxide_cpp::cache::{DiskCache, Key};
use cuproxide_cpp::headers::{Header, OWN, SUBSTITUTES};
use cuproxide_hal::{Error, Result, SourceText};

use crate::api::driver::{Driver, driver};
use crate::api::nvrtc::{COMPILATION_FAILED, Nvrtc, WANTED, WANTED_12};
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
    Request::new(name, text, architecture)?.compile().map(|(image, _)| image)
}

/// Compiles a text of the user's likewise; returns the machine code and the mangled names of the expressions.
///
/// # Errors
/// A missing compiler, or [`Error::Compile`].
pub fn compile_user_text(text: &SourceText<'_>, architecture: Architecture) -> Result<(Vec<u8>, Vec<String>)> {
    Request::of_user(text, architecture)?.compile()
}

/// A text with everything that decides what comes out of it.
pub(crate) struct Request<'t> {
    name: &'t str,
    text: &'t str,
    target: Target,
    options: Vec<String>,
    /// Headers that are not looked for on disk.
    headers: Vec<Header>,
    expressions: &'t [String],
    pub key: Key,
}

impl<'t> Request<'t> {
    /// A text of ours.
    pub fn new(name: &'t str, text: &'t str, architecture: Architecture) -> Result<Request<'t>> {
        let target = compiler()?.target(architecture);
        Request::with(name, text, target, OPTIONS.map(str::to_owned).to_vec(), vec![], &[])
    }

    /// A text of the user's.
    pub fn of_user(text: &SourceText<'t>, architecture: Architecture) -> Result<Request<'t>> {
        let mut target = compiler()?.target(architecture);
        let names_target = |option: &str| option.starts_with("--gpu-architecture") || option.starts_with("-arch");
        if let Some(own) = text.options.iter().find(|option| names_target(option)) {
            target = Target { binary: own.contains("sm_"), option: own.clone() };
        }
        let mut options: Vec<String> = text.options.iter().filter(|option| !names_target(option)).cloned().collect();
        if !options.iter().any(|option| option.trim_start_matches('-').starts_with("std")) {
            options.push("--std=c++17".to_owned());
        }
        let mut headers = vec![];
        if text.text.contains("#include") {
            let folders = Places::of_process().include_folders();
            headers.extend(OWN);
            let missing = |(name, _): &Header| !folders.iter().any(|folder| folder.join(name).is_file());
            headers.extend(SUBSTITUTES.into_iter().filter(missing));
            // The C++ library, which headers of toolkits from 13 on include, lies in a folder of its own.
            let library = folders.iter().map(|folder| folder.join("cccl")).filter(|folder| folder.is_dir());
            let folders: Vec<_> = folders.iter().cloned().chain(library).collect();
            options.extend(folders.iter().map(|folder| format!("--include-path={}", folder.display())));
        }
        Request::with(text.name, text.text, target, options, headers, text.expressions)
    }

    fn with(
        name: &'t str,
        text: &'t str,
        target: Target,
        options: Vec<String>,
        headers: Vec<Header>,
        expressions: &'t [String],
    ) -> Result<Request<'t>> {
        let compiler = compiler()?;
        let version = format!("nvrtc {}.{}", compiler.version.0, compiler.version.1);
        let parts = [text, &version, &target.option].into_iter().chain(options.iter().map(String::as_str));
        let parts = parts.chain(headers.iter().map(|(_, text)| *text)).chain(expressions.iter().map(String::as_str));
        let key = Key::of(parts.map(str::as_bytes));
        Ok(Request { name, text, target, options, headers, expressions, key })
    }

    /// Machine code (or PTX, for devices newer than the compiler) from the disk or the compiler, and the mangled names
    /// of the expressions.
    pub fn image(&self) -> Result<(Vec<u8>, Vec<String>)> {
        let cache = DiskCache::of_process();
        let names_key = Key::of([b"mangled names".as_slice(), &self.key.bytes()]);
        if let Some(image) = cache.get(&self.key) {
            if self.expressions.is_empty() {
                return Ok((image, vec![]));
            }
            let names = cache.get(&names_key).and_then(|names| String::from_utf8(names).ok());
            let names: Option<Vec<String>> = names.map(|names| names.lines().map(str::to_owned).collect());
            if let Some(names) = names.filter(|names| names.len() == self.expressions.len()) {
                return Ok((image, names));
            }
        }
        let (image, names) = self.compile()?;
        cache.put(&self.key, &image);
        if !names.is_empty() {
            cache.put(&names_key, names.join("\n").as_bytes());
        }
        Ok((image, names))
    }

    fn refused(&self, reason: &str) -> Error {
        Error::Compile { kernel: self.name.to_owned(), log: reason.to_owned(), source_text: self.text.to_owned() }
    }

    fn terminated(&self, text: &str) -> Result<CString> {
        CString::new(text).map_err(|_| self.refused("a zero byte in the text or its options"))
    }

    /// Runs the compiler.
    fn compile(&self) -> Result<(Vec<u8>, Vec<String>)> {
        let list = |texts: &mut dyn Iterator<Item = &str>| {
            texts.map(|text| self.terminated(text)).collect::<Result<Vec<CString>>>()
        };
        let source = self.terminated(self.text)?;
        let file = self.terminated(&format!("{}.cu", self.name))?;
        let options = std::iter::once(&self.target.option).chain(&self.options).map(String::as_str);
        let options: Vec<CString> = list(&mut { options })?;
        let header_texts: Vec<CString> = list(&mut self.headers.iter().map(|(_, text)| *text))?;
        let header_names: Vec<CString> = list(&mut self.headers.iter().map(|(name, _)| *name))?;
        let expressions: Vec<CString> = list(&mut self.expressions.iter().map(String::as_str))?;
        let pointers = |list: &[CString]| list.iter().map(|text| text.as_ptr()).collect::<Vec<_>>();
        let nvrtc = &compiler()?.nvrtc;
        let mut program = Program { nvrtc, handle: std::ptr::null_mut() };
        // SAFETY: strings are terminated and outlive the calls; the buffers have the sizes that the compiler asked for;
        // lowered names live as long as the program.
        unsafe {
            nvrtc.create(
                &mut program.handle,
                source.as_ptr(),
                file.as_ptr(),
                self.headers.len() as i32,
                pointers(&header_texts).as_ptr(),
                pointers(&header_names).as_ptr(),
            )?;
            for expression in &expressions {
                nvrtc.add_expression(program.handle, expression.as_ptr())?;
            }
            match nvrtc.compile(program.handle, options.len() as i32, pointers(&options).as_ptr()) {
                Err(Error::Call { code: COMPILATION_FAILED, .. }) => return Err(self.refused(&program.log())),
                Err(Error::Call { name: status, .. }) => {
                    return Err(self.refused(&format!("{status} (options: {options:?})\n{}", program.log())));
                }
                other => other?,
            }
            let mut names = vec![];
            for expression in &expressions {
                let mut name = std::ptr::null();
                nvrtc.lowered(program.handle, expression.as_ptr(), &mut name)?;
                names.push(CStr::from_ptr(name).to_string_lossy().into_owned());
            }
            let mut size = 0;
            if self.target.binary {
                nvrtc.cubin_size(program.handle, &mut size)?;
            } else {
                nvrtc.ptx_size(program.handle, &mut size)?;
            }
            let mut image = vec![0u8; size];
            if self.target.binary {
                nvrtc.cubin(program.handle, image.as_mut_ptr().cast())?;
            } else {
                nvrtc.ptx(program.handle, image.as_mut_ptr().cast())?;
            }
            Ok((image, names))
        }
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
