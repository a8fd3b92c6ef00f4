//! Builds a circuit from rule instances: one node for each atom, a disjunction of conjunctions.

use super::circuit::{Circuit, Lit, Node};
use super::order::{Dependencies, components};
use super::program::GameProgram;
use super::relax::{GroundLiteral, Instances};
use crate::datalog::{Exceeded, Guard};
use crate::gdl::rule::{Dependence, RelationId, RelationKind};
use crate::gdl::symbol::{Symbol, Symbols};
use crate::gdl::term::TermId;

/// A reachable fluent.
#[derive(Clone, Debug)]
pub(super) struct RawFluent {
    /// The outermost symbol.
    pub(super) functor: Symbol,
    pub(super) arguments: Vec<TermId>,
    /// Whether it is true in the initial state.
    pub(super) initially: bool,
    /// Its input node.
    pub(super) input: u32,
    /// Its value in the successor.
    pub(super) next: Lit,
}

/// A possible move of a role.
#[derive(Clone, Debug)]
pub(super) struct RawMove {
    /// The index of the role.
    pub(super) role: usize,
    /// The outermost symbol.
    pub(super) functor: Symbol,
    pub(super) arguments: Vec<TermId>,
    /// Its input node.
    pub(super) input: u32,
    pub(super) legal: Lit,
}

/// An atom that rules derive from the state.
#[derive(Clone, Debug)]
pub(super) struct RawDerived {
    /// The relation.
    pub(super) name: Symbol,
    pub(super) arguments: Vec<TermId>,
    pub(super) value: Lit,
}

/// Maximum number of atoms of a relation that [`Built`] lists by name. Of a larger relation none are listed; no
/// consumer needs them.
const MOST_DERIVED: usize = 4096;

/// A circuit with its inputs and outputs.
#[derive(Clone, Debug, Default)]
pub(super) struct Built {
    /// The gates.
    pub(super) circuit: Circuit,
    pub(super) fluents: Vec<RawFluent>,
    pub(super) moves: Vec<RawMove>,
    /// Whether the state is terminal.
    pub(super) terminal: Lit,
    /// Role, value and condition of every goal.
    pub(super) goals: Vec<(usize, i32, Lit)>,
    /// The atoms of relations that depend only on the state.
    pub(super) derived: Vec<RawDerived>,
}

impl Default for Lit {
    fn default() -> Lit {
        Lit::FALSE
    }
}

/// Builds the circuit of all instances.
///
/// # Errors
/// A limit is exceeded.
pub(super) fn build(
    program: &GameProgram,
    instances: &Instances,
    roles: &[TermId],
    symbols: &Symbols,
    guard: &Guard,
) -> Result<Built, Exceeded> {
    let mut built = Built::default();
    let mut value = vec![Lit::FALSE; instances.atoms.len()];
    add_inputs(program, instances, roles, &mut built, &mut value);
    let (by_head, graph) = dependencies(instances);
    let mut defined = 0usize;
    let mut operands = Vec::new();
    let mut cases = Vec::new();
    for component in components(&graph).iter() {
        let recursive = component.len() > 1 || edges(&graph, component[0]).contains(&component[0]);
        if recursive {
            let nodes = built.circuit.open_loop(component.len());
            component.iter().zip(&nodes).for_each(|(&atom, &node)| value[atom as usize] = node);
        }
        let mut definitions = Vec::new();
        for &atom in component {
            let (relation, _) = instances.atoms[atom as usize];
            if matches!(program.relations[relation.index()].kind, RelationKind::True | RelationKind::Does) {
                continue;
            }
            cases.clear();
            for &instance in by_head.of(atom) {
                operands.clear();
                for literal in instances.body(instance as usize) {
                    operands.push(match literal {
                        GroundLiteral::Positive(atom) => value[atom as usize],
                        GroundLiteral::Negative(atom) => !value[atom as usize],
                    });
                }
                cases.push(built.circuit.and(&mut operands));
            }
            let definition = built.circuit.or(&mut cases);
            if recursive {
                definitions.push(definition);
            } else {
                value[atom as usize] = definition;
            }
        }
        if recursive {
            built.circuit.close_loop(&definitions);
        }
        defined += component.len();
        if defined & 0xfff == 0 {
            guard.check(0, 0, built.circuit.bytes())?;
        }
    }
    add_outputs(program, instances, roles, symbols, &mut built, &value);
    Ok(built)
}

/// The value of a row of a relation: false if the relation has no such row, true for a static relation, otherwise the
/// value of the row's atom.
fn row_value(
    program: &GameProgram,
    instances: &Instances,
    value: &[Lit],
    relation: RelationId,
    row: &[TermId],
) -> Lit {
    match instances.database.table(relation).find(row) {
        None => Lit::FALSE,
        Some(_) if program.is_static(relation) => Lit::TRUE,
        Some(row) => value[instances.atom_of_row[relation.index()][row as usize] as usize],
    }
}

fn add_inputs(
    program: &GameProgram,
    instances: &Instances,
    roles: &[TermId],
    built: &mut Built,
    value: &mut [Lit],
) {
    for family in &program.fluents {
        for (row, arguments) in instances.database.table(family.holds).iter().enumerate() {
            let initially =
                family.init.is_some_and(|init| instances.database.table(init).find(arguments).is_some());
            let input = built.circuit.input(Node::Fluent(built.fluents.len() as u32));
            if !family.frozen {
                value[instances.atom_of_row[family.holds.index()][row] as usize] = input;
            }
            built.fluents.push(RawFluent {
                functor: family.functor,
                arguments: arguments.to_vec(),
                initially,
                input: input.node(),
                next: if family.frozen { input } else { Lit::FALSE },
            });
        }
    }
    for family in &program.moves {
        for (row, arguments) in instances.database.table(family.does).iter().enumerate() {
            let Some(role) = roles.iter().position(|&role| role == arguments[0]) else { continue };
            let input = built.circuit.input(Node::Move(built.moves.len() as u32));
            value[instances.atom_of_row[family.does.index()][row] as usize] = input;
            built.moves.push(RawMove {
                role,
                functor: family.functor,
                arguments: arguments[1..].to_vec(),
                input: input.node(),
                legal: Lit::FALSE,
            });
        }
    }
}

fn add_outputs(
    program: &GameProgram,
    instances: &Instances,
    roles: &[TermId],
    symbols: &Symbols,
    built: &mut Built,
    value: &[Lit],
) {
    let mut row = Vec::new();
    for fluent in &mut built.fluents {
        let same = |f: &&super::program::FluentFamily| {
            f.functor == fluent.functor && f.arity == fluent.arguments.len()
        };
        let family = program.fluents.iter().filter(|family| !family.frozen).find(same);
        if let Some(next) = family.and_then(|family| family.next) {
            fluent.next = row_value(program, instances, value, next, &fluent.arguments);
        }
    }
    for action in &mut built.moves {
        let same = |f: &&super::program::MoveFamily| {
            f.functor == action.functor && f.arity == action.arguments.len()
        };
        if let Some(family) = program.moves.iter().find(same) {
            row.clear();
            row.push(roles[action.role]);
            row.extend_from_slice(&action.arguments);
            action.legal = row_value(program, instances, value, family.legal, &row);
        }
    }
    for (index, relation) in program.relations.iter().enumerate() {
        let id = RelationId(index as u32);
        match relation.kind {
            RelationKind::Terminal => built.terminal = row_value(program, instances, value, id, &[]),
            RelationKind::Goal if relation.arity == 2 => {
                for arguments in instances.database.table(id).iter() {
                    let role = roles.iter().position(|&role| role == arguments[0]);
                    let number = symbols.name(instances.terms.functor(arguments[1])).parse::<i32>();
                    if let (Some(role), Ok(number)) = (role, number) {
                        let condition = row_value(program, instances, value, id, arguments);
                        built.goals.push((role, number, condition));
                    }
                }
            }
            RelationKind::View if relation.dependence == Dependence::State && program.has_atoms(id) => {
                let table = instances.database.table(id);
                let atoms = table.iter().take_while(|_| table.len() as usize <= MOST_DERIVED);
                built.derived.extend(atoms.map(|arguments| RawDerived {
                    name: relation.name,
                    arguments: arguments.to_vec(),
                    value: row_value(program, instances, value, id, arguments),
                }));
            }
            _ => {}
        }
    }
}

/// The instances of each head atom.
struct ByHead {
    starts: Vec<u32>,
    instances: Vec<u32>,
}

impl ByHead {
    fn of(&self, atom: u32) -> &[u32] {
        &self.instances[self.starts[atom as usize] as usize..self.starts[atom as usize + 1] as usize]
    }
}

fn edges(graph: &Dependencies, node: u32) -> &[u32] {
    &graph.targets[graph.starts[node as usize] as usize..graph.starts[node as usize + 1] as usize]
}

fn dependencies(instances: &Instances) -> (ByHead, Dependencies) {
    let atoms = instances.atoms.len();
    let mut starts = vec![0u32; atoms + 1];
    for instance in 0..instances.len() {
        starts[instances.head(instance) as usize + 1] += 1;
    }
    for atom in 0..atoms {
        starts[atom + 1] += starts[atom];
    }
    let mut fill = starts.clone();
    let mut list = vec![0u32; instances.len()];
    for instance in 0..instances.len() {
        let slot = &mut fill[instances.head(instance) as usize];
        list[*slot as usize] = instance as u32;
        *slot += 1;
    }
    let by_head = ByHead { starts, instances: list };
    let mut graph = Dependencies { starts: Vec::with_capacity(atoms + 1), targets: Vec::new() };
    graph.starts.push(0);
    for atom in 0..atoms as u32 {
        for &instance in by_head.of(atom) {
            for literal in instances.body(instance as usize) {
                let (GroundLiteral::Positive(target) | GroundLiteral::Negative(target)) = literal;
                graph.targets.push(target);
            }
        }
        graph.starts.push(graph.targets.len() as u32);
    }
    (by_head, graph)
}
