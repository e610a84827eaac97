//! The files that a text of the user's includes. What comes out of the text depends on them, so the cache has to know them,
//! and so has who translates the text.

mod directives;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use cuproxide_hal::SourceText;

use directives::Mention;

/// Options, without dashes, whose value is a folder of headers.
const FOLDERS: [&str; 3] = ["I", "include-path", "isystem"];
/// Those whose value is a file that is read before the text.
const FILES: [&str; 2] = ["include", "pre-include"];

/// The files that a text includes.
pub(crate) struct Included {
    /// The contents of all that are found in the user's own folders, each once, whatever the conditions around them.
    pub texts: Vec<String>,
    /// Whether these are all: not so where a macro stands for a name.
    pub all: bool,
}

/// Looks for what a text and its options include.
pub(crate) fn of(source: &SourceText<'_>) -> Included {
    let here = Path::new("");
    let folders = values(source.options, &FOLDERS);
    let mut search = Search { folders, seen: HashSet::new(), included: Included { texts: vec![], all: true } };
    for file in values(source.options, &FILES) {
        search.find(&file, Some(here), false);
    }
    search.follow(source.text, here);
    search.included
}

struct Search {
    folders: Vec<PathBuf>,
    seen: HashSet<PathBuf>,
    included: Included,
}

impl Search {
    /// Reads what a text in a folder includes.
    fn follow(&mut self, text: &str, folder: &Path) {
        for mention in directives::mentioned(text) {
            match mention {
                Mention::File { name, beside, next } => {
                    self.find(Path::new(&name), beside.then_some(folder), next);
                }
                Mention::Unknown => self.included.all = false,
            }
        }
    }

    /// Reads the first file of the name, or all of them, unless they were read before.
    fn find(&mut self, name: &Path, beside: Option<&Path>, all: bool) {
        let folders = beside.into_iter().chain(self.folders.iter().map(PathBuf::as_path));
        let found = folders.map(|folder| folder.join(name)).filter(|path| path.is_file());
        let found: Vec<PathBuf> = found.take(if all { usize::MAX } else { 1 }).collect();
        for path in found {
            // Without links and steps back, so that circles end.
            let path = path.canonicalize().unwrap_or(path);
            if self.seen.insert(path.clone())
                && let Ok(bytes) = std::fs::read(&path)
            {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                self.follow(&text, path.parent().unwrap_or(Path::new("")));
                self.included.texts.push(text);
            }
        }
    }
}

/// The values of options of these names: after `=`, as the next one, or, of names of one letter, right behind.
fn values(options: &[String], names: &[&str]) -> Vec<PathBuf> {
    let mut given = options.iter();
    let mut found = vec![];
    while let Some(option) = given.next() {
        let bare = option.trim_start_matches('-');
        let value = |name: &&str| match bare.strip_prefix(*name)? {
            "" => given.clone().next().map(String::as_str),
            rest if name.len() == 1 => Some(rest.trim_start_matches('=')),
            rest => rest.strip_prefix('='),
        };
        if bare.len() < option.len() {
            found.extend(names.iter().find_map(value).map(PathBuf::from));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    #[test]
    fn folders_are_named_in_all_ways() {
        let options =
            strings(&["-I/a", "-I", "/b", "--include-path=/c", "-DI=3", "--include-path", "/d", "-isystem=/e"]);
        let found = values(&options, &FOLDERS);
        assert_eq!(found, ["/a", "/b", "/c", "/d", "/e"].map(PathBuf::from));
        assert_eq!(values(&strings(&["-include", "x.h", "--include-path=/c"]), &FILES), [PathBuf::from("x.h")]);
    }

    #[test]
    fn files_are_read_once_with_those_that_they_include() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a temporary folder");
            std::fs::write(path, text).expect("a temporary file");
        };
        write("a.h", "#include \"inner/b.h\"\nint a;");
        write("inner/b.h", "#include \"../a.h\"\n#include \"c.h\"\nint b;");
        write("inner/c.h", "int c;");
        write("first.h", "int first;");
        let options = [format!("-I{}", folder.path().display()), "-include".to_owned(), "first.h".to_owned()];
        let text = "#include <a.h>\n#include \"a.h\"\n#include <c.h>\n#include <absent.h>";
        let found = of(&SourceText { name: "t", text, options: &options, expressions: &[] });
        assert!(found.all);
        let last: Vec<&str> = found.texts.iter().filter_map(|text| text.lines().last()).collect();
        assert_eq!(last, ["int first;", "int c;", "int b;", "int a;"]);
    }

    #[test]
    fn the_next_file_of_a_name_counts_too() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, text) in [("one", "#include_next <a.h>\nint one;"), ("two", "int two;")] {
            std::fs::create_dir(folder.path().join(name)).expect("a temporary folder");
            std::fs::write(folder.path().join(name).join("a.h"), text).expect("a temporary file");
        }
        let options = ["one", "two"].map(|name| format!("-I{}", folder.path().join(name).display()));
        let found = of(&SourceText { name: "t", text: "#include <a.h>", options: &options, expressions: &[] });
        assert_eq!(found.texts.len(), 2, "{:?}", found.texts);
        let text = "#define NAME <a.h>\n#include NAME\n";
        assert!(!of(&SourceText { name: "t", text, options: &options, expressions: &[] }).all);
    }
}
