//! The rules that never fired in random play, and whether they fired in good play.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::analysis::Game;
use crate::gdl::source::Span;
use crate::structure::finding::Structures;

use super::super::played_game::PlayedGame;
use super::rule_reader::RuleReader;

/// A rule that never fired in random play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UnfiredRule {
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
    /// Its first line, from 1; 0 before [`GameEndings::set_lines`](super::GameEndings::set_lines).
    pub line: usize,
    /// The rule as KIF; one alternative if the rule has a disjunction.
    pub text: String,
    /// Whether it fired in good play.
    pub in_good_play: bool,
}

/// The rules that never fired in random play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UnfiredRules {
    /// The rules, in the order of the text: the first hundred.
    pub rules: Vec<UnfiredRule>,
    /// Number of all rules that never fired in random play.
    pub unfired: usize,
    /// Number of rules that depend on play.
    pub of: usize,
    /// Number of random playouts.
    pub playouts: u64,
    /// Number of good games.
    pub games: u64,
}

/// Looks for the rules of `rule_coverage` in good play; none if coverage was not measured.
pub(super) fn unfired_rules(
    game: &Game<'_>,
    structures: &Structures,
    good: &[PlayedGame],
    reader: &mut RuleReader<'_>,
) -> Option<UnfiredRules> {
    let coverage = structures.rule_coverage.as_ref()?;
    let description = game.machine.description();
    // The texts have the order of the rules.
    let mut texts = coverage.never.iter().peekable();
    let mut never: Vec<usize> = Vec::new();
    for (index, rule) in description.rules.iter().enumerate() {
        if texts.next_if(|text| **text == description.display_rule(rule)).is_some() {
            never.push(index);
        }
    }
    let mut fired = vec![false; description.rules.len()];
    let mut games = 0;
    if !never.is_empty() {
        for played in good {
            let mut see = |rules: Vec<usize>| rules.into_iter().for_each(|rule| fired[rule] = true);
            if reader.replay(played, &mut see).is_none() {
                break;
            }
            games += 1;
        }
    }
    let unfired = |&index: &usize| {
        let rule = &description.rules[index];
        let text = description.display_rule(rule);
        UnfiredRule { span: rule.span, line: 0, text, in_good_play: fired[index] }
    };
    Some(UnfiredRules {
        rules: never.iter().map(unfired).collect(),
        unfired: coverage.rules - coverage.applied,
        of: coverage.rules,
        playouts: coverage.playouts,
        games: if never.is_empty() { good.len() as u64 } else { games },
    })
}
