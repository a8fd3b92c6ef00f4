//! Machines and random play: every back end, lanes, samples, labels, recorded games. Each module tests one property.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests may panic and print their results")]

#[path = "../shared/lines.rs"]
mod lines;
#[path = "../shared/listed.rs"]
mod listed;
#[path = "../shared/sampled.rs"]
mod sampled;
#[path = "../shared/waiting.rs"]
mod waiting;

mod altered_rules;
mod automata;
mod back_ends;
mod children;
mod corpus_replay;
mod deadlines;
mod go_and_five;
#[cfg(target_os = "linux")]
mod growing_terms;
mod lane_games;
mod lanes;
mod monte_carlo;
mod references;
mod samples;
mod simulate;
mod step_limit;
