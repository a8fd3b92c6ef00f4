//! The list of algorithms that players are made of, with their options.

use std::ops::RangeInclusive;

/// How a player finds its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Algorithm {
    /// Any legal move.
    Random,
    /// Alpha-beta.
    AlphaBeta,
    /// MTD(f).
    Mtdf,
    /// Minimax with mixed strategies.
    Mixed,
    /// Max^n.
    Maxn,
    /// Several searches at once.
    Ensemble,
    /// UCT.
    Uct,
    /// UCT guided by a function.
    Guct,
    /// Selected automatically.
    Auto,
    /// Memory-bounded best-first search, for one role.
    BestFirst,
    /// Iterative deepening over a distance, for one role.
    Ida,
    /// Search from both ends, for one role.
    Bidirectional,
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

const DEPTH: OptionEntry = option("depth", 0.0, [0.0, 240.0], "search depth in plies; 0 for no limit");
const NODES: OptionEntry =
    option("nodes", 0.0, [0.0, 1e15], "states visited for a move at most; 0 for no limit");
const TABLE: OptionEntry = option("table", 64.0, [0.0, 65536.0], "MiB of the transposition table");
const HISTORY: OptionEntry =
    option("history", 1.0, [0.0, 1.0], "1: order moves by their cutoffs elsewhere (history heuristic)");
const KILLERS: OptionEntry =
    option("killers", 1.0, [0.0, 1.0], "1: order moves by cutoffs at the same ply (killer moves)");
const NULL_WINDOW: OptionEntry =
    option("null", 1.0, [0.0, 1.0], "1: other children first with an empty window");
const ASPIRATION: OptionEntry =
    option("aspiration", 1.0, [0.0, 1.0], "1: each depth begins with a window around the last value");
const SEED: OptionEntry = option("seed", 1.0, [0.0, 1e15], "seed of all random choices");
const THREADS: OptionEntry =
    option("threads", 0.0, [0.0, 1024.0], "searches at work at once; 0 for as many as there are cores");
const EXPLORATION: OptionEntry =
    option("exploration", 0.4, [0.0, 100.0], "how much rare moves are preferred (C)");
const TEMPERATURE: OptionEntry = option(
    "temperature",
    0.25,
    [0.0, 100.0],
    "how little good moves are preferred in playouts; 0: all alike",
);
const LANES: OptionEntry = option(
    "lanes",
    0.0,
    [0.0, 512.0],
    "playouts at once from a new state and its children, in lanes; 0: one at a time, by averages of moves",
);
const GUIDED_LANES: OptionEntry = OptionEntry { default: 512.0, ..LANES };
const GUIDED_EXPLORATION: OptionEntry = OptionEntry { default: 0.2, ..EXPLORATION };
const MEMORY: OptionEntry = option("memory", 512.0, [1.0, 65536.0], "MiB of the states kept");
const REPLACE: OptionEntry =
    option("replace", 0.0, [0.0, 1.0], "chance that the function stands for a playout; not in lanes");
const CUTOFF: OptionEntry = option(
    "cutoff",
    0.1,
    [0.0, 1.0],
    "chance, at each state of a playout, that the function ends it; not in lanes",
);
const ORDER: OptionEntry = option("order", 0.0, [0.0, 1.0], "1: untried moves in the order of the function");
const PRIOR: OptionEntry = option("prior", 2.0, [0.0, 10_000.0], "visits that the function counts as");

const TRIAL: OptionEntry = option(
    "trial",
    6.0,
    [0.0, 600.0],
    "seconds of trial matches, once a game; 0: by roles, teams and turns alone",
);
const PLY: OptionEntry =
    option("ply", 0.001, [0.0, 1.0], "what a ply counts beside the function's whole range");
const DEEP: OptionEntry =
    option("deep", 2.0, [0.0, 1e6], "one of so many states is the best of the deepest; 0: none");
const SCALE: OptionEntry =
    option("scale", 100.0, [0.0, 1e4], "plies that the function's whole range counts as");

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
        title: "alpha-beta with iterative deepening",
        handles: "all games; all other teams play against it (paranoid), and answer moves made at the same time",
        source: "Knuth and Moore 1975; Kuhlmann, Dresner and Stone 2006",
        takes_function: true,
        options: &[DEPTH, NODES, TABLE, HISTORY, KILLERS, NULL_WINDOW, ASPIRATION],
    },
    AlgorithmEntry {
        algorithm: Algorithm::Mtdf,
        name: "mtdf",
        title: "MTD(f) with iterative deepening",
        handles: "as alphabeta",
        source: "Plaat, Schaeffer, Pijls and de Bruin 1996; Walędzik and Mańdziuk 2014",
        takes_function: true,
        options: TREE,
    },
    AlgorithmEntry {
        algorithm: Algorithm::Mixed,
        name: "mixed",
        title: "minimax that draws its moves where both sides move at the same time",
        handles: "two teams; best where they move at the same time",
        source: "Saffidine, Finnsson and Buro 2012; Bošanský and others 2013",
        takes_function: true,
        options: &[DEPTH, NODES, TABLE, SEED],
    },
    AlgorithmEntry {
        algorithm: Algorithm::Maxn,
        name: "maxn",
        title: "max^n with iterative deepening: every team wants its own goals",
        handles: "two or more teams; each knows the choices of those before it",
        source: "Luckhardt and Irani 1986; Korf 1991",
        takes_function: true,
        options: &[DEPTH, NODES, TABLE],
    },
    AlgorithmEntry {
        algorithm: Algorithm::Ensemble,
        name: "ensemble",
        title: "several alpha-beta searches, each with a function of its own; a proof, else the deepest counts",
        handles: "as alphabeta",
        source: "Kuhlmann, Dresner and Stone 2006",
        takes_function: false,
        options: &[DEPTH, NODES, TABLE, THREADS],
    },
    AlgorithmEntry {
        algorithm: Algorithm::Uct,
        name: "uct",
        title: "UCT with averages of moves (MAST)",
        handles: "all games; every role wants its own goals",
        source: "Kocsis and Szepesvári 2006; Finnsson and Björnsson 2008",
        takes_function: false,
        options: &[NODES, EXPLORATION, TEMPERATURE, LANES, MEMORY, SEED],
    },
    AlgorithmEntry {
        algorithm: Algorithm::Guct,
        name: "guct",
        title: "UCT guided by evaluation functions: fuzzy, or the mean of several, as statistical+fuzzy",
        handles: "as uct",
        source: "Walędzik and Mańdziuk 2014",
        takes_function: true,
        options: &[
            NODES,
            GUIDED_EXPLORATION,
            TEMPERATURE,
            GUIDED_LANES,
            MEMORY,
            SEED,
            REPLACE,
            CUTOFF,
            ORDER,
            PRIOR,
        ],
    },
    AlgorithmEntry {
        algorithm: Algorithm::Auto,
        name: "auto",
        title: "selected automatically by the game's roles, teams and turns",
        handles: "all games",
        source: "",
        takes_function: false,
        options: &[NODES, TRIAL, SEED],
    },
    AlgorithmEntry {
        algorithm: Algorithm::BestFirst,
        name: "bestfirst",
        title: "best-first search in bounded memory; a way found is followed",
        handles: "games of one role",
        source: "Russell 1992 (SMA*); Kaindl and Khorsand 1994",
        takes_function: true,
        options: &[DEPTH, NODES, MEMORY, PLY, DEEP],
    },
    AlgorithmEntry {
        algorithm: Algorithm::Ida,
        name: "ida",
        title: "iterative deepening over the distance to the goal; a way found is followed",
        handles: "games of one role",
        source: "Korf 1985 (IDA*); Sarkar, Chakrabarti, Ghose and de Sarkar 1991",
        takes_function: true,
        options: &[DEPTH, NODES, TABLE, SCALE],
    },
    AlgorithmEntry {
        algorithm: Algorithm::Bidirectional,
        name: "bidirectional",
        title: "search from the first state and from the goal at once; a way found is followed",
        handles: "games of one role whose goal fixes the whole state, and whose moves can be undone",
        source: "Pohl 1971",
        takes_function: false,
        options: &[DEPTH, NODES, MEMORY],
    },
];

impl Algorithm {
    /// Whether it handles games of one role alone.
    pub fn is_for_one(self) -> bool {
        matches!(self, Algorithm::BestFirst | Algorithm::Ida | Algorithm::Bidirectional)
    }

    /// What is said of it.
    pub fn entry(self) -> &'static AlgorithmEntry {
        let of = |entry: &&AlgorithmEntry| entry.algorithm == self;
        ALGORITHMS.iter().find(of).expect("every algorithm is in the list")
    }

    /// How many teams the games have that it handles.
    pub fn teams(self) -> RangeInclusive<usize> {
        match self {
            Algorithm::Mixed => 2..=2,
            Algorithm::Maxn => 2..=usize::MAX,
            _ => 1..=usize::MAX,
        }
    }
}
