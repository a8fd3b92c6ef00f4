//! `ggp judge` on a cluster. A unit is the number of a function to be followed in play; all other steps are repeated by the
//! client and by every worker.

use std::cell::Cell;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use clap::{FromArgMatches as _, Subcommand as _};
use serde::{Deserialize, Serialize};

use super::super::{Command, game, interrupt, judge, progress::bar};
use super::ClusterArguments;
use super::gather::{Call, gather, rules};
use super::in_order::InOrder;
use super::scratch::FileSet;
use crate::cluster::{Files, Task, UnitError, UnitResult};
use crate::gdl::Source;
use crate::gdl::identity::sha256;
use crate::judge::{Follower, JudgeError, Judgement};

/// The body of a run of `ggp judge`.
#[derive(Serialize, Deserialize)]
pub(super) struct JudgeBody {
    /// The words of the command, with a placeholder for each file.
    words: Vec<String>,
    /// The files for the placeholders: the game, then the documents.
    files: Vec<FileSet>,
}

/// The placeholder for a file in `JudgeBody::words`.
fn placeholder(number: usize) -> String {
    format!("{{file {number}}}")
}

/// Lets the workers of a cluster follow functions.
pub(in crate::cli) struct Elsewhere<'a> {
    cluster: &'a ClusterArguments,
    body: JudgeBody,
    bytes: Vec<Vec<u8>>,
    name: String,
    given_up: Cell<usize>,
}

impl<'a> Elsewhere<'a> {
    /// Returns `None` without `--cluster`.
    pub(in crate::cli) fn new(
        cluster: &'a ClusterArguments,
        arguments: &judge::Arguments,
    ) -> anyhow::Result<Option<Elsewhere<'a>>> {
        if !cluster.is_asked() {
            return Ok(None);
        }
        super::reject_rule_options()?;
        let (game, functions) = arguments.named();
        let source: Source = rules(game)?;
        let name = format!("{}.kif", source.name());
        let mut bytes = vec![source.bytes().to_vec()];
        let mut files = vec![FileSet::given(game.display().to_string(), name, sha256(source.bytes()))];
        let mut named = |function: &String| match Path::new(function) {
            path if path.is_file() => {
                files.push(FileSet::of(path, &[], &mut bytes));
                placeholder(files.len() - 1)
            }
            _ => function.clone(),
        };
        let functions: Vec<String> = functions.iter().map(&mut named).collect();
        let words = arguments.words(&placeholder(0), &functions, 0);
        let (body, given_up) = (JudgeBody { words, files }, Cell::new(0));
        Ok(Some(Elsewhere { cluster, body, bytes, name: source.name().to_owned(), given_up }))
    }

    /// The number of functions that failed on every attempt.
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
        let mut judgements = Vec::new();
        let mut keep = |unit: u64, judgement: Result<Judgement, String>| {
            judgements.extend(judgement.ok().map(|judgement| (unit as usize, judgement)));
            Ok(())
        };
        let name = |unit: u64| format!("function {unit}");
        let result = gather(self.cluster, call, &mut InOrder::new(units, &mut keep, &name), &bar);
        let result = result.map_err(|error| JudgeError::Elsewhere(format!("{error:#}")))?;
        self.given_up.set(result.given_up);
        Ok(judgements)
    }
}

/// The number of a function to be followed, and the channel for its judgement.
type FollowRequest = (usize, Sender<Result<Judgement, JudgeError>>);

/// Follows functions of a game on a worker. A thread runs `ggp judge` up to the point where functions are followed, and then
/// waits for units.
pub(super) struct JudgeTask {
    requests: Mutex<Sender<FollowRequest>>,
    /// The error with which the thread ended.
    error: Arc<Mutex<String>>,
}

impl JudgeTask {
    /// Writes the files of a run, and starts the thread.
    pub(super) fn new(body: JudgeBody, files: &dyn Files, threads: usize) -> Result<JudgeTask, String> {
        let scratch = body.files.iter().map(|set| set.write(files)).collect::<Result<Vec<_>, String>>()?;
        let fill = |word: &String| {
            let put = |word: String, (number, file): (usize, &super::scratch::Scratch)| {
                word.replace(&placeholder(number), &file.place.display().to_string())
            };
            scratch.iter().enumerate().fold(word.clone(), put)
        };
        let mut words: Vec<String> =
            ["ggp".to_owned()].into_iter().chain(body.words.iter().map(fill)).collect();
        words.retain(|word| !word.starts_with("--threads="));
        words.push(format!("--threads={threads}"));
        let command = Command::augment_subcommands(clap::Command::new("ggp"));
        let unreadable = |error: clap::Error| format!("the run can't be read: {error}");
        let matches = command.try_get_matches_from(words).map_err(unreadable)?;
        let Command::Judge(arguments) = Command::from_arg_matches(&matches).map_err(unreadable)? else {
            return Err("the run is not a run of `ggp judge`".to_owned());
        };
        let (requests, receiver) = channel();
        let shared_error = Arc::new(Mutex::new(String::new()));
        let thread_error = Arc::clone(&shared_error);
        std::thread::spawn(move || {
            let follower = UnitFollower { requests: Mutex::new(receiver) };
            let judged = arguments.judged(Some(&follower));
            let error = judged.err().map_or_else(String::new, |error| format!("{error:#}"));
            // This use of `scratch` also keeps the files until the command has ended.
            let error = scratch.iter().fold(error, |error, file| file.restore_path(&error));
            *thread_error.lock().unwrap_or_else(PoisonError::into_inner) = error;
        });
        Ok(JudgeTask { requests: Mutex::new(requests), error: shared_error })
    }
}

impl Task for JudgeTask {
    fn run(&self, unit: u64, interrupt: &Arc<AtomicBool>) -> Result<UnitResult, UnitError> {
        let gone = || {
            // A channel may close shortly before the thread stores its error.
            std::thread::sleep(std::time::Duration::from_millis(50));
            UnitError::Run(self.error.lock().unwrap_or_else(PoisonError::into_inner).clone())
        };
        let (to, judged) = channel();
        let sent = self.requests.lock().unwrap_or_else(PoisonError::into_inner).send((unit as usize, to));
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

/// Follows the functions of units as they arrive, in parallel.
struct UnitFollower {
    requests: Mutex<Receiver<FollowRequest>>,
}

impl Follower for UnitFollower {
    fn follow(
        &self,
        functions: &[usize],
        follow: &(dyn Fn(usize) -> Result<Judgement, JudgeError> + Sync),
    ) -> Result<Vec<(usize, Judgement)>, JudgeError> {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        std::thread::scope(|scope| {
            while !interrupt::asked() {
                let Ok((number, to)) = requests.recv() else { return };
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

/// Rejects options that change how rules are read, since these commands do not pass them to workers.
pub(super) fn reject_rule_options() -> anyhow::Result<()> {
    let words = game::rule_words().join(" ");
    anyhow::ensure!(words.is_empty(), "this command can't pass {words} to workers: leave out --cluster");
    Ok(())
}
