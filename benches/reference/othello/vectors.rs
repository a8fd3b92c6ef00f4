//! The rules in vectors of four lanes, one lane for each line of the board.

use std::arch::x86_64::{
    __m256i, _mm_cvtsi128_si64, _mm_or_si128, _mm_unpackhi_epi64, _mm256_and_si256, _mm256_andnot_si256,
    _mm256_castsi256_si128, _mm256_cmpeq_epi64, _mm256_extracti128_si256, _mm256_or_si256,
    _mm256_permute4x64_epi64, _mm256_set1_epi64x, _mm256_setr_epi64x, _mm256_setzero_si256,
    _mm256_shuffle_epi32, _mm256_sllv_epi64, _mm256_srlv_epi64, _mm256_xor_si256,
};

use super::super::Counts;
use super::super::random::Random;
use super::{BETWEEN, Rules, START, STEPS, block, sequences};

/// Compiles the same code twice: with the AVX-512 forms of the instructions, which fuse two of them and have more registers,
/// and without.
macro_rules! compiled {
    ($name:ident, $($feature:tt),*) => {
        pub(super) mod $name {
            use super::*;

            /// Proof that the processor has the instructions: only `rules` makes a value.
            #[derive(Clone, Copy)]
            struct Vectors(());

            /// The rules; `None` if the processor lacks the instructions.
            fn rules() -> Option<Vectors> {
                let has = true $(&& is_x86_feature_detected!($feature))*;
                has.then_some(Vectors(()))
            }

            #[target_feature($(enable = $feature),*)]
            #[inline]
            fn lanes(numbers: [u64; 4]) -> __m256i {
                let [a, b, c, d] = numbers.map(u64::cast_signed);
                _mm256_setr_epi64x(a, b, c, d)
            }

            #[target_feature($(enable = $feature),*)]
            #[inline]
            fn up(board: __m256i) -> __m256i {
                _mm256_sllv_epi64(board, lanes(STEPS.map(u64::from)))
            }

            #[target_feature($(enable = $feature),*)]
            #[inline]
            fn down(board: __m256i) -> __m256i {
                _mm256_srlv_epi64(board, lanes(STEPS.map(u64::from)))
            }

            /// `filled`, and the squares of `over` that lie two steps further up.
            #[target_feature($(enable = $feature),*)]
            #[inline]
            fn or_two_up(filled: __m256i, over: __m256i) -> __m256i {
                let moved = _mm256_sllv_epi64(filled, lanes(STEPS.map(|step| 2 * u64::from(step))));
                _mm256_or_si256(filled, _mm256_and_si256(over, moved))
            }

            #[target_feature($(enable = $feature),*)]
            #[inline]
            fn or_two_down(filled: __m256i, over: __m256i) -> __m256i {
                let moved = _mm256_srlv_epi64(filled, lanes(STEPS.map(|step| 2 * u64::from(step))));
                _mm256_or_si256(filled, _mm256_and_si256(over, moved))
            }

            /// Runs of `over` that begin next to `from`, in both directions.
            #[target_feature($(enable = $feature),*)]
            #[inline]
            fn fill(from: __m256i, over: __m256i) -> [__m256i; 2] {
                let over = _mm256_and_si256(over, lanes(BETWEEN));
                let mut ups = _mm256_and_si256(over, up(from));
                let mut downs = _mm256_and_si256(over, down(from));
                ups = _mm256_or_si256(ups, _mm256_and_si256(over, up(ups)));
                downs = _mm256_or_si256(downs, _mm256_and_si256(over, down(downs)));
                let over_up = _mm256_and_si256(over, up(over));
                let over_down = down(over_up);
                ups = or_two_up(or_two_up(ups, over_up), over_up);
                downs = or_two_down(or_two_down(downs, over_down), over_down);
                [ups, downs]
            }

            #[target_feature($(enable = $feature),*)]
            #[inline]
            fn moves(mover: __m256i, other: __m256i) -> u64 {
                let [ups, downs] = fill(mover, other);
                let closed = _mm256_or_si256(up(ups), down(downs));
                let free = _mm256_andnot_si256(_mm256_or_si256(mover, other), closed);
                let pair = _mm_or_si128(_mm256_castsi256_si128(free), _mm256_extracti128_si256(free, 1));
                _mm_cvtsi128_si64(_mm_or_si128(pair, _mm_unpackhi_epi64(pair, pair))).cast_unsigned()
            }

            #[target_feature($(enable = $feature),*)]
            #[inline]
            fn place(square: u64, mover: __m256i, other: __m256i) -> [__m256i; 2] {
                let square = _mm256_set1_epi64x(square.cast_signed());
                let [ups, downs] = fill(square, other);
                let open_up = _mm256_cmpeq_epi64(_mm256_and_si256(up(ups), mover), _mm256_setzero_si256());
                let open_down =
                    _mm256_cmpeq_epi64(_mm256_and_si256(down(downs), mover), _mm256_setzero_si256());
                let flips =
                    _mm256_or_si256(_mm256_andnot_si256(open_up, ups), _mm256_andnot_si256(open_down, downs));
                // Combines all lines in every lane.
                let flips = _mm256_or_si256(flips, _mm256_permute4x64_epi64(flips, 0b01_00_11_10));
                let flips = _mm256_or_si256(flips, _mm256_shuffle_epi32(flips, 0b01_00_11_10));
                [_mm256_xor_si256(other, flips), _mm256_or_si256(mover, _mm256_or_si256(flips, square))]
            }

            #[target_feature($(enable = $feature),*)]
            #[inline]
            fn board(discs: u64) -> __m256i {
                _mm256_set1_epi64x(discs.cast_signed())
            }

            #[target_feature($(enable = $feature),*)]
            #[inline]
            fn discs(board: __m256i) -> u64 {
                _mm_cvtsi128_si64(_mm256_castsi256_si128(board)).cast_unsigned()
            }

            #[allow(unsafe_code, reason = "instructions that not every processor has")]
            impl Rules for Vectors {
                type Board = __m256i;

                #[inline(always)]
                fn board(self, discs: u64) -> __m256i {
                    // SAFETY: a value of `Vectors` exists only if the processor has the instructions.
                    unsafe { board(discs) }
                }

                #[inline(always)]
                fn discs(self, board: __m256i) -> u64 {
                    // SAFETY: as above.
                    unsafe { discs(board) }
                }

                #[inline(always)]
                fn moves(self, mover: __m256i, other: __m256i) -> u64 {
                    // SAFETY: as above.
                    unsafe { moves(mover, other) }
                }

                #[inline(always)]
                fn place(self, square: u64, mover: __m256i, other: __m256i) -> [__m256i; 2] {
                    // SAFETY: as above.
                    unsafe { place(square, mover, other) }
                }
            }

            /// Plays `playouts` random playouts; `None` if the processor lacks the instructions.
            #[allow(unsafe_code, reason = "instructions that not every processor has")]
            pub(in super::super) fn play(random: &mut Random, playouts: u64) -> Option<Counts> {
                #[target_feature($(enable = $feature),*)]
                fn compiled(rules: Vectors, random: &mut Random, playouts: u64) -> Counts {
                    let select_bit = |rank, mask| std::arch::x86_64::_pdep_u64(rank, mask);
                    block(rules, random, playouts, select_bit)
                }
                // SAFETY: a value of `Vectors` exists only if the processor has the instructions.
                rules().map(|rules| unsafe { compiled(rules, random, playouts) })
            }

            /// The number of move sequences of length `plies`; `None` if the processor lacks the instructions.
            pub(in super::super) fn perft(plies: u32) -> Option<u64> {
                let rules = rules()?;
                let [mover, other] = START.map(|discs| rules.board(discs));
                Some(sequences(rules, mover, other, plies))
            }
        }
    };
}

compiled!(avx2, "bmi1", "bmi2", "lzcnt", "popcnt", "avx2");
compiled!(avx512, "bmi1", "bmi2", "lzcnt", "popcnt", "avx2", "avx512f", "avx512vl");
