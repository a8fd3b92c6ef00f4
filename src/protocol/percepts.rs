//! The percepts of each role in games whose rules define them (`sees`, GDL-II).
//!
//! The rules get a fluent with the percepts of the last step, and are played in parallel with the match on the relational
//! machine.
//!
//! `host.rs` and `remote_player.rs` send them. `tests/matches/percepts.rs` tests them.

use super::message::LastStep;
use crate::gdl::information::Information;
use crate::gdl::symbol::Symbol;
use crate::gdl::{Description, Source, read};
use crate::ground::Limits;
use crate::machine::{Backend, Cursor, Machine, MoveId, State, load};
use crate::simulate::canonical;

/// A game with its percepts.
pub(super) struct Percepts {
    machine: Box<dyn Machine>,
    /// The fluent for a role and its percept.
    fluent: Symbol,
}

impl Percepts {
    /// The percepts of a description, with its rules in KIF; none if the rules define no percepts.
    ///
    /// # Errors
    /// The rules can't be played, for this reason.
    pub(super) fn new(
        description: &Description,
        rules: impl FnOnce() -> String,
    ) -> Result<Option<Percepts>, String> {
        if !Information::of(description).sees {
            return Ok(None);
        }
        let names = (1..).map(|number| format!("percept_{number}"));
        let name = names.into_iter().find(|name| description.symbols.find(name).is_none());
        let name = name.expect("there are more numbers than names");
        let text = format!("{}\n(<= (next ({name} ?r ?p)) (sees ?r ?p))", rules());
        let reading = read(&Source::from_text(description.name.clone(), text));
        let faults = || reading.diagnostics.iter().map(|fault| fault.message.as_str()).collect::<Vec<_>>();
        let rules = reading.description.as_ref().ok_or_else(|| faults().join("; "))?.clone();
        let fluent = rules.symbols.find(&name).expect("a rule has it");
        let loaded =
            load(rules, Backend::Relational, &Limits::default()).map_err(|error| error.to_string())?;
        Ok(Some(Percepts { machine: loaded.machine, fluent }))
    }

    /// The state before the first move.
    pub(super) fn initial(&self) -> &State {
        self.machine.initial()
    }

    /// A view of the game with its percepts.
    pub(super) fn cursor(&self) -> Box<dyn Cursor + '_> {
        self.machine.cursor()
    }

    /// Number of roles.
    pub(super) fn roles(&self) -> usize {
        self.machine.description().roles.len()
    }

    /// A move in normalised spelling.
    pub(super) fn move_text(&self, action: MoveId) -> String {
        canonical(&self.machine.move_text(action))
    }

    /// The state after a joint move, given as texts.
    ///
    /// # Errors
    /// A move is not legal, or the state can't be derived.
    pub(super) fn after(&self, state: &State, joint: &[String]) -> Result<State, String> {
        let mut cursor = self.machine.cursor();
        cursor.set(state).map_err(|error| error.to_string())?;
        let found = joint.iter().enumerate().map(|(role, text)| {
            let text = canonical(text);
            let is = |action: &&MoveId| self.move_text(**action) == text;
            cursor.legal(role).iter().find(is).copied().ok_or_else(|| format!("`{text}` is not legal"))
        });
        let moves: Vec<MoveId> = found.collect::<Result<_, _>>()?;
        cursor.advance(&moves).map_err(|error| error.to_string())?;
        Ok(cursor.state().clone())
    }

    /// Each role's percepts of the step that led to a state.
    pub(super) fn of(&self, state: &State) -> Vec<Vec<String>> {
        let roles = &self.machine.description().roles;
        let mut percepts = vec![Vec::new(); roles.len()];
        let mut fluents = Vec::new();
        self.machine.fluents(state, &mut fluents);
        for fluent in fluents {
            let (functor, arguments) = self.machine.fluent(fluent);
            if let (true, [role, percept]) = (functor == self.fluent, &arguments[..])
                && let Some(role) = roles.iter().position(|known| known == role)
            {
                percepts[role].push(self.machine.term_text(*percept));
            }
        }
        percepts
    }
}

/// A match with the percepts of its roles.
pub(super) struct Watcher {
    percepts: Percepts,
    state: State,
    turn: u32,
    last: Option<Vec<String>>,
}

impl Watcher {
    /// Before the first move.
    pub(super) fn new(percepts: Percepts) -> Watcher {
        let state = percepts.initial().clone();
        Watcher { percepts, state, turn: 0, last: None }
    }

    /// Plays a joint move.
    ///
    /// # Errors
    /// A move is not legal, or the state can't be derived.
    pub(super) fn play(&mut self, joint: &[String]) -> Result<(), String> {
        self.state = self.percepts.after(&self.state, joint)?;
        self.turn += 1;
        self.last = Some(joint.to_vec());
        Ok(())
    }

    /// The content about the last step that a role may receive.
    pub(super) fn last_step(&self, role: usize) -> LastStep {
        LastStep::Percepts {
            turn: self.turn,
            action: self.last.as_ref().map(|joint| joint[role].clone()),
            percepts: if self.turn > 0 {
                self.percepts.of(&self.state).swap_remove(role)
            } else {
                Vec::new()
            },
        }
    }
}
