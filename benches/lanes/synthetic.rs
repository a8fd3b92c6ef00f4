//! Synthetic code that resembles a network in depth-first order: most operations read a recent result, shared values are
//! read again at all distances, and slots are reused as early as possible.

use ggp::machine::lanes::code::{Code, Op};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A value of the network: a state slot or the result of an operation.
#[derive(Clone, Copy)]
enum Value {
    State(u32),
    Result(u32),
}

/// Makes a code of `count` operations. Its state has `count / 24` slots, which are read here and written at the end.
pub(crate) fn code(count: usize, seed: u64) -> Code {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let state = (count / 24).max(8) as u32;
    let gates = count - state as usize;
    // Results that no operation has read yet: the stack of a depth-first walk.
    let mut unread: Vec<u32> = Vec::new();
    let mut ops: Vec<([Value; 3], u8)> = Vec::with_capacity(count);
    for index in 0..gates {
        let mut inputs = Vec::new();
        let pops = match unread.len() {
            0 => 0,
            length if length > 24 => 2,
            _ => random.random_range(0..=2),
        };
        for _ in 0..pops {
            inputs.extend(unread.pop().map(Value::Result));
        }
        while inputs.len() < 3 {
            if index < 8 || random.random_bool(0.45) {
                // Neighbouring parts of the network read neighbouring cells; some cells are read everywhere.
                let near = (index as u64 * u64::from(state) / gates as u64) as u32;
                let spread = if random.random_bool(0.8) { 12.min(state) } else { state };
                inputs.push(Value::State((near + random.random_range(0..spread)) % state));
            } else {
                let distance = (random.random::<f64>() * (index.min(20_000) as f64).ln()).exp() as usize;
                inputs.push(Value::Result((index - distance.clamp(1, index)) as u32));
            }
        }
        for at in (1..3).rev() {
            inputs.swap(at, random.random_range(0..=at));
        }
        ops.push(([inputs[0], inputs[1], inputs[2]], tables(&mut random)));
        unread.push(index as u32);
    }
    for index in 0..state {
        let read = unread.pop().unwrap_or_else(|| random.random_range(0..gates as u32));
        ops.push(([Value::Result(read), Value::State(index), Value::State(index)], 0xa0));
    }
    in_slots(&ops, state)
}

/// A random truth table that depends on all three inputs.
fn tables(random: &mut ChaCha8Rng) -> u8 {
    loop {
        let table: u8 = random.random();
        let differs = |distance: u8, mask: u8| (table ^ table >> distance) & mask != 0;
        if differs(4, 0x0f) && differs(2, 0x33) && differs(1, 0x55) {
            return table;
        }
    }
}

/// Assigns slots to values: first those of the state, then always the slot that was freed last.
fn in_slots(ops: &[([Value; 3], u8)], state: u32) -> Code {
    let mut last = vec![0; ops.len()];
    for (index, (inputs, _)) in ops.iter().enumerate() {
        for input in inputs {
            if let Value::Result(result) = *input {
                last[result as usize] = index;
            }
        }
    }
    let mut slots = vec![0; ops.len()];
    let mut free: Vec<u32> = Vec::new();
    let mut fresh = state;
    let mut code = Code { ops: Vec::with_capacity(ops.len()), kept: (0..state).collect() };
    for (index, &(inputs, table)) in ops.iter().enumerate() {
        let read = inputs.map(|input| match input {
            Value::State(slot) => slot,
            Value::Result(result) => slots[result as usize],
        });
        for (index, input) in inputs.iter().enumerate() {
            if let Value::Result(result) = *input
                && last[result as usize] == index
                && !read[..index].contains(&read[index])
            {
                free.push(read[index]);
            }
        }
        let target = match (ops.len() - index) as u32 {
            left if left <= state => state - left,
            _ => free.pop().unwrap_or_else(|| {
                fresh += 1;
                fresh - 1
            }),
        };
        slots[index] = target;
        code.ops.push(Op { inputs: read, table, target });
    }
    code
}
