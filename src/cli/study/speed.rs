//! A study of the speed of the machines in random play.

use std::path::Path;

use super::super::bench::speeds;
use super::by_game::{self, Results};
use super::{Arguments, StudyResult};
use crate::report::bench::{MachineSpeed, study_json};
use crate::report::csv_text::to_csv;
use crate::report::html::{StudyResults, speed_page};
use crate::study::{SpeedStudy, Study};

/// Measures all games, on one thread.
pub(super) fn run(
    study: &Study,
    plan: &SpeedStudy,
    text: &str,
    arguments: &Arguments,
) -> anyhow::Result<StudyResult> {
    let of_game = |path: &Path| speeds(path, plan.seconds, plan.rounds.into());
    by_game::run(study, text, arguments, of_game, |results: &Results<'_, Vec<MachineSpeed>>| {
        let Results { study, entries, hashes, about } = *results;
        let rows: Vec<&MachineSpeed> =
            entries.iter().filter_map(|entry| entry.found.as_ref()).flatten().collect();
        let [page, readme] = speed_page(plan, &StudyResults { study, entries, hashes, about })?;
        Ok(vec![
            ("speeds.csv", to_csv(&rows)?),
            ("study.json", study_json(&study.name, entries, hashes)?),
            ("report.html", page),
            ("README.md", readme),
        ])
    })
}
