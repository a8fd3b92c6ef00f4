//! 512 games in the lanes of one block.

use multiversion::multiversion;

use super::game_status::GameStatus;
use super::rows::{BitBuffers, RowShape, Rows, SIDE, Words, flags};
use super::{Actions, AutoReset, GamesError, GamesView, Rules};
use crate::machine::lanes::engine::block_slots;
use crate::machine::lanes::random::Random;
use crate::machine::lanes::step::Step;
use crate::machine::lanes::transpose::lanes_into;
use crate::machine::lanes::word::{LANES, PARTS, Word};

/// The action that leaves a game unchanged.
const HOLD_ACTION: i32 = -1;

/// The slots of whether a role's move is legal and whether it is made; 0 if there is none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MoveSlots {
    pub(super) legal: u32,
    pub(super) made: u32,
}

/// Games in the first lanes of a block.
pub(super) struct GameBlock {
    slots: Vec<Word>,
    used: Word,
    lanes: usize,
    /// Slots in which moves are set.
    made: Vec<u32>,
    /// Lanes whose game is over.
    over: Word,
    /// Lanes that do not take part in the next step.
    held: Word,
    /// Number of steps of each game; counted only if there is a limit.
    steps: Vec<u32>,
    /// For each role, moves that were once the only legal one. They are tried first.
    forced: Vec<Vec<u32>>,
    missing: Vec<Word>,
    /// The states before a step, which games that are over keep.
    kept: Vec<Word>,
    buffers: BitBuffers,
    /// Buffer for the masks from which actions are drawn.
    drawn_from: Vec<u64>,
    random: Random,
}

impl GameBlock {
    pub(super) fn new(rules: &Rules, number: u64, lanes: usize) -> GameBlock {
        GameBlock {
            slots: block_slots(rules.slots),
            used: Word::first(lanes),
            lanes,
            made: Vec::new(),
            over: Word::ZERO,
            held: Word::ZERO,
            steps: vec![0; LANES],
            forced: vec![Vec::new(); rules.roles],
            missing: vec![Word::ZERO; rules.roles],
            kept: Vec::new(),
            buffers: BitBuffers::default(),
            drawn_from: Vec::new(),
            random: Random::new(rules.options.seed, number),
        }
    }

    pub(super) fn lanes(&self) -> usize {
        self.lanes
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.slots) + size_of_val(&*self.steps)
    }

    pub(super) fn seed(&mut self, seed: u64, number: u64) {
        self.random = Random::new(seed, number);
    }

    /// Whether several roles have a choice in some game.
    pub(super) fn clash(&self, rules: &Rules) -> bool {
        !(self.slots[rules.look.clash] & self.used).is_zero()
    }

    /// Resets the games with a nonzero byte, or all games.
    pub(super) fn reset(&mut self, rules: &Rules, step: &Step, games: Option<&[u8]>) {
        let mut again = Word::ONES;
        if let Some(games) = games {
            again = Word::ZERO;
            games.iter().enumerate().filter(|(_, byte)| **byte != 0).for_each(|(lane, _)| again.set(lane));
        }
        self.begin(rules, again);
        self.observe(rules, step);
    }

    /// Puts lanes into the initial state.
    fn begin(&mut self, rules: &Rules, again: Word) {
        for (word, &holds) in self.slots[rules.bits.clone()].iter_mut().zip(&rules.initial) {
            *word = if holds { *word | again } else { *word & !again };
        }
        if rules.options.max_steps.is_some() {
            again.lanes().for_each(|lane| self.steps[lane] = 0);
        }
    }

    /// Evaluates the states.
    fn observe(&mut self, rules: &Rules, step: &Step) {
        if let Some(most) = rules.options.max_steps {
            let mut aged = Word::ZERO;
            for (lane, &steps) in self.steps.iter().enumerate() {
                aged.0[lane / 64] |= u64::from(steps >= most) << (lane % 64);
            }
            self.slots[rules.aged] = aged;
        }
        step.observe.run(&mut self.slots);
        rules.look.run(&mut self.slots);
        self.over = self.slots[rules.look.over] & self.used;
    }

    pub(super) fn state(&self, rules: &Rules, lane: usize) -> Vec<u64> {
        let mut words = vec![0; rules.observation.words()];
        for (bit, word) in self.slots[rules.bits.clone()].iter().enumerate() {
            words[bit / 64] |= u64::from(word.lane(lane)) << (bit % 64);
        }
        words
    }

    pub(super) fn set_state(&mut self, rules: &Rules, step: &Step, lane: usize, state: &[u64]) {
        lanes_into(std::iter::once((lane, state)), &mut self.slots[rules.bits.clone()]);
        self.steps[lane] = 0;
        self.observe(rules, step);
    }

    /// Draws actions.
    pub(super) fn sample(&mut self, rules: &Rules, actions: &mut [i32]) {
        let each = rules.mask.groups;
        let shape = RowShape { groups: 1, bits: rules.mask.bits };
        let words = shape.words();
        for group in 0..each {
            let mut packed = std::mem::take(&mut self.drawn_from);
            packed.resize(self.lanes * words, 0);
            let (slots, lanes) = (&self.slots, self.lanes);
            let fill = |_, first, words: &mut Words| chosen(rules, slots, group, first, words);
            Rows::Packed(&mut packed).write(&fill, lanes, shape, &mut self.buffers);
            let mut numbers = Word::ZERO;
            for (lane, row) in packed.chunks_exact(words.max(1)).enumerate() {
                if lane % PARTS == 0 {
                    numbers = self.random.word();
                }
                actions[lane * each + group] = draw(row, numbers.0[lane % PARTS]);
            }
            // The number of random words does not depend on the number of games.
            (self.lanes.div_ceil(PARTS)..LANES / PARTS).for_each(|_| _ = self.random.word());
            self.drawn_from = packed;
        }
    }

    /// Sets the moves of these actions.
    pub(super) fn note(&mut self, rules: &Rules, actions: &[i32]) -> Result<(), GamesError> {
        let look = &rules.look;
        let open = self.used & !self.over;
        self.held = Word::ZERO;
        match rules.options.actions {
            Actions::Turns => {
                let clash = self.slots[look.clash] & open;
                if let Some(game) = clash.lanes().next() {
                    return Err(GamesError::SeveralChoose { game });
                }
                self.missing.fill(open);
                if rules.roles == 2 {
                    self.note_turns::<2>(rules, look, actions)?;
                } else {
                    self.note_turns::<0>(rules, look, actions)?;
                }
            }
            Actions::Joint => {
                for role in 0..rules.roles {
                    let mut missing = open;
                    for (lane, actions) in actions.chunks_exact(rules.roles).enumerate() {
                        if actions[role] == HOLD_ACTION || !open.lane(lane) {
                            continue;
                        }
                        let place = usize::try_from(actions[role]).ok().filter(|&a| a < rules.mask.bits);
                        let place =
                            place.map_or(MoveSlots::default(), |a| rules.places[role * rules.mask.bits + a]);
                        if place.legal == 0 || !self.slots[place.legal as usize].lane(lane) {
                            let action = actions[role];
                            return Err(GamesError::NotLegal { game: lane, role: Some(role), action });
                        }
                        self.make(place.made, lane);
                        missing.0[lane / 64] &= !(1 << (lane % 64));
                    }
                    let lacking = missing & self.slots[look.choice.start + role];
                    if let Some(game) = lacking.lanes().next() {
                        return Err(GamesError::NotLegal { game, role: Some(role), action: -1 });
                    }
                    self.missing[role] = missing;
                }
            }
        }
        self.make_forced(rules);
        Ok(())
    }

    /// Sets moves for one action per game. The constant number of roles lets the compiler unroll the loop over them.
    #[inline(always)]
    fn note_turns<const ROLES: usize>(
        &mut self,
        rules: &Rules,
        look: &GameStatus,
        actions: &[i32],
    ) -> Result<(), GamesError> {
        let roles = if ROLES == 0 { rules.roles } else { ROLES };
        for (lane, &action) in actions.iter().enumerate() {
            let (part, bit) = (lane / 64, 1u64 << (lane % 64));
            if action == HOLD_ACTION {
                self.held.0[part] |= bit;
                self.missing.iter_mut().for_each(|missing| missing.0[part] &= !bit);
                continue;
            }
            if self.over.0[part] & bit != 0 {
                continue;
            }
            let number = action as u32 as usize;
            let mut known = false;
            if number < rules.mask.bits {
                for (role, place) in rules.places[number * roles..][..roles].iter().enumerate() {
                    // Slot 0 is false.
                    let legal = self.slots[place.legal as usize].0[part];
                    if legal & self.slots[look.turns.start + role].0[part] & bit != 0 {
                        self.make(place.made, lane);
                        self.missing[role].0[part] &= !bit;
                        known = true;
                    }
                }
            }
            if !known {
                return Err(GamesError::NotLegal { game: lane, role: None, action });
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn make(&mut self, slot: u32, lane: usize) {
        let part = &mut self.slots[slot as usize].0[lane / 64];
        if *part == 0 {
            // One entry per part; duplicates are harmless.
            self.made.push(slot);
        }
        *part |= 1 << (lane % 64);
    }

    /// Sets the only legal move of roles without a move.
    fn make_forced(&mut self, rules: &Rules) {
        let GameBlock { slots, made, missing, forced, .. } = self;
        for (role, missing) in missing.iter_mut().enumerate() {
            let mut take = |move_place: &MoveSlots, missing: &mut Word| {
                let lanes = slots[move_place.legal as usize] & *missing;
                if !lanes.is_zero() {
                    let word = &mut slots[move_place.made as usize];
                    if word.is_zero() {
                        made.push(move_place.made);
                    }
                    *word |= lanes;
                    *missing &= !lanes;
                }
                !lanes.is_zero()
            };
            for &number in &forced[role] {
                if missing.is_zero() {
                    break;
                }
                take(&rules.role_places[role][number as usize], missing);
            }
            if missing.is_zero() {
                continue;
            }
            for (number, index) in rules.role_places[role].iter().enumerate() {
                if take(index, missing) {
                    forced[role].push(number as u32);
                }
            }
        }
    }

    /// Removes the moves that were set.
    pub(super) fn forget_moves(&mut self) {
        self.made.drain(..).for_each(|slot| self.slots[slot as usize] = Word::ZERO);
    }

    /// Plays the moves that were set, and writes the results to the view.
    pub(super) fn advance(&mut self, rules: &Rules, step: &Step, view: Option<GamesView<'_>>) {
        let before = self.over;
        let reset = rules.options.auto_reset;
        let staying = if reset == AutoReset::Never { self.held | before } else { self.held };
        if !staying.is_zero() {
            self.kept.clear();
            self.kept.extend_from_slice(&self.slots[rules.bits.clone()]);
        }
        step.update.run(&mut self.slots);
        self.forget_moves();
        if rules.options.max_steps.is_some() {
            for (lane, steps) in self.steps.iter_mut().enumerate() {
                *steps += u32::from(!staying.lane(lane));
            }
        }
        if !staying.is_zero() {
            for (word, &kept) in self.slots[rules.bits.clone()].iter_mut().zip(&self.kept) {
                *word = *word & !staying | kept & staying;
            }
        }
        let again = before & !staying;
        if !again.is_zero() {
            self.begin(rules, again);
        }
        self.observe(rules, step);
        let ended = self.over & !(staying & before);
        let view = view.map(|mut view| {
            self.show_ends(rules, ended, &mut view);
            view
        });
        if reset == AutoReset::SameStep && !self.over.is_zero() {
            let over = self.over;
            self.begin(rules, over);
            self.observe(rules, step);
        }
        if let Some(view) = view {
            self.show_states(rules, view);
        }
    }

    /// Writes the current games to the view.
    pub(super) fn show(&mut self, rules: &Rules, view: Option<GamesView<'_>>) {
        if let Some(mut view) = view {
            self.show_ends(rules, Word::ZERO, &mut view);
            self.show_states(rules, view);
        }
    }

    /// Writes which games are over, and the rewards of those that just ended.
    fn show_ends(&self, rules: &Rules, ended: Word, view: &mut GamesView<'_>) {
        let terminal = self.slots[rules.terminal] & self.over;
        flags(terminal, view.terminated);
        flags(self.over & !terminal, view.truncated);
        view.rewards.fill(0.0);
        let ended = ended & terminal;
        if ended.is_zero() {
            return;
        }
        for (&(role, value), condition) in rules.goals.iter().zip(&self.slots[rules.goal_slots.clone()]) {
            if value != 0 {
                (*condition & ended)
                    .lanes()
                    .for_each(|lane| view.rewards[lane * rules.roles + role] = value as f32);
            }
        }
    }

    /// Writes the states and the actions that may be chosen.
    fn show_states(&mut self, rules: &Rules, mut view: GamesView<'_>) {
        let mut turns = [0u8; LANES];
        let mut chooses = [0u8; LANES];
        let clash = self.slots[rules.look.clash];
        for role in 0..rules.roles {
            let choice = self.slots[rules.look.choice.start + role];
            flags(choice & !clash & !self.over, &mut chooses);
            turns.iter_mut().zip(&chooses).for_each(|(turn, &chooses)| *turn += chooses * (role as u8 + 1));
        }
        view.turns.iter_mut().zip(&turns).for_each(|(out, &turn)| *out = turn as i8 - 1);
        let (slots, lanes) = (&self.slots, self.lanes);
        let bits = &slots[rules.bits.clone()];
        let observed = |_, first: usize, words: &mut Words| {
            let bits = &bits[first..bits.len().min(first + SIDE)];
            words[..bits.len()].copy_from_slice(bits);
            words[bits.len()..].fill(Word::ZERO);
        };
        view.observations.write(&observed, lanes, rules.observation, &mut self.buffers);
        let masked = |group, first, words: &mut Words| chosen(rules, slots, group, first, words);
        view.masks.write(&masked, lanes, rules.mask, &mut self.buffers);
    }
}

/// The masks of 64 actions of a group, beginning with `first`. They are computed when they are written, because storing them
/// before would evict other words from the cache.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
fn chosen(rules: &Rules, slots: &[Word], group: usize, first: usize, words: &mut Words) {
    let turns = &slots[rules.look.turns.clone()];
    let (places, turns, each) = match rules.options.actions {
        Actions::Turns => (&rules.places[..], turns, rules.roles),
        Actions::Joint => (&rules.places[group * rules.mask.bits..], &turns[group..=group], 1),
    };
    let actions = SIDE.min(rules.mask.bits - first);
    let places = &places[first * each..][..actions * each];
    for (word, places) in words.iter_mut().zip(places.chunks_exact(each)) {
        // Slot 0 is false.
        *word = places
            .iter()
            .zip(turns)
            .fold(Word::ZERO, |some, (place, &turn)| some | slots[place.legal as usize] & turn);
    }
    words[actions..].fill(Word::ZERO);
}

/// The index of a random set bit, selected by a random word; 0 if no bit is set.
fn draw(row: &[u64], random: u64) -> i32 {
    let count: u32 = row.iter().map(|word| word.count_ones()).sum();
    // The chances of bits differ by at most `count` in 2^64.
    let mut left = ((u128::from(random) * u128::from(count)) >> 64) as u32;
    for (index, &word) in row.iter().enumerate() {
        let here = word.count_ones();
        if left < here {
            let mut word = word;
            (0..left).for_each(|_| word &= word - 1);
            return (index * 64) as i32 + word.trailing_zeros() as i32;
        }
        left -= here;
    }
    0
}
