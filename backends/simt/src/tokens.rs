//! Where the tokens of a text end.

/// Length of the token that a text begins with.
pub fn cut(text: &str, line_start: bool) -> Option<usize> {
    let first = text.chars().next()?;
    Some(if line_start && first == '#' {
        text.find('\n').map_or(text.len(), |end| end + 1)
    } else if first == '_' || first.is_alphabetic() {
        let word = text.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(text.len());
        if text[word..].starts_with('"') && text[..word].ends_with('R') {
            word + raw_string(&text[word..])
        } else {
            word
        }
    } else if first.is_ascii_digit() {
        number(text)
    } else if first == '"' || first == '\'' {
        literal(text, first)
    } else if first == '\n' {
        1
    } else if first.is_whitespace() {
        text.find(|c: char| c == '\n' || !c.is_whitespace()).unwrap_or(text.len())
    } else {
        first.len_utf8()
    })
}

/// Length of a text in parentheses.
pub fn matching(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Length of a literal, with its quotes.
pub fn literal(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => return at,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn raw_string(text: &str) -> usize {
    let Some(open) = text.find('(') else { return 1 };
    let end = format!("){}\"", &text[1..open]);
    text.find(&end).map_or(text.len(), |at| at + end.len())
}

/// Length of a number, whose digits may be set apart by single quotes.
fn number(text: &str) -> usize {
    let mut end = 0;
    for (at, c) in text.char_indices() {
        let part = c.is_alphanumeric()
            || c == '.'
            || c == '_'
            || (c == '\'' && text[at + 1..].starts_with(|n: char| n.is_alphanumeric()));
        if !part {
            break;
        }
        end = at + c.len_utf8();
    }
    end
}
