//! The study file, in TOML.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use crate::analysis::FunctionSelector;
use crate::evaluation::Kind;
use crate::evaluation::TuningError;
use crate::judge::{ExactLimits, JudgeLimits};

use super::file_error::FileError;
use super::grid::Grid;
use super::matches::{MatchStudy, RawMatches};

/// The kind of a study: what it measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum StudyKind {
    /// The quality of its evaluation functions, as in `ggp judge`.
    Judge,
    /// The strength of players, as in `ggp tournament`.
    Matches,
    /// Structures compared with the labels of games.
    Structures,
    /// The speed of the machines in random play, as in `ggp bench`.
    Speed,
}

impl StudyKind {
    /// Its name in study files.
    fn name(self) -> &'static str {
        match self {
            StudyKind::Judge => "judge",
            StudyKind::Matches => "matches",
            StudyKind::Structures => "structures",
            StudyKind::Speed => "speed",
        }
    }
}

/// A study.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// Its name: that of the file, unless the file sets another.
    pub name: String,
    /// The folder for results.
    pub out: PathBuf,
    /// Files of games: sorted within a pattern, without duplicates.
    pub games: Vec<PathBuf>,
    /// The measurement.
    pub work: Measurement,
}

/// The settings of the measurement.
#[derive(Clone, Debug, PartialEq)]
pub enum Measurement {
    /// Functions are judged, game by game.
    Judge(JudgeStudy),
    /// Players meet in all games.
    Matches(MatchStudy),
    /// Findings are compared with the labels of the games.
    Structures(StructureStudy),
    /// Machines are timed.
    Speed(SpeedStudy),
}

/// The conditions of findings that are compared with labels.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StructureStudy {
    /// Random playouts for findings.
    pub playouts: std::num::NonZeroU64,
    /// Their seed, which is that of the study.
    #[serde(skip)]
    pub seed: u64,
}

impl Default for StructureStudy {
    /// Enough playouts to find all structures of the games in `games/`.
    fn default() -> Self {
        StructureStudy { playouts: const { std::num::NonZeroU64::new(10_000).expect("not 0") }, seed: 1 }
    }
}

/// The conditions of timing.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SpeedStudy {
    /// Seconds for each machine and game.
    pub seconds: f64,
    /// Rounds in which machines alternate.
    pub rounds: std::num::NonZeroU32,
}

impl Default for SpeedStudy {
    fn default() -> Self {
        SpeedStudy { seconds: 1.0, rounds: const { std::num::NonZeroU32::new(3).expect("not 0") } }
    }
}

/// The judged functions, and limits.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgeStudy {
    /// Functions, by kind or id; none for all.
    pub functions: Option<Vec<String>>,
    /// Settings of fuzzy goal functions.
    pub grids: Vec<Grid>,
    /// The limits of judging.
    pub limits: JudgeLimits,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    kind: Spanned<StudyKind>,
    name: Option<Spanned<String>>,
    out: Option<PathBuf>,
    games: Spanned<Vec<Spanned<String>>>,
    functions: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    fuzzy: Vec<Spanned<Grid>>,
    #[serde(default = "one")]
    seed: u64,
    budget: Option<Spanned<Budget>>,
    matches: Option<Spanned<RawMatches>>,
    structures: Option<Spanned<StructureStudy>>,
    speed: Option<Spanned<SpeedStudy>>,
}

fn one() -> u64 {
    1
}

/// The table `budget`; missing keys have the defaults of `ggp judge`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Budget {
    states: Option<std::num::NonZeroU64>,
    playouts: Option<std::num::NonZeroU64>,
    guided: Option<u64>,
    play: Option<u64>,
    best: Option<usize>,
    exact: Option<usize>,
    max_steps: Option<std::num::NonZeroU32>,
    work: Option<u64>,
}

impl Budget {
    fn limits(&self, seed: u64) -> JudgeLimits {
        let base = JudgeLimits::default();
        JudgeLimits {
            states: self.states.map_or(base.states, u64::from),
            playouts: self.playouts.map_or(base.playouts, u64::from),
            guided: self.guided.unwrap_or(base.guided),
            play: self.play.unwrap_or(base.play),
            best: self.best.unwrap_or(base.best),
            max_steps: self.max_steps.map(u32::from),
            seed,
            exact: ExactLimits { states: self.exact.unwrap_or(base.exact.states), ..base.exact },
            work: self.work.unwrap_or(base.work),
            ..base
        }
    }
}

impl Study {
    /// Reads a study file with this text. Paths in it are relative to its folder; results go to `reports/NAME` under the
    /// current folder unless it sets another.
    ///
    /// # Errors
    /// The error with its position.
    pub fn read(path: &Path, text: &str) -> Result<Study, FileError> {
        let mut raw = Raw::read(text)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let name = match raw.name.take() {
            Some(name) => {
                if !is_name(name.as_ref()) {
                    let help = "a name is made of letters, digits, _ and -: a folder is named after it";
                    let message = format!("`{}` is not a name", name.as_ref());
                    return Err(FileError::at(name.span(), message, help));
                }
                name.into_inner()
            }
            None => {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                if !is_name(&stem) {
                    let help =
                        "set a name of letters, digits, _ and -, such as name = \"test\", or rename the file";
                    let message = format!("the study can't be named after its file: `{stem}` is not a name");
                    return Err(FileError::at(0..0, message, help));
                }
                stem
            }
        };
        let (mut games, mut known): (Vec<PathBuf>, BTreeSet<PathBuf>) = (Vec::new(), BTreeSet::new());
        let escaped = PathBuf::from(glob::Pattern::escape(&folder.to_string_lossy()));
        for pattern in raw.games.as_ref() {
            let help = "expected a path, or a pattern such as ../games/*.kif, relative to the study file";
            let found = glob::glob(&escaped.join(pattern.as_ref()).to_string_lossy())
                .map_err(|error| FileError::at(pattern.span(), format!("no pattern: {error}"), help))?;
            let mut found: Vec<PathBuf> = found.filter_map(Result::ok).map(|path| plain(&path)).collect();
            found.sort();
            if found.is_empty() {
                let full = plain(&folder.join(pattern.as_ref()));
                return Err(FileError::at(pattern.span(), format!("no file is `{}`", full.display()), help));
            }
            games.extend(found.into_iter().filter(|path| known.insert(path.clone())));
        }
        if games.is_empty() {
            let help = "expected at least one path or pattern";
            return Err(FileError::at(raw.games.span(), "no game", help));
        }
        let out = raw.out.take();
        let work = raw.work()?;
        let out = out.map_or_else(|| Path::new("reports").join(&name), |out| plain(&folder.join(out)));
        Ok(Study { name, out, games, work })
    }
}

/// Seconds of a measurement, at most.
const MOST_SECONDS: f64 = 3_600.0;

impl Measurement {
    /// The measurement of a study file with this text, without its games.
    ///
    /// # Errors
    /// The error with its position.
    pub fn read(text: &str) -> Result<Measurement, FileError> {
        Raw::read(text)?.work()
    }
}

impl Study {
    /// Whether its results depend on the clock.
    pub fn by_clock(&self) -> bool {
        match &self.work {
            Measurement::Judge(_) | Measurement::Structures(_) => false,
            Measurement::Speed(_) => true,
            Measurement::Matches(matches) => matches.thinking.iter().any(|thinking| thinking.play.is_some()),
        }
    }
}

impl Raw {
    fn read(text: &str) -> Result<Raw, FileError> {
        toml::from_str(text).map_err(|error| FileError {
            message: error.message().to_owned(),
            place: error.span(),
            help: None,
        })
    }

    /// The measurement.
    fn work(mut self) -> Result<Measurement, FileError> {
        let kind = *self.kind.as_ref();
        self.refuse_other_keys(kind)?;
        Ok(match kind {
            StudyKind::Judge => Measurement::Judge(self.judge()?),
            StudyKind::Matches => match self.matches.take() {
                Some(matches) => Measurement::Matches(MatchStudy::read(matches, self.seed)?),
                None => {
                    let help = "expected a table [matches] with players, rounds, and nodes or clocks";
                    return Err(FileError::at(self.kind.span(), "nothing says who plays", help));
                }
            },
            StudyKind::Structures => {
                let structures = self.structures.take().map(Spanned::into_inner).unwrap_or_default();
                Measurement::Structures(StructureStudy { seed: self.seed, ..structures })
            }
            StudyKind::Speed => {
                let span = self.speed.as_ref().map_or(0..0, Spanned::span);
                let speed = self.speed.take().map(Spanned::into_inner).unwrap_or_default();
                if !(speed.seconds > 0.0 && speed.seconds <= MOST_SECONDS) {
                    let help = "expected seconds for each machine and game, above 0 and at most 3600";
                    return Err(FileError::at(span, "no time to measure", help));
                }
                Measurement::Speed(speed)
            }
        })
    }

    /// An error if the file has keys for another kind of study.
    fn refuse_other_keys(&self, kind: StudyKind) -> Result<(), FileError> {
        let functions = self.functions.as_ref().and_then(|functions| functions.first()).map(Spanned::span);
        let fuzzy = self.fuzzy.first().map(Spanned::span);
        let tables = [
            (StudyKind::Judge, functions.or(fuzzy).or_else(|| self.budget.as_ref().map(Spanned::span))),
            (StudyKind::Matches, self.matches.as_ref().map(Spanned::span)),
            (StudyKind::Structures, self.structures.as_ref().map(Spanned::span)),
            (StudyKind::Speed, self.speed.as_ref().map(Spanned::span)),
        ];
        let other = tables.into_iter().find_map(|(of, place)| Some((of, place.filter(|_| of != kind)?)));
        other.map_or(Ok(()), |(of, place)| {
            Err(FileError::at(
                place,
                format!("this belongs to a study of kind \"{}\"", of.name()),
                format!("remove it: a study of kind \"{}\" does not use it", kind.name()),
            ))
        })
    }

    /// The judged functions, and limits.
    fn judge(self) -> Result<JudgeStudy, FileError> {
        for function in self.functions.iter().flatten() {
            let name = function.as_ref();
            let selector: FunctionSelector = match name.parse() {
                Ok(selector) => selector,
                Err(error) => {
                    let help = "expected options as in fuzzy(norm=product,p=0.9)";
                    return Err(FileError::at(function.span(), TuningError::to_string(&error), help));
                }
            };
            // Every id contains a point.
            if !name.contains('.') && selector.kind().is_none() {
                let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
                let help = format!("expected a kind ({}) or the id of a function", kinds.join(", "));
                let message = format!("`{name}` is not a kind of function");
                return Err(FileError::at(function.span(), message, help));
            }
        }
        for grid in &self.fuzzy {
            if let Some(message) = grid.as_ref().fault() {
                return Err(FileError::at(grid.span(), message, "0.5 < threshold <= p < 1; 0 < q <= 100"));
            }
        }
        let functions =
            self.functions.map(|functions| functions.into_iter().map(Spanned::into_inner).collect());
        let budget = self.budget.map(Spanned::into_inner).unwrap_or_default();
        Ok(JudgeStudy {
            functions,
            grids: self.fuzzy.into_iter().map(Spanned::into_inner).collect(),
            limits: budget.limits(self.seed),
        })
    }
}

/// Whether a study can have this name; a folder is named after it.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|sign| sign.is_alphanumeric() || sign == '_' || sign == '-')
}

/// The same path without `.`, and without `..` except at the beginning and after symbolic links.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        // The folder above the target of a link is not the folder of the link.
        let down =
            matches!(plain.components().next_back(), Some(Component::Normal(_))) && !plain.is_symlink();
        if part == Component::ParentDir && down {
            plain.pop();
        } else {
            plain.push(part);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Study, FileError> {
        Study::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("analyses/test.toml"), text)
    }

    #[test]
    fn defaults_and_patterns_are_read() {
        let study = read("kind = \"judge\"\ngames = [\"../games/n*.kif\", \"../games/nim.kif\"]").unwrap();
        let names: Vec<_> = study.games.iter().map(|path| path.file_stem().unwrap()).collect();
        assert_eq!(names, ["n_queens", "nim", "nine_mens_morris"]);
        assert_eq!((study.name.as_str(), study.out.as_path()), ("test", Path::new("reports/test")));
        let Measurement::Judge(judge) = study.work else { panic!("{study:?}") };
        assert_eq!(judge.limits, JudgeLimits::default());
    }

    #[test]
    fn match_studies_are_read() {
        let text = |table: &str| {
            format!("kind = \"matches\"\ngames = [\"../games/nim.kif\"]\n[matches]\nrounds = 3\n{table}\n")
        };
        let of = |table: &str| match read(&text(table)) {
            Ok(Study { work: Measurement::Matches(matches), .. }) => Ok(matches),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.message),
        };
        let found =
            of("players = [\"uct\", \"random\"]\nagainst = [\"random\"]\nnodes = [5]\nclocks = [[1, 0.05]]");
        let found = found.unwrap_err();
        assert!(found.contains("against itself"), "{found}");
        let found = of(
            "players = [\"uct\", \"maxn:fuzzy\"]\nagainst = [\"random\"]\nnodes = [5]\nclocks = [[1, 0.05]]",
        );
        let found = found.unwrap();
        assert_eq!((found.pairings.as_slice(), found.thinking.len()), ([[0, 2], [1, 2]].as_slice(), 2));
        assert!((found.thinking[1].margin - 0.01).abs() < 1e-12);
        let pairs = of("pairings = [[\"uct\", \"random\"], [\"uct\", \"maxn:fuzzy\"]]\nnodes = [5]").unwrap();
        assert_eq!(pairs.pairings, [[0, 1], [0, 2]]);
        for (table, what) in [
            ("players = [\"uct\", \"random\"]", "no limit"),
            ("nodes = [5]", "pairings"),
            ("players = [\"uct\", \"rondom\"]\nnodes = [5]", "`random`"),
            ("players = [\"uct\", \"random\"]\nclocks = [[1, 0]]", "no clock"),
            ("players = [\"uct\", \"random\"]\nnodes = [0]", "nonzero"),
        ] {
            let error = of(table).unwrap_err();
            assert!(error.contains(what), "{error}");
        }
        assert!(
            read(&(text("nodes = [5]") + "[budget]\nstates = 3")).unwrap_err().message.contains("\"judge\"")
        );
    }

    #[test]
    fn paths_must_be_plain() {
        for (path, wanted) in [
            ("analyses/../games", "games"),
            ("../a/./b/..", "../a"),
            ("a/../../b", "../b"),
            ("/a/../b", "/b"),
        ] {
            assert_eq!(plain(Path::new(path)), Path::new(wanted), "{path}");
        }
    }

    #[test]
    fn folders_of_any_name_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("a[1]");
        std::fs::create_dir(&inner).unwrap();
        std::fs::write(inner.join("nim.kif"), "").unwrap();
        let text = "kind = \"judge\"\ngames = [\"n*.kif\", \"nim.kif\"]";
        let study = Study::read(&inner.join("test.toml"), text).unwrap();
        assert_eq!(study.games, [inner.join("nim.kif")]);
        let error = Study::read(&inner.join("my study!.toml"), text).unwrap_err();
        assert!(error.message.contains("`my study!` is not a name"), "{error:?}");
    }

    #[cfg(unix)]
    #[test]
    fn the_folder_above_a_link_is_that_of_its_target() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("target/studies")).unwrap();
        std::fs::write(at("target/nim.kif"), "").unwrap();
        std::os::unix::fs::symlink(at("target/studies"), at("link")).unwrap();
        let text = "kind = \"judge\"\ngames = [\"../nim.kif\"]\nout = \"../out\"";
        let study = Study::read(&at("link/test.toml"), text).unwrap();
        assert_eq!((study.games, study.out), (vec![at("link/../nim.kif")], at("link/../out")));
    }

    #[test]
    fn faults_have_a_position() {
        let base = "kind = \"judge\"\ngames = [\"../games/nim.kif\"]\n";
        for (text, message, at) in [
            ("seeds = 1", "unknown field `seeds`", "seeds"),
            ("[budget]\nstates = 0", "nonzero", "0"),
            ("[budget]\nstate = 5", "unknown field `state`", "state"),
            ("functions = [\"fuzy\"]", "`fuzy` is not a kind", "\"fuzy\""),
            ("[[fuzzy]]\nthreshold = [0.3]", "the threshold is 0.3", "[[fuzzy]]"),
            ("name = \"a/b\"", "`a/b` is not a name", "\"a/b\""),
            ("seed = \"x\"", "invalid type", "\"x\""),
            ("[matches]\nrounds = 1", "of kind \"matches\"", "[matches]"),
            ("[speed]\nseconds = 1", "of kind \"speed\"", "[speed]"),
        ] {
            let text = format!("{base}{text}");
            let error = read(&text).unwrap_err();
            assert!(error.message.contains(message), "{error:?}");
            let place = error.place.unwrap();
            assert!(text[place.clone()].starts_with(at), "{message}: {:?}", &text[place]);
        }
        let error = read("kind = \"judge\"\ngames = [\"nowhere/*.kif\"]").unwrap_err();
        assert!(error.message.starts_with("no file is"), "{error:?}");
        assert!(read("kind = \"jugde\"\ngames = []").unwrap_err().message.contains("expected"));
    }
}
