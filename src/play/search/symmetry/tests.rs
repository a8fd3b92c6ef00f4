//! The canonical image of a state is an image of it, and known games have their known numbers of classes.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::gdl::{Source, read};
use crate::ground;
use crate::machine::{Backend, Loaded, Machine, State, load};
use crate::search::alpha_beta::AlphaBetaOptions;
use crate::search::context::SearchContext;
use crate::search::deepening::Deepening;
use crate::search::graph::first_states;
use crate::search::limits::{Limits, Meter};
use crate::search::result::Search;
use crate::search::solve::solve;

use super::{Elements, Permutation, Symmetries};

/// Six switches that are all alike: two players close an open switch or lock a closed one. The state is known by the numbers
/// of open, closed and locked switches, and by the turn.
const SWITCHES: &str = "
(role a) (role b)
(other a b) (other b a)
(switch s1) (switch s2) (switch s3) (switch s4) (switch s5) (switch s6)
(<= (init (open ?s)) (switch ?s))
(init (turn a))
(<= (legal ?r (close ?s)) (true (turn ?r)) (true (open ?s)))
(<= (legal ?r (lock ?s)) (true (turn ?r)) (true (closed ?s)))
(<= (legal ?r wait) (true (turn ?q)) (other ?r ?q))
(<= (next (closed ?s)) (does ?r (close ?s)))
(<= (next (closed ?s)) (true (closed ?s)) (not (locking ?s)))
(<= (next (open ?s)) (true (open ?s)) (not (closing ?s)))
(<= (closing ?s) (does ?r (close ?s)))
(<= (locking ?s) (does ?r (lock ?s)))
(<= (next (turn ?q)) (true (turn ?r)) (other ?r ?q))
(<= unlocked (true (open ?s)))
(<= unlocked (true (closed ?s)))
(<= terminal (not unlocked))
(<= (goal ?r 100) (not unlocked) (true (turn ?q)) (other ?r ?q))
(<= (goal ?r 0) (not unlocked) (true (turn ?r)))
(<= (goal ?r 50) (role ?r) unlocked)
";

fn loaded(name: &str, rules: &str) -> Loaded {
    let description = read(&Source::from_text(name, rules)).description.unwrap();
    load(description, Backend::Auto, &ground::Limits::default()).unwrap()
}

fn game(name: &str) -> Loaded {
    loaded(name, &std::fs::read_to_string(format!("../../games/{name}.kif")).unwrap())
}

/// The number of states that can be reached, and of their classes.
fn classes(machine: &dyn Machine) -> (usize, usize) {
    let symmetries = Symmetries::find(machine, None).unwrap();
    let mut classes = BTreeSet::from([symmetries.canonical(&machine.initial().0).words]);
    let mut meter = Meter::new(Limits::default());
    let states = first_states(machine, machine.initial(), usize::MAX, &mut meter, &mut |words| {
        classes.insert(symmetries.canonical(words).words);
    });
    (states.unwrap_or_else(|_| panic!("no limit")), classes.len())
}

#[test]
fn known_games_have_their_known_classes() {
    assert_eq!(classes(&*game("tic_tac_toe").machine), (5478, 765));
    // Each reachable state has one turn: 28 ways to divide six switches among open, closed and locked.
    assert_eq!(classes(&*loaded("switches", SWITCHES).machine), (729, 28));
}

#[test]
fn large_groups_are_chains_of_stabilizers() {
    let find = |name: &str| Symmetries::find(&*game(name).machine, None);
    let elements = |name: &str| match find(name).unwrap().elements {
        Elements::All(group) => Some(group.elements.len()),
        Elements::Levels(_) => None,
    };
    assert_eq!(elements("tic_tac_toe"), Some(8));
    assert_eq!(elements("nine_mens_morris"), Some(16));
    assert_eq!(elements("quarto"), None);
    assert!(find("chess").is_none());
    let relational = std::fs::read_to_string("../../games/tic_tac_toe.kif").unwrap();
    let description = read(&Source::from_text("t", relational)).description.unwrap();
    let relational = load(description, Backend::Relational, &ground::Limits::default()).unwrap();
    assert!(Symmetries::find(&*relational.machine, None).is_none(), "no network");
}

/// In random play, the image of a successor is the successor of the image by the image of the move.
#[test]
fn images_of_successors_are_successors_of_images() {
    for name in
        ["tic_tac_toe", "pentago", "quarto", "nine_mens_morris", "lights_out", "connect_four", "sum_fifteen"]
    {
        let game = game(name);
        let machine = &*game.machine;
        let symmetries = Symmetries::find(machine, None).unwrap();
        let (mut here, mut there) = (machine.cursor(), machine.cursor());
        let mut draw = 1_u64;
        let image_of = |state: &State, applied: &[&Permutation]| {
            let mut words = state.0.to_vec();
            for element in applied {
                let mut image = Vec::new();
                element.apply(&words, &mut image);
                words = image;
            }
            State(words.into())
        };
        for _ in 0..120 {
            let state = here.state().clone();
            let canonical = symmetries.canonical(&state.0);
            let image = image_of(&state, &canonical.applied);
            assert_eq!(&*image.0, &*canonical.words, "{name}");
            there.set(&image).unwrap();
            assert_eq!(here.terminal(), there.terminal(), "{name}");
            let roles = machine.description().roles.len();
            let mut joint = Vec::new();
            for role in 0..roles {
                assert_eq!(here.goals(role), there.goals(role), "{name}");
                let mut images: Vec<_> =
                    here.legal(role).iter().map(|&action| canonical.move_image(role, action)).collect();
                images.sort_unstable();
                let mut legal = there.legal(role).to_vec();
                legal.sort_unstable();
                assert_eq!(images, legal, "{name}");
                draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let legal = here.legal(role);
                joint.extend((!legal.is_empty()).then(|| legal[(draw >> 33) as usize % legal.len()]));
            }
            if here.terminal() || joint.len() < roles {
                here.set(machine.initial()).unwrap();
                continue;
            }
            let images: Vec<_> =
                joint.iter().enumerate().map(|(role, &action)| canonical.move_image(role, action)).collect();
            here.advance(&joint).unwrap();
            there.advance(&images).unwrap();
            assert_eq!(image_of(here.state(), &canonical.applied), *there.state(), "{name}");
            if matches!(symmetries.elements, Elements::All(_)) {
                // The canonical image of a state is that of its images, too.
                assert_eq!(symmetries.hash(&here.state().0), symmetries.hash(&there.state().0), "{name}");
            }
        }
    }
}

/// A search to a depth has the same value with symmetries, and visits fewer states.
#[test]
fn a_search_to_a_depth_visits_fewer_states() {
    let mut factors = Vec::new();
    for (name, depth, least) in
        [("tic_tac_toe", 8, 1.8), ("connect_four_4x4", 10, 1.2), ("pentago", 6, 2.0), ("quarto", 6, 4.0)]
    {
        let game = game(name);
        let machine = &*game.machine;
        let symmetries = Arc::new(Symmetries::find(machine, None).unwrap());
        let search = |symmetries: Option<&Arc<Symmetries>>| {
            let context = SearchContext::alone(machine, 0);
            let mut search =
                Deepening::plain(context, AlphaBetaOptions::default()).with_symmetries(symmetries);
            let limits = Limits { depth: Some(depth), ..Limits::default() };
            search.search(machine.initial(), &limits, &mut |_| {}).unwrap()
        };
        let (without, with) = (search(None), search(Some(&symmetries)));
        assert_eq!((without.value, without.proved), (with.value, with.proved), "{name}");
        assert_eq!(without.principal_variation.len(), with.principal_variation.len(), "{name}");
        let factor = without.nodes as f64 / with.nodes as f64;
        factors.push((factor >= least, name, without.nodes, with.nodes));
    }
    assert!(factors.iter().all(|(enough, ..)| *enough), "{factors:?}");
}

#[test]
fn solve_visits_each_class_once() {
    for (game, values, most) in
        [(game("tic_tac_toe"), [50, 50], 1_500), (loaded("switches", SWITCHES), [0, 100], 500)]
    {
        let machine = &*game.machine;
        let limits = Limits::default();
        let solution = solve(machine, &[], machine.initial(), 16 << 20, &limits, &mut |_, _| {}).unwrap();
        assert_eq!(solution.roles.iter().map(|role| role.value.unwrap()).collect::<Vec<_>>(), values);
        assert!(solution.nodes <= most, "{}", solution.nodes);
        let mut cursor = machine.cursor();
        for joint in &solution.principal_variation {
            for (role, action) in joint.iter().enumerate() {
                assert!(cursor.legal(role).contains(action));
            }
            cursor.advance(joint).unwrap();
        }
        assert!(cursor.terminal());
        assert_eq!([cursor.goals(0), cursor.goals(1)], [[values[0]], [values[1]]]);
    }
}
