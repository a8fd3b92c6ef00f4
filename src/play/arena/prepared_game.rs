//! A game made ready for players: what it is made of, and its evaluation functions.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::analysis::{FunctionSelector, GameAnalysis, SelectError};
#[cfg(feature = "cluster")]
use crate::evaluation::Document;
use crate::evaluation::kuhlmann::Aim;
use crate::evaluation::{Calibration, CalibrationError, Function, FunctionError, Kind};
use crate::machine::{Machine, MachineError};
use crate::search::BackwardSearchError;
use crate::structure::finding::Structures;

use super::learning::Learning;
use super::match_play::MatchError;
use super::spec_error::SpecError;

/// Kinds of functions that players may be chosen to play by, the most useful one first.
pub const SUITABLE: [Kind; 3] = [Kind::Statistical, Kind::Fuzzy, Kind::Kuhlmann];

/// An analysed game with all that its players need.
pub struct PreparedGame<'m> {
    machine: &'m dyn Machine,
    analysis: GameAnalysis,
    /// What values mean, by role and the function's name in a player's line, as far as players asked.
    meanings: Mutex<BTreeMap<(usize, String), Calibration>>,
    /// Which of the players that may suit won trial matches, and how many of these there were.
    tried: Mutex<Option<(usize, u32)>>,
    /// What ends trial matches at once.
    interrupt: Option<Arc<AtomicBool>>,
    /// What was learned for players that choose by themselves.
    learning: Option<Learning>,
    /// What players think about a move in the match to come, where it is known.
    thinks: Option<Duration>,
}

/// Why a player can't be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PrepareError {
    /// A line that names no player.
    #[error(transparent)]
    Line(#[from] SpecError),
    /// No such evaluation function.
    #[error(transparent)]
    Select(#[from] Box<SelectError>),
    /// A player for one role in a game of several.
    #[error("`{player}` plays games of one role, and this one has {roles}; {fitting} fit it")]
    ForOne {
        /// The algorithm.
        player: &'static str,
        /// Roles of the game.
        roles: usize,
        /// Algorithms that fit.
        fitting: String,
    },
    /// A player that can't do with a role that draws its moves.
    #[error(
        "`{player}` plays no games of chance, and in this one `random` draws its moves; players that do: {fitting}"
    )]
    Chance {
        /// The algorithm.
        player: &'static str,
        /// Algorithms that fit.
        fitting: String,
    },
    /// A player in a game in which something is hidden.
    #[error(
        "`{player}` needs to see all moves, and in this game (GDL-II) some are hidden; only `random` plays it"
    )]
    Hidden {
        /// The algorithm.
        player: &'static str,
    },
    /// A game that can't be searched from its goal.
    #[error("`bidirectional` does not fit this game; `bestfirst` and `ida` do")]
    BackwardSearchError(#[from] BackwardSearchError),
    /// A player for other games.
    #[error("`{player}` is no player for a game with {teams}; players that are: {fitting}")]
    Unfit {
        /// The algorithm.
        player: &'static str,
        /// How many teams the game has.
        teams: String,
        /// Algorithms for such games.
        fitting: String,
    },
    /// A function that a search has to tell where it begins, for one that does not.
    #[error(
        "`{player}` can't play by {function}, whose values depend on the state from which a search begins; `alphabeta` \
         and `greedy` can"
    )]
    SinceRoot {
        /// The algorithm.
        player: String,
        /// The function, as the player's line has it.
        function: String,
    },
    /// Ways to guide playouts that there is none of where they are played hundreds at once.
    #[error(
        "`{player}` plays {lanes} playouts at once here, in which {options} can't guide them; add `lanes=0`, or leave it out"
    )]
    OneByOne {
        /// The algorithm.
        player: &'static str,
        /// Playouts at once.
        lanes: u64,
        /// The options, as they were given.
        options: String,
    },
    /// An option that something else about the player or the game rules out.
    #[error("`{player}` can't have `{option}` here: {because}")]
    Impossible {
        /// The algorithm.
        player: &'static str,
        /// The option, as it was given.
        option: String,
        /// What rules it out.
        because: String,
    },
    /// A function that does not fit the game.
    #[error(transparent)]
    Function(#[from] FunctionError),
    /// Trial matches could not be played.
    #[error(transparent)]
    Trial(MatchError),
    /// What values mean could not be told.
    #[error(transparent)]
    Calibration(#[from] CalibrationError),
    /// A state can't be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// Other computers can't help.
    #[error("{0}")]
    Cluster(String),
}

impl<'m> PreparedGame<'m> {
    /// A game as its analysis found it. Players that choose functions by what they are worth need their statistics.
    pub fn new(machine: &'m dyn Machine, analysis: GameAnalysis) -> PreparedGame<'m> {
        let (meanings, tried) = (Mutex::default(), Mutex::default());
        PreparedGame { machine, analysis, meanings, tried, interrupt: None, learning: None, thinks: None }
    }

    /// The same game, whose trial matches a flag ends at once.
    pub fn interrupted_by(self, interrupt: &Arc<AtomicBool>) -> PreparedGame<'m> {
        PreparedGame { interrupt: Some(Arc::clone(interrupt)), ..self }
    }

    /// The same game with functions that it had not.
    pub fn with_functions(&self, functions: impl IntoIterator<Item = Function>) -> PreparedGame<'m> {
        let mut analysis = self.analysis.clone();
        analysis.functions.list.extend(functions);
        let interrupt = self.interrupt.clone();
        PreparedGame { interrupt, thinks: self.thinks, ..PreparedGame::new(self.machine, analysis) }
    }

    /// The same game, for matches in which players think so long about a move.
    pub fn thinking(self, time: Option<Duration>) -> PreparedGame<'m> {
        PreparedGame { thinks: time, ..self }
    }

    /// What players think about a move in the match to come; none where nobody knows.
    pub(super) fn thinks(&self) -> Option<Duration> {
        self.thinks
    }

    /// The same game, for which functions were learned that players may choose.
    pub(super) fn learned(self, learning: Option<Learning>) -> PreparedGame<'m> {
        PreparedGame { learning, ..self }
    }

    /// What was learned for players that choose by themselves; none where some role has nothing of it.
    pub(super) fn learning(&self) -> Option<&Learning> {
        let mut roles = 0..self.machine.description().roles.len();
        self.learning
            .as_ref()
            .filter(|learning| roles.all(|role| self.function(&learning.name, role).is_ok()))
    }

    /// What ends trial matches at once.
    pub(super) fn interrupt(&self) -> Option<&AtomicBool> {
        self.interrupt.as_deref()
    }

    /// The game.
    pub fn machine(&self) -> &'m dyn Machine {
        self.machine
    }

    /// What it is made of.
    pub fn structures(&self) -> &Structures {
        &self.analysis.structures
    }

    /// Of the statistical, the fuzzy, and Kuhlmann's maximising and minimising functions of a role the one each that goes
    /// best with its goal value in random play; the best of these first.
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
                Some(known) if quality.worth() > known.1 => *known = (function, quality.worth()),
                Some(_) => {}
                None => best.push((function, quality.worth())),
            }
        }
        best.sort_by(|a, b| b.1.total_cmp(&a.1));
        best.into_iter().map(|(function, _)| function).collect()
    }

    /// The functions that names between plus signs mean, each with a number that breaks ties; none is a search that looks at
    /// ends alone. A number after a name says how many searches use it. Without names these are the
    /// [best of each](PreparedGame::best_of_each) and one that looks at ends.
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
            let (name, times) = match part.rsplit_once('*') {
                Some((name, times)) => {
                    (name, times.parse::<u64>().ok().filter(|times| (1..=1000).contains(times)))
                }
                None => (part, Some(1)),
            };
            let wrong = || PrepareError::Impossible {
                player: "ensemble",
                option: format!("functions={names}"),
                because: format!("`{part}` is not a name with a number from 1 to 1000, such as fuzzy*2"),
            };
            let times = times.ok_or_else(wrong)?;
            let functions: Vec<Option<Function>> = match name {
                "exhaustive" => vec![None],
                "kuhlmann" => {
                    let all = self.analysis.functions.list.iter().zip(&self.analysis.statistics);
                    let own = all.filter(|(f, _)| f.kind() == Kind::Kuhlmann && f.role() == of);
                    let mut own: Vec<_> =
                        own.map(|(function, quality)| (function, quality.worth())).collect();
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

    /// A function as a document that another program reads.
    #[cfg(feature = "cluster")]
    pub(super) fn document(&self, function: &Function) -> String {
        let document = Document::of_others(&self.analysis.identity, self.machine, function.clone());
        serde_json::to_string(&document).unwrap_or_default()
    }

    /// A function that a role is guided by, with what its values mean.
    pub(super) fn guide(&self, name: &str, role: usize) -> Result<(Function, Calibration), PrepareError> {
        let function = self.function(name, role)?;
        let meaning = self.meaning(name, &function, role)?;
        Ok((function, meaning))
    }

    /// What values of a function mean, found out once.
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

    /// What trial matches came to, held so that nobody else makes them.
    pub(super) fn tried(&self) -> MutexGuard<'_, Option<(usize, u32)>> {
        self.tried.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there is a function of a kind for a role.
    pub(super) fn has(&self, kind: Kind, role: usize) -> bool {
        let of = self.machine.term_text(self.machine.description().roles[role]);
        self.analysis.functions.list.iter().any(|function| function.kind() == kind && function.role() == of)
    }

    /// The function that a player asks for: a document, one of a name, or the one of a kind whose values correlate best
    /// with the role's goal value in random play.
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
