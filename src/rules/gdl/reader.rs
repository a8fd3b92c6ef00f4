//! Reads a text: parses, normalises and checks it, and collects all faults.

use super::check::{self, notation, safety, subject::Subject, words};
use super::declaration::examined;
use super::dependency::Dependencies;
use super::diagnostic::{Diagnostic, Diagnostics, Severity};
use super::initial::without_state;
use super::normalise::normalise;
use super::source::{Source, Span};
use super::statement::Text;
use super::statement_parser::statements;
use super::successor_percepts::without_next;
use super::{Description, identity, tree};

/// The result of reading a text.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The rules, if there are no errors.
    pub description: Option<Description>,
    /// All faults: errors first; faults of one severity in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

impl Reading {
    /// The number of faults of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count()
    }
}

/// Reads and checks a description.
///
/// # Example
///
/// All faults of a text are reported together, each with its place:
///
/// ```
/// # use ggp_rules as ggp;
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
/// use ggp::gdl::{Source, read};
///
/// let source = Source::from_text("walk", "(role walker) (init (at 1)) (<= (next (at ?x)) (true (at ?y)))");
/// let reading = read(&source);
/// assert!(reading.description.is_none());
/// let fault = reading.diagnostics.iter().find(|fault| fault.code.to_string() == "GDL026").expect("?x is unbound");
/// assert_eq!(source.position(fault.span().start), (1, 43));
///
/// let reading = read(&Source::load("games/nim.kif")?);
/// let nim = reading.description.expect("the rules have no errors");
/// let roles: Vec<String> = nim.roles.iter().map(|&role| nim.term(role)).collect();
/// assert_eq!(roles, ["left", "right"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(source: &Source) -> Reading {
    let mut diagnostics = Diagnostics::default();
    notation::encoding(source, &mut diagnostics);
    if notation::is_other(source, &mut diagnostics) {
        return Reading { description: None, diagnostics: diagnostics.into_sorted() };
    }
    let tree = tree::parse(source, &mut diagnostics);
    if words::report_empty(&tree, source, &mut diagnostics) {
        return Reading { description: None, diagnostics: diagnostics.into_sorted() };
    }
    let tree_complete = tree.complete;
    let fingerprint = identity::fingerprint(&tree);
    let spellings = tree.spellings.clone();
    let mut text = statements(tree, &mut diagnostics);
    let complete = tree_complete && !diagnostics.has_errors();
    let examine = |text: &Text, diagnostics: &mut Diagnostics| {
        let description = normalise(source.name(), text, source.negation(), diagnostics);
        // If parsing stopped early, the checks would report faults that come from the missing part.
        if tree_complete {
            let dependencies = Dependencies::of(&description);
            let subject = Subject { text, description: &description, dependencies, complete };
            check::run(&subject, diagnostics);
            let statements: Vec<Span> = text.statements.iter().map(|statement| statement.span).collect();
            diagnostics.remove_consequences(&statements);
        }
        description
    };
    let (mut description, diagnostics) = examined(&mut text, diagnostics, examine);
    description.negation = source.negation();
    let in_place = !description.negation.is_language() && diagnostics.has(safety::NEGATION_BEFORE_BINDER);
    description.fingerprint = if in_place { identity::read_in_place(&fingerprint) } else { fingerprint };
    description.spellings = spellings;
    let description = (!diagnostics.has_errors()).then(|| without_next(without_state(description)));
    Reading { description, diagnostics: diagnostics.into_sorted() }
}
