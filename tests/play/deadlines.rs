//! Work in lanes ends at its deadline. Work that takes longer and cannot be interrupted is not started.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use ggp::machine::lanes::block::{Block, BlockObserver, EndedLanes};
use ggp::machine::{ChildFields, Children, ExpansionLimits, JointMoves, Machine, NetworkMachine};

use crate::lanes::load;

/// The numbers of playouts that end in a terminal state and at a limit.
#[derive(Default)]
struct Counted {
    terminal: u32,
    capped: u32,
}

impl BlockObserver for Counted {
    const LOOKS: bool = false;

    fn ended(&mut self, _: &Block<'_>, ended: &EndedLanes) {
        self.terminal += ended.terminal.count();
        self.capped += ended.capped.count();
    }
}

#[test]
fn playouts_stop_at_the_deadline_or_the_flag() {
    let machine = NetworkMachine::new(load(Path::new("games/breakthrough.kif")));
    let (program, state) = (machine.lane_program(), &*machine.initial().0);
    let (never, already) = (AtomicBool::new(false), AtomicBool::new(true));
    let from_states = |deadline, stop| {
        let block = Block::new(program, 1, 1, 1000).until(deadline).stopped_by(Some(stop));
        let (mut counted, mut block) = (Counted::default(), block);
        block.play_from(&[state, state], &[700, 300], &mut counted).unwrap();
        (counted, block.states())
    };
    let now = Some(Instant::now());
    let far = Some(Instant::now() + Duration::from_secs(3600));
    let (late, in_time) = (from_states(now, &never), from_states(far, &never));
    let (stopped, unlimited) = (from_states(None, &already), from_states(None, &never));
    let ended = |(counted, _): &(Counted, u64)| (counted.terminal, counted.capped);
    assert_eq!(ended(&late), (0, 1000), "no playout ends in the first steps");
    assert!(late.1 < 20_000, "{} states", late.1);
    assert_eq!((ended(&stopped), stopped.1), (ended(&late), late.1));
    assert_eq!(ended(&in_time), (1000, 0));
    assert_eq!((ended(&in_time), in_time.1), (ended(&unlimited), unlimited.1));
}

/// A search compiles the lanes if this saves time, but not during a move that ends before they would be ready.
#[test]
fn lanes_are_compiled_only_if_time_allows() {
    let machine = NetworkMachine::new(load(Path::new("games/reversi.kif")));
    // The lane program exists already, as after random play.
    machine.lane_program();
    let (mut expander, mut children) = (machine.expander(), Children::default());
    let mut expand = |time| {
        for _ in 0..3 {
            let limits =
                ExpansionLimits { deadline: Some(Instant::now() + time), ..ExpansionLimits::UNLIMITED };
            let (state, fields) = (machine.initial(), ChildFields::ALL);
            // Whether the children are ready in time does not matter here.
            let _ = expander.expand_within(limits, state, JointMoves::All, fields, &mut children);
        }
        machine.lanes_for_moves().is_some()
    };
    assert!(!expand(Duration::from_millis(5)), "compiled within five milliseconds");
    assert!(expand(Duration::from_secs(3600)), "there was time");
}
