//! Playouts in lanes in which roles prefer moves after which a function says much.
//!
//! # How
//! Several lanes share a playout: its state stands in all of them. Each lane draws a move of its own and makes it, all at
//! once; the functions of those who choose tell what the successors are worth, and the best one is taken over into the
//! lanes of its playout. So a role makes the best of a few moves drawn with replacement: of two, the better half is three
//! times as likely as the other. No lane is left for that, and nothing is read out but the values.
//!
//! The lanes of a playout have the same place in parts of a word that are so many parts from each other, so that a state is
//! taken over by a mask and a few shifts of parts.
//!
//! Where several roles choose at once, or chance does, the first lane's move is made: nobody is told what others do.

use super::block::{Block, Ended, Watch};
use super::engine::block_slots;
use super::program::{Program, Step};
use super::states::several;
use super::value::{LaneValue, LaneValuer};
use super::word::{LANES, PARTS, Word};
use crate::ground::Interrupted;

/// Moves drawn for a choice at most: a lane each, in parts of their own.
pub const MOST_SAMPLED: usize = PARTS;

/// Adders and gates of all functions that playouts follow, at most: so many take a second to compile.
pub const MOST_GATES: usize = 200_000;

/// Functions that roles follow in playouts.
pub struct LaneGuides {
    /// For each role what tells how good a successor is; none for one that draws its moves.
    roles: Vec<Option<LaneValuer>>,
    /// For every goal condition of the network, role by role, its role and what an end in it is worth.
    ends: Vec<(usize, f64)>,
    /// Moves drawn for a choice.
    sampled: usize,
    /// For each role the lanes in which it chooses.
    choosing: Vec<Word>,
    values: [Vec<f64>; 1],
    /// What the successor in each lane is worth to who chooses it.
    worth: Vec<f64>,
}

impl LaneGuides {
    /// Functions for all roles of a program's game, in their order, and what a role has of a goal value, on the scale of its
    /// function; `sampled` moves are drawn for each choice, [`MOST_SAMPLED`] at most.
    ///
    /// # Errors
    /// It was interrupted.
    pub fn new(
        program: &Program,
        functions: Vec<Option<LaneValue>>,
        worth: impl Fn(usize, i32) -> f64,
        sampled: usize,
    ) -> Result<LaneGuides, Interrupted> {
        let valuer = |function: Option<LaneValue>| {
            function.map(|function| LaneValuer::new(program, vec![function])).transpose()
        };
        let goals = program.network().goals.iter().enumerate();
        let ends = goals.flat_map(|(role, goals)| goals.iter().map(move |&(value, _)| (role, value)));
        Ok(LaneGuides {
            ends: ends.map(|(role, value)| (role, worth(role, value))).collect(),
            roles: functions.into_iter().map(valuer).collect::<Result<_, _>>()?,
            sampled: sampled.clamp(1, MOST_SAMPLED),
            choosing: Vec::new(),
            values: [Vec::new()],
            worth: Vec::new(),
        })
    }

    /// Moves drawn for a choice.
    pub fn sampled(&self) -> usize {
        self.sampled
    }

    /// Parts of a word in which playouts have their first lanes.
    fn parts(&self) -> usize {
        PARTS / self.sampled
    }

    /// The lanes of playouts, given by their first ones.
    fn spread(&self, firsts: Word) -> Word {
        let parts = self.parts();
        let mut all = firsts;
        for part in parts..parts * self.sampled {
            all.0[part] = firsts.0[part % parts];
        }
        all
    }

    /// Takes over what stands in the lanes of a mask, of which each playout has one, into all lanes of its playout.
    fn take_over(&self, word: Word, mask: Word) -> Word {
        let parts = self.parts();
        let mut taken = word & mask;
        for part in parts..parts * self.sampled {
            taken.0[part % parts] |= taken.0[part];
        }
        self.spread(taken)
    }

    /// Notes who chooses in the states of a block, which are looked at; gives the lanes in which one role alone does, and it
    /// has a function.
    fn note_choices(&mut self, block: &Block<'_>) -> Word {
        let (mut one, mut two, mut led) = (Word::ZERO, Word::ZERO, Word::ZERO);
        self.choosing.clear();
        for (legal, valuer) in block.program.layout.legal.iter().zip(&self.roles) {
            let choosing = several(&block.slots[legal.start as usize..legal.end as usize]);
            two |= one & choosing;
            one |= choosing;
            if valuer.is_some() {
                led |= choosing;
            }
            self.choosing.push(choosing);
        }
        led & !two & block.active()
    }

    /// Of the successors in the lanes of each playout the best one for who chose it, if one alone did: its lane. `next` is
    /// the code that looks at them.
    fn best(&mut self, block: &mut Block<'_>, next: &Step, chosen: Word) -> Word {
        block.observe(next);
        let terminal = block.slots[block.program.layout.terminal as usize];
        self.worth.clear();
        self.worth.resize(LANES, 0.0);
        for (role, valuer) in self.roles.iter_mut().enumerate() {
            let lanes = self.choosing[role] & chosen;
            let Some(valuer) = valuer.as_mut().filter(|_| !lanes.is_zero()) else { continue };
            valuer.values_in(block.program, &mut block.slots, (LANES, lanes), terminal, &mut self.values);
            let open = lanes & !terminal;
            open.lanes().for_each(|lane| self.worth[lane] = self.values[0][lane]);
            let ended = lanes & terminal;
            ended.lanes().for_each(|lane| self.worth[lane] = f64::NEG_INFINITY);
            for (goal, &(of, worth)) in self.ends.iter().enumerate().filter(|(_, (of, _))| *of == role) {
                debug_assert_eq!(of, role);
                (block.goal(goal) & ended).lanes().for_each(|lane| self.worth[lane] = worth);
            }
        }
        let columns = 64 * self.parts();
        let mut best = Word::ZERO;
        for column in 0..columns {
            let mut lane = column;
            for other in (1..self.sampled).map(|number| column + number * columns) {
                if self.worth[other] > self.worth[lane] {
                    lane = other;
                }
            }
            best.set(lane);
        }
        best
    }
}

/// Lanes that wait until states are loaded again, of those in which playouts begin.
const WAITING: u64 = 8;

impl Block<'_> {
    /// Plays so many playouts from each of some states to their ends, in which roles follow functions; `watch` sees each in
    /// the first of its lanes, and asks [`origin`](Block::origin) for the state that it started from. The states are
    /// counted in every lane: that many were looked at.
    ///
    /// # Errors
    /// It was interrupted, as in [`play`](Block::play).
    ///
    /// # Panics
    /// A state has too few bits.
    pub fn play_guided<W: Watch>(
        &mut self,
        states: &[&[u64]],
        each: u64,
        guides: &mut LaneGuides,
        watch: &mut W,
    ) -> Result<(), Interrupted> {
        let program = self.program;
        let phases: Vec<Option<usize>> =
            states.iter().map(|state| program.phase_of(state)).collect::<Result<_, _>>()?;
        let same =
            phases.first().copied().flatten().filter(|&first| phases.iter().all(|p| *p == Some(first)));
        // Lanes take over each other's bits, but not their places in tables.
        let walked = !program.automata()?.is_empty() || !program.free_automata()?.is_empty();
        let steps = match same {
            _ if walked => program.plain(true)?,
            Some(_) => program.entered(true)?,
            None => program.free(true)?,
        };
        let begin = same.unwrap_or(0) % steps.len();
        self.slots = block_slots(steps.iter().map(|step| step.slots).max().unwrap_or(0));
        self.origins = vec![0; LANES];
        self.step = 0;
        let columns = 64 * guides.parts();
        let (firsts, all) = (Word::first(columns), states.len() as u64 * each);
        let mut started = 0;
        loop {
            let phase = (begin as u64 + self.step) as usize % steps.len();
            let (left, idle) = (all - started, firsts & !self.active());
            if left > 0 && phase == begin && u64::from(idle.count()) >= left.min(columns as u64 / WAITING) {
                let lanes = idle.lowest(left.min(LANES as u64) as usize);
                for (number, lane) in (started..).zip(lanes.lanes()) {
                    let members = (0..guides.sampled).map(|member| lane + member * columns);
                    members.for_each(|member| self.origins[member] = (number / each) as u32);
                }
                let members = guides.spread(lanes);
                self.load(steps, states, members);
                self.start(&lanes, started);
                self.slots[program.layout.active as usize] |= members;
                started += u64::from(lanes.count());
            }
            if self.active().is_zero() {
                if started == all {
                    return Ok(());
                }
                self.step += 1;
                continue;
            }
            program.interrupt.check()?;
            self.keep_time();
            let step = &steps[phase];
            self.prepare();
            self.observe(step);
            let over = self.draw(step, true);
            if W::LOOKS {
                watch.position(self);
            }
            if over {
                let ended = program.layout.ended.map(|slot| self.slots[slot as usize] & firsts);
                let [terminal, capped, stuck, over] = ended;
                watch.ended(self, &Ended { terminal, capped, stuck, over });
                self.slots[program.layout.active as usize] &= !guides.spread(over);
            }
            let chosen = guides.note_choices(self);
            step.update.run(&mut self.slots);
            self.step += 1;
            if self.active().is_zero() {
                continue;
            }
            let best = match chosen.is_zero() {
                true => firsts,
                false => guides.best(self, &steps[(phase + 1) % steps.len()], chosen),
            };
            for bit in 0..program.layout.bits {
                let slot = &mut self.slots[program.layout.bit(bit) as usize];
                *slot = guides.take_over(*slot, best);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guides(sampled: usize) -> LaneGuides {
        let (choosing, worth) = (Vec::new(), Vec::new());
        LaneGuides { roles: Vec::new(), ends: Vec::new(), sampled, choosing, values: [Vec::new()], worth }
    }

    #[test]
    fn the_lanes_of_a_playout_take_over_the_same() {
        for sampled in 1..=MOST_SAMPLED {
            let guides = guides(sampled);
            let columns = 64 * guides.parts();
            let firsts = Word::first(columns);
            assert_eq!(guides.spread(firsts), Word::first(columns * sampled), "{sampled}");
            // Of every playout the last lane is the best, and every third playout has the bit there.
            let (mut mask, mut word) = (Word::ZERO, firsts);
            for column in 0..columns {
                let last = column + (sampled - 1) * columns;
                mask.set(last);
                word &= !Word::first(last + 1) | Word::first(last);
                if column % 3 == 0 {
                    word.set(last);
                }
            }
            let taken = guides.take_over(word, mask);
            for lane in 0..columns * sampled {
                assert_eq!(taken.lane(lane), (lane % columns).is_multiple_of(3), "{sampled} {lane}");
            }
        }
    }
}
