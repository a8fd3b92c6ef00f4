//! Running a program operation by operation: one universal gate, so that nothing is mispredicted.

use multiversion::multiversion;

use super::program::{Op, Operand, Part};
use super::word::Word;

/// An operand's value.
#[inline(always)]
pub fn value(slots: &[Word], operand: Operand) -> Word {
    slots[operand.slot()].negate_if(operand.negated())
}

/// Runs the parts of a cone over a block's slots.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
pub fn run(parts: &[Part], slots: &mut [Word]) {
    for part in parts {
        match part {
            Part::Straight(ops) => straight(ops, slots),
            Part::Loop { ops, feedback } => {
                feedback.iter().for_each(|&(slot, _)| slots[slot as usize] = Word::ZERO);
                loop {
                    straight(ops, slots);
                    let mut changed = Word::ZERO;
                    for &(slot, definition) in feedback {
                        let new = value(slots, definition);
                        changed |= new ^ slots[slot as usize];
                        slots[slot as usize] = new;
                    }
                    if changed.is_zero() {
                        break;
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn straight(ops: &[Op], slots: &mut [Word]) {
    for op in ops {
        slots[op.target as usize] = value(slots, op.left) & value(slots, op.right);
    }
}
