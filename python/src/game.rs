//! A loaded game.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ggp::analysis::{AnalysisContext, Clock, FunctionSelector, GameAnalysis, LoadedGame, Plan, analyze};
use ggp::evaluation::Document;
use ggp::evaluation::learned::{LearnedFunction, LearnedParameters, LearnedTerm};
use ggp::gdl::diagnostic::Severity;
use ggp::gdl::{Negation, Source, read};
use ggp::ground::{Interrupt, Limits, Network};
use ggp::machine::{Backend, FluentId, MoveId, load};
use ggp::report::analysis::Analysis;
use ggp::report::diagnostics::{CheckedFile, text};
use ggp::simulate::{MoveReader, StateReader};
use pyo3::exceptions::{PyKeyError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::function::Function;
use crate::state::State;
use crate::work::{long, long_with, words};
use crate::{FunctionError, GgpError, MoveError, RulesError, StateError};

/// A game that can be played.
#[pyclass(frozen, module = "ggp")]
pub(crate) struct Game {
    pub(crate) game: Arc<LoadedGame>,
    /// The machine checks this while it makes code for lanes.
    pub(crate) interrupt: Arc<AtomicBool>,
}

/// The options of loading.
struct Loading {
    backend: Backend,
    ground_limit: Option<usize>,
    ground_seconds: Option<f64>,
}

impl Game {
    fn load(py: Python<'_>, path: String, source: Source, loading: &Loading) -> PyResult<Game> {
        let interrupt = Arc::new(AtomicBool::new(false));
        let loaded = long_with(py, &interrupt, || {
            let reading = read(&source);
            let Some(description) = reading.description else {
                let errors =
                    reading.diagnostics.into_iter().filter(|fault| fault.severity == Severity::Error);
                return Err(text(&[CheckedFile::Read(source, errors.collect())], false));
            };
            let usual = Limits::default();
            let limits = Limits {
                atoms: loading.ground_limit.unwrap_or(usual.atoms),
                seconds: loading.ground_seconds.unwrap_or(usual.seconds),
                interrupt: Interrupt::of(Some(&interrupt)),
                ..usual
            };
            let loaded = load(description, loading.backend, &limits).map_err(|error| words(&error))?;
            Ok(LoadedGame::new(path, &source, loaded))
        })?;
        let game = loaded.map_err(RulesError::new_err)?;
        Ok(Game { game: Arc::new(game), interrupt })
    }

    fn plan(&self, play: &Play, base: Plan) -> Plan {
        Plan {
            playouts: play.playouts,
            seed: play.seed,
            threads: play.threads,
            clock: play.seconds.map_or(Clock::Counted, Clock::Seconds),
            ..base
        }
    }

    fn analysis(&self, plan: &Plan, interrupt: &Arc<AtomicBool>) -> Result<GameAnalysis, String> {
        let context = AnalysisContext { interrupt: Some(interrupt), ..AnalysisContext::default() };
        analyze(&self.game.game(), plan, &context).map_err(|error| words(&error))
    }
}

/// The options of random play.
struct Play {
    playouts: Option<u64>,
    seconds: Option<f64>,
    seed: u64,
    threads: usize,
}

impl Play {
    fn new(playouts: Option<u64>, seconds: Option<f64>, seed: u64, threads: usize) -> PyResult<Play> {
        if playouts == Some(0) {
            return Err(PyValueError::new_err("playouts must be above 0"));
        }
        if seconds.is_some_and(|seconds| !(seconds > 0.0 && seconds.is_finite())) {
            return Err(PyValueError::new_err("seconds must be above 0, such as 2.5"));
        }
        Ok(Play { playouts, seconds, seed, threads })
    }
}

fn backend(name: &str) -> PyResult<Backend> {
    match name {
        "auto" => Ok(Backend::Auto),
        "network" => Ok(Backend::Network),
        "relational" => Ok(Backend::Relational),
        _ => {
            Err(PyValueError::new_err(format!("`{name}` is not a back end; use auto, network or relational")))
        }
    }
}

fn negation(name: &str) -> PyResult<Negation> {
    let known = "use language or in-place";
    Negation::named(name)
        .ok_or_else(|| PyValueError::new_err(format!("`{name}` is not a reading of negations; {known}")))
}

#[pymethods]
impl Game {
    /// Reads a game from a file of rules in GDL (prefix KIF).
    #[staticmethod]
    #[pyo3(signature = (path, *, backend = "auto", ground_limit = None, ground_seconds = None, case_sensitive = false, negation = "language"))]
    fn from_file(
        py: Python<'_>,
        path: PathBuf,
        backend: &str,
        ground_limit: Option<usize>,
        ground_seconds: Option<f64>,
        case_sensitive: bool,
        negation: &str,
    ) -> PyResult<Game> {
        let loading = Loading { backend: self::backend(backend)?, ground_limit, ground_seconds };
        let negation = self::negation(negation)?;
        let source = Source::load(&path)
            .map_err(|error| PyOSError::new_err(format!("{} can't be read: {error}", path.display())))?;
        Game::load(
            py,
            path.display().to_string(),
            source.case_sensitive(case_sensitive).with_negation(negation),
            &loading,
        )
    }

    /// Reads a game from the text of its rules.
    #[allow(clippy::too_many_arguments, reason = "Python's keywords")]
    #[staticmethod]
    #[pyo3(signature = (text, name = "game", *, backend = "auto", ground_limit = None, ground_seconds = None, case_sensitive = false, negation = "language"))]
    fn from_text(
        py: Python<'_>,
        text: &str,
        name: &str,
        backend: &str,
        ground_limit: Option<usize>,
        ground_seconds: Option<f64>,
        case_sensitive: bool,
        negation: &str,
    ) -> PyResult<Game> {
        let loading = Loading { backend: self::backend(backend)?, ground_limit, ground_seconds };
        let negation = self::negation(negation)?;
        let source = Source::from_text(name, text).case_sensitive(case_sensitive).with_negation(negation);
        Game::load(py, name.to_owned(), source, &loading)
    }

    /// The name of the game: its file name without the extension, or the given name.
    #[getter]
    fn name(&self) -> String {
        self.game.machine().description().name.clone()
    }

    /// The path of the file; for a game from text, its name.
    #[getter]
    fn path(&self) -> &str {
        &self.game.path
    }

    /// The roles, in the order of the rules.
    #[getter]
    fn roles(&self) -> Vec<String> {
        self.game.roles()
    }

    /// The machine that runs the game: `network` or `relational`.
    #[getter]
    fn backend(&self) -> &'static str {
        self.game.machine().backend()
    }

    /// What loading left out, and why.
    #[getter]
    fn notes(&self) -> Vec<String> {
        let loaded = &self.game.loaded;
        let fallback = loaded.fallback.as_ref();
        let fallback =
            fallback.map(|reason| format!("the game is played by the relational machine: {reason}"));
        fallback.into_iter().chain(loaded.left_out.clone()).collect()
    }

    /// The initial state.
    #[getter]
    fn initial(&self) -> State {
        State::new(self.game.clone(), self.game.machine().initial().clone())
    }

    /// A state from atoms.
    fn state(&self, atoms: &Bound<'_, PyAny>) -> PyResult<State> {
        let reader = StateReader::new(self.game.machine());
        let state = match atoms.extract::<String>() {
            Ok(text) => reader.read(&text),
            Err(_) => reader.of_atoms(&atoms.extract::<Vec<String>>()?),
        };
        let state = state.map_err(|error| StateError::new_err(words(&error)))?;
        Ok(State::new(self.game.clone(), state))
    }

    /// The state after moves.
    #[pyo3(signature = (moves, state = None))]
    fn play(&self, moves: &str, state: Option<&State>) -> PyResult<State> {
        let from = match state {
            None => self.game.machine().initial(),
            Some(state) => state.of(&self.game)?,
        };
        let found = MoveReader::new(self.game.machine()).play(moves, from);
        let found = found.map_err(|error| MoveError::new_err(words(&error)))?;
        Ok(State::new(self.game.clone(), found))
    }

    /// Plays random games, finds the structures of the game, and makes and measures evaluation functions.
    /// Returns the document of `ggp analyze --format json` as an `Analysis`, a dict.
    #[pyo3(signature = (*, playouts = None, seconds = None, seed = 1, threads = 0))]
    fn analyze<'py>(
        &self,
        py: Python<'py>,
        playouts: Option<u64>,
        seconds: Option<f64>,
        seed: u64,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let plan = self.plan(&Play::new(playouts, seconds, seed, threads)?, Plan::full());
        let made = long(py, |interrupt| {
            let machine = self.game.machine();
            let found = self.analysis(&plan, interrupt)?;
            let documents = found.documents(machine);
            let analysis = Analysis::new(Path::new(&self.game.path), &found, &documents, machine);
            let texts: Result<Vec<String>, _> =
                documents.iter().map(ggp::report::evaluation_files::to_json).collect();
            analysis.to_json_line().and_then(|analysis| Ok((analysis, texts?))).map_err(|error| words(&error))
        })?;
        let (analysis, documents) = made.map_err(GgpError::new_err)?;
        py.import("ggp.analysis")?.getattr("Analysis")?.call_method1("_of", (analysis, documents))
    }

    /// A function from a document, or a new one by its name.
    #[pyo3(signature = (what, role = None, *, playouts = None, seconds = None, seed = 1, threads = 0))]
    #[allow(clippy::too_many_arguments, reason = "Python's keywords")]
    fn function(
        &self,
        py: Python<'_>,
        what: &Bound<'_, PyAny>,
        role: Option<&str>,
        playouts: Option<u64>,
        seconds: Option<f64>,
        seed: u64,
        threads: usize,
    ) -> PyResult<Function> {
        let fault = FunctionError::new_err::<String>;
        if what.is_instance_of::<PyDict>() {
            let json = py.import("json")?.call_method1("dumps", (what,))?.extract::<String>()?;
            return self.parsed(&json, role);
        }
        let text = match what.extract::<PathBuf>() {
            Ok(path) => path.display().to_string(),
            Err(_) => what.extract::<String>()?,
        };
        if text.trim_start().starts_with('{') {
            return self.parsed(&text, role);
        }
        let selector: FunctionSelector = text.parse().map_err(|error| fault(words(&error)))?;
        let found = selector.document(&self.game.identity, role).map_err(|error| fault(words(&error)))?;
        if let Some(document) = found {
            return Function::new(self.game.clone(), document);
        }
        let plan = Plan {
            features: false,
            function_statistics: false,
            value_steps: f64::INFINITY,
            ..self.plan(&Play::new(playouts, seconds, seed, threads)?, Plan::default())
        };
        let plan = selector.plan(plan);
        let role = role.map(str::to_lowercase);
        let document = long(py, |interrupt| {
            let machine = self.game.machine();
            let context = AnalysisContext { interrupt: Some(interrupt), ..AnalysisContext::default() };
            let found = analyze(&self.game.game(), &plan, &context).map_err(|error| words(&error))?;
            let function = selector.only(&found, role.as_deref()).map_err(|error| words(&error))?;
            Ok(Document::new(&self.game.identity, machine, &found.structures, function.clone(), None))
        })?;
        Function::new(self.game.clone(), document.map_err(fault)?)
    }

    /// Your own function as a document. Its value is least + (greatest - least) * sigmoid(constant + s), where s is the sum
    /// of the weights of all terms whose facts all hold. A term is a weight with one to six facts.
    #[pyo3(signature = (role, constant, terms))]
    fn learned_function(
        &self,
        role: &str,
        constant: f64,
        terms: Vec<(f64, Vec<String>)>,
    ) -> PyResult<Function> {
        let machine = self.game.machine();
        let (roles, lower) = (self.game.roles(), role.to_lowercase());
        let number = roles.iter().position(|known| *known == lower).ok_or_else(|| {
            PyKeyError::new_err(format!("the game has no role `{role}`; it has {}", roles.join(", ")))
        })?;
        let values = self.network()?.goals[number].iter().map(|&(value, _)| value);
        let rewards = [values.clone().min().unwrap_or(0), values.max().unwrap_or(100)];
        let terms = terms.into_iter().map(|(weight, facts)| LearnedTerm {
            weight,
            gain: 0.0,
            support: 0.0,
            facts,
            none: Vec::new(),
        });
        let function = LearnedFunction {
            role: lower,
            parameters: LearnedParameters::default(),
            rewards,
            rounds: Vec::new(),
            constant,
            turn: None,
            terms: terms.collect(),
        };
        let made =
            Document::of_others(&self.game.identity, machine, ggp::evaluation::Function::Learned(function));
        Function::new(self.game.clone(), made)
    }

    /// Whether two loaded games have the same rules.
    fn __eq__(&self, other: &Game) -> bool {
        self.game.identity.is_same(&other.game.identity)
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        self.game.identity.rules.hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        format!("<ggp.Game {} on its {} machine>", self.name(), self.backend())
    }

    /// The fact that each bit of a state means, in the order of the bits.
    #[getter]
    fn fluents(&self) -> PyResult<Vec<String>> {
        let (machine, network) = (self.game.machine(), self.network()?);
        Ok(network.bits.iter().map(|&fluent| machine.fluent_text(FluentId(fluent))).collect())
    }

    /// All moves of all roles. With one action per game, an action is an index into this list.
    #[getter]
    fn actions(&self) -> PyResult<Vec<String>> {
        let (machine, network) = (self.game.machine(), self.network()?);
        Ok((0..network.actions.len() as u32).map(|action| machine.move_text(MoveId(action))).collect())
    }

    /// The moves of a role. With one action per role, an action is an index into this list.
    fn moves(&self, role: &str) -> PyResult<Vec<String>> {
        let (machine, network, roles) = (self.game.machine(), self.network()?, self.game.roles());
        let lower = role.to_lowercase();
        let number = roles.iter().position(|known| *known == lower).ok_or_else(|| {
            PyKeyError::new_err(format!("the game has no role `{role}`; it has {}", roles.join(", ")))
        })?;
        Ok(network.moves[number].iter().map(|m| machine.move_text(MoveId(m.action))).collect())
    }
}

impl Game {
    fn network(&self) -> PyResult<&Network> {
        self.game.machine().network().ok_or_else(|| {
            GgpError::new_err(
                "the game is played by its rules, without a network: its facts and moves aren't numbered; raise ground_limit or ground_seconds",
            )
        })
    }

    fn parsed(&self, json: &str, role: Option<&str>) -> PyResult<Function> {
        let fault = |error: &(dyn std::error::Error + 'static)| FunctionError::new_err(words(error));
        let document = Document::parse(json.as_bytes()).map_err(|error| fault(&error))?;
        document.is_for(&self.game.identity).map_err(|error| fault(&error))?;
        if let Some(role) = role.filter(|role| role.to_lowercase() != document.role) {
            return Err(FunctionError::new_err(format!(
                "the document is a function for {}, not for {role}",
                document.role
            )));
        }
        Function::new(self.game.clone(), document)
    }
}
