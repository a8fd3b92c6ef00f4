//! A uniformly random legal move in every lane, computed by gates with bit-sliced arithmetic.
//!
//! Legal moves are counted in groups of seven (three full adders), and the groups in a tree of sums. For a number below each
//! lane's total, comparing and subtracting down the tree finds the lane's group. The group's moves are gathered into seven
//! words for all lanes together, and counted down.

use super::gates::{Gates, PIECE, Signal};
use super::table::OR_AND;

/// The source of the moves of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MoveSource {
    /// The program chooses them, and they can't be read.
    Random,
    /// The program chooses them. Moves, legal moves and all state bits can be read.
    Shown,
    /// The caller writes them to their slots.
    Given,
}

/// Moves in a group: as many as three bits can count.
const GROUP: usize = 7;

/// Counts the legal moves of one role in a tree of sums.
pub(super) struct MoveCounter {
    moves: Vec<Signal>,
    /// Moves per group; the last group may have fewer.
    group: usize,
    /// For every level, beginning with the groups, the bit-sliced counts of its nodes.
    levels: Vec<Vec<Vec<Signal>>>,
}

impl MoveCounter {
    /// Counts the legal moves.
    pub(super) fn new(gates: &mut Gates, moves: Vec<Signal>) -> MoveCounter {
        let groups = moves.len().div_ceil(GROUP).max(1);
        let group = moves.len().div_ceil(groups).max(1);
        let mut level: Vec<Vec<Signal>> = moves.chunks(group).map(|chunk| count(gates, chunk)).collect();
        if level.is_empty() {
            level.push(vec![Signal::FALSE]);
        }
        let mut levels = vec![level];
        while levels[levels.len() - 1].len() > 1 {
            let sums = levels[levels.len() - 1].chunks(2).map(|pair| match pair {
                [left, right] => sum(gates, left, right),
                _ => pair[0].clone(),
            });
            let sums = sums.collect();
            levels.push(sums);
        }
        MoveCounter { moves, group, levels }
    }

    /// The bit-sliced number of legal moves.
    pub(super) fn total(&self) -> &[Signal] {
        &self.levels[self.levels.len() - 1][0]
    }

    /// Number of bits of the index of a legal move, from the number of possible moves.
    pub(super) fn number_bits(&self) -> usize {
        MoveCounter::bits_below(self.moves.len())
    }

    /// Number of bits of a number below `moves`.
    pub(super) fn bits_below(moves: usize) -> usize {
        (usize::BITS - moves.saturating_sub(1).leading_zeros()) as usize
    }

    /// For every move, the lanes of `choosing` in which it is the legal move with index `number`.
    pub(super) fn select(&self, gates: &mut Gates, number: &[Signal], choosing: Signal) -> Vec<Signal> {
        let mut number = number.to_vec();
        let mut masks = vec![choosing];
        for level in (0..self.levels.len() - 1).rev() {
            let lower = &self.levels[level];
            let left = gather_left(gates, &masks, lower);
            let mut borrow = Signal::FALSE;
            let mut rest = Vec::with_capacity(number.len());
            for bit in 0..number.len().max(left.len()) {
                let n = number.get(bit).copied().unwrap_or(Signal::FALSE);
                let l = left.get(bit).copied().unwrap_or(Signal::FALSE);
                rest.push(gates.add(n, l, borrow).0);
                borrow = gates.add(!n, l, borrow).1;
            }
            // The remaining number fits into the bits of the group's count.
            let bits = lower.iter().map(Vec::len).max().unwrap_or(0);
            number.truncate(bits);
            for (bit, number) in number.iter_mut().enumerate() {
                *number = gates.choose(borrow, *number, rest[bit]);
            }
            let mut below = Vec::with_capacity(lower.len());
            for (node, &mask) in masks.iter().enumerate() {
                if 2 * node + 1 == lower.len() {
                    below.push(mask);
                } else {
                    below.push(gates.and(mask, borrow));
                    below.push(gates.and(mask, !borrow));
                }
            }
            masks = below;
        }
        let selected = self.select_in_group(gates, &number, &masks);
        let single = masks.len() == 1;
        let place = |number: usize| (number / self.group, number % self.group);
        let made = (0..self.moves.len()).map(|number| {
            let (group, member) = place(number);
            if single { selected[member] } else { gates.and(selected[member], masks[group]) }
        });
        made.collect()
    }

    /// For each position in a group, the lanes whose number is the index of that legal move in the lane's group.
    fn select_in_group(&self, gates: &mut Gates, number: &[Signal], masks: &[Signal]) -> Vec<Signal> {
        let mut members = vec![Signal::FALSE; self.group];
        for groups in self.moves.chunks(self.group).zip(masks).collect::<Vec<_>>().chunks(PIECE) {
            let mut piece = vec![Signal::FALSE; self.group];
            for &(chunk, &mask) in groups {
                gather(gates, &mut piece, mask, chunk);
            }
            for (member, piece) in members.iter_mut().zip(piece) {
                *member = gates.or(*member, piece);
            }
        }
        // Counts down. After zero the number is all ones, which is too large to reach zero again.
        let mut bits = [Signal::FALSE; 3];
        bits[..number.len().min(3)].copy_from_slice(&number[..number.len().min(3)]);
        for here in &mut members {
            let member = *here;
            let low = gates.or(bits[0], bits[1]);
            let nonzero = gates.or(low, bits[2]);
            *here = gates.and(member, !nonzero);
            let borrow = gates.and(member, !bits[0]);
            let borrow_on = gates.and(borrow, !bits[1]);
            bits[0] = gates.xor(bits[0], member);
            bits[1] = gates.xor(bits[1], borrow);
            bits[2] = gates.xor(bits[2], borrow_on);
        }
        members
    }
}

/// For each lane, the count of the left child of its node; larger than any number if the node has only one child.
fn gather_left(gates: &mut Gates, masks: &[Signal], lower: &[Vec<Signal>]) -> Vec<Signal> {
    if masks.len() == 1 {
        return lower[0].clone();
    }
    let bits = lower.iter().map(Vec::len).max().unwrap_or(0);
    let mut left = vec![Signal::FALSE; bits];
    for (number, piece_masks) in masks.chunks(PIECE).enumerate() {
        let mut piece = vec![Signal::FALSE; bits];
        for (node, &mask) in piece_masks.iter().enumerate() {
            let count = &lower[2 * (number * PIECE + node)];
            let alone = 2 * (number * PIECE + node) + 1 == lower.len();
            let most = vec![Signal::TRUE; bits];
            gather(gates, &mut piece, mask, if alone { &most } else { count });
        }
        for (word, piece) in left.iter_mut().zip(piece) {
            *word = gates.or(*word, piece);
        }
    }
    left
}

/// In the lanes of `mask`, writes the signals to `places`.
fn gather(gates: &mut Gates, places: &mut [Signal], mask: Signal, signals: &[Signal]) {
    for (place, &signal) in places.iter_mut().zip(signals) {
        *place = gates.gate([*place, signal, mask], OR_AND);
    }
}

/// The bit-sliced count of at most seven signals.
fn count(gates: &mut Gates, signals: &[Signal]) -> Vec<Signal> {
    let at = |index: usize| signals.get(index).copied().unwrap_or(Signal::FALSE);
    let (s0, c0) = gates.add(at(0), at(1), at(2));
    let (s1, c1) = gates.add(at(3), at(4), at(5));
    let (ones, c2) = gates.add(s0, s1, at(6));
    let (twos, fours) = gates.add(c0, c1, c2);
    let bits = (usize::BITS - signals.len().leading_zeros()) as usize;
    [ones, twos, fours][..bits.min(3)].to_vec()
}

fn sum(gates: &mut Gates, left: &[Signal], right: &[Signal]) -> Vec<Signal> {
    let mut carry = Signal::FALSE;
    let mut sum = Vec::with_capacity(left.len() + 1);
    for bit in 0..left.len().max(right.len()) {
        let at = |count: &[Signal]| count.get(bit).copied().unwrap_or(Signal::FALSE);
        let (digit, carried) = gates.add(at(left), at(right), carry);
        sum.push(digit);
        carry = carried;
    }
    sum.push(carry);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::Interrupt;
    use crate::machine::lanes::draw::draw;
    use crate::machine::lanes::engine::{Engine, Executable, block_slots};
    use crate::machine::lanes::random::Random;
    use crate::machine::lanes::schedule::{Netlist, Part, Root, schedule};
    use crate::machine::lanes::word::{LANES, Word};

    /// The code of a choice among `moves` moves. Slots: the moves, the choosing lanes, the number, the total, and the chosen
    /// moves.
    struct ChoiceCode {
        moves: usize,
        number_bits: usize,
        total_bits: usize,
        pieces: Vec<Executable>,
        slots: Vec<Word>,
        random: Random,
    }

    impl ChoiceCode {
        fn new(moves: usize, engine: Engine) -> ChoiceCode {
            let mut gates = Gates::new();
            let mut inputs = Vec::new();
            let mut input = |gates: &mut Gates, stage| {
                let signal = gates.input(stage);
                inputs.push((signal.node(), inputs.len() as u32 + 1));
                signal
            };
            let legal: Vec<Signal> = (0..moves).map(|_| input(&mut gates, 0)).collect();
            let choosing = input(&mut gates, 2);
            let counter = MoveCounter::new(&mut gates, legal);
            let number: Vec<Signal> = (0..counter.number_bits()).map(|_| input(&mut gates, 2)).collect();
            let mut slot = inputs.len() as u32;
            let mut root = |signal, stage| {
                slot += 1;
                Root { signal, slot, stage }
            };
            let total = counter.total().to_vec();
            let mut roots: Vec<Root> = total.iter().map(|&bit| root(bit, 0)).collect();
            let selected = counter.select(&mut gates, &number, choosing);
            roots.extend(selected.into_iter().map(|select| root(select, 2)));
            let netlist =
                Netlist { gates: &gates, inputs: &inputs, roots, loops: Vec::new(), first_free: slot + 1 };
            let free = Interrupt::default();
            let (pieces, slots) = schedule(&netlist, &[0, 2], &free).expect("nothing interrupts");
            let ready =
                |parts: &Vec<Part>| Executable::new(parts, engine, slots, &free).expect("nothing interrupts");
            ChoiceCode {
                moves,
                number_bits: number.len(),
                total_bits: total.len(),
                pieces: pieces.iter().map(ready).collect(),
                slots: block_slots(slots),
                random: Random::new(7, moves as u64),
            }
        }

        /// The chosen moves, if these moves are legal.
        fn choose(&mut self, legal: &[Word]) -> Vec<Word> {
            self.slots[1..=self.moves].copy_from_slice(legal);
            self.pieces[0].run(&mut self.slots);
            self.slots[self.moves + 1] = Word::ONES;
            let number = self.moves + 2;
            let total = number + self.number_bits;
            let (low, high) = self.slots.split_at_mut(total);
            draw(&high[..self.total_bits], &Word::ONES, &mut self.random, &mut low[number..]);
            self.pieces[1].run(&mut self.slots);
            self.slots[total + self.total_bits..][..self.moves].to_vec()
        }
    }

    /// Draws from `n` moves, of which lane `l` has those with `legal(l, move)`, and counts.
    fn counts(n: usize, rounds: usize, legal: impl Fn(usize, usize) -> bool) -> Vec<Vec<u32>> {
        let mut words = vec![Word::ZERO; n];
        let mut some = Word::ZERO;
        for (number, word) in words.iter_mut().enumerate() {
            (0..LANES).filter(|&lane| legal(lane, number)).for_each(|lane| word.set(lane));
            some |= *word;
        }
        let mut chooser = ChoiceCode::new(n, Engine::best());
        let mut counts = vec![vec![0; n]; LANES];
        for _ in 0..rounds {
            let mut chosen = Word::ZERO;
            for (number, word) in chooser.choose(&words).into_iter().enumerate() {
                assert!((word & !words[number]).is_zero(), "an illegal move");
                assert!((chosen & word).is_zero(), "two moves");
                chosen |= word;
                word.lanes().for_each(|lane| counts[lane][number] += 1);
            }
            assert_eq!(chosen, some, "a lane that has moves chooses one");
        }
        counts
    }

    /// Chi-square per degree of freedom is near 1 for a uniform choice.
    fn assert_uniform(n: usize, rounds: usize, legal: impl Fn(usize, usize) -> bool) {
        let (mut chi_square, mut freedom) = (0.0, 0.0);
        for (lane, counts) in counts(n, rounds, &legal).iter().enumerate() {
            let moves: Vec<usize> = (0..n).filter(|&number| legal(lane, number)).collect();
            let expected = rounds as f64 / moves.len().max(1) as f64;
            chi_square +=
                moves.iter().map(|&m| (f64::from(counts[m]) - expected).powi(2) / expected).sum::<f64>();
            freedom += moves.len().saturating_sub(1) as f64;
        }
        // Six standard deviations of the chi-square distribution.
        assert!(
            (chi_square - freedom).abs() < 6.0 * (2.0f64 * freedom).sqrt() + 1e-9,
            "{n}: {chi_square} of {freedom}"
        );
    }

    #[test]
    fn every_legal_move_is_equally_likely() {
        for n in [2, 3, 7, 8, 9, 14, 15, 17, 40, 65, 150] {
            assert_uniform(n, 2000, |_, _| true);
            assert_uniform(n, 2000, |lane, number| (lane * 31 + number * 17) % 5 != 0);
            assert_uniform(n, 2000, |lane, number| (lane + number) % 7 == 0);
        }
    }

    #[test]
    fn choices_among_very_many_moves_are_uniform() {
        let n = 100_000;
        for counts in counts(n, 2, |lane, number| number % 1000 == lane % 1000).iter() {
            assert_eq!(counts.iter().sum::<u32>(), 2);
        }
    }

    /// The frequencies of many moves.
    #[test]
    fn many_moves_are_equally_likely() {
        let n = 3000;
        let words = vec![Word::ONES; n];
        let mut chooser = ChoiceCode::new(n, Engine::best());
        let mut totals = vec![0u32; n];
        let rounds = 400;
        for _ in 0..rounds {
            for (total, word) in totals.iter_mut().zip(chooser.choose(&words)) {
                *total += word.count();
            }
        }
        let expected = (rounds * LANES) as f64 / n as f64;
        let chi_square: f64 = totals.iter().map(|&t| (f64::from(t) - expected).powi(2) / expected).sum();
        let freedom = (n - 1) as f64;
        assert!((chi_square - freedom).abs() < 6.0 * (2.0 * freedom).sqrt(), "{chi_square}");
    }
}
