//! Unrolled goal and terminal conditions agree with the rules. In every state, a condition that holds has at least the value
//! `threshold`, and one that fails has at most `1 - threshold`. This is checked for every norm and every game in `games/`,
//! and for the games in `open/` if `GGP_CORPUS` is set. Values also measure the distance to a goal.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::fuzzy_bounds::{NORMS, check, states};
use crate::listed::{own_games, real_games};
use ggp::evaluation::fuzzy::{
    BindError, Conditions, Evaluator, FuzzyError, FuzzyFunction, FuzzyParameters, Goal, GoalExplanation,
    Mention, Node, Norm, UnrollLimits, unroll,
};
use ggp::feature::{Measure, StateEvaluator};
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, Loaded, Machine, MoveId, State, load};
use ggp::simulate::{Budget, Choices, Context};
use ggp::structure::detect;
use ggp::structure::finding::Structures;

fn path(game: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("games").join(game).with_extension("kif")
}

fn game(path: &Path, backend: Backend) -> (Loaded, Structures) {
    game_of(&Source::load(path).unwrap(), backend)
}

fn game_of(source: &Source, backend: Backend) -> (Loaded, Structures) {
    let description = read(source).description.unwrap();
    let loaded = load(description, backend, &Limits::default()).unwrap();
    let budget = Budget { playouts: 100, work: Some(20_000_000), ..Budget::default() };
    let structures = detect(&*loaded.machine, &loaded.statics, &budget, &Context::default()).unwrap().0;
    (loaded, structures)
}

/// The states after each of these joint moves; a line has one move per role.
fn states_along(machine: &dyn Machine, lines: &[&str]) -> Vec<State> {
    let mut cursor = machine.cursor();
    let mut found = vec![cursor.state().clone()];
    for line in lines {
        let joint: Vec<MoveId> = line
            .split('|')
            .enumerate()
            .map(|(role, text)| {
                let mut legal = cursor.legal(role).iter();
                *legal
                    .find(|&&action| machine.move_text(action) == text.trim())
                    .unwrap_or_else(|| panic!("{text}"))
            })
            .collect();
        cursor.advance(&joint).unwrap();
        found.push(cursor.state().clone());
    }
    found
}

fn values(machine: &dyn Machine, structures: &Structures, role: usize, states: &[State]) -> Vec<f64> {
    let function =
        FuzzyFunction::new(machine, structures, role, FuzzyParameters::default(), &UnrollLimits::default())
            .unwrap();
    let mut bound = function.bind(machine).unwrap();
    let mut state_evaluator = StateEvaluator::new(machine);
    states.iter().map(|state| bound.value(&state_evaluator.at(state).unwrap())).collect()
}

fn size(made: &Conditions) -> usize {
    made.formula.nodes.iter().map(|node| node.mentions().len()).sum()
}

/// Compares every condition of every role with the machine, in states of random playouts.
fn check_game(
    path: &Path,
    backend: Backend,
    limits: &UnrollLimits,
    norms: &[Norm],
    playouts: u64,
) -> Vec<Conditions> {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    check_loaded(&name, game(path, backend), limits, norms, playouts)
}

/// The same as `check_game`, for a loaded game.
fn check_loaded(
    name: &str,
    (loaded, structures): (Loaded, Structures),
    limits: &UnrollLimits,
    norms: &[Norm],
    playouts: u64,
) -> Vec<Conditions> {
    let machine = &*loaded.machine;
    let states = states(machine, playouts, 100);
    let mut all = Vec::new();
    for role in 0..machine.description().roles.len() {
        let parameters = FuzzyParameters::default();
        let made = unroll(machine, &structures, role, &|_| true, &parameters, limits).unwrap();
        let mut roots: Vec<Mention> = made.goals.iter().map(|goal| goal.condition).collect();
        roots.push(made.terminal);
        for &norm in norms {
            let parameters = FuzzyParameters { norm, ..parameters };
            let mut evaluator = Evaluator::new(machine, &made.formula, &roots, parameters).unwrap();
            let mut state_evaluator = StateEvaluator::new(machine);
            for state in &states {
                let position = state_evaluator.at(state).unwrap();
                evaluator.update(position.facts);
                let what = |part: &str| format!("{name}, role {role}, {part}, {norm:?}");
                let t = parameters.threshold;
                check(evaluator.value(made.terminal), position.view.terminal(), t, &what("terminal"));
                let goals = position.view.goals(role);
                for Goal { value, condition: mention, .. } in &made.goals {
                    check(
                        evaluator.value(*mention),
                        goals.contains(value),
                        t,
                        &what(&format!("goal {value}")),
                    );
                }
                let known = |value: &i32| made.goals.iter().any(|goal| goal.value == *value);
                assert!(goals.iter().all(known), "{}", what("a goal is missing"));
            }
        }
        all.push(made);
    }
    all
}

#[test]
fn values_agree_with_the_machine_on_every_game() {
    for path in own_games() {
        let made = check_game(&path, Backend::Auto, &UnrollLimits::default(), &NORMS[..3], 4);
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let loops = made[0].formula.loops.len();
        println!("{name}: {} nodes, {} mentions, {loops} loops", made[0].formula.nodes.len(), size(&made[0]));
        assert!(made.iter().all(|made| made.lifted.is_empty()), "{name} has lifted conditions");
        // Only chains of stones need recursive conditions.
        assert_eq!(loops > 0, ["go_5x5", "hex"].contains(&&*name), "{name}");
    }
}

/// A goal value, or an end, that follows from static facts alone is a condition that always holds.
#[test]
fn goal_and_terminal_may_be_facts() {
    let step = "(role ann) (role bob) (init (step one)) (after one two) (<= (legal ?role go) (role ?role)) \
        (<= (next (step ?b)) (true (step ?a)) (after ?a ?b))";
    let end = "(<= terminal (true (step two)))";
    let rules = [
        format!("{step} {end} (goal ann 100) (goal bob 0)"),
        format!("{step} {end} (prize ann 100) (prize bob 30) (<= (goal ?role ?value) (prize ?role ?value))"),
        format!(
            "{step} {end} (goal ann 100) (<= (goal bob 70) (true (step two))) (<= (goal bob 10) (true (step one)))"
        ),
        format!("{step} {end} (goal ann 100) (<= (goal bob 20) (goal ann 100))"),
        format!("{step} (<= terminal (after one two)) (goal ann 50) (goal bob 50)"),
        format!("{step} terminal (goal ann 50) (goal bob 50)"),
    ];
    for text in &rules {
        for backend in [Backend::Network, Backend::Relational] {
            let game = game_of(&Source::from_text("facts", text.as_str()), backend);
            let made = check_loaded(text, game, &UnrollLimits::default(), &NORMS, 2);
            assert!(made.iter().all(|made| !made.goals.is_empty() && made.lifted.is_empty()), "{text}");
        }
    }
}

#[test]
fn values_agree_for_every_norm() {
    for name in ["tic_tac_toe", "gold_rush", "racetrack_corridor", "checkers", "hex", "reversi"] {
        check_game(&path(name), Backend::Auto, &UnrollLimits::default(), &NORMS, 2);
    }
}

#[test]
fn values_agree_on_the_relational_machine() {
    for name in ["tic_tac_toe", "gold_rush", "racetrack_corridor", "hex", "eight_puzzle", "nine_mens_morris"]
    {
        check_game(&path(name), Backend::Relational, &UnrollLimits::default(), &NORMS[..1], 2);
    }
}

#[test]
fn conditions_above_the_budget_are_lifted() {
    let tight = [
        UnrollLimits { mentions: 40, ..UnrollLimits::default() },
        UnrollLimits { mentions: 0, ..UnrollLimits::default() },
        UnrollLimits { instances: 3, ..UnrollLimits::default() },
        UnrollLimits { instances: 0, atoms: 4, ..UnrollLimits::default() },
        UnrollLimits { fluents: 3, ..UnrollLimits::default() },
    ];
    for name in ["tic_tac_toe", "gold_rush", "hex", "reversi", "nine_mens_morris"] {
        for (number, limits) in tight.iter().enumerate() {
            let backend = if number == 4 { Backend::Relational } else { Backend::Auto };
            for made in check_game(&path(name), backend, limits, &NORMS[..1], 2) {
                let leaves = made.formula.nodes.iter().any(|node| matches!(node, Node::Derived(_)));
                assert!(
                    number == 4 || leaves && !made.lifted.is_empty(),
                    "{name} {limits:?}: {:?}",
                    made.lifted
                );
                assert!(size(&made) <= limits.mentions);
            }
        }
    }
}

/// Checks all games of `open/`, and prints the lifted conditions.
#[test]
#[ignore = "takes half a minute, and needs the corpus"]
fn values_agree_on_the_corpus() {
    for path in real_games() {
        let started = std::time::Instant::now();
        let made = check_game(&path, Backend::Auto, &UnrollLimits::default(), &NORMS[..1], 2);
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let lifted: Vec<String> =
            made[0].lifted.iter().map(|lifted| format!("{}: {}", lifted.relation, lifted.reason)).collect();
        println!(
            "{name}: {} nodes, {} mentions, {} loops, {:.1} s, lifted {lifted:?}",
            made[0].formula.nodes.len(),
            size(&made[0]),
            made[0].formula.loops.len(),
            started.elapsed().as_secs_f64()
        );
    }
}

#[test]
fn values_do_not_depend_on_earlier_evaluations() {
    for name in ["hex", "reversi", "racetrack_corridor", "gold_rush", "nine_mens_morris"] {
        let (loaded, structures) = game(&path(name), Backend::Auto);
        let machine = &*loaded.machine;
        let states = states(machine, 1, 60);
        let limits = UnrollLimits::default();
        for norm in NORMS {
            let parameters = FuzzyParameters { norm, ..FuzzyParameters::default() };
            let function = FuzzyFunction::new(machine, &structures, 0, parameters, &limits).unwrap();
            let mut kept = function.bind(machine).unwrap();
            let mut state_evaluator = StateEvaluator::new(machine);
            // Evaluates the states in order, then in jumps.
            let order = (0..states.len()).chain((0..states.len()).map(|index| index * 37 % states.len()));
            for index in order {
                let position = state_evaluator.at(&states[index]).unwrap();
                let fresh = function.bind(machine).unwrap().value(&position);
                assert_eq!(kept.value(&position).to_bits(), fresh.to_bits(), "{name}, {norm:?}");
                assert!((0.0..=1.0).contains(&fresh));
            }
        }
    }
}

/// The slides rank the first moves by eval((goal xplayer 100)): 4, 3 and 2 lines run through the cells.
#[test]
fn tic_tac_toe_ranks_centre_corner_side() {
    let mut games = vec![path("tic_tac_toe")];
    games
        .extend(std::env::var_os("GGP_CORPUS").map(|corpus| Path::new(&corpus).join("open/tic_tac_toe.kif")));
    for path in games {
        let (loaded, structures) = game(&path, Backend::Auto);
        let machine = &*loaded.machine;
        let after = |cell: &str| {
            let moves = machine.cursor().legal(0).to_vec();
            let text = moves
                .iter()
                .map(|&action| machine.move_text(action))
                .find(|text| text.contains(cell))
                .unwrap();
            states_along(machine, &[&format!("{text} | noop")])[1].clone()
        };
        let states = [after(" 2 2)"), after(" 1 1)"), after(" 1 2)")];
        for norm in [NORMS[0], NORMS[2], NORMS[3]] {
            let parameters = FuzzyParameters { norm, ..FuzzyParameters::default() };
            let function =
                FuzzyFunction::new(machine, &structures, 0, parameters, &UnrollLimits::default()).unwrap();
            let mut bound = function.bind(machine).unwrap();
            let mut state_evaluator = StateEvaluator::new(machine);
            let mut won = Vec::new();
            let mut whole = Vec::new();
            for state in &states {
                let position = state_evaluator.at(state).unwrap();
                won.push(bound.conditions(&position).1.last().unwrap().1);
                whole.push(bound.value(&position));
            }
            assert!(won[0] > won[1] && won[1] > won[2], "{} {norm:?}: {won:?}", path.display());
            assert!(whole[0] > whole[1] && whole[1] > whole[2], "{} {norm:?}: {whole:?}", path.display());
        }
    }
}

#[test]
fn blocks_world_rises_along_its_solution() {
    let (loaded, structures) = game(&path("blocks_world"), Backend::Auto);
    let machine = &*loaded.machine;
    // Blue is on yellow initially, but yellow must first be stacked on white. So the first two moves undo a condition of the
    // goal.
    let solution = [
        "(put_down white)",
        "(put_down blue)",
        "(stack yellow white)",
        "(stack blue yellow)",
        "(stack green blue)",
        "(stack red green)",
    ];
    let found = values(machine, &structures, 0, &states_along(machine, &solution));
    assert!(found[2..].is_sorted_by(|a, b| a < b), "{found:?}");
}

#[test]
#[cfg_attr(not(has_corpus), ignore = "GGP_CORPUS names no corpus")]
fn the_first_blocks_world_rises_along_its_solution() {
    let corpus = std::env::var_os("GGP_CORPUS").expect("GGP_CORPUS names the corpus");
    let (loaded, structures) = game(&Path::new(&corpus).join("open/blocks_world.kif"), Backend::Auto);
    let machine = &*loaded.machine;
    let states = states_along(machine, &["(u c a)", "(s b c)", "(s a b)"]);
    let found = values(machine, &structures, 0, &states);
    // The first move does not bring any block closer to its position, so only the step counter changes the value.
    assert!(found[1] < found[0] && found[0] - found[1] < 0.01, "{found:?}");
    assert!(found[1..].is_sorted_by(|a, b| a < b), "{found:?}");
}

#[test]
fn racetrack_corridor_rises_along_the_lane() {
    let (loaded, structures) = game(&path("racetrack_corridor"), Backend::Auto);
    let machine = &*loaded.machine;
    let lines = [
        "(run b 2) | noop",
        "noop | (run a 1)",
        "(run c 2) | noop",
        "noop | (run a 2)",
        "(run d 2) | noop",
        "noop | (run a 1)",
        "(run e 2) | noop",
    ];
    let found = values(machine, &structures, 0, &states_along(machine, &lines));
    let own: Vec<f64> = found.iter().copied().step_by(2).collect();
    assert!(
        found[0] < found[1] && found[1..].iter().step_by(2).is_sorted_by(|a, b| a < b),
        "{own:?} {found:?}"
    );
}

#[test]
fn reversi_values_grow_with_the_lead() {
    let (loaded, structures) = game(&path("reversi"), Backend::Auto);
    let machine = &*loaded.machine;
    let limits = UnrollLimits::default();
    let function = FuzzyFunction::new(machine, &structures, 0, FuzzyParameters::default(), &limits).unwrap();
    let mut bound = function.bind(machine).unwrap();
    let mut state_evaluator = StateEvaluator::new(machine);
    let mut by_lead: BTreeMap<i32, f64> = BTreeMap::new();
    for state in states(machine, 40, 100) {
        let position = state_evaluator.at(&state).unwrap();
        let mut lead = 0;
        position.facts.for_each(|fluent| {
            let text = machine.fluent_text(fluent);
            if text.starts_with("(disc") {
                lead += if text.ends_with("black)") { 1 } else { -1 };
            }
        });
        let (_, goals) = bound.conditions(&position);
        let value = goals.iter().find(|(value, _)| *value == 100).unwrap().1;
        let known = *by_lead.entry(lead).or_insert(value);
        assert_eq!(known, value, "a lead of {lead} has one value");
    }
    assert!(by_lead.len() > 40, "{by_lead:?}");
    assert!(by_lead.values().is_sorted_by(|a, b| a < b), "{by_lead:?}");
    assert!(by_lead[&20] - by_lead[&1] > 0.05 && by_lead[&1] >= 0.75, "{by_lead:?}");
}

/// Of two states that differ only in the step counter, the earlier one has the higher value.
#[test]
fn the_smaller_step_counter_is_preferred() {
    let (loaded, structures) = game(&path("eight_puzzle"), Backend::Auto);
    let machine = &*loaded.machine;
    let facts = |state: &State| -> Vec<String> {
        let mut fluents = Vec::new();
        machine.fluents(state, &mut fluents);
        fluents.into_iter().map(|fluent| machine.fluent_text(fluent)).collect()
    };
    let first = machine.initial().clone();
    let before = facts(&first);
    // A move and its reversal restore all facts except one.
    let mut again = Vec::new();
    for there in machine.cursor().legal(0).to_vec() {
        let mut cursor = machine.cursor();
        cursor.advance(&[there]).unwrap();
        let state = cursor.state().clone();
        for back in cursor.legal(0).to_vec() {
            cursor.set(&state).unwrap();
            cursor.advance(&[back]).unwrap();
            let after = facts(cursor.state());
            if after.iter().filter(|fact| !before.contains(fact)).count() == 1 {
                again.push(cursor.state().clone());
            }
        }
    }
    assert!(!again.is_empty());
    for state in again {
        let found = values(machine, &structures, 0, &[first.clone(), state]);
        assert!(found[1] < found[0], "{found:?}");
    }
}

/// Distances are measured to positions that a condition requires, not to every cell of a board.
#[test]
fn distances_are_measured_to_required_positions_only() {
    let measured = |name: &str| -> Vec<String> {
        let (loaded, structures) = game(&path(name), Backend::Auto);
        let (parameters, limits) = (FuzzyParameters::default(), UnrollLimits::default());
        let made = unroll(&*loaded.machine, &structures, 0, &|_| true, &parameters, &limits).unwrap();
        let nodes = made.formula.nodes.into_iter();
        nodes
            .filter_map(|node| match node {
                Node::Near(text) => Some(text),
                _ => None,
            })
            .collect()
    };
    // The goal requires the last row in any column. That pieces remain on the board requires no position.
    let far = measured("breakthrough");
    assert!(far.len() == 2 && far.iter().all(|text| text.matches('?').count() == 1), "{far:?}");
    // Every tile has a required position.
    assert!(measured("eight_puzzle").len() >= 9);
    // Marbles move if quadrants turn, but five in a row may be anywhere.
    assert_eq!(measured("pentago"), Vec::<String>::new());
}

#[test]
fn documents_give_the_values_of_their_function() {
    for name in ["racetrack_corridor", "gold_rush", "hex", "tic_tac_toe"] {
        let (loaded, structures) = game(&path(name), Backend::Auto);
        let machine = &*loaded.machine;
        let limits = UnrollLimits {
            instances: if name == "tic_tac_toe" { 5 } else { 1000 },
            ..UnrollLimits::default()
        };
        let function =
            FuzzyFunction::new(machine, &structures, 0, FuzzyParameters::default(), &limits).unwrap();
        let text = serde_json::to_string(&function).unwrap();
        let read: FuzzyFunction = serde_json::from_str(&text).unwrap();
        assert_eq!(read, function);
        println!("{name}: {} bytes", text.len());
        let (mut first, mut second) = (function.bind(machine).unwrap(), read.bind(machine).unwrap());
        let relational = game(&path(name), Backend::Relational).0;
        let mut third = read.bind(&*relational.machine).unwrap();
        let (mut state_evaluator, mut other) =
            (StateEvaluator::new(machine), StateEvaluator::new(&*relational.machine));
        for playout in 0..2 {
            let (mut here, mut there) = (machine.cursor(), relational.machine.cursor());
            let mut choices = Choices::new(3, playout);
            while !here.terminal() {
                let position = state_evaluator.at(here.state()).unwrap();
                let value = first.value(&position);
                assert_eq!(value, second.value(&position));
                assert_eq!(value, third.value(&other.at(there.state()).unwrap()), "{name}");
                let explained = first.explain(&position, 3, 5);
                let probabilistic_sum = |goals: &[GoalExplanation]| {
                    let more =
                        |sum: f64, goal: &GoalExplanation| sum + goal.contribution - sum * goal.contribution;
                    goals.iter().fold(0.0, more)
                };
                let (own, others) =
                    (probabilistic_sum(&explained.goals), probabilistic_sum(&explained.against));
                let sum = if explained.against.is_empty() {
                    own
                } else {
                    {
                        let (first, second) = (own * (1.0 - others), others * (1.0 - own));
                        first / (first + second)
                    }
                };
                // This test adds the terms in double precision.
                assert_eq!(explained.value, value);
                assert!((value - sum).abs() < 1e-6, "{name}: {value} {sum}");
                let picks: Vec<usize> = (0..machine.description().roles.len())
                    .map(|role| choices.below(here.legal(role).len()))
                    .collect();
                let joint: Vec<MoveId> =
                    picks.iter().enumerate().map(|(role, &at)| here.legal(role)[at]).collect();
                here.advance(&joint).unwrap();
                let joint: Vec<MoveId> =
                    picks.iter().enumerate().map(|(role, &at)| there.legal(role)[at]).collect();
                there.advance(&joint).unwrap();
            }
        }
    }
}

#[test]
fn invalid_documents_are_rejected_part_by_part() {
    let (loaded, structures) = game(&path("racetrack_corridor"), Backend::Auto);
    let machine = &*loaded.machine;
    let limits = UnrollLimits::default();
    let good = FuzzyFunction::new(machine, &structures, 0, FuzzyParameters::default(), &limits).unwrap();
    let other = game(&path("tic_tac_toe"), Backend::Auto).0;
    let refused = |change: &dyn Fn(&mut FuzzyFunction)| {
        let mut edited = good.clone();
        change(&mut edited);
        edited.bind(machine).err().unwrap_or_else(|| panic!("the document was accepted"))
    };
    assert!(matches!(good.bind(&*other.machine), Err(FuzzyError::UnknownRole { .. })));
    assert!(matches!(refused(&|f| f.role = "green".to_owned()), FuzzyError::UnknownRole { .. }));
    assert!(matches!(refused(&|f| f.parameters.p = 0.6), FuzzyError::Parameters(_)));
    assert!(matches!(refused(&|f| f.goals[0].value = 101), FuzzyError::GoalValue(101)));
    assert!(matches!(refused(&|f| f.terminal = 99), FuzzyError::Bind(BindError::Mention { .. })));
    assert!(matches!(refused(&|f| f.formula.families.clear()), FuzzyError::Bind(BindError::NoFamily { .. })));
    for atom in ["(cell wlane z 1 white)", "(nothing)", "((", "(cell wlane a 1)"] {
        let error = refused(&|f| f.formula.nodes.push(Node::Fact(atom.to_owned())));
        assert_eq!(error, FuzzyError::Bind(BindError::UnknownAtom { atom: atom.to_owned() }));
    }
    let node = good.formula.nodes.len() as Mention;
    let error = refused(&|f| f.formula.nodes.push(Node::And(vec![node + 1])));
    assert!(matches!(error, FuzzyError::Bind(BindError::Mention { .. })));
    let error = refused(&|f| f.formula.loops.push((1, 2)));
    assert!(matches!(error, FuzzyError::Bind(BindError::Loop { .. })), "{error}");
    let text = serde_json::to_string(&good).unwrap().replace("\"terminal\"", "\"termina1\"");
    assert!(serde_json::from_str::<FuzzyFunction>(&text).is_err());
}
