//! The atoms of goals and the terminal condition, from which unrolling starts.

use crate::gdl::Description;
use crate::gdl::rule::RelationKind;
use crate::gdl::term::{Term, TermId};

use super::instances::{Instances, RelationStatus};

/// The atoms that are unrolled.
#[derive(Default)]
pub(super) struct ConditionAtoms {
    pub(super) terminal: Option<u32>,
    /// Goal values of the role with their atoms.
    pub(super) goals: Vec<(i32, u32)>,
    /// Those of the opponents.
    pub(super) against: Vec<(i32, u32)>,
}

impl ConditionAtoms {
    /// The atoms of a role and of the role that represents its opponents; `counts` selects goal values by role and
    /// value.
    pub(super) fn new(
        description: &Description,
        instances: &mut Instances,
        role: usize,
        opponent: Option<usize>,
        counts: &dyn Fn(usize, i32) -> bool,
    ) -> ConditionAtoms {
        let mut atoms = ConditionAtoms::default();
        for (relation, of) in description.relation_ids() {
            let opaque = instances.states[relation.index()] == RelationStatus::Opaque;
            match of.kind {
                RelationKind::Terminal if opaque => atoms.terminal = Some(instances.insert(relation, &[])),
                RelationKind::Terminal => atoms.terminal = instances.atom(relation, &[]),
                RelationKind::Goal => {
                    let mut rows: Vec<Vec<TermId>> =
                        instances.database.table(relation).iter().map(<[TermId]>::to_vec).collect();
                    if opaque {
                        let heads = description.rules_of[relation.index()]
                            .iter()
                            .map(|&rule| &description.rules[rule as usize].head.arguments[1]);
                        let values: Vec<TermId> = heads
                            .filter_map(
                                |value| if let Term::Ground(value) = value { Some(*value) } else { None },
                            )
                            .collect();
                        for role in std::iter::once(role).chain(opponent) {
                            rows.extend(values.iter().map(|&value| vec![description.roles[role], value]));
                        }
                    }
                    for row in &rows {
                        let own = row[0] == description.roles[role];
                        let of = if own { Some(role) } else { opponent };
                        let Some(of) = of.filter(|&of| row[0] == description.roles[of]) else { continue };
                        let is_constant = row[1].index() < description.terms.len();
                        let name = || description.symbols.name(description.terms.functor(row[1]));
                        let value = if is_constant { name().parse::<i32>().ok() } else { None };
                        if let Some(value) = value.filter(|&value| counts(of, value)) {
                            let atom = instances.insert(relation, row);
                            if own { &mut atoms.goals } else { &mut atoms.against }.push((value, atom));
                        }
                    }
                }
                _ => {}
            }
        }
        for goals in [&mut atoms.goals, &mut atoms.against] {
            goals.sort_unstable();
            goals.dedup();
        }
        atoms
    }

    /// All atoms, that of the terminal condition first.
    pub(super) fn all(&self) -> impl Iterator<Item = u32> + '_ {
        let goals = self.goals.iter().chain(&self.against).map(|&(_, atom)| atom);
        self.terminal.into_iter().chain(goals)
    }
}
