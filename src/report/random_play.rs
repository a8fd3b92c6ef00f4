//! Summarizes random play at the top of an analysis; `ggp simulate` shows all of it.

use crate::simulate::{Branching, FaultKind, RoleStatistics, Statistics, StopReason, Warning};
use crate::statistics::Share;

use super::layout::{Layout, counted, grouped, percent};

/// The summary and a table of the roles.
pub fn render(seen: &Statistics, layout: Layout) -> String {
    let mut lines = vec![extent(seen)];
    if let Some(length) = &seen.length {
        let cut = match seen.cut_off.count {
            0 => String::new(),
            _ => {
                format!(
                    "; {} truncated at {}",
                    percent(seen.cut_off.share),
                    grouped(u64::from(seen.max_steps))
                )
            }
        };
        let draws = match seen.roles.len() {
            0 | 1 => String::new(),
            // Partners with equal results don't count as a draw.
            _ if seen.draws.share == 1.0 => "; no game had a single winner".to_owned(),
            _ => format!("; {} draws", percent(seen.draws.share)),
        };
        let (least, most) = (u64::from(length.min), u64::from(length.max));
        let moves = match least == most {
            true => format!("{} per playout", counted(most, "move", "moves")),
            false => {
                let median = grouped(u64::from(length.median));
                format!("{} to {} moves per playout (median {median})", grouped(least), grouped(most))
            }
        };
        lines.push(format!("{moves}{cut}{draws}"));
    }
    let mut out: String = lines.iter().map(|line| format!("  {line}\n")).collect();
    let columns = ["role", "legal moves", "has a choice", "mean goal", "wins (95 % interval)"];
    out.push_str(&layout.table(&columns, seen.roles.iter().map(row).collect()));
    for fault in seen.faults.iter().filter(|fault| fault.kind != FaultKind::GoalFell) {
        let role = fault.role.as_ref().map_or(String::new(), |role| format!("{role}: "));
        let playouts = counted(fault.playouts, "playout", "playouts");
        out.push_str(&format!("  fault: {role}{} in {playouts}\n", fault_name(fault.kind)));
    }
    let fell = seen.faults.iter().filter(|fault| fault.kind == FaultKind::GoalFell);
    let fell: Vec<&str> = fell.filter_map(|fault| fault.role.as_deref()).collect();
    if !fell.is_empty() {
        let text = format!("the goal values of {} can fall before the end of a game", fell.join(", "));
        out.push_str(&format!("  {}\n", layout.remark(&text)));
    }
    out
}

/// The headline if no random game ended.
pub fn no_game_ended(seen: &Statistics) -> Option<String> {
    let Warning::NeverEnded = seen.warnings.first()?;
    let games = counted(seen.playouts, "random game", "random games");
    let steps = counted(u64::from(seen.max_steps), "step", "steps");
    Some(format!("no game ended: none of {games} came to an end within {steps}"))
}

/// The name of a fault.
pub fn fault_name(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::NoLegalMove => "no legal move in a state that is not terminal",
        FaultKind::NoGoal => "no goal value at the end",
        FaultKind::SeveralGoals => "several goal values at the end",
        FaultKind::GoalFell => "a goal value fell",
        FaultKind::Failed => "a state that can't be evaluated",
    }
}

fn extent(seen: &Statistics) -> String {
    let why = match seen.stopped {
        StopReason::Playouts => "",
        StopReason::Work => " (stopped early because the game is large)",
        StopReason::Seconds => " (until the time limit)",
        StopReason::Interrupted => " (interrupted)",
    };
    format!(
        "{}{why}, seed {}: {} in {:.1} s, {} per second",
        counted(seen.playouts, "playout", "playouts"),
        seen.seed,
        counted(seen.states, "state", "states"),
        seen.timing.seconds,
        grouped(seen.timing.states_per_second as u64)
    )
}

/// The mean number of a role's legal moves at its turns, and the greatest number.
pub fn legal_moves(branching: &Branching) -> String {
    match branching.turn_mean {
        Some(mean) => format!("{mean:.1}, up to {}", branching.max),
        None => format!("up to {}", branching.max),
    }
}

fn row(role: &RoleStatistics) -> Vec<String> {
    let branching = &role.branching;
    let goal = role.goal_mean.map_or("none".to_string(), |goal| format!("{:.1}", goal.mean));
    vec![role.role.clone(), legal_moves(branching), percent(branching.choice_share), goal, wins(&role.wins)]
}

/// The share of wins; unknown if no playout has a valid end.
fn wins(wins: &Share) -> String {
    if wins.high - wins.low >= 1.0 {
        return "unknown".to_string();
    }
    format!("{} ({} to {})", percent(wins.share), percent(wins.low), percent(wins.high))
}
