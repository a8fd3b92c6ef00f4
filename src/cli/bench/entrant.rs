//! Measures a machine in short rounds, with a given number of threads.

use std::time::Instant;

use cpu_time::ProcessTime;

use super::player::{MachineKind, MeasuredMachine};
use super::{interrupt, memory};
use crate::report::bench::MachineSpeed;

/// One round: playouts and states, and the time they took.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    playouts: u64,
    states: u64,
    seconds: f64,
    cpu_seconds: f64,
}

impl Round {
    fn states_per_cpu_second(&self) -> f64 {
        self.states as f64 / self.cpu_seconds
    }
}

/// A machine with a number of threads, and its measurements.
pub(super) struct Entrant {
    pub(super) kind: MachineKind,
    pub(super) threads: usize,
    /// Total time of all rounds.
    pub(super) seconds: f64,
    setup_seconds: f64,
    peak_mib: Option<f64>,
    /// The number of playouts per call, determined in the first round.
    size: u64,
    playouts: u64,
    rounds: Vec<Round>,
}

impl Entrant {
    pub(super) fn new(kind: MachineKind, threads: usize, setup_seconds: f64) -> Entrant {
        Entrant {
            kind,
            threads,
            seconds: 0.0,
            setup_seconds,
            peak_mib: None,
            size: 1,
            playouts: 0,
            rounds: Vec::new(),
        }
    }

    /// Plays a round of about `seconds`. The first round doubles the number of playouts until it takes long enough, and
    /// records the peak memory.
    pub(super) fn play(&mut self, player: &MeasuredMachine, seconds: f64) -> anyhow::Result<()> {
        let (clock, cpu) = (Instant::now(), ProcessTime::now());
        let mut round = Round::default();
        loop {
            let (playouts, states) = player.play(self.playouts, self.size, self.threads)?;
            self.playouts += playouts;
            round.playouts += playouts;
            round.states += states;
            round.seconds = clock.elapsed().as_secs_f64();
            if round.seconds >= seconds || interrupt::asked() {
                break;
            }
            if self.rounds.is_empty() && round.seconds < seconds / 4.0 {
                self.size = (self.size * 2).max(round.playouts);
            }
        }
        round.cpu_seconds = cpu.elapsed().as_secs_f64();
        self.seconds += round.seconds;
        if self.rounds.is_empty() {
            self.peak_mib = memory::peak_mib();
        }
        self.rounds.push(round);
        Ok(())
    }

    /// The round of median speed as a row; `None` before the first round.
    pub(super) fn row(mut self, game: &str) -> Option<MachineSpeed> {
        self.rounds.sort_by(|a, b| a.states_per_cpu_second().total_cmp(&b.states_per_cpu_second()));
        let median = self.rounds.get(self.rounds.len().saturating_sub(1) / 2)?;
        Some(MachineSpeed {
            game: game.to_owned(),
            machine: self.kind.name().to_owned(),
            threads: self.threads,
            states_per_cpu_second: median.states_per_cpu_second(),
            states_per_second: median.states as f64 / median.seconds,
            playouts_per_cpu_second: median.playouts as f64 / median.cpu_seconds,
            setup_seconds: self.setup_seconds,
            peak_mib: self.peak_mib,
            rounds: self.rounds.len(),
        })
    }
}
