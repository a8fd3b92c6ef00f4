//! The interpreter, for any processor. It has a single universal gate, so no branch is mispredicted.
//!
//! The gate is a choice, `s ? a : b`, with `a` and `b` possibly negated. Any table of three inputs takes one to three of
//! them.

use std::sync::OnceLock;

use multiversion::multiversion;

use super::code::{Code, Execute, Op};
use super::table;
use super::word::Word;

/// `target := if select { yes ^ flip_yes } else { no ^ flip_no }`, lane by lane. Slots are byte offsets, which saves a
/// multiplication each.
#[derive(Clone, Copy, Debug)]
struct Choice {
    select: u32,
    yes: u32,
    no: u32,
    target: u32,
    flip_yes: u64,
    flip_no: u64,
}

/// Code for the interpreter.
#[derive(Clone, Debug)]
pub struct InterpretedCode {
    choices: Vec<Choice>,
    /// Number of slots used.
    slots: usize,
}

/// Number of scratch words after a block's slots, used in turn.
pub const SCRATCH: usize = 32;
const BYTES: u32 = size_of::<Word>() as u32;
/// Number of choices among which the next one is selected.
const WINDOW: usize = 24;
/// Number of choices after which a written value can be read without a stall.
const LATENCY: u32 = 6;

/// The input of a choice: a slot of the operation, false, or a scratch word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChoiceInput {
    Input(usize),
    False,
    Scratch(usize),
}

/// A choice in the recipe of a table. The last result goes to the operation's target, the others to the scratch words in
/// order.
#[derive(Clone, Copy, Debug)]
struct RecipeStep {
    select: ChoiceInput,
    yes: (ChoiceInput, bool),
    no: (ChoiceInput, bool),
}

/// The possible inputs of a choice, and their tables.
fn sources(scratch: Option<u8>) -> Vec<(ChoiceInput, u8)> {
    let inputs = (0..3).map(|input| (ChoiceInput::Input(input), table::INPUT[input]));
    let mut sources: Vec<_> = inputs.chain([(ChoiceInput::False, 0)]).collect();
    sources.extend(scratch.map(|table| (ChoiceInput::Scratch(0), table)));
    sources
}

/// All choices among these inputs, with their tables.
fn steps(sources: &[(ChoiceInput, u8)]) -> Vec<(RecipeStep, u8)> {
    let mut steps = Vec::new();
    let signed =
        || sources.iter().flat_map(|&(source, table)| [((source, false), table), ((source, true), !table)]);
    for &(select, condition) in sources {
        for (yes, if_yes) in signed() {
            for (no, if_no) in signed() {
                steps.push((RecipeStep { select, yes, no }, condition & if_yes | !condition & if_no));
            }
        }
    }
    steps
}

/// For every table, a recipe with the fewest steps: one or two, for some tables three.
fn recipes() -> Vec<Vec<RecipeStep>> {
    let mut recipes: Vec<Vec<RecipeStep>> = vec![Vec::new(); 256];
    let mut keep = |table: u8, recipe: &[RecipeStep]| {
        let known = &mut recipes[table as usize];
        if known.is_empty() || known.len() > recipe.len() {
            *known = recipe.to_vec();
        }
    };
    let firsts = steps(&sources(None));
    for &(first, table) in &firsts {
        keep(table, &[first]);
    }
    let mut seen = [false; 256];
    for &(first, scratch) in &firsts {
        if !std::mem::replace(&mut seen[scratch as usize], true) {
            for (second, table) in steps(&sources(Some(scratch))) {
                keep(table, &[first, second]);
            }
        }
    }
    // The remaining tables: a choice between two halves with two inputs each.
    for table in 0..=255u8 {
        let half = |value: bool| {
            let half = table::restrict(table, 0, value);
            firsts.iter().find(|(_, other)| *other == half).map(|&(step, _)| step)
        };
        if let (Some(yes), Some(no)) = (half(true), half(false)) {
            let (yes_at, no_at) = ((ChoiceInput::Scratch(0), false), (ChoiceInput::Scratch(1), false));
            keep(table, &[yes, no, RecipeStep { select: ChoiceInput::Input(0), yes: yes_at, no: no_at }]);
        }
    }
    recipes
}

impl InterpretedCode {
    /// Prepares code; `scratch` is the first of [`SCRATCH`] slots that the code does not use.
    pub fn new(code: &Code, scratch: u32) -> InterpretedCode {
        static RECIPES: OnceLock<Vec<Vec<RecipeStep>>> = OnceLock::new();
        let recipes = RECIPES.get_or_init(recipes);
        let mut choices = Vec::with_capacity(code.ops.len() * 3 / 2);
        let mut turn = 0;
        for op in &code.ops {
            let steps = &recipes[op.table as usize];
            for (number, step) in steps.iter().enumerate() {
                let last = number + 1 == steps.len();
                let target = if last { op.target } else { scratch + turn + number as u32 };
                choices.push(choice(op, step, target, scratch + turn));
            }
            turn = (turn + 2) % SCRATCH as u32;
        }
        let slots = scratch as usize + SCRATCH;
        let end = slots * BYTES as usize;
        let named =
            |c: &Choice| [c.select, c.yes, c.no, c.target].into_iter().all(|index| (index as usize) < end);
        assert!(choices.iter().all(named), "code names no slot from `scratch` on");
        InterpretedCode { choices: separate_dependences(choices, slots), slots }
    }
}

fn choice(op: &Op, step: &RecipeStep, target: u32, scratch: u32) -> Choice {
    // Slot 0 is false.
    let slot = |source: ChoiceInput| match source {
        ChoiceInput::Input(input) => op.inputs[input],
        ChoiceInput::False => 0,
        ChoiceInput::Scratch(number) => scratch + number as u32,
    };
    let place = |slot: u32| slot.checked_mul(BYTES).expect("a block's slots have less than 4 GiB");
    let flip = |negated: bool| u64::from(negated).wrapping_neg();
    Choice {
        select: place(slot(step.select)),
        yes: place(slot(step.yes.0)),
        no: place(slot(step.no.0)),
        target: place(target),
        flip_yes: flip(step.yes.1),
        flip_no: flip(step.no.1),
    }
}

/// Moves choices that read each other's results apart, because a word can't be read right after it is written.
fn separate_dependences(choices: Vec<Choice>, slots: usize) -> Vec<Choice> {
    let mut ordered = Vec::with_capacity(choices.len());
    // For each slot, the time of its last write.
    let mut written = vec![0u32; slots];
    let mut now = LATENCY;
    let mut waiting = choices.into_iter();
    let mut window: Vec<Choice> = waiting.by_ref().take(WINDOW).collect();
    while !window.is_empty() {
        let reads = |c: &Choice| [c.select, c.yes, c.no];
        let free = |place: usize| {
            let later = &window[place];
            window[..place].iter().all(|earlier| {
                !reads(later).contains(&earlier.target)
                    && !reads(earlier).contains(&later.target)
                    && earlier.target != later.target
            })
        };
        let settled =
            |c: &Choice| reads(c).iter().all(|&slot| now - written[(slot / BYTES) as usize] >= LATENCY);
        let next = (0..window.len()).find(|&place| settled(&window[place]) && free(place)).unwrap_or(0);
        let choice = window.remove(next);
        written[(choice.target / BYTES) as usize] = now;
        now += 1;
        ordered.push(choice);
        window.extend(waiting.next());
    }
    ordered
}

impl Execute for InterpretedCode {
    fn run(&self, slots: &mut [Word]) {
        assert!(slots.len() >= self.slots, "a block has the slots of its code");
        run(&self.choices, slots);
    }
}

/// Runs choices. Their slots must exist.
///
/// Deliberately without 512-bit registers. On Zen 4, half of a word that was just stored can be read at once, a whole word
/// only after the store is complete. 512-bit registers made everything 1.45 times slower.
#[multiversion(targets("x86_64+avx+avx2"))]
#[allow(unsafe_code, reason = "four checks of bounds an operation cost as much as the operation")]
fn run(choices: &[Choice], slots: &mut [Word]) {
    let base = slots.as_mut_ptr().cast::<u8>();
    for choice in choices {
        // SAFETY: `InterpretedCode::new` made every offset a multiple of a word's size and checked that it is below
        // `InterpretedCode::slots` words. `run`, the only caller, checked that there are this many words.
        unsafe {
            let word = |index: u32| base.add(index as usize).cast::<Word>();
            let select = *word(choice.select);
            let yes = (*word(choice.yes)).flip(choice.flip_yes);
            let no = (*word(choice.no)).flip(choice.flip_no);
            *word(choice.target) = select & yes | !select & no;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_computed_in_three_steps_at_most() {
        for table in 0..=255u8 {
            let code = Code { ops: vec![Op { inputs: [1, 2, 3], table, target: 4 }], kept: vec![4] };
            let ready = InterpretedCode::new(&code, 5);
            assert!(ready.choices.len() <= 3, "{table:08b}");
            for row in 0..8usize {
                let mut slots = vec![Word::ZERO; 5 + SCRATCH];
                for input in 0..3 {
                    slots[1 + input] = Word::splat(row >> (2 - input) & 1 == 1);
                }
                ready.run(&mut slots);
                assert_eq!(slots[4], Word::splat(table >> row & 1 == 1), "{table:08b} {row:03b}");
            }
        }
        let recipes = recipes();
        let steps = |table: u8| recipes[table as usize].len();
        assert_eq!([table::AND, table::OR, table::XOR, table::CHOOSE].map(steps), [1; 4]);
        assert_eq!([table::SUM, table::CARRY, table::OR_AND].map(steps), [2; 3]);
    }
}
