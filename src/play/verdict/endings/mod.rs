//! How games end, by the rules of `terminal`, and the rules that never fired.
//!
//! - `rule_reader.rs` lists the rules that apply in the last state of a game.
//! - `ending_rule.rs` is a rule of `terminal` with the type of its condition.
//! - `condition.rs` writes the condition of a rule as short text, and recognises step limits and conditions that mean that
//!   no move is left.
//! - `unfired.rs` lists the rules that never fired.
//!
//! Nothing depends on names: a cause is recognised by what its rule depends on and by all states seen.
//! `tests/analysis/verdict_endings.rs` tests it.

mod condition;
mod ending_rule;
mod full_board;
mod rule_reader;
mod unfired;

use std::collections::BTreeMap;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::analysis::Game;
use crate::gdl::Source;
use crate::gdl::source::Span;
use crate::simulate::WorkLimit;
use crate::structure::finding::Structures;

use super::played_game::PlayedGame;
use condition::Conditions;
pub use ending_rule::{EndingKind, EndingRule};
use full_board::FullBoards;
use rule_reader::RuleReader;
pub use unfired::{UnfiredRule, UnfiredRules};

/// The outcome of some games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EndingOutcome {
    /// The goal value of each role; null if it has none or several.
    pub goals: Vec<Option<i32>>,
    /// Number of games.
    pub games: u64,
}

/// Why some games ended: the rules of `terminal` that held in their last states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EndingCause {
    /// The rules, in the order of the text; several if they all held. None for games that did not end, or if `terminal` holds
    /// in every state.
    pub rules: Vec<EndingRule>,
    /// Its type: that of the first of its rules in the order of the types.
    pub kind: EndingKind,
    /// The cause in a few words.
    pub text: String,
    /// Number of games.
    pub games: u64,
    /// Share of the games, from 0 to 1.
    pub share: f64,
    /// The outcomes, the most frequent first.
    pub outcomes: Vec<EndingOutcome>,
}

/// How some games ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Endings {
    /// The causes, the most frequent first.
    pub causes: Vec<EndingCause>,
    /// Number of games whose cause was determined.
    pub games: u64,
    /// Number of games that were given.
    pub given: u64,
}

/// How random and good games end, and which rules never fired.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GameEndings {
    /// Random games.
    pub random: Endings,
    /// Good games.
    pub good: Endings,
    /// The rules that never fired in random play; null if it was not measured.
    pub unfired: Option<UnfiredRules>,
}

impl GameEndings {
    /// Sets the lines of all rules.
    pub fn set_lines(&mut self, source: &Source) {
        let line = |span: Span| source.position(span.start).0;
        for cause in self.random.causes.iter_mut().chain(&mut self.good.causes) {
            cause.rules.iter_mut().for_each(|rule| rule.line = line(rule.span));
        }
        for rule in self.unfired.iter_mut().flat_map(|unfired| &mut unfired.rules) {
            rule.line = line(rule.span);
        }
    }
}

/// Determines how games end and which rules never fired. `structures` is the result of the detectors for the same machine;
/// its `rule_coverage` has the rules that never fired in random play.
///
/// A unit of work is a row that a join reads. The random games, the good games and the replay of the good games have a third
/// of the limit each. Nothing is found if the relational machine can't evaluate the game.
pub fn endings(
    game: &Game<'_>,
    structures: &Structures,
    random: &[PlayedGame],
    good: &[PlayedGame],
    limit: &WorkLimit<'_>,
) -> GameEndings {
    let made;
    let relational = match game.machine.relational() {
        Some(relational) => relational,
        None => match rule_reader::relational_machine(game) {
            Some(machine) => {
                made = machine;
                &made
            }
            None => return GameEndings::default(),
        },
    };
    let third = limit.left().map(|left| left / 3);
    let mut conditions = Conditions::new(game, structures);
    let mut boards = FullBoards::new(game, structures, if random.is_empty() { good } else { random }, limit);
    let mut end_groups = |games: &[PlayedGame]| {
        let part = limit.part(third);
        let mut reader = RuleReader::new(game, relational, &part);
        let groups = group(game, structures, games, &mut reader, &mut conditions, &mut boards);
        (groups, part)
    };
    let ((random_groups, of_random), (good_groups, of_good)) = (end_groups(random), end_groups(good));
    boards.read_inner_states(random.iter().chain(good), limit);
    let unfired = limit.check().is_ok().then(|| {
        let part = limit.part(third);
        let mut reader = RuleReader::new(game, relational, &part);
        let unfired = unfired::unfired_rules(game, structures, good, &mut reader);
        (unfired, part)
    });
    let (unfired, of_replay) = unfired.unzip();
    // Parts that ended early end the whole, so they are included last.
    [Some(of_random), Some(of_good), of_replay].iter().flatten().for_each(|part| limit.include(part));
    GameEndings {
        random: random_groups.endings(&conditions, &boards, random.len()),
        good: good_groups.endings(&conditions, &boards, good.len()),
        unfired: unfired.flatten(),
    }
}

/// What the games of a group have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum GroupKey {
    /// The rules of `terminal` that held in the last state, by their index in the description.
    Rules(Vec<usize>),
    /// A role had no legal move.
    Stuck,
    /// The game was cut off after this number of moves.
    CutOff(usize),
}

/// Games by the cause of their end, with their outcomes.
#[derive(Default)]
struct Groups {
    list: IndexMap<GroupKey, BTreeMap<Vec<Option<i32>>, u64>>,
}

/// Groups games by the rules that hold in their last states.
fn group(
    game: &Game<'_>,
    structures: &Structures,
    games: &[PlayedGame],
    reader: &mut RuleReader<'_>,
    conditions: &mut Conditions<'_>,
    boards: &mut FullBoards<'_>,
) -> Groups {
    let mut groups = Groups::default();
    let mut cursor = None;
    for played in games {
        let Some(last) = played.states.last() else { continue };
        let key = if played.ended {
            let Some(rules) = reader.terminal_rules(last) else { break };
            let rules = conditions.first_parts(&rules);
            let idle = reader.is_idle(structures);
            let occupied = boards.occupied(last);
            for &rule in &rules {
                conditions.note(rule, played.moves.len(), idle);
                boards.note(rule, &occupied);
            }
            GroupKey::Rules(rules)
        } else {
            let cursor = cursor.get_or_insert_with(|| game.machine.cursor());
            if cursor.set(last).is_err() {
                break;
            }
            let roles = game.machine.description().roles.len();
            let stuck = (0..roles).any(|role| cursor.legal(role).is_empty());
            if stuck { GroupKey::Stuck } else { GroupKey::CutOff(played.moves.len()) }
        };
        *groups.list.entry(key).or_default().entry(played.goals.clone()).or_default() += 1;
    }
    groups
}

impl Groups {
    fn endings(self, conditions: &Conditions<'_>, boards: &FullBoards<'_>, given: usize) -> Endings {
        let count = |outcomes: &BTreeMap<Vec<Option<i32>>, u64>| outcomes.values().sum::<u64>();
        let games: u64 = self.list.values().map(count).sum();
        let cause = |(key, outcomes): (GroupKey, BTreeMap<Vec<Option<i32>>, u64>)| {
            let own = count(&outcomes);
            let (rules, kind, text) = match &key {
                GroupKey::Rules(rules) => {
                    let rules: Vec<EndingRule> =
                        rules.iter().map(|&rule| conditions.ending_rule(rule, boards)).collect();
                    let texts: Vec<&str> = rules.iter().map(|rule| &*rule.text).collect();
                    let text = if texts.is_empty() { "terminal".to_owned() } else { texts.join(", and ") };
                    let kind = rules.iter().map(|rule| rule.kind).min().unwrap_or(EndingKind::Condition);
                    (rules, kind, text)
                }
                GroupKey::Stuck => (Vec::new(), EndingKind::Stuck, "a player has no legal move".to_owned()),
                GroupKey::CutOff(moves) => (
                    Vec::new(),
                    EndingKind::CutOff,
                    format!("not finished after {moves} {}", if *moves == 1 { "move" } else { "moves" }),
                ),
            };
            let mut outcomes: Vec<EndingOutcome> =
                outcomes.into_iter().map(|(goals, games)| EndingOutcome { goals, games }).collect();
            outcomes.sort_by_key(|outcome| std::cmp::Reverse(outcome.games));
            EndingCause { rules, kind, text, games: own, share: own as f64 / games as f64, outcomes }
        };
        let mut list: Vec<_> = self.list.into_iter().collect();
        list.sort_by(|(a, first), (b, second)| count(second).cmp(&count(first)).then_with(|| a.cmp(b)));
        Endings { causes: list.into_iter().map(cause).collect(), games, given: given as u64 }
    }
}
