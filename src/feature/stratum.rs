//! Which sequences of states are compared with each other: those that begin at much the same step, with the same role to
//! choose.

/// Steps that each have a stratum of their own, of either parity.
const EXACT: usize = 8;

/// Roles that are told apart.
const ROLES: usize = 61;

/// Which sequences are compared with one that begins at a step: those that begin at the same one, later on within an
/// eighth of it, and with the same role alone to choose, or where none is at a step of the same parity.
pub(super) fn stratum(step: usize, mover: Option<usize>) -> u32 {
    let half = step / 2;
    let turn = mover.map_or(step % 2, |role| 2 + role.min(ROLES));
    let mut octave = 0;
    while half >> octave >= 2 * EXACT {
        octave += 1;
    }
    ((octave * EXACT + (half >> octave)) * (3 + ROLES) + turn) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strata_are_wider_later_on_and_keep_the_turn() {
        let strata: Vec<u32> = (0..5000).map(|step| stratum(step, None)).collect();
        let different: std::collections::BTreeSet<u32> = strata[..16].iter().copied().collect();
        assert_eq!(different.len(), 16);
        for step in 0..4998 {
            assert!(strata[step] <= strata[step + 2] && strata[step + 2] <= strata[step] + 64, "{step}");
            assert_eq!(strata[step] % 64, step as u32 % 2);
        }
        assert!(strata.iter().max() < Some(&(80 * 64)));
        // Who chooses tells more than the step: a side may have several moves in a row.
        assert_eq!(stratum(6, Some(1)), stratum(7, Some(1)));
        assert_ne!(stratum(6, Some(1)), stratum(6, Some(0)));
        assert_ne!(stratum(6, Some(0)), stratum(6, None));
    }
}
