//! `ggp` for Python: games, states, functions from documents, and many games at once in NumPy arrays.
//!
//! Long work runs on its own thread without the interpreter's lock, while the caller's thread checks for Ctrl-C.
//! Every error becomes a Python exception with the text of the Rust error; a panic becomes `ggp.InternalError`.
//!
//! `work.rs` has threads, Ctrl-C and panics. The Python code and the type stubs are in `python/package/ggp/`, tests in
//! `python/tests/`, notebooks in `python/notebooks/`.

mod function;
mod game;
mod lanes;
mod state;
mod work;

use pyo3::prelude::*;

pyo3::create_exception!(ggp, GgpError, pyo3::exceptions::PyValueError, "The given input can't be used.");
pyo3::create_exception!(
    ggp,
    RulesError,
    GgpError,
    "The rules have errors or can't be played; the text lists all errors."
);
pyo3::create_exception!(ggp, StateError, GgpError, "A text that is not a state of the game.");
pyo3::create_exception!(ggp, MoveError, GgpError, "A move or an action that is not legal.");
pyo3::create_exception!(ggp, FunctionError, GgpError, "A function or a document that can't be used.");
pyo3::create_exception!(
    ggp,
    InternalError,
    pyo3::exceptions::PyRuntimeError,
    "An internal error of this package; please report it."
);

/// Panics, for the test that no panic leaves the package.
#[pyfunction]
fn _panic(py: Python<'_>, long: bool) -> PyResult<()> {
    let work = || panic!("on purpose");
    if long { work::long(py, |_| work()) } else { work::short(py, work) }
}

#[pymodule]
fn _ggp(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add_class::<game::Game>()?;
    module.add_class::<state::State>()?;
    module.add_class::<function::Function>()?;
    module.add_class::<lanes::Lanes>()?;
    module.add_function(wrap_pyfunction!(_panic, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("GgpError", py.get_type::<GgpError>())?;
    module.add("RulesError", py.get_type::<RulesError>())?;
    module.add("StateError", py.get_type::<StateError>())?;
    module.add("MoveError", py.get_type::<MoveError>())?;
    module.add("FunctionError", py.get_type::<FunctionError>())?;
    module.add("InternalError", py.get_type::<InternalError>())?;
    Ok(())
}
