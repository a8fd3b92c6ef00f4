//! States of a game.

use std::sync::Arc;

use ggp::analysis::LoadedGame;
use ggp::machine::{FluentId, MoveId, StateView};
use numpy::{PyArray1, ToPyArray};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::work::words;
use crate::{GgpError, MoveError};

/// A state of a game.
#[pyclass(frozen, module = "ggp")]
pub(crate) struct State {
    game: Arc<LoadedGame>,
    pub(crate) state: ggp::machine::State,
}

impl State {
    pub(crate) fn new(game: Arc<LoadedGame>, state: ggp::machine::State) -> State {
        State { game, state }
    }

    /// The state, if it belongs to this game.
    pub(crate) fn of(&self, game: &Arc<LoadedGame>) -> PyResult<&ggp::machine::State> {
        if Arc::ptr_eq(&self.game, game) {
            return Ok(&self.state);
        }
        Err(PyValueError::new_err("the state belongs to another game"))
    }

    fn at<T>(&self, read: impl FnOnce(&dyn StateView) -> T) -> PyResult<T> {
        let mut cursor = self.game.machine().cursor();
        cursor.set(&self.state).map_err(|error| GgpError::new_err(words(&error)))?;
        Ok(read(&*cursor))
    }

    fn texts(&self, moves: &[MoveId]) -> Vec<String> {
        moves.iter().map(|&action| self.game.machine().move_text(action)).collect()
    }

    fn role(&self, name: &str) -> PyResult<usize> {
        let (roles, lower) = (self.game.roles(), name.to_lowercase());
        roles.iter().position(|role| *role == lower).ok_or_else(|| {
            PyKeyError::new_err(format!("the game has no role `{name}`; it has {}", roles.join(", ")))
        })
    }
}

#[pymethods]
impl State {
    /// The facts that hold in the state.
    #[getter]
    fn facts(&self) -> Vec<String> {
        let machine = self.game.machine();
        let mut fluents: Vec<FluentId> = Vec::new();
        machine.fluents(&self.state, &mut fluents);
        fluents.into_iter().map(|fluent| machine.fluent_text(fluent)).collect()
    }

    /// Whether the game is over.
    #[getter]
    fn terminal(&self) -> PyResult<bool> {
        self.at(|view| view.terminal())
    }

    /// The legal moves of a role as a list, or of all roles as a dict.
    #[pyo3(signature = (role = None))]
    fn legal<'py>(&self, py: Python<'py>, role: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        if let Some(role) = role {
            let role = self.role(role)?;
            return Ok(self.at(|view| self.texts(view.legal(role)))?.into_pyobject(py)?);
        }
        let all = PyDict::new(py);
        for (number, role) in self.game.roles().into_iter().enumerate() {
            all.set_item(role, self.at(|view| self.texts(view.legal(number)))?)?;
        }
        Ok(all.into_any())
    }

    /// The roles that have a choice.
    #[getter]
    fn to_move(&self) -> PyResult<Vec<String>> {
        let roles = self.game.roles();
        self.at(|view| {
            let chooses = |role: &usize| !view.terminal() && view.legal(*role).len() > 1;
            (0..roles.len()).filter(chooses).map(|role| roles[role].clone()).collect()
        })
    }

    /// The goal value of each role; None or a list if it has no value or several.
    #[getter]
    fn goals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (number, role) in self.game.roles().into_iter().enumerate() {
            let values = self.at(|view| view.goals(number).to_vec())?;
            match values[..] {
                [] => all.set_item(role, py.None())?,
                [value] => all.set_item(role, value)?,
                _ => all.set_item(role, values)?,
            }
        }
        Ok(all)
    }

    /// The state after a step.
    fn apply(&self, moves: &Bound<'_, PyAny>) -> PyResult<State> {
        let machine = self.game.machine();
        let roles = self.game.roles();
        let mut cursor = machine.cursor();
        cursor.set(&self.state).map_err(|error| GgpError::new_err(words(&error)))?;
        if cursor.terminal() {
            return Err(MoveError::new_err("the state is terminal: no move can be made"));
        }
        let given: Vec<(usize, String)> = if let Ok(one) = moves.extract::<String>() {
            let choosing: Vec<usize> =
                (0..roles.len()).filter(|&role| cursor.legal(role).len() > 1).collect();
            match choosing[..] {
                [role] => vec![(role, one)],
                [] => {
                    let has = |role: &usize| cursor.legal(*role).iter().any(|&m| machine.move_text(m) == one);
                    let role = (0..roles.len()).find(has).unwrap_or(0);
                    vec![(role, one)]
                }
                _ => {
                    let names: Vec<&str> = choosing.iter().map(|&role| &*roles[role]).collect();
                    return Err(MoveError::new_err(format!(
                        "{} choose at once: give a move for each of them, as a dict",
                        names.join(", ")
                    )));
                }
            }
        } else if let Ok(dict) = moves.cast::<PyDict>() {
            let mut given = Vec::new();
            for (role, action) in dict.iter() {
                given.push((self.role(&role.extract::<String>()?)?, action.extract::<String>()?));
            }
            given
        } else {
            let list = moves.extract::<Vec<String>>()?;
            if list.len() != roles.len() {
                return Err(MoveError::new_err(format!(
                    "{} moves are given; the game has {} roles: {}",
                    list.len(),
                    roles.len(),
                    roles.join(", ")
                )));
            }
            list.into_iter().enumerate().collect()
        };
        let mut joint = Vec::with_capacity(roles.len());
        for (role, name) in roles.iter().enumerate() {
            let legal = cursor.legal(role);
            let listed = || {
                let texts = self.texts(&legal[..legal.len().min(10)]);
                format!("{}{}", texts.join(", "), if legal.len() > 10 { ", ..." } else { "" })
            };
            match given.iter().find(|(of, _)| *of == role) {
                Some((_, text)) => {
                    let text = text.to_lowercase();
                    let found = legal.iter().find(|&&action| machine.move_text(action) == text);
                    joint.push(*found.ok_or_else(|| {
                        MoveError::new_err(format!(
                            "`{text}` is no legal move of {name} here; it has {}",
                            listed()
                        ))
                    })?);
                }
                None => match legal {
                    [only] => joint.push(*only),
                    _ => {
                        return Err(MoveError::new_err(format!(
                            "a move of {name} is missing; it has {}",
                            listed()
                        )));
                    }
                },
            }
        }
        cursor.advance(&joint).map_err(|error| GgpError::new_err(words(&error)))?;
        Ok(State::new(self.game.clone(), cursor.state().clone()))
    }

    /// The bits of the state, 64 per word, the first bit lowest.
    #[getter]
    fn bits<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        self.state.0.to_pyarray(py)
    }

    fn __eq__(&self, other: &State) -> bool {
        Arc::ptr_eq(&self.game, &other.game) && self.state == other.state
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        self.state.hash(&mut hasher);
        hasher.finish()
    }

    fn __str__(&self) -> String {
        format!("({})", self.facts().join(" "))
    }

    fn __repr__(&self) -> String {
        format!("<ggp.State of {}: {}>", self.game.machine().description().name, self.facts().join(" "))
    }
}
