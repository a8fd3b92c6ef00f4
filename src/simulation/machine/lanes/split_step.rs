//! The code of a step in parts. A search needs only one of them for most states: the legal moves of states that it
//! expands, their successors, or which leaves are terminal, with their goals.
//!
//! In breakthrough most gates compute legal moves; in connect four most gates compute lines of four.

use super::step::Step;
use crate::ground::network::Segment;
use crate::ground::{Lit, Network};

/// Maximum number of two-input gates for compiling the parts. Compiling then takes about 50 ms, possibly within the time for
/// a move.
const MAX_GATES: usize = 20_000;

/// The parts are used if a ply with them evaluates at most this share of the gates of a ply with whole steps.
const MAX_SHARE: f64 = 0.75;

/// A step in parts, for given states and moves.
#[derive(Clone, Copy)]
pub(super) struct SplitStep<'a> {
    /// Only the legal moves.
    pub(super) legal: &'a Step,
    /// Only the next states.
    pub(super) next: &'a Step,
    /// Only which states are terminal, and goals.
    pub(super) ends: &'a Step,
}

impl SplitStep<'_> {
    /// The code uses only slots below this one.
    pub(super) fn slots(self) -> u32 {
        [self.legal, self.next, self.ends].into_iter().map(|step| step.slots).max().unwrap_or(0)
    }
}

/// Whether the parts evaluate fewer gates than whole steps, for children that are leaves.
pub(super) fn pays(network: &Network) -> bool {
    let has_loops = network.segments.iter().any(|segment| matches!(segment, Segment::Loop { .. }));
    if has_loops || network.two_input_gates() > MAX_GATES {
        return false;
    }
    let legal: Vec<Lit> = network.moves.iter().flatten().map(|m| m.legal).collect();
    let goals = network.goals.iter().flatten().map(|&(_, condition)| condition);
    let ends: Vec<Lit> = goals.chain([network.terminal]).collect();
    let observed = gates_below(network, [&legal[..], &ends].concat());
    // Whole steps evaluate a state before listing its moves, and again in the lanes of its children before playing them.
    let whole = 2 * observed + network.two_input_gates();
    let parts =
        gates_below(network, legal) + gates_below(network, network.next.clone()) + gates_below(network, ends);
    parts as f64 <= MAX_SHARE * whole as f64
}

/// Number of two-input gates on which the literals depend.
fn gates_below(network: &Network, literals: Vec<Lit>) -> usize {
    let cone = network.cone(literals);
    let gates = (0..network.gates()).filter(|&gate| cone[network.first_gate as usize + gate]);
    gates.map(|gate| network.gate(gate).len().saturating_sub(1)).sum()
}

#[cfg(test)]
mod tests {
    use super::super::program::Program;
    use super::super::random::Random;
    use super::super::states::LaneStates;
    use super::super::word::LANES;
    use crate::gdl::{Source, read};
    use crate::ground::{Limits, ground};

    fn program(game: &str) -> Program {
        let path = format!("{}/../../games/{game}.kif", env!("CARGO_MANIFEST_DIR"));
        let description = read(&Source::load(path).expect("it is there")).description.expect("a game");
        Program::new(&ground(&description.into(), &Limits::default()).expect("a small game").network)
    }

    /// The states with their ends and goals.
    fn ends(lanes: &LaneStates<'_>) -> (Vec<u64>, Vec<u64>, Vec<usize>) {
        let (mut states, mut goals) = (Vec::new(), Vec::new());
        lanes.states(&mut states);
        lanes.goal_rows(&mut goals);
        (states, goals, lanes.terminal().lanes().collect())
    }

    fn legal(lanes: &LaneStates<'_>) -> Vec<u64> {
        let mut rows = Vec::new();
        (0..lanes.program().network().moves.len()).for_each(|role| lanes.legal_rows(role, &mut rows));
        rows
    }

    /// Makes the same random legal moves in the lanes of both.
    fn make_random(one: &mut LaneStates<'_>, other: &mut LaneStates<'_>, random: &mut Random) {
        for (role, moves) in one.program().network().moves.iter().enumerate() {
            for lane in 0..LANES {
                let legal: Vec<usize> =
                    (0..moves.len()).filter(|&number| one.legal_word(role, number).lane(lane)).collect();
                let chosen = random.word().0[0] as usize % legal.len().max(1);
                if let Some(&number) = legal.get(chosen) {
                    one.make(lane, role, number);
                    other.make(lane, role, number);
                }
            }
        }
    }

    #[test]
    fn parts_agree_with_the_whole_step() {
        for game in ["tic_tac_toe", "breakthrough", "connect_four", "gold_rush", "three_player_race"] {
            let program = program(game);
            let split = program.split().expect("nothing interrupts").expect(game);
            let slots = program.given().expect("nothing interrupts").slots.max(split.slots());
            let lanes = || LaneStates::with_slots(&program, slots).expect("nothing interrupts");
            let (mut whole, mut parts, mut random) = (lanes(), lanes(), Random::new(7, 0));
            parts.use_split(Some(split));
            let initial = program.network().initial.chunks(64);
            let word = |bits: &[bool]| bits.iter().rev().fold(0, |word, &bit| word << 1 | u64::from(bit));
            let initial: Vec<u64> = initial.map(word).collect();
            whole.splat(&initial, LANES);
            parts.splat(&initial, LANES);
            for step in 0..40 {
                whole.observe();
                parts.observe_legal();
                assert_eq!(legal(&parts), legal(&whole), "{game}, step {step}");
                parts.observe_ends();
                assert_eq!(ends(&parts), ends(&whole), "{game}, step {step}");
                // The next state is the same after one part, after the whole step, and after another part.
                match step % 3 {
                    0 => parts.observe(),
                    1 => parts.observe_legal(),
                    _ => {}
                }
                make_random(&mut whole, &mut parts, &mut random);
                whole.advance();
                parts.advance();
            }
        }
    }

    #[test]
    fn there_are_no_parts_if_ends_and_next_states_depend_on_legal_moves() {
        assert!(program("chess").split().expect("nothing interrupts").is_none());
    }
}
