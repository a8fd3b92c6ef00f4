//! The scene of a game: the cells, objects, colours and bars that are drawn for its states, from boards, quantities and
//! counters. Other facts are listed as text.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::structure::argument::ArgumentPosition;
use crate::structure::finding::{FluentFinding, FluentKind, Structures};
use crate::structure::vocabulary::Kif;

use super::super::cell_signs::CellSigns;
use super::super::cells::{Cell, CellBoard, Contents, chain, places_of};
use super::super::drawn_board::{Arrangement, DrawnBoard, drawn_boards};
use super::super::facts::Fact;
use super::super::paint::Paint;
use super::edge_bands::{EdgeBand, edge_bands};
use super::material::PageMaterial;
use super::palette::COLOURS;
use super::shape::Shape;

/// The most boards and bars that are drawn; the rest is listed as facts.
const BOARDS: usize = 6;
const GAUGES: usize = 24;

/// The most objects with distinct colours; with more, all have one colour and only signs distinguish them.
const COLOURED: usize = 6;

/// The drawing of a game's states.
pub(super) struct Scene<'s> {
    pub(super) boards: Vec<BoardScene<'s>>,
    pub(super) gauges: Vec<Gauge>,
    pub(super) things: Vec<BoardObject>,
    /// Fluents that are drawn, by index in `Structures::fluents`; their facts are not listed as text.
    drawn_fluents: BTreeSet<usize>,
}

/// A board with its cells in the plane.
pub(super) struct BoardScene<'s> {
    drawn: DrawnBoard<'s>,
    pub(super) shape: Shape,
    /// The bands along edges that roles connect.
    pub(super) bands: Vec<EdgeBand>,
    places: BTreeMap<Cell, usize>,
}

/// An object on cells.
pub(super) struct BoardObject {
    pub(super) contents: Contents,
    /// One or two letters.
    pub(super) sign: String,
    /// Whether it marks cells: objects can be on top of it.
    pub(super) is_mark: bool,
    /// Its colour; none for the content of empty cells.
    pub(super) colour: Option<ObjectColour>,
}

/// The colour of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectColour {
    /// The colour that its contents or the name of its owner name.
    Paint(Paint),
    /// The colour of a series of the palette.
    Series(usize),
}

/// A value in an order, as a bar.
pub(super) struct Gauge {
    /// The fluent's index in `Structures::fluents`.
    fluent: usize,
    /// The argument with the value.
    argument: ArgumentPosition,
    /// The key: the other arguments.
    key: Vec<String>,
    /// The name.
    pub(super) name: String,
    /// The values from first to last.
    pub(super) values: Vec<String>,
    /// For each term of the argument's domain its index in `values`.
    places: Vec<Option<usize>>,
}

/// The drawing of one state.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Frame {
    /// For each board, alternating a cell and its object, by number.
    #[serde(rename = "b")]
    pub(super) boards: Vec<Vec<usize>>,
    /// For each bar the index of its value.
    #[serde(rename = "g")]
    pub(super) gauges: Vec<Option<usize>>,
    /// Other facts.
    #[serde(rename = "r")]
    pub(super) rest: Vec<String>,
}

impl<'s> Scene<'s> {
    /// Prepares the drawing of a game whose first state is the initial one.
    pub(super) fn new(structures: &'s Structures<Kif>, shown: &PageMaterial) -> Scene<'s> {
        let mut scene = Scene {
            boards: Vec::new(),
            gauges: Vec::new(),
            things: Vec::new(),
            drawn_fluents: BTreeSet::new(),
        };
        let states: Vec<&[Fact]> = shown.play.states.iter().map(|state| state.facts.as_slice()).collect();
        for drawn in drawn_boards(structures, &shown.sources, &shown.roles, &states).into_iter().take(BOARDS)
        {
            scene.drawn_fluents.extend(drawn.board.fluents());
            scene.boards.push(BoardScene::new(drawn, shown));
        }
        scene.add_gauges(structures, shown);
        scene.add_things(shown);
        let says_turn =
            |finding: &FluentFinding<Kif>| finding.kind == FluentKind::Control && finding.arity == 1;
        let turns = (0..structures.fluents.len()).filter(|&fluent| says_turn(&structures.fluents[fluent]));
        scene.drawn_fluents.extend(turns);
        scene
    }

    /// The colours of objects that are named by a word.
    pub(super) fn paints(&self) -> BTreeSet<Paint> {
        let paint = |thing: &BoardObject| match thing.colour {
            Some(ObjectColour::Paint(paint)) => Some(paint),
            _ => None,
        };
        self.things.iter().filter_map(paint).collect()
    }

    /// The drawing of a state.
    pub(super) fn frame(&self, facts: &[Fact]) -> Frame {
        let mut frame = Frame { gauges: vec![None; self.gauges.len()], ..Frame::default() };
        for board in &self.boards {
            let mut standing: Vec<[usize; 2]> = Vec::new();
            for (cell, objects) in board.drawn.objects(facts) {
                for contents in objects {
                    let blank = board.drawn.blank.as_ref() == Some(&contents);
                    let thing =
                        |thing: &BoardObject| thing.contents == contents && thing.colour.is_none() == blank;
                    let thing = self.things.iter().position(thing);
                    standing.extend(board.places.get(&cell).zip(thing).map(|(&cell, thing)| [cell, thing]));
                }
            }
            standing.sort_unstable();
            frame.boards.push(standing.into_iter().flatten().collect());
        }
        for fact in facts {
            for (gauge, value) in self.gauges.iter().zip(&mut frame.gauges) {
                if let Some(place) = gauge.value(fact) {
                    *value = Some(place);
                }
            }
            if fact.fluent.is_none_or(|fluent| !self.drawn_fluents.contains(&fluent)) {
                frame.rest.push(fact.to_string());
            }
        }
        frame
    }

    fn add_gauges(&mut self, structures: &'s Structures<Kif>, shown: &PageMaterial) {
        for (fluent, finding) in structures.fluents.iter().enumerate() {
            let Some((argument, order)) = value_of(finding) else { continue };
            let domain = &finding.domains[argument.index()];
            let Some(along) = chain(order, structures, domain).filter(|along| along.len() > 1) else {
                continue;
            };
            let facts = shown.play.states.iter().flat_map(|state| &state.facts);
            let facts = facts.filter(|fact| fact.fluent == Some(fluent));
            let keys: BTreeSet<Vec<String>> = facts.clone().map(|fact| key(fact, argument)).collect();
            // Domains can be larger than the reachable values: a bar ends at the limit of a counter, or at the greatest value
            // in the game.
            let limit = finding.counter.as_ref().and_then(|counter| counter.limit.as_ref());
            let limit = limit.and_then(|limit| domain.iter().position(|term| term == limit));
            let places = places_of(&along, domain.len());
            let positions = facts.filter_map(|fact| fact.positions[argument.index()]).chain(limit);
            let last = positions.filter_map(|position| places[position]).max();
            let along = &along[..last.map_or(0, |last| last + 1)];
            let values: Vec<String> = along.iter().map(|&position| domain[position].clone()).collect();
            if keys.is_empty() || self.gauges.len() + keys.len() > GAUGES {
                continue;
            }
            let name = finding.fluent.split('/').next().unwrap_or_default();
            self.gauges.extend(keys.into_iter().map(|key| Gauge {
                fluent,
                argument,
                name: [name].into_iter().chain(key.iter().map(String::as_str)).collect::<Vec<_>>().join(" "),
                key,
                values: values.clone(),
                places: places_of(along, domain.len()),
            }));
            self.drawn_fluents.insert(fluent);
        }
    }

    /// Adds the objects on boards in the game. Objects of roles have the roles' colours; others have the remaining colours.
    fn add_things(&mut self, shown: &PageMaterial) {
        let mut found: BTreeMap<(Contents, bool), Option<usize>> = BTreeMap::new();
        let mut signs: BTreeMap<Contents, String> = BTreeMap::new();
        let seen = shown.play.states.iter().flat_map(|state| &state.facts);
        for board in &self.boards {
            let mut standing: BTreeSet<Contents> = BTreeSet::new();
            for fact in seen.clone().chain(&board.drawn.marks) {
                if board.cell(fact).is_none() {
                    continue;
                }
                let contents = board.board().contents(fact);
                let blank = board.drawn.blank.as_ref() == Some(&contents);
                if !blank {
                    standing.insert(contents.clone());
                }
                let owner = || {
                    let owner = owner(fact, shown).or_else(|| board.drawn.owners.get(&contents).copied());
                    // The colour of a single role would not distinguish its objects.
                    owner.filter(|_| shown.roles.len() > 1)
                };
                found.entry((contents.clone(), blank)).or_insert_with(owner);
            }
            // Each board assigns its own letters; there are too few for all objects of a game.
            let of_board = CellSigns::new(standing.iter().cloned().collect());
            for contents in standing {
                let sign = sign(&contents, of_board.of(&contents));
                signs.entry(contents).or_insert(sign);
            }
        }
        let free: Vec<&Contents> =
            (found.iter().filter(|(key, owner)| !key.1 && owner.is_none()).map(|(key, _)| &key.0))
                .filter(|contents| Paint::of_contents(contents).is_none())
                .collect();
        let first = if found.values().any(Option::is_some) { shown.roles.len() } else { 0 };
        let shades = shades(&free, first);
        let colour = |contents: &Contents, owner: Option<usize>| {
            let of_owner = || Paint::of_symbol(shown.roles.get(owner?)?);
            match Paint::of_contents(contents).or_else(of_owner) {
                Some(paint) => ObjectColour::Paint(paint),
                None => ObjectColour::Series(
                    owner.or_else(|| shades.get(contents).copied()).unwrap_or(0) % COLOURS,
                ),
            }
        };
        let thing = |((contents, blank), owner): (&(Contents, bool), &Option<usize>)| BoardObject {
            contents: contents.clone(),
            sign: signs.get(contents).cloned().unwrap_or_default(),
            is_mark: self.boards.iter().any(|board| board.board().is_mark(contents)),
            colour: (!blank).then(|| colour(contents, *owner)),
        };
        self.things = found.iter().map(thing).collect();
    }
}

/// The sign of contents; their first letters if all letters are taken.
fn sign(contents: &Contents, sign: &str) -> String {
    if sign.contains('?') { contents.join(" ").chars().take(3).collect() } else { sign.to_owned() }
}

/// Colours for objects without an owner, by the argument that distinguishes fewest of them.
fn shades(free: &[&Contents], first: usize) -> BTreeMap<Contents, usize> {
    let word = |contents: &Contents, place: usize| contents.get(place).cloned().unwrap_or_default();
    let places = free.iter().map(|contents| contents.len()).max().unwrap_or(0);
    let different = |place| free.iter().map(|contents| word(contents, place)).collect::<BTreeSet<String>>();
    let place =
        (0..places).filter(|&place| different(place).len() > 1).min_by_key(|&place| different(place).len());
    let words: Vec<String> = place.map_or(Vec::new(), |place| different(place).into_iter().collect());
    let shade = |contents: &Contents| match place {
        Some(_) if words.len() > COLOURED => COLOURS - 1,
        Some(place) => first + words.iter().position(|known| *known == word(contents, place)).unwrap_or(0),
        None => first,
    };
    free.iter().map(|&contents| (contents.clone(), shade(contents))).collect()
}

/// The role that owns the object of a fact: by `PageMaterial::owners`, or the only role that the fact names.
fn owner(fact: &Fact, shown: &PageMaterial) -> Option<usize> {
    let words: Vec<&str> = fact.arguments.iter().map(String::as_str).collect();
    let by_play =
        shown.owners.iter().find(|(pattern, _)| pattern.name == fact.name && pattern.matches(&words));
    by_play.map(|found| found.1).or_else(|| {
        let mut named = words.iter().filter_map(|word| shown.roles.iter().position(|role| role == word));
        named.next().filter(|_| named.next().is_none())
    })
}

/// The argument of a fluent with an ordered value, and the order.
fn value_of(finding: &FluentFinding<Kif>) -> Option<(ArgumentPosition, &str)> {
    let quantity = finding.quantity.as_ref().map(|found| (found.value, found.order.as_str()));
    let counter = finding.counter.as_ref().filter(|_| finding.kind == FluentKind::Counter);
    quantity.or_else(|| counter.map(|found| (found.argument, found.by.as_str())))
}

/// The key of a value: the fact's other arguments.
fn key(fact: &Fact, argument: ArgumentPosition) -> Vec<String> {
    let others = fact.arguments.iter().enumerate().filter(|(place, _)| *place != argument.index());
    others.map(|(_, word)| word.clone()).collect()
}

impl Gauge {
    /// The index of the value that a fact gives this bar; `None` for a fact of another bar.
    fn value(&self, fact: &Fact) -> Option<usize> {
        if fact.fluent != Some(self.fluent) || key(fact, self.argument) != self.key {
            return None;
        }
        self.places[fact.positions[self.argument.index()]?]
    }
}

impl<'s> BoardScene<'s> {
    fn new(drawn: DrawnBoard<'s>, shown: &PageMaterial) -> BoardScene<'s> {
        let shape = Shape::new(&drawn);
        let bands = edge_bands(&drawn, &shape, &shown.edges, &shown.roles);
        let places =
            shape.cells.iter().enumerate().map(|(number, (cell, _))| (cell.clone(), number)).collect();
        BoardScene { drawn, shape, bands, places }
    }

    /// The cells and their coordinates.
    pub(super) fn board(&self) -> &CellBoard<'s> {
        &self.drawn.board
    }

    /// Whether it is drawn as several planes.
    pub(super) fn has_planes(&self) -> bool {
        matches!(self.drawn.arrangement, Arrangement::Planes)
    }

    /// The number of a fact's cell.
    pub(super) fn cell(&self, fact: &Fact) -> Option<usize> {
        self.places.get(&self.board().cell(fact)?).copied()
    }

    /// Whether a fact says that its cell is empty.
    pub(super) fn is_blank(&self, fact: &Fact) -> bool {
        self.drawn.blank.as_ref() == Some(&self.board().contents(fact))
    }

    /// The content of empty cells, as text.
    pub(super) fn blank(&self) -> Option<String> {
        self.drawn.blank.as_ref().map(|contents| contents.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::facts::tests::facts;
    use super::super::material::{PlayText, StateText};
    use super::super::shape::Form;
    use super::*;
    use crate::structure::argument::ArgumentPosition;
    use crate::verdict::ConnectedEdges;

    fn structures(kind: &str, axes: serde_json::Value, quantity: bool) -> Structures<Kif> {
        let evidence = serde_json::json!({
            "methods": ["syntax"], "because": "", "states": 0, "playouts": 0, "counterexample_bound": 0.0,
        });
        let words = ["a", "b", "c"];
        let board = serde_json::json!({
            "fluent": "on/3", "arity": 3, "inputs": [1, 2], "outputs": [3], "kind": kind, "axes": axes,
            "domains": [words, words, []], "evidence": evidence,
        });
        let heap = serde_json::json!({
            "fluent": "heap/2", "arity": 2, "inputs": [1], "outputs": [2], "kind": "quantity",
            "quantity": {"value": 2, "order": "next/2"}, "domains": [["left"], words], "evidence": evidence,
        });
        let fluents = if quantity { vec![board, heap] } else { vec![board] };
        serde_json::from_value(serde_json::json!({
            "successors": [{
                "relation": "next/2", "length": 3, "first": "a", "last": "c", "elements": words, "evidence": evidence,
            }],
            "orders": [], "fluents": fluents, "teams": [], "teams_evidence": evidence,
            "turns": "alternating", "turns_evidence": evidence, "zero_sum": true, "zero_sum_evidence": evidence,
            "noops": {}, "noops_evidence": evidence,
        }))
        .unwrap()
    }

    fn ordered() -> serde_json::Value {
        serde_json::json!([{"argument": 1, "order": "next/2"}, {"argument": 2, "order": "next/2"}])
    }

    fn shown(structures: &Structures<Kif>, states: &[&[&str]]) -> PageMaterial {
        let state = |facts_of: &&[&str]| StateText { facts: facts(structures, facts_of), choosing: vec![0] };
        let play = PlayText { states: states.iter().map(state).collect(), ..PlayText::default() };
        PageMaterial { roles: vec!["red".into(), "blue".into()], play, ..PageMaterial::default() }
    }

    #[test]
    fn pieces_have_role_colours_and_bars_end_with_the_game() {
        let structures = structures("board", ordered(), true);
        let first: &[&str] = &["on a a red", "on b b blue", "on c c wall", "heap left a", "lit"];
        let shown = shown(&structures, &[first, &["on a a red", "heap left b"]]);
        let scene = Scene::new(&structures, &shown);
        let colour = |name: &str| scene.things.iter().find(|thing| thing.contents == [name]).unwrap().colour;
        let [red, blue] = [Paint::Red, Paint::Blue].map(|paint| Some(ObjectColour::Paint(paint)));
        assert_eq!(
            [colour("red"), colour("blue"), colour("wall")],
            [red, blue, Some(ObjectColour::Series(2))]
        );
        let frame = scene.frame(&shown.play.states[0].facts);
        assert_eq!(
            (frame.boards[0].len(), &frame.gauges[..], &frame.rest[..]),
            (6, &[Some(0)][..], &["lit".to_owned()][..])
        );
        assert_eq!(scene.gauges[0].values, ["a", "b"], "c never came up");
        assert_eq!(scene.frame(&shown.play.states[1].facts).gauges, [Some(1)]);
    }

    #[test]
    fn the_commonest_content_is_blank() {
        let structures = structures("board", ordered(), false);
        let all: Vec<String> = ["a", "b", "c"]
            .iter()
            .flat_map(|x| {
                ["a", "b", "c"]
                    .map(|y| format!("on {x} {y} {}", if *x == y && y == "b" { "red" } else { "none" }))
            })
            .collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let shown = shown(&structures, &[&all]);
        let scene = Scene::new(&structures, &shown);
        assert_eq!(scene.boards[0].blank().as_deref(), Some("none"));
        assert!(scene.things.iter().all(|thing| thing.colour.is_none() == (thing.contents == ["none"])));
        assert_eq!(scene.boards[0].shape.cells.len(), 9);
    }

    /// The pairs of a board of three by three cells: a cell and the one at each step.
    fn pairs(steps: &[[i64; 2]]) -> Vec<[Vec<Option<usize>>; 2]> {
        let mut found = Vec::new();
        for x in 0..3_i64 {
            for y in 0..3_i64 {
                for step in steps {
                    let to = [x + step[0], y + step[1]];
                    if to.iter().all(|part| (0..3).contains(part)) {
                        found.push([[x, y], to].map(|cell| cell.map(|part| Some(part as usize)).to_vec()));
                    }
                }
            }
        }
        found
    }

    #[test]
    fn edges_that_roles_connect_have_bands() {
        let structures = structures("board", ordered(), false);
        for (steps, corners) in [(&[[1, 0], [0, 1], [1, -1]][..], 7), (&[[1, 0], [0, 1]], 4)] {
            let mut shown = shown(&structures, &[&["on a a red"]]);
            shown.sources.joined = vec![(0, pairs(steps))];
            let edges = |argument: usize| ConnectedEdges {
                fluent: "on/3".to_owned(),
                argument: ArgumentPosition::at(argument),
                ends: ["a", "c"].map(str::to_owned),
            };
            let other = ConnectedEdges { fluent: "off/3".to_owned(), ..edges(0) };
            shown.edges = vec![(0, edges(0)), (1, edges(1)), (0, other)];
            let scene = Scene::new(&structures, &shown);
            let board = &scene.boards[0];
            let classes: Vec<&str> = board.bands.iter().map(|band| &band.class[..]).collect();
            assert_eq!(classes, ["p-red", "p-red", "p-blue", "p-blue"]);
            let line = |band: usize| match &board.bands[band].lines[..] {
                [line] => line.clone(),
                lines => panic!("{} lines", lines.len()),
            };
            let middle = |line: &[[f64; 2]], part: usize| {
                line.iter().map(|point| point[part]).sum::<f64>() / line.len() as f64
            };
            let [left, right, below, above] = [0, 1, 2, 3].map(line);
            assert!(middle(&left, 0) < middle(&right, 0) && middle(&above, 1) < middle(&below, 1));
            assert_eq!([left.len(), right.len(), below.len(), above.len()], [corners; 4]);
            // Neighbouring bands meet at a corner and share no side.
            let meet = |a: &[[f64; 2]], b: &[[f64; 2]]| {
                let near = |p: &[f64; 2], q: &[f64; 2]| (p[0] - q[0]).hypot(p[1] - q[1]) < 0.1;
                a.iter().filter(|p| b.iter().any(|q| near(p, q))).count()
            };
            let pairs = [(&left, &above), (&left, &below), (&right, &above), (&right, &below)];
            assert_eq!(pairs.map(|(a, b)| meet(a, b)), [1; 4], "{steps:?}");
        }
    }

    #[test]
    fn cells_are_placed_by_their_adjacency() {
        let form_of = |axes: serde_json::Value, steps: &[[i64; 2]], has_order: bool| {
            let mut structures = structures("board", axes, false);
            if !has_order {
                structures.successors.clear();
            }
            let mut shown = shown(&structures, &[&["on a a red"]]);
            shown.sources.joined = vec![(0, pairs(steps))];
            let scene = Scene::new(&structures, &shown);
            (scene.boards[0].shape.form, scene.boards[0].shape.lines.len())
        };
        let form = |axes: serde_json::Value, steps: &[[i64; 2]]| form_of(axes, steps, true);
        let hexagons = [[1, 0], [0, 1], [1, -1]];
        assert_eq!(form(ordered(), &hexagons), (Form::Hexagon, 0));
        assert_eq!(form(ordered(), &[[1, 0], [0, 1]]).0, Form::Square);
        assert_eq!(form(ordered(), &[[1, 0], [0, 1], [1, -1], [1, 1]]).0, Form::Square);
        // A coordinate takes the order of the game that has its elements. Without one the cells are a graph, with a line for each
        // pair.
        let loose = serde_json::json!([{"argument": 1, "order": "next/2"}, {"argument": 2, "order": null}]);
        assert_eq!(form(loose.clone(), &[[1, 0], [0, 1]]).0, Form::Square);
        assert_eq!(form_of(loose, &[[1, 0], [0, 1]], false), (Form::Point, 12));
    }
}
