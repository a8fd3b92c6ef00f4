//! Follows a strategy through all states that it can reach.

use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashMap;

use crate::evaluation::goal_values::goal_values;
use crate::machine::{Cursor, Machine, MachineError, MoveId, State};

use super::document::{Certificate, Choice, Strategy, state_text};

/// Limits of a check.
#[derive(Clone, Copy, Debug)]
pub struct CheckLimits<'a> {
    /// Maximum number of steps: one for the initial state and one for each joint move that is followed.
    pub steps: u64,
    /// Maximum memory for the states, in bytes.
    pub memory: usize,
    /// Once true, the check ends.
    pub interrupt: Option<&'a AtomicBool>,
}

/// What a strategy guarantees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guarantee {
    /// The roles that follow the strategy, ascending.
    pub team: Vec<usize>,
    /// For each role its least and its greatest goal value in the terminal states that the strategy can reach.
    pub ends: Vec<[i32; 2]>,
    /// The number of states that it can reach.
    pub states: u64,
}

/// The first fault of a strategy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{kind}{}", place(*.line), path_text(.path))]
pub struct Fault {
    /// The line of the certificate, from 1; 0 if the fault has none.
    pub line: usize,
    /// The fault.
    pub kind: FaultKind,
    /// The joint moves from the initial state to the fault, as KIF.
    pub path: Vec<String>,
}

fn place(line: usize) -> String {
    if line == 0 { String::new() } else { format!("line {line}: ") }
}

/// The bytes that a table entry needs in addition to the words of its state.
const STATE_BYTES: usize = 48;

/// Maximum number of joint moves that a message shows.
const MAX_SHOWN: usize = 60;

fn path_text(path: &[String]) -> String {
    match path.len() {
        0 => String::new(),
        length if length <= MAX_SHOWN => format!(", after {}", path.join(", ")),
        length => format!(", after {length} steps that begin with {}", path[..MAX_SHOWN].join(", ")),
    }
}

/// What is wrong with a certificate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FaultKind {
    /// The certificate has other roles.
    #[error("the certificate is for a game with the roles {0}")]
    OtherRoles(String),
    /// It has no strategy.
    #[error("the certificate has no strategy")]
    Empty,
    /// A team has an unknown role, `random`, a role twice, or none.
    #[error("`team` must list roles of the game but `random`, each once, in the order of the rules")]
    Team,
    /// Two lines have the same state.
    #[error("the state has moves in an earlier line, too")]
    Twice,
    /// The strategy never reaches a state, or its team has no choice there.
    #[error("the strategy never reaches this state, or has only one joint move there")]
    Unused,
    /// A state has no moves.
    #[error("the strategy has no moves for the state `{0}`")]
    Missing(String),
    /// The number of moves is not the number of roles in the team.
    #[error("{0} moves for a team of {1}")]
    Moves(usize, usize),
    /// A move is not legal.
    #[error("the move `{0}` is not legal")]
    Illegal(String),
    /// A role has no legal move.
    #[error("the role `{0}` has no legal move, so that the game can't go on")]
    Stuck(String),
    /// Play can repeat a state.
    #[error("play can repeat a state, so that the strategy may never reach an end")]
    Repetition,
    /// The strategy does not guarantee the value that it claims.
    #[error("the strategy guarantees {guaranteed}, not {claimed}")]
    Value {
        /// The value of the claim.
        claimed: i32,
        /// The least value of a role of the team at an end.
        guaranteed: i32,
    },
    /// The limit of steps was reached.
    #[error("the check takes more than {0} steps")]
    Steps(u64),
    /// The states take too much memory.
    #[error("the states take more than {0} MiB")]
    Memory(usize),
    /// The check was interrupted.
    #[error("interrupted")]
    Interrupted,
    /// A state can't be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
}

impl From<FaultKind> for Fault {
    fn from(kind: FaultKind) -> Fault {
        Fault { line: 0, kind, path: Vec::new() }
    }
}

impl From<MachineError> for Fault {
    fn from(error: MachineError) -> Fault {
        FaultKind::Machine(error).into()
    }
}

/// Checks all strategies of a certificate.
///
/// # Errors
/// The first fault.
pub fn check(
    machine: &dyn Machine,
    certificate: &Certificate,
    limits: &CheckLimits<'_>,
) -> Result<Vec<Guarantee>, Fault> {
    let roles = &machine.description().roles;
    let names: Vec<String> = roles.iter().map(|&role| machine.term_text(role)).collect();
    if certificate.roles != names {
        return Err(Fault { line: 1, ..FaultKind::OtherRoles(certificate.roles.join(", ")).into() });
    }
    if certificate.strategies.is_empty() {
        return Err(FaultKind::Empty.into());
    }
    let mut left = limits.steps;
    certificate
        .strategies
        .iter()
        .map(|strategy| check_strategy(machine, strategy, limits, &mut left))
        .collect()
}

/// The bounds of a role's value by several strategies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The greatest value that a strategy of the role alone guarantees; never below the least value in the goal rules.
    pub at_least: i32,
    /// The most that the role can get: the least of the bounds by strategies of the others and by the goal rules.
    pub at_most: i32,
}

/// The bounds of the value of each role.
pub fn bounds(machine: &dyn Machine, guarantees: &[Guarantee]) -> Vec<Bounds> {
    let role = |role: usize| {
        // A strategy of several roles says nothing about one of them alone.
        let own = guarantees.iter().filter(|guarantee| guarantee.team == [role]);
        let others = guarantees.iter().filter(|guarantee| !guarantee.team.contains(&role));
        let goals = goal_values(machine, role);
        let least = goals.iter().min().copied().unwrap_or(0);
        let most = goals.iter().max().copied().unwrap_or(100);
        Bounds {
            at_least: own.map(|guarantee| guarantee.ends[role][0]).max().map_or(least, |by| by.max(least)),
            at_most: others.map(|guarantee| guarantee.ends[role][1]).min().map_or(most, |by| by.min(most)),
        }
    };
    (0..machine.description().roles.len()).map(role).collect()
}

fn check_strategy(
    machine: &dyn Machine,
    strategy: &Strategy,
    limits: &CheckLimits<'_>,
    left: &mut u64,
) -> Result<Guarantee, Fault> {
    let roles = &machine.description().roles;
    let claim = &strategy.claim;
    let number = |name: &String| roles.iter().position(|&role| machine.term_text(role) == *name);
    let team: Option<Vec<usize>> = claim.team.iter().map(number).collect();
    let random = machine.description().random_role();
    let ascending = |team: &Vec<usize>| {
        !team.is_empty()
            && team.windows(2).all(|pair| pair[0] < pair[1])
            && !team.iter().any(|&role| Some(role) == random)
    };
    let team = team.filter(ascending).ok_or(Fault { line: strategy.line, ..FaultKind::Team.into() })?;
    let mut choices = FxHashMap::default();
    for (line, choice) in &strategy.choices {
        if choices.insert(&*choice.state, (*line, choice, false)).is_some() {
            return Err(Fault { line: *line, ..FaultKind::Twice.into() });
        }
    }
    let least = (0..roles.len()).map(|role| goal_values(machine, role).into_iter().min().unwrap_or(0));
    let mut walk = Walk {
        machine,
        cursor: machine.cursor(),
        least: least.collect(),
        ends: vec![[i32::MAX, i32::MIN]; roles.len()],
        team,
        choices,
        visited: FxHashMap::default(),
        path: Vec::new(),
        path_bytes: 0,
        limits,
        left,
    };
    walk.run()?;
    let unused = walk.choices.values().filter(|(.., used)| !used).map(|&(line, ..)| line);
    if let Some(line) = unused.min() {
        return Err(Fault { line, ..FaultKind::Unused.into() });
    }
    let guaranteed = walk.team.iter().map(|&role| walk.ends[role][0]).min().unwrap_or(i32::MAX);
    if guaranteed != claim.value {
        let kind = FaultKind::Value { claimed: claim.value, guaranteed };
        return Err(Fault { line: strategy.line, ..kind.into() });
    }
    Ok(Guarantee { states: walk.visited.len() as u64, team: walk.team, ends: walk.ends })
}

/// A state on the current path.
struct Step {
    state: State,
    /// The moves that each role can make if the team follows the strategy.
    moves: Vec<Vec<MoveId>>,
    /// The number of the next joint move; see [`Step::joint`].
    next: u64,
}

impl Step {
    /// Its memory, in bytes.
    fn bytes(&self) -> usize {
        let moves = self.moves.iter().map(|moves| size_of::<Vec<MoveId>>() + size_of_val(&**moves));
        size_of::<Step>() + size_of_val(&*self.state.0) + moves.sum::<usize>()
    }

    /// The joint move with a number; none if there are fewer. The last role's move changes fastest.
    fn joint(&self, mut number: u64) -> Option<Vec<MoveId>> {
        let mut joint = vec![MoveId(0); self.moves.len()];
        for (action, moves) in joint.iter_mut().zip(&self.moves).rev() {
            *action = moves[(number % moves.len() as u64) as usize];
            number /= moves.len() as u64;
        }
        (number == 0).then_some(joint)
    }
}

/// A depth-first walk through the states that a strategy can reach.
struct Walk<'a, 'm> {
    machine: &'m dyn Machine,
    cursor: Box<dyn Cursor + 'm>,
    team: Vec<usize>,
    /// For each state its line, its moves, and whether they were used.
    choices: FxHashMap<&'a str, (usize, &'a Choice, bool)>,
    /// For each role its least goal value, which is its result in a terminal state without a goal value.
    least: Vec<i32>,
    ends: Vec<[i32; 2]>,
    /// For each visited state, whether all play from it was followed.
    visited: FxHashMap<State, bool>,
    path: Vec<Step>,
    /// The memory of the path, in bytes.
    path_bytes: usize,
    limits: &'a CheckLimits<'a>,
    left: &'a mut u64,
}

impl Walk<'_, '_> {
    fn run(&mut self) -> Result<(), Fault> {
        self.visit(self.machine.initial().clone())?;
        while let Some(step) = self.path.last_mut() {
            let Some(joint) = step.joint(step.next) else {
                self.path_bytes -= step.bytes();
                self.visited.insert(step.state.clone(), true);
                self.path.pop();
                continue;
            };
            step.next += 1;
            self.cursor.set(&step.state)?;
            self.cursor.advance(&joint)?;
            let state = self.cursor.state().clone();
            match self.visited.get(&state) {
                Some(true) => self.spend()?,
                Some(false) => return Err(self.fault(0, FaultKind::Repetition)),
                None => self.visit(state)?,
            }
        }
        Ok(())
    }

    fn spend(&mut self) -> Result<(), Fault> {
        let Some(left) = self.left.checked_sub(1) else {
            return Err(FaultKind::Steps(self.limits.steps).into());
        };
        *self.left = left;
        if self.limits.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(FaultKind::Interrupted.into());
        }
        Ok(())
    }

    /// A fault in the state that the joint moves of the path lead to.
    fn fault(&self, line: usize, kind: FaultKind) -> Fault {
        let text = |step: &Step| {
            let joint = step.joint(step.next - 1).unwrap_or_default();
            let moves: Vec<String> = joint.iter().map(|&action| self.machine.move_text(action)).collect();
            moves.join(" ")
        };
        Fault { line, kind, path: self.path.iter().map(text).collect() }
    }

    /// Visits a new state: the state that the cursor is at, or the initial one.
    fn visit(&mut self, state: State) -> Result<(), Fault> {
        self.spend()?;
        let visited = self.visited.len() * (size_of_val(&*state.0) + STATE_BYTES);
        if visited + self.path_bytes > self.limits.memory {
            return Err(FaultKind::Memory(self.limits.memory >> 20).into());
        }
        self.cursor.set(&state)?;
        if self.cursor.terminal() {
            for (role, ends) in self.ends.iter_mut().enumerate() {
                let goal = self.cursor.goals(role).first().copied().unwrap_or(self.least[role]);
                *ends = [ends[0].min(goal), ends[1].max(goal)];
            }
            self.visited.insert(state, true);
            return Ok(());
        }
        let moves = self.moves(&state)?;
        self.visited.insert(state.clone(), false);
        let step = Step { state, moves, next: 0 };
        self.path_bytes += step.bytes();
        self.path.push(step);
        Ok(())
    }

    /// The moves of each role in the cursor's state if the team follows the strategy.
    fn moves(&mut self, state: &State) -> Result<Vec<Vec<MoveId>>, Fault> {
        let roles = self.least.len();
        let mut of_roles: Vec<Vec<MoveId>> =
            (0..roles).map(|role| self.cursor.legal(role).to_vec()).collect();
        if let Some(role) = of_roles.iter().position(Vec::is_empty) {
            let name = self.machine.term_text(self.machine.description().roles[role]);
            return Err(self.fault(0, FaultKind::Stuck(name)));
        }
        if self.team.iter().any(|&role| of_roles[role].len() > 1) {
            let text = state_text(self.machine, state);
            let Some((line, choice, used)) = self.choices.get_mut(&*text) else {
                return Err(self.fault(0, FaultKind::Missing(text)));
            };
            *used = true;
            let (line, choice) = (*line, *choice);
            if choice.moves.len() != self.team.len() {
                return Err(self.fault(line, FaultKind::Moves(choice.moves.len(), self.team.len())));
            }
            for (&role, text) in self.team.iter().zip(&choice.moves) {
                let chosen = of_roles[role].iter().find(|&&action| self.machine.move_text(action) == *text);
                match chosen.copied() {
                    Some(action) => of_roles[role] = vec![action],
                    None => return Err(self.fault(line, FaultKind::Illegal(text.clone()))),
                }
            }
        }
        Ok(of_roles)
    }
}
