//! Selects functions by text: a document's file, a function's name or its beginning, or a kind.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::catalog::nearest;
use crate::evaluation::document::LoadError;
use crate::evaluation::{
    Document, DocumentError, Function, FunctionStatistics, GameIdentity, Kind, Tuning, TuningError,
};
use crate::judge::Candidate;

use super::game_analysis::GameAnalysis;
use super::plan::{Kinds, Plan};

/// The most names in an error message.
const MAX_NAMES: usize = 5;

/// A name that is at least this similar to a known one (0 to 1) is a misspelling of it.
const MISSPELT: f64 = 0.7;

/// A selection of functions, as a user writes it.
#[derive(Clone, Debug, PartialEq)]
pub enum FunctionSelector {
    /// The function of a document.
    Document(PathBuf),
    /// The functions of a kind.
    Kind(Kind),
    /// The function with this name, such as `fuzzy.red`, or those whose names begin with it.
    Name(String),
    /// A kind or a name with its own options.
    Tuned(Box<FunctionSelector>, Tuning),
}

/// Why no function was selected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelectError {
    /// A document that can't be used.
    #[error(transparent)]
    Document(#[from] Box<LoadError>),
    /// A document for another game.
    #[error("{path}: {error}")]
    OtherGame {
        /// The file.
        path: String,
        /// The error, which names both games.
        error: DocumentError,
    },
    /// A document or a name for another role.
    #[error("{what} is a function for {found}, not for {role}")]
    OtherRole {
        /// The file, or the name.
        what: String,
        /// Its role.
        found: String,
        /// The role that is asked for.
        role: String,
    },
    /// A folder without a document for a role of the game.
    #[error(
        "{folder}: no document there is for {role} of this game; `ggp learn GAME --out {folder}` writes one for each role"
    )]
    NoneThere {
        /// The folder.
        folder: String,
        /// The role that is asked for.
        role: String,
    },
    /// No function of this name.
    #[error("the game has no evaluation function `{name}`{of_role}; similar names: {nearest}{notes}")]
    Unknown {
        /// The given name.
        name: String,
        /// The role, as the end of a sentence.
        of_role: String,
        /// Similar names, and kinds.
        nearest: String,
        /// Why some functions could not be made, one per line.
        notes: String,
    },
    /// Several functions match, but one is needed.
    #[error("`{name}` may be {found}{mend}")]
    Ambiguous {
        /// The given name.
        name: String,
        /// Some of their names.
        found: String,
        /// How to choose one, if a role distinguishes them.
        mend: String,
    },
}

impl FromStr for FunctionSelector {
    type Err = TuningError;

    /// A text is a document if such a file exists or the text looks like a file name; a folder contains a document for
    /// each role. Otherwise it is a kind or a name, both with optional options in parentheses:
    /// `fuzzy(norm=product,p=0.9)`.
    fn from_str(text: &str) -> Result<FunctionSelector, TuningError> {
        let path = Path::new(text);
        if is_document(text) || path.is_file() {
            return Ok(FunctionSelector::Document(path.to_owned()));
        }
        let named = |name: &str| {
            let name = name.to_lowercase();
            match Kind::ALL.iter().find(|kind| kind.name() == name) {
                Some(&kind) => FunctionSelector::Kind(kind),
                None => FunctionSelector::Name(name),
            }
        };
        let options = text.strip_suffix(')').and_then(|text| text.split_once('('));
        // Names of features may contain parentheses, but no options.
        let Some((name, options)) = options.filter(|(name, list)| list.contains('=') || !name.contains('.'))
        else {
            return Ok(named(text));
        };
        let of = named(name);
        match of.kind() {
            Some(kind) => Ok(FunctionSelector::Tuned(Box::new(of), Tuning::read(kind, options)?)),
            None => {
                let nearest = nearest(name, Kind::ALL.iter().map(|kind| kind.name()));
                Err(TuningError::Kind { name: name.to_owned(), nearest })
            }
        }
    }
}

impl fmt::Display for FunctionSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FunctionSelector::Tuned(of, tuning) => write!(f, "{of}({tuning})"),
            other => f.write_str(&other.text()),
        }
    }
}

/// Whether a text looks like the name of a document's file.
fn is_document(text: &str) -> bool {
    text.ends_with(".json") || text.contains(['/', '\\'])
}

/// The most documents that are read in a folder. Learned functions have one document for each role.
const MAX_DOCUMENTS: usize = 100;

/// The only document of a folder for a role of a game. Other files are ignored.
fn in_folder(folder: &Path, game: &GameIdentity, role: &str) -> Result<Document, SelectError> {
    let unusable = |why: String| {
        let error = DocumentError::Unreadable(why);
        SelectError::Document(Box::new(LoadError { path: folder.to_owned(), error }))
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| unusable(error.to_string()))? {
        let file = entry.map_err(|error| unusable(error.to_string()))?.path();
        if file.extension().is_some_and(|extension| extension == "json") {
            files.push(file);
        }
        if files.len() > MAX_DOCUMENTS {
            return Err(unusable(format!("it has over {MAX_DOCUMENTS} documents; name one of them")));
        }
    }
    files.sort();
    let mut documents: Vec<(PathBuf, Document)> = Vec::new();
    for file in files {
        match Document::load(&file) {
            Ok(document) if document.role == role.to_lowercase() && document.is_for(game).is_ok() => {
                documents.push((file, document));
            }
            Ok(_) | Err(LoadError { error: DocumentError::NoDocument, .. }) => {}
            Err(error) => return Err(Box::new(error).into()),
        }
    }
    let shown = folder.display().to_string();
    match (documents.pop(), documents.last()) {
        (Some((_, document)), None) => Ok(document),
        (Some((file, _)), Some((other, _))) => Err(SelectError::Ambiguous {
            name: shown,
            found: format!("{} or {}", other.display(), file.display()),
            mend: "; name one of them".to_owned(),
        }),
        (None, _) => Err(SelectError::NoneThere { folder: shown, role: role.to_owned() }),
    }
}

impl FunctionSelector {
    /// The kind, if the text is one or the name begins with one.
    pub fn kind(&self) -> Option<Kind> {
        match self {
            FunctionSelector::Document(_) => None,
            FunctionSelector::Kind(kind) => Some(*kind),
            FunctionSelector::Name(name) => {
                let word = name.split('.').next().unwrap_or_default();
                Kind::ALL.iter().find(|kind| kind.name() == word).copied()
            }
            FunctionSelector::Tuned(_, tuning) => Some(tuning.kind()),
        }
    }

    /// The options, if there are any.
    pub fn tuning(&self) -> Option<&Tuning> {
        if let FunctionSelector::Tuned(_, tuning) = self { Some(tuning) } else { None }
    }

    /// The kinds that must be made for some selectors, in addition to the default ones; functions with their own options
    /// are made separately.
    pub fn kinds<'s>(selectors: impl IntoIterator<Item = &'s FunctionSelector>) -> Kinds {
        let plain = selectors.into_iter().filter(|selector| selector.tuning().is_none());
        Kinds::usual_and(plain.filter_map(FunctionSelector::kind))
    }

    /// Restricts a plan to the functions of this selection: one kind, with its options if there are any; no function for
    /// a document; all kinds if the name begins with none.
    #[must_use]
    pub fn plan(&self, plan: Plan) -> Plan {
        let (kinds, tunings) = match (self, self.kind()) {
            (FunctionSelector::Document(_), _) => (Kinds::NONE, Vec::new()),
            (FunctionSelector::Tuned(_, tuning), _) => (Kinds::NONE, vec![tuning.clone()]),
            (_, Some(kind)) => (Kinds::Only(vec![kind]), Vec::new()),
            (_, None) => (Kinds::Usual, Vec::new()),
        };
        Plan { kinds, tunings, ..plan }
    }

    /// The functions to select from, with their statistics.
    fn among<'a>(&self, analysis: &'a GameAnalysis) -> (&'a [Function], &'a [FunctionStatistics]) {
        match self {
            FunctionSelector::Tuned(_, tuning) => {
                let made = analysis.tuned.iter().find(|made| made.tuning == *tuning);
                made.map_or((&[], &[]), |made| (&made.functions.list, &made.statistics))
            }
            _ => (&analysis.functions.list, &analysis.statistics),
        }
    }

    /// The selected document, if this is one, for a game and, if given, a role.
    ///
    /// # Errors
    /// It can't be read, or is for another game or role.
    pub fn document(&self, game: &GameIdentity, role: Option<&str>) -> Result<Option<Document>, SelectError> {
        let FunctionSelector::Document(path) = self else { return Ok(None) };
        if let Some(role) = role
            && path.is_dir()
        {
            return in_folder(path, game, role).map(Some);
        }
        let document = Document::load(path).map_err(Box::new)?;
        let shown = || path.display().to_string();
        document.is_for(game).map_err(|error| SelectError::OtherGame { path: shown(), error })?;
        match role.filter(|role| role.to_lowercase() != document.role) {
            Some(role) => {
                let (found, role) = (document.role, role.to_owned());
                Err(SelectError::OtherRole { what: shown(), found, role })
            }
            None => Ok(Some(document)),
        }
    }

    /// Whether this selects a candidate's function, with its options.
    pub fn means(&self, candidate: &Candidate) -> bool {
        let same = candidate.tuning.as_ref() == self.tuning();
        same && candidate.function.as_ref().is_some_and(|function| self.is(function))
    }

    /// Whether this selects a function, among those with its options; false for a document.
    pub fn is(&self, function: &Function) -> bool {
        match self {
            FunctionSelector::Tuned(of, _) => of.is(function),
            FunctionSelector::Document(_) => false,
            FunctionSelector::Kind(kind) => function.kind() == *kind,
            FunctionSelector::Name(name) => function.id() == *name,
        }
    }

    /// The only selected function of an analysis: the one with the name, or the only one whose name begins with it. If
    /// there are several, the one for the role, if it is given.
    ///
    /// # Errors
    /// No function is selected, or several are.
    pub fn only<'a>(
        &self,
        analysis: &'a GameAnalysis,
        role: Option<&str>,
    ) -> Result<&'a Function, SelectError> {
        let (list, name) = (self.among(analysis).0, self.text());
        if let Some(exact) = list.iter().find(|function| function.id() == name) {
            return match role.filter(|role| *role != exact.role()) {
                Some(role) => {
                    let (what, found) = (format!("`{name}`"), exact.role().to_owned());
                    Err(SelectError::OtherRole { what, found, role: role.to_owned() })
                }
                None => Ok(exact),
            };
        }
        let starts = |function: &&Function| {
            function.id().strip_prefix(&name).is_some_and(|rest| name.ends_with('.') || rest.starts_with('.'))
        };
        let of_role = |function: &&Function| role.is_none_or(|role| function.role() == role);
        let functions: Vec<&Function> = list.iter().filter(starts).filter(of_role).collect();
        match functions[..] {
            [one] => Ok(one),
            [] => Err(self.unknown(analysis, role)),
            _ => {
                let roles: Vec<&str> = functions.iter().map(|function| function.role()).collect();
                let by_role =
                    roles.iter().all(|role| roles.iter().filter(|other| *other == role).count() == 1);
                let more = functions.len().saturating_sub(MAX_NAMES);
                let names: Vec<String> =
                    functions.iter().take(MAX_NAMES).map(|function| function.id()).collect();
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                let mend = match by_role {
                    true => format!("; say --role {}", roles.join(" or --role ")),
                    false => String::new(),
                };
                Err(SelectError::Ambiguous { name, found: names.join(", ") + &more, mend })
            }
        }
    }

    /// The best selected function of an analysis for a role: the one with the name, or of a kind the one whose values
    /// correlate best with the role's goal value in random play. Ties go to the first.
    ///
    /// # Errors
    /// No function is selected.
    pub fn best<'a>(&self, analysis: &'a GameAnalysis, role: &str) -> Result<&'a Function, SelectError> {
        let (list, statistics) = self.among(analysis);
        let worth = |index: usize| statistics.get(index).map_or(0.0, FunctionStatistics::goal_correlation);
        let meant = list.iter().enumerate();
        let meant = meant.filter(|(_, function)| function.role() == role && self.is(function));
        let best = meant.reduce(|best, other| if worth(other.0) > worth(best.0) { other } else { best });
        best.map(|(_, function)| function).ok_or_else(|| self.unknown(analysis, Some(role)))
    }

    /// The file, kind or name, without options.
    fn text(&self) -> String {
        match self {
            FunctionSelector::Tuned(of, _) => of.text(),
            FunctionSelector::Document(path) => path.display().to_string(),
            FunctionSelector::Kind(kind) => kind.name().to_owned(),
            FunctionSelector::Name(name) => name.clone(),
        }
    }

    /// The error for a name that no function has.
    fn unknown(&self, analysis: &GameAnalysis, role: Option<&str>) -> SelectError {
        let name = self.text();
        let of_role = |function: &&Function| role.is_none_or(|role| function.role() == role);
        let list: Vec<&Function> = self.among(analysis).0.iter().filter(of_role).collect();
        let mut known: Vec<String> = list.iter().map(|function| function.id()).collect();
        let made = |kind: &&Kind| list.iter().any(|function| FunctionSelector::Kind(**kind).is(function));
        known.extend(Kind::ALL.iter().filter(made).map(|kind| kind.name().to_owned()));
        let near = |other: &String| strsim::normalized_damerau_levenshtein(&name, other);
        known.sort_by(|a, b| near(b).total_cmp(&near(a)));
        known.truncate(MAX_NAMES);
        // If the name is misspelt, the notes on functions that were not made are irrelevant.
        let is_misspelt = known.first().is_some_and(|nearest| near(nearest) >= MISSPELT);
        let notes = analysis.tuned.iter().flat_map(|made| &made.functions.notes);
        let notes = analysis.functions.notes.iter().chain(notes).filter(|_| !is_misspelt);
        SelectError::Unknown {
            of_role: role.map_or_else(String::new, |role| format!(" for {role}")),
            nearest: known.join(", "),
            notes: notes.map(|note| format!("\nnote: {note}")).collect(),
            name: self.to_string(),
        }
    }
}
