//! Children in lanes: plays the joint moves of a state in passes of 512, one joint move per lane.

use super::program::Program;
use super::states::LaneStates;
use super::word::{LANES, Word};
use crate::ground::Interrupted;
use crate::machine::Expander;
use crate::machine::children::{ChildFields, Children, JointMoves, list_joint_moves};
use crate::machine::{ExpansionLimits, MachineError, MoveId, State};

/// An [`Expander`] that plays one joint move in each lane of a compiled program.
pub struct LaneExpander<'a> {
    states: LaneStates<'a>,
    /// For each role and move, the input node, or 0 if there is none.
    inputs: Vec<Vec<u32>>,
    joints: Vec<MoveId>,
    legal: Vec<Vec<MoveId>>,
    rows: ReadBuffers,
}

/// Buffers for bits read out of lanes.
#[derive(Default)]
struct ReadBuffers {
    goals: Vec<u64>,
    legal: Vec<Vec<u64>>,
    choices: Vec<Word>,
}

impl<'a> LaneExpander<'a> {
    /// An expander; compiles the program if necessary.
    ///
    /// # Errors
    /// The interrupt ended compilation.
    pub fn new(program: &'a Program) -> Result<LaneExpander<'a>, Interrupted> {
        LaneExpander::with_slots(program, 0)
    }

    /// Like [`LaneExpander::new`], with memory for code that uses slots below `slots`.
    ///
    /// # Errors
    /// The interrupt ended compilation.
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
            rows: ReadBuffers { legal: vec![Vec::new(); roles], ..ReadBuffers::default() },
        })
    }

    /// Plays joint moves in a state and passes the evaluated successors to `see`, pass by pass, with the joint moves of the
    /// pass. Use it for computations on lane words, such as evaluation functions of state bits.
    ///
    /// # Errors
    /// [`MachineError`]: there are more than [`MAX_JOINT_MOVES`](crate::machine::MAX_JOINT_MOVES) joint moves; or the
    /// error of `see`.
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
            set_joint_moves(&mut self.states, &self.inputs, joints);
            self.states.advance();
            self.states.observe();
            see(&mut self.states, joints)?;
        }
        Ok(())
    }

    /// The states in lanes, and for each role and move the input node, or 0 if there is none.
    pub(super) fn parts(&mut self) -> (&mut LaneStates<'a>, &[Vec<u32>]) {
        (&mut self.states, &self.inputs)
    }

    /// Adds the evaluated states in lanes to the children.
    pub(super) fn read(&mut self, fields: ChildFields, children: &mut Children) {
        self.rows.read(&self.states, fields, children);
    }

    /// Reads the legal moves of the state that is in all lanes, as far as `joints` needs them.
    fn read_legal(&mut self, joints: JointMoves<'_>) {
        let network = self.states.program().network();
        for (role, (legal, moves)) in self.legal.iter_mut().zip(&network.moves).enumerate() {
            let needed = match joints {
                JointMoves::All => true,
                JointMoves::OfRole { role: moving, .. } => moving == role,
                JointMoves::Given(_) => false,
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

/// Sets the joint move that each lane plays in the next step. Consecutive lanes with the same move of a role
/// are set together.
pub(super) fn set_joint_moves(states: &mut LaneStates<'_>, inputs: &[Vec<u32>], joints: &[MoveId]) {
    let roles = inputs.len().max(1);
    for (role, inputs) in inputs.iter().enumerate() {
        let mut lane = 0;
        for same in move_runs(joints, role, roles) {
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

/// Run-length encoding of a role's moves in a list of joint moves.
fn move_runs(joints: &[MoveId], role: usize, roles: usize) -> impl Iterator<Item = (MoveId, usize)> {
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

/// Adds the goal values of terminal states in lanes, and empty lists for the others. `rows` is a buffer.
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

impl ReadBuffers {
    /// Adds the states in lanes to the children.
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
                    children.push_legal(set_bits(row).map(|number| MoveId(moves[number].action)));
                }
            }
        }
    }
}

/// The indices of the bits that are set, ascending.
fn set_bits(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(index, &word)| {
        let mut left = word;
        std::iter::from_fn(move || {
            let number = left.checked_ilog2().map(|_| index * 64 + left.trailing_zeros() as usize);
            left &= left.wrapping_sub(1);
            number
        })
    })
}

impl Expander for LaneExpander<'_> {
    fn expand_within(
        &mut self,
        limits: ExpansionLimits<'_>,
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
            limits.check(children)
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
            set_joint_moves(&mut self.states, &self.inputs, joints);
            self.states.advance();
            self.states.observe();
            self.rows.read(&self.states, fields, children);
        }
        Ok(())
    }
}
