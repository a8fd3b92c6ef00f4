//! Truth tables of three inputs: bit `4 a + 2 b + c` is the result for the inputs `a b c`.

/// The projections: the tables of `a`, `b` and `c`.
pub const INPUT: [u8; 3] = [0xf0, 0xcc, 0xaa];
/// `a and b`.
pub const AND: u8 = INPUT[0] & INPUT[1];
/// `a and b and c`.
pub const AND3: u8 = INPUT[0] & INPUT[1] & INPUT[2];
/// `a or b`.
pub const OR: u8 = INPUT[0] | INPUT[1];
/// `a xor b`.
pub const XOR: u8 = INPUT[0] ^ INPUT[1];
/// `a xor b xor c`: the sum of three bits.
pub const SUM: u8 = INPUT[0] ^ INPUT[1] ^ INPUT[2];
/// At least two of `a b c`: the carry of three bits.
pub const CARRY: u8 = INPUT[0] & INPUT[1] | INPUT[2] & (INPUT[0] | INPUT[1]);
/// `b` if `a`, else `c`: a multiplexer.
pub const CHOOSE: u8 = INPUT[0] & INPUT[1] | !INPUT[0] & INPUT[2];
/// `a or b and c`.
pub const OR_AND: u8 = INPUT[0] | INPUT[1] & INPUT[2];

/// The weight of an input in a row's number.
const fn weight(input: usize) -> u32 {
    4 >> input
}

/// The table with an input negated.
pub fn negate(table: u8, input: usize) -> u8 {
    let (mask, shift) = (INPUT[input], weight(input));
    (table & mask) >> shift | (table & !mask) << shift
}

/// The table with an input fixed (cofactor).
pub fn restrict(table: u8, input: usize, value: bool) -> u8 {
    let (mask, shift) = (INPUT[input], weight(input));
    let half = if value { (table & mask) >> shift } else { table & !mask };
    half | half << shift
}

/// Whether the table depends on an input.
pub fn depends(table: u8, input: usize) -> bool {
    restrict(table, input, false) != restrict(table, input, true)
}

/// The table with two inputs exchanged.
pub fn swap(table: u8, first: usize, second: usize) -> u8 {
    let mut inputs = INPUT;
    inputs.swap(first, second);
    apply(table, inputs)
}

/// The composition of the table with three tables.
pub fn apply(table: u8, [a, b, c]: [u8; 3]) -> u8 {
    let half = |rows: u8| {
        let pick = |row: u8| 0u8.wrapping_sub(rows >> row & 1);
        let (low, high) = (pick(0) & !c | pick(1) & c, pick(2) & !c | pick(3) & c);
        low & !b | high & b
    };
    half(table) & !a | half(table >> 4) & a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(table: u8, row: usize) -> bool {
        table >> row & 1 == 1
    }

    #[test]
    fn table_operations_agree_with_their_definition() {
        for table in 0..=255 {
            for row in 0..8usize {
                assert_eq!(value(apply(table, INPUT), row), value(table, row));
                for input in 0..3 {
                    let weight = weight(input) as usize;
                    assert_eq!(value(negate(table, input), row), value(table, row ^ weight));
                    assert_eq!(value(restrict(table, input, true), row), value(table, row | weight));
                    assert_eq!(value(restrict(table, input, false), row), value(table, row & !weight));
                }
                let swapped = (row & 2) | (row & 4) >> 2 | (row & 1) << 2;
                assert_eq!(value(swap(table, 0, 2), row), value(table, swapped));
            }
            let [a, b, c] = [0, 1, 2].map(|input| {
                (0..8).any(|row| value(table, row) != value(table, row ^ weight(input) as usize))
            });
            assert_eq!([a, b, c], [0, 1, 2].map(|input| depends(table, input)));
        }
    }
}
