//! A game prepared for players: its structures and its evaluation functions.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::analysis::{FunctionSelector, GameAnalysis, SelectError};
#[cfg(feature = "cluster")]
use crate::evaluation::Document;
use crate::evaluation::scaled_feature::Aim;
use crate::evaluation::{Calibration, CalibrationError, Function, FunctionError, Kind};
use crate::machine::{Machine, MachineError};
use crate::search::BackwardSearchError;
use crate::structure::finding::Structures;

use super::learning::Learning;
use super::match_play::MatchError;
use super::spec_error::SpecError;

/// What separates a function of an ensemble and its number of searches. `:` needs no quotes in any shell.
pub(super) const REPEATS: [char; 2] = [':', '*'];

/// Kinds of functions that a player may choose, the most useful one first.
pub const SUITABLE: [Kind; 3] = [Kind::Statistical, Kind::Fuzzy, Kind::Kuhlmann];

/// An analysed game with everything that its players need.
pub struct PreparedGame<'m> {
    machine: &'m dyn Machine,
    analysis: GameAnalysis,
    /// Calibrations by role and name of the function, computed on demand.
    meanings: Mutex<BTreeMap<(usize, String), Calibration>>,
    /// The candidate that won the trial matches, and the number of matches.
    tried: Mutex<Option<(usize, u32)>>,
    /// Interrupts trial matches.
    interrupt: Option<Arc<AtomicBool>>,
    /// The results of learning for the player `auto`.
    learning: Option<Learning>,
    /// The time per move in the next match, if known.
    thinks: Option<Duration>,
}

/// Why a player can't be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PrepareError {
    /// A line that names no player.
    #[error(transparent)]
    Line(#[from] SpecError),
    /// The evaluation function does not exist.
    #[error(transparent)]
    Select(#[from] Box<SelectError>),
    /// A single-player algorithm in a game of several roles.
    #[error("`{player}` plays games of one role, and this game has {roles}; use one of {fitting}")]
    ForOne {
        /// The algorithm.
        player: &'static str,
        /// Roles of the game.
        roles: usize,
        /// Algorithms that fit.
        fitting: String,
    },
    /// The algorithm can't play games of chance.
    #[error(
        "`{player}` plays no games of chance, and in this one `random` draws its moves; players that do: {fitting}"
    )]
    Chance {
        /// The algorithm.
        player: &'static str,
        /// Algorithms that fit.
        fitting: String,
    },
    /// The algorithm can't play games with hidden information.
    #[error(
        "`{player}` needs to see all moves, and in this game (GDL-II) some are hidden; only `random` plays it"
    )]
    Hidden {
        /// The algorithm.
        player: &'static str,
    },
    /// The game can't be searched from its goal.
    #[error("`bidirectional` can't play this game; use `bestfirst` or `ida`")]
    BackwardSearchError(#[from] BackwardSearchError),
    /// The algorithm can't play games with this number of teams.
    #[error("`{player}` can't play a game with {teams}; use one of {fitting}")]
    Unfit {
        /// The algorithm.
        player: &'static str,
        /// The number of teams, in words.
        teams: String,
        /// Algorithms that can.
        fitting: String,
    },
    /// The function's values depend on the root of a search, and the algorithm does not support that.
    #[error(
        "`{player}` can't play by {function}, whose values depend on the state from which a search begins; `alphabeta`, \
         `mtdf` and `greedy` can"
    )]
    SinceRoot {
        /// The algorithm.
        player: String,
        /// The function, as the player's line has it.
        function: String,
    },
    /// Options that guide single playouts, in a game in which playouts run in lanes.
    #[error(
        "`{player}` plays {lanes} playouts at once here, in which {options} can't guide them; add `lanes=0`, or leave it out"
    )]
    OneByOne {
        /// The algorithm.
        player: &'static str,
        /// Playouts at once.
        lanes: u64,
        /// The given options.
        options: String,
    },
    /// An option that another one, or the game, rules out.
    #[error("`{player}` can't have `{option}` here: {because}")]
    Impossible {
        /// The algorithm.
        player: &'static str,
        /// The given option.
        option: String,
        /// The reason.
        because: String,
    },
    /// A function that does not fit the game.
    #[error(transparent)]
    Function(#[from] FunctionError),
    /// Trial matches failed.
    #[error(transparent)]
    Trial(MatchError),
    /// A function can't be calibrated.
    #[error(transparent)]
    Calibration(#[from] CalibrationError),
    /// A state can't be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The cluster can't be used.
    #[error("{0}")]
    Cluster(String),
}

impl<'m> PreparedGame<'m> {
    /// A game with its analysis. Players that choose functions need the functions' statistics.
    pub fn new(machine: &'m dyn Machine, analysis: GameAnalysis) -> PreparedGame<'m> {
        let (meanings, tried) = (Mutex::default(), Mutex::default());
        PreparedGame { machine, analysis, meanings, tried, interrupt: None, learning: None, thinks: None }
    }

    /// Sets a flag that interrupts trial matches.
    pub fn interrupted_by(self, interrupt: &Arc<AtomicBool>) -> PreparedGame<'m> {
        PreparedGame { interrupt: Some(Arc::clone(interrupt)), ..self }
    }

    /// The same game with additional functions.
    pub fn with_functions(&self, functions: impl IntoIterator<Item = Function>) -> PreparedGame<'m> {
        let mut analysis = self.analysis.clone();
        analysis.functions.list.extend(functions);
        let interrupt = self.interrupt.clone();
        PreparedGame { interrupt, thinks: self.thinks, ..PreparedGame::new(self.machine, analysis) }
    }

    /// Sets the time per move.
    pub fn thinking(self, time: Option<Duration>) -> PreparedGame<'m> {
        PreparedGame { thinks: time, ..self }
    }

    /// The time per move in the next match; none if unknown.
    pub(super) fn thinks(&self) -> Option<Duration> {
        self.thinks
    }

    /// Adds learned functions that players may choose.
    pub(super) fn learned(self, learning: Option<Learning>) -> PreparedGame<'m> {
        PreparedGame { learning, ..self }
    }

    /// The results of learning for the player `auto`; none if a role lacks a learned function.
    pub(super) fn learning(&self) -> Option<&Learning> {
        let mut roles = 0..self.machine.description().roles.len();
        self.learning
            .as_ref()
            .filter(|learning| roles.all(|role| self.function(&learning.name, role).is_ok()))
    }

    /// Interrupts trial matches.
    pub(super) fn interrupt(&self) -> Option<&AtomicBool> {
        self.interrupt.as_deref()
    }

    /// The game.
    pub fn machine(&self) -> &'m dyn Machine {
        self.machine
    }

    /// The structures of the game.
    pub fn structures(&self) -> &Structures {
        &self.analysis.structures
    }

    /// The best statistical, fuzzy, and Kuhlmann's maximising and minimising function of a role, by correlation with its
    /// goal value in random play; the best of these first.
    pub(super) fn best_of_each(&self, role: usize) -> Vec<&Function> {
        let of = self.machine.term_text(self.machine.description().roles[role]);
        let all = self.analysis.functions.list.iter().zip(&self.analysis.statistics);
        let mut best: Vec<(&Function, f64)> = Vec::new();
        let sort = |function: &Function| match function {
            Function::Feature(feature) => (Kind::Kuhlmann, feature.aim == Aim::Maximise),
            other => (other.kind(), true),
        };
        let asked = |function: &Function| SUITABLE.contains(&function.kind());
        for (function, quality) in all.filter(|(function, _)| function.role() == of && asked(function)) {
            match best.iter_mut().find(|(known, _)| sort(known) == sort(function)) {
                Some(known) if quality.goal_correlation() > known.1 => {
                    *known = (function, quality.goal_correlation())
                }
                Some(_) => {}
                None => best.push((function, quality.goal_correlation())),
            }
        }
        best.sort_by(|a, b| b.1.total_cmp(&a.1));
        best.into_iter().map(|(function, _)| function).collect()
    }

    /// The functions with these names, joined by `+`, each with a number that breaks ties; none is a search without a
    /// function. `fuzzy:2` is two searches with the same function. Without names these are the [best of
    /// each](PreparedGame::best_of_each) and one without a function.
    pub(super) fn chosen(
        &self,
        role: usize,
        names: &str,
    ) -> Result<Vec<(Option<Function>, u64)>, PrepareError> {
        if names.is_empty() {
            let best = self.best_of_each(role).into_iter().map(|function| (Some(function.clone()), 0));
            return Ok(best.chain([(None, 0)]).collect());
        }
        let of = self.machine.term_text(self.machine.description().roles[role]);
        let mut chosen = Vec::new();
        for part in names.split('+').map(str::trim) {
            let (name, times) = match part.rsplit_once(REPEATS) {
                Some((name, times)) => {
                    (name, times.parse::<u64>().ok().filter(|times| (1..=1000).contains(times)))
                }
                None => (part, Some(1)),
            };
            let wrong = || PrepareError::Impossible {
                player: "ensemble",
                option: format!("functions={names}"),
                because: format!("`{part}` is not a name with a number from 1 to 1000, such as fuzzy:2"),
            };
            let times = times.ok_or_else(wrong)?;
            let functions: Vec<Option<Function>> = match name {
                "exhaustive" => vec![None],
                "kuhlmann" => {
                    let all = self.analysis.functions.list.iter().zip(&self.analysis.statistics);
                    let own = all.filter(|(f, _)| f.kind() == Kind::Kuhlmann && f.role() == of);
                    let mut own: Vec<_> =
                        own.map(|(function, quality)| (function, quality.goal_correlation())).collect();
                    own.sort_by(|a, b| b.1.total_cmp(&a.1));
                    own.into_iter().map(|(function, _)| Some(function.clone())).collect()
                }
                name => vec![Some(self.function(name, role)?)],
            };
            for ties in 0..times {
                chosen.extend(functions.iter().map(|function| (function.clone(), ties * 0x9e37_79b9)));
            }
        }
        if chosen.is_empty() { Ok(vec![(None, 0)]) } else { Ok(chosen) }
    }

    /// A function as a document for another program.
    #[cfg(feature = "cluster")]
    pub(super) fn document(&self, function: &Function) -> String {
        let document = Document::of_others(&self.analysis.identity, self.machine, function.clone());
        serde_json::to_string(&document).unwrap_or_default()
    }

    /// A function for guiding a role, with its calibration.
    pub(super) fn guide(&self, name: &str, role: usize) -> Result<(Function, Calibration), PrepareError> {
        let function = self.function(name, role)?;
        let meaning = self.meaning(name, &function, role)?;
        Ok((function, meaning))
    }

    /// The calibration of a function, computed once.
    fn meaning(&self, name: &str, function: &Function, role: usize) -> Result<Calibration, PrepareError> {
        let key = (role, name.to_owned());
        let known = || self.meanings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&meaning) = known().get(&key) {
            return Ok(meaning);
        }
        let meaning = Calibration::fit(self.machine, function, role, &self.analysis.features.sequences)?;
        known().insert(key, meaning);
        Ok(meaning)
    }

    /// The result of trial matches, locked so that they run only once.
    pub(super) fn tried(&self) -> MutexGuard<'_, Option<(usize, u32)>> {
        self.tried.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there is a function of a kind for a role.
    pub(super) fn has(&self, kind: Kind, role: usize) -> bool {
        let of = self.machine.term_text(self.machine.description().roles[role]);
        self.analysis.functions.list.iter().any(|function| function.kind() == kind && function.role() == of)
    }

    /// The function of a player's line: a document, a name, or for a kind the function whose values correlate best with
    /// the role's goal value in random play.
    pub(super) fn function(&self, name: &str, role: usize) -> Result<Function, PrepareError> {
        let of = self.machine.term_text(self.machine.description().roles[role]);
        let selector: FunctionSelector = name.parse().map_err(SpecError::Tuning)?;
        let document = selector.document(&self.analysis.identity, Some(&of)).map_err(Box::new)?;
        match document {
            Some(document) => Ok(document.function),
            None => Ok(selector.best(&self.analysis, &of).map_err(Box::new)?.clone()),
        }
    }
}
