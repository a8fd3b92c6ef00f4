//! The explanation of a value, as a tree.

use std::collections::BTreeSet;

use crate::evaluation::fuzzy::{self, Explained};
use crate::evaluation::scaled_feature::Aim;
use crate::evaluation::{
    Contribution, Explanation, FeatureExplanation, FeaturePart, LearnedExplanation, StatisticalExplanation,
};

use super::layout::significant;
use super::tree::Tree;

/// The tree of an explanation.
pub fn tree(explanation: &Explanation) -> Tree {
    match explanation {
        Explanation::Feature(feature) => feature_tree(feature),
        Explanation::Fuzzy(fuzzy) => fuzzy_tree(fuzzy),
        Explanation::Statistical(sum) => sum_tree(sum),
        Explanation::Learned(sum) => learned_tree(sum),
    }
}

fn feature_tree(explanation: &FeatureExplanation) -> Tree {
    let FeatureExplanation { value, formula, feature, range: [low, high], share, aim, .. } = explanation;
    let direction = match aim {
        Aim::Maximise => "greater is better",
        Aim::Minimise => "smaller is better",
    };
    let scale = Tree {
        line: format!(
            "{}  position from {} to {}, as a share; {direction}",
            significant(*share),
            significant(*low),
            significant(*high)
        ),
        members: vec![part(feature)],
        left_out: 0,
    };
    Tree { line: format!("{}  {formula}", significant(*value)), members: vec![scale], left_out: 0 }
}

fn sum_tree(explanation: &StatisticalExplanation) -> Tree {
    let mut members = vec![Tree::leaf(format!("{}  the mean goal value", significant(explanation.constant)))];
    members.extend(explanation.terms.iter().map(contribution));
    if explanation.left_out > 0 {
        let rest = signed(explanation.rest);
        members.push(Tree::leaf(format!("{rest}  {} more terms", explanation.left_out)));
    }
    Tree { line: format!("{}  the sum of", significant(explanation.value)), members, left_out: 0 }
}

/// A feature with its contribution to the sum.
fn contribution(term: &Contribution) -> Tree {
    Tree {
        line: format!(
            "{}  {}: value {}, mean {}",
            signed(term.contribution),
            term.feature.formula,
            significant(term.feature.value),
            significant(term.mean)
        ),
        members: term.feature.members.iter().map(part).collect(),
        left_out: term.feature.left_out,
    }
}

fn learned_tree(explanation: &LearnedExplanation) -> Tree {
    let start = format!("{}  the base value", significant(explanation.constant));
    let mut members = vec![Tree::leaf(start)];
    for term in &explanation.terms {
        members.push(Tree::leaf(format!("{}  {}", signed(term.weight), term.text())));
    }
    if explanation.left_out > 0 {
        let rest = signed(explanation.rest);
        members.push(Tree::leaf(format!("{rest}  {} more terms", explanation.left_out)));
    }
    if let Some(turn) = explanation.turn {
        let whether = if turn { "holds" } else { "does not hold" };
        members.push(Tree::leaf(format!(
            "the weights are those for states in which the fact of the turn {whether}"
        )));
    }
    let (value, sum) = (significant(explanation.value), significant(explanation.sum));
    Tree { line: format!("{value}  the goal value for log-odds of {sum}, the sum of"), members, left_out: 0 }
}

fn signed(number: f64) -> String {
    let text = significant(number);
    if number > 0.0 { format!("+{text}") } else { text }
}

/// A feature with its parts.
fn part(part: &FeaturePart) -> Tree {
    Tree {
        line: format!("{}  {}", significant(part.value), part.formula),
        members: part.members.iter().map(self::part).collect(),
        left_out: part.left_out,
    }
}

fn fuzzy_tree(explanation: &fuzzy::Explanation) -> Tree {
    let mut expanded = BTreeSet::new();
    let mut members: Vec<Tree> = Vec::with_capacity(explanation.goals.len() + 1);
    let goals = explanation.goals.iter().rev().map(|goal| ("goal", goal));
    let against = explanation.against.iter().rev().map(|goal| ("minus the opponents' goal", goal));
    for (whose, goal) in goals.chain(against) {
        let with_the_end = match goal.holds {
            true => "holds, so ending the game is good",
            false => "does not hold, so ending the game is bad",
        };
        members.push(Tree {
            line: format!(
                "{}  {whose} {}: {} of at most {}; it {with_the_end}",
                significant(goal.contribution),
                goal.goal,
                significant(goal.coupled),
                significant(f64::from(goal.goal) / 100.0)
            ),
            members: vec![condition(&goal.condition, &mut expanded)],
            left_out: 0,
        });
    }
    let end = condition(&explanation.terminal, &mut expanded);
    members.push(Tree { line: format!("end of the game: {}", end.line), ..end });
    let how = match explanation.against.is_empty() {
        true => "the goals combined (a + b - ab)",
        false => "the goals combined (a + b - ab), compared with the opponents' goals by odds",
    };
    let line = format!("{}  {how}", significant(explanation.value));
    Tree { line, members, left_out: 0 }
}

/// A condition. An atom is expanded only where it occurs first.
fn condition<'e>(explained: &'e Explained, expanded: &mut BTreeSet<&'e str>) -> Tree {
    let [kind, how] = explained.kind.words();
    let mut label = explained.text.clone();
    if label.is_empty() {
        kind.clone_into(&mut label);
    } else if !kind.is_empty() {
        label = format!("{label}: {kind}");
    }
    label.push_str(how);
    let not = if explained.negated { "not " } else { "" };
    let holds = if explained.holds { "✓" } else { "·" };
    let line = format!("{} {holds} {not}{label}", significant(explained.value));
    let parts = explained.members.len() + explained.left_out;
    if parts > 0 && !explained.text.is_empty() && !expanded.insert(&explained.text) {
        return Tree::leaf(format!(
            "{} {holds} {not}{}, as above",
            significant(explained.value),
            explained.text
        ));
    }
    let members = explained.members.iter().map(|member| condition(member, expanded)).collect();
    Tree { line, members, left_out: explained.left_out }
}
