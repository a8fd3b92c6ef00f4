//! The data of a page that its analysis document lacks, as text of the rules: states of a game, sources of boards,
//! owners of objects, and values of functions.

use crate::analysis::{CalibrationBin, Demonstration, Game, GameAnalysis, Play, PlayedBy, StepCount};
use crate::evaluation::Function;
use crate::evaluation::learned::LearnedFunction;
use crate::evaluation::statistical::StatisticalFunction;
use crate::feature::{Pattern, Spec};
use crate::machine::MachineError;
use crate::structure::finding::Structures;
use crate::verdict::{ConnectedEdges, Verdict};

use super::super::board_sources::BoardSources;
use super::super::explanations;
use super::super::facts::{Fact, FactReader};
use super::super::tree::Tree;
use super::super::verdict::InitialBoard;
use super::deciding_facts::{FirstMoveFacts, deciding_facts, first_move_facts};
use super::value_drops::{ValueDrop, value_drops};

/// Limits the functions of one kind whose weights are drawn; the page omits further ones.
const SUMS: usize = 2;

/// The data from which a page is drawn, in addition to its analysis document.
#[derive(Clone, Debug, Default)]
pub struct PageMaterial {
    /// The roles, in the order of the rules.
    pub(super) roles: Vec<String>,
    /// The sources of the boards.
    pub(super) sources: BoardSources,
    /// Patterns of the facts of objects, with the index of the role that owns them.
    pub(super) owners: Vec<(Pattern, usize)>,
    /// The edges that roles have to connect, each with the index of the role.
    pub(super) edges: Vec<(usize, ConnectedEdges)>,
    /// The game to step through.
    pub(super) play: PlayText,
    /// The values of functions during the game.
    pub(super) courses: Vec<ValueCourse>,
    /// The calibration of functions.
    pub(super) calibrated: Vec<CalibrationCurve>,
    /// The explanations of the values of one state.
    pub(super) explained: Vec<ExplanationTree>,
    /// The weights of facts, by function.
    pub(super) weights: Vec<FactWeights>,
    /// The mean numbers of legal moves at every step of random playouts.
    pub(super) steps: Vec<StepCount>,
    /// The number of these playouts.
    pub(super) playouts: u64,
    /// Notes on omitted parts.
    pub(super) notes: Vec<String>,
    /// The board of the initial state, as the terminal draws it.
    pub(super) board: InitialBoard,
    /// The first moves with their values; empty if they are unknown.
    pub(super) first_moves: Vec<FirstMoveFacts>,
}

/// A game as text.
#[derive(Clone, Debug, Default)]
pub(super) struct PlayText {
    /// Its description, as the end of a sentence: `random playout 17 of seed 1, of median length`.
    pub(super) title: String,
    /// Its states.
    pub(super) states: Vec<StateText>,
    /// The joint moves between them.
    pub(super) moves: Vec<Vec<String>>,
    /// The goal values of every role at the end.
    pub(super) goals: Option<Vec<Vec<i32>>>,
    /// The number of joint moves that are left out at the end.
    pub(super) left_out: usize,
    /// For each state and role the goal points that are expected for the role; empty without searches.
    pub(super) estimates: Vec<Vec<Option<f64>>>,
    /// For each joint move the large drop of the mover's value after it.
    pub(super) drops: Vec<Option<ValueDrop>>,
    /// The facts of the last state that decide the result.
    pub(super) deciding: Vec<Fact>,
}

/// A state as text.
#[derive(Clone, Debug, Default)]
pub(super) struct StateText {
    pub(super) facts: Vec<Fact>,
    /// The indices of the roles with a choice; if there are none, of the roles whose move is not a noop.
    pub(super) choosing: Vec<usize>,
}

/// The values of a function or player in every state of a game, in goal points.
#[derive(Clone, Debug)]
pub(super) struct ValueCourse {
    pub(super) name: String,
    /// The index of the role for which it values states.
    pub(super) role: usize,
    pub(super) values: Vec<Option<f64>>,
    /// The number of states in which the sign of the value agreed with the result, and the number of all states.
    pub(super) right: Option<[usize; 2]>,
}

#[derive(Clone, Debug)]
pub(super) struct CalibrationCurve {
    pub(super) name: String,
    pub(super) role: usize,
    pub(super) states: usize,
    pub(super) bins: Vec<CalibrationBin>,
}

#[derive(Clone, Debug)]
pub(super) struct ExplanationTree {
    pub(super) name: String,
    pub(super) step: usize,
    pub(super) tree: Tree,
}

/// The weights of a function's facts.
#[derive(Clone, Debug)]
pub(super) struct FactWeights {
    pub(super) name: String,
    /// The quantity that the weights add up to, with its unit.
    pub(super) of: &'static str,
    /// Patterns of facts, with the weight of each.
    pub(super) terms: Vec<(Pattern, f64)>,
    /// The number of other terms.
    pub(super) others: usize,
}

impl PageMaterial {
    /// Converts a demonstration into the texts of a page.
    ///
    /// # Errors
    /// A state can't be evaluated.
    pub fn new(
        game: &Game<'_>,
        analysis: &GameAnalysis,
        verdict: &Verdict,
        demonstration: &Demonstration,
    ) -> Result<PageMaterial, MachineError> {
        let list = &analysis.functions.list;
        let role =
            |function: usize| game.roles().iter().position(|role| role == list[function].role()).unwrap_or(0);
        let play = &demonstration.play;
        let title = match play.by {
            PlayedBy::Functions => {
                "a game of median length in which every role looks one move ahead with a function below"
                    .to_owned()
            }
            PlayedBy::Search => "the best play that search found".to_owned(),
            PlayedBy::Searches => "a typical game between equal searches".to_owned(),
            PlayedBy::Random | PlayedBy::Given => {
                format!("random playout {} of seed {}, of median length", play.number, play.seed)
            }
        };
        let reader = FactReader::new(game.machine, &analysis.structures);
        let first = verdict.first_moves.as_ref();
        let first = first.map(|first| first_move_facts(game.machine, &reader, first)).transpose()?;
        let edges = verdict.winning.iter().flat_map(|condition| {
            let edges = condition.sentences.iter().filter_map(|sentence| sentence.edges.clone());
            edges.map(|edges| (condition.role, edges))
        });
        Ok(PageMaterial {
            first_moves: first.unwrap_or_default(),
            edges: edges.collect(),
            owners: analysis.features.owners.clone(),
            courses: (demonstration.courses.iter())
                .map(|course| ValueCourse {
                    name: list[course.function].id(),
                    role: role(course.function),
                    values: course.values.clone(),
                    right: course.right,
                })
                .collect(),
            calibrated: (demonstration.calibrated.iter())
                .map(|curve| CalibrationCurve {
                    name: list[curve.function].id(),
                    role: role(curve.function),
                    states: curve.states,
                    bins: curve.bins.clone(),
                })
                .collect(),
            explained: (demonstration.explained.iter())
                .map(|state| ExplanationTree {
                    name: list[state.function].id(),
                    step: state.step,
                    tree: explanations::tree(&state.explanation),
                })
                .collect(),
            weights: best_sums(analysis).filter_map(weights).collect(),
            steps: demonstration.steps.clone(),
            playouts: demonstration.playouts,
            notes: demonstration.notes.clone(),
            ..PageMaterial::of_play(game, &analysis.structures, play, title)?
        })
    }

    /// The data of a page that shows only a game.
    ///
    /// # Errors
    /// A state can't be evaluated.
    pub fn of_play(
        game: &Game<'_>,
        structures: &Structures,
        play: &Play,
        title: String,
    ) -> Result<PageMaterial, MachineError> {
        let machine = game.machine;
        let reader = FactReader::new(machine, structures);
        // If all moves are forced, a role that does not only wait moves.
        let waits =
            |role: usize, action| structures.noops.get(&role).is_some_and(|noops| noops.contains(action));
        let moving = |number: usize| match (&play.choosing[number][..], play.moves.get(number)) {
            ([], Some(joint)) => (0..joint.len()).filter(|&role| !waits(role, &joint[role])).collect(),
            (choosing, _) => choosing.to_vec(),
        };
        let states: Vec<StateText> = (play.states.iter().enumerate())
            .map(|(number, state)| StateText { facts: reader.facts(state), choosing: moving(number) })
            .collect();
        let joint = |joint: &Vec<_>| joint.iter().map(|&action| machine.move_text(action)).collect();
        let end = play.states.last().zip(play.goals.as_ref());
        let deciding =
            end.map(|(state, goals)| deciding_facts(machine, &reader, state, goals)).transpose()?;
        let (roles, opposed) = (game.roles(), is_opposed(play, structures));
        Ok(PageMaterial {
            sources: BoardSources::new(game, structures, &reader),
            play: PlayText {
                title,
                states,
                moves: play.moves.iter().map(joint).collect(),
                goals: play.goals.clone(),
                left_out: play.left_out,
                estimates: state_estimates(play, opposed),
                drops: value_drops(play, &roles, opposed),
                deciding: deciding.unwrap_or_default(),
            },
            roles,
            ..PageMaterial::default()
        })
    }

    /// Adds the board of the initial state, for sentences that name its rows and columns.
    pub fn with_board(mut self, board: InitialBoard) -> PageMaterial {
        self.board = board;
        self
    }

    /// Adds the values that players gave to states, a list for each role that has any.
    pub fn with_thoughts(mut self, thoughts: Vec<(usize, String, Vec<Option<f64>>)>) -> PageMaterial {
        self.courses.extend(thoughts.into_iter().map(|(role, name, values)| ValueCourse {
            name,
            role,
            values,
            right: None,
        }));
        self
    }
}

/// Whether one of two roles gets what the other one loses, and both search.
fn is_opposed(play: &Play, structures: &Structures) -> bool {
    let roles = play.estimates.first().map_or(0, Vec::len);
    let searches = |role: usize| play.estimates.iter().any(|state| state[role].is_some());
    roles == 2 && structures.zero_sum && searches(0) && searches(1)
}

/// The value that each role's search expects in each state; a role that does not search there keeps its last one. Searches
/// overrate their own role, so opposed roles share the mean of both views. The last state has the goal values.
fn state_estimates(play: &Play, opposed: bool) -> Vec<Vec<Option<f64>>> {
    if play.estimates.iter().flatten().all(Option::is_none) {
        return Vec::new();
    }
    let mut last = vec![None; play.estimates[0].len()];
    let mut out = Vec::with_capacity(play.states.len());
    for estimates in &play.estimates {
        for (role, estimate) in estimates.iter().enumerate().filter(|(_, estimate)| estimate.is_some()) {
            last[role] = *estimate;
        }
        out.push(match (opposed, &last[..]) {
            (true, &[one, other]) => {
                let views: Vec<f64> = one.into_iter().chain(other.map(|other| 100.0 - other)).collect();
                let mean = views.iter().sum::<f64>() / views.len().max(1) as f64;
                let mean = Some(mean).filter(|_| !views.is_empty());
                vec![mean, mean.map(|mean| 100.0 - mean)]
            }
            _ => last.clone(),
        });
    }
    if let Some(goals) = &play.goals {
        let goal = |values: &Vec<i32>| if let [goal] = values[..] { Some(f64::from(goal)) } else { None };
        last = goals.iter().map(goal).collect();
        out.push(last);
    } else {
        out.extend(out.last().cloned());
    }
    out
}

/// The first statistical functions, then the first learned ones, at most `SUMS` of each.
fn best_sums(analysis: &GameAnalysis) -> impl Iterator<Item = &Function> {
    let of = |is_kind: fn(&Function) -> bool| {
        analysis.functions.list.iter().filter(move |function| is_kind(function))
    };
    of(|function| matches!(function, Function::Statistical(_)))
        .take(SUMS)
        .chain(of(|function| matches!(function, Function::Learned(_))).take(SUMS))
}

/// The weights of a function's facts; `None` if it has no such terms.
fn weights(function: &Function) -> Option<FactWeights> {
    match function {
        Function::Statistical(sum) => statistical_weights(function, sum),
        Function::Learned(learned) => learned_weights(function, learned),
        _ => None,
    }
}

/// The weights of single facts; combinations of facts don't belong to one cell.
fn learned_weights(function: &Function, learned: &LearnedFunction) -> Option<FactWeights> {
    let single = learned.terms.iter().filter_map(|term| match &term.facts[..] {
        // If weights change during the game, the mean of both is drawn.
        [fact] if term.none.is_empty() => Some((Pattern::parse(fact).ok()?, term.weight + term.gain / 2.0)),
        _ => None,
    });
    let terms: Vec<(Pattern, f64)> = single.collect();
    let others = learned.terms.len() - terms.len();
    let (name, of) = (function.id(), "to the log-odds of the best goal value");
    (!terms.is_empty()).then_some(FactWeights { name, of, terms, others })
}

fn statistical_weights(function: &Function, sum: &StatisticalFunction) -> Option<FactWeights> {
    let (zeros, ones) = (vec![0.0; sum.terms.len()], vec![1.0; sum.terms.len()]);
    let factors = sum.contributions(&ones).into_iter().zip(sum.contributions(&zeros));
    let (mut terms, mut others) = (Vec::new(), 0);
    for ((one, zero), term) in factors.zip(&sum.terms) {
        let mut of_term = Vec::new();
        match add(&term.feature.spec, one - zero, &mut of_term) {
            true => terms.extend(of_term),
            false => others += 1,
        }
    }
    let of = "to its value, in goal points";
    (!terms.is_empty()).then(|| FactWeights { name: function.id(), of, terms, others })
}

/// Adds a feature that is a sum over facts, times `factor`; returns false for other features.
fn add(spec: &Spec, factor: f64, terms: &mut Vec<(Pattern, f64)>) -> bool {
    let mut count = |pattern: &str, weight: f64| match Pattern::parse(pattern) {
        Ok(pattern) => {
            terms.push((pattern, weight));
            true
        }
        Err(_) => false,
    };
    match spec {
        Spec::Count { pattern } => count(pattern, factor),
        Spec::Sum { terms: parts } => parts.iter().all(|part| count(&part.pattern, factor * part.weight)),
        Spec::Total { of } => of.iter().all(|part| add(part, factor, terms)),
        Spec::Difference { first, second } => add(first, factor, terms) && add(second, -factor, terms),
        _ => false,
    }
}
