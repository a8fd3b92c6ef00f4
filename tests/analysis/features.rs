//! Features stay in their ranges on all games, and do not depend on the machine, on names or on the order of rules.
//! Documents contain them, and `docs/features.md` agrees with the files of the families.
//!
//! `GGP_BLESS=1 cargo test --test analysis features::` writes the page again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::OnceLock;

use ggp::catalog::{CatalogEntry, page};
use ggp::evaluation::{BuildContext, Function, Parameters, function_statistics_and_progress, functions};
use ggp::feature::*;
use ggp::gdl::rule::{Relation, RelationId};
use ggp::gdl::symbol::Symbol;
use ggp::gdl::term::TermId;
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, Cursor, Loaded, Machine, MoveId, State, load};
use ggp::simulate::{Budget, Choices, Context, Sequence, StopReason, WorkLimit};
use ggp::structure::detect;
use ggp::structure::finding::{Axis, FluentFinding, OrderedBy, Structures};
use rayon::prelude::*;

use crate::listed::{all_games, real_games};
use crate::renaming::{renamed_text, scrambled};

/// A few games of every kind.
const GAMES: [&str; 8] = [
    "tic_tac_toe",
    "reversi",
    "king_rook_endgame",
    "gold_rush",
    "blocks_world",
    "bidding_tic_tac_toe",
    "three_player_race",
    "nine_mens_morris",
];

fn load_text(text: &str, backend: Backend) -> Loaded {
    let reading = read(&Source::from_text("game", text));
    load(reading.description.unwrap(), backend, &Limits::default()).unwrap()
}

fn text_of(game: &str) -> String {
    std::fs::read_to_string(format!("games/{game}.kif")).unwrap()
}

fn structures_of(game: &Loaded, playouts: u64) -> Structures {
    let budget = Budget { playouts, ..Budget::default() };
    detect(&*game.machine, &game.statics, &budget, &Context::default()).unwrap().0
}

fn make_features(machine: &dyn Machine, structures: &Structures, ownership: &Ownership) -> Features {
    features(&Sources { fluent_index: &FluentIndex::new(machine), structures, ownership })
}

fn ownership_of(machine: &dyn Machine, structures: &Structures) -> Ownership {
    let budget = Budget { playouts: 50, ..Budget::default() };
    sample(machine, &FluentIndex::new(machine), structures, &budget, &Context::default()).unwrap().ownership
}

/// The number of joint moves after which a playout is cut off.
const STEPS: usize = 60;

/// Plays at random and passes every state to `show` with the moves made in it; the last state has no moves.
fn walk(machine: &dyn Machine, playouts: u64, mut show: impl FnMut(&State, &[String])) {
    let roles = machine.description().roles.len();
    for playout in 0..playouts {
        let (mut cursor, mut choices) = (machine.cursor(), Choices::new(5, playout));
        for step in 0..=STEPS {
            if cursor.terminal() || step == STEPS {
                show(cursor.state(), &[]);
                break;
            }
            let joint: Vec<_> =
                (0..roles).map(|role| cursor.legal(role)[choices.below(cursor.legal(role).len())]).collect();
            let texts: Vec<String> = joint.iter().map(|&action| machine.move_text(action)).collect();
            show(cursor.state(), &texts);
            cursor.advance(&joint).unwrap();
        }
    }
}

/// Makes the moves with these texts.
fn follow(machine: &dyn Machine, cursor: &mut dyn Cursor, texts: &[String]) {
    let named = |(role, text): (usize, &String)| {
        let legal = cursor.legal(role).iter();
        *legal.into_iter().find(|&&action| machine.move_text(action) == *text).unwrap()
    };
    let joint: Vec<_> = texts.iter().enumerate().map(named).collect();
    cursor.advance(&joint).unwrap();
}

#[test]
#[ignore = "takes half a minute"]
fn features_stay_in_their_ranges() {
    for path in all_games() {
        let reading = read(&Source::load(&path).unwrap());
        let game = load(reading.description.unwrap(), Backend::Auto, &Limits::default()).unwrap();
        let structures = structures_of(&game, 300);
        let budget = Budget { playouts: 40, work: Some(50_000_000), ..Budget::default() };
        let report = measure(&*game.machine, &structures, &budget, &Context::default()).unwrap();
        let name = path.display();
        assert!(report.features.len() >= 3, "{name}");
        let ids: BTreeSet<_> = report.features.iter().map(|measured| &measured.feature.id).collect();
        assert_eq!(ids.len(), report.features.len(), "{name}: an id occurs twice");
        for measured in &report.features {
            let ([low, high], [least, most]) = (measured.feature.range, measured.observed);
            let id = &measured.feature.id;
            assert!(low <= least && least <= most && most <= high, "{name}: {id} {measured:?}");
            assert!(measured.stability.is_none_or(|s| (0.0..=1.0).contains(&s)), "{name}: {id}");
        }
    }
}

#[test]
fn expensive_features_are_measured_on_fewer_sequences() {
    let game = load_text(&text_of("connect_four"), Backend::Auto);
    let structures = structures_of(&game, 500);
    let (machine, index) = (&*game.machine, FluentIndex::new(&*game.machine));
    let budget = Budget { playouts: 400, ..Budget::default() };
    let drawn = sample(machine, &index, &structures, &budget, &Context::default()).unwrap();
    let features = make_features(machine, &structures, &drawn.ownership).list;
    let goals = role_goals(&drawn.sequences);
    let states: usize = drawn.sequences.iter().map(|sequence| sequence.states.len()).sum();
    let work_limit = WorkLimit::default().limited(Some((states * features.len() / 4) as u64));
    let (found, count) =
        measure_features_within(&index, &features, &drawn.sequences, &goals, 1, &work_limit).unwrap();
    assert!((16..200).contains(&count), "{count} of {}", drawn.sequences.len());
    assert_eq!(work_limit.stopped(), Some(StopReason::Work));
    assert!(
        found.iter().any(|measured| measured.observed[0] < measured.observed[1] && measured.variance > 0.0)
    );
    let whole = measure_features_within(
        &index,
        &features,
        &drawn.sequences[..count],
        &goals[..count],
        1,
        &WorkLimit::default(),
    );
    assert_eq!(whole.unwrap().0, found);
}

#[test]
fn features_agree_on_all_machines_and_from_documents() {
    for name in GAMES {
        let game = load_text(&text_of(name), Backend::Network);
        let machine = &*game.machine;
        let structures = structures_of(&game, 1000);
        let made = make_features(machine, &structures, &ownership_of(machine, &structures));
        let text = serde_json::to_string(&made.list).unwrap();
        let read: Vec<Feature> = serde_json::from_str(&text).unwrap();
        assert_eq!(read, made.list, "{name}");

        let relational = load_text(&text_of(name), Backend::Relational);
        let other = &*relational.machine;
        let fluent_index = FluentIndex::new(machine);
        let mut batch = FeatureBatch::new(&made.list, &fluent_index).unwrap();
        let mut alone: Vec<_> =
            read.iter().map(|feature| feature.spec.bind_with(&fluent_index).unwrap()).collect();
        let other_index = FluentIndex::new(other);
        let mut over_there: Vec<_> =
            read.iter().map(|feature| feature.spec.bind_with(&other_index).unwrap()).collect();
        let mut other_batch = FeatureBatch::new(&read, &other_index).unwrap();
        let (mut state_evaluator, mut other_evaluator) =
            (StateEvaluator::new(machine), StateEvaluator::new(other));
        let mut cursor = other.cursor();
        let (mut values, mut other_values) = (Vec::new(), Vec::new());
        walk(machine, 2, |state, joint| {
            batch.values(&state_evaluator.at(state).unwrap(), &mut values);
            let other_position = other_evaluator.at(cursor.state()).unwrap();
            other_batch.values(&other_position, &mut other_values);
            for (number, feature) in read.iter().enumerate() {
                let found = over_there[number].value(&other_position);
                assert_eq!(found, values[number], "{name}: {} relational", feature.id);
                assert_eq!(other_values[number], values[number], "{name}: {} relational panel", feature.id);
            }
            let position = state_evaluator.at(state).unwrap();
            for (number, feature) in read.iter().enumerate() {
                let found = alone[number].value(&position);
                assert_eq!(found, values[number], "{name}: {} alone", feature.id);
                if let Some(linear) = alone[number].linear() {
                    let held = linear.weights.iter().filter(|(fluent, _)| position.facts.contains(*fluent));
                    let sum = linear.constant + held.map(|(_, weight)| weight).sum::<f64>();
                    assert_eq!(sum, values[number], "{name}: {} as a sum", feature.id);
                }
            }
            match joint {
                [] => cursor.set(other.initial()).unwrap(),
                joint => follow(other, &mut *cursor, joint),
            }
        });
    }
}

/// Translates the terms, moves and relations of a game to another game that has the same rules under other names.
struct Renaming<'m> {
    from: &'m dyn Machine,
    to: &'m dyn Machine,
    terms: BTreeMap<String, TermId>,
    moves: BTreeMap<String, MoveId>,
}

impl<'m> Renaming<'m> {
    fn new(from: &'m dyn Machine, to: &'m dyn Machine) -> Renaming<'m> {
        let terms = (0..to.description().terms.len() as u32).map(TermId);
        let moves = (0..to.network().unwrap().actions.len() as u32).map(MoveId);
        Renaming {
            from,
            to,
            terms: terms.map(|term| (to.term_text(term), term)).collect(),
            moves: moves.map(|action| (to.move_text(action), action)).collect(),
        }
    }

    fn symbol(&self, symbol: Symbol) -> Symbol {
        let name = renamed_text(self.from.description().symbols.name(symbol));
        self.to.description().symbols.find(&name).unwrap()
    }

    fn term(&self, term: &mut TermId) {
        *term = self.terms[&renamed_text(&self.from.term_text(*term))];
    }

    fn relation(&self, relation: &mut RelationId) {
        let Relation { kind, name, arity, .. } = self.from.description().relations[relation.index()];
        *relation = self.to.description().relation(kind, self.symbol(name), arity).unwrap();
    }

    fn order(&self, order: &mut OrderedBy) {
        if let OrderedBy::Relation(relation) = order {
            self.relation(relation);
        }
    }

    fn axes(&self, axes: &mut [Axis]) {
        axes.iter_mut().filter_map(|axis| axis.order.as_mut()).for_each(|order| self.order(order));
    }

    fn fluent(&self, found: &mut FluentFinding) {
        found.fluent.name = self.symbol(found.fluent.name);
        self.axes(&mut found.axes);
        self.axes(&mut found.ordered_outputs);
        if let Some(counter) = &mut found.counter {
            self.relation(&mut counter.by);
            self.term(&mut counter.start);
            counter.limit.iter_mut().for_each(|limit| self.term(limit));
        }
        found.quantity.iter_mut().for_each(|quantity| self.order(&mut quantity.order));
        found.adjacency.iter_mut().for_each(|adjacency| self.relation(&mut adjacency.relation));
        let things = found.markers.iter_mut().chain(&mut found.pieces).chain(&mut found.contents);
        things.flat_map(|thing| &mut thing.symbol).for_each(|term| self.term(term));
        for domain in &mut found.domains {
            domain.terms.iter_mut().for_each(|term| self.term(term));
            domain.functors.iter_mut().for_each(|(name, _)| *name = self.symbol(*name));
        }
    }

    fn findings(&self, structures: &Structures) -> Structures {
        let mut found = structures.clone();
        for successor in &mut found.successors {
            self.relation(&mut successor.relation);
            successor.elements.iter_mut().for_each(|element| self.term(element));
        }
        for order in &mut found.orders {
            self.relation(&mut order.relation);
            self.relation(&mut order.over);
        }
        for chain in &mut found.chains {
            self.relation(&mut chain.relation);
            chain.pattern.fixed.iter_mut().for_each(|(_, value)| self.term(value));
            chain.elements.iter_mut().for_each(|element| self.term(element));
        }
        found.partial_orders.iter_mut().for_each(|order| self.relation(&mut order.relation));
        found.fluents.iter_mut().for_each(|fluent| self.fluent(fluent));
        for action in found.noops.values_mut().flatten() {
            *action = self.moves[&renamed_text(&self.from.move_text(*action))];
        }
        found
    }
}

/// The values of a state by family, in ascending order. Names decide which of two expressions is subtracted from the other,
/// so differences are compared without their sign.
fn multiset(list: &[Feature], values: &[f64]) -> BTreeMap<&'static str, Vec<f64>> {
    let mut sets: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (feature, &value) in list.iter().zip(values) {
        let value = if feature.family == Family::Expression { value.abs() } else { value };
        sets.entry(feature.family.name()).or_default().push(value);
    }
    sets.values_mut().for_each(|values| values.sort_by(f64::total_cmp));
    sets
}

#[test]
fn values_do_not_depend_on_names_or_order() {
    for name in GAMES {
        let plain = load_text(&text_of(name), Backend::Network);
        let scrambled = load_text(&scrambled(&text_of(name)), Backend::Network);
        let (one, other) = (&*plain.machine, &*scrambled.machine);

        let structures = structures_of(&plain, 1000);
        let other_structures = Renaming::new(one, other).findings(&structures);
        let ownership = ownership_of(one, &structures);
        let (made_here, made_there) = (
            make_features(one, &structures, &ownership),
            make_features(other, &other_structures, &ownership),
        );
        let (here, there) = (FluentIndex::new(one), FluentIndex::new(other));
        let (mut batch, mut other_batch) = (
            FeatureBatch::new(&made_here.list, &here).unwrap(),
            FeatureBatch::new(&made_there.list, &there).unwrap(),
        );
        let (mut state_evaluator, mut other_evaluator) =
            (StateEvaluator::new(one), StateEvaluator::new(other));
        let mut cursor = other.cursor();
        let (mut values, mut other_values) = (Vec::new(), Vec::new());
        let ranges = |list: &[Feature]| {
            let mut ranges: Vec<_> =
                list.iter().map(|feature| (feature.family, feature.range[1] - feature.range[0])).collect();
            ranges.sort_by(|a, b| a.partial_cmp(b).unwrap());
            ranges
        };
        assert_eq!(ranges(&made_here.list), ranges(&made_there.list), "{name}");
        walk(one, 2, |state, joint| {
            batch.values(&state_evaluator.at(state).unwrap(), &mut values);
            other_batch.values(&other_evaluator.at(cursor.state()).unwrap(), &mut other_values);
            let (wanted, found) =
                (multiset(&made_here.list, &values), multiset(&made_there.list, &other_values));
            assert_eq!(wanted, found, "{name}");
            let joint: Vec<String> = joint.iter().map(|text| renamed_text(text)).collect();
            match joint.is_empty() {
                true => cursor.set(other.initial()).unwrap(),
                false => follow(other, &mut *cursor, &joint),
            }
        });
    }
}

/// The values of features in the states of sequences: one row per state, with the step and the roles that choose.
fn evaluate(machine: &dyn Machine, list: &[Feature], sequences: &[Sequence]) -> Vec<((u32, u64), Vec<f64>)> {
    let index = FluentIndex::new(machine);
    let mut batch = FeatureBatch::new(list, &index).unwrap();
    let mut steps = sequences.iter().flat_map(|sequence| &sequence.steps);
    let (mut rows, mut row) = (Vec::new(), Vec::new());
    let states = sequences.iter().flat_map(|sequence| &sequence.states);
    let show = |position: &ValuedState<'_>| {
        batch.values(position, &mut row);
        let roles = 0..machine.description().roles.len();
        let choosing = roles.filter(|&role| position.view.legal(role).len() > 1);
        let choosing = choosing.fold(0, |set, role| set | 1 << role.min(63));
        rows.push(((*steps.next().unwrap(), choosing), row.clone()));
        std::ops::ControlFlow::Continue(())
    };
    BatchEvaluator::new(machine).each(states, show).unwrap();
    rows
}

/// The features of a game with their statistics from a few playouts.
fn measure_features(path: &Path, playouts: u64) -> (Loaded, FeatureReport) {
    let reading = read(&Source::load(path).unwrap());
    let game = load(reading.description.unwrap(), Backend::Auto, &Limits::default()).unwrap();
    let structures = structures_of(&game, 100);
    let budget = Budget { playouts, work: Some(20_000_000), ..Budget::default() };
    let report = measure(&*game.machine, &structures, &budget, &Context::default()).unwrap();
    (game, report)
}

#[test]
#[ignore = "takes half a minute"]
fn correlated_features_depend_on_more_than_step_and_turn() {
    if real_games().is_empty() {
        println!("GGP_CORPUS is not set: the games of games/ alone are looked at");
    }
    let small = ["tic_tac_toe", "sum_fifteen", "nim", "connect_four_4x4"];
    let found: Vec<String> = all_games()
        .par_iter()
        .flat_map_iter(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let playouts = if small.contains(&&*name) { 1500 } else { 150 };
            let (game, report) = measure_features(path, playouts);
            let listed = report
                .features
                .iter()
                .filter(|measured| measured.correlations.iter().any(Correlation::is_supported));
            let list: Vec<Feature> = listed.map(|measured| measured.feature.clone()).collect();
            let rows = evaluate(&*game.machine, &list, &report.sequences);
            let determined = (0..list.len()).filter(|&number| {
                let mut by_turn: BTreeMap<(u32, u64), f64> = BTreeMap::new();
                rows.iter().all(|(turn, row)| *by_turn.entry(*turn).or_insert(row[number]) == row[number])
            });
            determined.map(|number| format!("{name}: {}", list[number].formula)).collect::<Vec<_>>()
        })
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn features_of_step_and_turn_have_no_correlation() {
    let (_, report) = measure_features(Path::new("games/tic_tac_toe.kif"), 1500);
    let correlations =
        |id: &str| &report.features.iter().find(|measured| measured.feature.id == id).unwrap().correlations;
    // The number of crosses depends on the step only.
    for with in correlations("count.mark._._.cross") {
        assert_eq!((with.correlation, with.reason), (None, Some(NoCorrelation::StepOrTurn)));
    }
    let centre = correlations("count.mark.2.2.cross").iter().find(|with| with.role == "noughts").unwrap();
    assert!(centre.is_supported() && centre.correlation < Some(0.0) && centre.reason.is_none(), "{centre:?}");
    assert!((8..1500).contains(&centre.support), "{centre:?}");
}

/// Four rounds in which ann opens one of four doors. She wins if she opens the first door every time.
const RARE_WIN: &str = "(role ann) (door 1) (door 2) (door 3) (door 4)
    (up 0 1) (up 1 2) (up 2 3) (up 3 4)
    (init (round 0)) (init (score 0))
    (<= (legal ann (open ?d)) (door ?d))
    (<= (next (round ?n)) (true (round ?m)) (up ?m ?n))
    (<= (next (score ?n)) (true (score ?m)) (does ann (open 1)) (up ?m ?n))
    (<= (next (score ?m)) (true (score ?m)) (does ann (open ?d)) (distinct ?d 1))
    (<= terminal (true (round 4)))
    (<= (goal ann 100) (true (score 4)))
    (<= (goal ann 0) (not (true (score 4))))";

#[test]
fn few_wins_give_a_wide_interval() {
    let game = load_text(RARE_WIN, Backend::Auto);
    let structures = structures_of(&game, 100);
    let budget = Budget { playouts: 800, ..Budget::default() };
    let report = measure(&*game.machine, &structures, &budget, &Context::default()).unwrap();
    let won = report.sequences.iter().filter(|sequence| sequence.goals[0] == Some(100)).count() as u64;
    assert!((1..8).contains(&won), "{won} of 800 games, of 256 one is won");
    let first = |measured: &MeasuredFeature| measured.correlations[0].clone();
    assert!(report.features.iter().any(|measured| first(measured).correlation.is_some()));
    for measured in &report.features {
        let with = first(measured);
        assert!(with.support <= won && !with.is_supported(), "{}: {with:?}", measured.feature.id);
        assert!(
            with.support > 4 || with.low.is_none_or(|low| low < 0.0),
            "{}: {with:?}",
            measured.feature.id
        );
    }
}

#[test]
fn equal_features_become_aliases() {
    for name in ["tic_tac_toe", "connect_four_4x4", "breakthrough"] {
        let (game, report) = measure_features(Path::new(&format!("games/{name}.kif")), 300);
        let list: Vec<Feature> = report.features.iter().map(|measured| measured.feature.clone()).collect();
        let rows = evaluate(&*game.machine, &list, &report.sequences);
        let column =
            |number: usize| rows.iter().map(move |(_, row)| row[number].to_bits()).collect::<Vec<_>>();
        let mut seen = BTreeMap::new();
        for (number, of) in report.features.iter().enumerate() {
            let varies = of.observed[0] < of.observed[1];
            if varies && of.alias_of.is_none() {
                let other = seen.insert(column(number), &of.feature.id);
                assert!(other.is_none(), "{name}: {} has the values of {other:?}", of.feature.id);
            }
            if let Some(other) = &of.alias_of {
                let first = report.features.iter().find(|first| first.feature.id == *other).unwrap();
                assert!(
                    first.aliases.contains(&of.feature.id) && first.alias_of.is_none(),
                    "{name}: {other}"
                );
                // Aliases have the same correlations, up to the sign.
                for (a, b) in first.correlations.iter().zip(&of.correlations) {
                    let [one, other] = [a, b].map(|with| with.correlation.unwrap_or(0.0).abs());
                    assert!(
                        (one - other).abs() < 1e-6 && a.support.abs_diff(b.support) < 2,
                        "{name}: {a:?} {b:?}"
                    );
                }
            }
        }
        let aliases: usize = report.features.iter().map(|measured| measured.aliases.len()).sum();
        assert_eq!(
            aliases,
            report.features.iter().filter(|measured| measured.alias_of.is_some()).count(),
            "{name}"
        );
        assert!(name != "breakthrough" || aliases > 0, "{name} counts its pawns twice");
    }
}

fn tic_tac_toe() -> &'static Loaded {
    static GAME: OnceLock<Loaded> = OnceLock::new();
    GAME.get_or_init(|| load_text(&text_of("tic_tac_toe"), Backend::Auto))
}

#[test]
fn unsuitable_features_are_rejected_by_name() {
    let machine = &*tic_tac_toe().machine;
    let count = |pattern: &str| Spec::Count { pattern: pattern.into() };
    let deep = (0..40).fold(count("(mark 1 1 cross)"), |spec, _| Spec::Inverse { of: Box::new(spec) });
    type Expected = fn(&FeatureError) -> bool;
    let cases: [(Spec, Expected); 8] = [
        (count("(cell 1 1 x)"), |error| {
            matches!(error, FeatureError::UnknownFluent { fluent, known }
                if fluent == "cell/3" && known.contains("`mark/3`"))
        }),
        (count("(mark 1 1 green)"), |error| {
            matches!(error, FeatureError::NoMatch { pattern, argument: 3, known }
                if pattern == "(mark 1 1 green)" && known.starts_with("`cross`, `nought`"))
        }),
        (
            count("(mark 1 1"),
            |error| matches!(error, FeatureError::Syntax { text, .. } if text == "(mark 1 1"),
        ),
        (count("?x"), |error| matches!(error, FeatureError::Syntax { text, .. } if text == "?x")),
        (Spec::Moves { role: "red".into(), noops: Vec::new() }, |error| {
            matches!(error, FeatureError::UnknownRole { role, known }
                if role == "red" && known == "`crosses`, `noughts`")
        }),
        (
            Spec::Index {
                pattern: "(mark ?x ?y cross)".into(),
                argument: 4,
                order: vec!["1".into()],
                absent: 0.0,
            },
            |error| matches!(error, FeatureError::NoArgument { argument: 4, .. }),
        ),
        (
            Spec::Sum { terms: vec![Term { weight: f64::NAN, pattern: "(mark ?x ?y cross)".into() }] },
            |error| matches!(error, FeatureError::NotFinite { what: "weight" }),
        ),
        (deep, |error| matches!(error, FeatureError::TooDeep { limit: 16 })),
    ];
    for (number, (spec, wanted)) in cases.into_iter().enumerate() {
        let error = spec.bind(machine).err().unwrap();
        assert!(wanted(&error), "case {number}: {error:?}");
    }
}

#[test]
fn the_page_agrees_with_the_families() {
    let introduction = "# Features\n\nA feature is a named number of a state. `ggp analyze` makes these families, measures each \
         feature on random playouts, and\nlists them under `features` in the JSON document and in `features.csv`. \
         This page is made from the files of\n`src/knowledge/feature/`; `GGP_BLESS=1 cargo test --test analysis features::` \
         writes it again.\n";
    let page = page(introduction, FAMILIES.iter().map(|family| *family as &dyn CatalogEntry));
    let file = "docs/features.md";
    if std::env::var_os("GGP_BLESS").is_some() {
        std::fs::write(file, &page).unwrap();
    }
    let kept = std::fs::read_to_string(file).unwrap_or_default();
    assert!(kept == page, "{file} is stale: run `GGP_BLESS=1 cargo test --test analysis features::`");
}

#[test]
fn goal_progress_is_a_feature_of_every_role() {
    for name in ["tic_tac_toe", "gold_rush", "blocks_world"] {
        let game = load_text(&text_of(name), Backend::Network);
        let machine = &*game.machine;
        let structures = structures_of(&game, 1000);
        let budget = Budget { playouts: 300, ..Budget::default() };
        let context = Context::default();
        let mut report = measure(machine, &structures, &budget, &context).unwrap();
        let tests = report.extent.tests;
        let made = functions(&BuildContext::new(machine, &structures, &[], &budget), &Parameters::default());
        let (function_statistics, progress) = function_statistics_and_progress(
            machine,
            &made.list,
            &report.sequences,
            &budget,
            &WorkLimit::default(),
        )
        .unwrap();
        assert_eq!(progress.len(), machine.description().roles.len(), "{name}");
        let fuzzy: Vec<_> = (made.list.iter().zip(&function_statistics))
            .filter(|(function, _)| matches!(function, Function::Fuzzy(_)))
            .collect();
        for (role, (measured, (function, quality))) in progress.iter().zip(fuzzy).enumerate() {
            let feature = &measured.feature;
            assert_eq!(
                (feature.family, feature.role.as_deref()),
                (Family::GoalProgress, Some(function.role()))
            );
            assert_eq!((measured.mean, measured.variance), (quality.mean, quality.variance), "{name}");
            assert_eq!(measured.correlations[role].correlation, quality.goal.correlation, "{name}");
            assert!(0.0 <= measured.observed[0] && measured.observed[1] <= 1.0, "{name}: {measured:?}");
            let error = feature.spec.bind(machine).err().unwrap().to_string();
            assert!(error.contains(&format!("`{}`", function.id())), "{error}");
        }
        let count = report.features.len();
        report.add(progress);
        assert!(report.features.len() > count && report.extent.tests > tests, "{name}");
    }
}
