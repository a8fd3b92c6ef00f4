//! A pass of lanes: playouts from several new states of the tree, or from their successors, all at once.
//!
//! # How
//! One state after the other is found as any simulation finds one. Until its playouts are over all moves on the way to it count
//! as if they had come to nothing (virtual loss), so that the next one is sought elsewhere. Then all share the lanes.

use std::time::Instant;

use crate::machine::{ChildFields, Children, JointMoves, State};
use crate::search::limits::{Halt, Meter, Stop};

use super::tree::NodeId;
use super::{Found, Step, Uct, share};

/// Simulations for each new state that is wanted, at most, of which the others come to an end.
const TRIES: u32 = 4;

/// How much longer finding the states of a pass may take than their playouts, by the clock: where these are quick there are
/// fewer states a pass than asked for.
const FINDING: f64 = 2.0;

/// Seconds that finding them may take in any case, so that a move comes in time.
const LONGEST: f64 = 0.005;

/// What passes took lately.
#[derive(Default)]
pub(super) struct Pace {
    /// Seconds for finding a state and valuing its successors, and for the playouts of a pass.
    found: f64,
    played: f64,
}

impl Pace {
    /// A pass with so many states took so long: they were found, played from, and told of to the tree.
    fn note(&mut self, [begun, found, played, over]: [Instant; 4], states: usize) {
        // Functions may value each of them when it is told of.
        let of_state = (found - begun + (over - played)).as_secs_f64() / states.max(1) as f64;
        for (mean, took) in [(&mut self.found, of_state), (&mut self.played, (played - found).as_secs_f64())]
        {
            *mean = if *mean == 0.0 { took } else { 0.95 * *mean + 0.05 * took };
        }
    }

    /// As many states as a pass should have, of so many at most.
    fn states(&self, most: u32) -> u32 {
        // One at first, as nothing is known of the game.
        let time = (FINDING * self.played).min(LONGEST);
        if self.found > 0.0 { ((time / self.found) as u32).clamp(1, most.max(1)) } else { 1 }
    }
}

/// A new state that waits for its playouts.
pub(super) struct Waiting {
    place: Place,
    path: Vec<Step>,
    /// Who alone chooses there, and the numbers of the successors that are looked at; none where the state is played from itself.
    pub(super) chooser: Option<(usize, Vec<usize>)>,
}

/// The states of the successors that are looked at and are no ends.
pub(super) fn open_successors<'c>(
    children: &'c Children,
    considered: &'c [usize],
) -> impl Iterator<Item = &'c [u64]> {
    let open = considered.iter().filter(|&&child| !children.terminal(child));
    open.map(|&child| children.state(child))
}

/// Where it is.
enum Place {
    /// In the tree.
    Kept(NodeId),
    /// Nowhere else, as there is no room for it in the tree.
    Beyond(State),
}

impl Place {
    fn is(&self, node: NodeId) -> bool {
        matches!(self, Place::Kept(kept) if *kept == node)
    }
}

impl Uct<'_> {
    /// Simulations from the root, as many as there are new states in a pass: where the clock alone ends the search, as many as its
    /// pace allows.
    pub(super) fn pass(&mut self, root: NodeId, meter: &mut Meter<'_>, by_clock: bool) -> Result<(), Halt> {
        let most = self.options.leaves.max(1);
        let leaves = if by_clock { self.pace.states(most) } else { most };
        let (begun, mut waiting) = (Instant::now(), Vec::new());
        let found = self.gather(root, leaves, meter, &mut waiting);
        waiting.iter().for_each(|waiting| self.count_as_lost(&waiting.path, false));
        found?;
        let (found, states) = (Instant::now(), waiting.len());
        let played = self.play_on(waiting, meter)?;
        if states > 0 {
            self.pace.note([begun, found, played, Instant::now()], states);
        }
        Ok(())
    }

    /// Finds new states, and expands them.
    fn gather(
        &mut self,
        root: NodeId,
        leaves: u32,
        meter: &mut Meter<'_>,
        waiting: &mut Vec<Waiting>,
    ) -> Result<(), Halt> {
        for _ in 0..leaves.saturating_mul(TRIES) {
            let over = self.store.nodes[root as usize].proved.is_some();
            if over || waiting.len() >= leaves as usize {
                break;
            }
            meter.glance()?;
            let mut chance = self.chance();
            match self.descend(root, &mut chance, meter)? {
                Found::End(leaf, values) => {
                    self.back_up(leaf, &values);
                    // A single one is not held up by what is known.
                    if leaves == 1 {
                        break;
                    }
                }
                Found::Beyond => {
                    let place = Place::Beyond(self.cursor.state().clone());
                    waiting.push(self.wait(place, None));
                }
                // All ways lead to the same states.
                Found::New(node) if waiting.iter().any(|waiting| waiting.place.is(node)) => break,
                Found::New(node) => {
                    let chooser = self.expand(node, [waiting.len(), leaves as usize], meter)?;
                    waiting.push(self.wait(Place::Kept(node), chooser));
                }
            }
        }
        Ok(())
    }

    /// Has the state that was found wait.
    fn wait(&mut self, place: Place, chooser: Option<(usize, Vec<usize>)>) -> Waiting {
        let path = std::mem::take(&mut self.path);
        self.count_as_lost(&path, true);
        Waiting { place, path, chooser }
    }

    /// Counts the moves of a way as if they had come to nothing, or takes that back.
    fn count_as_lost(&mut self, path: &[Step], lost: bool) {
        let count = |visits: &mut u32| *visits = if lost { *visits + 1 } else { *visits - 1 };
        for Step { node, places } in path {
            let node = &mut self.store.nodes[*node as usize];
            count(&mut node.visits);
            node.choices
                .iter_mut()
                .zip(places)
                .for_each(|(choices, &place)| count(&mut choices[place].visits));
        }
    }

    /// Finds the successors of a new state, the so-and-so-manieth of so many in a pass, where one role alone chooses and there are
    /// playouts for each of them.
    fn expand(
        &mut self,
        id: NodeId,
        [number, leaves]: [usize; 2],
        meter: &mut Meter<'_>,
    ) -> Result<Option<(usize, Vec<usize>)>, Halt> {
        self.expect(id, meter)?;
        let most = self.options.lanes as usize / leaves.max(1);
        let Uct { store, expander, children, .. } = self;
        let node = &store.nodes[id as usize];
        let Some(chooser) = node.chooser().filter(|&role| node.choices[role].len() <= most) else {
            return Ok(None);
        };
        if children.len() <= number {
            children.resize_with(number + 1, Children::default);
        }
        let children = &mut children[number];
        let wanted = ChildFields::SUCCESSORS;
        expander.expand_until(meter.until(), &node.state, JointMoves::All, wanted, children)?;
        let expected = node.expected.map(|place| node.choices[chooser][place as usize].action);
        let made = |&child: &usize| expected.is_none_or(|action| children.joint(child)[chooser] == action);
        Ok(Some((chooser, (0..children.len()).filter(made).collect())))
    }

    /// Plays from the states that wait in lanes, and gives what came of it to all moves on the ways to them. Successors
    /// count as tried once then. Gives when playouts were over.
    fn play_on(&mut self, waiting: Vec<Waiting>, meter: &mut Meter<'_>) -> Result<Instant, Halt> {
        let Some(lanes) = &mut self.lanes else { return Ok(Instant::now()) };
        let of_state = (self.options.lanes / waiting.len().max(1) as u32).max(1);
        let (mut states, mut playouts): (Vec<&[u64]>, Vec<u32>) = Default::default();
        for (number, waiting) in waiting.iter().enumerate() {
            let Some((_, considered)) = &waiting.chooser else {
                states.push(match &waiting.place {
                    Place::Kept(node) => &self.store.nodes[*node as usize].state.0,
                    Place::Beyond(state) => &state.0,
                });
                playouts.push(of_state);
                continue;
            };
            let before = states.len();
            states.extend(open_successors(&self.children[number], considered));
            let open = states.len() - before;
            playouts.resize(states.len(), (of_state / open.max(1) as u32).max(1));
        }
        let mut shares = Vec::new();
        if !states.is_empty() {
            let deadline = meter.until().deadline;
            let visited = lanes.play(&states, &playouts, deadline, &mut shares)?;
            // What was played counts, also where the clock ended it.
            if let Err(stop) = meter.count(visited)
                && stop != Stop::Time
            {
                return Err(stop.into());
            }
        }
        let mut over = Ok(Instant::now());
        let mut said = Vec::new();
        match self.say(&waiting, meter, &mut said) {
            Ok(()) => {}
            // What was played counts all the same.
            Err(Halt::Stop(stop)) => over = Err(stop.into()),
            Err(error) => return Err(error),
        }
        let roles = self.rewards.len();
        let mut played = shares.chunks_exact(roles);
        for (number, Waiting { place, path, chooser }) in waiting.into_iter().enumerate() {
            self.path = path;
            let Place::Kept(node) = place else {
                self.back_up(None, played.next().unwrap_or(&[]));
                continue;
            };
            let values = match chooser {
                None => played.next().unwrap_or(&[]).to_vec(),
                Some((chooser, considered)) => {
                    let said = said[number].as_deref();
                    self.settle(node, number, chooser, &considered, said, &mut played)
                }
            };
            self.store.nodes[node as usize].begun = true;
            self.back_up(Some(node), &values);
        }
        over
    }

    /// Notes in a new state what came of playouts from its successors and what functions say of them; gives each role's mean
    /// share of its goal values, 0 to 1.
    fn settle<'s>(
        &mut self,
        id: NodeId,
        number: usize,
        chooser: usize,
        considered: &[usize],
        said: Option<&[f64]>,
        played: &mut impl Iterator<Item = &'s [f64]>,
    ) -> Vec<f64> {
        let Uct { store, children, rewards, options, .. } = self;
        let (node, children, roles) = (&mut store.nodes[id as usize], &children[number], rewards.len());
        let mut values = vec![0.0; roles];
        for (place, &child) in considered.iter().enumerate() {
            let ends: Vec<f64>;
            let of_child: &[f64] = if children.terminal(child) {
                ends = (0..roles).map(|role| share(rewards[role], children.goals(child, role))).collect();
                &ends
            } else {
                played.next().unwrap_or(&[])
            };
            values.iter_mut().zip(of_child).for_each(|(sum, share)| *sum += share / considered.len() as f64);
            let action = children.joint(child)[chooser];
            if let Some(choice) = node.choices[chooser].iter_mut().find(|choice| choice.action == action) {
                choice.visits += 1;
                choice.sum += of_child[chooser];
                node.visits += 1;
                if let Some(value) = said.map(|said| said[place]) {
                    choice.visits += options.guide.prior;
                    choice.sum += value * f64::from(options.guide.prior);
                    node.visits += options.guide.prior;
                }
            }
        }
        values
    }
}
