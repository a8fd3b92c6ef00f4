//! Exports the dependency graph of relations in the DOT language of Graphviz.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::Description;
use super::dependency::Dependencies;
use super::rule::{RelationId, RelationKind};

/// The dependency graph in DOT. An edge leads from a relation to one that its rules use; a dashed edge is a negative use.
/// A cluster has the relations of one stratum, a double box is an output of the game, and a rounded box its input.
pub fn dependency_graph(description: &Description) -> String {
    let dependencies = Dependencies::of(description);
    let mut strata: BTreeMap<u32, Vec<RelationId>> = BTreeMap::new();
    for (id, relation) in description.relation_ids() {
        strata.entry(relation.stratum).or_default().push(id);
    }
    let mut out = String::from("digraph dependencies {\n  node [fontname=\"sans-serif\", shape=box];\n");
    // Writing to a string can't fail, so the results of `writeln!` are ignored.
    for (stratum, relations) in strata {
        let _ = writeln!(out, "  subgraph cluster_{stratum} {{\n    label=\"stratum {stratum}\";");
        for id in relations {
            let _ = writeln!(out, "    r{} [{}];", id.index(), attributes(description, id));
        }
        out.push_str("  }\n");
    }
    for (head, uses) in dependencies.uses.iter().enumerate() {
        let mut drawn = Vec::new();
        for used in uses {
            let edge = (used.relation, used.negative);
            if !drawn.contains(&edge) {
                drawn.push(edge);
                let style = if used.negative { " [style=dashed, label=\"not\"]" } else { "" };
                let _ = writeln!(out, "  r{head} -> r{}{style};", used.relation.index());
            }
        }
    }
    out.push_str("}\n");
    out
}

/// The label and the shape of a relation.
fn attributes(description: &Description, id: RelationId) -> String {
    let signature = description.signature(id);
    let (word, shape) = match description.relations[id.index()].kind {
        RelationKind::True => ("true ", ", style=rounded"),
        RelationKind::Does => ("does ", ", style=rounded"),
        RelationKind::Next => ("next ", ", peripheries=2"),
        RelationKind::Legal => ("legal ", ", peripheries=2"),
        RelationKind::Goal | RelationKind::Terminal => ("", ", peripheries=2"),
        RelationKind::Init => ("init ", ""),
        RelationKind::Role | RelationKind::View | RelationKind::Auxiliary => ("", ""),
    };
    let name = format!("{word}{signature}").replace('\\', "\\\\").replace('"', "\\\"");
    format!("label=\"{name}\"{shape}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gdl::{Source, read};

    #[test]
    fn negative_uses_are_dashed_and_lead_to_a_lower_stratum() {
        let rules = "(role a) (init p) (<= (legal a m) (not q)) (<= q (true p)) (<= q q (true p)) (<= (next p) (not q)) \
                     (<= terminal q) (<= (goal a 100) q) (<= (goal a 0) (not q))";
        let description = read(&Source::from_text("g", rules)).description.unwrap();
        let graph = dependency_graph(&description);
        let node = |label: &str| {
            let line = graph.lines().find(|line| line.contains(&format!("[label=\"{label}\"")));
            line.and_then(|line| line.split_whitespace().next()).unwrap_or("none").to_owned()
        };
        let (q, p, goal) = (node("q/0"), node("true p/0"), node("goal/2"));
        assert_eq!(graph.matches(&format!("  {q} -> {p};\n")).count(), 1, "{graph}");
        assert!(graph.contains(&format!("  {q} -> {q};\n")), "{graph}");
        assert!(graph.contains(&format!("  {goal} -> {q};\n")), "{graph}");
        assert!(graph.contains(&format!("  {goal} -> {q} [style=dashed, label=\"not\"];\n")), "{graph}");
        let (low, high) = graph.split_once("cluster_1").unwrap();
        assert!(
            low.contains("\"q/0\"") && high.contains("\"goal/2\"") && !graph.contains("cluster_2"),
            "{graph}"
        );
    }
}
