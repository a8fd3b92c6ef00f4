//! Random games that check whether a game is playable. Each fault is reported as a [`check`](crate::gdl::check::playable)
//! fault at the rule concerned. The faults are a role without a legal move, an end without exactly one goal value per role,
//! or a game that does not end.

use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::counted;
use crate::datalog::Interrupt;
use crate::gdl::Description;
use crate::gdl::check::{playable, unplayable};
use crate::gdl::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::gdl::rule::{RelationKind, Rule};
use crate::gdl::source::Span;
use crate::gdl::term::Term;
use crate::machine::{Cursor, Machine, MoveId, RelationalMachine};

use super::choice::Choices;

/// The limits of a trial.
#[derive(Clone, Debug)]
pub struct TrialBudget {
    /// Number of games.
    pub games: u64,
    /// Moves after which a game is abandoned and counts as endless.
    pub max_steps: u32,
    /// Total number of rows that joins may read; a computer reads about ten million per second.
    pub rows: u64,
    /// Seed of all random choices.
    pub seed: u64,
    /// The caller's interrupt.
    pub interrupt: Interrupt,
}

impl Default for TrialBudget {
    /// 100 games of at most 1,000 moves.
    fn default() -> TrialBudget {
        let interrupt = Interrupt::default();
        TrialBudget { games: 100, max_steps: 1000, rows: 8_000_000, seed: 1, interrupt }
    }
}

/// The result of random games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrialResult {
    /// Games that ended, reached a state without a legal move, or reached the move limit.
    pub games: u64,
    /// The faults.
    pub faults: Vec<Diagnostic>,
}

/// A kind of fault and the role that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum TrialFault {
    NoFirstMove(usize),
    NoMove(usize),
    NoGoal(usize),
    SeveralGoals(usize),
    NoEnd,
}

/// Number of games with a fault, and the first such game with its number of moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct FaultCount {
    games: u64,
    first: (u64, u32),
}

/// Plays random games until the budget is spent. Without an interrupt, the result depends only on the rules and the budget.
pub fn run_trial(machine: &RelationalMachine, budget: &TrialBudget) -> TrialResult {
    let mut cursor = machine.limited_cursor(budget.rows, &budget.interrupt);
    let description = machine.description();
    let (mut games, mut seen) = (0, BTreeMap::<TrialFault, FaultCount>::new());
    for game in 0..budget.games {
        let Some((steps, faults)) = play(machine, &mut *cursor, budget, game) else { break };
        games += 1;
        for fault in faults {
            let count = seen.entry(fault).or_default();
            if count.games == 0 {
                count.first = (game + 1, steps);
            }
            count.games += 1;
        }
    }
    // One warning covers all roles whose fault has the same kind, rule and counts; role 0 represents any role in the key.
    let mut shared = BTreeMap::<(Span, TrialFault, FaultCount), Vec<usize>>::new();
    for (fault, count) in seen {
        let kind = fault.of_role(0);
        shared.entry((rule_of(description, fault), kind, count)).or_default().extend(fault.role());
    }
    let mut diagnostics = Diagnostics::default();
    let mut taken = BTreeSet::new();
    for ((mut span, fault, count), roles) in shared {
        // If several warnings would be at the same rule, further ones are placed at the role's declaration.
        if !taken.insert((fault.code(), span))
            && let Some(&role) = roles.first()
        {
            span = place(description, RelationKind::Role, Some(role));
        }
        let diagnostic = diagnostics.add(fault.code(), span, "");
        report(description, (fault, roles.as_slice()), &count, (games, budget.max_steps), diagnostic);
    }
    TrialResult { games, faults: diagnostics.into_sorted() }
}

/// Plays one game and returns its number of moves and its faults; none if the budget or the interrupt ended it.
fn play(
    machine: &RelationalMachine,
    cursor: &mut dyn Cursor,
    budget: &TrialBudget,
    game: u64,
) -> Option<(u32, Vec<TrialFault>)> {
    let roles = machine.description().roles.len();
    let random = machine.description().random_role();
    let mut choices = Choices::new(budget.seed, game);
    cursor.set(machine.initial()).ok()?;
    for step in 0..=budget.max_steps {
        if cursor.terminal() {
            let goals =
                (0..roles).filter(|&role| random != Some(role)).filter_map(|role| match cursor.goals(role) {
                    [] => Some(TrialFault::NoGoal(role)),
                    [_] => None,
                    _ => Some(TrialFault::SeveralGoals(role)),
                });
            return Some((step, goals.collect()));
        }
        let no_move = if step == 0 { TrialFault::NoFirstMove } else { TrialFault::NoMove };
        let stuck: Vec<TrialFault> =
            (0..roles).filter(|&role| cursor.legal(role).is_empty()).map(no_move).collect();
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
    Some((budget.max_steps, vec![TrialFault::NoEnd]))
}

impl TrialFault {
    fn code(self) -> Code {
        match self {
            TrialFault::NoFirstMove(_) => unplayable::NO_FIRST_MOVE,
            TrialFault::NoMove(_) => playable::NO_MOVE,
            TrialFault::NoGoal(_) | TrialFault::SeveralGoals(_) => playable::GOALS_AT_END,
            TrialFault::NoEnd => playable::NO_END,
        }
    }

    /// The same kind of fault for another role.
    fn of_role(self, role: usize) -> TrialFault {
        match self {
            TrialFault::NoFirstMove(_) => TrialFault::NoFirstMove(role),
            TrialFault::NoMove(_) => TrialFault::NoMove(role),
            TrialFault::NoGoal(_) => TrialFault::NoGoal(role),
            TrialFault::SeveralGoals(_) => TrialFault::SeveralGoals(role),
            TrialFault::NoEnd => TrialFault::NoEnd,
        }
    }

    fn role(self) -> Option<usize> {
        match self {
            TrialFault::NoFirstMove(role)
            | TrialFault::NoMove(role)
            | TrialFault::NoGoal(role)
            | TrialFault::SeveralGoals(role) => Some(role),
            TrialFault::NoEnd => None,
        }
    }
}

/// Writes the message of a fault.
fn report(
    description: &Description,
    (fault, roles): (TrialFault, &[usize]),
    count: &FaultCount,
    (games, max_steps): (u64, u32),
    diagnostic: &mut Diagnostic,
) {
    let names: Vec<String> =
        roles.iter().map(|&role| format!("`{}`", description.term(description.roles[role]))).collect();
    let of = names.join(" and ");
    let is_declaration = place(description, RelationKind::Role, roles.first().copied()) == diagnostic.span();
    let roles = match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last} have", others.join(", ")),
        Some((only, _)) => format!("{only} has"),
        None => String::new(),
    };
    let in_games = match (count.games, games) {
        (1, 1) => "in the one random game".to_owned(),
        (some, all) if some == all => format!("in all {all} random games"),
        (some, all) => format!("in {some} of {all} random games"),
    };
    let (number, steps) = count.first;
    let first = format!("first in game {number}, after {}", counted(steps.into(), "move", "moves"));
    diagnostic.message = match fault {
        TrialFault::NoFirstMove(_) => {
            format!("{roles} no legal move in the initial state, so the game can't begin")
        }
        TrialFault::NoMove(_) => {
            format!("{roles} no legal move in a nonterminal state, {in_games} ({first})")
        }
        TrialFault::NoGoal(_) => format!("{roles} no goal value at the end, {in_games} ({first})"),
        TrialFault::SeveralGoals(_) => {
            format!("{roles} several goal values at the end, {in_games} ({first})")
        }
        TrialFault::NoEnd => {
            format!("{} of {games} random games had not ended after {max_steps} moves", count.games)
        }
    };
    let (keyword, expected) = match fault {
        TrialFault::NoFirstMove(_) => ("legal", "a legal move for every role"),
        TrialFault::NoMove(_) => ("legal", "a legal move for every role, in every nonterminal state"),
        TrialFault::NoGoal(_) | TrialFault::SeveralGoals(_) => ("goal", "exactly one goal value at the end"),
        TrialFault::NoEnd => ("terminal", "a game that ends, whatever the roles play"),
    };
    let note = match (is_declaration, of.is_empty()) {
        (true, _) => "the role".to_owned(),
        (false, true) => format!("the first rule for `{keyword}`"),
        (false, false) => format!("the first rule for `{keyword}` of {of}"),
    };
    diagnostic.note(note).expected(expected);
    if matches!(fault, TrialFault::NoFirstMove(_) | TrialFault::NoMove(_))
        && let Some((name, span)) = unplayable::misspelt_legal(description)
    {
        diagnostic
            .label(span, format!("`{name}` may be a misspelling of `legal`"))
            .help(format!("write `legal` instead of `{name}`"));
    }
}

/// The place in the rules where a fault is reported.
fn rule_of(description: &Description, fault: TrialFault) -> Span {
    let kind = match fault {
        TrialFault::NoFirstMove(_) | TrialFault::NoMove(_) => RelationKind::Legal,
        TrialFault::NoGoal(_) | TrialFault::SeveralGoals(_) => RelationKind::Goal,
        TrialFault::NoEnd => RelationKind::Terminal,
    };
    place(description, kind, fault.role())
}

/// The first rule of this kind that can concern the role; if there is none, the fact that declares the role.
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
