//! Partition refinement: cells of vertices that may be mapped to each other are split until the vertices of each cell
//! have equivalent neighbours (Hopcroft 1971; Junttila and Kaski 2007 for automorphisms of graphs).
//!
//! There are two copies of the graph. A symmetry maps a vertex of the first copy to a vertex of the second copy in the same
//! cell. So each cell must have equally many vertices of both; otherwise the decisions so far lead to no symmetry.

use super::graph::{Graph, STRIDE};

/// A partition of the vertices of both copies. Vertices of the second copy have ids above all those of the first.
#[derive(Clone)]
pub(super) struct Partition {
    /// All vertices, cell by cell.
    order: Vec<u32>,
    /// The position of each vertex in `order`.
    place: Vec<u32>,
    /// For each vertex, the position in `order` at which its cell starts. Cells are named by this position.
    cell: Vec<u32>,
    /// For each cell, its number of vertices.
    length: Vec<u32>,
    /// Cells by which other cells must still be split.
    waiting: Vec<u32>,
    /// For each cell, whether it is in `waiting`.
    is_waiting: Vec<bool>,
}

impl Partition {
    /// Makes one cell for each kind of vertex.
    pub(super) fn new(graph: &Graph) -> Partition {
        let vertices = graph.vertices();
        let kind = |&vertex: &u32| graph.kinds[vertex as usize % vertices];
        let mut order: Vec<u32> = (0..2 * vertices as u32).collect();
        order.sort_by_key(kind);
        let mut partition = Partition {
            place: vec![0; order.len()],
            cell: vec![0; order.len()],
            length: vec![0; order.len()],
            waiting: Vec::new(),
            is_waiting: vec![false; order.len()],
            order,
        };
        let mut begin = 0;
        for place in 0..partition.order.len() {
            let vertex = partition.order[place];
            if kind(&vertex) != kind(&partition.order[begin]) {
                begin = place;
            }
            partition.place[vertex as usize] = place as u32;
            partition.cell[vertex as usize] = begin as u32;
            partition.length[begin] += 1;
            if begin == place {
                partition.wait(begin as u32);
            }
        }
        partition
    }

    fn wait(&mut self, cell: u32) {
        if !std::mem::replace(&mut self.is_waiting[cell as usize], true) {
            self.waiting.push(cell);
        }
    }

    fn members(&self, cell: u32) -> &[u32] {
        &self.order[cell as usize..(cell + self.length[cell as usize]) as usize]
    }

    fn vertices(&self) -> u32 {
        self.order.len() as u32 / 2
    }

    /// Whether a vertex of the first copy has only one possible image.
    pub(super) fn is_alone(&self, vertex: u32) -> bool {
        self.length[self.cell[vertex as usize] as usize] == 2
    }

    /// The vertices in the cell of `vertex` that belong to the first copy, or to the second if `in_second`; as vertices of
    /// the graph.
    pub(super) fn cell_mates(&self, vertex: u32, in_second: bool) -> impl Iterator<Item = u32> {
        let vertices = self.vertices();
        let mut mates: Vec<u32> = self.members(self.cell[vertex as usize]).to_vec();
        mates.retain(|&member| (member >= vertices) == in_second);
        mates.sort_unstable();
        mates.into_iter().map(move |member| member % vertices)
    }

    /// Moves `here` of the first copy and `there` of the second copy, which share a cell, into a cell of their own. So `here`
    /// is mapped to `there`.
    pub(super) fn set_apart(&mut self, here: u32, there: u32) {
        let there = there + self.vertices();
        let cell = self.cell[here as usize];
        let length = self.length[cell as usize];
        if length == 2 {
            return;
        }
        for (vertex, offset) in [(here, 0), (there, 1)] {
            let (from, to) = (self.place[vertex as usize], cell + length - 2 + offset);
            let other = self.order[to as usize];
            self.order.swap(from as usize, to as usize);
            self.place[vertex as usize] = to;
            self.place[other as usize] = from;
        }
        let begin = cell + length - 2;
        self.length[cell as usize] = length - 2;
        self.length[begin as usize] = 2;
        self.cell[here as usize] = begin;
        self.cell[there as usize] = begin;
        self.wait(begin);
    }

    /// Splits cells until all vertices of a cell have equivalent neighbours. Returns whether each cell has equally many vertices
    /// of both copies, or `None` if `spend` stops the search.
    pub(super) fn refine(&mut self, graph: &Graph, spend: &mut dyn FnMut(u64) -> bool) -> Option<bool> {
        let vertices = self.vertices();
        let mut sums = vec![0_u64; self.order.len()];
        let mut touched: Vec<u32> = Vec::new();
        let mut work = 0;
        let mut alike = true;
        while let Some(cell) = self.waiting.pop() {
            self.is_waiting[cell as usize] = false;
            if !alike {
                continue;
            }
            for index in cell..cell + self.length[cell as usize] {
                let vertex = self.order[index as usize];
                let offset = if vertex < vertices { 0 } else { vertices };
                for &(other, code) in graph.edges(vertex - offset) {
                    let sum = &mut sums[(other + offset) as usize];
                    if *sum == 0 {
                        touched.push(other + offset);
                    }
                    *sum = sum.wrapping_add(code);
                }
                work += 1 + graph.edges(vertex - offset).len() as u64;
                if work > STRIDE && !spend(std::mem::take(&mut work)) {
                    return None;
                }
            }
            // The order must not depend on the order in which vertices were touched.
            touched
                .sort_unstable_by_key(|&vertex| (self.cell[vertex as usize], sums[vertex as usize], vertex));
            touched.dedup();
            let mut first = 0;
            while first < touched.len() {
                let cell = self.cell[touched[first] as usize];
                let count = touched[first..].partition_point(|&vertex| self.cell[vertex as usize] == cell);
                alike &= self.split(cell, &touched[first..first + count], &sums);
                first += count;
            }
            work += 4 * touched.len() as u64;
            touched.drain(..).for_each(|vertex| sums[vertex as usize] = 0);
            if work > STRIDE && !spend(std::mem::take(&mut work)) {
                return None;
            }
        }
        spend(work).then_some(alike)
    }

    /// Splits a cell by the sums of its touched vertices, which are sorted by them. Returns whether all parts have equally
    /// many vertices of both copies.
    fn split(&mut self, cell: u32, touched: &[u32], sums: &[u64]) -> bool {
        let vertices = self.vertices();
        let balanced =
            |part: &[u32]| 2 * part.iter().filter(|&&vertex| vertex < vertices).count() == part.len();
        let length = self.length[cell as usize];
        let parts = || touched.chunk_by(|&one, &other| sums[one as usize] == sums[other as usize]);
        if !parts().all(balanced) {
            return false;
        }
        let untouched = length - touched.len() as u32;
        if untouched == 0 && parts().nth(1).is_none() {
            return true;
        }
        // Untouched vertices stay in front; the parts follow.
        let mut end = cell + length;
        for &vertex in touched.iter().rev() {
            end -= 1;
            let (from, other) = (self.place[vertex as usize], self.order[end as usize]);
            self.order.swap(from as usize, end as usize);
            self.place[vertex as usize] = end;
            self.place[other as usize] = from;
        }
        let mut begins = Vec::new();
        let mut begin = cell;
        if untouched > 0 {
            self.length[cell as usize] = untouched;
            begins.push(cell);
            begin += untouched;
        }
        for part in parts() {
            self.length[begin as usize] = part.len() as u32;
            part.iter().for_each(|&vertex| self.cell[vertex as usize] = begin);
            begins.push(begin);
            begin += part.len() as u32;
        }
        // The cell was used for splitting already, so the largest part adds no information.
        let largest = begins.iter().copied().max_by_key(|&begin| (self.length[begin as usize], begin));
        let was_waiting = self.is_waiting[cell as usize];
        for begin in begins {
            if was_waiting || Some(begin) != largest {
                self.wait(begin);
            }
        }
        true
    }

    /// The image of every vertex of the first copy. In cells of several vertices, images are assigned in order.
    pub(super) fn map(&self) -> Vec<u32> {
        let vertices = self.vertices();
        let mut map = vec![0; vertices as usize];
        let mut begin = 0;
        while begin < self.order.len() {
            let mut members = self.members(begin as u32).to_vec();
            members.sort_unstable();
            let (here, there) = members.split_at(members.len() / 2);
            here.iter().zip(there).for_each(|(&here, &there)| map[here as usize] = there - vertices);
            begin += members.len();
        }
        map
    }
}
