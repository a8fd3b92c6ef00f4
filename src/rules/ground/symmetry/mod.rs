//! Symmetries of a game: permutations of fluents, moves and roles under which its rules stay the same, as reflections of a board
//! or colours that change sides (Schiffel 2010, Symmetry Detection in General Game Playing; there from the rules' text, here
//! from the network, where numbers that only name squares are gone).
//!
//! They are automorphisms of the network as a graph. Cells of nodes that could be mapped onto each other are refined until each
//! node is like all others of its cell (`partition.rs`); then one node is said to go to another, cells are refined anew, and so
//! on until every node's image is known, which is checked node by node. A chain of stabilisers gives a generator for each choice
//! that is left. A library for graph automorphisms (nauty) would do; but it is C that can't be asked to look at an interrupt every
//! 50 ms with graphs of millions of edges, and gates as conjunctions without order keep the search shallow.
//!
//! Learned functions use the symmetries to share weights (`evaluation/learned/group.rs`).

mod graph;
mod partition;

use super::network::Network;
use graph::Graph;
use partition::Partition;

/// How deep the chain of stabilisers goes: the number of nodes that have to be held in place until nothing else can move.
const LEVELS: usize = 40;

/// Images that are tried in one attempt at most.
const TRIED: u32 = 200;

/// Operands of a network at most, so that no step between two looks at the interrupt takes long.
const OPERANDS: usize = 400_000;

/// Vertices of all partitions of the chain together at most; each takes some forty bytes.
const ROOM: usize = 4_000_000;

/// A permutation under which the rules stay the same. The initial state need not: after a move by the first player, a position of the
/// second one may be the image of one of the first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Symmetry {
    /// For each bit of a state the bit that it goes to.
    pub bits: Box<[u32]>,
    /// For each role the role whose place it takes: what the first can reach in a state the second can in its image.
    pub roles: Box<[u32]>,
}

impl Symmetry {
    /// The one that moves nothing.
    pub fn identity(bits: usize, roles: usize) -> Symmetry {
        Symmetry { bits: (0..bits as u32).collect(), roles: (0..roles as u32).collect() }
    }

    /// First this, then another.
    pub fn then(&self, other: &Symmetry) -> Symmetry {
        let after = |one: &[u32], two: &[u32]| one.iter().map(|&image| two[image as usize]).collect();
        Symmetry { bits: after(&self.bits, &other.bits), roles: after(&self.roles, &other.roles) }
    }

    /// Whether every role keeps its place.
    pub fn keeps_roles(&self) -> bool {
        (0..).zip(&self.roles).all(|(role, &image)| role == image)
    }
}

/// Symmetries from which all others follow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Generators {
    /// They, as far as they were found; none of them moves nothing.
    pub found: Vec<Symmetry>,
    /// Whether there may be more, as the work allowed was done.
    pub cut_short: bool,
}

/// Generators of the game's symmetries. Roles of different `kinds` don't take each other's places. `spend` hears of work, some
/// nanoseconds each, at least every some milliseconds; where it says no the search ends with what was found.
pub fn symmetries(network: &Network, kinds: &[u32], spend: &mut dyn FnMut(u64) -> bool) -> Generators {
    if network.operands.len() > OPERANDS {
        return Generators { found: Vec::new(), cut_short: true };
    }
    let graph = Graph::new(network, kinds);
    let mut search = Search { graph: &graph, spend, found: Vec::new(), tried: 0 };
    let cut_short = search.run(network.next.len()).is_none();
    let first_role = graph.first_role as u32;
    let bits = network.next.len();
    let of = |map: &Vec<u32>| Symmetry {
        bits: map[1..=bits].iter().map(|&node| node - 1).collect(),
        roles: map[graph.first_role..graph.first_role + kinds.len()]
            .iter()
            .map(|&node| node - first_role)
            .collect(),
    };
    let mut found: Vec<Symmetry> = search.found.iter().map(of).collect();
    let nothing = Symmetry::identity(bits, kinds.len());
    found.retain(|symmetry| *symmetry != nothing);
    Generators { found, cut_short }
}

struct Search<'a> {
    graph: &'a Graph,
    spend: &'a mut dyn FnMut(u64) -> bool,
    /// For each generator the image of every vertex.
    found: Vec<Vec<u32>>,
    /// Images tried in this attempt.
    tried: u32,
}

/// A node that is held in place, with the cells before that.
struct Level {
    cells: Partition,
    held: u32,
}

impl Search<'_> {
    /// None where it has to end.
    fn run(&mut self, bits: usize) -> Option<()> {
        let mut cells = Partition::new(self.graph);
        self.refine(&mut cells)?;
        let mut levels = Vec::new();
        while let Some(held) = (1..=bits as u32).find(|&bit| !cells.is_alone(bit)) {
            if levels.len() == LEVELS || levels.len() * self.graph.vertices() > ROOM {
                return None;
            }
            self.spend_on_all(1)?;
            levels.push(Level { cells: cells.clone(), held });
            cells.set_apart(held, held);
            self.refine(&mut cells)?;
        }
        for Level { cells, held } in levels.into_iter().rev() {
            let others: Vec<u32> = cells.of(held, false).filter(|&other| other != held).collect();
            let mut hopeless = Vec::new();
            let mut orbits = self.orbits()?;
            for other in others {
                if orbits[other as usize] == orbits[held as usize]
                    || hopeless.iter().any(|&node: &u32| orbits[node as usize] == orbits[other as usize])
                {
                    continue;
                }
                self.tried = 0;
                match self.mapped(&cells, held, other, bits)? {
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

    /// Counts work that looks at every vertex so many times; none where it has to end.
    fn spend_on_all(&mut self, times: usize) -> Option<()> {
        (self.spend)((times * self.graph.vertices()) as u64).then_some(())
    }

    /// For each vertex one that stands for all that the generators found map it to; none where it has to end.
    fn orbits(&mut self) -> Option<Vec<u32>> {
        self.spend_on_all(1 + self.found.len())?;
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

    /// A symmetry that takes one vertex to another, within cells; none where there is no such, or too much was tried.
    fn mapped(&mut self, cells: &Partition, from: u32, to: u32, bits: usize) -> Option<Option<Vec<u32>>> {
        self.tried += 1;
        self.spend_on_all(1)?;
        let mut cells = cells.clone();
        cells.set_apart(from, to);
        if !self.refine(&mut cells)? {
            return Some(None);
        }
        let open = (1..=bits as u32).find(|&bit| !cells.is_alone(bit));
        let Some(next) = open else {
            let map = cells.map();
            return Some(self.graph.keeps(&map, self.spend)?.then_some(map));
        };
        let images: Vec<u32> = cells.of(next, true).collect();
        for image in images {
            if self.tried >= TRIED {
                break;
            }
            if let Some(map) = self.mapped(&cells, next, image, bits)? {
                return Some(Some(map));
            }
        }
        Some(None)
    }

    /// Whether both sides stay alike; none where it has to end.
    fn refine(&mut self, cells: &mut Partition) -> Option<bool> {
        cells.refine(self.graph, self.spend)
    }
}

#[cfg(test)]
mod tests;
