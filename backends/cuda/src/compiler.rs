//! Text to machine code: what was precompiled, then the cache on disk, then NVRTC.

use std::ffi::{CStr, CString, c_void};
use std::fmt;
use std::sync::OnceLock;

use cuproxide_cpp::cache::{DiskCache, Key};
use cuproxide_cpp::headers::{Header, OWN, SUBSTITUTES};
use cuproxide_hal::{Error, Result, SourceText};

use crate::api::driver::{Driver, driver};
use crate::api::nvrtc::{COMPILATION_FAILED, Nvrtc, WANTED, WANTED_12};
use crate::loader::Places;
use crate::pack::Pack;

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
pub(crate) fn knows(architecture: Architecture) -> Result<bool> {
    Ok(compiler()?.architectures.contains(&architecture.number()))
}

/// Compiles generated text without looking at any cache, for tests that need a compiler and no device.
///
/// # Errors
/// A missing compiler, or [`Error::Compile`].
pub fn compile_text(name: &str, text: &str, architecture: Architecture) -> Result<Vec<u8>> {
    Request::generated(name, text, Target::device(architecture)).run().map(|(image, _)| image)
}

/// Compiles a text of the user's likewise; returns the machine code and the mangled names of the expressions.
///
/// # Errors
/// A missing compiler, or [`Error::Compile`].
pub fn compile_user_text(text: &SourceText<'_>, architecture: Architecture) -> Result<(Vec<u8>, Vec<String>)> {
    Request::user(text, architecture)?.run()
}

/// What to compile for: machine code of one architecture, or PTX that later ones finish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Target {
    pub architecture: Architecture,
    /// Machine code rather than PTX.
    pub binary: bool,
}

impl Target {
    /// Machine code of a device.
    pub fn device(architecture: Architecture) -> Target {
        Target { architecture, binary: true }
    }

    /// A target by the compiler's name for it: `sm_90`, `compute_75`.
    pub fn parse(name: &str) -> Option<Target> {
        let (binary, number) = match name.strip_prefix("sm_") {
            Some(number) => (true, number),
            None => (false, name.strip_prefix("compute_")?),
        };
        let number: u32 = number.parse().ok()?;
        Some(Target { architecture: Architecture { major: number / 10, minor: number % 10 }, binary })
    }

    /// Whether a device runs it.
    pub fn serves(self, device: Architecture) -> bool {
        let own = self.architecture;
        if self.binary { own.major == device.major && own.minor <= device.minor } else { own <= device }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", if self.binary { "sm" } else { "compute" }, self.architecture.number())
    }
}

/// A text with everything that decides what comes out of it.
pub(crate) struct Request<'t> {
    name: &'t str,
    text: &'t str,
    goal: Goal,
    options: Vec<String>,
    /// Headers that are not looked for on disk.
    headers: Vec<Header>,
    expressions: &'t [String],
    /// Names the text and its options, whatever they are compiled for.
    pub text_key: Key,
    /// Names all of it.
    pub key: Key,
}

/// What a request is compiled for.
enum Goal {
    Target(Target),
    /// The user's own option.
    Chosen(Choice),
}

impl<'t> Request<'t> {
    /// A text of ours. Asks no compiler: what is precompiled or cached is found without one.
    pub fn generated(name: &'t str, text: &'t str, target: Target) -> Request<'t> {
        let text_key = Key::of([text].into_iter().chain(OPTIONS).map(str::as_bytes));
        let key = Key::of([text_key.bytes(), target.to_string().as_bytes()]);
        let options = OPTIONS.map(str::to_owned).to_vec();
        Request { name, text, goal: Goal::Target(target), options, headers: vec![], expressions: &[], text_key, key }
    }

    /// A text of the user's, with headers that may change with the compiler.
    pub fn user(text: &SourceText<'t>, architecture: Architecture) -> Result<Request<'t>> {
        let compiler = compiler()?;
        let names_target = |option: &str| option.starts_with("--gpu-architecture") || option.starts_with("-arch");
        let choice = match text.options.iter().find(|option| names_target(option)) {
            Some(own) => Choice { binary: own.contains("sm_"), option: own.clone() },
            None => compiler.choose(Target::device(architecture)),
        };
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
        let version = format!("nvrtc {}.{}", compiler.version.0, compiler.version.1);
        let parts = [text.text, &version].into_iter().chain(options.iter().map(String::as_str));
        let parts = parts.chain(headers.iter().map(|(_, text)| *text));
        let text_key = Key::of(parts.chain(text.expressions.iter().map(String::as_str)).map(str::as_bytes));
        let key = Key::of([text_key.bytes(), choice.option.as_bytes()]);
        let SourceText { name, text, expressions, .. } = *text;
        Ok(Request { name, text, goal: Goal::Chosen(choice), options, headers, expressions, text_key, key })
    }

    /// Machine code and PTX that were compiled earlier, the best first: shipped with the package, in the cache on disk.
    pub fn ready(&self) -> impl Iterator<Item = Vec<u8>> {
        let pack = match self.goal {
            Goal::Target(Target { architecture, binary: true }) => Pack::of_process().map(|pack| (pack, architecture)),
            _ => None,
        };
        let packed = move |binary| pack.and_then(|(pack, device)| pack.get(&self.text_key, device, binary));
        let sources: [Box<dyn Fn() -> Option<Vec<u8>>>; 3] = [
            Box::new(move || packed(true)),
            Box::new(|| DiskCache::of_process().get(&self.key)),
            Box::new(move || packed(false)),
        ];
        sources.into_iter().filter_map(|source| source())
    }

    /// Compiles, and keeps the result on disk. Machine code; PTX, for devices newer than the compiler.
    pub fn compile(&self) -> Result<Vec<u8>> {
        self.run_and_keep().map(|(image, _)| image)
    }

    fn run_and_keep(&self) -> Result<(Vec<u8>, Vec<String>)> {
        let (image, names) = self.run()?;
        let cache = DiskCache::of_process();
        cache.put(&self.key, &image);
        if !names.is_empty() {
            cache.put(&self.names_key(), names.join("\n").as_bytes());
        }
        Ok((image, names))
    }

    fn names_key(&self) -> Key {
        Key::of([b"mangled names".as_slice(), self.key.bytes()])
    }

    /// Machine code from the disk or the compiler, and the mangled names of the expressions.
    pub fn image_and_names(&self) -> Result<(Vec<u8>, Vec<String>)> {
        let cache = DiskCache::of_process();
        if let Some(image) = cache.get(&self.key) {
            if self.expressions.is_empty() {
                return Ok((image, vec![]));
            }
            let names = cache.get(&self.names_key()).and_then(|names| String::from_utf8(names).ok());
            let names: Option<Vec<String>> = names.map(|names| names.lines().map(str::to_owned).collect());
            if let Some(names) = names.filter(|names| names.len() == self.expressions.len()) {
                return Ok((image, names));
            }
        }
        self.run_and_keep()
    }

    fn refused(&self, reason: &str) -> Error {
        Error::Compile { kernel: self.name.to_owned(), log: reason.to_owned(), source_text: self.text.to_owned() }
    }

    fn terminated(&self, text: &str) -> Result<CString> {
        CString::new(text).map_err(|_| self.refused("a zero byte in the text or its options"))
    }

    /// Runs the compiler.
    fn run(&self) -> Result<(Vec<u8>, Vec<String>)> {
        let compiler = compiler()?;
        let chosen;
        let target = match &self.goal {
            Goal::Target(target) => {
                chosen = compiler.choose(*target);
                &chosen
            }
            Goal::Chosen(choice) => choice,
        };
        let list = |texts: &mut dyn Iterator<Item = &str>| {
            texts.map(|text| self.terminated(text)).collect::<Result<Vec<CString>>>()
        };
        let source = self.terminated(self.text)?;
        let file = self.terminated(&format!("{}.cu", self.name))?;
        let options = list(&mut std::iter::once(&target.option).chain(&self.options).map(String::as_str))?;
        let header_texts = list(&mut self.headers.iter().map(|(_, text)| *text))?;
        let header_names = list(&mut self.headers.iter().map(|(name, _)| *name))?;
        let expressions = list(&mut self.expressions.iter().map(String::as_str))?;
        let pointers = |list: &[CString]| list.iter().map(|text| text.as_ptr()).collect::<Vec<_>>();
        let (option_list, text_list, name_list) =
            (pointers(&options), pointers(&header_texts), pointers(&header_names));
        let nvrtc = &compiler.nvrtc;
        let mut program = Program { nvrtc, handle: std::ptr::null_mut() };
        // SAFETY: strings are terminated and outlive the calls; the buffers have the sizes that the compiler asked for;
        // lowered names live as long as the program.
        unsafe {
            let count = self.headers.len() as i32;
            let (texts, names) = (text_list.as_ptr(), name_list.as_ptr());
            nvrtc.create(&mut program.handle, source.as_ptr(), file.as_ptr(), count, texts, names)?;
            for expression in &expressions {
                nvrtc.add_expression(program.handle, expression.as_ptr())?;
            }
            match nvrtc.compile(program.handle, option_list.len() as i32, option_list.as_ptr()) {
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
            Ok((image, names))
        }
    }
}

/// The compiler's option that names the architecture.
struct Choice {
    option: String,
    /// Machine code rather than PTX.
    binary: bool,
}

impl Compiler {
    /// The target itself, or the newest architecture that the compiler knows, as PTX for the driver to finish.
    fn choose(&self, target: Target) -> Choice {
        let wanted = target.architecture.number();
        if self.architectures.contains(&wanted) {
            return Choice { option: format!("--gpu-architecture={target}"), binary: target.binary };
        }
        let older = self.architectures.iter().filter(|&&known| known < wanted).max();
        let nearest = older.or_else(|| self.architectures.iter().min()).copied().unwrap_or(wanted);
        Choice { option: format!("--gpu-architecture=compute_{nearest}"), binary: false }
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
            assert!(knows(architecture).expect("a compiler"));
            if let Err(error) = compile_text(name, text, architecture) {
                panic!("{name}: {error}");
            }
        }
    }
}
