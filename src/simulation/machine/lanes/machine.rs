//! Lanes as a machine with one current state, so that other machines can be compared with them. It is slower than the
//! network machine, because all lanes do the same.

use std::sync::Arc;
use std::time::Duration;

use super::program::Program;
use super::states::LaneStates;
use super::word::LANES;
use crate::gdl::symbol::Symbol;
use crate::gdl::term::TermId;
use crate::ground::{EvaluatedRules, Interrupt, Network};
use crate::machine::{
    Clock, Cursor, Expander, FluentId, Machine, MachineError, MoveId, NetworkMachine, State, StateView,
};

/// Distance between the lanes that are read in successive states. Every lane has its turn, in an order that switches between
/// parts of words.
const STRIDE: usize = 67;

/// A game in the lanes of its network.
#[derive(Clone, Debug)]
pub struct LanesMachine(NetworkMachine);

impl LanesMachine {
    /// The lanes of a network machine, without its interrupt: results of a cursor are always complete.
    pub fn new(network: NetworkMachine) -> LanesMachine {
        LanesMachine(network.interrupted_by(Interrupt::default()))
    }
}

impl Machine for LanesMachine {
    fn rules(&self) -> &Arc<EvaluatedRules> {
        self.0.rules()
    }

    fn backend(&self) -> &'static str {
        "lanes"
    }

    fn network(&self) -> Option<&Network> {
        self.0.network()
    }

    fn clock(&self) -> Option<&Clock> {
        self.0.clock()
    }

    fn longest_play(&self) -> Option<u32> {
        self.0.longest_play()
    }

    fn initial(&self) -> &State {
        self.0.initial()
    }

    fn cursor(&self) -> Box<dyn Cursor + '_> {
        let mut cursor = LaneCursor::new(self.0.lane_program());
        cursor.set_lanes(self.initial());
        Box::new(cursor)
    }

    fn suits_lanes(&self) -> bool {
        self.0.suits_lanes()
    }

    fn lanes_for_moves(&self) -> Option<&Program> {
        self.0.lanes_for_moves()
    }

    fn compile_for_moves(&self, within: Duration) {
        self.0.compile_for_moves(within);
    }

    fn program(&self) -> Option<&Program> {
        self.0.program()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        self.0.expander()
    }

    fn fluents(&self, state: &State, out: &mut Vec<FluentId>) {
        self.0.fluents(state, out);
    }

    fn fluent(&self, fluent: FluentId) -> (Symbol, Vec<TermId>) {
        self.0.fluent(fluent)
    }

    fn action(&self, action: MoveId) -> (Symbol, Vec<TermId>) {
        self.0.action(action)
    }

    fn fluent_text(&self, fluent: FluentId) -> String {
        self.0.fluent_text(fluent)
    }

    fn fluent_named(&self, text: &str) -> Option<FluentId> {
        self.0.fluent_named(text)
    }

    fn state_of(&self, fluents: &[FluentId]) -> State {
        self.0.state_of(fluents)
    }

    fn move_text(&self, action: MoveId) -> String {
        self.0.move_text(action)
    }

    fn term_text(&self, term: TermId) -> String {
        self.0.term_text(term)
    }
}

/// A cursor with the same state in every lane. It reads another lane at every state.
struct LaneCursor<'m> {
    lanes: LaneStates<'m>,
    network: &'m Network,
    lane: usize,
    state: State,
    terminal: bool,
    legal: Vec<Vec<MoveId>>,
    goals: Vec<Vec<i32>>,
    work: u64,
}

impl<'m> LaneCursor<'m> {
    fn new(program: &'m Program) -> LaneCursor<'m> {
        let network = program.network();
        let lanes = LaneStates::new(program).expect("nothing interrupts the machine");
        LaneCursor {
            state: State(vec![0; lanes.state_words()].into()),
            lanes,
            network,
            lane: 0,
            terminal: false,
            legal: vec![Vec::new(); network.moves.len()],
            goals: vec![Vec::new(); network.goals.len()],
            work: 0,
        }
    }

    fn set_lanes(&mut self, state: &State) {
        self.lanes.splat(&state.0, LANES);
        self.read();
    }

    /// Evaluates the lanes and reads the results of the next lane.
    fn read(&mut self) {
        self.lane = (self.lane + STRIDE) % LANES;
        self.work += self.network.nodes as u64;
        let (lanes, lane) = (&mut self.lanes, self.lane);
        lanes.observe();
        self.state.0.fill(0);
        for bit in 0..self.network.bits.len() {
            self.state.0[bit / 64] |= u64::from(lanes.bit(bit).lane(lane)) << (bit % 64);
        }
        self.terminal = lanes.terminal().lane(lane);
        for (role, (legal, moves)) in self.legal.iter_mut().zip(&self.network.moves).enumerate() {
            legal.clear();
            let numbered = moves.iter().enumerate();
            let held = numbered.filter(|&(number, _)| lanes.legal_word(role, number).lane(lane));
            legal.extend(held.map(|(_, action)| MoveId(action.action)));
        }
        let mut condition = 0;
        for (held, goals) in self.goals.iter_mut().zip(&self.network.goals) {
            held.clear();
            for &(value, _) in goals {
                if lanes.goal(condition).lane(lane) {
                    held.push(value);
                }
                condition += 1;
            }
            held.dedup();
        }
    }
}

impl StateView for LaneCursor<'_> {
    fn state(&self) -> &State {
        &self.state
    }

    fn legal(&self, role: usize) -> &[MoveId] {
        &self.legal[role]
    }

    fn terminal(&self) -> bool {
        self.terminal
    }

    fn goals(&self, role: usize) -> &[i32] {
        &self.goals[role]
    }
}

impl Cursor for LaneCursor<'_> {
    fn set(&mut self, state: &State) -> Result<(), MachineError> {
        self.set_lanes(state);
        Ok(())
    }

    fn advance(&mut self, joint: &[MoveId]) -> Result<(), MachineError> {
        for (role, action) in joint.iter().enumerate() {
            // A move that no rule reads has no node.
            if let Some(number) = self.network.moves[role].iter().position(|m| m.action == action.0) {
                self.lanes.make_everywhere(role, number);
            }
        }
        self.lanes.advance();
        self.read();
        Ok(())
    }

    fn work(&self) -> u64 {
        self.work
    }
}
