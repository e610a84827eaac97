//! Finds vendor libraries: those that another package has loaded already, then the places that the user names, then
//! pip, conda and toolkit folders, then the system. Every attempt is kept, so that a failure explains itself.

use std::ffi::{CStr, CString, OsStr, c_void};
use std::path::{Path, PathBuf};

use cuproxide_hal::{Attempt, MissingLibrary};
use libloading::os::unix as system;

/// A library as the vendor ships it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// The vendor's name.
    pub name: &'static str,
    /// File names by major version, preferred first.
    pub sonames: &'static [&'static str],
    /// Folder of the library's own wheel under `nvidia/`.
    pub wheel: &'static str,
    /// A function that tells where the library was loaded from.
    pub probe: &'static str,
    /// What installs it.
    pub hint: &'static str,
}

/// A library that was opened; never closed, since functions of it are kept.
#[derive(Debug)]
pub(crate) struct Library {
    handle: system::Library,
    pub name: &'static str,
    pub path: String,
}

impl Library {
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
pub(crate) struct Places {
    /// Whether to ask for libraries that the process holds already.
    pub loaded: bool,
    /// Folders that the user named.
    pub named: Vec<PathBuf>,
    /// `site-packages` folders.
    pub packages: Vec<PathBuf>,
    /// Folders of conda and of installed toolkits.
    pub installed: Vec<PathBuf>,
    /// Whether to leave the search to the system's loader at last.
    pub system: bool,
}

impl Places {
    /// The places that this process's environment and file system suggest.
    pub fn of_process() -> Places {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let mut named = vec![];
        let mut packages = vec![];
        if let Some(list) = variable("CUPROXIDE_LIBRARY_PATH") {
            for folder in std::env::split_paths(&list) {
                if folder.join("nvidia").is_dir() {
                    packages.push(folder.clone());
                }
                named.push(folder);
            }
        }
        for name in ["CUPROXIDE_CUDA_PATH", "CUDA_PATH", "CUDA_HOME"] {
            if let Some(root) = variable(name) {
                named.extend(library_folders(Path::new(&root)));
            }
        }
        packages.extend(own_packages());
        if let Some(root) = variable("VIRTUAL_ENV") {
            let mut found = matching(&Path::new(&root).join("lib"), "python");
            found.iter_mut().for_each(|folder| folder.push("site-packages"));
            packages.extend(found);
        }
        let mut installed = vec![];
        if let Some(root) = variable("CONDA_PREFIX") {
            installed.extend(library_folders(Path::new(&root)));
        }
        installed.extend(library_folders(Path::new("/usr/local/cuda")));
        for toolkit in matching(Path::new("/usr/local"), "cuda-") {
            installed.extend(library_folders(&toolkit));
        }
        installed.extend(library_folders(Path::new("/opt/cuda")));
        let mut places = Places { loaded: true, named, packages, installed, system: true };
        for list in [&mut places.named, &mut places.packages, &mut places.installed] {
            let mut seen = vec![];
            list.retain(|folder| {
                let new = !seen.contains(folder);
                if new {
                    seen.push(folder.clone());
                }
                new
            });
        }
        places
    }

    /// Folders with headers of the toolkit that belong to the same places.
    pub fn include_folders(&self) -> Vec<PathBuf> {
        let beside = |folder: &PathBuf| folder.parent().map(|root| root.join("include"));
        let mut found: Vec<PathBuf> = self.named.iter().filter_map(beside).collect();
        for folder in &self.packages {
            found.push(folder.join("nvidia/cu13/include"));
            found.push(folder.join("nvidia/cuda_runtime/include"));
        }
        found.extend(self.installed.iter().filter_map(beside));
        found.retain(|folder| folder.join("cuda_fp16.h").is_file());
        found.dedup();
        found
    }

    fn candidates(&self, wanted: &Wanted) -> Vec<PathBuf> {
        let mut folders = self.named.clone();
        for folder in &self.packages {
            folders.push(folder.join("nvidia/cu13/lib"));
            folders.push(folder.join("nvidia").join(wanted.wheel).join("lib"));
        }
        folders.extend(self.installed.iter().cloned());
        folders.iter().flat_map(|folder| wanted.sonames.iter().map(|soname| folder.join(soname))).collect()
    }

    /// Opens the first library that can be.
    pub fn open(&self, wanted: &Wanted) -> Result<Library, MissingLibrary> {
        let mut attempts = vec![];
        if self.loaded {
            for soname in wanted.sonames {
                match loaded(soname) {
                    Some(handle) => return Ok(library(handle, wanted, soname)),
                    None => attempts.push(Attempt {
                        path: format!("{soname} (loaded already)"),
                        error: "no other package has loaded it".to_owned(),
                    }),
                }
            }
        }
        let mut try_open = |path: &OsStr| match open(path) {
            Ok(handle) => Some(library(handle, wanted, &path.to_string_lossy())),
            Err(error) => {
                attempts.push(Attempt { path: path.to_string_lossy().into_owned(), error });
                None
            }
        };
        for path in self.candidates(wanted) {
            if let Some(library) = try_open(path.as_os_str()) {
                return Ok(library);
            }
        }
        if self.system {
            for soname in wanted.sonames {
                if let Some(library) = try_open(OsStr::new(soname)) {
                    return Ok(library);
                }
            }
        }
        Err(MissingLibrary { name: wanted.name.to_owned(), attempts, hint: wanted.hint.to_owned() })
    }
}

/// Folders under the root of a toolkit that may hold libraries.
fn library_folders(root: &Path) -> Vec<PathBuf> {
    ["lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"]
        .iter()
        .map(|folder| root.join(folder))
        .collect()
}

/// Entries of a folder whose name starts with `prefix`, the greatest first.
fn matching(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix))
        .map(|entry| entry.path())
        .collect();
    found.sort_unstable_by(|a, b| b.cmp(a));
    found
}

/// The file that this very code was loaded from.
pub(crate) fn own_file() -> Option<PathBuf> {
    path_of(own_file as *const c_void)
}

/// The `site-packages` folder that this very code was loaded from, if it was.
fn own_packages() -> Option<PathBuf> {
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
    // SAFETY: the initialisers of NVIDIA's libraries may run in any thread.
    unsafe { system::Library::open(Some(path), libc::RTLD_NOW | libc::RTLD_LOCAL) }.map_err(|error| words(&error))
}

/// The system's own words, without libloading's frame.
fn words(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

fn library(handle: system::Library, wanted: &Wanted, fallback: &str) -> Library {
    let mut library = Library { handle, name: wanted.name, path: fallback.to_owned() };
    if let Some(path) = library.symbol(wanted.probe).and_then(path_of) {
        library.path = path.to_string_lossy().into_owned();
    }
    tracing::debug!(library = wanted.name, path = library.path, "opened");
    library
}

#[cfg(test)]
mod tests {
    use super::*;

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
            system: true,
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
        let places = Places { packages: vec![site], ..Places::default() };
        let missing = places.open(&WANTED).expect_err("the file is no library");
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

    #[test]
    fn packages_come_before_toolkits() {
        let places = Places { packages: vec!["/a".into()], installed: vec!["/b".into()], ..Places::default() };
        let candidates = places.candidates(&WANTED);
        assert_eq!(candidates.first().expect("a candidate"), Path::new("/a/nvidia/cu13/lib/libcunothing.so.13"));
        assert_eq!(candidates.last().expect("a candidate"), Path::new("/b/libcunothing.so.12"));
    }
}
