//! Text to machine code: what was precompiled, then the cache on disk, then the compiler.

use std::borrow::Cow;
use std::ffi::{CStr, CString, c_void};

use cuproxide_codegen::cache::{DiskCache, Key};
use cuproxide_codegen::headers::Header;
use cuproxide_codegen::{CHOICE, LIBRARY};
use cuproxide_hal::{Error, Result, SourceText};

use crate::api::rtc::{COMPILATION_FAILED, Rtc};
use crate::included::{self, Included};
use crate::loader;
use crate::pack::Pack;
use crate::target::{Choice, Target};
use crate::vendor::{UserText, Vendor};

/// Registers per thread with which two blocks of 256 threads reside.
const HALF: u32 = 128;
/// The option that lets two blocks of a map reside.
const BOUND: &str = "--define-macro=RESIDENT=2";

/// Whether the run-time compiler knows a target by name.
pub(crate) fn knows(vendor: &Vendor, target: Target) -> Result<bool> {
    Ok(((vendor.compiler)()?.knows)(target))
}

/// Compiles generated text without looking at any cache, for tests that need a compiler and no device.
///
/// # Errors
/// A missing compiler, or [`Error::Compile`].
pub fn compile_text(vendor: &'static Vendor, name: &str, text: &str, target: Target) -> Result<Vec<u8>> {
    Request::generated(vendor, name, text, target).run().map(|(image, _)| image)
}

/// The hash of what [`compile_text`] gives to the compiler first: the text and its options. Whether a map is compiled again with a
/// bound follows from these.
///
/// # Errors
/// A missing compiler, whose version decides some options.
pub fn text_hash(vendor: &'static Vendor, text: &str, target: Target) -> Result<Key> {
    let choice = ((vendor.compiler)()?.choose)(target);
    let request = Request::generated(vendor, "", text, target);
    Ok(Key::of(std::iter::once(text).chain(request.options_for(&choice)).map(str::as_bytes)))
}

/// Compiles a text of the user's likewise; returns the machine code and the mangled names of the expressions.
///
/// # Errors
/// A missing compiler, or [`Error::Compile`].
pub fn compile_user_text(
    vendor: &'static Vendor,
    text: &SourceText<'_>,
    target: Target,
) -> Result<(Vec<u8>, Vec<String>)> {
    Request::user(vendor, text, target)?.run()
}

/// Compiles a user text to the intermediate code that device linkers take.
///
/// # Errors
/// A missing compiler, [`Error::Compile`], or a vendor without such linkers.
pub(crate) fn link_code(vendor: &'static Vendor, text: &SourceText<'_>, target: Target) -> Result<Vec<u8>> {
    if vendor.link_options.is_empty() {
        return Err(Error::unsupported(vendor.name, "intermediate code for device linkers"));
    }
    let added: Vec<String> = vendor.link_options.iter().map(|&option| option.to_owned()).collect();
    let options = [text.options, &added].concat();
    let mut request = Request::user(vendor, &SourceText { options: &options, ..*text }, target)?;
    request.for_linking = true;
    request.run().map(|(image, _)| image)
}

/// A text with everything that decides what comes out of it.
pub(crate) struct Request<'t> {
    vendor: &'static Vendor,
    name: &'t str,
    text: Cow<'t, str>,
    goal: Goal,
    options: Vec<String>,
    /// Headers that are not looked for on disk.
    headers: Vec<Header>,
    expressions: &'t [String],
    /// Names the text and its options, whatever they are compiled for.
    pub text_key: Key,
    /// Names all of it.
    pub key: Key,
    /// Whether intermediate code for a linker is wanted.
    for_linking: bool,
    /// Whether the key names everything that decides what comes out; only then the result may be kept.
    settled: bool,
}

/// The key of a text of ours. Where it calls the mathematical library, kernels of one process must come from one version of
/// the compiler, or an operation would round differently alone and in a longer kernel: the key then names the version of
/// the compiler that is here, if it is to and there is one.
pub(crate) fn text_key(vendor: &Vendor, text: &str, versioned: bool) -> Key {
    let library = versioned && text.contains(LIBRARY);
    let version = if library { (vendor.compiler)().ok().map(|compiler| compiler.version.as_str()) } else { None };
    Key::of([text].into_iter().chain(vendor.options.iter().copied()).chain(version).map(str::as_bytes))
}

/// What a request is compiled for.
enum Goal {
    Target(Target),
    /// The user's own option.
    Chosen(Choice),
}

impl<'t> Request<'t> {
    /// A text of ours. What is precompiled or cached is found without a compiler.
    pub fn generated(vendor: &'static Vendor, name: &'t str, text: &'t str, target: Target) -> Request<'t> {
        let text_key = text_key(vendor, text, true);
        let key = Key::of([text_key.bytes(), target.name.as_bytes(), (vendor.toolchain)(target).as_bytes()]);
        let options = vendor.options.iter().map(|&option| option.to_owned()).collect();
        let (text, goal, settled) = (Cow::Borrowed(text), Goal::Target(target), true);
        Request {
            vendor,
            name,
            text,
            goal,
            options,
            headers: vec![],
            expressions: &[],
            text_key,
            key,
            for_linking: false,
            settled,
        }
    }

    /// A user text, with headers that may change with the compiler, and files that may change at any time.
    pub fn user(vendor: &'static Vendor, source: &SourceText<'t>, target: Target) -> Result<Request<'t>> {
        let version = &(vendor.compiler)()?.version;
        let Included { texts: included, all: settled } = included::of(source);
        let UserText { text, choice, options, headers } = (vendor.user_text)(source, &included, target)?;
        let parts = [&*text, version].into_iter().chain(options.iter().chain(&included).map(String::as_str));
        let parts = parts.chain(headers.iter().map(|(_, text)| *text));
        let text_key = Key::of(parts.chain(source.expressions.iter().map(String::as_str)).map(str::as_bytes));
        let goal = std::iter::once(choice.option.as_str()).chain(choice.more.iter().copied()).map(str::as_bytes);
        let key = Key::of(std::iter::once(text_key.bytes()).chain(goal));
        let SourceText { name, expressions, .. } = *source;
        Ok(Request {
            vendor,
            name,
            text,
            goal: Goal::Chosen(choice),
            options,
            headers,
            expressions,
            text_key,
            key,
            for_linking: false,
            settled,
        })
    }

    /// Machine code, or its portable form, that was compiled earlier, the best first: shipped with the package, in the cache on disk.
    pub fn ready(&self) -> impl Iterator<Item = Vec<u8>> {
        let pack = match self.goal {
            Goal::Target(target) if target.binary => Pack::of_process(self.vendor).map(|pack| (pack, target)),
            _ => None,
        };
        let packed =
            move |binary| pack.and_then(|(pack, device)| pack.get(self.vendor.serves, &self.text_key, device, binary));
        let sources: [Box<dyn Fn() -> Option<Vec<u8>>>; 3] = [
            Box::new(move || packed(true)),
            Box::new(|| DiskCache::of_process().get(&self.key).filter(|_| self.settled)),
            Box::new(move || packed(false)),
        ];
        sources.into_iter().filter_map(|source| source())
    }

    /// Compiles, and keeps the result on disk. Machine code, or its portable form for devices newer than the compiler.
    pub fn compile(&self) -> Result<Vec<u8>> {
        self.run_and_keep().map(|(image, _)| image)
    }

    fn run_and_keep(&self) -> Result<(Vec<u8>, Vec<String>)> {
        let (image, names) = self.run()?;
        if !self.settled {
            return Ok((image, names));
        }
        let cache = DiskCache::of_process();
        cache.put(&self.key, &image);
        cache.put_source(&self.key, &self.text);
        if !names.is_empty() {
            cache.put(&self.names_key(), names.join("\n").as_bytes());
        }
        Ok((image, names))
    }

    fn names_key(&self) -> Key {
        Key::of([b"mangled names".as_slice(), self.key.bytes()])
    }

    /// Machine code from the cache on disk, and the mangled names of the expressions.
    pub fn cached_image_and_names(&self) -> Option<(Vec<u8>, Vec<String>)> {
        let cache = DiskCache::of_process();
        let image = if self.settled { cache.get(&self.key)? } else { return None };
        if self.expressions.is_empty() {
            return Some((image, vec![]));
        }
        let names = String::from_utf8(cache.get(&self.names_key())?).ok()?;
        let names: Vec<String> = names.lines().map(str::to_owned).collect();
        (names.len() == self.expressions.len()).then_some((image, names))
    }

    /// Machine code from the compiler, and the mangled names of the expressions.
    pub fn image_and_names(&self) -> Result<(Vec<u8>, Vec<String>)> {
        self.run_and_keep()
    }

    /// The options of a run, those that name the target first.
    fn options_for<'o>(&'o self, target: &'o Choice) -> impl Iterator<Item = &'o str> {
        let own = std::iter::once(target.option.as_str()).chain(target.more.iter().copied());
        own.chain(self.options.iter().map(String::as_str))
    }

    fn refused(&self, reason: &str) -> Error {
        Error::Compile {
            kernel: self.name.to_owned(),
            log: reason.to_owned(),
            source_text: self.text.clone().into_owned(),
        }
    }

    fn terminated(&self, text: &str) -> Result<CString> {
        CString::new(text).map_err(|_| self.refused("a zero byte in the text or its options"))
    }

    /// Runs the compiler. A map whose threads take more than 128 registers is compiled again with that bound, so that two blocks
    /// reside: on an H200 `lpmv` took 0.93 ms instead of 1.37. The bound is not given at first, because the compiler then gives
    /// more registers to maps that need fewer: `jv` took 3.5 ms instead of 3.0.
    fn run(&self) -> Result<(Vec<u8>, Vec<String>)> {
        let made = self.run_with(None)?;
        match (self.vendor.registers)(&made.0) {
            Some(count) if count > HALF && self.may_be_bounded() => self.run_with(Some(BOUND)),
            _ => Ok(made),
        }
    }

    /// Whether this is a map of ours that has no bound of its own.
    fn may_be_bounded(&self) -> bool {
        let has = |line| self.text.contains(line);
        matches!(self.goal, Goal::Target(_)) && has(CHOICE) && !has("#define RESIDENT ")
    }

    /// Runs the compiler with another option after those of the request.
    fn run_with(&self, another: Option<&str>) -> Result<(Vec<u8>, Vec<String>)> {
        let compiler = (self.vendor.compiler)()?;
        let chosen;
        let target = match &self.goal {
            Goal::Target(target) => {
                chosen = (compiler.choose)(*target);
                &chosen
            }
            Goal::Chosen(choice) => choice,
        };
        let _opening = compiler.serves_initialisers.then(loader::no_opening);
        let list = |texts: &mut dyn Iterator<Item = &str>| {
            texts.map(|text| self.terminated(text)).collect::<Result<Vec<CString>>>()
        };
        let source = self.terminated(&self.text)?;
        let file = self.terminated(&format!("{}.cu", self.name))?;
        let options = list(&mut self.options_for(target).chain(another))?;
        let header_texts = list(&mut self.headers.iter().map(|(_, text)| *text))?;
        let header_names = list(&mut self.headers.iter().map(|(name, _)| *name))?;
        let expressions = list(&mut self.expressions.iter().map(String::as_str))?;
        let pointers = |list: &[CString]| list.iter().map(|text| text.as_ptr()).collect::<Vec<_>>();
        let (option_list, text_list, name_list) =
            (pointers(&options), pointers(&header_texts), pointers(&header_names));
        let rtc = &compiler.rtc;
        let mut program = Program { rtc, handle: std::ptr::null_mut() };
        // SAFETY: strings are terminated and outlive the calls; the buffers have the sizes that the compiler asked for;
        // lowered names live as long as the program.
        unsafe {
            let count = self.headers.len() as i32;
            let (texts, names) = (text_list.as_ptr(), name_list.as_ptr());
            rtc.create(&mut program.handle, source.as_ptr(), file.as_ptr(), count, texts, names)?;
            for expression in &expressions {
                rtc.add_expression(program.handle, expression.as_ptr())?;
            }
            match rtc.compile(program.handle, option_list.len() as i32, option_list.as_ptr()) {
                Err(Error::Call { code: COMPILATION_FAILED, .. }) => {
                    let advice =
                        (self.vendor.advice)(&self.text).map_or_else(String::new, |words| format!("\nhint: {words}"));
                    return Err(self.refused(&(program.log() + &advice)));
                }
                Err(Error::Call { name: status, .. }) => {
                    return Err(self.refused(&format!("{status} (options: {options:?})\n{}", program.log())));
                }
                other => other?,
            }
            let mut names = vec![];
            for expression in &expressions {
                let mut name = std::ptr::null();
                rtc.lowered(program.handle, expression.as_ptr(), &mut name)?;
                names.push(CStr::from_ptr(name).to_string_lossy().into_owned());
            }
            let mut size = 0;
            if self.for_linking {
                rtc.link_code_size(program.handle, &mut size)?;
                let mut image = vec![0u8; size];
                rtc.link_code(program.handle, image.as_mut_ptr().cast())?;
                return Ok((image, names));
            }
            if target.binary {
                rtc.cubin_size(program.handle, &mut size)?;
            } else {
                rtc.ptx_size(program.handle, &mut size)?;
            }
            let mut image = vec![0u8; size];
            if target.binary {
                rtc.cubin(program.handle, image.as_mut_ptr().cast())?;
            } else {
                rtc.ptx(program.handle, image.as_mut_ptr().cast())?;
            }
            Ok((image, names))
        }
    }
}

/// A program of the compiler, destroyed at the end.
struct Program<'n> {
    rtc: &'n Rtc,
    handle: *mut c_void,
}

impl Program<'_> {
    fn log(&self) -> String {
        let mut size = 0;
        // SAFETY: the buffer has the size that the compiler asked for.
        unsafe {
            if self.rtc.log_size(self.handle, &mut size).is_err() {
                return String::new();
            }
            let mut log = vec![0u8; size];
            if self.rtc.log(self.handle, log.as_mut_ptr().cast()).is_err() {
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
            let _ = unsafe { self.rtc.destroy(&mut self.handle) };
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use cuproxide_cuda::Architecture;

    /// Compiles a text of our own for an older and a newer architecture, where a compiler is found.
    pub fn compiles_everywhere(name: &str, text: &str) {
        if let Err(error) = cuproxide_cuda::compiler_version() {
            println!("skipped: {error}");
            return;
        }
        let text = crate::vendor::complete(&cuproxide_kernels_cuda::DIALECT, text);
        for (major, minor) in [(8, 0), (9, 0)] {
            if let Err(error) = cuproxide_cuda::compile_text(name, &text, Architecture { major, minor }) {
                panic!("{name}: {error}");
            }
        }
    }
}
