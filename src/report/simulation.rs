//! The statistics of random play, as a table and as the JSON document of `ggp simulate`.

use serde::Serialize;

use crate::simulate::{Fault, FaultKind, Lengths, RoleStatistics, Statistics, StepLimitReason, StopReason};
use crate::statistics::Share;

use super::analysis::Game;
use super::layout::{Layout, counted, grouped, percent};
use super::random_play::{fault_name, legal_moves, no_game_ended};

/// The name and version of the document; it changes when a key changes its meaning or goes away.
pub const SCHEMA: &str = "ggp.simulation/1";

/// The statistics of one game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Simulation {
    /// Always `ggp.simulation/1`.
    pub schema: &'static str,
    /// The game.
    pub game: Game,
    /// The statistics. Everything except `timing` follows from the rules, the seed and the budget.
    pub simulation: Statistics,
    /// Commands that replay playouts and write their traces; each fault occurs in one of these playouts.
    pub replays: Vec<String>,
}

impl Simulation {
    /// Makes the document of a game.
    pub fn new(game: Game, simulation: Statistics) -> Self {
        let mut replayed: Vec<&Fault> = Vec::new();
        for fault in &simulation.faults {
            // A playout that is already listed for another fault may have this one, too.
            let has = |shown: &&Fault| shown.block == fault.block && fault.first.contains(&shown.first[0]);
            if !fault.first.is_empty() && !replayed.iter().any(has) {
                replayed.push(fault);
            }
        }
        let replays = replayed.into_iter().map(|fault| replay_command(&game, &simulation, fault)).collect();
        Simulation { schema: SCHEMA, game, simulation, replays }
    }

    /// The document as indented JSON, with a line break at the end.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// The table, each line ended.
    pub fn to_table(&self, layout: Layout) -> String {
        let (game, seen) = (&self.game, &self.simulation);
        let about = layout.remark(&format!("{}  {} machine", game.path, game.machine));
        let name = layout.strong(&game.name);
        let mut out = match no_game_ended(seen) {
            Some(headline) => format!("{name}  {headline}\n{about}\n"),
            None => format!("{name}  {about}\n"),
        };
        section(&mut out, layout, "Play", &["", "", "95 % interval"], play(seen));
        let columns =
            ["role", "legal moves", "has a choice", "goal", "95 % interval", "wins", "95 % interval"];
        section(&mut out, layout, "Roles", &columns, seen.roles.iter().map(role_row).collect());
        let columns = ["role", "goal", "playouts", "share", "95 % interval"];
        section(&mut out, layout, "Goal values", &columns, seen.roles.iter().flat_map(goal_rows).collect());
        let (fell, faults): (Vec<&Fault>, Vec<&Fault>) =
            seen.faults.iter().partition(|fault| fault.kind == FaultKind::GoalFell);
        let rows_of = |faults: Vec<&Fault>| faults.into_iter().map(|fault| fault_row(fault, seen)).collect();
        let columns = ["", "role", "playouts", "first numbers"];
        section(&mut out, layout, "Faults in play", &columns, rows_of(faults));
        // GDL does not require goal values that only rise.
        section(&mut out, layout, "Course of the goal values", &columns, rows_of(fell));
        if !self.replays.is_empty() {
            out.push_str("\nCommands that replay a playout with each of these:\n");
            self.replays.iter().for_each(|command| out.push_str(&format!("  {command}\n")));
        }
        let timing = &seen.timing;
        let speed = format!(
            "{:.2} s on {}, {} states per second, {} playouts per second",
            timing.seconds,
            counted(timing.threads as u64, "thread", "threads"),
            grouped(timing.states_per_second as u64),
            grouped(timing.playouts_per_second as u64),
        );
        out.push_str(&format!(
            "\n{}\n{}\n",
            layout.remark(&speed),
            layout.remark("terms: ggp guide glossary")
        ));
        out
    }
}

fn section(out: &mut String, layout: Layout, title: &str, columns: &[&str], rows: Vec<Vec<String>>) {
    if !rows.is_empty() {
        out.push_str(&format!("\n{}\n{}", layout.heading(title), layout.table(columns, rows)));
    }
}

/// Formats the interval of a share. An end just below 100 % is not rounded up.
fn interval(share: &Share) -> String {
    let end = |share: f64| match share {
        nearly if (0.995..1.0).contains(&nearly) => format!("{:.2} %", (nearly * 10_000.0).floor() / 100.0),
        share => percent(share),
    };
    format!("{} to {}", end(share.low), end(share.high))
}

fn play(seen: &Statistics) -> Vec<Vec<String>> {
    let plain = |name: &str, text: String| vec![name.to_owned(), text, String::new()];
    let share = |name: &str, share: &Share| {
        vec![name.to_owned(), format!("{} ({})", grouped(share.count), percent(share.share)), interval(share)]
    };
    let why = match seen.stopped {
        StopReason::Playouts => "",
        StopReason::Work => ", stopped at the work limit",
        StopReason::Seconds => ", stopped at the time limit",
        StopReason::Interrupted => ", interrupted",
    };
    let first = if seen.first == 0 { String::new() } else { format!(", from number {}", seen.first) };
    let mut rows =
        vec![plain("playouts", format!("{}, seed {}{first}{why}", grouped(seen.playouts), seen.seed))];
    if seen.unfinished > 0 {
        rows.push(plain("unfinished", format!("{} more", grouped(seen.unfinished))));
    }
    rows.push(plain("states", grouped(seen.states)));
    if let Some(length) = &seen.length {
        rows.push(plain("length", format!("{:.1} joint moves on average", length.mean)));
        rows.push(plain("", quantiles(length)));
    }
    rows.push(share("ended", &seen.terminal));
    rows.push(share(&format!("truncated at {}", grouped(u64::from(seen.max_steps))), &seen.cut_off));
    if seen.max_steps_because == StepLimitReason::LongestPlay {
        rows.push(plain("", "the rules count steps, so every game ends by then".to_owned()));
    }
    if seen.roles.len() > 1 {
        rows.push(share("draws", &seen.draws));
    }
    rows
}

fn quantiles(length: &Lengths) -> String {
    let Lengths { min, p5, p25, median, p75, p95, max, .. } = length;
    format!("{min} to {max}; 5 %: {p5}, 25 %: {p25}, median {median}, 75 %: {p75}, 95 %: {p95}")
}

fn role_row(role: &RoleStatistics) -> Vec<String> {
    let branching = &role.branching;
    let choice = match branching.choice_mean {
        Some(mean) => format!("{}, of {mean:.1} moves", percent(branching.choice_share)),
        None => "never".to_owned(),
    };
    let (goal, goal_interval) = match &role.goal_mean {
        Some(mean) => {
            let ends = mean.low.zip(mean.high);
            let ends = ends.map_or(String::new(), |(low, high)| format!("{low:.1} to {high:.1}"));
            (format!("{:.1}", mean.mean), ends)
        }
        None => ("none".to_owned(), String::new()),
    };
    vec![
        role.role.clone(),
        legal_moves(branching),
        choice,
        goal,
        goal_interval,
        percent(role.wins.share),
        interval(&role.wins),
    ]
}

fn goal_rows(role: &RoleStatistics) -> impl Iterator<Item = Vec<String>> {
    role.goals.iter().map(|goal| {
        vec![
            role.role.clone(),
            goal.value.to_string(),
            grouped(goal.share.count),
            percent(goal.share.share),
            interval(&goal.share),
        ]
    })
}

fn fault_row(fault: &Fault, seen: &Statistics) -> Vec<String> {
    let share = fault.playouts as f64 / (seen.playouts + seen.unfinished).max(1) as f64;
    let first: Vec<String> = fault.first.iter().map(u64::to_string).collect();
    vec![
        fault_name(fault.kind).to_owned(),
        fault.role.clone().unwrap_or_default(),
        format!("{} ({})", grouped(fault.playouts), percent(share)),
        first.join(", "),
    ]
}

/// The command that replays the first playout with a fault.
fn replay_command(game: &Game, seen: &Statistics, fault: &Fault) -> String {
    let first = fault.first.first().copied().unwrap_or_default();
    let (seed, steps) = (seen.seed, seen.max_steps);
    let path = shell_word(&game.path);
    if let Some(block) = fault.block {
        let name = format!("{}+{}:{first}", block.first, block.playouts);
        return format!(
            "ggp simulate {path} --seed {seed} --only {name} --max-steps {steps} --trace {first}.jsonl"
        );
    }
    format!(
        "ggp simulate {path} --seed {seed} --first {first} --playouts 1 --max-steps {steps} --trace {first}.jsonl"
    )
}

/// Quotes a path for a shell.
pub(crate) fn shell_word(path: &str) -> String {
    let plain = |symbol: char| symbol.is_ascii_alphanumeric() || "/._-+@:,".contains(symbol);
    if !path.is_empty() && path.chars().all(plain) {
        return path.to_owned();
    }
    format!("'{}'", path.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::{Branching, GoalCount, LengthBin, Timing, Warning};
    use crate::statistics::interval::{Mean, wilson};

    fn simulation() -> Simulation {
        let role = |name: &str, wins: u64| RoleStatistics {
            role: name.to_owned(),
            branching: Branching {
                mean: 4.5,
                turn_mean: Some(8.0),
                max: 9,
                choice_share: 0.5,
                choice_mean: Some(8.0),
            },
            goals: vec![
                GoalCount { value: 0, share: wilson(90 - wins, 90) },
                GoalCount { value: 100, share: wilson(wins, 90) },
            ],
            goal_mean: Some(Mean { mean: 55.5, low: Some(50.25), high: Some(60.75) }),
            wins: wilson(wins, 90),
        };
        let statistics = Statistics {
            seed: 7,
            first: 0,
            max_steps: 1000,
            max_steps_because: StepLimitReason::Default,
            stopped: StopReason::Work,
            playouts: 100,
            unfinished: 1,
            states: 12_345,
            steps: 12_244,
            work: 99_999,
            length: Some(Lengths {
                mean: 122.4,
                min: 5,
                p5: 6,
                p25: 7,
                median: 8,
                p75: 9,
                p95: 10,
                max: 1000,
            }),
            lengths: vec![LengthBin { from: 5, to: 1000, playouts: 100 }],
            terminal: wilson(90, 100),
            cut_off: wilson(10, 100),
            draws: wilson(0, 90),
            roles: vec![role("white", 50), role("black", 40)],
            outcomes: Vec::new(),
            other_outcomes: 0,
            faults: vec![Fault {
                kind: FaultKind::NoGoal,
                role: Some("black".to_owned()),
                playouts: 3,
                first: vec![12, 40, 41],
                block: None,
            }],
            warnings: vec![Warning::NeverEnded],
            timing: Timing { threads: 2, seconds: 1.5, states_per_second: 8230.0, playouts_per_second: 66.6 },
        };
        let game = Game {
            name: "some game".to_owned(),
            path: "my games/it's.kif".to_owned(),
            sha256: String::new(),
            rules: String::new(),
            negation: crate::gdl::Negation::default(),
            roles: vec!["white".to_owned(), "black".to_owned()],
            machine: "network".to_owned(),
            information: crate::report::analysis::InformationSummary::default(),
        };
        Simulation::new(game, statistics)
    }

    #[test]
    fn the_table() {
        insta::assert_snapshot!(simulation().to_table(Layout::plain()));
    }

    #[test]
    fn json_has_times_under_one_key() {
        let simulation = simulation();
        let value: serde_json::Value = serde_json::from_str(&simulation.to_json().unwrap()).unwrap();
        assert_eq!(value["schema"], SCHEMA);
        assert_eq!(value["simulation"]["timing"]["states_per_second"], 8230.0);
        let mut other = simulation.clone();
        other.simulation = other.simulation.without_timing();
        let mut without: serde_json::Value = serde_json::from_str(&other.to_json().unwrap()).unwrap();
        without["simulation"]["timing"] = value["simulation"]["timing"].clone();
        assert_eq!(value, without);
    }

    #[test]
    fn a_playout_with_several_faults_is_replayed_once() {
        let Simulation { game, simulation, .. } = simulation();
        let fault = |role: &str, kind, first: &[u64]| Fault {
            kind,
            role: Some(role.to_owned()),
            playouts: 3,
            first: first.to_vec(),
            block: None,
        };
        let faults = vec![
            fault("black", FaultKind::NoGoal, &[0, 1, 2]),
            fault("white", FaultKind::NoGoal, &[0, 1, 2]),
            fault("white", FaultKind::GoalFell, &[7, 0]),
            fault("black", FaultKind::GoalFell, &[5, 6]),
        ];
        let replays =
            |faults| Simulation::new(game.clone(), Statistics { faults, ..simulation.clone() }).replays;
        let commands = replays(faults);
        assert_eq!(commands.len(), 2);
        assert!(commands[0].contains("--first 0 ") && commands[1].contains("--first 5 "), "{commands:?}");
    }

    #[test]
    fn the_command_is_quoted_for_a_shell() {
        let command = &simulation().replays[0];
        assert!(
            command.starts_with(r"ggp simulate 'my games/it'\''s.kif' --seed 7 --first 12 "),
            "{command}"
        );
    }
}
