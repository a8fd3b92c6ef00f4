//! The record of a match in the JSON format of game managers (see `docs/`); `ggp replay` reads it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::gdl::Negation;
use crate::machine::Machine;
use crate::search::SearchResult;

use super::match_play::{Clock, Fault, Match, Move};

/// The result of a player's search for a move.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ThoughtRecord {
    /// The line of the player that searched.
    pub player: String,
    /// The value of the state for it, in goal points; null if it has none.
    pub value: Option<f64>,
    /// Whether the value is proved.
    pub proved: bool,
    /// Search depth in plies.
    pub depth: u32,
    /// States visited.
    pub states: u64,
    /// Seconds of the search.
    pub seconds: f64,
    /// False if the search can't be repeated, because threads shared results; otherwise left out.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub repeatable: bool,
}

fn yes() -> bool {
    true
}

impl ThoughtRecord {
    /// The result of a player, given by its line.
    pub fn new(player: &str, result: &SearchResult) -> ThoughtRecord {
        ThoughtRecord {
            player: player.to_owned(),
            value: result.value,
            proved: result.proved,
            depth: result.depth,
            states: result.nodes,
            seconds: result.took.as_secs_f64(),
            repeatable: result.repeatable,
        }
    }
}

/// The record of a match.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MatchRecord {
    /// Its name.
    pub match_id: String,
    /// The time when it began, in milliseconds since 1970.
    pub start_time: u64,
    /// The game's file or address.
    #[serde(rename = "gameMetaURL")]
    pub game_meta_url: String,
    /// When negated literals of the rules are read: `language` or `in-place` (`--negation`).
    pub negation: Negation,
    /// The roles, in the order of the rules.
    pub game_role_names: Vec<String>,
    /// Whether it reached a terminal state.
    pub is_completed: bool,
    /// Whether it was aborted.
    pub is_aborted: bool,
    /// For each step the facts as one text.
    pub states: Vec<String>,
    /// For each step the moves, in role order.
    pub moves: Vec<Vec<String>>,
    /// When each state was reached, in milliseconds since 1970.
    pub state_times: Vec<u64>,
    /// For each step the fault of each role's move; empty if there was none.
    pub errors: Vec<Vec<String>>,
    /// For each step the result of each role's search; null if there was no search, or if it is unknown.
    pub thoughts: Vec<Vec<Option<ThoughtRecord>>>,
    /// For each role its goal value at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal_values: Option<Vec<i32>>,
    /// Seconds before the start, -1 for none.
    pub preview_clock: i64,
    /// Seconds before the first move.
    pub start_clock: f64,
    /// Seconds for each move; 0 without a clock.
    pub play_clock: f64,
    /// The players' names.
    pub player_names_from_host: Vec<String>,
    /// Whether each player is a person.
    pub is_player_human: Vec<bool>,
    /// The role that resigned, if one did; the match is then aborted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resigned: Option<String>,
    /// Whether the players received scrambled words.
    pub scrambled: bool,
}

impl MatchRecord {
    /// The record of a match that began at this time, in milliseconds since 1970.
    pub fn new(
        machine: &dyn Machine,
        played_match: &Match,
        names: Vec<String>,
        clock: &Clock,
        game: &str,
        (match_id, begun): (String, u64),
    ) -> MatchRecord {
        let state = |state| {
            let mut fluents = Vec::new();
            machine.fluents(state, &mut fluents);
            let facts: Vec<String> = fluents.into_iter().map(|fluent| machine.fluent_text(fluent)).collect();
            format!("({})", facts.join(" "))
        };
        let goals = played_match.goal_numbers(machine.description().random_role());
        let mut at = begun;
        let mut times = vec![begun];
        times.extend(played_match.times.iter().map(|took| {
            at += took.as_millis() as u64;
            at
        }));
        let texts = |of: &dyn Fn(&Move) -> String| {
            played_match.moves.iter().map(|moves| moves.iter().map(of).collect()).collect()
        };
        let result = |played: &Move| Some(ThoughtRecord::new(played.by.as_deref()?, played.result.as_ref()?));
        MatchRecord {
            match_id,
            start_time: begun,
            game_meta_url: game.to_owned(),
            negation: machine.description().negation,
            game_role_names: machine
                .description()
                .roles
                .iter()
                .map(|&role| machine.term_text(role))
                .collect(),
            is_completed: played_match.goals.is_some(),
            is_aborted: played_match.goals.is_none(),
            states: played_match.states.iter().map(state).collect(),
            moves: texts(&|played| machine.move_text(played.action)),
            state_times: times,
            errors: texts(&|played| played.fault.as_ref().map_or_else(String::new, Fault::to_string)),
            thoughts: played_match.moves.iter().map(|moves| moves.iter().map(result).collect()).collect(),
            goal_values: goals,
            preview_clock: -1,
            start_clock: clock.start.as_secs_f64(),
            play_clock: clock.play.map_or(0.0, |play| play.as_secs_f64()),
            is_player_human: vec![false; names.len()],
            player_names_from_host: names,
            resigned: None,
            scrambled: false,
        }
    }
}
