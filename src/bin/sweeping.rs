//! Measures what sweeping saves in one game: `sweeping bound|p|pi|u[s] GAME WORK MILLISECONDS ROUNDS`, as a line of CSV.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]
use std::sync::Arc;
use std::time::Instant;

use cpu_time::{ProcessTime, ThreadTime};
use ggp::gdl::{Source, read};
use ggp::ground::{Limits, Network, ground};
use ggp::machine::lanes::block::{Block, Ended, Watch};
use ggp::machine::lanes::program::Program;
use ggp::machine::{Machine, NetworkMachine};
use ggp::property::sweep::{Samples, optimistic, sweep};
use ggp::simulate::{Budget, Context, simulate, simulate_lanes};

struct Nobody;
impl Watch for Nobody {
    const LOOKS: bool = false;
    fn ended(&mut self, _: &Block<'_>, _: &Ended) {}
}

fn operations(network: &Network) -> (usize, usize) {
    let program = Program::new(network);
    (program.operations().unwrap_or(0), program.period().unwrap_or(0))
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let mode = arguments[1].as_str();
    let path = std::path::Path::new(&arguments[2]);
    let name = format!(
        "{}/{}",
        path.parent().unwrap().file_name().unwrap().to_str().unwrap(),
        path.file_stem().unwrap().to_str().unwrap()
    );
    let number =
        |place: usize, default: u64| arguments.get(place).map_or(default, |text| text.parse().unwrap());
    let description = read(&Source::load(path).unwrap()).description.unwrap();
    let limits = Limits::default();
    let Ok(grounded) = ground(&Arc::new(description), &limits) else {
        println!("{name},no network");
        return;
    };
    let grounded = Arc::new(grounded);
    let network = &grounded.network;
    if network.two_input_gates() > 1_500_000 {
        println!("{name},too large,{}", network.two_input_gates());
        return;
    }
    let machine = NetworkMachine::new(grounded.clone());
    let batches = (60_000_000 / network.operands.len().max(1)).clamp(32, 400);
    let clock = Instant::now();
    let samples = Samples::play(&machine, network, batches, 500, 200_000_000).unwrap();
    let sampled = clock.elapsed().as_secs_f64();
    if mode == "bound" {
        let merged = optimistic(network, &samples, false);
        let dropped = optimistic(network, &samples, true);
        let (a, b, c) = (operations(network), operations(&merged), operations(&dropped));
        println!(
            "{name},{},{},{},{},{},{},{},{},{},{},{},{},{},{:.2}",
            samples.states,
            network.gates(),
            merged.gates(),
            dropped.gates(),
            network.two_input_gates(),
            merged.two_input_gates(),
            dropped.two_input_gates(),
            a.0,
            b.0,
            c.0,
            a.1,
            b.1,
            c.1,
            sampled
        );
        return;
    }
    let induct = mode.contains('i');
    let cpu = ThreadTime::now();
    let swept =
        sweep(&machine, &samples, 45_000_000, number(3, 100_000_000), induct, mode.contains('u')).unwrap();
    let cpu = cpu.elapsed().as_secs_f64();
    let (a, b, c) = (operations(network), operations(&swept.merged), operations(&swept.network));
    let mut line = format!(
        "{name},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{:.2},{:.2},{:.2},{:.2},{:.2},{},{}",
        samples.states,
        network.gates(),
        swept.merged.gates(),
        swept.network.gates(),
        network.two_input_gates(),
        swept.merged.two_input_gates(),
        swept.network.two_input_gates(),
        a.0,
        b.0,
        c.0,
        a.1,
        b.1,
        c.1,
        swept.candidates,
        swept.proved,
        swept.refuted,
        swept.unknown,
        swept.drops_tried,
        swept.dropped,
        swept.lemmas,
        sampled,
        swept.lemma_seconds,
        swept.sweep_seconds,
        swept.drop_seconds,
        cpu,
        swept.work,
        swept.is_over
    );
    if mode.contains('s') {
        // Original, merged, merged and dropped, in turns.
        let identity = network.rewired(
            &(0..network.nodes).map(ggp::ground::Lit::of).collect::<Vec<_>>(),
            &(0..network.gates()).map(|gate| network.gate(gate).to_vec()).collect::<Vec<_>>(),
        );
        let networks = [network, &swept.merged, &swept.network, &identity];
        let seconds = number(4, 200) as f64 / 1000.0;
        let rounds = number(5, 7);
        let programs: Vec<(Program, f64)> = networks
            .iter()
            .map(|network| {
                let clock = ThreadTime::now();
                let program = Program::new(network);
                Block::new(&program, 1, 0, 1).play(0, &mut Nobody).unwrap();
                (program, clock.elapsed().as_secs_f64())
            })
            .collect();
        let machines: Vec<NetworkMachine> = networks
            .iter()
            .map(|&network| {
                let mut other = (*grounded).clone();
                other.network = network.clone();
                NetworkMachine::new(Arc::new(other))
            })
            .collect();
        let lanes = programs[0].0.network().two_input_gates() < 600_000;
        let mut speeds = [[const { Vec::<f64>::new() }; 4], [const { Vec::new() }; 4]];
        let mut sums = [[(0u64, 0u64); 4]; 2];
        for kind in 0..2 {
            if kind == 0 && !lanes {
                continue;
            }
            let play = |which: usize, first: u64, size: u64| -> (u64, u64) {
                if kind == 0 {
                    let counts =
                        simulate_lanes(&programs[which].0, size.max(512), first, 1, 1, 500, None).unwrap();
                    (counts.playouts, counts.states)
                } else {
                    let budget = Budget {
                        playouts: size,
                        first,
                        threads: 1,
                        seed: 1,
                        max_steps: 500,
                        ..Budget::default()
                    };
                    let statistics =
                        simulate(&machines[which] as &dyn Machine, &budget, &Context::default()).unwrap();
                    (statistics.playouts, statistics.states)
                }
            };
            // The same playouts for all of them.
            let mut size = if kind == 0 { 512 } else { 1 };
            loop {
                let clock = Instant::now();
                play(0, 0, size);
                let took = clock.elapsed().as_secs_f64();
                if took >= seconds / 2.0 {
                    break;
                }
                size = if took < seconds / 8.0 { size * 4 } else { size * 2 };
            }
            let mut first = 0;
            for round in 0..rounds {
                let mut got = [(0, 0); 4];
                for turn in 0..4 {
                    let which = (turn + round as usize) % 4;
                    let cpu = ProcessTime::now();
                    got[which] = play(which, first, size);
                    let took = cpu.elapsed().as_secs_f64();
                    speeds[kind][which].push(got[which].1 as f64 / took);
                    sums[kind][which].0 += got[which].0;
                    sums[kind][which].1 += got[which].1;
                }
                assert!(got[0] == got[1] && got[0] == got[2], "{name}: playouts differ {got:?} kind {kind}");
                first += size;
            }
            assert!(sums[kind][0] == sums[kind][1] && sums[kind][0] == sums[kind][2]);
        }
        for kind in speeds {
            let ratio = |which: usize| {
                let mut ratios: Vec<f64> = kind[which].iter().zip(&kind[0]).map(|(a, b)| a / b).collect();
                ratios.sort_by(f64::total_cmp);
                ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN)
            };
            let mut base = kind[0].clone();
            base.sort_by(f64::total_cmp);
            line += &format!(
                ",{:.0},{:.3},{:.3},{:.3}",
                base.get(base.len() / 2).copied().unwrap_or(f64::NAN),
                ratio(1),
                ratio(2),
                ratio(3)
            );
        }
        line += &format!(",{:.3},{:.3},{:.3}", programs[0].1, programs[1].1, programs[2].1);
    }
    println!("{line}");
}
