//! Formats JSON for people who edit it: a value that fits on a line is written on one line.

use serde_json::Value;

/// The width of a line.
const WIDTH: usize = 110;

/// Formats a value, with a line break at the end.
pub fn pretty(value: &Value) -> String {
    let mut out = String::new();
    write(value, 0, 0, &mut out);
    out.push('\n');
    out
}

/// Writes a value at an indentation; `taken` columns of the line have the key.
fn write(value: &Value, indent: usize, taken: usize, out: &mut String) {
    let mut line = String::new();
    let room = WIDTH.saturating_sub(indent + taken + 1);
    if inline(value, room, &mut line) {
        out.push_str(&line);
        return;
    }
    let step = |out: &mut String, by: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', by));
    };
    match value {
        Value::Array(list) => {
            out.push('[');
            // Several numbers share a line.
            let plain = list.iter().all(|item| item.is_number());
            let mut column = WIDTH;
            for (index, item) in list.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                let length = item.to_string().len() + 2;
                if plain && column + length < WIDTH {
                    out.push(' ');
                    column += length;
                } else {
                    step(out, indent + 2);
                    column = indent + 2 + length;
                }
                write(item, indent + 2, 0, out);
            }
            step(out, indent);
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (index, (key, item)) in map.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                step(out, indent + 2);
                let key = Value::String(key.clone()).to_string();
                out.push_str(&key);
                out.push_str(": ");
                write(item, indent + 2, key.len() + 2, out);
            }
            step(out, indent);
            out.push('}');
        }
        other => out.push_str(&other.to_string()),
    }
}

/// Writes a value on one line; returns false if it is longer than `room`.
fn inline(value: &Value, room: usize, out: &mut String) -> bool {
    match value {
        Value::Array(list) => {
            out.push('[');
            for (index, item) in list.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                if !inline(item, room, out) {
                    return false;
                }
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (index, (key, item)) in map.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                out.push_str(&Value::String(key.clone()).to_string());
                out.push_str(": ");
                if !inline(item, room, out) {
                    return false;
                }
            }
            out.push('}');
        }
        other => out.push_str(&other.to_string()),
    }
    out.len() <= room
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_values_take_one_line_and_all_parse_again() {
        let long: Vec<i32> = (0..60).collect();
        let text = "x".repeat(150);
        let value = serde_json::json!({
            "short": [1, 2.5, null], "long": long, "text": text,
            "nested": {"a": {"b": [text, {"c": []}]}, "d": {}},
        });
        let printed = pretty(&value);
        assert_eq!(serde_json::from_str::<Value>(&printed).unwrap(), value);
        assert!(printed.contains("  \"short\": [1, 2.5, null],\n"), "{printed}");
        assert!(printed.contains("{\"c\": []}\n"), "{printed}");
        let wide = printed.lines().filter(|line| line.len() > WIDTH).count();
        assert_eq!(wide, 2, "{printed}");
    }
}
