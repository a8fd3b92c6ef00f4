//! The choice of moves by table, for networks with very many moves. There, few lanes need the gates for a particular legal
//! move and its effects, but each gate costs as much as one that all lanes need.
//!
//! The legal moves are counted in groups of 64, as bit-sliced words. A number below each lane's total selects the group, in
//! which the legal words are read one lane at a time. A table gives the effects of the move that was found, see
//! [`MoveEffects`](super::effects::MoveEffects). The playouts are the same as with the choice by gates.

use std::ops::Range;

use multiversion::multiversion;

use super::draw::draw;
use super::engine::Executable;
use super::layout::{COUNT_BITS, Layout};
use super::random::Random;
use super::tiles::TILE;
use super::word::{PARTS, Word};

/// The number of moves in a group.
const GROUP: usize = 64;
/// The number of bits of a count of legal moves in a group.
const GROUP_BITS: usize = 7;
/// Number of words that are counted together: sixteen words need only one addition to the fifth bit.
const TOGETHER: usize = 16;

/// The choice of moves of all roles.
#[derive(Clone, Debug)]
pub(super) struct MoveTable {
    pub(super) roles: Vec<RoleTable>,
    /// The slots of the effects of moves.
    pub(super) effects: Range<u32>,
}

/// The choice of a role's moves.
#[derive(Clone, Debug)]
pub(super) struct RoleTable {
    /// The slots that hold, for each move, the lanes in which it is legal.
    pub(super) legal: Range<u32>,
    /// For each tile of these slots, the part of the code after which it is complete.
    pub(super) tiles: Vec<usize>,
    /// Number of bits of a number below the number of possible moves.
    pub(super) number_bits: usize,
    /// For each move, the start of its effects in `effects`; and a sentinel.
    pub(super) starts: Vec<u32>,
    /// The slots that are set if a move is made.
    pub(super) effects: Vec<u32>,
    /// For each move, the slot that holds the lanes in which it is made; empty if moves are not observed.
    pub(super) made: Vec<u32>,
    /// For each of these moves, its index among the role's moves.
    pub(super) moves: Vec<u32>,
    /// Whether the lanes' moves are stored for an automaton.
    pub(super) keeps: bool,
}

/// The state of the choice in a block.
#[derive(Clone, Debug, Default)]
pub(super) struct ChoiceState {
    /// For each role and group of its moves, the number of legal moves, bit-sliced.
    groups: Vec<Vec<[Word; GROUP_BITS]>>,
    /// For each role, its number of legal moves, bit-sliced.
    totals: Vec<[Word; COUNT_BITS]>,
    /// For each role, the number of tiles counted.
    tiles: Vec<usize>,
    /// The lanes in which the current role moves, with the indices of its moves.
    chosen: Vec<(u32, u32)>,
    /// For each role whose moves are stored, the lanes with the indices of its moves.
    stored: Vec<Vec<(u32, u32)>>,
    /// The slots of [`RoleTable::made`] that are set.
    made_slots: Vec<u32>,
}

impl ChoiceState {
    /// Lanes in which a role moves, with the indices of its moves; valid if they are stored.
    pub(super) fn moves(&self, role: usize) -> &[(u32, u32)] {
        &self.stored[role]
    }
}

impl MoveTable {
    /// Evaluates the states, and counts the legal moves.
    pub(super) fn observe(&self, code: &Executable, slots: &mut [Word], choosing: &mut ChoiceState) {
        choosing.made_slots.drain(..).for_each(|slot| slots[slot as usize] = Word::ZERO);
        slots[self.effects.start as usize..self.effects.end as usize].fill(Word::ZERO);
        let roles = self.roles.len();
        choosing.groups.resize(roles, Vec::new());
        choosing.groups.iter_mut().for_each(Vec::clear);
        choosing.totals.clear();
        choosing.totals.resize(roles, [Word::ZERO; COUNT_BITS]);
        choosing.tiles.clear();
        choosing.tiles.resize(roles, 0);
        code.run_each(slots, |part, slots| self.count_until(part, slots, choosing));
        self.count_until(usize::MAX, slots, choosing);
    }

    /// Counts the tiles that are complete after a part of the code.
    fn count_until(&self, part: usize, slots: &[Word], choosing: &mut ChoiceState) {
        for (number, role) in self.roles.iter().enumerate() {
            let words = &slots[role.words()];
            let done = &mut choosing.tiles[number];
            while role.tiles.get(*done).is_some_and(|&last| last <= part) {
                let tile = &words[*done * TILE..words.len().min((*done + 1) * TILE)];
                let total = &mut choosing.totals[number];
                count(tile, words.len(), &mut choosing.groups[number], total);
                *done += 1;
            }
        }
    }

    /// Chooses a move of every role in the lanes that continue and in which each role has one, and determines which playouts
    /// end.
    pub(super) fn choose(
        &self,
        layout: &Layout,
        slots: &mut [Word],
        random: &mut Random,
        choosing: &mut ChoiceState,
    ) {
        let some = |total: &[Word; COUNT_BITS]| total.iter().fold(Word::ZERO, |some, &bit| some | bit);
        let able = choosing.totals.iter().fold(Word::ONES, |able, total| able & some(total));
        let [active, aged, terminal] =
            [layout.active, layout.aged, layout.terminal].map(|slot| slots[slot as usize]);
        let going = active & !terminal;
        let moving = going & !aged;
        let (ending, capped, stuck) = (active & terminal, going & able & aged, going & !able);
        for (word, slot) in [ending, capped, stuck, ending | capped | stuck].into_iter().zip(layout.ended) {
            slots[slot as usize] = word;
        }
        for (number, role) in self.roles.iter().enumerate() {
            let total = &choosing.totals[number];
            let mut drawn = [Word::ZERO; COUNT_BITS];
            if role.number_bits > 0 {
                draw(total, &moving, random, &mut drawn[..role.number_bits]);
            }
            if role.effects.is_empty() && role.made.is_empty() && !role.keeps {
                continue;
            }
            let (groups, seeking) = (&choosing.groups[number], moving & some(total));
            find(groups, &slots[role.words()], drawn, role.number_bits, seeking, &mut choosing.chosen);
            if role.keeps {
                choosing.stored.resize(self.roles.len(), Vec::new());
                choosing.stored[number].clone_from(&choosing.chosen);
            }
            for (lane, index) in choosing.chosen.drain(..) {
                let (lane, index) = (lane as usize, index as usize);
                let effects = role.starts[index] as usize..role.starts[index + 1] as usize;
                role.effects[effects].iter().for_each(|&slot| slots[slot as usize].set(lane));
                if let Some(&made) = role.made.get(index) {
                    slots[made as usize].set(lane);
                    choosing.made_slots.push(made);
                }
            }
        }
    }
}

impl RoleTable {
    fn words(&self) -> Range<usize> {
        self.legal.start as usize..self.legal.end as usize
    }
}

/// A full adder: (sum, carry).
#[inline(always)]
fn add(a: u64, b: u64, c: u64) -> (u64, u64) {
    (a ^ b ^ c, a & b | c & (a | b))
}

/// Counts words in groups, and adds them to the total.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
fn count(words: &[Word], all: usize, groups: &mut Vec<[Word; GROUP_BITS]>, total: &mut [Word; COUNT_BITS]) {
    let most = (usize::BITS - all.leading_zeros()) as usize;
    for group in words.chunks(GROUP) {
        let mut sum = [Word::ZERO; GROUP_BITS];
        let (sixteens, rest) = group.as_chunks::<TOGETHER>();
        sixteens.iter().for_each(|words| add_sixteen(words, &mut sum));
        rest.iter().for_each(|word| add_one(word, &mut sum));
        add_to(&sum, &mut total[..most]);
        groups.push(sum);
    }
}

/// Adds sixteen words to a sum with carry-save adders.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "part by part it is made vector code")]
fn add_sixteen(words: &[Word; TOGETHER], sum: &mut [Word; GROUP_BITS]) {
    for part in 0..PARTS {
        let word = |index: usize| words[index].0[part];
        let mut ones = sum[0].0[part];
        let mut pair = |first: usize| {
            let (low, carry) = add(ones, word(first), word(first + 1));
            ones = low;
            carry
        };
        let twos = [pair(0), pair(2), pair(4), pair(6), pair(8), pair(10), pair(12), pair(14)];
        let (two, a) = add(sum[1].0[part], twos[0], twos[1]);
        let (two, b) = add(two, twos[2], twos[3]);
        let (two, c) = add(two, twos[4], twos[5]);
        let (two, d) = add(two, twos[6], twos[7]);
        let (four, e) = add(sum[2].0[part], a, b);
        let (four, f) = add(four, c, d);
        let (eight, sixteen) = add(sum[3].0[part], e, f);
        let carry = sum[4].0[part] & sixteen;
        (sum[0].0[part], sum[1].0[part], sum[2].0[part], sum[3].0[part]) = (ones, two, four, eight);
        sum[4].0[part] ^= sixteen;
        sum[6].0[part] |= sum[5].0[part] & carry;
        sum[5].0[part] ^= carry;
    }
}

#[inline(always)]
fn add_one(word: &Word, sum: &mut [Word; GROUP_BITS]) {
    let mut carry = *word;
    for bit in sum {
        (*bit, carry) = (*bit ^ carry, *bit & carry);
    }
}

/// Adds a group's sum to the total, which has enough bits.
#[inline(always)]
fn add_to(sum: &[Word; GROUP_BITS], total: &mut [Word]) {
    let mut carry = Word::ZERO;
    for (bit, total) in total.iter_mut().enumerate() {
        for part in 0..PARTS {
            let more = if bit < GROUP_BITS { sum[bit].0[part] } else { 0 };
            (total.0[part], carry.0[part]) = add(total.0[part], more, carry.0[part]);
        }
    }
}

/// Finds, in the lanes of `seeking`, the index of the n-th set word, where n is the lane's number.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
#[allow(clippy::needless_range_loop, reason = "part by part it is made vector code")]
fn find(
    groups: &[[Word; GROUP_BITS]],
    words: &[Word],
    mut number: [Word; COUNT_BITS],
    number_bits: usize,
    mut seeking: Word,
    found: &mut Vec<(u32, u32)>,
) {
    let bits = number_bits.max(GROUP_BITS);
    let (mut number, mut rest) = (&mut number[..bits], &mut [Word::ZERO; COUNT_BITS][..bits]);
    for (group, count) in groups.iter().enumerate() {
        let mut borrow = Word::ZERO;
        for bit in 0..bits {
            for part in 0..PARTS {
                let less = if bit < GROUP_BITS { count[bit].0[part] } else { 0 };
                let (left, under) = add(!number[bit].0[part], less, borrow.0[part]);
                (rest[bit].0[part], borrow.0[part]) = (!left, under);
            }
        }
        let here = seeking & borrow;
        if !here.is_zero() {
            let words = &words[group * GROUP..words.len().min((group + 1) * GROUP)];
            for lane in here.lanes() {
                let index = group * GROUP + place_in_group(words, number, lane);
                found.push((lane as u32, index as u32));
            }
            seeking &= !here;
            if seeking.is_zero() {
                return;
            }
        }
        std::mem::swap(&mut number, &mut rest);
    }
}

/// The index of the n-th set word of a group in a lane, where n is the lane's number.
#[inline(always)]
fn place_in_group(words: &[Word], number: &[Word], lane: usize) -> usize {
    let (part, shift) = (lane / 64, lane % 64);
    let bit = |word: &Word| word.0[part] >> shift & 1;
    let left = (0..GROUP_BITS - 1).map(|index| bit(&number[index]) << index).sum::<u64>();
    let mut column = words.iter().enumerate().fold(0, |column, (index, word)| column | bit(word) << index);
    (0..left).for_each(|_| column &= column - 1);
    column.trailing_zeros() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::lanes::word::LANES;

    #[test]
    fn find_returns_the_nth_set_word() {
        let mut random = Random::new(3, 0);
        for (words, dense) in
            [(1, true), (7, true), (63, true), (64, true), (65, false), (200, true), (9000, false)]
        {
            let rare = |word: Word, random: &mut Random| {
                if dense { word } else { word & random.word() & random.word() & random.word() }
            };
            let words: Vec<Word> = (0..words)
                .map(|_| {
                    let word = random.word();
                    rare(word, &mut random)
                })
                .collect();
            let (mut groups, mut total) = (Vec::new(), [Word::ZERO; COUNT_BITS]);
            words.chunks(TILE).for_each(|tile| count(tile, words.len(), &mut groups, &mut total));
            let sliced = |bits: &[Word], lane: usize| {
                bits.iter().enumerate().map(|(bit, word)| usize::from(word.lane(lane)) << bit).sum::<usize>()
            };
            let words = &words[..];
            let set = |lane: usize| (0..words.len()).filter(move |&index| words[index].lane(lane));
            for lane in 0..LANES {
                assert_eq!(sliced(&total, lane), set(lane).count(), "{} words, lane {lane}", words.len());
            }
            let number_bits = (usize::BITS - (words.len() - 1).leading_zeros()) as usize;
            let some = total.iter().fold(Word::ZERO, |some, &bit| some | bit);
            let seeking = random.word() & some;
            let mut number = [Word::ZERO; COUNT_BITS];
            draw(&total, &seeking, &mut random, &mut number[..number_bits]);
            let mut found = Vec::new();
            find(&groups, words, number, number_bits, seeking, &mut found);
            found.sort_unstable();
            let expected = seeking.lanes().map(|lane| {
                let index = set(lane).nth(sliced(&number, lane)).expect("a number below the total");
                (lane as u32, index as u32)
            });
            assert!(expected.eq(found), "{} words", words.len());
        }
    }
}
