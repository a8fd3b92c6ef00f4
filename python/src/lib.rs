//! `ggp` for Python: games, states, functions from documents, and many games at once with arrays in and out.
//!
//! What can take long runs on a thread of its own while the caller's looks for Ctrl-C, without the interpreter's lock.
//! Whatever goes wrong becomes a Python exception with the words of the Rust error; a panic becomes `ggp.InternalError`.
//!
//! `work.rs` has threads, Ctrl-C and panics. What is written in Python, with type stubs, is in
//! `python/package/ggp/`; tests are in `python/tests/`, notebooks in `python/notebooks/`.

mod function;
mod game;
mod lanes;
mod state;
mod work;

use pyo3::prelude::*;

pyo3::create_exception!(ggp, GgpError, pyo3::exceptions::PyValueError, "What was given can't be used.");
pyo3::create_exception!(
    ggp,
    RulesError,
    GgpError,
    "Rules with errors, or that can't be played; the text says all of them."
);
pyo3::create_exception!(ggp, StateError, GgpError, "A text that is no state of the game.");
pyo3::create_exception!(ggp, MoveError, GgpError, "A move or an action that can't be made.");
pyo3::create_exception!(ggp, FunctionError, GgpError, "A function or a document that can't be used.");
pyo3::create_exception!(
    ggp,
    InternalError,
    pyo3::exceptions::PyRuntimeError,
    "A mistake of this package; please report it."
);

/// Panics inside, for the test that no panic gets out.
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
