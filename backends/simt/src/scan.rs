//! Finds the kernels of a preprocessed text and rewrites the few words that C++ has no macro for.
//!
//! The scanner knows just enough of the language: comments are gone, literals are skipped, braces tell functions and
//! classes from namespaces.

use std::collections::{HashMap, HashSet};

use crate::assembly;
use crate::names::{self, INCLUDE, Names, Origin};
use crate::tokens::{cut, matching};

/// What became of a text.
pub struct Scanned {
    /// The text to compile.
    pub text: String,
    /// Names of the kernels that are no templates, as they are written from outside all namespaces.
    pub kernels: Vec<String>,
    /// Whether the text declares shared memory whose size the launch decides.
    pub dynamic_shared: bool,
    /// Names that the text has in another form, since headers have them as well.
    pub renamed: HashSet<String>,
}

/// What a brace opened.
#[derive(Clone, PartialEq)]
enum Scope {
    /// A namespace, `None` if it has no name, or the braces of `extern "C"`.
    Namespace(Option<String>),
    /// Anything else.
    Body,
}

struct Scanner<'t> {
    rest: &'t str,
    output: String,
    scopes: Vec<Scope>,
    /// Words since the last `;`, `{` or `}` outside of bodies.
    statement: Vec<&'t str>,
    seen: HashMap<String, usize>,
    kernels: Vec<String>,
    dynamic_shared: bool,
    /// Whether each open body is that of a type, behind which names may follow.
    types: Vec<bool>,
    /// How many scopes were open where the outermost template began; nothing outside templates.
    template: Option<usize>,
    /// Whether the body of a type has just ended.
    tail: bool,
    origin: Origin,
    names: Names<'t>,
}

/// Rewrites a preprocessed text.
pub fn scan(text: &str) -> Scanned {
    let (scanned, renamed) = scan_once(text);
    if renamed.is_empty() {
        return scanned;
    }
    let (scanned, _) = scan_once(&names::replace_in_user_part(text, &renamed, INCLUDE));
    Scanned { renamed, ..scanned }
}

/// Rewrites a text, and says which of its names must be others.
fn scan_once(text: &str) -> (Scanned, HashSet<String>) {
    let mut scanner = Scanner {
        rest: text,
        output: String::with_capacity(text.len() + 1024),
        scopes: vec![],
        statement: vec![],
        seen: HashMap::new(),
        kernels: vec![],
        dynamic_shared: false,
        types: vec![],
        template: None,
        tail: false,
        origin: Origin::User,
        names: Names::default(),
    };
    let mut line_start = true;
    while let Some(length) = cut(scanner.rest, line_start) {
        let (token, rest) = scanner.rest.split_at(length);
        scanner.rest = rest;
        line_start = token.ends_with('\n') || (line_start && token.trim().is_empty());
        scanner.take(token);
    }
    // Overloaded kernels have no address of their own; those are to be named by an expression.
    let seen = scanner.seen;
    let kernels = scanner.kernels.into_iter().filter(|name| seen[name] == 1).collect();
    let renamed = scanner.names.clashing();
    let (text, dynamic_shared) = (scanner.output, scanner.dynamic_shared);
    (Scanned { text, kernels, dynamic_shared, renamed: HashSet::new() }, renamed)
}

impl<'t> Scanner<'t> {
    fn outside_bodies(&self) -> bool {
        self.scopes.last() != Some(&Scope::Body)
    }

    fn take(&mut self, token: &'t str) {
        match token {
            "__global__" => {
                if self.outside_bodies() {
                    self.kernel();
                }
                return;
            }
            "__shared__" => {
                if self.output.trim_end().ends_with("extern") || self.statement.last() == Some(&"extern") {
                    self.dynamic();
                } else {
                    self.output.push_str("thread_local");
                }
                self.statement.push("thread_local");
                return;
            }
            "asm" | "__asm__" => {
                if let Some((calls, length)) = assembly::rewritten(self.rest) {
                    self.output.push_str(&calls);
                    self.rest = &self.rest[length..];
                    return;
                }
            }
            // The system's headers say `__attribute__((__noinline__))`, texts of the user's the bare word.
            "__noinline__" if !self.output.trim_end().ends_with(['(', ',']) => {
                self.output.push_str("__attribute__((noinline))");
                return;
            }
            _ => {}
        }
        self.output.push_str(token);
        if token.starts_with('#') && token.ends_with('\n') || token.trim().is_empty() {
            self.origin = Origin::of_marker(token, INCLUDE).unwrap_or(self.origin);
            return;
        }
        if matches!(token, "{" | ";") && self.scopes.iter().all(|scope| *scope == Scope::Namespace(None)) {
            self.names.note(&self.statement, token, self.tail, self.origin);
        }
        match token {
            "{" => {
                let scope = self.opened();
                let of_type = ["struct", "class", "union", "enum"].iter().any(|word| self.statement.contains(word));
                self.types.push(of_type && !self.statement.iter().any(|word| matches!(*word, "(" | "=")));
                self.scopes.push(scope);
                self.statement.clear();
                self.tail = false;
            }
            "}" => {
                self.scopes.pop();
                self.template = self.template.filter(|&outside| outside < self.scopes.len());
                self.tail = self.types.pop() == Some(true);
                self.statement.clear();
            }
            ";" => {
                self.statement.clear();
                self.template = self.template.filter(|&outside| outside < self.scopes.len());
                self.tail = false;
            }
            _ => {
                if token == "template" {
                    self.template.get_or_insert(self.scopes.len());
                }
                // Bodies are not looked into but for `extern`; statements of interest are short.
                if self.outside_bodies() || token == "extern" {
                    self.statement.push(token);
                } else {
                    self.statement.clear();
                }
            }
        }
    }

    /// What the brace opens that follows the words of this statement.
    fn opened(&self) -> Scope {
        if !self.outside_bodies() {
            return Scope::Body;
        }
        let words = &self.statement;
        if words.len() == 2 && words[0] == "extern" && words[1].starts_with('"') {
            return Scope::Namespace(None);
        }
        let Some(start) = words.iter().position(|&word| word == "namespace") else { return Scope::Body };
        let mut name = String::new();
        for word in &words[start + 1..] {
            match *word {
                "__attribute__" | "[" => break,
                part => name.push_str(part),
            }
        }
        // A name with an attribute of visibility, as in the system's headers, is good enough.
        Scope::Namespace(Some(name).filter(|name| !name.is_empty()))
    }

    /// Remembers the kernel whose `__global__` was just read, unless it is a template or only declared.
    fn kernel(&mut self) {
        if self.statement.contains(&"template") {
            return;
        }
        let Some(name) = kernel_name(self.rest) else { return };
        let spaces = self.scopes.iter().filter_map(|scope| match scope {
            Scope::Namespace(name) => name.as_deref(),
            Scope::Body => None,
        });
        let qualified: String = spaces.chain([name]).collect::<Vec<_>>().join("::");
        let count = self.seen.entry(qualified.clone()).or_insert(0);
        if *count == 0 {
            self.kernels.push(qualified);
        }
        *count += 1;
    }

    /// Turns `extern __shared__ T name[];` into a declaration of the engine's block of shared memory.
    fn dynamic(&mut self) {
        let declaration = self.rest.find(';').map(|end| self.rest.split_at(end));
        let of_array = declaration.filter(|(text, _)| text.trim_end().ends_with(']') && !text.contains('{'));
        if let Some((declaration, rest)) = of_array
            && self.template.is_some()
            && self.within_template(declaration)
        {
            (self.dynamic_shared, self.rest) = (true, rest);
            return;
        }
        // Not `thread_local`: that would look for a constructor to run.
        self.output.push_str("__thread");
        let Some((declaration, rest)) = of_array else { return };
        self.dynamic_shared = true;
        let (before, after) = declaration.split_at(declaration.rfind('[').unwrap_or(declaration.len()));
        let word = before.trim_end().rsplit(|c: char| c != '_' && !c.is_alphanumeric()).next();
        if let Some(name) = word.filter(|name| !name.is_empty()) {
            self.names.claim(name);
        }
        self.output.push_str(before);
        self.output.push_str(after);
        self.output.push_str(" __asm__(\"__cpx_dynamic_shared\")");
        self.rest = rest;
    }

    /// Turns the declaration into one of a reference: the names that assemblers know are lost where templates are made
    /// functions. Whether it could be.
    fn within_template(&mut self, declaration: &str) -> bool {
        let Some((before, lengths)) = declaration.split_once('[') else { return false };
        let Some(kept) = self.output.trim_end().strip_suffix("extern").map(str::len) else { return false };
        let type_and_name = before.trim_end();
        let at = type_and_name.rfind(|c: char| c != '_' && !c.is_alphanumeric()).map_or(0, |at| at + 1);
        let (element, name) = type_and_name.split_at(at);
        if name.is_empty() {
            return false;
        }
        self.output.truncate(kept);
        self.output.push_str(&format!(
            "typedef {element} __cpx_type_{name}[{lengths}; __cpx_type_{name}& {name} = \
             reinterpret_cast<__cpx_type_{name}&>(__cpx_dynamic_shared)"
        ));
        true
    }
}

/// The name of the function that follows `__global__`, if it has a body: the word before the first parenthesis that
/// does not belong to an attribute.
fn kernel_name(text: &str) -> Option<&str> {
    let mut word: Option<&str> = None;
    let mut rest = text;
    loop {
        let first = rest.chars().next()?;
        if first == '_' || first.is_alphabetic() {
            let end = rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len());
            word = Some(&rest[..end]);
            rest = &rest[end..];
        } else if first == '(' {
            let end = matching(rest)?;
            if matches!(word, Some("__attribute__" | "__launch_bounds__" | "alignas" | "__declspec")) {
                rest = &rest[end..];
                continue;
            }
            let after = rest[end..].trim_start();
            let name = word?;
            // Line markers may stand between the parameters and the body.
            let after =
                after.lines().find(|line| !line.starts_with('#') && !line.trim().is_empty()).unwrap_or("").trim_start();
            return if after.starts_with(';') { None } else { Some(name) };
        } else if matches!(first, ';' | '{' | '}') {
            return None;
        } else if first == '#' {
            rest = rest.split_once('\n')?.1;
        } else {
            rest = &rest[first.len_utf8()..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernels(text: &str) -> Vec<String> {
        scan(text).kernels
    }

    #[test]
    fn kernels_are_found_by_their_qualified_names() {
        let text = "extern \"C\" __global__ void one(int* x) { x[0] = '{'; }\n\
                    extern \"C\" { __global__ void __launch_bounds__(128) two(int x) {} }\n\
                    namespace a { namespace b { __global__ __attribute__((used)) void three() { \"}\"; } } }\n\
                    namespace { __global__ void four() {} }\n";
        assert_eq!(kernels(text), ["one", "two", "a::b::three", "four"]);
    }

    #[test]
    fn templates_declarations_and_overloads_are_left_to_expressions() {
        let text = "template <typename T> __global__ void f(T* x) {}\n\
                    __global__ void g(int* x);\n__global__ void g(int* x) {}\n\
                    __global__ void h(int) {} __global__ void h(float) {}\n";
        assert_eq!(kernels(text), ["g"]);
    }

    #[test]
    fn shared_memory_is_memory_of_the_thread_that_runs_a_block() {
        let scanned = scan("__global__ void f() { __shared__ int a[4]; extern __shared__ float b[]; a[0] = b[0]; }");
        assert!(scanned.dynamic_shared);
        assert!(scanned.text.contains("thread_local int a[4];"), "{}", scanned.text);
        let wanted = "extern __thread float b[] __asm__(\"__cpx_dynamic_shared\");";
        assert!(scanned.text.contains(wanted), "{}", scanned.text);
        assert!(!scan("__shared__ int a;").dynamic_shared);
    }

    #[test]
    fn shared_memory_of_a_template_is_a_reference() {
        let declared = "extern __shared__ __align__(8) T s[];";
        let reference = "typedef __align__(8) T __cpx_type_s[]; __cpx_type_s& s = \
                         reinterpret_cast<__cpx_type_s&>(__cpx_dynamic_shared);";
        for (before, after) in
            [("template <class T> void f() {", "}"), ("struct a { template <class T> void f() {", "} };")]
        {
            let scanned = scan(&format!("{before}{declared}{after}"));
            assert!(scanned.dynamic_shared);
            let text: String = scanned.text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(text.contains(reference), "{text}");
        }
        let behind = scan(
            "template <class T> void f(); template <class T> T g(T x) { return x; } \
                           void h() { extern __shared__ float s[]; }",
        );
        assert!(behind.text.contains("float s[] __asm__"), "{}", behind.text);
    }

    #[test]
    fn literals_and_markers_are_left_alone() {
        let text =
            "# 1 \"kernel.cu\"\nconst char* s = \"__shared__ {\"; auto r = R\"x(__global__ \" )x\"; int n = 1'000;\n";
        assert_eq!(scan(text).text, text);
    }

    #[test]
    fn no_text_is_too_odd() {
        let text = "# 1 \"a.h\" 1 3\ntypedef struct { int x; } t; # 1 \"k.cu\"\ntypedef t (*f)(int); extern \"C\" __global__ void \
                    k(int* x, const t é = {1'000}) { extern __shared__ float s[]; asm volatile(\"mov.u32 %0, %%laneid;\" : \
                    \"=r\"(x[0]) : \"r\"(1)); auto r = R\"(a)\"; char c = '\\''; } namespace a::b { int y = 3, z[2] = {1}; }\n";
        let letters: Vec<char> = text.chars().collect();
        let marks = ['"', '\'', '(', ')', '{', '}', '\n', '\\', '#', ';', ':', ',', '<', '%', 'R', 'é'];
        let mut state = 1u64;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        for _ in 0..3000 {
            let mut odd = letters.clone();
            for _ in 0..1 + next(4) {
                let at = next(odd.len());
                match next(3) {
                    0 => odd[at] = marks[next(marks.len())],
                    1 => odd.truncate(at + 1),
                    _ => drop(odd.remove(at)),
                }
                if odd.is_empty() {
                    break;
                }
            }
            // Nothing is asked of what comes out but that something does.
            scan(&odd.into_iter().collect::<String>());
        }
    }

    #[test]
    fn noinline_is_an_attribute_unless_it_is_in_one() {
        let scanned = scan("__noinline__ int f(); __attribute__((__noinline__)) int g();");
        assert_eq!(scanned.text, "__attribute__((noinline)) int f(); __attribute__((__noinline__)) int g();");
    }
}
