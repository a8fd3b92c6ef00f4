//! Playouts of UCT in lanes: hundreds at once from a new state, or divided among its children.

use crate::ground::Interrupted;
use crate::machine::lanes::block::{Block, BlockObserver, EndedLanes};
use crate::machine::lanes::program::Program;
use crate::machine::lanes::word::{LANES, Word};
use crate::machine::{ExpansionLimits, Machine};

/// Random playouts of a game, many at a time.
pub(super) struct LanePlayouts<'m> {
    program: &'m Program,
    /// For each goal condition of the network, role by role, its role and its goal value, scaled to 0 to 1.
    goals: Vec<(usize, f64)>,
    roles: usize,
    seed: u64,
    max_steps: u32,
    /// The number of batches, which selects their random choices.
    batches: u64,
    ends: LaneResults,
}

/// The results of a batch's finished playouts, each in its own lane until it is counted.
#[derive(Default)]
struct LaneResults {
    /// The lanes whose playouts ended and are not counted yet.
    over: Word,
    /// The lanes of `over` whose last state is not terminal.
    open: Word,
    /// The lanes of `over` in which each goal condition holds.
    goals: Vec<Word>,
    /// The start state of each lane's playout.
    origins: Vec<u16>,
}

/// Sums of the playouts' results, by start state.
struct Sums<'a> {
    /// For each goal condition its role and share.
    goals: &'a [(usize, f64)],
    roles: usize,
    /// For each state and role the sum.
    shares: Vec<f64>,
    ends: &'a mut LaneResults,
}

impl BlockObserver for Sums<'_> {
    const LOOKS: bool = false;

    fn ended(&mut self, block: &Block<'_>, ended: &EndedLanes) {
        // Most batches have no more playouts than lanes, so that all are counted together.
        if !(self.ends.over & ended.over).is_zero() {
            self.count();
        }
        let LaneResults { over, open, goals, origins } = &mut *self.ends;
        *over |= ended.over;
        *open |= ended.over & !ended.terminal;
        for (ends, &goal) in goals.iter_mut().zip(block.goal_words()) {
            *ends |= goal & ended.terminal;
        }
        for lane in ended.over.lanes() {
            origins[lane] = block.origin(lane) as u16;
        }
    }
}

impl Sums<'_> {
    /// Adds the results of the finished playouts to the sums of their start states.
    fn count(&mut self) {
        /// With more states, each lane is checked separately.
        const FEW: usize = 8;
        let LaneResults { over, open, goals, origins } = &mut *self.ends;
        if self.shares.len() > FEW * self.roles {
            for (&(role, share), ends) in self.goals.iter().zip(&mut *goals) {
                let lanes = std::mem::replace(ends, Word::ZERO) & *over;
                if share > 0.0 {
                    let of_role = |lane: usize| usize::from(origins[lane]) * self.roles + role;
                    lanes.lanes().for_each(|lane| self.shares[of_role(lane)] += share);
                }
            }
            for lane in (*over & *open).lanes() {
                let of_state = usize::from(origins[lane]) * self.roles;
                self.shares[of_state..][..self.roles].iter_mut().for_each(|share| *share += 0.5);
            }
            (*over, *open) = (Word::ZERO, Word::ZERO);
            return;
        }
        let mut by_state = vec![Word::ZERO; self.shares.len() / self.roles.max(1)];
        for lane in over.lanes() {
            by_state[usize::from(origins[lane])].set(lane);
        }
        for (lanes, shares) in by_state.iter().zip(self.shares.chunks_exact_mut(self.roles.max(1))) {
            for (&(role, share), &ends) in self.goals.iter().zip(&*goals) {
                if share > 0.0 {
                    shares[role] += share * f64::from((ends & *lanes).count());
                }
            }
            // A playout without an end counts as a half.
            let open = 0.5 * f64::from((*lanes & *open).count());
            shares.iter_mut().for_each(|share| *share += open);
        }
        (*over, *open) = (Word::ZERO, Word::ZERO);
        goals.fill(Word::ZERO);
    }
}

/// The number of steps after which most playouts from the initial state have ended. All lanes wait for the longest
/// playout, so waiting for the last few costs more than their results are worth.
fn usual_steps(program: &Program, initial: &[u64], seed: u64, max_steps: u32) -> Result<u32, Interrupted> {
    /// The percentage of playouts that must end.
    const MOST: u32 = 80;
    #[derive(Default)]
    struct Ages {
        all: u32,
        over: u32,
        usual: Option<u64>,
    }
    impl BlockObserver for Ages {
        const LOOKS: bool = false;
        fn ended(&mut self, block: &Block<'_>, ended: &EndedLanes) {
            self.over += ended.over.count();
            if self.over * 100 >= MOST * self.all && self.usual.is_none() {
                self.usual = Some(block.step());
            }
        }
    }
    let mut block = Block::new(program, seed, 0, max_steps);
    let mut ages = Ages { all: LANES as u32, ..Ages::default() };
    block.play_from(&[initial], &[LANES as u32], &mut ages)?;
    Ok(ages.usual.map_or(max_steps, |steps| (steps as u32).clamp(1, max_steps)))
}

impl<'m> LanePlayouts<'m> {
    /// Playouts of a machine; none if it has no lanes, or if it is interrupted. `rewards` are the lowest and the greatest
    /// goal value of each role.
    pub(super) fn new(
        machine: &'m dyn Machine,
        rewards: &[[i32; 2]],
        seed: u64,
        max_steps: u32,
    ) -> Option<LanePlayouts<'m>> {
        let program = machine.lanes()?;
        let mut goals = Vec::new();
        for (role, (of_role, [least, most])) in program.network().goals.iter().zip(rewards).enumerate() {
            for (value, _) in of_role {
                let width = f64::from((most - least).max(1));
                goals.push((role, (f64::from(value - least) / width).clamp(0.0, 1.0)));
            }
        }
        let ends = LaneResults {
            goals: vec![Word::ZERO; goals.len()],
            origins: vec![0; LANES],
            ..LaneResults::default()
        };
        let initial = &machine.initial().0;
        // This also compiles the code, which must not happen during a move.
        let max_steps = usual_steps(program, initial, seed, max_steps).ok()?;
        Some(LanePlayouts { program, goals, roles: rewards.len(), seed, max_steps, batches: 0, ends })
    }

    /// Plays `playouts` times from each state. Adds the mean share of each state's and role's goal values to `shares`,
    /// and returns the number of visited states. A playout counts as unfinished if the deadline or the interrupt of
    /// `limits` ends it.
    ///
    /// # Errors
    /// It was interrupted; the results are invalid.
    pub(super) fn play(
        &mut self,
        states: &[&[u64]],
        playouts: &[u32],
        limits: ExpansionLimits<'_>,
        shares: &mut Vec<f64>,
    ) -> Result<u64, Interrupted> {
        let mut sums = Sums {
            goals: &self.goals,
            roles: self.roles,
            shares: vec![0.0; states.len() * self.roles],
            ends: &mut self.ends,
        };
        self.batches += 1;
        let mut block = Block::new(self.program, self.seed, self.batches, self.max_steps)
            .until(limits.deadline)
            .stopped_by(limits.interrupt);
        block.play_from(states, playouts, &mut sums)?;
        sums.count();
        let count = |&playouts: &u32| f64::from(playouts.max(1));
        let of_states = sums.shares.chunks_exact(self.roles.max(1)).zip(playouts);
        shares
            .extend(of_states.flat_map(|(sums, playouts)| sums.iter().map(move |sum| sum / count(playouts))));
        Ok(block.states())
    }
}
