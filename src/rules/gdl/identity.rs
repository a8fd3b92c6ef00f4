//! The identity of a game: a hash of its rules that does not depend on their layout.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};

use super::source::Negation;
use super::symbol::Symbol;
use super::tree::{Kind, NodeId, Tree};

/// SHA-256 of bytes, in lower-case hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// SHA-256 of the canonical form of the rules: lower case, no comments, variables numbered by first occurrence, roles first
/// in their order, all other rules sorted and without repetitions. It does not depend on layout, comments, order of rules or
/// names of variables. It depends on the order of literals and on the names of symbols.
pub(super) fn fingerprint(tree: &Tree) -> String {
    let (mut roles, mut rules) = (Vec::new(), BTreeSet::new());
    for &root in &tree.roots {
        let mut text = String::new();
        write(tree, root, &mut FxHashMap::default(), &mut text);
        if text.starts_with("(role ") {
            roles.push(text);
        } else {
            rules.insert(text);
        }
    }
    let mut whole = Sha256::new();
    for rule in roles.iter().chain(&rules) {
        whole.update(rule);
        whole.update("\n");
    }
    whole.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The fingerprint of the same rules with negated literals read in place, which make another game.
pub(super) fn read_in_place(fingerprint: &str) -> String {
    sha256(format!("{fingerprint}\nnegation {}", Negation::InPlace.name()).as_bytes())
}

fn write(tree: &Tree, node: NodeId, variables: &mut FxHashMap<Symbol, usize>, out: &mut String) {
    match tree.nodes[node as usize].kind {
        Kind::Word(symbol) => out.push_str(tree.symbols.name(symbol)),
        Kind::Variable(variable) => {
            let next = variables.len();
            let number = *variables.entry(variable).or_insert(next);
            out.push_str(&format!("?{number}"));
        }
        Kind::List { first, count } => {
            out.push('(');
            for (index, &child) in tree.children(first, count).iter().enumerate() {
                if index > 0 {
                    out.push(' ');
                }
                write(tree, child, variables, out);
            }
            out.push(')');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Source, read};

    const RULES: &str = "(role a) (role b) (init (p 1)) (succ 1 2)\n\
        (<= (legal ?r go) (role ?r)) (<= (next (p ?y)) (true (p ?x)) (succ ?x ?y))\n\
        (<= terminal (true (p 2))) (<= (goal ?r 50) (role ?r))";

    fn of(text: &str) -> String {
        let reading = read(&Source::from_text("t", text));
        reading.description.unwrap_or_else(|| panic!("{:#?}", reading.diagnostics)).fingerprint
    }

    #[test]
    fn the_hash_is_sha256() {
        // Of the empty text, from FIPS 180-4's examples.
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(super::sha256(b""), empty);
    }

    #[test]
    fn layout_does_not_change_the_identity() {
        let other = "; rules\n(ROLE a)(role b)\n(<= (goal ?who 50) (role ?who))\r\n(succ 1 2) (succ 1 2)\n\
            (<= (legal ?r go) (role ?r)) (<= (next (p ?x)) (true (p ?y)) ; a step\n (succ ?y ?x))\n\
            (<= terminal (true (p 2)))(init (p 1))";
        assert_eq!(of(RULES), of(other));
    }

    #[test]
    fn other_rules_have_another_identity() {
        for (from, to) in [
            ("(role a) (role b)", "(role b) (role a)"),
            ("(succ 1 2)", "(succ 2 1)"),
            ("(true (p ?x)) (succ ?x ?y)", "(true (p ?x)) (succ ?y ?x) (p ?y)"),
            ("50", "60"),
        ] {
            assert!(RULES.contains(from));
            let reading = read(&Source::from_text("t", RULES.replace(from, to)));
            if let Some(description) = reading.description {
                assert_ne!(description.fingerprint, of(RULES), "{from} -> {to}");
            }
        }
    }
}
