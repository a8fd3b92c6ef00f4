//! All machines play the same game for any rules: the network, its lanes, and the relational machine.
//!
//! Rules of small games are altered so that they can still be read: literals are deleted, repeated, moved or negated, words
//! and variables change, and rules are deleted or repeated. The test tries 150 of them.
//! `GGP_MUTANTS=3000 cargo test --test play altered_rules::` tries more, and `GGP_MUTANTS_FROM=N` begins with number N.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::listed::all_games;
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, load};
use ggp::simulate::{Budget, cross_check};

/// The largest size of a game in bytes; larger games take too long.
const SMALL: u64 = 6_000;

/// A word, or a list in parentheses.
#[derive(Clone)]
enum Tree {
    Word(String),
    List(Vec<Tree>),
}

use Tree::{List, Word};

impl Tree {
    fn text(&self) -> String {
        match self {
            Word(word) => word.clone(),
            List(members) => {
                format!("({})", members.iter().map(Tree::text).collect::<Vec<_>>().join(" "))
            }
        }
    }

    fn is(&self, word: &str) -> bool {
        matches!(self, Word(this) if this == word)
    }

    /// The words and variables of a list, except the heads of lists.
    fn names<'t>(&'t mut self, out: &mut Vec<&'t mut String>) {
        if let List(members) = self {
            for member in members.iter_mut().skip(1) {
                match member {
                    Word(word) => out.push(word),
                    list => list.names(out),
                }
            }
        }
    }

    /// The members of a rule; `None` for other statements.
    fn body(&mut self) -> Option<&mut Vec<Tree>> {
        match self {
            List(members) if members.len() > 2 && members[0].is("<=") => Some(members),
            _ => None,
        }
    }
}

fn statements(text: &str) -> Vec<Tree> {
    let mut open: Vec<Vec<Tree>> = vec![Vec::new()];
    for line in text.lines() {
        let code = line.split(';').next().unwrap_or_default();
        for token in code.replace('(', " ( ").replace(')', " ) ").split_whitespace() {
            match token {
                "(" => open.push(Vec::new()),
                ")" => {
                    let list = open.pop().unwrap();
                    open.last_mut().unwrap().push(List(list));
                }
                word => open.last_mut().unwrap().push(Word(word.to_owned())),
            }
        }
    }
    open.remove(0)
}

fn alter(rules: &mut Vec<Tree>, random: &mut ChaCha8Rng) {
    let count = rules.len();
    let with_body: Vec<usize> = (0..count).filter(|&rule| rules[rule].body().is_some()).collect();
    let mut any = || with_body[random.random_range(0..with_body.len())];
    let (rule, other) = (any(), any());
    let mut literal = |rules: &mut Vec<Tree>, rule: usize| {
        random.random_range(2..rules[rule].body().expect("rules with a body were listed").len())
    };
    let (position, second) = (literal(rules, rule), literal(rules, other));
    let taken = rules[other].body().unwrap()[second].clone();
    let body = rules[rule].body().unwrap();
    match random.random_range(0..8) {
        0 if body.len() > 3 => drop(body.remove(position)),
        1 => body.push(taken),
        2 => {
            let here = std::mem::replace(&mut body[position], taken);
            rules[other].body().unwrap()[second] = here;
        }
        3 => {
            body[position] = match &body[position] {
                List(members) if members[0].is("not") => members[1].clone(),
                List(members) if !members[0].is("or") && !members[0].is("distinct") => {
                    List(vec![Word("not".to_owned()), body[position].clone()])
                }
                kept => kept.clone(),
            }
        }
        4 => drop(rules.remove(random.random_range(0..count))),
        5 => rules.push(rules[rule].clone()),
        // Replaces a word by another, or a variable by another one of the same rule.
        kind => {
            let from = if kind == 6 { rule } else { random.random_range(0..count) };
            let pick = |names: Vec<&mut String>, variable: bool, random: &mut ChaCha8Rng| {
                let fit: Vec<String> = names
                    .iter()
                    .filter(|name| name.starts_with('?') == variable)
                    .map(|n| (**n).clone())
                    .collect();
                (!fit.is_empty()).then(|| fit[random.random_range(0..fit.len())].clone())
            };
            let mut names = Vec::new();
            rules[from].names(&mut names);
            let Some(wanted) = pick(names, kind == 6, random) else { return };
            let mut names = Vec::new();
            rules[rule].names(&mut names);
            names.retain(|name| name.starts_with('?') == (kind == 6));
            let there = names.len();
            if there > 0 {
                **names.get_mut(random.random_range(0..there)).unwrap() = wanted;
            }
        }
    }
}

/// The differences between the machines; `None` if the rules have errors or cannot be played.
fn differences(text: &str) -> Option<Result<(), String>> {
    let description = read(&Source::from_text("altered", text)).description?;
    let limits = Limits { atoms: 200_000, work: 5_000_000, ..Limits::default() };
    let machine = |backend| load(description.clone(), backend, &limits).ok();
    let relational = machine(Backend::Relational)?;
    let budget = Budget { playouts: 5, max_steps: 60, seconds: Some(2.0), threads: 1, ..Budget::default() };
    let mut compared = None;
    for backend in [Backend::Network, Backend::Lanes] {
        let Some(other) = machine(backend) else { continue };
        match cross_check(&*other.machine, &*relational.machine, &budget) {
            Ok(found) if found.differences > 0 => {
                return Some(Err(format!("{backend:?}: {:?}", &found.first[..1])));
            }
            Ok(_) => compared = Some(Ok(())),
            Err(_) => {}
        }
    }
    compared
}

#[test]
fn all_machines_play_altered_rules_alike() {
    let number = |name: &str, otherwise: u64| {
        std::env::var(name).map_or(otherwise, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
    };
    let small = |path: &std::path::PathBuf| path.metadata().unwrap().len() < SMALL;
    let games: Vec<(std::path::PathBuf, Vec<Tree>)> = all_games()
        .into_iter()
        .filter(small)
        .map(|path| (path.clone(), statements(&String::from_utf8_lossy(&std::fs::read(&path).unwrap()))))
        .collect();
    let (from, tried) = (number("GGP_MUTANTS_FROM", 0), number("GGP_MUTANTS", 150));
    let (mut compared, mut faults) = (0, Vec::new());
    for seed in from..from + tried {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let (game, original) = &games[random.random_range(0..games.len())];
        let mut rules = original.clone();
        for _ in 0..random.random_range(1..=3) {
            alter(&mut rules, &mut random);
        }
        let text: String = rules.iter().map(|rule| rule.text() + "\n").collect();
        match differences(&text) {
            Some(Ok(())) => compared += 1,
            Some(Err(fault)) => faults.push(format!("{seed} of {}: {fault}\n{text}", game.display())),
            None => {}
        }
    }
    assert!(faults.is_empty(), "{} of {tried}:\n{}", faults.len(), faults.join("\n"));
    assert!(3 * compared >= tried, "{compared} of {tried} could be compared");
    println!("{compared} of {tried} compared");
}

#[test]
fn initial_facts_are_derived_from_an_empty_state() {
    // Initial facts are derived from an empty state: conditions on fluents fail, and negated ones hold.
    let text = "
        (role ann) (cell 1) (cell 2)
        (<= (init (on ?x)) (cell ?x) (true (off ?x)))
        (<= (init (on 1)) (cell 1))
        (<= (init (seen ?x)) (cell ?x) (not (lit ?x)))
        (<= (init (dark ?x)) (cell ?x) (lit ?x))
        (<= (init (open ?x)) (cell ?x) (legal ann (press ?x)))
        (init (off 2))
        (<= (lit ?x) (true (on ?x)))
        (<= (legal ann (press ?x)) (true (off ?x)))
        (<= (legal ann (press ?x)) (true (on ?x)))
        (<= (next (on ?x)) (does ann (press ?x)))
        (<= (next (off ?x)) (cell ?x) (not (does ann (press ?x))))
        (<= terminal (true (on 2)) (true (on 1)))
        (<= (goal ann 100) (role ann))";
    let description = read(&Source::from_text("asks", text)).description.unwrap();
    for backend in [Backend::Network, Backend::Lanes, Backend::Relational] {
        let machine = load(description.clone(), backend, &Limits::default()).unwrap().machine;
        let mut fluents = Vec::new();
        machine.fluents(machine.initial(), &mut fluents);
        let mut initial: Vec<String> = fluents.iter().map(|&fluent| machine.fluent_text(fluent)).collect();
        initial.sort();
        assert_eq!(initial, ["(off 2)", "(on 1)", "(seen 1)", "(seen 2)"], "{backend:?}");
    }
}
