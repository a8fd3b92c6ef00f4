//! What `ggp env` is asked for, and what it answers.

use anyhow::{Context as _, bail};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::evaluation::Document;
use crate::feature::{Measure, StateEvaluator};
use crate::machine::{ChildFields, Children, Expander, JointMoves, Machine, MoveId, State};
use crate::report::facts::facts;
use crate::simulate::{Budget, Choices, Context, MoveReader, StateReader, TraceGoal, labels};

/// Successors listed in an answer at most.
const MOST_SUCCESSORS: usize = 10_000;

/// Random playouts of an answer, and states drawn from play, at most.
const MOST_PLAYOUTS: u64 = 1_000_000;
const MOST_STATES: u64 = 10_000;

/// Joint moves after which a random playout is truncated.
const MOST_STEPS: u32 = 10_000;

/// A line of standard input.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    /// Comes back with the answer; anything.
    #[serde(default)]
    pub(super) id: Value,
    /// The state: KIF, a list of atoms, or left out for the initial state.
    #[serde(default)]
    pub(super) state: Option<Value>,
    /// Moves to play before: KIF, or a list as `--moves` takes it.
    #[serde(default)]
    pub(super) moves: Option<Value>,
    /// Whether the successors are wanted: `true` for all, or a list of joint moves.
    #[serde(default)]
    pub(super) successors: Option<Value>,
    /// Whether values are wanted, of successors, too, where these are.
    #[serde(default)]
    pub(super) values: bool,
    /// Random play from the state.
    #[serde(default)]
    pub(super) samples: Option<Samples>,
}

/// How much random play.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Samples {
    /// Playouts from the state to the end.
    #[serde(default)]
    playouts: u64,
    /// States drawn from other playouts, one from each.
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
    /// The roles that have a choice.
    to_move: Vec<String>,
    /// For each role its legal moves; nothing in a terminal state.
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
    /// In a terminal state the goal values of all roles.
    #[serde(skip_serializing_if = "Option::is_none")]
    goals: Option<IndexMap<String, TraceGoal>>,
    /// By function.
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

/// What random play came to.
#[derive(Serialize)]
struct Sampled {
    /// Playouts played.
    playouts: u64,
    /// Those that did not end within the most steps.
    truncated: u64,
    /// Joint moves on average.
    mean_length: f64,
    /// For each role the mean of its goal values.
    mean_goals: IndexMap<String, f64>,
    /// States drawn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    states: Vec<Vec<String>>,
}

/// A game that is asked.
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

    /// Answers a request.
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

    /// The state that is meant.
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

    /// The joint moves of a list: a text, where one role has a choice, or a list of the moves of all roles.
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

    /// The successors by all joint moves, or by some.
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

    /// Whether the joint moves are few enough to be listed, counted before any is made: with several roles that choose they
    /// can be more than memory holds.
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
            Some(joint) if joint <= MOST_SUCCESSORS => Ok(()),
            joint => bail!(
                "the state has {} joint moves, of which {MOST_SUCCESSORS} can be listed; name those that are wanted",
                joint.map_or_else(|| "more than can be counted".to_owned(), |joint| joint.to_string())
            ),
        }
    }

    /// Random play from a state.
    fn sampled(&self, state: &State, samples: Samples) -> anyhow::Result<Sampled> {
        if samples.playouts > MOST_PLAYOUTS || samples.states > MOST_STATES {
            bail!(
                "samples: at most {MOST_PLAYOUTS} playouts and {MOST_STATES} states are given in one answer"
            );
        }
        let budget = Budget {
            playouts: samples.playouts,
            seed: samples.seed,
            max_steps: MOST_STEPS,
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

    /// A state of a random playout, each from the given one to the end as likely as the others.
    fn drawn(&self, state: &State, seed: u64, number: u64) -> anyhow::Result<Vec<String>> {
        let mut choices = Choices::new(seed, number);
        let mut cursor = self.machine.cursor();
        cursor.set(state)?;
        let mut kept = state.clone();
        for seen in 2..=MOST_STEPS as usize {
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
            // Reservoir sampling: the state number n replaces the one kept in one of n cases.
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
