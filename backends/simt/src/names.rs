//! Names that a text declares for itself and that headers of the host have declared before.
//!
//! A text for a GPU's compiler is alone with the names of that dialect. Here it is read after the C library's headers,
//! whose names are global: `typedef unsigned long long uint64_t;` or a variable `gamma` would be an error. Such a name is
//! given a prefix wherever the text has it, so that two things have two names, and each header keeps its own.

use std::collections::{HashMap, HashSet};

use crate::tokens::cut;

/// Where the headers of ours lie, seen from the folder that the compiler runs in.
pub const INCLUDE: &str = "cuproxide-include";
/// What a name is made another one with.
pub const RENAMED: &str = "__cpx_user_";

/// Functions of the C library that the dialect has too, beside those of mathematics: a text may overload them.
const SHARED: [&str; 11] =
    ["abs", "labs", "llabs", "printf", "malloc", "free", "memcpy", "memset", "clock", "assert", "operator"];

/// Words of the language that can stand last in what declares no name.
const KEYWORDS: [&str; 18] = [
    "struct",
    "class",
    "union",
    "enum",
    "const",
    "volatile",
    "constexpr",
    "static",
    "inline",
    "signed",
    "unsigned",
    "char",
    "short",
    "int",
    "long",
    "float",
    "double",
    "bool",
];

/// Words before a group in parentheses that declares nothing.
const ATTRIBUTES: [&str; 9] =
    ["__attribute__", "__attribute", "__declspec", "alignas", "decltype", "__typeof__", "noexcept", "__asm__", "asm"];

/// Where a piece of a preprocessed text comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The text and the headers of the program.
    User,
    /// Headers of ours.
    Own,
    /// The host's header of mathematics, most of which the dialect has too.
    Mathematics,
    /// Other headers of the host.
    System,
}

impl Origin {
    /// What the preprocessor's line `# 1 "file" 1 3` says; `ours` is part of the paths of headers of ours.
    pub fn of_marker(line: &str, ours: &str) -> Option<Origin> {
        let (before, flags) = line.strip_prefix('#')?.rsplit_once('"')?;
        let (number, file) = before.split_once('"')?;
        if number.trim().trim_start_matches("line").trim().parse::<u64>().is_err() {
            return None;
        }
        Some(if flags.split_whitespace().any(|flag| flag == "3") {
            if file.rsplit('/').next().is_some_and(|name| name.contains("math")) {
                Origin::Mathematics
            } else {
                Origin::System
            }
        } else if file.contains(ours) {
            Origin::Own
        } else {
            Origin::User
        })
    }
}

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A type or a variable: one name, one thing.
    Single,
    /// A function, others of whose name may have other parameters.
    Function,
}

/// The global names of a text and of the headers.
#[derive(Default)]
pub struct Names<'t> {
    headers: HashMap<&'t str, (Kind, Origin)>,
    user: Vec<(&'t str, Kind)>,
}

impl<'t> Names<'t> {
    /// Notes what a statement of the global scope declares. `end` is what it ends with; `tail` says that the braces of a
    /// type came before.
    pub fn note(&mut self, words: &[&'t str], end: &str, tail: bool, origin: Origin) {
        // What the text only declares is what the headers have.
        if origin == Origin::User && words.first() == Some(&"extern") && end == ";" && !words.contains(&"=") {
            return;
        }
        for (name, kind) in declared(words, end, tail).into_iter().filter(|(name, _)| !KEYWORDS.contains(name)) {
            if origin != Origin::User {
                self.headers.entry(name).or_insert((kind, origin));
            } else if kind == Kind::Single || end == "{" {
                self.user.push((name, kind));
            }
        }
    }

    /// Notes a name that the text gives to shared memory, which is global wherever it is declared.
    pub fn claim(&mut self, name: &'t str) {
        self.user.push((name, Kind::Single));
    }

    /// The names that the text must not share with the headers.
    pub fn clashing(&self) -> HashSet<String> {
        let clashes = |(name, kind): &&(&str, Kind)| match self.headers.get(name) {
            None => false,
            // A function beside a function overloads it, which is an error in the dialect too if it cannot.
            Some((Kind::Function, Origin::Own | Origin::Mathematics)) => *kind == Kind::Single,
            Some((Kind::Function, _)) => *kind == Kind::Single || !SHARED.contains(name),
            Some((Kind::Single, _)) => true,
        };
        self.user.iter().filter(clashes).map(|(name, _)| (*name).to_owned()).collect()
    }
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c == '_' || c.is_alphabetic())
}

/// Position behind the bracket that closes the one at `at`.
fn behind(words: &[&str], at: usize, open: &str, close: &str) -> usize {
    let mut depth = 0;
    for (index, word) in words.iter().enumerate().skip(at) {
        if *word == open {
            depth += 1;
        } else if *word == close {
            depth -= 1;
            if depth == 0 {
                return index + 1;
            }
        }
    }
    words.len()
}

/// The statement without groups of attributes.
fn bare<'t>(words: &[&'t str]) -> Vec<&'t str> {
    let mut kept = vec![];
    let mut at = 0;
    while at < words.len() {
        if ATTRIBUTES.contains(&words[at]) && words.get(at + 1) == Some(&"(") {
            at = behind(words, at + 1, "(", ")");
        } else {
            kept.push(words[at]);
            at += 1;
        }
    }
    kept
}

/// The names that a statement declares. It leaves out what it does not understand.
fn declared<'t>(words: &[&'t str], end: &str, tail: bool) -> Vec<(&'t str, Kind)> {
    let words = bare(words);
    let mut words = &words[..];
    while words.first() == Some(&"template") {
        words = &words[behind(words, 1, "<", ">")..];
    }
    if tail {
        return variables(words, 1);
    }
    match words {
        ["using", name, "=", ..] => return vec![(*name, Kind::Single)],
        ["using" | "namespace" | "static_assert" | "inline", "namespace", ..]
        | ["using" | "namespace" | "static_assert", ..] => {
            return vec![];
        }
        // The new name comes after the braces.
        ["typedef", rest @ ..] if end == "{" => words = rest,
        ["typedef", rest @ ..] => return typedef(rest).into_iter().map(|name| (name, Kind::Single)).collect(),
        _ => {}
    }
    let aggregate = words.iter().position(|word| matches!(*word, "struct" | "class" | "union" | "enum"));
    if let Some(at) = aggregate
        && !words[..at].contains(&"(")
    {
        let rest = &words[at + 1..];
        let rest = if matches!(rest.first(), Some(&("class" | "struct"))) { &rest[1..] } else { rest };
        match rest {
            [name] if is_word(name) => return vec![(*name, Kind::Single)],
            [name, ":" | "final", ..] if is_word(name) => return vec![(*name, Kind::Single)],
            _ => {}
        }
    }
    variables(words, 2)
}

/// The name of a type that a `typedef` gives, without that word.
fn typedef<'t>(words: &[&'t str]) -> Option<&'t str> {
    // `T (*name)(...)`
    if let Some(at) = words.windows(2).position(|pair| pair == ["(", "*"]) {
        return words[at + 2..].iter().find(|word| is_word(word)).copied();
    }
    let end = words.iter().position(|word| *word == "[").unwrap_or(words.len());
    words[..end].last().copied().filter(|word| is_word(word))
}

/// Variables, or a function, whose names come after at least `least - 1` other words.
fn variables<'t>(words: &[&'t str], least: usize) -> Vec<(&'t str, Kind)> {
    let mut found = vec![];
    let (mut at, mut count, mut qualified) = (0, 0, false);
    let mut last: Option<&'t str> = None;
    let mut take = |last: &mut Option<&'t str>, count: usize, qualified: bool, kind: Kind| {
        if let Some(name) = last.take().filter(|_| count >= least && !qualified) {
            found.push((name, kind));
        }
    };
    while at < words.len() {
        match words[at] {
            "operator" => return vec![],
            "<" => {
                at = behind(words, at, "<", ">");
                continue;
            }
            ":" if words.get(at + 1) == Some(&":") => {
                qualified = true;
                at += 2;
                if words.get(at).copied().is_some_and(is_word) {
                    (last, count) = (Some(words[at]), count + 1);
                    at += 1;
                    // The name of a type, unless it is the last word.
                    qualified =
                        !words.get(at).copied().is_some_and(|word| is_word(word) || matches!(word, "*" | "&" | "<"));
                }
                continue;
            }
            "(" => {
                if let ["(", "*", name, ..] = &words[at..]
                    && is_word(name)
                {
                    found.push((*name, Kind::Single));
                    return found;
                }
                take(&mut last, count, qualified, Kind::Function);
                return found;
            }
            "[" => {
                take(&mut last, count, qualified, Kind::Single);
                at = behind(words, at, "[", "]");
                continue;
            }
            "=" => {
                take(&mut last, count, qualified, Kind::Single);
                let mut depth = 0;
                while at < words.len() && !(words[at] == "," && depth == 0) {
                    match words[at] {
                        "(" | "[" => depth += 1,
                        ")" | "]" => depth -= 1,
                        _ => {}
                    }
                    at += 1;
                }
                continue;
            }
            "," => {
                take(&mut last, count, qualified, Kind::Single);
                (count, qualified) = (least, false);
            }
            word if is_word(word) => (last, count) = (Some(word), count + 1),
            _ => {}
        }
        at += 1;
    }
    take(&mut last, count, qualified, Kind::Single);
    found
}

/// A user text, such as an expression, with these names made others.
pub fn replace(text: &str, names: &HashSet<String>) -> String {
    replaced(text, names, |_| None)
}

/// A preprocessed text in which the user's part has these names made others.
pub fn replace_in_user_part(text: &str, names: &HashSet<String>, ours: &str) -> String {
    replaced(text, names, |line| Origin::of_marker(line, ours))
}

fn replaced(text: &str, names: &HashSet<String>, origin_of: impl Fn(&str) -> Option<Origin>) -> String {
    let mut output = String::with_capacity(text.len() + 256);
    if names.is_empty() {
        output.push_str(text);
        return output;
    }
    let (mut rest, mut line_start, mut origin) = (text, true, Origin::User);
    let mut before = ["", "", ""];
    while let Some(length) = cut(rest, line_start) {
        let (token, next) = rest.split_at(length);
        rest = next;
        if line_start && token.starts_with('#') {
            origin = origin_of(token).unwrap_or(origin);
        } else if origin == Origin::User && names.contains(token) && before != ["std", ":", ":"] {
            output.push_str(RENAMED);
        }
        output.push_str(token);
        line_start = token.ends_with('\n') || (line_start && token.trim().is_empty());
        if !token.trim().is_empty() {
            before = [before[1], before[2], token];
        }
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        let mut rest = text;
        let mut found = vec![];
        while let Some(length) = cut(rest, false) {
            found.push(rest[..length].trim());
            rest = &rest[length..];
        }
        found.retain(|word| !word.is_empty());
        found
    }

    fn names(text: &str) -> Vec<(&str, bool)> {
        let (text, end) = text.split_at(text.len() - 1);
        let found = declared(&words(text), end, false);
        found.into_iter().map(|(name, kind)| (name, kind == Kind::Function)).collect()
    }

    #[test]
    fn statements_declare_names() {
        for (text, wanted) in [
            ("typedef unsigned long long uint64_t;", vec![("uint64_t", false)]),
            ("typedef void (*handler)(int);", vec![("handler", false)]),
            ("typedef float row[4];", vec![("row", false)]),
            ("using index = int;", vec![("index", false)]),
            ("using std::abs;", vec![]),
            ("struct div_t {", vec![("div_t", false)]),
            ("typedef struct div_t {", vec![("div_t", false)]),
            ("template <class T, int N = (1 > 0)> struct list : base<T> {", vec![("list", false)]),
            ("enum class kind : int {", vec![("kind", false)]),
            ("struct point gamma;", vec![("gamma", false)]),
            (
                "static __attribute__((unused)) const double gamma = f(1, 2), y1[3] = 0, *z;",
                vec![("gamma", false), ("y1", false), ("z", false)],
            ),
            ("inline unsigned rand(int seed) {", vec![("rand", true)]),
            ("template <> std::array<uint64_t, 4> make(uint32_t n) {", vec![("make", true)]),
            ("extern \"C\" void k(float* x) {", vec![("k", true)]),
            ("float3 operator+(float3 a, float3 b) {", vec![]),
            ("void list<int>::index(int i) {", vec![]),
            ("std::pair<const uint64_t, int> both;", vec![("both", false)]),
            ("namespace a {", vec![]),
            ("extern \"C\" {", vec![]),
        ] {
            assert_eq!(names(text), wanted, "{text}");
        }
    }

    #[test]
    fn words_of_the_language_are_no_names() {
        let mut names = Names::default();
        for origin in [Origin::System, Origin::User] {
            for text in ["typedef struct", "extern \"C\"", "template <> struct"] {
                names.note(&words(text), "{", false, origin);
            }
            names.note(&["lldiv_t"], ";", true, origin);
        }
        assert_eq!(names.clashing(), HashSet::from(["lldiv_t".to_owned()]));
    }

    #[test]
    fn only_the_users_own_names_are_made_others() {
        let set = HashSet::from(["uint64_t".to_owned()]);
        let text = "# 1 \"/usr/include/stdint.h\" 1 3\ntypedef int uint64_t;\n# 2 \"test.cu\" 2\n\
                    uint64_t a; std::uint64_t b; ::uint64_t c; const char* s = \"uint64_t\";\n";
        let wanted = text
            .replace("\nuint64_t a", "\n__cpx_user_uint64_t a")
            .replace(" ::uint64_t c", " ::__cpx_user_uint64_t c");
        assert_eq!(replace_in_user_part(text, &set, "ours"), wanted);
        assert_eq!(replace("f<uint64_t>", &set), "f<__cpx_user_uint64_t>");
    }

    #[test]
    fn markers_tell_where_a_line_is_from() {
        let of = |line| Origin::of_marker(line, "ours-include");
        assert_eq!(of("# 1 \"/usr/include/bits/mathcalls.h\" 1 3 4\n"), Some(Origin::Mathematics));
        assert_eq!(of("# 26 \"/usr/include/stdlib.h\" 3\n"), Some(Origin::System));
        assert_eq!(of("# 1 \"ours-include/prelude.h\" 1\n"), Some(Origin::Own));
        assert_eq!(of("# 1 \"test.cu\"\n"), Some(Origin::User));
        assert_eq!(of("#pragma message \"x\"\n"), None);
    }
}
