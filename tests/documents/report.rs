//! The table of an analysis is readable, and its JSON and CSV are complete.

use std::collections::BTreeMap;
use std::sync::Arc;

use ggp::analysis::{Stage, StageReport, SymmetrySummary};
use ggp::evaluation::{FunctionStatistics, Kind};
use ggp::feature::{
    Correlation, Family, Feature, FeatureReport, GoalValueSource, MeasuredFeature, NoCorrelation,
    SampleExtent, Spec,
};
use ggp::gdl::identity::sha256;
use ggp::property::{ProofMethod, ProofSummary, PropertyName, Record, Source};
use ggp::report::analysis::{Analysis, Game, InformationSummary, SCHEMA, StageTiming};
use ggp::report::csv_text::to_csv;
use ggp::report::evaluations::EvaluationSummary;
use ggp::report::features::feature_rows;
use ggp::report::function_rows::function_rows;
use ggp::report::goals::{GoalPathSummary, GoalReach, GoalRemark, GoalsSummary};
use ggp::report::layout::Layout;
use ggp::report::one_ply::{EndsComparison, EndsSummary, GuidedPlaySummary, OnePlySummary};
use ggp::report::properties::{PropertySummary, property_rows};
use ggp::report::simulation_rows::measures;
use ggp::report::structure_rows::rows;
use ggp::report::table::render;
use ggp::simulate::{
    Branching, Fault, FaultKind, GoalCount, LengthBin, Lengths, OutcomeCount, RoleStatistics, Statistics,
    StepLimitReason, StopReason, Timing,
};
use ggp::statistics::interval::{Estimate, mean_of_counts, wilson};
use ggp::structure::argument::ArgumentPosition;
use ggp::structure::evidence::Evidence;
use ggp::structure::finding::{
    Adjacency, Axis, ChainShape, Control, Counter, Coverage, CustomFinding, Direction, FluentFinding,
    FluentKind, Latch, LocatedObject, Method, Order, OtherChain, PartialOrder, ProofStatus, Quantity,
    RuleCoverage, Structures, Successor, Turns,
};
use ggp::structure::presence::Presence;
use ggp::structure::vocabulary::Kif;

/// An argument by its number, from 1.
fn argument(number: usize) -> ArgumentPosition {
    ArgumentPosition::at(number - 1)
}

fn evidence(methods: &[Method], because: &str, playouts: u64) -> Evidence<Kif> {
    let counterexample_bound = if playouts == 0 { 0.0 } else { 1.0 - 0.05_f64.powf(1.0 / playouts as f64) };
    Evidence {
        methods: methods.to_vec(),
        reason: because.to_string(),
        code: None,
        states: playouts * 21,
        playouts,
        counterexample_bound,
        proof: None,
    }
}

fn fluent(
    name: &str,
    arity: usize,
    inputs: &[usize],
    outputs: &[usize],
    kind: FluentKind,
) -> FluentFinding<Kif> {
    FluentFinding {
        fluent: format!("{name}/{arity}"),
        arity,
        inputs: inputs.iter().copied().map(argument).collect(),
        outputs: outputs.iter().copied().map(argument).collect(),
        minimal_keys: Vec::new(),
        kind,
        axes: Vec::new(),
        covered: None,
        adjacency: None,
        constant: None,
        latch: None,
        counter: None,
        quantity: None,
        control: None,
        ordered_outputs: Vec::new(),
        markers: Vec::new(),
        pieces: Vec::new(),
        contents: Vec::new(),
        domains: vec![vec!["1".into(), "2".into()]; arity],
        role_arguments: Vec::new(),
        stamp: None,
        evidence: evidence(&[Method::Simulation], "no state refuted it", 1000),
    }
}

fn thing(number: usize, symbol: &str) -> LocatedObject<Kif> {
    let only_at_end = symbol == "robot";
    LocatedObject { arguments: vec![argument(number)], symbol: vec![symbol.into()], cells: 4, only_at_end }
}

#[expect(clippy::too_many_lines, reason = "one example of each finding")]
fn structures() -> Structures<Kif> {
    let axis =
        |number, order: Option<&str>| Axis { argument: argument(number), order: order.map(String::from) };
    let by_facts = |because| evidence(&[Method::Enumeration], because, 0);
    let by_play = |because| evidence(&[Method::Simulation], because, 1000);
    let numbers: Vec<String> = (0..=30).map(|n| n.to_string()).collect();
    let board = FluentFinding {
        axes: vec![axis(1, Some("succ/2")), axis(2, None)],
        covered: Some(true),
        markers: ["blank", "pawn"].map(|symbol| thing(3, symbol)).to_vec(),
        pieces: vec![thing(3, "king")],
        evidence: evidence(&[Method::Syntax, Method::Simulation], "one content a cell", 1000),
        ..fluent("cell", 3, &[1, 2], &[3], FluentKind::Board)
    };
    let place = FluentFinding {
        axes: vec![axis(2, Some("succ/2")), axis(3, None)],
        pieces: vec![thing(1, "robot")],
        ..fluent("at", 3, &[1], &[2, 3], FluentKind::Place)
    };
    let quantity = FluentFinding {
        quantity: Some(Quantity { value: argument(2), order: "succ/2".into(), presence: Presence::AtEnd }),
        ..fluent("score", 2, &[1], &[2], FluentKind::Quantity)
    };
    let counter = FluentFinding {
        counter: Some(Counter {
            argument: argument(1),
            by: "succ/2".into(),
            start: "0".into(),
            limit: Some("30".into()),
            direction: Direction::Up,
        }),
        ..fluent("step", 1, &[], &[1], FluentKind::Counter)
    };
    let control = FluentFinding {
        control: Some(Control { argument: argument(1) }),
        ..fluent("control", 1, &[], &[1], FluentKind::Control)
    };
    let web = FluentFinding {
        axes: vec![axis(1, None)],
        covered: Some(false),
        adjacency: Some(Adjacency {
            relation: "next_to/2".into(),
            from: vec![argument(1)],
            to: vec![argument(2)],
            cells: 7,
        }),
        contents: vec![thing(2, "fly")],
        ..fluent("on", 2, &[1], &[2], FluentKind::Graph)
    };
    let flag = FluentFinding { latch: Some(Latch::Stays), ..fluent("lit", 0, &[], &[], FluentKind::Flag) };
    Structures {
        successors: vec![Successor {
            relation: "succ/2".into(),
            length: numbers.len(),
            reversed: false,
            first: "0".into(),
            last: "30".into(),
            elements: numbers,
            evidence: by_facts("30 facts form one chain"),
        }],
        orders: vec![Order {
            relation: "less/2".into(),
            over: "succ/2".into(),
            strict: true,
            ascending: true,
            uncompared: None,
            evidence: by_facts("the closure of succ/2"),
        }],
        chains: vec![OtherChain {
            pattern: "(plus 1 ?x ?y)".into(),
            relation: "plus/3".into(),
            shape: ChainShape::Slice,
            elements: ["a", "b", "c"].map(String::from).to_vec(),
            evidence: by_facts("2 facts form one chain"),
        }],
        cycles: vec![OtherChain {
            pattern: "clockwise/2".into(),
            relation: "clockwise/2".into(),
            shape: ChainShape::Cycle,
            elements: ["north", "east", "south", "west"].map(String::from).to_vec(),
            evidence: by_facts("4 facts form one cycle"),
        }],
        partial_orders: vec![PartialOrder {
            relation: "covers/2".into(),
            strict: true,
            weak: false,
            elements: 5,
            height: 3,
            evidence: by_facts("antisymmetric and transitive"),
        }],
        fluents: vec![
            board,
            place,
            quantity,
            counter,
            control,
            web,
            flag,
            fluent("seen", 1, &[], &[], FluentKind::Other),
        ],
        teams: vec![vec!["north".into(), "south".into()], vec!["east".into()]],
        teams_evidence: by_play("equal goals in 1,000 terminal states"),
        turns: Turns::Alternating,
        turns_evidence: by_play("at most one role had a choice"),
        custom: vec![CustomFinding {
            detector: "same-number".into(),
            text: "pieces that stay".into(),
            terms: vec!["bishop".into(), "rook".into()],
            evidence: by_play("their number never changed"),
        }],
        zero_sum: false,
        zero_sum_evidence: by_play("goals added up to 100 and to 200"),
        noops: BTreeMap::from([("east".into(), vec!["noop".into()])]),
        noops_evidence: by_play("the only legal move out of turn"),
        coverage: Some(Coverage { fluents_seen: 90, fluents: 100, moves_seen: 40, moves: 40 }),
        rule_coverage: Some(RuleCoverage {
            applied: 29,
            rules: 30,
            playouts: 1000,
            states: 21_000,
            never: vec!["(<= (next (cell ?x ?y queen)) (does ?who (promote ?x ?y)))".into()],
        }),
    }
}

fn statistics() -> Statistics {
    let role = |name: &str, wins| RoleStatistics {
        role: name.into(),
        branching: Branching {
            mean: 2.5,
            turn_mean: Some(4.0),
            max: 8,
            choice_share: 0.5,
            choice_mean: Some(4.0),
        },
        goals: vec![
            GoalCount { value: 0, share: wilson(1000 - wins, 1000) },
            GoalCount { value: 100, share: wilson(wins, 1000) },
        ],
        goal_mean: mean_of_counts(&BTreeMap::from([(0, 1000 - wins), (100, wins)])),
        wins: wilson(wins, 1000),
    };
    Statistics {
        seed: 1,
        first: 0,
        max_steps: 1000,
        max_steps_because: StepLimitReason::Default,
        stopped: StopReason::Playouts,
        playouts: 1000,
        unfinished: 0,
        states: 21_000,
        steps: 20_000,
        work: 12_345,
        length: Some(Lengths { mean: 20.0, min: 5, p5: 8, p25: 15, median: 20, p75: 25, p95: 29, max: 30 }),
        lengths: vec![LengthBin { from: 5, to: 1000, playouts: 100 }],
        terminal: wilson(1000, 1000),
        cut_off: wilson(0, 1000),
        draws: wilson(100, 1000),
        roles: vec![role("north", 400), role("south", 400), role("east", 500)],
        outcomes: vec![OutcomeCount {
            goals: vec![Some(0), Some(0), Some(100)],
            playouts: 500,
            first: 0,
            block: None,
        }],
        other_outcomes: 500,
        faults: vec![Fault {
            kind: FaultKind::GoalFell,
            role: Some("east".into()),
            playouts: 2,
            first: vec![3, 14],
            block: None,
        }],
        warnings: Vec::new(),
        timing: Timing { threads: 2, seconds: 0.5, states_per_second: 42_000.0, playouts_per_second: 2000.0 },
    }
}

fn features() -> FeatureReport {
    let correlation = |role: &str, value: Option<f64>| Correlation {
        role: role.into(),
        playouts: 900,
        correlation: value,
        low: value.map(|value| value - 0.05),
        high: value.map(|value| value + 0.05),
        p: value.map(|_| 0.0001),
        p_holm: value.map(|_| 0.0005),
        support: value.map_or(0, |_| 300),
        reason: value.is_none().then_some(NoCorrelation::Constant),
    };
    let measured = |id: &str, spec: Spec, value: Option<f64>| MeasuredFeature {
        feature: Feature {
            id: id.into(),
            family: Family::Kuhlmann,
            role: None,
            formula: spec.to_string(),
            range: [0.0, 4.0],
            beyond_source: false,
            spec,
        },
        mean: 1.25,
        variance: 0.5,
        within: 0.05,
        stability: value.map(|_| 0.5),
        observed: [0.0, 3.0],
        correlations: vec![
            correlation("north", value),
            correlation("south", value.map(|value| -value)),
            correlation("east", None),
        ],
        guided: vec![correlation("north", value.map(|value| -value / 2.0))],
        aliases: value.map(|_| format!("material.{id}")).into_iter().collect(),
        alias_of: None,
        signature: None,
    };
    let count = Spec::Count { pattern: "(cell ?x ?y pawn)".into() };
    let order = vec!["1".into(), "2".into()];
    let index = Spec::Index { pattern: "(cell ?x ?y king)".into(), argument: 1, order, absent: 0.5 };
    FeatureReport {
        owners: Vec::new(),
        features: vec![
            measured("count.cell._._.pawn", count, Some(0.25)),
            measured("index.1.cell._._.king", index, None),
        ],
        extent: SampleExtent {
            sequences: 1000,
            along_way: 0,
            states: 4800,
            seed: 7,
            stopped: StopReason::Playouts,
            correction: "holm",
            tests: 2,
            notes: vec!["expressions: differences at 2 places are left out, they are more than 100".into()],
            values: GoalValueSource::Exact,
        },
        sequences: Arc::default(),
    }
}

fn evaluations() -> Vec<EvaluationSummary> {
    let goal = |value: f64| Correlation {
        role: "north".into(),
        playouts: 900,
        correlation: Some(value),
        low: Some(value - 0.05),
        high: Some(value + 0.05),
        p: Some(0.0001),
        p_holm: Some(0.0005),
        support: 300,
        reason: None,
    };
    let summary = |id: &str, kind: Kind, worth: f64| EvaluationSummary {
        id: id.into(),
        kind,
        role: "north".into(),
        formula: "1 + 98 * count (cell ?x ?y pawn) / 4".into(),
        range: [1.0, 99.0],
        constant: false,
        quality: Some(FunctionStatistics {
            seed: 7,
            sequences: 1000,
            states: 4800,
            mean: 41.666_666,
            variance: 30.5,
            within: 1.5,
            stability: Some(0.67),
            observed: Some([1.0, 99.0]),
            goal: goal(worth),
        }),
        one_ply: (kind == Kind::Fuzzy).then_some(OnePlySummary {
            playouts: 100,
            goal: 48.25,
            low: Some(46.0),
            high: Some(50.5),
            over_ends: Some(Estimate { value: -3.5, low: Some(-6.0), high: Some(-1.0) }),
            beside_ends: Some(EndsComparison::Worse),
            over_random: Some(Estimate { value: 2.25, low: Some(-0.75), high: Some(5.25) }),
            worse_than_random: false,
        }),
        guided: (kind == Kind::Fuzzy).then(|| goal(-0.3)),
    };
    vec![
        summary("kuhlmann.max.count.cell._._.pawn.north", Kind::Kuhlmann, 0.25),
        summary("kuhlmann.min.count.cell._._.pawn.north", Kind::Kuhlmann, -0.25),
        summary("fuzzy.north", Kind::Fuzzy, 0.5),
    ]
}

fn stages() -> Vec<StageReport> {
    let stage = |name, seconds, note: Option<&str>| StageReport {
        name,
        work: 1000,
        complete: note.is_none(),
        note: note.map(str::to_owned),
        seconds,
    };
    vec![
        stage(Stage::Detect, 1.5, None),
        stage(Stage::Prove, 0.5, None),
        stage(Stage::Sample, 0.125, None),
        stage(Stage::Features, 0.125, None),
        stage(Stage::Functions, 0.25, None),
        stage(Stage::FunctionStatistics, 0.25, Some("1 of 3 functions was measured on fewer sequences")),
    ]
}

fn properties() -> Vec<PropertySummary> {
    let open = PropertySummary {
        name: PropertyName::Termination,
        role: None,
        status: ProofStatus::Open,
        method: None,
        because: "none of 1,000 random games refuted it".into(),
        reason: Record::new("not-refuted").count("games", 1000, "simulation.playouts"),
        k: None,
        lemmas: None,
        longest: None,
        longest_attained: None,
        witness: None,
        states: 1000,
    };
    let playable = |role: &str, status, k| PropertySummary {
        name: PropertyName::Playability,
        role: Some(role.into()),
        status,
        method: Some(ProofMethod::Induction),
        because: "by induction over a step, with 10 lemmas".into(),
        reason: Record::new("induction").count("lemmas", 10, "proofs.lemmas").number("k", 1),
        k,
        lemmas: Some(10),
        states: 0,
        ..open.clone()
    };
    let fall = PropertySummary {
        name: PropertyName::Monotonicity,
        role: Some("south".into()),
        status: ProofStatus::Refuted,
        method: Some(ProofMethod::Play),
        because: "its goal value falls in the last step of a play of 2 steps".into(),
        reason: Record::new("goal-falls").number("steps", 2),
        witness: Some(vec![vec!["(go a)".into(), "noop".into()], vec!["noop".into(), "(go b)".into()]]),
        states: 0,
        ..open.clone()
    };
    vec![
        open.clone(),
        playable("north", ProofStatus::Proved, Some(1)),
        playable("south", ProofStatus::Proved, Some(1)),
        fall,
    ]
}

fn analysis() -> Analysis {
    let game = Game {
        name: "made_by_hand".into(),
        path: "games/made_by_hand.kif".into(),
        sha256: sha256(b"rules"),
        rules: sha256(b"the rules"),
        roles: ["north", "south", "east"].map(String::from).to_vec(),
        machine: "network".into(),
        negation: ggp::gdl::Negation::default(),
        information: InformationSummary::default(),
    };
    let path = GoalPathSummary { goal: None, moves: Vec::new(), proved: false, nodes: 1234 };
    let (features, stages) = (features(), stages());
    Analysis {
        schema: SCHEMA,
        information: game.information.clone(),
        verdict: None,
        game,
        simulation: statistics(),
        properties: properties(),
        proofs: Some(ProofSummary {
            candidates: 12,
            lemmas: 10,
            work: 5000,
            is_over: false,
            games: 200,
            states: 4000,
            listed_states: None,
            without: None,
        }),
        goals: vec![GoalsSummary {
            role: "north".into(),
            possible: vec![0, 50, 100],
            reached: vec![0],
            unattainable: Vec::new(),
            reached_by: vec![GoalReach { value: 0, by: Source::RandomPlay, games: 1000 }],
            search: Some(path),
            remarks: vec![GoalRemark {
                sentence: "a search of 1,234 states found no goal better than random play".into(),
                reason: Record::new("search-found-no-better").number("nodes", 1234),
            }],
        }],
        structures: structures(),
        parts: None,
        symmetry: Some(SymmetrySummary {
            images: Some(8),
            symmetries: Some(16),
            complete: false,
            sentences: vec!["The board cell can be mirrored and rotated by quarter turns.".into()],
        }),
        features: features.features,
        feature_sample: features.extent,
        evaluations: evaluations(),
        ends: vec![EndsSummary {
            role: "north".into(),
            playouts: 100,
            goal: 61.5,
            low: Some(52.0),
            high: Some(71.0),
        }],
        guided_play: Some(GuidedPlaySummary { function: "fuzzy.south".into(), sequences: 900, states: 4100 }),
        evaluation_notes: vec!["no fuzzy goal function for east: it has no goals".into()],
        timing: StageTiming::new(&stages),
        stages,
    }
}

#[test]
fn table() {
    insta::assert_snapshot!(render(&analysis(), Layout::plain()));
}

#[test]
fn table_fits_80_columns() {
    let text = render(&analysis(), Layout { width: 80, colour: false });
    let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(wide.len() <= 1, "only the line that names the file may be longer: {wide:#?}");
    insta::assert_snapshot!(text);
}

#[test]
fn colour_changes_nothing_but_colour() {
    let text = render(&analysis(), Layout { colour: true, ..Layout::plain() });
    assert!(text.contains('\u{1b}'));
    let ends_trimmed = console::strip_ansi_codes(&text)
        .lines()
        .map(|line| line.trim_end().to_string() + "\n")
        .collect::<String>();
    assert_eq!(ends_trimmed, render(&analysis(), Layout::plain()));
}

#[test]
fn json() {
    insta::assert_snapshot!(analysis().to_json().unwrap());
}

#[test]
fn structures_csv() {
    insta::assert_snapshot!(to_csv(&rows(&analysis())).unwrap());
}

#[test]
fn simulation_csv() {
    insta::assert_snapshot!(to_csv(&measures("made_by_hand", &statistics())).unwrap());
}

#[test]
fn functions_csv() {
    insta::assert_snapshot!(to_csv(&function_rows(&analysis())).unwrap());
}

#[test]
fn properties_csv() {
    insta::assert_snapshot!(to_csv(&property_rows(&analysis().game.name, &analysis().properties)).unwrap());
}

#[test]
fn features_csv() {
    insta::assert_snapshot!(to_csv(&feature_rows(&analysis())).unwrap());
}
