//! `ggp cluster status`: shows the runs and workers of a server.

use super::gather::plain;
use super::status_arguments::{Format, StatusArguments};
use crate::cli::{Exit, print};
use crate::cluster::{self, ClusterStatus, RunState};
use crate::report::layout::{Layout, grouped};

/// Queries the server and prints its status.
pub(super) fn run(arguments: &StatusArguments) -> anyhow::Result<Exit> {
    let status = cluster::status(&arguments.server.address())?;
    print(&match arguments.format {
        Format::Json => serde_json::to_string_pretty(&status)? + "\n",
        Format::Table => text(&status),
    })?;
    Ok(Exit::Ok)
}

/// Formats the status as tables.
fn text(status: &ClusterStatus) -> String {
    let layout = Layout::detect();
    let mut text = layout.heading("Runs");
    if status.runs.is_empty() {
        text += "  none\n";
    } else {
        let header = ["run", "what", "of", "state", "waiting", "running", "done", "failed"];
        let rows = status.runs.iter().map(|run| {
            let state = match run.state {
                RunState::Asked => "asked",
                RunState::Interrupted => "interrupted",
                RunState::Over => "over",
            };
            let [waiting, running, done, failed] =
                [run.waiting, run.running, run.done, run.failed].map(grouped);
            let what = format!("{} {}, asked by {}, version {}", run.kind, run.name, run.asker, run.version);
            vec![
                run.id.clone(),
                plain(&what),
                grouped(run.units),
                state.to_owned(),
                waiting,
                running,
                done,
                failed,
            ]
        });
        text += &layout.table(&header, rows.collect());
    }
    text += &("\n".to_owned() + &layout.heading("Workers"));
    if status.workers.is_empty() {
        return text + "  none\n";
    }
    let header =
        ["worker", "version", "threads", "running", "done", "failed", "units a second", "states a second"];
    let rows = status.workers.iter().map(|worker| {
        let running: Vec<String> = worker.running.iter().map(|(run, unit)| format!("{run} {unit}")).collect();
        let states = worker.states_per_second.map_or_else(|| "-".to_owned(), |states| grouped(states as u64));
        vec![
            plain(&worker.name),
            plain(&worker.version),
            worker.threads.to_string(),
            plain(&running.join(", ")),
            grouped(worker.done),
            grouped(worker.failed),
            format!("{:.1}", worker.units_per_second),
            states,
        ]
    });
    text += &layout.table(&header, rows.collect());
    for worker in &status.workers {
        for refused in &worker.refused {
            text += &format!("  {}: {}\n", plain(&worker.name), plain(refused));
        }
    }
    text
}
