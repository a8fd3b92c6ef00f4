//! Statistics of each step of random playouts, and a playout for the demonstration.

use crate::machine::{Machine, MachineError, MoveId, State};
use crate::simulate::{End, Observer, Position};

/// The legal moves of all playouts at one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepCount {
    /// Playouts that reached this step without ending.
    pub playouts: u64,
    /// For each role its mean number of legal moves.
    pub moves: Vec<f64>,
}

/// Counts legal moves by step, and the length of every playout.
#[derive(Debug, Default)]
pub(super) struct StepWatch {
    /// For each step the number of playouts, and for each role the sum of its numbers of legal moves.
    steps: Vec<(u64, Vec<u64>)>,
    /// Number and length of the playouts that ended.
    lengths: Vec<(u64, u32)>,
}

impl StepWatch {
    pub(super) fn steps(&self) -> Vec<StepCount> {
        let mean = |sum: &u64, playouts: u64| *sum as f64 / playouts.max(1) as f64;
        let step = |(playouts, sums): &(u64, Vec<u64>)| StepCount {
            playouts: *playouts,
            moves: sums.iter().map(|sum| mean(sum, *playouts)).collect(),
        };
        self.steps.iter().map(step).collect()
    }

    /// The number of the first playout whose length is closest to the median.
    pub(super) fn typical(&self) -> Option<u64> {
        let mut lengths: Vec<u32> = self.lengths.iter().map(|&(_, length)| length).collect();
        lengths.sort_unstable();
        let median = *lengths.get(lengths.len() / 2)?;
        self.lengths
            .iter()
            .min_by_key(|(number, length)| (length.abs_diff(median), *number))
            .map(|found| found.0)
    }
}

impl Observer for StepWatch {
    fn position(&mut self, position: &Position<'_>) {
        if position.terminal {
            return;
        }
        let step = position.step as usize;
        if self.steps.len() <= step {
            self.steps.resize(step + 1, (0, vec![0; position.legal.len()]));
        }
        let (playouts, sums) = &mut self.steps[step];
        *playouts += 1;
        sums.iter_mut().zip(position.legal).for_each(|(sum, legal)| *sum += legal.len() as u64);
    }

    fn ended(&mut self, last: &Position<'_>, end: End) {
        if end != End::Stopped {
            self.lengths.push((last.playout, last.step));
        }
    }

    fn merge(&mut self, later: Self) {
        let roles = later.steps.first().map_or(0, |step| step.1.len());
        if self.steps.len() < later.steps.len() {
            self.steps.resize(later.steps.len(), (0, vec![0; roles]));
        }
        for ((playouts, sums), (more, others)) in self.steps.iter_mut().zip(later.steps) {
            *playouts += more;
            sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
        }
        self.lengths.extend(later.lengths);
    }
}

/// How the moves of a play were chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayedBy {
    /// At random.
    Random,
    /// Every role followed its best function one move ahead.
    Functions,
    /// They are best play, as a search found it.
    Search,
    /// Every role searched at each of its moves.
    Searches,
    /// The caller gave them.
    Given,
}

/// A play from the initial state.
#[derive(Clone, Debug, PartialEq)]
pub struct Play {
    /// How its moves were chosen.
    pub by: PlayedBy,
    /// The number of the random playout with this seed; 0 for other plays.
    pub number: u64,
    /// The seed.
    pub seed: u64,
    /// Its states, the initial one first.
    pub states: Vec<State>,
    /// The joint moves between them.
    pub moves: Vec<Vec<MoveId>>,
    /// For each state the roles that have a choice.
    pub choosing: Vec<Vec<usize>>,
    /// The goal values of every role at the end; none if it has no end.
    pub goals: Option<Vec<Vec<i32>>>,
    /// The number of joint moves that are not stored.
    pub left_out: usize,
    /// For each joint move and role the value, in goal points, that the role's search expected; empty without searches.
    pub estimates: Vec<Vec<Option<f64>>>,
}

impl Play {
    /// A play from joint moves, each with the state that it leads to.
    ///
    /// # Errors
    /// A state can't be evaluated.
    pub fn along(
        machine: &dyn Machine,
        from: &State,
        path: &[(Vec<MoveId>, State)],
    ) -> Result<Play, MachineError> {
        let roles = machine.description().roles.len();
        let mut cursor = machine.cursor();
        let mut play = Play { choosing: Vec::new(), states: Vec::new(), ..Play::still(from, 0) };
        for state in std::iter::once(from).chain(path.iter().map(|step| &step.1)) {
            cursor.set(state)?;
            let over = cursor.terminal();
            play.choosing.push((0..roles).filter(|&role| !over && cursor.legal(role).len() > 1).collect());
            play.states.push(state.clone());
            play.goals = over.then(|| (0..roles).map(|role| cursor.goals(role).to_vec()).collect());
        }
        play.moves = path.iter().map(|step| step.0.clone()).collect();
        Ok(play)
    }

    /// A play without steps, from an initial state.
    pub(super) fn still(initial: &State, seed: u64) -> Play {
        let (states, moves) = (vec![initial.clone()], Vec::new());
        Play {
            by: PlayedBy::Given,
            number: 0,
            seed,
            states,
            moves,
            choosing: vec![Vec::new()],
            goals: None,
            left_out: 0,
            estimates: Vec::new(),
        }
    }
}

/// Stores the first steps of one playout.
#[derive(Debug)]
pub(super) struct PlayWatch {
    max_steps: usize,
    /// The play so far; none before its first position.
    pub(super) play: Option<Play>,
    seed: u64,
}

impl PlayWatch {
    pub(super) fn new(seed: u64, max_steps: usize) -> PlayWatch {
        PlayWatch { max_steps, play: None, seed }
    }
}

impl Observer for PlayWatch {
    fn position(&mut self, position: &Position<'_>) {
        let choosing = (0..position.legal.len()).filter(|&role| position.legal[role].len() > 1).collect();
        match &mut self.play {
            None => {
                let number = position.playout;
                let choosing = vec![choosing];
                self.play = Some(Play {
                    by: PlayedBy::Random,
                    number,
                    choosing,
                    ..Play::still(position.state, self.seed)
                });
            }
            Some(play) if play.states.len() <= self.max_steps => {
                play.states.push(position.state.clone());
                play.choosing.push(choosing);
            }
            Some(play) => play.left_out += 1,
        }
    }

    fn moved(&mut self, _before: &Position<'_>, joint: &[MoveId], _after: &Position<'_>) {
        if let Some(play) = self.play.as_mut().filter(|play| play.moves.len() + 1 < play.states.len()) {
            play.moves.push(joint.to_vec());
        }
    }

    fn ended(&mut self, last: &Position<'_>, end: End) {
        if let Some(play) = self.play.as_mut().filter(|play| end == End::Terminal && play.left_out == 0) {
            play.goals = Some(last.goals.to_vec());
        }
    }

    fn merge(&mut self, later: Self) {
        self.play = self.play.take().or(later.play);
    }
}
