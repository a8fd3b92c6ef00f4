//! The list of algorithms that players are made of, with their options.

/// How a player finds its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Algorithm {
    /// Any legal move.
    Random,
    /// Alpha-beta.
    AlphaBeta,
    /// MTD(f).
    Mtdf,
    /// UCT.
    Uct,
    /// UCT guided by a function.
    Guct,
}

/// An algorithm as it is shown and chosen.
#[derive(Clone, Copy, Debug)]
pub struct AlgorithmEntry {
    /// Which.
    pub algorithm: Algorithm,
    /// Its name in a player's line.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// The games it handles.
    pub handles: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Whether an evaluation function belongs to it.
    pub takes_function: bool,
    /// Its options.
    pub options: &'static [OptionEntry],
}

/// An option of an algorithm: a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OptionEntry {
    /// Its name.
    pub name: &'static str,
    /// What it is where nothing is said.
    pub default: f64,
    /// The least and the greatest it can be.
    pub range: [f64; 2],
    /// What it says, with its unit.
    pub title: &'static str,
}

const fn option(name: &'static str, default: f64, range: [f64; 2], title: &'static str) -> OptionEntry {
    OptionEntry { name, default, range, title }
}

const DEPTH: OptionEntry = option("depth", 0.0, [0.0, 240.0], "plies looked ahead at most; 0 for no limit");
const NODES: OptionEntry =
    option("nodes", 0.0, [0.0, 1e15], "states visited for a move at most; 0 for no limit");
const TABLE: OptionEntry = option("table", 64.0, [0.0, 65536.0], "MiB of the transposition table");
const HISTORY: OptionEntry = option("history", 1.0, [0.0, 1.0], "1: moves that cut off elsewhere come first");
const KILLERS: OptionEntry =
    option("killers", 1.0, [0.0, 1.0], "1: moves that cut off at the same ply come first");
const NULL_WINDOW: OptionEntry =
    option("null", 1.0, [0.0, 1.0], "1: other children first with an empty window");
const ASPIRATION: OptionEntry =
    option("aspiration", 1.0, [0.0, 1.0], "1: each depth begins with a window around the last value");
const SEED: OptionEntry = option("seed", 1.0, [0.0, 1e15], "seed of all random choices");
const EXPLORATION: OptionEntry =
    option("exploration", 0.4, [0.0, 100.0], "how much rare moves are preferred (C)");
const TEMPERATURE: OptionEntry = option(
    "temperature",
    0.25,
    [0.0, 100.0],
    "how little good moves are preferred in playouts; 0: all alike",
);
const MEMORY: OptionEntry = option("memory", 512.0, [1.0, 65536.0], "MiB of the states kept");
const REPLACE: OptionEntry =
    option("replace", 0.0, [0.0, 1.0], "chance that the function stands for a playout");
const CUTOFF: OptionEntry =
    option("cutoff", 0.1, [0.0, 1.0], "chance, at each state of a playout, that the function ends it");
const ORDER: OptionEntry = option("order", 0.0, [0.0, 1.0], "1: untried moves in the order of the function");
const PRIOR: OptionEntry = option("prior", 0.0, [0.0, 10_000.0], "visits that the function counts as");

const TREE: &[OptionEntry] = &[DEPTH, NODES, TABLE, HISTORY, KILLERS, NULL_WINDOW];

/// All algorithms.
pub const ALGORITHMS: &[AlgorithmEntry] = &[
    AlgorithmEntry {
        algorithm: Algorithm::Random,
        name: "random",
        title: "any legal move, each as likely",
        handles: "all games",
        source: "",
        takes_function: false,
        options: &[SEED],
    },
    AlgorithmEntry {
        algorithm: Algorithm::AlphaBeta,
        name: "alphabeta",
        title: "alpha-beta, ever deeper",
        handles: "all games; others play against it, and answer moves made at the same time",
        source: "Knuth and Moore 1975; Kuhlmann, Dresner and Stone 2006",
        takes_function: true,
        options: &[DEPTH, NODES, TABLE, HISTORY, KILLERS, NULL_WINDOW, ASPIRATION],
    },
    AlgorithmEntry {
        algorithm: Algorithm::Mtdf,
        name: "mtdf",
        title: "MTD(f), ever deeper",
        handles: "as alphabeta",
        source: "Plaat, Schaeffer, Pijls and de Bruin 1996; Walędzik and Mańdziuk 2014",
        takes_function: true,
        options: TREE,
    },
    AlgorithmEntry {
        algorithm: Algorithm::Uct,
        name: "uct",
        title: "UCT with averages of moves (MAST)",
        handles: "all games; every role wants its own goals",
        source: "Kocsis and Szepesvári 2006; Finnsson and Björnsson 2008",
        takes_function: false,
        options: &[NODES, EXPLORATION, TEMPERATURE, MEMORY, SEED],
    },
    AlgorithmEntry {
        algorithm: Algorithm::Guct,
        name: "guct",
        title: "UCT guided by an evaluation function",
        handles: "as uct",
        source: "Walędzik and Mańdziuk 2014",
        takes_function: true,
        options: &[NODES, EXPLORATION, TEMPERATURE, MEMORY, SEED, REPLACE, CUTOFF, ORDER, PRIOR],
    },
];

impl Algorithm {
    /// What is said of it.
    pub fn entry(self) -> &'static AlgorithmEntry {
        let of = |entry: &&AlgorithmEntry| entry.algorithm == self;
        ALGORITHMS.iter().find(of).expect("every algorithm is in the list")
    }
}
