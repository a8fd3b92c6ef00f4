//! Many games at once, in the caller's arrays.

use std::sync::Arc;

use ggp::analysis::LoadedGame;
use ggp::ground::Interrupted;
use ggp::machine::lanes::games::{
    Actions, AutoReset, GamesError, GamesOptions, GamesView, LaneGames, RowShape, Rows,
};
use ggp::machine::lanes::program::Program;
use numpy::{PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyReadwriteArray1, PyReadwriteArrayDyn};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::game::Game;
use crate::state::State;
use crate::work::{long_with, short};
use crate::{GgpError, MoveError};

/// Maximum number of random steps to find out whether one action per game is enough.
const MAX_PROBE_STEPS: usize = 200;

/// Many games that step together.
#[pyclass(module = "ggp")]
pub(crate) struct Lanes {
    game: Arc<LoadedGame>,
    games: LaneGames,
    pool: Option<rayon::ThreadPool>,
    joint: bool,
}

fn program(game: &LoadedGame) -> PyResult<&Program> {
    game.machine().lanes().ok_or_else(|| {
        GgpError::new_err(
            "the game can't be played in lanes: it has no network, or too large a one; raise ground_limit or ground_seconds, or step states one by one",
        )
    })
}

fn interrupt_error(_: Interrupted) -> PyErr {
    GgpError::new_err("the work was interrupted")
}

fn games_error(error: GamesError) -> PyErr {
    match error {
        GamesError::Length { .. } => PyValueError::new_err(error.to_string()),
        _ => MoveError::new_err(error.to_string()),
    }
}

/// An array to write to: packed bits in 64-bit words, or a byte for each bit.
enum OutputArray<'py> {
    None,
    Packed(PyReadwriteArrayDyn<'py, u64>),
    Bytes(PyReadwriteArrayDyn<'py, u8>),
}

impl<'py> OutputArray<'py> {
    fn of(array: Option<&Bound<'py, PyAny>>, what: &str) -> PyResult<OutputArray<'py>> {
        let Some(array) = array else { return Ok(OutputArray::None) };
        if let Ok(packed) = array.cast::<PyArrayDyn<u64>>() {
            return Ok(OutputArray::Packed(packed.try_readwrite()?));
        }
        if let Ok(bytes) = array.cast::<PyArrayDyn<u8>>() {
            return Ok(OutputArray::Bytes(bytes.try_readwrite()?));
        }
        Err(PyValueError::new_err(format!("{what} must be an array of numpy.uint64 or numpy.uint8")))
    }

    fn rows(&mut self) -> PyResult<Rows<'_>> {
        Ok(match self {
            OutputArray::None => Rows::None,
            OutputArray::Packed(array) => Rows::Packed(array.as_slice_mut()?),
            OutputArray::Bytes(array) => Rows::Bytes(array.as_slice_mut()?),
        })
    }
}

#[pymethods]
impl Lanes {
    #[new]
    #[pyo3(signature = (game, games, actions, auto_reset, max_steps, seed, threads))]
    fn new(
        py: Python<'_>,
        game: &Game,
        games: usize,
        actions: &str,
        auto_reset: &str,
        max_steps: Option<u32>,
        seed: u64,
        threads: usize,
    ) -> PyResult<Lanes> {
        if !(1..=1 << 24).contains(&games) {
            return Err(PyValueError::new_err("num_envs must be from 1 to 16777216"));
        }
        if max_steps == Some(0) {
            return Err(PyValueError::new_err("max_steps must be above 0"));
        }
        let auto_reset = match auto_reset {
            "next-step" => AutoReset::NextStep,
            "same-step" => AutoReset::SameStep,
            "disabled" => AutoReset::Never,
            _ => {
                return Err(PyValueError::new_err(format!(
                    "autoreset can't be `{auto_reset}`; use next-step, same-step or disabled"
                )));
            }
        };
        let interrupt = &game.interrupt;
        let game = game.game.clone();
        program(&game)?;
        let result = long_with(py, interrupt, || -> Result<_, Interrupted> {
            let program = game.machine().lanes().ok_or(Interrupted)?;
            let actions = match actions {
                "turns" => Actions::Turns,
                "joint" => Actions::Joint,
                _ if LaneGames::one_chooses(program, MAX_PROBE_STEPS, seed)? => Actions::Turns,
                _ => Actions::Joint,
            };
            let options = GamesOptions { actions, auto_reset, max_steps, seed };
            Ok((LaneGames::new(program, games, options)?, actions == Actions::Joint))
        })?;
        let (games, joint) = result.map_err(interrupt_error)?;
        let pool = match threads {
            1 => None,
            threads => Some(
                rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .build()
                    .map_err(|error| GgpError::new_err(error.to_string()))?,
            ),
        };
        Ok(Lanes { game, games, pool, joint })
    }

    #[getter]
    fn joint(&self) -> bool {
        self.joint
    }

    #[getter]
    fn num_games(&self) -> usize {
        self.games.games()
    }

    /// The bits and packed words of an observation; the groups of a mask, and the bits and packed words of each group.
    #[getter]
    fn shapes(&self) -> (usize, usize, usize, usize, usize) {
        let (observation, mask): (RowShape, RowShape) = (self.games.observation(), self.games.mask());
        (observation.bits, observation.words(), mask.groups, mask.bits, mask.words())
    }

    #[getter]
    fn nbytes(&self) -> usize {
        self.games.bytes()
    }

    fn seed(&mut self, seed: u64) {
        self.games.seed(seed);
    }

    /// Restarts all games, or those marked in `which`.
    #[pyo3(signature = (which = None))]
    fn reset(&mut self, py: Python<'_>, which: Option<numpy::PyReadonlyArray1<'_, bool>>) -> PyResult<()> {
        let program = program(&self.game)?;
        let games = &mut self.games;
        match which {
            None => short(py, || games.reset(program))?.map_err(interrupt_error),
            Some(which) => {
                let bytes: Vec<u8> = which.as_array().iter().map(|&again| u8::from(again)).collect();
                if bytes.len() != games.games() {
                    return Err(PyValueError::new_err(format!(
                        "reset_mask must have {} entries, not {}",
                        games.games(),
                        bytes.len()
                    )));
                }
                short(py, || games.reset_some(program, &bytes))?.map_err(interrupt_error)
            }
        }
    }

    /// Fills `actions` with random legal actions.
    fn sample(&mut self, py: Python<'_>, mut actions: PyReadwriteArrayDyn<'_, i32>) -> PyResult<()> {
        let actions = actions.as_slice_mut()?;
        let games = &mut self.games;
        if actions.len() != games.games() * games.actions_each() {
            return Err(PyValueError::new_err("the array of actions has the wrong length"));
        }
        short(py, || games.sample(actions))
    }

    /// Makes a step and fills the arrays; without actions it only fills the arrays.
    #[pyo3(signature = (actions, observations, masks, rewards, terminated, truncated, turns))]
    #[allow(clippy::too_many_arguments, reason = "one for each array")]
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        actions: Option<PyReadonlyArrayDyn<'py, i32>>,
        observations: Option<&Bound<'py, PyAny>>,
        masks: Option<&Bound<'py, PyAny>>,
        mut rewards: PyReadwriteArrayDyn<'py, f32>,
        mut terminated: PyReadwriteArray1<'py, u8>,
        mut truncated: PyReadwriteArray1<'py, u8>,
        mut turns: PyReadwriteArray1<'py, i8>,
    ) -> PyResult<()> {
        let program = program(&self.game)?;
        let (mut observations, mut masks) =
            (OutputArray::of(observations, "observations")?, OutputArray::of(masks, "masks")?);
        let view = GamesView {
            observations: observations.rows()?,
            masks: masks.rows()?,
            rewards: rewards.as_slice_mut()?,
            terminated: terminated.as_slice_mut()?,
            truncated: truncated.as_slice_mut()?,
            turns: turns.as_slice_mut()?,
        };
        let (games, pool) = (&mut self.games, self.pool.as_ref());
        match &actions {
            None => short(py, || games.show(view))?.map_err(games_error),
            Some(actions) => {
                let actions = actions.as_slice()?;
                short(py, || games.step(program, actions, Some(view), pool))?
                    .map_err(interrupt_error)?
                    .map_err(games_error)
            }
        }
    }

    /// The state of the game with this number.
    fn state(&self, number: usize) -> PyResult<State> {
        self.check(number)?;
        let bits = self.games.state(number);
        Ok(State::new(self.game.clone(), ggp::machine::State(bits.into())))
    }

    fn set_state(&mut self, py: Python<'_>, number: usize, state: &State) -> PyResult<()> {
        self.check(number)?;
        let (program, state) = (program(&self.game)?, state.of(&self.game)?);
        let games = &mut self.games;
        short(py, || games.set_state(program, number, &state.0))?.map_err(interrupt_error)
    }

    fn __repr__(&self) -> String {
        format!("<ggp lanes: {} games of {}>", self.games.games(), self.game.machine().description().name)
    }
}

impl Lanes {
    fn check(&self, number: usize) -> PyResult<()> {
        if number < self.games.games() {
            return Ok(());
        }
        Err(PyValueError::new_err(format!(
            "there is no game {number}; they are numbered from 0 to {}",
            self.games.games() - 1
        )))
    }
}
