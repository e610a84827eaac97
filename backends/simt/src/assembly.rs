//! Statements in a device's assembly language, as calls of functions that do the same.
//!
//! `asm("min.NaN.f32 %0, %1, %2;" : "=f"(x) : "f"(a), "f"(b))` becomes `(__cpx::ptx::min_NaN_f32(x, a, b))`. Statements
//! in the host's own language are left alone.

use crate::tokens::{literal, matching};

/// Rewrites what follows the word `asm`; returns the new text and how much of the old one it stands for.
pub fn rewritten(rest: &str) -> Option<(String, usize)> {
    let start = rest.find('(')?;
    if !matches!(rest[..start].trim(), "" | "volatile" | "__volatile__") {
        return None;
    }
    let length = matching(&rest[start..])?;
    let inside = &rest[start + 1..start + length - 1];
    let (template, operands) = parse(inside)?;
    let mut calls = vec![];
    for instruction in template.split(';').map(str::trim).filter(|text| !text.is_empty()) {
        let (name, arguments) = instruction.split_once(char::is_whitespace)?;
        let well_formed = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_';
        if !name.contains('.') || !name.chars().all(well_formed) {
            return None;
        }
        // `{%0, %1}` are several operands, `[%2]` is the address that an operand holds.
        let arguments = arguments.split(',').map(|argument| argument.trim().trim_matches(['{', '}', '[', ']']).trim());
        let arguments = arguments.map(|argument| operand(argument, &operands));
        let arguments: Vec<String> = arguments.collect::<Option<_>>()?;
        calls.push(format!("__cpx::ptx::{}({})", name.replace('.', "_"), arguments.join(", ")));
    }
    if calls.is_empty() { None } else { Some((format!("({})", calls.join(", ")), start + length)) }
}

/// The text of the instructions, and the expressions of the operands.
fn parse(inside: &str) -> Option<(String, Vec<&str>)> {
    let mut template = String::new();
    let mut rest = inside.trim_start();
    while rest.starts_with('"') {
        let length = literal(rest, '"');
        // One that is not closed has no end to cut off.
        if length < 2 || !rest[..length].ends_with('"') {
            return None;
        }
        template.push_str(&rest[1..length - 1].replace("\\n", " ").replace("\\t", " "));
        rest = rest[length..].trim_start();
    }
    let mut operands = vec![];
    // Outputs and inputs; what is destroyed besides is of no interest.
    for section in split(rest.strip_prefix(':').unwrap_or(rest), ':').into_iter().take(2) {
        for operand in split(section, ',').into_iter().map(str::trim).filter(|text| !text.is_empty()) {
            let expression = &operand[literal(operand, operand.chars().next().filter(|c| *c == '"')?)..];
            operands.push(expression.trim_start());
        }
    }
    Some((template, operands))
}

/// The parts of a text between marks that stand in no parentheses and no literals.
fn split(text: &str, mark: char) -> Vec<&str> {
    let mut parts = vec![];
    let (mut start, mut at) = (0, 0);
    while let Some(c) = text[at..].chars().next() {
        match c {
            '"' | '\'' => at += literal(&text[at..], c),
            '(' => at += matching(&text[at..]).unwrap_or(1),
            c if c == mark => {
                parts.push(&text[start..at]);
                at += 1;
                start = at;
            }
            c => at += c.len_utf8(),
        }
    }
    parts.push(&text[start..]);
    parts
}

/// An operand of an instruction: `%0` or `%%laneid`.
fn operand(text: &str, operands: &[&str]) -> Option<String> {
    let name = text.strip_prefix('%')?;
    if let Some(register) = name.strip_prefix('%') {
        return Some(format!("__cpx::ptx::{register}()"));
    }
    operands.get(name.parse::<usize>().ok()?).map(|&expression| expression.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<String> {
        rewritten(text).map(|(new, length)| format!("{new}{}", &text[length..]))
    }

    #[test]
    fn instructions_become_calls() {
        let text = "(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(bits) : \"f\"(a ? b : c));";
        assert_eq!(of(text).expect("a call"), "(__cpx::ptx::cvt_rn_f16_f32((bits), (a ? b : c)));");
        let text =
            " volatile (\"mov.u32 %0, %%laneid;\\n\\t\" \"mov.u32 %1, %0;\" : \"=r\"(x), \"=r\"(y) :: \"memory\");";
        let wanted = "(__cpx::ptx::mov_u32((x), __cpx::ptx::laneid()), __cpx::ptx::mov_u32((y), (x)));";
        assert_eq!(of(text).expect("a call"), wanted);
        let text = "(\"st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};\" :: \"l\"(to), \"r\"(a), \"r\"(b[1]), \"r\"(c), \
                    \"r\"(d) : \"memory\");";
        assert_eq!(of(text).expect("a call"), "(__cpx::ptx::st_global_cs_v4_u32((to), (a), (b[1]), (c), (d)));");
    }

    #[test]
    fn the_hosts_own_language_is_left_alone() {
        for text in [
            "(\"\" : : \"r\"(&x));",
            "(\"mrs %0, cntvct_el0\" : \"=r\"(ticks));",
            "(\"pause\" : : : \"memory\");",
            "(\"name\")",
            // No string that is never closed, no operand without its kind.
            "(\")",
            "(\"a.b\n)",
            "(\"mov.u32 %0, %1;\" : x : y)",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
