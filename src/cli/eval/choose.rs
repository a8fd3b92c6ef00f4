//! Which function is meant: a document, or one that is made on the spot.

use std::path::Path;

use anyhow::{Context as _, bail};

use crate::evaluation::{Document, Function, GameIdentity, Kind, Material, Parameters, functions_of};
use crate::feature::{self, Feature};
use crate::gdl::Source;
use crate::machine::Loaded;
use crate::simulate::Context;
use crate::structure;
use crate::structure::finding::Structures;

use super::super::note;
use super::super::playouts::{IN_LANES, ONE_BY_ONE, PlayoutArguments};

/// Names that an error lists.
const NAMED: usize = 5;

/// A game, and what random play shows of it, once that is needed.
pub(super) struct Game<'g> {
    path: &'g Path,
    identity: GameIdentity,
    loaded: &'g Loaded,
    play: &'g PlayoutArguments,
    parameters: Parameters,
    structures: Option<Structures>,
}

impl<'g> Game<'g> {
    pub(super) fn new(
        path: &'g Path,
        source: &Source,
        loaded: &'g Loaded,
        play: &'g PlayoutArguments,
        parameters: Parameters,
    ) -> Game<'g> {
        let identity = GameIdentity::new(source.bytes(), loaded.machine.description());
        Game { path, identity, loaded, play, parameters, structures: None }
    }

    /// What the game is made of.
    pub(super) fn structures(&mut self) -> anyhow::Result<&Structures> {
        let known = self.structures.take();
        let found = match known {
            Some(known) => known,
            None => {
                let machine = &*self.loaded.machine;
                let lanes = machine.suits_lanes();
                let budget = self.play.budget(if lanes { IN_LANES } else { ONE_BY_ONE });
                structure::detect(machine, &self.loaded.statics, &budget, &Context::default())?.0
            }
        };
        Ok(self.structures.insert(found))
    }

    /// The function that is meant.
    pub(super) fn function(&mut self, name: &str, role: Option<&str>) -> anyhow::Result<Document> {
        let path = Path::new(name);
        if path.is_file() || name.ends_with(".json") || name.contains(['/', '\\']) {
            return self.document(path, role);
        }
        self.made(name, role)
    }

    fn document(&self, path: &Path, role: Option<&str>) -> anyhow::Result<Document> {
        let document = Document::load(path)?;
        document.is_for(&self.identity).with_context(|| path.display().to_string())?;
        if let Some(role) = role.filter(|role| role.to_lowercase() != document.role) {
            bail!(
                "{} is a function for {}, not for {role}; --mover says whose moves are listed",
                path.display(),
                document.role
            );
        }
        if document.edited {
            let path = path.display();
            note(&format!("note: {path} was edited after it was made (its checksum is another)\n"))?;
        }
        Ok(document)
    }

    /// Makes the functions of the game and takes the one that is meant.
    fn made(&mut self, name: &str, role: Option<&str>) -> anyhow::Result<Document> {
        let machine = &*self.loaded.machine;
        let role = match role {
            Some(role) => {
                Some(machine.term_text(machine.description().roles[super::role_of(machine, role)?]))
            }
            None => None,
        };
        let sample = self.play.sample(machine);
        let parameters = self.parameters;
        let path = self.path;
        // A name begins with its kind; where it begins with none, all kinds can be meant.
        let word = name.split('.').next().unwrap_or_default().to_lowercase();
        let kind = Kind::ALL.iter().copied().find(|kind| kind.name() == word);
        let structures = self.structures()?;
        let features: Vec<Feature> = match kind {
            // Goal conditions are made of no features.
            Some(Kind::Fuzzy) => Vec::new(),
            _ => {
                let report = feature::measure(machine, structures, &sample, &Context::default())?;
                report.features.into_iter().map(|measured| measured.feature).collect()
            }
        };
        let context = Context::default();
        let material = Material { machine, structures, features: &features, budget: &sample, context };
        let wanted = |of: Kind| kind.is_none_or(|kind| kind == of);
        let made = functions_of(&material, &parameters, &wanted);
        let function = pick(&made.list, &made.notes, name, role.as_deref(), path)?;
        Ok(Document::new(&self.identity.clone(), machine, self.structures()?, function, None))
    }
}

/// The function of a name, or the only one whose name starts so; of several the one for the role.
fn pick(
    list: &[Function],
    notes: &[String],
    name: &str,
    role: Option<&str>,
    path: &Path,
) -> anyhow::Result<Function> {
    let name = name.to_lowercase();
    if let Some(exact) = list.iter().find(|function| function.id() == name) {
        return match role.filter(|role| *role != exact.role()) {
            Some(role) => bail!("`{name}` is a function for {}, not for {role}", exact.role()),
            None => Ok(exact.clone()),
        };
    }
    let starts = |function: &&Function| {
        function.id().strip_prefix(&name).is_some_and(|rest| name.ends_with('.') || rest.starts_with('.'))
    };
    let of_role = |function: &&Function| role.is_none_or(|role| function.role() == role);
    let found: Vec<&Function> = list.iter().filter(starts).filter(of_role).collect();
    match found[..] {
        [one] => Ok(one.clone()),
        [] => {
            let mut known: Vec<String> = list.iter().filter(of_role).map(Function::id).collect();
            known.extend(Kind::ALL.iter().map(|kind| kind.name().to_owned()));
            let near = |other: &String| strsim::normalized_damerau_levenshtein(&name, other);
            known.sort_by(|a, b| near(b).total_cmp(&near(a)));
            known.truncate(NAMED);
            let why: String = notes.iter().map(|note| format!("\n{note}")).collect();
            bail!(
                "the game has no evaluation function `{name}`; nearest to it: {}. All of them: `ggp analyze {} \
                 --out DIR` lists them in DIR/evaluations/index.json{why}",
                known.join(", "),
                path.display()
            )
        }
        _ => {
            let roles: Vec<&str> = found.iter().map(|function| function.role()).collect();
            let by_role = roles.iter().all(|role| roles.iter().filter(|other| *other == role).count() == 1);
            let more = found.len().saturating_sub(NAMED);
            let names: Vec<String> = found.iter().take(NAMED).map(|function| function.id()).collect();
            let and_more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let mend =
                if by_role { format!("; say --role {}", roles.join(" or --role ")) } else { String::new() };
            bail!("`{name}` may be {}{and_more}{mend}", names.join(", "))
        }
    }
}
