//! The n-th set bit of a board.

/// Selects a set bit of `mask`. `rank` has a single bit; its position, from 0, is the number of the selected bit, counted
/// from the lowest. Returns 0 if `mask` has too few bits or `rank` is 0. With BMI2 this is one instruction (bit deposit);
/// this version sums over bytes (Vigna, "Broadword implementation of rank/select queries", 2008).
pub(super) fn select_bit(rank: u64, mask: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let rank = u64::from(rank.trailing_zeros());
    let pairs = mask - (mask >> 1 & (0x55 * ONES));
    let nibbles = (pairs & (0x33 * ONES)) + (pairs >> 2 & (0x33 * ONES));
    let bytes = (nibbles + (nibbles >> 4)) & (0x0f * ONES);
    // Byte i holds the number of set bits in bytes 0 to i.
    let sums = bytes.wrapping_mul(ONES);
    if rank >= sums >> 56 {
        return 0;
    }
    let passed = (((rank | 0x80) * ONES) - sums) & (0x80 * ONES);
    let shift = 8 * passed.count_ones();
    let before = (sums << 8) >> shift & 0xff;
    let mut byte = mask >> shift & 0xff;
    for _ in before..rank {
        byte &= byte - 1;
    }
    (byte & byte.wrapping_neg()) << shift
}

/// Defines `play`, which runs a block of playouts with bit deposit if the processor has it, otherwise with `select_bit`.
macro_rules! play_with_select_bit {
    ($block:ident) => {
        /// Plays `playouts` random playouts with the random numbers of `seed` and `stream`.
        #[allow(unsafe_code, reason = "instructions that not every processor has")]
        fn play(seed: u64, stream: u64, playouts: u64) -> Counts {
            let mut random = Random::new(seed, stream);
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
                fn with_instruction(random: &mut Random, playouts: u64) -> Counts {
                    $block(random, playouts, |rank, mask| std::arch::x86_64::_pdep_u64(rank, mask))
                }
                let has = is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("lzcnt")
                    && is_x86_feature_detected!("popcnt");
                if has {
                    // SAFETY: the processor has these instructions.
                    return unsafe { with_instruction(&mut random, playouts) };
                }
            }
            $block(&mut random, playouts, super::select_bit::select_bit)
        }

        #[cfg(test)]
        fn play_anywhere(seed: u64, stream: u64, playouts: u64) -> Counts {
            $block(&mut Random::new(seed, stream), playouts, super::select_bit::select_bit)
        }
    };
}

pub(super) use play_with_select_bit;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_of_a_board_has_its_rank() {
        let mut random = super::super::random::Random::new(1, 1);
        for round in 0..1000 {
            let mask = match round {
                0 => 0,
                1 => !0,
                _ => random.next() & random.next() | random.next() & random.next(),
            };
            let found: Vec<u64> = (0..64).map(|rank| select_bit(1 << rank, mask)).collect();
            let count = mask.count_ones() as usize;
            assert_eq!(found[..count], super::super::bits(mask).collect::<Vec<_>>());
            assert!(found[count..].iter().all(|&bit| bit == 0) && select_bit(0, mask) == 0);
        }
    }
}
