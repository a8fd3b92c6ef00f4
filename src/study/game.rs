//! Judges one game of a study.

use serde::{Deserialize, Serialize};

use crate::analysis::{AnalysisContext, FunctionSelector, Game, GameAnalysis, Plan, analyze};
use crate::datalog::Interrupt;
use crate::evaluation::TuningError;
use crate::evaluation::fuzzy::{FuzzyFunction, UnrollLimits};
use crate::evaluation::{Function, GameIdentity};
use crate::gdl::diagnostic::Severity;
use crate::gdl::{Source, read};
use crate::ground::Limits;
use crate::judge::{Candidate, JudgeContext, Verdict, judge};
use crate::machine::{Backend, Machine, load};

use super::file::JudgeStudy;
use super::grid::label;

/// The identity of a judged game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudyGame {
    /// The file's name without its ending.
    pub name: String,
    /// The roles, in the order of the rules.
    pub roles: Vec<String>,
    /// The machine that played it.
    pub machine: String,
}

/// The judgement of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgedGame {
    /// The game.
    pub game: StudyGame,
    /// The judgement of its functions.
    pub verdict: Verdict,
}

/// Judges the functions of a game according to a study.
///
/// # Errors
/// Why the game can't be judged, in a sentence.
pub fn judge_game(
    study: &JudgeStudy,
    source: &Source,
    context: &JudgeContext<'_>,
) -> Result<JudgedGame, String> {
    let reading = read(source);
    let Some(description) = reading.description else {
        let errors: Vec<_> =
            reading.diagnostics.iter().filter(|fault| fault.severity == Severity::Error).collect();
        let first = errors.first().map_or_else(String::new, |fault| {
            let (line, column) = source.position(fault.span().start);
            format!("; the first, {} at {line}:{column}: {}", fault.code, fault.message)
        });
        let s = if errors.len() == 1 { "" } else { "s" };
        return Err(format!("{} error{s} in the rules{first}", errors.len()));
    };
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let selectors = study.functions.as_ref().map(|names| names.iter().map(|name| name.parse()).collect());
    let selectors: Option<Vec<FunctionSelector>> =
        selectors.transpose().map_err(|error: TuningError| text(&error))?;
    let limits = Limits { interrupt: Interrupt::of(context.interrupt), ..Limits::default() };
    let loaded = load(description, Backend::Auto, &limits).map_err(|error| text(&error))?;
    let machine = &*loaded.machine;
    let limits = &study.limits;
    let plan = Plan {
        kinds: FunctionSelector::kinds(selectors.iter().flatten()),
        seed: limits.seed,
        threads: limits.threads,
        max_steps: limits.max_steps,
        function_statistics: false,
        tunings: selectors.iter().flatten().filter_map(|selector| selector.tuning().cloned()).collect(),
        ..Plan::default()
    };
    let identity = GameIdentity::new(source.bytes(), machine.description());
    let game =
        Game { machine, statics: &loaded.statics, identity: &identity, left_out: loaded.left_out.as_deref() };
    let analysing = AnalysisContext { interrupt: context.interrupt, ..AnalysisContext::default() };
    let analysis = analyze(&game, &plan, &analysing).map_err(|error| text(&error))?;
    let roles: Vec<String> =
        machine.description().roles.iter().map(|&role| machine.term_text(role)).collect();
    let candidates = candidates(study, &selectors, machine, &analysis, &roles)?;
    let mut verdict =
        judge(machine, &analysis.structures, &candidates, limits, context).map_err(|error| text(&error))?;
    verdict.notes.extend(analysis.functions.notes);
    let (name, backend) = (source.name().to_owned(), machine.backend().to_owned());
    Ok(JudgedGame { game: StudyGame { name, roles, machine: backend }, verdict })
}

fn candidates(
    study: &JudgeStudy,
    selectors: &Option<Vec<FunctionSelector>>,
    machine: &dyn Machine,
    analysis: &GameAnalysis,
    roles: &[String],
) -> Result<Vec<Candidate>, String> {
    let wanted = |candidate: &Candidate| match selectors {
        None => true,
        Some(selectors) => selectors.iter().any(|selector| selector.means(candidate)),
    };
    let mut candidates: Vec<Candidate> =
        Candidate::all(&analysis.functions.list, &analysis.tuned, roles).into_iter().filter(wanted).collect();
    for setting in study.grids.iter().flat_map(|grid| grid.settings()) {
        for role in 0..roles.len() {
            let limits = UnrollLimits::default();
            let function = FuzzyFunction::new(machine, &analysis.structures, role, setting, &limits)
                .map_err(|error| error.to_string())?;
            let candidate = Candidate::new(Function::Fuzzy(function), roles);
            candidates.extend(candidate.map(|candidate| Candidate {
                id: format!("{} ({})", candidate.id, label(&setting)),
                ..candidate
            }));
        }
    }
    let ends = (0..roles.len()).filter(|&role| candidates.iter().any(|candidate| candidate.role == role));
    let ends: Vec<Candidate> = ends.map(Candidate::ends).collect();
    candidates.extend(ends);
    Ok(candidates)
}
