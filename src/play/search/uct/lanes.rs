//! Playouts of UCT in lanes: hundreds at once from a new state, or shared out among its children.

use std::time::Instant;

use crate::ground::Interrupted;
use crate::machine::Machine;
use crate::machine::lanes::block::{Block, Ended, Watch};
use crate::machine::lanes::program::Program;
use crate::machine::lanes::word::{LANES, Word};

/// Playouts of a game, many at a time. All legal moves are equally likely in them.
pub(super) struct LanePlayouts<'m> {
    program: &'m Program,
    /// For every goal condition of the network, role by role, its role and the share of its goal value, 0 to 1.
    goals: Vec<(usize, f64)>,
    roles: usize,
    seed: u64,
    max_steps: u32,
    /// Batches so far: each has random choices of its own.
    batches: u64,
    ends: Ends,
}

/// How the playouts of a batch ended, each in a lane of its own until it is counted.
#[derive(Default)]
struct Ends {
    /// Lanes that ended and are not counted yet; those of them that did not end in a terminal state.
    over: Word,
    open: Word,
    /// The lanes of `over` in which each goal condition holds.
    goals: Vec<Word>,
    /// The state that the playout of a lane started from.
    origins: Vec<u16>,
}

/// Sums of what playouts came to, by the state they started from.
struct Sums<'a> {
    /// For every goal condition its role and share.
    goals: &'a [(usize, f64)],
    roles: usize,
    /// For every state and role.
    shares: Vec<f64>,
    ends: &'a mut Ends,
}

impl Watch for Sums<'_> {
    const LOOKS: bool = false;

    fn ended(&mut self, block: &Block<'_>, ended: &Ended) {
        // Most batches have as many playouts as lanes at most, so that all are counted at once.
        if !(self.ends.over & ended.over).is_zero() {
            self.count();
        }
        let Ends { over, open, goals, origins } = &mut *self.ends;
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
    /// Counts the playouts that ended, by state.
    fn count(&mut self) {
        /// Of more states the lanes are looked at one by one.
        const FEW: usize = 8;
        let Ends { over, open, goals, origins } = &mut *self.ends;
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
            // What does not end says nothing.
            let open = 0.5 * f64::from((*lanes & *open).count());
            shares.iter_mut().for_each(|share| *share += open);
        }
        (*over, *open) = (Word::ZERO, Word::ZERO);
        goals.fill(Word::ZERO);
    }
}

/// The number of steps after which most playouts from the initial state are over: all lanes wait for the longest, so
/// the last few cost more than they tell.
fn usual_steps(program: &Program, initial: &[u64], seed: u64, max_steps: u32) -> Result<u32, Interrupted> {
    /// The share of playouts that end, in hundredths.
    const MOST: u32 = 80;
    #[derive(Default)]
    struct Ages {
        all: u32,
        over: u32,
        usual: Option<u64>,
    }
    impl Watch for Ages {
        const LOOKS: bool = false;
        fn ended(&mut self, block: &Block<'_>, ended: &Ended) {
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
    /// Playouts of a machine; none where it has no lanes, or is interrupted. `rewards` are the least and the greatest goal value of every
    /// role.
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
        let ends = Ends { goals: vec![Word::ZERO; goals.len()], origins: vec![0; LANES], ..Ends::default() };
        let initial = &machine.initial().0;
        // This also makes the code, which is not to fall into the time of a move.
        let max_steps = usual_steps(program, initial, seed, max_steps).ok()?;
        Some(LanePlayouts { program, goals, roles: rewards.len(), seed, max_steps, batches: 0, ends })
    }

    /// Plays as many times from each state as `playouts` has for it; adds for every state and role the mean share of its goal
    /// values to `shares`, and gives the number of states visited. What runs on beyond a deadline has not ended.
    ///
    /// # Errors
    /// It was interrupted, and says nothing.
    pub(super) fn play(
        &mut self,
        states: &[&[u64]],
        playouts: &[u32],
        deadline: Option<Instant>,
        shares: &mut Vec<f64>,
    ) -> Result<u64, Interrupted> {
        let mut sums = Sums {
            goals: &self.goals,
            roles: self.roles,
            shares: vec![0.0; states.len() * self.roles],
            ends: &mut self.ends,
        };
        self.batches += 1;
        let mut block = Block::new(self.program, self.seed, self.batches, self.max_steps).until(deadline);
        block.play_from(states, playouts, &mut sums)?;
        sums.count();
        let count = |&playouts: &u32| f64::from(playouts.max(1));
        let of_states = sums.shares.chunks_exact(self.roles.max(1)).zip(playouts);
        shares
            .extend(of_states.flat_map(|(sums, playouts)| sums.iter().map(move |sum| sum / count(playouts))));
        Ok(block.states())
    }
}
