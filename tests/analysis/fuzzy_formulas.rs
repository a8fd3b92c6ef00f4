//! The value of any formula is at least `threshold` if it holds, and at most `1 - threshold` if it fails. The value is the
//! same, bit for bit, whatever else is evaluated with it.

use crate::fuzzy_bounds::{NORMS, check, states};
use ggp::evaluation::fuzzy::{Compare, Comparison, Evaluator, Formula, FuzzyParameters, Mention, Node};
use ggp::feature::StateEvaluator;
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, load};
use proptest::prelude::*;

/// A random formula over some fluents. The members of a node are earlier nodes.
fn formula(facts: Vec<String>) -> impl Strategy<Value = Formula> {
    let count = facts.len();
    let node = (0..3_u8, prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 1..7));
    prop::collection::vec(node, 1..40).prop_map(move |inner| {
        let mut nodes: Vec<Node> = facts.iter().cloned().map(Node::Fact).collect();
        for (kind, members) in inner {
            let mention = |(index, negated): &(prop::sample::Index, bool)| {
                let number = index.index(nodes.len()) as Mention + 1;
                if *negated { -number } else { number }
            };
            let list: Vec<Mention> = members.iter().map(mention).collect();
            nodes.push(match kind {
                0 => Node::And(list),
                1 => Node::Or(list),
                _ => {
                    let side = |flip: usize| {
                        let members =
                            list.iter().enumerate().filter(|(index, _)| list.len() == 1 || index % 2 == flip);
                        members.map(|(index, &mention)| ((index * 3 % 7) as u32, mention)).collect::<Vec<_>>()
                    };
                    let relations = [
                        Comparison::Less,
                        Comparison::AtMost,
                        Comparison::Greater,
                        Comparison::AtLeast,
                        Comparison::Equal,
                    ];
                    Node::Compare(Compare {
                        text: String::new(),
                        relation: relations[members[0].0.index(relations.len())],
                        left: side(0),
                        right: side(1),
                        length: 7,
                    })
                }
            });
        }
        assert!(nodes.len() > count);
        Formula { nodes, ..Formula::default() }
    })
}

/// Whether each node holds.
fn truth_values(formula: &Formula, holds: impl Fn(&str) -> bool) -> Vec<bool> {
    let mut found: Vec<bool> = Vec::new();
    for node in &formula.nodes {
        let holds_for = |mention: &Mention| found[mention.unsigned_abs() as usize - 1] != (*mention < 0);
        let truth = match node {
            Node::Fact(text) => holds(text),
            Node::And(list) => list.iter().all(holds_for),
            Node::Or(list) => list.iter().any(holds_for),
            Node::Compare(compare) => {
                let held = |side: &[(u32, Mention)]| -> Vec<u32> {
                    side.iter().filter(|(_, mention)| holds_for(mention)).map(|(index, _)| *index).collect()
                };
                let (left, right) = (held(&compare.left), held(&compare.right));
                left.iter().any(|&a| right.iter().any(|&b| compare.relation.holds(a, b)))
            }
            _ => unreachable!(),
        };
        found.push(truth);
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn random_formulas_respect_the_bounds(
        formula in formula(["1 1", "1 2", "2 2"].iter().flat_map(|c| ["cross", "nought", "empty"].map(|m| format!("(mark {c} {m})"))).collect()),
        pick in 0..NORMS.len(),
        t in 0.55..0.95_f64,
        above in 0.0..1.0_f64,
    ) {
        let description = read(&Source::load("games/tic_tac_toe.kif").unwrap()).description.unwrap();
        let loaded = load(description, Backend::Network, &Limits::default()).unwrap();
        let machine = &*loaded.machine;
        let roots: Vec<Mention> = (1..=formula.nodes.len() as Mention).collect();
        let parameters = FuzzyParameters { p: t + above * (0.999 - t), threshold: t, norm: NORMS[pick], ..FuzzyParameters::default() };
        let mut evaluator = Evaluator::new(machine, &formula, &roots, parameters).unwrap();
        // The second evaluator has only the last root. Nodes that only serve a comparison have no value there.
        let last = *roots.last().unwrap();
        let mut alone = Evaluator::new(machine, &formula, &[last], parameters).unwrap();
        let mut state_evaluator = StateEvaluator::new(machine);
        for state in states(machine, 2, 10) {
            let position = state_evaluator.at(&state).unwrap();
            evaluator.update(position.facts);
            alone.update(position.facts);
            let mut facts = Vec::new();
            position.facts.for_each(|fluent| facts.push(machine.fluent_text(fluent)));
            for (index, truth) in truth_values(&formula, |text| facts.iter().any(|fact| fact == text)).into_iter().enumerate() {
                let mention = index as Mention + 1;
                check(evaluator.value(mention), truth, t, "node");
                check(evaluator.value(-mention), !truth, t, "negated node");
            }
            prop_assert_eq!(alone.value(last).to_bits(), evaluator.value(last).to_bits());
        }
    }
}
