//! Several alpha-beta searches as one player, here or on other computers.

use crate::catalog::{Text, TypedOption};
#[cfg(feature = "cluster")]
use crate::cluster::{Address, ClusterError};
#[cfg(feature = "cluster")]
use crate::evaluation::Function;
use crate::search::{AlphaBetaOptions, Deepening, Ensemble as Search, Worker};

use super::super::prepared_game::PrepareError;
#[cfg(feature = "cluster")]
use super::super::remote::{RemoteSearch, Setup, reach};
use super::super::search_player::SearchPlayer;
use super::context::PlayerContext;
use super::entry::{About, Algorithm, FunctionUse, Games};
use super::options::{DEPTH, NODES, SEED, TABLE, bytes};

pub(super) struct Ensemble;

const THREADS: TypedOption<u64> = TypedOption::integer(
    "threads",
    0,
    [0, 1024],
    "threads",
    "searches at once; 0 for the number of processors",
);

const CLUSTER: TypedOption<Text> = TypedOption::text(
    "cluster",
    "nats://HOST:PORT",
    "the NATS server whose workers (`ggp worker`) search as well; one search runs locally",
);

const CREDS: TypedOption<Text> = TypedOption::text(
    "creds",
    "a file",
    "file of credentials for that server, in the format of `nsc`; records contain its name, but not its content",
);

const CA: TypedOption<Text> = TypedOption::text(
    "ca",
    "a file",
    "additional certificates of authorities that may sign the server's certificate",
);

const WORKERS: TypedOption<u64> = TypedOption::integer(
    "workers",
    0,
    [0, 1000],
    "workers",
    "limit of the cluster's workers; 0 for one for each function",
);

const FUNCTIONS: TypedOption<Text> = TypedOption::text(
    "functions",
    "names joined by +, such as kuhlmann+fuzzy:2+exhaustive",
    "functions of the searches, assigned in turn on a cluster: kinds (all functions of kuhlmann), ids or exhaustive; `fuzzy:2` or `fuzzy*2` for two searches that break ties differently",
);

const RANDOM_TIES: TypedOption<bool> = TypedOption::flag(
    "random_ties",
    false,
    "follow a random one of the searches that reached the same depth, not the first in the list",
);

crate::options! {
    pub(super) struct EnsembleOptions {
        depth: u64 = DEPTH,
        nodes: u64 = NODES,
        table: f64 = TABLE,
        threads: u64 = THREADS,
        cluster: Text = CLUSTER,
        creds: Text = CREDS,
        ca: Text = CA,
        workers: u64 = WORKERS,
        functions: Text = FUNCTIONS,
        random_ties: bool = RANDOM_TIES,
        seed: u64 = SEED,
    }
}

impl Algorithm for Ensemble {
    type Options = EnsembleOptions;

    const ABOUT: About = About {
        name: "ensemble",
        title: "several alpha-beta searches, each with its own function; a proof or the greatest depth decides",
        games: Games::All,
        chance: false,
        handles: "the same games as alphabeta",
        source: "Kuhlmann, Dresner and Stone 2006",
        functions: FunctionUse::Chosen,
        text: include_str!("../../search/ensemble.rs"),
    };

    fn player<'m>(
        context: &PlayerContext<'_, 'm>,
        options: &EnsembleOptions,
    ) -> Result<SearchPlayer<'m>, PrepareError> {
        if !options.cluster.0.is_empty() {
            return elsewhere(context, options);
        }
        let setting = context.setting();
        let functions = context.game.chosen(context.role, options.functions.0)?;
        let table = bytes(options.table) / functions.len();
        let each = AlphaBetaOptions { table, ..AlphaBetaOptions::default() };
        let mut workers: Vec<Worker<'m>> = Vec::new();
        for (function, ties) in &functions {
            workers.push(match function {
                Some(function) => {
                    let search = Deepening::new(setting.clone(), function, each)?;
                    Worker::new(function.id(), Box::new(search.with_ties(*ties)))
                }
                None => {
                    let plain = Deepening::plain(setting.clone(), each);
                    Worker::exhaustive(Box::new(plain.with_ties(*ties)))
                }
            });
        }
        let search = Search::new(workers, Ensemble::threads(options));
        Ok(context.player(with_ties(search, context, options)).depth(options.depth).nodes(options.nodes))
    }

    fn threads(options: &EnsembleOptions) -> usize {
        match options.threads as usize {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        }
    }
}

/// The master, with random ties if the options say so.
fn with_ties<'m>(
    master: Search<'m>,
    context: &PlayerContext<'_, '_>,
    options: &EnsembleOptions,
) -> Search<'m> {
    if options.random_ties { master.with_random_ties(context.seed(options.seed)) } else { master }
}

/// A master of workers on other computers and of one local search, so that there is always a move.
#[cfg(feature = "cluster")]
fn elsewhere<'m>(
    context: &PlayerContext<'_, 'm>,
    options: &EnsembleOptions,
) -> Result<SearchPlayer<'m>, PrepareError> {
    let functions = context.game.chosen(context.role, options.functions.0)?;
    let wanted = if options.workers == 0 { functions.len() } else { options.workers as usize };
    let wrong = |error: ClusterError| PrepareError::Cluster(error.to_string());
    let file = |name: Text| (!name.0.is_empty()).then(|| name.0.into());
    let address = Address {
        url: options.cluster.0.to_owned(),
        credentials: file(options.creds),
        authority: file(options.ca),
    };
    let (reached, note) = match reach(&address, wanted) {
        Ok((link, found)) => {
            let note =
                (found.len() < wanted).then(|| format!("{} of {wanted} workers are there", found.len()));
            (Some((link, found)), note)
        }
        Err(error @ ClusterError::Unreachable { .. }) => {
            (None, Some(format!("it searches without the cluster: {error}")))
        }
        Err(error) => return Err(wrong(error)),
    };
    let machine = context.machine();
    let description = machine.description();
    let mut workers: Vec<Worker<'m>> = Vec::new();
    if let Some((link, found)) = reached {
        let mut setup = Setup {
            rules: description.kif(),
            case_sensitive: false,
            role: context.role,
            teams: context.structures().teams.clone(),
            document: None,
            table: bytes(options.table),
            ties: 0,
        };
        for (number, worker) in found.into_iter().take(wanted).enumerate() {
            let (function, ties) = &functions[number % functions.len()];
            setup.document = function.as_ref().map(|function| context.game.document(function));
            // Copies of a function break ties differently.
            setup.ties = *ties + (number / functions.len()) as u64 * 0x1_0001;
            let function = function.as_ref().map_or_else(|| "exhaustive search".to_owned(), Function::id);
            let (name, exhaustive) = (format!("{function} at {worker}"), setup.document.is_none());
            let search = Box::new(RemoteSearch::new(&link, worker, machine, &setup));
            workers.push(Worker { name, search, exhaustive });
        }
    }
    let here = AlphaBetaOptions { table: bytes(options.table), ..AlphaBetaOptions::default() };
    match functions.iter().find_map(|(function, _)| function.as_ref()) {
        Some(function) => {
            let search = Deepening::new(context.setting(), function, here)?;
            workers.push(Worker::new(format!("{} here", function.id()), Box::new(search)));
        }
        None => {
            let plain = Deepening::plain(context.setting(), here);
            workers.push(Worker::exhaustive(Box::new(plain)));
        }
    }
    let threads = workers.len();
    let master = with_ties(Search::new(workers, threads), context, options);
    let player = context.player(master).depth(options.depth).nodes(options.nodes);
    Ok(SearchPlayer { note, ..player })
}

/// The error of a program without the feature `cluster`.
#[cfg(not(feature = "cluster"))]
fn elsewhere<'m>(_: &PlayerContext<'_, 'm>, _: &EnsembleOptions) -> Result<SearchPlayer<'m>, PrepareError> {
    Err(PrepareError::Cluster(crate::arena::WITHOUT_CLUSTER.to_owned()))
}
