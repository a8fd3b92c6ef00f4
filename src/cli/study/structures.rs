//! A study that compares the structures found with the labels of the games.

use std::path::Path;

use anyhow::Context as _;

use super::super::{game, interrupt};
use super::by_game::{self, Results};
use super::{Arguments, StudyResult};
use crate::datalog::Interrupt;
use crate::ground::Limits;
use crate::machine::{Backend, load};
use crate::report::html::{StudyResults, labelled_page};
use crate::report::labels::{GameLabels, LabelComparison, compare_with_labels, csv, json};
use crate::simulate::{Budget, Context};
use crate::structure::detect;
use crate::structure::in_kif;
#[cfg(feature = "cluster")]
use crate::study::GameEntry;
use crate::study::{StructureStudy, Study};

/// Compares the structures found in all games with the labels.
pub(super) fn run(
    study: &Study,
    plan: &StructureStudy,
    text: &str,
    arguments: &Arguments,
) -> anyhow::Result<StudyResult> {
    let of_game = |path: &Path| of_game(path, plan, arguments.threads);
    by_game::run(study, text, arguments, of_game, |results: &Results<'_, LabelComparison>| {
        let Results { study, entries, hashes, about } = *results;
        let [page, readme] = labelled_page(plan, &StudyResults { study, entries, hashes, about })?;
        Ok(vec![
            ("structures.csv", csv(entries)?),
            ("study.json", json(&study.name, plan, entries, hashes)?),
            ("report.html", page),
            ("README.md", readme),
        ])
    })
}

/// Makes the log entry of a game on a worker, with one thread.
#[cfg(feature = "cluster")]
pub(in crate::cli) fn entry(path: &Path, plan: &StructureStudy) -> GameEntry<LabelComparison> {
    by_game::entry(path, |path| of_game(path, plan, 1))
}

fn of_game(path: &Path, plan: &StructureStudy, threads: usize) -> anyhow::Result<LabelComparison> {
    let labels = path.with_extension("toml");
    let text = std::fs::read_to_string(&labels).with_context(|| format!("labels {}", labels.display()))?;
    let label = GameLabels::read(&text).with_context(|| format!("labels {}", labels.display()))?;
    let (_, description) = game::description(path)?;
    let limits = Limits { interrupt: Interrupt::of(Some(interrupt::flag())), ..Limits::default() };
    let loaded = interrupt::guarded(|| load(description, Backend::Auto, &limits))?;
    let machine = &*loaded.machine;
    let budget = Budget { playouts: plan.playouts.into(), seed: plan.seed, threads, ..Budget::default() };
    let context = Context { interrupt: Some(interrupt::flag()), progress: None };
    let (found, _) = detect(machine, &loaded.statics, &budget, &context)?;
    let roles: Vec<String> =
        machine.description().roles.iter().map(|&role| machine.term_text(role)).collect();
    Ok(compare_with_labels(&in_kif(&found, machine), &roles, &label))
}
