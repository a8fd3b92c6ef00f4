//! Reads the values that players gave to the states of a match from its record.

use std::path::Path;

use serde_json::Value;

use crate::simulate::JsonValues;

/// The index of a role, the name of its player, and the value of each state for it, in goal points.
pub type PlayerValues = (usize, String, Vec<Option<f64>>);

/// The values that players computed before their moves, a list for each role with any; empty if the file is not a record with
/// values. Records are numbered from 1.
pub fn thoughts(path: &Path, number: u64, roles: &[String]) -> Vec<PlayerValues> {
    let Ok(mut values) = JsonValues::open(path) else { return Vec::new() };
    for _ in 1..number {
        if !matches!(values.next_value(), Ok(Some(_))) {
            return Vec::new();
        }
    }
    let record = values.next_value().ok().flatten();
    record.map_or_else(Vec::new, |record| of_record(&record, roles))
}

fn of_record(record: &Value, roles: &[String]) -> Vec<PlayerValues> {
    let steps = record.get("thoughts").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let names = record.get("gameRoleNames").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut lists = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let Some(role) = roles.iter().position(|role| name.as_str() == Some(role)) else { continue };
        let thought = |step: &Value| step.get(index).filter(|thought| !thought.is_null()).cloned();
        let value = |step: &Value| thought(step).and_then(|thought| thought.get("value")?.as_f64());
        let values: Vec<Option<f64>> = steps.iter().map(value).collect();
        let player = steps.iter().find_map(|step| thought(step)?.get("player")?.as_str().map(str::to_owned));
        if let Some(player) = player.filter(|_| values.iter().any(Option::is_some)) {
            lists.push((role, format!("{player} for {}", roles[role]), values));
        }
    }
    lists
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_belong_to_the_states_before_moves() {
        let record = serde_json::json!({
            "gameRoleNames": ["a", "b"],
            "thoughts": [[{"player": "uct", "value": 50.0}, null], [null, null], [{"player": "uct", "value": null}, null]],
        });
        let roles = ["b".to_owned(), "a".to_owned()];
        assert_eq!(of_record(&record, &roles), [(1, "uct for a".to_owned(), vec![Some(50.0), None, None])]);
        assert_eq!(of_record(&serde_json::json!({"moves": []}), &roles), []);
    }
}
