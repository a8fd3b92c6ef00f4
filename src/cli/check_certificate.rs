//! `ggp check --certificate`: checks the strategies that prove values of a game.

use std::path::Path;

use anyhow::{Context as _, bail};

use super::game::GroundArguments;
use super::ground::Format;
use super::{Exit, game, interrupt, usage};
use crate::certificate::{Certificate, CheckLimits, FaultKind, check};
use crate::gdl::information::Information;
use crate::machine::{Backend, load};
use crate::report::certificate::CertificateDocument;
use crate::report::layout::Layout;

/// Maximum number of steps for all strategies; see [`CheckLimits::steps`].
const STEPS: u64 = 100_000_000;

/// Maximum memory for the states of a strategy, in bytes.
const MEMORY: usize = 4 << 30;

pub(super) fn run(
    path: &Path,
    certificate: &Path,
    format: Format,
    ground: &GroundArguments,
) -> anyhow::Result<Exit> {
    if format == Format::Csv {
        return usage("--format csv: the result is printed as table or json; csv is for --ground");
    }
    interrupt::watch()?;
    let (_, description) = game::description(path)?;
    let path_text = || path.display().to_string();
    if Information::of(&description).hidden {
        bail!(
            "{}: the rules hide moves from a player (`sees`, GDL-II), so a strategy can't depend on the whole state",
            path_text()
        );
    }
    let text = std::fs::read_to_string(certificate)
        .with_context(|| format!("{} can't be read", certificate.display()))?;
    let certificate_path = || certificate.display().to_string();
    let certificate = Certificate::read(&text).with_context(certificate_path)?;
    let limits = ground.limits();
    let loaded = interrupt::guarded(|| load(description, Backend::Auto, &limits)).with_context(path_text)?;
    let limits = CheckLimits { steps: STEPS, memory: MEMORY, interrupt: Some(interrupt::flag()) };
    let result = check(&*loaded.machine, &certificate, &limits);
    let document = CertificateDocument::new(&*loaded.machine, &certificate, &result);
    super::print(&match format {
        Format::Json => document.to_json()?,
        Format::Table | Format::Csv => document.text(Layout::detect()),
    })?;
    Ok(match result.map_err(|fault| fault.kind) {
        Ok(_) => Exit::Ok,
        Err(FaultKind::Interrupted) => Exit::Interrupted,
        Err(FaultKind::Steps(_) | FaultKind::Memory(_) | FaultKind::Machine(_)) => Exit::Unproved,
        Err(_) => Exit::Findings,
    })
}
