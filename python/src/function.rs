//! Evaluation functions.

use std::sync::{Arc, Mutex, PoisonError};

use ggp::analysis::LoadedGame;
use ggp::evaluation::{Document, move_values};
use ggp::feature::{Measure, StateEvaluator};
use ggp::machine::MachineError;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use self_cell::self_cell;

use crate::state::State;
use crate::work::{long, words};
use crate::{FunctionError, GgpError};

/// A function bound to its machine, with the evaluator that reads states.
struct BoundFunction<'m> {
    measure: Box<dyn Measure<'m> + 'm>,
    evaluator: StateEvaluator<'m>,
}

self_cell!(
    struct BoundCell {
        owner: Arc<LoadedGame>,
        #[not_covariant]
        dependent: BoundFunction,
    }
);

/// An evaluation function.
#[pyclass(frozen, module = "ggp")]
pub(crate) struct Function {
    game: Arc<LoadedGame>,
    document: Document,
    cell: Mutex<BoundCell>,
}

impl Function {
    pub(crate) fn new(game: Arc<LoadedGame>, document: Document) -> PyResult<Function> {
        let cell = BoundCell::try_new(game.clone(), |game| {
            let machine = game.machine();
            let measure = document.function.bind(machine)?;
            Ok::<_, ggp::evaluation::FunctionError>(BoundFunction {
                measure,
                evaluator: StateEvaluator::new(machine),
            })
        });
        let cell = cell.map_err(|error| FunctionError::new_err(words(&error)))?;
        Ok(Function { game, document, cell: Mutex::new(cell) })
    }

    fn with<T>(&self, read: impl FnOnce(&mut BoundFunction<'_>) -> T) -> T {
        let mut cell = self.cell.lock().unwrap_or_else(PoisonError::into_inner);
        cell.with_dependent_mut(|_, bound| read(bound))
    }

    fn all<'s>(
        &self,
        py: Python<'_>,
        states: impl Iterator<Item = Result<ggp::machine::State, String>> + Send + 's,
    ) -> PyResult<Vec<f64>> {
        let values = long(py, |interrupt| {
            self.with(|bound| {
                let mut values = Vec::new();
                for (number, state) in states.enumerate() {
                    if number % 1024 == 0 && interrupt.load(std::sync::atomic::Ordering::Relaxed) {
                        break;
                    }
                    values.push(value(bound, &state?).map_err(|error| words(&error))?);
                }
                Ok(values)
            })
        })?;
        values.map_err(GgpError::new_err::<String>)
    }
}

fn value(bound: &mut BoundFunction<'_>, state: &ggp::machine::State) -> Result<f64, MachineError> {
    Ok(bound.measure.value(&bound.evaluator.at(state)?))
}

#[pymethods]
impl Function {
    /// The name of the function, unique in its game.
    #[getter]
    fn id(&self) -> &str {
        &self.document.id
    }

    /// The kind of the function, such as `fuzzy`.
    #[getter]
    fn kind(&self) -> String {
        self.document.kind.to_string()
    }

    /// The role whose chances the function values.
    #[getter]
    fn role(&self) -> &str {
        &self.document.role
    }

    /// The least and the greatest possible value.
    #[getter]
    fn range(&self) -> (f64, f64) {
        (self.document.range[0], self.document.range[1])
    }

    /// The formula, for human readers.
    #[getter]
    fn formula(&self) -> &str {
        &self.document.formula
    }

    /// Whether the document was edited after it was made.
    #[getter]
    fn edited(&self) -> bool {
        self.document.edited
    }

    /// The document of the function, as JSON.
    fn to_json(&self) -> PyResult<String> {
        ggp::report::evaluation_files::to_json(&self.document)
            .map_err(|error| FunctionError::new_err(words(&error)))
    }

    /// The value of a state for the function's role.
    #[pyo3(signature = (state, role = None))]
    fn value(&self, state: &State, role: Option<&str>) -> PyResult<f64> {
        if let Some(role) = role.filter(|role| role.to_lowercase() != self.document.role) {
            let (id, own) = (&self.document.id, &self.document.role);
            return Err(FunctionError::new_err(format!("`{id}` is a function for {own}, not for {role}")));
        }
        let state = state.of(&self.game)?;
        self.with(|bound| value(bound, state)).map_err(|error| GgpError::new_err(words(&error)))
    }

    /// The values of several states: a list of states, or packed bits with a row per state.
    fn values<'py>(
        &self,
        py: Python<'py>,
        states: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        if let Ok(rows) = states.extract::<PyReadonlyArray2<'py, u64>>() {
            let width = self.game.machine().initial().0.len();
            let rows = rows.as_array().to_owned();
            if self.game.machine().network().is_none() || rows.ncols() != width {
                return Err(PyValueError::new_err(format!(
                    "states of this game as packed bits have {width} words, not {}",
                    rows.ncols()
                )));
            }
            let states = rows.rows().into_iter();
            let states = states.map(|row| Ok(ggp::machine::State(row.iter().copied().collect())));
            return Ok(self.all(py, states)?.into_pyarray(py));
        }
        let mut list = Vec::new();
        for state in states.try_iter()? {
            let state = state?.cast_into::<State>().map_err(|_| {
                PyValueError::new_err(
                    "give a list of states, or an array of packed bits (numpy.uint64) with a row per state",
                )
            })?;
            list.push(Ok(state.get().of(&self.game)?.clone()));
        }
        Ok(self.all(py, list.into_iter())?.into_pyarray(py))
    }

    /// The legal moves of a role with the values of the states after them, best first.
    #[pyo3(signature = (state, role = None))]
    fn moves(&self, state: &State, role: Option<&str>) -> PyResult<Vec<(String, f64)>> {
        let machine = self.game.machine();
        let roles = self.game.roles();
        let role = role.map_or_else(|| self.document.role.clone(), str::to_lowercase);
        let Some(mover) = roles.iter().position(|known| *known == role) else {
            return Err(FunctionError::new_err(format!(
                "the game has no role `{role}`; it has {}",
                roles.join(", ")
            )));
        };
        let state = state.of(&self.game)?;
        let values = self
            .with(|bound| move_values(machine, &self.document.function, &mut *bound.measure, mover, state));
        let values = values.map_err(|error| GgpError::new_err(words(&error)))?;
        let entry = |value: &ggp::evaluation::MoveValue| {
            let evaluation = ggp::report::state_values::MoveEvaluation::new(machine, value);
            (evaluation.text, evaluation.value)
        };
        Ok(values.iter().map(entry).collect())
    }

    fn __repr__(&self) -> String {
        format!("<ggp.Function {} for {}>", self.document.id, self.document.role)
    }
}
