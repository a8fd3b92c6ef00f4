//! Match records as game managers write them: one JSON object per match, with states as text.

use serde::Deserialize;

use super::recording::{RecordedPosition, Recording};
use super::text::canonical;
use super::trace::{TraceGoal, goal_values};

/// The fields of a match record that are read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct HostRecord {
    match_id: String,
    /// Where the rules are: a web page for most managers, a file for this program.
    #[serde(rename = "gameMetaURL", default)]
    game_meta_url: String,
    #[serde(default)]
    game_role_names: Vec<String>,
    states: Vec<String>,
    moves: Vec<Vec<String>>,
    #[serde(default)]
    is_completed: bool,
    #[serde(default)]
    goal_values: Option<Vec<TraceGoal>>,
}

impl HostRecord {
    /// Whether the record may be of the game with this rules file: it names no other rules file.
    pub(super) fn is_of(&self, kif: &str) -> bool {
        let named = self.game_meta_url.rsplit(['/', '\\']).next().filter(|name| name.ends_with(".kif"));
        named.is_none_or(|name| name == kif)
    }

    /// Converts the record to a recording.
    pub(super) fn recording(self) -> Result<Recording, String> {
        let goals = self.goal_values.as_deref().map(goal_values).transpose()?;
        let (states, last) = (self.states.len(), self.moves.len());
        if states != last + 1 {
            return Err(format!("{states} states for {last} joint moves"));
        }
        let mut positions = Vec::with_capacity(states);
        for (step, state) in self.states.iter().enumerate() {
            let joint = self.moves.get(step);
            let ended = step == last && self.is_completed;
            positions.push(RecordedPosition {
                state: Some(facts(state).ok_or_else(|| format!("state {step} is no list of facts"))?),
                terminal: (step < last || ended).then_some(ended),
                goals: goals.clone().filter(|_| ended),
                joint: joint.map(|joint| joint.iter().map(|action| canonical(action)).collect()),
                ..RecordedPosition::default()
            });
        }
        let roles = self.game_role_names.iter().map(|role| canonical(role)).collect();
        Ok(Recording { source: self.match_id, playout: 0, roles, positions })
    }
}

/// The facts in the text of a state, such as `( ( cell 1 1 b ) over ... )`, sorted and without duplicates.
fn facts(text: &str) -> Option<Vec<String>> {
    let inside = text.trim().strip_prefix('(')?.strip_suffix(')')?;
    let (mut facts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, sign) in inside.char_indices() {
        match sign {
            '(' => {
                if depth == 0 {
                    facts.extend(inside[start..at].split_whitespace().map(canonical));
                    start = at;
                }
                depth += 1;
            }
            ')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    facts.push(canonical(&inside[start..=at]));
                    start = at + 1;
                }
            }
            _ => {}
        }
    }
    facts.extend(inside[start..].split_whitespace().map(canonical));
    facts.sort_unstable();
    facts.dedup();
    (depth == 0).then_some(facts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_lists_of_facts() {
        let read = |text: &str| facts(text).map(|facts| facts.join(", "));
        assert_eq!(
            read("( ( cell 1 1 B ) over (at (pos 1 2)) )").unwrap(),
            "(at (pos 1 2)), (cell 1 1 b), over"
        );
        assert_eq!(read("(over)").unwrap(), "over");
        assert_eq!(read("()").unwrap(), "");
        assert_eq!(read("((a b)"), None);
        assert_eq!(read("cell"), None);
    }
}
