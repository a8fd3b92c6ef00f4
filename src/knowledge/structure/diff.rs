//! The difference between two consecutive lists. Most of a state, and of the legal moves of a role with
//! many moves, stays the same.

/// Elements compared at once.
const CHUNK: usize = 16;

/// Number of elements that two lists have in common at their beginning.
fn common<T: PartialEq + Copy>(a: &[T], b: &[T]) -> usize {
    let chunks = a.chunks_exact(CHUNK).zip(b.chunks_exact(CHUNK));
    // Without an early exit within a chunk, the compiler vectorises the comparison.
    let equal = |(a, b): &(&[T], &[T])| a.iter().zip(*b).fold(true, |equal, (a, b)| equal & (a == b));
    let start = CHUNK * chunks.take_while(equal).count();
    start + a[start..].iter().zip(&b[start..]).take_while(|(a, b)| a == b).count()
}

/// The length of the common beginning of two lists, and their parts between the common beginning and the
/// common end.
pub fn difference<'l, T: PartialEq + Copy>(old: &'l [T], new: &'l [T]) -> (usize, &'l [T], &'l [T]) {
    let first = common(old, new);
    let (old, new) = (&old[first..], &new[first..]);
    let same = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    (first, &old[..old.len() - same], &new[..new.len() - same])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_changed_part_is_reported() {
        let old: Vec<u32> = (0..50).collect();
        assert_eq!(difference(&old, &old), (50, &[][..], &[][..]));
        let mut new = old.clone();
        new[20] = 99;
        new.remove(30);
        assert_eq!(difference(&old, &new), (20, &old[20..31], &new[20..30]));
        assert_eq!(difference(&old, &[]), (0, &old[..], &[][..]));
        assert_eq!(difference(&[1, 1], &[1, 1, 1]), (2, &[][..], &[1][..]));
    }
}
