//! The requests and answers of `ggp env`.

use anyhow::{Context as _, bail};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::catalog::grouped;
use crate::evaluation::Document;
use crate::feature::{Measure, StateEvaluator};
use crate::machine::{ChildFields, Children, Expander, JointMoves, Machine, MoveId, State};
use crate::report::facts::facts;
use crate::simulate::{Budget, Choices, Context, MoveReader, StateReader, TraceGoal, labels};

/// Limit of successors in an answer.
const MAX_SUCCESSORS: usize = 10_000;

/// Limits of random playouts and of sampled states in an answer.
const MAX_PLAYOUTS: u64 = 1_000_000;
const MAX_STATES: u64 = 10_000;

/// Joint moves after which a random playout is truncated.
const MAX_STEPS: u32 = 10_000;

/// A line of standard input.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    /// Any JSON value; the answer repeats it.
    #[serde(default)]
    pub(super) id: Value,
    /// A state in KIF or as a list of atoms; the initial state if absent.
    #[serde(default)]
    pub(super) state: Option<Value>,
    /// Moves to play first, in KIF or as a list in the form of `--moves`.
    #[serde(default)]
    pub(super) moves: Option<Value>,
    /// The successors to return: `true` for all, or a list of joint moves.
    #[serde(default)]
    pub(super) successors: Option<Value>,
    /// Whether to evaluate the state, and the successors if they are returned.
    #[serde(default)]
    pub(super) values: bool,
    /// Random playouts from the state.
    #[serde(default)]
    pub(super) samples: Option<Samples>,
}

/// The amount of random play.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Samples {
    /// Number of playouts from the state to the end.
    #[serde(default)]
    playouts: u64,
    /// Number of states to sample, each from a playout of its own.
    #[serde(default)]
    states: u64,
    #[serde(default = "one")]
    seed: u64,
}

fn one() -> u64 {
    1
}

/// A line of standard output.
#[derive(Serialize)]
pub(super) struct Answer {
    id: Value,
    #[serde(flatten)]
    position: Position,
    /// The roles with more than one legal move.
    to_move: Vec<String>,
    /// The legal moves by role; empty in a terminal state.
    legal: IndexMap<String, Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    successors: Option<Vec<Successor>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<Sampled>,
}

/// A state with its derived data.
#[derive(Serialize)]
struct Position {
    state: Vec<String>,
    terminal: bool,
    /// The goal values by role, in a terminal state.
    #[serde(skip_serializing_if = "Option::is_none")]
    goals: Option<IndexMap<String, TraceGoal>>,
    /// The values by function.
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<IndexMap<String, f64>>,
}

/// A state after a joint move.
#[derive(Serialize)]
struct Successor {
    moves: Vec<String>,
    #[serde(flatten)]
    position: Position,
}

/// The results of random play.
#[derive(Serialize)]
struct Sampled {
    /// Number of playouts.
    playouts: u64,
    /// Number of playouts that were truncated after [`MAX_STEPS`].
    truncated: u64,
    /// Mean number of joint moves.
    mean_length: f64,
    /// Mean goal value by role.
    mean_goals: IndexMap<String, f64>,
    /// The sampled states.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    states: Vec<Vec<String>>,
}

/// Answers requests about one game.
pub(super) struct Server<'m> {
    machine: &'m dyn Machine,
    roles: Vec<String>,
    states: StateReader<'m>,
    moves: MoveReader<'m>,
    functions: Vec<(String, Box<dyn Measure<'m> + 'm>)>,
    seat: StateEvaluator<'m>,
    expander: Box<dyn Expander + 'm>,
    children: Children,
}

impl<'m> Server<'m> {
    pub(super) fn new(machine: &'m dyn Machine, documents: &[Document]) -> anyhow::Result<Server<'m>> {
        let bind = |document: &Document| -> anyhow::Result<_> {
            let measure = document.function.bind(machine).with_context(|| document.id.clone())?;
            Ok((document.id.clone(), measure))
        };
        Ok(Server {
            machine,
            roles: machine.description().roles.iter().map(|&role| machine.term_text(role)).collect(),
            states: StateReader::new(machine),
            moves: MoveReader::new(machine),
            functions: documents.iter().map(bind).collect::<anyhow::Result<_>>()?,
            seat: StateEvaluator::new(machine),
            expander: machine.expander(),
            children: Children::default(),
        })
    }

    pub(super) fn answer(&mut self, request: &Request) -> anyhow::Result<Answer> {
        let state = self.state(request)?;
        let listed = match &request.successors {
            None | Some(Value::Bool(false)) => None,
            Some(Value::Bool(true)) => Some(None),
            Some(list) => Some(Some(self.joints(list, &state)?)),
        };
        let position = self.position(&state, request.values)?;
        let mut cursor = self.machine.cursor();
        cursor.set(&state)?;
        let going = (0..self.roles.len()).filter(|_| !cursor.terminal());
        let legal: IndexMap<String, Vec<String>> =
            going.map(|role| (self.roles[role].clone(), self.texts(cursor.legal(role)))).collect();
        let to_move =
            legal.iter().filter(|(_, moves)| moves.len() > 1).map(|(role, _)| role.clone()).collect();
        let successors = match listed {
            None => None,
            Some(joints) => Some(self.successors(&state, joints.as_deref(), request.values)?),
        };
        let samples = request.samples.map(|samples| self.sampled(&state, samples)).transpose()?;
        Ok(Answer { id: request.id.clone(), position, to_move, legal, successors, samples })
    }

    /// The state of the request, after its moves.
    fn state(&self, request: &Request) -> anyhow::Result<State> {
        let start = match &request.state {
            None => self.machine.initial().clone(),
            Some(Value::String(text)) => self.states.read(text).context("state")?,
            Some(other) => self.states.from_json(other).context("state")?,
        };
        match &request.moves {
            None => Ok(start),
            Some(Value::String(text)) => self.moves.play(text, &start).context("moves"),
            Some(list) => self.moves.play(&list.to_string(), &start).context("moves"),
        }
    }

    /// Parses a list of joint moves. Each is the text of one move, if one role has a choice, or a list of the moves of all
    /// roles.
    fn joints(&self, list: &Value, state: &State) -> anyhow::Result<Vec<MoveId>> {
        let Value::Array(items) = list else {
            bail!("successors: `true`, or a list of joint moves is expected");
        };
        let mut joints = Vec::new();
        for item in items {
            let one = Value::Array(vec![item.clone()]).to_string();
            let path = self.moves.path(&one, state).context("successors")?;
            joints.extend(path.into_iter().next().map(|step| step.0).unwrap_or_default());
        }
        Ok(joints)
    }

    fn texts(&self, moves: &[MoveId]) -> Vec<String> {
        moves.iter().map(|&action| self.machine.move_text(action)).collect()
    }

    fn goals<'g>(&self, of: impl Fn(usize) -> &'g [i32]) -> IndexMap<String, TraceGoal> {
        self.roles.iter().enumerate().map(|(role, name)| (name.clone(), TraceGoal::new(of(role)))).collect()
    }

    /// The derived data of a state.
    fn position(&mut self, state: &State, values: bool) -> anyhow::Result<Position> {
        let seen = self.seat.at(state)?;
        let terminal = seen.view.terminal();
        let values = values.then(|| {
            self.functions.iter_mut().map(|(id, measure)| (id.clone(), measure.value(&seen))).collect()
        });
        let found: Vec<Vec<i32>> = (0..self.roles.len()).map(|role| seen.view.goals(role).to_vec()).collect();
        let goals = terminal.then(|| self.goals(|role| &found[role]));
        Ok(Position { state: atoms(self.machine, state), terminal, goals, values })
    }

    /// The successors by the given joint moves, or by all if `joints` is `None`.
    fn successors(
        &mut self,
        state: &State,
        joints: Option<&[MoveId]>,
        values: bool,
    ) -> anyhow::Result<Vec<Successor>> {
        let mut children = std::mem::take(&mut self.children);
        if joints.is_none() {
            self.listable(state)?;
        }
        let which = joints.map_or(JointMoves::All, JointMoves::Given);
        let done = self.expander.expand(state, which, ChildFields::SUCCESSORS, &mut children);
        let result = done.map_err(Into::into).and_then(|()| {
            (0..children.len())
                .map(|child| {
                    let state = State(children.state(child).into());
                    let moves = self.texts(children.joint(child));
                    Ok(Successor { moves, position: self.position(&state, values)? })
                })
                .collect()
        });
        self.children = children;
        result
    }

    /// Fails if the state has more than [`MAX_SUCCESSORS`] joint moves. They are counted before any is made, because with
    /// several roles their number can exceed the memory.
    fn listable(&self, state: &State) -> anyhow::Result<()> {
        let mut cursor = self.machine.cursor();
        cursor.set(state)?;
        let joint = match cursor.terminal() {
            true => Some(0),
            false => {
                (0..self.roles.len()).try_fold(1_usize, |all, role| all.checked_mul(cursor.legal(role).len()))
            }
        };
        match joint {
            Some(joint) if joint <= MAX_SUCCESSORS => Ok(()),
            joint => bail!(
                "the state has {} joint moves, more than the limit of {}; list the joint moves in `successors`",
                joint.map_or_else(|| "more than can be counted".to_owned(), |joint| grouped(joint as u64)),
                grouped(MAX_SUCCESSORS as u64)
            ),
        }
    }

    /// Plays at random from a state.
    fn sampled(&self, state: &State, samples: Samples) -> anyhow::Result<Sampled> {
        if samples.playouts > MAX_PLAYOUTS || samples.states > MAX_STATES {
            bail!(
                "samples: at most {} playouts and {} states are allowed in one request",
                grouped(MAX_PLAYOUTS),
                grouped(MAX_STATES)
            );
        }
        let budget = Budget {
            playouts: samples.playouts,
            seed: samples.seed,
            max_steps: MAX_STEPS,
            ..Budget::default()
        };
        let context = Context { interrupt: Some(super::interrupt::flag()), progress: None };
        let label = match samples.playouts {
            0 => None,
            _ => labels(self.machine, std::slice::from_ref(state), &budget, &context)?.pop(),
        };
        let drawn = (0..samples.states).map(|number| self.drawn(state, samples.seed, number));
        let means = label.as_ref().map(|label| {
            let mean = |(name, role): (&String, &crate::simulate::RoleLabel)| (name.clone(), role.mean);
            self.roles.iter().zip(&label.roles).map(mean).collect()
        });
        Ok(Sampled {
            playouts: label.as_ref().map_or(0, |label| label.playouts),
            truncated: label.as_ref().map_or(0, |label| label.capped),
            mean_length: label.as_ref().map_or(0.0, |label| label.mean_length),
            mean_goals: means.unwrap_or_default(),
            states: drawn.collect::<anyhow::Result<_>>()?,
        })
    }

    /// A state drawn uniformly from the states of a random playout.
    fn drawn(&self, state: &State, seed: u64, number: u64) -> anyhow::Result<Vec<String>> {
        let mut choices = Choices::new(seed, number);
        let mut cursor = self.machine.cursor();
        cursor.set(state)?;
        let mut kept = state.clone();
        for seen in 2..=MAX_STEPS as usize {
            let stuck = (0..self.roles.len()).any(|role| cursor.legal(role).is_empty());
            if cursor.terminal() || stuck || super::interrupt::asked() {
                break;
            }
            let joint: Vec<MoveId> = (0..self.roles.len())
                .map(|role| {
                    let legal = cursor.legal(role);
                    legal[choices.below(legal.len())]
                })
                .collect();
            cursor.advance(&joint)?;
            // Reservoir sampling: state number n replaces the sample with probability 1/n.
            if choices.below(seen) == 0 {
                kept = cursor.state().clone();
            }
        }
        Ok(atoms(self.machine, &kept))
    }
}

/// The atoms of a state.
fn atoms(machine: &dyn Machine, state: &State) -> Vec<String> {
    facts(machine, state).iter().map(ToString::to_string).collect()
}
