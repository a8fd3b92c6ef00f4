//! Findings do not depend on the names of symbols, on the order of rules and literals, or on the order of a
//! relation's arguments.
//!
//! The scrambled game is analysed twice. With the same playouts, mapped through the renaming, everything except names must
//! be equal. With fresh playouts the findings must be equal too, so they do not depend on one sample.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use crate::listed::{own_games, real_games_named};
use crate::reordered::Reordered;
use crate::scramble::{REAL_GAMES, Scramble, compare_all, rules_of, scrambled, written};
use ggp::gdl::{Source, read};
use ggp::ground::network::RoleMove;
use ggp::ground::{GroundedGame, Limits, StaticFacts};
use ggp::machine::{self, Backend, Machine, MoveId, NetworkMachine};
use ggp::simulate::{Budget, Choices, Context};
use ggp::structure::argument::ArgumentPosition;
use ggp::structure::detect;
use ggp::structure::finding::{
    Direction, FluentFinding, FluentKind, LocatedObject, OtherChain, Structures, Successor,
};
use ggp::structure::in_kif;
use ggp::structure::vocabulary::Kif;

/// Playouts of each version of a game. If `WORK` ends them earlier, the comparison with fresh playouts leaves out pieces,
/// because a few playouts do not show which things are pieces.
const PLAYOUTS: u64 = 1_000;

/// The number of these playouts that are also played one state at a time.
const ONE_BY_ONE: u64 = 200;

/// The limit of work for the playouts.
const WORK: Option<u64> = Some(300_000_000);

/// The names of successor relations over the same elements. If the arguments of one are exchanged, a relation and its
/// reverse exchange their roles.
fn twins(found: &Structures<Kif>, scramble: &Scramble, relation: &str) -> BTreeSet<String> {
    let elements =
        |successor: &Successor<Kif>| -> BTreeSet<String> { successor.elements.iter().cloned().collect() };
    let chains = || found.chains.iter().chain(&found.cycles);
    if let Some(chain) = chains().find(|chain| chain.pattern == relation) {
        return BTreeSet::from([chain_line(chain, scramble)]);
    }
    let Some(own) = found.successors.iter().find(|successor| successor.relation == relation) else {
        return BTreeSet::from([scramble.signature(relation)]);
    };
    let same = found.successors.iter().filter(|other| elements(other) == elements(own));
    same.map(|successor| scramble.signature(&successor.relation)).collect()
}

/// A chain as text that is the same for both directions.
fn chain_line(chain: &OtherChain<Kif>, scramble: &Scramble) -> String {
    let elements: BTreeSet<_> = chain.elements.iter().map(|element| scramble.term(element)).collect();
    format!("chain {:?} {} {elements:?}", chain.shape, scramble.signature(&chain.relation))
}

/// The findings as lines of text, after renaming.
fn lines(found: &Structures<Kif>, scramble: &Scramble, with_pieces: bool) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for successor in &found.successors {
        let ends: BTreeSet<_> = [&successor.first, &successor.last].map(|end| scramble.term(end)).into();
        lines.insert(format!(
            "successor {} {ends:?} {}",
            scramble.signature(&successor.relation),
            successor.length
        ));
    }
    for order in &found.orders {
        let (relation, over) = (scramble.signature(&order.relation), twins(found, scramble, &order.over));
        let uncompared = order.uncompared.map(|found| found.elements);
        lines.insert(format!("order {relation} over {over:?} strict {} but {uncompared:?}", order.strict));
    }
    lines.extend(found.chains.iter().chain(&found.cycles).map(|chain| chain_line(chain, scramble)));
    for order in &found.partial_orders {
        let relation = scramble.signature(&order.relation);
        let (strict, weak, elements, height) = (order.strict, order.weak, order.elements, order.height);
        lines.insert(format!("partial order {relation} {strict} {weak} {elements} {height}"));
    }
    for fluent in &found.fluents {
        lines.insert(fluent_line(found, fluent, scramble, with_pieces));
    }
    let team = |team: &Vec<String>| team.iter().map(|role| scramble.term(role)).collect::<BTreeSet<_>>();
    lines.insert(format!("teams {:?}", found.teams.iter().map(team).collect::<BTreeSet<_>>()));
    lines.insert(format!("{:?} zero-sum {}", found.turns, found.zero_sum));
    for (role, moves) in &found.noops {
        let moves: BTreeSet<_> = moves.iter().map(|action| scramble.term(action)).collect();
        lines.insert(format!("noop {} {moves:?}", scramble.term(role)));
    }
    lines
}

fn fluent_line(
    found: &Structures<Kif>,
    fluent: &FluentFinding<Kif>,
    scramble: &Scramble,
    with_pieces: bool,
) -> String {
    let position = |argument: &ArgumentPosition| scramble.position(&fluent.fluent, argument.number());
    let positions = |arguments: &[ArgumentPosition]| arguments.iter().map(position).collect::<BTreeSet<_>>();
    let thing = |thing: &LocatedObject<Kif>| -> BTreeMap<usize, String> {
        let pairs = thing.arguments.iter().zip(&thing.symbol);
        pairs.map(|(argument, symbol)| (position(argument), scramble.term(symbol))).collect()
    };
    let things = |things: &[LocatedObject<Kif>]| things.iter().map(thing).collect::<BTreeSet<_>>();
    let mut line = format!("{} {:?}", scramble.signature(&fluent.fluent), fluent.kind);
    if fluent.kind != FluentKind::Other {
        line += &format!(" {:?} -> {:?}", positions(&fluent.inputs), positions(&fluent.outputs));
    }
    let axes: BTreeMap<usize, _> = (fluent.axes.iter())
        .map(|axis| {
            (position(&axis.argument), axis.order.as_ref().map(|order| twins(found, scramble, order)))
        })
        .collect();
    line += &format!(" axes {axes:?} covered {:?}", fluent.covered);
    if let Some(counter) = &fluent.counter {
        let by = found.successors.iter().find(|successor| successor.relation == counter.by);
        let towards = by.map(|by| match counter.direction {
            Direction::Up => scramble.term(&by.last),
            Direction::Down => scramble.term(&by.first),
        });
        let limit = counter.limit.as_ref().map(|limit| scramble.term(limit));
        let by = scramble.signature(&counter.by);
        line += &format!(" by {by} from {} to {limit:?} towards {towards:?}", scramble.term(&counter.start));
    }
    if let Some(quantity) = &fluent.quantity {
        line += &format!(" order {:?}", twins(found, scramble, &quantity.order));
    }
    let keys: BTreeSet<_> = fluent.minimal_keys.iter().map(|key| positions(key)).collect();
    let (roles, stamp) = (positions(&fluent.role_arguments), fluent.stamp.as_ref().map(position));
    line += &format!(
        " roles {roles:?} stamp {stamp:?} constant {:?} latch {:?} keys {keys:?}",
        fluent.constant, fluent.latch
    );
    if let Some(adjacency) = &fluent.adjacency {
        line += &format!(" joined by {} {}", scramble.signature(&adjacency.relation), adjacency.cells);
    }
    if let Some(control) = &fluent.control {
        line += &format!(" who {}", position(&control.argument));
    }
    let (markers, pieces) = (things(&fluent.markers), things(&fluent.pieces));
    if with_pieces {
        line += &format!(" markers {markers:?} pieces {pieces:?} contents {:?}", things(&fluent.contents));
    }
    line
}

fn load(name: &str, text: &str) -> machine::Loaded {
    let reading = read(&Source::from_text(name, text));
    let description = reading.description.unwrap_or_else(|| panic!("{name}: {:#?}", reading.diagnostics));
    machine::load(description, Backend::Network, &Limits::default()).unwrap()
}

/// The texts of all moves of a game, by move number.
fn moves(game: &machine::Loaded) -> Vec<String> {
    let count = game.grounded.as_ref().unwrap().network.actions.len() as u32;
    (0..count).map(|number| game.machine.move_text(MoveId(number))).collect()
}

/// The findings of a game, the number of playouts, and the number of states.
fn analyse(
    machine: &dyn Machine,
    statics: &StaticFacts,
    playouts: u64,
    work: Option<u64>,
) -> (Structures<Kif>, u64, u64) {
    let budget = Budget { playouts, work, ..Budget::default() };
    let (found, statistics) = detect(machine, statics, &budget, &Context::default()).unwrap();
    (in_kif(&found, machine), statistics.playouts, statistics.states)
}

fn differences(name: &str, wanted: &BTreeSet<String>, found: &BTreeSet<String>, wrong: &mut Vec<String>) {
    wrong.extend(wanted.difference(found).map(|line| format!("{name}: wanted {line}")));
    wrong.extend(found.difference(wanted).map(|line| format!("{name}: found {line}")));
}

fn compare(path: &Path, wrong: &mut Vec<String>) {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let rules = rules_of(path);
    let mut choices = Choices::new(7, 0);
    let scramble = Scramble::new(&rules, &mut choices);
    let scrambled = scrambled(&rules, &scramble, &mut choices);
    let plain = load(&name, &written(&rules));
    let other = load(&name, &written(&scrambled));
    let unchanged = Scramble { names: BTreeMap::new(), positions: BTreeMap::new() };

    let (wanted, played, _) = analyse(&*plain.machine, &plain.statics, PLAYOUTS, WORK);
    let (fresh, freshly_played, _) = analyse(&*other.machine, &other.statics, PLAYOUTS, WORK);
    let enough = played == PLAYOUTS && freshly_played == PLAYOUTS;
    let fresh_name = format!("{name}, fresh playouts");
    differences(&fresh_name, &lines(&wanted, &scramble, enough), &lines(&fresh, &unchanged, enough), wrong);

    // The same playouts need the legal moves in the order of the original game, renamed.
    let order: BTreeMap<String, usize> =
        moves(&plain).iter().enumerate().map(|(rank, text)| (scramble.term(text), rank)).collect();
    let ranks: Vec<usize> = moves(&other).iter().map(|text| order[text]).collect();
    let mut equal = |how: &str, one: &dyn Machine, mapped: &dyn Machine, playouts: u64| {
        let (wanted, _, states) = analyse(one, &plain.statics, playouts, None);
        let (found, _, mapped_states) = analyse(mapped, &other.statics, playouts, None);
        if mapped_states != states {
            wrong.push(format!("{name}: {mapped_states} states on mapped playouts {how}, not {states}"));
        }
        let mapped_name = format!("{name}, mapped playouts {how}");
        differences(&mapped_name, &lines(&wanted, &scramble, true), &lines(&found, &unchanged, true), wrong);
    };
    let mut grounded = (**other.grounded.as_ref().unwrap()).clone();
    let ordered = |moves: &mut Vec<RoleMove>| moves.sort_by_key(|chosen| ranks[chosen.action as usize]);
    grounded.network.moves.iter_mut().for_each(ordered);
    let in_lanes = NetworkMachine::new(Arc::new(grounded));
    equal("in lanes", &*plain.machine, &in_lanes, played);

    let sequential = |grounded: &Option<Arc<GroundedGame>>| NetworkMachine::new(grounded.clone().unwrap());
    let [here, there] = [&plain.grounded, &other.grounded].map(sequential);
    let unordered = Reordered { inner: &here, ranks: (0..ranks.len()).collect() };
    let reordered = Reordered { inner: &there, ranks };
    equal("one by one", &unordered, &reordered, played.min(ONE_BY_ONE));
}

#[test]
#[ignore = "takes a quarter of a minute"]
fn scrambled_project_games_have_the_same_findings() {
    compare_all(&own_games(), compare);
}

#[test]
#[cfg_attr(not(has_corpus), ignore = "GGP_CORPUS names no corpus")]
fn scrambled_corpus_games_have_the_same_findings() {
    compare_all(&real_games_named(&REAL_GAMES), compare);
}
