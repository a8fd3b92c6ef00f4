//! What functions say of the moves of new states: where playouts are played in lanes, of those of all states of a pass at once, if
//! lanes tell it; else of one after the other.

use crate::evaluation::{Calibration, Function, FunctionError};
use crate::machine::lanes::value::{LaneValue, StateValuer};
use crate::machine::lanes::word::LANES;
use crate::machine::{Machine, MachineError, State};
use crate::search::leaf::MOST_GATES;
use crate::search::limits::{Halt, Meter};

use super::pass::{Waiting, open_successors};
use super::tree::NodeId;
use super::{Guide, Leaf, Uct, share};

/// The functions of all roles that lanes tell.
pub(super) struct LaneGuiding<'m> {
    /// For each role what values states; none where lanes can't tell one of its functions so.
    of_role: Vec<Option<StateValuer<'m>>>,
}

impl<'m> LaneGuiding<'m> {
    /// The shares of goal values that functions promise, for each role the mean of its functions, each with what its values mean.
    ///
    /// # Errors
    /// A function does not fit the game.
    pub(super) fn new(
        machine: &'m dyn Machine,
        functions: &[Vec<(Function, Calibration)>],
    ) -> Result<LaneGuiding<'m>, FunctionError> {
        let share = |meaning: Calibration, value: f64| match value.is_finite() {
            true => meaning.share(value),
            false => 0.5,
        };
        let mut of_role = Vec::with_capacity(functions.len());
        for functions in functions {
            let value = mean_in_lanes(machine, functions, share)?;
            let small = value.filter(|value| value.size() <= MOST_GATES);
            // Where it is interrupted, states are valued one by one until the caller ends as well.
            of_role.push(
                machine
                    .lanes()
                    .zip(small)
                    .and_then(|(program, value)| StateValuer::new(program, value).ok()?),
            );
        }
        Ok(LaneGuiding { of_role })
    }

    /// How many states are valued for a role at once; none where lanes don't tell its functions.
    fn room(&self, role: usize) -> Option<usize> {
        self.of_role[role].as_ref().map(StateValuer::room)
    }

    /// What a role's functions say of states that are no ends, as many as it has room for at most, 0 to 1.
    fn values(&mut self, role: usize, states: &[&[u64]]) -> &[f64] {
        self.of_role[role].as_mut().map_or(&[], |valuer| valuer.values(states))
    }
}

/// The mean of what several functions say, each as `meant` has it, as lanes compute it; none where there are no functions, or
/// lanes can't tell one.
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

impl Uct<'_> {
    /// What functions say of the moves of a role that alone chooses in a state, 0 to 1, and what an end stands for; none where that
    /// takes too long.
    pub(super) fn say_of_moves(
        &mut self,
        node: NodeId,
        role: usize,
        meter: &mut Meter<'_>,
        of_end: impl Fn(f64) -> f64,
    ) -> Result<Option<Vec<f64>>, Halt> {
        let Uct { store, cursor, rewards, guides, joint, saying, lane_guiding, .. } = self;
        let node = &store.nodes[node as usize];
        // Sums cost no more alone.
        let dear = lane_guiding.as_mut().and_then(|lanes| Some((lanes.room(role)?, lanes)));
        let mut dear = dear.filter(|&(room, _)| room < LANES);
        let at_once = dear.as_ref().map_or(1, |&(room, _)| room);
        let mut open: Vec<State> = Vec::new();
        saying.of_all(node.choices[role].len(), at_once, meter, |places, values| {
            open.clear();
            let first = values.len();
            for place in places {
                joint.clear();
                let made = |other: usize| node.choices[other][if other == role { place } else { 0 }].action;
                joint.extend((0..node.choices.len()).map(made));
                cursor.set(&node.state)?;
                cursor.advance(joint)?;
                values.push(match cursor.terminal() {
                    true => of_end(share(rewards[role], cursor.goals(role))),
                    false if dear.is_none() => mean_estimate(&mut guides[role], &cursor.state().0)?,
                    false => {
                        open.push(cursor.state().clone());
                        // Said below.
                        f64::NAN
                    }
                });
            }
            if let Some((_, lanes)) = dear.as_mut().filter(|_| !open.is_empty()) {
                let states: Vec<&[u64]> = open.iter().map(|state| &*state.0).collect();
                let waiting = values[first..].iter_mut().filter(|value| value.is_nan());
                waiting.zip(lanes.values(role, &states)).for_each(|(value, &said)| *value = said);
            }
            Ok(())
        })
    }

    /// What a function says of a new state before anything is played from it.
    pub(super) fn welcome(&mut self, id: NodeId, meter: &mut Meter<'_>) -> Result<(), Halt> {
        let Guide { order, prior, .. } = self.options.guide;
        if self.guides.is_empty() || !(order || prior > 0) {
            return Ok(());
        }
        if let Some(role) = self.store.nodes[id as usize].chooser() {
            let said = self.say_of_moves(id, role, meter, |share| share)?;
            let node = &mut self.store.nodes[id as usize];
            for (choice, value) in node.choices[role].iter_mut().zip(said.into_iter().flatten()) {
                choice.untried = order.then_some(value as f32);
                choice.visits += prior;
                choice.sum += value * f64::from(prior);
                node.visits += prior;
            }
        }
        self.cursor.set(&self.store.nodes[id as usize].state)?;
        Ok(())
    }

    /// What functions say of the successors that are looked at of each new state, 0 to 1, in the order of these; nothing of
    /// states where they aren't asked, or that take too long.
    ///
    /// # Errors
    /// A limit was reached: what was said until then stands. Or a state can't be evaluated.
    pub(super) fn say(
        &mut self,
        waiting: &[Waiting],
        meter: &mut Meter<'_>,
        said: &mut Vec<Option<Vec<f64>>>,
    ) -> Result<(), Halt> {
        said.clear();
        said.resize(waiting.len(), None);
        if self.options.guide.prior == 0 {
            return Ok(());
        }
        for role in 0..self.guides.len() {
            if self.guides[role].is_empty() {
                continue;
            }
            let of_role = |number: &usize| {
                waiting[*number].chooser.as_ref().is_some_and(|&(chooser, _)| chooser == role)
            };
            let states: Vec<usize> = (0..waiting.len()).filter(of_role).collect();
            match self.lane_guiding.as_ref().and_then(|lanes| lanes.room(role)) {
                Some(room) => self.say_in_lanes(role, room, &states, waiting, meter, said)?,
                None => {
                    for number in states {
                        self.say_one_by_one(role, number, waiting, meter, said)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The same of some new states where one role chooses, whose successors are valued together.
    fn say_in_lanes(
        &mut self,
        role: usize,
        room: usize,
        states: &[usize],
        waiting: &[Waiting],
        meter: &mut Meter<'_>,
        said: &mut [Option<Vec<f64>>],
    ) -> Result<(), Halt> {
        let Uct { children, rewards, saying, lane_guiding: Some(lanes), .. } = self else { return Ok(()) };
        // As many states as there is time for; nothing is known of it at first.
        let (mut open, mut asked): (Vec<&[u64]>, Vec<usize>) = Default::default();
        for &number in states {
            let Some((_, considered)) = &waiting[number].chooser else { continue };
            let before = open.len();
            open.extend(open_successors(&children[number], considered));
            if !saying.affords(open.len(), asked.is_empty(), meter) {
                open.truncate(before);
                break;
            }
            asked.push(number);
        }
        let values = saying.of_all(open.len(), room, meter, |range, values| {
            values.extend_from_slice(lanes.values(role, &open[range]));
            Ok(())
        })?;
        let Some(values) = values else { return Ok(()) };
        let mut values = values.into_iter();
        for number in asked {
            let Some((_, considered)) = &waiting[number].chooser else { continue };
            let children = &children[number];
            let of_child = |&child: &usize| match children.terminal(child) {
                true => share(rewards[role], children.goals(child, role)),
                false => values.next().unwrap_or(0.5),
            };
            said[number] = Some(considered.iter().map(of_child).collect());
        }
        Ok(())
    }

    /// The same of one new state, whose successors are valued one after the other.
    fn say_one_by_one(
        &mut self,
        role: usize,
        number: usize,
        waiting: &[Waiting],
        meter: &mut Meter<'_>,
        said: &mut [Option<Vec<f64>>],
    ) -> Result<(), Halt> {
        let Uct { children, rewards, guides, saying, .. } = self;
        let Some((_, considered)) = &waiting[number].chooser else { return Ok(()) };
        let (children, guides) = (&children[number], &mut guides[role]);
        said[number] = saying.of_all(considered.len(), 1, meter, |range, values| {
            for &child in &considered[range] {
                values.push(match children.terminal(child) {
                    true => share(rewards[role], children.goals(child, role)),
                    false => mean_estimate(guides, children.state(child))?,
                });
            }
            Ok(())
        })?;
        Ok(())
    }
}

/// What functions say of a state on average, 0 to 1.
pub(super) fn mean_estimate(guides: &mut [Leaf<'_>], words: &[u64]) -> Result<f64, MachineError> {
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
    use crate::search::{SearchContext, UctOptions};
    use crate::simulate::{Budget, Context, SequenceShape, sequences};

    #[test]
    fn lanes_say_of_many_states_what_functions_say_of_each() {
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
        // To look at legal moves nothing is compiled there; here others had to.
        assert_eq!(LaneGuiding::new(&*loaded().machine, &by_moves).unwrap().room(0), None);
        assert!(machine.lanes_for_moves().is_some());
        for guides in [guides([Kind::Fuzzy, Kind::Statistical]), by_moves] {
            let mut lanes = LaneGuiding::new(machine, &guides).unwrap();
            let options = UctOptions { lanes: 512, ..UctOptions::default() };
            let mut uct = Uct::guided(SearchContext::alone(machine, 0), &guides, options).unwrap();
            let mut seen = Vec::new();
            for role in 0..2 {
                let room = lanes.room(role).unwrap();
                for states in states[..200].chunks(room) {
                    for (state, said) in states.iter().zip(lanes.values(role, states).to_vec()) {
                        let alone = mean_estimate(&mut uct.guides[role], state).unwrap();
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
