//! Compiles a network to the code of a step: the demanded outputs of the state, the choice of moves, and the next state.

use super::choice::{MoveCounter, MoveSource};
use super::draw::Draw;
use super::effects::{MoveEffects, Value};
use super::factor::{FactoredNetwork, factor};
use super::gates::{Gates, Signal, Stage};
use super::layout::{COUNT_BITS, Layout};
use super::move_table::{MoveTable, RoleTable};
use super::schedule::{Loop, Netlist, Part, Root, schedule};
use super::table::AND3;
use super::tiles::cut;
use crate::ground::network::Segment;
use crate::ground::{Interrupt, Interrupted, Lit, Network};

/// The outputs that the code computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Demand {
    /// All of the following.
    All,
    /// The legal moves.
    Legal,
    /// The next state.
    Next,
    /// Whether the state is terminal, and its goal values.
    Ends,
}

/// The input of [`compile`].
pub(super) struct CompileOptions<'a> {
    pub(super) network: &'a Network,
    pub(super) layout: &'a Layout,
    pub(super) moves: MoveSource,
    /// [`Demand::All`] unless moves are given.
    pub(super) demand: Demand,
    /// Whether a table chooses the moves, unless they are given.
    pub(super) by_table: bool,
    /// The known values of state bits, now and in the successor.
    pub(super) known: &'a [Option<bool>],
    pub(super) known_next: &'a [Option<bool>],
    /// Gate literals that are false, ascending.
    pub(super) impossible: &'a [Lit],
    /// Bits whose next values are not computed, because they belong to automata; empty if there are none.
    pub(super) left_out: &'a [bool],
    /// The roles whose moves automata need.
    pub(super) drivers: &'a [usize],
    /// Whether lanes return to the initial state after this step.
    pub(super) restart: bool,
    pub(super) interrupt: &'a Interrupt,
}

/// The code of a step.
#[derive(Clone, Debug)]
pub(super) struct StepCode {
    /// The outputs that depend only on the state.
    pub(super) observe: Vec<Part>,
    /// The choice of moves; empty unless moves are shown and chosen by gates.
    pub(super) select: Vec<Part>,
    /// The next state.
    pub(super) update: Vec<Part>,
    pub(super) draws: Vec<Draw>,
    /// The table that chooses the moves instead of draws and gates.
    pub(super) table: Option<MoveTable>,
    /// Number of slots used.
    pub(super) slots: u32,
}

/// The stages of a step. The cone of the state ends before `draw`; the cone of the moves begins with `update`.
struct Stages {
    observe: Stage,
    draw: Stage,
    update: Stage,
    last: Stage,
}

struct Compiler<'a> {
    options: &'a CompileOptions<'a>,
    stages: Stages,
    gates: Gates,
    factored: FactoredNetwork,
    /// The value of each node of the network, and of each pair of the factored gates that was needed so far.
    values: Vec<Value>,
    paired: Vec<Option<Value>>,
    /// If a table chooses the moves: the effects of single moves, and the circuit inputs for them.
    effects: Option<(MoveEffects, Vec<Signal>)>,
    inputs: Vec<(u32, u32)>,
    roots: Vec<Root>,
    loops: Vec<Loop>,
}

/// Compiles the code of a step.
///
/// # Errors
/// The interrupt ended it.
pub(super) fn compile(options: &CompileOptions<'_>) -> Result<StepCode, Interrupted> {
    let network = options.network;
    let loops = |segments: &[Segment]| {
        segments.iter().filter(|segment| matches!(segment, Segment::Loop { .. })).count() as Stage
    };
    let observe = 2 * loops(&network.segments[..network.state_segments]);
    let draw = observe + 2;
    let by_table = options.by_table && options.moves != MoveSource::Given;
    let update = draw + if options.moves == MoveSource::Shown && !by_table { 2 } else { 0 };
    let last = update + 2 * loops(&network.segments[network.state_segments..]);
    let factored = factor(network, options.known, options.impossible, options.left_out, options.interrupt)?;
    let compiler = Compiler {
        paired: vec![None; factored.pairs.len()],
        factored,
        options,
        stages: Stages { observe, draw, update, last },
        gates: Gates::new(),
        values: vec![Value::FALSE; network.nodes as usize],
        effects: by_table.then(|| (MoveEffects::new(network.moves.len()), Vec::new())),
        inputs: Vec::new(),
        roots: Vec::new(),
        loops: Vec::new(),
    };
    compiler.run()
}

impl Compiler<'_> {
    fn run(mut self) -> Result<StepCode, Interrupted> {
        let (options, network, layout) = (self.options, self.options.network, self.options.layout);
        for bit in 0..layout.bits {
            self.values[1 + bit] = match options.known[bit] {
                Some(value) => Value::FALSE.negate_if(value),
                None => Value::Signal(self.input(layout.bit(bit), 0)),
            };
        }
        self.segments(0..network.state_segments, 1)?;
        let (mut draws, mut roles) = (Vec::new(), Vec::new());
        if self.effects.is_some() {
            roles = (0..network.moves.len()).map(|role| self.choose_by_table(role)).collect();
        } else if options.moves != MoveSource::Given {
            let terminal = self.signal(network.terminal);
            let [active, aged] = [layout.active, layout.aged].map(|slot| self.input(slot, 0));
            let going = self.gates.and(active, !terminal);
            let moving = self.gates.and(going, !aged);
            self.root(moving, layout.moving, self.stages.observe);
            // Moves are played when the running lanes, and the lanes at the step limit, are already those of the next step.
            let moving = self.input(layout.moving, self.stages.draw);
            let able = self.choose(moving, &mut draws);
            let stuck = self.gates.and(going, !able);
            let capped = self.gates.gate([going, able, aged], AND3);
            let ending = self.gates.and(active, terminal);
            let some = self.gates.or(stuck, capped);
            let over = self.gates.or(ending, some);
            for (signal, slot) in [ending, capped, stuck, over].into_iter().zip(layout.ended) {
                self.root(signal, slot, self.stages.observe);
            }
        }
        self.show_state();
        if options.moves != MoveSource::Random && self.effects.is_none() {
            for &slot in layout.made.iter().flatten() {
                self.values[slot as usize] = Value::Signal(self.input(slot, self.stages.update));
            }
        }
        self.segments(network.state_segments..network.segments.len(), self.stages.update + 1)?;
        if matches!(options.demand, Demand::All | Demand::Next) {
            self.show_next();
        }

        let stages = &self.stages;
        let ends = if options.moves == MoveSource::Shown && self.effects.is_none() {
            vec![stages.observe, stages.draw, stages.last]
        } else {
            vec![stages.observe, stages.last]
        };
        let netlist = Netlist {
            gates: &self.gates,
            inputs: &self.inputs,
            roots: self.roots,
            loops: self.loops,
            first_free: layout.end + self.effects.as_ref().map_or(0, |(effects, _)| effects.read_sets()),
        };
        let (mut pieces, slots) = schedule(&netlist, &ends, options.interrupt)?;
        let update = pieces.pop().expect("the last piece");
        let select = if pieces.len() == 2 { pieces.pop().expect("the second piece") } else { Vec::new() };
        let mut observe = pieces.pop().expect("the first piece");
        let table = self.effects.map(|(effects, _)| {
            let legal: Vec<_> = roles.iter().map(|role| role.legal.clone()).collect();
            for (role, tiles) in roles.iter_mut().zip(cut(&mut observe, &legal)) {
                role.tiles = tiles;
            }
            for (number, role) in roles.iter_mut().enumerate() {
                let words = role.legal.len();
                (role.starts, role.effects) = effects.table(number, words);
                role.effects.iter_mut().for_each(|slot| *slot += layout.end);
            }
            MoveTable { roles, effects: layout.end..layout.end + effects.read_sets() }
        });
        Ok(StepCode { observe, select, update, draws, table, slots })
    }

    fn input(&mut self, slot: u32, stage: Stage) -> Signal {
        let signal = self.gates.input(stage);
        self.inputs.push((signal.node(), slot));
        signal
    }

    fn value(&self, literal: Lit) -> Value {
        self.values[literal.node() as usize].negate_if(literal.negated())
    }

    /// The signal of a literal. A value that depends on one move only becomes an input of the circuit.
    fn signal(&mut self, literal: Lit) -> Signal {
        self.signal_of(self.value(literal))
    }

    fn signal_of(&mut self, value: Value) -> Signal {
        let (set, negated) = match value {
            Value::Signal(signal) => return signal,
            Value::Moves { set, negated } => (set, negated),
        };
        let (effects, inputs) = self.effects.as_mut().expect("a table has sets of moves");
        let (number, new) = effects.number_of(set);
        if new {
            let signal = self.gates.input(self.stages.update);
            inputs.push(signal);
            self.inputs.push((signal.node(), self.options.layout.end + number));
        }
        inputs[number as usize].negate_if(negated)
    }

    /// The conjunction of values.
    fn conjunction(&mut self, values: &[Value]) -> Value {
        if let Some((effects, _)) = &mut self.effects
            && let Some(value) = effects.conjunction(values)
        {
            return value;
        }
        let mut values = values.to_vec();
        if let Some((effects, _)) = &mut self.effects {
            effects.join(&mut values);
        }
        let mut signals: Vec<Signal> = values.into_iter().map(|value| self.signal_of(value)).collect();
        Value::Signal(self.gates.and_all(&mut signals))
    }

    /// The value of an operand of a factored gate; creates a pair's gate on first use.
    fn factored_value(&mut self, literal: Lit) -> Value {
        let mut stack = vec![literal];
        while let Some(&top) = stack.last() {
            let Some(pair) = top.node().checked_sub(self.factored.nodes) else { break };
            if self.paired[pair as usize].is_some() {
                stack.pop();
                continue;
            }
            let [first, second] = self.factored.pairs[pair as usize];
            match (self.existing_value(first), self.existing_value(second)) {
                (Some(first), Some(second)) => {
                    self.paired[pair as usize] = Some(self.conjunction(&[first, second]));
                    stack.pop();
                }
                (None, _) => stack.push(first),
                (_, None) => stack.push(second),
            }
        }
        self.existing_value(literal).expect("its operands exist")
    }

    /// The value of an operand of a factored gate; none for a pair without a gate.
    fn existing_value(&self, literal: Lit) -> Option<Value> {
        match literal.node().checked_sub(self.factored.nodes) {
            Some(pair) => self.paired[pair as usize].map(|value| value.negate_if(literal.negated())),
            None => Some(self.value(literal)),
        }
    }

    fn root(&mut self, signal: Signal, slot: u32, stage: Stage) {
        self.roots.push(Root { signal, slot, stage });
    }

    /// Creates the gates of the network's segments; the first loop among them has the stage `next_loop`.
    fn segments(
        &mut self,
        segments: std::ops::Range<usize>,
        mut next_loop: Stage,
    ) -> Result<(), Interrupted> {
        let network = self.options.network;
        let mut operands = Vec::new();
        for segment in &network.segments[segments] {
            let (gates, feedback) = match segment {
                Segment::Straight(gates) => (gates.clone(), None),
                Segment::Loop { gates, feedback } => (gates.clone(), Some(feedback)),
            };
            if let Some(feedback) = feedback {
                self.gates.enter_loop(Some(next_loop));
                for &(node, _) in feedback {
                    self.values[node as usize] = Value::Signal(self.input(node, next_loop));
                }
            }
            for gate in gates {
                self.options.interrupt.check()?;
                operands.clear();
                for index in 0..self.factored.gates[gate as usize].len() {
                    let operand = self.factored.gates[gate as usize][index];
                    operands.push(self.factored_value(operand));
                }
                self.values[(network.first_gate + gate) as usize] = self.conjunction(&operands);
            }
            if let Some(feedback) = feedback {
                let feedback =
                    feedback.iter().map(|&(node, definition)| (node, self.signal(definition))).collect();
                let changed = self.options.layout.changed;
                self.input(changed, next_loop);
                self.loops.push(Loop { stage: next_loop, feedback, changed });
                self.gates.enter_loop(None);
                next_loop += 2;
            }
        }
        Ok(())
    }

    /// Chooses a move for every role in the lanes `moving`; a single legal move is made without a draw. Returns the lanes in
    /// which every role has a move.
    fn choose(&mut self, moving: Signal, draws: &mut Vec<Draw>) -> Signal {
        let (network, layout) = (self.options.network, self.options.layout);
        let mut able = Signal::TRUE;
        for (role, moves) in network.moves.iter().enumerate() {
            let possible: Vec<(u32, Signal)> = moves
                .iter()
                .map(|m| (m.input, self.signal(m.legal)))
                .filter(|&(_, legal)| legal != Signal::FALSE)
                .collect();
            let legal: Vec<Signal> = possible.iter().map(|&(_, legal)| legal).collect();
            let counter = MoveCounter::new(&mut self.gates, legal);
            let total = counter.total().to_vec();
            let some = total.iter().fold(Signal::FALSE, |some, &bit| self.gates.or(some, bit));
            able = self.gates.and(able, some);
            let number_bits = counter.number_bits();
            if number_bits > 0 {
                assert!(total.len() <= COUNT_BITS, "roles have fewer moves than nodes have numbers");
                for (slot, &bit) in layout.total(role, total.len()).zip(&total) {
                    self.root(bit, slot as u32, self.stages.observe);
                }
                draws.push(Draw { role, total_bits: total.len(), number_bits });
            }
            let number: Vec<Signal> = layout
                .number(role, number_bits)
                .map(|slot| self.input(slot as u32, self.stages.draw))
                .collect();
            let selected = counter.select(&mut self.gates, &number, moving);
            moves.iter().for_each(|m| self.values[m.input as usize] = Value::FALSE);
            for (&(input, _), &select) in possible.iter().zip(&selected) {
                self.values[input as usize] = Value::Signal(select);
            }
            if self.options.moves == MoveSource::Shown || self.options.drivers.contains(&role) {
                for m in moves {
                    let made = self.signal(Lit::of(m.input));
                    self.root(made, m.input, self.stages.draw);
                }
            }
        }
        able
    }

    /// Sets up a role's choice by table, among all moves if they are shown, else among the possible ones.
    fn choose_by_table(&mut self, role: usize) -> RoleTable {
        let (moves, layout) = (&self.options.network.moves[role], self.options.layout);
        let shown = self.options.moves == MoveSource::Shown;
        let legal: Vec<Signal> = moves.iter().map(|m| self.signal(m.legal)).collect();
        let possible: Vec<usize> =
            (0..moves.len()).filter(|&number| legal[number] != Signal::FALSE).collect();
        let mut slots = layout.legal[role].clone();
        if !shown {
            slots.end = slots.start + possible.len() as u32;
            for (slot, &number) in slots.clone().zip(&possible) {
                self.root(legal[number], slot, self.stages.observe);
            }
        }
        let place = |(place, &number): (usize, &usize)| if shown { number as u32 } else { place as u32 };
        let places = possible.iter().enumerate().map(place).collect();
        let (effects, _) = self.effects.as_mut().expect("a table");
        let made = effects.moves(role, places);
        for (&number, made) in possible.iter().zip(made) {
            self.values[moves[number].input as usize] = made;
        }
        RoleTable {
            legal: slots,
            tiles: Vec::new(),
            number_bits: MoveCounter::bits_below(possible.len()),
            starts: Vec::new(),
            effects: Vec::new(),
            made: if shown { layout.made[role].clone() } else { Vec::new() },
            moves: if shown {
                (0..moves.len() as u32).collect()
            } else {
                possible.iter().map(|&m| m as u32).collect()
            },
            keeps: false,
        }
    }

    /// Adds the demanded outputs of the state as roots.
    fn show_state(&mut self) {
        let CompileOptions { network, layout, moves, demand, .. } = *self.options;
        let observe = self.stages.observe;
        let goals = layout.goals.clone().zip(network.goals.iter().flatten().map(|&(_, condition)| condition));
        let ends = std::iter::once((layout.terminal, network.terminal)).chain(goals);
        for (slot, literal) in ends.filter(|_| matches!(demand, Demand::All | Demand::Ends)) {
            let signal = self.signal(literal);
            self.root(signal, slot, observe);
        }
        if moves != MoveSource::Random && matches!(demand, Demand::All | Demand::Legal) {
            let slots = layout.legal.iter().cloned().flatten();
            for (slot, m) in slots.zip(network.moves.iter().flatten()) {
                let signal = self.signal(m.legal);
                self.root(signal, slot, observe);
            }
        }
    }

    fn show_next(&mut self) {
        let (network, layout) = (self.options.network, self.options.layout);
        let fresh = self.options.restart.then(|| self.input(layout.fresh, self.stages.update));
        for (bit, &next) in network.next.iter().enumerate() {
            let known = self.options.moves == MoveSource::Random && self.options.known_next[bit].is_some();
            if known || self.options.left_out.get(bit) == Some(&true) {
                continue;
            }
            let mut signal = self.signal(next);
            if let Some(fresh) = fresh {
                signal = if network.initial[bit] {
                    self.gates.or(signal, fresh)
                } else {
                    self.gates.and(signal, !fresh)
                };
            }
            self.root(signal, layout.bit(bit), self.stages.last);
        }
    }
}

impl StepCode {
    /// Number of operations.
    pub(super) fn operations(&self) -> usize {
        let count = |part: &Part| match part {
            Part::Straight(code) => code.ops.len(),
            Part::Loop { sweeps, .. } => sweeps[0].ops.len(),
        };
        self.observe.iter().chain(&self.select).chain(&self.update).map(count).sum()
    }
}
