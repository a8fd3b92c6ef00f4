//! A symmetry that keeps every role, with its effect on moves.

use crate::ground::Network;
use crate::ground::symmetry::{MoveImages, Symmetry};
use crate::machine::MoveId;

/// A permutation of the bits of states and of the moves of each role.
#[derive(Clone, Debug)]
pub(super) struct Permutation {
    /// For each bit its image.
    pub(super) bits: Box<[u32]>,
    /// The bits that are not their own image, as a mask of a state's words.
    moved: Box<[u64]>,
    /// For each role and each move its image.
    moves: Vec<Box<[MoveId]>>,
}

impl Permutation {
    /// The identity.
    pub(super) fn identity(network: &Network) -> Permutation {
        let bits: Vec<u32> = (0..network.next.len() as u32).collect();
        let moves: Box<[MoveId]> = (0..network.actions.len() as u32).map(MoveId).collect();
        Permutation { moved: moved(&bits), bits: bits.into(), moves: vec![moves; network.moves.len()] }
    }

    /// A symmetry of a network and its effect on moves.
    pub(super) fn new(network: &Network, symmetry: &Symmetry, images: &MoveImages) -> Permutation {
        let mut moves = Permutation::identity(network).moves;
        for ((moves, own), images) in moves.iter_mut().zip(&network.moves).zip(images) {
            for (role_move, &image) in own.iter().zip(images) {
                moves[role_move.action as usize] = MoveId(own[image as usize].action);
            }
        }
        Permutation { bits: symmetry.bits.clone(), moved: moved(&symmetry.bits), moves }
    }

    /// The composition: first `self`, then `other`.
    pub(super) fn then(&self, other: &Permutation) -> Permutation {
        let bits: Box<[u32]> = self.bits.iter().map(|&image| other.bits[image as usize]).collect();
        let moves = (self.moves.iter().zip(&other.moves))
            .map(|(one, two)| one.iter().map(|image| two[image.0 as usize]).collect())
            .collect();
        Permutation { moved: moved(&bits), bits, moves }
    }

    /// Writes the image of a state to `image`.
    pub(super) fn apply(&self, words: &[u64], image: &mut Vec<u64>) {
        image.clear();
        image.extend(words.iter().zip(&self.moved).map(|(word, moved)| word & !moved));
        for (index, (word, moved)) in words.iter().zip(&self.moved).enumerate() {
            let mut left = word & moved;
            while left != 0 {
                let bit = self.bits[index * 64 + left.trailing_zeros() as usize] as usize;
                image[bit / 64] |= 1 << (bit % 64);
                left &= left - 1;
            }
        }
    }

    /// The image of a move of a role.
    pub(super) fn image_of_move(&self, role: usize, action: MoveId) -> MoveId {
        self.moves[role][action.0 as usize]
    }

    /// Whether a bit is its own image.
    pub(super) fn fixes(&self, bit: u32) -> bool {
        self.bits[bit as usize] == bit
    }
}

/// The bits that are not their own image, as a mask.
fn moved(bits: &[u32]) -> Box<[u64]> {
    let mut mask = vec![0; bits.len().div_ceil(64)];
    for (bit, &image) in (0..).zip(bits) {
        mask[bit / 64] |= u64::from(bit as u32 != image) << (bit % 64);
    }
    mask.into()
}
