//! Fuzzy functions as readable formulas: conditions in KIF, atoms of the rules by name, followed by their definitions
//! within a limit of length.

use std::collections::BTreeSet;

use super::fuzzy::{ExplainedKind, Formula, FuzzyFunction, Mention, Prefix};

/// The length in characters after which no more atoms are defined.
const LENGTH: usize = 2000;

/// The most members of a conjunction or disjunction that are written.
const MEMBERS: usize = 12;

/// The most members that are counted.
const MOST: usize = 10_000;

/// The deepest nesting of parts.
const DEPTH: usize = 6;

/// The formula of a fuzzy function.
pub(super) fn of_fuzzy(function: &FuzzyFunction) -> String {
    let mut writer = Writer { formula: &function.formula, out: String::new(), named: Vec::new() };
    for (index, goal) in function.goals.iter().enumerate() {
        if index > 0 {
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
    let mut written: BTreeSet<u32> = roots.map(Mention::unsigned_abs).collect();
    let mut next = 0;
    while next < writer.named.len() {
        let number = writer.named[next];
        next += 1;
        if !written.insert(number) {
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
    /// Nodes that were written by name and need a definition.
    named: Vec<u32>,
}

impl Writer<'_> {
    /// Writes the definition of a node, even if it has a name.
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

    /// The members of a conjunction or disjunction, with unnamed members of the same kind replaced by their own
    /// members.
    fn flat(&self, list: &[Mention], kind: ExplainedKind) -> Vec<Mention> {
        let mut flat: Vec<Mention> = list.to_vec();
        for _ in 0..DEPTH {
            let before = flat.len();
            let apart = |&mention: &Mention| -> Vec<Mention> {
                let node = usize::try_from(mention - 1).ok().and_then(|index| self.formula.nodes.get(index));
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
        // Formulas can come from documents, which may have invalid numbers.
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
