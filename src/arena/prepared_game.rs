//! A game made ready for players: what it is made of, and its evaluation functions.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::analysis::{FunctionSelector, GameAnalysis, SelectError};
use crate::evaluation::kuhlmann::Aim;
use crate::evaluation::{Calibration, CalibrationError, Function, FunctionError, Kind};
use crate::machine::{Machine, MachineError};
use crate::search::{
    AlphaBetaOptions, BackwardSearchError, BestFirstOptions, Deepening, Ensemble, Guide, IdaOptions, Limits,
    Maxn, MaxnOptions, Method, Search, SearchContext, SearchError, SearchResult, Searcher,
    SimultaneousOptions, SimultaneousSearch, SingleAgentSearch, Teams, Uct, UctOptions, Worker,
};
use crate::simulate::Choices;
use crate::structure::finding::Structures;

use super::algorithm::{ALGORITHMS, Algorithm};
use super::auto::SUITABLE;
use super::match_play::MatchError;
use super::search_player::SearchPlayer;
use super::spec::PlayerSpec;

/// An analysed game with all that its players need.
pub struct PreparedGame<'m> {
    machine: &'m dyn Machine,
    analysis: GameAnalysis,
    /// What values mean, by role and the function's name in a player's line, as far as players asked.
    meanings: Mutex<BTreeMap<(usize, String), Calibration>>,
    /// Which of the players that may suit won trial matches, and how many of these there were.
    tried: Mutex<Option<(usize, u32)>>,
    /// What ends trial matches at once.
    interrupt: Option<&'m AtomicBool>,
}

/// Why a player can't be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PrepareError {
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
}

impl<'m> PreparedGame<'m> {
    /// A game as its analysis found it. Players that choose functions by what they are worth need their statistics.
    pub fn new(machine: &'m dyn Machine, analysis: GameAnalysis) -> PreparedGame<'m> {
        let (meanings, tried) = (Mutex::default(), Mutex::default());
        PreparedGame { machine, analysis, meanings, tried, interrupt: None }
    }

    /// The same game, whose trial matches a flag ends at once.
    pub fn interrupted_by(self, interrupt: &'m AtomicBool) -> PreparedGame<'m> {
        PreparedGame { interrupt: Some(interrupt), ..self }
    }

    /// What ends trial matches at once.
    pub(super) fn interrupt(&self) -> Option<&'m AtomicBool> {
        self.interrupt
    }

    /// The game.
    pub fn machine(&self) -> &'m dyn Machine {
        self.machine
    }

    /// What it is made of.
    pub fn structures(&self) -> &Structures {
        &self.analysis.structures
    }

    /// Makes a player for a role; `seed` sets apart those that draw moves.
    ///
    /// # Errors
    /// It is no player for such games, or its evaluation function is not there or does not fit the game.
    pub fn player(
        &self,
        spec: &PlayerSpec,
        role: usize,
        seed: u64,
    ) -> Result<SearchPlayer<'m>, PrepareError> {
        if spec.algorithm == Algorithm::Auto {
            let suited = self.select(spec, role, seed)?;
            let player = self.player(&suited.spec, role, seed)?;
            return Ok(SearchPlayer { name: spec.to_string(), note: Some(suited.why), ..player });
        }
        self.fits(spec.algorithm)?;
        let setting = SearchContext::of(self.machine, &self.analysis.structures, role);
        let roles = setting.allies.len();
        if spec.algorithm.is_for_one() && roles > 1 {
            let fitting = ALGORITHMS.iter().filter(|entry| !entry.algorithm.is_for_one());
            let fitting: Vec<String> = fitting.map(|entry| format!("`{}`", entry.name)).collect();
            let player = spec.algorithm.entry().name;
            return Err(PrepareError::ForOne { player, roles, fitting: fitting.join(", ") });
        }
        let name = spec.function.as_deref().unwrap_or_default();
        let mebibytes = |option: &str| (spec.option(option) * f64::from(1 << 20)) as usize;
        let tree = || AlphaBetaOptions {
            table: mebibytes("table"),
            history: spec.option("history") > 0.0,
            killers: spec.option("killers") > 0.0,
            null_window: spec.option("null") > 0.0,
            ..AlphaBetaOptions::default()
        };
        let search: Box<dyn Search + 'm> = match spec.algorithm {
            Algorithm::Random => Box::new(Random {
                machine: self.machine,
                role,
                choices: Choices::new(seed ^ spec.option("seed") as u64, role as u64),
            }),
            Algorithm::AlphaBeta => {
                let aspires = spec.option("aspiration") > 0.0;
                let method = if aspires { Method::Aspiration } else { Method::Full };
                Box::new(Deepening::new(setting, &self.function(name, role)?, method, tree())?)
            }
            Algorithm::Mtdf => {
                Box::new(Deepening::new(setting, &self.function(name, role)?, Method::Mtdf, tree())?)
            }
            Algorithm::Auto => unreachable!("the selected player is another one"),
            Algorithm::Mixed => {
                let options = SimultaneousOptions {
                    table: mebibytes("table"),
                    seed: seed ^ spec.option("seed") as u64,
                    ..SimultaneousOptions::default()
                };
                Box::new(SimultaneousSearch::new(setting, &self.function(name, role)?, options)?)
            }
            Algorithm::Maxn => {
                let teams = Teams::found(self.machine, &self.analysis.structures, role)?;
                let all = (0..teams.len()).map(|team| self.function(name, teams.stands_for(team)));
                let all: Vec<Function> = all.collect::<Result<_, _>>()?;
                let functions: Vec<&Function> = all.iter().collect();
                let options = MaxnOptions { table: mebibytes("table"), ..MaxnOptions::default() };
                Box::new(Maxn::new(self.machine, role, teams, &functions, options)?)
            }
            Algorithm::Ensemble => {
                let functions = self.best_of_each(role);
                let each = AlphaBetaOptions {
                    table: mebibytes("table") / (functions.len() + 1),
                    ..AlphaBetaOptions::default()
                };
                let mut workers: Vec<Box<dyn Worker + 'm>> = Vec::new();
                for function in functions {
                    let search = Deepening::new(setting.clone(), function, Method::Aspiration, each)?;
                    workers.push(Box::new(Searcher::new(function.id(), Box::new(search))));
                }
                let plain = Deepening::plain(setting, Method::Aspiration, each);
                workers.push(Box::new(Searcher::exhaustive(Box::new(plain))));
                let threads = match spec.option("threads") as usize {
                    0 => std::thread::available_parallelism().map_or(1, usize::from),
                    threads => threads,
                };
                Box::new(Ensemble::new(workers, threads))
            }
            Algorithm::Uct => Box::new(Uct::plain(setting, uct(spec, seed))),
            Algorithm::Guct => {
                let roles = 0..self.machine.description().roles.len();
                let guides: Vec<_> = roles.map(|role| self.guides(spec, role)).collect::<Result<_, _>>()?;
                Box::new(Uct::guided(setting, &guides, uct(spec, seed))?)
            }
            Algorithm::BestFirst => {
                let function = self.function(name, role)?;
                let (ply, deep) = (spec.option("ply"), spec.option("deep") as u32);
                let options = BestFirstOptions { memory: mebibytes("memory"), ply, deep };
                Box::new(SingleAgentSearch::best_first(setting, Some(&function), options)?)
            }
            Algorithm::Ida => {
                let function = self.function(name, role)?;
                let options = IdaOptions { table: mebibytes("table"), scale: spec.option("scale") };
                Box::new(SingleAgentSearch::ida(setting, Some(&function), options)?)
            }
            Algorithm::Bidirectional => {
                Box::new(SingleAgentSearch::bidirectional(setting, mebibytes("memory"))?)
            }
        };
        let given = |name: &str| {
            let has = spec.algorithm.entry().options.iter().any(|option| option.name == name);
            has.then(|| spec.option(name)).filter(|&number| number > 0.0)
        };
        Ok(SearchPlayer {
            name: spec.to_string(),
            line: spec.to_string(),
            note: None,
            search,
            depth: given("depth").map(|depth| depth as u32),
            nodes: given("nodes").map(|nodes| nodes as u64),
            is_instant: spec.algorithm == Algorithm::Random,
        })
    }

    /// Whether an algorithm is one for games with as many teams.
    fn fits(&self, algorithm: Algorithm) -> Result<(), PrepareError> {
        let teams = self.analysis.structures.teams.len().max(1);
        if algorithm.teams().contains(&teams) {
            return Ok(());
        }
        let one = self.machine.description().roles.len() == 1;
        let fits =
            |algorithm: Algorithm| algorithm.teams().contains(&teams) && (one || !algorithm.is_for_one());
        let fitting = ALGORITHMS.iter().filter(|entry| fits(entry.algorithm));
        let fitting: Vec<&str> = fitting.map(|entry| entry.name).collect();
        Err(PrepareError::Unfit {
            player: algorithm.entry().name,
            teams: if teams == 1 { "one team".to_owned() } else { format!("{teams} teams") },
            fitting: fitting.join(", "),
        })
    }

    /// Of the statistical, the fuzzy, and Kuhlmann's maximising and minimising functions of a role the one each that goes
    /// best with its goal value in random play; the best of these first.
    fn best_of_each(&self, role: usize) -> Vec<&Function> {
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

    /// The functions that a role is guided by, each with what its values mean.
    fn guides(&self, spec: &PlayerSpec, role: usize) -> Result<Vec<(Function, Calibration)>, PrepareError> {
        let guide = |name: &str| {
            let function = self.function(name, role)?;
            let meaning = self.meaning(name, &function, role)?;
            Ok((function, meaning))
        };
        spec.function_names().into_iter().map(guide).collect()
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
    fn function(&self, name: &str, role: usize) -> Result<Function, PrepareError> {
        let of = self.machine.term_text(self.machine.description().roles[role]);
        let selector = FunctionSelector::from(name);
        let document = selector.document(&self.analysis.identity, Some(&of)).map_err(Box::new)?;
        match document {
            Some(document) => Ok(document.function),
            None => Ok(selector.best(&self.analysis, &of).map_err(Box::new)?.clone()),
        }
    }
}

fn uct(spec: &PlayerSpec, seed: u64) -> UctOptions {
    let temperature = spec.option("temperature");
    let guide = match spec.algorithm {
        Algorithm::Guct => Guide {
            replace: spec.option("replace"),
            cutoff: spec.option("cutoff"),
            order: spec.option("order") > 0.0,
            prior: spec.option("prior") as u32,
        },
        _ => Guide::default(),
    };
    UctOptions {
        exploration: spec.option("exploration"),
        temperature: (temperature > 0.0).then_some(temperature),
        lanes: spec.option("lanes") as u32,
        memory: (spec.option("memory") * f64::from(1 << 20)) as usize,
        seed: seed ^ spec.option("seed") as u64,
        guide,
        ..UctOptions::default()
    }
}

/// Any legal move, each as likely.
struct Random<'m> {
    machine: &'m dyn Machine,
    role: usize,
    choices: Choices,
}

impl Search for Random<'_> {
    fn search(
        &mut self,
        state: &crate::machine::State,
        _: &Limits<'_>,
        _: &mut dyn FnMut(&SearchResult),
    ) -> Result<SearchResult, SearchError> {
        let mut cursor = self.machine.cursor();
        cursor.set(state)?;
        let legal = cursor.legal(self.role);
        let action = (!legal.is_empty()).then(|| legal[self.choices.below(legal.len())]);
        Ok(SearchResult { action, ..SearchResult::nothing() })
    }
}
