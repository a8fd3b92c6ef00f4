//! Random games that show whether a game can be played: a role without a legal move, an end without one goal value for each
//! role, and games that do not end, each as a warning of [`check`](crate::gdl::check::playable) with its place in the rules.

use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::counted;
use crate::datalog::Interrupt;
use crate::gdl::Description;
use crate::gdl::check::playable;
use crate::gdl::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::gdl::rule::{RelationKind, Rule};
use crate::gdl::source::Span;
use crate::gdl::term::Term;
use crate::machine::{Cursor, Machine, MoveId, RelationalMachine};

use super::choice::Choices;

/// How much is played.
#[derive(Clone, Debug)]
pub struct TrialBudget {
    /// Games.
    pub games: u64,
    /// Moves after which a game is left: it does not end.
    pub max_steps: u32,
    /// Rows that joins may look at in all games, some ten million a second.
    pub rows: u64,
    /// Seed of all random choices.
    pub seed: u64,
    /// What breaks it off.
    pub interrupt: Interrupt,
}

impl Default for TrialBudget {
    /// A hundred games of at most a thousand moves.
    fn default() -> TrialBudget {
        let interrupt = Interrupt::default();
        TrialBudget { games: 100, max_steps: 1000, rows: 8_000_000, seed: 1, interrupt }
    }
}

/// What random games showed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trial {
    /// Games that came to an end, to a position in which a role has no move, or to the limit of moves.
    pub games: u64,
    /// What is wrong, as warnings.
    pub faults: Vec<Diagnostic>,
}

/// A kind of fault, with the role that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    NoMove(usize),
    NoGoal(usize),
    SeveralGoals(usize),
    NoEnd,
}

/// Games with a fault, and the first of them with its number of moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Sighting {
    games: u64,
    first: (u64, u32),
}

/// Plays a game at random until the budget is spent. The same rules and seed give the same, unless it is interrupted.
pub fn try_out(machine: &RelationalMachine, budget: &TrialBudget) -> Trial {
    let mut cursor = machine.limited_cursor(budget.rows, &budget.interrupt);
    let description = machine.description();
    let (mut games, mut seen) = (0, BTreeMap::<Fault, Sighting>::new());
    for game in 0..budget.games {
        let Some((steps, faults)) = play(machine, &mut *cursor, budget, game) else { break };
        games += 1;
        for fault in faults {
            let sighting = seen.entry(fault).or_default();
            if sighting.games == 0 {
                sighting.first = (game + 1, steps);
            }
            sighting.games += 1;
        }
    }
    // Roles that share a rule and have the fault equally often share a warning.
    let mut shared = BTreeMap::<(Span, Fault, Sighting), Vec<usize>>::new();
    for (fault, sighting) in seen {
        let kind = fault.of_role(0);
        shared.entry((rule_of(description, fault), kind, sighting)).or_default().extend(fault.role());
    }
    let mut diagnostics = Diagnostics::default();
    let mut taken = BTreeSet::new();
    for ((mut span, fault, sighting), roles) in shared {
        // Of several faults at one rule, the later ones are shown where their roles are named.
        if !taken.insert((fault.code(), span))
            && let Some(&role) = roles.first()
        {
            span = place(description, RelationKind::Role, Some(role));
        }
        let diagnostic = diagnostics.add(fault.code(), span, "");
        report(description, (fault, roles.as_slice()), &sighting, (games, budget.max_steps), diagnostic);
    }
    Trial { games, faults: diagnostics.into_sorted() }
}

/// Plays a game, and gives its number of moves and its faults; nothing where it had to be left.
fn play(
    machine: &RelationalMachine,
    cursor: &mut dyn Cursor,
    budget: &TrialBudget,
    game: u64,
) -> Option<(u32, Vec<Fault>)> {
    let roles = machine.description().roles.len();
    let random = machine.description().random_role();
    let mut choices = Choices::new(budget.seed, game);
    cursor.set(machine.initial()).ok()?;
    for step in 0..=budget.max_steps {
        if cursor.terminal() {
            let goals =
                (0..roles).filter(|&role| random != Some(role)).filter_map(|role| match cursor.goals(role) {
                    [] => Some(Fault::NoGoal(role)),
                    [_] => None,
                    _ => Some(Fault::SeveralGoals(role)),
                });
            return Some((step, goals.collect()));
        }
        let stuck: Vec<Fault> =
            (0..roles).filter(|&role| cursor.legal(role).is_empty()).map(Fault::NoMove).collect();
        if !stuck.is_empty() {
            return Some((step, stuck));
        }
        if step == budget.max_steps {
            break;
        }
        if budget.interrupt.is_set() || cursor.work() >= budget.rows {
            return None;
        }
        let joint: Vec<MoveId> = (0..roles)
            .map(|role| {
                let legal = cursor.legal(role);
                legal[choices.below(legal.len())]
            })
            .collect();
        cursor.advance(&joint).ok()?;
    }
    Some((budget.max_steps, vec![Fault::NoEnd]))
}

impl Fault {
    fn code(self) -> Code {
        match self {
            Fault::NoMove(_) => playable::NO_MOVE,
            Fault::NoGoal(_) | Fault::SeveralGoals(_) => playable::GOALS_AT_END,
            Fault::NoEnd => playable::NO_END,
        }
    }

    /// The same fault of another role.
    fn of_role(self, role: usize) -> Fault {
        match self {
            Fault::NoMove(_) => Fault::NoMove(role),
            Fault::NoGoal(_) => Fault::NoGoal(role),
            Fault::SeveralGoals(_) => Fault::SeveralGoals(role),
            Fault::NoEnd => Fault::NoEnd,
        }
    }

    fn role(self) -> Option<usize> {
        match self {
            Fault::NoMove(role) | Fault::NoGoal(role) | Fault::SeveralGoals(role) => Some(role),
            Fault::NoEnd => None,
        }
    }
}

/// Puts a fault of roles into words.
fn report(
    description: &Description,
    (fault, roles): (Fault, &[usize]),
    sighting: &Sighting,
    (games, max_steps): (u64, u32),
    diagnostic: &mut Diagnostic,
) {
    let names: Vec<String> =
        roles.iter().map(|&role| format!("`{}`", description.term(description.roles[role]))).collect();
    let roles = match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last} have", others.join(", ")),
        Some((only, _)) => format!("{only} has"),
        None => String::new(),
    };
    let in_games = match (sighting.games, games) {
        (1, 1) => "in the one random game".to_owned(),
        (some, all) if some == all => format!("in all {all} random games"),
        (some, all) => format!("in {some} of {all} random games"),
    };
    let (number, steps) = sighting.first;
    let first = format!("first in game {number}, after {}", counted(steps.into(), "move", "moves"));
    diagnostic.message = match fault {
        Fault::NoMove(_) => format!("{roles} no legal move before the end {in_games} ({first})"),
        Fault::NoGoal(_) => format!("{roles} no goal value at the end {in_games} ({first})"),
        Fault::SeveralGoals(_) => format!("{roles} several goal values at the end {in_games} ({first})"),
        Fault::NoEnd => format!("the game does not end within {max_steps} moves {in_games}"),
    };
    let (note, expected) = match fault {
        Fault::NoMove(_) => {
            ("its moves", "a legal move for every role, in every position that is not terminal")
        }
        Fault::NoGoal(_) | Fault::SeveralGoals(_) => ("its goal values", "exactly one goal value at the end"),
        Fault::NoEnd => ("the end", "a game that ends, whatever is played"),
    };
    diagnostic.note(note).expected(expected);
}

/// The rule where a fault is shown.
fn rule_of(description: &Description, fault: Fault) -> Span {
    let kind = match fault {
        Fault::NoMove(_) => RelationKind::Legal,
        Fault::NoGoal(_) | Fault::SeveralGoals(_) => RelationKind::Goal,
        Fault::NoEnd => RelationKind::Terminal,
    };
    place(description, kind, fault.role())
}

/// The first rule of a kind that can be about a role; the fact that names the role, where there is none.
fn place(description: &Description, kind: RelationKind, role: Option<usize>) -> Span {
    let kind_of = |rule: &Rule| description.relations[rule.head.relation.index()].kind;
    let own = role.map(|role| description.roles[role]);
    let is_about = |rule: &&Rule| {
        let first = rule.head.arguments.first();
        own.is_none() || !matches!(first, Some(Term::Ground(other)) if Some(*other) != own)
    };
    let rules = || description.rules.iter();
    let of_kind = rules().filter(|rule| kind_of(rule) == kind).find(is_about);
    let of_role = || rules().filter(|rule| kind_of(rule) == RelationKind::Role).find(is_about);
    of_kind.or_else(of_role).map_or(Span::default(), |rule| rule.span)
}
