//! `ggp check --explain`: the cause and the remedy of an error code.

use super::Exit;
use crate::catalog::nearest;
use crate::gdl::check;
use crate::report::diagnostics;
use crate::report::layout::Layout;

/// Explains a code, or lists all.
pub(super) fn run(code: Option<&str>) -> anyhow::Result<Exit> {
    let Some(code) = code else {
        super::print(&diagnostics::codes(Layout::detect()))?;
        return Ok(Exit::Ok);
    };
    let Some(entry) = check::find(code) else {
        let known: Vec<String> = check::entries().map(|entry| entry.code.to_string()).collect();
        let near = nearest(&code.to_uppercase(), known.iter().map(String::as_str)).to_owned();
        anyhow::bail!(
            "--explain {code}: there is no such code; did you mean `{near}`? (`ggp check --explain` lists all)"
        );
    };
    super::print(&diagnostics::explanation(entry))?;
    Ok(Exit::Ok)
}
