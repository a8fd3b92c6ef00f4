//! What pages show of a game beside its analysis document, in the words of the rules: states of a play, what joins cells,
//! who owns what, and what functions say.

use crate::analysis::{CalibrationBin, Demonstration, Game, GameAnalysis, Play, PlayedBy, StepCount};
use crate::evaluation::Function;
use crate::evaluation::learned::LearnedFunction;
use crate::evaluation::statistical::StatisticalFunction;
use crate::feature::{Pattern, Spec};
use crate::gdl::term::TermId;
use crate::machine::{FluentId, Machine};
use crate::structure;
use crate::structure::adjacency::board_adjacency;
use crate::structure::argument::ArgumentPosition;
use crate::structure::finding::{Axis, Structures};

use super::super::explained;
use super::super::facts::{Fact, FactReader};
use super::super::tree::Tree;

/// Fluents of a network that are asked which cells there are, at most.
const FLUENTS: usize = 200_000;

/// Functions of a kind whose weights are drawn.
const SUMS: usize = 2;

/// What is shown of a game.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// The roles, in the order of the rules.
    pub(super) roles: Vec<String>,
    /// Facts that can hold, as far as they are known; they tell which cells there are.
    pub(super) known: Vec<Fact>,
    /// For fluents by their positions among those found the cells that are joined, by the positions of their coordinates in the
    /// domains.
    pub(super) joined: Vec<(usize, Vec<CellPair>)>,
    /// Patterns of the facts of things, each with the role that owns it, by its number.
    pub(super) owners: Vec<(Pattern, usize)>,
    /// A play to step through.
    pub(super) play: ShownPlay,
    /// What is said along the play.
    pub(super) courses: Vec<ShownCourse>,
    /// What values were worth.
    pub(super) calibrated: Vec<ShownCalibration>,
    /// What the values of a state are made of.
    pub(super) explained: Vec<ShownTree>,
    /// Sums over facts, by function.
    pub(super) weights: Vec<ShownWeights>,
    /// What every step of random playouts is like.
    pub(super) steps: Vec<StepCount>,
    /// Playouts that this rests on.
    pub(super) playouts: u64,
    /// What was left out.
    pub(super) notes: Vec<String>,
}

/// Two cells, by the positions of their coordinates in the domains.
pub(super) type CellPair = [Vec<Option<usize>>; 2];

/// A play in text.
#[derive(Clone, Debug, Default)]
pub(super) struct ShownPlay {
    /// What it is, as the end of a sentence: `random playout 17 of seed 1, of median length`.
    pub(super) title: String,
    /// Its states.
    pub(super) states: Vec<ShownState>,
    /// The joint moves between them.
    pub(super) moves: Vec<Vec<String>>,
    /// The goal values of every role at the end.
    pub(super) goals: Option<Vec<Vec<i32>>>,
    /// Joint moves that are left out at its end.
    pub(super) left_out: usize,
}

/// A state in text.
#[derive(Clone, Debug, Default)]
pub(super) struct ShownState {
    pub(super) facts: Vec<Fact>,
    /// The roles that have a choice, by number.
    pub(super) choosing: Vec<usize>,
}

/// What somebody says of every state of a play, in goal points.
#[derive(Clone, Debug)]
pub(super) struct ShownCourse {
    pub(super) name: String,
    /// The role that it is said for, by number.
    pub(super) role: usize,
    pub(super) values: Vec<Option<f64>>,
    /// In how many states it was on the side of the result, and of how many.
    pub(super) right: Option<[usize; 2]>,
}

#[derive(Clone, Debug)]
pub(super) struct ShownCalibration {
    pub(super) name: String,
    pub(super) role: usize,
    pub(super) states: usize,
    pub(super) bins: Vec<CalibrationBin>,
}

#[derive(Clone, Debug)]
pub(super) struct ShownTree {
    pub(super) name: String,
    pub(super) step: usize,
    pub(super) tree: Tree,
}

/// The part of a function that is a sum over facts.
#[derive(Clone, Debug)]
pub(super) struct ShownWeights {
    pub(super) name: String,
    /// To what they add, and in which unit.
    pub(super) of: &'static str,
    /// Patterns of facts, with what each fact adds.
    pub(super) terms: Vec<(Pattern, f64)>,
    /// Terms that are something else.
    pub(super) others: usize,
}

impl Shown {
    /// What a demonstration shows of a game.
    pub fn new(game: &Game<'_>, found: &GameAnalysis, shown: &Demonstration) -> Shown {
        let list = &found.functions.list;
        let role =
            |function: usize| game.roles().iter().position(|role| role == list[function].role()).unwrap_or(0);
        let play = &shown.play;
        let title = match play.by {
            PlayedBy::Functions => {
                "a game of median length in which every role with a function below follows it one move \
                                    ahead"
                    .to_owned()
            }
            PlayedBy::Search => "the best play that search found".to_owned(),
            PlayedBy::Random | PlayedBy::Given => {
                format!("random playout {} of seed {}, of median length", play.number, play.seed)
            }
        };
        Shown {
            owners: found.features.owners.clone(),
            courses: (shown.courses.iter())
                .map(|course| ShownCourse {
                    name: list[course.function].id(),
                    role: role(course.function),
                    values: course.values.clone(),
                    right: course.right,
                })
                .collect(),
            calibrated: (shown.calibrated.iter())
                .map(|found| ShownCalibration {
                    name: list[found.function].id(),
                    role: role(found.function),
                    states: found.states,
                    bins: found.bins.clone(),
                })
                .collect(),
            explained: (shown.explained.iter())
                .map(|state| ShownTree {
                    name: list[state.function].id(),
                    step: state.step,
                    tree: explained::tree(&state.explanation),
                })
                .collect(),
            weights: best_sums(found).filter_map(weights).collect(),
            steps: shown.steps.clone(),
            playouts: shown.playouts,
            notes: shown.notes.clone(),
            ..Shown::of_play(game, &found.structures, play, title)
        }
    }

    /// A play of a game alone.
    pub fn of_play(game: &Game<'_>, structures: &Structures, play: &Play, title: String) -> Shown {
        let machine = game.machine;
        let reader = FactReader::new(machine, structures);
        let states = play.states.iter().zip(&play.choosing);
        let states: Vec<ShownState> = states
            .map(|(state, choosing)| ShownState { facts: reader.facts(state), choosing: choosing.clone() })
            .collect();
        let joint = |joint: &Vec<_>| joint.iter().map(|&action| machine.move_text(action)).collect();
        let rules = structure::Game { machine, statics: game.statics };
        let joined = structures.fluents.iter().enumerate().filter_map(|(fluent, finding)| {
            let of_board = || board_adjacency(&rules, structures, finding);
            let adjacency = finding.adjacency.clone().or_else(of_board)?;
            let cell = |fact: &[TermId], arguments: &[ArgumentPosition]| {
                let coordinates = finding.axes.iter().zip(arguments);
                let position = |(axis, argument): (&Axis, &ArgumentPosition)| {
                    reader.position(fluent, axis.argument.index(), fact[argument.index()])
                };
                coordinates.map(position).collect()
            };
            let pair = |fact: &[TermId]| [cell(fact, &adjacency.from), cell(fact, &adjacency.to)];
            // In the order of the facts.
            Some((fluent, game.statics.tuples(adjacency.relation).map(pair).collect()))
        });
        Shown {
            roles: game.roles(),
            known: known(machine, &reader),
            joined: joined.collect(),
            play: ShownPlay {
                title,
                states,
                moves: play.moves.iter().map(joint).collect(),
                goals: play.goals.clone(),
                left_out: play.left_out,
            },
            ..Shown::default()
        }
    }

    /// Adds what players thought of the states of a play, a list for each role that has any.
    pub fn with_thoughts(mut self, thoughts: Vec<(usize, String, Vec<Option<f64>>)>) -> Shown {
        self.courses.extend(thoughts.into_iter().map(|(role, name, values)| ShownCourse {
            name,
            role,
            values,
            right: None,
        }));
        self
    }
}

/// The fluents of a network; of other games only what is seen is known.
fn known(machine: &dyn Machine, reader: &FactReader<'_>) -> Vec<Fact> {
    let fluents = machine.network().map_or(0, |network| network.fluents.len());
    match fluents <= FLUENTS {
        true => (0..fluents as u32).map(|number| reader.fact(FluentId(number))).collect(),
        false => Vec::new(),
    }
}

/// For every role its statistical function, then its learned one, in the order of the functions.
fn best_sums(found: &GameAnalysis) -> impl Iterator<Item = &Function> {
    let of =
        |wanted: fn(&Function) -> bool| found.functions.list.iter().filter(move |function| wanted(function));
    of(|function| matches!(function, Function::Statistical(_)))
        .take(SUMS)
        .chain(of(|function| matches!(function, Function::Learned(_))).take(SUMS))
}

/// The part of a function that is a sum over facts; none where there is no such part.
fn weights(function: &Function) -> Option<ShownWeights> {
    match function {
        Function::Statistical(sum) => statistical_weights(function, sum),
        Function::Learned(learned) => learned_weights(function, learned),
        _ => None,
    }
}

/// The weights of single facts; pairs and threes of facts are of no cell.
fn learned_weights(function: &Function, learned: &LearnedFunction) -> Option<ShownWeights> {
    let single = learned.terms.iter().filter_map(|term| match &term.facts[..] {
        // Halfway, where weights change in the course of play.
        [fact] if term.none.is_empty() => Some((Pattern::parse(fact).ok()?, term.weight + term.gain / 2.0)),
        _ => None,
    });
    let terms: Vec<(Pattern, f64)> = single.collect();
    let others = learned.terms.len() - terms.len();
    let (name, of) = (function.id(), "to the log-odds of the best goal value");
    (!terms.is_empty()).then_some(ShownWeights { name, of, terms, others })
}

fn statistical_weights(function: &Function, sum: &StatisticalFunction) -> Option<ShownWeights> {
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
    (!terms.is_empty()).then(|| ShownWeights { name: function.id(), of, terms, others })
}

/// Adds a feature that is a sum over facts, so many times; false for one that is something else.
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
