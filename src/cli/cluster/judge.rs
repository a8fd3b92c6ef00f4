//! A game's functions judged in a cluster: a unit is a function that is followed in play, by its number. All else is done by
//! everybody, as each needs it.

use std::cell::Cell;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use clap::{FromArgMatches as _, Subcommand as _};
use serde::{Deserialize, Serialize};

use super::super::{Command, game, interrupt, judge, playouts::bar};
use super::ClusterArguments;
use super::gather::{Call, gather, rules};
use super::in_order::InOrder;
use super::scratch::FileSet;
use crate::cluster::{Files, Task, UnitError, UnitResult};
use crate::gdl::Source;
use crate::gdl::identity::sha256;
use crate::judge::{Follower, JudgeError, Judgement};

/// What is judged, as workers get it.
#[derive(Serialize, Deserialize)]
pub(super) struct JudgeBody {
    /// The words of the command, with the numbers of files for the game and for documents.
    words: Vec<String>,
    /// The game, then the documents.
    files: Vec<FileSet>,
}

/// What stands for a file in the words.
fn place(number: usize) -> String {
    format!("{{file {number}}}")
}

/// Workers that follow functions.
pub(in crate::cli) struct Elsewhere<'a> {
    cluster: &'a ClusterArguments,
    body: JudgeBody,
    bytes: Vec<Vec<u8>>,
    name: String,
    given_up: Cell<usize>,
}

impl<'a> Elsewhere<'a> {
    /// The workers of the cluster; `None` without `--cluster`.
    pub(in crate::cli) fn new(
        cluster: &'a ClusterArguments,
        arguments: &judge::Arguments,
    ) -> anyhow::Result<Option<Elsewhere<'a>>> {
        if !cluster.is_asked() {
            return Ok(None);
        }
        super::folded()?;
        let (game, functions) = arguments.named();
        let source: Source = rules(game)?;
        let name = format!("{}.kif", source.name());
        let mut bytes = vec![source.bytes().to_vec()];
        let mut files = vec![FileSet::given(game.display().to_string(), name, sha256(source.bytes()))];
        let mut named = |function: &String| match Path::new(function) {
            path if path.is_file() => {
                files.push(FileSet::of(path, &[], &mut bytes));
                place(files.len() - 1)
            }
            _ => function.clone(),
        };
        let functions: Vec<String> = functions.iter().map(&mut named).collect();
        let words = arguments.words(&place(0), &functions, 0);
        let (body, given_up) = (JudgeBody { words, files }, Cell::new(0));
        Ok(Some(Elsewhere { cluster, body, bytes, name: source.name().to_owned(), given_up }))
    }

    /// Functions that were given up.
    pub(in crate::cli) fn given_up(&self) -> usize {
        self.given_up.get()
    }
}

impl Follower for Elsewhere<'_> {
    fn follow(
        &self,
        functions: &[usize],
        _: &(dyn Fn(usize) -> Result<Judgement, JudgeError> + Sync),
    ) -> Result<Vec<(usize, Judgement)>, JudgeError> {
        let units: Vec<u64> = functions.iter().map(|&number| number as u64).collect();
        let bar = bar(units.len() as u64, "functions");
        let call = Call {
            kind: "judge",
            name: self.name.clone(),
            folder: Path::new("."),
            body: &self.body,
            files: self.bytes.clone(),
            units: units.len() as u64,
            fresh: false,
            decides: false,
        };
        let mut found = Vec::new();
        let mut keep = |unit: u64, judgement: Result<Judgement, String>| {
            found.extend(judgement.ok().map(|judgement| (unit as usize, judgement)));
            Ok(())
        };
        let name = |unit: u64| format!("function {unit}");
        let gathered = gather(self.cluster, call, &mut InOrder::new(units, &mut keep, &name), &bar);
        let gathered = gathered.map_err(|error| JudgeError::Elsewhere(format!("{error:#}")))?;
        self.given_up.set(gathered.given_up);
        Ok(found)
    }
}

/// A function to be followed, and where its judgement goes.
type Asked = (usize, Sender<Result<Judgement, JudgeError>>);

/// A game whose functions a worker follows: all that comes before is done on a thread that then waits for units.
pub(super) struct JudgeTask {
    asked: Mutex<Sender<Asked>>,
    /// Why the thread ended.
    ended: Arc<Mutex<String>>,
}

impl JudgeTask {
    /// The game of a body.
    pub(super) fn new(body: JudgeBody, files: &dyn Files, threads: usize) -> Result<JudgeTask, String> {
        let scratch = body.files.iter().map(|set| set.write(files)).collect::<Result<Vec<_>, String>>()?;
        let at = |word: &String| {
            let put = |word: String, (number, file): (usize, &super::scratch::Scratch)| {
                word.replace(&place(number), &file.place.display().to_string())
            };
            scratch.iter().enumerate().fold(word.clone(), put)
        };
        let mut words: Vec<String> =
            ["ggp".to_owned()].into_iter().chain(body.words.iter().map(at)).collect();
        words.retain(|word| !word.starts_with("--threads="));
        words.push(format!("--threads={threads}"));
        let command = Command::augment_subcommands(clap::Command::new("ggp"));
        let told = |error: clap::Error| format!("the run can't be read: {error}");
        let matches = command.try_get_matches_from(words).map_err(told)?;
        let Command::Judge(arguments) = Command::from_arg_matches(&matches).map_err(told)? else {
            return Err("the run is none of judging".to_owned());
        };
        let (asked, asking) = channel();
        let ended = Arc::new(Mutex::new(String::new()));
        let why = Arc::clone(&ended);
        std::thread::spawn(move || {
            let serving = Serving { asking: Mutex::new(asking) };
            let judged = arguments.judged(Some(&serving));
            let error = judged.err().map_or_else(String::new, |error| format!("{error:#}"));
            // The files are there until here.
            let error = scratch.iter().fold(error, |error, file| file.named_as_given(&error));
            *why.lock().unwrap_or_else(PoisonError::into_inner) = error;
        });
        Ok(JudgeTask { asked: Mutex::new(asked), ended })
    }
}

impl Task for JudgeTask {
    fn run(&self, unit: u64, interrupt: &Arc<AtomicBool>) -> Result<UnitResult, UnitError> {
        let gone = || {
            // The reason is written down just after.
            std::thread::sleep(std::time::Duration::from_millis(50));
            UnitError::Run(self.ended.lock().unwrap_or_else(PoisonError::into_inner).clone())
        };
        let (to, judged) = channel();
        let sent = self.asked.lock().unwrap_or_else(PoisonError::into_inner).send((unit as usize, to));
        sent.map_err(|_| gone())?;
        let judgement = judged.recv().map_err(|_| gone())?;
        if interrupt.load(Ordering::Relaxed) {
            return Err(UnitError::Interrupted);
        }
        let judgement = judgement.map_err(|error| UnitError::Unit(error.to_string()))?;
        let bytes = serde_json::to_vec(&judgement).map_err(|error| UnitError::Unit(error.to_string()))?;
        Ok(UnitResult { bytes, states: None })
    }
}

/// Follows functions as units come, side by side.
struct Serving {
    asking: Mutex<Receiver<Asked>>,
}

impl Follower for Serving {
    fn follow(
        &self,
        functions: &[usize],
        follow: &(dyn Fn(usize) -> Result<Judgement, JudgeError> + Sync),
    ) -> Result<Vec<(usize, Judgement)>, JudgeError> {
        let asking = self.asking.lock().unwrap_or_else(PoisonError::into_inner);
        std::thread::scope(|scope| {
            while !interrupt::asked() {
                let Ok((number, to)) = asking.recv() else { return };
                if !functions.contains(&number) {
                    drop(to.send(Err(JudgeError::Elsewhere(format!("there is no function {number}")))));
                    continue;
                }
                scope.spawn(move || drop(to.send(follow(number))));
            }
        });
        Ok(Vec::new())
    }
}

/// Refuses options of how rules are read, which workers would not know.
pub(super) fn folded() -> anyhow::Result<()> {
    let words = game::rule_words().join(" ");
    anyhow::ensure!(words.is_empty(), "{words} is not handed to workers here: leave out --cluster");
    Ok(())
}
