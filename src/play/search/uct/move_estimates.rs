//! Estimates of moves by evaluation functions. If playouts run in lanes and these can compute the functions, the moves
//! of all new states of a pass are evaluated together. Otherwise they are evaluated one by one.

use crate::evaluation::{Calibration, Function, FunctionError};
use crate::machine::lanes::value::{LaneValue, StateValuer};
use crate::machine::lanes::word::LANES;
use crate::machine::{Children, Cursor, Machine, MachineError, MoveId, State};
use crate::search::leaf::{Leaf, MOST_GATES};
use crate::search::limits::{Halt, Meter};

use super::estimate_budget::EstimateBudget;
use super::nodes::TreeNode;
use super::pass::{PendingState, open_successors};
use super::tree::share;

/// The functions of all roles that lanes can compute.
pub(super) struct LaneEstimates<'m> {
    /// For each role the evaluator of states; none if lanes can't compute one of its functions.
    of_role: Vec<Option<StateValuer<'m>>>,
}

impl<'m> LaneEstimates<'m> {
    /// The share of goal values by functions: for each role the mean of its functions, each with its calibration.
    ///
    /// # Errors
    /// A function does not fit the game.
    pub(super) fn new(
        machine: &'m dyn Machine,
        functions: &[Vec<(Function, Calibration)>],
    ) -> Result<LaneEstimates<'m>, FunctionError> {
        let share = |meaning: Calibration, value: f64| match value.is_finite() {
            true => meaning.share(value),
            false => 0.5,
        };
        let mut of_role = Vec::with_capacity(functions.len());
        for functions in functions {
            let value = mean_in_lanes(machine, functions, share)?;
            let small = value.filter(|value| value.size() <= MOST_GATES);
            // On an interrupt, states are evaluated one by one until the caller ends too.
            of_role.push(
                machine
                    .lanes()
                    .zip(small)
                    .and_then(|(program, value)| StateValuer::new(program, value).ok()?),
            );
        }
        Ok(LaneEstimates { of_role })
    }

    /// The number of states evaluated for a role at once; none if lanes can't compute its functions.
    fn room(&self, role: usize) -> Option<usize> {
        self.of_role[role].as_ref().map(StateValuer::room)
    }

    /// The estimates by a role's functions of states that are not terminal, from 0 to 1; at most
    /// [`LaneEstimates::room`] states.
    fn values(&mut self, role: usize, states: &[&[u64]]) -> &[f64] {
        self.of_role[role].as_mut().map_or(&[], |valuer| valuer.values(states))
    }
}

/// The mean of several functions, each calibrated by `meant`, as lanes compute it. None without functions, or if lanes
/// can't compute one.
///
/// # Errors
/// A function does not fit the game.
fn mean_in_lanes(
    machine: &dyn Machine,
    functions: &[(Function, Calibration)],
    meant: impl Fn(Calibration, f64) -> f64 + Copy + Send + Sync + 'static,
) -> Result<Option<LaneValue>, FunctionError> {
    let mut mean: Option<LaneValue> = None;
    let part = 1.0 / functions.len() as f64;
    for &(ref function, meaning) in functions {
        let Some(quantized) = function.bind(machine)?.quantize() else { return Ok(None) };
        let value =
            quantized.lanes.map(meaning.steepness() * part, move |value| part * meant(meaning, value));
        mean = Some(match mean {
            Some(mean) => mean.fold(value, [1.0; 2], |mean, value| mean + value),
            None => value,
        });
    }
    Ok(mean)
}

/// Estimates of states, and of the moves that lead to them, for all roles: the mean of a role's calibrated functions,
/// from 0 to 1.
pub(super) struct MoveEstimates<'m> {
    /// The functions of each role.
    of_role: Vec<Vec<Leaf<'m>>>,
    /// The functions in lanes, if playouts run in lanes.
    lanes: Option<LaneEstimates<'m>>,
    rewards: Vec<[i32; 2]>,
    budget: EstimateBudget,
}

impl<'m> MoveEstimates<'m> {
    /// Estimates by functions of each role, in role order, each with its calibration.
    ///
    /// # Errors
    /// A function does not fit the game.
    pub(super) fn new(
        machine: &'m dyn Machine,
        functions: &[Vec<(Function, Calibration)>],
        rewards: &[[i32; 2]],
        in_lanes: bool,
    ) -> Result<MoveEstimates<'m>, FunctionError> {
        let of_role = |functions: &Vec<(Function, Calibration)>| {
            let leaves =
                functions.iter().map(|(function, meaning)| Leaf::calibrated(machine, function, *meaning));
            leaves.collect::<Result<Vec<Leaf<'m>>, FunctionError>>()
        };
        Ok(MoveEstimates {
            of_role: functions.iter().map(of_role).collect::<Result<_, _>>()?,
            lanes: if in_lanes { Some(LaneEstimates::new(machine, functions)?) } else { None },
            rewards: rewards.to_vec(),
            budget: EstimateBudget::default(),
        })
    }

    /// Whether a role has functions.
    pub(super) fn has(&self, role: usize) -> bool {
        self.of_role.get(role).is_some_and(|leaves| !leaves.is_empty())
    }

    /// The estimate of a state for a role.
    ///
    /// # Errors
    /// The state can't be evaluated.
    pub(super) fn of_state(&mut self, role: usize, words: &[u64]) -> Result<f64, MachineError> {
        mean_estimate(&mut self.of_role[role], words)
    }

    /// The estimates of the moves of a role that alone chooses in a state; `of_end` computes the estimate of a terminal
    /// state from its share. None if that takes too long.
    ///
    /// # Errors
    /// A limit was reached, or a state can't be evaluated.
    pub(super) fn of_moves(
        &mut self,
        node: &TreeNode,
        role: usize,
        cursor: &mut dyn Cursor,
        meter: &mut Meter<'_>,
        of_end: impl Fn(f64) -> f64,
    ) -> Result<Option<Vec<f64>>, Halt> {
        let MoveEstimates { of_role, lanes, rewards, budget } = self;
        // A single state in lanes costs as much as many, so sums are computed one by one.
        let costly = lanes.as_mut().and_then(|lanes| Some((lanes.room(role)?, lanes)));
        let mut costly = costly.filter(|&(room, _)| room < LANES);
        let at_once = costly.as_ref().map_or(1, |&(room, _)| room);
        let (mut open, mut joint): (Vec<State>, Vec<MoveId>) = Default::default();
        budget.of_all(node.choices[role].len(), at_once, meter, |places, values| {
            open.clear();
            let first = values.len();
            for index in places {
                joint.clear();
                let made = |other: usize| node.choices[other][if other == role { index } else { 0 }].action;
                joint.extend((0..node.choices.len()).map(made));
                cursor.set(&node.state)?;
                cursor.advance(&joint)?;
                values.push(match cursor.terminal() {
                    true => of_end(share(rewards[role], cursor.goals(role))),
                    false if costly.is_none() => mean_estimate(&mut of_role[role], &cursor.state().0)?,
                    false => {
                        open.push(cursor.state().clone());
                        // Computed below.
                        f64::NAN
                    }
                });
            }
            if let Some((_, lanes)) = costly.as_mut().filter(|_| !open.is_empty()) {
                let states: Vec<&[u64]> = open.iter().map(|state| &*state.0).collect();
                let waiting = values[first..].iter_mut().filter(|value| value.is_nan());
                waiting.zip(lanes.values(role, &states)).for_each(|(value, &mean)| *value = mean);
            }
            Ok(())
        })
    }

    /// The estimates of the considered successors of each new state, in their order; none for states that take too
    /// long, and for roles without functions. `children` are the successors of each.
    ///
    /// # Errors
    /// A limit was reached: the estimates so far are valid. Or a state can't be evaluated.
    pub(super) fn of_successors(
        &mut self,
        pending: &[PendingState],
        children: &[Children],
        meter: &mut Meter<'_>,
        estimated: &mut [Option<Vec<f64>>],
    ) -> Result<(), Halt> {
        for role in 0..self.of_role.len() {
            if self.of_role[role].is_empty() {
                continue;
            }
            let of_role = |number: &usize| {
                pending[*number].chooser.as_ref().is_some_and(|&(chooser, _)| chooser == role)
            };
            let states: Vec<usize> = (0..pending.len()).filter(of_role).collect();
            match self.lanes.as_ref().and_then(|lanes| lanes.room(role)) {
                Some(room) => {
                    let of_role = states.iter().map(|&number| {
                        let considered = pending[number].chooser.as_ref().map_or(&[][..], |(_, all)| all);
                        (&children[number], considered)
                    });
                    let of_role: Vec<(&Children, &[usize])> = of_role.collect();
                    let values = self.in_lanes(role, room, &of_role, meter)?;
                    states.iter().zip(values).for_each(|(&number, values)| estimated[number] = Some(values));
                }
                None => {
                    for number in states {
                        let Some((_, considered)) = &pending[number].chooser else { continue };
                        estimated[number] = self.one_by_one(role, &children[number], considered, meter)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The estimates of the considered children of the first states, as far as there is time; they are evaluated
    /// together.
    fn in_lanes(
        &mut self,
        role: usize,
        room: usize,
        states: &[(&Children, &[usize])],
        meter: &mut Meter<'_>,
    ) -> Result<Vec<Vec<f64>>, Halt> {
        let MoveEstimates { rewards, budget, lanes: Some(lanes), .. } = self else { return Ok(Vec::new()) };
        let mut open: Vec<&[u64]> = Vec::new();
        let mut affordable = 0;
        for &(children, considered) in states {
            let before = open.len();
            open.extend(open_successors(children, considered));
            if !budget.affords(open.len(), affordable == 0, meter) {
                open.truncate(before);
                break;
            }
            affordable += 1;
        }
        let values = budget.of_all(open.len(), room, meter, |range, values| {
            values.extend_from_slice(lanes.values(role, &open[range]));
            Ok(())
        })?;
        let Some(values) = values else { return Ok(Vec::new()) };
        let mut values = values.into_iter();
        let of_state = |&(children, considered): &(&Children, &[usize])| {
            let of_child = |&child: &usize| match children.terminal(child) {
                true => share(rewards[role], children.goals(child, role)),
                false => values.next().unwrap_or(0.5),
            };
            considered.iter().map(of_child).collect()
        };
        Ok(states[..affordable].iter().map(of_state).collect())
    }

    /// The estimates of the considered children of one state, evaluated one by one.
    fn one_by_one(
        &mut self,
        role: usize,
        children: &Children,
        considered: &[usize],
        meter: &mut Meter<'_>,
    ) -> Result<Option<Vec<f64>>, Halt> {
        let MoveEstimates { of_role, rewards, budget, .. } = self;
        budget.of_all(considered.len(), 1, meter, |range, values| {
            for &child in &considered[range] {
                values.push(match children.terminal(child) {
                    true => share(rewards[role], children.goals(child, role)),
                    false => mean_estimate(&mut of_role[role], children.state(child))?,
                });
            }
            Ok(())
        })
    }
}

/// The mean estimate of a state by several functions, from 0 to 1.
fn mean_estimate(guides: &mut [Leaf<'_>], words: &[u64]) -> Result<f64, MachineError> {
    let count = guides.len().max(1) as f64;
    let values = guides.iter_mut().map(|guide| guide.estimate(words));
    Ok(values.sum::<Result<f64, _>>()? / count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::{BuildContext, Kind, Parameters, functions};
    use crate::feature::{FluentIndex, Ownership, Sources, features};
    use crate::gdl::{Source, read};
    use crate::ground;
    use crate::machine::{Backend, load};
    use crate::simulate::{Budget, Context, SequenceShape, sequences};

    #[test]
    fn lane_estimates_equal_those_of_single_states() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/connect_four.kif");
        let loaded = || {
            let rules = read(&Source::load(path).unwrap()).description.unwrap();
            load(rules, Backend::Auto, &ground::Limits::default()).unwrap()
        };
        let game = loaded();
        let machine = &*game.machine;
        let (budget, context) = (Budget::default(), Context::default());
        let structures = crate::structure::detect(machine, &game.statics, &budget, &context).unwrap().0;
        let (fluent_index, ownership) = (FluentIndex::new(machine), Ownership::default());
        let features = features(&Sources {
            fluent_index: &fluent_index,
            structures: &structures,
            ownership: &ownership,
        })
        .list;
        let material = BuildContext::new(machine, &structures, &features, &budget);
        let made = functions(&material, &Parameters::default());
        let (_, sequences) = sequences(machine, SequenceShape::default(), &budget, &context).unwrap();
        let guides = |kinds: [Kind; 2]| -> Vec<Vec<(Function, Calibration)>> {
            let of_role = |role: usize| {
                let name = machine.term_text(machine.description().roles[role]);
                let of_kind = |kind: Kind| {
                    let wanted = |of: &&Function| of.role() == name && of.kind() == kind;
                    let function = made.list.iter().find(wanted).unwrap().clone();
                    let meaning = Calibration::fit(machine, &function, role, &sequences).unwrap();
                    (function, meaning)
                };
                kinds.map(of_kind).into()
            };
            (0..2).map(of_role).collect()
        };
        let states: Vec<&[u64]> =
            sequences.iter().flat_map(|sequence| sequence.states.iter().map(|state| &*state.0)).collect();
        let by_moves = guides([Kind::Mobility, Kind::Fuzzy]);
        // Compiling for a function that counts legal moves needs lanes that were compiled before.
        assert_eq!(LaneEstimates::new(&*loaded().machine, &by_moves).unwrap().room(0), None);
        assert!(machine.lanes_for_moves().is_some());
        for guides in [guides([Kind::Fuzzy, Kind::Statistical]), by_moves] {
            let mut lanes = LaneEstimates::new(machine, &guides).unwrap();
            let mut estimates = MoveEstimates::new(machine, &guides, &[[0, 100]; 2], false).unwrap();
            let mut seen = Vec::new();
            for role in 0..2 {
                let room = lanes.room(role).unwrap();
                for states in states[..200].chunks(room) {
                    for (state, said) in states.iter().zip(lanes.values(role, states).to_vec()) {
                        let alone = estimates.of_state(role, state).unwrap();
                        assert!((said - alone).abs() < 4e-3, "{said} where it is {alone}");
                        seen.push(said);
                    }
                }
            }
            let [least, most] = [f64::min, f64::max].map(|of| seen.iter().copied().reduce(of).unwrap());
            assert!(seen.len() == 400 && most - least > 0.1, "{least} to {most} tell nothing");
        }
    }
}
