//! The files that a text of the user's includes. What comes out of the text depends on them, so the cache has to know them,
//! and so has who translates the text.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use cuproxide_hal::SourceText;

/// Options, without dashes, whose value is a folder of headers.
const FOLDERS: [&str; 3] = ["I", "include-path", "isystem"];
/// Those whose value is a file that is read before the text.
const FILES: [&str; 2] = ["include", "pre-include"];

/// The contents of all files that are found in the user's own folders, each once. Conditions are not looked at, and a name
/// that a macro stands for is not found.
pub(crate) fn texts(source: &SourceText<'_>) -> Vec<String> {
    let here = Path::new("");
    let mut search = Search { folders: values(source.options, &FOLDERS), seen: HashSet::new(), texts: vec![] };
    for file in values(source.options, &FILES) {
        search.find(&file, Some(here));
    }
    search.follow(source.text, here);
    search.texts
}

struct Search {
    folders: Vec<PathBuf>,
    seen: HashSet<PathBuf>,
    texts: Vec<String>,
}

impl Search {
    /// Reads what a text in a folder includes.
    fn follow(&mut self, text: &str, folder: &Path) {
        for (name, beside) in text.lines().filter_map(included) {
            self.find(Path::new(name), beside.then_some(folder));
        }
    }

    /// Reads the first file of the name, unless it was read before.
    fn find(&mut self, name: &Path, beside: Option<&Path>) {
        let folders = beside.into_iter().chain(self.folders.iter().map(PathBuf::as_path));
        let Some(path) = folders.map(|folder| folder.join(name)).find(|path| path.is_file()) else { return };
        // Without links and steps back, so that circles end.
        let path = path.canonicalize().unwrap_or(path);
        if self.seen.insert(path.clone())
            && let Ok(bytes) = std::fs::read(&path)
        {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            self.follow(&text, path.parent().unwrap_or(Path::new("")));
            self.texts.push(text);
        }
    }
}

/// What a line includes, and whether it is looked for beside the file first.
fn included(line: &str) -> Option<(&str, bool)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
    let within = |open: char, close: char| rest.strip_prefix(open)?.split(close).next();
    within('"', '"').map(|name| (name, true)).or_else(|| within('<', '>').map(|name| (name, false)))
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
    fn lines_name_files() {
        assert_eq!(included("  #  include <a/b.h> // c"), Some(("a/b.h", false)));
        assert_eq!(included("#include\"b.h\""), Some(("b.h", true)));
        assert_eq!(included("#include NAME"), None);
        assert_eq!(included("include <a.h>"), None);
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
        let found = texts(&SourceText { name: "t", text, options: &options, expressions: &[] });
        let last: Vec<&str> = found.iter().filter_map(|text| text.lines().last()).collect();
        assert_eq!(last, ["int first;", "int c;", "int b;", "int a;"]);
    }
}
