use proptest::prelude::*;

use super::super::code::{Code, Execute, Op};
use super::super::random::Random;
use super::super::word::Word;
use super::{Level, compile};

/// The reference: runs the code operation by operation.
fn reference(code: &Code, slots: &mut [Word]) {
    for op in &code.ops {
        let [a, b, c] = op.inputs.map(|slot| slots[slot as usize]);
        let mut out = Word::ZERO;
        for index in (0..8).filter(|index| op.table >> index & 1 == 1) {
            out |= a.negate_if(index & 4 == 0) & b.negate_if(index & 2 == 0) & c.negate_if(index & 1 == 0);
        }
        slots[op.target as usize] = out;
    }
}

fn random_words(count: usize, seed: u64) -> Vec<Word> {
    let mut random = Random::new(seed, 0);
    (0..count).map(|_| random.word()).collect()
}

/// Compares every level with the reference; unused slots must not change.
fn check(code: &Code, slots: usize) {
    let before = random_words(slots, 1);
    let mut expected = before.clone();
    reference(code, &mut expected);
    let mut named = vec![false; slots];
    code.ops.iter().for_each(|op| named[op.target as usize] = true);
    for level in levels() {
        let native = compile(code, level).unwrap();
        let mut found = before.clone();
        native.run(&mut found);
        for &slot in &code.kept {
            assert_eq!(found[slot as usize], expected[slot as usize], "{level}: slot {slot} of {code:?}");
        }
        for slot in (0..slots).filter(|&slot| !named[slot]) {
            assert_eq!(found[slot], before[slot], "{level}: slot {slot} was never a target");
        }
    }
}

fn levels() -> impl Iterator<Item = Level> {
    Level::ALL.into_iter().filter(|level| level.available())
}

/// Random code over `slots` slots. Some tables are simple, so that copies, negations and constants are frequent.
fn codes(slots: u32, ops: usize) -> impl Strategy<Value = Code> {
    let table =
        prop_oneof![any::<u8>(), prop::sample::select(vec![0, 0xff, 0xf0, 0x0f, 0xaa, 0x33, 0xc0, 0x3c])];
    let op = (prop::array::uniform3(0..slots), table, 0..slots);
    let op = op.prop_map(|(inputs, table, target)| Op { inputs, table, target });
    let kept = prop::collection::btree_set(0..slots, 0..=slots as usize);
    (prop::collection::vec(op, 0..ops), kept)
        .prop_map(|(ops, kept)| Code { ops, kept: kept.into_iter().collect() })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn programs_of_few_slots_run(code in codes(6, 60)) {
        check(&code, 6);
    }

    #[test]
    fn programs_with_more_slots_than_registers_run(code in codes(90, 600)) {
        check(&code, 90);
    }

    #[test]
    fn programs_of_many_slots_run(code in codes(3_000, 600)) {
        check(&code, 3_000);
    }

    /// The code uses one range of slots for a while, then another one, so base registers must move.
    #[test]
    fn base_registers_follow_the_slots(mut code in codes(600, 900)) {
        for (number, op) in code.ops.iter_mut().enumerate() {
            let part = (number / 25 % 24) as u32 * 250;
            op.inputs.iter_mut().chain([&mut op.target]).for_each(|slot| *slot += part);
        }
        code.kept.iter_mut().for_each(|slot| *slot *= 10);
        check(&code, 6_600);
    }
}

#[test]
fn every_table_works_on_coinciding_slots() {
    for table in 0..=255 {
        let mut ops = Vec::new();
        // The inputs are slots 0 to 2; the targets are first other slots, then an input.
        for (index, target) in (0..27u32).zip(3..) {
            ops.push(Op { inputs: [index / 9, index / 3 % 3, index % 3], table, target });
        }
        check(&Code { ops, kept: (0..30).collect() }, 30);
        for index in 0..81 {
            let op = Op { inputs: [index / 27, index / 9 % 3, index / 3 % 3], table, target: index % 3 };
            check(&Code { ops: vec![op], kept: (0..3).collect() }, 3);
        }
    }
}

#[test]
fn slots_may_be_permuted() {
    // More slots than registers, permuted by copies through a slot that is not kept.
    for (count, step) in [(2, 1), (40, 1), (100, 7), (100, 50)] {
        let mut ops = Vec::new();
        let copy = |from, target| Op { inputs: [from; 3], table: 0xf0, target };
        ops.extend((0..count).map(|slot| copy(slot, count + slot)));
        ops.extend((0..count).map(|slot| copy(count + slot, (slot + step) % count)));
        check(&Code { ops, kept: (0..count).collect() }, 2 * count as usize);
    }
}

#[test]
fn kept_slots_may_end_with_their_initial_value() {
    let copy = |from, target| Op { inputs: [from; 3], table: 0xf0, target };
    let mut ops = vec![copy(0, 1)];
    ops.extend((0..60).map(|index| Op { inputs: [index, index + 1, 62], table: 0x69, target: index + 2 }));
    ops.extend((3..60).map(|index| Op { inputs: [index, index + 1, 0], table: 0xe8, target: 0 }));
    ops.push(copy(1, 0));
    check(&Code { ops, kept: vec![0, 40] }, 63);
}

#[test]
#[should_panic(expected = "slots given")]
fn missing_slots_cause_a_panic() {
    let Some(level) = Level::best() else { panic!("no slots given") };
    let op = Op { inputs: [0, 1, 2], table: 0x96, target: 3 };
    compile(&Code { ops: vec![op], kept: vec![3] }, level).unwrap().run(&mut [Word::ZERO; 3]);
}

#[cfg(target_os = "linux")]
#[test]
fn no_page_is_writable_and_executable() {
    let op = Op { inputs: [0, 1, 2], table: 0x96, target: 3 };
    let code = Code { ops: vec![op; 10_000], kept: vec![3] };
    let natives: Vec<_> = levels().map(|level| compile(&code, level).unwrap()).collect();
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let rights = |line: &str| line.split_whitespace().nth(1).unwrap_or("").to_string();
    assert!(natives.is_empty() || maps.lines().any(|line| rights(line).contains('x')));
    for line in maps.lines() {
        let rights = rights(line);
        assert!(!(rights.contains('w') && rights.contains('x')), "{line}");
    }
}
