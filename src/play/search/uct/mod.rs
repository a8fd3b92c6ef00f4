//! # What it does
//! UCT: plays the game on from the state many times, looks most often where it went well, and gives the move it played
//! most.
//!
//! # How
//! A simulation goes down the states it knows; there every role chooses for itself, by the mean of what came of a move
//! and how seldom it was tried: mean + C sqrt(ln n / n_move). So opponents are taken to want their own goals, and moves
//! made at the same time need no order; a role that draws its moves has each as often as any other. Where it meets a new state it adds it and plays on at random, moves that were
//! good in other playouts being likelier (MAST). What comes of it goes to all moves on the way. States that are
//! proved, up from terminal ones, are not played from again. What is known is kept from move to move.
//! All moves are tried before any is tried twice, but in states that have more than `all_first`: there one that was not tried
//! counts as if it had been once, with what came of all on average (first-play urgency), as there may be no time to try all.
//! Of moves played as often the one of which more came is given.
//!
//! Where it is asked to, it plays hundreds of playouts at once in lanes from the children of each new state, all moves
//! being equally likely in them: each child begins with the mean of its own, as if it had been tried once. Several new
//! states may share these playouts (`leaves`): until they are over, each counts as lost, so that the next one is another
//! (virtual loss). The same number of playouts is worth far more so, see `reports/passes.md`; where playouts are so quick that finding
//! states takes much longer, there are fewer of them in the time of a move.
//!
//! Guided by an evaluation function (Walędzik and Mańdziuk 2014), in any of four ways: the function stands for a
//! playout with a chance, ends it at each of its states with a chance, orders moves not tried yet, or counts as so many
//! visits of a new state. Its values count as what they mean, the share of the goal value that random play gets from
//! such states. In lanes only the last way is open, where the moves of all new states that share a pass are valued together by lanes,
//! too, if they can compute the functions.
//!
//! Opponents may be modelled (opponent-model search, Iida and others 1993): in the states that are kept they make the move that their own
//! function likes best, or draw it. Then values are right if they do, and nothing is proved.
//!
//! On several threads each has a tree and a seed of its own; what they know of the moves in question is put together
//! at the end (root parallelisation, Cazenave and Jouandeau 2007).
//!
//! # Guarantee
//! The same seed and number of nodes give the same move on any machine. Proved values are right.
//!
//! # Cost
//! A simulation steps the machine once for each state on the way. Memory is bounded: where it is used up no more states
//! are added.
//!
//! # Example
//! `uct?nodes=10000`; `uct?lanes=512&leaves=16` where the game has lanes.
//!
//! # Source
//! Kocsis and Szepesvári 2006; Gelly and Wang 2006 (first-play urgency); Finnsson and Björnsson 2008 (CadiaPlayer); Winands, Björnsson and Saito 2008 for proofs;
//! Chaslot, Winands and van den Herik 2008 for virtual losses and playouts from one state at once.

mod guiding;
mod lanes;
mod nodes;
mod opponents;
mod options;
mod pass;
mod playout;
mod root_trees;
mod saying;
mod search;
mod tree;

pub use options::{Guide, OpponentModel, UctOptions};
pub use root_trees::RootTrees;

use crate::evaluation::kuhlmann::rewards;
use crate::evaluation::{Calibration, Function, FunctionError};
use crate::machine::{Children, Cursor, Expander, MoveId};

use crate::simulate::StepLimit;

use super::context::SearchContext;
use super::leaf::Leaf;
use super::limits::{Halt, Meter};
use guiding::{LaneGuiding, mean_estimate};
use lanes::LanePlayouts;
use pass::Pace;
use playout::{Averages, Chance, draw};
use saying::Saying;
use tree::{NodeId, Store};

/// UCT for one role.
///
/// # Example
///
/// ```
/// # mod ggp { pub use ggp_play::*; pub use ggp_rules::*; pub use ggp_simulation::*; }
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
/// # use ggp::gdl::{Source, read};
/// # use ggp::ground::Limits;
/// # use ggp::machine::{Backend, load};
/// use ggp::search::{Limits as SearchLimits, Search, SearchContext, Uct, UctOptions};
///
/// # let rules = read(&Source::load("games/nim.kif")?).description.expect("the rules have no errors");
/// # let game = load(rules, Backend::Auto, &Limits::default())?;
/// let machine = &*game.machine;
/// let mut search = Uct::plain(SearchContext::alone(machine, 0), UctOptions::default());
/// let limits = SearchLimits { nodes: Some(1000), ..SearchLimits::default() };
/// let result = search.search(machine.initial(), &limits, &mut |_| {})?;
/// println!("{}", machine.move_text(result.action.expect("the first player has moves")));
/// assert!(result.value.is_some_and(|value| (0.0..=100.0).contains(&value))); // in goal points
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Uct<'m> {
    context: SearchContext<'m>,
    options: UctOptions,
    /// Joint moves after which a playout is truncated.
    max_steps: u32,
    /// For every role its evaluation functions, where the search is guided.
    guides: Vec<Vec<Leaf<'m>>>,
    /// The same as lanes tell them, where playouts are played in lanes.
    lane_guiding: Option<LaneGuiding<'m>>,
    rewards: Vec<[i32; 2]>,
    /// The role that draws its moves, if one does.
    random: Option<usize>,
    cursor: Box<dyn Cursor + 'm>,
    store: Store,
    /// Playouts of new states, where they are played in lanes.
    lanes: Option<LanePlayouts<'m>>,
    expander: Box<dyn Expander + 'm>,
    /// Successors of the new states of a pass of lanes.
    children: Vec<Children>,
    averages: Averages,
    /// Of passes of lanes.
    pace: Pace,
    /// Of functions.
    saying: Saying,
    simulations: u64,
    /// The state searched last.
    root: Option<NodeId>,
    path: Vec<Step>,
    joint: Vec<MoveId>,
    weights: Vec<f64>,
}

/// A state on the way with the place of each role's move.
struct Step {
    node: NodeId,
    places: Vec<usize>,
}

/// Where a simulation comes to on its way down.
enum Found {
    /// An end, or a state that is proved, and what it is worth to each role, 0 to 1.
    End(Option<NodeId>, Vec<f64>),
    /// A state from which nothing was played yet. The cursor stands there.
    New(NodeId),
    /// A state for which there is no room. The cursor stands there.
    Beyond,
}

impl<'m> Uct<'m> {
    /// A search that knows nothing but the rules.
    pub fn plain(context: SearchContext<'m>, options: UctOptions) -> Uct<'m> {
        let machine = context.machine;
        let roles = machine.description().roles.len();
        let rewards: Vec<[i32; 2]> = (0..roles).map(|role| rewards(machine, role)).collect();
        let random = machine.description().random_role();
        let max_steps = StepLimit::of(machine, options.max_steps).steps;
        let drawing = |role: usize| {
            let modelled = options.opponent == OpponentModel::Random && !context.allies[role];
            Some(role) == random || modelled
        };
        let mut uct = Uct {
            options,
            max_steps,
            guides: Vec::new(),
            lane_guiding: None,
            rewards,
            random,
            lanes: None,
            expander: machine.expander(),
            children: Vec::new(),
            cursor: machine.cursor(),
            store: Store::new((0..roles).map(drawing).collect()),
            averages: Averages::new(roles),
            pace: Pace::default(),
            saying: Saying::default(),
            simulations: 0,
            root: None,
            path: Vec::new(),
            joint: Vec::new(),
            weights: Vec::new(),
            context,
        };
        if options.lanes > 0 {
            uct.lanes = LanePlayouts::new(machine, &uct.rewards, options.seed, max_steps);
        }
        uct
    }

    /// A search guided by evaluation functions for every role, in role order, each with what its values mean: the mean
    /// of what a role's say counts.
    ///
    /// # Errors
    /// A function does not fit the game.
    pub fn guided(
        context: SearchContext<'m>,
        functions: &[Vec<(Function, Calibration)>],
        options: UctOptions,
    ) -> Result<Uct<'m>, FunctionError> {
        let machine = context.machine;
        let of_role = |functions: &Vec<(Function, Calibration)>| -> Result<Vec<Leaf<'m>>, FunctionError> {
            functions
                .iter()
                .map(|(function, meaning)| Leaf::calibrated(machine, function, *meaning))
                .collect()
        };
        let guides = functions.iter().map(of_role).collect::<Result<_, _>>()?;
        let mut uct = Uct { guides, ..Uct::plain(context, options) };
        if uct.lanes.is_some() && options.guide.prior > 0 {
            uct.lane_guiding = Some(LaneGuiding::new(machine, functions)?);
        }
        Ok(uct)
    }

    /// One simulation from the root, played on one at a time.
    fn simulate(&mut self, root: NodeId, meter: &mut Meter<'_>) -> Result<(), Halt> {
        let mut chance = self.chance();
        let (leaf, values) = match self.descend(root, &mut chance, meter)? {
            Found::End(leaf, values) => (leaf, values),
            found => {
                if let Found::New(child) = found {
                    self.welcome(child, meter)?;
                    self.store.nodes[child as usize].begun = true;
                }
                (None, self.playout(&mut chance, meter)?)
            }
        };
        self.back_up(leaf, &values);
        Ok(())
    }

    /// The random choices of the next simulation.
    fn chance(&mut self) -> Chance {
        self.simulations += 1;
        Chance::new(self.options.seed, self.simulations - 1)
    }

    /// Goes down the states that are known, to where there is something new.
    fn descend(&mut self, root: NodeId, chance: &mut Chance, meter: &mut Meter<'_>) -> Result<Found, Halt> {
        self.path.clear();
        let (mut at, mut added) = (root, false);
        loop {
            let node = &self.store.nodes[at as usize];
            if let Some(proved) = &node.proved {
                return Ok(Found::End(Some(at), proved.to_vec()));
            }
            if node.choices.iter().any(Vec::is_empty) {
                return Ok(Found::End(None, vec![0.0; self.rewards.len()]));
            }
            // States may lead back to themselves.
            if self.path.len() >= self.max_steps as usize {
                return Ok(Found::End(None, vec![0.5; self.rewards.len()]));
            }
            if !node.begun && at != root {
                if !added {
                    self.cursor.set(&node.state)?;
                }
                return Ok(Found::New(at));
            }
            meter.count(1)?;
            self.expect(at, meter)?;
            let places = self.select(at, chance);
            let node = &self.store.nodes[at as usize];
            let joint = node.joint(&places);
            if let Some(&child) = joint.and_then(|joint| node.children.get(&joint)) {
                self.path.push(Step { node: at, places });
                (at, added) = (child, false);
                continue;
            }
            self.joint.clear();
            self.joint
                .extend(places.iter().zip(&node.choices).map(|(&place, choices)| choices[place].action));
            self.cursor.set(&node.state)?;
            self.cursor.advance(&self.joint)?;
            self.path.push(Step { node: at, places });
            let Some(joint) = joint.filter(|_| self.store.bytes() < self.options.memory) else {
                return Ok(Found::Beyond);
            };
            let rewards = &self.rewards;
            let share = |role: usize, goals: &[i32]| share(rewards[role], goals);
            let child = self.store.at(&*self.cursor, rewards.len(), &share).0;
            self.store.nodes[at as usize].children.insert(joint, child);
            (at, added) = (child, true);
        }
    }

    /// For every role the place of its move: untried ones first, in the order of the function or by averages, then by UCB; where
    /// there are very many moves, by UCB.
    fn select(&self, at: NodeId, chance: &mut Chance) -> Vec<usize> {
        let node = &self.store.nodes[at as usize];
        let pick = |(role, choices): (usize, &Vec<tree::Choice>)| {
            if let Some(expected) = node.expected.filter(|_| choices.len() > 1) {
                return expected as usize;
            }
            if self.store.draws(role) {
                return ((chance.share() * choices.len() as f64) as usize)
                    .min(choices.len().saturating_sub(1));
            }
            let log = f64::from(node.visits.max(1)).ln();
            let as_if_tried = (choices.len() > self.options.all_first as usize)
                .then(|| mean_of_all(choices) + self.options.exploration * log.sqrt());
            let mut best = (f64::NEG_INFINITY, 0);
            for (place, choice) in choices.iter().enumerate() {
                let worth = match choice.proved {
                    // Nobody plays on into what is lost, unless all is.
                    Some(value) if value <= 0.0 => -1.0,
                    _ if let Some(value) = choice.untried => ALL_FIRST + f64::from(value),
                    _ if choice.visits == 0 => {
                        // Among those that nothing else tells apart.
                        let order = self.averages.of(role, choice.action) + 1e-3 * chance.share();
                        as_if_tried.map_or(ALL_FIRST + order, |worth| worth + 1e-3 * order)
                    }
                    _ => choice.mean() + self.options.exploration * (log / f64::from(choice.visits)).sqrt(),
                };
                if worth > best.0 {
                    best = (worth, place);
                }
            }
            best.1
        };
        node.choices.iter().enumerate().map(pick).collect()
    }

    /// Plays on to the end from where the cursor stands; gives each role's share of its goal values, 0 to 1.
    fn playout(&mut self, chance: &mut Chance, meter: &mut Meter<'_>) -> Result<Vec<f64>, Halt> {
        let roles = self.rewards.len();
        let Guide { replace, cutoff, .. } = self.options.guide;
        let guided = !self.guides.is_empty();
        let mut cut = guided && replace > 0.0 && chance.share() < replace;
        let mut played: Vec<MoveId> = Vec::new();
        let mut steps = 0;
        let values = loop {
            if self.cursor.terminal() {
                break (0..roles).map(|role| share(self.rewards[role], self.cursor.goals(role))).collect();
            }
            cut |= guided && cutoff > 0.0 && chance.share() < cutoff;
            if cut {
                let words = &self.cursor.state().0;
                let values = self.guides.iter_mut().map(|guides| mean_estimate(guides, words));
                break values.collect::<Result<Vec<f64>, _>>()?;
            }
            let temperature = self.options.temperature;
            let Uct { cursor, averages, weights, joint, random, .. } = self;
            if steps >= self.max_steps
                || !draw(&**cursor, averages, temperature, *random, chance, weights, joint)
            {
                break vec![0.5; roles];
            }
            meter.count(1)?;
            cursor.advance(joint)?;
            played.extend_from_slice(joint);
            steps += 1;
        };
        for joint in played.chunks_exact(roles) {
            for (role, &action) in joint.iter().enumerate() {
                self.averages.add(role, action, values[role]);
            }
        }
        Ok(values)
    }

    /// Gives what came of a simulation to all moves on its way, from the last state kept up.
    fn back_up(&mut self, leaf: Option<NodeId>, values: &[f64]) {
        let mut below = leaf;
        for Step { node, places } in self.path.iter().rev() {
            let of_node = &mut self.store.nodes[*node as usize];
            of_node.visits += 1;
            for (role, &place) in places.iter().enumerate() {
                let choice = &mut of_node.choices[role][place];
                choice.visits += 1;
                choice.sum += values[role];
                choice.untried = None;
                self.averages.add(role, choice.action, values[role]);
            }
            below = below.filter(|&child| self.store.nodes[child as usize].proved.is_some());
            if let Some(child) = below {
                self.store.note_proved(*node, places, child);
                self.store.prove(*node);
                below = Some(*node);
            }
        }
    }
}

/// What a move that was not tried is worth where all are tried before any is tried twice: more than any other.
const ALL_FIRST: f64 = 1e6;

/// What came of all moves of a role in a state on average, 0 to 1; a half where none was tried.
fn mean_of_all(choices: &[tree::Choice]) -> f64 {
    let visits: u32 = choices.iter().map(|choice| choice.visits).sum();
    let sum: f64 = choices.iter().map(|choice| choice.sum).sum();
    if visits == 0 { 0.5 } else { sum / f64::from(visits) }
}

/// The share of a role's goal values, 0 to 1: nothing where a state has no goal value, and the least of several.
fn share([least, most]: [i32; 2], goals: &[i32]) -> f64 {
    let goal = goals.first().copied().unwrap_or(least);
    if most > least { f64::from(goal - least) / f64::from(most - least) } else { 1.0 }
}
