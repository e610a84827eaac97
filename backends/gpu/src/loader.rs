//! Finds vendor libraries: those that another package has loaded already, then the places that the user names, then
//! packages and toolkits, then the system. Every attempt is kept, so that a failure explains itself.

use std::ffi::{CStr, CString, OsStr, c_void};
use std::path::{Path, PathBuf};

use cuproxide_hal::{Attempt, MissingLibrary};
use libloading::os::unix as system;
use parking_lot::{RwLock, RwLockReadGuard};

use crate::elf;

/// Held alone by who opens a library, and shared by who must not meanwhile.
static OPENING: RwLock<()> = RwLock::new(());

/// Keeps libraries from being opened while the guard lives. A thread that holds it opens none.
pub(crate) fn no_opening() -> RwLockReadGuard<'static, ()> {
    OPENING.read()
}

/// A library as the vendor ships it.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// The vendor's name.
    pub name: &'static str,
    /// File names by major version, preferred first.
    pub sonames: &'static [&'static str],
    /// The library's own part of [`Places::layout`].
    pub wheel: &'static str,
    /// A function that tells where the library was loaded from.
    pub probe: &'static str,
    /// What installs it.
    pub hint: &'static str,
}

/// A library that was opened; never closed, since functions of it are kept.
#[derive(Debug)]
pub struct Library {
    handle: system::Library,
    /// The vendor's name.
    pub name: &'static str,
    /// The file name by which it was found.
    pub soname: &'static str,
    /// Where it lies.
    pub path: String,
}

impl Library {
    /// Another handle of the same library, for bindings that keep one.
    pub fn share(&self) -> Option<libloading::Library> {
        // SAFETY: the library is open already, so no initialiser runs.
        unsafe { system::Library::open(Some(&self.path), libc::RTLD_NOW | libc::RTLD_LOCAL) }.ok().map(Into::into)
    }

    /// Address of a function, if the library has it.
    pub fn symbol(&self, name: &str) -> Option<*const c_void> {
        let name = CString::new(name).ok()?;
        // SAFETY: only the address is taken; who calls it states the signature.
        unsafe { self.handle.get::<*const c_void>(name.as_bytes_with_nul()) }
            .ok()
            .map(|symbol| symbol.as_raw_ptr().cast_const())
    }
}

/// Where to look, in order. Built from the environment once; tests build their own.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Whether to ask for libraries that the process holds already.
    pub loaded: bool,
    /// Folders that the user named.
    pub named: Vec<PathBuf>,
    /// `site-packages` folders.
    pub packages: Vec<PathBuf>,
    /// Folders within those that may hold a library; `*` stands for [`Wanted::wheel`].
    pub layout: &'static [&'static str],
    /// Folders of conda and of installed toolkits.
    pub installed: Vec<PathBuf>,
    /// Whether to leave the search to the system's loader at last.
    pub system: bool,
    /// Libraries that none of these places is to bring into the process: those of other versions.
    pub foreign: Vec<String>,
}

impl Places {
    /// Keeps the first of equal folders.
    pub fn without_repetitions(mut self) -> Places {
        for list in [&mut self.named, &mut self.packages, &mut self.installed] {
            let mut seen = vec![];
            list.retain(|folder| {
                let new = !seen.contains(folder);
                if new {
                    seen.push(folder.clone());
                }
                new
            });
        }
        self
    }

    fn candidates(&self, wanted: &Wanted) -> Vec<(&'static str, PathBuf)> {
        let within = |folder: &PathBuf| -> Vec<PathBuf> {
            self.layout.iter().map(|part| folder.join(part.replace('*', wanted.wheel))).collect()
        };
        let folders = self.named.iter().cloned().chain(self.packages.iter().flat_map(within));
        let folders = folders.chain(self.installed.iter().cloned());
        folders.flat_map(|folder| wanted.sonames.iter().map(move |soname| (*soname, folder.join(soname)))).collect()
    }

    fn open_file(&self, path: &OsStr) -> Result<system::Library, String> {
        elf::objection(Path::new(path), &self.foreign).map_or_else(|| open(path), Err)
    }

    /// Opens the first library that can be.
    pub fn open(&self, wanted: &Wanted) -> Result<Library, MissingLibrary> {
        let _alone = OPENING.write();
        let mut attempts = vec![];
        if self.loaded {
            for soname in wanted.sonames {
                match loaded(soname) {
                    Some(handle) => return Ok(library(handle, wanted, soname, soname)),
                    None => attempts.push(Attempt {
                        path: format!("{soname} (loaded already)"),
                        error: "no other package has loaded it".to_owned(),
                    }),
                }
            }
        }
        let mut try_open = |soname: &'static str, path: &OsStr| match self.open_file(path) {
            Ok(handle) => {
                open_parts(Path::new(path), soname);
                Some(library(handle, wanted, soname, &path.to_string_lossy()))
            }
            Err(error) => {
                attempts.push(Attempt { path: path.to_string_lossy().into_owned(), error });
                None
            }
        };
        for (soname, path) in self.candidates(wanted) {
            if let Some(library) = try_open(soname, path.as_os_str()) {
                return Ok(library);
            }
        }
        if self.system {
            for soname in wanted.sonames {
                if let Some(library) = try_open(soname, OsStr::new(soname)) {
                    return Ok(library);
                }
            }
        }
        Err(MissingLibrary { name: wanted.name.to_owned(), attempts, hint: wanted.hint.to_owned() })
    }
}

/// Entries of a folder whose name starts with `prefix`, the greatest first.
pub fn matching(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix))
        .map(|entry| entry.path())
        .collect();
    found.sort_unstable_by(|a, b| b.cmp(a));
    found
}

/// The file that this very code was loaded from.
pub fn own_file() -> Option<PathBuf> {
    path_of(own_file as *const c_void)
}

/// The `site-packages` folder that this very code was loaded from, if it was.
pub fn own_packages() -> Option<PathBuf> {
    let path = own_file()?;
    let folder = path
        .ancestors()
        .find(|folder| folder.file_name().is_some_and(|name| name == "site-packages" || name == "dist-packages"));
    folder.map(Path::to_path_buf)
}

/// The file that an address was loaded from.
fn path_of(address: *const c_void) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    // SAFETY: dladdr accepts any address and fills `info` when it returns non-zero.
    let path = unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(address, &mut info) == 0 || info.dli_fname.is_null() {
            return None;
        }
        CStr::from_ptr(info.dli_fname).to_bytes().to_vec()
    };
    Some(PathBuf::from(OsStr::from_bytes(&path)))
}

fn loaded(soname: &str) -> Option<system::Library> {
    // SAFETY: with NOLOAD no initialiser runs; only a handle to what is there already comes back.
    unsafe { system::Library::open(Some(soname), libc::RTLD_NOLOAD | libc::RTLD_NOW) }.ok()
}

fn open(path: &OsStr) -> Result<system::Library, String> {
    // SAFETY: the initialisers of vendors' libraries may run in any thread.
    unsafe { system::Library::open(Some(path), libc::RTLD_NOW | libc::RTLD_LOCAL) }.map_err(|error| words(&error))
}

/// Opens the parts of a library that lie beside it and that it opens when it needs them, by their names alone:
/// `libnvrtc-builtins.so.13.0` of `libnvrtc.so.13`. Not every release of a vendor's package says to look in its own folder.
fn open_parts(path: &Path, soname: &str) {
    let Some((stem, folder)) = soname.split(".so").next().zip(path.parent()) else { return };
    for part in matching(folder, &format!("{stem}-")) {
        if part.to_string_lossy().contains(".alt.") {
            continue;
        }
        match open(part.as_os_str()) {
            // Never closed, as the library itself.
            Ok(handle) => std::mem::forget(handle),
            Err(error) => tracing::debug!(part = %part.display(), error, "not opened"),
        }
    }
}

/// The system's own words, without libloading's frame.
fn words(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

fn library(handle: system::Library, wanted: &Wanted, soname: &'static str, fallback: &str) -> Library {
    let mut library = Library { handle, name: wanted.name, soname, path: fallback.to_owned() };
    if let Some(path) = library.symbol(wanted.probe).and_then(path_of) {
        library.path = path.to_string_lossy().into_owned();
    }
    tracing::debug!(library = wanted.name, path = library.path, "opened");
    library
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: &[&str] = &["nvidia/cu13/lib", "nvidia/*/lib"];
    const WANTED: Wanted = Wanted {
        name: "cuNothing",
        sonames: &["libcunothing.so.13", "libcunothing.so.12"],
        wheel: "cunothing",
        probe: "cuNothingVersion",
        hint: "pip install nvidia-cunothing",
    };

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("cuproxide-loader-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        folder
    }

    #[test]
    fn a_missing_library_lists_every_attempt() {
        let site = folder("empty");
        let places = Places {
            loaded: true,
            named: vec![site.clone()],
            packages: vec![site.clone()],
            installed: vec![],
            layout: LAYOUT,
            system: true,
            foreign: vec![],
        };
        let missing = places.open(&WANTED).expect_err("no such library exists");
        assert_eq!(missing.attempts.len(), 2 + 2 + 4 + 2);
        assert!(missing.attempts.iter().all(|attempt| !attempt.error.is_empty()));
        assert!(missing.attempts[4].path.ends_with("nvidia/cu13/lib/libcunothing.so.13"));
        assert!(missing.to_string().ends_with("hint: pip install nvidia-cunothing"));
    }

    #[test]
    fn a_file_that_is_no_library_is_an_attempt_too() {
        let site = folder("broken");
        let lib = site.join("nvidia/cunothing/lib");
        std::fs::create_dir_all(&lib).expect("a temporary folder");
        std::fs::write(lib.join("libcunothing.so.12"), b"not an ELF file").expect("a temporary file");
        let places = Places { packages: vec![site], layout: LAYOUT, ..Places::default() };
        let missing = places.open(&WANTED).expect_err("the file is not a library");
        let broken = missing.attempts.last().expect("an attempt");
        assert!(broken.path.ends_with("libcunothing.so.12"));
        assert!(broken.error.contains("too short") || broken.error.contains("ELF"), "{}", broken.error);
    }

    #[test]
    fn a_loaded_library_is_shared() {
        let wanted = Wanted { name: "C", sonames: &["libc.so.6"], wheel: "", probe: "malloc", hint: "" };
        let library = Places { loaded: true, ..Places::default() }.open(&wanted).expect("this process holds libc");
        assert!(library.path.contains("libc"), "{}", library.path);
        assert!(library.symbol("malloc").is_some());
        assert!(library.symbol("no_such_function").is_none());
    }

    fn compile(folder: &Path, name: &str, text: &str) {
        link(folder, name, text, "-ldl");
    }

    /// Makes a library that finds others in its own folder.
    fn link(folder: &Path, name: &str, text: &str, other: &str) {
        std::fs::write(folder.join("text.c"), text).expect("a temporary file");
        let mut compiler = std::process::Command::new("cc");
        compiler.current_dir(folder).args(["-shared", "-fPIC", "-Wl,-rpath,$ORIGIN", "text.c", other, "-o", name]);
        assert!(compiler.arg(format!("-Wl,-soname,{name}")).status().expect("a compiler").success());
    }

    #[test]
    fn a_library_finds_its_parts_beside_it() {
        let site = folder("parts");
        compile(&site, "libcunothing-builtins.so.13.0", "int answer(void) { return 42; }");
        let text = "#include <dlfcn.h>
            int cuNothingVersion(void) { return dlopen(\"libcunothing-builtins.so.13.0\", RTLD_NOW) != 0; }";
        compile(&site, "libcunothing.so.13", text);
        let library = Places { named: vec![site], ..Places::default() }.open(&WANTED).expect("the library is there");
        let found = library.symbol("cuNothingVersion").expect("the function is there");
        // SAFETY: the function compiled above takes nothing and returns an int.
        let found = unsafe { std::mem::transmute::<*const c_void, extern "C" fn() -> i32>(found) };
        assert_eq!(found(), 1);
    }

    #[test]
    fn a_file_that_is_cut_off_is_not_opened() {
        let site = folder("cut");
        compile(&site, "libcunothing.so.13", "int cuNothingVersion(void) { return 1; }");
        let path = site.join("libcunothing.so.13");
        let length = std::fs::metadata(&path).expect("the library").len();
        let file = std::fs::File::options().write(true).open(&path).expect("the library");
        file.set_len(length / 8).expect("a shorter file");
        let missing = Places { named: vec![site], ..Places::default() }.open(&WANTED).expect_err("half of a library");
        assert_eq!(missing.attempts[0].error, "the file is cut off");
    }

    #[test]
    fn libraries_of_other_versions_stay_outside() {
        let (old, new) = (folder("old"), folder("new"));
        for (site, version) in [(&old, "6"), (&new, "7")] {
            // The library needs its part, and that the run-time library.
            let runtime = format!("libruntime.so.{version}");
            compile(site, &runtime, "int runtime(void) { return 1; }");
            link(site, "libpart.so.1", "int runtime(void); int part(void) { return runtime(); }", &runtime);
            link(
                site,
                "libcunothing.so.13",
                "int part(void); int cuNothingVersion(void) { return part(); }",
                "libpart.so.1",
            );
        }
        let mut places = Places { named: vec![old.clone(), new.clone()], ..Places::default() };
        places.foreign = vec!["libruntime.so.6".to_owned()];
        let library = places.open(&WANTED).expect("that of the other folder");
        assert!(library.path.starts_with(&*new.to_string_lossy()), "{}", library.path);
        places.named = vec![old];
        let missing = places.open(&WANTED).expect_err("it is of another version");
        assert_eq!(missing.attempts[0].error, "it needs libruntime.so.6, of another version than the one in use");
    }

    #[test]
    fn packages_come_before_toolkits() {
        let (packages, installed) = (vec!["/a".into()], vec!["/b".into()]);
        let places = Places { packages, layout: LAYOUT, installed, ..Places::default() };
        let candidates = places.candidates(&WANTED);
        assert_eq!(candidates.first().expect("a candidate").1, Path::new("/a/nvidia/cu13/lib/libcunothing.so.13"));
        assert_eq!(candidates.last().expect("a candidate").1, Path::new("/b/libcunothing.so.12"));
    }

    #[test]
    fn libraries_wait_until_they_may_be_opened() {
        let guard = no_opening();
        let (done, opened) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let missing = Places::default().open(&WANTED).is_err();
            done.send(missing).expect("the test listens");
        });
        assert!(opened.recv_timeout(std::time::Duration::from_millis(50)).is_err(), "opened beside a compilation");
        drop(guard);
        assert!(opened.recv().expect("it was tried"));
        thread.join().expect("no panic");
    }
}
