//! Maps the facts of a state to cells: the coordinates of boards, lines, graphs and placed pieces, and the contents of each
//! cell. The terminal and pages draw from it.

use std::collections::{BTreeMap, BTreeSet};

use crate::structure::finding::{FluentFinding, FluentKind, Structures};
use crate::structure::vocabulary::Kif;

use super::cell_marks::CellMarks;
use super::facts::Fact;

/// A fluent with more possible objects than this is not drawn on the board of another fluent.
const MARKS: usize = 12;

/// The contents of a cell: the arguments of a fact that are not coordinates.
pub(super) type Contents = Vec<String>;

/// A cell: for each axis the index along it.
pub(super) type Cell = Vec<usize>;

/// A board: a fluent whose facts are on cells, and other fluents with the same cells.
pub(super) struct CellBoard<'s> {
    /// The finding about the first fluent.
    pub(super) finding: &'s FluentFinding<Kif>,
    /// The fluents, the one of `finding` first.
    layers: Vec<Layer>,
    /// The argument indices of the coordinates, from 0: first the one that runs across.
    pub(super) axes: Vec<usize>,
    /// For each coordinate its elements from left to right or from bottom to top: in their order, or else in the order of the
    /// rules.
    pub(super) elements: Vec<Vec<&'s str>>,
    /// For each coordinate whether its elements have an order.
    pub(super) ordered: Vec<bool>,
    /// For each coordinate whether its elements are drawn from last to first.
    pub(super) reversed: Vec<bool>,
}

/// How a board with two coordinates is turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Orientation {
    /// The coordinate that is vertical.
    pub(super) vertical: usize,
    /// Whether the last element of the vertical coordinate is at the bottom.
    pub(super) reversed: bool,
}

impl Orientation {
    /// The second coordinate runs upwards.
    pub(super) const USUAL: Orientation = Orientation { vertical: 1, reversed: false };
}

/// A fluent on a board.
struct Layer {
    /// Its index in `Structures::fluents`.
    fluent: usize,
    /// Its name with its arity.
    name: String,
    /// The argument indices of the coordinates, from 0, in the order of the board's axes.
    axes: Vec<usize>,
    /// For each coordinate and each term of the argument's domain, the index along the axis; `None` for a term that is not an
    /// element.
    places: Vec<Vec<Option<usize>>>,
    /// Whether contents begin with the fluent's name, because they would look like those of another fluent.
    is_named: bool,
}

impl<'s> CellBoard<'s> {
    /// The cells of the fluent with this index; `None` if it has no coordinates. If `known` has facts of the fluent, the axes
    /// have only elements that they use.
    pub(super) fn new(fluent: usize, structures: &'s Structures<Kif>, known: &[Fact]) -> Option<Self> {
        let finding = &structures.fluents[fluent];
        if !finding.kind.has_cells() || finding.axes.is_empty() {
            return None;
        }
        let axes = Vec::from_iter(finding.axes.iter().map(|axis| axis.argument.index()));
        let (mut elements, mut ordered, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for axis in &finding.axes {
            let argument = axis.argument.index();
            let domain = &finding.domains[argument];
            let used = used(fluent, argument, domain.len(), known);
            let fluent_order = axis.order.as_ref().and_then(|order| chain(order, structures, domain));
            let fluent_order = fluent_order.filter(|along| !along.is_empty());
            let in_order = fluent_order.or_else(|| borrowed_order(structures, domain, &used));
            ordered.push(in_order.is_some());
            let along = match in_order {
                Some(along) => trimmed(&along, &used),
                None => used.iter().copied().collect(),
            };
            places.push(places_of(&along, domain.len()));
            elements.push(Vec::from_iter(along.iter().map(|&position| domain[position].as_str())));
        }
        let layer =
            Layer { fluent, name: finding.fluent.clone(), axes: axes.clone(), places, is_named: false };
        let reversed = vec![false; axes.len()];
        let board = CellBoard { finding, layers: vec![layer], axes, elements, ordered, reversed };
        board.elements.iter().all(|elements| !elements.is_empty()).then_some(board)
    }

    /// Adds a fluent with the same cells; returns false if it has others, or too many objects.
    pub(super) fn add_layer(&mut self, fluent: usize, structures: &Structures<Kif>, known: &[Fact]) -> bool {
        let finding = &structures.fluents[fluent];
        let axes: Vec<usize> = match finding.axes.is_empty() {
            _ if finding.arity < self.axes.len() => return false,
            false => finding.axes.iter().map(|axis| axis.argument.index()).collect(),
            // A fluent without coordinates marks cells if its first arguments name them.
            true if self.axes.len() < 2 || finding.kind != FluentKind::Other => return false,
            true => (0..self.axes.len()).collect(),
        };
        let rest = (0..finding.arity).filter(|argument| !axes.contains(argument));
        let domain = |argument: usize| finding.domains.get(argument).map_or(&[][..], Vec::as_slice);
        let rest: Vec<&[String]> = rest.map(domain).collect();
        if axes.len() != self.axes.len() || rest.iter().map(|domain| domain.len()).product::<usize>() > MARKS
        {
            return false;
        }
        let mut places = Vec::new();
        for (&argument, elements) in axes.iter().zip(&self.elements) {
            let domain = &finding.domains[argument];
            let used = used(fluent, argument, domain.len(), known);
            let place = |term: &String| elements.iter().position(|element| element == term);
            let axis_indices: Vec<Option<usize>> = domain.iter().map(place).collect();
            if used.is_empty() || used.iter().any(|&position| axis_indices[position].is_none()) {
                return false;
            }
            places.push(axis_indices);
        }
        let mine = (0..self.finding.arity).filter(|argument| !self.axes.contains(argument));
        let mut mine = mine.flat_map(|argument| &self.finding.domains[argument]);
        let is_named = mine.any(|word| rest.iter().any(|domain| domain.contains(word)));
        self.layers.push(Layer { fluent, name: finding.fluent.clone(), axes, places, is_named });
        true
    }

    /// Adds a relation whose facts mark cells.
    pub(super) fn add_marks(&mut self, marks: &CellMarks) {
        let Some(fluent) = marks.facts.first().and_then(|fact| fact.fluent) else { return };
        // The board may have been turned.
        let mark_axis = |argument: &usize| {
            let axis = self.finding.axes.iter().position(|axis| axis.argument.index() == *argument);
            axis.map(|axis| marks.axes[axis])
        };
        let axes = self.axes.iter().filter_map(mark_axis).collect();
        let places = self.layers[0].places.clone();
        self.layers.push(Layer { fluent, name: marks.title.clone(), axes, places, is_named: false });
    }

    /// Removes a relation that was added last.
    pub(super) fn remove_marks(&mut self, marks: &CellMarks) {
        let fluent = marks.facts.first().and_then(|fact| fact.fluent);
        self.layers.retain(|layer| Some(layer.fluent) != fluent);
    }

    /// Turns the board, which must have two coordinates.
    pub(super) fn turn(&mut self, orientation: Orientation) {
        if self.axes.len() != 2 {
            return;
        }
        if orientation.vertical == 0 {
            for layer in &mut self.layers {
                layer.axes.swap(0, 1);
                layer.places.swap(0, 1);
            }
            self.axes.swap(0, 1);
            self.elements.swap(0, 1);
            self.ordered.swap(0, 1);
        }
        if orientation.reversed {
            let last = self.elements[1].len() - 1;
            self.elements[1].reverse();
            self.reversed[1] = true;
            let places = self.layers.iter_mut().flat_map(|layer| &mut layer.places[1]);
            places.flatten().for_each(|place| *place = last - *place);
        }
    }

    /// The indices of the fluents in `Structures::fluents`.
    pub(super) fn fluents(&self) -> impl Iterator<Item = usize> {
        self.layers.iter().map(|layer| layer.fluent)
    }

    /// The names of the fluents.
    pub(super) fn title(&self) -> String {
        self.layers.iter().map(|layer| layer.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// The number of coordinate tuples.
    pub(super) fn size(&self) -> usize {
        self.elements.iter().map(Vec::len).product()
    }

    fn layer(&self, fact: &Fact) -> Option<&Layer> {
        self.layers.iter().find(|layer| Some(layer.fluent) == fact.fluent)
    }

    /// The cell of a fact; `None` if the fact belongs to another fluent or is not on a cell.
    pub(super) fn cell(&self, fact: &Fact) -> Option<Cell> {
        let layer = self.layer(fact)?;
        let place = |(places, &axis): (&Vec<Option<usize>>, &usize)| places[fact.positions[axis]?];
        layer.places.iter().zip(&layer.axes).map(place).collect()
    }

    /// The cell with these coordinates of the first fluent, in the order of the finding's axes, given by their positions in the
    /// domains.
    pub(super) fn place(&self, positions: &[Option<usize>]) -> Option<Cell> {
        let axes = self.finding.axes.iter().zip(positions);
        let position_of: BTreeMap<usize, usize> =
            axes.filter_map(|(axis, position)| Some((axis.argument.index(), (*position)?))).collect();
        let layer = &self.layers[0];
        layer.places.iter().zip(&layer.axes).map(|(places, axis)| places[*position_of.get(axis)?]).collect()
    }

    /// The contents that a fact puts on its cell: the other arguments, or the fluent's name if there are none.
    pub(super) fn contents(&self, fact: &Fact) -> Contents {
        let layer = self.layer(fact).unwrap_or(&self.layers[0]);
        let rest = fact.arguments.iter().enumerate().filter(|(argument, _)| !layer.axes.contains(argument));
        let name = [fact.name.clone()].into_iter().filter(|_| layer.is_named);
        let contents: Contents = name.chain(rest.map(|(_, text)| text.clone())).collect();
        if contents.is_empty() { vec![fact.name.clone()] } else { contents }
    }

    /// Whether contents are the name of a fluent that is on the board of another one.
    pub(super) fn is_mark(&self, contents: &Contents) -> bool {
        let name = |layer: &Layer| layer.name.split('/').next().map(str::to_owned);
        self.layers[1..].iter().any(|layer| name(layer).as_ref() == contents.first())
    }

    /// The contents of every cell that has a fact.
    pub(super) fn cells<'f>(
        &self,
        state: impl IntoIterator<Item = &'f Fact>,
    ) -> BTreeMap<Cell, Vec<Contents>> {
        let mut cells: BTreeMap<Cell, Vec<Contents>> = BTreeMap::new();
        for fact in state {
            if let Some(cell) = self.cell(fact) {
                cells.entry(cell).or_default().push(self.contents(fact));
            }
        }
        cells
    }

    /// The name of a cell: its coordinates, in the order of the rules.
    pub(super) fn name(&self, cell: &Cell) -> String {
        let mut words: Vec<(usize, &str)> = (cell.iter().zip(&self.elements).zip(&self.axes))
            .map(|((&place, elements), &argument)| (argument, elements[place]))
            .collect();
        words.sort_unstable();
        words.into_iter().map(|(_, word)| word).collect::<Vec<_>>().join(" ")
    }

    /// Describes the axes of a plane.
    pub(super) fn reading(&self) -> String {
        let up = if self.reversed[1] { "down" } else { "up" };
        format!("argument {} across, {} {up}", self.axes[0] + 1, self.axes[1] + 1)
    }
}

/// The positions of a domain that facts use; all of them if there is no fact of the fluent.
fn used(fluent: usize, argument: usize, domain: usize, known: &[Fact]) -> BTreeSet<usize> {
    let facts = known.iter().filter(|fact| fact.fluent == Some(fluent));
    let used: BTreeSet<usize> = facts.filter_map(|fact| fact.positions[argument]).collect();
    if used.is_empty() { (0..domain).collect() } else { used }
}

/// The part of an order from the first to the last used position.
fn trimmed(along: &[usize], used: &BTreeSet<usize>) -> Vec<usize> {
    let is_used = |position: &usize| used.contains(position);
    match (along.iter().position(is_used), along.iter().rposition(is_used)) {
        (Some(first), Some(last)) => along[first..=last].to_vec(),
        _ => along.to_vec(),
    }
}

/// The shortest order of the game that has all used positions of a domain for which the rules give no order.
fn borrowed_order(
    structures: &Structures<Kif>,
    domain: &[String],
    used: &BTreeSet<usize>,
) -> Option<Vec<usize>> {
    let successors = structures.successors.iter().map(|found| (&found.relation, found.elements.len()));
    let others = structures.chains.iter().map(|chain| (&chain.pattern, chain.elements.len()));
    let mut orders: Vec<(&String, usize)> = successors.chain(others).collect();
    orders.sort_by_key(|&(_, length)| length);
    let found = orders.into_iter().filter_map(|(order, _)| chain(order, structures, domain));
    found.into_iter().find(|along| used.len() > 1 && used.iter().all(|position| along.contains(position)))
}

/// The elements of an order or a cycle that are in a domain, from first to last, as positions in the domain.
pub(super) fn chain(order: &str, structures: &Structures<Kif>, domain: &[String]) -> Option<Vec<usize>> {
    let positions: BTreeMap<&str, usize> = domain.iter().map(String::as_str).zip(0..).collect();
    let successors = structures.successors.iter().filter(|found| found.relation == order);
    let others = structures.chains.iter().chain(&structures.cycles).filter(|chain| chain.pattern == order);
    let chains = successors.map(|found| &found.elements).chain(others.map(|chain| &chain.elements));
    let found = chains.map(|elements| -> Vec<usize> {
        elements.iter().filter_map(|element| positions.get(element.as_str()).copied()).collect()
    });
    found.max_by_key(Vec::len)
}

/// The inverse of `along`: for each position of the domain its index in the list.
pub(super) fn places_of(along: &[usize], domain: usize) -> Vec<Option<usize>> {
    let mut places = vec![None; domain];
    along.iter().enumerate().for_each(|(place, &position)| places[position] = Some(place));
    places
}

#[cfg(test)]
mod tests {
    use super::super::facts::tests::facts;
    use super::*;

    fn structures() -> Structures<Kif> {
        let evidence = serde_json::json!({
            "methods": ["syntax"], "because": "", "states": 0, "playouts": 0, "counterexample_bound": 0.0,
        });
        let words = ["1", "2", "3", "4", "5"];
        let fluent = |name: &str,
                      kind: &str,
                      arguments: usize,
                      order: serde_json::Value,
                      contents: &[&str]| {
            let mut domains = vec![words.to_vec(); arguments];
            domains.extend((!contents.is_empty()).then(|| contents.to_vec()));
            let axis = |argument: usize| serde_json::json!({"argument": argument, "order": order});
            let axes: Vec<_> = (1..=2).filter(|_| kind != "other").map(axis).collect();
            serde_json::json!({
                "fluent": format!("{name}/{}", domains.len()), "arity": domains.len(), "inputs": [], "outputs": [],
                "kind": kind, "axes": axes, "domains": domains, "evidence": evidence,
            })
        };
        let next = serde_json::json!("next/2");
        serde_json::from_value(serde_json::json!({
            "successors": [{
                "relation": "next/2", "length": 5, "first": "1", "last": "5", "elements": words, "evidence": evidence,
            }],
            "orders": [], "teams": [], "teams_evidence": evidence, "turns": "alternating", "turns_evidence": evidence,
            "fluents": [
                fluent("floor", "board", 2, next.clone(), &["man", "box"]), fluent("goal", "other", 2, next.clone(), &[]),
                fluent("at", "place", 2, serde_json::Value::Null, &["man", "cat"]), fluent("step", "counter", 1, next, &[]),
            ],
            "zero_sum": true, "zero_sum_evidence": evidence, "noops": {}, "noops_evidence": evidence,
        }))
        .unwrap()
    }

    #[test]
    fn axes_have_the_elements_that_facts_use() {
        let structures = structures();
        let known = facts(&structures, &["floor 2 1 box", "floor 4 3 box"]);
        let board = CellBoard::new(0, &structures, &known).unwrap();
        assert_eq!(board.elements, [vec!["2", "3", "4"], vec!["1", "2", "3"]]);
        assert_eq!(board.cell(&known[1]), Some(vec![2, 2]));
        assert_eq!(CellBoard::new(0, &structures, &[]).unwrap().size(), 25);
        // A coordinate without an order takes one that has all its elements.
        assert_eq!(CellBoard::new(2, &structures, &[]).unwrap().ordered, [true, true]);
        assert!(CellBoard::new(1, &structures, &[]).is_none());
    }

    #[test]
    fn fluents_with_the_same_cells_share_a_board() {
        let structures = structures();
        let mut board = CellBoard::new(0, &structures, &[]).unwrap();
        assert!(board.add_layer(1, &structures, &[]) && board.add_layer(2, &structures, &[]));
        assert!(!board.add_layer(3, &structures, &[]));
        assert_eq!(board.title(), "floor/3, goal/2, at/3");
        let state = facts(&structures, &["floor 1 1 man", "goal 1 1", "at 1 1 man", "step 1"]);
        let contents: Vec<String> =
            board.cells(&state)[&vec![0, 0]].iter().map(|words| words.join(" ")).collect();
        assert_eq!(
            contents,
            ["man", "goal", "at man"],
            "contents of two fluents with a common word are distinct"
        );
        // A fluent with other cells has its own board.
        let known = facts(&structures, &["floor 1 1 man", "floor 2 2 man", "goal 3 3"]);
        let mut board = CellBoard::new(0, &structures, &known).unwrap();
        assert!(!board.add_layer(1, &structures, &known));
    }
}
