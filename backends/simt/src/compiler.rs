//! The host's C++ compiler: finding it and running it.

use std::ffi::{CStr, OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use cuproxide_codegen::cache::{DiskCache, Key};
use cuproxide_codegen::headers::{Header, OWN, SUBSTITUTES};
use cuproxide_hal::{Attempt, Error, LibraryStatus, MissingLibrary, Result, SourceText, settings};
use parking_lot::Mutex;
use tempfile::TempDir;

use crate::names::INCLUDE;
use crate::names::{self, RENAMED};
use crate::scan::{Scanned, scan};

/// Bytes of dynamic shared memory that a launch can have at most; as an H200 has.
pub const MAX_DYNAMIC_SHARED: u32 = 227 * 1024;

/// What stands for the vendor's headers; those of no content are there because programs include them by habit.
const HEADERS: [Header; 20] = [
    ("prelude.h", include_str!("include/prelude.h")),
    ("detail/ptx.h", include_str!("include/detail/ptx.h")),
    ("detail/hip.h", include_str!("include/detail/hip.h")),
    ("detail/runtime.h", include_str!("include/detail/runtime.h")),
    ("detail/vectors.h", include_str!("include/detail/vectors.h")),
    ("detail/warp.h", include_str!("include/detail/warp.h")),
    ("detail/atomics.h", include_str!("include/detail/atomics.h")),
    ("detail/math.h", include_str!("include/detail/math.h")),
    ("detail/images.h", include_str!("include/detail/images.h")),
    ("cooperative_groups.h", include_str!("include/cooperative_groups.h")),
    ("cooperative_groups/reduce.h", "#include \"../cooperative_groups.h\"\n"),
    ("cooperative_groups/memcpy_async.h", "#include \"../cooperative_groups.h\"\n"),
    ("assert.h", include_str!("include/assert.h")),
    ("cuda.h", "#pragma once\n"),
    ("cuda_runtime.h", "#pragma once\n"),
    ("cuda_runtime_api.h", "#pragma once\n"),
    ("device_launch_parameters.h", "#pragma once\n"),
    ("vector_types.h", "#pragma once\n"),
    ("vector_functions.h", "#pragma once\n"),
    ("math_functions.h", "#pragma once\n"),
];

/// Options of every text but for how far it is optimised. No contraction, as for the device's own kernels; integers wrap and any pointer may be cast to
/// any other, as programs for GPUs take for granted.
const FLAGS: [&str; 13] = [
    "-std=gnu++17",
    // GNU's dialect takes these words for macros.
    "-Ulinux",
    "-Uunix",
    // As on a GPU, where no kernel can throw.
    "-fno-exceptions",
    // A large array does not reach past the page that guards the end of a stack.
    "-fstack-clash-protection",
    // Some drivers take optimisation for a wish to lose assertions.
    "-UNDEBUG",
    "-fPIC",
    "-w",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-semantic-interposition",
    "-fno-math-errno",
    "-ffp-contract=off",
];

/// Options for debuggers.
const DEBUG: [&str; 2] = ["-g", "-O0"];

/// Variables that change what compilers of the host read.
const VARIABLES: [&str; 6] =
    ["CPATH", "CPLUS_INCLUDE_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH", "LIBRARY_PATH", "SOURCE_DATE_EPOCH"];

/// A compiler by its command.
#[derive(Clone, Debug)]
struct Compiler {
    command: Vec<OsString>,
    /// The first line of what it says about itself.
    version: String,
    /// Names the compiler, what it compiles for and which features of the processor it uses.
    identity: Key,
    /// Options that only some compilers know.
    extra: Vec<&'static str>,
}

fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The compiler of the process. A failure is not kept, so that installing one helps at once.
fn compiler() -> Result<Compiler> {
    static FOUND: Mutex<Option<(Option<OsString>, Compiler)>> = Mutex::new(None);
    let wanted = variable("CXX");
    if let Some((asked, found)) = &*FOUND.lock()
        && *asked == wanted
    {
        return Ok(found.clone());
    }
    let found = find()?;
    *FOUND.lock() = Some((wanted, found.clone()));
    Ok(found)
}

fn find() -> Result<Compiler> {
    let mut candidates: Vec<Vec<OsString>> = vec![];
    if let Some(named) = variable("CXX") {
        candidates.push(command_of(&named)?);
    } else {
        candidates.extend(["g++", "clang++", "c++"].map(|name| vec![name.into()]));
        candidates.extend(zig().map(|path| vec![path.into(), "c++".into()]));
    }
    let mut attempts = vec![];
    for command in candidates {
        match probe(command.clone()) {
            Ok(found) => return Ok(found),
            Err(error) => {
                let path = command.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join(" ");
                attempts.push(Attempt { path, error });
            }
        }
    }
    let hint = "kernels written in C++ need a C++ compiler on the host: apt install g++, dnf install gcc-c++, or \
                pip install ziglang; CXX names another";
    Err(MissingLibrary { name: "a C++ compiler".to_owned(), attempts, hint: hint.to_owned() }.into())
}

/// The words of `CXX`: a compiler, maybe after a launcher, and options.
fn command_of(named: &OsStr) -> Result<Vec<OsString>> {
    if Path::new(named).is_file() {
        return Ok(vec![named.to_owned()]);
    }
    let words = named.as_bytes().split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let words: Vec<OsString> = words.map(|word| OsStr::from_bytes(word).to_owned()).collect();
    if words.is_empty() {
        let reason = "it must name a C++ compiler, or be unset".to_owned();
        let value = named.to_string_lossy().into_owned();
        return Err(Error::InvalidSetting { setting: "CXX", value, reason });
    }
    Ok(words)
}

fn probe(command: Vec<OsString>) -> std::result::Result<Compiler, String> {
    let Some((program, options)) = command.split_first() else { return Err("no command".to_owned()) };
    let run = |arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(options).args(arguments).env("LC_ALL", "C").stdin(Stdio::null());
        let output = command.output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
        }
        Ok(output.stdout)
    };
    let about = run(&["--version"])?;
    // Which processor it compiles for, with which features and conventions; a compiler that does not tell is used all the same.
    let macros = run(&["-dM", "-E", "-x", "c++", "/dev/null"]).unwrap_or_default();
    // SAFETY: the function returns a terminated text that is never freed.
    let library = unsafe { CStr::from_ptr(libc::gnu_get_libc_version()) };
    let parts = [&about, &macros, library.to_bytes(), std::env::consts::ARCH.as_bytes()];
    let identity = Key::of(parts.into_iter().chain(command.iter().map(|part| part.as_bytes())));
    let text = String::from_utf8_lossy(&about);
    let version = text.lines().next().unwrap_or_default().to_owned();
    // Clang shares nothing between libraries by itself.
    let extra = if text.contains("clang") { vec![] } else { vec!["-fno-gnu-unique"] };
    Ok(Compiler { command, version, identity, extra })
}

/// The compiler of the Python package `ziglang`, installed beside this library.
fn zig() -> Option<PathBuf> {
    // SAFETY: the address is that of a function of ours; the loader fills in the file that holds it.
    let own = unsafe {
        let mut found: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(zig as *const libc::c_void, &mut found) == 0 || found.dli_fname.is_null() {
            return None;
        }
        PathBuf::from(CStr::from_ptr(found.dli_fname).to_string_lossy().into_owned())
    };
    let beside = own.parent()?.parent()?.join("ziglang/zig");
    let environment = variable("VIRTUAL_ENV").map(PathBuf::from).into_iter().flat_map(|root| {
        let folders = std::fs::read_dir(root.join("lib")).into_iter().flatten().flatten();
        folders.map(|folder| folder.path().join("site-packages/ziglang/zig")).collect::<Vec<_>>()
    });
    std::iter::once(beside).chain(environment).find(|path| path.is_file())
}

/// The compiler and its version, for the diagnosis.
pub fn status() -> LibraryStatus {
    let found = compiler().map(|found| {
        let path = found.command.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join(" ");
        (path, found.version)
    });
    let found = found.map_err(|error| match error {
        Error::MissingLibrary(missing) => *missing,
        other => MissingLibrary { name: "a C++ compiler".to_owned(), attempts: vec![], hint: other.to_string() },
    });
    LibraryStatus { name: "C++ compiler".to_owned(), found }
}

/// A new folder in another one, which nobody else may put files in, where the compiler looks for them; removed at the end.
pub fn temporary_folder(parent: &Path) -> std::io::Result<TempDir> {
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    tempfile::Builder::new().prefix("cuproxide-").permissions(private).tempdir_in(parent)
}

/// A device that a text is compiled for in play: the text sees that device's macros and none of the host's, and code
/// that touches what it must not can be stopped. For tests of backends without their hardware.
#[derive(Clone, Copy, Debug)]
pub struct PlayedDevice<'d> {
    /// Macros, as `NAME=VALUE`.
    pub macros: &'d [String],
    /// Threads of a warp: 32 or 64.
    pub warp: u32,
    /// The headers that the caller's compiler would have, by name and text.
    pub headers: &'d [(String, String)],
    /// The names under which the library knows the expressions.
    pub lowered: &'d [String],
}

/// One run of the compiler.
struct Job<'t> {
    compiler: Compiler,
    text: &'t SourceText<'t>,
    options: Vec<String>,
    played: Option<PlayedDevice<'t>>,
    folder: OnceLock<TempDir>,
}

/// Compiles a text to a shared library, or finds it in the cache on disk, and has it taken. What is found and cannot be
/// taken is compiled again.
pub fn compile<T>(text: &SourceText<'_>, take: impl Fn(&[u8]) -> Result<T>) -> Result<T> {
    let mut options = vec!["-O2".to_owned()];
    options.extend(host_options(text.options));
    let job = Job { compiler: compiler()?, text, options, played: None, folder: OnceLock::new() };
    let cache = DiskCache::of_process();
    // With headers of others, the text alone does not decide what comes out.
    let preprocessed = if includes_foreign(text.text) || !text.options.is_empty() {
        Some(job.preprocess(Some("prelude.h"))?)
    } else {
        None
    };
    let key = job.key(preprocessed.as_deref().unwrap_or(text.text));
    if let Some(image) = cache.get(&key) {
        match take(&image) {
            Err(error) => tracing::warn!(kernel = text.name, %error, "a cached kernel is compiled again"),
            taken => return taken,
        }
    }
    let preprocessed = match preprocessed {
        Some(preprocessed) => preprocessed,
        None => job.preprocess(Some("prelude.h"))?,
    };
    let image = job.build(scan(&preprocessed), None)?;
    let taken = take(&image)?;
    cache.put(&key, &image);
    cache.put_source(&key, text.text);
    Ok(taken)
}

/// Compiles a text for a device in play. Looks at no cache, as a run-time compiler does not.
///
/// # Errors
/// A missing compiler, or [`Error::Compile`].
pub fn compile_played(text: &SourceText<'_>, device: PlayedDevice<'_>) -> Result<Vec<u8>> {
    let mut options = ["-O1", "-fsanitize=alignment", "-D__CPX_DEVICE__=1"].map(str::to_owned).to_vec();
    options.push(format!("-D__CPX_WARP__={}", device.warp));
    options.extend(device.macros.iter().map(|definition| format!("-D{definition}")));
    let own = options.len();
    options.extend(host_options(text.options));
    let plain = options.len() == own && !text.text.contains("#include") && !text.text.contains("uint64_t");
    let job = Job { compiler: compiler()?, text, options, played: Some(device), folder: OnceLock::new() };
    // Nothing of the engine's headers is needed to find kernels, and reading them takes longest.
    let prelude = if plain { None } else { Some("prelude.h") };
    let preprocessed = job.preprocess(prelude)?;
    let prepared = if plain { job.prepared_headers() } else { None };
    job.build(scan(&preprocessed), if plain { Some(prepared.as_deref()) } else { None })
}

/// Whether a text may include anything but headers of ours. Only lines of the plainest form are believed; whatever else
/// speaks of including is left to the preprocessor.
fn includes_foreign(text: &str) -> bool {
    let own = |name: &str| HEADERS.iter().chain(&OWN).chain(&SUBSTITUTES).any(|(known, _)| *known == name);
    let plain = |line: &str| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim();
        let name = rest.strip_prefix('<')?.strip_suffix('>')?;
        own(name).then_some(())
    };
    let speaks = |line: &str| {
        // A word may continue in the next line, and other spellings of a sign may hide that it does.
        let continued = line.trim_end().ends_with('\\') || line.contains("??/");
        continued || ["include", "import", "embed", "__has_"].iter().any(|word| line.contains(word))
    };
    text.split(['\n', '\r']).any(|line| speaks(line) && plain(line).is_none())
}

/// Those of the options for the device's compiler that mean something to the host's.
fn host_options(options: &[String]) -> Vec<String> {
    let mut kept = vec![];
    if settings::DEBUG.is_on() {
        kept.extend(DEBUG.map(str::to_owned));
    }
    // The compiler runs elsewhere.
    let folder =
        |path: &str| std::path::absolute(path).map_or_else(|_| path.to_owned(), |path| path.display().to_string());
    let mut list = options.iter();
    while let Some(option) = list.next() {
        let long = |name: &str| option.strip_prefix(name).and_then(|rest| rest.strip_prefix('='));
        if let Some(value) = long("--include-path") {
            kept.push(format!("-I{}", folder(value)));
        } else if let Some(value) = long("--define-macro") {
            kept.push(format!("-D{value}"));
        } else if let Some(value) = long("--undefine-macro") {
            kept.push(format!("-U{value}"));
        } else if let Some(value) = long("--pre-include") {
            kept.extend(["-include".to_owned(), value.to_owned()]);
        } else if ["-I", "-D", "-U", "-include", "--include-path", "--define-macro"].contains(&option.as_str()) {
            let letter = match option.as_str() {
                "--include-path" => "-I",
                "--define-macro" => "-D",
                other => other,
            };
            kept.push(letter.to_owned());
            kept.extend(list.next().map(|value| if letter == "-I" { folder(value) } else { value.clone() }));
        } else if let Some(value) = option.strip_prefix("-I") {
            kept.push(format!("-I{}", folder(value)));
        } else if ["-D", "-U"].iter().any(|prefix| option.starts_with(prefix)) {
            kept.push(option.clone());
        } else if let Some(value) = long("--std").or_else(|| long("-std")) {
            // The engine's own headers need C++17; a later standard is the user's choice.
            if matches!(value, "c++20" | "c++23") {
                kept.push(format!("-std=gnu{}", &value[1..]));
            }
        } else if matches!(option.as_str(), "-G" | "--device-debug") {
            kept.extend(DEBUG.map(str::to_owned));
        } else {
            tracing::debug!(option, "an option of the device's compiler means nothing to the host's");
        }
    }
    kept
}

impl Job<'_> {
    fn key(&self, text: &str) -> Key {
        let headers = HEADERS.iter().chain(&OWN).chain(&SUBSTITUTES).map(|(_, text)| *text);
        let variables: Vec<OsString> = VARIABLES.iter().map(|name| variable(name).unwrap_or_default()).collect();
        let parts = ["host", text, self.text.name].into_iter().chain(headers);
        let parts = parts.chain(FLAGS).chain(self.options.iter().map(String::as_str));
        let parts = parts.chain(self.text.expressions.iter().map(String::as_str)).map(str::as_bytes);
        let variables = variables.iter().map(|value| value.as_bytes());
        Key::of(parts.chain([self.compiler.identity.bytes()]).chain(variables))
    }

    fn failure(&self, log: impl Into<String>) -> Error {
        Error::Compile { kernel: self.text.name.to_owned(), log: log.into(), source_text: self.text.text.to_owned() }
    }

    fn io(&self, error: &std::io::Error) -> Error {
        self.failure(format!("the compiler cannot be run in {}: {error}", std::env::temp_dir().display()))
    }

    /// The folder with the headers.
    fn folder(&self) -> Result<&Path> {
        if let Some(folder) = self.folder.get() {
            return Ok(folder.path());
        }
        let write = || -> std::io::Result<TempDir> {
            let folder = temporary_folder(&std::env::temp_dir())?;
            let include = folder.path().join(INCLUDE);
            write_headers(&include, HEADERS.into_iter())?;
            match self.played {
                None => write_headers(&include, OWN.into_iter().chain(SUBSTITUTES))?,
                Some(device) => {
                    // An empty header stands for what the played compiler knows by itself.
                    let known = |name: &str| HEADERS.iter().any(|(known, _)| *known == name);
                    let given = device.headers.iter().map(|(name, text)| (name.as_str(), text.as_str()));
                    write_headers(&include, given.filter(|(name, text)| !(text.trim().is_empty() && known(name))))?;
                }
            }
            Ok(folder)
        };
        let made = write().map_err(|error| self.io(&error))?;
        Ok(self.folder.get_or_init(|| made).path())
    }

    /// A folder with the engine's headers and their compiled form, which is made once for all processes.
    fn prepared_headers(&self) -> Option<PathBuf> {
        let cache = DiskCache::of_process().private_folder()?;
        let parts = HEADERS.iter().map(|(_, text)| *text).chain(FLAGS).chain(self.options.iter().map(String::as_str));
        let key = Key::of(parts.map(str::as_bytes).chain([self.compiler.identity.bytes()]));
        let name: String = key.bytes()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        let ready = cache.join(format!("headers-{name}"));
        if ready.is_dir() {
            return Some(ready);
        }
        // Beside its place first, so that the last step is a renaming: threads and processes may come here at once.
        let make = || -> std::io::Result<()> {
            let beside = temporary_folder(cache)?;
            write_headers(beside.path(), HEADERS.into_iter())?;
            let input = beside.path().join("prelude.h").display().to_string();
            self.run(&["-x", "c++-header", &input, "-o", &format!("{input}.gch")]).map_err(std::io::Error::other)?;
            std::fs::rename(beside.path(), &ready).or_else(|error| if ready.is_dir() { Ok(()) } else { Err(error) })
        };
        make().ok().map(|()| ready)
    }

    /// Name of the user's text in messages; of characters that a file name may have.
    fn file_name(&self) -> String {
        let name: String = self.text.name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).take(80).collect();
        format!("{name}.cu")
    }

    fn run(&self, arguments: &[&str]) -> Result<Vec<u8>> {
        let folder = self.folder()?;
        let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
        let Some((program, own)) = self.compiler.command.split_first() else { return Err(self.failure("no compiler")) };
        let mut command = Command::new(program);
        command.args(own).args(FLAGS).args(&self.compiler.extra).args(&self.options);
        // The compiler's working folder is the temporary one; the user's relative paths are seen from here.
        command.arg("-I").arg(INCLUDE).arg("-I").arg(here).args(arguments).current_dir(folder);
        command.env("LC_ALL", "C").stdin(Stdio::null());
        let output = command.output().map_err(|error| self.io(&error))?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let log = String::from_utf8_lossy(&output.stderr);
        Err(self.failure(log.trim_end().replace(&format!("{}/", folder.display()), "").replace(RENAMED, "")))
    }

    /// The text with all macros replaced; those of the engine too, if its headers are read first.
    fn preprocess(&self, prelude: Option<&str>) -> Result<String> {
        let name = self.file_name();
        std::fs::write(self.folder()?.join(&name), self.text.text).map_err(|error| self.io(&error))?;
        let first = prelude.map_or(vec![], |header| vec!["-include", header]);
        let output = self.run(&[&["-E", "-x", "c++"], &first[..], &[&name]].concat())?;
        Ok(String::from_utf8_lossy(&output).into_owned())
    }

    /// Compiles and links. `prelude` says that the engine's headers are not in the text yet, and where their compiled
    /// form lies.
    fn build(&self, scanned: Scanned, prelude: Option<Option<&Path>>) -> Result<Vec<u8>> {
        let Scanned { mut text, kernels, dynamic_shared, renamed } = scanned;
        let lowered = self.played.map_or(self.text.expressions, |device| device.lowered);
        let targets: Vec<String> = self.text.expressions.iter().map(|name| names::replace(name, &renamed)).collect();
        text.push_str(&closing(&kernels, &targets, lowered, dynamic_shared));
        let folder = self.folder()?;
        let library = folder.join("kernel.so");
        std::fs::write(folder.join(self.file_name()), self.text.text).map_err(|error| self.io(&error))?;
        std::fs::write(folder.join("kernel.cpp"), text).map_err(|error| self.io(&error))?;
        let link = ["-shared", "-Wl,-Bsymbolic", "-Wl,-z,defs"];
        let header = match prelude {
            None => None,
            Some(None) => Some("prelude.h".to_owned()),
            Some(Some(folder)) => Some(folder.join("prelude.h").display().to_string()),
        };
        let first = header.as_deref().map_or(vec![], |header| vec!["-include", header]);
        let arguments = [&first[..], &["-x", "c++", "kernel.cpp", "-o", "kernel.so"], &link[..]].concat();
        self.run(&arguments)?;
        std::fs::read(library).map_err(|error| self.io(&error))
    }
}

/// Writes headers under a folder.
fn write_headers<'h>(folder: &Path, headers: impl Iterator<Item = (&'h str, &'h str)>) -> std::io::Result<()> {
    for (name, text) in headers {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
        std::fs::write(path, text)?;
    }
    Ok(())
}

/// What follows the user's text: the list of kernels, the expressions under their names, and how the engine sets the
/// indices.
fn closing(kernels: &[String], expressions: &[String], lowered: &[String], dynamic_shared: bool) -> String {
    let mut text =
        "\n# 1 \"the list of kernels\"\nextern \"C\" unsigned long long __cpx_describe(__cpx::kernel* list) \
                    {\n    unsigned long long count = 0;\n"
            .to_owned();
    let names = kernels.iter().map(|name| (name, name.trim()));
    let plain = |name: &str| name.replace(RENAMED, "");
    let targets = expressions.iter().map(|name| name.trim().trim_start_matches('&'));
    for (name, target) in names.chain(lowered.iter().zip(targets)) {
        let quoted = plain(name).replace('\\', "\\\\").replace('"', "\\\"");
        text.push_str(&format!(
            "# 1 \"kernel {quoted}\"\n    if (list) list[count] = __cpx::entry<decltype(&{target}), \
             &{target}>::describe(\"{quoted}\");\n    count++;\n"
        ));
    }
    text.push_str(
        "    return count;\n}\nextern \"C\" __cpx::state* __cpx_begin(const unsigned* block, const unsigned* grid) {\n    \
         blockDim = dim3(block[0], block[1], block[2]);\n    gridDim = dim3(grid[0], grid[1], grid[2]);\n    __cpx::current.warp = \
         warpSize;\n    return &__cpx::current;\n}\nextern \"C\" void __cpx_set_block(unsigned x, unsigned y, unsigned z) { blockIdx = uint3{x, y, \
         z}; }\nextern \"C\" void __cpx_set_thread(unsigned x, unsigned y, unsigned z) { threadIdx = uint3{x, y, z}; \
         }\nextern \"C\" void __cpx_finish() { fflush(stdout); }\nextern \"C\" \
         void __cpx_land() { __cpx::land(); }\n",
    );
    if dynamic_shared {
        text.push_str(&format!(
            "extern \"C\" {{ __attribute__((visibility(\"hidden\"), aligned(1024))) __thread char \
             __cpx_dynamic_shared[{MAX_DYNAMIC_SHARED}]; }}\n"
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_the_device_become_those_of_the_host() {
        let options = ["-I/a", "--include-path=/b", "-DX=1", "--use_fast_math", "-std=c++11", "--std=c++20", "-D", "Y"];
        let options = options.map(str::to_owned);
        assert_eq!(host_options(&options), ["-I/a", "-I/b", "-DX=1", "-std=gnu++20", "-D", "Y"]);
    }

    #[test]
    fn own_headers_need_no_preprocessor_to_know_a_text_by() {
        assert!(!includes_foreign("#include <cupy/complex.cuh>\n  # include <cuda_fp16.h> \nint x;"));
        for text in [
            "#include <vector>\n",
            "/* c */ #include \"my.h\"",
            "# /**/ include \"my.h\"",
            "#import \"my.h\"",
            "%:include \"my.h\"",
            "#inc\\\nlude \"my.h\"",
            "#inc??/\nlude \"my.h\"",
            "#if __has_include(\"my.h\")\n#endif",
        ] {
            assert!(includes_foreign(text), "{text}");
        }
    }

    #[test]
    fn the_variable_for_the_compiler_names_one() {
        assert_eq!(command_of(OsStr::new(" ccache  g++ -m64 ")).expect("words"), ["ccache", "g++", "-m64"]);
        let error = command_of(OsStr::new("  ")).expect_err("no word").to_string();
        assert!(error.contains("CXX") && error.contains("\"  \""), "{error}");
        assert!(probe(vec![]).is_err());
    }
}
