//! Cross-check of two back ends: both play the same random playouts, and every position is compared.

use std::time::Instant;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::machine::{Cursor, FluentId, Machine, MachineError, MoveId};

use super::budget::{Budget, SimulateError};
use super::choice::Choices;
use super::comparison::{Aspect, Comparison, Difference, differences_of};
use super::text::canonical;

/// Playouts that a thread plays before it reports its result.
const BLOCK: u64 = 16;

/// Plays random playouts on both machines in lockstep and compares every state, legal moves, terminal and goals. Differences
/// are what `second` has more or less than `first`. The work limit of the budget does not apply.
pub fn cross_check(
    first: &dyn Machine,
    second: &dyn Machine,
    budget: &Budget,
) -> Result<Comparison, SimulateError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(budget.threads).build()?;
    let until = budget.deadline();
    let blocks: Vec<Comparison> = pool.install(|| {
        let blocks = (0..budget.playouts.div_ceil(BLOCK)).into_par_iter();
        blocks
            .map(|block| {
                let mut comparison = Comparison::default();
                let mut pair = CursorPair::new(first, second);
                for number in block * BLOCK..(block * BLOCK + BLOCK).min(budget.playouts) {
                    if until.is_some_and(|until| Instant::now() >= until) {
                        break;
                    }
                    pair.play(budget, budget.first.saturating_add(number), until, &mut comparison);
                }
                comparison
            })
            .collect()
    });
    let mut all = Comparison::default();
    blocks.into_iter().for_each(|comparison| all.merge(comparison));
    Ok(all)
}

/// Cursors of both machines at the same position. `same_fluents` and `same_moves` map ids of the first machine to ids of the
/// second that were found to have the same text.
struct CursorPair<'m> {
    machines: [&'m dyn Machine; 2],
    cursors: [Box<dyn Cursor + 'm>; 2],
    roles: Vec<String>,
    fluents: [Vec<FluentId>; 2],
    same_fluents: FxHashMap<FluentId, FluentId>,
    same_moves: FxHashMap<MoveId, MoveId>,
}

/// A difference without its playout and step: aspect, role, missing and extra items.
type UnplacedDifference = (Aspect, Option<usize>, Vec<String>, Vec<String>);

impl<'m> CursorPair<'m> {
    fn new(first: &'m dyn Machine, second: &'m dyn Machine) -> Self {
        let description = first.description();
        CursorPair {
            machines: [first, second],
            cursors: [first.cursor(), second.cursor()],
            roles: description.roles.iter().map(|&role| description.term(role)).collect(),
            fluents: [Vec::new(), Vec::new()],
            same_fluents: FxHashMap::default(),
            same_moves: FxHashMap::default(),
        }
    }

    fn play(&mut self, budget: &Budget, playout: u64, until: Option<Instant>, comparison: &mut Comparison) {
        comparison.playouts += 1;
        let mut step = 0;
        let mut disagreements = Vec::new();
        let mut choices = Choices::new(budget.seed, playout);
        let set = |machine: &dyn Machine, cursor: &mut Box<dyn Cursor + 'm>| cursor.set(machine.initial());
        let mut reached = {
            let [one, two] = &mut self.cursors;
            [set(self.machines[0], one), set(self.machines[1], two)]
        };
        loop {
            self.compare_positions(&reached, &mut disagreements);
            comparison.positions += u64::from(reached.iter().all(Result::is_ok));
            let differs = !disagreements.is_empty();
            for (aspect, role, missing, extra) in disagreements.drain(..) {
                let source = format!("{} / {}", self.machines[0].backend(), self.machines[1].backend());
                let role = role.map(|role| self.roles[role].clone());
                comparison.add(Difference { source, playout, step, aspect, role, missing, extra });
            }
            if differs || reached.iter().any(Result::is_err) {
                return;
            }
            let Some(joints) = self.draw(&mut choices).filter(|_| step < budget.max_steps) else { return };
            if until.is_some_and(|until| Instant::now() >= until) {
                comparison.unfinished += 1;
                return;
            }
            let [one, two] = &mut self.cursors;
            reached = [one.advance(&joints[0]), two.advance(&joints[1])];
            step += 1;
            comparison.steps += 1;
        }
    }

    /// A random joint move in the ids of both machines; none if the playout ends.
    fn draw(&self, choices: &mut Choices) -> Option<[Vec<MoveId>; 2]> {
        if self.cursors[0].terminal() {
            return None;
        }
        let mut joints = [Vec::with_capacity(self.roles.len()), Vec::with_capacity(self.roles.len())];
        for role in 0..self.roles.len() {
            let legal = self.cursors[0].legal(role);
            // The lists agree, so the same index is the same move in both.
            let chosen = choices.below(legal.len());
            joints[0].push(*legal.get(chosen)?);
            joints[1].push(*self.cursors[1].legal(role).get(chosen)?);
        }
        Some(joints)
    }

    /// Compares the current positions of both cursors.
    fn compare_positions(
        &mut self,
        reached: &[Result<(), MachineError>; 2],
        out: &mut Vec<UnplacedDifference>,
    ) {
        if let [Err(one), Err(two)] = reached
            && one == two
        {
            return;
        }
        if reached.iter().any(Result::is_err) {
            let [one, two] = reached;
            let text = |result: &Result<(), MachineError>| {
                result.as_ref().err().map(ToString::to_string).into_iter().collect()
            };
            out.push((Aspect::Failure, None, text(one), text(two)));
            return;
        }
        let [first, second] = self.machines;
        for ((fluents, machine), cursor) in self.fluents.iter_mut().zip(self.machines).zip(&self.cursors) {
            fluents.clear();
            machine.fluents(cursor.state(), fluents);
        }
        let texts =
            (|fluent| canonical(&first.fluent_text(fluent)), |fluent| canonical(&second.fluent_text(fluent)));
        let differs = compare(&mut self.same_fluents, &self.fluents[0], &self.fluents[1], texts);
        out.extend(
            differs.map(|(aspect, missing, extra)| (aspect.unwrap_or(Aspect::State), None, missing, extra)),
        );
        let [one, two] = &self.cursors;
        if one.terminal() != two.terminal() {
            let word = |terminal| vec![if terminal { "terminal" } else { "not terminal" }.to_owned()];
            out.push((Aspect::Terminal, None, word(one.terminal()), word(two.terminal())));
        }
        for role in 0..self.roles.len() {
            // GDL gives legal moves of a terminal state no meaning.
            if !one.terminal() {
                let texts = (
                    |action| canonical(&first.move_text(action)),
                    |action| canonical(&second.move_text(action)),
                );
                let differs = compare(&mut self.same_moves, one.legal(role), two.legal(role), texts);
                out.extend(differs.map(|(aspect, missing, extra)| {
                    (aspect.unwrap_or(Aspect::Legal), Some(role), missing, extra)
                }));
            }
            if one.goals(role) != two.goals(role) {
                let text = |values: &[i32]| values.iter().map(i32::to_string).collect();
                out.push((Aspect::Goals, Some(role), text(one.goals(role)), text(two.goals(role))));
            }
        }
    }
}

/// Compares two lists item by item. `same` caches pairs of equal ids, so that each text is made once. Returns the items that
/// only one list has, or [`Aspect::Order`] if only the order differs.
#[allow(clippy::type_complexity, reason = "used in one place")]
fn compare<T: Copy + Eq + std::hash::Hash>(
    same: &mut FxHashMap<T, T>,
    first: &[T],
    second: &[T],
    (first_text, second_text): (impl Fn(T) -> String, impl Fn(T) -> String),
) -> Option<(Option<Aspect>, Vec<String>, Vec<String>)> {
    let mut agree = first.len() == second.len();
    for (&a, &b) in first.iter().zip(second) {
        if !agree {
            break;
        }
        agree = same.get(&a) == Some(&b) || {
            let equal = first_text(a) == second_text(b);
            if equal {
                same.insert(a, b);
            }
            equal
        };
    }
    if agree {
        return None;
    }
    let texts = |items: &[T], text: &dyn Fn(T) -> String| {
        let mut texts: Vec<String> = items.iter().map(|&item| text(item)).collect();
        texts.sort_unstable();
        texts
    };
    let in_order = |items: &[T], text: &dyn Fn(T) -> String| items.iter().map(|&item| text(item)).collect();
    match differences_of(&texts(first, &first_text), &texts(second, &second_text)) {
        Some((missing, extra)) => Some((None, missing, extra)),
        None => Some((Some(Aspect::Order), in_order(first, &first_text), in_order(second, &second_text))),
    }
}
