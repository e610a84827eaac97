//! Texts that a compiler took before, so that tests compile only those that are new.
//!
//! A table has a line for each text: 16 digits of the hash of the text, of its options and of the compiler. The compiler is
//! named by the contents of its libraries, since a build of the same version may refuse what another one took. A changed
//! text, another option and another compiler thus have no line, and what has none is compiled.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use cuproxide_hal::settings;
use sha2::{Digest, Sha256};

use crate::cache::Key;

/// How the files of run-time compilers begin: what translates, not what any program of the system needs.
const COMPILERS: [&str; 6] = ["libnvrtc", "libhiprtc", "libamdhip64", "libamd_comgr", "libLLVM", "libclang"];

/// The texts that one compiler has taken.
#[derive(Debug)]
pub struct Passed {
    /// Names the compiler.
    compiler: Key,
    known: HashSet<String>,
    /// Where the lines of this run go: of texts that were in the table and of those that compiled.
    record: Option<Mutex<File>>,
}

impl Passed {
    /// The table of the compiler of this name whose libraries the process has opened. `CUPROXIDE_TEXTS` is the folder of
    /// tables; without it nothing is known. The lines of this run go to `CUPROXIDE_TEXTS_RECORD` in the same form.
    ///
    /// # Panics
    /// Where the folder of the lines cannot be written. A table that cannot be read knows nothing, so all texts are compiled.
    pub fn of_process(name: &str) -> Passed {
        let record = settings::TEXTS_RECORD.path().map(|folder| {
            fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
            folder.join(format!("{name}.txt"))
        });
        Passed::new(&libraries(), settings::TEXTS.path().map(|folder| folder.join(format!("{name}.txt"))), record)
    }

    fn new(libraries: &[PathBuf], table: Option<PathBuf>, record: Option<PathBuf>) -> Passed {
        let hashes: Vec<_> = libraries.iter().map(|path| content(path)).collect();
        let known = table.and_then(|path| fs::read_to_string(path).ok()).unwrap_or_default();
        Passed {
            compiler: Key::of(hashes.iter().map(<[u8; 32]>::as_slice)),
            // A compiler without a name has no lines.
            known: if hashes.is_empty() { HashSet::new() } else { known.lines().map(str::to_owned).collect() },
            record: record.map(|path| {
                Mutex::new(File::create(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
            }),
        }
    }

    /// Compiles those of the texts that are not known, all in one call; they are known from then on if it returns. `key` is
    /// the hash of a text and its options.
    pub fn compile<T>(&self, texts: Vec<T>, key: impl Fn(&T) -> Key, compile: impl FnOnce(&[T])) -> usize {
        let line = |text: &T| {
            let own = Key::of([self.compiler.bytes(), key(text).bytes()]);
            own.bytes().iter().take(8).map(|byte| format!("{byte:02x}")).collect::<String>()
        };
        let lines: Vec<String> = texts.iter().map(line).collect();
        let mut known = lines.iter().map(|line| self.known.contains(line));
        let new: Vec<T> = texts.into_iter().filter(|_| !known.next().unwrap_or_default()).collect();
        if !new.is_empty() {
            compile(&new);
        }
        if let Some(record) = &self.record {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let mut file = record.lock().unwrap_or_else(|error| panic!("{error}"));
            file.write_all(text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
        }
        new.len()
    }
}

/// The libraries of compilers in this process, in the order of their names.
fn libraries() -> Vec<PathBuf> {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let paths = maps.lines().filter_map(|line| line.find('/').map(|at| Path::new(&line[at..])));
    let named = |path: &&Path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        COMPILERS.iter().any(|compiler| name.starts_with(compiler))
    };
    let mut found: Vec<PathBuf> = paths.filter(named).map(Path::to_owned).collect();
    found.sort_by(|a, b| (a.file_name(), a).cmp(&(b.file_name(), b)));
    found.dedup();
    found
}

/// The hash of a file.
fn content(path: &Path) -> [u8; 32] {
    let mut hash = Sha256::new();
    let copied = File::open(path).and_then(|mut file| std::io::copy(&mut file, &mut hash));
    copied.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with a compiler, and the texts that a run compiled there with what the last one has recorded.
    struct Place(PathBuf);

    impl Place {
        fn new(name: &str) -> Place {
            let folder = std::env::temp_dir().join(format!("cuproxide-passed-{name}-{}", std::process::id()));
            fs::create_dir_all(&folder).expect("a folder");
            let place = Place(folder);
            place.compiler("one");
            place
        }

        fn compiler(&self, content: &str) {
            fs::write(self.0.join("libnvrtc.so"), content).expect("a file");
        }

        fn open(&self) -> Passed {
            let (table, record) = (self.0.join("table"), self.0.join("record"));
            if record.exists() {
                fs::rename(&record, &table).expect("two files");
            }
            Passed::new(&[self.0.join("libnvrtc.so")], Some(table), Some(record))
        }

        /// Compiles texts with one option.
        fn run(&self, option: &str, texts: &[&'static str]) -> Vec<&'static str> {
            let mut compiled = vec![];
            let key = |text: &&str| Key::of([text.as_bytes(), option.as_bytes()]);
            let count = self.open().compile(texts.to_vec(), key, |new| compiled.extend_from_slice(new));
            assert_eq!(count, compiled.len());
            compiled
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_text_is_compiled_once_and_a_changed_one_again() {
        let place = Place::new("texts");
        assert_eq!(place.run("sm_90", &["a", "b"]), ["a", "b"]);
        assert_eq!(place.run("sm_90", &["a", "b"]), [""; 0]);
        assert_eq!(place.run("sm_90", &["a", "B", "c"]), ["B", "c"]);
        // A table has what the last run met: "b" is gone from the kernels.
        assert_eq!(place.run("sm_90", &["a", "B", "c", "b"]), ["b"]);
    }

    #[test]
    fn another_option_and_another_compiler_know_nothing() {
        let place = Place::new("compilers");
        assert_eq!(place.run("sm_90", &["a"]), ["a"]);
        assert_eq!(place.run("sm_80", &["a"]), ["a"]);
        assert_eq!(place.run("sm_80", &["a"]), [""; 0]);
        // The same name and version, built again.
        place.compiler("two");
        assert_eq!(place.run("sm_80", &["a"]), ["a"]);
    }

    #[test]
    fn what_fails_is_not_known() {
        let place = Place::new("failures");
        let passed = place.open();
        let key = |text: &&str| Key::of([text.as_bytes()]);
        let broken = std::panic::AssertUnwindSafe(|| passed.compile(vec!["a"], key, |_| panic!("refused")));
        assert!(std::panic::catch_unwind(broken).is_err());
        drop(passed);
        assert_eq!(place.run("sm_90", &["a"]), ["a"]);
    }

    #[test]
    fn nothing_is_known_of_a_compiler_that_cannot_be_found() {
        let place = Place::new("nameless");
        let key = |text: &&str| Key::of([text.as_bytes()]);
        let (table, record) = (place.0.join("table"), place.0.join("record"));
        for _ in 0..2 {
            let passed = Passed::new(&[], Some(table.clone()), Some(record.clone()));
            assert_eq!(passed.compile(vec!["a"], key, |_| ()), 1);
            fs::rename(&record, &table).expect("two files");
        }
    }
}
