//! The share of the game that random play covered, in words: unproved findings rest on that part only.

use crate::structure::finding::{Coverage, RuleCoverage, Structures};
use crate::structure::vocabulary::Kif;

use super::layout::{counted, grouped};

/// Sentences on fluents and moves, and on rules if asked; none if coverage was not measured.
pub(super) fn sentences(structures: &Structures<Kif>, with_rules: bool) -> Vec<String> {
    let of_state = structures.coverage.map(fluents_and_moves);
    of_state.into_iter().chain(rules(structures).filter(|_| with_rules)).collect()
}

/// The sentence on rules that fired, or never did.
pub(super) fn rules(structures: &Structures<Kif>) -> Option<String> {
    structures.rule_coverage.as_ref().and_then(rule_sentence)
}

fn fluents_and_moves(coverage: Coverage) -> String {
    let of = |seen: usize, all: usize, what: &str| match seen == all {
        true => format!("all {} {what}", grouped(all as u64)),
        false => format!("{} of {} {what}", grouped(seen as u64), grouped(all as u64)),
    };
    let fluents = of(coverage.fluents_seen, coverage.fluents, "fluents");
    let moves = of(coverage.moves_seen, coverage.moves, "moves");
    format!("It covered {fluents} and {moves} that are possible by the rules.")
}

fn rule_sentence(coverage: &RuleCoverage) -> Option<String> {
    let playouts = counted(coverage.playouts, "playout", "playouts");
    let all = counted(coverage.rules as u64, "rule", "rules");
    match coverage.rules - coverage.applied {
        _ if coverage.rules == 0 || coverage.playouts == 0 => None,
        0 if coverage.rules == 1 => {
            Some(format!("The one rule that depends on play fired within {playouts}."))
        }
        0 => Some(format!("All {all} that depend on play fired within {playouts}.")),
        1 if coverage.rules == 1 => Some(format!(
            "The one rule that depends on play never fired in {playouts}, so nothing was learned about it."
        )),
        never => Some(format!(
            "{} of {all} that depend on play never fired in {playouts}, so nothing was learned about {}.",
            grouped(never as u64),
            if never == 1 { "it" } else { "them" }
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_that_never_applied_are_counted() {
        let coverage =
            |applied| RuleCoverage { applied, rules: 30, playouts: 1000, ..RuleCoverage::default() };
        let text = "All 30 rules that depend on play fired within 1,000 playouts.";
        assert_eq!(rule_sentence(&coverage(30)).as_deref(), Some(text));
        let text = "2 of 30 rules that depend on play never fired in 1,000 playouts, so nothing was learned about them.";
        assert_eq!(rule_sentence(&coverage(28)).as_deref(), Some(text));
        let text = "The one rule that depends on play fired within 1,000 playouts.";
        let one = RuleCoverage { applied: 1, rules: 1, playouts: 1000, ..RuleCoverage::default() };
        assert_eq!(rule_sentence(&one).as_deref(), Some(text));
        assert_eq!(rule_sentence(&RuleCoverage::default()), None);
    }
}
