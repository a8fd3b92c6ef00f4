//! The symmetries of a game as learning uses them: what a state is worth to a role its images are worth as well.
//!
//! So conjunctions that are images of each other have one weight (`classes.rs`), which all of their states tell of: in a game on a
//! square board with two colours up to sixteen times as many as of one conjunction alone. Go programs tie the weights of patterns in
//! the same way (Silver, Sutton and Müller 2007).

use std::collections::{BTreeMap, BTreeSet};

use crate::ground::Network;
use crate::ground::symmetry::{Symmetry, symmetries};
use crate::machine::Machine;
use crate::simulate::Watch;

use super::conjunctions::Bits;
use super::none_of::NoneOf;
use super::policy::Turn;

/// Symmetries that are used at most, with the one that moves nothing: where there are more, those of a smaller group.
const MOST: usize = 64;

/// Work of the search for them at most, a few nanoseconds each, how much of it counts as one state that learning looks at, and the
/// share of all states that it may take the place of.
const WORK: u64 = 30_000_000;
const OF_A_STATE: u64 = 400;
const SHARE: u64 = 20;

/// A group of symmetries.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Group {
    /// All of them, first the one that moves nothing.
    all: Vec<Symmetry>,
    /// Whether there may be more, as the search for them was cut short.
    pub(super) cut_short: bool,
}

/// What a symmetry does to the bits of a state and of groups, as a role sees it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Image {
    /// For each bit the one that it goes to; `NOWHERE` for a group of which no other is the image.
    bits: Vec<u32>,
    /// Whether the role gets in an image what it does not get in the state.
    pub(super) is_opposite: bool,
}

const NOWHERE: u32 = u32::MAX;

impl Group {
    /// The symmetries of a game of which learning looks at so many states.
    pub(super) fn new(machine: &dyn Machine, network: &Network, states: u64, watch: &Watch<'_>) -> Group {
        let players: Vec<usize> = machine.description().players().collect();
        let kinds: Vec<u32> =
            (0..network.moves.len()).map(|role| u32::from(!players.contains(&role))).collect();
        let part = watch.part(Some(WORK.min(states / SHARE * OF_A_STATE)));
        let generators = symmetries(network, &kinds, &mut |work| part.spend(work).is_ok());
        watch.add(part.spent() / OF_A_STATE);
        let group = Group::of(&generators.found, network.next.len(), kinds.len());
        Group { cut_short: generators.cut_short, ..group }
    }

    /// Nothing but what moves nothing.
    pub(super) fn nothing(network: &Network) -> Group {
        Group::of(&[], network.next.len(), network.moves.len())
    }

    /// All that follow from as many of some symmetries as there is room for.
    fn of(generators: &[Symmetry], bits: usize, roles: usize) -> Group {
        let mut all = BTreeSet::from([Symmetry::identity(bits, roles)]);
        let mut used: Vec<&Symmetry> = Vec::new();
        for generator in generators {
            used.push(generator);
            match closed(&used, Symmetry::identity(bits, roles)) {
                Some(larger) => all = larger,
                None => drop(used.pop()),
            }
        }
        let nothing = Symmetry::identity(bits, roles);
        all.remove(&nothing);
        Group { all: [nothing].into_iter().chain(all).collect(), cut_short: false }
    }

    /// How many they are, with the one that moves nothing.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// What they do to what a role sees, those alone that keep its place, or of two `opposed` roles change it. Where weights
    /// differ by whose turn it is, a symmetry has to keep the fact that tells it, or to make it one that tells the opposite
    /// (`told_by` has those that tell it either way).
    pub(super) fn images(
        &self,
        role: usize,
        opposed: bool,
        none_of: &NoneOf,
        turn: Option<(&Turn, &[u32])>,
    ) -> Vec<Image> {
        let places: BTreeMap<&Bits, usize> = none_of.groups().iter().zip(0..).collect();
        let image_of_group = |symmetry: &Symmetry, group: &Bits| {
            let mut bits: Vec<u32> = group.iter().map(|&bit| symmetry.bits[bit as usize]).collect();
            bits.sort_unstable();
            places.get(&Bits::from(bits)).map_or(NOWHERE, |&group| none_of.bit_of(group))
        };
        let image = |symmetry: &Symmetry| {
            let is_opposite = symmetry.roles[role] as usize != role;
            if is_opposite && !opposed {
                return None;
            }
            if let Some((turn, told_by)) = turn {
                let image = symmetry.bits[turn.bit as usize];
                if is_opposite == (image == turn.bit) || !told_by.contains(&image) {
                    return None;
                }
            }
            let mut bits = vec![NOWHERE; none_of.bit_of(0) as usize];
            bits[..symmetry.bits.len()].copy_from_slice(&symmetry.bits);
            bits.extend(none_of.groups().iter().map(|group| image_of_group(symmetry, group)));
            Some(Image { bits, is_opposite })
        };
        self.all.iter().filter_map(image).collect()
    }
}

/// All symmetries that follow from some; none where they are too many.
fn closed(generators: &[&Symmetry], nothing: Symmetry) -> Option<BTreeSet<Symmetry>> {
    let mut new = vec![nothing.clone()];
    let mut all = BTreeSet::from([nothing]);
    while let Some(one) = new.pop() {
        for generator in generators {
            let next = one.then(generator);
            if all.insert(next.clone()) {
                if all.len() > MOST {
                    return None;
                }
                new.push(next);
            }
        }
    }
    Some(all)
}

impl Image {
    /// The bit that one goes to.
    pub(super) fn bit(&self, bit: u32) -> Option<u32> {
        Some(self.bits[bit as usize]).filter(|&image| image != NOWHERE)
    }

    /// The conjunction that one goes to.
    pub(super) fn of(&self, bits: &[u32]) -> Option<Bits> {
        let mut image = bits.iter().map(|&bit| self.bit(bit)).collect::<Option<Vec<u32>>>()?;
        image.sort_unstable();
        Some(image.into())
    }
}

#[cfg(test)]
impl Image {
    /// What moves nothing does.
    pub(super) fn of_nothing(bits: u32) -> Image {
        Image::of_bits((0..bits).collect(), false)
    }

    /// What takes bits to others.
    pub(super) fn of_bits(bits: Vec<u32>, is_opposite: bool) -> Image {
        Image { bits, is_opposite }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::gdl::{Source, read};
    use crate::ground::{Limits, ground};
    use crate::machine::NetworkMachine;

    fn machine() -> NetworkMachine {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/tic_tac_toe.kif");
        let rules = std::fs::read_to_string(path).unwrap();
        let description = read(&Source::from_text("tic_tac_toe", &rules)).description.unwrap();
        NetworkMachine::new(ground(&Arc::new(description), &Limits::default()).unwrap().into())
    }

    #[test]
    fn roles_keep_their_places_but_where_they_are_opposed() {
        let machine = machine();
        let network = machine.network().unwrap();
        let group = Group::new(&machine, network, 100_000, &Watch::default());
        let none_of = NoneOf::new(machine.initial().0.len(), vec![Bits::from([0, 1]), Bits::from([2])]);
        let images = |opposed, turn: Option<(&Turn, &[u32])>| group.images(0, opposed, &none_of, turn);
        assert_eq!((images(false, None).len(), images(true, None).len()), (8, 16));
        assert!(images(false, None).iter().all(|image| !image.is_opposite));
        // Whose turn it is does not change but with sides.
        let bit = |fact: &str| {
            let fluent = machine.fluent_named(fact).unwrap();
            network.fluents[fluent.0 as usize].bit.unwrap()
        };
        let [x, o] = ["(to_move crosses)", "(to_move noughts)"].map(bit);
        let turn = Turn { bit: x, ..Turn::default() };
        let told = images(true, Some((&turn, &[x, o])));
        assert_eq!(told.len(), 16);
        assert!(told.iter().all(|image| image.bit(x) == Some(if image.is_opposite { o } else { x })));
        assert_eq!(images(true, Some((&turn, &[x]))).len(), 8, "nothing tells the opposite");
        // A group goes to a group, or nowhere.
        let goes = |image: &Image| image.of(&[none_of.bit_of(0)]);
        assert!(told.iter().any(|image| goes(image).is_none()));
        assert_eq!(goes(&told[0]), Some(Bits::from([none_of.bit_of(0)])));
        assert_eq!(Group::nothing(network).images(0, true, &none_of, None).len(), 1);
    }

    /// All permutations of six facts are too many: those of five are used alone, or of fewer.
    #[test]
    fn a_large_group_is_made_smaller() {
        let swap = |one: usize| {
            let mut symmetry = Symmetry::identity(6, 1);
            symmetry.bits.swap(one, one + 1);
            symmetry
        };
        let all: Vec<Symmetry> = (0..5).map(swap).collect();
        let group = Group::of(&all, 6, 1);
        assert!((2..=MOST).contains(&group.all.len()));
        assert_eq!(group.all[0], Symmetry::identity(6, 1));
        assert_eq!(Group::of(&all[..3], 6, 1).all.len(), 24);
    }
}
