//! Converts slots to values (static single assignment), and removes copies, negations, constants and dead operations.
//!
//! A *value* is the result of one write to a slot. Value `s` below [`Values::slots`] is the initial value of slot `s`; value
//! `slots + g` is the result of gate `g`. Copies and negations create no value: the slot refers to another value, possibly
//! negated, and the tables of its readers include the negation.

use super::super::code::Code;
use super::super::table::{self, INPUT};

/// An operation on values. The first `arity` inputs are distinct, and the table depends on exactly these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ValueGate {
    /// The values read; undefined beyond `arity`.
    pub(super) inputs: [u32; 3],
    /// Number of values read: 1 (a negation) to 3.
    pub(super) arity: u8,
    /// Bit `4 a + 2 b + c` is the result.
    pub(super) table: u8,
}

/// Which form of a value, plain or negated, a gate computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Polarity {
    /// The form that is stored at the end, so that few negations remain.
    Stored,
    /// The form that is zero if all inputs are zero, so that AND, ANDN, OR and XOR suffice.
    Zero,
}

/// The gates of a code in order, and the final locations of values.
#[derive(Debug)]
pub(super) struct Values {
    /// Number of slots: one more than the highest slot used.
    pub(super) slots: u32,
    /// The gates, each after its inputs.
    pub(super) gates: Vec<ValueGate>,
    /// Slots with their final values; see `unchanged` for the others.
    pub(super) finals: Vec<(u32, u32)>,
    /// Kept slots whose final value is their initial value, ascending.
    pub(super) unchanged: Vec<u32>,
    /// Slots whose final value is a constant.
    pub(super) constants: Vec<(u32, bool)>,
}

/// A value, possibly negated, or a constant: `2 * value + negated`.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Literal(u32);

impl Literal {
    const FALSE: Literal = Literal(u32::MAX - 1);

    fn of(value: u32) -> Literal {
        Literal(2 * value)
    }

    fn negate_if(self, negate: bool) -> Literal {
        Literal(self.0 ^ u32::from(negate))
    }

    fn negated(self) -> bool {
        self.0 & 1 == 1
    }

    fn value(self) -> u32 {
        self.0 / 2
    }

    fn constant(self) -> Option<bool> {
        (self.0 >= Literal::FALSE.0).then(|| self.negated())
    }
}

/// The result of an operation on literals: a literal or a gate.
fn simplify(inputs: [Literal; 3], table: u8) -> Result<Literal, ValueGate> {
    let mut distinct = [u32::MAX; 3];
    let mut count = 0;
    let mut inner = [0; 3];
    for (literal, inner) in inputs.into_iter().zip(&mut inner) {
        *inner = match literal.constant() {
            Some(value) => u8::from(value).wrapping_neg(),
            None => {
                let value = literal.value();
                let index = distinct[..count].iter().position(|&other| other == value).unwrap_or_else(|| {
                    distinct[count] = value;
                    count += 1;
                    count - 1
                });
                INPUT[index] ^ u8::from(literal.negated()).wrapping_neg()
            }
        };
    }
    let table = table::apply(table, inner);
    // The used inputs move to the front.
    let mut arity = 0;
    let mut order = [0; 3];
    let mut kept = [u32::MAX; 3];
    for (index, &value) in distinct[..count].iter().enumerate() {
        if table::depends(table, index) {
            order[index] = INPUT[arity];
            kept[arity] = value;
            arity += 1;
        }
    }
    let table = table::apply(table, order);
    match (arity, table & 1 == 1) {
        (0, value) => Ok(Literal::FALSE.negate_if(value)),
        (1, negated) => Ok(Literal::of(kept[0]).negate_if(negated)),
        _ => Err(ValueGate { inputs: kept, arity: arity as u8, table }),
    }
}

impl Values {
    /// The values of a code. Negations to be stored come right after the negated value or, if `late`, at the end.
    pub(super) fn new(code: &Code, polarity: Polarity, late: bool) -> Values {
        let named = code.ops.iter().flat_map(|op| op.inputs.into_iter().chain([op.target]));
        let slots = named.chain(code.kept.iter().copied()).max().map_or(0, |slot| slot + 1);
        let mut holds: Vec<Literal> = (0..slots).map(Literal::of).collect();
        let mut gates = Vec::with_capacity(code.ops.len());
        for op in &code.ops {
            let inputs = op.inputs.map(|slot| holds[slot as usize]);
            holds[op.target as usize] = simplify(inputs, op.table).unwrap_or_else(|gate| {
                gates.push(gate);
                Literal::of(slots + gates.len() as u32 - 1)
            });
        }
        let mut constants = Vec::new();
        let mut wanted = Vec::new();
        let mut unchanged = Vec::new();
        for &slot in &code.kept {
            let literal = holds[slot as usize];
            match literal.constant() {
                Some(value) => constants.push((slot, value)),
                None if literal != Literal::of(slot) => wanted.push((slot, literal)),
                None => unchanged.push(slot),
            }
        }
        unchanged.sort_unstable();
        let (gates, finals) = finish_gates(slots, &gates, wanted, polarity, late);
        Values { slots, gates, finals, unchanged, constants }
    }

    /// Number of values.
    pub(super) fn len(&self) -> usize {
        self.slots as usize + self.gates.len()
    }
}

/// Removes dead gates, chooses the form of every value, and adds the negations that are stored. Returns the gates, and
/// the slots with their final values.
fn finish_gates(
    slots: u32,
    gates: &[ValueGate],
    mut wanted: Vec<(u32, Literal)>,
    polarity: Polarity,
    late: bool,
) -> (Vec<ValueGate>, Vec<(u32, u32)>) {
    let values = slots as usize + gates.len();
    let mut live = vec![false; values];
    let mut balance = vec![0i32; values];
    for &(_, literal) in &wanted {
        live[literal.value() as usize] = true;
        balance[literal.value() as usize] += if literal.negated() { 1 } else { -1 };
    }
    for (index, gate) in gates.iter().enumerate().rev() {
        if live[slots as usize + index] {
            gate.inputs[..gate.arity as usize].iter().for_each(|&input| live[input as usize] = true);
        }
    }
    wanted.sort_by_key(|&(slot, literal)| (literal.value(), literal.negated(), slot));
    let of_initial = wanted.partition_point(|(_, literal)| literal.value() < slots);
    let (initial, mut wanted) = wanted.split_at(of_initial);
    let mut out: Vec<ValueGate> = Vec::with_capacity(gates.len());
    let mut finals = Vec::new();
    let mut negations = Vec::new();
    let mut form: Vec<Literal> = (0..slots).map(Literal::of).collect();
    form.resize(values, Literal::FALSE);
    for (index, gate) in gates.iter().enumerate() {
        let value = slots as usize + index;
        if !live[value] {
            continue;
        }
        let mut inner = INPUT;
        let mut inputs = gate.inputs;
        for (input, inner) in inputs[..gate.arity as usize].iter_mut().zip(&mut inner) {
            let literal = form[*input as usize];
            *input = literal.value();
            *inner ^= u8::from(literal.negated()).wrapping_neg();
        }
        let table = table::apply(gate.table, inner);
        let negate = match polarity {
            Polarity::Stored => balance[value] > 0,
            Polarity::Zero => table & 1 == 1,
        };
        let made = slots + out.len() as u32;
        form[value] = Literal::of(made).negate_if(negate);
        out.push(ValueGate { inputs, arity: gate.arity, table: table ^ u8::from(negate).wrapping_neg() });
        let count = wanted.partition_point(|(_, literal)| literal.value() as usize == value);
        let (here, rest) = wanted.split_at(count);
        wanted = rest;
        finals.extend(here.iter().filter(|(_, l)| l.negated() == negate).map(|&(slot, _)| (slot, made)));
        let mut negated =
            here.iter().filter(|(_, l)| l.negated() != negate).map(|&(slot, _)| slot).peekable();
        if negated.peek().is_some() {
            if late {
                negations.extend(negated.map(|slot| (slot, made)));
            } else {
                let not = slots + out.len() as u32;
                out.push(not_of(made));
                finals.extend(negated.map(|slot| (slot, not)));
            }
        }
    }
    for &(slot, literal) in initial {
        if literal.negated() {
            negations.push((slot, literal.value()));
        } else {
            finals.push((slot, literal.value()));
        }
    }
    let mut last = None;
    for (slot, value) in negations {
        if last != Some(value) {
            out.push(not_of(value));
            last = Some(value);
        }
        finals.push((slot, slots + out.len() as u32 - 1));
    }
    (out, finals)
}

fn not_of(value: u32) -> ValueGate {
    ValueGate { inputs: [value, u32::MAX, u32::MAX], arity: 1, table: 0x0f }
}
