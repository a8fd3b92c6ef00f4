//! Games with renamed symbols, and with their rules in another order.

/// Words of GDL, which keep their names.
const WORDS: [&str; 13] = [
    "<=", "role", "init", "true", "next", "does", "legal", "goal", "terminal", "not", "or", "and", "distinct",
];

/// Renames a word. Numbers stay, because some are goal values.
fn renamed(word: &str) -> String {
    match word.strip_prefix('?') {
        Some(name) => format!("?v{}{name}", name.len()),
        None if WORDS.contains(&word) || word.parse::<i64>().is_ok() || word.is_empty() => word.to_owned(),
        // Reversed letters also change the alphabetical order of the names.
        None => format!("z{}", word.chars().rev().collect::<String>()),
    }
}

pub(crate) fn renamed_text(text: &str) -> String {
    let parts = text.split_inclusive(|c: char| c.is_whitespace() || c == '(' || c == ')' || c == '/');
    parts
        .map(|part| {
            let end = part.len() - usize::from(part.ends_with([' ', '\n', '(', ')', '/']));
            format!("{}{}", renamed(&part[..end]), &part[end..])
        })
        .collect()
}

/// The rules of a text, one per string.
fn rules(text: &str) -> Vec<String> {
    let text: String =
        text.lines().map(|line| line.split(';').next().unwrap_or("").to_owned() + " ").collect();
    let (mut rules, mut depth, mut start) = (Vec::new(), 0, None);
    for (at, character) in text.char_indices() {
        match character {
            '(' => {
                depth += 1;
                start.get_or_insert(at);
            }
            ')' => depth -= 1,
            _ => {}
        }
        if let (0, Some(first)) = (depth, start) {
            rules.push(text[first..=at].split_whitespace().collect::<Vec<_>>().join(" "));
            start = None;
        }
    }
    rules
}

/// Renames a game and changes the order of its rules; roles keep their order.
pub(crate) fn scrambled(text: &str) -> String {
    let (roles, mut others): (Vec<String>, Vec<String>) =
        rules(text).into_iter().partition(|rule| rule.starts_with("(role "));
    others.reverse();
    let middle = others.len() / 3;
    others.rotate_left(middle);
    let scrambled: Vec<String> =
        roles.iter().chain(&others).map(|rule| renamed_text(&rule.to_lowercase())).collect();
    scrambled.join("\n")
}
