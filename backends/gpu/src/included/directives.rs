//! The preprocessor's lines of a text that name files: `#include` and its like, in every spelling that compilers take.
//!
//! Conditions are not looked at, so a file may be named that the compiler never reads. None is missed that it does read: a
//! name that a macro stands for is reported as unknown.

use std::iter::Peekable;
use std::str::Chars;

/// A file that a text names.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Mention {
    /// By its name, which is looked for beside the text first, and whether every file of the name counts.
    File { name: String, beside: bool, next: bool },
    /// By a macro.
    Unknown,
}

/// Directives that read a file.
const READING: [&str; 4] = ["include", "include_next", "import", "embed"];
/// Directives whose conditions may ask for a file.
const ASKING: [&str; 4] = ["if", "elif", "ifdef", "define"];
/// What they ask by.
const QUESTIONS: [&str; 3] = ["__has_include", "__has_include_next", "__has_embed"];

/// All files that a text names, in their order.
pub(super) fn mentioned(text: &str) -> Vec<Mention> {
    lines(&spliced(text)).iter().filter_map(|line| directive(line)).flatten().collect()
}

/// The text without trigraphs, and with lines joined that end in a backslash.
fn spliced(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n").replace("??=", "#").replace("??/", "\\");
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find('\\') {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let behind = after[1..].trim_start_matches([' ', '\t', '\u{b}', '\u{c}']);
        match behind.strip_prefix('\n') {
            Some(next) => rest = next,
            None => {
                out.push('\\');
                rest = &after[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Lines that begin with `#` or its other spelling, without it and without comments; a comment is one space.
fn lines(text: &str) -> Vec<String> {
    let mut found = vec![];
    let mut chars = text.chars().peekable();
    // The line so far, up to the first character that says whether it is of interest.
    let (mut blank, mut line): (bool, Option<String>) = (true, None);
    let mut word = String::new();
    while let Some(c) = chars.next() {
        let before = std::mem::take(&mut word);
        match c {
            '\n' => {
                found.extend(line.take());
                blank = true;
            }
            '/' if chars.peek() == Some(&'/') => {
                while chars.peek().is_some_and(|&c| c != '\n') {
                    chars.next();
                }
            }
            '/' if chars.peek() == Some(&'*') => {
                chars.next();
                comment(&mut chars);
                if let Some(line) = &mut line {
                    line.push(' ');
                }
            }
            '#' if blank => (blank, line) = (false, Some(String::new())),
            '%' if blank && chars.peek() == Some(&':') => {
                chars.next();
                (blank, line) = (false, Some(String::new()));
            }
            // In `<...>` of an `#include`, quotes and comment marks mean nothing.
            '<' if line.as_deref().is_some_and(expects_name) => {
                let line = line.get_or_insert_default();
                line.push('<');
                while let Some(c) = chars.next_if(|&c| c != '\n') {
                    line.push(c);
                    if c == '>' {
                        break;
                    }
                }
            }
            '"' | '\'' => {
                blank = false;
                // Within a number a quote sets digits apart.
                let digits = c == '\'' && before.starts_with(|c: char| c.is_ascii_digit());
                let raw = c == '"' && matches!(before.as_str(), "R" | "LR" | "uR" | "UR" | "u8R");
                let mut literal = String::from(c);
                if raw {
                    raw_string(&mut chars);
                } else if digits {
                    word = before;
                } else {
                    while let Some(next) = chars.next_if(|&next| next != '\n') {
                        literal.push(next);
                        if next == c {
                            break;
                        }
                        // A file's name may hold backslashes, other literals may escape a quote.
                        if next == '\\' && !line.as_deref().is_some_and(expects_name) {
                            literal.extend(chars.next_if(|&next| next != '\n'));
                        }
                    }
                }
                if let Some(line) = &mut line {
                    line.push_str(&literal);
                }
            }
            c => {
                blank &= c.is_whitespace();
                if c.is_alphanumeric() || c == '_' {
                    word = before;
                    word.push(c);
                }
                if let Some(line) = &mut line {
                    line.push(c);
                }
            }
        }
    }
    found.extend(line);
    found
}

/// Whether a line that goes on with a quote or bracket names a file there.
fn expects_name(line: &str) -> bool {
    let line = line.trim();
    READING.contains(&line)
        || line.strip_suffix('(').is_some_and(|line| QUESTIONS.iter().any(|word| line.trim_end().ends_with(word)))
}

fn comment(chars: &mut Peekable<Chars<'_>>) {
    let mut star = false;
    for c in chars.by_ref() {
        if star && c == '/' {
            return;
        }
        star = c == '*';
    }
}

/// Skips a raw string whose first quote was read.
fn raw_string(chars: &mut Peekable<Chars<'_>>) {
    let mut end = String::from(")");
    while let Some(c) = chars.next_if(|&c| c != '(' && c != '\n') {
        end.push(c);
    }
    end.push('"');
    let mut seen = String::new();
    for c in chars.by_ref() {
        seen.push(c);
        if c == '"' && seen.ends_with(&end) {
            return;
        }
    }
}

/// What a directive names, if it is one that can.
fn directive(line: &str) -> Option<Vec<Mention>> {
    let line = line.trim_start();
    let (name, rest) = line.split_at(line.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(line.len()));
    if READING.contains(&name) {
        return Some(vec![file(rest, name == "include_next").unwrap_or(Mention::Unknown)]);
    }
    if !ASKING.contains(&name) {
        return None;
    }
    let asked =
        QUESTIONS.iter().flat_map(|question| rest.match_indices(question).map(|(at, word)| (at + word.len(), word)));
    let asked = asked.filter_map(|(end, word)| {
        // Not followed by a parenthesis, it is only asked whether the question itself is known.
        let inside = rest[end..].trim_start().strip_prefix('(')?;
        Some(file(inside, word.contains("next")).unwrap_or(Mention::Unknown))
    });
    Some(asked.collect())
}

/// The file that a text begins with.
fn file(text: &str, next: bool) -> Option<Mention> {
    let text = text.trim_start();
    let within = |open: char, close: char| Some(text.strip_prefix(open)?.split_once(close)?.0.to_owned());
    let quoted = within('"', '"').map(|name| (name, true)).or_else(|| within('<', '>').map(|name| (name, false)));
    quoted.map(|(name, beside)| Mention::File { name, beside, next })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let name = |mention| match mention {
            Mention::File { name, beside: true, .. } => format!("\"{name}\""),
            Mention::File { name, .. } => format!("<{name}>"),
            Mention::Unknown => "?".to_owned(),
        };
        mentioned(text).into_iter().map(name).collect()
    }

    #[test]
    fn every_spelling_names_its_file() {
        for text in [
            "#include \"my.h\"",
            "  #  include\"my.h\" // c",
            "/* c */ #include \"my.h\"",
            "/* a\n b */ /**/ # /**/ include /* \" */ \"my.h\" /* c",
            "#import \"my.h\"",
            "%:include \"my.h\"",
            "??=include \"my.h\"",
            "#inc\\\nlude \"my.h\"",
            "#include \\  \n \"my.h\"",
            "#include \\\r\n \"my.h\"\r\n",
            "#inc??/\nlude \"my.h\"",
            "#include_next \"my.h\"",
            "#if __has_include(\"my.h\")",
            "#elif defined(X) && __has_include ( \"my.h\" )",
            "int x = 1'000; /* ' */\n#include \"my.h\"\n",
            "auto s = R\"x(\" /* )\" )x\";\n#include \"my.h\"\n",
            "char c = '\"'; const char* s = \"\\\"/*\";\n#include \"my.h\"\n",
            "auto s = \"//\";\r#include \"my.h\"",
        ] {
            assert_eq!(names(text), ["\"my.h\""], "{text}");
        }
        assert_eq!(
            names("#include <a/b.h>\n#include <it's//odd.h>\n#include \"c\\d.h\""),
            ["<a/b.h>", "<it's//odd.h>", "\"c\\d.h\""]
        );
    }

    #[test]
    fn texts_may_end_anywhere() {
        let text =
            "/* a */ # /**/ include \"é.h\"\n%:include <b.h>\nR\"x(a)x\" 'c' 1'0 \\\n// d\n#if __has_include(<e.h>)\n";
        for (end, _) in text.char_indices() {
            mentioned(&text[..end]);
            mentioned(&text[end..]);
        }
    }

    #[test]
    fn macros_are_unknown() {
        assert_eq!(names("#define A <a.h>\n#include A"), ["?"]);
        assert_eq!(names("#if __has_include(A)"), ["?"]);
        assert_eq!(names("#include"), ["?"]);
        assert!(names("#ifdef __has_include\n#endif").is_empty());
    }

    #[test]
    fn what_looks_like_a_directive_is_none() {
        for text in [
            "// #include \"my.h\"",
            "/*\n#include \"my.h\"\n*/",
            "const char* s = R\"(\n#include \"my.h\"\n)\";",
            "x #include \"my.h\"",
            "#pragma include \"my.h\"",
            "include <a.h>",
            "#define TEXT \"#include\"",
            "// a comment goes on \\\n#include \"my.h\"",
        ] {
            assert!(names(text).is_empty(), "{text}");
        }
    }
}
