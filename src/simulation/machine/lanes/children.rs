//! Children in lanes: the joint moves of a state played in passes of 512, a joint move in every lane.

use super::program::Program;
use super::states::LaneStates;
use super::word::{LANES, Word};
use crate::ground::Interrupted;
use crate::machine::Expander;
use crate::machine::children::{ChildFields, Children, JointMoves, list_joint_moves};
use crate::machine::{MachineError, MoveId, State, Until};

/// An expander that runs a program with given moves.
pub struct LaneExpander<'a> {
    states: LaneStates<'a>,
    /// For each role, by move number, the input node, or 0.
    inputs: Vec<Vec<u32>>,
    joints: Vec<MoveId>,
    legal: Vec<Vec<MoveId>>,
    rows: Rows,
}

/// Bits of lanes, read out.
#[derive(Default)]
struct Rows {
    goals: Vec<u64>,
    legal: Vec<Vec<u64>>,
    choices: Vec<Word>,
}

impl<'a> LaneExpander<'a> {
    /// An expander; its program is compiled when this is done first.
    ///
    /// # Errors
    /// It was interrupted.
    pub fn new(program: &'a Program) -> Result<LaneExpander<'a>, Interrupted> {
        LaneExpander::with_slots(program, 0)
    }

    /// The same with room for code that names fewer than so many slots.
    ///
    /// # Errors
    /// It was interrupted.
    pub(super) fn with_slots(program: &'a Program, slots: u32) -> Result<LaneExpander<'a>, Interrupted> {
        let network = program.network();
        let inputs = network.moves.iter().map(|moves| {
            let mut inputs = vec![0; network.actions.len()];
            moves.iter().for_each(|m| inputs[m.action as usize] = m.input);
            inputs
        });
        let roles = network.moves.len();
        Ok(LaneExpander {
            states: LaneStates::with_slots(program, slots)?,
            inputs: inputs.collect(),
            joints: Vec::new(),
            legal: vec![Vec::new(); roles],
            rows: Rows { legal: vec![Vec::new(); roles], ..Rows::default() },
        })
    }

    /// Plays joint moves in a state, and shows the successors in lanes, evaluated, pass by pass, with the joint
    /// moves of the pass: for what is computed from lane words, as an evaluation function of bits of the state.
    ///
    /// # Errors
    /// There are more than [`MOST_JOINT_MOVES`](crate::machine::MOST_JOINT_MOVES) joint moves, or what `see` says.
    pub fn each_pass(
        &mut self,
        state: &State,
        joints: JointMoves<'_>,
        mut see: impl FnMut(&mut LaneStates<'a>, &[MoveId]) -> Result<(), MachineError>,
    ) -> Result<(), MachineError> {
        let roles = self.inputs.len().max(1);
        self.states.splat(&state.0, LANES);
        self.states.observe();
        self.read_legal(joints);
        let terminal = self.states.terminal().lane(0);
        list_joint_moves(joints, self.inputs.len(), terminal, |role| &self.legal[role], &mut self.joints)?;
        for (pass, joints) in self.joints.chunks(LANES * roles).enumerate() {
            let lanes = joints.len() / roles;
            if pass > 0 {
                self.states.splat(&state.0, LANES);
            }
            self.states.use_first(lanes);
            note(&mut self.states, &self.inputs, joints);
            self.states.advance();
            self.states.observe();
            see(&mut self.states, joints)?;
        }
        Ok(())
    }

    /// The states in lanes, and for each role, by move number, the input node, or 0.
    pub(super) fn parts(&mut self) -> (&mut LaneStates<'a>, &[Vec<u32>]) {
        (&mut self.states, &self.inputs)
    }

    /// Adds the states that stand in lanes, evaluated, to the children.
    pub(super) fn read(&mut self, fields: ChildFields, children: &mut Children) {
        self.rows.read(&self.states, fields, children);
    }

    /// The legal moves of the state in all lanes, as far as they are needed.
    fn read_legal(&mut self, joints: JointMoves<'_>) {
        let network = self.states.program().network();
        for (role, (legal, moves)) in self.legal.iter_mut().zip(&network.moves).enumerate() {
            let needed = match joints {
                JointMoves::All => true,
                JointMoves::Of { role: moving, .. } => moving == role,
                JointMoves::These(_) => false,
            };
            legal.clear();
            if needed {
                let numbered = moves.iter().enumerate();
                let legal_moves =
                    numbered.filter(|&(number, _)| self.states.legal_word(role, number).lane(0));
                legal.extend(legal_moves.map(|(_, m)| MoveId(m.action)));
            }
        }
    }
}

/// Notes a joint move in each lane, for lanes in a row at once where a role makes the same move in them.
pub(super) fn note(states: &mut LaneStates<'_>, inputs: &[Vec<u32>], joints: &[MoveId]) {
    let roles = inputs.len().max(1);
    for (role, inputs) in inputs.iter().enumerate() {
        let mut lane = 0;
        for same in moves_of(joints, role, roles) {
            let (input, lanes) = (inputs[same.0.0 as usize], lane..lane + same.1);
            lane = lanes.end;
            match input {
                0 => {}
                _ if lanes.len() == 1 => states.make_in(lanes.start, input),
                _ => states.make_in_row(lanes, input),
            }
        }
    }
}

/// The moves of a role in joint moves, each with how often it comes in a row.
fn moves_of(joints: &[MoveId], role: usize, roles: usize) -> impl Iterator<Item = (MoveId, usize)> {
    let mut moves = joints.chunks_exact(roles).map(move |joint| joint[role]);
    let mut next = moves.next();
    std::iter::from_fn(move || {
        let this = next?;
        let mut count = 1;
        loop {
            next = moves.next();
            if next != Some(this) {
                return Some((this, count));
            }
            count += 1;
        }
    })
}

/// Adds the goal values of the states in lanes that are terminal; nothing for those that are not. `rows` is a place for
/// bits.
pub(super) fn read_ends(
    states: &LaneStates<'_>,
    terminal: Word,
    rows: &mut Vec<u64>,
    children: &mut Children,
) {
    let lanes = states.lanes();
    if terminal.is_zero() {
        children.push_no_goals_for(lanes);
        return;
    }
    rows.clear();
    states.goal_rows(rows);
    let width = rows.len() / lanes.max(1);
    for lane in 0..lanes {
        match terminal.lane(lane) {
            true => {
                let row = &rows[lane * width..(lane + 1) * width];
                children.push_goals_of(&states.program().network().goals, row);
            }
            false => children.push_no_goals(),
        }
    }
}

impl Rows {
    /// Adds the states that stand in lanes to the children.
    fn read(&mut self, states: &LaneStates<'_>, fields: ChildFields, children: &mut Children) {
        let network = states.program().network();
        let (lanes, roles) = (states.lanes(), network.moves.len());
        let terminal = states.terminal();
        children.push_all(lanes, terminal.lanes());
        if fields.states {
            children.push_states(lanes, states.state_words(), |words| states.states(words));
        }
        if fields.goals {
            self.goals.clear();
            states.goal_rows(&mut self.goals);
            let width = self.goals.len() / lanes.max(1);
            for lane in 0..lanes {
                children.push_goals_of(&network.goals, &self.goals[lane * width..(lane + 1) * width]);
            }
        }
        if fields.ends && !fields.goals {
            read_ends(states, terminal, &mut self.goals, children);
        }
        if fields.choices {
            self.choices.clear();
            let open = Word::first(lanes) & !terminal;
            self.choices.extend((0..roles).map(|role| states.choice_word(role) & open));
            children.push_choices(lanes, &self.choices);
        }
        if fields.legal {
            for (role, rows) in self.legal.iter_mut().enumerate() {
                rows.clear();
                states.legal_rows(role, rows);
            }
            for lane in 0..lanes {
                let ended = terminal.lane(lane);
                for role in 0..roles {
                    let (rows, moves) = (&self.legal[role], &network.moves[role]);
                    let width = if ended { 0 } else { rows.len() / lanes };
                    let row = &rows[lane * width..(lane + 1) * width];
                    children.push_legal(ones(row).map(|number| MoveId(moves[number].action)));
                }
            }
        }
    }
}

/// The numbers of the bits that are set, ascending.
fn ones(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(place, &word)| {
        let mut left = word;
        std::iter::from_fn(move || {
            let number = left.checked_ilog2().map(|_| place * 64 + left.trailing_zeros() as usize);
            left &= left.wrapping_sub(1);
            number
        })
    })
}

impl Expander for LaneExpander<'_> {
    fn expand_until(
        &mut self,
        until: Until<'_>,
        state: &State,
        joints: JointMoves<'_>,
        fields: ChildFields,
        children: &mut Children,
    ) -> Result<(), MachineError> {
        children.clear(self.inputs.len());
        let mut rows = std::mem::take(&mut self.rows);
        let done = self.each_pass(state, joints, |states, joints| {
            children.joint_moves_mut().extend_from_slice(joints);
            rows.read(states, fields, children);
            until.look(children)
        });
        self.rows = rows;
        done
    }

    fn evaluate(
        &mut self,
        states: &[&State],
        fields: ChildFields,
        children: &mut Children,
    ) -> Result<(), MachineError> {
        children.clear(self.inputs.len());
        for states in states.chunks(LANES) {
            self.states.load(&states.iter().map(|state| &*state.0).collect::<Vec<_>>());
            self.states.observe();
            self.rows.read(&self.states, fields, children);
        }
        Ok(())
    }

    fn advance(
        &mut self,
        states: &[&State],
        joints: &[MoveId],
        fields: ChildFields,
        children: &mut Children,
    ) -> Result<(), MachineError> {
        let roles = self.inputs.len().max(1);
        children.clear(self.inputs.len());
        children.joint_moves_mut().extend_from_slice(joints);
        for (states, joints) in states.chunks(LANES).zip(joints.chunks(LANES * roles)) {
            self.states.load(&states.iter().map(|state| &*state.0).collect::<Vec<_>>());
            note(&mut self.states, &self.inputs, joints);
            self.states.advance();
            self.states.observe();
            self.rows.read(&self.states, fields, children);
        }
        Ok(())
    }
}
