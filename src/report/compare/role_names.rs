//! Renames roles before a comparison: the roles of the second game get the names of the first, in the order of the
//! rules.

use serde_json::{Map, Value};

/// The names of two roles that are compared with each other, in the first document and in the second.
pub(super) type RolePair = [String; 2];

/// Pairs the roles of two analyses in the order of the rules. None if the names are the same, or the numbers of roles
/// differ.
pub(super) fn pair_roles(a: &Value, b: &Value) -> Option<Vec<RolePair>> {
    let names = |document: &Value| -> Option<Vec<String>> {
        document["game"]["roles"].as_array()?.iter().map(|role| Some(role.as_str()?.to_owned())).collect()
    };
    let (first, second) = (names(a)?, names(b)?);
    let sorted = |names: &[String]| {
        let mut names = names.to_vec();
        names.sort_unstable();
        names
    };
    if first.len() != second.len() || sorted(&first) == sorted(&second) {
        return None;
    }
    Some(first.into_iter().zip(second).map(|(one, other)| [one, other]).collect())
}

/// The second document with the role names of the first one. A role is a symbol of the rules, so it is renamed wherever
/// it occurs; sentences have symbols between backticks.
pub(super) fn rename_roles(document: &Value, pairs: &[RolePair]) -> Value {
    renamed(document, false, pairs)
}

fn renamed(value: &Value, is_sentence: bool, pairs: &[RolePair]) -> Value {
    match value {
        Value::String(text) if is_sentence => {
            let parts = text.split('`').enumerate();
            let parts = parts.map(|(number, part)| match number % 2 {
                0 => part.to_owned(),
                _ => words_renamed(part, pairs),
            });
            Value::String(parts.collect::<Vec<_>>().join("`"))
        }
        Value::String(text) => Value::String(words_renamed(text, pairs)),
        Value::Array(items) => items.iter().map(|item| renamed(item, is_sentence, pairs)).collect(),
        Value::Object(entries) => {
            let entry = |(key, item): (&String, &Value)| {
                let is_sentence = ["text", "because"].contains(&key.as_str());
                (words_renamed(key, pairs), renamed(item, is_sentence, pairs))
            };
            Value::Object(entries.iter().map(entry).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// Replaces the names of roles among the words of a term, an id or a key.
fn words_renamed(text: &str, pairs: &[RolePair]) -> String {
    let is_end = |letter: char| letter.is_whitespace() || "().,;:+=/".contains(letter);
    let mut out = String::with_capacity(text.len());
    for piece in text.split_inclusive(is_end) {
        let word = piece.trim_end_matches(is_end);
        let name = pairs.iter().find(|[_, there]| there == word).map_or(word, |[here, _]| here);
        out.push_str(name);
        out.push_str(&piece[word.len()..]);
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn roles_with_other_names_are_paired_by_order() {
        let roles = |names: &[&str]| json!({ "game": { "roles": names } });
        let pairs = pair_roles(&roles(&["white", "black"]), &roles(&["x", "o"])).unwrap();
        assert_eq!(pairs, [["white", "x"], ["black", "o"]]);
        // The same names in another order are compared by name, and other numbers of roles not at all.
        assert_eq!(pair_roles(&roles(&["white", "black"]), &roles(&["black", "white"])), None);
        assert_eq!(pair_roles(&roles(&["white"]), &roles(&["x", "o"])), None);
        let document = json!({
            "id": "fuzzy.x", "role": "o", "teams": [["x"], ["o"]], "moves": ["(mark 1 x)"],
            "text": "an x and `(mark x)`", "noops": { "x": [] },
        });
        let renamed = json!({
            "id": "fuzzy.white", "role": "black", "teams": [["white"], ["black"]], "moves": ["(mark 1 white)"],
            "text": "an x and `(mark white)`", "noops": { "white": [] },
        });
        assert_eq!(rename_roles(&document, &pairs), renamed);
    }
}
