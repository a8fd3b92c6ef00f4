//! The goal values that the rules can give a role.

use crate::gdl::domain::Domains;
use crate::gdl::rule::RelationKind;
use crate::ground::Lit;
use crate::machine::Machine;

/// The goal values that the rules can give the role with this index. If the game has a network, values whose condition
/// is constantly false are left out. Otherwise the values of all roles are returned.
pub fn goal_values(machine: &dyn Machine, role: usize) -> Vec<i32> {
    let description = machine.description();
    match machine.network() {
        Some(network) => {
            let possible = network.goals[role].iter().filter(|(_, condition)| *condition != Lit::FALSE);
            possible.map(|&(value, _)| value).collect()
        }
        None => {
            let goals =
                description.relation_ids().filter(|(_, relation)| relation.kind == RelationKind::Goal);
            let domains = Domains::of(description);
            let terms = goals.flat_map(|(goal, _)| domains.argument(goal, 1).terms.clone());
            terms.filter_map(|term| description.term(term).parse().ok()).collect()
        }
    }
}
