//! Exports the network of a small game in the DOT language of Graphviz.

use std::fmt::Write;

use super::circuit::Lit;
use super::{GroundedGame, Network};

/// The network in DOT. Boxes are fluents and moves, circles are gates (conjunctions), a dot on an edge is a negation, and
/// double boxes are outputs.
pub fn dot(game: &GroundedGame) -> String {
    let network = &game.network;
    let mut out = String::from("digraph network {\n  rankdir=LR;\n  node [fontname=\"sans-serif\"];\n");
    let symbols = &game.description.symbols;
    let text = |functor, arguments: &[_]| {
        let mut text = symbols.name(functor).to_owned();
        for &argument in arguments {
            text.push(' ');
            game.terms.write(argument, symbols, &mut text);
        }
        text
    };
    // Writing to a string can't fail, so the results of `writeln!` are ignored.
    for (bit, &fluent) in network.bits.iter().enumerate() {
        let fluent = &network.fluents[fluent as usize];
        let label = quote(&text(fluent.functor, &fluent.arguments));
        let _ = writeln!(out, "  n{} [shape=box, label={label}];", bit + 1);
        edge(&mut out, network.next[bit], &format!("next{bit}"));
        let _ = writeln!(
            out,
            "  next{bit} [shape=box, peripheries=2, label={}];",
            quote(&format!("next {}", label.trim_matches('"')))
        );
    }
    for (role, moves) in network.moves.iter().enumerate() {
        let role_text = game.terms.display(game.description.roles[role], symbols);
        for action in moves {
            let term = &network.actions[action.action as usize];
            let label = format!("{role_text}: {}", text(term.functor, &term.arguments));
            let _ = writeln!(out, "  n{} [shape=box, style=rounded, label={}];", action.input, quote(&label));
            let name = format!("legal{role}_{}", action.action);
            let _ = writeln!(
                out,
                "  {name} [shape=box, peripheries=2, label={}];",
                quote(&format!("legal {label}"))
            );
            edge(&mut out, action.legal, &name);
        }
        for (value, condition) in &network.goals[role] {
            let name = format!("goal{role}_{value}").replace('-', "m");
            let label = quote(&format!("goal {role_text} {value}"));
            let _ = writeln!(out, "  {name} [shape=box, peripheries=2, label={label}];");
            edge(&mut out, *condition, &name);
        }
    }
    let _ = writeln!(out, "  terminal [shape=box, peripheries=2];");
    edge(&mut out, network.terminal, "terminal");
    gates(&mut out, network);
    out.push_str("}\n");
    out
}

fn gates(out: &mut String, network: &Network) {
    let _ = writeln!(out, "  n0 [shape=plaintext, label=\"false\"];");
    for gate in 0..network.gates() {
        let node = network.first_gate as usize + gate;
        let _ = writeln!(out, "  n{node} [shape=circle, label=\"&\"];");
        for &operand in network.gate(gate) {
            edge(out, operand, &format!("n{node}"));
        }
    }
    for segment in &network.segments {
        if let super::network::Segment::Loop { feedback, .. } = segment {
            for &(node, definition) in feedback {
                let _ = writeln!(out, "  n{node} [shape=diamond, label=\"\"];");
                edge(out, definition, &format!("n{node}"));
            }
        }
    }
}

fn edge(out: &mut String, from: Lit, to: &str) {
    let style = if from.negated() { " [arrowhead=odot]" } else { "" };
    let _ = writeln!(out, "  n{} -> {to}{style};", from.node());
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
