//! Fuzzy goal functions as a formula for reading: conditions in KIF, atoms of the rules by their names, with what they
//! stand for behind them, as far as there is room.

use std::collections::BTreeSet;

use super::fuzzy::{ExplainedKind, Formula, FuzzyFunction, Mention, Prefix};

/// Characters after which no further atom is explained.
const LENGTH: usize = 2000;

/// Members of a conjunction or disjunction that are written out.
const MEMBERS: usize = 12;

/// Members that are counted.
const MOST: usize = 10_000;

/// Parts stand in each other at most this deep.
const DEPTH: usize = 6;

/// What a fuzzy goal function computes.
pub(super) fn of_fuzzy(function: &FuzzyFunction) -> String {
    let mut writer = Writer { formula: &function.formula, out: String::new(), named: Vec::new() };
    for (place, goal) in function.goals.iter().enumerate() {
        if place > 0 {
            writer.out.push_str("; ");
        }
        writer.out.push_str(&format!("goal {}: ", goal.value));
        writer.definition(goal.condition);
    }
    if function.goals.is_empty() {
        writer.out.push_str("no goal above 0");
    }
    writer.out.push_str("; terminal: ");
    writer.definition(function.terminal);
    let roots = function.goals.iter().map(|goal| goal.condition).chain([function.terminal]);
    let mut told: BTreeSet<u32> = roots.map(Mention::unsigned_abs).collect();
    let mut next = 0;
    while next < writer.named.len() {
        let number = writer.named[next];
        next += 1;
        if !told.insert(number) {
            continue;
        }
        if writer.out.len() > LENGTH {
            writer.out.push_str("; …");
            break;
        }
        let label = function.formula.labels.get(&number).map_or("", String::as_str);
        writer.out.push_str(&format!("; {label} = "));
        writer.expanded(number, DEPTH);
    }
    writer.out
}

struct Writer<'f> {
    formula: &'f Formula,
    out: String,
    /// Nodes that were written by their label.
    named: Vec<u32>,
}

impl Writer<'_> {
    /// A root: what it is made of, even where it has a label.
    fn definition(&mut self, mention: Mention) {
        self.negated(mention, |writer, number| writer.expanded(number, DEPTH));
    }

    fn negated(&mut self, mention: Mention, write: impl FnOnce(&mut Self, u32)) {
        if mention < 0 {
            self.out.push_str("(not ");
        }
        match mention {
            0 => self.out.push_str("(and)"),
            _ => write(self, mention.unsigned_abs()),
        }
        if mention < 0 {
            self.out.push(')');
        }
    }

    fn mention(&mut self, mention: Mention, depth: usize) {
        self.negated(mention, |writer, number| match writer.formula.labels.get(&number) {
            Some(label) => {
                writer.out.push_str(label);
                writer.named.push(number);
            }
            None => writer.expanded(number, depth),
        });
    }

    /// Members of a conjunction or disjunction; those that are of the same kind and have no name are taken apart.
    fn flat(&self, list: &[Mention], kind: ExplainedKind) -> Vec<Mention> {
        let mut flat: Vec<Mention> = list.to_vec();
        for _ in 0..DEPTH {
            let before = flat.len();
            let apart = |&mention: &Mention| -> Vec<Mention> {
                let node = usize::try_from(mention - 1).ok().and_then(|place| self.formula.nodes.get(place));
                let named = self.formula.labels.contains_key(&mention.unsigned_abs());
                match node.filter(|node| node.kind() == kind && kind.is_associative() && !named) {
                    Some(node) => node.mentions(),
                    None => vec![mention],
                }
            };
            flat = flat.iter().flat_map(apart).take(MOST).collect();
            if flat.len() == before {
                break;
            }
        }
        flat
    }

    fn expanded(&mut self, number: u32, depth: usize) {
        // Formulas come from documents, which may say anything.
        let Some(node) = self.formula.nodes.get(number as usize - 1) else {
            self.out.push_str("(no node)");
            return;
        };
        let (name, list) = match node.prefix() {
            Prefix::Text("", text) => return self.out.push_str(text),
            Prefix::Text(word, text) => return self.out.push_str(&format!("({word} {text})")),
            Prefix::Members(word, list) => (word, list),
        };
        let list = &self.flat(list, node.kind());
        self.out.push('(');
        self.out.push_str(name);
        let shown = if depth == 0 { 0 } else { list.len().min(MEMBERS) };
        for &member in &list[..shown] {
            self.out.push(' ');
            self.mention(member, depth - 1);
        }
        if shown < list.len() {
            self.out.push_str(&format!(" … {} more", list.len() - shown));
        }
        self.out.push(')');
    }
}
