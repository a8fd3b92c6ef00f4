//! UCT: simulations until a limit is reached, and the answer from the tree.

use std::time::{Duration, Instant};

use crate::evaluation::scaled_feature::rewards;
use crate::evaluation::{Calibration, Function, FunctionError};
use crate::machine::{ChildFields, Children, Cursor, Expander, JointMoves, MoveId, State};
use crate::search::context::SearchContext;
use crate::search::limits::{Halt, Limits, Meter, Stop};
use crate::search::result::{Search, SearchError, SearchResult};
use crate::simulate::StepLimit;

use super::lanes::LanePlayouts;
use super::move_estimates::MoveEstimates;
use super::nodes::{Choice, NodeId};
use super::options::{Guide, OpponentModel, UctOptions};
use super::pass::{PassTimes, PendingPlace, PendingState, TRIES, open_successors};
use super::playout::{Averages, Chance};
use super::tree::{PathStep, Store, share};

/// Simulations between two reports.
const REPORT: u64 = 4096;

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
    /// The estimates by functions, if the search is guided.
    estimates: Option<MoveEstimates<'m>>,
    rewards: Vec<[i32; 2]>,
    cursor: Box<dyn Cursor + 'm>,
    store: Store,
    /// Playouts of new states, if they run in lanes.
    lanes: Option<LanePlayouts<'m>>,
    expander: Box<dyn Expander + 'm>,
    /// Successors of the new states of a pass of lanes.
    children: Vec<Children>,
    averages: Averages,
    pass_times: PassTimes,
    simulations: u64,
    /// The root of the last search.
    root: Option<NodeId>,
    path: Vec<PathStep>,
    joint: Vec<MoveId>,
    weights: Vec<f64>,
}

/// The end of a simulation's path.
enum SimulationEnd {
    /// A terminal or proved state, and its value for each role, from 0 to 1.
    End(Option<NodeId>, Vec<f64>),
    /// A state without simulations. The cursor is at it.
    New(NodeId),
    /// A state that the full tree can't store. The cursor is at it.
    Beyond,
}

impl<'m> Uct<'m> {
    /// A search without an evaluation function.
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
            estimates: None,
            rewards,
            lanes: None,
            expander: machine.expander(),
            children: Vec::new(),
            cursor: machine.cursor(),
            store: Store::new((0..roles).map(drawing).collect()),
            averages: Averages::new(roles, options.temperature, random),
            pass_times: PassTimes::default(),
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

    /// A search guided by evaluation functions for each role, in role order, each with its calibration. The mean of a
    /// role's functions counts.
    ///
    /// # Errors
    /// A function does not fit the game.
    pub fn guided(
        context: SearchContext<'m>,
        functions: &[Vec<(Function, Calibration)>],
        options: UctOptions,
    ) -> Result<Uct<'m>, FunctionError> {
        let machine = context.machine;
        let mut uct = Uct::plain(context, options);
        let in_lanes = uct.lanes.is_some() && options.guide.prior > 0;
        if !functions.is_empty() {
            uct.estimates = Some(MoveEstimates::new(machine, functions, &uct.rewards, in_lanes)?);
        }
        Ok(uct)
    }

    /// Runs one simulation from the root, with a single playout.
    fn simulate(&mut self, root: NodeId, meter: &mut Meter<'_>) -> Result<(), Halt> {
        let mut chance = self.chance();
        let (leaf, values) = match self.descend(root, &mut chance, meter)? {
            SimulationEnd::End(leaf, values) => (leaf, values),
            found => {
                if let SimulationEnd::New(child) = found {
                    self.add_priors(child, meter)?;
                    self.store.nodes[child as usize].begun = true;
                }
                (None, self.playout(&mut chance, meter)?)
            }
        };
        self.back_up(leaf, &values);
        Ok(())
    }

    /// The random numbers of the next simulation.
    fn chance(&mut self) -> Chance {
        self.simulations += 1;
        Chance::new(self.options.seed, self.simulations - 1)
    }

    /// Descends through the tree to the end of the path.
    fn descend(
        &mut self,
        root: NodeId,
        chance: &mut Chance,
        meter: &mut Meter<'_>,
    ) -> Result<SimulationEnd, Halt> {
        self.path.clear();
        let (mut at, mut added) = (root, false);
        loop {
            let node = &self.store.nodes[at as usize];
            if let Some(proved) = &node.proved {
                return Ok(SimulationEnd::End(Some(at), proved.to_vec()));
            }
            if node.choices.iter().any(Vec::is_empty) {
                return Ok(SimulationEnd::End(None, vec![0.0; self.rewards.len()]));
            }
            // States may repeat.
            if self.path.len() >= self.max_steps as usize {
                return Ok(SimulationEnd::End(None, vec![0.5; self.rewards.len()]));
            }
            if !node.begun && at != root {
                if !added {
                    self.cursor.set(&node.state)?;
                }
                return Ok(SimulationEnd::New(at));
            }
            meter.count(1)?;
            self.predict_opponent(at, meter)?;
            let places = self.select(at, chance);
            let node = &self.store.nodes[at as usize];
            let joint = node.joint(&places);
            if let Some(&child) = joint.and_then(|joint| node.children.get(&joint)) {
                self.path.push(PathStep { node: at, places });
                (at, added) = (child, false);
                continue;
            }
            self.joint.clear();
            self.joint
                .extend(places.iter().zip(&node.choices).map(|(&index, choices)| choices[index].action));
            self.cursor.set(&node.state)?;
            self.cursor.advance(&self.joint)?;
            self.path.push(PathStep { node: at, places });
            let Some(joint) = joint.filter(|_| self.store.bytes() < self.options.memory) else {
                return Ok(SimulationEnd::Beyond);
            };
            let rewards = &self.rewards;
            let share = |role: usize, goals: &[i32]| share(rewards[role], goals);
            let child = self.store.at(&*self.cursor, rewards.len(), &share).0;
            self.store.nodes[at as usize].children.insert(joint, child);
            (at, added) = (child, true);
        }
    }

    /// The index of each role's move: untried ones first, in the order of the function or by averages, then by UCB. With
    /// very many moves, by UCB only.
    fn select(&self, at: NodeId, chance: &mut Chance) -> Vec<usize> {
        let node = &self.store.nodes[at as usize];
        let pick = |(role, choices): (usize, &Vec<Choice>)| {
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
            for (index, choice) in choices.iter().enumerate() {
                let worth = match choice.proved {
                    // A lost move is played only if all are lost.
                    Some(value) if value <= 0.0 => -1.0,
                    _ if let Some(value) = choice.untried => UNTRIED + f64::from(value),
                    _ if choice.visits == 0 => {
                        // A random number breaks ties.
                        let order = self.averages.of(role, choice.action) + 1e-3 * chance.share();
                        as_if_tried.map_or(UNTRIED + order, |worth| worth + 1e-3 * order)
                    }
                    _ => choice.mean() + self.options.exploration * (log / f64::from(choice.visits)).sqrt(),
                };
                if worth > best.0 {
                    best = (worth, index);
                }
            }
            best.1
        };
        node.choices.iter().enumerate().map(pick).collect()
    }

    /// Plays from the cursor to the end; returns each role's share of its goal values, from 0 to 1.
    fn playout(&mut self, chance: &mut Chance, meter: &mut Meter<'_>) -> Result<Vec<f64>, Halt> {
        let roles = self.rewards.len();
        let Guide { replace, cutoff, .. } = self.options.guide;
        let guided = self.estimates.is_some();
        let mut cut = guided && replace > 0.0 && chance.share() < replace;
        let mut played: Vec<MoveId> = Vec::new();
        let mut steps = 0;
        let values = loop {
            if self.cursor.terminal() {
                break (0..roles).map(|role| share(self.rewards[role], self.cursor.goals(role))).collect();
            }
            cut |= guided && cutoff > 0.0 && chance.share() < cutoff;
            if let Some(estimates) = self.estimates.as_mut().filter(|_| cut) {
                let words = &self.cursor.state().0;
                break (0..roles).map(|role| estimates.of_state(role, words)).collect::<Result<_, _>>()?;
            }
            let Uct { cursor, averages, weights, joint, .. } = self;
            if steps >= self.max_steps || !averages.draw(&**cursor, chance, weights, joint) {
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

    /// Adds the result of a simulation to all moves on its path, from the last state upwards.
    fn back_up(&mut self, leaf: Option<NodeId>, values: &[f64]) {
        let mut below = leaf;
        for PathStep { node, places } in self.path.iter().rev() {
            let of_node = &mut self.store.nodes[*node as usize];
            of_node.visits += 1;
            for (role, &index) in places.iter().enumerate() {
                let choice = &mut of_node.choices[role][index];
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

    /// Sets the priors of a new state's moves by the functions, before the first simulation from it.
    fn add_priors(&mut self, id: NodeId, meter: &mut Meter<'_>) -> Result<(), Halt> {
        let Guide { order, prior, .. } = self.options.guide;
        let Some(estimates) = self.estimates.as_mut().filter(|_| order || prior > 0) else { return Ok(()) };
        let node = &mut self.store.nodes[id as usize];
        if let Some(role) = node.chooser() {
            let values = estimates.of_moves(node, role, &mut *self.cursor, meter, |share| share)?;
            for (choice, value) in node.choices[role].iter_mut().zip(values.into_iter().flatten()) {
                choice.untried = order.then_some(value as f32);
                choice.visits += prior;
                choice.sum += value * f64::from(prior);
                node.visits += prior;
            }
        }
        self.cursor.set(&node.state)?;
        Ok(())
    }

    /// Stores the predicted move of an opponent that alone chooses in a state, if the model follows functions.
    fn predict_opponent(&mut self, at: NodeId, meter: &mut Meter<'_>) -> Result<(), Halt> {
        let node = &self.store.nodes[at as usize];
        if self.options.opponent != OpponentModel::Greedy || node.expected.is_some() {
            return Ok(());
        }
        let follows = |role: &usize| !self.context.allies[*role] && !self.store.draws(*role);
        let Some(role) = node.chooser().filter(follows) else { return Ok(()) };
        let Some(estimates) = self.estimates.as_mut().filter(|estimates| estimates.has(role)) else {
            return Ok(());
        };
        // A certain win or loss counts more than any estimate.
        let of_end = |share| match share {
            won if won >= 1.0 => 2.0,
            lost if lost <= 0.0 => -1.0,
            between => between,
        };
        let values = estimates.of_moves(node, role, &mut *self.cursor, meter, of_end)?;
        let Some(values) = values else { return Ok(()) };
        // The first of the best moves.
        let best = (0..values.len()).rev().max_by(|&a, &b| values[a].total_cmp(&values[b]));
        self.store.nodes[at as usize].expected = best.map(|best| best as u32);
        Ok(())
    }

    /// Runs simulations for one pass: as many as its new states, or as many as its times allow if only the clock ends the
    /// search.
    fn pass(&mut self, root: NodeId, meter: &mut Meter<'_>, by_clock: bool) -> Result<(), Halt> {
        let most = self.options.leaves.max(1);
        let leaves = if by_clock { self.pass_times.states(most) } else { most };
        let (begun, mut waiting) = (Instant::now(), Vec::new());
        let found = self.find_new_states(root, leaves, meter, &mut waiting);
        waiting.iter().for_each(|waiting| self.count_as_lost(&waiting.path, false));
        found?;
        let (found, states) = (Instant::now(), waiting.len());
        let played = self.play_on(waiting, meter)?;
        if states > 0 {
            self.pass_times.note([begun, found, played, Instant::now()], states);
        }
        Ok(())
    }

    /// Finds new states, and expands them.
    fn find_new_states(
        &mut self,
        root: NodeId,
        leaves: u32,
        meter: &mut Meter<'_>,
        waiting: &mut Vec<PendingState>,
    ) -> Result<(), Halt> {
        for _ in 0..leaves.saturating_mul(TRIES) {
            let over = self.store.nodes[root as usize].proved.is_some();
            if over || waiting.len() >= leaves as usize {
                break;
            }
            meter.glance()?;
            let mut chance = self.chance();
            match self.descend(root, &mut chance, meter)? {
                SimulationEnd::End(leaf, values) => {
                    self.back_up(leaf, &values);
                    // A single state needs no virtual loss.
                    if leaves == 1 {
                        break;
                    }
                }
                SimulationEnd::Beyond => {
                    let place = PendingPlace::Beyond(self.cursor.state().clone());
                    waiting.push(self.enqueue(place, None));
                }
                // The path led to a state that is already waiting.
                SimulationEnd::New(node) if waiting.iter().any(|waiting| waiting.place.is(node)) => break,
                SimulationEnd::New(node) => {
                    let chooser = self.expand(node, [waiting.len(), leaves as usize], meter)?;
                    waiting.push(self.enqueue(PendingPlace::Kept(node), chooser));
                }
            }
        }
        Ok(())
    }

    /// Adds a state to the waiting ones.
    fn enqueue(&mut self, place: PendingPlace, chooser: Option<(usize, Vec<usize>)>) -> PendingState {
        let path = std::mem::take(&mut self.path);
        self.count_as_lost(&path, true);
        PendingState { place, path, chooser }
    }

    /// Adds virtual losses to the moves of a path, or removes them.
    fn count_as_lost(&mut self, path: &[PathStep], lost: bool) {
        let count = |visits: &mut u32| *visits = if lost { *visits + 1 } else { *visits - 1 };
        for PathStep { node, places } in path {
            let node = &mut self.store.nodes[*node as usize];
            count(&mut node.visits);
            node.choices
                .iter_mut()
                .zip(places)
                .for_each(|(choices, &index)| count(&mut choices[index].visits));
        }
    }

    /// Finds the successors of a new state, number `number` of `of` in a pass, if one role alone chooses and there are
    /// playouts for each successor.
    fn expand(
        &mut self,
        id: NodeId,
        [number, leaves]: [usize; 2],
        meter: &mut Meter<'_>,
    ) -> Result<Option<(usize, Vec<usize>)>, Halt> {
        self.predict_opponent(id, meter)?;
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
        expander.expand_within(meter.expansion_limits(), &node.state, JointMoves::All, wanted, children)?;
        let expected = node.expected.map(|index| node.choices[chooser][index as usize].action);
        let made = |&child: &usize| expected.is_none_or(|action| children.joint(child)[chooser] == action);
        Ok(Some((chooser, (0..children.len()).filter(made).collect())))
    }

    /// Runs playouts in lanes from the waiting states and adds the results to all moves on their paths. Successors then
    /// count as tried once. Returns when playouts were over.
    fn play_on(&mut self, waiting: Vec<PendingState>, meter: &mut Meter<'_>) -> Result<Instant, Halt> {
        let Some(lanes) = &mut self.lanes else { return Ok(Instant::now()) };
        let of_state = (self.options.lanes / waiting.len().max(1) as u32).max(1);
        let (mut states, mut playouts): (Vec<&[u64]>, Vec<u32>) = Default::default();
        for (number, waiting) in waiting.iter().enumerate() {
            let Some((_, considered)) = &waiting.chooser else {
                states.push(match &waiting.place {
                    PendingPlace::Kept(node) => &self.store.nodes[*node as usize].state.0,
                    PendingPlace::Beyond(state) => &state.0,
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
            let visited = lanes.play(&states, &playouts, meter.expansion_limits(), &mut shares)?;
            // These playouts count even if the clock or the limit of nodes ends the search here.
            if let Err(stop) = meter.count(visited)
                && !matches!(stop, Stop::Time | Stop::Nodes)
            {
                return Err(stop.into());
            }
        }
        let mut over = Ok(Instant::now());
        let mut estimated = vec![None; waiting.len()];
        if let Some(estimates) = self.estimates.as_mut().filter(|_| self.options.guide.prior > 0) {
            match estimates.of_successors(&waiting, &self.children, meter, &mut estimated) {
                Ok(()) => {}
                // These playouts count all the same.
                Err(Halt::Stop(stop)) => over = Err(stop.into()),
                Err(error) => return Err(error),
            }
        }
        let roles = self.rewards.len();
        let mut played = shares.chunks_exact(roles);
        for (number, PendingState { place, path, chooser }) in waiting.into_iter().enumerate() {
            self.path = path;
            let PendingPlace::Kept(node) = place else {
                self.back_up(None, played.next().unwrap_or(&[]));
                continue;
            };
            let values = match chooser {
                None => played.next().unwrap_or(&[]).to_vec(),
                Some(chooser) => {
                    let estimated = estimated[number].as_deref();
                    self.record_successors(node, number, &chooser, estimated, &mut played)
                }
            };
            self.store.nodes[node as usize].begun = true;
            self.back_up(Some(node), &values);
        }
        over
    }

    /// Stores the results of playouts from a new state's successors, and the functions' estimates of them. Returns each
    /// role's mean share of its goal values, from 0 to 1.
    fn record_successors<'s>(
        &mut self,
        id: NodeId,
        number: usize,
        &(chooser, ref considered): &(usize, Vec<usize>),
        estimated: Option<&[f64]>,
        played: &mut impl Iterator<Item = &'s [f64]>,
    ) -> Vec<f64> {
        let Uct { store, children, rewards, options, .. } = self;
        let (node, children, roles) = (&mut store.nodes[id as usize], &children[number], rewards.len());
        let mut values = vec![0.0; roles];
        for (index, &child) in considered.iter().enumerate() {
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
                if let Some(value) = estimated.map(|values| values[index]) {
                    choice.visits += options.guide.prior;
                    choice.sum += value * f64::from(options.guide.prior);
                    node.visits += options.guide.prior;
                }
            }
        }
        values
    }

    /// Writes the best move of the root into a result.
    fn answer(&self, root: NodeId, result: &mut SearchResult) {
        let role = self.context.role;
        let node = &self.store.nodes[root as usize];
        let [least, most] = self.rewards[role].map(f64::from);
        let goal = |share: f64| least + (most - least) * share;
        let chooser = node.chooser();
        let rank = |index: usize| {
            let choice = &node.choices[role][index];
            let (class, value) = match choice.proved.filter(|_| chooser == Some(role)) {
                Some(value) if value >= 1.0 => (2, value),
                Some(value) if value <= 0.0 => (0, value),
                Some(value) if node.proved.is_some() => (1, value),
                _ => (1, 0.0),
            };
            (class, value, choice.visits, choice.mean())
        };
        let order = |&a: &usize, &b: &usize| {
            let (a, b) = (rank(a), rank(b));
            // If there are many moves, each may have a single visit.
            let by_proof = a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
            by_proof.then(a.2.cmp(&b.2)).then(a.3.total_cmp(&b.3))
        };
        let best = (0..node.choices[role].len()).rev().max_by(order);
        let Some(best) = best else { return };
        let choice = &node.choices[role][best];
        result.action = Some(choice.action);
        // A proof must not depend on a model of opponents.
        result.proved = node.proved.is_some() && self.options.opponent == OpponentModel::Search;
        result.value = Some(goal(node.proved.as_ref().map_or_else(|| choice.mean(), |value| value[role])));
        result.principal_variation = self.principal_variation(root, best);
        result.depth = result.principal_variation.len() as u32;
    }

    /// The most visited joint moves from the root on, beginning with a move of the role.
    fn principal_variation(&self, root: NodeId, first: usize) -> Vec<Vec<MoveId>> {
        let mut line = Vec::new();
        let mut at = Some(root);
        while let Some(node) = at.map(|at| &self.store.nodes[at as usize]) {
            if node.choices.iter().any(Vec::is_empty) || line.len() >= self.max_steps as usize {
                break;
            }
            let most = |choices: &Vec<Choice>| {
                (0..choices.len()).rev().max_by_key(|&index| choices[index].visits).unwrap_or(0)
            };
            let mut places: Vec<usize> = node.choices.iter().map(most).collect();
            if line.is_empty() {
                places[self.context.role] = first;
            }
            let joint = places.iter().zip(&node.choices).map(|(&index, choices)| choices[index].action);
            line.push(joint.collect());
            at = node.joint(&places).and_then(|joint| node.children.get(&joint).copied());
        }
        line
    }

    /// The role's moves at the root of the last search, each with its visits and the sum of its values as shares.
    pub(super) fn tallies(&self) -> impl Iterator<Item = (MoveId, u32, f64)> {
        let node = self.root.map(|root: NodeId| &self.store.nodes[root as usize]);
        let choices = node.map_or(&[][..], |node| &node.choices[self.context.role]);
        choices.iter().map(|choice| (choice.action, choice.visits, choice.sum))
    }

    /// Converts a share of the role's goal values to a goal value.
    pub(super) fn goal(&self, share: f64) -> f64 {
        let [least, most] = self.rewards[self.context.role].map(f64::from);
        least + (most - least) * share
    }
}

impl Search for Uct<'_> {
    fn search(
        &mut self,
        state: &State,
        limits: &Limits<'_>,
        on_progress: &mut dyn FnMut(&SearchResult),
    ) -> Result<SearchResult, SearchError> {
        let begin = Instant::now();
        let mut meter = Meter::new(*limits);
        let mut result = SearchResult::nothing();
        self.root = None;
        self.cursor.set(state)?;
        if self.cursor.terminal() {
            let goal = self.context.outcome(self.cursor.goals(self.context.role));
            return Ok(SearchResult { value: Some(goal.into()), proved: true, stop: Stop::Solved, ..result });
        }
        let time = limits.deadline.map(|deadline| deadline.saturating_duration_since(begin));
        let root = match self.store.go_on_from(state, self.options.memory, time, limits.interrupt) {
            Some(root) => root,
            None => {
                let rewards = &self.rewards;
                let share = |role: usize, goals: &[i32]| share(rewards[role], goals);
                self.store.at(&*self.cursor, rewards.len(), &share).0
            }
        };
        self.root = Some(root);
        // Passes in lanes take long, and are worth less if the clock interrupts them. A pass that will probably be
        // interrupted is not begun.
        let mut usual = Duration::ZERO;
        let by_clock = limits.deadline.is_some() && limits.nodes.is_none();
        result.stop = loop {
            if self.store.nodes[root as usize].proved.is_some() {
                break Stop::Solved;
            }
            let begun = Instant::now();
            if limits.deadline.is_some_and(|deadline| begun + usual >= deadline) {
                break Stop::Time;
            }
            let before = self.simulations;
            let simulated = match self.lanes.is_some() {
                true => self.pass(root, &mut meter, by_clock),
                false => self.simulate(root, &mut meter),
            };
            if self.lanes.is_some() {
                usual = (7 * usual + begun.elapsed()) / 8;
            }
            match simulated {
                Ok(()) => {}
                Err(Halt::Stop(stop)) => break stop,
                Err(Halt::Error(error)) => return Err(error.into()),
            }
            if self.simulations / REPORT > before / REPORT {
                self.answer(root, &mut result);
                (result.nodes, result.took) = (meter.nodes, begin.elapsed());
                on_progress(&result);
            }
        };
        self.answer(root, &mut result);
        (result.nodes, result.took) = (meter.nodes, begin.elapsed());
        if result.action.is_none() {
            // Not even one simulation was possible: any legal move is better than none.
            self.cursor.set(state)?;
            result.action = self.cursor.legal(self.context.role).first().copied();
        }
        Ok(result)
    }
}

/// The value of an untried move if all moves are tried before any is tried twice: more than any other.
const UNTRIED: f64 = 1e6;

/// The mean result of all moves of a role in a state, from 0 to 1; a half without visits.
fn mean_of_all(choices: &[Choice]) -> f64 {
    let visits: u32 = choices.iter().map(|choice| choice.visits).sum();
    let sum: f64 = choices.iter().map(|choice| choice.sum).sum();
    if visits == 0 { 0.5 } else { sum / f64::from(visits) }
}
