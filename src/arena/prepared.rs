//! A game made ready for players: what it is made of, and its evaluation functions.

use std::path::Path;

use crate::evaluation::document::LoadError;
use crate::evaluation::{
    Document, Function, FunctionError, Functions, GameIdentity, Kind, Material, Parameters, Quality,
    QualityError, functions, qualities,
};
use crate::feature::{Feature, FeatureReport};
use crate::machine::Machine;
use crate::search::{
    Deepening, Guide, Limits, Method, Search, SearchError, Setting, Thought, TreeOptions, Uct, UctOptions,
};
use crate::simulate::{Budget, Choices, Context, Sequence};
use crate::structure::finding::Structures;

use super::algorithm::Algorithm;
use super::contest::Player;
use super::spec::PlayerSpec;

/// A game with all that its players need.
pub struct Prepared<'m> {
    machine: &'m dyn Machine,
    identity: GameIdentity,
    structures: Structures,
    functions: Functions,
    qualities: Vec<Quality>,
}

/// Why a player can't be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PrepareError {
    /// A document that can't be used.
    #[error(transparent)]
    Document(#[from] Box<LoadError>),
    /// A document for another game.
    #[error(transparent)]
    OtherGame(#[from] crate::evaluation::DocumentError),
    /// A document for another role.
    #[error("{path} is a function for {found}, not for {role}")]
    OtherRole {
        /// The file.
        path: String,
        /// Its role.
        found: String,
        /// The player's role.
        role: String,
    },
    /// No function of this name.
    #[error("the game has no evaluation function `{name}` for {role}; it has {known}")]
    NoFunction {
        /// What was said.
        name: String,
        /// The player's role.
        role: String,
        /// Kinds that it has.
        known: String,
    },
    /// A function that does not fit the game.
    #[error(transparent)]
    Function(#[from] FunctionError),
    /// Functions could not be compared.
    #[error(transparent)]
    Quality(#[from] QualityError),
}

impl<'m> Prepared<'m> {
    /// Makes all functions of a game and measures them on sequences of states.
    ///
    /// # Errors
    /// A state can't be evaluated.
    pub fn new(
        machine: &'m dyn Machine,
        identity: GameIdentity,
        structures: Structures,
        features: &FeatureReport,
        sequences: &[Sequence],
        budget: &Budget,
        context: Context<'_>,
    ) -> Result<Prepared<'m>, PrepareError> {
        let features: Vec<Feature> =
            features.features.iter().map(|measured| measured.feature.clone()).collect();
        let material = Material { machine, structures: &structures, features: &features, budget, context };
        let functions = functions(&material, &Parameters::default());
        let qualities = qualities(machine, &functions.list, sequences, budget)?;
        Ok(Prepared { machine, identity, structures, functions, qualities })
    }

    /// The game.
    pub fn machine(&self) -> &'m dyn Machine {
        self.machine
    }

    /// What it is made of.
    pub fn structures(&self) -> &Structures {
        &self.structures
    }

    /// Makes a player for a role; `seed` sets apart those that draw moves.
    ///
    /// # Errors
    /// Its evaluation function is not there, or does not fit the game.
    pub fn player(&self, spec: &PlayerSpec, role: usize, seed: u64) -> Result<Player<'m>, PrepareError> {
        let setting = Setting::of(self.machine, &self.structures, role);
        let tree = || TreeOptions {
            table: (spec.option("table") * f64::from(1 << 20)) as usize,
            history: spec.option("history") > 0.0,
            killers: spec.option("killers") > 0.0,
            null_window: spec.option("null") > 0.0,
            ..TreeOptions::default()
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
                Box::new(Deepening::new(setting, &self.function(spec, role)?, method, tree())?)
            }
            Algorithm::Mtdf => {
                Box::new(Deepening::new(setting, &self.function(spec, role)?, Method::Mtdf, tree())?)
            }
            Algorithm::Uct => Box::new(Uct::plain(setting, uct(spec, seed))),
            Algorithm::Guct => {
                let roles = 0..self.machine.description().roles.len();
                let all = roles.map(|role| self.function(spec, role));
                let all: Vec<Function> = all.collect::<Result<_, _>>()?;
                let guides: Vec<&Function> = all.iter().collect();
                Box::new(Uct::guided(setting, &guides, uct(spec, seed))?)
            }
        };
        let given = |name: &str| {
            let has = spec.algorithm.entry().options.iter().any(|option| option.name == name);
            has.then(|| spec.option(name)).filter(|&number| number > 0.0)
        };
        Ok(Player {
            name: spec.to_string(),
            search,
            depth: given("depth").map(|depth| depth as u32),
            nodes: given("nodes").map(|nodes| nodes as u64),
        })
    }

    /// The function that a player asks for: a document, one of a name, or the one of a kind that goes best with the
    /// role's goal value in random play.
    fn function(&self, spec: &PlayerSpec, role: usize) -> Result<Function, PrepareError> {
        let name = spec.function.as_deref().unwrap_or_default();
        let of = self.machine.term_text(self.machine.description().roles[role]);
        let path = Path::new(name);
        if path.is_file() || name.ends_with(".json") || name.contains(['/', '\\']) {
            let document = Document::load(path).map_err(Box::new)?;
            document.is_for(&self.identity)?;
            if document.role != of {
                let path = name.to_owned();
                return Err(PrepareError::OtherRole { path, found: document.role, role: of });
            }
            return Ok(document.function);
        }
        let all =
            || self.functions.list.iter().zip(&self.qualities).filter(|(function, _)| function.role() == of);
        let exact = all().find(|(function, _)| function.id() == name);
        let of_kind = || {
            let kind = all().filter(|(function, _)| function.kind().name() == name);
            // Of several as good the first.
            kind.reduce(|best, other| if other.1.worth() > best.1.worth() { other } else { best })
        };
        let found = exact.or_else(of_kind).map(|(function, _)| function.clone());
        found.ok_or_else(|| {
            let mut known: Vec<Kind> = all().map(|(function, _)| function.kind()).collect();
            known.dedup();
            let known: Vec<&str> = known.iter().map(|kind| kind.name()).collect();
            PrepareError::NoFunction { name: name.to_owned(), role: of.clone(), known: known.join(", ") }
        })
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
    fn is_instant(&self) -> bool {
        true
    }

    fn think(
        &mut self,
        state: &crate::machine::State,
        _: &Limits<'_>,
        _: &mut dyn FnMut(&Thought),
    ) -> Result<Thought, SearchError> {
        let mut cursor = self.machine.cursor();
        cursor.set(state)?;
        let legal = cursor.legal(self.role);
        let action = (!legal.is_empty()).then(|| legal[self.choices.below(legal.len())]);
        Ok(Thought { action, ..Thought::nothing() })
    }
}
