//! Symmetries of a game: permutations of fluents, moves and roles that preserve its rules, such as reflections of a board or
//! exchanging colours. Schiffel ("Symmetry Detection in General Game Playing", 2010) finds them in the text of the rules.
//! Here they are automorphisms of the network, in which numbers that only name squares no longer occur.
//!
//! The search uses individualisation and refinement. Partition refinement splits cells of nodes until all nodes of a
//! cell have equivalent neighbours (`partition.rs`). Then one node is mapped to another, and the cells are refined
//! again. When every node has an image, the permutation is checked. A chain of stabilisers gives a generator for each
//! remaining choice. The library nauty could do this, but it is C and can't check an interrupt every 50 ms on graphs of
//! millions of edges. The search stays shallow because gates are conjunctions without order.
//!
//! Learned functions share weights between symmetric features (`evaluation/learned/fit/symmetries.rs`). `solve` searches
//! states that are images of each other once (`search/symmetry/`), and the analysis describes the symmetries in words
//! (`analysis/symmetry/`).

mod flat;
mod graph;
mod partition;

use super::network::{Network, RoleMove};
use flat::FlatGates;
use graph::Graph;
use partition::Partition;

/// Maximum depth of the chain of stabilisers: the number of nodes that must be fixed until no other node can move.
const MAX_LEVELS: usize = 40;

/// Maximum number of images tried in one attempt.
const MAX_TRIED: u32 = 200;

/// Maximum number of operands of a network, so that steps between two checks of the interrupt are short.
const MAX_OPERANDS: usize = 400_000;

/// Maximum number of vertices of all partitions of the chain together; each takes about forty bytes.
const MAX_VERTICES: usize = 4_000_000;

/// A permutation that preserves the rules. It need not preserve the initial state. If it exchanges the players, for
/// instance, the first player is to move in a state, and the second one in its image.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Symmetry {
    /// For each bit of a state its image.
    pub bits: Box<[u32]>,
    /// For each role its image: what a role can reach in a state, its image can reach in the image of the state.
    pub roles: Box<[u32]>,
}

impl Symmetry {
    /// The identity.
    pub fn identity(bits: usize, roles: usize) -> Symmetry {
        Symmetry { bits: (0..bits as u32).collect(), roles: (0..roles as u32).collect() }
    }

    /// The composition: first `self`, then `other`.
    pub fn then(&self, other: &Symmetry) -> Symmetry {
        let after = |one: &[u32], two: &[u32]| one.iter().map(|&image| two[image as usize]).collect();
        Symmetry { bits: after(&self.bits, &other.bits), roles: after(&self.roles, &other.roles) }
    }

    /// Whether every role is its own image.
    pub fn keeps_roles(&self) -> bool {
        (0..).zip(&self.roles).all(|(role, &image)| role == image)
    }
}

/// The effect of a symmetry on moves. For each role and each of its moves (in the order of [`Network::moves`]), it has
/// the index of the move's image among the moves of the role's image.
pub type MoveImages = Vec<Box<[u32]>>;

/// Generators of the symmetries of a game.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Generators {
    /// The generators found, without the identity.
    pub found: Vec<Symmetry>,
    /// For each generator its effect on moves.
    pub moves: Vec<MoveImages>,
    /// Whether there may be more, because the search was stopped.
    pub cut_short: bool,
}

impl Generators {
    /// The number of symmetries that they generate; none if it is too large for 64 bits. It is exact if the search was not cut
    /// short, and otherwise a lower bound.
    pub fn order(&self) -> Option<u64> {
        // The orbit of each bit under the generators that fix all earlier bits. The search finds generators for each of
        // these stabilisers.
        let mut order = 1_u64;
        let mut stabilizer: Vec<&Symmetry> = self.found.iter().collect();
        let bits = self.found.first().map_or(0, |first| first.bits.len());
        for base in 0..bits as u32 {
            if stabilizer.iter().all(|symmetry| symmetry.bits[base as usize] == base) {
                continue;
            }
            let mut orbit = vec![base];
            let mut seen = vec![false; bits];
            seen[base as usize] = true;
            let mut next = 0;
            while let Some(&bit) = orbit.get(next) {
                for symmetry in &stabilizer {
                    let image = symmetry.bits[bit as usize];
                    if !std::mem::replace(&mut seen[image as usize], true) {
                        orbit.push(image);
                    }
                }
                next += 1;
            }
            order = order.checked_mul(orbit.len() as u64)?;
            stabilizer.retain(|symmetry| symmetry.bits[base as usize] == base);
        }
        Some(order)
    }
}

/// Finds generators of the symmetries of a game. Roles of different `kinds` are not exchanged. `spend` is called at least
/// every few milliseconds with an amount of work of some nanoseconds per unit; the search stops when it returns false.
pub fn symmetries(network: &Network, kinds: &[u32], spend: &mut dyn FnMut(u64) -> bool) -> Generators {
    if network.operands.len() > MAX_OPERANDS {
        return Generators { cut_short: true, ..Generators::default() };
    }
    of_gates(network, &FlatGates::own(network), kinds, spend)
}

/// Finds generators as [`symmetries`] does, with a network of flat gates, which has the same values and more symmetries.
pub fn symmetries_of_flat(
    network: &Network,
    kinds: &[u32],
    spend: &mut dyn FnMut(u64) -> bool,
) -> Generators {
    if network.operands.len() > MAX_OPERANDS {
        return Generators { cut_short: true, ..Generators::default() };
    }
    of_gates(network, &FlatGates::new(network), kinds, spend)
}

/// Finds generators for a network with these gates.
fn of_gates(
    network: &Network,
    gates: &FlatGates,
    kinds: &[u32],
    spend: &mut dyn FnMut(u64) -> bool,
) -> Generators {
    let graph = Graph::new(network, gates, kinds);
    let mut search = Search { graph: &graph, spend, found: Vec::new(), tried: 0, gave_up: false };
    let cut_short = search.run(network.next.len()).is_none() || search.gave_up;
    let first_role = graph.first_role as u32;
    let bits = network.next.len();
    let of = |map: &Vec<u32>| Symmetry {
        bits: map[1..=bits].iter().map(|&node| node - 1).collect(),
        roles: map[graph.first_role..graph.first_role + kinds.len()]
            .iter()
            .map(|&node| node - first_role)
            .collect(),
    };
    // The number of each move among those of its role, by input node.
    let mut numbers = vec![0; network.nodes as usize];
    for moves in &network.moves {
        (0..).zip(moves).for_each(|(number, role_move)| numbers[role_move.input as usize] = number);
    }
    let moves_of = |map: &Vec<u32>| -> MoveImages {
        let image = |role_move: &RoleMove| numbers[map[role_move.input as usize] as usize];
        network.moves.iter().map(|moves| moves.iter().map(image).collect()).collect()
    };
    let identity = Symmetry::identity(bits, kinds.len());
    let maps = search.found.iter().map(|map| (of(map), moves_of(map)));
    let (found, moves) = maps.filter(|(symmetry, _)| *symmetry != identity).unzip();
    Generators { found, moves, cut_short }
}

struct Search<'a> {
    graph: &'a Graph,
    spend: &'a mut dyn FnMut(u64) -> bool,
    /// For each generator the image of every vertex.
    found: Vec<Vec<u32>>,
    /// Number of images tried in this attempt.
    tried: u32,
    /// Whether an attempt ended after [`MAX_TRIED`] images, so that a symmetry may be missing.
    gave_up: bool,
}

/// A fixed node, with the partition before it was fixed.
struct Level {
    cells: Partition,
    fixed: u32,
}

impl Search<'_> {
    /// Builds the chain. `None` if the search was stopped.
    fn run(&mut self, bits: usize) -> Option<()> {
        let mut cells = Partition::new(self.graph);
        self.refine(&mut cells)?;
        let mut levels = Vec::new();
        while let Some(fixed) = (1..=bits as u32).find(|&bit| !cells.is_alone(bit)) {
            if levels.len() == MAX_LEVELS || levels.len() * self.graph.vertices() > MAX_VERTICES {
                return None;
            }
            self.spend_per_vertex(1)?;
            levels.push(Level { cells: cells.clone(), fixed });
            cells.set_apart(fixed, fixed);
            self.refine(&mut cells)?;
        }
        for Level { cells, fixed } in levels.into_iter().rev() {
            let others: Vec<u32> = cells.cell_mates(fixed, false).filter(|&other| other != fixed).collect();
            let mut hopeless = Vec::new();
            let mut orbits = self.orbits()?;
            for other in others {
                if orbits[other as usize] == orbits[fixed as usize]
                    || hopeless.iter().any(|&node: &u32| orbits[node as usize] == orbits[other as usize])
                {
                    continue;
                }
                self.tried = 0;
                match self.mapped(&cells, fixed, other, bits)? {
                    Some(map) => {
                        self.found.push(map);
                        orbits = self.orbits()?;
                    }
                    None => hopeless.push(other),
                }
            }
        }
        Some(())
    }

    /// Counts work that visits every vertex this many times. `None` if the search must stop.
    fn spend_per_vertex(&mut self, times: usize) -> Option<()> {
        (self.spend)((times * self.graph.vertices()) as u64).then_some(())
    }

    /// The representative of each vertex's orbit under the generators found so far. `None` if the search must stop.
    fn orbits(&mut self) -> Option<Vec<u32>> {
        self.spend_per_vertex(1 + self.found.len())?;
        let mut of: Vec<u32> = (0..self.graph.vertices() as u32).collect();
        fn root(of: &mut [u32], mut vertex: u32) -> u32 {
            while of[vertex as usize] != vertex {
                of[vertex as usize] = of[of[vertex as usize] as usize];
                vertex = of[vertex as usize];
            }
            vertex
        }
        for map in &self.found {
            for (vertex, &image) in (0..).zip(map) {
                let (one, other) = (root(&mut of, vertex), root(&mut of, image));
                of[one.max(other) as usize] = one.min(other);
            }
        }
        Some((0..of.len() as u32).map(|vertex| root(&mut of, vertex)).collect())
    }

    /// A symmetry that maps `from` to `to`, within the cells. The inner `None` means that none was found, possibly
    /// because [`MAX_TRIED`] images were tried; the outer `None` means that the search must stop.
    fn mapped(&mut self, cells: &Partition, from: u32, to: u32, bits: usize) -> Option<Option<Vec<u32>>> {
        self.tried += 1;
        self.spend_per_vertex(1)?;
        let mut cells = cells.clone();
        cells.set_apart(from, to);
        if !self.refine(&mut cells)? {
            return Some(None);
        }
        let open = (1..=bits as u32).find(|&bit| !cells.is_alone(bit));
        let Some(next) = open else {
            let map = cells.map();
            return Some(self.graph.is_automorphism(&map, self.spend)?.then_some(map));
        };
        let images: Vec<u32> = cells.cell_mates(next, true).collect();
        for image in images {
            if self.tried >= MAX_TRIED {
                self.gave_up = true;
                break;
            }
            if let Some(map) = self.mapped(&cells, next, image, bits)? {
                return Some(Some(map));
            }
        }
        Some(None)
    }

    /// Refines the cells. Returns whether the two copies of the partition can still be mapped to each other; `None` if
    /// the search must stop.
    fn refine(&mut self, cells: &mut Partition) -> Option<bool> {
        cells.refine(self.graph, self.spend)
    }
}

#[cfg(test)]
mod tests;
