//! Tests of whole runs on the race game of [`super::toy`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use proptest::prelude::*;

use super::toy::{Flaw, Race};
use super::*;
use crate::machine::MoveId;

/// Records all calls of an observer, in order.
#[derive(Clone, Debug, Default, PartialEq)]
struct CallLog(Vec<Call>);

#[derive(Clone, Debug, PartialEq)]
enum Call {
    Position(u64, u32, Vec<u32>, Vec<usize>, bool, Vec<Vec<i32>>),
    Moved(u64, u32, Vec<u32>, u32),
    Ended(u64, u32, End),
}

impl Observer for CallLog {
    fn position(&mut self, p: &Position<'_>) {
        let fluents = p.fluents.iter().map(|fluent| fluent.0).collect();
        let legal = p.legal.iter().map(Vec::len).collect();
        self.0.push(Call::Position(p.playout, p.step, fluents, legal, p.terminal, p.goals.to_vec()));
    }

    fn moved(&mut self, before: &Position<'_>, joint: &[MoveId], after: &Position<'_>) {
        let joint = joint.iter().map(|action| action.0).collect();
        self.0.push(Call::Moved(before.playout, before.step, joint, after.step));
    }

    fn ended(&mut self, last: &Position<'_>, end: End) {
        self.0.push(Call::Ended(last.playout, last.step, end));
    }

    fn merge(&mut self, later: Self) {
        self.0.extend(later.0);
    }
}

impl Call {
    fn playout(&self) -> u64 {
        match self {
            Call::Position(playout, ..) | Call::Moved(playout, ..) | Call::Ended(playout, ..) => *playout,
        }
    }
}

fn run(race: &Race, budget: &Budget) -> (Statistics, CallLog) {
    let (statistics, diary) = observe(race, budget, &Context::default(), CallLog::default).unwrap();
    (statistics.without_timing(), diary)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn results_do_not_depend_on_threads(
        seed: u64,
        first in 0_u64..1000,
        playouts in 0_u64..400,
        work in proptest::option::of(0_u64..5000),
        max_steps in 1_u32..20,
    ) {
        let race = Race::new(9, Flaw::NoMove);
        let base = Budget { playouts, max_steps, seed, first, work, ..Budget::default() };
        let budget = |threads| Budget { threads, ..base.clone() };
        let one = run(&race, &budget(1));
        prop_assert_eq!(&one, &run(&race, &budget(2)));
        prop_assert_eq!(&one, &run(&race, &budget(3)));
        let without_observer = simulate(&race, &budget(2), &Context::default()).unwrap();
        prop_assert_eq!(&one.0, &without_observer.without_timing());
    }

    #[test]
    fn a_single_playout_equals_that_of_the_run(seed: u64, number in 0_u64..300) {
        let race = Race::new(12, Flaw::None);
        let budget = Budget { playouts: 300, seed, threads: 2, ..Budget::default() };
        let (_, all) = run(&race, &budget);
        let (_, alone) = run(&race, &Budget { playouts: 1, first: number, ..budget });
        let part: Vec<Call> = all.0.into_iter().filter(|entry| entry.playout() == number).collect();
        prop_assert_eq!(part, alone.0);
    }
}

#[test]
fn statistics_equal_the_stored_ones() {
    let race = Race::new(4, Flaw::None);
    let (statistics, _) = run(&race, &Budget { playouts: 500, ..Budget::default() });
    insta::assert_json_snapshot!(statistics);
}

/// On a track of two fields the first role wins at once with a double step (1/2), or after single steps of both roles (1/4).
/// This makes 3/4 if choices are uniform and independent.
#[test]
fn shares_agree_with_exact_chances() {
    let race = Race::new(2, Flaw::None);
    let (statistics, _) = run(&race, &Budget { playouts: 20_000, ..Budget::default() });
    let wins = statistics.roles[0].wins;
    assert!((wins.share - 0.75).abs() < 0.0107, "3.5 standard deviations: {wins:?}");
    assert_eq!(statistics.roles[0].wins.count + statistics.roles[1].wins.count, 20_000);
    assert_eq!(statistics.terminal.count, 20_000);
    assert_eq!(statistics.states, statistics.steps + statistics.playouts);
}

#[test]
fn faults_have_examples() {
    for (flaw, kind, role) in [
        (Flaw::NoGoal, FaultKind::NoGoal, Some("a")),
        (Flaw::SeveralGoals, FaultKind::SeveralGoals, Some("a")),
        (Flaw::NoMove, FaultKind::NoLegalMove, Some("a")),
        (Flaw::Fails, FaultKind::Failed, None),
        (Flaw::Falls, FaultKind::GoalFell, Some("a")),
    ] {
        let race = Race::new(6, flaw);
        let budget = Budget { playouts: 200, ..Budget::default() };
        let (statistics, _) = run(&race, &budget);
        let fault = statistics.faults.iter().find(|fault| fault.kind == kind).unwrap();
        assert_eq!((fault.role.as_deref(), fault.first.len()), (role, 3), "{flaw:?}");
        assert!(fault.playouts >= 3 && fault.playouts <= 200);
        for &first in &fault.first {
            let (alone, _) = run(&race, &Budget { playouts: 1, first, ..budget.clone() });
            assert!(alone.faults.iter().any(|f| f.kind == kind && f.first == [first]), "{flaw:?} {first}");
        }
    }
}

#[test]
fn an_endless_game_is_cut_off_and_reported() {
    let race = Race::new(5, Flaw::Endless);
    let (statistics, diary) = run(&race, &Budget { playouts: 20, max_steps: 30, ..Budget::default() });
    assert_eq!(statistics.warnings, [Warning::NeverEnded]);
    assert_eq!((statistics.cut_off.count, statistics.cut_off.share), (20, 1.0));
    assert_eq!(statistics.steps, 600);
    assert_eq!(diary.0.iter().filter(|e| matches!(e, Call::Ended(_, 30, End::Cap))).count(), 20);
}

#[test]
fn a_game_without_a_first_move_is_rejected() {
    let race = Race::new(6, Flaw::Stuck);
    let error = simulate(&race, &Budget::default(), &Context::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "role a has no legal move in the initial state, which is not terminal: check its `legal` rules"
    );
}

#[test]
fn limits_stop_a_run() {
    let race = Race::new(50, Flaw::None);
    let budget = Budget { playouts: u64::MAX, threads: 2, ..Budget::default() };
    let (statistics, _) = run(&race, &Budget { work: Some(20_000), ..budget.clone() });
    assert_eq!(statistics.stopped, StopReason::Work);
    assert!(statistics.work >= 20_000 && statistics.work < 30_000, "{}", statistics.work);

    let statistics =
        simulate(&race, &Budget { seconds: Some(0.05), ..budget.clone() }, &Context::default()).unwrap();
    assert_eq!(statistics.stopped, StopReason::Seconds);
    assert!(statistics.timing.seconds < 5.0 && statistics.playouts > 0);

    let (flag, calls) = (Arc::new(AtomicBool::new(false)), AtomicU64::new(0));
    let progress = |progress: Progress| {
        calls.fetch_add(1, Ordering::Relaxed);
        flag.store(progress.playouts >= 100, Ordering::Relaxed);
    };
    let context = Context { interrupt: Some(&flag), progress: Some(&progress) };
    let statistics = simulate(&race, &budget, &context).unwrap();
    assert_eq!(statistics.stopped, StopReason::Interrupted);
    assert!(statistics.playouts >= 100 && statistics.playouts < 1000 && calls.into_inner() > 2);
}

#[test]
fn a_trace_replays() {
    let folder = tempfile::tempdir().unwrap();
    let race = Race::new(7, Flaw::None);
    let budget = Budget { playouts: 40, threads: 2, ..Budget::default() };
    let mut texts = Vec::new();
    for name in ["race.jsonl", "race.jsonl.gz"] {
        let path = folder.path().join(name);
        let game = TraceGame { seed: 1, playouts: Some(40), cap: 1000, ..TraceGame::default() };
        let file = TraceFile::create(&path, game).unwrap();
        let (statistics, recorder) =
            observe(&race, &budget, &Context::default(), || file.recorder(&race)).unwrap();
        assert!(!path.exists());
        recorder.finish().unwrap();
        file.finish().unwrap();
        let mut comparison = Comparison::default();
        let mut replay = Replay::new(&race);
        let recordings: Vec<Recording> =
            Recordings::open(&path, "race.kif").unwrap().collect::<Result<_, _>>().unwrap();
        recordings.iter().for_each(|recording| replay.play(recording, None, &mut comparison));
        assert_eq!(
            (comparison.playouts, comparison.steps, comparison.differences),
            (40, statistics.steps, 0),
            "{comparison:?}"
        );
        texts.push(format!("{recordings:?}").replace(".gz", ""));
    }
    assert_eq!(texts[0], texts[1]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn cross_check_finds_differences() {
    let race = Race::new(7, Flaw::None);
    let budget = Budget { playouts: 60, threads: 2, ..Budget::default() };
    let found = cross_check(&race, &Race::new(7, Flaw::None), &budget).unwrap();
    assert_eq!((found.playouts, found.differences), (60, 0));
    for (flaw, aspect, role) in [
        (Flaw::Shorter, Aspect::Legal, Some("a")),
        (Flaw::NoGoal, Aspect::Goals, Some("a")),
        (Flaw::Reversed, Aspect::Order, Some("a")),
        (Flaw::Blurred, Aspect::State, None),
        (Flaw::Fails, Aspect::Failure, None),
    ] {
        let found = cross_check(&race, &Race::new(7, flaw), &budget).unwrap();
        let difference = found.first.iter().find(|difference| difference.aspect == aspect).expect("seen");
        assert_eq!(difference.role.as_deref(), role, "{flaw:?}");
        assert_eq!(found.playouts, 60);
        if flaw == Flaw::Blurred {
            let (missing, extra) = (&difference.missing[..], &difference.extra[..]);
            assert_eq!((missing, extra), (&["(at b 4)".to_owned()][..], &["(at b 5)".to_owned()][..]));
        }
    }
}
