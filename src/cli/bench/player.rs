//! The programs that `ggp bench` measures: machines made from the rules, and hand-written programs for the same game.

use std::cell::OnceCell;
use std::sync::Arc;

use anyhow::Context as _;
use clap::ValueEnum;
use rayon::prelude::*;

use super::reference::{REFERENCES, Reference};
use crate::gdl::Description;
use crate::ground::{GroundedGame, Limits, ground};
use crate::machine::lanes::block::{Block, BlockObserver, EndedLanes};
use crate::machine::lanes::engine::Engine;
use crate::machine::lanes::program::Program;
use crate::machine::{self, Backend, Cursor, Machine, MachineError, NetworkMachine};
use crate::simulate::{Budget, Context, LANE_BLOCK, simulate, simulate_lanes};

/// A program to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum MachineKind {
    /// The network, many games in the bits of a word
    Lanes,
    /// The same without machine code
    LanesInterpreter,
    /// The network, one state at a time
    Network,
    /// The rules, without instantiation
    Relational,
    /// The one of these that other commands choose automatically for random play
    Chosen,
    /// A program written by hand, if there is one for the game
    Reference,
}

impl MachineKind {
    /// The default of `--machines`.
    pub(super) const USUAL: [MachineKind; 5] = [
        MachineKind::Lanes,
        MachineKind::Network,
        MachineKind::Relational,
        MachineKind::Chosen,
        MachineKind::Reference,
    ];

    /// Whether the machine needs the grounded network.
    pub(super) fn is_network(self) -> bool {
        matches!(self, MachineKind::Lanes | MachineKind::LanesInterpreter | MachineKind::Network)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            MachineKind::Lanes => "lanes",
            MachineKind::LanesInterpreter => "lanes-interpreter",
            MachineKind::Network => "network",
            MachineKind::Relational => "relational",
            MachineKind::Chosen => "chosen",
            MachineKind::Reference => "reference",
        }
    }
}

/// The number of playouts of a reference in one task of a thread.
const REFERENCE_BLOCK: u64 = 1 << 14;

/// The seed of all playouts.
const SEED: u64 = 1;

/// A program that plays one game.
pub(super) enum MeasuredMachine {
    Lanes(Box<Program>),
    Scalar(Box<dyn Machine>),
    Reference(&'static Reference),
}

/// An observer that ignores all playouts.
struct NoObserver;

impl BlockObserver for NoObserver {
    const LOOKS: bool = false;

    fn ended(&mut self, _block: &Block<'_>, _ended: &EndedLanes) {}
}

impl MeasuredMachine {
    fn lanes(grounded: &GroundedGame, engine: Engine) -> MeasuredMachine {
        let program = Program::with_engine(&grounded.network, engine);
        // The program is compiled at its first use, which must count as set-up time.
        Block::new(&program, SEED, 0, 1).play(0, &mut NoObserver).expect("nothing interrupts");
        MeasuredMachine::Lanes(Box::new(program))
    }

    /// Plays at least `playouts` playouts, numbered from `first`. Returns the numbers of playouts and states.
    pub(super) fn play(&self, first: u64, playouts: u64, threads: usize) -> anyhow::Result<(u64, u64)> {
        match self {
            MeasuredMachine::Lanes(program) => {
                let playouts = playouts.max(threads as u64 * LANE_BLOCK); // at least one block per thread
                let budget = Budget { playouts, first, threads, seed: SEED, ..Budget::default() };
                let counts = simulate_lanes(program, &budget, None)?;
                Ok((counts.playouts, counts.states))
            }
            MeasuredMachine::Scalar(machine) => {
                let budget = Budget { playouts, first, threads, seed: SEED, ..Budget::default() };
                let statistics = simulate(&**machine, &budget, &Context::default())?;
                Ok((statistics.playouts, statistics.states))
            }
            MeasuredMachine::Reference(reference) => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
                let first = first.div_ceil(REFERENCE_BLOCK);
                let blocks = playouts.div_ceil(REFERENCE_BLOCK).max(threads as u64);
                let block = |number| {
                    let counts = (reference.play)(SEED, number, REFERENCE_BLOCK);
                    (counts.playouts, counts.states)
                };
                let sum = |a: (u64, u64), b: (u64, u64)| (a.0 + b.0, a.1 + b.1);
                Ok(pool.install(|| (first..first + blocks).into_par_iter().map(block).reduce(|| (0, 0), sum)))
            }
        }
    }
}

/// Makes the machines for one game.
pub(super) struct MachineFactory {
    description: Arc<Description>,
    limits: Limits,
    /// The reference for the game, cached by `reference`.
    reference: OnceCell<Option<&'static Reference>>,
}

impl MachineFactory {
    pub(super) fn new(description: Description, limits: Limits) -> MachineFactory {
        MachineFactory { description: Arc::new(description), limits, reference: OnceCell::new() }
    }

    pub(super) fn game(&self) -> &str {
        &self.description.name
    }

    /// Grounds the game's rules again. Returns `None` if this exceeds the limits.
    pub(super) fn network(&self) -> Option<Arc<GroundedGame>> {
        ground(&self.description, &self.limits).ok().map(Arc::new)
    }

    /// Makes a machine. Returns `None` if it needs a network or a reference that the game does not have.
    pub(super) fn make(
        &self,
        kind: MachineKind,
        network: impl FnOnce() -> Option<Arc<GroundedGame>>,
    ) -> anyhow::Result<Option<MeasuredMachine>> {
        Ok(match kind {
            MachineKind::Lanes => network().map(|grounded| MeasuredMachine::lanes(&grounded, Engine::best())),
            MachineKind::LanesInterpreter => {
                network().map(|grounded| MeasuredMachine::lanes(&grounded, Engine::Interpreter))
            }
            MachineKind::Network => {
                network().map(|grounded| MeasuredMachine::Scalar(Box::new(NetworkMachine::new(grounded))))
            }
            MachineKind::Relational => Some(MeasuredMachine::Scalar(self.machine(Backend::Relational)?)),
            MachineKind::Chosen => {
                let chosen = machine::load((*self.description).clone(), Backend::Auto, &self.limits)?;
                let lanes = chosen.grounded.filter(|_| chosen.machine.suits_lanes());
                Some(match lanes {
                    Some(grounded) => MeasuredMachine::lanes(&grounded, Engine::best()),
                    None => MeasuredMachine::Scalar(chosen.machine),
                })
            }
            MachineKind::Reference => self.reference()?.map(MeasuredMachine::Reference),
        })
    }

    fn machine(&self, backend: Backend) -> anyhow::Result<Box<dyn Machine>> {
        Ok(machine::load((*self.description).clone(), backend, &self.limits)?.machine)
    }

    /// The reference with the same number of move sequences as the game.
    pub(super) fn reference(&self) -> anyhow::Result<Option<&'static Reference>> {
        if let Some(&known) = self.reference.get() {
            return Ok(known);
        }
        let machine = self.machine(Backend::Auto)?;
        let mut found = None;
        for reference in &REFERENCES {
            if has_tree_of(&*machine, reference).context("a state can't be evaluated")? {
                found = Some(reference);
                break;
            }
        }
        Ok(*self.reference.get_or_init(|| found))
    }
}

/// Whether a game and a reference have the same number of sequences of joint moves, for each length up to `telling_plies`.
fn has_tree_of(machine: &dyn Machine, reference: &Reference) -> Result<bool, MachineError> {
    let mut cursor = machine.cursor();
    for plies in 1..=reference.telling_plies {
        let expected = (reference.perft)(plies);
        cursor.set(machine.initial())?;
        if sequences(&mut *cursor, machine.description().roles.len(), plies, expected)? != expected {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Counts the sequences of `plies` joint moves from the state of the cursor. Stops when the count exceeds `limit`.
fn sequences(cursor: &mut dyn Cursor, roles: usize, plies: u32, limit: u64) -> Result<u64, MachineError> {
    if cursor.terminal() {
        return Ok(0);
    }
    let moves: Vec<_> = (0..roles).map(|role| cursor.legal(role).to_vec()).collect();
    let joints = moves.iter().fold(1_u64, |product, moves| product.saturating_mul(moves.len() as u64));
    if plies == 1 || joints > limit {
        return Ok(joints);
    }
    let state = cursor.state().clone();
    let mut count = 0;
    for number in 0..joints {
        let mut rest = number;
        let joint: Vec<_> = moves
            .iter()
            .map(|moves| {
                let chosen = moves[(rest % moves.len() as u64) as usize];
                rest /= moves.len() as u64;
                chosen
            })
            .collect();
        cursor.set(&state)?;
        cursor.advance(&joint)?;
        count += sequences(cursor, roles, plies - 1, limit)?;
        if count > limit {
            break;
        }
    }
    Ok(count)
}
